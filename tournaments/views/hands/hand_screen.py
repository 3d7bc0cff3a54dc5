"""The screen of one hand of one table, its fields as filled in, and what is wrong.

Reads only. It stands among the services because the rules must be asked, and only services may
ask the engine.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from scoring.entry.sheet import hand_total, moon_cards, written_total
from scoring.errors import Problem
from scoring.json_types import JsonDict
from scoring.numbers import ScoreJson, score_json
from scoring.rules.dealing import pass_of, passing_ring
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import HandRefused, replay_game
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Seat
from tournaments.selectors.boards.boards import boards_left
from tournaments.selectors.hands.entry_display import DisplayedHand, SeatEntry, displayed_hand
from tournaments.selectors.hands.games import hands_of_game, standing_of
from tournaments.selectors.hands.score_sheet import pass_in_words
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.selectors.playoffs.playoffs import PlayoffView, playoff_at
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.hands.apply_game import counted_hands, entries_of
from tournaments.views.hands.corrections import FieldProblems, field_problems_of
from tournaments.views.hands.entry_screen import EntryScreen
from tournaments.views.hands.hand_form import HandForm, RowPlayer, checks_of, hand_form
from tournaments.views.hands.hand_form_fields import Fields, entry_of
from tournaments.views.hands.preview_correction import must_preview
from tournaments.views.hands.running_totals import count_in
from tournaments.views.playoffs.playoff_text import text_for_host


@dataclass(frozen=True, slots=True)
class HandAhead:
    """A hand's place in its game: the dealer's seat from 1, how cards are passed, out of how many.

    `of` is None where the game has no fixed number of hands. `ring` is how cards are passed from
    the first hand on, until it begins anew; both are in words.
    """

    number: int
    dealer: int
    passing: str
    of: int | None
    ring: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settlement:
    """One way to settle a slam: what each seat would be booked, and its total after that."""

    choice: str
    by: tuple[int, ...]
    scores: tuple[ScoreJson, ...]
    totals: tuple[ScoreJson, ...]


def hand_ahead(game: Game, number: int, seats: int) -> HandAhead:
    """Return the place of hand `number`: the deal goes clockwise from the first of `seats`."""
    play = rules_of(game.snapshot).keys.play
    return HandAhead(
        number=number,
        dealer=(number - 1) % seats + 1,
        passing=pass_in_words(play, seats, pass_of(play, seats, number)),
        of=hands_of_game(game),
        ring=tuple(pass_in_words(play, seats, way) for way in passing_ring(play, seats)),
    )


def settlements(
    game: Game, number: int, entry: Mapping[str, object], problem: Problem
) -> Sequence[Settlement]:
    """Return the legal settlements that a `choice_required` problem lists, each played to its end.

    The totals are those of the game with the hands before this one; nothing is stored.
    """
    rules = rules_of(game.snapshot)
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    counted = counted_hands(game.hands.filter(number__lt=number).select_related("entry"))
    before = entries_of(counted)
    ways = []
    for hint in problem.suggestions:
        if hint.code != "settle" or not hint.facts.get("choice"):
            continue
        choice = str(hint.facts["choice"])
        try:
            entries = [*before, (number, {**entry, "slam_choice": choice})]
            played = replay_game(game=game, rules=rules, seats=seats, entries=entries, new=number)
        except HandRefused:  # one more thing is wrong with it; the choice is asked for later
            continue
        last = played.hands[-1]
        ways.append(
            Settlement(
                choice=choice,
                by=tuple(seat + 1 for seat in hint.facts["by"]),
                scores=tuple(score_json(score) for score in last.score.seat_scores),
                totals=tuple(score_json(total) for total in last.totals),
            )
        )
    return tuple(ways)


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


class HandScreen(EntryScreen):
    """One hand that is entered; `number` None asks for the next one of the table."""

    def __init__(self, event: Event, code: str, number: int | None = None) -> None:
        super().__init__(event, code)
        if self.is_empty:
            return
        self.number = max(self.hands, default=0) + 1 if number is None else number
        self.ahead = hand_ahead(self.game, self.number, len(self.seats))

    @property
    def is_abandoned(self) -> bool:
        return self.table.state == "abandoned"

    @property
    def is_after_the_end(self) -> bool:
        last = max((hand.number for hand in self.table.hands if hand.state != "void"), default=0)
        if self.table.state in ("seated", "playing") or self.number < last:
            return False
        return not standing_of(self.event, self.game, self.seats).may_go_on

    @property
    def hand(self) -> HandView | None:
        return self.hands.get(self.number)

    @property
    def is_previewed(self) -> bool:
        return must_preview(self.event, self.table)

    @property
    def is_void(self) -> bool:
        return self.totals is not None and self.totals.state == "void"

    @property
    def people(self) -> tuple[RowPlayer, ...]:
        totals, is_new = self._totals_before(), self.hand is None
        places = {finish.seat.number: finish for finish in self.table.finishes} if is_new else {}
        players = []
        for row, name in self.names.items():
            if row in self._from_zero:
                total = self._from_zero[row] if is_new else totals.get(row)
                players.append(RowPlayer(row, name, total))
            elif place := places.get(row):
                players.append(RowPlayer(row, name, totals.get(row), place.place, place.is_tied))
            else:
                players.append(RowPlayer(row, name, totals.get(row)))
        return tuple(players)

    @property
    def playoff_says(self) -> tuple[str, ...]:
        """Who is out of the play-off that is played here, and who goes on from 0."""
        return text_for_host(self._playoff, self.table.code) if self._playoff else ()

    @cached_property
    def _playoff(self) -> PlayoffView | None:
        at = self.table.playoff
        return playoff_at(self.event, at.number) if at is not None else None

    @cached_property
    def _from_zero(self) -> dict[int, str]:
        """Row → what its member has made since the last start from 0."""
        if self._playoff is None:
            return {}
        totals = {
            member.player_id: member.total
            for member in self._playoff.members
            if member.total is not None
        }
        seats = {seat.number: seat.entrant_id for seat in self.table.seats}
        return {
            row: totals[seats[row]]
            for row in self.sheet.rows
            if row in seats and seats[row] in totals
        }

    @property
    def is_duplicate(self) -> bool:
        return self.game.counts and settings_of(self.event).duplicate

    @cached_property
    def boards_left(self) -> tuple[int, ...]:
        played = {hand.board for hand in self.table.hands if hand.board and hand.state != "void"}
        if not self.is_duplicate:
            return ()
        return boards_left(self.event, self.table.round_number, self.table.number, played)

    @property
    def dealer(self) -> str:
        return self.name_at(self.ahead.dealer)

    @property
    def passing(self) -> str:
        return self.ahead.passing

    def entry(self, way: str, fields: Fields) -> JsonDict:
        return entry_of(self.sheet, way, fields)

    def form(self, way: str, fields: Fields, problems: Sequence[Problem] = ()) -> HandForm:
        total = hand_total(self.rules, self.sheet.seats)
        is_plain = self.rules.keys.settle is None and not self.sheet.melds
        return hand_form(
            self.sheet,
            way,
            fields,
            self.people,
            problems=[self._field_problems(problem, way, fields) for problem in problems],
            players=tuple(RowPlayer(n, self.name_at(n)) for n in range(1, self.sheet.seats + 1)),
            points_total=total if is_plain and isinstance(total, int) else None,
            moon=moon_cards(self.rules, self.sheet.seats),
        )

    @property
    def checks(self) -> str:
        return json.dumps(checks_of(self.rules, self.sheet, self.people), ensure_ascii=False)

    def sum_line(self, way: str, fields: Fields) -> str:
        if way != "counts" or self.sheet.melds:
            return ""
        cards = [
            box.card or "" for box in self.sheet.cards for _ in fields.get(f"card-{box.card}", ())
        ]
        hearts, tricks = (count_in(self.sheet, fields, kind) for kind in ("hearts", "tricks"))
        score = written_total(self.rules, self.sheet.seats, hearts, cards, tricks)
        total = hand_total(self.rules, self.sheet.seats)
        if score == total or not (isinstance(score, int) and isinstance(total, int)):
            return ""
        facts = {"found": score, "total": total}
        return _("The hand totals %(found)s points instead of %(total)s.") % facts

    def question(
        self, way: str, fields: Fields, problems: Sequence[Problem]
    ) -> MoonQuestion | None:
        if len(problems) != 1 or problems[0].code != "choice_required":
            return None
        problem = problems[0]
        ways = settlements(self.game, self.number, self.entry(way, fields), problem)
        if way == "points" or not ways:
            return None
        shooter = self.names[self.sheet.row_of(ways[0].by[0])]
        choices = tuple(self._choice(way_to_settle, problem, shooter) for way_to_settle in ways)
        return MoonQuestion(shooter, str(problem.facts.get("slam", "moon")), choices)

    def compared_versions(
        self, hand: HandView, mine: JsonDict
    ) -> tuple[EntryVersion, EntryVersion]:
        counting = next(
            (revision for revision in hand.revisions if revision.counts), hand.revisions[-1]
        )
        typed_hand = displayed_hand(mine, self.sheet.seats)
        return (
            self._version(
                counting.typed,
                typed_hand,
                by=counting.by,
                revision=hand.revision,
                at=counting.entered_at,
            ),
            self._version(typed_hand, counting.typed),
        )

    def _version(self, display: DisplayedHand, other: DisplayedHand, **author: Any) -> EntryVersion:
        lines = tuple(
            (self.name_at(seat.number), seat_entry, seat_entry != their)
            for seat, seat_entry, their in zip(
                self.table.seats, display.seats, other.seats, strict=True
            )
        )
        return EntryVersion(lines, display.table, **author)

    def _choice(self, settlement: Settlement, problem: Problem, shooter: str) -> MoonChoice:
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
                settlement.totals[row - 1],
                settlement.scores[row - 1] != 0,
            )
            for row in self.sheet.rows
        )
        text = texts.get(settlement.choice, settlement.choice) % {**facts, "name": shooter}
        return MoonChoice(f"save:slam_choice={settlement.choice}", text, lines)

    def _field_problems(self, problem: Problem, way: str, fields: Fields) -> FieldProblems:
        return field_problems_of(problem, self.sheet, way, self.names, fields)

    def _totals_before(self) -> dict[int, object]:
        """Seat → its running total after the last hand that counts before this one."""
        for hand in reversed(self.table.hands):
            if hand.number < self.number and any(cell.total is not None for cell in hand.cells):
                return {cell.seat.number: cell.total for cell in hand.cells}
        return {}
