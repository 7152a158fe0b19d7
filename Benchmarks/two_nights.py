"""How two coordinators share a node, and how long a third with one small image takes beside them.

    python3 Benchmarks/two_nights.py PROGRAM [COUNT [SIDE]]

Starts `PROGRAM node --slots 2`, and two scans of COUNT (20) synthetic images of SIDE (2048) squared pixels each, which use
only the node. While both run, an image of 512 squared pixels is scanned again and again. Prints, in seconds: when the two
ended, the times of the small image alone and beside them, and the mean of their tasks. The small image should take at
most its time alone and that of two of their tasks.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

program, *rest = sys.argv[1:]
count, side = [int(value) for value in rest] + [20, 2048][len(rest):]
folder = tempfile.mkdtemp(prefix="skyfarm-two-nights-")
environment = dict(os.environ, XDG_STATE_HOME=folder + "/state", XDG_CONFIG_HOME=folder + "/config")


def synth(path, size, seed):
    words = [program, "synth", path, "--size", str(size), "--seed", str(seed), "--quiet"]
    subprocess.run(words, check=True, env=environment)


def scan(address, image, output, *further):
    words = ["scan", image, "-o", output, "--node", address, "--local-slots", "0", "--no-discovery", "--no-journal"]
    return [program, *words, *further]


def seconds(words):
    start = time.monotonic()
    subprocess.run(words, check=True, env=environment)
    return time.monotonic() - start


def mean_task(path):
    """From the report of a scan: the mean time of a task on the node."""
    with open(path) as file:
        shares = json.load(file)["systems"]
    return sum(share["seconds"] for share in shares) / sum(share["tasks"] for share in shares)


try:
    for name in ("first", "second"):
        os.mkdir(f"{folder}/{name}")
    for seed in range(count):
        synth(f"{folder}/first/{seed}.fits", side, seed)
        os.link(f"{folder}/first/{seed}.fits", f"{folder}/second/{seed}.fits")
    small = folder + "/small.fits"
    synth(small, 512, 1)
    words = [program, "node", "--slots", "2", "--listen", "127.0.0.1:0", "--no-advertise", "--quiet"]
    node = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        address = node.stdout.readline().split()[2]
        outputs = iter(range(10**9))
        small_scan = lambda: seconds(scan(address, small, f"{folder}/{next(outputs)}.fits", "--quiet"))
        alone = min(small_scan() for _ in range(5))
        start = time.monotonic()
        nights, ends, beside = {}, {}, []
        for name in ("first", "second"):
            with open(f"{folder}/{name}.json", "w") as report:
                words = scan(address, f"{folder}/{name}", f"{folder}/{name}-out/", "--json", "--quiet")
                nights[name] = subprocess.Popen(words, env=environment, stdout=report)
        while len(ends) < 2:
            both = all(night.poll() is None for night in nights.values())
            if both and time.monotonic() - start > 0.5:
                taken = small_scan()
                if all(night.poll() is None for night in nights.values()):
                    beside.append(taken)
            for name, night in nights.items():
                if name not in ends and night.poll() is not None:
                    if night.returncode != 0:
                        sys.exit(f"a scan ended with code {night.returncode}")
                    ends[name] = time.monotonic() - start
            time.sleep(0.005)
        task = max(mean_task(f"{folder}/{name}.json") for name in nights)
    finally:
        node.terminate()
        node.wait()
finally:
    shutil.rmtree(folder)
if not beside:
    sys.exit("no small image was scanned beside both; give more images")
beside.sort()
first, second = ends["first"], ends["second"]
print(
    f"{count} images of {side} x {side} pixels each: {first:.2f} and {second:.2f} s; "
    f"small image alone {alone:.3f} s, beside them {len(beside)} times: median {beside[len(beside) // 2]:.3f} s, "
    f"longest {beside[-1]:.3f} s; mean of their tasks {task:.3f} s")
