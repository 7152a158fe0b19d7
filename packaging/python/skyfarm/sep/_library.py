"""The C library SEP with loops over objects."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_long, c_short, c_size_t, c_void_p
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .._errors import SkyfarmError
from .._memory import Array

#: SEP's codes of sample types.
_TYPES = {"u1": 11, "i4": 31, "f4": 42, "f8": 82}


class Field(ctypes.Structure):
    """skyfarm_field in CSkyKernel's extraction.h."""

    _fields_ = [
        ("pixels", c_void_p), ("noise", c_void_p), ("global_noise", ctypes.c_float),
        ("global_variance", ctypes.c_float), ("width", c_int), ("height", c_int), ("x", c_int), ("y", c_int),
        ("gain", c_double),
    ]  # fmt: skip


class Detection(ctypes.Structure):
    """skyfarm_detection in CSkyKernel's extraction.h."""

    _fields_ = [
        ("threshold", ctypes.c_float), ("least_area", c_int), ("kernel", c_void_p), ("kernel_width", c_int),
        ("kernel_height", c_int), ("is_matched", c_int), ("levels", c_int), ("contrast", c_double),
        ("is_wanted", c_void_p), ("context", c_void_p), ("threshold_of", c_int),
    ]  # fmt: skip


class MeshFilter(ctypes.Structure):
    """skyfarm_mesh_filter in CSkyKernel's background.h."""

    _fields_ = [("columns", c_int), ("rows", c_int), ("width", c_int), ("height", c_int)]


class Spline(ctypes.Structure):
    """skyfarm_spline in CSkyKernel's background.h."""

    _fields_ = [
        ("values", c_void_p), ("derivatives", c_void_p), ("columns", c_int), ("rows", c_int), ("first_row", c_int),
        ("row_count", c_int), ("mesh_height", c_int),
    ]  # fmt: skip


class Objects(ctypes.Structure):
    """skyfarm_objects in loops.c."""

    _fields_ = [
        ("n", c_long),
        ("columns", c_void_p * 7),
        ("id", c_void_p),
        ("results", c_void_p * 3),
        ("flag", c_void_p),
    ]


@lru_cache(maxsize=None)
def library() -> Any:
    """The library, with the types of its functions."""
    named = os.environ.get("SKYFARM_SEP_LIBRARY")
    file = Path(named) if named else Path(__file__).parents[1] / "bin" / "libskyfarm-sep.so"
    if not file.exists():
        raise SkyfarmError(
            "skyfarm.sep needs a wheel that contains the program; build one with scripts/package --wheel"
        )
    # It has a SEP of its own, beside that of another package.
    lib: Any = ctypes.CDLL(str(file), mode=ctypes.RTLD_LOCAL | getattr(os, "RTLD_DEEPBIND", 0))
    image, objects, out = c_void_p, POINTER(Objects), c_void_p
    types: dict[str, tuple[Any, list[Any]]] = {
        "skyfarm_image": (
            c_void_p,
            [out, c_int, out, c_int, c_short, c_double, out, c_int, c_double, out, c_int, c_int, c_double],
        ),
        "skyfarm_sums": (c_int, [image, objects, c_int, c_int, c_int, c_short]),
        "skyfarm_kron_radii": (c_int, [image, objects]),
        "skyfarm_flux_radii": (c_int, [image, objects, out, c_int, c_int, out]),
        "skyfarm_windowed": (c_int, [image, objects, c_int]),
        "skyfarm_set_ellipses": (None, [out, c_int, c_int, objects]),
        "skyfarm_measure_meshes": (c_int, [out, out, c_int, c_int, c_int, c_int, c_int, out, out]),
        "skyfarm_smooth_meshes": (c_int, [POINTER(MeshFilter), out, out, out, out]),
        "skyfarm_background_rows": (c_int, [POINTER(Spline), c_int, c_int, c_int, c_int, out, out, c_int]),
        "skyfarm_measure_segments": (c_int, [POINTER(Field), POINTER(Detection), out, out, c_int, out]),
        "sep_ellipse_axes": (c_int, [c_double] * 3 + [POINTER(c_double)] * 3),
        "sep_ellipse_coeffs": (None, [c_double] * 3 + [POINTER(c_double)] * 3),
        "skyfarm_extract": (c_void_p, [POINTER(Field), POINTER(Detection)]),
        "skyfarm_release_sources": (None, [c_void_p]),
        "skyfarm_source_count": (c_int, [c_void_p]),
        "skyfarm_source_columns": (None, [c_void_p, c_int, c_int, out, out, out, out]),
        "skyfarm_source_pixels": (None, [c_void_p, c_size_t, ctypes.c_longlong, out]),
        "skyfarm_clean": (c_int, [out, c_double, c_int, c_int, out]),
        "free": (None, [c_void_p]),
        "sep_get_errmsg": (None, [c_int, c_char_p]),
    }
    for name, (result, arguments) in types.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def check(status: int) -> None:
    """Raises the exception for a status other than 0 of SEP."""
    if status:
        text = ctypes.create_string_buffer(80)
        library().sep_get_errmsg(status, text)
        message = text.value.decode()
        raise MemoryError(message) if status == 1 else ValueError(message)


