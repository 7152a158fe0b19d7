# Functions for the commands that run in the lab; `. "$LAB_HOME/functions.sh"`. HOST is a number from 1.

# The probe run by the scenarios of discovery; the tests set it to their build.
: "${LAB_PROBE:=$LAB_HOME/../../.build/debug/discovery-probe}"

# The skyfarm program run by the scenarios of nodes and scans.
: "${LAB_SKYFARM:=$LAB_HOME/../../.build/debug/skyfarm}"

hosts() { seq 1 "$LAB_HOSTS"; }
now() { date +%s.%3N; }

# on HOST COMMAND...: runs COMMAND on HOST, with a separate home folder. The hosts share a configuration folder with the
# cluster key; LAB_CONFIG overrides it, for example with a folder below /run/home, which is private to the host.
on() {
    local host=$1
    shift
    HOME=/run/home nsenter -t "$(<"$LAB/$host/pid")" -n -m -u -- env -u XDG_STATE_HOME XDG_CONFIG_HOME="${LAB_CONFIG:-/run/lab/config}" "$@"
}

# spawn HOST NAME COMMAND...: the same in the background; output goes to `log HOST NAME`. `stop HOST NAME` ends it.
spawn() {
    local host=$1 base="$LAB/$1/$2"
    shift 2
    rm -f "$base.pid" "$base.status"
    {
        (
            echo "$BASHPID" >"$base.pid"
            export HOME=/run/home
            exec nsenter -t "$(<"$LAB/$host/pid")" -n -m -u -- env -u XDG_STATE_HOME XDG_CONFIG_HOME="${LAB_CONFIG:-/run/lab/config}" "$@"
        ) >>"$base.log" 2>&1 </dev/null
        echo $? >"$base.status"
    } 2>/dev/null & # hides the shell's message about killed processes
    wait_for 5 test -s "$base.pid"
}
log() { echo "$LAB/$1/$2.log"; }
# stop HOST NAME [SIGNAL]: sends SIGTERM, or another signal.
stop() { kill -"${3:-TERM}" "$(<"$LAB/$1/$2.pid")"; }
# ended HOST NAME [SECONDS]: waits for its end, at most 60 s by default, and returns its exit status.
ended() {
    wait_for "${3:-60}" test -s "$LAB/$1/$2.status" || return 1
    return "$(<"$LAB/$1/$2.status")"
}

# Daemons.
bus_start() {
    mkdir -p "$LAB/$1/run/dbus"
    rm -f "$LAB/$1/run/dbus/system_bus_socket"
    spawn "$1" bus dbus-daemon --config-file=/run/lab/bus.conf --nofork --nopidfile
    wait_for 5 test -S "$LAB/$1/run/dbus/system_bus_socket"
}
avahi_start() {
    rm -f "$LAB/$1/run/avahi-daemon/pid"
    spawn "$1" avahi avahi-daemon --no-drop-root --no-rlimits --file /run/avahi.conf
}
avahi_answers() {
    on "$1" dbus-send --system --print-reply --dest=org.freedesktop.Avahi / org.freedesktop.Avahi.Server.GetState \
        2>/dev/null | grep -q 'int32 2'
}
avahi_ready() { wait_for 10 avahi_answers "$1"; }
avahi_kill() { stop "$1" avahi KILL; ended "$1" avahi; }
avahi_stop() { stop "$1" avahi; ended "$1" avahi; }
avahi_freeze() { stop "$1" avahi STOP; }
avahi_thaw() { stop "$1" avahi CONT; }

# Cables. A host detects that its cable is pulled (no carrier). A black hole drops all packets undetected.
cable_pull() { ip link set "port$1" down; }
cable_plug() { ip link set "port$1" up; }
black_hole() { if [ -n "$LAB_WIRE" ]; then wire down "$1"; else ip link set "port$1" nomaster; fi; }
rejoin() { if [ -n "$LAB_WIRE" ]; then wire up "$1"; else ip link set "port$1" master switch; fi; }
# wire COMMAND...: a command of the switch in user space (lab -w); see the head of switch.c.
wire() { echo "$*" >"$LAB/wire"; }

