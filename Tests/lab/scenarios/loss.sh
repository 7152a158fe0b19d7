# hosts 4 -w
# With 30 % of the packets lost and 40 ms of delay, nodes are still found.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 4 browse) $LAB/wire.log"

wire seed 7
wire loss 0 30
wire delay 0 20 5
for host in 1 2 3; do spawn $host node "$probe" advertise "n$host-" 4000; done
start=$(now)
spawn 4 browse "$probe" browse
check "three nodes are found" wait_for 20 lines 3 ' found ' "$(log 4 browse)"
echo "after $(since "$start") s"
