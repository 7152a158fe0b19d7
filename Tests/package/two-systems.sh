# Run by scripts/package-test --wheel: one job over nodes in two systems with different C libraries, against the same job
# on one machine alone. All processes are in namespaces of their own, and end with it; the network is the loopback
# device alone.
#
#   two-systems.sh OUTPUTS ROOT ROOT   each ROOT has the wheel in /venv, and the same images in /images
set -eu
if [ -z "${IS_INSIDE:-}" ]; then
    exec env IS_INSIDE=1 unshare --net --mount --pid --fork --kill-child --propagation private bash "$0" "$@"
fi
outputs=$1 first=$2 second=$3
ip link set lo up
for root in "$first" "$second"; do
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
done

# within ROOT COMMAND...: runs a command in a system.
within() {
    local root=$1
    shift
    chroot "$root" env -i PATH=/venv/bin:/usr/bin:/bin HOME=/root SKYFARM_NO_DISCOVERY=1 "$@"
}
ok() { echo "ok: $*"; }
failed() {
    echo "FAILED: $*"
    exit 1
}
library() { within "$1" ldd --version | sed -n '1s/.* //p'; }
[ "$(library "$first")" != "$(library "$second")" ] || failed "both systems have glibc $(library "$first")"

within "$first" skyfarm key new >/dev/null 2>&1
mkdir -p "$second/root/.config"
cp -r "$first/root/.config/skyfarm" "$second/root/.config/"
nodes=()
for root in "$first" "$second"; do
    : >"$root/node.log"
    within "$root" skyfarm node --listen 127.0.0.1:0 --slots 1 --no-advertise --name "glibc-$(library "$root")" \
        >>"$root/node.log" 2>&1 &
    for _ in $(seq 100); do
        grep -q '^ready' "$root/node.log" && break
        sleep 0.1
    done
    nodes+=(--node "$(sed -n 's/^ready [^ ]* \([^ ]*\).*/\1/p' "$root/node.log")")
done
within "$first" skyfarm nodes "${nodes[@]}"
ok "a coordinator with glibc $(library "$first") accepts the nodes with glibc $(library "$first") and $(library "$second")"

columns=NUMBER,X_IMAGE,Y_IMAGE,XWIN_IMAGE,YWIN_IMAGE,AWIN_IMAGE,BWIN_IMAGE,THETAWIN_IMAGE,ERRAWIN_IMAGE,MAG_AUTO,MAGERR_AUTO
columns=$columns,FLUX_RADIUS,MAG_PETRO,ALPHAWIN_J2000,DELTAWIN_J2000
if [ -e "$first/images/default.nnw" ]; then columns=$columns,CLASS_STAR; fi
# job FOLDER OPTION...: the catalogues of all images in both kinds of columns, in bands, and a report of each kind.
job() {
    local folder=$1
    shift
    rm -rf "$first/out" "${outputs:?}/$folder"
    for kind in plain sextractor; do
        within "$first" sh -c 'mkdir -p /out && cd /images && kind=$0 columns=$1 && shift &&
            if [ $kind = sextractor ]; then set -- --columns "$columns" "$@"; fi &&
            if [ -e default.nnw ] && [ $kind = sextractor ]; then set -- --nnw default.nnw "$@"; fi &&
            skyfarm scan *.fits* -o /out/$kind/ --band 128 --no-journal --json "$@" >/out/$kind.json' \
            "$kind" "$columns" "$@"
    done
    mkdir -p "$outputs"
    cp -r "$first/out" "$outputs/$folder"
}
job together "${nodes[@]}" --local-slots 0
job alone --local-slots 1

images=$(cd "$first/images" && ls ./*.fits* | wc -l) count=0
for file in "$outputs"/alone/*/*; do
    file=${file#"$outputs/alone/"}
    cmp "$outputs/alone/$file" "$outputs/together/$file" || failed "$file differs"
    grep -aq 'ARITHEQ = *T ' "$outputs/together/$file" || failed "ARITHEQ of $file is not T"
    count=$((count + 1))
done
[ "$count" = $((2 * images)) ] || failed "$count catalogues of $images images"
python3 - "$outputs" "$images" <<'P'
import json, sys

for kind in ("plain", "sextractor"):
    together, alone = (json.load(open(f"{sys.argv[1]}/{name}/{kind}.json")) for name in ("together", "alone"))
    tasks = {system["name"]: system["tasks"] for system in together["systems"]}
    assert len(tasks) == 2 and all(name.startswith("glibc-") and count > 0 for name, count in tasks.items()), tasks
    assert together["sources"] == alone["sources"] > 1000 and together["failed"] == 0, together
    print(f"ok: {sys.argv[2]} images, {kind} columns, {together['sources']} sources, tasks by node {tasks}")
P
ok "$count catalogues have the bytes of one machine alone, and ARITHEQ is T in all"
