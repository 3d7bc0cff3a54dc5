"""Who sits at a table from which hand to which, and a tag of what that depends on.

The tag tells somebody who changes it whether it is what they looked at.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from scoring.json_types import JsonObject
from tournaments.domain.etags import mark_of_text
from tournaments.errors import Missing
from tournaments.models.changes import Change
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.meetings import Round, Sitting, Table
from tournaments.selectors.clubs.names import name_column, names_by_id
from tournaments.selectors.events.change_log import CHANGE_KIND


@dataclass(frozen=True, slots=True)
class SittingView:
    """A player in a seat (from 1) from one hand to another; open while `to_hand` is None."""

    seat: int
    player_id: str
    name: str
    from_hand: int
    to_hand: int | None
    substitute_for: str


@dataclass(frozen=True, slots=True)
class TableSeating:
    """Who sits at a table; `hands` are the numbers of those that are entered and not deleted."""

    code: str
    number: int
    round: int
    sittings: tuple[SittingView, ...]
    hands: tuple[int, ...]
    tag: str

    def holder(self, seat: int) -> SittingView | None:
        """Return who sat in a seat last."""
        own = [one for one in self.sittings if one.seat == seat]
        return max(own, key=lambda one: one.from_hand, default=None)

    @property
    def people(self) -> tuple[SittingView, ...]:
        """Who sat in each seat last, clockwise."""
        seats = sorted({one.seat for one in self.sittings})
        return tuple(found for seat in seats if (found := self.holder(seat)) is not None)


def table_seating(event: Event, code: str) -> TableSeating:
    """Return who sits at the table under `code`; three queries.

    Raises:
        Missing: the event has no table under that code.
    """
    table = Table.objects.select_related("round").filter(event=event, code=code).first()
    if table is None:
        raise Missing("table", {"table": code})
    rows = Sitting.objects.filter(seat__table=table).order_by("seat__number", "from_hand")
    sittings = tuple(
        SittingView(seat, player, name, first, last, instead or "")
        for seat, player, name, first, last, instead in rows.values_list(
            "seat__number",
            "player__player_id",
            f"player__{name_column(event)}",
            "from_hand",
            "to_hand",
            "substitute_for__player_id",
        )
    )
    hands = Hand.objects.filter(game__table=table).order_by("number")
    stand = list(hands.values_list("number", "state", "revision"))
    return TableSeating(
        code=code,
        number=table.number,
        round=table.round.number,
        sittings=sittings,
        hands=tuple(number for number, state, _ in stand if state != "void"),
        tag=_tag(sittings, stand),
    )


def _tag(sittings: tuple[SittingView, ...], hands: list[tuple[int, str, int]]) -> str:
    rows = [[one.seat, one.player_id, one.from_hand, one.to_hand] for one in sittings]
    text = json.dumps([rows, hands], separators=(",", ":"))
    return mark_of_text(text)


def abandoned_without_hands() -> Q:
    """Sittings at tables that were abandoned and have no hand that counts or may: who sits there is
    free for another table of the round."""
    played = Hand.objects.exclude(state="void").values("game")
    return Q(seat__table__game__state="abandoned") & ~Q(seat__table__game__in=played)


def seated_in(round_: Round) -> dict[int, tuple[int, str]]:
    """Return who sits at a table of a round: player → the table's number and code; one query."""
    rows = Sitting.objects.filter(round=round_, to_hand__isnull=True).exclude(
        abandoned_without_hands()
    )
    found = rows.values_list("player_id", "seat__table__number", "seat__table__code")
    return {player: (number, code) for player, number, code in found}


@dataclass(frozen=True, slots=True)
class PlayersChanged:
    """A line of the change log about who played at a table; `is_last` is the newest one there."""

    id: int
    facts: Mapping[str, Any]
    reason: str
    is_last: bool


def player_changes(event: Event, code: str) -> tuple[PlayersChanged, ...]:
    """Return how it changed who played at a table, the newest first; one query."""
    rows = Change.objects.filter(event=event, kind=CHANGE_KIND, table=code).order_by("-id")
    return tuple(
        PlayersChanged(row.pk, row.facts, row.reason, at == 0) for at, row in enumerate(rows)
    )


def player_names(event: Event, facts_of_changes: Iterable[JsonObject]) -> dict[str, str]:
    """Return the names of the players that lines of the change log name, by id; one query."""
    ids = {
        move[end]
        for facts in facts_of_changes
        for move in facts.get("moves", ())
        for end in ("from", "to")
    }
    return names_by_id(event, ids)
