"""Photometry in apertures, as in ``sep``; objects are measured on all cores.

Values are SEP's to the last bit; the radii of half of the flux are within 1e-12 of SEP's.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_double
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._memory import Array
from ._library import Image, library, measure

Floats = NDArray[np.float64]
#: Values, their errors, or other values, and flags.
Measured = tuple[Floats, Floats, NDArray[np.int16]]
Two = tuple[Floats, NDArray[np.int16]]
Three = tuple[Floats, Floats, Floats]
Function = Callable[..., int]

#: SEP's flag to leave masked pixels out, and not to correct for them.
_IGNORE_MASKED = 4
_CIRCLE, _CIRCULAR_ANNULUS, _ELLIPSE, _ELLIPTICAL_ANNULUS = range(4)


def _columns(*values: Any) -> tuple[list[Array], tuple[int, ...]]:
    """The values as columns of one length, and their shape."""
    arrays = np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values))
    return [np.ascontiguousarray(array).reshape(-1) for array in arrays], arrays[0].shape


def _ids(seg_id: Any, segmap: Any, shape: tuple[int, ...]) -> Array | None:
    if segmap is None:
        return None
    if seg_id is None:
        raise ValueError("`segmap` supplied but not `seg_id`.")
    ids = np.ascontiguousarray(seg_id, np.int32)
    if ids.size != int(np.prod(shape)):
        raise ValueError("segmap supplied but seg_id has not the size of x and y")
    return ids.reshape(-1)


def _sums(
    image: Image, form: int, columns: list[Array], ids: Array | None, subpix: int, flag: int = 0
) -> tuple[Array, Array, Array, Array]:
    count = len(columns[0])
    flux, error, area = np.empty(count), np.empty(count), np.empty(count)
    flags = np.zeros(count, np.int16)
    function: Function = library().skyfarm_sums
    measure(
        lambda objects: function(image.pointer, objects, form, len(columns), subpix, flag),
        columns, ids, [flux, error, area], flags,
    )  # fmt: skip
    return flux, error, area, flags


def _apertures(
    image: Image, form: int, values: tuple[Any, ...], seg_id: Any, segmap: Any, subpix: int, bkgann: Any = None
) -> Measured:
    radii = () if bkgann is None else (bkgann[0], bkgann[1])
    columns, shape = _columns(*values, *radii)
    ids = _ids(seg_id, segmap, shape)
    own = columns[: len(values)]
    flux, error, area, flags = _sums(image, form, own, ids, subpix)
    if bkgann is not None:
        # The annulus has the aperture's shape: the radii take the place of its size.
        ring = own[:-1] + columns[len(values) :]
        # As in sep: masked pixels are left out of a circular annulus, and corrected for in an elliptical one.
        how = (1, _IGNORE_MASKED) if form == _CIRCLE else (subpix, 0)
        around, noise, ring_area, _ = _sums(image, form + 1, ring, ids, *how)
        empty = np.flatnonzero(~(ring_area > 0))
        if len(empty):
            raise ValueError(f"the background annulus of object {empty[0]} has no valid pixel")
        flux = flux - around / ring_area * area
        error = np.sqrt(error * error + (noise / ring_area * area) ** 2)
    return flux.reshape(shape), error.reshape(shape), flags.reshape(shape)


def sum_circle(
    data: ArrayLike, x: ArrayLike, y: ArrayLike, r: ArrayLike, var: ArrayLike | None = None,
    err: ArrayLike | None = None, gain: float | None = None, mask: ArrayLike | None = None, maskthresh: float = 0.0,
    seg_id: ArrayLike | None = None, segmap: ArrayLike | None = None,
    bkgann: tuple[ArrayLike, ArrayLike] | None = None, subpix: int = 5,
) -> Measured:  # fmt: skip
    """Fluxes in circles, their errors and flags; with `bkgann`, minus the background in an annulus.

    Examples
    --------
    >>> import numpy as np
    >>> flux, error, flags = sum_circle(np.ones((20, 20)), [10.0], [10.0], 3.0, err=1.0, subpix=0)
    >>> print(f"{flux[0]:.4f} {error[0]:.4f}")
    28.2743 5.3174
    """
    image = Image(data, err=err, var=var, gain=gain, mask=mask, maskthresh=maskthresh, segmap=segmap)
    return _apertures(image, _CIRCLE, (x, y, r), seg_id, segmap, subpix, bkgann)


def sum_circann(
    data: ArrayLike, x: ArrayLike, y: ArrayLike, rin: ArrayLike, rout: ArrayLike, var: ArrayLike | None = None,
    err: ArrayLike | None = None, gain: float | None = None, mask: ArrayLike | None = None, maskthresh: float = 0.0,
    seg_id: ArrayLike | None = None, segmap: ArrayLike | None = None, subpix: int = 5,
) -> Measured:  # fmt: skip
    """Fluxes in circular annuli, their errors and flags."""
    image = Image(data, err=err, var=var, gain=gain, mask=mask, maskthresh=maskthresh, segmap=segmap)
    return _apertures(image, _CIRCULAR_ANNULUS, (x, y, rin, rout), seg_id, segmap, subpix)


def sum_ellipse(
    data: ArrayLike, x: ArrayLike, y: ArrayLike, a: ArrayLike, b: ArrayLike, theta: ArrayLike, r: ArrayLike = 1.0,
    var: ArrayLike | None = None, err: ArrayLike | None = None, gain: float | None = None,
    mask: ArrayLike | None = None, maskthresh: float = 0.0, seg_id: ArrayLike | None = None,
    segmap: ArrayLike | None = None, bkgann: tuple[ArrayLike, ArrayLike] | None = None, subpix: int = 5,
) -> Measured:  # fmt: skip
    """Fluxes in ellipses, their errors and flags; with `bkgann`, minus the background in an annulus."""
    image = Image(data, err=err, var=var, gain=gain, mask=mask, maskthresh=maskthresh, segmap=segmap)
    return _apertures(image, _ELLIPSE, (x, y, a, b, theta, r), seg_id, segmap, subpix, bkgann)


def sum_ellipann(
    data: ArrayLike, x: ArrayLike, y: ArrayLike, a: ArrayLike, b: ArrayLike, theta: ArrayLike, rin: ArrayLike,
    rout: ArrayLike, var: ArrayLike | None = None, err: ArrayLike | None = None, gain: float | None = None,
    mask: ArrayLike | None = None, maskthresh: float = 0.0, seg_id: ArrayLike | None = None,
    segmap: ArrayLike | None = None, subpix: int = 5,
) -> Measured:  # fmt: skip
    """Fluxes in elliptical annuli, their errors and flags."""
    image = Image(data, err=err, var=var, gain=gain, mask=mask, maskthresh=maskthresh, segmap=segmap)
    return _apertures(image, _ELLIPTICAL_ANNULUS, (x, y, a, b, theta, rin, rout), seg_id, segmap, subpix)


def kron_radius(
    data: ArrayLike, x: ArrayLike, y: ArrayLike, a: ArrayLike, b: ArrayLike, theta: ArrayLike, r: ArrayLike,
    mask: ArrayLike | None = None, maskthresh: float = 0.0, seg_id: ArrayLike | None = None,
    segmap: ArrayLike | None = None,
) -> Two:  # fmt: skip
    """Kron radii within ellipses, in units of a and b, and their flags."""
    image = Image(data, mask=mask, maskthresh=maskthresh, segmap=segmap)
    columns, shape = _columns(x, y, a, b, theta, r)
    radii, flags = np.empty(len(columns[0])), np.zeros(len(columns[0]), np.int16)
    function: Function = library().skyfarm_kron_radii
    measure(lambda objects: function(image.pointer, objects), columns, _ids(seg_id, segmap, shape), [radii], flags)
    return radii.reshape(shape), flags.reshape(shape)


def flux_radius(
    data: ArrayLike, x: ArrayLike, y: ArrayLike, rmax: ArrayLike, frac: ArrayLike, normflux: ArrayLike | None = None,
    mask: ArrayLike | None = None, maskthresh: float = 0.0, seg_id: ArrayLike | None = None,
    segmap: ArrayLike | None = None, subpix: int = 5,
) -> Two:  # fmt: skip
    """Radii of circles that contain a share of the flux, and their flags; of several shares with a further axis."""
    image = Image(data, mask=mask, maskthresh=maskthresh, segmap=segmap)
    columns, shape = _columns(x, y, rmax, *(() if normflux is None else (normflux,)))
    shares = np.array(frac, np.float64, order="C")
    count = len(columns[0])
    radii, flags = np.empty(count * shares.size), np.zeros(count, np.int16)
    function: Function = library().skyfarm_flux_radii
    is_half = image.mask is None and image.segmap is None and subpix == 5 and shares.size == 1 and shares.flat[0] == 0.5
    pixels = np.ascontiguousarray(image.data, np.float32) if is_half else None
    address = None if pixels is None else pixels.ctypes.data
    measure(
        lambda objects: function(image.pointer, objects, shares.ctypes.data, shares.size, subpix, address),
        columns, _ids(seg_id, segmap, shape), [radii], flags, shares.size,
    )  # fmt: skip
    return radii.reshape(shape + shares.shape), flags.reshape(shape)


def winpos(
    data: ArrayLike, xinit: ArrayLike, yinit: ArrayLike, sig: ArrayLike, mask: ArrayLike | None = None,
    maskthresh: float = 0.0, subpix: int = 11, minsig: float = 2.0 / 2.35 * 0.5,
) -> Measured:  # fmt: skip
    """Windowed positions x and y, and their flags."""
    image = Image(data, mask=mask, maskthresh=maskthresh)
    columns, shape = _columns(xinit, yinit, np.maximum(sig, minsig))
    x, y, flags = np.empty(len(columns[0])), np.empty(len(columns[0])), np.zeros(len(columns[0]), np.int16)
    function: Function = library().skyfarm_windowed
    measure(lambda objects: function(image.pointer, objects, subpix), columns, None, [x, y], flags)
    return x.reshape(shape), y.reshape(shape), flags.reshape(shape)


def mask_ellipse(
    arr: Array, x: ArrayLike, y: ArrayLike, a: ArrayLike | None = None, b: ArrayLike | None = None,
    theta: ArrayLike | None = None, r: ArrayLike = 1.0, cxx: ArrayLike | None = None, cyy: ArrayLike | None = None,
    cxy: ArrayLike | None = None,
) -> None:  # fmt: skip
    """Sets the elements of a bool or uint8 array that lie in ellipses, in place."""
    if arr.dtype not in (np.bool_, np.uint8) or arr.ndim != 2 or not arr.flags.c_contiguous:
        raise ValueError("the array must be 2-d, C-contiguous, and of bool or uint8")
    if not arr.flags.writeable:
        raise ValueError("arr: the array is read-only")
    if cxx is None:
        if a is None or b is None or theta is None:
            raise ValueError("Must specify either a, b and theta or cxx, cyy and cxy.")
        cxx, cyy, cxy = ellipse_coeffs(a, b, theta)
    columns, _ = _columns(x, y, cxx, cyy, cxy, r)

    def fill(objects: Any) -> int:
        library().skyfarm_set_ellipses(arr.ctypes.data, arr.shape[1], arr.shape[0], objects)
        return 0

    measure(fill, columns, None, [], np.zeros(len(columns[0]), np.int16))


def ellipse_coeffs(a: ArrayLike, b: ArrayLike, theta: ArrayLike) -> Three:
    """Coefficients cxx, cyy, cxy of ellipses with these axes."""
    return _converted(library().sep_ellipse_coeffs, a, b, theta)


def ellipse_axes(cxx: ArrayLike, cyy: ArrayLike, cxy: ArrayLike) -> Three:
    """Axes a, b and angle theta of ellipses with these coefficients."""
    return _converted(library().sep_ellipse_axes, cxx, cyy, cxy)


def _converted(function: Any, *values: Any) -> Three:
    columns, shape = _columns(*values)
    result = np.empty((3, len(columns[0])))
    first, second, third = c_double(), c_double(), c_double()
    for index, row in enumerate(zip(*columns)):
        if function(*row, byref(first), byref(second), byref(third)):
            raise ValueError("parameters do not describe ellipse: cxx={:f}, cyy={:f}, cxy={:f}".format(*row))
        result[:, index] = first.value, second.value, third.value
    return result[0].reshape(shape), result[1].reshape(shape), result[2].reshape(shape)
