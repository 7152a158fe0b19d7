# hosts 3 -w
# A node behind a black hole stays listed; once its host rejoins, nodes started meanwhile are found.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 3 browse) $LAB/wire.log"

spawn 1 node "$probe" advertise a 4000
spawn 3 browse "$probe" browse
check "the node is found" wait_for 6 lines 1 ' found a0 ' "$(log 3 browse)"
black_hole 1
spawn 1 second "$probe" advertise b 4001
spawn 2 node "$probe" advertise c 4000
check "nodes of other hosts are found meanwhile" wait_for 6 lines 1 ' found c0 ' "$(log 3 browse)"
check "nodes behind the black hole are not" test "$(grep -c ' found b0 ' "$(log 3 browse)")" = 0
check "its node is not reported lost" test "$(grep -c ' lost ' "$(log 3 browse)")" = 0
rejoin 1
spawn 3 fresh "$probe" browse
check "after it rejoins, both its nodes are found" \
    wait_for 15 eval "lines 1 ' found a0 ' $(log 3 fresh) && lines 1 ' found b0 ' $(log 3 fresh)"

has_carrier() { on 2 ip link show eth0 | grep -q LOWER_UP; }
cable_pull 2
check "the host detects the pulled cable" wait_for 3 eval "! has_carrier"
cable_plug 2
check "and plugged in" wait_for 3 has_carrier
