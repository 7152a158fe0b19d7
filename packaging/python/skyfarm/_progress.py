"""What a scan reports while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Union, cast

from ._program import Event


@dataclass(frozen=True)
class Progress:
    """The state of a scan after an event.

    Attributes
    ----------
    event : str
        What happened, as in Docs/Progress.md: ``began``, ``stage``, ``finished``, ``joined``, ``ended``, …
    pixels, pixels_done : int
        Pixels of the images, and of those the ones that need no more work.
    tasks, tasks_done : int
        Known and finished tasks.
    files, files_done : int
        Files of a job of many, and those done.
    seconds_left : float or None
        Estimate of the time until the end.
    details : dict
        All keys of the program's event.
    """

    event: str
    pixels: int
    pixels_done: int
    tasks: int
    tasks_done: int
    files: int
    files_done: int
    seconds_left: float | None
    details: Event


class Bar(Protocol):
    """What is needed of a progress bar such as ``tqdm``'s."""

    total: Any

    def update(self, n: int = ...) -> Any: ...


#: A function that gets each event, or a progress bar, which counts pixels.
ProgressLike = Union[Callable[[Progress], object], Bar]


def receiver(progress: ProgressLike | None) -> Callable[[Event], None] | None:
    """The function that gets the program's events for `progress`."""
    if progress is None:
        return None
    if hasattr(progress, "update"):
        return _counter(cast(Bar, progress))
    function = progress

    def call(event: Event) -> None:
        function(_progress(event))

    return call


def _counter(bar: Bar) -> Callable[[Event], None]:
    done = 0

    def count(event: Event) -> None:
        nonlocal done
        state = _progress(event)
        bar.total = state.pixels
        bar.update(state.pixels_done - done)
        done = state.pixels_done

    return count


def _progress(event: Event) -> Progress:
    return Progress(
        event["event"],
        event.get("pixels", 0),
        event.get("pixelsDone", 0),
        event.get("tasks", 0),
        event.get("tasksDone", 0),
        event.get("files", 1),
        event.get("filesDone", 0),
        event.get("secondsLeft"),
        event,
    )
