"""The functions of the package ``sep`` by the same names, on all cores of this machine.

Arguments, defaults and results are those of sep 1.4. Large images are extracted and objects measured on all cores, and
other threads of Python run meanwhile. Arrays may have any byte order and strides.

>>> import numpy as np
>>> from skyfarm import sep
>>> data = np.random.default_rng(1).normal(10, 1, (200, 200))
>>> data[50:54, 80:84] += 50
>>> background = sep.Background(data)
>>> objects = sep.extract(data - background, 5, err=background.globalrms)
>>> flux, error, flags = sep.sum_circle(data - background, objects["x"], objects["y"], 4.0, err=background.globalrms)
>>> len(objects), len(flux)
(1, 1)
"""

import numpy as np

from ._background import Background
from ._extract import (
    default_kernel,
    extract,
    get_extract_pixstack,
    get_sub_object_limit,
    set_extract_pixstack,
    set_sub_object_limit,
)
from ._photometry import (
    ellipse_axes,
    ellipse_coeffs,
    flux_radius,
    kron_radius,
    mask_ellipse,
    sum_circann,
    sum_circle,
    sum_ellipann,
    sum_ellipse,
    winpos,
)

OBJ_MERGED = np.short(1)
OBJ_TRUNC = np.short(2)
OBJ_DOVERFLOW = np.short(4)
OBJ_SINGU = np.short(8)
APER_TRUNC = np.short(16)
APER_HASMASKED = np.short(32)
APER_ALLMASKED = np.short(64)
APER_NONPOSITIVE = np.short(128)

__all__ = [
    "APER_ALLMASKED",
    "APER_HASMASKED",
    "APER_NONPOSITIVE",
    "APER_TRUNC",
    "Background",
    "OBJ_DOVERFLOW",
    "OBJ_MERGED",
    "OBJ_SINGU",
    "OBJ_TRUNC",
    "default_kernel",
    "ellipse_axes",
    "ellipse_coeffs",
    "extract",
    "flux_radius",
    "get_extract_pixstack",
    "get_sub_object_limit",
    "kron_radius",
    "mask_ellipse",
    "set_extract_pixstack",
    "set_sub_object_limit",
    "sum_circann",
    "sum_circle",
    "sum_ellipann",
    "sum_ellipse",
    "winpos",
]
