"""The table, boxes and seats that every screen for entering hands shares."""

import json
import uuid
from collections.abc import Iterable, Sequence
from typing import Final

from django.utils.translation import gettext as _

from scoring.entry.sheet import seat_names
from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import TOTALS, teams_of
from tournaments.domain.seating_runs import as_field
from tournaments.errors import OF_STATES, Forbidden
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.hands.score_sheet import get_game, stored_table
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.hands.check_entry import ADDITIONAL
from tournaments.services.hands.disputes import may_be_disputed
from tournaments.views.hands.hand_form import RowPlayer, checks_of
from tournaments.views.hands.hand_form_fields import EntryFields, sheet_of
from tournaments.views.http import layout
from tournaments.views.http.find_players import NamedPlayersForm
from tournaments.views.http.layout import Link, PageRequest

NOT_A_RACE: Final = OF_STATES | {"event_not_open", "round_is_draft", "players_moved"}
"""Conflicts without another entry to compare with."""


class SeatingForm(NamedPlayersForm):
    """Who sits where at one table: one field a seat, `seat-1` clockwise.

    Where `shape` has the seats of sides it is one field a side, `side-1` first.
    """

    def __init__(
        self,
        data: object = None,
        *,
        seats: int,
        names: Sequence[str] = (),
        shape: Sequence[Sequence[int]] = (),
    ) -> None:
        kind = "side" if shape else "seat"
        initial = {f"{kind}-{number}": name for number, name in enumerate(names, start=1)}
        super().__init__(data, initial=initial)
        self.shape = shape
        self.ask_players(side_labels(shape) if shape else _seat_labels(seats), kind)


def _seat_labels(seats: int) -> Iterable[str]:
    if seats <= 4:
        for number, name in enumerate(seat_names(seats), start=1):
            yield _("Seat %(number)s, %(name)s") % {"number": number, "name": name}
        return
    for number in range(1, seats + 1):
        yield _("Seat %(number)s") % {"number": number}


def side_labels(shape: Sequence[Sequence[int]]) -> Iterable[str]:
    """Name each side by its seats: North and South, or seats 1, 3 and 5."""
    names = {"N": _("North"), "E": _("East"), "S": _("South"), "W": _("West")}
    n_seats = sum(map(len, shape))
    for side in shape:
        if n_seats == 4 and len(side) == 2:
            letters = seat_names(n_seats)
            first, second = (names[letters[seat]] for seat in side)
            yield _("%(first)s and %(second)s") % {"first": first, "second": second}
        else:
            seats = ", ".join(str(seat + 1) for seat in side)
            yield _("Seats %(numbers)s") % {"numbers": seats}


LONGEST_REASON: Final = 500
LONGEST_KEY: Final = 128
ROUND_NOT_OPEN: Final = "round_not_open"
FILE: Final = "file"
"""The button that keeps numbers that cannot be as disputed."""
ADD: Final = "save:additional"
"""The button that records a hand beyond the event's length."""


def filing_of(event: Event, problems: Iterable[Problem]) -> str:
    """Return who files a new entry as disputed: `own`, the user; `director`; "" for nobody."""
    if not may_be_disputed(problems):
        return ""
    return "own" if may_do(event, "file_disputed") else "director"


