# Run by scripts/package-test as a service of a booted Debian in which the package is installed: the node as a service,
# then the end of the package. What it leaves in /served says that all went well.
set -eu
cd /root

ok() { echo "ok: $*"; }
trap 'journalctl --no-pager --unit skyfarm-node | tail -n 30; systemctl status --no-pager skyfarm-node || true' EXIT

# wait_for COMMAND...: for at most 30 s.
wait_for() {
    tries=150
    until "$@"; do
        tries=$((tries - 1))
        test $tries -gt 0
        sleep 0.2
    done
}
# mark: from now on `said` looks at what services say. said PATTERN: whether one has said that.
mark() { cursor=$(journalctl --lines 0 --show-cursor | sed -n 's/^-- cursor: //p'); }
said() { journalctl --quiet --after-cursor "$cursor" --output cat | grep -q -e "$1"; }
# start ACTION: starts the service and waits until it is ready.
start() {
    mark
    systemctl "$@" skyfarm-node
    wait_for said '^ready '
    wait_for said 'announced as'
}
# The scan that only the service can do, found by its announcement.
farm_out() {
    skyfarm scan sky.fits --local-slots 0 --wait 20 --fresh -o farm.csv --overwrite --quiet
    cmp local.csv farm.csv
}
give_key() { skyfarm key export | env XDG_CONFIG_HOME=/var/lib skyfarm key import "$@"; }

# A network with nobody else in it, for multicast.
ip link add wire type veth peer name plug
ip addr add 10.77.0.1/24 dev wire
ip link set plug up
ip link set wire up

test "$(systemctl is-active skyfarm-node)" = inactive
ok "the service does not run unasked"

give_key
start enable --now
farm_out
ok "a node with a key that was given before its first start takes part in a scan"

user=$(systemctl show --property MainPID --value skyfarm-node)
user=$(stat -c %U:%G "/proc/$user")
test "$user" = skyfarm:skyfarm
ok "the node runs as $user; $(systemd-analyze security skyfarm-node --no-pager | tail -n 1)"
systemd-analyze security skyfarm-node --threshold=24 --no-pager >/dev/null

skyfarm key rotate
mark
give_key --keep 1
wait_for said 'the cluster key is now'
farm_out
ok "it takes up a change of the key while it runs"
start restart
farm_out
ok "and again after a restart"

systemctl disable --now --quiet skyfarm-node
mkdir /home/sky
skyfarm node --install-service --slots 1 --data /home/sky
cmp /lib/systemd/system/skyfarm-node.service /etc/systemd/system/skyfarm-node.service && exit 1
systemctl daemon-reload
start enable --now
said '^ready .* slots 1$'
farm_out
ok "so does the service that node --install-service writes"
systemctl disable --now --quiet skyfarm-node
rm /etc/systemd/system/skyfarm-node.service
systemctl daemon-reload

useradd --create-home me
loginctl enable-linger me
systemctl start "user@$(id -u me)"
me() { runuser -u me -- env HOME=/home/me "XDG_RUNTIME_DIR=/run/user/$(id -u me)" "$@"; }
me skyfarm node --install-service --user --slots 1
me systemctl --user daemon-reload
mark
me systemctl --user enable --now skyfarm-node
wait_for said 'announced as'
cp sky.fits /home/me
(cd /home/me && me skyfarm scan sky.fits --local-slots 0 --wait 20 -o farm.csv --quiet && cmp farm.csv /root/local.csv)
ok "a user's own service takes part in that user's scans"
me systemctl --user disable --now --quiet skyfarm-node
loginctl disable-linger me
systemctl stop "user@$(id -u me)"
rm -r /home/me

start enable --now
apt-get remove -q -y skyfarm >/dev/null
test "$(systemctl is-active skyfarm-node)" = inactive
test ! -e /usr/bin/skyfarm
test -e /var/lib/skyfarm/cluster.key
ok "removed: the node has stopped, its state is kept"

apt-get purge -q -y skyfarm >/dev/null
left=$(find / -xdev -name '*skyfarm*' ! -path '/var/cache/man/*' ! -path '/proc/*' ! -path '/sys/*' ! -path '/root/*' ! -path /skyfarm.deb)
test -z "$left" || { echo "left: $left"; exit 1; }
! grep skyfarm /etc/passwd /etc/group
test -e /root/.config/skyfarm/cluster.key
ok "purged: nothing is left but what is the user's own"

trap - EXIT
touch /served
