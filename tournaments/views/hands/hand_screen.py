"""The table, boxes and seats of every screen for entering hands, and the screen of one hand."""

import json
import uuid
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.entry.sheet import hand_total, moon_cards, written_total
from scoring.errors import Problem
from scoring.json_types import JsonDict, JsonObject
from scoring.numbers import score_json
from scoring.rules.dealing import pass_of, passing_ring
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import (
    TOTALS,
    HandRefused,
    PlayedHand,
    counted_hands,
    entries_of,
    points_since,
    replay_game,
    teams_of,
)
from tournaments.domain.seating_runs import as_field
from tournaments.errors import OF_STATES, Forbidden, Missing
from tournaments.models.events import Event
from tournaments.selectors.boards import boards_left
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.hands.entry_display import SeatEntry
from tournaments.selectors.hands.games import hands_of_game, next_number, standing_of_game
from tournaments.selectors.hands.score_sheet import (
    get_game,
    lines_of_entry,
    pass_in_words,
    reminders_in_words,
    stored_table,
)
from tournaments.selectors.hands.score_sheet_views import (
    HandView,
    Revision,
    SideView,
    hand_of,
    must_preview,
)
from tournaments.selectors.playoffs.playoffs import PlayoffView, get_playoff
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.hands.check_entry import ADDITIONAL, length_problems
from tournaments.services.hands.disputes import may_be_disputed
from tournaments.views.hands.form_feedback import count_in, field_problems_of
from tournaments.views.hands.hand_form import RowPlayer, checks_of, hand_form
from tournaments.views.hands.hand_form_fields import (
    EntryFields,
    Fields,
    entry_of,
    first,
    number_in,
    sheet_of,
    with_unshown,
)
from tournaments.views.http import layout
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.playoffs.playoff_text import text_for_host

NOT_A_RACE: Final = OF_STATES | {"event_not_open", "round_is_draft", "players_moved"}
"""Conflicts without another entry to compare with."""

LONGEST_REASON: Final = 500

LONGEST_KEY: Final = 128

ROUND_NOT_OPEN: Final = "round_not_open"

HANDS_MOVED: Final = "hands_moved"
"""The error code of an entry whose page does not know the newest move of hands of its table."""

KNOWN_MOVES: Final = "moves"
"""The field of a form with the number of moves of hands that its page knew."""

FILE: Final = "file"
"""The button that keeps numbers that cannot be as disputed."""

ADD: Final = "save:additional"
"""The button that records a hand beyond the event's length."""


def filing_of(event: Event, problems: Iterable[Problem]) -> str:
    """Return who files a new entry as disputed: `own`, the user; `director`; "" for nobody."""
    if not may_be_disputed(problems):
        return ""
    if may_do(event, "file_disputed"):
        return "own"
    return "director"


