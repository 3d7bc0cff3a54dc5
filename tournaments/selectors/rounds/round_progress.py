"""How far the rounds of an event are: tables that are still open, newest entries, filed hands.

Takes an event that `selectors.events.events.event_at` has let the actor read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from django.db.models import Count, Max, Min, Q

from tournaments.models.events import Event, StageKind
from tournaments.models.hands import Entry, GameState, Hand, HandState
from tournaments.models.meetings import Round, RoundState
from tournaments.selectors.events.events import rounds_of

OVER: Final = (
    GameState.COMPLETE, GameState.CHECKED, GameState.ABANDONED, GameState.FINAL,
)  # fmt: skip
"""States of games that wait for no more hands."""


@dataclass(frozen=True, slots=True)
class RoundProgress:
    """A round with the number of its tables, and of those that are still open."""

    number: int
    state: str
    on: date | None
    tables: int
    open_tables: int
    is_playoff: bool
    row: Round

    @property
    def is_open(self) -> bool:
        """Whether it is not closed yet."""
        return self.state != RoundState.CLOSED

    @property
    def is_complete(self) -> bool:
        """Whether it can be closed: it is in progress, and every table is over."""
        return self.state == RoundState.PLAYING and self.tables > 0 and not self.open_tables


@dataclass(frozen=True, slots=True)
class FiledHand:
    """A hand that was filed although its total is wrong, until somebody corrects it."""

    code: str
    table: int
    round: int
    number: int
    filed_at: datetime | None


def round_progress(event: Event) -> Sequence[RoundProgress]:
    """Return the rounds of an event by number, play-offs among them; one query."""
    is_open = ~Q(tables__game__state__in=OVER)
    found = rounds_of(event).select_related("meeting", "snapshot", "stage")
    rows = found.annotate(n_tables=Count("tables"), n_open=Count("tables", filter=is_open))
    return tuple(
        RoundProgress(
            number=row.number,
            state=row.state,
            on=row.meeting.date if row.meeting else None,
            tables=row.n_tables,
            open_tables=row.n_open,
            is_playoff=row.stage.kind == StageKind.PLAYOFF,
            row=row,
        )
        for row in rows
    )


def current_round(rounds: Sequence[RoundProgress]) -> RoundProgress | None:
    """Return the round that a director looks at: the newest in progress, else the first that is
    posted, else the first draft; one of a play-off only where there is no other."""
    for is_playoff in (False, True):
        own = [one for one in rounds if one.is_playoff == is_playoff]
        for state in (RoundState.PLAYING, RoundState.POSTED, RoundState.DRAFT):
            found = [one for one in own if one.state == state]
            if found:
                return found[-1] if state == RoundState.PLAYING else found[0]
    return None


def entry_times(round_: Round) -> Mapping[str, tuple[datetime, datetime]]:
    """Return when the first and the newest entry of each table of a round were made, by code; one
    query."""
    rows = Entry.objects.filter(hand__game__table__round=round_)
    times = rows.values("hand__game__table__code").order_by()
    found = times.annotate(first=Min("entered_at"), newest=Max("entered_at"))
    return {
        code: (first, newest)
        for code, first, newest in found.values_list("hand__game__table__code", "first", "newest")
    }


def filed_hands(event: Event) -> Sequence[FiledHand]:
    """Return the hands of an event that are filed as disputed, the earliest first; one query."""
    rows = Hand.objects.filter(game__event=event, state=HandState.DISPUTED)
    values = rows.order_by("entry__entered_at", "pk").values_list(
        "game__table__code", "game__table__number", "game__table__round__number", "number",
        "entry__entered_at",
    )  # fmt: skip
    return tuple(FiledHand(*row) for row in values)
