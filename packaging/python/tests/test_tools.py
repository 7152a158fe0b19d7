"""Programs beside this one: a SAMP hub with a client, notebooks, browsers."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import unquote
from urllib.request import urlopen

import nbformat
import numpy as np
import pytest
from astropy.samp import SAMPHubServer, SAMPIntegratedClient, conf
from astropy.table import Table
from nbclient import NotebookClient

import skyfarm
from skyfarm import samp


class Listener:
    """A SAMP client, which knows nothing of Skyfarm: it loads what it is sent, or refuses."""

    def __init__(self, name: str, *kinds: str, refusal: str | None = None) -> None:
        self.got: dict[str, Any] = {}
        self.refusal = refusal
        self.client = SAMPIntegratedClient(name=name, addr="127.0.0.1")
        self.client.connect()
        for kind in kinds:
            self.client.bind_receive_call(kind, self._receive)

    def _receive(self, key: str, sender: str, message: str, kind: str, values: Any, extra: Any) -> None:
        if self.refusal is not None:
            error = {"samp.status": "samp.error", "samp.error": {"samp.errortxt": self.refusal}}
            self.client.reply(message, error)
            return
        path = unquote(values["url"].removeprefix("file://"))
        form = kind.removeprefix("table.load.")
        sent = self.client.get_metadata(sender)["samp.name"]
        self.got[kind] = (Table.read(path, format=form) if form != kind else path, values["name"], sent)
        self.client.reply(message, {"samp.status": "samp.ok", "samp.result": {}})


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a SAMP hub of this test writes its address."""
    file = tmp_path / "samp"
    monkeypatch.setenv("SAMP_HUB", f"std-lockurl:{file.as_uri()}")
    return file


@pytest.fixture
def hub(lock: Path) -> Iterator[None]:
    """A SAMP hub of astropy."""
    with conf.set_temp("use_internet", False):
        server = SAMPHubServer(web_profile=False, lockfile=str(lock), addr="127.0.0.1")
        server.start()
        yield
        server.stop()


@contextmanager
def listener(name: str, *kinds: str, refusal: str | None = None) -> Iterator[Listener]:
    client = Listener(name, *kinds, refusal=refusal)
    try:
        yield client
    finally:
        client.client.disconnect()


