"""Cubes of four planes for PlaneTests: astropy_planes.py FOLDER writes them there, and prints `NAME HDU` of each.

NAME.pixels holds what astropy reads from the file, as native float32.
"""
import os
import sys
import warnings

warnings.simplefilter("ignore")
import numpy as np
from astropy.io import fits

folder = sys.argv[1]
random = np.random.default_rng(7)
sky = random.normal(100, 9, (4, 33, 41)).clip(0, 250)


def finish(name, hdus, number, cut=0):
    path = f"{folder}/{name}"
    fits.HDUList(hdus).writeto(path)
    data = fits.getdata(path, number)
    np.ascontiguousarray(data).astype(np.float32).tofile(f"{path}.pixels")
    if cut:
        os.truncate(path, os.path.getsize(path) - cut)
    print(name, number)


for sample in ("u1", "i2", "u2", "i4", "f4", "f8"):
    finish(f"{sample}.fits", [fits.PrimaryHDU(sky.astype(sample))], 0)
scaled = fits.PrimaryHDU(sky.astype("f4"))
scaled.scale("int16", bscale=0.25, bzero=7)
finish("scaled.fits", [scaled], 0)
finish("extension.fits", [fits.PrimaryHDU(), fits.ImageHDU(sky.astype("f4"))], 1)
finish("four.fits", [fits.PrimaryHDU(sky.astype("f4").reshape(2, 2, 33, 41))], 0)
# Without the padding of the last block.
finish("cut.fits", [fits.PrimaryHDU(sky.astype("i2"))], 0, cut=2880 - sky.size * 2 % 2880)
for kind, sample in (("RICE_1", "i2"), ("GZIP_1", "i4"), ("GZIP_2", "i2"), ("HCOMPRESS_1", "i2")):
    tile = (41, 33, 1) if kind == "HCOMPRESS_1" else (20, 10, 1)
    image = fits.CompImageHDU(sky.astype(sample), compression_type=kind, tile_size=tile)
    finish(f"{kind}.fits.fz", [fits.PrimaryHDU(), image], 1)
