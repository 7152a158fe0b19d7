"""Masters of raw frames, and frames that are calibrated by them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from . import _program
from ._errors import InputError, SkyfarmError
from ._options import PathLike

Frames = Union[PathLike, Iterable[PathLike]]


def combine(
    frames: Frames,
    output: PathLike,
    *,
    method: str | None = None, sigma: float | None = None, iterations: int | None = None,
    scale: str | None = None, mask: PathLike | Sequence[PathLike] | None = None,
    count: bool = False, scatter: bool = False, report: PathLike | None = None,
    bias: PathLike | None = None, dark: PathLike | None = None, dark_scale: str | None = None,
    overwrite: bool = False, local_slots: int | None = None,
) -> Path:  # fmt: skip
    """Combines frames to a master, as ``skyfarm combine`` does, and returns its file.

    Parameters
    ----------
    frames : path, or iterable of paths
        FITS files, folders and patterns.
    output : path
        The file of the master; with the ending ``.fz`` it is stored in compressed tiles.
    method : {"median", "mean", "clip"}, optional
        How the values of a pixel are combined.
    sigma, iterations : float, int, optional
        With ``"clip"``: the limit of rejection in standard deviations, and how often values are rejected at most.
    scale : {"none", "median", "mean"} or str, optional
        By what each frame is divided: its own level, or the value of a card.
    mask : path or sequence of paths, optional
        Images that are not 0 where pixels are left out; a name may have fields, as in ``"{stem}.mask.fits"``.
    count, scatter : bool
        Whether the master has extensions with the number and the standard deviation of the values used.
    report : path, optional
        An HTML file for a page with the pictures of master and scatter and the levels of the frames.
    bias, dark : path, optional
        Masters to subtract.
    dark_scale : {"exptime", "none"}, optional
        Whether the dark is scaled by the exposure times.
    overwrite : bool
        Whether a file that exists is replaced.
    local_slots : int, optional
        Number of threads.

    Raises
    ------
    InputError
        If a frame cannot be read or differs from the others; nothing is then written.
    """
    words = _words(dict(locals()), ("frames", "output"))
    command = _program.run(["combine", *_names(frames), "-o", os.fspath(output), *words, "--json"])
    if command.exit_code != 0:
        raise command.error
    return Path(output)


@dataclass
class CalibratedFrame:
    """What became of a frame of `calibrate`.

    Attributes
    ----------
    path : str
        The raw frame.
    output : Path or None
        The calibrated frame; None if there is none.
    cosmic_rays : int or None
        Number of pixels of cosmic rays, if they were searched.
    without_value : int or None
        Number of pixels that are NaN.
    error : SkyfarmError or None
        Why the frame could not be calibrated.
    """

    path: str
    output: Path | None = None
    cosmic_rays: int | None = None
    without_value: int | None = None
    error: SkyfarmError | None = None


def calibrate(
    frames: Frames,
    output: PathLike,
    *,
    overscan: str | None = None, overscan_method: str | None = None, trim: str | None = None,
    bias: PathLike | None = None, dark: PathLike | None = None, dark_scale: str | None = None,
    flat: PathLike | None = None, bad_pixels: PathLike | None = None,
    saturation: float | str | None = None, gain: float | str | None = None, electrons: bool = False,
    cosmic_rays: bool | str = False, read_noise: float | str | None = None, cr_sigclip: float | None = None,
    cr_sigfrac: float | None = None, cr_objlim: float | None = None, cr_iterations: int | None = None,
    cr_medians: str | None = None, cr_clean: str | None = None,
    group: str | Sequence[str] | None = None, temperature_limit: float | None = None,
    masters: PathLike | None = None, recursive: bool = False,
    compress: bool = False, overwrite: bool = False, report: PathLike | None = None,
    nodes: Sequence[str] | None = None, srv: Sequence[str] | None = None, discovery: bool = True,
    wait: float | None = None, local_slots: int | None = None, only: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None, priority_weight: float | None = None, band: int | None = None,
) -> list[CalibratedFrame]:  # fmt: skip
    """Calibrates raw frames, as ``skyfarm calibrate`` does.

    A frame that cannot be calibrated does not end the others: its result has the error.

    Parameters
    ----------
    frames : path, or iterable of paths
        FITS files, folders and patterns. A folder is sorted by the headers of its frames if no master is named: its
        masters are made, and its light frames are calibrated.
    output : path
        A folder, whose name ends in ``/`` or which exists; or a template such as ``"red/{stem}.fits"``.
    overscan, trim : str, optional
        Sections such as ``"[2049:2080,1:4096]"``, or ``"auto"`` for those of the header; ``"none"`` for a folder whose
        headers tell some that are not to be used.
    bias, dark, flat, bad_pixels : path, optional
        Masters, and an image that is not 0 where pixels are bad.
    saturation, gain, read_noise : float or str, optional
        A number, a keyword of the header, or ``"auto"``.
    electrons : bool
        Whether pixels are multiplied by the gain.
    cosmic_rays : bool or {"clean", "mask"}
        Whether cosmic rays are found and replaced, or become NaN.
    group : str or sequence of str, optional
        What the frames of a folder and their masters have in common, as ``["filter", "gain", "INSTRUME"]``.
    masters : path, optional
        The folder of the masters that are made, or kept from an earlier call.
    report : path, optional
        An HTML file for a page with pictures of masters and frames and what was found in them.
    nodes : sequence of str, optional
        Addresses HOST:PORT of nodes that search cosmic rays (``--node``).
    discovery : bool
        Whether nodes of the network are discovered for that (``--no-discovery``).
    **others
        The flags of the command, without dashes.

    Raises
    ------
    SkyfarmError
        If no frame can be calibrated at all, as for a master that cannot be read.
    """
    given = dict(locals())
    names = _names(frames)
    keys = group if group is None or isinstance(group, str) else ",".join(group)
    flags = {**given, "cosmic_rays": None, "group": keys, "node": nodes, "no_discovery": not discovery}
    words = _words(flags, ("frames", "output", "nodes", "discovery"))
    if cosmic_rays:
        words.append("--cosmic-rays=" + ("clean" if cosmic_rays is True else str(cosmic_rays)))
    folder = os.fspath(output) + ("/" if isinstance(output, Path) and not output.suffix else "")
    command = _program.run(["calibrate", *names, "-o", folder, *words, "--json"])
    if not command.output:
        raise command.error
    return [_frame(file) for file in json.loads(command.output)["files"]]


def _frame(file: dict[str, Any]) -> CalibratedFrame:
    error = file.get("error")
    written = file.get("output")
    return CalibratedFrame(
        path=file["file"],
        output=None if written is None else Path(written),
        cosmic_rays=file.get("cosmicRays"),
        without_value=file.get("withoutValue"),
        error=None if error is None else InputError(error, 5),
    )


def _names(frames: Frames) -> list[str]:
    if isinstance(frames, (str, os.PathLike)):
        return [os.fspath(frames)]
    names = [os.fspath(frame) for frame in frames]
    if not names:
        raise ValueError("frames: there is none")
    return names


def _words(given: dict[str, Any], others: Sequence[str]) -> list[str]:
    """The flags of those arguments that are given."""
    words = []
    for name, value in given.items():
        if name in others or value is None or value is False:
            continue
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            words += [f"{flag}={os.fspath(item)}" for item in value]
        else:
            words.append(f"{flag}={value}")
    return words
