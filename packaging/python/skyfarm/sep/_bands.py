"""Extraction of a large image in bands of rows, on all cores, with the objects of one extraction of the whole image.

Each band is extracted with some rows around it. An island, objects whose pixels touch, is taken from the band that has its
last pixel; one that reaches the end of that band's rows is extracted again with more rows around it. SEP's cleaning
follows, over the objects of all bands. Docs/ExactScan.md has the method.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_long, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._memory import Array
from ._kernel import KernelInput
from ._library import Image, check, cores, library

#: Rows around a band, beyond the filter's.
_HALO = 48
#: Rows of a band are at least so many, and an image has at least so many pixels to be cut.
_ROWS, _PIXELS = 128, 1 << 20


@dataclass
class Extraction:
    """The parameters of an extraction without a mask and with one noise or none; see `extract`."""

    data: Array
    noise_type: int
    noise: float
    gain: float
    thresh: float
    minarea: int
    kernel: Array | None
    filter_type: int
    deblend_nthresh: int
    deblend_cont: float
    clean: bool
    clean_param: float
    dtype: np.dtype[Any]
    #: The limits of an extraction: pixels of SEP's buffer, objects of an island.
    limits: Callable[[], tuple[int, int]]
    #: Whether a limit that an extraction exceeded is larger now than at its beginning.
    grown: Callable[[int, int, tuple[int, int]], bool]

    def call(self, image: Image) -> c_void_p:
        """SEP's catalogue of an image."""
        kernel, catalogue = self.kernel, c_void_p()
        columns, rows = (0, 0) if kernel is None else (kernel.shape[1], kernel.shape[0])
        while True:
            limits = self.limits()
            status = library().sep_extract(
                image.pointer, self.thresh, 0 if self.noise_type else 1, self.minarea,
                None if kernel is None else kernel.ctypes.data, columns, rows, self.filter_type, self.deblend_nthresh,
                self.deblend_cont, int(self.clean), self.clean_param, byref(catalogue),
            )  # fmt: skip
            if not self.grown(status, self.data.size, limits):
                check(status)
                return catalogue

    def sources(self, top: int, bottom: int) -> c_void_p:
        """The sources of rows of the image, before cleaning, by Skyfarm's kernel."""
        err, var = (self.noise if self.noise_type == kind else None for kind in (1, 2))
        window = KernelInput(
            Image(self.data[top:bottom], err=err, var=var, gain=self.gain), self.kernel, self.thresh, top
        )
        if self.noise_type == 0:
            # The threshold is absolute.
            window.field.global_noise = 1.0
        detection = window.detection
        detection.least_area, detection.levels = self.minarea, self.deblend_nthresh
        detection.contrast = self.deblend_cont
        found = library().skyfarm_extract(byref(window.field), byref(detection))
        if not found:
            raise MemoryError("no memory for the objects")
        return c_void_p(found)


def is_cut(shape: tuple[int, ...]) -> bool:
    """Whether an image of this shape is extracted in bands."""
    return cores() > 1 and shape[0] * shape[1] >= _PIXELS and shape[0] >= 4 * _ROWS


