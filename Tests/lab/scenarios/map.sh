# hosts 4
# A program over 60 files that only host 4 has: one node is killed, one is stopped, the coordinator is killed and resumes.
# The results are those of this machine alone.
. "$LAB_HOME/functions.sh"
LOGS="$(log 4 map) $(log 1 node)"

cat >"$LAB/work" <<'END'
#!/bin/sh
sleep 0.3
sha256sum <"$1" >"$2" && cat "$3" >>"$2"
END
chmod 755 "$LAB/work"
on 4 sh -c 'mkdir /run/home/in; cd /run/home; echo common >common; for i in $(seq 60); do
    head -c 300000 /dev/urandom >in/f$i.bin; done'

# map NAME OPTION...: runs it into /run/home/NAME on host 4.
map() {
    local name=$1
    shift
    on 4 "$LAB_SKYFARM" map work {in} {out} {shared:common} --shared /run/home/common --out '{stem}.sum' \
        -o "/run/home/$name/" --resume "$@" -- /run/home/in
}
check "all files are done on one machine" map local --no-discovery --local-program work="$LAB/work" --local-slots 8 --quiet

for host in 1 2 3; do node $host --slots 2 --program work="$LAB/work"; done
for host in 1 2 3; do check "node $host is announced" wait_for 15 announced $host; done
on 4 "$LAB_SKYFARM" nodes >"$LAB/nodes"
check "the nodes list their program" lines 3 '^n[123] .* work$' "$LAB/nodes"

# done_items: number of results.
done_items() { on 4 sh -c 'ls /run/home/out 2>/dev/null | wc -l'; }
at_least() { [ "$(done_items)" -ge "$1" ]; }
begin() {
    spawn 4 map "$LAB_SKYFARM" map work {in} {out} {shared:common} --shared /run/home/common --out '{stem}.sum' \
        -o /run/home/out/ --resume --wait 20 --json -- /run/home/in
}
begin
check "results arrive" wait_for 60 at_least 8
stop 4 map KILL
ended 4 map
check "the coordinator was killed in mid-run" test "$(done_items)" -lt 60
before=$(done_items)

begin
check "it goes on" wait_for 60 at_least $((before + 4))
stop 2 node KILL
stop 3 node STOP
check "the run ends well" ended 4 map 120
stop 3 node CONT
check "all results are there" at_least 60
check "they are those of one machine" on 4 diff -r /run/home/local /run/home/out
check "what was done before was not run again" lines 1 '"resumed" : [1-9]' "$(log 4 map)"
