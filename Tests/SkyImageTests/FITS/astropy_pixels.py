"""Pixels by astropy, for the tests that compare FITSImage with it.

astropy_pixels.py read FILE HDU OUT       writes the pixels as native float32 to OUT
astropy_pixels.py make FOLDER             writes compressed images there, and prints `NAME HDU` of each
astropy_pixels.py combine FOLDER          writes one of each kind and their pixels there, and prints their names
"""
import gzip
import shutil
import sys
import warnings

warnings.simplefilter("ignore")
import numpy as np
from astropy.io import fits


def tiles_by_hand(data, shape, kind):
    """A table of the tiles of an image, compressed here without CFITSIO, whose astropy does not write 64-bit tiles."""
    (width, height), rows = shape, []
    for y in range(0, data.shape[0], height):
        for x in range(0, data.shape[1], width):
            tile = data[y:y + height, x:x + width].astype(data.dtype.newbyteorder(">"))
            text = np.frombuffer(tile.tobytes(), "u1")
            if kind == "GZIP_2":
                text = text.reshape(-1, data.dtype.itemsize).T
            rows.append(np.frombuffer(gzip.compress(text.tobytes()), "u1"))
    column = np.empty(len(rows), object)
    column[:] = rows
    table = fits.BinTableHDU.from_columns([fits.Column("COMPRESSED_DATA", "PB()", array=column)])
    bits = 8 * data.dtype.itemsize * (-1 if data.dtype.kind == "f" else 1)
    table.header.update(ZIMAGE=True, ZCMPTYPE=kind, ZBITPIX=bits, ZNAXIS=2, ZNAXIS1=data.shape[1], ZNAXIS2=data.shape[0])
    table.header.update(ZTILE1=width, ZTILE2=height)
    return table


def combine(folder):
    """Writes an image of each sample type, compression, tile shape and quantisation.

    Prints the name of each; NAME.pixels has its pixels.
    """
    random = np.random.default_rng(2)
    sky = random.normal(100, 9, (33, 41))
    sky[10:16, 20:31] += 90

    def finish(name, hdu, pixels):
        fits.HDUList([fits.PrimaryHDU(), hdu]).writeto(f"{folder}/{name}")
        if pixels is None:
            pixels = fits.getdata(f"{folder}/{name}", 1)
        np.ascontiguousarray(pixels).astype(np.float32).tofile(f"{folder}/{name}.pixels")
        print(name)

    for kind in ("RICE_1", "GZIP_1", "GZIP_2", "HCOMPRESS_1", "PLIO_1"):
        for sample in ("u1", "i2", "u2", "i4", "u4", "i8", "f4", "f8"):
            data = sky.clip(0, 250).astype(sample)
            if kind == "PLIO_1" and sample in ("u2", "u4", "f4", "f8"):
                continue
            for tile in ((41, 1), (16, 20), (41, 33)):
                if kind == "HCOMPRESS_1" and tile == (41, 1):
                    continue
                name = f"{kind}.{sample}.{tile[0]}x{tile[1]}"
                if kind.startswith("GZIP") and sample[0] != "u":
                    finish(f"{name}.hand.fits", tiles_by_hand(data, tile, kind), data)
                if sample == "i8":
                    continue
                # Methods of quantisation, 0: without loss.
                methods = (0,) if sample[0] != "f" else (-1, 1, 2, 0) if kind.startswith("GZIP") else (-1, 1)
                for method in methods:
                    settings = dict(compression_type=kind, tile_size=tile)
                    if sample[0] == "f":
                        data[3, 5:7] = np.nan
                        settings.update(quantize_level=16 if method else 0, quantize_method=method or -1)
                    if method > 0:
                        settings.update(dither_seed=7)
                    finish(f"{name}.{method}.fits", fits.CompImageHDU(data, **settings), None)


if sys.argv[1] == "read":
    path, hdu, out = sys.argv[2:]
    data = fits.open(path)[int(hdu)].data
    np.ascontiguousarray(data.reshape(data.shape[-2:])).astype(np.float32).tofile(out)
elif sys.argv[1] == "combine":
    combine(sys.argv[2])
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
