# hosts 2
# Avahi is killed repeatedly while many nodes are being resolved: no process crashes, and all nodes are found.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 2 browse) $(log 1 node)"

spawn 1 node "$probe" advertise n 4000 30
check "thirty nodes are announced" wait_for 10 lines 30 ' advertised' "$(log 1 node)"
for pause in 0.0 0.1 0.2 0.3 0.4 0.6 0.8 1.0; do
    rm -f "$(log 2 browse)"
    spawn 2 browse "$probe" browse
    check "browsing starts" wait_for 10 lines 1 ' available' "$(log 2 browse)"
    sleep $pause
    avahi_kill 2
    sleep 0.3
    check "the browser survives the daemon killed after $pause s" kill -0 "$(<"$LAB/2/browse.pid")"
    avahi_start 2
    avahi_ready 2
    stop 2 browse
    check "and ends cleanly" ended 2 browse 10
done
spawn 2 last "$probe" browse
check "all nodes are found" wait_for 15 lines 30 ' found ' "$(log 2 last)"
