$ swift run primes node 127.0.0.1:4871 &
ready 127.0.0.1:4871

$ swift run primes count --node 127.0.0.1:4871
664579 primes below 10000000
