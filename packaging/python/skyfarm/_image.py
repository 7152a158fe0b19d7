"""What can be scanned: files, arrays, and what astropy makes of them."""

from __future__ import annotations

import os
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from astropy.io import fits
from astropy.io.fits.verify import VerifyError
from astropy.utils.exceptions import AstropyUserWarning

from ._memory import Array, fits_file, path, two_axes


@dataclass
class Image:
    """An image as a word of the command line.

    Attributes
    ----------
    word : str
        The file's name, with the HDU in brackets; or that of a file in memory.
    name : str or None
        What a catalogue calls an image that has no file.
    mask : array, str or None
        The mask that belongs to the image.
    descriptors : list of int
        Files in memory, which the program inherits.
    """

    word: str
    name: str | None
    mask: Any
    descriptors: list[int]


def image(source: Any, hdu: int | str | None, header: Any, wcs: Any, stack: ExitStack) -> Image:
    """The image of a file or array; files in memory are closed by `stack`."""
    if isinstance(source, (str, os.PathLike)):
        if header is not None or wcs is not None:
            raise TypeError("a file has its own header: header and wcs are for arrays")
        word = os.fspath(source)
        return Image(word if hdu is None else f"{word}[{hdu}]", None, None, [])
    if hdu is not None:
        raise TypeError("hdu selects an image of a file; an array is one image")
    data, mask, cards = _parts(source)
    cards.update(_cards(header))
    if wcs is not None:
        cards.update(wcs.to_header(relax=True))
    descriptor = stack.enter_context(fits_file(two_axes(data), cards))
    return Image(path(descriptor), "array", mask, [descriptor])


def plane(source: Any, stack: ExitStack, is_mask: bool) -> Image:
    """A mask or weight map as a word of the command line."""
    if isinstance(source, (str, os.PathLike)):
        return Image(os.fspath(source), None, None, [])
    array = two_axes(source)
    descriptor = stack.enter_context(fits_file(array != 0 if is_mask else array))
    return Image(path(descriptor), None, None, [descriptor])


def _parts(source: Any) -> tuple[Array, Any, fits.Header]:
    """Samples, mask and header of an array, a masked array, a quantity, an HDU or an NDData."""
    cards = fits.Header()
    if isinstance(source, (fits.PrimaryHDU, fits.ImageHDU, fits.CompImageHDU)):
        if source.data is None:
            raise ValueError("the HDU has no image")
        return source.data, None, _cards(source.header)
    if isinstance(source, np.ndarray):
        masked: Any = source
        mask = masked.mask if isinstance(source, np.ma.MaskedArray) and masked.mask is not np.ma.nomask else None
        if getattr(source, "unit", None) is not None:
            cards["BUNIT"] = _unit(source)
        return np.asarray(masked.data if isinstance(source, np.ma.MaskedArray) else source), mask, cards
    if hasattr(source, "data") and hasattr(source, "wcs") and hasattr(source, "mask"):
        cards.update(_cards(source.meta))
        if source.wcs is not None:
            cards.update(source.wcs.to_header(relax=True))
        if source.unit is not None:
            cards["BUNIT"] = _unit(source)
        return np.asarray(source.data), source.mask, cards
    return np.asarray(source), None, cards


def _writable(header: fits.Header) -> fits.Header:
    """The cards of a header that astropy can write: real files have others, which the program would not need either."""
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
        if isinstance(value, (bool, int, float, str, np.number)) and len(key) <= 8:
            cards[key] = value
    return cards
