"""Cuts four overlapping exposures with errors of pointing from an image, and makes a reference catalogue in LDAC.

overlapping_exposures.py IMAGE TRUTH.csv FOLDER
"""

import csv
import sys

import numpy
from astropy.io import fits
from astropy.wcs import WCS

image, truth, folder = sys.argv[1:4]
with fits.open(image) as file:
    pixels, header = file[0].data, file[0].header
side = min(pixels.shape) * 2 // 3
step = min(pixels.shape) - side
random = numpy.random.default_rng(1)
for number, (x, y) in enumerate([(0, 0), (step, 0), (0, step), (step, step)]):
    part = pixels[y : y + side, x : x + side] + random.normal(0, 3, (side, side))
    cards = header.copy()
    cards["CRPIX1"] -= x
    cards["CRPIX2"] -= y
    cards["CRVAL1"] += 0.0001 * (number - 1.5)
    cards["CRVAL2"] -= 0.00008 * (number - 1)
    cards["DATE-OBS"] = "2020-01-0%dT00:00:00" % (number + 1)
    fits.writeto("%s/exposure%d.fits" % (folder, number), part.astype("f4"), cards)

with open(truth) as file:
    rows = [row for row in csv.DictReader(file) if float(row["mag"]) < 21]
longitude, latitude = WCS(header).all_pix2world(
    [float(row["x"]) for row in rows], [float(row["y"]) for row in rows], 0
)
magnitude = numpy.array([float(row["mag"]) for row in rows])
columns = [
    fits.Column("X_WORLD", "D", unit="deg", array=longitude),
    fits.Column("Y_WORLD", "D", unit="deg", array=latitude),
    fits.Column("ERRA_WORLD", "E", unit="deg", array=numpy.full(len(rows), 1e-6)),
    fits.Column("ERRB_WORLD", "E", unit="deg", array=numpy.full(len(rows), 1e-6)),
    fits.Column("MAG", "E", unit="mag", array=magnitude),
    fits.Column("MAGERR", "E", unit="mag", array=numpy.full(len(rows), 0.01)),
    fits.Column("OBSDATE", "D", unit="yr", array=numpy.full(len(rows), 2020.0)),
]
text = header.tostring(sep="", endcard=True, padding=False)
cards = [text[start : start + 80] for start in range(0, len(text), 80)]
field = fits.Column("Field Header Card", "%dA" % len(text), dim="(80, %d)" % len(cards), array=[cards])
fits.HDUList(
    [
        fits.PrimaryHDU(),
        fits.BinTableHDU.from_columns([field], name="LDAC_IMHEAD"),
        fits.BinTableHDU.from_columns(columns, name="LDAC_OBJECTS"),
    ]
).writeto(folder + "/reference.cat")
