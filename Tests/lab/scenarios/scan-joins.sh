# hosts 4 -w
# long
# A node joins in mid-scan, and one drains, without a retry: the catalogue is the same.
. "$LAB_HOME/functions.sh"
LOGS="$(log 4 scan) $(log 3 node)"

check "an image is made and scanned on one machine" sky 3000x3000
# The coordinator's link carries 5 MB/s, so that a scan takes seven seconds on any machine.
wire rate 4 40000000

node 1
node 2
scan_on_nodes 4 1 2
node 3
wait_for 15 announced 3
start=$(now)
check "a node that is started in mid-scan joins" wait_for 10 joined 4 n3
check "within 2 s of its announcement ($(since "$start") s)" under 2 "$(since "$start")"
check_scan 4
check "and finished tasks" worked 4 n3

scan_on_nodes 4 1 2 3
stop 3 node
check "a node that gets SIGTERM in mid-scan ends with exit code 0" ended 3 node 30
check_scan 4
check "without a retry" lines 1 '"retries" : 0' "$(log 4 scan)"
