"""What lies before a host: one hand of one table, the fields as typed, and what is said of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from scoring.entry.sheet import hand_total, moon_cards, written_total
from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.domain.replay_game import TOTALS
from tournaments.forms.hands.corrections import FieldProblems, told
from tournaments.forms.hands.entry_actions import hearts_in
from tournaments.forms.hands.entry_checks import checks_of
from tournaments.forms.hands.entry_fields import EntryFields, Fields, entry_of, sheet_of
from tournaments.forms.hands.entry_form import HandForm, hand_form
from tournaments.forms.hands.entry_widgets import RowPlayer
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Seat
from tournaments.presenters.hands.game_summary import game_standing
from tournaments.presenters.hands.next_hand import Settlement, hand_ahead, next_number, settlements
from tournaments.selectors.hands.entry_display import DisplayedHand, SeatEntry, laid_out
from tournaments.selectors.hands.score_sheet import game_at, pass_in_words, table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, SeatView, TableSheet
from tournaments.selectors.playoffs.playoffs import PlayoffView, playoff_at
from tournaments.services.hands.apply_game import teams_of
from tournaments.services.rules.rule_sets import rules_of
from tournaments.views.playoffs.playoff_text import host_says


@dataclass(frozen=True, slots=True)
class EntryVersion:
    """One of two entries of a hand: what was typed for each row, and where they differ."""

    lines: tuple[tuple[str, SeatEntry, bool], ...]
    table: tuple[tuple[str, str], ...]
    by: str = ""
    revision: int = 0
    at: Any = None


@dataclass(frozen=True, slots=True)
class MoonChoice:
    """One way to settle a moon, with each row's total before and after it."""

    button: str
    text: str
    lines: tuple[tuple[str, Any, Any, bool], ...]


@dataclass(frozen=True, slots=True)
class MoonQuestion:
    """Who shot, and the ways that the rules leave open."""

    name: str
    slam: str
    choices: tuple[MoonChoice, ...]


