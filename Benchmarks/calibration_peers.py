"""Compares skyfarm combine and calibrate with siril, ccdproc, numpy and astroscrappy, on the same frames.

    python3 Benchmarks/calibration_peers.py [--size 2048] [--frames 20] [--rounds 3] [--program skyfarm]

Needs a Python with those of the packages that are to be compared, and siril-cli if siril is. Every run is a process
with one thread; the rounds alternate, and the figures are medians of processor time in seconds, with the start of the
process, and peaks of memory. A peak below that of this process, some 130 MiB, cannot be seen: /usr/bin/time tells it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from astropy.io import fits

#: Programs of the peers; each gets the names of the frames.
PEERS = {
    ("median of scaled frames", "ccdproc"): """
import sys, numpy as np, ccdproc
from astropy.nddata import CCDData
frames = [CCDData.read(name, unit="adu") for name in sys.argv[1:]]
combiner = ccdproc.Combiner(frames)
combiner.scaling = lambda frame: 1 / np.median(frame)
combiner.median_combine().data.astype("f4")
""",
    ("median of scaled frames", "numpy"): """
import sys, numpy as np
from astropy.io import fits
frames = np.array([fits.getdata(name).astype("f4") for name in sys.argv[1:]])
frames /= np.median(frames, axis=(1, 2))[:, None, None]
np.median(frames, axis=0)
""",
    # Its clipping has one round, and knows no scale.
    ("clipped means, one round", "ccdproc"): """
import sys, ccdproc
from astropy.nddata import CCDData
frames = [CCDData.read(name, unit="adu") for name in sys.argv[1:]]
combiner = ccdproc.Combiner(frames)
combiner.sigma_clipping(func="median")
combiner.average_combine().data.astype("f4")
""",
    ("cosmic rays of a frame", "astroscrappy"): """
import sys, astroscrappy
from astropy.io import fits
astroscrappy.detect_cosmics(fits.getdata(sys.argv[1]).astype("f4"))
""",
}

#: Commands of siril; frames are multiplied so that their levels are equal.
SIRIL = {
    "median of scaled frames": "stack frame med -norm=mul -out=m",
    "clipped means of scaled frames": "stack frame rej sigma 3 3 -norm=mul -out=m",
    "winsorized means of scaled frames": "stack frame rej winsorized 3 3 -norm=mul -out=m",
}


def siril(command: str, folder: Path) -> list[str]:
    """A run of siril in a folder with frames, which keeps no levels of an earlier run."""
    script = folder / f"{'-'.join(command.split()[2:4])}.ssf"
    script.write_text(f"requires 1.0.0\nsetcpu 1\nsetext fits\n{command}\n")
    return ["sh", "-c", 'rm -f "$0"/*.seq && exec siril-cli -d "$0" -s "$1"', str(folder), str(script)]


def commands(program: str, frames: list[str], folder: Path) -> dict[tuple[str, str], list[str]]:
    combine = [program, "combine", *frames, "-o", str(folder / "m.fit"), "--overwrite", "--quiet"]
    combine += ["--local-slots", "1"]
    ours = "skyfarm"
    result = {
        ("median of scaled frames", ours): [*combine, "--scale", "median"],
        ("clipped means, one round", ours): [*combine, "--method", "clip", "--iterations", "1"],
        ("clipped means of scaled frames", ours): [*combine, "--method", "clip", "--scale", "median"],
        ("cosmic rays of a frame", ours): [
            program, "calibrate", frames[0], "-o", str(folder / "c.fit"), "--overwrite", "--quiet", "--cosmic-rays",
            "--local-slots", "1",
        ],
    }  # fmt: skip
    for key, script in PEERS.items():
        if subprocess.run([sys.executable, "-c", f"import {key[1]}"], capture_output=True).returncode == 0:
            result[key] = [sys.executable, "-c", script, *frames]
    if shutil.which("siril-cli"):
        result |= {(task, "siril"): siril(command, folder) for task, command in SIRIL.items()}
    return result


def measured(words: list[str]) -> tuple[float, float]:
    """Processor time in seconds, and the peak of memory in MiB."""
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(words, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(words)[:300]}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--frames", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default="skyfarm")
    options = parser.parse_args()
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory(prefix="skyfarm-") as name:
        frames = []
        for index in range(options.frames):
            level = 20_000 + 500 * index
            pixels = random.normal(level, level**0.5, (options.size, options.size))
            pixels.flat[random.integers(0, pixels.size, pixels.size // 14_000)] += 20_000
            frames.append(f"{name}/frame{index:03d}.fits")
            fits.PrimaryHDU(np.clip(pixels, 0, 65_535).astype("uint16")).writeto(frames[-1])
        table = commands(options.program, frames, Path(name))
        figures = {key: [] for key in table}
        for _ in range(options.rounds):
            for key, words in table.items():
                figures[key].append(measured(words))
    for task, who in sorted(figures, key=lambda key: (key[0], key[1] != "skyfarm")):
        times, memory = zip(*figures[task, who])
        # siril's winsorized means have no equal here: skyfarm clips.
        equal = task.replace("winsorized", "clipped")
        ours = statistics.median(time for time, _ in figures[equal, "skyfarm"])
        time = statistics.median(times)
        print(f"{task:32}{who:14}{time:8.2f} s{time / ours:8.1f} x{max(memory):8.0f} MiB")


if __name__ == "__main__":
    main()
