"""A figure, and measuring two or more things in turn."""

import gc
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Final

Timed = Callable[[], float]
"""Does something and returns how many seconds of it count."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound for a figure's ratio, or for its value where there is nothing to compare it with."""

    bound: float
    at_least: bool = False

    def holds(self, number: float) -> bool:
        """Whether `number` keeps within the bound."""
        return number >= self.bound if self.at_least else number <= self.bound

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement beside what it is compared with; `ratio` is the first over the second.

    The ratio is the median of the ratios of pairs that ran one after the other, so it may differ
    a little from that of the two medians printed. Without `against` the goal is one of the value.
    """

    goal_of: str
    name: str
    value: float
    unit: str
    against: str = ""
    against_value: float | None = None
    ratio: float | None = None
    goal: Goal | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None where there is none."""
        if self.goal is None:
            return None
        return self.goal.holds(self.value if self.ratio is None else self.ratio)

    def as_json(self) -> dict[str, object]:
        goal = str(self.goal) if self.goal else None
        return {**asdict(self), "goal": goal, "reached": self.reached}


def in_turn(repeats: int, what: str, *things: Timed) -> list[list[float]]:
    """Do each of `things` in turn, `repeats` times over; returns the seconds of each thing.

    `what`: the name of it all, for who waits.
    """
    taken: list[list[float]] = [[] for _ in things]
    for number in range(1, repeats + 1):
        say(f"{what}: {number} of {repeats}")
        for seconds, thing in zip(taken, things, strict=True):
            gc.collect()
            seconds.append(thing())
    return taken


def say(what: str) -> None:
    print(f"  {time.monotonic() - _BEGUN:6.1f} s  {what}", file=sys.stderr, flush=True)


_BEGUN: Final = time.monotonic()


def many(times: int, operation: Callable[[], object]) -> Timed:
    """Return a timed thing that does `operation` many times and counts the mean."""

    def timed() -> float:
        begun = time.perf_counter()
        for _ in range(times):
            operation()
        return (time.perf_counter() - begun) / times

    return timed


def once(operation: Callable[[], object]) -> float:
    """Return the seconds that `operation` takes."""
    begun = time.perf_counter()
    operation()
    return time.perf_counter() - begun


def compared(
    goal_of: str,
    name: str,
    seconds: Sequence[float],
    against: str,
    others: Sequence[float],
    goal: Goal | None,
    unit: str = "ms",
) -> Figure:
    """Return the figure of a thing and what it was measured in turn with."""
    factor = {"ms": 1e3, "us": 1e6}.get(unit, 1)
    pairs = [mine / other for mine, other in zip(seconds, others, strict=True)]
    return Figure(
        goal_of,
        name,
        statistics.median(seconds) * factor,
        unit,
        against,
        statistics.median(others) * factor,
        statistics.median(pairs),
        goal,
    )
