"""night_oracle.py make NIGHT DIALECT SEED
night_oracle.py compare NIGHT REDUCED DIALECT

Makes the raw frames of a night of two cameras with the headers of a program or an observatory, and compares calibrated
frames with what numpy makes of the raw ones: prints the first difference, or the number of equal images."""

import json
import os
import sys
import warnings

import numpy as np
from astropy.io import fits
from astropy.wcs import WCS

warnings.simplefilter("ignore")
HEIGHT, WIDTH, PRESCAN, OVERSCAN = 24, 32, 3, 6
WORDS = {
    "siril": ("IMAGETYP", {"bias": "Offset", "dark": "DARK", "flat": "FLAT", "light": "LIGHT"}),
    "nina": ("IMAGETYP", {"bias": "BIAS", "dark": "DARK", "flat": "FLAT", "light": "LIGHT"}),
    "maximdl": (
        "IMAGETYP",
        {"bias": "Bias Frame", "dark": "Dark Frame", "flat": "Flat Field", "light": "Light Frame"}),
    "indi": ("FRAME", {"bias": "Bias", "dark": "Dark", "flat": "Flat", "light": "Light"}),
    "eso": ("HIERARCH ESO DPR TYPE", {"bias": "BIAS", "dark": "DARK", "flat": "FLAT,SKY", "light": "OBJECT"}),
    "noao": ("OBSTYPE", {"bias": "zero", "dark": "dark", "flat": "dome flat", "light": "object"}),
}


def cards(dialect, frame, number):
    key, words = WORDS[dialect]
    day = f"2026-01-10T{18 + number // 60:02d}:{number % 60:02d}:00"
    own = [(key, words[frame["kind"]]), ("EXPTIME", frame["time"])]
    if dialect == "eso":
        own += [("MJD-OBS", 61050.75 + number / 1440), ("INSTRUME", "EMMI"), ("HIERARCH ESO DET NAME", frame["camera"]),
                ("HIERARCH ESO DET WIN1 BINX", 1), ("HIERARCH ESO DET WIN1 BINY", 1),
                ("HIERARCH ESO DET OUTPUTS", 1), ("HIERARCH ESO DET OUT1 PRSCX", PRESCAN),
                ("HIERARCH ESO DET OUT1 OVSCX", OVERSCAN)]
        return own + ([("HIERARCH ESO INS FILT1 NAME", frame["filter"])] if frame["filter"] else [])
    own += [("DATE-OBS", day), ("INSTRUME", frame["camera"])]
    if frame["filter"]:
        own += [("FILTER", frame["filter"])]
    if dialect == "noao":
        return own + [("CCDTEMP", -100.0), ("CCDSUM", "1 1")]
    own += [("XBINNING", 1), ("YBINNING", 1), ("CCD-TEMP", -10.0 + 0.1 * (number % 3)), ("SET-TEMP", -10.0)]
    if dialect == "maximdl":
        return own + [("EGAIN", 1.5), ("XORGSUBF", 8 if frame["camera"] == "B" else 0), ("YORGSUBF", 0)]
    return own + [("GAIN", 100), ("OFFSET", 30)] + ([("READOUTM", "Normal")] if dialect == "nina" else [])


def coordinates(random):
    own = []
    for letter in ("", "A"):
        own += [(f"CTYPE1{letter}", "RA---TAN"), (f"CTYPE2{letter}", "DEC--TAN"), (f"CRVAL1{letter}", 150.0),
                (f"CRVAL2{letter}", 2.0), (f"CDELT1{letter}", -0.01), (f"CDELT2{letter}", 0.01)]
        own += [(f"CRPIX{axis}{letter}", float(random.uniform(-50, 50))) for axis in (1, 2)
                if letter == "" or random.random() < 0.5]
    return own + [("LTM1_1", 1.0), ("LTV1", 2.0), ("CRPIX12", 77.0)]


def has_overscan(dialect):
    return dialect in ("eso", "noao")


