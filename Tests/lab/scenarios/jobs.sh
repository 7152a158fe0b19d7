# hosts 4 -w
# A job that is submitted on one host and watched on another is continued on a third when its coordinating host dies: the
# catalogue has the same bytes as that of an undisturbed scan.
. "$LAB_HOME/functions.sh"
LOGS="$(log 2 node) $(log 3 node) $(log 4 watch) $LAB/errors"
image=/run/lab/shared/sky.fits

mkdir "$LAB/shared"
check "an image is made and scanned on one machine" sky 3000x3000
mv "$LAB/sky.fits" "$LAB/shared/"
for host in 2 3; do node $host --accept-jobs /run/lab/shared --job-lease 1; done
node 4
for host in 2 3 4; do check "node $host is announced" wait_for 15 announced $host; done
# A link that is full of pixels drops the packets of discovery as well.
knows() { on 4 "$LAB_SKYFARM" nodes --wait 1 2>/dev/null | grep -q "^n2 "; }
check "host 4 discovers host 2" wait_for 15 knows
# Host 2 coordinates, and its link carries 2.5 MB/s, so that it cannot end before it dies.
wire rate 2 20000000

# The shell in which the job is submitted ends at once.
id=$(on 1 setsid bash -c '"$@"; exit' bash "$LAB_SKYFARM" submit --on n2 $image -o /run/lab/shared/cluster.csv --overwrite \
    --local-slots 0 --only n4 --band 128 2>"$LAB/errors")
check "host 1 submits a job to n2" test -n "$id"
on 1 "$LAB_SKYFARM" jobs >"$LAB/jobs" 2>"$LAB/errors"
check "host 1 lists it" lines 1 "^$id +(waiting|running) +n2 " "$LAB/jobs"
is_known() { on 4 "$LAB_SKYFARM" jobs 2>/dev/null | grep -q "^$id "; }
check "host 4 lists it as well" wait_for 15 is_known
spawn 4 watch "$LAB_SKYFARM" jobs watch "$id" --progress json
# By the eighth the results of the first are on the disk, even of a busy machine: the journal is synced beside the scan.
check "host 4 sees tasks finish" wait_for 40 lines 8 '"event":"finished"' "$(log 4 watch)"

process=$(sed -n "s/.*job $id begins, in process \([0-9]*\).*/\1/p" "$(log 2 node)")
check "its process is known" test -n "$process"
# The node first: it starts a job again whose process has ended without a result.
kill -KILL "$(<"$LAB/2/node.pid")" "$process"
start=$(now)
is_lost() { on 3 "$LAB_SKYFARM" jobs >"$LAB/errors" 2>&1; grep -qE "^$id +lost +n2 " "$LAB/errors"; }
check "host 3 sees that it is lost" wait_for 60 is_lost
check "host 3 resumes it ($(since "$start") s later)" on 3 "$LAB_SKYFARM" jobs resume "$id" --on n3 2>"$LAB/errors"
check "host 1 waits for its end" on 1 "$LAB_SKYFARM" jobs wait "$id" 2>"$LAB/errors"
check "the catalogue has the same bytes" cmp "$LAB/local.csv" "$LAB/shared/cluster.csv"
check "tasks of the journal were not done again" grep -q '"event":"resumed"' "$LAB/shared/.skyfarm/jobs/$id/run-2/log"
check "no attempt failed" test -z "$(grep -h '"event":"failed"' "$LAB/shared/.skyfarm/jobs/$id"/run-*/log)"
on 4 "$LAB_SKYFARM" jobs >"$LAB/jobs" 2>/dev/null
check "host 4 lists it as finished by n3" lines 1 "^$id +finished +n3 " "$LAB/jobs"
on 4 "$LAB_SKYFARM" jobs show "$id" >"$LAB/shown" 2>"$LAB/errors"
check "and knows from its journal what it wrote" lines 1 '^outputs /run/lab/shared/cluster\.csv$' "$LAB/shown"

# Without a daemon the process of a job discovers nothing: it has the other nodes from the registry of its node.
knows_n4() { on 3 "$LAB_SKYFARM" nodes --wait 1 2>/dev/null | grep -q "^n4 "; }
check "host 3 discovers n4" wait_for 15 knows_n4
avahi_kill 3
id=$(on 3 "$LAB_SKYFARM" submit $image -o /run/lab/shared/known.csv --overwrite --local-slots 0 --only n4 2>"$LAB/errors")
check "host 3, whose daemon has ended, submits a job for n4 alone" test -n "$id"
check "the job is done" on 3 "$LAB_SKYFARM" jobs wait "$id" 2>"$LAB/errors"
check "and its catalogue has the same bytes" cmp "$LAB/local.csv" "$LAB/shared/known.csv"
