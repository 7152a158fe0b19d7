"""Scans of images."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _catalogue, _image, _program
from ._catalogue import Catalogue
from ._checks import CheckImage, CheckImages
from ._errors import IncompleteError, InputError, SkyfarmError
from ._errors import error as error_of
from ._live import LiveLike, Viewer, in_notebook
from ._memory import Array
from ._options import PLANES, PathLike, kernel_words
from ._options import words as options
from ._positions import position_words
from ._progress import ProgressLike, receiver

if TYPE_CHECKING:
    from types import EllipsisType

#: A catalogue is no job to be resumed: it is returned, and its file removed.
_COMMON = ["--no-journal", "--json", "--color", "never", "--log-format", "auto", "--progress"]


def scan(
    image: Any,
    *,
    # Images: extensions and planes, masks and weights.
    hdu: int | str | None = None, header: Any = None, wcs: Any = None, plane: int | str | None = None,
    skip_hdu: Sequence[str | int] | None = None, mask: Any = None, weight: Any = None, weight_map: str | None = None,
    # Raw frames.
    overscan: str | None = None, overscan_method: str | None = None, trim: str | None = None,
    bias: PathLike | None = None, dark: PathLike | None = None, dark_scale: str | None = None,
    flat: PathLike | None = None, bad_pixels: PathLike | None = None, raw_saturation: float | str | None = None,
    raw_gain: float | str | None = None, cosmic_rays: bool | str = False, read_noise: float | str | None = None,
    cr_sigclip: float | None = None, cr_sigfrac: float | None = None, cr_objlim: float | None = None,
    cr_iterations: int | None = None, cr_medians: str | None = None, cr_clean: str | None = None,
    # Detection.
    threshold: float | None = None, min_area: int | None = None, deblend_levels: int | None = None,
    deblend_contrast: float | None = None, clean: float | None | EllipsisType = ..., mesh: int | None = None,
    mesh_filter: int | None = None, background: float | None = None, noise: str | None = None,
    filter: str | None = None, kernel: Array | PathLike | None = None,
    gain: float | str | None | EllipsisType = ..., kron_factor: float | None = None, kron_minimum: float | None = None,
    detect: Any = None, detect_weight: Any = None,
    # Given positions.
    at: Any = None, limit_sigma: float | None = None,
    # Columns of SExtractor.
    columns: Sequence[str] | PathLike | None = None, apertures: Sequence[float] | None = None,
    flux_fractions: Sequence[float] | None = None, neighbours: str | None = None, zero_point: float | None = None,
    saturation: float | None = None, pixel_scale: float | None = None, seeing: float | None = None,
    nnw: PathLike | None = None, flag_image: Any = None, psf: PathLike | None = None,
    # Further results.
    segmentation: bool | PathLike | None = None,
    check_image: str | Sequence[str] | Mapping[str, bool | PathLike] | None = None,
    trails: PathLike | Sequence[PathLike] | None = None, report: PathLike | None = None,
    preview: PathLike | None = None, overwrite: bool = False, samp: bool = False,
    # Work.
    nodes: Sequence[str] | None = None, srv: Sequence[str] | None = None, discovery: bool = True,
    wait: float | None = None, local_slots: int | None = None, only: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None, priority_weight: float | None = None, allow_different_nodes: bool = False,
    band: int | None = None, timeout: float | None = None, max_attempts: int | None = None,
    # Progress.
    progress: ProgressLike | None = None, thumbnail: bool | None = None, live: LiveLike = False,
) -> Catalogue:  # fmt: skip
    """Finds the sources of an image on this machine and every node of the network.

    The values are those of ``skyfarm scan``: x and y are pixels from 0, x_image and y_image from 1, ra and dec degrees
    if the header has a celestial coordinate system. An argument that is left out has the command's default, which
    ``skyfarm scan --help`` names; its flag has the argument's name, unless said otherwise.

    Parameters
    ----------
    image : str, path, array, HDU or NDData
        A FITS file, of which every 2-D image is scanned unless `hdu` is given; or an array of any integer or float
        type, byte order and strides, which reaches the program as a file in memory. A masked array's mask is used, and
        of an NDData or CCDData mask, uncertainty, unit, coordinate system and header.
    hdu : int or str, optional
        Number or EXTNAME of the HDU of a file.
    header : fits.Header or dict, optional
        Header of an array.
    wcs : astropy.wcs.WCS, optional
        Coordinate system of an array, for ra and dec.
    plane : int or "all", optional
        The plane of a cube, from 1.
    skip_hdu : sequence of str or int, optional
        Patterns of EXTNAME, or numbers, of HDUs that are left out.
    mask : array or file, optional
        Pixels that are not 0 are ignored.
    weight : array or file, optional
        The noise of each pixel, in the form that `weight_map` names; by default a relative weight, proportional to the
        inverse variance. Pixels of weight 0 are ignored.
    weight_map : "weight", "variance" or "rms", optional
        Relative weights, relative variances, or the noise itself.
    overscan, trim : str, optional
        The file is a raw frame, which is calibrated as it is read: sections such as ``"[2049:2080,1:4096]"``, or
        ``"auto"`` for those of the header. The sources are those of the frame after `skyfarm.calibrate`.
    bias, dark, flat, bad_pixels : path, optional
        Masters, and an image that is not 0 where pixels are bad.
    raw_saturation, raw_gain, read_noise : float or str, optional
        A number, a keyword of the header, or ``"auto"``; `saturation` and `gain` of `skyfarm.calibrate`.
    cosmic_rays : bool or {"clean", "mask"}
        Whether cosmic rays are found and replaced, or become NaN.
    overscan_method, dark_scale, cr_sigclip, cr_sigfrac, cr_objlim, cr_iterations, cr_medians, cr_clean : optional
        As in `skyfarm.calibrate`.
    threshold, min_area, deblend_levels, deblend_contrast, mesh, mesh_filter : optional
        Detection and background, with SExtractor's parameters and defaults.
    clean : float, optional
        Cleaning parameter; None keeps all detections.
    background : float, optional
        The background level of the whole image instead of that of the meshes.
    noise : "global" or "map", optional
        The noise that is the unit of `threshold`.
    filter : "conv", "matched" or "none", optional
        Filter before detection.
    kernel : array or file, optional
        Kernel of the filter.
    gain : float or str, optional
        Electrons per unit, or the keyword that has them; None leaves photon noise out.
    kron_factor, kron_minimum : float, optional
        Size of the ellipse of flux_auto.
    detect, detect_weight : array or file, optional
        The image in which sources are found, to be measured in `image`, and its weights; needs `columns`.
    at : table, SkyCoord, tuple or file, optional
        Positions at which fluxes are measured, instead of a search for sources: a table with the columns ra and dec, x
        and y (from 0) or x_image and y_image (from 1), coordinates, or a tuple of columns x and rows y. The result has
        a row for each.
    limit_sigma : float, optional
        Upper limits at `at`, in units of the noise.
    columns : sequence of str, or .param file, optional
        SExtractor's columns instead of SEP's; the other arguments of this group belong to them.
    apertures : sequence of float, optional
        Diameters in pixels.
    flux_fractions, neighbours, zero_point, saturation, pixel_scale, seeing, nnw, psf : optional
        As SExtractor's parameters.
    flag_image : array or file, optional
        Integers, whose bits IMAFLAGS_ISO combines.
    segmentation : bool or file, optional
        Whether ``Catalogue.segmentation`` has the map of the sources; or the file that gets it.
    check_image : str, sequence of str, or mapping, optional
        Types of SExtractor's check images that ``Catalogue.check_images`` has, such as "BACKGROUND"; or a mapping of
        types to files.
    trails : str, path, or sequence of these, optional
        Finds trails of satellites: "flag" marks their sources, "remove" leaves these out, another word is the table of
        trails.
    report, preview : path, optional
        Files for a page and a picture.
    overwrite : bool
        Whether files that exist are replaced.
    samp : bool
        Whether TOPCAT, Aladin and other programs get the catalogue.
    nodes : sequence of str, optional
        Addresses HOST:PORT of nodes (``--node``).
    srv : sequence of str, optional
        DNS names whose SRV records have nodes.
    discovery : bool
        Whether nodes of the network are discovered (``--no-discovery``).
    wait : float, optional
        Seconds to wait for a node.
    local_slots : int, optional
        Tasks at a time on this machine; 0 scans on nodes alone.
    only, exclude : sequence of str, optional
        Names, or patterns, of the nodes that are used, or not.
    priority_weight : float, optional
        Share of a node's time beside other scans.
    allow_different_nodes : bool
        Whether nodes that compute differently take part.
    band, timeout, max_attempts : optional
        Rows of a task, seconds and number of its attempts.
    progress : callable or tqdm, optional
        Is called with a `Progress` for each event, or is a progress bar, which counts pixels.
    thumbnail : bool, optional
        Whether the result has the image as PNG, which a notebook shows. By default only for arrays in a notebook.
    live : bool or callable, optional
        Shows the live page while the scan runs: in a notebook in a frame, which keeps the page of the finished scan,
        elsewhere in a browser. A function is called with the `LivePage` instead.

    Returns
    -------
    Catalogue
        A table with units, descriptions and the catalogue's header as ``meta``.

    Raises
    ------
    ValueError
        If an array has a wrong shape; the text begins with the argument's name.
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
    >>> sources = skyfarm.scan(sky, discovery=False, threshold=5, segmentation=True)
    >>> len(sources), sources["x"].unit
    (1, Unit("pix"))
    >>> print(f"{sources['x'][0]:.1f} {sources['y'][0]:.1f}")
    80.0 120.0
    >>> int((sources.segmentation == 1).sum()) == sources["npix"][0], sources.cutouts(5).shape
    (True, (1, 5, 5))
    """
    given = dict(locals())
    with ExitStack() as stack:
        folder = stack.enter_context(_folder())
        source = _image.image(image, hdu, header, wcs, stack)
        checks = CheckImages(segmentation, check_image, str(folder / "image"))
        job = _Job(given, folder, stack, source)
        picture: Path | None = None
        if thumbnail or thumbnail is None and source.name is not None and in_notebook():
            picture = Path(folder / "preview.png" if preview is None else preview)
            job.words += ["--preview", str(picture)] if preview is None else []
        viewer = Viewer(live)
        page = None if report is None else Path(report)
        if page is None and viewer.is_framed:
            page = folder / "page.html"
            job.words += ["--report", str(page)]
        output = folder / "catalogue.fits"
        words = ["scan", source.word, "-o", str(output), *job.words, *checks.words, *viewer.words]
        try:
            receive = receiver(progress)
            words += [*_COMMON, "never" if receive is None else "json"]
            command = _program.run(words, source.descriptors + job.descriptors, receive, viewer.read)
        finally:
            viewer.end(page, "The scan has ended without a page.")
        catalogue = _catalogue.read(str(output), source.name) if output.exists() else None
        if catalogue is not None:
            catalogue.report = json.loads(command.output)
            catalogue.thumbnail = None if picture is None else picture.read_bytes()
            catalogue.check_images = checks.read([str(file) for file in folder.iterdir()])
            catalogue._source = source.pixels
        error = _error(command)
    if catalogue is None or error is not None:
        error = error or SkyfarmError("the program wrote no catalogue", command.exit_code)
        if isinstance(error, IncompleteError):
            error.catalogue = catalogue
        raise error
    return catalogue


class _Job:
    """The words of a command for the arguments that `scan` and `scan_many` share, and the files in memory they name."""

    def __init__(
        self, given: Mapping[str, Any], folder: Path, stack: ExitStack, source: _image.Image | None = None
    ) -> None:
        self.words = [*options(given), *kernel_words(given["kernel"], folder), *position_words(given["at"], folder)]
        self.descriptors: list[int] = []
        planes = {name: given[name] for name in PLANES if given[name] is not None}
        shapes: set[tuple[int, ...]] = set()
        if source is not None:
            shapes = source.shapes
            for name, own in (("mask", source.mask), ("weight", source.noise)):
                if own is not None and name in planes:
                    raise TypeError(f"{name}: the image has one of its own; give one of the two")
                if own is not None:
                    planes[name] = own
            if source.noise is not None:
                if given["weight_map"] is not None:
                    raise TypeError(
                        "weight_map: the image's uncertainty is its noise; give a weight as well, or neither"
                    )
                self.words += ["--weight-map", "rms"]
        for name, plane in planes.items():
            word, descriptors = _image.plane(plane, name, shapes, stack)
            self.words += [PLANES[name], word]
            self.descriptors += descriptors


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

    @property
    def segmentation(self) -> CheckImage:
        """The catalogue's map of sources, if it was asked for."""
        return self._of_catalogue().segmentation

    @property
    def background(self) -> CheckImage:
        """The catalogue's background, if it was asked for."""
        return self._of_catalogue().background

    def _of_catalogue(self) -> Catalogue:
        if self.catalogue is None:
            raise self.error or AttributeError("the file has no catalogue")
        return self.catalogue


