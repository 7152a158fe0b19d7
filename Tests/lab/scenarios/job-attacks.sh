# hosts 2 -4
# needs setpriv root
# A node that accepts jobs on host 2, a user of that machine who has no key, and a holder of the key on host 1 who is no
# friend: neither reads or writes what was not given to him, and the node goes on.
. "$LAB_HOME/functions.sh"
LOGS="$(log 2 node) $LAB/errors"
shared=/run/lab/shared data=/run/lab/data home=/run/lab/owner

# The users of host 2. The program is where they can run it, wherever it was built.
printf 'owner:x:4711:4711::%s:/bin/sh\nstranger:x:4712:4712::/run/lab/stranger:/bin/sh\n' $home >>"$LAB/passwd"
touch "$LAB/skyfarm"
for host in 1 2; do on $host mount --bind "$LAB_SKYFARM" /run/lab/skyfarm; done
stranger() {
    on 2 setpriv --reuid 4712 --regid 4712 --clear-groups env -u XDG_CONFIG_HOME HOME=/run/lab/stranger \
        XDG_RUNTIME_DIR=/run/lab/stranger/run "$@"
}
# start: the node of the owner, who lets all users write to the folder, as in /tmp.
start() {
    rm -f "$(log 2 node)"
    spawn 2 node setpriv --reuid 4711 --regid 4711 --clear-groups env -u XDG_CONFIG_HOME HOME=$home \
        XDG_RUNTIME_DIR=$home/run /run/lab/skyfarm node --name n2 --listen :4870 --no-advertise --accept-jobs $shared \
        --data $data
}
# holder WORD...: the holder of the key; the last error is in $LAB/errors.
holder() { on 1 env SKYFARM_NODES=10.77.0.2:4870 SKYFARM_NO_DISCOVERY=1 /run/lab/skyfarm "$@" 2>"$LAB/errors"; }
# refused TEXT REASON WORD...: checks that the command of the holder fails with one line, which has the reason.
refused() {
    local text=$1 reason=$2
    shift 2
    holder "$@" >"$LAB/output"
    check "$text is refused" test $? != 0 -a "$(grep -cE "$reason" "$LAB/errors")" = 1 -a ! -s "$LAB/output"
    check "in one line" test "$(grep -c . "$LAB/errors")" = 1
}
# files: those of the owner, without the program's own.
files() {
    find $home \( -path $home/.local -o -path $home/.cache -o -path $home/run \) -prune -o -type f \
        -exec sha256sum {} + | sort
}
untouched() { files | diff "$LAB/before" - && test -z "$(find /etc -name 'attack*')"; }

mkdir -m 700 "$home" "$home/run" "$home/.config" "$LAB/stranger" "$LAB/stranger/run"
mkdir -m 1777 "$shared"
mkdir "$data"
ln -s $home "$data/link"
on 1 /run/lab/skyfarm key export >"$LAB/key"
cp -r "$LAB/config/skyfarm" "$home/.config/"
echo '# mine' >"$home/.bashrc"
check "an image is made and scanned on one machine" sky 300x300
cp "$LAB/sky.fits" "$home/secret.fits"
mv "$LAB/sky.fits" "$shared/sky.fits"
chown -R 4711:4711 "$home" "$shared/sky.fits"
chown -R 4712:4712 "$LAB/stranger"
files >"$LAB/before"

# The stranger is first.
stranger ln -s $home $shared/.skyfarm
start
check "a node ends where its folder is another user's link" wait_for 20 test -s "$LAB/2/node.status"
check "and says why" lines 1 'shared/.skyfarm: is no folder, so that no job is kept there' "$(log 2 node)"
rm "$shared/.skyfarm"
stranger mkdir -p $shared/.skyfarm/jobs/1f0c/run-1
stranger ln -s $home/.bashrc $shared/.skyfarm/jobs/1f0c/run-1/log
stranger ln -s $home/.bashrc $shared/.skyfarm/jobs/1f0c/job.json
start
check "a node ends where its folder is another user's" wait_for 20 test -s "$LAB/2/node.status"
check "and says why" lines 1 'shared/.skyfarm: belongs to another user, so that no job is kept there' "$(log 2 node)"
check "nothing was written" untouched
rm -r "$shared/.skyfarm"

