# hosts 4
# needs curl
# The examples on nodes of three hosts, which the fourth one finds: primes, histogram, hashes, whose coordinator and one of
# whose nodes are killed, and render.
. "$LAB_HOME/functions.sh"
programs=$(dirname "$LAB_SKYFARM")

# start NAME: starts a node of the example on each of three hosts. end NAME: ends them.
start() {
    local host
    LOGS=
    for host in 1 2 3; do
        spawn $host "$1" stdbuf -oL "$programs/$1" node
        LOGS="$LOGS $(log $host "$1")"
    done
    for host in 1 2 3; do check "$1: the node on host $host is ready" wait_for 20 lines 1 '^ready ' "$(log $host "$1")"; done
}
end() {
    local host
    for host in ${2:-1 2 3}; do stop $host "$1"; done
    for host in ${2:-1 2 3}; do check "$1: the node on host $host ends in order" ended $host "$1" 20; done
}
# run NAME FILE WORD...: runs the example on host 4; what it prints goes to FILE and FILE.errors.
run() {
    local name=$1 file=$LAB/$2
    shift 2
    on 4 "$programs/$name" "$@" >"$file" 2>"$file.errors"
}
# done_by HOST: hashes made by the node there. It has no number before its first one.
done_by() {
    local link count
    link=$(sed -n 's/^page at //p' "$(log "$1" hashes)")
    count=$(on "$1" curl -s "${link/\/\?//metrics?}" | sed -n 's/^skyfarm_tasks_done_total{type="example.hashes\/1"} //p')
    echo "${count:-0}"
}

start primes
check "primes: counts them" run primes primes.out count
check "primes: rightly" grep -qx '664579 primes below 10000000' "$LAB/primes.out"
end primes

head -c 20000000 /dev/urandom >"$LAB/bytes"
start histogram
check "histogram: counts the bytes of a file" run histogram histogram.out count /run/lab/bytes
check "histogram: all of them" test "$(awk '{ sum += $2 } END { print sum }' "$LAB/histogram.out")" = 20000000
end histogram

# Enough of them that nodes are discovered before one slot has hashed all.
mkdir -p "$LAB/files/below"
for number in $(seq 300); do head -c $((1200000 + number)) /dev/urandom >"$LAB/files/below/$number"; done
: >"$LAB/files/empty"
(cd "$LAB/files" && find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum) >"$LAB/expected"
start hashes
spawn 4 sum "$programs/hashes" sum /run/lab/files /run/lab/journal
LOGS="$LOGS $(log 4 sum)"
check "hashes: some are made" wait_for 60 lines 1 '^40 of 301$' "$(log 4 sum)"
stop 4 sum KILL
stop 2 hashes KILL
check "hashes: the coordinator is killed" test "$(ended 4 sum; echo $?)" = 137
recorded=$(grep -c ' of 301$' "$(log 4 sum)")
before=$(($(done_by 1) + $(done_by 3)))
check "hashes: the same command ends, on the other nodes" run hashes hashes.out sum /run/lab/files /run/lab/journal
check "hashes: they are those of sha256sum" cmp "$LAB/expected" "$LAB/hashes.out"
again=$(($(done_by 1) + $(done_by 3) - before))
check "hashes: what was recorded is not made again ($recorded of 301 recorded, $again made then)" \
    test "$again" -gt 0 -a $((recorded + again)) -le 301
check "hashes: a further run makes none" run hashes hashes.again sum /run/lab/files /run/lab/journal
check "hashes: and prints them again" cmp "$LAB/expected" "$LAB/hashes.again"
check "hashes: none" test $(($(done_by 1) + $(done_by 3) - before)) = "$again"
end hashes "1 3"

check "render: renders an image on one host" run render render.out image /run/lab/local.ppm
start render
check "render: and on four" run render render.out image /run/lab/set.ppm
check "render: the nodes take part" test "$(grep -Eo 'h[123]$' "$LAB/render.out.errors" | sort -u | wc -l)" = 3
check "render: the images are the same" cmp "$LAB/local.ppm" "$LAB/set.ppm"
check "render: with a link to the page" grep -Eq '^page at http://127.0.0.1:[0-9]+/\?token=' "$LAB/render.out.errors"
end render
