# hosts 1
# Without a daemon a scan runs at once on the local machine and reports why in one line; doctor names the remedy.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 scan) $(log 1 node)"

check "an image is made and scanned" sky 1000x1000
avahi_stop 1
for daemon in daemon bus; do
    start=$(now)
    scan 1 --overwrite
    check "no $daemon: a scan succeeds" scan_ended 1 20
    check "at once ($(since "$start") s)" under 10 "$(since "$start")"
    check "with the same catalogue" same_catalogue
    check "one line gives the reason" test "$(grep -c 'discovery is off: .*systemctl start' "$(log 1 scan)")" = 1
    early=$(between "$start" "$(moment 'discovery is off' "$(log 1 scan)")")
    check "at once ($early s)" under 3 "$early"
    on 1 "$LAB_SKYFARM" doctor >"$LAB/doctor"
    check "no $daemon: doctor detects it" test $? = 1
    check "and names the remedy" lines 1 "→ sudo .*systemctl start" "$LAB/doctor"
    [ $daemon = bus ] || { stop 1 bus && ended 1 bus 5; }
done

node 1 --listen 127.0.0.1:4870
check "a node reports that it is not announced" wait_for 5 lines 1 'node: not announced: discovery is off' "$(log 1 node)"
check "and serves" on 1 "$LAB_SKYFARM" scan /run/lab/sky.fits --node 127.0.0.1:4870 --local-slots 0 -o /run/lab/cluster.csv --overwrite
check "with the same catalogue" same_catalogue
on 1 "$LAB_SKYFARM" scan /run/lab/sky.fits --local-slots 0 --wait 0.5 -o /run/lab/none.csv 2>"$LAB/none"
check "without any node the exit code is 3" test $? = 3
check "and doctor is recommended" lines 1 'skyfarm doctor' "$LAB/none"