class EntryContext:
    """One hand on its way in; `number` None asks for the next one.

    Where nobody sits yet, `is_empty`, there is no sheet either.
    """

    def __init__(self, event: Event, code: str, number: int | None) -> None:
        self.event, self.code = event, code
        self.table: TableSheet = table_sheet(event, code)
        self.game: Game = game_at(event, code)
        self.rules: Rules = rules_of(self.game.snapshot)
        seats = list(Seat.objects.filter(table_id=self.game.table_id).order_by("number"))
        self.is_empty = not any(seat.player_id for seat in self.table.seats)
        if self.is_empty:
            return
        self.sheet: EntryFields = sheet_of(self.rules, len(seats), teams_of(seats, self.rules))
        self.number = next_number(self.game) if number is None else number
        self.ahead = hand_ahead(self.game, self.number)

    @property
    def is_abandoned(self) -> bool:
        """Whether the table takes no new hand; what it has may be corrected."""
        return self.table.state == "abandoned"

    @property
    def is_after_the_end(self) -> bool:
        """Whether the rules have ended the game before this hand."""
        last = max((hand.number for hand in self.table.hands if hand.state != "void"), default=0)
        if self.table.state in ("seated", "playing") or self.number < last:
            return False
        return not game_standing(self.event, self.code).may_go_on

    @property
    def hand(self) -> HandView | None:
        """The hand as it stands, where somebody entered it already."""
        return next((hand for hand in self.table.hands if hand.number == self.number), None)

    @property
    def totals(self) -> HandView | None:
        """The totals of the whole game, void ones too, where they stand in the place of hands."""
        return next((hand for hand in self.table.hands if hand.number == TOTALS), None)

    @property
    def has_totals(self) -> bool:
        """Whether totals count in the place of hands."""
        return self.totals is not None and self.totals.state != "void"

    @property
    def is_void(self) -> bool:
        """Whether there were totals that a director made void."""
        return self.totals is not None and self.totals.state == "void"

    @property
    def has_hands(self) -> bool:
        """Whether hands stand on the sheet, so that no totals can."""
        return any(hand.number and hand.state != "void" for hand in self.table.hands)

    @property
    def people(self) -> tuple[RowPlayer, ...]:
        """Who the rows are for, and how they stood before this hand."""
        found = []
        ends = {finish.seat.number: finish for finish in self.table.finishes}
        totals = self._totals_before()
        for row, side in zip(self.sheet.rows, self.sheet.sides, strict=True):
            end = ends[row] if self.hand is None else None
            if row in self._from_zero:
                total = self._from_zero[row] if self.hand is None else totals.get(row)
                name = " & ".join(self._name(seat) for seat in side)
                found.append(RowPlayer(row, name, total))
                continue
            found.append(
                RowPlayer(
                    row,
                    " & ".join(self._name(seat) for seat in side),
                    totals.get(row),
                    end.place if end else None,
                    end.is_tied if end else False,
                )
            )
        return tuple(found)

    @property
    def playoff_says(self) -> tuple[str, ...]:
        """Who is out of the play-off that is played here, and who goes on from 0."""
        return host_says(self._playoff) if self._playoff else ()

    @cached_property
    def _playoff(self) -> PlayoffView | None:
        """The play-off that this table is called for."""
        at = self.table.playoff
        return playoff_at(self.event, at.number) if at is not None else None

    @cached_property
    def _from_zero(self) -> dict[int, str]:
        """Row → what its member has made since the last start from 0."""
        if self._playoff is None:
            return {}
        made = {one.player_id: one.total for one in self._playoff.members if one.total is not None}
        seats = {seat.number: seat.entrant_id for seat in self.table.seats}
        return {
            row: made[seats[row]] for row in self.sheet.rows if row in seats and seats[row] in made
        }

    @property
    def names(self) -> dict[int, str]:
        """Row → name."""
        return {person.number: person.name for person in self.people}

    @property
    def dealer(self) -> str:
        """Who deals this hand."""
        return self._name(self.ahead.dealer)

    @property
    def passing(self) -> str:
        """How cards are passed in this hand."""
        return pass_in_words(self.ahead.passing)

    def entry(self, way: str, fields: Fields) -> dict[str, Any]:
        """Return the entry that the fields make."""
        return entry_of(self.sheet, way, fields)

    def form(self, way: str, fields: Fields, problems: Sequence[Problem] = ()) -> HandForm:
        """Return the form with what is wrong at its fields."""
        total = hand_total(self.rules, self.sheet.seats)
        is_plain = isinstance(total, int) and self.rules.keys.settle is None
        return hand_form(
            self.sheet,
            way,
            fields,
            self.people,
            problems=[self._told(problem, way, fields) for problem in problems],
            players=tuple(RowPlayer(n, self._name(n)) for n in range(1, self.sheet.seats + 1)),
            points_total=total if is_plain and isinstance(total, int) else None,
            moon=moon_cards(self.rules, self.sheet.seats),
        )

    @property
    def checks(self) -> str:
        """What the page may check by itself where there is no signal, as JSON."""
        return json.dumps(checks_of(self.rules, self.sheet, self.people), ensure_ascii=False)

    def sum_line(self, way: str, fields: Fields) -> str:
        """Return what the counts come to, where that is not what a hand makes."""
        if way != "counts":
            return ""
        cards = [
            box.card or "" for box in self.sheet.cards for _ in fields.get(f"card-{box.card}", ())
        ]
        found = written_total(self.rules, self.sheet.seats, hearts_in(self.sheet, fields), cards)
        total = hand_total(self.rules, self.sheet.seats)
        if found == total or not (isinstance(found, int) and isinstance(total, int)):
            return ""
        facts = {"found": found, "total": total}
        return _("The hand comes to %(found)s points instead of %(total)s.") % facts

    def question(
        self, way: str, fields: Fields, problems: Sequence[Problem]
    ) -> MoonQuestion | None:
        """Return what to ask about a moon, where that is all that is open."""
        if len(problems) != 1 or problems[0].code != "choice_required":
            return None
        problem = problems[0]
        found = settlements(self.game, self.number, self.entry(way, fields), problem)
        if way == "points" or not found:
            return None
        shooter = self.names[self.sheet.row_of(found[0].by[0])]
        choices = tuple(self._choice(one, problem, shooter) for one in found)
        return MoonQuestion(shooter, str(problem.facts.get("slam", "moon")), choices)

    def theirs(self, hand: HandView, mine: dict[str, Any]) -> tuple[EntryVersion, EntryVersion]:
        """Return the entry that counts and the one just typed, differences marked."""
        there = next((one for one in hand.revisions if one.counts), hand.revisions[-1])
        own = laid_out(mine, self.sheet.seats)
        return (
            self._version(
                there.typed, own, by=there.by, revision=hand.revision, at=there.entered_at
            ),
            self._version(own, there.typed),
        )

    def _version(self, typed: DisplayedHand, other: DisplayedHand, **who: Any) -> EntryVersion:
        lines = tuple(
            (self._name(seat.number), own, own != their)
            for seat, own, their in zip(self.table.seats, typed.seats, other.seats, strict=True)
        )
        return EntryVersion(lines, typed.table, **who)

    def _choice(self, one: Settlement, problem: Problem, shooter: str) -> MoonChoice:
        texts = {
            "self": _("Take %(self)s off %(name)s"),
            "others": _("Give %(others)s to each other"),
        }
        facts = {"self": problem.facts.get("self"), "others": problem.facts.get("others")}
        before = {person.number: person.total for person in self.people}
        lines = tuple(
            (
                self.names[row],
                before[row] if before[row] is not None else 0,
                one.totals[row - 1],
                one.scores[row - 1] != 0,
            )
            for row in self.sheet.rows
        )
        text = texts.get(one.choice, one.choice) % {**facts, "name": shooter}
        return MoonChoice(f"save:slam_choice={one.choice}", text, lines)

    def _told(self, problem: Problem, way: str, fields: Fields) -> FieldProblems:
        return told(problem, self.sheet, way, self.names, fields)

    def _name(self, number: int) -> str:
        seat: SeatView = self.table.seats[number - 1]
        return seat.player or str(seat.title)

    def _totals_before(self) -> dict[int, Any]:
        """Seat → its running total after the last hand that counts before this one."""
        for hand in reversed(self.table.hands):
            if hand.number < self.number and any(cell.total is not None for cell in hand.cells):
                return {cell.seat.number: cell.total for cell in hand.cells}
        return {}
