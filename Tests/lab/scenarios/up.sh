# hosts 7
# needs sshd ssh ssh-keygen setarch root
# skyfarm up starts nodes on three hosts without Skyfarm, in a network without discovery, and names the hosts on which it
# cannot; a scan uses all; skyfarm down leaves no process and no file.
. "$LAB_HOME/functions.sh"
LOGS="$LAB/up.log $LAB/down.log $(log 1 scan)"

# Hosts: 1 coordinates, without a daemon of DNS-SD; 2 to 4 can be used; 5 has no sshd, 6 another processor, 7 a full disk.
avahi_stop 1
on 7 mount -t tmpfs -o size=4m none /run/home
ssh_from 1
for host in 2 3 4 5 6 7; do ssh_name $host; done
for host in 2 3 4 7; do ssh_serve $host; done
ssh_serve 6 setarch i686
for host in 2 3 4 6 7; do ssh_ready $host; done
files() { for host in 2 3 4 6 7; do on $host find /run/home | sort; done; }
files >"$LAB/before"
check "an image is made and scanned on one machine" sky 8000x6000 --threshold 0.7 --band 128

start=$(now)
on 1 "$LAB_SKYFARM" up h2 h3 h4 h5 h6 h7 --json -- --slots 1 >"$LAB/up.json" 2>"$LAB/up.log"
check "up exits with 23" test $? = 23
echo "up: $(since "$start") s"
scan 1 --threshold 0.7 --band 128 --local-slots 1
check "a scan without a flag succeeds" scan_ended 1
took=$(since "$start")
cat "$LAB/up.log"
check "from nothing to the end of a scan in less than 20 s ($took s)" under 20 "$took"
for host in 2 3 4; do
    check "host $host has joined" lines 1 "^skyfarm: h$host: h$host joined at 10.77.0.$host:4870, 1 slot, after " "$LAB/up.log"
    check "and has finished tasks" worked 1 "h$host"
    check "and nobody else can read what is there" test -z "$(on $host find /run/home/.skyfarm-node.h$host -perm /077)"
done
check "the catalogue equals that of one machine" same_catalogue
check "a host without sshd is named" lines 1 '^skyfarm: h5: ssh: .*Connection refused; check `ssh h5 true`$' "$LAB/up.log"
check "one with another processor" lines 1 "^skyfarm: h6: runs Linux on i686, and this program is for Linux on $(uname -m); " "$LAB/up.log"
check "one with a full disk" lines 1 '^skyfarm: h7: cannot copy the program: the file system of /run/home has [0-9]+ kB free, and [0-9]+ kB are needed$' "$LAB/up.log"
check "the result has all six" lines 6 '"host" : "h[2-7]"' "$LAB/up.json"
on 1 "$LAB_SKYFARM" nodes >"$LAB/nodes"
check "nodes lists three" lines 3 '^h[234] +10\.77\.0\.[234]:4870 ' "$LAB/nodes"
on 1 "$LAB_SKYFARM" up h2 >"$LAB/again" 2>>"$LAB/up.log"
check "a node that runs is left as it is" lines 1 '^h2 +running +h2 ' "$LAB/again"
check "and has other options, which is said" lines 1 ': runs with --slots 1, not with no options: to change that, `skyfarm down` it first$' "$LAB/up.log"

start=$(now)
on 1 "$LAB_SKYFARM" down >"$LAB/down.log" 2>&1
check "down succeeds ($(since "$start") s)" test $? = 0
cat "$LAB/down.log"
check "no process is left" test -z "$(ls -l /proc/[0-9]*/exe 2>/dev/null | grep -F .skyfarm-node.)"
files >"$LAB/after"
check "and no file" cmp "$LAB/before" "$LAB/after"
check "and no address" test ! -s "$LAB/1/run/home/.local/state/skyfarm/hosts"
