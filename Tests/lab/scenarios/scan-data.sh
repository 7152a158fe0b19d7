# hosts 3 -4
# needs tc strace
# Nodes with --data read the image themselves: the coordinator reads its header and no pixel, and a link of 10 Mbit/s
# makes no difference. A node that has another file at the same path is named, and is sent the pixels.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $(log 2 node) $LAB/errors"
image=/run/lab/sky.fits

# scan_with NODE...: scans the image on these nodes alone, by a coordinator whose reading of the file is traced.
scan_with() {
    local node nodes=()
    for node in "$@"; do nodes+=(--node "10.77.0.$node:4870"); done
    rm -f "$LAB/cluster.csv"
    on 3 strace -f -qq -P $image -e trace=read,pread64,readv,preadv,preadv2,mmap -o /run/lab/reads \
        "$LAB_SKYFARM" scan $image "${nodes[@]}" --no-discovery --local-slots 0 --no-journal --band 64 --json \
        -o /run/lab/cluster.csv >"$LAB/scan" 2>"$LAB/errors"
}
# bytes_read: what the coordinator read of the file.
bytes_read() { awk '/= [0-9]+$/ { sum += $NF } END { print sum + 0 }' "$LAB/reads"; }

check "an image of 16 MB is made and scanned" sky 2000x2000
for host in 1 2; do
    check "node $host starts" node $host --listen :4870 --slots 1 --no-advertise --data /run/lab
    check "and is ready" wait_for 15 lines 1 "^ready n$host " "$(log $host node)"
done
on 3 tc qdisc replace dev eth0 root tbf rate 10mbit burst 64kb latency 100ms
scan_with 1 2
check "a scan behind 10 Mbit/s succeeds" test $? = 0
check "with the same catalogue" same_catalogue
check "no pixels were sent" grep -q '"tasksSent" : 0' "$LAB/scan"
check "the coordinator has read $(bytes_read) of the file's 16 million bytes, some of its header three times" \
    under 80000 "$(bytes_read)"
# Its 16 MB would take 13 s.
seconds=$(sed -n 's/^  "seconds" : \([0-9.]*\).*/\1/p' "$LAB/scan")
check "in $seconds s" under 8 "$seconds"

on 3 tc qdisc del dev eth0 root
on 2 "$LAB_SKYFARM" synth /run/lab/other.fits --size 2000x2000 --seed 77 --quiet
on 2 mount --bind /run/lab/other.fits $image
check "the second node has another file at the path" on 2 cmp /run/lab/other.fits $image
scan_with 1 2
check "a scan with both succeeds" test $? = 0
check "with the same catalogue" same_catalogue
check "node 1 is not named" test "$(grep -c "node n1 did not read" "$LAB/errors")" = 0
# Beside node 1, node 2 may have no answer before the scan ends.
scan_with 2
check "a scan with the second node alone succeeds" test $? = 0
check "with the same catalogue" same_catalogue
check "the node is named" grep -q "node n2 did not read $image itself" "$LAB/errors"
