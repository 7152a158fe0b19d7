# Runs in the lab for Benchmarks/cosmic-ray-nodes. Runs with one and with two nodes alternate.
. "$LAB_HOME/functions.sh"
median() { sort -n | sed -n "$(((RUNS + 1) / 2))p"; }

for host in 1 2; do
    spawn "$host" node sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$GROUP/$host" \
        "$SKYFARM_PROGRAM" node --listen :4870 --slots 1 --no-advertise --name "n$host"
    check "node $host is ready" wait_for 20 lines 1 "^ready n$host " "$(log "$host" node)" >&2
done
check "the link has 500 Mbit/s" on 3 tc qdisc replace dev eth0 root tbf rate 500mbit burst 512kb latency 100ms >&2
data=$SKYFARM_LAB_DATA
cat "$data"/night/light-* "$data"/masters/* >/dev/null
for ((run = 0; run < RUNS; run++)); do
    for count in 1 2; do
        nodes=()
        for host in $(seq "$count"); do nodes+=(--node "10.77.0.$host:4870"); done
        start=$(now)
        on 3 sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$GROUP/3" \
            "$SKYFARM_PROGRAM" calibrate "$data"/night/light-*.fits -o /run/lab/red/ $STEPS "${nodes[@]}" --no-discovery --local-slots 0 --quiet --overwrite --json >"$LAB/report" || exit 1
        echo "$(since "$start")" | tee -a "$LAB/nodes$count"
    done
done | paste - - | sed 's/^/one node, two nodes: /'
check "the bytes are those of this machine alone" diff -r "$data/local" /run/lab/red
awk -v a="$(median <"$LAB/nodes1")" -v b="$(median <"$LAB/nodes2")" 'BEGIN { printf "two nodes are %.2f times as fast\n", a / b }'
