"""Fluxes at positions by python3-sep: image, list (x,y as CSV), diameters, gain. A line per position and aperture."""

import sys

import numpy as np
import sep
from astropy.io import fits

image, positions, diameters, gain = sys.argv[1:]
data = fits.getdata(image).astype("f4")
background = sep.Background(data, bw=64, bh=64, fw=3, fh=3)
background.subfrom(data)
x, y = np.loadtxt(positions, delimiter=",", skiprows=1, unpack=True, usecols=(0, 1))
radii = [float(d) / 2 for d in diameters.split(",")]
for i in range(len(x)):
    for radius in radii:
        values = []
        for factor in (float(gain) or None, None):
            flux, error, flag = sep.sum_circle(
                data, [x[i]], [y[i]], radius, err=background.globalrms, gain=factor, subpix=5)
            values.append((flux[0], error[0], flag[0]))
        print(repr(float(values[0][0])), repr(float(values[0][1])), repr(float(values[1][1])), int(values[0][2]))
