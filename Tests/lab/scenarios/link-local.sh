# hosts 2 -6
# On a link without IPv4 a node is found by its link-local address with the interface.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 2 browse) $(log 1 node)"

spawn 1 node "$probe" advertise n 4000
spawn 2 browse "$probe" browse
check "the node is found" wait_for 6 lines 1 ' found n0 \[fe80::[0-9a-f:]+%eth0\]:4000' "$(log 2 browse)"
address=$(sed -nE 's/.* found n0 \[([^]]+)\].*/\1/p' "$(log 2 browse)")
refused() { on 2 bash -c "exec 3<>/dev/tcp/$address/4000" 2>&1 | grep -q refused; }
check "its address reaches the other host, which refuses the connection" refused
