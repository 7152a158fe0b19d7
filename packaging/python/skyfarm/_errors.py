"""Errors of the program as exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._catalogue import Catalogue


class SkyfarmError(Exception):
    """The program ended with an error; the text is the program's.

    Attributes
    ----------
    exit_code : int or None
        The program's exit code, as in its manual; None if the program could not be run.
    """

    def __init__(self, message: str, exit_code: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class UsageError(SkyfarmError, ValueError):
    """An argument has a value that the program does not accept (exit code 2)."""


class NoNodeError(SkyfarmError):
    """There is no usable node, and this machine is excluded (exit code 3)."""


class ClusterKeyError(SkyfarmError):
    """A node holds another cluster key, or the key cannot be used (exit code 4)."""


class InputError(SkyfarmError, OSError):
    """An image, mask, weight map or kernel cannot be read (exit code 5)."""


class OutputError(SkyfarmError, OSError):
    """An output cannot be written (exit code 6)."""


class IncompleteError(SkyfarmError):
    """Sectors of the image could not be scanned (exit code 23).

    Attributes
    ----------
    catalogue : Catalogue or None
        The sources of the other sectors; None if the error is that of a job of many images.
    """

    catalogue: Catalogue | None = None


_CLASSES: dict[int, type[SkyfarmError]] = {
    2: UsageError,
    3: NoNodeError,
    4: ClusterKeyError,
    5: InputError,
    6: OutputError,
    23: IncompleteError,
}


def error(message: str, exit_code: int) -> SkyfarmError:
    """The exception for an exit code other than 0."""
    return _CLASSES.get(exit_code, SkyfarmError)(message or f"skyfarm: exit code {exit_code}", exit_code)
