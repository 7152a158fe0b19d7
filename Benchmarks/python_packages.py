"""Compares skyfarm.scan and skyfarm.sep with the packages sep and photutils, on the same array.

    python3 Benchmarks/python_packages.py [--size 4096] [--rounds 3] [--without photutils]
    python3 Benchmarks/python_packages.py --draw [--size 4096]

Needs a Python with these packages and the wheel of scripts/package --wheel; the programs run in alternating rounds, each in
a process of its own, and its time counts without imports. --draw compares the objects of sep under several seeds of its
random numbers, of each other and of skyfarm.sep, whose draw is fixed; it needs a C compiler.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from astropy.io import fits

#: The random numbers of sep, from another seed.
DRAW = """
#include <stdlib.h>
int rand_r(unsigned int *seed) {
    static unsigned long long state;
    (void)seed;
    if (!state) state = strtoull(getenv("DRAW_SEED"), NULL, 10) * 2862933555777941757ull + 3037000493ull;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)(state >> 33);
}
"""


def of_sep(module: Any, data: np.ndarray) -> int:
    """Background, extraction, and the fluxes and radii of a catalogue."""
    background = module.Background(data)
    data = data - background
    objects = module.extract(data, 1.5, err=background.globalrms)
    x, y, a, b = (objects[name] for name in ("x", "y", "a", "b"))
    theta = np.clip(objects["theta"], -np.pi / 2, np.pi / 2)
    module.sum_circle(data, x, y, 5.0, err=background.globalrms)
    kron, _ = module.kron_radius(data, x, y, a, b, theta, 6.0)
    radius = np.maximum(2.5 * kron, 3.5)
    module.sum_ellipse(data, x, y, a, b, theta, radius, err=background.globalrms, subpix=1)
    module.flux_radius(data, x, y, 6.0 * a, 0.5, subpix=5)
    return len(objects)


def with_scan(data: np.ndarray) -> Callable[[], int]:
    import skyfarm

    return lambda: len(skyfarm.scan(data, discovery=False))


def with_skyfarm_sep(data: np.ndarray) -> Callable[[], int]:
    from skyfarm import sep

    return lambda: of_sep(sep, data)


def with_sep(data: np.ndarray) -> Callable[[], int]:
    import sep

    sep.set_extract_pixstack(10_000_000)
    return lambda: of_sep(sep, data)


def with_photutils(data: np.ndarray) -> Callable[[], int]:
    from astropy.convolution import convolve
    from photutils.background import Background2D, SExtractorBackground
    from photutils.segmentation import SourceCatalog, deblend_sources, detect_sources

    def run() -> int:
        background = Background2D(data, 64, filter_size=3, bkg_estimator=SExtractorBackground())
        signal = data - background.background
        kernel = np.array([[1.0, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16
        smooth = convolve(signal, kernel, normalize_kernel=False)
        threshold = 1.5 * background.background_rms_median
        segments = detect_sources(smooth, threshold, 5)
        segments = deblend_sources(smooth, segments, 5, n_levels=32, contrast=0.005, progress_bar=False)
        catalogue = SourceCatalog(signal, segments, convolved_data=smooth)
        catalogue.kron_flux, catalogue.centroid, catalogue.orientation, catalogue.flux_radius(0.5)
        return len(catalogue)

    return run


PROGRAMS = {"scan": with_scan, "skyfarm.sep": with_skyfarm_sep, "sep": with_sep, "photutils": with_photutils}


def cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(program: str, image: str) -> None:
    data = np.ascontiguousarray(fits.getdata(image), np.float32)
    run = PROGRAMS[program](data)
    start, begin = time.perf_counter(), cpu()
    count = run()
    print(json.dumps({"elapsed": time.perf_counter() - start, "cpu": cpu() - begin, "sources": count}))


def objects(module: str, image: str, out: str) -> None:
    if module == "sep":
        import sep
    else:
        from skyfarm import sep
    data = np.ascontiguousarray(fits.getdata(image), np.float32)
    background = sep.Background(data)
    np.save(out, sep.extract(data - background, 1.5, err=background.globalrms))


def differences(one: np.ndarray, other: np.ndarray) -> str:
    """How the objects that are blends differ; they are matched by their highest pixels."""
    places = [{(o["xpeak"], o["ypeak"]): o for o in found} for found in (one, other)]
    both = sorted(set(places[0]) & set(places[1]))
    first, second = (np.array([place[key] for key in both]) for place in places)
    blends = (first["flag"] & 1) != 0
    change = np.abs(first["flux"] - second["flux"])[blends] / np.abs(first["flux"][blends])
    shift = np.hypot(first["x"] - second["x"], first["y"] - second["y"])[blends]
    alone = np.abs(first["flux"] - second["flux"])[~blends] > 0
    return (
        f"{len(one) - len(both)} and {len(other) - len(both)} objects without a counterpart of {len(one)};"
        f" blends: flux differs by {100 * np.median(change):.2f} % in the median, {100 * np.quantile(change, 0.95):.2f} %"
        f" at 95 %; barycentre by {np.median(shift):.4f} pixels, {np.quantile(shift, 0.95):.4f} at 95 %;"
        f" {alone.sum()} of {len(alone)} others differ"
    )


def compare_draws(image: str, folder: Path) -> None:
    (folder / "draw.c").write_text(DRAW)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", folder / "draw.so", folder / "draw.c"], check=True)
    found: dict[str, np.ndarray] = {}
    for name, module, seed in [("skyfarm.sep", "skyfarm.sep", None), ("sep", "sep", None)] + [
        (f"sep, seed {seed}", "sep", seed) for seed in range(1, 5)
    ]:
        preload = {} if seed is None else {"LD_PRELOAD": str(folder / "draw.so"), "DRAW_SEED": str(seed)}
        words = [sys.executable, __file__, "--objects", module, image, str(folder / "objects.npy")]
        subprocess.run(words, check=True, env={**os.environ, **preload})
        found[name] = np.load(folder / "objects.npy")
    for name in list(found)[2:]:
        print(f"sep and {name}: {differences(found['sep'], found[name])}")
    for name in list(found)[1:]:
        print(f"skyfarm.sep and {name}: {differences(found['skyfarm.sep'], found[name])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--without", action="append", default=[], choices=PROGRAMS)
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--objects", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        return measure(*arguments.measure)
    if arguments.objects:
        return objects(*arguments.objects)
    import skyfarm

    with tempfile.TemporaryDirectory() as name:
        image = f"{name}/sky.fits"
        size = str(arguments.size)
        subprocess.run([skyfarm.program(), "synth", image, "--size", size, "--quiet"], check=True)
        if arguments.draw:
            return compare_draws(image, Path(name))
        results: dict[str, list[dict[str, float]]] = {program: [] for program in PROGRAMS}
        for _ in range(arguments.rounds):
            for program in PROGRAMS:
                if program not in arguments.without:
                    words = [sys.executable, __file__, "--measure", program, image]
                    results[program].append(json.loads(subprocess.check_output(words)))
        for program, rounds in results.items():
            if rounds:
                elapsed, used = ([one[key] for one in rounds] for key in ("elapsed", "cpu"))
                print(
                    f"{program:12} elapsed {statistics.median(elapsed):.2f} s ({min(elapsed):.2f} to {max(elapsed):.2f}),"
                    f" processor {statistics.median(used):.2f} s ({min(used):.2f} to {max(used):.2f}),"
                    f" {rounds[0]['sources']:.0f} sources"
                )


if __name__ == "__main__":
    main()
