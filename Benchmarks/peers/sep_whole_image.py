"""Whole-image SEP: the same measurements as a scan, in one thread. Prints seconds by step as JSON.

usage: sep_whole_image.py IMAGE OUTPUT.fits
"""

import json
import os
import sys
import time

import numpy as np
import sep
from astropy.io import fits
from astropy.table import Table


def main(image_path, output_path):
    marks = [time.perf_counter()]
    steps = {}

    def mark(step):
        marks.append(time.perf_counter())
        steps[step] = marks[-1] - marks[-2]

    with fits.open(image_path, memmap=False) as hdus:
        pixels = np.ascontiguousarray(next(h.data for h in hdus if h.header.get("NAXIS") == 2), dtype=np.float32)
    mark("read")

    background = sep.Background(pixels, bw=64, bh=64, fw=3, fh=3)
    background.subfrom(pixels)
    noise = background.globalrms
    mark("background")

    sep.set_extract_pixstack(5_000_000)
    sep.set_sub_object_limit(8192)
    sources = sep.extract(
        pixels, 1.5, err=noise, minarea=5, filter_type="conv", deblend_nthresh=32, deblend_cont=0.005, clean=True,
        clean_param=1.0)
    mark("extract and clean")

    x, y, a, b = (sources[name] for name in ("x", "y", "a", "b"))
    theta = np.clip(sources["theta"], -np.pi / 2, np.pi / 2)
    table = Table(sources)
    kron, flag = sep.kron_radius(pixels, x, y, a, b, theta, 6.0)
    usable = (b > 0) & (kron > 0)
    table["kron_radius"], table["flag_kron"] = kron, flag
    flux, error, flags = (np.full(len(x), np.nan), np.full(len(x), np.nan), np.zeros(len(x), dtype=np.int16))
    flux[usable], error[usable], flags[usable] = sep.sum_ellipse(
        pixels, x[usable], y[usable], a[usable], b[usable], theta[usable], 2.5 * kron[usable], err=noise, subpix=1)
    table["flux_auto"], table["fluxerr_auto"], table["flag_auto"] = flux, error, flags
    table["flux_aper"], table["fluxerr_aper"], table["flag_aper"] = sep.sum_circle(pixels, x, y, 5.0, err=noise)
    table["flux_radius"], _ = sep.flux_radius(pixels, x, y, 6.0 * a, 0.5, subpix=5)
    mark("measure")

    table.write(output_path, overwrite=True)
    with open(output_path, "rb") as written:
        os.fsync(written.fileno())
    mark("write")
    print(json.dumps({"seconds": marks[-1] - marks[0], "sources": len(x), "version": sep.__version__, "steps": steps}))


main(*sys.argv[1:])
