# hosts 3
# alone
# needs nc curl openssl
# Unauthenticated clients of every kind connect to a node in mid-scan: they get no answer and run no task, the node's
# memory does not grow, and every catalogue is the same. LAB_STREAMS is the number of random streams (3000).
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $(log 2 scan) $(log 3 flood)"
port=4870
streams=${LAB_STREAMS:-3000}
client() { on 3 timeout -k 1 20 "$@" </dev/null >"$LAB/answer" 2>&1; }
memory() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$(<"$LAB/1/node.pid")/status"; }

check "an image is made and scanned on one machine" sky 3000x3000
node 1 --listen :$port
check "the node is ready" wait_for 15 lines 1 "^ready n1 " "$(log 1 node)"
round() {
    scan 2 --no-discovery --local-slots 0 --node 10.77.0.1:$port
    scan_ended 2 && same_catalogue
}
check "a first scan has the same catalogue" round
check "and a second" round
peak=$(memory VmHWM)
done_before=$(grep -c ' tasks done' "$(log 1 node)")

# A member's hello, to be modified and replayed.
spawn 2 record /usr/bin/python3 "$LAB_HOME/unauthenticated.py" record 4871 /run/lab/hello
wait_for 5 lines 1 listening "$(log 2 record)"
on 2 timeout 20 "$LAB_SKYFARM" nodes --no-discovery --node 127.0.0.1:4871 >/dev/null 2>&1
check "a member's hello is recorded ($(stat -c %s "$LAB/hello") bytes)" test "$(stat -c %s "$LAB/hello")" -gt 200

seed=${LAB_SEED:-$RANDOM}
start=$(now)
spawn 3 flood /usr/bin/python3 "$LAB_HOME/unauthenticated.py" flood 10.77.0.1 $port /run/lab/hello "$streams" "$seed"
rounds=0
while [ ! -s "$LAB/3/flood.status" ] || [ $rounds -lt 2 ]; do
    scan 2 --no-discovery --local-slots 0 --node 10.77.0.1:$port
    check "scan $((rounds + 1)) begins beside them" wait_for 20 joined 2 n1
    if [ $rounds = 0 ]; then
        LAB_CONFIG=/run/home/config client "$LAB_SKYFARM" scan /run/lab/sky.fits --no-discovery --local-slots 0 \
            --node 10.77.0.1:$port -o /run/home/theirs.csv
        check "a coordinator with another key is refused with exit code 4" test $? = 4
        check "and given the reason" lines 1 'another cluster key' "$LAB/answer"
        check "and writes no catalogue" test ! -e "$LAB/3/run/home/theirs.csv"
        for options in -tls1_3 "-tls1_3 -psk $(printf 'ab%.0s' {1..32}) -psk_identity skyfarm-1-0123456789" -tls1_2 \
            "-tls1_2 -cipher PSK -psk $(printf 'ab%.0s' {1..32}) -psk_identity skyfarm-1-0123456789"; do
            client openssl s_client -connect 10.77.0.1:$port $options
            check "openssl s_client ${options%% -psk*} is refused" test $? = 1
        done
        echo "SKYFARM plain words" | on 3 timeout 20 nc -N 10.77.0.1 $port >"$LAB/answer" 2>/dev/null
        check "nc gets no clear text" test "$(grep -c SKYFARM "$LAB/answer")" = 0
        for url in http https; do
            client curl -sk --max-time 15 $url://10.77.0.1:$port/
            check "curl $url gets nothing (exit $?)" test "$(grep -ci 'html\|skyfarm' "$LAB/answer")" = 0
        done
    fi
    check "scan $((rounds + 1)) succeeds" scan_ended 2
    check "with the same catalogue" same_catalogue
    rounds=$((rounds + 1))
done
check "$(tail -n 1 "$(log 3 flood)"), in $(since "$start") s, beside $rounds scans" ended 3 flood
check "all could connect" lines 1 ', 0 could not connect' "$(log 3 flood)"
grown=$((($(memory VmHWM) - peak) / 1024))
check "the node's peak memory grew by $grown MiB, below 32" test $grown -lt 32
check "only the coordinator connected" test -z "$(grep 'connected from' "$(log 1 node)" | grep -v 'h2 connected from 10\.77\.0\.2:')"
check "and only for it tasks ran" test -z "$(grep ' tasks done' "$(log 1 node)" | grep -v 'h2 at 10\.77\.0\.2:')"
check "in each scan" test "$(($(grep -c ' tasks done' "$(log 1 node)") - done_before))" -ge $rounds
refusals=$(grep -c 'refused 10\.77\.0\.3:' "$(log 1 node)")
check "the log has $refusals lines about them" test "$refusals" -ge 1 -a "$refusals" -le 10
stop 1 node
check "the node ends with exit code 0" ended 1 node 20
