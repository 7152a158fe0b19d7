# hosts 4
# Nodes on three hosts are found by the fourth within 3 s, each once, and lost when they withdraw their announcement.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 4 browse) $(log 1 node)"

start=$(now)
for host in 1 2 3; do spawn $host node "$probe" advertise "n$host-" 4000; done
spawn 4 browse "$probe" browse
check "three nodes are found" wait_for 6 lines 3 ' found ' "$(log 4 browse)"
found=$(since "$start")
check "within 3 s ($found s)" under 3 "$found"
sleep 1.5
check "each once" test "$(grep -c ' found ' "$(log 4 browse)")" = 3
check "with IPv4 and link-local addresses" lines 3 '10\.77\.0\.[123]:4000,\[fe80::[0-9a-f:]+%eth0\]:4000' "$(log 4 browse)"

start=$(now)
stop 1 node
check "a node that stops is lost" wait_for 6 lines 1 ' lost n1-0 ' "$(log 4 browse)"
check "within 3 s ($(since "$start") s)" under 3 "$(since "$start")"
stop 2 node KILL
check "a killed node is lost" wait_for 6 lines 1 ' lost n2-0 ' "$(log 4 browse)"
stop 4 browse
check "browsing ends cleanly" ended 4 browse
