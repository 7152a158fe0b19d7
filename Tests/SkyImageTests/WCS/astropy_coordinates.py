"""Right ascension and declination by astropy, for the test that compares CelestialWCS with it.

Reads from standard input lines `FILE HDU` or, for a header of 80-byte cards, `FILE header`; each followed by a line of
columns and a line of rows, 0-based. Prints for each a line of `ra dec` pairs in degrees, or `none`.
"""
import sys
import warnings

warnings.simplefilter("ignore")
import logging

import numpy as np
from astropy import log
from astropy.coordinates import SkyCoord
from astropy.io import fits
from astropy.wcs import WCS

log.setLevel(logging.CRITICAL)


def coordinates(header, x, y):
    wcs = WCS(header)
    if wcs.naxis > 2:
        extra = [np.zeros_like(x)] * (wcs.naxis - 2)
        world = wcs.all_pix2world(x, y, *extra, 0)
    else:
        world = wcs.all_pix2world(x, y, 0)
    longitude, latitude = world[wcs.wcs.lng], world[wcs.wcs.lat]
    if wcs.wcs.lngtyp.strip() == "GLON":
        icrs = SkyCoord(longitude, latitude, frame="galactic", unit="deg").icrs
        return icrs.ra.deg, icrs.dec.deg
    return longitude, latitude


lines = sys.stdin.read().split("\n")
for place, columns, rows in zip(lines[0::3], lines[1::3], lines[2::3]):
    path, hdu = place.rsplit(" ", 1)
    if hdu == "header":
        header = fits.Header.fromstring(open(path).read())
    else:
        header = fits.open(path)[int(hdu)].header
    x = np.array([float(v) for v in columns.split()])
    y = np.array([float(v) for v in rows.split()])
    try:
        ra, dec = coordinates(header, x, y)
        print(" ".join("%.17g %.17g" % pair for pair in zip(ra, dec)))
    except Exception as error:
        print("none", error, file=sys.stderr)
        print("none")
