"""The pixels of a catalogue's image, and the sources in them: cut-outs and pictures."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from astropy.io import fits

from ._memory import Array, two_axes

if TYPE_CHECKING:
    from ._catalogue import Catalogue

#: A picture has at most about so many rows and columns.
_SIDE = 2048
#: Columns and rows of positions, and the position of the first pixel's centre.
_POSITIONS = (("x", "y", 0), ("x_image", "y_image", 1), ("X_IMAGE", "Y_IMAGE", 1), ("XWIN_IMAGE", "YWIN_IMAGE", 1))
#: Axes and angles of ellipses, and the factor from their unit to degrees.
_ELLIPSES = (("a", "b", "theta", 180 / np.pi), ("A_IMAGE", "B_IMAGE", "THETA_IMAGE", 1.0))
#: The plane, from 1, at the end of an image's name in a catalogue.
_PLANE = re.compile(r"\[\d+\]\[(\d+)\]$")


def pixels(catalogue: Catalogue, image: Any) -> Array:
    """The pixels of the image of a catalogue's rows: `image` if it is given, else those that were scanned.

    Raises
    ------
    ValueError
        If the catalogue has no image, or several.
    OSError
        If the file cannot be read any more.
    """
    if image is not None:
        return two_axes(getattr(image, "data", image) if hasattr(image, "header") else image, "image")
    source = catalogue._source
    if source is None:
        raise ValueError("image: this table does not know its image; give it, as an array")
    if not isinstance(source, str):
        array: Array = source
        return array
    images = catalogue._images
    if "hdu" in catalogue.colnames and len(catalogue) > 0:
        numbers = set(np.unique(catalogue["hdu"]))
        images = [(name, hdu) for name, hdu in images if hdu in numbers]
    if len(images) != 1:
        raise ValueError(
            f"image: the table has sources of {len(images)} images; choose the rows of one, as in"
            " sources[sources['hdu'] == 1], or give its pixels"
        )
    plane = _PLANE.search(images[0][0])
    with fits.open(source if os.path.exists(source) else source.partition("[")[0], memmap=False) as hdus:
        data = hdus[images[0][1]].data
    number = int(plane[1]) - 1 if plane else 0
    return np.asarray(data if data.ndim == 2 else data.reshape(-1, *data.shape[-2:])[number])


def positions(catalogue: Catalogue) -> tuple[Array, Array]:
    """Columns and rows of the sources, from 0."""
    for x, y, first in _POSITIONS:
        if x in catalogue.colnames and y in catalogue.colnames:
            return np.asarray(catalogue[x], float) - first, np.asarray(catalogue[y], float) - first
    names = ", or ".join(f"{x} and {y}" for x, y, _ in _POSITIONS)
    raise ValueError(f"the table has no positions in pixels: it needs the columns {names}")


def cutouts(image: Array, x: Array, y: Array, size: int) -> Array:
    """Squares around positions, NaN beyond the image's edges and around positions that are no numbers."""
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
        raise ValueError(f"size: a cut-out has at least one pixel a side, not {size!r}")
    kind = (
        np.float64 if image.dtype.itemsize > 4 or image.dtype.kind in "iu" and image.dtype.itemsize > 2 else np.float32
    )
    result = np.full((len(x), size, size), np.nan, kind)
    height, width = image.shape
    for index, (column, row) in enumerate(zip(x, y)):
        if not (abs(column) < 2**31 and abs(row) < 2**31):
            continue
        left, top = int(np.rint(column)) - size // 2, int(np.rint(row)) - size // 2
        first, last = max(left, 0), min(left + size, width)
        start, end = max(top, 0), min(top + size, height)
        if first < last and start < end:
            result[index, start - top : end - top, first - left : last - left] = image[start:end, first:last]
    return result


def show(
    image: Array, catalogue: Catalogue, ax: Any, scale: float, percentiles: tuple[float, float], color: str
) -> Any:
    """Draws the image with an ellipse for each source."""
    try:
        from matplotlib import pyplot
        from matplotlib.collections import EllipseCollection
    except ImportError as failure:
        raise ImportError("show() needs matplotlib: pip install 'skyfarm[plot]'") from failure
    if ax is None:
        ax = pyplot.subplots(figsize=(8, 8), layout="constrained")[1]
    step = max(1, -(-max(image.shape) // _SIDE))
    seen = np.asarray(image[::step, ::step], np.float64)
    finite = seen[np.isfinite(seen)]
    low, high = np.percentile(finite, percentiles) if finite.size else (0.0, 1.0)
    rows, columns = seen.shape
    edges = (-0.5, columns * step - 0.5, -0.5, rows * step - 0.5)
    ax.imshow(seen, origin="lower", cmap="gray", vmin=low, vmax=high, extent=edges, interpolation="nearest")
    x, y = positions(catalogue)
    width, height, angle = _ellipses(catalogue, scale)
    ax.add_collection(
        EllipseCollection(
            width, height, angle, units="xy", offsets=np.column_stack([x, y]), offset_transform=ax.transData,
            facecolors="none", edgecolors=color, linewidths=0.8,
        )
    )  # fmt: skip
    ax.set(xlabel="x / pix", ylabel="y / pix", xlim=(-0.5, image.shape[1] - 0.5), ylim=(-0.5, image.shape[0] - 0.5))
    return ax


def _ellipses(catalogue: Catalogue, scale: float) -> tuple[Array, Array, Array]:
    """Full axes in pixels and angles in degrees; circles where the table has no shapes."""
    for a, b, theta, factor in _ELLIPSES:
        if {a, b, theta}.issubset(catalogue.colnames):
            axes = [2 * scale * np.asarray(catalogue[name], float) for name in (a, b)]
            return axes[0], axes[1], factor * np.asarray(catalogue[theta], float)
    round_ = np.full(len(catalogue), 2 * scale * 2)
    return round_, round_, np.zeros(len(catalogue))