def run(*words: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([skyfarm.program(), *map(str, words)], capture_output=True, text=True, timeout=60)


def test_samp(sky_file: str, tmp_path: Path, hub: None) -> None:
    sources = skyfarm.scan(sky_file)
    assert samp.send(sources) == []
    with listener("Viewer", "table.load.votable", "image.load.fits") as viewer:
        assert samp.send(sources, sky_file) == ["Viewer"]
        table, name, sender = viewer.got["table.load.votable"]
        np.testing.assert_array_equal(table["flux_auto"], sources["flux_auto"])
        assert table["theta"].unit == sources["theta"].unit and (name, sender) == (sky_file, "Skyfarm")
        assert viewer.got["image.load.fits"][0] == sky_file
        file = tmp_path / "sources.fits"
        assert run("scan", sky_file, "-o", file, "--threshold", 3, "--no-journal", "--quiet").returncode == 0
        out = subprocess.run([sys.executable, "-m", "skyfarm.samp", file], capture_output=True, text=True)
        assert out.stdout == "loaded by Viewer\n", out.stderr
        assert 0 < len(viewer.got["table.load.votable"][0]) < len(sources)
        viewer.refusal = "too dark"
        with pytest.raises(skyfarm.SkyfarmError, match="Viewer cannot load sources.xml: too dark"):
            samp.send(sources)


def test_command_sends_by_samp(sky_file: str, tmp_path: Path, hub: None) -> None:
    words = ["scan", sky_file, "--no-journal", "--samp", "--json", "--overwrite", "-o"]
    lonely = run(*words, tmp_path / "lonely.fits")
    assert lonely.returncode == 0 and json.loads(lonely.stdout)["samp"] == {"loaded": []}
    assert "--samp: no program that is connected to the SAMP hub loads tables or images" in lonely.stderr
    with listener("Top", "table.load.fits", "table.load.votable") as top, listener("Old", "table.load.votable") as old:
        with listener("Picture", "image.load.fits") as picture:
            # A name that a URL cannot have as it is, and a catalogue in a format that nobody loads.
            for output in (tmp_path / "the catalogue #1%.fits", tmp_path / "sources.csv"):
                done = run(*words, output)
                assert done.returncode == 0, done.stderr
                assert sorted(json.loads(done.stdout)["samp"]["loaded"]) == ["Old", "Picture", "Top"]
                assert "loaded by Top, Old, Picture" in done.stderr
                expected = skyfarm.scan(sky_file)
                assert "table.load.votable" not in top.got and picture.got["image.load.fits"][0] == sky_file
                for table, name, sender in (top.got.pop("table.load.fits"), old.got.pop("table.load.votable")):
                    np.testing.assert_array_equal(np.asarray(table["flux_auto"]), expected["flux_auto"])
                    assert (name, sender) == ("sky.fits", "Skyfarm")
        # An image that is written beside the catalogue is no table.
        segments = [tmp_path / "s.csv", "--segmentation", tmp_path / "segments.fits"]
        assert run(*words, *segments).returncode == 0
        assert len(top.got["table.load.fits"][0]) == len(expected)
        copy = tmp_path / "copy.fits"
        shutil.copy(sky_file, copy)
        both = run("scan", sky_file, copy, "--no-journal", "--samp", "--json", "-o", f"{tmp_path}/{{stem}}.csv")
        assert both.returncode == 0, both.stderr
        assert sorted(json.loads(both.stdout)["samp"]["loaded"]) == ["Old", "Top"]
        assert {top.got["table.load.fits"][1], old.got["table.load.votable"][1]} <= {"sky.fits", "copy.fits"}
        old.refusal = "too <dark> & old"
        refused = run(*words, tmp_path / "refused.fits")
        assert refused.returncode == 1 and (tmp_path / "refused.fits").exists()
        assert json.loads(refused.stdout)["samp"]["loaded"] == ["Top"]
        assert "--samp: Old has not loaded sources.vot: too <dark> & old" in refused.stderr
    # Every client of the scans has left the hub.
    with listener("Last") as last:
        names = [last.client.get_metadata(client).get("samp.name") for client in last.client.get_registered_clients()]
        assert "Skyfarm" not in names


def test_interrupt_while_a_program_loads(sky_file: str, tmp_path: Path, hub: None) -> None:
    asked = threading.Event()
    with listener("Slow") as slow:
        slow.client.bind_receive_call("table.load.fits", lambda *_: asked.set())
        output = tmp_path / "sources.fits"
        words = [skyfarm.program(), "scan", sky_file, "-o", output, "--no-journal", "--samp"]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            assert asked.wait(60) and output.exists()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "--samp: stopped before every program had answered; the catalogue is written" in errors


def test_without_a_hub(sky_file: str, lock: Path, tmp_path: Path) -> None:
    sources = skyfarm.scan(sky_file)
    with pytest.raises(skyfarm.SkyfarmError, match="no SAMP hub runs"):
        samp.send(sources)
    # A hub that was killed leaves its file; nothing listens on the discard port.
    for text in ("samp.secret=a\nsamp.hub.xmlrpc.url=http://127.0.0.1:9/", "damaged"):
        lock.write_text(text)
        with pytest.raises(skyfarm.SkyfarmError, match="does not answer .*; start TOPCAT or Aladin first"):
            samp.send(sources)
    lock.unlink()
    output = tmp_path / "sources.fits"
    done = run("scan", sky_file, "-o", output, "--samp")
    assert done.returncode == 1 and not output.exists()
    assert done.stderr == f"skyfarm: --samp: no SAMP hub runs ({lock} is missing); start TOPCAT or Aladin first\n"


def test_command_starts_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = Path(__file__).parents[1] / "command" / "skyfarm"
    words = [sys.executable, "-X", "importtime", str(command), "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == subprocess.check_output([skyfarm.program(), "--version"], text=True)
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "site" in modules and not modules & {"astropy", "numpy", "skyfarm", "re", "subprocess", "pathlib"}
    # In a wheel the program is found beside the package, on the interpreter's path.
    monkeypatch.delenv("SKYFARM_PROGRAM", raising=False)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    missing = subprocess.run([sys.executable, command], capture_output=True, text=True, env=environment)
    assert (missing.returncode, missing.stderr) == (
        1, "skyfarm: the package skyfarm has no program; install a wheel that contains it\n",
    )  # fmt: skip
    file = tmp_path / "skyfarm" / "bin" / "skyfarm"
    file.parent.mkdir(parents=True)
    file.write_text('#!/bin/sh\necho "$@"\nexit 7\n')
    file.chmod(0o755)
    found = subprocess.run([sys.executable, command, "a b", "c"], capture_output=True, text=True, env=environment)
    assert (found.returncode, found.stdout) == (7, "a b c\n")
    file.write_text("#!/nowhere\n")
    broken = subprocess.run([sys.executable, command], capture_output=True, text=True, env=environment)
    assert (broken.returncode, broken.stderr) == (1, f"skyfarm: {file}: No such file or directory\n")


def test_page(sky: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    page = tmp_path / "scan.html"
    with pytest.raises(skyfarm.InputError, match="no such page"):
        skyfarm.view(page)
    skyfarm.scan(sky, report=page)
    assert skyfarm.view(page).path == page and opened == [page.as_uri()]
    frame = skyfarm.Page(page)._repr_html_()
    sandbox = re.search(r'^<iframe srcdoc="[^"]*" sandbox="([^"]*)"', frame)
    # Security.md: scripts of a report cannot reach the notebook.
    assert sandbox and "allow-scripts" in sandbox[1] and "same-origin" not in sandbox[1]


def test_live_page(sky: np.ndarray, sky_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The scan lasts as long as its only node is stopped.
    node = skyfarm.Node(slots=1, listen="127.0.0.1:0", advertise=False)
    options = {"local_slots": 0, "nodes": [node.address], "wait": 60}
    answers: list[Any] = []
    sky_file_2 = tmp_path / "sky.fits"
    shutil.copy(sky_file, sky_file_2)

    def look(page: skyfarm.LivePage) -> None:
        for path in ("", "page.js", "page.css", "metrics"):
            with urlopen(page.frame + path, timeout=30) as answer:
                assert "frame-ancestors" not in answer.headers["Content-Security-Policy"]
                assert answer.headers["X-Frame-Options"] is None and answer.read()
        with urlopen(page.frame + "events", timeout=30) as stream:
            answers.append(json.loads(stream.readline().removeprefix(b"data: ")))
        with pytest.raises(HTTPError, match="401"):
            urlopen(page.frame.replace(page.link[-8:], "00000000"))
        answers.append(page._repr_html_())
        node._process.send_signal(signal.SIGCONT)

    with node:
        for image, key in ((sky, "scan"), ([sky_file, sky_file_2], "facts")):
            node._process.send_signal(signal.SIGSTOP)
            if image is sky:
                assert len(skyfarm.scan(image, live=look, **options)) > 40
            else:
                assert [result.error for result in skyfarm.scan_many(image, live=look, **options)] == [None, None]
            update, frame = answers[-2:]
            assert key in update, list(update)
            assert frame.startswith('<iframe src="http://127.0.0.1:') and frame.count("token") == 0
    assert len(answers) == 4
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    skyfarm.scan(sky, live=True)
    assert len(opened) == 1 and "/?token=" in opened[0]


@pytest.mark.filterwarnings("default")
def test_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    # The kernel imports the module that is tested.
    monkeypatch.setenv("PYTHONPATH", str(Path(skyfarm.__file__).parents[1]))
    file = Path(__file__).parents[1] / "examples" / "sources.ipynb"
    notebook = nbformat.read(file, as_version=4)
    frames: list[str] = []

    class Client(NotebookClient):
        """Keeps what was shown while cells ran, too."""

        def process_message(self, message: Any, *rest: Any) -> Any:
            html = message.get("content", {}).get("data", {}).get("text/html", "")
            if html.startswith("<iframe"):
                frames.append(html[:40])
            return super().process_message(message, *rest)

    asyncio.run(Client(notebook, timeout=60, kernel_name="python3").async_execute())
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "data:image/png;base64," in cells[1].outputs[0].data["text/html"]
    assert "sources above 5 sigma" in cells[3].outputs[0].text
    assert cells[4].outputs[-1].data["text/html"].startswith("<iframe srcdoc=")
    # The live page, in whose place the page of the finished scan comes.
    assert [frame.split("=")[0] for frame in frames] == ["<iframe srcdoc", "<iframe src", "<iframe srcdoc"]
    assert frames[1].startswith('<iframe src="http://127.0.0.1:')
    assert cells[5].outputs[0].data["text/html"].startswith("<iframe srcdoc=")
