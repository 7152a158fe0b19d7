# hosts 3
# 2000 idle connections and 200 that send their handshake byte by byte, from forty addresses and then from one, do not
# block a coordinator: it connects within 3 s, and its catalogue is the same.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $(log 2 scan) $(log 3 crowd)"
port=4870
descriptors() { ls "/proc/$(<"$LAB/1/node.pid")/fd" | wc -l; }
memory() { awk '$1 == "VmHWM:" { print int($2 / 1024) }' "/proc/$(<"$LAB/1/node.pid")/status"; }
round() {
    local start
    scan 2 --no-discovery --local-slots 0 --node 10.77.0.1:$port
    start=$(now)
    wait_for 20 joined 2 n1 || return 1
    took=$(between "$start" "$(moment 'node n1 joined' "$(log 2 scan)")")
    scan_ended 2 && same_catalogue
}

check "an image is made and scanned on one machine" sky 1000x1000
node 1 --listen :$port
check "the node is ready" wait_for 15 lines 1 "^ready n1 " "$(log 1 node)"
check "a scan has the same catalogue" round
echo "undisturbed, the coordinator connects within $took s; the node has $(descriptors) descriptors and $(memory) MiB"
spawn 2 record /usr/bin/python3 "$LAB_HOME/unauthenticated.py" record 4871 /run/lab/hello
wait_for 5 lines 1 listening "$(log 2 record)"
on 2 timeout 20 "$LAB_SKYFARM" nodes --no-discovery --node 127.0.0.1:4871 >/dev/null 2>&1
check "a member's hello is recorded" test -s "$LAB/hello"

many=
for address in $(seq 100 139); do
    on 3 ip addr add 10.77.0.$address/24 dev eth0
    many="$many 10.77.0.$address"
done
for from in "$many" 10.77.0.100; do
    set -- $from
    rm -f "$(log 3 crowd)"
    spawn 3 crowd /usr/bin/python3 "$LAB_HOME/unauthenticated.py" hold 10.77.0.1 $port /run/lab/hello 2000 200 "$@"
    check "2200 unauthenticated connections from $# addresses are open" wait_for 30 lines 1 '^holds 2200' "$(log 3 crowd)"
    worst=0 most=0 times=
    for attempt in 1 2 3 4 5; do
        check "beside them scan $attempt has the same catalogue" round
        if under "$took" "$worst"; then worst=$took; fi
        times="$times $took"
        if [ "$(descriptors)" -gt $most ]; then most=$(descriptors); fi
    done
    check "the coordinator connected within 3 s each time ($(echo $times) s)" under 3 "$worst"
    # 256 unauthenticated and 256 handshaking connections (replayed hellos), and the node's own descriptors.
    check "the node had $most descriptors at most, of $(awk '/Max open files/ { print $4 }' "/proc/$(<"$LAB/1/node.pid")/limits") allowed, and $(memory) MiB" test "$most" -lt 600
    stop 3 crowd
    check "the connections are closed" ended 3 crowd 20
    tail -n 1 "$(log 3 crowd)"
done
check "only the coordinator connected" test -z "$(grep 'connected from' "$(log 1 node)" | grep -v 'h2 connected from 10\.77\.0\.2:')"
stop 1 node
check "the node ends with exit code 0" ended 1 node 20
