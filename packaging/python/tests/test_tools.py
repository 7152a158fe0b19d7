"""Programs beside this one: a SAMP hub with a client, notebooks, browsers."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from astropy.samp import SAMPHubServer, SAMPIntegratedClient, conf
from astropy.table import Table
from nbclient import NotebookClient

import skyfarm
from skyfarm import samp


def test_samp(sky_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "samp"
    monkeypatch.setenv("SAMP_HUB", f"std-lockurl:{lock.as_uri()}")
    sources = skyfarm.scan(sky_file)
    with pytest.raises(skyfarm.SkyfarmError, match="no SAMP hub runs"):
        samp.send(sources)
    got: dict[str, Any] = {}
    with conf.set_temp("use_internet", False):
        hub = SAMPHubServer(web_profile=False, lockfile=str(lock), addr="127.0.0.1")
        hub.start()
        listener = SAMPIntegratedClient(name="Listener", addr="127.0.0.1")
        listener.connect()
        try:
            assert samp.send(sources) == []

            def receive(key: str, sender: str, message: str, kind: str, values: Any, extra: Any) -> None:
                path = values["url"].removeprefix("file://")
                got[kind] = Table.read(path, format="votable") if kind.startswith("table") else path
                listener.reply(message, {"samp.status": "samp.ok", "samp.result": {}})

            listener.bind_receive_call("table.load.votable", receive)
            listener.bind_receive_call("image.load.fits", receive)
            assert samp.send(sources, sky_file) == ["Listener"]
            file = tmp_path / "sources.fits"
            words = [skyfarm.program(), "scan", sky_file, "-o", file, "--threshold", "3", "--no-journal", "--quiet"]
            subprocess.run(words, check=True)
            table = got["table.load.votable"]
            np.testing.assert_array_equal(table["flux_auto"], sources["flux_auto"])
            assert got["image.load.fits"] == sky_file and table["theta"].unit == sources["theta"].unit
            out = subprocess.run([sys.executable, "-m", "skyfarm.samp", file], capture_output=True, text=True)
            assert out.stdout == "loaded by Listener\n", out.stderr
            assert 0 < len(got["table.load.votable"]) < len(sources)

            def refuse(key: str, sender: str, message: str, *rest: Any) -> None:
                listener.reply(message, {"samp.status": "samp.error", "samp.error": {"samp.errortxt": "too dark"}})

            listener.bind_receive_call("table.load.votable", refuse)
            with pytest.raises(skyfarm.SkyfarmError, match="Listener cannot load sources.xml: too dark"):
                samp.send(sources)
        finally:
            listener.disconnect()
            hub.stop()


def test_page(sky: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    page = tmp_path / "scan.html"
    with pytest.raises(skyfarm.InputError, match="no such page"):
        skyfarm.view(page)
    skyfarm.scan(sky, report=page)
    assert skyfarm.view(page).path == page and opened == [page.as_uri()]
    assert skyfarm.Page(page)._repr_html_().startswith("<iframe srcdoc=")


@pytest.mark.filterwarnings("default")
def test_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    # The kernel imports the module that is tested.
    monkeypatch.setenv("PYTHONPATH", str(Path(skyfarm.__file__).parents[1]))
    file = Path(__file__).parents[1] / "examples" / "sources.ipynb"
    notebook = nbformat.read(file, as_version=4)
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "data:image/png;base64," in cells[1].outputs[0].data["text/html"]
    assert "sources above 5 sigma" in cells[3].outputs[0].text
    assert cells[4].outputs[-1].data["text/html"].startswith("<iframe")
