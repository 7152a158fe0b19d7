"""Extraction of sources, as ``sep.extract``."""

from __future__ import annotations

from ctypes import byref
from typing import Any, Literal, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._memory import Array
from ._bands import Extraction
from ._bands import extract as extract_bands
from ._kernel import KernelInput
from ._library import Image, library

_FLOATS = "x y x2 y2 xy errx2 erry2 errxy a b theta cxx cyy cxy cflux flux cpeak peak"
_OBJECT = np.dtype(
    [("thresh", "f8")]
    + [(name, "i8") for name in "npix tnpix xmin xmax ymin ymax".split()]
    + [(name, "f8") for name in _FLOATS.split()]
    + [(name, "i8") for name in "xcpeak ycpeak xpeak ypeak".split()]
    + [("flag", "i2")]
)

default_kernel = np.array([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]], dtype=np.float32)


Objects = NDArray[np.void]
SegmentationMap = NDArray[np.int32]


@overload
def extract(
    data: ArrayLike, thresh: float, err: ArrayLike | None = ..., var: ArrayLike | None = ...,
    gain: float | None = ..., mask: ArrayLike | None = ..., maskthresh: float = ..., minarea: int = ...,
    filter_kernel: ArrayLike | None = ..., filter_type: Literal["matched", "conv"] = ..., deblend_nthresh: int = ...,
    deblend_cont: float = ..., clean: bool = ..., clean_param: float = ...,
    segmentation_map: Literal[False] | None = ...,
) -> Objects: ...  # fmt: skip
@overload
def extract(
    data: ArrayLike, thresh: float, err: ArrayLike | None = ..., var: ArrayLike | None = ...,
    gain: float | None = ..., mask: ArrayLike | None = ..., maskthresh: float = ..., minarea: int = ...,
    filter_kernel: ArrayLike | None = ..., filter_type: Literal["matched", "conv"] = ..., deblend_nthresh: int = ...,
    deblend_cont: float = ..., clean: bool = ..., clean_param: float = ...,
    *, segmentation_map: Literal[True] | NDArray[np.integer[Any]],
) -> tuple[Objects, SegmentationMap]: ...  # fmt: skip
def extract(
    data: ArrayLike,
    thresh: float,
    err: ArrayLike | None = None,
    var: ArrayLike | None = None,
    gain: float | None = None,
    mask: ArrayLike | None = None,
    maskthresh: float = 0.0,
    minarea: int = 5,
    filter_kernel: ArrayLike | None = default_kernel,
    filter_type: Literal["matched", "conv"] = "matched",
    deblend_nthresh: int = 32,
    deblend_cont: float = 0.005,
    clean: bool = True,
    clean_param: float = 1.0,
    segmentation_map: bool | NDArray[np.integer[Any]] | None = None,
) -> Union[Objects, "tuple[Objects, SegmentationMap]"]:
    """Extracts the sources of an image whose background is subtracted.

    Parameters, defaults and results are those of ``sep.extract``, with four differences. Deblending has a fixed draw
    instead of random numbers, so that a blend does not depend on others (as in Skyfarm's scans). There are no limits of
    pixels and of objects of a blend. The mask holds on the first rows, too. And other threads run meanwhile.

    Parameters
    ----------
    data : array
        Image of any byte order and strides.
    thresh : float
        Threshold: absolute, or with `err` or `var` in units of the noise.
    err, var : float or array, optional
        Noise or its square.
    gain : float, optional
        Electrons per unit, for the photon noise in errx2, erry2 and errxy.
    mask : array, optional
        Pixels above `maskthresh` are ignored.
    segmentation_map : bool or array of integers
        Whether to return the map of the objects' pixels as well. The objects of a given map are measured as they are,
        in the order of their numbers; 0 is no object.

    Returns
    -------
    objects : structured array
        As ``sep.extract`` returns it.
    segmap : array of int32
        Numbers of the objects from 1, and 0; only with `segmentation_map`.

    Examples
    --------
    >>> import numpy as np
    >>> data = np.zeros((50, 50))
    >>> data[20:25, 30:35] = 10
    >>> objects, segmap = extract(data, 1.0, segmentation_map=True)
    >>> len(objects), objects["x"][0], objects["y"][0], int((segmap == 1).sum()) == objects["npix"][0]
    (1, 32.0, 22.0, True)
    """
    if filter_type not in ("matched", "conv"):
        raise ValueError(f"unknown filter_type: {filter_type!r}")
    if minarea < 1 or deblend_nthresh < 1:
        raise ValueError("minarea and deblend_nthresh must be at least 1")
    if mask is not None:
        mask = np.asarray(mask) > maskthresh
    image = Image(data, err=err, var=var, gain=gain, mask=mask)
    kernel = None if filter_kernel is None else np.ascontiguousarray(filter_kernel, np.float32)
    if kernel is not None and kernel.ndim != 2:
        raise ValueError("filter_kernel must be 2-d")
    if isinstance(segmentation_map, np.ndarray):
        return _segments(image, segmentation_map, kernel, thresh)
    if image.mask is not None:
        image.data = np.where(image.mask != 0, 0, image.data)
    extraction = Extraction(
        image, thresh, minarea, kernel, filter_type == "matched", deblend_nthresh, deblend_cont, bool(clean),
        clean_param, _OBJECT,
    )  # fmt: skip
    objects, segmap = extract_bands(extraction, bool(segmentation_map))
    return objects if segmap is None else (objects, segmap)


def _segments(image: Image, segmap: Array, kernel: Array | None, thresh: float) -> tuple[Objects, SegmentationMap]:
    """The objects of a given map, and the map with their numbers from 1."""
    if segmap.shape != image.data.shape:
        raise ValueError("size of segmap array must match data")
    if segmap.dtype.kind not in "iu":
        raise ValueError("the segmentation map must be of integers")
    if image.mask is not None:
        image.data = np.where(image.mask != 0, 0, image.data)
    numbers = segmap.ravel()
    places = np.flatnonzero(numbers > 0)
    places = places[np.argsort(numbers[places], kind="stable")].astype(np.int32)
    counts = np.unique(numbers[places], return_counts=True)[1].astype(np.int32)
    field = KernelInput(image, kernel, thresh)
    if field.noise is None and image.noise_type:
        field.detection.threshold = np.float32(thresh) * np.float32(field.field.global_noise)
    objects, closed = np.zeros(len(counts), _OBJECT), np.zeros(segmap.shape, np.int32)
    if library().skyfarm_measure_segments(
        byref(field.field), byref(field.detection), places.ctypes.data, counts.ctypes.data, len(counts),
        objects.ctypes.data,
    ):  # fmt: skip
        raise MemoryError("no memory for the objects")
    closed.reshape(-1)[places] = np.repeat(np.arange(1, len(counts) + 1, dtype=np.int32), counts)
    return objects, closed


#: What the functions below set, which nothing depends on: memory grows as it is needed.
_limits = {"pixels": 300_000, "objects": 1024}


def set_extract_pixstack(size: int) -> None:
    """Sets the number of pixels of SEP's buffer, which `extract` does not have."""
    _limits["pixels"] = int(size)


def get_extract_pixstack() -> int:
    """The number of pixels that was set."""
    return _limits["pixels"]


def set_sub_object_limit(limit: int) -> None:
    """Sets the largest number of objects of a blend, which is not limited here."""
    _limits["objects"] = int(limit)


def get_sub_object_limit() -> int:
    """The number of objects that was set."""
    return _limits["objects"]
