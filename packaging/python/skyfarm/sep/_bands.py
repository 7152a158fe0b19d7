"""Extraction by Skyfarm's kernel: a large image in bands of rows, on all cores, with the objects of one extraction.

Each band is extracted with some rows around it. An island, objects whose pixels touch, is taken from the band that has
its last pixel; one that reaches the end of that band's rows is extracted again with more rows around it. SEP's cleaning
follows, over the objects of all bands. Docs/ExactScan.md has the method.
"""

from __future__ import annotations

import ctypes
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_long, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._memory import Array
from ._kernel import KernelInput
from ._library import Image, cores, library

#: Rows around a band, beyond the filter's.
_HALO = 48
#: Rows of a band are at least so many, and an image has at least so many pixels to be cut.
_ROWS, _PIXELS = 128, 1 << 20


@dataclass
class Extraction:
    """An image and the parameters of its extraction; see `extract`. A masked pixel is 0 in the image."""

    image: Image
    thresh: float
    minarea: int
    kernel: Array | None
    is_matched: bool
    deblend_nthresh: int
    deblend_cont: float
    clean: bool
    clean_param: float
    dtype: np.dtype[Any]

    def sources(self, top: int, bottom: int) -> c_void_p:
        """The sources of rows of the image, before cleaning."""
        window = KernelInput(self.image, self.kernel, self.thresh, top, bottom)
        if self.image.noise_type == 0:
            # The threshold is absolute.
            window.field.global_noise = 1.0
        detection = window.detection
        detection.least_area, detection.levels = self.minarea, self.deblend_nthresh
        detection.contrast = self.deblend_cont
        if self.image.noise is not None:
            detection.is_matched = int(self.is_matched and self.kernel is not None)
            # The threshold behind an island, as in SEP, if there is one.
            detection.threshold_of = 1
        found = library().skyfarm_extract(byref(window.field), byref(detection))
        if not found:
            raise MemoryError("no memory for the objects")
        return c_void_p(found)

    def is_cut(self) -> bool:
        """Whether the image is extracted in bands: if it is large, and its noise is no map."""
        height, width = self.image.data.shape
        return self.image.noise is None and cores() > 1 and height * width >= _PIXELS and height >= 4 * _ROWS


@dataclass
class Found:
    """Objects of a window, with the last pixel of the island of each, what cleaning needs, and, if a map is wanted, the
    pixels of all of them."""

    objects: Array
    keys: Array
    abcor: Array
    mthresh: Array
    pixels: Array

    def chosen(self, which: Array) -> Found:
        """Some of the objects, by a mask or by indices."""
        numbers = self.objects["npix"]
        ends = np.cumsum(numbers)
        if not len(self.pixels):
            pixels = self.pixels
        elif which.dtype == bool:
            pixels = self.pixels[np.repeat(which, numbers)]
        else:
            pieces = [self.pixels[end - count : end] for end, count in zip(ends[which], numbers[which])]
            pixels = np.concatenate([self.pixels[:0], *pieces])
        return Found(self.objects[which], self.keys[which], self.abcor[which], self.mthresh[which], pixels)

    @staticmethod
    def joined(parts: list[Found]) -> Found:
        """All objects of windows."""
        columns = zip(*((part.objects, part.keys, part.abcor, part.mthresh, part.pixels) for part in parts))
        return Found(*(np.concatenate(column) for column in columns))


