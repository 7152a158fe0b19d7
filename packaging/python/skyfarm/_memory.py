"""Arrays as FITS files in memory, which the program reads like any other file."""

from __future__ import annotations

import mmap
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from astropy.io import fits
from numpy.typing import NDArray

Array = NDArray[Any]

#: Bytes that are converted and written at a time: they stay in the processor's cache.
_PIECE = 1 << 18
_BLOCK = 2880
#: Keywords that describe how samples are stored, which is decided here.
_STRUCTURE = re.compile(
    r"SIMPLE|XTENSION|BITPIX|NAXIS.*|EXTEND|PCOUNT|GCOUNT|GROUPS|BSCALE|BZERO|BLANK|ZIMAGE|ZCMPTYPE|CHECKSUM|DATASUM|"
    r"EXTNAME|EXTVER|INHERIT|TFIELDS"
)
#: What is added to unsigned and signed integers that FITS stores as the other kind.
_ZERO = {"u2": 1 << 15, "u4": 1 << 31, "u8": 1 << 63, "i1": -128}


def stored_type(dtype: np.dtype[Any]) -> tuple[np.dtype[Any], int]:
    """The type in which FITS stores samples of a type, and the BZERO that goes with it.

    Raises
    ------
    TypeError
        If FITS has no such type.
    """
    kind = f"{dtype.kind}{dtype.itemsize}"
    if dtype.kind == "b" or kind == "u1":
        return np.dtype("u1"), 0
    if kind == "i1":
        return np.dtype("u1"), _ZERO[kind]
    if kind in ("u2", "u4", "u8"):
        return np.dtype(f">i{dtype.itemsize}"), _ZERO[kind]
    if kind in ("i2", "i4", "i8", "f4", "f8"):
        return np.dtype(f">{kind}"), 0
    if kind == "f2":
        return np.dtype(">f4"), 0
    raise TypeError(f"an image of type {dtype} cannot be scanned: use integers or floats of up to 64 bits")


def two_axes(source: Any, name: str) -> Array:
    """The argument of this name as an array, with its axes of length 1 removed, if that leaves two.

    Raises
    ------
    ValueError
        If it has not two axes, or no pixels.
    """
    array: Array = np.asarray(source)
    shape = array.shape
    if array.ndim > 2:
        array = array.reshape([length for length in shape if length != 1] if array.size > 1 else (1, 1))
    if array.ndim != 2 or array.size == 0:
        raise ValueError(
            f"{name}: an array of shape {shape} is no image: it needs two axes, rows and columns, with pixels"
        )
    return array


@contextmanager
def fits_file(array: Array, header: fits.Header | None = None) -> Iterator[int]:
    """A descriptor of a FITS file in memory that holds the array, of any byte order and strides.

    The samples are copied once. Where the system has no files in memory, the file is a temporary one.
    """
    # A process that is forked meanwhile returns the file to this object, and takes its files from another one.
    spare = _spare
    file = spare.take()
    try:
        _write(file, array, header)
    except BaseException:
        file.close()
        raise
    try:
        yield file.descriptor
    finally:
        spare.give(file)


class _File:
    """A file in memory.

    Samples are written to a new one, which takes less time than to map its pages one by one. A file that is used again
    is mapped: samples are then copied once, and not a second time by the system.
    """

    def __init__(self) -> None:
        if hasattr(os, "memfd_create"):
            self.descriptor = os.memfd_create("skyfarm.fits", 0)
        else:
            self.descriptor, name = tempfile.mkstemp(suffix=".fits")
            os.unlink(name)
        self._map: mmap.mmap | None = None

    def resize(self, size: int) -> mmap.mmap | None:
        """Gives the file this size. Returns its content, if it is an older file of this size."""
        if os.fstat(self.descriptor).st_size == size:
            self._map = self._map or mmap.mmap(self.descriptor, size)
            return self._map
        self._unmap()
        os.ftruncate(self.descriptor, size)
        return None

    def _unmap(self) -> None:
        map_, self._map = self._map, None
        if map_ is not None:
            # An array that an exception still holds unmaps it later.
            with suppress(BufferError):
                map_.close()

    def close(self) -> None:
        """Returns the memory to the system."""
        self._unmap()
        os.close(self.descriptor)


