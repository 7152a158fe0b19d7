"""Catalogues as tables of astropy."""

from __future__ import annotations

import base64
import html
import re
from typing import Any

import numpy as np
from astropy.io import fits
from astropy.table import Column, Table, vstack

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
    """

    report: dict[str, Any] = {}
    thumbnail: bytes | None = None

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
    if len(tables) == 1:
        return tables[0]
    for table in tables:
        table.add_column(Column(np.full(len(table), table.meta["IMGHDU"], "i4"), description="HDU of the image"), 0, "hdu")
        extension = np.full(len(table), table.meta.get("EXTNAME", ""), dtype=object).astype(str)
        table.add_column(Column(extension, description="EXTNAME of the image"), 1, "extname")
    joined: Catalogue = vstack(tables, metadata_conflicts="silent")
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
