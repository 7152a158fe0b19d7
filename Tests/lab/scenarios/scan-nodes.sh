# hosts 4
# Three nodes are found within 3 s, and a scan uses all of them, without a flag, also the one without AVX2 and fused
# multiply-add; a stale announcement is reported. Nodes without a name are called like their hosts, by names that last.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 node) $(log 4 scan)"

check "an image is made and scanned on one machine" sky 8000x6000 --threshold 0.7 --band 128
for host in 1 3; do node $host; done
# The C library of this one takes its processor for an older one, for which its functions have other last bits.
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX512VL,-AVX512DQ node 2
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

# plain HOST NAME: starts a node without a name, and sets `called` to the name that it has.
plain() {
    rm -f "$(log "$1" "$2")"
    spawn "$1" "$2" "$LAB_SKYFARM" node
    check "the node $2 of host $1 is announced" wait_for 15 lines 1 'node: announced as' "$(log "$1" "$2")"
    called=$(sed -n 's/^ready \([^ ]*\) .*/\1/p' "$(log "$1" "$2")")
}
end() { stop "$1" "$2" KILL; ended "$1" "$2"; }
plain 4 first
check "a node is called like its host" test "$called" = h4
plain 4 second
second=$called
check "a second node of the host has a suffix ($second)" grep -qE '^h4-[0-9a-f]{4}$' <<<"$second"
on 3 hostname h4
plain 3 other
other=$called
check "so has the node of a second host of that name ($other)" grep -qE '^h4-[0-9a-f]{4}$' <<<"$other"
check "they differ" test "$second" != "$other"
end 4 first
end 4 second
end 3 other
plain 3 other
check "a node that was killed has its name again" test "$called" = "$other"
plain 4 first
check "so has the one that has its host's name" test "$called" = h4
plain 4 second
check "so has the second one of the host" test "$called" = "$second"

on 2 "$LAB_SKYFARM" nodes pause "${other%?}" >"$LAB/orders"
check "the beginning of a name selects a node" lines 1 "^$other  paused: by order of " "$LAB/orders"
on 2 "$LAB_SKYFARM" nodes resume h4 >"$LAB/orders"
check "a whole name selects it, whatever begins so" test "$(cat "$LAB/orders")" = "h4  runs tasks"
on 2 "$LAB_SKYFARM" nodes pause h4- >"$LAB/orders" 2>&1
check "an ambiguous beginning selects none" test $? = 2
check "and the candidates are listed" lines 1 "h4- could be h4-.* or h4-.*; give more of the name" "$LAB/orders"
on 2 "$LAB_SKYFARM" scan /run/lab/sky.fits --only h4- --local-slots 0 -o /run/lab/none.csv 2>"$LAB/orders"
check "a scan ends at once for that reason" test $? = 2
check "and lists them as well" lines 1 "only h4- could be $(printf '%s\n' "$second" "$other" | sort | paste -sd '|' | sed 's/|/ or /')" "$LAB/orders"
