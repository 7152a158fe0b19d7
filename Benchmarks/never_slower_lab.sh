# Runs in the lab for Benchmarks/never-slower: prints "RATE IMAGE NODES MILLISECONDS" for each scan. Runs with different
# numbers of nodes alternate, so that a change of the machine's speed affects all.
. "$LAB_HOME/functions.sh"
limit() {
    on 4 tc qdisc del dev eth0 root 2>/dev/null
    if [ "$1" = none ]; then return; fi
    on 4 tc qdisc replace dev eth0 root tbf rate "$1" burst 256kb latency 100ms
}
for host in 1 2 3; do
    spawn "$host" node taskset -c 1 "$SKYFARM_PROGRAM" node --listen :4870 --slots 1 --no-advertise --name "n$host"
    check "node $host is ready" wait_for 10 lines 1 "^ready n$host " "$(log "$host" node)" >&2
done
for rate in $RATES; do
    limit "$rate"
    for image in $IMAGES; do
        for type in f32 u16 rice; do
            input="$SKYFARM_LAB_DATA/$image-$type"
            [ -d "$input" ] || input+=.fits
            cat "$input"* "$input"/* >/dev/null 2>&1
            for ((run = 0; run < RUNS; run++)); do
                for count in 0 1 2 3; do
                    nodes=()
                    for host in $(seq $count); do nodes+=(--node "10.77.0.$host:4870"); done
                    start=$(date +%s%N)
                    on 4 taskset -c 0 "$SKYFARM_PROGRAM" scan "$input" "${nodes[@]}" --no-discovery --local-slots 1 \
                        --no-journal --quiet --overwrite -o /run/lab/out/ >/dev/null || exit 1
                    echo "$rate $image-$type $count $((($(date +%s%N) - start) / 1000000))"
                done
            done
        done
    done
done
