"""Functions on nodes."""

import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skyfarm
from skyfarm import _values

SOURCE = """
import os, sys, time
import numpy as np
kept = []
def reduce(x):
    print("reducing", x["name"])
    if x["name"] == "bad":
        raise ValueError("it is bad")
    return {"name": x["name"], "mean": float(x["image"].mean()), "image": x["image"] - x["image"].mean()}
def keep(x):
    kept.append(x)
    x += 1
    return [float(k.sum()) for k in kept]
def hang(x):
    if x == 2:
        time.sleep(1000)
    return x
"""


@pytest.fixture
def modules(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "pipeline.py").write_text(SOURCE)
    return {"pipeline": f"{tmp_path},{sys.executable}"}


def images(count: int) -> list[dict[str, Any]]:
    random = np.random.default_rng(1)
    return [{"name": str(number), "image": random.normal(size=(50, 200)).astype("f4")} for number in range(count)]


def check(results: list[skyfarm.CallResult], items: list[dict[str, Any]]) -> None:
    assert [result.index for result in results] == list(range(len(items)))
    for result, item in zip(results, items):
        value = result.get()
        expected = item["image"] - item["image"].mean()
        assert value["name"] == item["name"] and value["mean"] == float(item["image"].mean())
        assert value["image"].dtype == np.dtype("f4")
        np.testing.assert_array_equal(value["image"], expected)
        value["image"][0] = 0  # can be written


def test_call(modules: dict[str, str]) -> None:
    items = images(60)
    with skyfarm.Node(slots=2, listen="127.0.0.1:0", advertise=False, modules=modules) as node:
        assert skyfarm.nodes([node.address], discovery=False)[0].modules == ("pipeline",)
        results = list(skyfarm.map("pipeline.reduce", iter(items), node=[node.address], discovery=False, wait=10))
    check(results, items)
    assert all("reducing" in result.log[0] and result.system == node.name for result in results)


def test_call_here_and_errors(modules: dict[str, str], tmp_path: Path) -> None:
    words: dict[str, Any] = {"local_python": modules, "local_slots": 1, "discovery": False}
    items = images(4)
    items[2]["name"] = "bad"
    journal = tmp_path / "calls.journal"
    results = list(skyfarm.map("pipeline.reduce", items, journal=journal, **words))
    assert [result.error for result in results] == [None, None, "ValueError: it is bad", None]
    assert results[2].trace[-1] == "ValueError: it is bad"
    with pytest.raises(skyfarm.SkyfarmError, match="it is bad"):
        results[2].get()
    items[2]["name"] = "good"
    results = list(skyfarm.map("pipeline.reduce", items, journal=journal, **words))
    assert [result.is_recorded for result in results] == [True, True, False, True]
    check(results, items)
    results = list(skyfarm.map("pipeline.hang", range(4), timeout=2, **words))
    assert [result.value for result in results] == [0, 1, None, 3]
    assert "took longer than" in str(results[2].error)
    assert list(skyfarm.map("pipeline.hang", [], **words)) == []
    with pytest.raises(skyfarm.UsageError):
        next(skyfarm.map("pipeline.__init__", [1], **words))
    with pytest.raises(skyfarm.NoNodeError):
        next(skyfarm.map("other.reduce", [1], discovery=False, wait=1))
    with pytest.raises(TypeError, match="set is neither"):
        list(skyfarm.map("pipeline.hang", [1, {2}], **words))


def test_items_that_fail_and_a_loop_that_ends(modules: dict[str, str]) -> None:
    words: dict[str, Any] = {"local_python": modules, "local_slots": 2, "discovery": False}

    def endless() -> Any:
        while True:
            yield 1

    for count, result in enumerate(skyfarm.map("pipeline.hang", endless(), **words)):
        assert result.get() == 1
        if count == 300:
            break

    def broken() -> Any:
        yield 1
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        list(skyfarm.map("pipeline.hang", broken(), **words))


