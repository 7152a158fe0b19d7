"""Functions of the nodes' owners, for many values."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import threading
from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from ._errors import SkyfarmError, error
from ._program import environment, program, stop
from ._values import decode, encode

_INCOMPLETE = 23


@dataclass(frozen=True)
class CallResult:
    """What became of an item.

    Attributes
    ----------
    index : int
        Place of the item, from 0.
    value : object
        What the function has returned: values of JSON, and numpy arrays. None if it failed.
    error : str or None
        Why it failed; None if it did not.
    trace : tuple of str
        Last lines of the traceback of a failure.
    log : tuple of str
        Last lines that the call has printed.
    system : str or None
        Name of the node that called the function, ``this machine``, or None if the result is from the journal.
    seconds : float
        Seconds of the call.
    version : str
        Checksum of the module's source.
    is_recorded : bool
        Whether the result is from the journal.
    """

    index: int
    value: Any = None
    error: str | None = None
    trace: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    system: str | None = None
    seconds: float = 0.0
    version: str = ""
    is_recorded: bool = False

    def get(self) -> Any:
        """The value.

        Raises
        ------
        SkyfarmError
            If the item failed; the message has the last lines of the traceback.
        """
        if self.error is not None:
            raise SkyfarmError("\n".join([self.error, *self.trace]), _INCOMPLETE)
        return self.value


class _Feeder:
    """Writes the values of `items` to the program, in a thread, until it has all or ends."""

    def __init__(self, items: Iterable[Any], pipe: IO[bytes]) -> None:
        self._items, self._pipe = items, pipe
        self.error: BaseException | None = None
        self._is_stopped = False
        self._thread = threading.Thread(target=self._feed, daemon=True)
        self._thread.start()

    def _feed(self) -> None:
        try:
            for item in self._items:
                if self._is_stopped:
                    return
                parts = encode(item)
                self._pipe.write(struct.pack("<Q", sum(len(part) for part in parts)))
                for part in parts:
                    self._pipe.write(part)
                # The program begins with an item while the next one is made.
                self._pipe.flush()
        except BrokenPipeError:
            pass
        except BaseException as problem:  # noqa: BLE001
            self.error = problem
        finally:
            try:
                self._pipe.close()
            except OSError:
                pass

    def stop(self) -> None:
        self._is_stopped = True


class _Program:
    """``skyfarm call`` in progress. Like `Run`, it is in a session of its own."""

    def __init__(self, words: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            [program(), "call", *words],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self.input, self.output = self._process.stdin, self._process.stdout
        self._messages: deque[str] = deque(maxlen=50)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as pipe:
            for line in pipe:
                self._messages.append(line.decode(errors="replace").rstrip("\n"))

    def stop(self) -> None:
        """Ends the program as Ctrl-C does, if it still runs."""
        self.output.close()
        stop(self._process)

    def end(self) -> None:
        """Waits for the end, and raises what went wrong with the whole run."""
        code = self._process.wait()
        self._reader.join()
        lines = [line for line in self._messages if line.strip()]
        if code not in (0, _INCOMPLETE):
            raise error(lines[-1] if lines else "", code if code >= 0 else 128 - code)


def call(function: str, items: Iterable[Any], words: Sequence[str]) -> Generator[CallResult, None, None]:
    """Calls a function by ``skyfarm call`` with these further words for each item, and yields the results in order."""
    command = _Program([function, "--frames", "--progress=never", "--color=never", *words])
    feeder = _Feeder(items, command.input)
    index = 0
    try:
        while feeder.error is None and (head := _frame(command.output)) is not None:
            fields, value = json.loads(head), _frame(command.output)
            problem, result = fields.get("error"), None
            if problem is None and value is not None:
                try:
                    result = decode(value)
                except ValueError as fault:
                    # A node may send anything: the other items are not affected.
                    problem = str(fault)
            yield CallResult(
                index,
                result,
                problem,
                tuple(fields.get("trace") or ()),
                tuple(fields["log"]),
                fields.get("system"),
                fields["seconds"],
                fields["version"],
                fields["isRecorded"],
            )
            index += 1
        if feeder.error is None:
            command.end()
    finally:
        feeder.stop()
        command.stop()
    if feeder.error is not None:
        raise feeder.error


def _frame(pipe: IO[bytes]) -> bytearray | None:
    head = pipe.read(8)
    if len(head) < 8:
        return None
    size = struct.unpack("<Q", head)[0]
    buffer = bytearray(size)
    view = memoryview(buffer)
    while len(view):
        count = pipe.readinto(view)  # type: ignore[attr-defined]
        if not count:
            raise SkyfarmError("the program ended within a result", 1)
        view = view[count:]
    return buffer


def words_of(
    *,
    cpus: int,
    memory: int | None,
    journal: str | os.PathLike[str] | None,
    local_python: Mapping[str, str],
) -> list[str]:
    """The words of the arguments that only calls have."""
    values = {
        "--cpus": cpus if cpus != 1 else None,
        "--memory": memory,
        "--journal": None if journal is None else os.fspath(journal),
    }
    words = [f"{flag}={value}" for flag, value in values.items() if value is not None]
    return words + [f"--local-python={name}={path}" for name, path in local_python.items()]
