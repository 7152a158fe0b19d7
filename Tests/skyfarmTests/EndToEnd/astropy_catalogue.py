"""A catalogue as astropy reads it, for the tests of whole scans: `astropy_catalogue.py CATALOGUE IMAGE HDU`.

Prints the number of rows, the columns with unit and description, and the greatest distance in degrees, by longitude and
by latitude, between the catalogue's coordinates and those that astropy computes from the image's header.
"""
import sys
import warnings

import numpy as np
from astropy import log
from astropy.coordinates import SkyCoord
from astropy.io import fits
from astropy.table import Table
from astropy.wcs import WCS

log.setLevel("CRITICAL")
catalogue, image, hdu = sys.argv[1:]
with warnings.catch_warnings():
    warnings.simplefilter("error")
    # BUNIT of one of the images, which is no unit of FITS; fluxes have the image's unit as it stands there.
    warnings.filterwarnings("ignore", message="'intensity' did not parse")
    table = Table.read(catalogue)
print("rows", len(table))
for index, name in enumerate(table.colnames):
    column = table[name]
    unit = "-" if column.unit is None else column.unit.to_string("fits")
    # Before 6.0 astropy left the description of a FITS column in the header.
    description = column.description or table.meta.get(f"TCOMM{index + 1}")
    print("column", name, unit, "described" if description else "bare")
if "ra" in table.colnames:
    warnings.simplefilter("ignore")
    wcs = WCS(fits.open(image)[int(hdu)].header)
    x, y = (np.asarray(table[name], dtype="f8") for name in "xy")
    world = wcs.all_pix2world(x, y, *[np.zeros_like(x)] * (wcs.naxis - 2), 0)
    longitude, latitude = world[wcs.wcs.lng], world[wcs.wcs.lat]
    if wcs.wcs.lngtyp.strip() == "GLON":
        sky = SkyCoord(longitude, latitude, frame="galactic", unit="deg").icrs
        longitude, latitude = sky.ra.deg, sky.dec.deg
    turn = (np.asarray(table["ra"]) - longitude + 180) % 360 - 180
    print("distance", np.abs(turn).max(), np.abs(np.asarray(table["dec"]) - latitude).max())
