# hosts 2 -4
# soak
# The only node of a scan is stuck in a read that never returns, while its heartbeats answer. Without --timeout the scan
# ends, names the sectors that were not scanned, and the exit code is 23; the same command then completes the catalogue.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $LAB/errors"

scan_far() {
    on 2 "$LAB_SKYFARM" scan /run/lab/sky.fits --no-discovery --local-slots 0 --node 10.77.0.1:4870 --band 256 \
        -o /run/lab/cluster.csv --overwrite "$@" >"$LAB/errors" 2>&1
}

cc -shared -fPIC -O2 -o "$LAB/stuck_read.so" "$LAB_HOME/stuck_read.c"
check "a read that never returns is built" test $? = 0
check "an image is made and scanned" sky 2200x2000
spawn 1 node env LD_PRELOAD=/run/lab/stuck_read.so STUCK_AFTER=5 "$LAB_SKYFARM" node --name n1 --slots 1 \
    --listen :4870 --no-advertise --data /run/lab
check "a node that will be stuck is ready" wait_for 15 lines 1 "^ready n1 " "$(log 1 node)"
start=$(now)
scan_far --wait 1
code=$?
check "the scan ends ($(since "$start") s) with exit code 23" test $code = 23
check "after a minute in each of two steps, at most" under 150 "$(since "$start")"
check "the sector whose read is stuck is named" \
    lines 1 'degraded: rows .* \(background\): no answer within 60 s \(on n1, attempt 1\)' "$LAB/errors"
check "and the others that nobody scanned" lines 2 'missing: rows .*no system is left to run it' "$LAB/errors"
check "there is a catalogue" test -s "$LAB/cluster.csv"

stop 1 node KILL
ended 1 node 5
node 1 --slots 1 --listen :4870 --no-advertise
check "the node is restarted" wait_for 15 lines 1 "^ready n1 " "$(log 1 node)"
scan_far
check "the same command completes the scan" test $? = 0
check "with the same catalogue" same_catalogue