def samples(array: Any, name: str = "array") -> Array:
    """A two-dimensional array in a form that SEP reads: native, contiguous, of one of its types."""
    array = np.asarray(array)
    if array.ndim != 2:
        raise ValueError(f"{name} must be 2-d")
    return np.ascontiguousarray(array, supported(array.dtype))


def supported(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of SEP's that holds all values of a type."""
    if dtype.kind == "b":
        return np.dtype("u1")
    kind = f"{dtype.kind}{dtype.itemsize}"
    if kind in _TYPES:
        return np.dtype(kind)
    if kind in ("i1", "i2", "u2"):
        return np.dtype("i4")
    if kind in ("i8", "u4", "u8", "f2"):
        return np.dtype("f4" if kind == "f2" else "f8")
    raise ValueError(f"input array dtype not supported: {dtype}")


def code(array: Array) -> int:
    """SEP's code of an array's type."""
    return _TYPES[f"{array.dtype.kind}{array.dtype.itemsize}"]


class Image:
    """An image with noise, mask and segmentation map, as SEP takes it; keeps the arrays while it is used."""

    def __init__(
        self,
        data: Any,
        *,
        err: Any = None,
        var: Any = None,
        gain: float | None = None,
        mask: Any = None,
        maskthresh: float = 0.0,
        segmap: Any = None,
    ) -> None:
        if err is not None and var is not None:
            raise ValueError("Cannot specify both err and var")
        self.data = samples(data)
        self.height, self.width = self.data.shape
        noise = err if err is not None else var
        kind = 0 if noise is None else 1 if err is not None else 2
        value = 0.0 if noise is None or np.ndim(noise) else float(noise)
        self.noise = self._plane(noise, "error/variance") if noise is not None and np.ndim(noise) else None
        self.mask = None if mask is None else self._plane(mask, "mask")
        self.segmap = None if segmap is None else self._plane(np.asarray(segmap, np.int32), "segmentation")
        self.noise_type, self.noise_value, self.gain = kind, value, gain or 0.0
        pointer = library().skyfarm_image(
            self.data.ctypes.data, code(self.data), _address(self.noise), 0 if self.noise is None else code(self.noise),
            kind, value, _address(self.mask), 0 if self.mask is None else code(self.mask), maskthresh,
            _address(self.segmap), self.width, self.height, gain or 0.0,
        )  # fmt: skip
        if not pointer:
            raise MemoryError("no memory for an image")
        self.pointer = c_void_p(pointer)

    def _plane(self, array: Any, name: str) -> Array:
        plane = samples(array)
        if plane.shape != self.data.shape:
            raise ValueError(f"size of {name} array must match data")
        return plane

    def __del__(self) -> None:
        if hasattr(self, "pointer"):
            library().free(self.pointer)


def _address(array: Array | None) -> int | None:
    return None if array is None else array.ctypes.data


def measure(
    function: Callable[..., int],
    columns: list[Array],
    ids: Array | None,
    results: list[Array],
    flags: Array,
    width: int = 1,
) -> None:
    """Calls ``function(objects)`` for the objects of columns of one length, parts of them on each core.

    `width` is the number of values of a result for each object.
    """
    count = len(flags)

    def part(first: int, last: int) -> int:
        objects = Objects(n=last - first)
        for index, column in enumerate(columns):
            objects.columns[index] = column.ctypes.data + 8 * first
        for index, result in enumerate(results):
            objects.results[index] = result.ctypes.data + 8 * first * width
        objects.id = None if ids is None else ids.ctypes.data + 4 * first
        objects.flag = flags.ctypes.data + 2 * first
        return function(byref(objects))

    threads = min(cores(), max(1, count // 64))
    if threads == 1:
        return check(part(0, count))
    # Several parts for each thread: objects differ in size.
    bounds = [count * index // (4 * threads) for index in range(4 * threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        for status in list(pool.map(part, bounds, bounds[1:])):
            check(status)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
