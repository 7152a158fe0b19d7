"""Catalogues for TOPCAT, Aladin and other programs that listen to SAMP.

``python3 -m skyfarm.samp CATALOGUE [IMAGE]`` sends a catalogue that ``skyfarm scan`` has written, and its image.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from astropy.samp import SAMPHubError, SAMPIntegratedClient
from astropy.samp.errors import SAMPProxyError
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
    client = SAMPIntegratedClient(name="Skyfarm", description="Sources of sky images")
    try:
        client.connect()
    except SAMPHubError:
        raise SkyfarmError("no SAMP hub runs; start TOPCAT or Aladin, or samp_hub of astropy") from None
    try:
        with tempfile.TemporaryDirectory(prefix="skyfarm-") as folder:
            file = Path(folder, "sources.xml")
            plain = Table(catalogue, meta={})
            plain.write(file, format="votable")
            loaded = _call(client, "table.load.votable", file, {"table-id": name, "name": name})
        if image is not None:
            word = os.path.abspath(os.fspath(image))
            loaded += _call(client, "image.load.fits", Path(word), {"image-id": word, "name": Path(word).name})
    finally:
        client.disconnect()
    return sorted(set(loaded))


def _call(client: Any, kind: str, file: Path, values: dict[str, str]) -> list[str]:
    """Asks each program that listens to messages of a kind to load a file, and waits until it has."""
    loaded = []
    for program in client.get_subscribed_clients(kind):
        metadata = client.get_metadata(program)
        name = metadata.get("samp.name", program)
        message = {"samp.mtype": kind, "samp.params": {"url": file.as_uri(), **values}}
        try:
            reply = client.call_and_wait(program, message, timeout=str(_PATIENCE))
        except SAMPProxyError as failure:
            raise SkyfarmError(f"{name} did not answer: {failure}") from None
        if reply["samp.status"] != "samp.ok":
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
