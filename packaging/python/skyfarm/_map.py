"""Programs of the nodes' owners, on many files, and their functions, for many values."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from ._call import CallResult, call, words_of
from ._errors import InputError
from ._program import Run

_INCOMPLETE = 23


@dataclass(frozen=True)
class MapResult:
    """What became of an input.

    Attributes
    ----------
    item : str
        Path of the input.
    outputs : tuple of Path
        The files that the program made of it, below the output folder.
    error : str or None
        Why it failed; None if it did not.
    """

    item: str
    outputs: tuple[Path, ...] = ()
    error: str | None = None


@overload
def map(  # noqa: A001
    name: str,
    inputs: Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    arguments: Sequence[str] = ...,
    out: Sequence[str] = ...,
    collect: bool = ...,
    shared: Sequence[str | os.PathLike[str]] = ...,
    companions: Sequence[str] = ...,
    retry: int = ...,
    timeout: float | None = ...,
    resume: bool = ...,
    overwrite: bool = ...,
    node: Sequence[str] = ...,
    discovery: bool = ...,
    wait: float | None = ...,
    local_slots: int | None = ...,
    local_program: Mapping[str, str] | None = ...,
) -> Generator[MapResult, None, None]: ...


@overload
def map(  # noqa: A001
    name: str,
    inputs: Iterable[Any],
    *,
    retry: int = ...,
    timeout: float | None = ...,
    cpus: int = ...,
    memory: int | None = ...,
    journal: str | os.PathLike[str] | None = ...,
    node: Sequence[str] = ...,
    discovery: bool = ...,
    wait: float | None = ...,
    local_slots: int | None = ...,
    local_python: Mapping[str, str] | None = ...,
) -> Generator[CallResult, None, None]: ...


def map(  # noqa: A001
    name: str,
    inputs: Iterable[Any],
    output: str | os.PathLike[str] | None = None,
    *,
    arguments: Sequence[str] = ("{in}",),
    out: Sequence[str] = (),
    collect: bool = False,
    shared: Sequence[str | os.PathLike[str]] = (),
    companions: Sequence[str] = (),
    retry: int = 0,
    timeout: float | None = None,
    resume: bool = False,
    overwrite: bool = False,
    cpus: int = 1,
    memory: int | None = None,
    journal: str | os.PathLike[str] | None = None,
    node: Sequence[str] = (),
    discovery: bool = True,
    wait: float | None = None,
    local_slots: int | None = None,
    local_program: Mapping[str, str] | None = None,
    local_python: Mapping[str, str] | None = None,
) -> Generator[MapResult | CallResult, None, None]:
    """Runs a program that nodes have under `name` on each input, and yields the results as they come.

    An input whose program fails has a result with an `error`; the others are done. Leaving the loop early stops the
    program, and a call with `resume` goes on.

    Without `output` it calls a Python function of the nodes' owners for each input, and yields the results in the order
    of the inputs. An input is what JSON has, with numpy arrays of numbers in it, and so is what the function returns.
    The inputs are read in a thread of their own, ahead of the results.

    Parameters
    ----------
    name : str
        Name under which the owners of nodes give the program away: ``skyfarm node --program NAME=PATH``. Or
        ``"MODULE.NAME"``, a function of a module that they give away: ``skyfarm node --python MODULE=PATH``.
    inputs : iterable of str or path, or of values
        The files, or what the function gets as its argument.
    output : str or path, optional
        Folder of the results; without it, a function is called.
    arguments : sequence of str
        Words for the program, with fields such as ``{in}``, ``{out}``, ``{stem}`` and ``{shared:NAME}``.
    out : sequence of str
        Files that the program writes, such as ``"{stem}.psf"``. Without them, and without `collect`, the result is
        what it prints, in ``{stem}.out``.
    collect : bool
        Whether all files that the program makes are results, in a folder for each input.
    shared : sequence of str or path
        Files that all inputs need.
    companions : sequence of str
        Further files for each input, such as ``"{dir}/{stem}.head"``.
    retry : int
        How often the program is run again for an input that has failed.
    timeout : float, optional
        Seconds after which the program is ended.
    resume : bool
        Whether inputs that are done and have not changed are left out; they have a result nevertheless.
    overwrite : bool
        Whether files that exist are replaced.
    cpus : int
        Slots that a call of a function takes.
    memory : int, optional
        Bytes of memory that a call needs.
    journal : str or path, optional
        File that keeps the results of calls: with it, the function is called only for inputs that have none there.
    node, discovery, wait, local_slots
        As for `scan`.
    local_program : mapping of str to str, optional
        Absolute paths of programs that this machine runs as well, by name.
    local_python : mapping of str to str, optional
        Absolute paths of modules whose functions this machine calls as well, by name.

    Raises
    ------
    SkyfarmError
        If the run cannot begin or go on.

    Examples
    --------
    >>> import skyfarm
    >>> for result in skyfarm.map("psfex", ["m31.cat"], "psf", out=["{stem}.psf"]):  # doctest: +SKIP
    ...     print(result.item, result.outputs, result.error)
    """
    unused: dict[str, Any] = (
        {
            "arguments": tuple(arguments) != ("{in}",), "out": out, "collect": collect, "shared": shared,
            "companions": companions, "resume": resume, "overwrite": overwrite, "local_program": local_program,
        }
        if output is None
        else {"cpus": cpus != 1, "memory": memory, "journal": journal, "local_python": local_python}
    )
    wrong = [key for key, value in unused.items() if value]
    if wrong:
        kind = "functions, which are called without output" if output is None else "programs, which have an output"
        raise TypeError(f"{', '.join(wrong)}: not for {kind}")
    values = {
        "--retry": retry or None,
        "--timeout": None if timeout is None else f"{timeout:f}s",
        "--wait": wait,
        "--local-slots": local_slots,
    }
    words = [f"{flag}={value}" for flag, value in values.items() if value is not None]
    words += [f"--node={address}" for address in node]
    words += [] if discovery else ["--no-discovery"]
    if output is None:
        further = words_of(cpus=cpus, memory=memory, journal=journal, local_python=local_python or {})
        yield from call(name, inputs, [*words, *further])
        return
    files = [os.fspath(file) for file in inputs]
    if not files:
        return
    for file in files:
        # A pattern, a list or a folder would have other names in the results.
        if not os.path.isfile(file):
            raise InputError(f"{file}: there is no such file", 5)
    words += [f"--out={template}" for template in out]
    words += [f"--shared={os.fspath(file)}" for file in shared]
    words += [f"--with={template}" for template in companions]
    words += [f"--local-program={key}={path}" for key, path in (local_program or {}).items()]
    switches = {"--collect": collect, "--resume": resume, "--overwrite": overwrite}
    words += [flag for flag, is_set in switches.items() if is_set]
    folder = os.fspath(output).rstrip("/") + "/"
    paths = [file if os.path.isabs(file) else os.path.join(".", file) for file in files]
    names = dict(zip(paths, files, strict=True))
    command = Run(
        ["map", name, f"--output={folder}", "--progress=json", "--color=never", *words, "--", *arguments, "--", *paths]
    )
    with closing(command.events()) as events:
        for event in events:
            if event["event"] == "file-ended":
                errors = event.get("errors") or [None]
                outputs = tuple(Path(path) for path in event.get("outputs") or ())
                yield MapResult(names.get(event["file"], event["file"]), outputs, errors[0])
    if command.exit_code not in (0, _INCOMPLETE):
        raise command.error
