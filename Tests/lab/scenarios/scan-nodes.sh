# hosts 4
# Three nodes are found within 3 s, and a scan uses all of them, without a flag; a stale announcement is reported.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $(log 4 scan)"

check "an image is made and scanned on one machine" sky 8000x6000 --threshold 0.7 --band 128
for host in 1 2 3; do node $host; done
for host in 1 2 3; do check "node $host is announced" wait_for 15 announced $host; done

start=$(now)
on 4 "$LAB_SKYFARM" nodes >"$LAB/nodes"
took=$(since "$start")
check "three nodes are listed" lines 3 '^n[123] +10\.77\.0\.[123]:[0-9]+ +[0-9]+ +0 +[0-9.]+ ms +[0-9.]+ +[0-9a-f]{10}$' "$LAB/nodes"
check "within 3 s ($took s)" under 3 "$took"
cat "$LAB/nodes"

scan 4 --threshold 0.7 --band 128
check "a scan without a flag succeeds" scan_ended 4
for host in 1 2 3; do check "node $host finished tasks" worked 4 n$host; done
check "the catalogue equals that of one machine" same_catalogue

spawn 1 ghost "$LAB_PROBE" advertise ghost 4000
wait_for 5 lines 1 ' advertised' "$(log 1 ghost)"
on 4 "$LAB_SKYFARM" nodes >"$LAB/nodes"
check "a stale node is listed with the reason" lines 1 '^ghost0 .*cannot be used: cannot be reached' "$LAB/nodes"

check "doctor succeeds on a machine with a node" on 1 "$LAB_SKYFARM" doctor
on 4 "$LAB_SKYFARM" doctor >"$LAB/doctor"
check "and fails on one without" test $? = 1
check "and names the command" lines 1 '→ skyfarm node$' "$LAB/doctor"