def extract(extraction: Extraction, wants_map: bool) -> tuple[Array, Array | None]:
    """The objects of the image, and the map of their pixels if it is wanted."""
    height, width = extraction.image.data.shape
    count = min(height // _ROWS, 4 * cores()) if extraction.is_cut() else 1
    bounds = [height * index // count for index in range(count + 1)]
    windows = [_Window(extraction, core, _HALO, wants_map) for core in zip(bounds, bounds[1:])]
    rounds: list[Found] = []
    with ThreadPoolExecutor(cores()) as pool:
        while windows:
            results = list(pool.map(_Window.extracted, windows))
            rounds.append(Found.joined([found for found, _ in results]))
            left = [rows for _, cut in results for rows in cut]
            halo = 4 * windows[0].halo
            windows = [_Window(extraction, rows, halo, wants_map) for rows in _merged(left, halo)]
    found = rounds[0] if len(rounds) == 1 else _in_order(rounds)
    survives = np.ones(len(found.objects), bool)
    if extraction.clean and len(survives):
        survives = _cleaned(extraction, found)
    segmap = None
    if wants_map:
        segmap = np.zeros((height, width), np.int32)
        numbers = np.where(survives, np.cumsum(survives), 0)
        segmap.reshape(-1)[found.pixels] = np.repeat(numbers, found.objects["npix"])
    return found.objects if survives.all() else found.objects[survives], segmap


def _in_order(rounds: list[Found]) -> Found:
    """The objects of all rounds in SEP's order; of islands that several have found those of the first."""
    found = Found.joined(rounds)
    number = np.repeat(np.arange(len(rounds)), [len(part.objects) for part in rounds])
    order = np.lexsort((np.arange(len(number)), number, found.keys[:, 1], found.keys[:, 0]))
    keys, number = found.keys[order], number[order]
    begins = np.concatenate([[True], np.any(keys[1:] != keys[:-1], axis=1)]) if len(keys) else np.zeros(0, bool)
    first = number[begins][np.cumsum(begins) - 1]
    return found.chosen(order[number == first])


@dataclass
class _Window:
    """Rows of the image that are extracted together: those of `core` and some around them."""

    extraction: Extraction
    core: tuple[int, int]
    halo: int
    wants_map: bool

    def extracted(self) -> tuple[Found, list[tuple[int, int]]]:
        """The objects of the core's islands, and the rows of those islands that the window cuts."""
        extraction, (first, last) = self.extraction, self.core
        height, width = extraction.image.data.shape
        margin = 1 if extraction.kernel is None else extraction.kernel.shape[0] // 2 + 1
        halo = max(self.halo, extraction.minarea) + margin
        top, bottom = max(0, first - halo), min(height, last + halo)
        sources = extraction.sources(top, bottom)
        try:
            count = library().skyfarm_source_count(sources)
            objects, islands = np.empty(count, extraction.dtype), np.empty((count, 4), np.int32)
            abcor, mthresh = np.empty(count, np.float32), np.empty(count, np.float32)
            library().skyfarm_source_columns(
                sources, width, top, objects.ctypes.data, abcor.ctypes.data, mthresh.ctypes.data, islands.ctypes.data
            )
            pixels = np.empty(int(objects["npix"].sum()) if self.wants_map else 0, np.int64)
            library().skyfarm_source_pixels(sources, len(pixels), top * width, pixels.ctypes.data)
        finally:
            library().skyfarm_release_sources(sources)
        key_y, _, upper, lower = islands.T
        whole = ((upper - margin >= top) | (top == 0)) & ((lower + margin < bottom) | (bottom == height))
        cut = ~whole & (upper < last) & (lower >= first)
        found = Found(objects, islands[:, :2], abcor, mthresh, pixels)
        owned = whole & (first <= key_y) & (key_y < last)
        rows = [(int(a), int(b) + 1) for a, b in np.unique(islands[cut][:, 2:], axis=0)]
        return found if owned.all() else found.chosen(owned), rows


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
    """skyfarm_columns in cleaning.h."""

    _fields_ = [("n", c_long)] + [
        (name, c_void_p) for name in "x y a b cxx cyy cxy cflux thresh abcor mthresh npix".split()
    ]


def _cleaned(extraction: Extraction, found: Found) -> Array:
    """Which objects survive SEP's cleaning."""
    objects = found.objects
    columns = {name: np.ascontiguousarray(objects[name], np.float64) for name in ("x", "y")}
    for name in ("a", "b", "cxx", "cyy", "cxy", "cflux", "thresh"):
        columns[name] = np.ascontiguousarray(objects[name], np.float32)
    columns["abcor"], columns["mthresh"] = found.abcor, found.mthresh
    columns["npix"] = np.ascontiguousarray(objects["npix"], np.int32)
    sources = _Sources(n=len(objects))
    for name, column in columns.items():
        setattr(sources, name, column.ctypes.data)
    survives = np.ones(len(objects), np.uint8)
    height, width = extraction.image.data.shape
    if library().skyfarm_clean(byref(sources), extraction.clean_param, width, height, survives.ctypes.data):
        raise MemoryError("no memory for the objects")
    return survives.astype(bool)
