# hosts 3 -4
# alone
# needs tc
# The model of `skyfarm bench` predicts the duration of a scan over a rate-limited link, which may take 15 % less, or, with
# the probe of each link, 25 % more: from one node without a limit, for one node at two rates and for two nodes that share
# a link. With --data the limit has no effect. The image has integers: floats would be packed in transit, which the model
# does not count.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $(log 2 node) $LAB/errors"
image=/run/lab/sky.fits
port=4870
rates="10 16 2"

# limit MBIT: limits the coordinator's sending rate, in Mbit/s; frames are queued for 100 ms at most.
limit() { on 3 tc qdisc replace dev eth0 root tbf rate "$1mbit" burst 64kb latency 100ms; }
# value FILE PATH...: a number of a JSON document.
value() {
    /usr/bin/python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]: value = value[int(key) if isinstance(value, list) else key]
print(value)' "$@"
}
# predicted MBIT NODES: seconds. measure NODE...: scans on these nodes.
predicted() {
    local link=0 rate
    for rate in $rates; do if [ "$rate" = "$1" ]; then break; fi; link=$((link + 1)); done
    # Forecasts are for 1, 2, 4, … nodes.
    value "$LAB/bench" scan links $link forecasts $(($2 - 1)) seconds
}
measure() {
    local node nodes=()
    for node in "$@"; do nodes+=(--node "10.77.0.$node:$port"); done
    rm -f "$LAB/cluster.csv"
    on 3 "$LAB_SKYFARM" scan $image "${nodes[@]}" --no-discovery --local-slots 0 --no-journal --quiet --json \
        -o /run/lab/cluster.csv >"$LAB/scan" 2>"$LAB/errors"
    check "a scan on node ${*} succeeds" test $? = 0
    check "with the same catalogue" same_catalogue
    measured=$(value "$LAB/scan" seconds)
}
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a / b > 0.85 && a / b < 1.25) }'; }

# Few sources, so that CPU time is a small part of the total.
on 1 "$LAB_SKYFARM" synth $image --size 1920 --type u16 --density 300 --quiet &&
    on 1 "$LAB_SKYFARM" scan $image --no-discovery --no-journal -o /run/lab/local.csv --quiet
check "an image is made and scanned on one machine" test $? = 0
for host in 1 2; do node $host --listen :$port --slots 1 --no-advertise; done
for host in 1 2; do check "node $host is ready" wait_for 15 lines 1 "^ready n$host " "$(log $host node)"; done

start=$(now)
on 3 "$LAB_SKYFARM" bench scan $image --node 10.77.0.1:$port --no-discovery --local-slots 0 --runs 1 --json \
    $(for rate in $rates; do echo "--link ${rate}M"; done) >"$LAB/bench" 2>"$LAB/errors"
check "one node is measured without a rate limit ($(since "$start") s)" test $? = 0

table="point                       predicted  measured  ratio"
for point in "10 1" "16 1" "16 1 2"; do
    set -- $point
    rate=$1
    shift
    limit "$rate"
    measure "$@"
    predicted=$(predicted "$rate" $#)
    name="$# $([ $# = 1 ] && echo node || echo nodes) behind $rate Mbit/s"
    table="$table
$(awk -v name="$name" -v p="$predicted" -v m="$measured" \
        'BEGIN { printf "%-26s  %7.2f s  %6.2f s  %5.2f", name, p, m, m / p }')"
    check "$name: $measured s, predicted $predicted s" near "$measured" "$predicted"
done
echo "$table"

stop 1 node
check "a node ends" ended 1 node 20
node 1 --listen :$port --slots 1 --no-advertise --data /run/lab
check "and is restarted, with the image's folder as --data" wait_for 15 lines 1 "^ready n1 " "$(log 1 node)"
limit 2
measure 1
pixels=$(predicted 2 1)
check "behind 2 Mbit/s a scan takes $measured s, where $pixels s are predicted with pixels: less than half" \
    under "$(awk -v a="$pixels" 'BEGIN { print a / 2 }')" "$measured"
