"""Progress, Ctrl-C, many files and nodes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from astropy.io import fits
from conftest import assert_same, synthetic

import skyfarm


def children() -> set[str]:
    """Processes of this one."""
    task = f"/proc/{os.getpid()}/task"
    return {pid for name in os.listdir(task) for pid in Path(task, name, "children").read_text().split()}


def test_progress(sky: np.ndarray) -> None:
    events: list[skyfarm.Progress] = []
    skyfarm.scan(sky, progress=events.append)
    assert events[0].event == "began" and events[-1].event == "ended"
    assert events[-1].pixels_done == events[-1].pixels == sky.size and events[-1].files == 1
    assert events[-1].tasks_done == events[-1].tasks > 0 and "job" in events[-1].details


def test_progress_bar(sky: np.ndarray) -> None:
    class Bar:
        total = None
        count = 0

        def update(self, n: int = 1) -> None:
            self.count += n

    bar = Bar()
    skyfarm.scan(sky, progress=bar)
    assert bar.total == bar.count == sky.size


def test_failing_callback_stops_the_program(sky: np.ndarray) -> None:
    def fail(progress: skyfarm.Progress) -> None:
        raise RuntimeError("enough")

    before = children()
    with pytest.raises(RuntimeError, match="enough"):
        skyfarm.scan(sky, progress=fail)
    assert children() == before


def test_interrupt() -> None:
    # A process of its own gets Ctrl-C while it scans; its program must be gone when it says so.
    script = """
import os, signal, numpy, skyfarm
try:
    skyfarm.scan(numpy.random.default_rng(1).normal(0, 1, (1500, 1500)), threshold=1,
                 progress=lambda p: p.event == "joined" and os.kill(os.getpid(), signal.SIGINT))
except KeyboardInterrupt:
    print(repr(open(f"/proc/self/task/{os.getpid()}/children").read()))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("''\n", "")


def test_many(tmp_path: Path) -> None:
    files, skies = [], []
    for number in range(3):
        # The same name in different folders.
        (tmp_path / str(number)).mkdir()
        files.append(str(tmp_path / str(number) / "sky.fits"))
        skies.append(synthetic(120, 150, number).astype("f4"))
        fits.writeto(files[-1], skies[-1])
    (tmp_path / "bad.fits").write_text("no image")
    files.append(str(tmp_path / "bad.fits"))
    results = {result.path: result for result in skyfarm.scan_many(files, threshold=3)}
    assert set(results) == set(files)
    for file, sky in zip(files, skies):
        found = results[file]
        assert found.error is None and found.catalogue is not None and found.catalogue.meta["IMAGE"] == file
        assert_same(found.catalogue, skyfarm.scan(sky, threshold=3).as_array())
    bad = results[files[-1]]
    assert bad.catalogue is None and isinstance(bad.error, skyfarm.InputError) and "not a FITS file" in str(bad.error)


def test_many_of_one(sky_file: str, tmp_path: Path) -> None:
    (result,) = skyfarm.scan_many([sky_file], threshold=3)
    assert result.path == sky_file and result.error is None and result.catalogue is not None
    assert_same(result.catalogue, skyfarm.scan(sky_file, threshold=3).as_array())
    (bad,) = skyfarm.scan_many([tmp_path / "missing.fits"])
    assert bad.catalogue is None and isinstance(bad.error, skyfarm.InputError) and "missing.fits" in str(bad.error)
    with pytest.raises(skyfarm.UsageError, match="--threshold"):
        list(skyfarm.scan_many([sky_file], threshold=0))


def test_many_relative_and_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"{number}.fits" for number in range(6)]
    for name in names:
        fits.writeto(name, synthetic(100, 100).astype("f4"))
    before = children()
    results = skyfarm.scan_many(names)
    assert next(results).path in names
    results.close()
    assert children() == before
    assert list(skyfarm.scan_many([])) == []
    with pytest.raises(skyfarm.UsageError, match="--threshold"):
        list(skyfarm.scan_many(names, threshold=0))


def test_nodes(sky: np.ndarray) -> None:
    assert skyfarm.nodes(discovery=False, wait=0.1) == []
    with skyfarm.Node(slots=1, name="here", listen="127.0.0.1:0", advertise=False) as node:
        assert (node.name, node.slots, node.is_running) == ("here", 1, True)
        (found,) = skyfarm.nodes([node.address], discovery=False, wait=1)
        assert found.is_usable and found.name == "here" and found.slots == 1
        far = skyfarm.scan(sky, local_slots=0, nodes=[node.address], wait=10)
        assert [system["name"] for system in far.report["systems"]] == ["here"]
        near = skyfarm.scan(sky)
        assert all(np.array_equal(near[name], far[name], equal_nan=True) for name in near.colnames)
    assert not node.is_running and node.log
    with pytest.raises(skyfarm.UsageError, match="--slots"):
        skyfarm.Node(slots=-1)
