# hosts 4
# A program over 60 files that only host 4 has: one node is killed, one is stopped, the coordinator is killed and resumes.
# The results are those of this machine alone. Then two nodes have the files below their --data, and none is sent.
. "$LAB_HOME/functions.sh"
LOGS="$(log 4 map) $(log 1 node) $LAB/errors"

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
# sent: number of bytes that host 4 has sent.
sent() { on 4 awk '$1 == "eth0:" { print $10 }' /proc/net/dev; }
start=$(sent)
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
bytes=$(($(sent) - start))
check "$bytes bytes were sent for 18,000,000 of the files" test $bytes -ge 18000000

for host in 1 3; do stop $host node KILL; done
printf '#!/bin/sh\nsleep 0.1\nsha256sum <"$1" >"$2"\n' >"$LAB/sum"
chmod 755 "$LAB/sum"
# Node 1 has them at the same path, node 2 elsewhere.
for folder in 1/run/home/in 2/run/home/copies/in; do
    mkdir -p "$LAB/$folder" && cp -p "$LAB"/4/run/home/in/* "$LAB/$folder"
done
node 1 --slots 2 --program sum="$LAB/sum" --data /run/home/in
node 2 --slots 2 --program sum="$LAB/sum" --data /run/home/copies
for host in 1 2; do check "node $host is announced" wait_for 15 announced $host; done
start=$(sent)
on 4 "$LAB_SKYFARM" map sum {in} {out} --out '{stem}.sum' -o /run/home/read/ --wait 20 --json -- /run/home/in \
    >"$LAB/read" 2>"$LAB/errors"
check "a run over files that nodes have ends well" test $? = 0
bytes=$(($(sent) - start))
check "$bytes bytes were sent" under 1000000 $bytes
check "the nodes have read all of the files" lines 1 '"bytesRead" : 18000000' "$LAB/read"
check "and nothing of them was sent" lines 1 '"bytesSent" : 0' "$LAB/read"
for host in 1 2; do check "node $host has run items" lines 1 "\"system\" : \"n$host\"" "$LAB/read"; done
on 4 sh -c 'mkdir /run/home/hand; cd /run/home/in
    for f in *.bin; do sha256sum <"$f" >"/run/home/hand/${f%.bin}.sum"; done'
check "the results are those of the program run by hand" on 4 diff -r /run/home/hand /run/home/read