class EntryScreen:
    """One table of an event. Where nobody sits yet, `is_empty`, it has no boxes (`sheet`).

    Attributes:
        table: the sheet as it is read, `game` and `seats` the rows behind it.
        hands: the hands by number, void ones too; without those that were undone.
    """

    def __init__(self, event: Event, code: str) -> None:
        self.event = event
        self.code = code
        self.table, self.game, self.seats = stored_table(event, code)
        self.rules: Rules = rules_of(self.game.snapshot)
        self.hands: dict[int, HandView] = {
            hand.number: hand for hand in self.table.hands if not hand.is_undone
        }
        self.is_empty = not any(seat.player_id for seat in self.table.seats)
        if not self.is_empty:
            teams = teams_of(self.seats, self.rules)
            self.sheet: EntryFields = sheet_of(self.rules, len(self.seats), sides=teams)

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
        row_totals = []
        for row in self.sheet.rows:
            total = totals.get(row)
            if not isinstance(total, int):
                return ()
            row_totals.append(total)
        return tuple(row_totals)

    def may_add(self, problems: Iterable[Problem]) -> bool:
        """Whether the user may record a hand all the same that exceeds the event's length."""
        codes = {problem.code for problem in problems if problem.facts.get("expected")}
        return codes == {"match_over"} and may_do(self.event, ADDITIONAL)

    @property
    def has_hands(self) -> bool:
        """Whether the table has a hand that is not void; totals in the place of hands are none."""
        return any(number != TOTALS and hand.state != "void" for number, hand in self.hands.items())

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
        names = {}
        for row, side in zip(self.sheet.rows, self.sheet.sides, strict=True):
            names[row] = " & ".join(self.name_at(seat_number) for seat_number in side)
        return names

    def name_at(self, seat_number: int) -> str:
        seat = self.table.seats[seat_number - 1]
        return seat.player or str(seat.title)

    @property
    def moves(self) -> int:
        """How many moves of hands from and to the table the page knows."""
        return self.game.moves

    @property
    def seated(self) -> str:
        return as_field([seat.player_id for seat in self.table.seats])

    def state_of_game(self) -> str:
        """Return the state of the game after a hand was recorded.

        A hand of a play-off may close its table, which the service does in a row of its own.
        """
        if self.game.counts:
            return self.game.state
        return get_game(self.event, self.code).state

    def why_forbidden(self, forbidden: Forbidden, *, is_void: bool = False) -> Problem:
        """Return why the user may not enter a hand: usually because the round is closed."""
        is_about_round = forbidden.problem.facts.get("act") == "correct_closed" and not is_void
        if not is_about_round or not self.table.round_number:
            return forbidden.problem
        facts = {"round": self.table.round_number, "state": self.table.round_state}
        return Problem(ROUND_NOT_OPEN, facts=facts)

    @property
    def why_no_hands(self) -> Problem | None:
        """Why the user may not enter hands here, if the round is a draft, or closed."""
        if self.table.round_state == "draft":
            return Problem("round_is_draft", facts={"round": self.table.round_number})
        if self.table.round_state != "closed" or may_do(self.event, "correct_closed"):
            return None
        return self.why_forbidden(Forbidden("correct_closed"))

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