# Waiting and checks.
# wait_for SECONDS COMMAND...: repeats the command until it succeeds; returns 1 after the time.
wait_for() {
    local end=$((${EPOCHREALTIME/./} + $1 * 1000000))
    shift
    until "$@"; do
        [ "${EPOCHREALTIME/./}" -lt $end ] || return 1
        sleep 0.02
    done
}
# lines COUNT PATTERN FILE: true if at least COUNT lines of the file match.
lines() { [ "$(grep -cE -- "$2" "$3" 2>/dev/null)" -ge "$1" ]; }
# since START: seconds since START, a value of `now`.
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.2f", b - a }'; }
# check TEXT COMMAND...: prints the result; a failure ends the scenario and prints the logs named in LOGS.
check() {
    local text=$1
    shift
    if "$@"; then
        echo "ok: $text"
    else
        echo "FAILED: $text"
        local file
        for file in ${LOGS:-}; do
            echo "--- $file"
            tail -n 40 "$file"
        done
        exit 1
    fi
}
# under LIMIT VALUE: true if VALUE is a number below LIMIT.
under() { awk -v limit="$1" -v value="$2" 'BEGIN { exit !(value ~ /^[0-9.]+$/ && value + 0 < limit + 0) }'; }

# Nodes and scans.
# ssh_from HOST: its root, whose home is /run/home, private to each host, may log in to all hosts with sshd.
ssh_from() {
    sed 's,^\(root:[^:]*:[^:]*:[^:]*:[^:]*:\)[^:]*,\1/run/home,' "$LAB/passwd" >"$LAB/passwd.new"
    cat "$LAB/passwd.new" >"$LAB/passwd"
    SSH_HOME=$LAB/$1/run/home/.ssh
    mkdir -m 700 "$SSH_HOME"
    ssh-keygen -q -t ed25519 -N '' -f "$SSH_HOME/id_ed25519"
    cp "$SSH_HOME/id_ed25519.pub" "$LAB/authorized_keys"
    cat >"$LAB/sshd_config" <<X
HostKey /run/sshd/key
AuthorizedKeysFile /run/lab/authorized_keys
PasswordAuthentication no
PidFile none
X
}
# ssh_name HOST: the name of the host for ssh is hHOST. ssh_serve HOST [COMMAND...]: starts its sshd, by COMMAND.
ssh_name() { printf 'Host h%s\n    HostName 10.77.0.%s\n    HostKeyAlias h%s\n' "$1" "$1" "$1" >>"$SSH_HOME/config"; }
ssh_serve() {
    local host=$1
    shift
    mkdir "$LAB/$host/run/sshd"
    ssh-keygen -q -t ed25519 -N '' -f "$LAB/$host/run/sshd/key"
    echo "h$host $(<"$LAB/$host/run/sshd/key.pub")" >>"$SSH_HOME/known_hosts"
    spawn "$host" sshd "$@" "$(command -v sshd)" -D -e -f /run/lab/sshd_config
}
ssh_ready() { check "sshd of host $1 runs" wait_for 10 lines 1 'Server listening on 0.0.0.0' "$(log "$1" sshd)"; }
# node HOST [OPTION...]: starts a node named nHOST. announced HOST: whether its log reports the announcement.
node() {
    local host=$1
    shift
    rm -f "$(log "$host" node)"
    spawn "$host" node "$LAB_SKYFARM" node --name "n$host" "$@"
}
announced() { lines 1 'node: announced as' "$(log "$1" node)"; }
# sky WIDTHxHEIGHT [OPTION...]: generates /run/lab/sky.fits, visible to all hosts, and its catalogue local.csv.
sky() {
    local size=$1
    shift
    on 1 "$LAB_SKYFARM" synth /run/lab/sky.fits --size "$size" --overwrite --quiet &&
        on 1 "$LAB_SKYFARM" scan /run/lab/sky.fits --no-discovery -o /run/lab/local.csv --overwrite --quiet "$@"
}
# scan HOST [OPTION...]: scans it in the background, into cluster.csv; each line of its log begins with the time.
scan() {
    local host=$1
    shift
    rm -f "$(log "$host" scan)" "$LAB/cluster.csv"
    spawn "$host" scan bash -c 'set -o pipefail; "$@" 2>&1 | while IFS= read -r line; do
        echo "$EPOCHREALTIME $line"; done' scan "$LAB_SKYFARM" scan /run/lab/sky.fits --json -o /run/lab/cluster.csv "$@"
}
scan_ended() { ended "$1" scan "${2:-120}"; }
# scan_on_nodes HOST NODE...: scans it without slots of HOST; the hosts NODE have a second for their first tasks.
scan_on_nodes() {
    local host=$1 node
    shift
    scan "$host" --local-slots 0 --wait 20
    for node in "$@"; do check "node $node joins" wait_for 20 joined "$host" "n$node"; done
    sleep 1
}
check_scan() {
    check "the scan completes" scan_ended "$1"
    check "with the same catalogue" same_catalogue
}
# joined HOST NODE: whether the node joined the scan on HOST. worked HOST NODE: whether it finished a task of it.
joined() { lines 1 "node $2 joined|nodes joined, .*[: ]$2(,|$| and )" "$(log "$1" scan)"; }
worked() { lines 1 "\"name\" : \"$2\"" "$(log "$1" scan)"; }
same_catalogue() { cmp "$LAB/local.csv" "$LAB/cluster.csv"; }
# moment PATTERN FILE: the time of the first line that matches.
moment() { grep -m 1 -E -- "$1" "$2" | cut -d ' ' -f 1; }
# between START END: duration in seconds; "no end" if END is empty, which is under no limit.
between() { awk -v a="$1" -v b="$2" 'BEGIN { if (b == "") printf "no end"; else printf "%.2f", b - a }'; }

