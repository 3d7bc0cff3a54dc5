"""The drawing of a bracket: boxes of tables in columns of rounds, and lines between them.

Lengths are units of the drawing's own `viewBox`.
"""

from dataclasses import dataclass
from typing import Final

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.playoffs.bracket import SEEDINGS, Bracket, BracketTable, bracket_of
from tournaments.views.http import layout
from tournaments.views.http.decorators import page
from tournaments.views.http.layout import Link, PageRequest

WIDTH: Final = 168
"""Of a box."""
GAP: Final = 40
"""Between two columns."""
LINE: Final = 18
"""Of one entrant."""
HEAD: Final = 22
COLUMN_HEAD: Final = 24
"""Above the boxes, for the name of the round."""
MARGIN: Final = 8
LONGEST: Final = 20
"""Characters of a name in a box; the list below the drawing has the whole name."""


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A name in a box, with the y of its baseline."""

    text: str
    y: int
    went_on: bool
    walk_over: bool = False
    won: bool = False


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """The box of a table."""

    number: int
    x: int
    y: int
    text_x: int
    head_y: int
    height: int
    lines: tuple[DrawnLine, ...]


@dataclass(frozen=True, slots=True)
class DrawnColumn:
    """The heading of a column: its round, and where its text begins."""

    number: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """A bracket as SVG shows it; `paths` have the `d` of each connection."""

    width: int
    height: int
    box_width: int
    boxes: tuple[DrawnBox, ...]
    paths: tuple[str, ...]
    columns: tuple[DrawnColumn, ...]


def draw(bracket: Bracket) -> Drawing | None:
    """Return the drawing of the rounds that have tables; None where there is none."""
    rounds = [round_ for round_ in bracket.rounds if round_.tables]
    if not rounds:
        return None
    heights = [[_height(table) for table in round_.tables] for round_ in rounds]
    tallest = max(sum(column) + MARGIN * (len(column) + 1) for column in heights)
    boxes: dict[str, DrawnBox] = {}
    for at, one in enumerate(rounds):
        x = MARGIN + at * (WIDTH + GAP)
        free = (tallest - sum(heights[at])) // (len(one.tables) + 1)
        y = COLUMN_HEAD + free
        for table, height in zip(one.tables, heights[at], strict=True):
            boxes[table.code] = _box(table, x, y, height)
            y += height + free
    paths = [
        _path(boxes[table.code], boxes[to])
        for round_ in rounds
        for table in round_.tables
        for to in table.to
    ]
    width = 2 * MARGIN + len(rounds) * WIDTH + (len(rounds) - 1) * GAP
    columns = tuple(
        DrawnColumn(one.number, 2 * MARGIN + at * (WIDTH + GAP), COLUMN_HEAD - MARGIN)
        for at, one in enumerate(rounds)
    )
    height = COLUMN_HEAD + tallest
    return Drawing(width, height, WIDTH, tuple(boxes.values()), tuple(paths), columns)


def _height(table: BracketTable) -> int:
    return HEAD + LINE * max(len(table.entrants), 1) + MARGIN


def _box(table: BracketTable, x: int, y: int, height: int) -> DrawnBox:
    lines = tuple(
        DrawnLine(
            _short(one.name),
            y + HEAD + LINE * at + 12,
            one.went_on or one.won,
            one.walk_over,
            one.won,
        )
        for at, one in enumerate(table.entrants)
    )
    return DrawnBox(table.number, x, y, x + MARGIN, y + 16, height, lines)


def _path(drawn_box: DrawnBox, other: DrawnBox) -> str:
    start, end = drawn_box.x + WIDTH, other.x
    middle = (start + end) // 2
    from_y, to_y = drawn_box.y + drawn_box.height // 2, other.y + other.height // 2
    return f"M{start} {from_y} H{middle} V{to_y} H{end}"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


@page("read_public")
def bracket(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    current_event = events.event_at(request.actor, club, event)
    asked = request.GET.get("seeding", "")
    seeding = asked if asked in SEEDINGS else ""
    read = bracket_of(
        current_event, number, seeding, for_director=may_do(current_event, "manage_event")
    )
    stages = Link(_("Stages"), reverse("tournaments:stages", args=[club, event]))
    context = {
        "layout": layout.event_layout(
            request, current_event, (layout.event_link(current_event), stages)
        ),
        "event": current_event,
        "bracket": read,
        "drawing": draw(read),
        "seedings": SEEDINGS,
    }
    return render(request, "stages/bracket.html", context)
