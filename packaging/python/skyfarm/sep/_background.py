"""Background of an image, as ``sep.Background``."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_void_p
from typing import Any

import numpy as np

from .._memory import Array
from ._library import Image, check, code, cores, library, supported


#: An image has at least so many pixels to be cut.
_PIXELS = 1 << 20


def _background(image: Image, bw: int, bh: int, fw: int, fh: int, fthresh: float) -> c_void_p:
    pointer = c_void_p()
    check(library().sep_background(image.pointer, bw, bh, fw, fh, fthresh, byref(pointer)))
    return pointer


def _in_bands(image: Image, bw: int, bh: int, fw: int, fh: int) -> c_void_p:
    """The background of an image whose meshes are all usable: of bands on each core, and then filtered as a whole."""
    rows, columns = -(-image.height // bh), -(-image.width // bw)
    meshes = np.empty((2, rows, columns), np.float32)
    threads = min(cores(), rows)
    bounds = [rows * index // threads for index in range(threads + 1)]

    def band(first: int, last: int) -> None:
        pointer = _background(Image(image.data[first * bh : last * bh]), bw, bh, 1, 1, 0.0)
        library().skyfarm_meshes(pointer, meshes[0, first:].ctypes.data, meshes[1, first:].ctypes.data)
        library().sep_bkg_free(pointer)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(band, bounds, bounds[1:]))
    # The level of a mesh of one pixel is twice its value.
    level, noise = (_background(Image(plane / np.float32(2)), 1, 1, fw, fh, 0.0) for plane in meshes)
    try:
        pointer = library().skyfarm_background(image.width, image.height, bw, bh, level, noise)
    finally:
        library().sep_bkg_free(level)
        library().sep_bkg_free(noise)
    if not pointer:
        raise MemoryError("no memory for a background")
    return c_void_p(pointer)


class Background:
    """Spatially variable background and noise of an image.

    Parameters
    ----------
    data : array
        Image of any byte order and strides.
    mask : array, optional
        Pixels above `maskthresh` are ignored.
    bw, bh : int
        Size of a mesh in pixels.
    fw, fh : int
        Size of the median filter in meshes.
    fthresh : float
        The filter changes meshes that differ by more than this.

    Examples
    --------
    >>> import numpy as np
    >>> data = np.full((100, 100), 5.0)
    >>> background = Background(data)
    >>> background.globalback, background.globalrms, float((data - background).max())
    (5.0, 1.0, 0.0)
    """

    def __init__(
        self,
        data: Any,
        mask: Any = None,
        maskthresh: float = 0.0,
        bw: int = 64,
        bh: int = 64,
        fw: int = 3,
        fh: int = 3,
        fthresh: float = 0.0,
    ) -> None:
        if min(bw, bh, fw, fh) < 1:
            raise ValueError("bw, bh, fw and fh must be at least 1")
        image = Image(data, mask=mask, maskthresh=maskthresh)
        self._dtype = image.data.dtype
        self._shape = image.data.shape
        # Meshes with too few pixels are filled from the others, which takes the whole image.
        is_plain = mask is None and fthresh == 0 and bool(np.all(image.data > -1e30))
        if is_plain and cores() > 1 and image.data.size >= _PIXELS:
            self._pointer = _in_bands(image, bw, bh, fw, fh)
        else:
            self._pointer = _background(image, bw, bh, fw, fh, fthresh)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            library().sep_bkg_free(self._pointer)

    @property
    def globalback(self) -> float:
        """Level of the whole image."""
        return float(library().sep_bkg_global(self._pointer))

    @property
    def globalrms(self) -> float:
        """Noise of the whole image."""
        return float(library().sep_bkg_globalrms(self._pointer))

    def back(self, dtype: Any = None, copy: Any = None) -> Array:
        """The background as an array, by default of the image's type."""
        return self._array(library().sep_bkg_line, dtype)

    def rms(self, dtype: Any = None) -> Array:
        """The noise as an array, by default of the image's type."""
        return self._array(library().sep_bkg_rmsline, dtype)

    def subfrom(self, data: Array) -> None:
        """Subtracts the background from an array of the image's shape, in place."""
        if np.shape(data) != self._shape:
            raise ValueError("Data dimensions do not match background dimensions")
        if data.flags.c_contiguous and data.dtype.isnative and supported(data.dtype) == data.dtype:
            self._lines(library().sep_bkg_subline, data)
        else:
            data -= self.back(np.float64 if data.dtype.kind != "f" else data.dtype.newbyteorder("="))

    def _array(self, function: Any, dtype: Any) -> Array:
        kind = self._dtype if dtype is None else np.dtype(dtype)
        result = np.empty(self._shape, supported(kind))
        self._lines(function, result)
        return result if result.dtype == kind else result.astype(kind)

    def _lines(self, function: Any, array: Array, source: Array | None = None) -> None:
        """Calls the function for each row, after it is copied from `source`, on all cores."""
        start, step, kind = array.ctypes.data, array.strides[0], code(array)

        def rows(first: int, last: int) -> int:
            for row in range(first, last):
                if source is not None:
                    array[row] = source[row]
                status: int = function(self._pointer, row, start + row * step, kind)
                if status:
                    return status
            return 0

        height, threads = self._shape[0], min(cores(), max(1, array.size >> 18))
        bounds = [height * index // threads for index in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            for status in list(pool.map(rows, bounds, bounds[1:])):
                check(status)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.back(dtype)

    #: An array minus a background is the business of this class, not of numpy.
    __array_ufunc__ = None

    def __rsub__(self, data: Any) -> Array:
        array = np.asarray(data)
        if array.dtype.kind not in "fiu":
            raise TypeError(f"the background cannot be subtracted from an array of type {array.dtype}")
        if array.shape != self._shape:
            raise ValueError("Data dimensions do not match background dimensions")
        result = np.empty(self._shape, supported(array.dtype))
        self._lines(library().sep_bkg_subline, result, array)
        return result
