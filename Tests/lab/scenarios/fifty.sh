# hosts 4
# Fifty nodes are found within 5 s, or 10 s beside other scenarios, and the descriptors used for it are closed.
. "$LAB_HOME/functions.sh"
probe=$LAB_PROBE
LOGS="$(log 4 browse) $(log 1 node)"
descriptors() { ls "/proc/$(<"$LAB/4/browse.pid")/fd" | wc -l; }

spawn 4 browse "$probe" browse
check "browsing starts" wait_for 5 lines 1 ' available' "$(log 4 browse)"
before=$(descriptors)

start=$(now)
spawn 1 node "$probe" advertise a 4000 17
spawn 2 node "$probe" advertise b 4000 17
spawn 3 node "$probe" advertise c 4000 16
check "fifty nodes are found" wait_for 15 lines 50 ' found ' "$(log 4 browse)"
found=$(since "$start")
check "within 10 s ($found s)" under 10 "$found"
check "each once" test "$(grep -oE ' found [^ ]+' "$(log 4 browse)" | sort -u | wc -l)" = 50
check "the browser then holds $before descriptors, as before" wait_for 5 eval "[ \$(descriptors) = $before ]"
