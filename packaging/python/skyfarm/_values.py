"""Values that travel to functions on nodes and back: JSON with numpy arrays in it, as bytes.

The form is the word ``SKYVAL1`` and a line end, the lengths of two texts (64 bits each, little endian), both texts, zero
bytes up to a multiple of 64, and the arrays, each with zero bytes up to a multiple of 64. The first text is the value in
JSON, with null in the place of each array. The second one lists the arrays: ``at``, the keys that lead to the place;
``type``, as numpy writes it; and ``shape``. Nothing in it can name code. Nodes run this file without the package.
"""

from __future__ import annotations

import json
import re
import struct
from typing import Any

_MAGIC = b"SKYVAL1\n"
_ALIGNMENT = 64
_DEPTH = 100
_TYPE = re.compile(r"[<>|](b1|[iu][1248]|f[248]|c8|c16)\Z")


def encode(value: Any) -> list[Any]:
    """The parts of the form of `value`, one after the other: bytes, and memory views of arrays.

    Raises
    ------
    TypeError
        If it contains something else than None, bool, int, float, str, list, tuple, dict with keys that are str, and
        arrays of numbers.
    """
    arrays: list[Any] = []
    places: list[dict[str, Any]] = []
    text = json.dumps(_plain(value, [], arrays, places)).encode()
    list_text = json.dumps(places).encode()
    head = _MAGIC + struct.pack("<QQ", len(text), len(list_text)) + text + list_text
    parts: list[Any] = [head, bytes(-len(head) % _ALIGNMENT)]
    for array in arrays:
        if array.nbytes:
            parts += [memoryview(array).cast("B"), bytes(-array.nbytes % _ALIGNMENT)]
    return parts


def _plain(value: Any, path: list[Any], arrays: list[Any], places: list[dict[str, Any]]) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    kind = type(value)
    if kind in (int, float):
        return value
    if len(path) > _DEPTH:
        raise TypeError(f"a value has more than {_DEPTH} levels, or contains itself")
    if kind in (list, tuple):
        return [_plain(item, [*path, index], arrays, places) for index, item in enumerate(value)]
    if kind is dict:
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"a key of a dict must be a str, not {key!r}{_place(path)}")
        return {str(key): _plain(item, [*path, str(key)], arrays, places) for key, item in value.items()}
    if kind.__module__ == "numpy" or any(base.__module__ == "numpy" for base in kind.__mro__):
        return _number(value, path, arrays, places)
    if isinstance(value, (int, float)):
        return int(value) if isinstance(value, int) else float(value)
    raise TypeError(
        f"a {kind.__module__}.{kind.__qualname__} is neither JSON nor an array of numbers{_place(path)}"
    )


def _place(path: list[Any]) -> str:
    return " (at " + "".join(f"[{key!r}]" for key in path) + ")" if path else ""


def _number(value: Any, path: list[Any], arrays: list[Any], places: list[dict[str, Any]]) -> Any:
    import numpy

    if isinstance(value, numpy.generic) and value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
        return value.item()
    if isinstance(value, numpy.ndarray) and type(value) not in (numpy.ndarray, numpy.memmap):
        raise TypeError(
            f"a {type(value).__qualname__} would lose what it has beside its numbers{_place(path)}; "
            "pass numpy.asarray of it, and the rest as values of their own"
        )
    array = numpy.asarray(value)
    name = array.dtype.newbyteorder("=").str if array.dtype.byteorder == "=" else array.dtype.str
    if array.dtype.hasobject or array.dtype.names is not None or not _TYPE.match(name):
        raise TypeError(f"an array of {array.dtype} has no plain numbers{_place(path)}")
    places.append({"at": path, "type": name, "shape": list(array.shape)})
    # ascontiguousarray would make a row of a single number.
    arrays.append(numpy.ascontiguousarray(array).reshape(array.shape).view("u1") if array.ndim else _bytes(array))
    return None


def _bytes(array: Any) -> Any:
    import numpy

    return numpy.frombuffer(array.tobytes(), "u1")


def decode(buffer: Any) -> Any:
    """The value whose form is in `buffer`. Arrays are views of it, and can be written if it can.

    Raises
    ------
    ValueError
        If the bytes do not have the form.
    """
    view = memoryview(buffer).cast("B")
    start = len(_MAGIC) + 16
    if len(view) < start or view[: len(_MAGIC)] != _MAGIC:
        raise ValueError("malformed value: it does not begin as one")
    first, second = struct.unpack("<QQ", view[len(_MAGIC) : start])
    if first > len(view) - start or second > len(view) - start - first:
        raise ValueError("malformed value: it is too short for its texts")
    try:
        value = json.loads(bytes(view[start : start + first]))
        places = json.loads(bytes(view[start + first : start + first + second]))
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"malformed value: {problem}") from None
    end = start + first + second
    if not isinstance(places, list):
        raise ValueError("malformed value: its arrays are no list")
    root = [value]
    end += -end % _ALIGNMENT
    for place in places:
        end = _put(root, place, view, end)
    if end != len(view):
        raise ValueError(f"malformed value: it has {len(view)} bytes in place of {end}")
    return root[0]


def _put(root: list[Any], place: Any, view: memoryview, start: int) -> int:
    """Puts an array into its place. Returns where the next one begins."""
    if not isinstance(place, dict) or set(place) != {"at", "type", "shape"}:
        raise ValueError("malformed value: an array has other keys than at, type and shape")
    path, name, shape = place["at"], place["type"], place["shape"]
    if not isinstance(name, str) or not _TYPE.match(name):
        raise ValueError("malformed value: an array has no type of numbers")
    if not isinstance(shape, list) or len(shape) > 32 or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError("malformed value: an array has no valid shape")
    size = extent = int(name[2:])
    for length in shape:
        size *= length
        extent *= max(length, 1)
    # numpy makes no array, also of no number, whose other lengths are larger than memory can be.
    if extent >= 1 << 63:
        raise ValueError("malformed value: an array has no valid shape")
    if size > len(view) - start:
        raise ValueError("malformed value: it is too short for its arrays")
    holder: Any = root
    key: Any = 0
    for step in path if isinstance(path, list) else [None]:
        try:
            holder = holder[key]
        except (KeyError, IndexError, TypeError):
            holder = None
        key = step
    fits = (isinstance(holder, list) and type(key) is int and 0 <= key < len(holder)) or (
        isinstance(holder, dict) and isinstance(key, str) and key in holder
    )
    if not fits or holder[key] is not None:
        raise ValueError("malformed value: an array has no place in it")
    import numpy

    if size:
        holder[key] = numpy.frombuffer(view[start : start + size], numpy.dtype(name)).reshape(shape)
    else:
        holder[key] = numpy.empty(shape, numpy.dtype(name))
    return start + size + -size % _ALIGNMENT
