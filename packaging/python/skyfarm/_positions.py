"""Given positions, at which fluxes are measured, as a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from astropy.io import fits

from ._memory import Array

#: Columns that give positions, in the order in which the command looks for them.
_PAIRS = (("ra", "dec"), ("x", "y"), ("x_image", "y_image"))


def position_words(at: Any, folder: Path) -> list[str]:
    """The option for positions: a file, a table, coordinates, or columns and rows.

    Raises
    ------
    ValueError
        If they are no positions.
    """
    if at is None:
        return []
    if isinstance(at, (str, os.PathLike)):
        return ["--at", os.fspath(at)]
    columns = [fits.Column(name, "D", array=values) for name, values in _columns(at).items()]
    file = folder / "positions.fits"
    fits.BinTableHDU.from_columns(columns).writeto(file)
    return ["--at", str(file)]


def _columns(at: Any) -> dict[str, Array]:
    if hasattr(at, "icrs"):
        sky = at.icrs
        return _checked({"ra": sky.ra.deg, "dec": sky.dec.deg})
    if isinstance(at, tuple) and len(at) == 2:
        return _checked({"x": at[0], "y": at[1]})
    names = set(at) if isinstance(at, Mapping) else set(getattr(at, "colnames", None) or _names(at))
    for pair in _PAIRS:
        if names.issuperset(pair):
            return _checked({name: at[name] for name in pair})
    pairs = ", or ".join(" and ".join(pair) for pair in _PAIRS)
    raise ValueError(f"at: needs a table with columns {pairs}; a SkyCoord; a tuple of columns x and rows y; or a file")


def _names(at: Any) -> tuple[str, ...]:
    return getattr(getattr(at, "dtype", None), "names", None) or ()


def _degrees(values: Any) -> Any:
    """Values in degrees, of a column or quantity with another unit of angle, too."""
    unit = getattr(values, "unit", None)
    return values if unit is None or str(unit) == "pix" else np.asarray(values) * unit.to("deg")


def _checked(columns: dict[str, Any]) -> dict[str, Array]:
    result: dict[str, Array] = {}
    for name, values in columns.items():
        if np.any(getattr(values, "mask", False)):
            raise ValueError(f"at: the column {name} has masked values; leave their rows out")
        try:
            # After the mask was looked at, which the conversion does not keep.
            numbers = _degrees(values) if name in ("ra", "dec") else values
            result[name] = np.atleast_1d(np.asarray(numbers, np.float64))
        except (TypeError, ValueError):
            raise ValueError(f"at: the column {name} has values that are no numbers") from None
    lengths = [array.shape for array in result.values()]
    if lengths[0] != lengths[1] or len(lengths[0]) != 1:
        names = " and ".join(result)
        raise ValueError(f"at: {names} have the shapes {lengths[0]} and {lengths[1]}; both need one axis of one length")
    return result
