"""The order in which games, or rounds, were played.

Pure. The number of a round is a name: an older evening that was entered later has a higher number.
See docs/algorithms/tie-breaks.md.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Numbers: TypeAlias = tuple[int, ...]
Played: TypeAlias = tuple[Numbers, str | None]
"""The numbers of a thing, and the ISO date of its evening, None where nobody knows it."""


def with_days(
    things: Iterable[T], played: Callable[[T], Played]
) -> Iterator[tuple[str, Numbers, T]]:
    """Yield (date, numbers, thing) by number; what has no date has the latest of those before it.

    The date is empty where nothing before it has one.
    """
    latest = ""
    for number, day, thing in sorted(
        ((*played(thing), thing) for thing in things), key=lambda row: row[0]
    ):
        latest = max(latest, day or "")
        yield day or latest, number, thing


def in_play_order(things: Iterable[T], played: Callable[[T], Played]) -> list[T]:
    """Return things by the date of their evening, then by their numbers.

    What has no date follows everything that is numbered before it.

    >>> rounds = [((3,), "2026-10-16"), ((1,), "2026-11-20"), ((2,), None)]
    >>> [number for (number,), _ in in_play_order(rounds, lambda one: one)]
    [3, 1, 2]
    """
    return [thing for *_, thing in sorted(with_days(things, played), key=lambda row: row[:2])]
