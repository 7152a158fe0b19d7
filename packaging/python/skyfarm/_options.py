"""Options of ``skyfarm scan`` as keyword arguments."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict, Union

import numpy as np

from ._memory import Array

PathLike = Union[str, "os.PathLike[str]"]


class ScanOptions(TypedDict, total=False):
    """Keyword arguments of `scan` and `scan_many`; those that are absent have the command's defaults.

    Detection, with SExtractor's parameters and defaults: ``threshold`` (1.5), ``min_area`` (5), ``deblend_levels`` (32),
    ``deblend_contrast`` (0.005), ``clean`` (1.0; None keeps all), ``mesh`` (64), ``mesh_filter`` (3), ``kron_factor``
    (2.5), ``kron_minimum`` (3.5), ``filter`` ("conv", "matched" or "none"), ``kernel`` (an array or a file), ``noise``
    ("global" or "map"), ``gain`` (electrons per unit, a header keyword, or None).

    Work: ``nodes`` (addresses HOST:PORT), ``srv`` (DNS names), ``discovery`` (True), ``wait`` (seconds), ``local_slots``
    (one per core; 0 scans on nodes alone), ``allow_different_nodes`` (False), ``band`` (rows), ``timeout`` (seconds),
    ``max_attempts`` (3).

    SExtractor's columns (Docs/SExtractor.md): ``columns`` (names, or a .param file) and, for those, ``apertures``
    (diameters), ``flux_fractions``, ``neighbours`` ("none", "blank" or "correct"), ``zero_point``, ``saturation``,
    ``pixel_scale``, ``seeing``, ``nnw`` and ``flag_image`` (files).

    Files of several images: ``skip_hdu`` (patterns of EXTNAME).

    Pages: ``report`` (a file, for many images a folder), ``preview`` (a PNG file), ``overwrite`` (False).
    """

    threshold: float
    min_area: int
    deblend_levels: int
    deblend_contrast: float
    clean: float | None
    mesh: int
    mesh_filter: int
    kron_factor: float
    kron_minimum: float
    filter: str
    kernel: Array | PathLike
    noise: str
    gain: float | str | None
    nodes: Sequence[str]
    srv: Sequence[str]
    discovery: bool
    wait: float
    local_slots: int
    allow_different_nodes: bool
    band: int
    timeout: float
    max_attempts: int
    columns: Sequence[str] | PathLike
    apertures: Sequence[float]
    flux_fractions: Sequence[float]
    neighbours: str
    zero_point: float
    saturation: float
    pixel_scale: float
    seeing: float
    nnw: PathLike
    flag_image: PathLike
    skip_hdu: Sequence[str]
    report: PathLike
    preview: PathLike
    overwrite: bool


#: Values of None, as the command writes them.
_NONE = {"clean": "off", "gain": "none"}
#: Lists that are one word of the command.
_LISTS = ("columns", "apertures", "flux_fractions")


def flags(options: ScanOptions, folder: Path) -> list[str]:
    """The command's flags; a kernel that is an array becomes a file in `folder`.

    Raises
    ------
    TypeError
        If there is no such option, or it cannot be None.
    """
    words: list[str] = []
    for name, value in options.items():
        if name not in ScanOptions.__annotations__:
            raise TypeError(f"unknown option {name!r}; use {', '.join(sorted(ScanOptions.__annotations__))}")
        flag = "--" + name.replace("_", "-")
        if value is None:
            if name not in _NONE:
                raise TypeError(f"{name} cannot be None; leave it out for the default")
            words += [flag, _NONE[name]]
        elif name in ("nodes", "srv", "skip_hdu"):
            words += _repeated("--node" if name == "nodes" else flag, value)
        elif name == "discovery":
            words += [] if value else ["--no-discovery"]
        elif name in ("allow_different_nodes", "overwrite"):
            words += [flag] if value else []
        elif name == "kernel" and isinstance(value, np.ndarray):
            words += [flag, str(_kernel_file(value, folder))]
        elif name in _LISTS and isinstance(value, (list, tuple, np.ndarray)):
            words += [flag, ",".join(map(str, value))]
        else:
            words += [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return words


def _repeated(flag: str, values: Any) -> list[str]:
    if isinstance(values, str):
        raise TypeError(f"{flag[2:]}: give a list of names, not the text {values!r}")
    return [word for value in values for word in (flag, str(value))]


def _kernel_file(kernel: Array, folder: Path) -> Path:
    if kernel.ndim != 2:
        raise ValueError(f"a kernel of shape {kernel.shape} has not two axes")
    file = folder / "kernel.conv"
    rows = (" ".join(repr(float(value)) for value in row) for row in kernel)
    file.write_text("CONV NORM\n" + "\n".join(rows) + "\n")
    return file
