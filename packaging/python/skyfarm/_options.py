"""Arguments of `scan` and `scan_many` as options of the command ``skyfarm scan``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Union

import numpy as np

from ._memory import Array

PathLike = Union[str, "os.PathLike[str]"]

#: The words of the command line that an argument's value becomes.
Words = Callable[[str, Any], "list[str]"]


def _text(value: Any) -> str:
    return str(os.fspath(value) if isinstance(value, os.PathLike) else value)


def _value(flag: str, value: Any) -> list[str]:
    return [flag, _text(value)]


def _toggle(flag: str, value: Any) -> list[str]:
    return [flag] if value else []


def _inverted(flag: str, value: Any) -> list[str]:
    return [] if value else [flag]


def _repeated(flag: str, value: Any) -> list[str]:
    if isinstance(value, (str, os.PathLike)) or not np.iterable(value):
        raise TypeError(f"{flag[2:]}: give a list of names, not {value!r}")
    return [word for item in value for word in (flag, _text(item))]


def _commas(flag: str, value: Any) -> list[str]:
    is_list = np.iterable(value) and not isinstance(value, (str, os.PathLike))
    return [flag, ",".join(map(str, value)) if is_list else _text(value)]


def _or_off(word: str) -> Words:
    """A value, for which None and False are this word of the command."""
    return lambda flag, value: [flag, word if value is None or value is False else _text(value)]


def _rays(flag: str, value: Any) -> list[str]:
    return [] if value is False else [flag + "=" + ("clean" if value is True else _text(value))]


def _level(flag: str, value: Any) -> list[str]:
    if np.ndim(value) != 0:
        raise ValueError(
            f"{flag[2:]} is the level of the whole image, one number, not an array of shape {np.shape(value)};"
            f" subtract the array from the image and give {flag[2:]}=0"
        )
    return [flag, _text(value)]


def _trails(flag: str, value: Any) -> list[str]:
    """``"flag"``, ``"remove"``, the name of a table, or a list of these."""
    if isinstance(value, (str, os.PathLike)):
        return [flag, _text(value)]
    return _repeated(flag, value)


#: Arguments whose values are given to the command as they are, with its options.
OPTIONS: dict[str, tuple[str, Words]] = {
    **{
        name: ("--" + name.replace("_", "-"), _value)
        for name in """threshold min_area deblend_levels deblend_contrast mesh mesh_filter kron_factor kron_minimum
        filter noise weight_map limit_sigma neighbours zero_point saturation pixel_scale seeing nnw psf plane report
        preview wait local_slots priority_weight band timeout max_attempts where overscan overscan_method trim bias dark
        dark_scale flat bad_pixels raw_saturation raw_gain read_noise cr_sigclip cr_sigfrac cr_objlim cr_iterations
        cr_medians cr_clean""".split()
    },
    "cosmic_rays": ("--cosmic-rays", _rays),
    "background": ("--background", _level),
    "clean": ("--clean", _or_off("off")),
    "gain": ("--gain", _or_off("none")),
    "columns": ("--columns", _commas),
    "apertures": ("--apertures", _commas),
    "trails": ("--trails", _trails),
    "flux_fractions": ("--flux-fractions", _commas),
    "nodes": ("--node", _repeated),
    "srv": ("--srv", _repeated),
    "only": ("--only", _repeated),
    "exclude": ("--exclude", _repeated),
    "skip_hdu": ("--skip-hdu", _repeated),
    "priority": ("--priority", _repeated),
    "discovery": ("--no-discovery", _inverted),
    "allow_different_nodes": ("--allow-different-nodes", _toggle),
    "overwrite": ("--overwrite", _toggle),
    "samp": ("--samp", _toggle),
    "fail_fast": ("--fail-fast", _toggle),
    "recursive": ("--recursive", _toggle),
}

#: Arguments that may be arrays, which become files.
PLANES = {name: "--" + name.replace("_", "-") for name in ("mask", "weight", "detect", "detect_weight", "flag_image")}

#: Options of the command that are no arguments, each with the reason.
NOT_ARGUMENTS = {
    "--output": "the catalogue is returned",
    "--merged": "the catalogues are returned",
    "--json": "`Catalogue.report` has the result",
    "--progress": "`progress` gets the events",
    "--dashboard": "`live` shows the page",
    "--log-format": "messages are exceptions",
    "--quiet": "nothing is printed",
    "--verbose": "nothing is printed",
    "--color": "nothing is printed",
    "--help": "help(skyfarm.scan)",
    "--dry-run": "nothing would be returned",
    "--watch": "it does not end",
    "--watch-limit": "it belongs to --watch",
    "--skip-existing": "no catalogue exists before",
    "--fresh": "there is no journal",
    "--no-journal": "there is no journal",
    "--strict": "each result has its error",
}


def words(arguments: Mapping[str, Any]) -> list[str]:
    """The words of the command line for those arguments that are options of the command.

    An argument is left out, so that the command's default holds, if it is None; or if it is ``...``, where None is a
    value.
    """
    result: list[str] = []
    for name, (flag, convert) in OPTIONS.items():
        value = arguments.get(name)
        if value is None and name not in ("clean", "gain") or value is ... or name not in arguments:
            continue
        result += convert(flag, value)
    return result


def kernel_words(kernel: Any, folder: Path) -> list[str]:
    """The option for a kernel: a file, or an array, which becomes a file in `folder`."""
    if kernel is None:
        return []
    if isinstance(kernel, (str, os.PathLike)):
        return ["--kernel", os.fspath(kernel)]
    array: Array = np.asarray(kernel)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"kernel: an array of shape {array.shape} is no kernel: it needs two axes, rows and columns")
    file = folder / "kernel.conv"
    rows = (" ".join(repr(float(value)) for value in row) for row in array)
    file.write_text("CONV NORM\n" + "\n".join(rows) + "\n")
    return ["--kernel", str(file)]
