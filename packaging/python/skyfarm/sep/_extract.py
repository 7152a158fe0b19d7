"""Extraction of sources, as ``sep.extract``."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any

import numpy as np

from .._memory import Array
from ._bands import Extraction, is_cut
from ._bands import extract as extract_bands
from ._kernel import KernelInput
from ._library import BLEND_FULL, BUFFER_FULL, Image, library

_FLOATS = "x y x2 y2 xy errx2 erry2 errxy a b theta cxx cyy cxy cflux flux cpeak peak"
_OBJECT = np.dtype(
    [("thresh", "f8")]
    + [(name, "i8") for name in "npix tnpix xmin xmax ymin ymax".split()]
    + [(name, "f8") for name in _FLOATS.split()]
    + [(name, "i8") for name in "xcpeak ycpeak xpeak ypeak".split()]
    + [("flag", "i2")]
)

default_kernel = np.array([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]], dtype=np.float32)


def extract(
    data: Any,
    thresh: float,
    err: Any = None,
    var: Any = None,
    gain: float | None = None,
    mask: Any = None,
    maskthresh: float = 0.0,
    minarea: int = 5,
    filter_kernel: Any = default_kernel,
    filter_type: str = "matched",
    deblend_nthresh: int = 32,
    deblend_cont: float = 0.005,
    clean: bool = True,
    clean_param: float = 1.0,
    segmentation_map: Any = None,
) -> Any:
    """Extracts the sources of an image whose background is subtracted.

    Parameters, defaults and results are those of ``sep.extract``, with four differences. Deblending has a fixed draw
    instead of random numbers, so that a blend does not depend on others (as in Skyfarm's scans). A full pixel buffer and a
    blend of too many objects are no errors: the buffer and the limit grow. The mask holds on the first rows, too. And
    other threads run meanwhile.

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
        Whether to return the map of the objects' pixels as well. The objects of a given map are measured as they are, in
        the order of their numbers; 0 is no object.

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
        # SEP does not mask the first rows before the filter.
        image = Image(np.where(image.mask != 0, 0, image.data), err=err, var=var, gain=gain, mask=mask)
    bands = Extraction(
        image.data, image.noise_type, image.noise_value, gain or 0.0, thresh, minarea, kernel,
        1 if filter_type == "matched" else 0, deblend_nthresh, deblend_cont, bool(clean), clean_param, _OBJECT, _limits,
        _grown,
    )  # fmt: skip
    if image.noise is not None:
        objects, segmap = _objects(_under_map(image, bands), image, bool(segmentation_map))
    elif image.mask is None and is_cut(image.data.shape):
        # SEP computes in single precision.
        bands.data = np.ascontiguousarray(image.data, np.float32)
        objects, segmap = extract_bands(bands, bool(segmentation_map))
    else:
        objects, segmap = _objects(bands.call(image), image, bool(segmentation_map))
    return (objects, segmap) if segmentation_map else objects


def _under_map(image: Image, extraction: Extraction) -> c_void_p:
    """The catalogue of an image under a noise map. SEP reads the thresholds of islands at the edges as 0."""
    field = KernelInput(image, extraction.kernel, extraction.thresh)
    detection = field.detection
    detection.least_area = extraction.minarea
    detection.is_matched = int(extraction.filter_type == 1 and extraction.kernel is not None)
    detection.levels, detection.contrast = extraction.deblend_nthresh, extraction.deblend_cont
    # The threshold behind an island, as in SEP, if there is one.
    detection.threshold_of = 1
    power = extraction.clean_param if extraction.clean else 0.0
    return _made(library().skyfarm_extract_under_map(byref(field.field), byref(detection), power))


def _segments(image: Image, segmap: Array, kernel: Array | None, thresh: float) -> tuple[Array, Array | None]:
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
    catalogue = _made(
        library().skyfarm_measure_segments(
            byref(field.field), byref(field.detection), places.ctypes.data, counts.ctypes.data, len(counts)
        )
    )
    return _objects(catalogue, image, True)


def _made(catalogue: int | None) -> c_void_p:
    if not catalogue:
        raise MemoryError("no memory for the objects")
    return c_void_p(catalogue)


def _objects(catalogue: c_void_p, image: Image, wants_map: bool) -> tuple[Array, Array | None]:
    try:
        objects = np.zeros(library().skyfarm_count(catalogue), _OBJECT)
        segmap = np.zeros(image.data.shape, np.int32) if wants_map else None
        library().skyfarm_objects_of(catalogue, objects.ctypes.data, None if segmap is None else segmap.ctypes.data)
    finally:
        library().sep_catalog_free(catalogue)
    return objects, segmap


def _limits() -> tuple[int, int]:
    return get_extract_pixstack(), get_sub_object_limit()


def _grown(status: int, pixels: int, limits: tuple[int, int]) -> bool:
    """Whether a limit that was exceeded is larger now than before, in `limits`: this raises it, unless another thread has."""
    exceeded = {BUFFER_FULL: 0, BLEND_FULL: 1}.get(status)
    if exceeded is not None and _limits()[exceeded] > limits[exceeded]:
        return True
    if status == BUFFER_FULL and get_extract_pixstack() < 2 * pixels + 1000:
        set_extract_pixstack(min(8 * get_extract_pixstack(), 2 * pixels + 1000))
        return True
    if status == BLEND_FULL and get_sub_object_limit() < 1 << 20:
        set_sub_object_limit(8 * get_sub_object_limit())
        return True
    return False


def set_extract_pixstack(size: int) -> None:
    """Sets the size in pixels of the buffer with which `extract` begins."""
    library().sep_set_extract_pixstack(size)


def get_extract_pixstack() -> int:
    """The size in pixels of the buffer with which `extract` begins."""
    return int(library().sep_get_extract_pixstack())


def set_sub_object_limit(limit: int) -> None:
    """Sets the number of objects of a blend for which `extract` has room at first."""
    library().sep_set_sub_object_limit(limit)


def get_sub_object_limit() -> int:
    """The number of objects of a blend for which `extract` has room at first."""
    return int(library().sep_get_sub_object_limit())
