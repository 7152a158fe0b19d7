# hosts 2 -4
# soak
# alone
# needs tc taskset
# A node that joins in mid-scan behind a slow link makes no scan slower: its transfers are recalled, or never begin.
# Coordinator and node have a processor and a slot each. The shortest of five scans counts, since other load only adds.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $LAB/errors"
: "${LAB_SIZE:=6000x6000}"

# scan_once OPTION...: the seconds of a scan with one slot on host 2.
scan_once() {
    local start
    start=$(now)
    on 2 taskset -c 0 "$LAB_SKYFARM" scan /run/lab/sky.fits --no-discovery --no-journal --local-slots 1 --quiet \
        -o /run/lab/cluster.csv --overwrite "$@" 2>"$LAB/errors" || return 1
    since "$start"
}
# join_later: a node that starts when a third of the scan is over.
join_later() {
    sleep "$(awk -v a="$alone" 'BEGIN { print a / 3 }')"
    spawn 1 node taskset -c 1 "$LAB_SKYFARM" node --name n1 --slots 1 --listen :4870 --no-advertise
}
least() { sort -n | head -n 1; }

check "an image is made and scanned" sky "$LAB_SIZE" --local-slots 1
on 2 tc qdisc replace dev eth0 root tbf rate 20mbit burst 64kb latency 100ms
alone=$(for run in 1 2 3 4 5; do scan_once; done | least)
for run in 1 2 3 4 5; do
    join_later &
    joiner=$!
    scan_once --node 10.77.0.1:4870 >>"$LAB/joined"
    check "scan $run succeeds with a node that joins" test $? = 0
    wait $joiner
    check "with the same catalogue" same_catalogue
    stop 1 node
    check "the node ends" ended 1 node 20
done
joined=$(least <"$LAB/joined")
check "a scan takes $joined s with it, $alone s without" \
    under "$(awk -v a="$alone" 'BEGIN { print 1.05 * a + 0.1 }')" "$joined"