# Creates a host; called by the lab.
host_up() {
    local host=$1 run="$LAB/$1/run" pid
    mkdir -p "$run/home" "$run/lab" "$run/avahi-daemon"
    avahi_configuration "$host" >"$run/avahi.conf"
    # This process's namespaces are the host.
    unshare --net --mount --uts --propagation private sh -c "
        mount --bind $LAB/passwd /etc/passwd && mount --bind $LAB/group /etc/group &&
        mount --bind $LAB $run/lab && mount --rbind $run /run && hostname h$host && touch /run/made &&
        exec sleep infinity" &
    pid=$!
    echo $pid >"$LAB/$host/pid"
    wait_for 5 test -e "$run/made" || return 1
    ip link add name "port$host" type veth peer name eth0 netns $pid || return 1
    if [ -n "$LAB_WIRE" ]; then ip link set "port$host" up; else ip link set "port$host" master switch up; fi
    on "$host" sh -c "
        if [ $LAB_FAMILY = 4 ]; then echo 1 >/proc/sys/net/ipv6/conf/eth0/disable_ipv6; fi 2>/dev/null
        # The address is unique: skip duplicate address detection.
        echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad 2>/dev/null
        ip link set lo up && ip link set eth0 up
        if [ $LAB_FAMILY != 6 ]; then ip addr add 10.77.0.$host/24 dev eth0; fi"
    if [ -z "${LAB_NO_DAEMON:-}" ]; then bus_start "$host" && avahi_start "$host"; fi
}
avahi_configuration() {
    cat <<X
[server]
host-name=h$1
use-ipv4=$([ $LAB_FAMILY = 6 ] && echo no || echo yes)
use-ipv6=$([ $LAB_FAMILY = 4 ] && echo no || echo yes)
allow-interfaces=eth0
[wide-area]
enable-wide-area=no
[publish]
publish-hinfo=no
publish-workstation=no
X
}
