# hosts 4 -w
# With packet loss and a delay of 40 ms the catalogue is the same, and a stale announcement costs one dial.
. "$LAB_HOME/functions.sh"
LOGS="$(log 4 scan) $LAB/wire.log"

check "an image is made and scanned" sky 1000x1000
for host in 1 2 3; do node $host; done
for host in 1 2 3; do check "node $host is announced" wait_for 15 announced $host; done
on 4 "$LAB_SKYFARM" nodes >"$LAB/nodes"
check "all are found" lines 3 '^n[123] ' "$LAB/nodes"

# The host of node 3 is unreachable, but its announcement is cached.
black_hole 3
wire seed 7
wire delay 0 40
for loss in 10 30; do
    wire loss 0 $loss
    start=$(now)
    scan 4 --local-slots 1 --overwrite
    check "$loss % loss: the scan completes" scan_ended 4 100
    echo "after $(since "$start") s"
    check "$loss % loss: with the same catalogue" same_catalogue
    check "$loss % loss: the stale node is dialled once at most" test "$(grep -c 'node n3 is not used' "$(log 4 scan)")" -le 1
done
wire loss 0 0
scan 4 --local-slots 0 --wait 30 --overwrite
check "with a delay only, nodes run the scan" scan_ended 4
check "with the same catalogue" same_catalogue
check "the stale node is dialled once at most" test "$(grep -c 'node n3 is not used' "$(log 4 scan)")" -le 1
