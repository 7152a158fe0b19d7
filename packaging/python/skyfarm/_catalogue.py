"""Catalogues as tables of astropy."""

from __future__ import annotations

import base64
import html
import re
from typing import Any

import numpy as np
from astropy.io import fits
from astropy.table import Column, Table, vstack

from ._checks import CheckImage
from ._memory import Array
from ._pixels import cutouts, pixels, positions, show

#: Keywords that describe the file's table, and not its content.
_STRUCTURE = re.compile(
    r"XTENSION|SIMPLE|BITPIX|NAXIS\d*|PCOUNT|GCOUNT|TFIELDS|EXTEND|(TTYPE|TFORM|TUNIT|TCOMM|TDISP|TNULL)\d+"
)

#: Rows that are converted at a time.
_ROWS = 2048


class Catalogue(Table):  # type: ignore[misc]
    """The sources of an image: a table with units, descriptions and, in ``meta``, the catalogue's header.

    Attributes
    ----------
    report : dict
        The result of ``skyfarm scan --json``: background, noise, seconds, systems and more; empty for a table that was
        derived from a catalogue.
    thumbnail : bytes or None
        The image as PNG, if it was asked for.
    check_images : dict
        The images that were asked for, by their types, as arrays; of a file of several images as a list of arrays.
    """

    report: dict[str, Any] = {}
    thumbnail: bytes | None = None
    check_images: dict[str, CheckImage] = {}
    #: The array, not a copy of it, or the name of the file that was scanned; and the names and HDUs of its images.
    _source: Any = None
    _images: list[tuple[str, int]] = []

    @property
    def segmentation(self) -> CheckImage:
        """The map of the sources: each pixel has the number of its source, 0 without one.

        Raises
        ------
        AttributeError
            Unless the scan was asked for it by ``segmentation=True``.
        """
        return self._check("SEGMENTATION", "segmentation=True")

    @property
    def background(self) -> CheckImage:
        """The background level of each pixel.

        Raises
        ------
        AttributeError
            Unless the scan was asked for it by ``check_image="BACKGROUND"``.
        """
        return self._check("BACKGROUND", 'check_image="BACKGROUND"')

    @property
    def background_rms(self) -> CheckImage:
        """The background noise of each pixel.

        Raises
        ------
        AttributeError
            Unless the scan was asked for it by ``check_image="BACKGROUND_RMS"``.
        """
        return self._check("BACKGROUND_RMS", 'check_image="BACKGROUND_RMS"')

    def _check(self, kind: str, argument: str) -> CheckImage:
        if kind not in self.check_images:
            raise AttributeError(f"the scan was not asked for this image; give it {argument}")
        return self.check_images[kind]

    def cutouts(self, size: int = 32, *, image: Any = None) -> Array:
        """Squares of the image around the sources.

        Parameters
        ----------
        size : int
            Rows and columns of each, in pixels.
        image : array, optional
            Another image of the same pixels; by default the one that was scanned. The array of a scan is kept, not
            copied; a file is read again.

        Returns
        -------
        array of shape (len(self), size, size)
            Floats; NaN beyond the image's edges. The source is in the pixel ``[size // 2, size // 2]``.

        Raises
        ------
        ValueError
            If the table does not know its image, or has sources of several.
        """
        return cutouts(pixels(self, image), *positions(self), size)

    def show(
        self,
        *,
        image: Any = None,
        ax: Any = None,
        scale: float = 3.0,
        percentiles: tuple[float, float] = (1.0, 99.5),
        color: str = "red",
    ) -> Any:
        """Draws the image with an ellipse for each source, by matplotlib.

        Parameters
        ----------
        image : array, optional
            As for `cutouts`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default in a new figure.
        scale : float
            Size of the ellipses in units of a and b.
        percentiles : tuple of two floats
            The shares of pixels, in per cent, that are black and below white.
        color : str
            Colour of the ellipses.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If there is no matplotlib.
        ValueError
            As for `cutouts`.
        """
        return show(pixels(self, image), self, ax, scale, percentiles, color)

    def __getitem__(self, item: Any) -> Any:
        part = super().__getitem__(item)
        if isinstance(part, Catalogue):
            # Rows and columns of a catalogue are still of its image.
            part._source, part._images, part.check_images = self._source, self._images, self.check_images
        return part

    def _repr_html_(self) -> str:
        table: str = super()._repr_html_()
        if not self.report:
            return table
        picture = ""
        if self.thumbnail is not None:
            data = base64.b64encode(self.thumbnail).decode()
            picture = f'<img src="data:image/png;base64,{data}" alt="the image" style="max-width:320px">'
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in self._facts())
        return f'<div style="display:flex;gap:1em">{picture}<table>{rows}</table></div>{table}'

    def _facts(self) -> list[tuple[str, str]]:
        report = self.report
        facts = [("image", str(self.meta.get("IMAGE", ""))), ("sources", f"{len(self):,}")]
        images = [image for file in report.get("files", []) for image in file["images"]]
        if len(images) == 1:
            image = images[0]
            facts.append(("pixels", f"{image['width']} × {image['height']}"))
            facts.append(("background", f"{image['background']:.6g}"))
            facts.append(("noise", f"{image['noise']:.6g}"))
        facts.append(("time", f"{report['seconds']:.2f} s"))
        systems = report.get("systems", [])
        facts.append(("systems", ", ".join(s if isinstance(s, str) else s["name"] for s in systems)))
        return facts


def read(file: str, name: str | None = None) -> Catalogue:
    """Reads a FITS catalogue of the program: the table, or if it has several, one after another, with their HDU.

    `name` replaces the name of the image in the header.
    """
    with fits.open(file, memmap=False) as hdus:
        tables = [_table(hdu, name) for hdu in hdus if isinstance(hdu, fits.BinTableHDU)]
    images = [(str(table.meta.get("IMAGE", "")), int(table.meta.get("IMGHDU", 0))) for table in tables]
    if len(tables) == 1:
        tables[0]._images = images
        return tables[0]
    for table in tables:
        table.add_column(
            Column(np.full(len(table), table.meta["IMGHDU"], "i4"), description="HDU of the image"), 0, "hdu"
        )
        extension = np.full(len(table), table.meta.get("EXTNAME", ""), dtype=object).astype(str)
        table.add_column(Column(extension, description="EXTNAME of the image"), 1, "extname")
    joined: Catalogue = vstack(tables, metadata_conflicts="silent")
    joined._images = images
    return joined


def _table(hdu: fits.BinTableHDU, name: str | None) -> Catalogue:
    stored = {column.name: np.asarray(hdu.data[column.name]) for column in hdu.columns}
    native = {name: np.empty(values.shape, values.dtype.newbyteorder("=")) for name, values in stored.items()}
    # Some rows at a time, which stay in the processor's cache for all columns.
    for row in range(0, len(hdu.data), _ROWS):
        for key, values in stored.items():
            native[key][row : row + _ROWS] = values[row : row + _ROWS]
    columns = []
    for number, column in enumerate(hdu.columns, 1):
        description = hdu.header.get(f"TCOMM{number}")
        columns.append(Column(native[column.name], column.name, unit=column.unit, description=description, copy=False))
    meta: dict[str, Any] = {}
    for card in hdu.header.cards:
        if card.keyword in ("HISTORY", "COMMENT"):
            meta.setdefault(card.keyword, []).append(card.value)
        elif not _STRUCTURE.fullmatch(card.keyword):
            meta[card.keyword] = card.value
    if name is not None:
        meta["IMAGE"] = name
    return Catalogue(columns, meta=meta, copy=False)
