"""What a column of a file may be, with its label."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.entry.sheet import Box
from tournaments.models.imports import (
    CHOICE,
    IGNORE,
    MOST_PLAYERS,
    NAME_OF,
    NAMES,
    PLAYER,
    PLEDGE,
    SEATS,
    VALUE_OF,
)

PLACES: Final = (
    ("date", _("Date")),
    ("round", _("Round")),
    ("table", _("Table")),
    ("variant", _("Game (rules)")),
    ("hand", _("Hand number")),
)
BOARD: Final = ("board", _("Board"))

WHO: Final = (
    ("seat", _("Seat")),
    ("player", _("Player name")),
    ("player_id", _("Player id")),
    ("side", _("Side (NS or EW)")),
    ("pair_id", _("Pair")),
)
COUNTED: Final[Mapping[str, Any]] = {
    "hearts": _("Hearts taken"),
    "cards": _("Cards taken"),
    "tricks": _("Tricks"),
    "charged": _("Charged cards"),
    "pledge": _("Pledge"),
    "unclaimed": _("Unclaimed cards"),
    "moon": _("Moon settlement (on the shooter's row)"),
    "first_trick": _("Won the first trick"),
    "passer": _("Passed to the shooter"),
    "clean": _("Took nothing"),
    "melds": _("Melds"),
    "trick_points": _("Trick points"),
    "last_trick": _("Won the last trick"),
    "declared_out": _("Declared out"),
    "points": _("Points"),
}

USUAL_PLAYERS: Final = 4

Choices = list[tuple[str, Any]]


def choices_of(rows: str, boxes: Sequence[Box], pairs: int = USUAL_PLAYERS) -> Choices:
    """Return the meanings that a column may have, in groups, for the boxes of a sheet.

    Args:
        pairs: the number of names with numbers that a row may have.
    """
    places = [*PLACES, BOARD] if any(box.kind == "board" for box in boxes) else list(PLACES)
    if rows == SEATS:
        cards = [
            (box.key, gettext("%(card)s taken") % {"card": box.label})
            for box in boxes
            if box.kind == "card"
        ]
        counts = [(box.kind, COUNTED[box.kind]) for box in boxes if box.kind in COUNTED]
        return [
            (IGNORE, gettext("Ignore")),
            (gettext("Where and when"), places),
            (gettext("Entrant"), list(WHO)),
            (gettext("Counts"), counts + cards),
        ]
    if rows == NAMES:
        players: Choices = [
            (
                gettext("Player %(n)s") % {"n": n},
                [
                    (f"{NAME_OF}{n}", gettext("Player %(n)s: name") % {"n": n}),
                    (f"{VALUE_OF}{n}", gettext("Player %(n)s: points") % {"n": n}),
                ],
            )
            for n in range(1, pairs + 1)
        ]
    else:
        players = [(PLAYER, gettext("A player"))]
    return [
        (IGNORE, gettext("Ignore")),
        *players,
        (gettext("Where and when"), places),
        (gettext("Names a player of the row"), list(_naming(boxes))),
    ]


def column_meanings(rows: str, boxes: Sequence[Box], n_columns: int) -> Iterator[str]:
    for key, group in choices_of(rows, boxes, pairs_of(n_columns)):
        yield from (meaning for meaning, _ in group) if isinstance(group, list) else (key,)


def pairs_of(n_columns: int) -> int:
    return min(max(n_columns // 2, USUAL_PLAYERS), MOST_PLAYERS)


def _naming(boxes: Sequence[Box]) -> Iterator[tuple[str, str]]:
    for box in boxes:
        if box.kind == "card":
            yield box.key, gettext("Taker of %(card)s") % {"card": box.label}
        elif box.kind == "moon":
            yield "moon", gettext("Moon shooter")
            yield CHOICE, gettext("Moon settlement")
        elif box.kind == "charged":
            yield "charged", gettext("Charged cards")
        elif box.kind == "pledge":
            for choice in box.choices:
                yield f"{PLEDGE}{choice}", gettext("Pledge of %(what)s") % {"what": choice}
