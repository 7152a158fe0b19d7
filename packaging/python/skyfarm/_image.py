"""What can be scanned: files, arrays, and what astropy makes of them."""

from __future__ import annotations

import os
import warnings
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from astropy.io import fits
from astropy.io.fits.verify import VerifyError
from astropy.utils.exceptions import AstropyUserWarning

from ._memory import Array, fits_file, path, two_axes

#: The powers that make standard deviations of uncertainties.
_POWERS = {"std": 1.0, "var": 0.5, "ivar": -0.5}


@dataclass
class Image:
    """An image as a word of the command line.

    Attributes
    ----------
    word : str
        The file's name, with the HDU in brackets; or that of a file in memory.
    pixels : array or str
        The array, or the file's absolute name.
    shapes : set of tuple of int
        Rows and columns of the images; empty if they are not known.
    mask : array or None
        The mask that belongs to the image.
    noise : array or None
        The standard deviations that belong to the image.
    descriptors : list of int
        Files in memory, which the program inherits.
    """

    word: str
    pixels: Any
    shapes: set[tuple[int, ...]]
    mask: Any = None
    noise: Any = None
    descriptors: list[int] = field(default_factory=list)

    @property
    def name(self) -> str | None:
        """What a catalogue calls an image that has no file."""
        return None if isinstance(self.pixels, str) else "array"


def image(source: Any, hdu: int | str | None, header: Any, wcs: Any, stack: ExitStack) -> Image:
    """The image of a file or array; files in memory are closed by `stack`."""
    if isinstance(source, (str, os.PathLike)):
        if header is not None or wcs is not None:
            raise TypeError("a file has its own header: header and wcs are for arrays")
        word = os.fspath(source)
        return Image(word if hdu is None else f"{word}[{hdu}]", os.path.abspath(word), _shapes(word, hdu))
    if hdu is not None:
        raise TypeError("hdu selects an image of a file; an array is one image")
    data, mask, cards = _parts(source)
    cards.update(_cards(header))
    if wcs is not None:
        cards.update(wcs.to_header(relax=True))
    data = two_axes(data, "image")
    noise = _noise(source)
    descriptor = stack.enter_context(fits_file(data, cards))
    return Image(path(descriptor), data, {data.shape}, mask, noise, [descriptor])


def plane(source: Any, name: str, shapes: set[tuple[int, ...]], stack: ExitStack) -> tuple[str, list[int]]:
    """An argument that belongs to an image, such as its mask, as a word of the command line, and its file in memory.

    Raises
    ------
    ValueError
        If it is an array whose shape is none of the images'.
    """
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source), []
    data, mask, _ = _parts(source)
    if mask is not None and np.any(mask):
        raise ValueError(f"{name}: has masked values; give an array without a mask")
    array = two_axes(data, name)
    if shapes and array.shape not in shapes:
        raise ValueError(f"{name}: has the shape {array.shape}, the image {' or '.join(map(str, sorted(shapes)))}")
    descriptor = stack.enter_context(fits_file(array != 0 if name == "mask" else array))
    return path(descriptor), [descriptor]


def _shapes(file: str, hdu: int | str | None) -> set[tuple[int, ...]]:
    """The shapes of a file's images, or of one; empty if astropy cannot tell, as for a file on a node."""
    shapes: set[tuple[int, ...]] = set()
    with suppress(OSError, KeyError, IndexError, ValueError, TypeError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with fits.open(file, lazy_load_hdus=True) as hdus:
            for part in hdus if hdu is None else [hdus[hdu]]:
                shape = getattr(part, "shape", ())
                if part.is_image and len(shape) >= 2 and np.prod(shape) > 0:
                    shapes.add(tuple(shape[-2:]))
    return shapes


def _parts(source: Any) -> tuple[Array, Any, fits.Header]:
    """Samples, mask and header of an array, a masked array, a quantity, an HDU or an NDData."""
    cards = fits.Header()
    if isinstance(source, (fits.PrimaryHDU, fits.ImageHDU, fits.CompImageHDU)):
        if source.data is None:
            raise ValueError("the HDU has no image")
        return source.data, None, _cards(source.header)
    if isinstance(source, np.ndarray):
        array: Any = source
        mask = getattr(array, "mask", None)
        if getattr(array, "unit", None) is not None:
            cards["BUNIT"] = _unit(array)
        # The samples of numpy's and of astropy's masked arrays.
        samples = array.data if isinstance(array, np.ma.MaskedArray) else getattr(array, "unmasked", array)
        return np.asarray(samples), None if mask is np.ma.nomask else mask, cards
    if hasattr(source, "data") and hasattr(source, "wcs") and hasattr(source, "mask"):
        cards.update(_cards(source.meta))
        if source.wcs is not None:
            cards.update(source.wcs.to_header(relax=True))
        if source.unit is not None:
            cards["BUNIT"] = _unit(source)
        data = np.asarray(source.data)
        # A mask may be one value for all pixels.
        mask = source.mask if source.mask is None or np.ndim(source.mask) else np.full(data.shape, bool(source.mask))
        return data, mask, cards
    return np.asarray(source), None, cards


def _noise(source: Any) -> Array | None:
    """The uncertainty of an NDData as standard deviations in the unit of its samples.

    Pixels whose uncertainty is not positive or not finite get a value that the program masks.
    """
    uncertainty = getattr(source, "uncertainty", None)
    if uncertainty is None or getattr(uncertainty, "array", None) is None:
        return None
    power = _POWERS.get(uncertainty.uncertainty_type)
    if power is None:
        raise ValueError(
            f"uncertainty: {type(uncertainty).__name__} cannot be used; make it a StdDevUncertainty,"
            " VarianceUncertainty or InverseVariance, or scan the data without it"
        )
    values: Array = np.asarray(uncertainty.array)
    if values.ndim == 0:
        values = np.full(np.shape(source.data), values)
    if values.shape != np.shape(source.data):
        raise ValueError(f"uncertainty: has the shape {values.shape}, the image {np.shape(source.data)}")
    with np.errstate(all="ignore"):
        noise: Array = values if power == 1 else np.sqrt(values if power > 0 else 1 / values)
    if uncertainty.unit is not None and source.unit is not None:
        factor = float((uncertainty.unit**power).to(source.unit))
        noise = noise if factor == 1 else noise * factor
    return noise


def _writable(header: fits.Header) -> fits.Header:
    """The cards of a header that FITS can store: real files have others, which the program would not need either."""
    cards = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AstropyUserWarning)
        for card in header.copy().cards:
            try:
                card.verify("silentfix+ignore")
                str(card)
            except (VerifyError, ValueError):
                continue
            cards.append(card)
    return fits.Header(cards)


def _unit(source: Any) -> str:
    try:
        text: str = source.unit.to_string("fits")
        return text
    except ValueError:
        return str(source.unit)


def _cards(header: Any) -> fits.Header:
    if header is None:
        return fits.Header()
    if isinstance(header, fits.Header):
        return _writable(header)
    cards = fits.Header()
    for key, value in header.items():
        if isinstance(key, str) and len(key) <= 8 and isinstance(value, (bool, int, float, str, np.number)):
            # A value that FITS has no form for, such as NaN or a text that is not ASCII, is left out.
            with suppress(ValueError, VerifyError):
                cards[key] = value
    return _writable(cards)