def scan_many(
    paths: Iterable[PathLike],
    *,
    # Which files: by their headers, in sub-folders, in which order.
    where: str | None = None, recursive: bool = False, priority: Sequence[str] | None = None, fail_fast: bool = False,
    # Images: extensions and planes, masks and weights.
    plane: int | str | None = None, skip_hdu: Sequence[str | int] | None = None, mask: Any = None,
    weight: Any = None, weight_map: str | None = None,
    # Raw frames.
    overscan: str | None = None, overscan_method: str | None = None, trim: str | None = None,
    bias: PathLike | None = None, dark: PathLike | None = None, dark_scale: str | None = None,
    flat: PathLike | None = None, bad_pixels: PathLike | None = None, raw_saturation: float | str | None = None,
    raw_gain: float | str | None = None, cosmic_rays: bool | str = False, read_noise: float | str | None = None,
    cr_sigclip: float | None = None, cr_sigfrac: float | None = None, cr_objlim: float | None = None,
    cr_iterations: int | None = None, cr_medians: str | None = None, cr_clean: str | None = None,
    # Detection.
    threshold: float | None = None, min_area: int | None = None, deblend_levels: int | None = None,
    deblend_contrast: float | None = None, clean: float | None | EllipsisType = ..., mesh: int | None = None,
    mesh_filter: int | None = None, background: float | None = None, noise: str | None = None,
    filter: str | None = None, kernel: Array | PathLike | None = None,
    gain: float | str | None | EllipsisType = ..., kron_factor: float | None = None, kron_minimum: float | None = None,
    detect: Any = None, detect_weight: Any = None,
    # Given positions.
    at: Any = None, limit_sigma: float | None = None,
    # Columns of SExtractor.
    columns: Sequence[str] | PathLike | None = None, apertures: Sequence[float] | None = None,
    flux_fractions: Sequence[float] | None = None, neighbours: str | None = None, zero_point: float | None = None,
    saturation: float | None = None, pixel_scale: float | None = None, seeing: float | None = None,
    nnw: PathLike | None = None, flag_image: Any = None, psf: PathLike | None = None,
    # Further results.
    segmentation: bool | PathLike | None = None,
    check_image: str | Sequence[str] | Mapping[str, bool | PathLike] | None = None,
    trails: PathLike | Sequence[PathLike] | None = None, report: PathLike | None = None,
    preview: PathLike | None = None, overwrite: bool = False, samp: bool = False,
    # Work.
    nodes: Sequence[str] | None = None, srv: Sequence[str] | None = None, discovery: bool = True,
    wait: float | None = None, local_slots: int | None = None, only: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None, priority_weight: float | None = None, allow_different_nodes: bool = False,
    band: int | None = None, timeout: float | None = None, max_attempts: int | None = None,
    # Progress.
    progress: ProgressLike | None = None, live: LiveLike = False,
) -> Generator[Result, None, None]:  # fmt: skip
    """Scans files as one job, and yields the result of each as soon as it is there.

    A file that cannot be scanned does not end the others: its result has the error. If the caller stops iterating, the
    job is stopped.

    Parameters
    ----------
    paths : iterable of str or path
        FITS files, folders and patterns; every 2-D image of each is scanned, unless the HDU is given in brackets.
    where : str, optional
        Which images are scanned, by their headers, as in ``"FILTER = 'r' and EXPTIME >= 30"``.
    recursive : bool
        Whether the folders in folders are searched.
    priority : sequence of str, optional
        Patterns of the names of files that are scanned first.
    fail_fast : bool
        Whether the first file that cannot be scanned ends the job.
    **others
        As for `scan`. Names of files may have fields, as in ``mask="{dir}/{stem}.mask.fits"``; an array belongs to all
        images. The live page is the index of all images, and `report` a folder.

    Raises
    ------
    SkyfarmError
        If the job as a whole fails, as for a wrong option.

    Examples
    --------
    A file that is missing has an error::

        for result in skyfarm.scan_many(["night/1.fits", "night/2.fits"], segmentation=True):
            print(result.path, result.error or result.segmentation.max())
    """
    return _results(dict(locals()))


