# Run by scripts/package-test in a Debian in which the package is installed: what a user does with it.
set -eu
export HOME=/root
cd /root

ok() { echo "ok: $*"; }

! command -v swift || exit 1
skyfarm --version
ok "it runs without a toolchain"

skyfarm synth sky.fits --size 1024 --truth truth.csv --quiet
skyfarm scan sky.fits --no-discovery -o local.csv --quiet
skyfarm synth --check truth.csv local.csv --min 0.95 --quiet
ok "a scan finds the sources"

man --pager cat skyfarm-scan | grep -q -e --threshold
man --pager cat skyfarm | grep -q skyfarm-node
ok "man skyfarm-scan and man skyfarm say something"

# Every page and completion of a command is there.
for command in $(skyfarm --help | awk '/^$/ { on = 0 } on && /^  [a-z]/ { print $1 } /^Commands:/ { on = 1 }'); do
    test -e "/usr/share/man/man1/skyfarm-$command.1.gz"
done
ls /usr/share/bash-completion/completions/skyfarm /usr/share/zsh/vendor-completions/_skyfarm \
    /usr/share/fish/vendor_completions.d/skyfarm.fish >/dev/null
ok "manual pages and completions are installed"

test "$(systemctl is-enabled skyfarm-node 2>/dev/null)" = disabled
ok "the service is installed and not enabled"
