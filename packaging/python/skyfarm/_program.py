"""The program: where it is, and how it is run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from ._errors import SkyfarmError, error

Event = dict[str, Any]

#: Seconds that the program may take to end after Ctrl-C.
PATIENCE = 10.0


def environment() -> dict[str, str]:
    """The environment of the program, without what only this package reads."""
    return {name: value for name, value in os.environ.items() if name != "SKYFARM_PROGRAM"}


def stop(process: subprocess.Popen[Any], by: signal.Signals = signal.SIGINT, patience: float = PATIENCE) -> bool:
    """Ends a process if it still runs, as Ctrl-C does; whether it did not have to be killed."""
    if process.poll() is None:
        process.send_signal(by)
    try:
        process.wait(patience)
        return True
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


def program() -> str:
    """The program's path: ``SKYFARM_PROGRAM``, else the one in this package, else ``skyfarm`` on PATH.

    Raises
    ------
    SkyfarmError
        If there is none.
    """
    named = os.environ.get("SKYFARM_PROGRAM")
    if named:
        return named
    packaged = Path(__file__).parent / "bin" / "skyfarm"
    if packaged.exists():
        return str(packaged)
    found = shutil.which("skyfarm")
    if found is None or Path(found).read_bytes()[:2] == b"#!":
        # The script of this package runs this function.
        raise SkyfarmError(
            "the program skyfarm is not on PATH; install a wheel that contains it, or the Debian package"
        )
    return found


class Run:
    """A command of the program in progress.

    The program is in a session of its own: Ctrl-C reaches this process, which then stops the program.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        descriptors: Sequence[int] = (),
        on_message: Callable[[str], None] | None = None,
    ) -> None:
        self._on_message = on_message
        self._process = subprocess.Popen(
            [program(), *arguments],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            pass_fds=tuple(descriptors),
            start_new_session=True,
        )
        self._output = ""
        self._messages: deque[str] = deque(maxlen=50)
        self._reader = threading.Thread(target=self._read_output, daemon=True)
        self._reader.start()

    def _read_output(self) -> None:
        self._output = _pipe(self._process.stdout).read()

    def events(self) -> Generator[Event, None, None]:
        """The events of ``--progress json`` until the program ends; stops it if the caller leaves early."""
        try:
            for line in _pipe(self._process.stderr):
                event = _event(line)
                if event is None:
                    self._messages.append(line.rstrip("\n"))
                    if self._on_message is not None:
                        self._on_message(self._messages[-1])
                else:
                    yield event
            self._process.wait()
            self._reader.join()
        finally:
            self.stop()

    def stop(self) -> None:
        """Ends the program as Ctrl-C does, if it still runs."""
        stop(self._process)
        self._reader.join()
        for pipe in (self._process.stdout, self._process.stderr):
            _pipe(pipe).close()

    @property
    def exit_code(self) -> int:
        """The exit code, after the end."""
        return self._process.returncode

    @property
    def output(self) -> str:
        """Standard output, after the end."""
        return self._output

    @property
    def error(self) -> SkyfarmError:
        """The exception for the exit code, with the program's last line, after the end."""
        lines = [line for line in self._messages if line.strip()]
        code = self.exit_code
        return error(lines[-1] if lines else "", code if code >= 0 else 128 - code)


def run(
    arguments: Sequence[str],
    descriptors: Sequence[int] = (),
    on_event: Callable[[Event], None] | None = None,
    on_message: Callable[[str], None] | None = None,
) -> Run:
    """Runs a command of the program to its end, whatever its exit code."""
    command = Run(arguments, descriptors, on_message)
    with closing(command.events()) as events:
        for event in events:
            if on_event is not None:
                on_event(event)
    return command


def _event(line: str) -> Event | None:
    if not line.startswith("{"):
        return None
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and "event" in value else None


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe
