# hosts 3
# needs slurmctld slurmd munged sbatch scontrol root
# soak
# skyfarm up --slurm, with slurmctld on host 1 and slurmd on hosts 2 and 3: nodes come with the tasks that wait, scan, drain
# at their time limit without a lost attempt, are replaced, and leave; a fixed number is submitted once.
. "$LAB_HOME/functions.sh"
LOGS="$LAB/1/up.log $(log 1 scan) $(log 1 slurmctld) $(log 2 slurmd)"

mkdir -p "$LAB/slurm/state" "$LAB/slurm/h2" "$LAB/slurm/h3" "$LAB/slurm/home"
dd if=/dev/urandom of="$LAB/slurm/munge.key" bs=1024 count=1 status=none
chmod 600 "$LAB/slurm/munge.key"
cat >"$LAB/slurm/slurm.conf" <<X
ClusterName=lab
SlurmctldHost=h1(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=/run/munge.socket
CredType=cred/munge
StateSaveLocation=/run/lab/slurm/state
SlurmdSpoolDir=/run/lab/slurm/%n
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
ReturnToService=2
KillWait=30
NodeName=h2 NodeAddr=10.77.0.2 CPUs=1 State=UNKNOWN
NodeName=h3 NodeAddr=10.77.0.3 CPUs=1 State=UNKNOWN
PartitionName=night Nodes=h2,h3 Default=YES MaxTime=INFINITE State=UP
X
export SLURM_CONF=/run/lab/slurm/slurm.conf
for host in 1 2 3; do
    spawn $host munged munged --foreground --force --key-file=/run/lab/slurm/munge.key --socket=/run/munge.socket \
        --pid-file=/run/munged.pid --log-file=/run/munged.log --seed-file=/run/munged.seed
    check "munged of host $host runs" wait_for 10 test -S "$LAB/$host/run/munge.socket"
done
spawn 1 slurmctld slurmctld -D
for host in 2 3; do spawn $host slurmd slurmd -D -N h$host; done
idle() { [ "$(on 1 sinfo -h -o %D -t idle 2>/dev/null)" = "$1" ]; }
check "Slurm has two nodes" wait_for 30 idle 2

# The nodes' home is shared, as on a cluster; the other folders of the lab are.
export HOME=/run/lab/slurm/home
# In a subshell.
slurm() { exec nsenter -t "$(<"$LAB/$1/pid")" -n -m -u -- env XDG_CONFIG_HOME=/run/lab/config XDG_STATE_HOME=/run/lab/slurm/home/state SLURM_CONF=$SLURM_CONF "${@:2}"; }
check "an image is made and scanned on one machine" sky 4000x3000 --threshold 0.7 --band 128
mkdir "$LAB/night"
for number in $(seq 160); do ln -s ../sky.fits "$LAB/night/$number.fits"; done

# Elastic, with the shortest time limit of Slurm.
slurm 1 "$LAB_SKYFARM" up --slurm --min 0 --max 2 --partition night --idle-stop 5s --sbatch=--time=1 \
    --sbatch=--signal=B:TERM@10 >"$LAB/1/up.log" 2>&1 &
manager=$!
sleep 8
check "it is ready for nodes" lines 1 'nodes join at 10\.77\.0\.1:' "$LAB/1/up.log"
check "without work there is none" test -z "$(on 1 squeue -h)"
start=$(now)
slurm 1 "$LAB_SKYFARM" scan "$LAB/night" -o "$LAB/catalogues/{stem}.csv" --threshold 0.7 --band 128 --local-slots 1 --json \
    --progress json --fresh >"$LAB/scan.json" 2>"$LAB/1/scan.log" &
scan=$!
check "two nodes join a scan that runs" wait_for 60 lines 2 'slurm-[0-9]+-[0-9]+ joined at 10\.77\.0\.[23]:4870, 1 slot' "$LAB/1/up.log"
echo "two nodes joined after $(since "$start") s"
check "one drains at its time limit" wait_for 120 lines 1 'slurm-[0-9]+-[0-9]+ left' "$LAB/1/up.log"
echo "the first node left after $(since "$start") s"
check "a node is submitted in its place, and joins" wait_for 60 lines 3 ' joined at ' "$LAB/1/up.log"
wait $scan
check "the scan succeeds ($(since "$start") s)" test $? = 0
tail -n 1 "$LAB/1/scan.log"
nodes=$(grep -c '"name" : "slurm-[0-9]*-[0-9]*"' "$LAB/scan.json")
check "at least three nodes have worked ($nodes)" test "$nodes" -ge 3
check "no attempt was lost" test "$(grep -o '"retries":[0-9]*' "$LAB/1/scan.log" | sort -u)" = '"retries":0'
check "nor does the log name one" test -z "$(grep -E 'failed|lost' "$LAB/1/scan.log")"
for file in 1 80 160; do check "catalogue $file equals that of one machine" cmp "$LAB/local.csv" "$LAB/catalogues/$file.csv"; done
empty() { [ -z "$(on 1 squeue -h)" ] && ! grep -q slurm "$LAB/slurm/home/state/skyfarm/hosts"; }
check "the nodes leave when they are idle, and are forgotten" wait_for 60 empty
check "all have ended in order" test -z "$(on 1 scontrol -o show job | grep -v 'JobState=COMPLETED.* ExitCode=0:0')"
kill "$manager"
wait "$manager"
check "the command ends with 0" test $? = 0
cat "$LAB/1/up.log"

# A fixed number.
(slurm 1 timeout 100 "$LAB_SKYFARM" up --slurm --nodes 2 --idle-stop 2s) >"$LAB/1/up.log" 2>&1
check "two nodes, once, which leave when they are idle" test $? = 0
check "both had joined" lines 2 ' joined at ' "$LAB/1/up.log"
(slurm 1 timeout 100 "$LAB_SKYFARM" up --slurm --partition none) >"$LAB/1/up.log" 2>&1
check "what Slurm refuses is said" lines 1 'up --slurm: .*Invalid partition name' "$LAB/1/up.log"
check "no process is left" test -z "$(ps -e -o args= | grep -F 'node --jobs 0' | grep -v grep)"
