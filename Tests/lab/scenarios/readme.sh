# hosts 2
# The README's commands, run as printed on two machines without Skyfarm, lead to a scan on both.
. "$LAB_HOME/functions.sh"
LOGS="$(log 1 readme) $(log 2 readme) $(log 2 background)"
readme="$LAB_HOME/../../README.md"
number() { case $1 in mine) echo 1 ;; other) echo 2 ;; *) return 1 ;; esac; }

# Stand-ins for ssh, sudo and the release build: the program is the one built for the tests. All other commands run as
# printed.
mkdir "$LAB/stand-ins"
cat >"$LAB/stand-ins/ssh" <<'X'
#!/bin/bash
. "$LAB_HOME/functions.sh"
test "$1" = other && LAB_CONFIG=/run/home/config on 2 "${@:2}"
X
cat >"$LAB/stand-ins/sudo" <<'X'
#!/bin/sh
exec "$@"
X
cat >"$LAB/stand-ins/swift" <<X
#!/bin/sh
case "\$*" in
*--show-bin-path*) dirname "$LAB_SKYFARM" ;;
"build -c release "*) ;;
*) exec "$(command -v swift)" "\$@" ;;
esac
X
chmod +x "$LAB"/stand-ins/*
export LAB LAB_CONFIG=/run/home/config PATH=/usr/local/bin:$PATH
for host in 1 2; do
    on "$host" sh -c 'mount -t tmpfs none /usr/local/bin && cp /run/lab/stand-ins/* /usr/local/bin/ && ! command -v skyfarm' ||
        check "host $host is without Skyfarm" false
done

# The README's code blocks with a comment that names hosts, in the order of the page: one file each, whose first line has
# the hosts.
awk -v folder="$LAB" '
    /^<!-- On .*: -->$/ { where = $0; sub(/^<!-- On /, "", where); sub(/: -->$/, "", where); next }
    where != "" && /^```sh$/ { file = sprintf("%s/block-%02d", folder, ++count); print where >file; next }
    /^```$/ { where = ""; file = ""; next }
    file != "" { print >file }' "$readme"
check "the README has blocks for both" test "$(cat "$LAB"/block-* | grep -c skyfarm)" -ge 5

for block in "$LAB"/block-*; do
    where=$(head -n 1 "$block")
    folder=/run/home
    case $where in *", in the checkout"*) folder=$LAB_HOME/../.. ;; esac
    for name in $(sed 's/,.*//; s/ and / /g' <<<"$where"); do
        host=$(number "$name") || check "the README names the host $name" false
        run=(bash -c "cd $folder && set -euo pipefail
            $(tail -n +2 "$block")")
        case $where in
        *", in the background"*)
            spawn "$host" background "${run[@]}"
            check "on $name in the background: $(sed -n 2p "$block")" wait_for 30 lines 1 'announced as' "$(log "$host" background)"
            ;;
        *)
            on "$host" "${run[@]}" >>"$(log "$host" readme)" 2>&1 </dev/null
            check "on $where: $(sed -n '$p' "$block")" test $? = 0
            ;;
        esac
    done
done

check "other is listed by its host's name" lines 1 '^h2 .*10\.77\.0\.2:' "$(log 1 readme)"
check "it joined the scan" lines 1 'node h2 joined' "$(log 1 readme)"
stop 2 background
ended 2 background
check "and finished tasks" lines 1 ' [1-9][0-9]* tasks done' "$(log 2 background)"
check "the catalogues exist" on 1 test -s /run/home/sources.fits -a -s /run/home/sources.reg -a -s /run/home/sources.csv
