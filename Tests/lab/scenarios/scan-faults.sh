# hosts 4 -w
# long
# Nodes die, hang and disconnect in mid-scan: the catalogue is the same, and tasks move within 4 s.
. "$LAB_HOME/functions.sh"
LOGS="$(log 4 scan) $(log 2 node)"

check "an image is made and scanned on one machine" sky 3000x3000
# The coordinator's link carries 5 MB/s, so that a scan takes seven seconds on any machine.
wire rate 4 40000000

node 1
node 2
for fault in kill cable hole stop; do
    node 3
    check "node 3 is back" wait_for 15 announced 3
    scan_on_nodes 4 1 2 3
    start=$(now)
    case $fault in
        kill) stop 2 node KILL ;;
        cable) cable_pull 2 ;;
        hole) black_hole 2 ;;
        stop) stop 2 node STOP ;;
    esac
    check_scan 4
    moved=$(between "$start" "$(moment 'node n2 left; its tasks are reassigned|longer than expected on n2' "$(log 4 scan)")")
    check "$fault: tasks move within 4 s ($moved s)" under 4 "$moved"
    case $fault in
        cable) cable_plug 2 ;;
        hole) rejoin 2 ;;
        stop) stop 2 node CONT ;;
    esac
    stop 2 node KILL 2>/dev/null
    stop 3 node
    check "$fault: node 3 leaves" ended 3 node 10
    node 2
    check "$fault: node 2 is back" wait_for 15 announced 2
done
