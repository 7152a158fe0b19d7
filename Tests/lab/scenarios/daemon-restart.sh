# hosts 2
# long
# Avahi is killed by SIGKILL and restarted, ten times on each side: no process crashes, and nodes are found again.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 2 browse) $(log 1 node)"

spawn 1 node "$probe" advertise n 4000
spawn 2 browse "$probe" browse
check "the node is found" wait_for 6 lines 1 ' found n0 ' "$(log 2 browse)"

for round in $(seq 10); do
    avahi_kill 2
    wait_for 2 lines "$round" ' unavailable ' "$(log 2 browse)" || check "round $round: the loss is detected" false
    avahi_start 2
    spawn 1 "new$round" "$probe" advertise "new$round-" $((5000 + round))
    wait_for 12 lines 1 " found new$round-0 " "$(log 2 browse)" || check "round $round: a new node is found" false
    stop 1 "new$round"
done
check "the browser's daemon was killed ten times, a new node was found each time" true

for round in $(seq 10); do
    before=$(grep -cE '^[^ ]+ advertised' "$(log 1 node)")
    avahi_kill 1
    avahi_start 1
    wait_for 12 lines $((before + 1)) '^[^ ]+ advertised' "$(log 1 node)" ||
        check "round $round: the node is announced again" false
done
check "the node's daemon was killed ten times, the node was announced again each time" true
spawn 2 fresh "$probe" browse
check "and is found" wait_for 6 lines 1 ' found n0 ' "$(log 2 fresh)"

stop 1 bus KILL
sleep 1
check "the node survives the end of the bus" kill -0 "$(<"$LAB/1/node.pid")"
bus_start 1 && avahi_start 1
before=$(grep -cE '^[^ ]+ advertised' "$(log 1 node)")
check "and is announced again" wait_for 12 lines $((before + 1)) '^[^ ]+ advertised' "$(log 1 node)"

stop 2 browse
check "the browser ends cleanly" ended 2 browse
stop 1 node
check "the node ends cleanly" ended 1 node
