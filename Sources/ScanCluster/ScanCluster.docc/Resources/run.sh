$ swift run primes node &
ready [::]:40551

$ swift run primes count
664579 primes below 10000000
