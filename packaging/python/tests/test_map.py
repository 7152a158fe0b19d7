"""Programs on nodes."""

from pathlib import Path
from typing import Any

import pytest

import skyfarm


def script(folder: Path, body: str) -> str:
    path = folder / "work"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def files(folder: Path, count: int) -> list[Path]:
    paths = [folder / f"f{number}.txt" for number in range(count)]
    for path in paths:
        path.write_text(f"{path.stem}\n")
    return paths


def test_map(tmp_path: Path) -> None:
    work = script(tmp_path, 'case $1 in f3*) exit 7;; esac; tr a-z A-Z <"$1" >"$2"')
    inputs = files(tmp_path, 6)
    words: dict[str, Any] = {"arguments": ["{in}", "{out}"], "out": ["{stem}.up"], "discovery": False, "wait": 10}
    with skyfarm.Node(slots=2, listen="127.0.0.1:0", advertise=False, programs={"work": work}) as node:
        info = skyfarm.nodes([node.address], discovery=False)
        assert info[0].programs == ("work",)
        results = list(skyfarm.map("work", inputs, tmp_path / "out", node=[node.address], **words))
        again = list(skyfarm.map("work", inputs, tmp_path / "out", node=[node.address], resume=True, **words))
    assert sorted(result.item for result in results) == [str(path) for path in inputs]
    assert sorted(result.item for result in again) == [str(path) for path in inputs]
    failed = [result for result in results if result.error]
    assert [(Path(result.item).name, result.error, result.outputs) for result in failed] == [
        ("f3.txt", "exit code 7", ())
    ]
    for result in results:
        for path in result.outputs:
            assert path.read_text() == Path(result.item).stem.upper() + "\n"


def test_map_here_and_errors(tmp_path: Path) -> None:
    work = script(tmp_path, 'cat "$1"')
    inputs = files(tmp_path, 2)
    words: dict[str, Any] = {"discovery": False, "local_slots": 1, "local_program": {"work": work}}
    results = list(skyfarm.map("work", inputs, tmp_path / "out", **words))
    assert [result.error for result in results] == [None, None]
    with pytest.raises(skyfarm.InputError, match="there is no such file"):
        next(skyfarm.map("work", [tmp_path / "none"], tmp_path / "out", **words))
    with pytest.raises(skyfarm.UsageError):
        next(skyfarm.map("work", inputs, tmp_path / "new", arguments=["{oops}"], **words))
    with pytest.raises(skyfarm.OutputError, match="exists already"):
        next(skyfarm.map("work", inputs, tmp_path / "out", **words))
    assert list(skyfarm.map("work", [], tmp_path / "out", **words)) == []
    for key, value in {"cpus": 2, "memory": 1, "journal": "j", "local_python": {"m": "/m"}}.items():
        with pytest.raises(TypeError, match=f"{key}: not for programs"):
            next(skyfarm.map("work", inputs, tmp_path / "new", **{**words, key: value}))
    for key, value in {"arguments": ["x"], "out": ["x"], "collect": True, "resume": True, **words}.items():
        if key not in ("discovery", "local_slots"):
            with pytest.raises(TypeError, match=f"{key}: not for functions"):
                next(skyfarm.map("m.f", [1], **{key: value}))