class HandScreen(EntryScreen):
    """One hand that is entered; `number` None asks for the next one of the table.

    `of` is how many hands the game has (`hands_of_game`). An empty table has neither attribute.
    """

    def __init__(self, event: Event, code: str, number: int | None = None) -> None:
        super().__init__(event, code)
        if self.is_empty:
            return
        self.number = self.next_number if number is None else number
        self.of = hands_of_game(self.game)

    @property
    def next_number(self) -> int:
        states = {number: hand.state for number, hand in self.hands.items()}
        return next_number(self.event, states, counts=self.game.counts)

    @property
    def is_abandoned(self) -> bool:
        return self.table.state == "abandoned"

    @property
    def is_after_the_end(self) -> bool:
        """Whether the game is over before this hand, so that the user cannot enter it."""
        if length_problems(self.game, self.number, self.game.hands.all()):
            return not may_do(self.event, ADDITIONAL)
        if self.table.state in ("seated", "playing"):
            return False
        numbers = [hand.number for hand in self.table.hands if hand.state != "void"]
        if self.number < max(numbers, default=0):
            return False
        return not standing_of_game(self.event, self.game, self.seats)["may_go_on"]

    @property
    def hand(self) -> HandView | None:
        return self.hands.get(self.number)

    @property
    def is_previewed(self) -> bool:
        """Whether a correction is shown before it is saved; templates name its button by it."""
        return must_preview(self.event, self.table)

    @property
    def is_first_hand(self) -> bool:
        """Whether the sheet is empty, so that a wrong table is noticed in time."""
        return self.number == 1 and not self.has_hands

    @property
    def players(self) -> list[str]:
        return [seat.player for seat in self.table.seats if seat.player]

    @property
    def is_void(self) -> bool:
        """Whether the table has totals in the place of hands, and they are void."""
        return self.totals is not None and self.totals.state == "void"

    @property
    def people(self) -> tuple[RowPlayer, ...]:
        """The rows with their totals before the hand, and their places if the hand is new.

        Who continues a play-off from 0 has no place.
        """
        totals = self.all_totals_before(self.number)
        finishes = {finish.seat.number: finish for finish in self.table.finishes}
        is_new = self.hand is None
        players = []
        for row, name in self.names.items():
            total = totals.get(row)
            place = None
            is_tied = False
            if is_new and row in self._from_zero:
                total = self._from_zero[row]
            elif is_new and row in finishes:
                place = finishes[row].place
                is_tied = finishes[row].is_tied
            players.append(RowPlayer(row, name, total=total, place=place, is_tied=is_tied))
        return tuple(players)

    @property
    def playoff_says(self) -> tuple[str, ...]:
        """Text on who is out of the play-off at this table, and who continues from 0."""
        if not self._playoff:
            return ()
        return text_for_host(self._playoff, self.table.code)

    @cached_property
    def _playoff(self) -> PlayoffView | None:
        at = self.table.playoff
        if at is None:
            return None
        return get_playoff(self.event, at.number)

    @cached_property
    def _from_zero(self) -> dict[int, str]:
        """Row → what its member has made since the last start from 0."""
        if self._playoff is None:
            return {}
        totals_by_member = {}
        for member in self._playoff.members:
            if member.total is not None:
                totals_by_member[member.player_id] = member.total

        totals = {}
        for seat in self.table.seats:
            if seat.number in self.sheet.rows and seat.entrant_id in totals_by_member:
                totals[seat.number] = totals_by_member[seat.entrant_id]
        return totals

    @cached_property
    def boards_left(self) -> tuple[int, ...]:
        """The numbers of the boards that the table has not played; none where there are none."""
        if not self.is_duplicate:
            return ()
        played = {hand.board for hand in self.table.hands if hand.board and hand.state != "void"}
        return boards_left(
            self.event, self.table.round_number, table_number=self.table.number, played=played
        )

    @property
    def dealer(self) -> str:
        """The name of the dealer: the deal goes clockwise from the first seat."""
        hands_before = self.number - 1
        return self.name_at(hands_before % len(self.seats) + 1)

    @property
    def passing(self) -> str:
        play = self.rules.keys.play
        n_seats = len(self.seats)
        return pass_in_words(play, n_seats, way=pass_of(play, n_seats, self.number))

    @property
    def reminders(self) -> str:
        return reminders_in_words(self.rules.keys)

    @property
    def ring(self) -> list[str]:
        """The cycle of passing cards from the first hand on, in words."""
        play = self.rules.keys.play
        n_seats = len(self.seats)
        return [pass_in_words(play, n_seats, way=way) for way in passing_ring(play, n_seats)]

    def entry(self, way: str, fields: Fields) -> JsonDict:
        """Return the entry of a way of writing, with what no field shows of the stored entry."""
        return with_unshown(self.sheet, entry_of(self.sheet, way, fields), hand=self.hand)

    def form(self, way: str, fields: Fields, problems: Sequence[Problem] = ()) -> dict[str, object]:
        """Return the context of the hand's form (`hand_form`)."""
        seat_numbers = range(1, self.sheet.seats + 1)
        return hand_form(
            self.sheet,
            way,
            fields=fields,
            people=self.people,
            problems=[
                field_problems_of(problem, self.sheet, way, names=self.names, fields=fields)
                for problem in problems
            ],
            players=[RowPlayer(number, self.name_at(number)) for number in seat_numbers],
            points_total=self._points_total,
            moon=moon_cards(self.rules, self.sheet.seats),
        )

    @property
    def _points_total(self) -> int | None:
        """The total of an ordinary hand's points; None where it can be another one."""
        keys = self.rules.keys
        if keys.settle is not None or keys.with_hearts or self.sheet.melds:
            return None
        total = hand_total(self.rules, self.sheet.seats)
        if not isinstance(total, int):
            return None
        return total

    def sum_line(self, way: str, fields: Fields) -> str:
        """Return a sentence if the counted cards are not worth what a hand totals; else ""."""
        if way != "counts" or self.sheet.melds:
            return ""
        cards = []
        for card in self.sheet.copies:
            n_copies = len(fields.get(f"card-{card}", ()))
            cards += [card] * n_copies
        score = written_total(
            self.rules,
            self.sheet.seats,
            hearts=count_in(self.sheet, fields, "hearts"),
            cards=cards,
            tricks=count_in(self.sheet, fields, "tricks"),
        )
        total = hand_total(self.rules, self.sheet.seats)
        if score == total or not isinstance(score, int) or not isinstance(total, int):
            return ""
        facts = {"found": score, "total": total}
        text = ngettext(
            "The hand totals %(found)s point instead of %(total)s.",
            "The hand totals %(found)s points instead of %(total)s.",
            score,
        )
        return text % facts

    def question(
        self, way: str, fields: Fields, problems: Sequence[Problem]
    ) -> dict[str, object] | None:
        """Return what to ask about a moon, where that is all that is open.

        Each legal settlement is played to its end after the hands before this one; nothing is
        stored.
        """
        if len(problems) != 1 or way == "points":
            return None
        problem = problems[0]
        if problem.code != "choice_required":
            return None
        entry = self.entry(way, fields)
        before = self.game.hands.filter(number__lt=self.number).select_related("entry")
        entries = entries_of(counted_hands(before))
        shooter = ""
        choices = []
        for hint in problem.suggestions:
            if hint.code != "settle" or not hint.facts.get("choice"):
                continue
            settled = {**entry, "slam_choice": str(hint.facts["choice"])}
            try:
                played = replay_game(
                    game=self.game,
                    rules=self.rules,
                    seats=self.seats,
                    entries=[*entries, (self.number, settled)],
                    new=self.number,
                )
            except HandRefused:  # one more thing is wrong with it; the choice is asked for later
                continue
            if not shooter:
                first_seat = hint.facts["by"][0] + 1
                shooter = self.names[self.sheet.row_of(first_seat)]
            choice = self._choice(
                settled["slam_choice"], played.hands[-1], facts=problem.facts, shooter=shooter
            )
            choices.append(choice)
        if not choices:
            return None
        slam = str(problem.facts.get("slam", "moon"))
        return {"name": shooter, "slam": slam, "choices": choices}

    def compared_versions(self, hand: HandView, mine: JsonDict) -> tuple[dict[str, object], ...]:
        """Return the entry that counts and the one just typed, differences marked."""
        stored = hand.shown_revision
        typed = stored.with_entry(mine)
        author = {"by": stored.by, "revision": hand.revision, "at": stored.entered_at}
        return self._version(stored, typed) | author, self._version(typed, stored)

    def typed_lines(self, way: str, fields: Fields) -> tuple[tuple[SideView, SeatEntry], ...]:
        """Return what the form says of each player or side."""
        return lines_of_entry(self.rules, self.table.seats, self.entry(way, fields))

    def _version(self, revision: Revision, other: Revision) -> dict[str, object]:
        """Return the lines of a revision: the players, their part, and whether it differs."""
        lines = []
        for line, other_line in zip(revision.lines, other.lines, strict=True):
            column, entry = line
            _column, other_entry = other_line
            lines.append((column.players, entry, entry != other_entry))
        return {"lines": lines, "table": revision.table}

    def _choice(
        self, choice: str, played: PlayedHand, *, facts: JsonObject, shooter: str
    ) -> dict[str, object]:
        """Return a button for one settlement of a moon, with the totals that it leads to.

        Its lines are the name, the total before and after, and whether the hand changes it.
        """
        texts = {
            "self": _("Take %(self)s off %(name)s"),
            "others": _("Give %(others)s to each of the others"),
        }
        amounts = {"self": facts.get("self"), "others": facts.get("others"), "name": shooter}
        lines = []
        for person in self.people:
            seat = person.number - 1
            before = 0 if person.total is None else person.total
            after = score_json(played.totals[seat])
            is_changed = score_json(played.score.seat_scores[seat]) != 0
            lines.append((person.name, before, after, is_changed))
        return {
            "button": f"save:slam_choice={choice}",
            "text": texts.get(choice, choice) % amounts,
            "lines": lines,
        }

    @property
    def may_subtract(self) -> bool:
        """Whether numbers can be running totals: there are totals that go on."""
        return bool(self.totals_before(self.number)) and not self._from_zero

    def points_of_totals(self, fields: Fields) -> tuple[Fields, bool]:
        """Return the fields with the points of the hand where they have running totals.

        Those that are unclear are empty; then the second value is true.
        """
        names = [f"points-{row}" for row in self.sheet.rows]
        totals = [number_in(first(fields, name)) for name in names]
        points, unclear = points_since(self.rules, self.totals_before(self.number), totals)
        changed = dict(fields)
        for name, row_points in zip(names, points, strict=True):
            if row_points is not None:
                changed[name] = [str(row_points)]
        for index in unclear:
            changed[names[index]] = [""]
        return changed, bool(unclear)


def hand_to_correct(screen: HandScreen) -> HandView:
    hand = hand_of(screen.table, screen.number)
    if hand.number == TOTALS:
        raise Missing("hand", {"hand": TOTALS, "table": screen.code, "hands": 0})
    return hand
