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

# Raw frames, which nodes calibrate with masters that they get once; one of the nodes dies.
mkdir "$LAB/raw"
for i in $(seq 12); do
    on 1 "$LAB_SKYFARM" synth "/run/lab/raw/$i.fits" --size 800x800 --seed "$i" --quiet || exit 1
done
on 1 "$LAB_SKYFARM" combine /run/lab/raw -o /run/lab/flat.fits --scale median --quiet
raw() { echo scan /run/lab/raw --flat /run/lab/flat.fits --cosmic-rays --no-journal -o "/run/lab/$1/{stem}.csv"; }
check "raw frames are scanned on one machine" on 1 "$LAB_SKYFARM" $(raw raw-local) --no-discovery --quiet
spawn 4 raw "$LAB_SKYFARM" $(raw raw-cluster) --local-slots 0 --wait 20
check "some raw frames are scanned on nodes" wait_for 60 lines 3 'sources' "$(log 4 raw)"
stop 2 node KILL
check "the scan completes without one of them" ended 4 raw 120
check "with the same catalogues" diff -r "$LAB/raw-local" "$LAB/raw-cluster"
