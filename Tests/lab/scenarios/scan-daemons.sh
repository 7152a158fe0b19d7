# hosts 3 -w
# long
# Avahi is killed on the coordinator's host and on a node's, ten times in mid-scan: the scan is not affected.
. "$LAB_HOME/functions.sh"
LOGS="$(log 3 scan) $(log 1 node)"

check "an image is made and scanned on one machine" sky 4000x3000
wire rate 3 16000000
node 1
node 2
scan 3 --local-slots 0 --wait 20
for host in 1 2; do check "node $host joins" wait_for 20 joined 3 n$host; done
for round in $(seq 10); do
    avahi_kill 1
    avahi_kill 3
    avahi_start 1
    avahi_start 3
    sleep 0.5
    kill -0 "$(<"$LAB/1/node.pid")" || check "round $round: the node is running" false
done
check "the scan is still running" test ! -s "$LAB/3/scan.status"
check "and completes" scan_ended 3
check "with the same catalogue" same_catalogue
check "no node was lost" test "$(grep -c 'its tasks are reassigned' "$(log 3 scan)")" = 0
wire rate 3 0
found() { on 3 "$LAB_SKYFARM" nodes >"$LAB/nodes" && lines 2 '^n[12] ' "$LAB/nodes"; }
check "both nodes are found again" wait_for 20 found
