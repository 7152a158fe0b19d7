"""The live page of a running scan."""

from __future__ import annotations

import html
import re
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any, Union

from ._view import Page

#: What the program writes when its live page can be opened.
_LINK = re.compile(r"dashboard at (http://\S+)/\?token=([0-9a-f]+)$")


class LivePage:
    """The live page of a scan that runs: a notebook shows it in a frame.

    Attributes
    ----------
    link : str
        Opens the page in a browser on this machine.
    frame : str
        The same for a frame in another page, in which browsers send no cookies.
    """

    def __init__(self, address: str, token: str) -> None:
        self.link = f"{address}/?token={token}"
        self.frame = f"{address}/{token}/"

    def open(self) -> bool:
        """Opens the page in a browser; False if there is none."""
        return webbrowser.open(self.link)

    def _repr_html_(self) -> str:
        # Its origin, another one than the notebook's, serves its data.
        allowed = "allow-scripts allow-same-origin allow-downloads allow-popups"
        return (
            f'<iframe src="{html.escape(self.frame)}" sandbox="{allowed}"'
            ' style="width:100%;height:600px;border:0"></iframe>'
        )


#: True shows the page: in a notebook in a frame, elsewhere in a browser. A function is called with it.
LiveLike = Union[bool, Callable[[LivePage], object]]


class Viewer:
    """Shows the live page of a scan once the program has told its link, and what remains of it at the end."""

    def __init__(self, live: LiveLike) -> None:
        self._live = live
        self._handle: Any = None

    @property
    def words(self) -> list[str]:
        """Flags of the command."""
        return ["--dashboard"] if self._live else []

    @property
    def is_framed(self) -> bool:
        """Whether the page will be in a notebook, which should keep the finished page."""
        return self._live is True and in_notebook()

    def read(self, line: str) -> None:
        """A line of the program's standard error."""
        found = _LINK.search(line) if self._live else None
        if found is None:
            return
        page = LivePage(*found.groups())
        if callable(self._live):
            self._live(page)
        elif in_notebook():
            self._handle = sys.modules["IPython"].display.display(page, display_id=True)
        else:
            page.open()

    def end(self, page: Path | None, words: str) -> None:
        """The program has ended, and with it the live page: a frame gets the finished page, or a line of text."""
        if self._handle is not None:
            self._handle.update(Page(page) if page is not None and page.is_file() else Line(words))
            self._handle = None


class Line:
    """A line of text in place of a page."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __repr__(self) -> str:
        return self._words


def in_notebook() -> bool:
    """Whether the result is to be shown by a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"
