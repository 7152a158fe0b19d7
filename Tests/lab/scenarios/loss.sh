# hosts 4 -w
# With 30 % packet loss and 40 ms of delay, nodes are found.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 4 browse) $LAB/wire.log"

refused() { on 1 bash -c "exec 3<>/dev/tcp/10.77.0.2/4000" 2>&1 | grep -q refused; }
refused
wire delay 0 100
start=$(now)
check "a connection is refused" refused
check "after a round trip of 0.2 s ($(since "$start") s)" under "$(since "$start")" 0.2

wire seed 7
wire loss 0 30
wire delay 0 20 5
for host in 1 2 3; do spawn $host node "$probe" advertise "n$host-" 4000; done
start=$(now)
spawn 4 browse "$probe" browse
check "three nodes are found" wait_for 20 lines 3 ' found ' "$(log 4 browse)"
echo "after $(since "$start") s"
