"""Random FITS files for GeneratedFileTests: generated_files.py FOLDER SEED COUNT

Prints `LOCATION WORDS` of each: a file of the folder with an HDU or plane, and how it was made. LOCATION.pixels, with `_`
for brackets, holds what astropy reads there, as native float32. What astropy does not write is left out.
"""
import bz2
import gzip
import sys
import warnings

warnings.simplefilter("ignore")
import numpy as np
from astropy.io import fits

folder, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SAMPLES = ("u1", "i1", "i2", "u2", "i4", "u4", "i8", "f4", "f8")
KINDS = ("RICE_1", "GZIP_1", "GZIP_2", "HCOMPRESS_1", "PLIO_1")


def odd_cards(random, header):
    """Cards that a reader must pass over."""
    for _ in range(random.integers(0, 6)):
        match random.integers(0, 8):
            case 0: header["HIERARCH ESO DET CHIP NAME"] = "CCD 'a'"
            case 1: header["LONGTEXT"] = "x" * int(random.integers(60, 200))
            case 2: header.add_comment("BITPIX = 7, NAXIS1 = 'no'")
            case 3: header.add_history("END")
            case 4: header["OBSERVER"] = fits.card.UNDEFINED
            case 5: header[f"KEY{random.integers(0, 99)}"] = (float(random.normal()), "ZTILE1 = 0")
            case 6: header.append(("", "blank keyword", ""), end=True)
            case 7: header["EXPTIME"] = (complex(1, 2), "complex")


def samples(random, kind, shape):
    if kind[0] == "f":
        data = random.normal(random.uniform(-1e3, 1e4), 10 ** random.uniform(-1, 3), shape).astype(kind)
        for value in (np.nan, np.inf, -np.inf, 0.0, -0.0)[: random.integers(0, 6)]:
            data.flat[random.integers(0, data.size)] = value
        return data
    limits = np.iinfo(kind)
    if random.random() < 0.2:
        return random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
    centre, width = random.uniform(0, min(limits.max, 60000)), 10 ** random.uniform(0, 2)
    return random.normal(centre, width, shape).clip(limits.min, limits.max).astype(kind)


def image(random, is_primary):
    """An HDU, how it was made, and whether it may be refused."""
    kind = SAMPLES[random.integers(0, len(SAMPLES))]
    shape = (int(random.integers(1, 60)), int(random.integers(1, 80)))
    planes = int(random.integers(2, 5)) if random.random() < 0.15 else 0
    if planes:
        shape = (planes, *shape)
    elif random.random() < 0.1:
        shape = (1, *shape)
    data = samples(random, kind, shape)
    words = [kind, "x".join(map(str, shape[::-1]))]
    if not is_primary and random.random() < 0.5 and kind != "i8":
        made = compressed(random, data, kind, shape, words)
        if made is not None:
            return made, words, planes
    hdu = (fits.PrimaryHDU if is_primary else fits.ImageHDU)(data)
    if kind in ("i2", "i4", "u1") and random.random() < 0.3:
        scale, zero = float(random.choice([1.0, 0.5, 2.5e-3, -1.0])), float(random.choice([0.0, 100.0, 32768.0, 0.1]))
        hdu = (fits.PrimaryHDU if is_primary else fits.ImageHDU)(data)
        hdu.header["BSCALE"], hdu.header["BZERO"] = scale, zero
        hdu = type(hdu)(data, header=hdu.header, do_not_scale_image_data=True)
        words.append(f"scaled {scale} {zero}")
    if kind in ("i2", "i4") and random.random() < 0.3:
        hdu.header["BLANK"] = int(data.flat[random.integers(0, data.size)])
        words.append("blank")
    odd_cards(random, hdu.header)
    return hdu, words, planes


def compressed(random, data, kind, shape, words):
    method = KINDS[random.integers(0, len(KINDS))]
    if kind == "i1" or method == "PLIO_1" and (kind not in ("u1", "i2") or data.min() < 0):
        return None
    if method == "HCOMPRESS_1" and (min(shape[-2:]) < 4 or kind[0] == "f" or data.max(initial=0) > 1e6):
        return None
    columns, rows = int(random.integers(1, shape[-1] + 1)), int(random.integers(1, shape[-2] + 1))
    if method == "HCOMPRESS_1":
        columns, rows = shape[-1], shape[-2]
    tile = (columns, rows) + (1,) * (len(shape) - 2)
    settings = dict(compression_type=method, tile_size=tile)
    if kind[0] == "f":
        if method.startswith("GZIP") and random.random() < 0.5:
            settings.update(quantize_level=0)
        else:
            settings.update(quantize_level=float(random.choice([4, 16])), quantize_method=int(random.choice([-1, 1, 2])))
            settings.update(dither_seed=int(random.integers(1, 10001)))
            data[~np.isfinite(data)] = np.nan
    words += [method, str(tile), str(settings.get("quantize_level", ""))]
    hdu = fits.CompImageHDU(data, **settings)
    odd_cards(random, hdu.header)
    return hdu


def store(path, whole):
    with open(path, "rb") as file:
        text = file.read()
    cut = len(text) // 2
    pack = gzip.compress if whole == "gz" else bz2.compress
    with open(path, "wb") as file:
        file.write(pack(text[:cut]) + pack(text[cut:]) if len(text) % 3 else pack(text))


for number in range(seed, seed + count):
    random = np.random.default_rng(number)
    path = f"{folder}/{number}.fits"
    try:
        is_primary = random.random() < 0.4
        hdu, words, planes = image(random, is_primary)
        hdus = [hdu] if is_primary else [fits.PrimaryHDU(), hdu]
        if not is_primary and random.random() < 0.3:
            hdus.insert(1, fits.ImageHDU(np.zeros((3, 4), "i2"), name="OTHER"))
        place = len(hdus) - 1
        fits.HDUList(hdus).writeto(path)
        data = fits.getdata(path, place, memmap=False)
    except Exception as error:  # astropy does not write every combination.
        continue
    whole = ["", "gz", "bz2"][random.choice(3, p=[0.8, 0.1, 0.1])]
    if whole:
        store(path, whole)
        words.append(whole)
    plane = int(random.integers(1, planes + 1)) if planes else 0
    if plane:
        data = data[plane - 1]
    name = f"{number}.fits[{place}]" + (f"[{plane}]" if plane else "")
    with np.errstate(all="ignore"):
        pixels = np.ascontiguousarray(data.reshape(data.shape[-2:])).astype(np.float32)
    pixels.tofile(f"{folder}/{name.replace('[', '_').replace(']', '_')}.pixels")
    print(name, " ".join(words))