def extract(extraction: Extraction, wants_map: bool) -> tuple[Array, Array | None]:
    """The objects of the image, and the map of their pixels if it is wanted."""
    height, width = extraction.data.shape
    count = min(height // _ROWS, 4 * cores())
    bounds = [height * index // count for index in range(count + 1)]
    windows = [_Window(extraction, core, _HALO, wants_map) for core in zip(bounds, bounds[1:])]
    found: dict[tuple[int, int], Part] = {}
    with ThreadPoolExecutor(cores()) as pool:
        while windows:
            left = []
            for islands, cut in pool.map(_Window.extracted, windows):
                found.update(islands)
                left += cut
            halo = 4 * windows[0].halo
            windows = [_Window(extraction, rows, halo, wants_map) for rows in _merged(left, halo)]
    parts = [found[key] for key in sorted(found)]
    if not parts:
        return np.zeros(0, extraction.dtype), np.zeros((height, width), np.int32) if wants_map else None
    objects = np.concatenate([part.objects for part in parts])
    survives = np.ones(len(objects), bool)
    if extraction.clean:
        survives = _cleaned(extraction, objects, parts)
    segmap = None
    if wants_map:
        segmap = np.zeros((height, width), np.int32)
        numbers = np.where(survives, np.cumsum(survives), 0)
        pixels = np.concatenate([part.pixels for part in parts])
        segmap.reshape(-1)[pixels] = np.repeat(numbers, objects["npix"])
    return objects[survives], segmap


@dataclass
class Part:
    """The objects of an island, with what cleaning needs, and the pixels of all of them if a map is wanted."""

    objects: Array
    abcor: Array
    mthresh: Array
    pixels: Array


@dataclass
class _Window:
    """Rows of the image that are extracted together: those of `core` and some around them."""

    extraction: Extraction
    core: tuple[int, int]
    halo: int
    wants_map: bool

    def extracted(self) -> tuple[dict[tuple[int, int], Part], list[tuple[int, int]]]:
        """The islands of the core by their keys, and the rows of those that the window cuts."""
        extraction, (first, last) = self.extraction, self.core
        height, width = extraction.data.shape
        margin = 1 if extraction.kernel is None else extraction.kernel.shape[0] // 2 + 1
        halo = max(self.halo, extraction.minarea) + margin
        top, bottom = max(0, first - halo), min(height, last + halo)
        sources = extraction.sources(top, bottom)
        try:
            count = library().skyfarm_source_count(sources)
            objects, islands = np.zeros(count, extraction.dtype), np.zeros((count, 4), np.int32)
            abcor, mthresh = np.zeros(count, np.float32), np.zeros(count, np.float32)
            library().skyfarm_source_columns(
                sources, width, top, objects.ctypes.data, abcor.ctypes.data, mthresh.ctypes.data, islands.ctypes.data
            )
            pixels = np.zeros(int(objects["npix"].sum()) if self.wants_map else 0, np.int64)
            library().skyfarm_source_pixels(sources, len(pixels), top * width, pixels.ctypes.data)
        finally:
            library().skyfarm_release_sources(sources)
        key_y, _, upper, lower = islands.T
        whole = ((upper - margin >= top) | (top == 0)) & ((lower + margin < bottom) | (bottom == height))
        cut = ~whole & (upper < last) & (lower >= first)
        ends = np.flatnonzero(np.any(islands[1:] != islands[:-1], axis=1)) + 1
        ranges = zip(np.concatenate([[0], ends]), np.concatenate([ends, [count]])) if count else ()
        offsets = np.concatenate([[0], np.cumsum(objects["npix"])]) if self.wants_map else np.zeros(count + 1, int)
        parts = {
            (int(key_y[a]), int(islands[a, 1])): Part(
                objects[a:b], abcor[a:b], mthresh[a:b], pixels[offsets[a] : offsets[b]]
            )
            for a, b in ranges
            if whole[a] and first <= key_y[a] < last
        }
        return parts, [(int(a), int(b) + 1) for a, b in np.unique(islands[cut][:, 2:], axis=0)]


def _merged(ranges: list[tuple[int, int]], halo: int) -> list[tuple[int, int]]:
    """Ranges of rows, those that are nearer than `halo` joined."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(set(ranges)):
        if merged and first <= merged[-1][1] + halo:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return merged


class _Sources(ctypes.Structure):
    """skyfarm_sources in bands.c."""

    _fields_ = [("n", c_long)] + [
        (name, c_void_p) for name in "x y a b cxx cyy cxy cflux thresh abcor mthresh npix".split()
    ]


def _cleaned(extraction: Extraction, objects: Array, parts: list[Part]) -> Array:
    """Which objects survive SEP's cleaning."""
    columns = {name: np.ascontiguousarray(objects[name], np.float64) for name in ("x", "y")}
    for name in ("a", "b", "cxx", "cyy", "cxy", "cflux", "thresh"):
        columns[name] = np.ascontiguousarray(objects[name], np.float32)
    columns["abcor"] = np.concatenate([part.abcor for part in parts])
    columns["mthresh"] = np.concatenate([part.mthresh for part in parts])
    columns["npix"] = np.ascontiguousarray(objects["npix"], np.int32)
    sources = _Sources(n=len(objects))
    for name, column in columns.items():
        setattr(sources, name, column.ctypes.data)
    survives = np.ones(len(objects), np.uint8)
    height, width = extraction.data.shape
    check(library().skyfarm_clean(byref(sources), extraction.clean_param, width, height, survives.ctypes.data))
    return survives.astype(bool)
