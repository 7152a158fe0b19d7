# hosts 2
# alone
# The first result of a discovered node arrives less than 1.5 s after the start of a scan.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $(log 2 scan)"

check "an image is made and scanned on one machine" sky 1000x1000
node 1
check "the node is announced" wait_for 15 announced 1
times=
for round in 1 2 3 4 5; do
    start=$(now)
    scan 2 --local-slots 0 --wait 20 --progress json --overwrite
    check "scan $round succeeds" scan_ended 2
    check "with the same catalogue" same_catalogue
    times="$times $(between "$start" "$(moment '"event":"finished"' "$(log 2 scan)")")"
done
median=$(printf '%s\n' $times | sort -n | sed -n 3p)
check "the first result comes within 1.5 s (median of$times s)" under 1.5 "$median"