start
check "without it the node starts" wait_for 20 lines 1 '^ready n2 ' "$(log 2 node)"
process=$(<"$LAB/2/node.pid")
stranger ln -s $home $shared/link
stranger mkfifo -m 666 $shared/pipe.fits $shared/pipe.csv
check "another user cannot look into the node's folder" test -z "$(stranger ls $shared/.skyfarm 2>/dev/null)"
stranger env SKYFARM_NODES=10.77.0.2:4870 SKYFARM_NO_DISCOVERY=1 /run/lab/skyfarm submit --on n2 $shared/sky.fits \
    -o $shared/o.csv >"$LAB/output" 2>"$LAB/errors"
check "who has no key submits nothing" test $? != 0 -a ! -s "$LAB/output"

# The holder of the key.
submit=(submit --on n2)
good=("${submit[@]}" $shared/sky.fits)
for output in /etc/attack.csv $home/o.csv $shared/../owner/o.csv $shared/link/o.csv $shared/pipe.csv \
    $shared/.skyfarm/jobs/1f0c/lease-9223372036854775807/o.csv $shared/.skyfarm/o.csv; do
    refused "the output $output" "not below a folder of --accept-jobs" "${good[@]}" -o $output
done
for input in /etc/passwd $home/secret.fits $data/link/secret.fits $shared/link/secret.fits $shared/../owner/secret.fits $shared/pipe.fits \
    "/run/lab/*/*.fits"; do
    refused "the image $input" "(cannot be read here|not below a folder of --accept-jobs or --data)" "${submit[@]}" "$input" -o $shared/o.csv
done
for option in "--columns FLAGS --nnw" "--columns FLAGS --flag-image" "--columns FLAGS --psf" --at --kernel --mask \
    --weight; do
    refused "a file elsewhere for ${option##* }" "not below a folder of --accept-jobs or --data" \
        "${good[@]}" -o $shared/o.csv $option $home/secret.fits
done
# There is one answer about what is elsewhere.
refused "a file that exists" "not below a folder" "${submit[@]}" $home/secret.fits -o $shared/o.csv
sed 's/secret/missing/' "$LAB/errors" >"$LAB/exists"
refused "one that does not" "not below a folder" "${submit[@]}" $home/missing.fits -o $shared/o.csv
check "by the same words" cmp "$LAB/errors" "$LAB/exists"
start=$(now)
for pattern in '/*/*' '/*/*/*/*/*' "$home/*" "$data/link/*" "$data/../owner/*"; do
    refused "the pattern n2:$pattern" "no file below the folders of --data of the node matches" \
        scan "n2:$pattern" --no-journal -o /run/lab/o.csv
done
check "no pattern walks the disk ($(since "$start") s)" under 15 "$(since "$start")"

# What a job only names is not given.
cp "$home/secret.fits" "$shared/secret.csv"
chown 4711:4711 "$shared/secret.csv"
id=$(holder "${good[@]}" -o $shared/secret.csv)
check "a job that names a file is taken" test -n "$id"
holder jobs wait "$id" >"$LAB/output"
check "and writes nothing" cmp "$home/secret.fits" "$shared/secret.csv"
refused "fetching the file" "has written no file" jobs fetch "$id" -o /run/lab/fetched

check "nothing was written" untouched
check "the node is the same process" kill -0 "$process"
id=$(holder "${good[@]}" -o $shared/cluster.csv)
check "a good job is taken" test -n "$id"
holder jobs wait "$id" >"$LAB/output"
check "and done" test $? = 0
check "with the same catalogue" cmp "$LAB/local.csv" "$shared/cluster.csv"
holder jobs fetch "$id" -o /run/lab/fetched >"$LAB/output"
check "which is fetched" cmp "$LAB/local.csv" "$LAB/fetched/cluster.csv"
stop 2 node
check "the node ends when it is told to" ended 2 node 20