def _results(given: dict[str, Any]) -> Generator[Result, None, None]:
    files = {_absolute(os.fspath(file)): os.fspath(file) for file in given["paths"]}
    if not files:
        return
    receive = receiver(given["progress"])
    with ExitStack() as stack:
        folder = stack.enter_context(_folder())
        job = _Job(given, folder, stack)
        # Files of the same name in different folders have catalogues of their own.
        stem = f"{folder}/{{dir}}/{{stem}}"
        checks = CheckImages(given["segmentation"], given["check_image"], stem)
        viewer = Viewer(given["live"])
        words = ["scan", *files, "-o", f"{stem}.fits", *job.words, *checks.words, *viewer.words, *_COMMON, "json"]
        command = _program.Run(words, job.descriptors, viewer.read)
        try:
            with closing(command.events()) as events:
                for event in events:
                    if receive is not None:
                        receive(event)
                    if event["event"] == "file-ended":
                        yield _result(event, files, checks)
        finally:
            report = given["report"]
            pages = "" if report is None else f"; its pages are in {os.fspath(report)}"
            viewer.end(None, f"The job of {len(files)} files has ended{pages}.")
        if not command.output:
            raise command.error


def _result(event: _program.Event, files: dict[str, str], checks: CheckImages) -> Result:
    """The result of a file, whose catalogue and images are removed."""
    name: str = event["file"]
    catalogue = None
    if event["outputs"]:
        catalogue = _catalogue.read(event["outputs"][0])
        os.unlink(event["outputs"][0])
        catalogue.check_images = checks.read(event["outputs"])
        catalogue._source = name
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
