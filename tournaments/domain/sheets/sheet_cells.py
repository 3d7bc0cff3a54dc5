"""The boxes and bubbles of a score sheet, before they have a place: how wide, in which line.

Pure.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import Final, NamedTuple

from tournaments.domain.sheets.sheet_fields import SheetField

LONGEST_RUN: Final = 15
"""Counts up to this have a bubble for each number; larger ones are made of tens and units."""
RUNNING: Final = 11.0
"""The least width of a running total."""


class Part(NamedTuple):
    """One box or bubble of a field; `label` stands over it, `text` in it."""

    field: str
    part: str
    width: float
    label: str = ""
    text: str = ""
    is_bubble: bool = False
    least: float = 0.0


def running_part(width: float) -> Part:
    """Return the box of the running total."""
    return Part("running", "write", width, text="Σ", least=RUNNING)


def parts_of(fields: Sequence[SheetField], layout: str, size: float) -> tuple[Part, ...]:
    """Return the parts of these fields in their order.

    Args:
        layout: `boxes` or `bubbles`.
        size: width of a box, or from one bubble to the next.
    """
    parts = _boxes if layout == "boxes" else _bubbles
    return tuple(part for field in fields for part in parts(field, size))


def _boxes(field: SheetField, size: float) -> Iterator[Part]:
    if field.kind == "tick":
        yield Part(field.key, "tick", size, "", field.label)
    elif field.kind == "write":
        yield Part(field.key, "write", size * 2, text=field.label)
    else:
        if field.most > 9:
            yield Part(field.key, "tens", size, field.label)
        yield Part(field.key, "units", size, field.label)


def _bubbles(field: SheetField, size: float) -> Iterator[Part]:
    if field.kind == "tick":
        yield Part(field.key, "tick", size, "", field.label, is_bubble=True)
    elif field.kind == "write":
        yield Part(field.key, "write", size * 2, text=field.label)
    else:
        yield Part(field.key, "label", size, "", field.label)
        for number in _numbers(field.most):
            yield Part(field.key, str(number), size, "", str(number), is_bubble=True)


def _numbers(most: int) -> list[int]:
    """The numbers that have a bubble; a count is the sum of those that are filled.

    >>> _numbers(3), _numbers(26)
    ([1, 2, 3], [10, 20, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    if most <= LONGEST_RUN:
        return list(range(1, most + 1))
    return [*range(10, most + 1, 10), *range(1, 10)]


def flow(parts: Iterable[Part], width: float) -> tuple[tuple[Part, ...], ...]:
    """Return the parts by line; those of a field share one where they fit, else even ones.

    >>> two = [Part("hearts", "tens", 6.0), Part("hearts", "units", 6.0)]
    >>> [len(line) for line in flow([Part("jack", "tick", 6.0), *two], 13.0)]
    [1, 2]
    """
    groups: dict[str, list[Part]] = {}
    for part in parts:
        groups.setdefault(part.field, []).append(part)
    lines: list[list[Part]] = [[]]
    used = 0.0
    for group in groups.values():
        whole = sum(part.width for part in group)
        if used and used + whole > width + 1e-6 and whole <= width:
            lines.append([])
            used = 0.0
        most = (
            width if whole <= width else min(width, whole / ceil(whole / width) + group[-1].width)
        )
        for part in group:
            if used and used + part.width > most + 1e-6:
                lines.append([])
                used = 0.0
            lines[-1].append(part)
            used += part.width
    return tuple(tuple(line) for line in lines)
