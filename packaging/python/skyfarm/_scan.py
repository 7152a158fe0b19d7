"""Scans of images."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _catalogue, _image, _program
from ._catalogue import Catalogue
from ._errors import IncompleteError, InputError, SkyfarmError
from ._errors import error as error_of
from ._live import LiveLike, Viewer, in_notebook
from ._options import PathLike, ScanOptions, flags
from ._progress import ProgressLike, receiver

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: A catalogue is no job to be resumed: it is returned, and its file removed.
_COMMON = ["--no-journal", "--json", "--color", "never", "--log-format", "auto", "--progress"]


def scan(
    image: Any,
    *,
    hdu: int | str | None = None,
    mask: Any = None,
    weight: Any = None,
    header: Any = None,
    wcs: Any = None,
    progress: ProgressLike | None = None,
    thumbnail: bool | None = None,
    live: LiveLike = False,
    **options: Unpack[ScanOptions],
) -> Catalogue:
    """Finds the sources of an image on this machine and every node of the network.

    The values are those of ``skyfarm scan``: x and y are pixels from 0, x_image and y_image from 1, ra and dec degrees if
    the header has a celestial coordinate system.

    Parameters
    ----------
    image : str, path, array, HDU or NDData
        A FITS file, of which every 2-D image is scanned unless `hdu` is given; or an array of any integer or float type,
        byte order and strides, which reaches the program as a file in memory. A masked array's mask is used.
    hdu : int or str, optional
        Number or EXTNAME of the HDU of a file.
    mask : array or file, optional
        Pixels that are not 0 are ignored.
    weight : array or file, optional
        Weight map: the noise of each pixel is its inverse square root; pixels of weight 0 are ignored.
    header : fits.Header or dict, optional
        Header of an array.
    wcs : astropy.wcs.WCS, optional
        Coordinate system of an array, for ra and dec.
    progress : callable or tqdm, optional
        Is called with a `Progress` for each event, or is a progress bar, which counts pixels.
    thumbnail : bool, optional
        Whether the result has the image as PNG, which a notebook shows. By default only for arrays in a notebook.
    live : bool or callable, optional
        Shows the live page while the scan runs: in a notebook in a frame, which keeps the page of the finished scan,
        elsewhere in a browser. A function is called with the `LivePage` instead.
    **options
        As in `ScanOptions`.

    Returns
    -------
    Catalogue
        A table with units, descriptions and the catalogue's header as ``meta``.

    Raises
    ------
    SkyfarmError
        With the program's words and exit code. `IncompleteError` has the sources of the sectors that were scanned.
    KeyboardInterrupt
        After Ctrl-C, when the program has ended.

    Examples
    --------
    >>> import numpy as np, skyfarm
    >>> y, x = np.mgrid[0:200, 0:200]
    >>> sky = np.random.default_rng(1).normal(100, 1, x.shape)
    >>> sky += 50 * np.exp(-((x - 80) ** 2 + (y - 120) ** 2) / 8)
    >>> sources = skyfarm.scan(sky, discovery=False, threshold=5)
    >>> len(sources), sources["x"].unit
    (1, Unit("pix"))
    >>> print(f"{sources['x'][0]:.1f} {sources['y'][0]:.1f}")
    80.0 120.0
    """
    with ExitStack() as stack:
        folder = stack.enter_context(_folder())
        words = flags(options, folder)
        source = _image.image(image, hdu, header, wcs, stack)
        if mask is not None and source.mask is not None:
            raise TypeError("the array has a mask of its own; give one of the two")
        for flag, plane in (("--mask", source.mask if mask is None else mask), ("--weight", weight)):
            if plane is not None:
                file = _image.plane(plane, stack, is_mask=flag == "--mask")
                words += [flag, file.word]
                source.descriptors += file.descriptors
        picture: Path | None = None
        if thumbnail or thumbnail is None and source.name is not None and in_notebook():
            picture = Path(options["preview"]) if "preview" in options else folder / "preview.png"
            words += [] if "preview" in options else ["--preview", str(picture)]
        viewer = Viewer(live)
        page = Path(options["report"]) if "report" in options else None
        if page is None and viewer.is_framed:
            page = folder / "page.html"
            words += ["--report", str(page)]
        output = folder / "catalogue.fits"
        words = [source.word, "-o", str(output), *words, *viewer.words]
        try:
            receive = receiver(progress)
            words = ["scan", *words, *_COMMON, "never" if receive is None else "json"]
            command = _program.run(words, source.descriptors, receive, viewer.read)
        finally:
            viewer.end(page, "The scan has ended without a page.")
        catalogue = _catalogue.read(str(output), source.name) if output.exists() else None
        if catalogue is not None:
            catalogue.report = json.loads(command.output)
            catalogue.thumbnail = None if picture is None else picture.read_bytes()
        error = _error(command)
    if catalogue is None or error is not None:
        error = error or SkyfarmError("the program wrote no catalogue", command.exit_code)
        if isinstance(error, IncompleteError):
            error.catalogue = catalogue
        raise error
    return catalogue


def _error(command: _program.Run) -> SkyfarmError | None:
    """The error of a scan, with the reasons of its report if there are any."""
    if command.exit_code == 0:
        return None
    reasons = []
    if command.output:
        report = json.loads(command.output)
        reasons = [reason for file in report["files"] for reason in file.get("errors", [])]
        images = [image for file in report["files"] for image in file["images"]]
        reasons += [sector["reason"] for image in images for sector in image["missing"]]
    return error_of("\n".join(reasons), command.exit_code) if reasons else command.error


@dataclass
class Result:
    """What became of a file of `scan_many`.

    Attributes
    ----------
    path : str
        The file.
    catalogue : Catalogue or None
        Its sources; None if no image of the file could be scanned.
    error : SkyfarmError or None
        Why the file, or images of it, could not be scanned.
    """

    path: str
    catalogue: Catalogue | None
    error: SkyfarmError | None = None


def scan_many(
    paths: Iterable[PathLike],
    *,
    progress: ProgressLike | None = None,
    live: LiveLike = False,
    **options: Unpack[ScanOptions],
) -> Generator[Result, None, None]:
    """Scans files as one job, and yields the result of each as soon as it is there.

    A file that cannot be scanned does not end the others: its result has the error. If the caller stops iterating, the
    job is stopped.

    Parameters
    ----------
    paths : iterable of str or path
        FITS files; every 2-D image of each is scanned, unless the HDU is given in brackets.
    progress, live, **options
        As for `scan`. The live page is the index of all images.

    Raises
    ------
    SkyfarmError
        If the job as a whole fails, as for a wrong option.

    Examples
    --------
    A file that is missing has an error::

        for result in skyfarm.scan_many(["night/1.fits", "night/2.fits"]):
            print(result.path, result.error or len(result.catalogue))
    """
    files = {_absolute(os.fspath(file)): os.fspath(file) for file in paths}
    if not files:
        return
    receive = receiver(progress)
    with _folder() as folder:
        # Files of the same name in different folders have catalogues of their own.
        viewer = Viewer(live)
        words = [*files, "-o", f"{folder}/{{dir}}/{{stem}}.fits", *flags(options, folder), *viewer.words]
        words += [*_COMMON, "json"]
        command = _program.Run(["scan", *words], on_message=viewer.read)
        try:
            with closing(command.events()) as events:
                for event in events:
                    if receive is not None:
                        receive(event)
                    if event["event"] == "file-ended":
                        yield _result(event, files)
        finally:
            pages = f"; its pages are in {os.fspath(options['report'])}" if "report" in options else ""
            viewer.end(None, f"The job of {len(files)} files has ended{pages}.")
        if not command.output:
            raise command.error


def _result(event: _program.Event, files: dict[str, str]) -> Result:
    """The result of a file, whose catalogue is removed."""
    name: str = event["file"]
    catalogue = None
    if event["outputs"]:
        catalogue = _catalogue.read(event["outputs"][0])
        os.unlink(event["outputs"][0])
    errors = event.get("errors")
    error = None if errors is None else InputError("\n".join(errors), 5)
    return Result(files.get(name, name), catalogue, error)


def _absolute(word: str) -> str:
    # "-" and "@LIST" are lists of names.
    return word if word == "-" or word.startswith("@") else os.path.abspath(word)


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder for small files, in memory if there is one."""
    memory = "/dev/shm"
    with tempfile.TemporaryDirectory(prefix="skyfarm-", dir=memory if os.access(memory, os.W_OK) else None) as name:
        yield Path(name)