def test_arrays_that_a_function_keeps_are_its_own(modules: dict[str, str]) -> None:
    items = [np.full((100, 100), float(number)) for number in range(5)]
    words: dict[str, Any] = {"local_python": modules, "local_slots": 1, "discovery": False}
    last = list(skyfarm.map("pipeline.keep", items, **words))[-1].get()
    assert last == [10000.0 * (number + 1) for number in range(5)]


VALUES: list[Any] = [
    None, True, 0, -(2**80), 1.5, "a\u00e9\ud800", [], {}, [[1], {"at": None}],
    {"a": np.arange(6.0).reshape(2, 3), "b": [np.array(5, ">i2"), np.zeros((0, 3)), np.array([True, False])]},
    np.arange(4, dtype=">f4"), np.array([1 + 2j], "c8"), np.arange(10)[::-3], np.asfortranarray(np.eye(3)),
    np.float16(2), np.array(3, "u8"), np.zeros((2, 0)), np.array([], "i1"),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_values(value: Any) -> None:
    form = bytearray(b"".join(_values.encode(value)))
    found = _values.decode(form)

    def same(one: Any, other: Any) -> None:
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype and one.shape == other.shape
            np.testing.assert_array_equal(one, other)
        elif isinstance(one, dict):
            assert one.keys() == other.keys()
            for key in one:
                same(one[key], other[key])
        elif isinstance(one, list):
            assert len(one) == len(other)
            for left, right in zip(one, other):
                same(left, right)
        else:
            assert one == other

    same(value, found)
    for end in range(0, len(form), 7):
        with pytest.raises(ValueError, match="malformed value"):
            _values.decode(form[:end])
    with pytest.raises(ValueError, match="malformed value"):
        _values.decode(form + b"\0")


def test_values_with_changed_bytes() -> None:
    form = b"".join(_values.encode({"a": np.arange(6.0), "b": [1, None]}))
    random = np.random.default_rng(7)
    for _ in range(3000):
        changed = bytearray(form)
        changed[random.integers(len(form))] = random.integers(256)
        try:
            _values.decode(changed)
        except ValueError as problem:
            assert "malformed value" in str(problem)


@pytest.mark.parametrize("shape", [[1 << 60, 0], [1 << 63, 0], [0, 1 << 46, 1 << 46], [0] * 33, [1.0], [True], [-1]])
def test_values_with_shapes_that_are_no_shapes(shape: Any) -> None:
    texts = [b"null", json.dumps([{"at": [], "type": "<f8", "shape": shape}]).encode()]
    form = b"SKYVAL1\n" + struct.pack("<QQ", *map(len, texts)) + b"".join(texts)
    with pytest.raises(ValueError, match="malformed value: an array has no valid shape"):
        _values.decode(form + bytes(-len(form) % 64))


def test_a_malformed_result_fails_alone(modules: dict[str, str], tmp_path: Path) -> None:
    source = """
import os, sys
def forge(x):
    if x == 1:
        number = sys._getframe(1).f_locals["head"]["call"]
        os.write(3, b'{"ok":true,"call":%d,"size":1}\\0x' % number)
        os._exit(0)
    return x
"""
    (tmp_path / "pipeline.py").write_text(source)
    # The last one, since the worker ends after it.
    results = list(skyfarm.map("pipeline.forge", [0, 2, 1], local_python=modules, local_slots=1, discovery=False))
    assert [result.value for result in results] == [0, 2, None]
    assert "malformed value" in str(results[2].error)


@pytest.mark.parametrize(
    "value",
    [
        b"x", object(), {1: 2}, {2}, np.array([object()]), np.ma.array([1], mask=[1]), np.array(["a"]), 1j,
        np.zeros(1, [("a", "f4")]), np.zeros(1, "M8[s]"), np.longdouble(1) if np.longdouble(1).itemsize > 8 else b"",
    ],
    ids=str,
)  # fmt: skip
def test_values_that_are_refused(value: Any) -> None:
    for holder in (value, [value], {"a": value}):
        with pytest.raises(TypeError):
            _values.encode(holder)
    deep: list[Any] = []
    deep.append(deep)
    with pytest.raises(TypeError, match="contains itself"):
        _values.encode(deep)
