"""Pixels by astropy, for the tests that compare FITSImage with it.

astropy_pixels.py read FILE HDU OUT       writes the pixels as native float32 to OUT
astropy_pixels.py make FOLDER             writes compressed images there, and prints `NAME HDU` of each
"""
import gzip
import shutil
import sys
import warnings

warnings.simplefilter("ignore")
import numpy as np
from astropy.io import fits

if sys.argv[1] == "read":
    path, hdu, out = sys.argv[2:]
    data = fits.open(path)[int(hdu)].data
    np.ascontiguousarray(data.reshape(data.shape[-2:])).astype(np.float32).tofile(out)
else:
    folder = sys.argv[2]
    random = np.random.default_rng(1)
    sky = random.normal(1000, 30, (130, 210))
    sky[40:60, 50:90] += 4000
    holes = sky.astype(np.float32)
    holes[3, 5] = np.nan
    made = []

    def write(name, data, hdu=1, **settings):
        image = fits.CompImageHDU(data, **settings) if settings else fits.ImageHDU(data)
        fits.HDUList([fits.PrimaryHDU(), image]).writeto(f"{folder}/{name}")
        made.append(f"{name} {hdu}")

    for kind in ("RICE_1", "GZIP_1", "GZIP_2", "HCOMPRESS_1", "PLIO_1"):
        write(f"{kind}.i16.fits.fz", sky.astype(np.int16), compression_type=kind)
    for kind in ("RICE_1", "GZIP_1", "GZIP_2"):
        write(f"{kind}.u16.fits.fz", sky.astype(np.uint16), compression_type=kind)
        write(f"{kind}.i32.fits.fz", sky.astype(np.int32), compression_type=kind)
        write(f"{kind}.f32.fits.fz", holes, compression_type=kind, quantize_level=16)
    write("lossless.f32.fits.fz", holes, compression_type="GZIP_2", quantize_level=0)
    write("tiles.i16.fits.fz", sky.astype(np.int16), compression_type="RICE_1", tile_size=(50, 30))
    write("plain.fits", holes)
    with open(f"{folder}/plain.fits", "rb") as plain, gzip.open(f"{folder}/whole.fits.gz", "wb") as whole:
        shutil.copyfileobj(plain, whole)
    made.append("whole.fits.gz 1")
    print("\n".join(made))
