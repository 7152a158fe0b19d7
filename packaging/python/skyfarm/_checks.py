"""Images that a scan makes beside its catalogue: the map of its sources, the background, and other check images."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

import numpy as np
from astropy.io import fits

from ._memory import Array
from ._options import PathLike

#: One image; or several, in the order of the images of a file.
CheckImage = Union[Array, "list[Array]"]


class CheckImages:
    """What is asked for: the words of the command, and the files that are read afterwards.

    Parameters
    ----------
    segmentation : bool, path or None
        Whether the map is returned, or the file that gets it.
    check_image : str, sequence or mapping, or None
        Types of images that are returned; or a mapping of types to files.
    stem : str
        The beginning of the names of files in memory; may be a template of names.
    """

    def __init__(self, segmentation: Any, check_image: Any, stem: str) -> None:
        wanted = _wanted(check_image)
        if isinstance(segmentation, (str, os.PathLike)) or segmentation:
            wanted["SEGMENTATION"] = None if segmentation is True else segmentation
        self.words: list[str] = []
        #: Types by the endings of the names of the files that are read.
        self._endings: dict[str, str] = {}
        for index, (kind, file) in enumerate(wanted.items()):
            if file is None:
                self._endings[f".check-{index}.fits"] = kind
            self.words += [
                "--check-image",
                f"{kind}={f'{stem}.check-{index}.fits' if file is None else os.fspath(file)}",
            ]

    def read(self, files: list[str]) -> dict[str, CheckImage]:
        """Reads and removes the images that are among the files of an image."""
        found: dict[str, CheckImage] = {}
        for file in files:
            for ending, kind in self._endings.items():
                if file.endswith(ending):
                    found[kind] = _read(Path(file))
                    os.unlink(file)
        return found


def _wanted(check_image: Any) -> dict[str, PathLike | None]:
    """The files by types; None for images that are returned."""
    if check_image is None:
        return {}
    if isinstance(check_image, str):
        check_image = [check_image]
    if isinstance(check_image, Mapping):
        return {str(kind).upper(): None if file is True else file for kind, file in check_image.items()}
    return {str(kind).upper(): None for kind in check_image}


def _read(file: Path) -> CheckImage:
    with fits.open(file, memmap=False) as hdus:
        images = [_native(hdu.data) for hdu in hdus if hdu.is_image and hdu.data is not None]
    return images[0] if len(images) == 1 else images


def _native(array: Array) -> Array:
    """The array in this machine's byte order; changes it."""
    if array.dtype.isnative:
        return array
    return array.byteswap(inplace=True).view(array.dtype.newbyteorder("="))
