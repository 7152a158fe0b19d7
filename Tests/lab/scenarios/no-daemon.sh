# hosts 1
# Without a daemon the reason is reported at once, and nodes are found as soon as it is started.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 1 browse) $(log 1 node)"

avahi_stop 1
start=$(now)
spawn 1 browse "$probe" browse
check "the reason is reported" wait_for 3 lines 1 'unavailable daemonAbsent: .*systemctl start avahi-daemon' "$(log 1 browse)"
check "at once ($(since "$start") s)" under 2 "$(since "$start")"
spawn 1 node "$probe" advertise n 4000
check "the node reports it too" wait_for 1 lines 1 'unavailable.*no daemon runs' "$(log 1 node)"
sleep 1
check "the reason is reported once" test "$(grep -c unavailable "$(log 1 browse)")" = 1

avahi_start 1
check "the node of the same machine is found" wait_for 10 lines 1 ' found n0 .* here' "$(log 1 browse)"
sleep 1.5
check "once" test "$(grep -c ' found ' "$(log 1 browse)")" = 1

avahi_stop 1
stop 1 bus
check "the bus ends" ended 1 bus 5
check "a missing bus is named" wait_for 8 lines 1 'unavailable daemonAbsent: .*no D-Bus system bus' "$(log 1 browse)"
