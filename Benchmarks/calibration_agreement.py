#!/usr/bin/env python3
"""Compares the values of skyfarm combine and calibrate with those of ccdproc, and masks of cosmic rays with astroscrappy's.

    python3 Benchmarks/calibration_agreement.py .build/readme/release/skyfarm [--seeds 20] [IMAGE...]

Needs a Python with ccdproc and astroscrappy. Stacks and raw frames are random: sizes, numbers of frames, levels, missing
values, masks and parameters come from the seed. IMAGE are frames in which cosmic rays are searched, without IMAGE those of
SKYFARM_TEST_DATA. One line of Markdown for each comparison: the largest relative difference of a value, or the share of
pixels whose mask is the same.
"""

from __future__ import annotations

import argparse
import glob
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import astroscrappy
import ccdproc
import numpy as np
from astropy import units
from astropy.io import fits
from astropy.nddata import CCDData

#: Pixels from an edge up to which the searches for cosmic rays differ by design.
EDGE = 5
COSMIC_RAY = 4


class Run:
    """Runs of the program in a folder."""

    def __init__(self, program: str, folder: Path):
        self.program, self.folder = program, folder

    def __call__(self, command: str, inputs: list[Path], output: str, *options: object) -> Path:
        target = self.folder / output
        words = [self.program, command, *inputs, "-o", target, "--overwrite", "--quiet", "--local-slots", "1", *options]
        if command == "calibrate":
            words.append("--no-discovery")
        subprocess.run([str(word) for word in words], check=True)
        return target

    def write(self, name: str, pixels: np.ndarray, **cards: object) -> Path:
        path = self.folder / name
        header = fits.Header(cards)
        fits.PrimaryHDU(pixels, header).writeto(path, overwrite=True)
        return path


def difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest relative difference of two images, with 1 where only one of them has a value."""
    ours, theirs = ours.astype(float), theirs.astype("f4").astype(float)
    found = np.isfinite(ours)
    if not np.array_equal(found, np.isfinite(theirs)):
        return 1.0
    return float(np.max(np.abs(ours - theirs)[found] / np.maximum(np.abs(theirs[found]), 1e-3), initial=0))


def stack(random: np.random.Generator, run: Run) -> dict[str, float]:
    """Masters of a random stack."""
    count, shape = int(random.integers(3, 40)), tuple(random.integers(20, 90, 2))
    levels = random.uniform(500, 30_000, count)
    frames = random.normal(levels[:, None, None], np.sqrt(levels)[:, None, None], (count, *shape)).astype("f4")
    frames[random.random(frames.shape) < 0.01] *= 3
    frames[random.random(frames.shape) < 0.005] = np.nan
    masks = random.random(frames.shape) < 0.02
    names = [run.write(f"f{index:03d}.fits", pixels) for index, pixels in enumerate(frames)]
    for index, mask in enumerate(masks):
        run.write(f"f{index:03d}.mask.fits", mask.astype("u1"))
    masked = ["--mask", run.folder / "{stem}.mask.fits"]
    data = [
        CCDData(pixels.astype("f8"), unit="adu", mask=mask | ~np.isfinite(pixels)) for pixels, mask in zip(frames, masks)
    ]
    sigma = float(random.uniform(2, 4))

    def combiner() -> ccdproc.Combiner:
        return ccdproc.Combiner(data, dtype="f8")

    def values(image: CCDData) -> np.ndarray:
        return np.where(image.mask, np.nan, image.data) if image.mask is not None else image.data

    def master(*more: object) -> np.ndarray:
        return fits.getdata(run("combine", names, "m.fit", *more))

    result = {
        "median": difference(master(*masked), values(combiner().median_combine())),
        "mean": difference(master(*masked, "--method", "mean"), values(combiner().average_combine())),
    }
    scaled = combiner()
    scaled.scaling = [1 / np.median(image.data[~image.mask]) for image in data]
    result["median, scaled"] = difference(master(*masked, "--scale", "median"), values(scaled.median_combine()))
    # ccdproc's clipping takes masked values into account, and knows no scale.
    for image in data:
        image.mask = ~np.isfinite(image.data)
    clipped = combiner()
    clipped.sigma_clipping(low_thresh=sigma, high_thresh=sigma, func="median")
    result["clip, one round"] = difference(
        master("--method", "clip", "--sigma", sigma, "--iterations", 1), values(clipped.average_combine()))  # fmt: skip
    return result


def frame(random: np.random.Generator, run: Run) -> dict[str, float]:
    """A random raw frame with overscan, bias, dark and flat."""
    height, width, extra = (int(n) for n in (*random.integers(40, 200, 2), random.integers(5, 30)))
    raw = random.integers(1000, 40_000, (height, width + extra)).astype("u2")
    raw[:, width:] = random.integers(900, 1100, (height, extra))
    bias = random.normal(20, 3, (height, width)).astype("f4")
    dark = random.normal(50, 5, (height, width)).astype("f4")
    flat = random.normal(1, 0.05, (height, width)).astype("f4")
    seconds, dark_seconds = float(random.uniform(1, 300)), float(random.uniform(10, 600))
    light = run.write("raw.fits", raw, EXPTIME=seconds)
    kept = f"[1:{width},1:{height}]"
    # The levels of rows are those of the overscan, which the masters have lost as well.
    master = {"CALOVSC": f"[{width + 1}:{width + extra},1:{height}]", "CALTRIM": kept}
    masters = [
        "--bias", run.write("bias.fits", bias, **master),
        "--dark", run.write("dark.fits", dark, EXPTIME=dark_seconds, CALBIAS="bias.fits", **master),
        "--flat", run.write("flat.fits", flat, CALBIAS="bias.fits", **master),
    ]  # fmt: skip
    ours = fits.getdata(
        run("calibrate", [light], "c.fits", "--overscan", master["CALOVSC"], "--trim", kept, *masters))  # fmt: skip
    image = CCDData(raw.astype("f8"), unit="adu")
    image = ccdproc.subtract_overscan(image, overscan=image[:, width:], overscan_axis=1, median=True)
    image = ccdproc.trim_image(image[:, :width])
    image = ccdproc.subtract_bias(image, CCDData(bias.astype("f8"), unit="adu"))
    image = ccdproc.subtract_dark(
        image, CCDData(dark.astype("f8"), unit="adu"), dark_exposure=dark_seconds * units.s,
        data_exposure=seconds * units.s, scale=True)  # fmt: skip
    image = ccdproc.flat_correct(image, CCDData(flat.astype("f8"), unit=""), norm_value=1.0)
    return {"overscan, bias, dark, flat": difference(ours, image.data)}


def rays(random: np.random.Generator, run: Run, name: str) -> dict[str, float]:
    """Shares of pixels whose mask is astroscrappy's, far from the edges."""
    with fits.open(name) as file:
        pixels = next(hdu.data for hdu in file if hdu.is_image and hdu.data is not None and hdu.data.ndim == 2)
    pixels = np.nan_to_num(pixels[:2048, :2048].astype("f4"))
    # Cosmic rays beside those that the frame has.
    count = pixels.size // 5000
    noise = 1.4826 * np.median(np.abs(pixels - np.median(pixels)))
    pixels.flat[random.integers(0, pixels.size, count)] += (20 * noise * random.uniform(1, 10, count)).astype("f4")
    gain, read_noise = float(random.uniform(1, 3)), float(random.uniform(3, 12))
    image = run.write("image.fits", pixels)
    result = {}
    for medians, separable in (("separable", True), ("square", False)):
        options = ["--cosmic-rays", "--gain", gain, "--electrons", "--read-noise", read_noise, "--cr-medians", medians]
        with fits.open(run("calibrate", [image], "r.fits", *options)) as file:
            ours = file["MASK"].data & COSMIC_RAY != 0
        theirs, _ = astroscrappy.detect_cosmics(pixels * np.float32(gain), gain=1, readnoise=read_noise, sepmed=separable)
        inner = np.s_[EDGE:-EDGE, EDGE:-EDGE]
        result[f"{medians} medians, {theirs.sum()} pixels found"] = float(np.mean(ours[inner] == theirs[inner]))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("images", nargs="*")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = os.environ.get("SKYFARM_TEST_DATA", "")
    images = options.images or sorted(glob.glob(f"{folder}/*.fits*")) if options.images or folder else []
    print("| comparison | runs | largest relative difference |\n|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="skyfarm-") as name:
        run = Run(options.program, Path(name))
        for who in (stack, frame):
            runs = [who(np.random.default_rng(seed), run) for seed in range(options.seeds)]
            for key in runs[0]:
                print(f"| {key} | {len(runs)} | {max(run[key] for run in runs):.1e} |", flush=True)
        print("\n| cosmic rays | | equal masks |\n|---|---|---|")
        for image in images:
            for key, share in rays(np.random.default_rng(1), run, image).items():
                print(f"| {os.path.basename(image)} | {key} | {100 * share:.4f} % |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