def make(folder, dialect, seed):
    random = np.random.default_rng(seed)
    os.makedirs(folder)
    sides = (PRESCAN, OVERSCAN) if has_overscan(dialect) else (0, 0)
    shape = (HEIGHT, WIDTH + sum(sides))
    count = 2 if dialect == "noao" else 1
    frames = []
    for camera in ("A", "B"):
        for kind, filters, times, number in (
                ("bias", [""], [0.0], 4), ("dark", [""], [60.0, 120.0], 3), ("flat", ["g", "r"], [4.0], 5),
                ("light", ["g", "r"], [60.0, 90.0], 1)):
            frames += [dict(kind=kind, filter=f, time=t, camera=camera) for f in filters for t in times
                       for _ in range(number)]
    frames = [frames[place] for place in random.permutation(len(frames))]
    inside = slice(sides[0], sides[0] + WIDTH)
    patterns = {c: [(random.normal(0, 5, shape), random.uniform(0.1, 1, shape), random.uniform(0.7, 1.3, shape))
                    for _ in range(count)] for c in "AB"}
    for number, frame in enumerate(frames):
        images = []
        for bias, dark, flat in patterns[frame["camera"]]:
            light = {"bias": 0, "dark": 0, "flat": random.uniform(9000, 12000), "light": random.uniform(200, 400)}
            signal = np.zeros(shape)
            signal[:, inside] = (dark * frame["time"] + flat * light[frame["kind"]])[:, inside]
            image = 1000 + bias + random.uniform(-20, 20, (HEIGHT, 1)) + random.poisson(signal) + random.normal(0, 3, shape)
            images.append(np.clip(image.round(), 0, 65535).astype("uint16"))
        frame["file"] = f"f{number:03d}.fits"
        header = fits.Header(cards(dialect, frame, number) + (coordinates(random) if count == 1 else []))
        hdus = [fits.PrimaryHDU(images[0] if count == 1 else None, header)]
        for place, image in enumerate(images if count > 1 else []):
            own = fits.Header([("DETECTOR", f"ccd{place}"), ("BIASSEC", f"[{shape[1] - 5}:{shape[1]},1:{HEIGHT}]"),
                               ("TRIMSEC", f"[4:{3 + WIDTH},1:{HEIGHT}]"), ("DATASEC", f"[4:{3 + WIDTH},1:{HEIGHT}]")]
                              + ([("INHERIT", False)] if seed % 2 else []) + coordinates(random))
            hdus.append(fits.ImageHDU(image, own, name=f"im{place + 1}"))
        fits.HDUList(hdus).writeto(f"{folder}/{frame['file']}")
    with open(f"{folder}/truth.json", "w") as file:
        json.dump(frames, file)


def images(path, dialect):
    with fits.open(path) as file:
        own = [hdu for hdu in file if hdu.header.get("NAXIS") == 2 and "SKYFROLE" not in hdu.header]
        return [(hdu.data.astype("float64"), hdu.header.copy()) for hdu in own]


def single(values):
    return values.astype("float32").astype("float64")


def trimmed(samples, dialect):
    """A raw image without its overscan, as the file that is combined has it."""
    if not has_overscan(dialect):
        return samples
    level = np.median(samples[:, -OVERSCAN:], axis=1, keepdims=True)
    return (samples - level)[:, PRESCAN:PRESCAN + WIDTH]


def compare(night, reduced, dialect):
    with open(f"{night}/truth.json") as file:
        frames = json.load(file)
    for frame in frames:
        frame["images"] = images(f"{night}/{frame['file']}", dialect)

    def stack(kind, place, camera, change=lambda values, frame: values, **wanted):
        own = sorted((f for f in frames if f["kind"] == kind and f["camera"] == camera
                      and all(f[key] == value for key, value in wanted.items())), key=lambda f: f["file"])
        values = [change(single(trimmed(f["images"][place][0], dialect)), f) for f in own]
        return single(np.median(np.array(values), axis=0))

    masters = {}
    equal = 0
    for frame in frames:
        if frame["kind"] != "light":
            continue
        result = images(f"{reduced}/{frame['file']}", dialect)
        for place, (samples, header) in enumerate(frame["images"]):
            camera = frame["camera"]
            key = (place, camera, frame["filter"])
            if key not in masters:
                bias = stack("bias", place, camera)
                darks = {time: stack("dark", place, camera, lambda values, _: values - bias, time=time)
                         for time in (60.0, 120.0)}

                # No dark has the exposure of a flat: the next longer one is scaled.
                def level(values, flat):
                    values = (values - bias) - darks[60.0] * (flat["time"] / 60.0)
                    return values / np.median(values)
                masters[key] = bias, darks, stack("flat", place, camera, level, filter=frame["filter"])
            bias, darks, flat = masters[key]
            time = 60.0 if frame["time"] == 60.0 else 120.0
            expected = ((trimmed(samples, dialect) - bias) - darks[time] * (frame["time"] / time)) / flat
            pixels, cards_after = result[place]
            different = int((pixels != single(expected)).sum())
            if pixels.shape != expected.shape or different:
                near = np.abs(pixels - expected).max() if pixels.shape == expected.shape else "other shape"
                return print(f"{frame['file']}[{place}]: {different} pixels differ, by up to {near}")
            words = coordinates_differ(header, cards_after, PRESCAN if has_overscan(dialect) else 0)
            if words:
                return print(f"{frame['file']}[{place}]: {words}")
            equal += 1
    print(f"ok: {equal} images")


def coordinates_differ(raw, own, shift):
    if own["LTV1"] != raw["LTV1"] - shift or own["CRPIX12"] != 77 or "BIASSEC" in own or "TRIMSEC" in own:
        return "LTV1, CRPIX12 or sections"
    del raw["CRPIX12"], own["CRPIX12"]
    for letter in (" ", "A"):
        before = WCS(raw, key=letter).all_pix2world([[5 + shift, 7], [20 + shift, 1]], 0)
        after = WCS(own, key=letter).all_pix2world([[5, 7], [20, 1]], 0)
        if np.abs(before - after).max() > 1e-9:
            return f"coordinates {letter} moved from {before} to {after}"
    return ""


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        compare(*sys.argv[2:])
