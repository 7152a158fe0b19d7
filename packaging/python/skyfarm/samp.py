"""Catalogues for TOPCAT, Aladin and other programs that listen to SAMP.

``python3 -m skyfarm.samp CATALOGUE [IMAGE]`` sends a catalogue that ``skyfarm scan`` has written, and its image.
``skyfarm scan --samp`` does so itself.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname
from xmlrpc.client import Error, ServerProxy

from astropy.table import Table

from . import _catalogue
from ._errors import SkyfarmError
from ._options import PathLike

#: Seconds that a program may take to load a table or an image.
_PATIENCE = 60


def send(catalogue: Table, image: PathLike | None = None, name: str | None = None) -> list[str]:
    """Sends a catalogue, and the file of its image, to every program that loads such through the SAMP hub.

    Parameters
    ----------
    catalogue : Table
        As `skyfarm.scan` returns it.
    image : str or path, optional
        A FITS file.
    name : str, optional
        What the programs call the table; by default the name of its image.

    Returns
    -------
    list of str
        Names of the programs that have loaded the table or the image.

    Raises
    ------
    SkyfarmError
        If there is no hub, or a program cannot load what it was sent.
    """
    name = name or str(catalogue.meta.get("IMAGE", "sources"))
    with _registered() as (hub, key), tempfile.TemporaryDirectory(prefix="skyfarm-") as folder:
        file = Path(folder, "sources.xml")
        plain = Table(catalogue, meta={})
        plain.write(file, format="votable")
        loaded = _call(hub, key, "table.load.votable", file, {"table-id": name, "name": name})
        if image is not None:
            word = os.path.abspath(os.fspath(image))
            loaded += _call(hub, key, "image.load.fits", Path(word), {"image-id": word, "name": Path(word).name})
    return sorted(set(loaded))


def _lock_file() -> Path:
    """Where the hub describes itself: in the file of ``SAMP_HUB``, or in ``~/.samp``."""
    named = os.environ.get("SAMP_HUB")
    if not named:
        return Path.home() / ".samp"
    prefix, _, url = named.partition(":")
    if prefix != "std-lockurl" or not url.startswith("file:"):
        raise SkyfarmError(f"SAMP_HUB is not std-lockurl:file:///PATH, but {named}")
    return Path(url2pathname(urlsplit(url).path))


@contextmanager
def _registered() -> Iterator[tuple[Any, str]]:
    """The hub, with a key under which it knows this client until the end."""
    file = _lock_file()
    remedy = "start TOPCAT or Aladin first"
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        raise SkyfarmError(f"no SAMP hub runs ({file} is missing); {remedy}") from None
    values = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    try:
        hub: Any = ServerProxy(values["samp.hub.xmlrpc.url"]).samp.hub
        key = hub.register(values["samp.secret"])["samp.private-key"]
    except (OSError, KeyError, Error) as failure:
        raise SkyfarmError(f"the SAMP hub of {file} does not answer ({failure}); {remedy}") from None
    try:
        metadata = {"samp.name": "Skyfarm", "samp.description.text": "Finds the sources in sky images"}
        _ask(hub.declareMetadata, key, metadata)
        yield hub, key
    finally:
        with suppress(SkyfarmError):
            _ask(hub.unregister, key)


def _ask(method: Any, *arguments: Any, by: str = "the SAMP hub") -> Any:
    """The answer of the hub, or through it that of a program."""
    try:
        return method(*arguments)
    except (OSError, Error) as failure:
        raise SkyfarmError(f"{by} did not answer: {failure}") from None


def _call(hub: Any, key: str, kind: str, file: Path, values: dict[str, str]) -> list[str]:
    """Asks each program that listens to messages of a kind to load a file, and waits until it has."""
    loaded = []
    for program in _ask(hub.getSubscribedClients, key, kind):
        name = str(_ask(hub.getMetadata, key, program).get("samp.name", program))
        message = {"samp.mtype": kind, "samp.params": {"url": file.as_uri(), **values}}
        reply = _ask(hub.callAndWait, key, program, message, str(_PATIENCE), by=name)
        # A warning is given by a program that has loaded the file.
        if reply["samp.status"] not in ("samp.ok", "samp.warning"):
            reason = reply.get("samp.error", {}).get("samp.errortxt", "no reason given")
            raise SkyfarmError(f"{name} cannot load {file.name}: {reason}")
        loaded.append(name)
    return loaded


def main() -> None:
    """Sends the files that the command line names."""
    words = sys.argv[1:]
    if not 1 <= len(words) <= 2 or words[0].startswith("-"):
        sys.exit("usage: python3 -m skyfarm.samp CATALOGUE.fits [IMAGE]")
    try:
        names = send(_catalogue.read(words[0]), words[1] if len(words) > 1 else None)
    except (SkyfarmError, OSError) as failure:
        sys.exit(f"skyfarm.samp: {failure}")
    print(f"loaded by {', '.join(names)}" if names else "no program listens")


if __name__ == "__main__":
    main()
