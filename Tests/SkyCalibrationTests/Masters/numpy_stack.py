"""numpy_stack.py make FOLDER KIND COUNT SEED
numpy_stack.py compare FOLDER METHOD SCALE

Makes frames, with a bias, a dark and a mask, and compares a master with what numpy computes in double precision: prints
the number of pixels that differ in any bit, NaN being equal to NaN."""

import sys
import warnings

import numpy as np
from astropy.io import fits
from astropy.stats import sigma_clip

warnings.simplefilter("ignore")
HEIGHT, WIDTH = 37, 53


def make(folder, kind, count, seed):
    random = np.random.default_rng(seed)
    for index in range(count):
        images = []
        for _ in range(2 if kind == "mosaic" else 1):
            level = 1000 + 50 * index
            image = random.normal(level, 30, (HEIGHT, WIDTH))
            image[random.random(image.shape) < 0.02] += 5000
            if kind in ("int16", "mosaic", "rice", "gzip"):
                image = np.clip(image, 0, 60000).astype("uint16")
            else:
                image = image.astype("float32")
            if kind == "nan":
                image[random.random(image.shape) < 0.1] = np.nan
                image[:, 3] = np.nan
                image[2, 5] = np.inf
            images.append(image)
        card = [("EXPTIME", 10.0 + index), ("FILTER", "R"), ("AIRMASS", 1.0 + 0.1 * index)]
        header = fits.Header(card)
        if kind == "mosaic":
            hdus = [fits.PrimaryHDU(header=header)]
            hdus += [fits.ImageHDU(image, name=f"CCD{place + 1}") for place, image in enumerate(images)]
        elif kind == "rice":
            hdus = [fits.PrimaryHDU(), fits.CompImageHDU(images[0], header, compression_type="RICE_1")]
        else:
            hdus = [fits.PrimaryHDU(images[0], header)]
        name = f"{folder}/frame{index:04d}.fits" + {"gzip": ".gz", "rice": ".fz"}.get(kind, "")
        fits.HDUList(hdus).writeto(name)
    bias = random.normal(300, 2, (HEIGHT, WIDTH)).astype("float32")
    bias[7, 7] = np.nan
    fits.PrimaryHDU(bias).writeto(f"{folder}/bias.fits")
    dark = random.normal(20, 2, (HEIGHT, WIDTH)).astype("float32")
    fits.PrimaryHDU(dark, fits.Header([("EXPTIME", 7.0)])).writeto(f"{folder}/dark.fits")
    mask = (random.random((HEIGHT, WIDTH)) < 0.05).astype("uint8")
    fits.PrimaryHDU(mask).writeto(f"{folder}/mask.fits")


def stack(folder, names, place, scale, uses):
    frames = []
    for name in names:
        with fits.open(name) as file:
            images = [hdu for hdu in file if hdu.data is not None]
            frame = images[place].data.astype("float32").astype("float64")
            time = file[0].header.get("EXPTIME") or images[place].header["EXPTIME"]
        if "bias" in uses:
            frame -= fits.getdata(f"{folder}/bias.fits").astype("float64")
        if "dark" in uses:
            frame -= fits.getdata(f"{folder}/dark.fits").astype("float64") * (time / 7.0)
        if "mask" in uses:
            frame[fits.getdata(f"{folder}/mask.fits") != 0] = np.nan
        frame[~np.isfinite(frame)] = np.nan
        if scale == "median":
            frame /= np.nanmedian(frame)
        elif scale != "none":
            frame /= time
        frames.append(frame)
    return np.array(frames)


def expected(values, method):
    if method == "clip":
        values = sigma_clip(
            values, sigma=3, maxiters=None, axis=0, cenfunc="median", stdfunc="std", masked=False)
    used = np.isfinite(values).sum(axis=0)
    if method == "median":
        return np.nanmedian(values, axis=0), np.nanstd(values, axis=0), used
    # The sum of rows one by one, as the definition has it.
    total = np.zeros(values.shape[1:])
    for frame in values:
        total += np.where(np.isfinite(frame), frame, 0)
    return total / used, np.nanstd(values, axis=0), used


def differing(image, other):
    other = other.astype(image.dtype.newbyteorder("="))
    return int((~((image == other) | (np.isnan(image) & np.isnan(other)))).sum())


def compare(folder, method, scale, *uses):
    import glob

    names = sorted(glob.glob(f"{folder}/frame*"))
    with fits.open(f"{folder}/master.fits") as file:
        images = [hdu for hdu in file if hdu.data is not None]
        count = len(images) // 3
        for place in range(count):
            mean, scatter, used = expected(stack(folder, names, place, scale, uses), method)
            master, counts, deviations = images[3 * place:3 * place + 3]
            near = np.nanmax(np.abs(deviations.data - scatter)) / max(1e-30, np.nanmax(scatter))
            names_of = [counts.header["SKYFROLE"], deviations.header["SKYFROLE"]]
            print(differing(master.data, mean), differing(counts.data, used), near < 1e-6 or bool(scatter.max() == 0),
                  *names_of, master.header["BITPIX"], master.header["NCOMBINE"])


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        compare(*sys.argv[2:])
