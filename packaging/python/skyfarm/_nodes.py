"""Nodes: those of the network, and one of this process."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any

from . import _program
from ._errors import SkyfarmError, error


@dataclass(frozen=True)
class NodeInfo:
    """A node that was found, as ``skyfarm nodes --json`` describes it.

    Attributes
    ----------
    address : str
        Address and port.
    is_usable : bool
        Whether scans use it; otherwise `reason` says why not.
    slots : int or None
        Tasks that it runs at a time.
    programs : tuple of str
        Names of the programs that it runs for `skyfarm.map`.
    modules : tuple of str
        Names of the Python modules whose functions it calls for `skyfarm.map`.
    load : float or None
        Tasks running or queued, divided by slots.
    round_trip : float or None
        Seconds of a round trip.
    """

    address: str
    is_usable: bool
    name: str | None = None
    slots: int | None = None
    load: float | None = None
    round_trip: float | None = None
    version: str | None = None
    key: str | None = None
    reason: str | None = None
    programs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


def nodes(
    addresses: Sequence[str] = (), *, srv: Sequence[str] = (), discovery: bool = True, wait: float = 2.0
) -> list[NodeInfo]:
    """The nodes that can be found, usable ones and others; an empty list if there is none.

    Parameters
    ----------
    addresses : sequence of str
        Nodes to contact besides those that are found, as HOST:PORT.
    srv : sequence of str
        Names of DNS SRV records.
    discovery : bool
        Whether to look on the local network.
    wait : float
        Seconds to look.

    Raises
    ------
    SkyfarmError
        If it is not possible to look.
    """
    words = [word for address in addresses for word in ("--node", address)]
    words += [word for name in srv for word in ("--srv", name)]
    words += [] if discovery else ["--no-discovery"]
    command = _program.run(["nodes", "--json", "--wait", str(wait), "--color", "never", *words])
    if not command.output:
        raise command.error
    return [_info(row) for row in json.loads(command.output)["nodes"]]


def _info(row: dict[str, Any]) -> NodeInfo:
    milliseconds = row.get("roundTripMilliseconds")
    return NodeInfo(
        row["address"],
        row["isUsable"],
        row.get("name"),
        row.get("slots"),
        row.get("load"),
        None if milliseconds is None else milliseconds / 1000,
        row.get("version"),
        row.get("key"),
        row.get("reason"),
        tuple(row.get("programs", ())),
        tuple(row.get("modules", ())),
    )


class Node:
    """A node on this machine, which runs tasks for coordinators until it is closed.

    Parameters
    ----------
    slots : int, optional
        Tasks to run at a time; by default one per core.
    name : str, optional
        Its name; by default the host's.
    listen : str, optional
        Address and port; port 0 is a free one. By default ``:4870``, or a free port.
    advertise : bool
        Whether it is announced on the local network.
    data : sequence of str
        Folders whose images the node may read itself.
    nice : int
        By how much its priority is lowered.
    programs : mapping of str to str
        Absolute paths of programs that holders of the cluster key may run, by the names by which they ask for them.
    modules : mapping of str to str
        Absolute paths of Python modules whose functions they may call, by name; ``PATH,INTERPRETER`` names another
        interpreter than ``python3``.

    Attributes
    ----------
    name : str
    address : str
        Address and port by which this machine reaches it.
    slots : int

    Examples
    --------
    >>> import skyfarm
    >>> with skyfarm.Node(slots=1, listen="127.0.0.1:0", advertise=False) as node:
    ...     [info.slots for info in skyfarm.nodes([node.address], discovery=False, wait=1)]
    [1]
    """

    def __init__(
        self,
        slots: int | None = None,
        *,
        name: str | None = None,
        listen: str | None = None,
        advertise: bool = True,
        data: Sequence[str] = (),
        nice: int = 0,
        programs: Mapping[str, str] | None = None,
        modules: Mapping[str, str] | None = None,
    ) -> None:
        values = {"--slots": slots, "--name": name, "--listen": listen, "--nice": nice or None}
        words = [word for flag, value in values.items() if value is not None for word in (flag, str(value))]
        words += [] if advertise else ["--no-advertise"]
        words += [word for folder in data for word in ("--data", folder)]
        words += [word for name, path in (programs or {}).items() for word in ("--program", f"{name}={path}")]
        words += [word for name, path in (modules or {}).items() for word in ("--python", f"{name}={path}")]
        self._log: deque[str] = deque(maxlen=200)
        self._process = subprocess.Popen(
            [_program.program(), "node", "--color", "never", *words],
            env=_program.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._process.stdout is not None and self._process.stderr is not None
        self._reader = threading.Thread(target=self._read, args=(self._process.stderr,), daemon=True)
        self._reader.start()
        try:
            ready = self._process.stdout.readline().split()
        except BaseException:
            self.close()
            raise
        if len(ready) != 5 or ready[0] != "ready":
            self.close()
            lines = self.log
            raise error(lines[-1] if lines else "", self._process.returncode or 1)
        self.name: str = ready[1]
        host, _, port = ready[2].rpartition(":")
        self.address: str = f"{'127.0.0.1' if host in ('', '0.0.0.0', '[::]') else host}:{port}"
        self.slots: int = int(ready[4])

    def _read(self, pipe: IO[str]) -> None:
        for line in pipe:
            self._log.append(line.rstrip("\n"))

    @property
    def log(self) -> list[str]:
        """The last lines that the node has written."""
        return list(self._log)

    @property
    def is_running(self) -> bool:
        """Whether the node still runs."""
        return self._process.poll() is None

    def close(self, patience: float = 30.0) -> None:
        """Withdraws the node; running tasks may finish for `patience` seconds.

        Raises
        ------
        SkyfarmError
            If the node had to be killed.
        """
        has_ended = _program.stop(self._process, signal.SIGTERM, patience)
        self._reader.join()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        if not has_ended:
            raise SkyfarmError(f"the node did not end within {patience:g} s and was killed")

    def __enter__(self) -> Node:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
