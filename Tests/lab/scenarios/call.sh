# hosts 4
# A Python function over 500 arrays that only host 4 has, with no file system in common: one node is killed, one is stopped,
# the coordinator is killed and goes on by its journal. The results are those of this machine alone.
. "$LAB_HOME/functions.sh"
LOGS="$(log 4 call) $(log 1 node)"

mkdir "$LAB/module"
cat >"$LAB/module/pipeline.py" <<'END'
import time
import numpy as np
def reduce(x):
    time.sleep(0.02)
    image = x["image"]
    return {"n": x["n"], "mean": float(image.mean()), "image": image - np.median(image, axis=0)}
END
module="$LAB/module,/usr/bin/python3"
cat >"$LAB/run.py" <<'END'
import hashlib, sys
import numpy as np
import skyfarm
random = np.random.default_rng(1)
items = ({"n": n, "image": random.normal(size=(100, 100)).astype("f4")} for n in range(500))
words = {"local_python": {"pipeline": sys.argv[2]}, "discovery": False} if len(sys.argv) > 2 else {"wait": 20}
for result in skyfarm.map("pipeline.reduce", items, journal=sys.argv[1] + ".journal", timeout=20, **words):
    value = result.get()
    digest = hashlib.sha256(value["image"].tobytes()).hexdigest()
    with open(sys.argv[1], "a") as file:
        print(value["n"], repr(value["mean"]), value["image"].dtype, value["image"].shape, digest, file=file)
    if result.is_recorded:
        print("recorded", result.index, flush=True)
END
# python NAME...: the words of a command that runs it.
python() { echo env PYTHONPATH="$LAB_HOME/../../packaging/python" SKYFARM_PROGRAM="$LAB_SKYFARM" /usr/bin/python3 \
    "$LAB/run.py" "$@"; }
check "all are done on one machine" on 4 $(python /run/home/local "$module")

for host in 1 2 3; do node $host --slots 2 --python "pipeline=$module"; done
for host in 1 2 3; do check "node $host is announced" wait_for 15 announced $host; done
on 4 "$LAB_SKYFARM" nodes >"$LAB/nodes"
check "the nodes list their module" lines 3 '^n[123] .* pipeline$' "$LAB/nodes"

# results: number of results.
results() { on 4 sh -c 'cat /run/home/out 2>/dev/null | wc -l'; }
at_least() { [ "$(results)" -ge "$1" ]; }
spawn 4 call $(python /run/home/out)
check "results arrive" wait_for 60 at_least 60
stop 4 call KILL
ended 4 call
check "the coordinator was killed in mid-run" test "$(results)" -lt 500

on 4 rm /run/home/out
spawn 4 call $(python /run/home/out)
check "it goes on" wait_for 60 at_least 200
stop 2 node KILL
stop 3 node STOP
check "the run ends well" ended 4 call 120
stop 3 node CONT
check "they are those of one machine" on 4 cmp /run/home/local /run/home/out
check "what was done before was not called again" lines 50 '^recorded' "$(log 4 call)"
