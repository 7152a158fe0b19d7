"""Catalogues of whole images by Debian's python3-sep: FOLDER/IMAGE.MODE.csv for each image and mode.

usage: whole_image.py FOLDER MODE,... IMAGE...  MODE is scalar, conv or matched
       whole_image.py                           only checks that sep and astropy are there
"""

import ctypes
import os
import sys
import warnings

import numpy
import sep
from astropy.io import fits

MESH = 64
SINGLE = "thresh a b theta cxx cyy cxy cflux flux cpeak peak".split()


def require_fixed_draw():
    seed = ctypes.c_uint(1)
    if ctypes.CDLL(None).rand_r(ctypes.byref(seed)) != 0x3FFFFFFF:
        sys.exit("the fixed draw is not preloaded")


def measured(sky, mask, sources, error):
    """Photometry as SExtractor's defaults have it, one column per name."""
    x, y, a, b = (sources[name] for name in ("x", "y", "a", "b"))
    theta = numpy.clip(sources["theta"], -numpy.pi / 2, numpy.pi / 2)
    kron, kron_flag = sep.kron_radius(sky, x, y, a, b, theta, 6.0, mask=mask)
    size = numpy.maximum(2.5 * kron, 3.5)
    flux, flux_error, flux_flag = sep.sum_ellipse(sky, x, y, a, b, theta, size, err=error, mask=mask, subpix=1)
    circle, circle_error, circle_flag = sep.sum_circle(sky, x, y, 5.0, err=error, mask=mask, subpix=5)
    radius, _ = sep.flux_radius(sky, x, y, 6.0 * a, 0.5, mask=mask, subpix=5)
    return {
        "kron_radius": kron, "kron_flag": kron_flag, "flux_auto": flux, "fluxerr_auto": flux_error,
        "flag_auto": flux_flag, "flux_aper_r5": circle, "fluxerr_aper_r5": circle_error,
        "flag_aper_r5": circle_flag, "flux_radius_50": radius,
    }


def catalogue(sky, mask, background, mode):
    error = background.globalrms if mode == "scalar" else background.rms()
    sources = sep.extract(
        sky, 1.5, err=error, mask=mask, minarea=5, filter_type="matched" if mode == "matched" else "conv",
        deblend_nthresh=32, deblend_cont=0.005, clean=True, clean_param=1.0)
    columns = {name: sources[name] for name in sources.dtype.names}
    columns.update(measured(sky, mask, sources, error))
    return columns


def write(path, columns):
    def form(name, values):
        # Nine digits tell all single-precision numbers apart, seventeen all of double precision.
        pattern = "%.9g" if name in SINGLE else "%d" if values.dtype.kind in "iu" else "%.17g"
        return [pattern % value for value in values.tolist()]

    texts = [form(name, values) for name, values in columns.items()]
    with open(path, "w") as file:
        file.write(",".join(columns) + "\n")
        file.writelines(",".join(row) + "\n" for row in zip(*texts))


def main(folder, modes, images):
    require_fixed_draw()
    # Of odd headers, astropy says so.
    warnings.simplefilter("ignore")
    sep.set_extract_pixstack(20_000_000)
    sep.set_sub_object_limit(1 << 16)
    for image in images:
        pixels = numpy.ascontiguousarray(fits.getdata(image).astype(numpy.float32))
        unusable = ~numpy.isfinite(pixels)
        mask = unusable if unusable.any() else None
        background = sep.Background(pixels, mask=mask, bw=MESH, bh=MESH, fw=3, fh=3, fthresh=0.0)
        sky = pixels - background
        for mode in modes:
            write(f"{folder}/{os.path.basename(image)}.{mode}.csv", catalogue(sky, mask, background, mode))


if len(sys.argv) > 1:
    main(sys.argv[1], sys.argv[2].split(","), sys.argv[3:])
