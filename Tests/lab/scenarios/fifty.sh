# hosts 4
# Fifty nodes are found within 5 s.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 4 browse) $(log 1 node)"

start=$(now)
spawn 1 node "$probe" advertise a 4000 17
spawn 2 node "$probe" advertise b 4000 17
spawn 3 node "$probe" advertise c 4000 16
spawn 4 browse "$probe" browse
check "fifty nodes are found" wait_for 15 lines 50 ' found ' "$(log 4 browse)"
found=$(since "$start")
check "within 5 s ($found s)" under 5 "$found"
check "each once" test "$(grep -oE ' found [^ ]+' "$(log 4 browse)" | sort -u | wc -l)" = 50
sleep 7
pid=$(<"$LAB/4/browse.pid")
check "the browser then holds one reference: $(ls /proc/$pid/fd | wc -l) descriptors, $(ls /proc/$pid/task | wc -l) threads" \
    test "$(ls /proc/$pid/fd | wc -l)" -lt 25