class EntryScreen:
    """One table of an event. Where nobody sits yet, `is_empty`, it has no boxes (`sheet`)."""

    def __init__(self, event: Event, code: str) -> None:
        self.event, self.code = event, code
        self.table, self.game, self.seats = stored_table(event, code)
        self.rules: Rules = rules_of(self.game.snapshot)
        self.hands: dict[int, HandView] = {
            hand.number: hand for hand in self.table.hands if not hand.is_undone
        }
        self.is_empty = not any(seat.player_id for seat in self.table.seats)
        if not self.is_empty:
            teams = teams_of(self.seats, self.rules)
            self.sheet: EntryFields = sheet_of(self.rules, len(self.seats), teams)

    @property
    def address(self) -> tuple[str, str, str]:
        return (self.event.club.slug, self.event.slug, self.code)

    @property
    def totals(self) -> HandView | None:
        """The totals of the whole game, void ones too, where they stand in the place of hands."""
        return self.hands.get(TOTALS)

    @property
    def has_totals(self) -> bool:
        return self.totals is not None and self.totals.state != "void"

    def all_totals_before(self, number: int) -> dict[int, object]:
        """Return the totals after the last counted hand before `number`, by seat."""
        for hand in reversed(self.table.hands):
            if hand.number < number and any(cell.total is not None for cell in hand.cells):
                return {cell.seat.number: cell.total for cell in hand.cells}
        return {}

    def totals_before(self, number: int) -> tuple[int, ...]:
        """Return the same by row; empty where there are none, or they are no whole numbers."""
        totals = self.all_totals_before(number)
        line = tuple(total for row in self.sheet.rows if type(total := totals.get(row)) is int)
        return line if len(line) == len(self.sheet.rows) else ()

    def may_add(self, problems: Iterable[Problem]) -> bool:
        """Whether the user may record a hand all the same that exceeds the event's length."""
        codes = {problem.code for problem in problems if problem.facts.get("expected")}
        return codes == {"match_over"} and may_do(self.event, ADDITIONAL)

    @property
    def has_hands(self) -> bool:
        return any(number and hand.state != "void" for number, hand in self.hands.items())

    @property
    def is_duplicate(self) -> bool:
        """Whether each hand names its board, on which dealer and pass are written."""
        return self.game.counts and settings_of(self.event).duplicate

    @property
    def people(self) -> tuple[RowPlayer, ...]:
        return tuple(RowPlayer(row, name) for row, name in self.names.items())

    @property
    def checks(self) -> str:
        """What the page's script may check of a hand, as JSON."""
        return json.dumps(checks_of(self.rules, self.sheet, self.people), ensure_ascii=False)

    @property
    def names(self) -> dict[int, str]:
        """Row → who it is for: a player, or the players of a side."""
        return {
            row: " & ".join(self.name_at(seat) for seat in side)
            for row, side in zip(self.sheet.rows, self.sheet.sides, strict=True)
        }

    def name_at(self, number: int) -> str:
        seat = self.table.seats[number - 1]
        return seat.player or str(seat.title)

    @property
    def seated(self) -> str:
        return as_field([seat.player_id for seat in self.table.seats])

    def state_of_game(self) -> str:
        """Return the state of the game after a hand was recorded.

        A hand of a play-off may close its table, which the service does in a row of its own.
        """
        return (self.game if self.game.counts else get_game(self.event, self.code)).state

    def why_forbidden(self, forbidden: Forbidden, *, is_void: bool = False) -> Problem:
        """Return why the user may not enter a hand: usually because the round is closed."""
        is_about_round = forbidden.problem.facts.get("act") == "correct_closed" and not is_void
        if not (is_about_round and self.table.round_number):
            return forbidden.problem
        facts = {"round": self.table.round_number, "state": self.table.round_state}
        return Problem(ROUND_NOT_OPEN, facts=facts)

    @property
    def closed_round(self) -> Problem | None:
        is_open = self.table.round_state != "closed" or may_do(self.event, "correct_closed")
        return None if is_open else self.why_forbidden(Forbidden("correct_closed"))

    def page(self, request: PageRequest, *crumbs: Link) -> dict[str, object]:
        return {
            "layout": layout.event_layout(request, self.event, crumbs),
            "event": self.event,
            "screen": self,
            "table": self.table,
        }

    def crumbs(self) -> tuple[Link, Link]:
        number = self.table.round_number
        return layout.event_link(self.event), layout.round_link(self.event, number)


def new_key(screen: str) -> str:
    return f"{screen}-{uuid.uuid4()}"
