"""Pages of scans in a browser or a notebook."""

from __future__ import annotations

import html
import webbrowser
from pathlib import Path
from typing import Any

from ._errors import InputError
from ._options import PathLike


class Page:
    """A page that ``scan(report=...)`` has written: a notebook shows it in a frame.

    Attributes
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path).resolve()
        if not self.path.is_file():
            raise InputError(f"{path}: no such page; write one with scan(image, report={str(path)!r})", 5)

    def open(self) -> bool:
        """Opens the page in a browser; False if there is none."""
        return webbrowser.open(self.path.as_uri())

    def _repr_html_(self) -> str:
        # Without allow-same-origin: a page of somebody else must not reach the notebook, which runs code.
        source = html.escape(self.path.read_text(encoding="utf-8"))
        allowed = "allow-scripts allow-downloads allow-popups"
        return f'<iframe srcdoc="{source}" sandbox="{allowed}" style="width:100%;height:600px;border:0"></iframe>'


def view(page: PathLike) -> Any:
    """The page of a scan: in a notebook its representation, elsewhere opened in a browser."""
    from ._live import in_notebook

    result = Page(page)
    if not in_notebook():
        result.open()
    return result