class _Spare:
    """The memory of the last array, for some seconds: to get and to return it takes longer than to copy an array."""

    SECONDS = 5.0

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._file: _File | None = None
        self._timer: threading.Timer | None = None

    def take(self) -> _File:
        """A file in memory, of any content."""
        with self._lock:
            file, self._file = self._file, None
            if self._timer is not None:
                self._timer.cancel()
        return _File() if file is None else file

    def give(self, file: _File) -> None:
        """Keeps the file for the next array, and closes the one that was kept before."""
        with self._lock:
            before, self._file = self._file, file
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(self.SECONDS, self.close)
            self._timer.daemon = True
            self._timer.start()
        if before is not None:
            before.close()

    def close(self) -> None:
        """Returns the memory to the system."""
        with self._lock:
            file, self._file = self._file, None
        if file is not None:
            file.close()

    def leave(self) -> None:
        """Closes this process's descriptor of the file, which belongs to the process that was forked."""
        # A thread that does not exist here may hold the lock.
        self._lock, self._timer = threading.Lock(), None
        self.close()


_spare = _Spare()


def _renew_spare() -> None:
    """Gives a forked process a memory of its own: files in memory are shared with the process that was forked."""
    global _spare
    _spare.leave()
    _spare = _Spare()


os.register_at_fork(after_in_child=_renew_spare)


def path(descriptor: int) -> str:
    """A name by which a process that inherits the descriptor opens the file."""
    return f"/proc/self/fd/{descriptor}" if os.path.isdir("/proc/self/fd") else f"/dev/fd/{descriptor}"


def _write(file: _File, array: Array, header: fits.Header | None) -> None:
    stored, zero = stored_type(array.dtype)
    start = _header(array, stored, zero, header)
    rows, columns = array.shape
    size = len(start) + array.size * stored.itemsize
    content = file.resize(-(-size // _BLOCK) * _BLOCK)
    os.pwrite(file.descriptor, start, 0)
    os.pwrite(file.descriptor, bytes(-size % _BLOCK), size)
    target: Array | None = None if content is None else np.ndarray(array.shape, stored, content, len(start))
    height = max(1, _PIECE // (columns * stored.itemsize))
    threads = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 8)

    def write(first: int, last: int) -> None:
        for row in range(first, last, height):
            end = min(row + height, last)
            piece = array[row:end]
            if target is not None:
                np.copyto(target[row:end], _shifted(piece, stored) if zero else piece, casting="same_kind")
                continue
            samples: Any = np.ascontiguousarray(_shifted(piece, stored) if zero else piece, stored)
            _write_all(file.descriptor, memoryview(samples).cast("B"), len(start) + row * columns * stored.itemsize)

    if array.nbytes < 1 << 22 or threads == 1:
        write(0, rows)
    else:
        bounds = [rows * index // threads for index in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(write, bounds, bounds[1:]))


def _shifted(piece: Array, stored: np.dtype[Any]) -> Array:
    """Integers that FITS stores as the other kind, moved by half the range: their sign bits differ."""
    size = piece.dtype.itemsize
    moved: Array = piece.astype(f"=u{size}") ^ np.array(1 << (8 * size - 1), f"=u{size}")
    return moved.view(f"=i{size}") if stored.kind == "i" else moved


def _write_all(descriptor: int, data: memoryview, offset: int) -> None:
    while data:
        count = os.pwrite(descriptor, data, offset)
        data, offset = data[count:], offset + count


def _header(array: Array, stored: np.dtype[Any], zero: int, extra: fits.Header | None) -> bytes:
    header = fits.Header()
    header["SIMPLE"] = True
    header["BITPIX"] = stored.itemsize * 8 * (-1 if stored.kind == "f" else 1)
    header["NAXIS"] = 2
    header["NAXIS1"] = array.shape[1]
    header["NAXIS2"] = array.shape[0]
    if zero:
        header["BSCALE"] = 1
        header["BZERO"] = zero
    for card in extra.cards if extra is not None else ():
        if not _STRUCTURE.fullmatch(card.keyword):
            header.append(card, end=True)
    text: str = header.tostring(endcard=True, padding=True)
    return text.encode("ascii")
