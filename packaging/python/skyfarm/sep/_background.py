"""Background of an image, as ``sep.Background``, by Skyfarm's kernel."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .._memory import Array
from ._library import MeshFilter, Spline, code, cores, library, supported

Floats = NDArray[np.float32]

#: A thread has at least so many pixels.
_PART = 1 << 18
#: Level and noise of a mesh of which less than half is usable.
_BAD = np.float32(-1e30)


class _Surface:
    """Values of meshes after the median filter, as splines."""

    def __init__(self, meshes: Floats, width: int, height: int) -> None:
        rows, columns = meshes.shape
        self.values, self.bends = np.empty_like(meshes), np.empty_like(meshes)
        median = np.empty(1, np.float32)
        filter_ = MeshFilter(columns, rows, width, height)
        if not library().skyfarm_smooth_meshes(
            byref(filter_), meshes.ctypes.data, self.values.ctypes.data, self.bends.ctypes.data, median.ctypes.data
        ):
            raise MemoryError("no memory for a background")
        self.median = np.float32(median[0])

    def spline(self, mesh_height: int) -> Any:
        rows, columns = self.values.shape
        return Spline(self.values.ctypes.data, self.bends.ctypes.data, columns, rows, 0, rows, mesh_height)


def _measured(data: Array, mask: Array | None, maskthresh: float, bw: int, bh: int) -> tuple[Floats, Floats]:
    """Level and noise of each mesh, on all cores."""
    height, width = data.shape
    rows, columns = -(-height // bh), -(-width // bw)
    levels, noises = np.empty((rows, columns), np.float32), np.empty((rows, columns), np.float32)

    def band(first: int, last: int) -> None:
        part = slice(first * bh, min(last * bh, height))
        pixels = np.ascontiguousarray(data[part], np.float32)
        masked = None if mask is None else np.ascontiguousarray(mask[part] > maskthresh, np.uint8)
        # False for NaN, too.
        all_usable = masked is None and bool(np.min(pixels) > _BAD)
        if not library().skyfarm_measure_meshes(
            pixels.ctypes.data, None if masked is None else masked.ctypes.data, int(all_usable), width, len(pixels),
            bw, bh, levels[first:].ctypes.data, noises[first:].ctypes.data,
        ):  # fmt: skip
            raise MemoryError("no memory for a background")

    _in_parts(band, rows, data.size)
    return levels, noises


def _filled(meshes: Floats, empty: float) -> Floats:
    """The meshes, where bad ones have the mean of the nearest others, or `empty` if all are bad."""
    bad = meshes <= _BAD
    if not bad.any():
        return meshes
    if bad.all():
        return np.full_like(meshes, empty)
    y, x = np.nonzero(~bad)
    valid, result = meshes[~bad], meshes.copy()
    for row, column in zip(*np.nonzero(bad)):
        distance = (y - row) ** 2 + (x - column) ** 2
        # Summed in SEP's order and precision.
        nearest = valid[distance == distance.min()]
        result[row, column] = np.cumsum(nearest, dtype=np.float32)[-1] / np.float32(len(nearest))
    return result


def _smoothed(meshes: Floats, other: Floats, fw: int, fh: int, fthresh: float) -> tuple[_Surface, _Surface]:
    """Level and noise after the filter, which leaves out meshes whose level it would change by less than `fthresh`."""
    level, noise = _Surface(meshes, fw, fh), _Surface(other, fw, fh)
    if fthresh <= 0:
        return level, noise
    kept = np.abs(level.values - meshes) < fthresh
    return _Surface(np.where(kept, meshes, level.values), 1, 1), _Surface(np.where(kept, other, noise.values), 1, 1)


def _positive_median(noise: _Surface) -> float:
    """The median; if it is not positive that of the positive values, and 1 without any."""
    positive = noise.values[noise.values > 0]
    if noise.median > 0 or len(positive) == 0:
        return float(noise.median) if noise.median > 0 else 1.0
    return float(np.float32(np.median(positive.astype(np.float64))))


def _in_parts(work: Callable[[int, int], None], count: int, pixels: int) -> None:
    """Calls the function for parts of `count` rows, several of them for each core."""
    threads = min(cores(), max(1, pixels // _PART), count)
    parts = 1 if threads == 1 else min(count, 4 * threads)
    bounds = [count * index // parts for index in range(parts + 1)]
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, bounds, bounds[1:]):
            pass


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
        data: ArrayLike,
        mask: ArrayLike | None = None,
        maskthresh: float = 0.0,
        bw: int = 64,
        bh: int = 64,
        fw: int = 3,
        fh: int = 3,
        fthresh: float = 0.0,
    ) -> None:
        if min(bw, bh, fw, fh) < 1:
            raise ValueError("bw, bh, fw and fh must be at least 1")
        image = np.asarray(data)
        if image.ndim != 2:
            raise ValueError("array must be 2-d")
        self._dtype, self._shape = supported(image.dtype), image.shape
        pixels = None if mask is None else np.asarray(mask)
        if pixels is not None and pixels.shape != image.shape:
            raise ValueError("size of mask array must match data")
        self._mesh = bw, bh
        if image.size == 0:
            raise ValueError("the array has no pixels")
        levels, noises = _measured(image, pixels, maskthresh, bw, bh)
        self._level, self._noise = _smoothed(_filled(levels, 0.0), _filled(noises, 1.0), fw, fh, fthresh)

    @property
    def globalback(self) -> float:
        """Level of the whole image."""
        return float(self._level.median)

    @property
    def globalrms(self) -> float:
        """Noise of the whole image."""
        return _positive_median(self._noise)

    def back(self, dtype: DTypeLike = None, copy: bool | None = None) -> Array:
        """The background as an array, by default of the image's type."""
        return self._array(self._level, dtype)

    def rms(self, dtype: DTypeLike = None) -> Array:
        """The noise as an array, by default of the image's type."""
        return self._array(self._noise, dtype)

    def subfrom(self, data: Array) -> None:
        """Subtracts the background from an array of the image's shape, in place."""
        if np.shape(data) != self._shape:
            raise ValueError("Data dimensions do not match background dimensions")
        if not data.flags.writeable:
            raise ValueError("data: the array is read-only")
        if data.flags.c_contiguous and data.dtype.isnative and supported(data.dtype) == data.dtype:
            self._rows(self._level, data, data)
        else:
            kind: DTypeLike = np.float64 if data.dtype.kind != "f" else data.dtype.newbyteorder("=")
            data -= self.back(kind)

    def _array(self, surface: _Surface, dtype: DTypeLike) -> Array:
        kind = self._dtype if dtype is None else np.dtype(dtype)
        result = np.empty(self._shape, supported(kind))
        self._rows(surface, None, result)
        return result if result.dtype == kind else result.astype(kind)

    def _rows(self, surface: _Surface, source: Array | None, target: Array) -> None:
        """Writes a surface into `target`, or what remains of `source` without it, on all cores."""
        if target.dtype.kind == "u":
            raise ValueError("dtype not recognized/unsupported")
        height, width = self._shape
        spline, kind = surface.spline(self._mesh[1]), code(target)

        def rows(first: int, last: int) -> None:
            # Of another type or order, a part at a time.
            piece = None if source is None else np.ascontiguousarray(source[first:last], target.dtype)
            if not library().skyfarm_background_rows(
                byref(spline), self._mesh[0], width, first, last, None if piece is None else piece.ctypes.data,
                target[first:].ctypes.data, kind,
            ):  # fmt: skip
                raise MemoryError("no memory for a background")

        _in_parts(rows, height, target.size)

    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> Array:
        return self.back(dtype)

    #: An array minus a background is the business of this class, not of numpy.
    __array_ufunc__ = None

    def __rsub__(self, data: ArrayLike) -> Array:
        array = np.asarray(data)
        if array.dtype.kind not in "fiu":
            raise TypeError(f"the background cannot be subtracted from an array of type {array.dtype}")
        if array.shape != self._shape:
            raise ValueError("Data dimensions do not match background dimensions")
        result = np.empty(self._shape, supported(array.dtype))
        self._rows(self._level, array, result)
        return result
