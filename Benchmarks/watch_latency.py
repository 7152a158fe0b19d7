"""How long a watched folder takes from the arrival of an image to its catalogue.

    python3 Benchmarks/watch_latency.py PROGRAM [COUNT [SIDE [SLOTS]]]

Starts `PROGRAM scan --watch`, renames COUNT (40) synthetic images of SIDE (2896) squared pixels, 8.4 megapixels, into the
folder one after the other, and waits for the catalogue of each. Prints the times in seconds: median, 95th percentile and
longest. SLOTS (2) are local; no node takes part.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program, *rest = sys.argv[1:]
count, side, slots = [int(value) for value in rest] + [40, 2896, 2][len(rest):]
folder = tempfile.mkdtemp(prefix="skyfarm-watch-")
environment = dict(os.environ, XDG_STATE_HOME=folder + "/state", XDG_CONFIG_HOME=folder + "/config")
times = []
try:
    os.mkdir(folder + "/in")
    image = folder + "/image.fits"
    subprocess.run([program, "synth", image, "--size", str(side), "--quiet"], check=True, env=environment)
    words = ["scan", "--watch", folder + "/in", "-o", folder + "/out/", "--local-slots", str(slots), "--no-discovery"]
    watch = subprocess.Popen([program, *words, "--quiet"], env=environment)
    try:
        for number in range(-1, count):
            part = f"{folder}/part"
            shutil.copyfile(image, part)
            catalogue = f"{folder}/out/{number}.fits"
            start = time.monotonic()
            os.rename(part, f"{folder}/in/{number}.fits")
            while not os.path.exists(catalogue):
                if watch.poll() is not None:
                    sys.exit(f"the watch ended with code {watch.returncode}")
                if time.monotonic() - start > 60:
                    sys.exit("no catalogue within 60 s")
                time.sleep(0.001)
            # The first includes the start of the program.
            if number >= 0:
                times.append(time.monotonic() - start)
            os.remove(f"{folder}/in/{number}.fits")
        watch.send_signal(signal.SIGINT)
        watch.wait(10)
    finally:
        if watch.poll() is None:
            watch.kill()
            watch.wait()
finally:
    shutil.rmtree(folder)
times.sort()
index = max(0, -(-len(times) * 95 // 100) - 1)
print(
    f"{count} images of {side} x {side} pixels, {slots} slots: "
    f"median {times[len(times) // 2]:.3f} s, p95 {times[index]:.3f} s, longest {times[-1]:.3f} s")
