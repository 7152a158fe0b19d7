# hosts 2
# A hanging daemon is reported and blocks nothing else; discovery continues when it does.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 2 browse) $(log 1 node)"

avahi_freeze 2
start=$(now)
spawn 2 browse "$probe" browse
check "it is reported" wait_for 5 lines 1 'unavailable daemonNotAnswering' "$(log 2 browse)"
check "within 3 s ($(since "$start") s)" under 3 "$(since "$start")"
start=$(now)
stop 2 browse
check "the browser ends" ended 2 browse
check "at once ($(since "$start") s)" under 2 "$(since "$start")"

spawn 2 again "$probe" browse
spawn 1 node "$probe" advertise n 4000
wait_for 5 lines 1 'unavailable daemonNotAnswering' "$(log 2 again)"
check "the other host announces meanwhile" wait_for 5 lines 1 ' advertised' "$(log 1 node)"
avahi_thaw 2
check "once the daemon continues, the node is found" wait_for 10 lines 1 ' found n0 ' "$(log 2 again)"
