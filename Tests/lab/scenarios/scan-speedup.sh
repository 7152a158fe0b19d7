# hosts 2 -4
# alone
# soak
# needs taskset
# The speed-up that a scan reports is the ratio of the times of two scans, with and without the node, within 15 %, where
# coordinator and node have a processor each. It is the same in the terminal, in JSON and in the report. Where the node
# uses the coordinator's processor, none is reported. Programs run before all others of the machine, whose load would make
# the times unreliable, where this user may do that; LAB_PRIORITY is the command that raises the priority.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $LAB/errors"
: "${LAB_SIZE:=12288x12288}" "${LAB_PRIORITY:=$(chrt -f 1 true 2>/dev/null && echo chrt -f 1 || echo env)}"

# scan_on PROCESSOR OPTION...: scans with one slot; prints the seconds, which the clock has.
scan_on() {
    local start
    start=$(now)
    on 2 $LAB_PRIORITY taskset -c "$1" "$LAB_SKYFARM" scan /run/lab/sky.fits --no-discovery --no-journal --local-slots 1 \
        -o /run/lab/cluster.fits --overwrite "${@:2}" 2>"$LAB/errors" || return 1
    echo "$(since "$start")"
}
start_node() {
    spawn 1 node $LAB_PRIORITY taskset -c "$1" "$LAB_SKYFARM" node --name n1 --slots 1 --listen :4870 --no-advertise
    wait_for 15 lines 1 "^ready n1 " "$(log 1 node)"
}
factor() { sed -n 's/.*"factor" *: *\([0-9.]*\).*/\1/p' "$1"; }
median() { sort -n | sed -n 2p; }

check "there are two processors" test "$(nproc)" -ge 2
check "an image is made and scanned" sky "$LAB_SIZE"
check "a node with a processor of its own is ready" start_node 1
for run in 1 2 3; do
    scan_on 0 --quiet >>"$LAB/alone"
    scan_on 0 --quiet --node 10.77.0.1:4870 --json >"$LAB/scan.$run"
    check "scan $run succeeds" test $? = 0
    tail -n 1 "$LAB/scan.$run" >>"$LAB/both"
    factor "$LAB/scan.$run" >>"$LAB/factors"
done
ratio=$(awk -v a="$(median <"$LAB/alone")" -v b="$(median <"$LAB/both")" 'BEGIN { printf "%.2f", a / b }')
reported=$(median <"$LAB/factors")
echo "alone: $(paste -sd' ' "$LAB/alone") s; with the node: $(paste -sd' ' "$LAB/both") s;" \
    "reported: $(paste -sd' ' "$LAB/factors")"
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a / b > 0.85 && a / b < 1.15) }'; }
check "reported $reported, by the clock $ratio" near "$reported" "$ratio"

scan_on 0 --node 10.77.0.1:4870 --json -o /run/lab/cluster.csv --report /run/lab/report.html >"$LAB/scan"
check "a scan with a report succeeds" test $? = 0
check "with the same catalogue" same_catalogue
reported=$(factor "$LAB/scan")
check "JSON and terminal have one number, $reported" \
    lines 1 "[; ]$reported times as fast as this machine alone" "$LAB/errors"
check "and the report" grep -q "\"speedUp\":{[^}]*\"factor\":$reported[,}]" "$LAB/report.html"

stop 1 node
check "the node ends" ended 1 node 20
rm "$(log 1 node)"
check "a node on the coordinator's processor is ready" start_node 0
scan_on 0 --node 10.77.0.1:4870 --json --overwrite --report /run/lab/report.html >"$LAB/scan"
check "a scan succeeds" test $? = 0
check "no speed-up is in JSON" test -z "$(factor "$LAB/scan")"
check "in the terminal" test "$(grep -c 'times as fast' "$LAB/errors")" = 0
check "or in the report" test "$(grep -c '"speedUp":{' "$LAB/report.html")" = 0
