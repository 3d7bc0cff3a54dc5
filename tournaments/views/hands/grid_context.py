"""What lies before a secretary: all hands of one table, typed in rows, and what becomes of them."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from scoring.cards import card_name, card_sign
from scoring.entry.sheet import adds_faces, hand_total, moon_cards, moon_pays, written_total
from scoring.errors import Problem, Refused
from scoring.rules.dealing import pass_of
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import HandRefused
from tournaments.errors import Conflict, Forbidden
from tournaments.forms.hands.entry_fields import EntryFields, sheet_of
from tournaments.forms.hands.grid import (
    MOST_ROWS,
    Grid,
    GridDraft,
    RowOutcome,
    StoredGridHand,
    grid,
)
from tournaments.forms.hands.grid_cell_grammar import CellGrammar, grammar_of
from tournaments.forms.hands.grid_hints import FaceValues, moon_cell, words
from tournaments.forms.hands.grid_rows import (
    RowTexts,
    entry_in,
    means_the_same,
    read_row,
    texts_of,
    ways_of,
)
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Seat
from tournaments.policy import Actor
from tournaments.presenters.hands.repeated_sheets import RepeatedSheet, repeated_sheets
from tournaments.selectors.hands.score_sheet import game_at, pass_in_words, table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, Number, TableSheet
from tournaments.services.hands.apply_game import teams_of
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.rules.rule_sets import rules_of
from tournaments.views.hands import grid_messages

USUAL_HANDS: Final = 8
"""So many rows stand there where nobody said how many hands a game has."""
SPARE_ROWS: Final = 2


class GridContext:
    """One table's sheet in the grid.

    Where nobody sits yet, `is_empty`, and where the sheet has totals only, `has_totals`, there is
    no grid.
    """

    def __init__(self, event: Event, code: str) -> None:
        self.event, self.code = event, code
        self.table: TableSheet = table_sheet(event, code)
        self.game: Game = game_at(event, code)
        self.rules: Rules = rules_of(self.game.snapshot)
        self.hands: dict[int, HandView] = {hand.number: hand for hand in self.table.hands}
        self.of = settings_of(event).hands
        self.is_empty = not any(seat.player_id for seat in self.table.seats)
        self.has_totals = 0 in self.hands
        if self.is_empty or self.has_totals:
            return
        seats = list(Seat.objects.filter(table_id=self.game.table_id).order_by("number"))
        self.sheet: EntryFields = sheet_of(self.rules, len(seats), teams_of(seats, self.rules))
        self.grammar: CellGrammar = grammar_of(self.sheet)
        self.worth = self._worth()

    @property
    def people(self) -> tuple[tuple[int, str, str], ...]:
        """Row, name and seat of each row of the sheet."""
        return tuple(
            (
                row,
                " & ".join(self._name(seat) for seat in side),
                " ".join(self.table.seats[seat - 1].label for seat in side),
            )
            for row, side in zip(self.sheet.rows, self.sheet.sides, strict=True)
        )

    @property
    def names(self) -> dict[int, str]:
        """Row → name."""
        return {row: name for row, name, _seat in self.people}

    @property
    def words(self) -> str:
        """What the page's script needs to know of this sheet."""
        return words(self.grammar, self.worth)

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways in which a hand may be written, the usual one first."""
        return ways_of(self.sheet)

    @property
    def asks_who_pays(self) -> bool:
        """Whether whoever shoots chooses how a moon is settled."""
        moon = self.sheet.box("moon")
        return moon is not None and bool(moon.choices)

    @property
    def letters(self) -> tuple[tuple[str, str, str], ...]:
        """Letter, sign and name of each card that has a letter."""
        return tuple(
            (letter, card_sign(card), card_name(card))
            for card, letter in self.grammar.letters.items()
        )

    def drafts(self, way: str = "", *, from_hand: int = 1) -> list[GridDraft]:
        """Return the rows as they stand: what was entered, then rows to type in.

        Args:
            way: how new rows are written; the sheet's usual way where it is none.
            from_hand: the hand that the page begins at.
        """
        last = max(self.hands, default=0)
        until = max(self.of or 0, last) if self.of else max(USUAL_HANDS, last + SPARE_ROWS)
        until = min(max(until, from_hand), from_hand + MOST_ROWS - 1)
        return [self.draft(number, way) for number in range(from_hand, until + 1)]

    def draft(self, number: int, way: str = "") -> GridDraft:
        """Return the row of one hand as it stands."""
        hand = self.hands.get(number)
        if hand is None:
            usual = way if way in self.ways else self.ways[0]
            return GridDraft(
                number, usual, RowTexts(tuple("" for _row in self.sheet.rows)), new_key()
            )
        there, texts = texts_of(self.grammar, hand.entry)
        return GridDraft(number, there, texts, new_key(), hand.revision)

    def record(
        self, actor: Actor, drafts: Sequence[GridDraft], *, reason: str, now: datetime
    ) -> dict[int, RowOutcome]:
        """Record each row that says something new; hand number → what became of it.

        A row that cannot stand keeps no other one out.
        """
        return {one.number: self._outcome(actor, one, reason, now) for one in drafts}

    def repeated(self, drafts: Sequence[GridDraft]) -> tuple[RepeatedSheet, ...]:
        """Return the sheets that have new hands of these rows already: entered twice, perhaps."""
        new = {
            one.number: entry_in(self.grammar, one.way, one.texts)
            for one in drafts
            if one.number not in self.hands
            and not one.texts.is_empty
            and not read_row(self.grammar, one.way, one.texts)[1]
        }
        return repeated_sheets(self.game, new)

    def show(self, drafts: Sequence[GridDraft], outcomes: Mapping[int, RowOutcome]) -> Grid:
        """Return the grid as these rows have it."""
        passing = self.rules.keys.play.passing
        return grid(
            self.grammar,
            self.worth,
            self.people,
            drafts,
            outcomes=outcomes,
            stored=self.stored(),
            passing={
                one.number: pass_in_words(pass_of(passing, self.sheet.seats, one.number))
                for one in drafts
            },
            totals=self.totals,
            edited=self.edited(drafts),
        )

    @property
    def totals(self) -> tuple[Number | None, ...]:
        """Each row's total, as the sheet's page has it."""
        return tuple(self.table.finishes[row - 1].total for row in self.sheet.rows)

    def edited(self, drafts: Sequence[GridDraft]) -> set[int]:
        """Return the hands that are in and whose row says something else."""
        return {
            one.number
            for one in drafts
            if one.number in self.hands and not self._says(one, self.hands[one.number].entry)
        }

    def stored(self) -> dict[int, StoredGridHand]:
        """Return what the page says of hands that are in."""
        return {
            number: StoredGridHand(hand.revision, hand.state, hand.revision > 1, self._scores(hand))
            for number, hand in self.hands.items()
        }

    def _scores(self, hand: HandView) -> tuple[int, ...]:
        """What a hand that counts added to each row's total; nothing where it is not whole."""
        scores = [hand.cells[row - 1].score for row in self.sheet.rows]
        whole = [score for score in scores if type(score) is int]
        counts = hand.state == "accepted" and self.worth.adds
        return tuple(whole) if counts and len(whole) == len(scores) else ()

    def refreshed(self, draft: GridDraft, outcome: RowOutcome | None) -> GridDraft:
        """Return a row for the next time it is sent: what is in is shown as it is stored."""
        if outcome is None or outcome.kind in ("same", "saved", "empty"):
            return self.draft(draft.number, draft.way)
        hand = self.hands.get(draft.number)
        if outcome.kind == "conflict" and hand is not None:
            draft.based_on, draft.is_asked, draft.key = hand.revision, True, new_key()
        return draft

    def _outcome(self, actor: Actor, draft: GridDraft, reason: str, now: datetime) -> RowOutcome:
        hand = self.hands.get(draft.number)
        if hand is not None and self._says(draft, hand.entry):
            return RowOutcome("same")
        looked_at = self._looked_at(hand, draft)
        if looked_at is not None and self._says(draft, looked_at) and not draft.is_asked:
            return RowOutcome("same")
        if draft.texts.is_empty:
            return RowOutcome("empty") if draft.based_on is None else grid_messages.emptied(draft)
        wrong = read_row(self.grammar, draft.way, draft.texts)[1]
        if wrong:
            return grid_messages.unread(self.grammar, self.names, draft, wrong)
        if hand is not None and self._is_undecided(draft):
            return self._conflict(hand)
        return self._recorded(actor, draft, self._reason(draft, reason), now)

    def _says(self, draft: GridDraft, entry: Mapping[str, Any]) -> bool:
        return means_the_same(self.grammar, draft.way, draft.texts, entry)

    @staticmethod
    def _looked_at(hand: HandView | None, draft: GridDraft) -> Mapping[str, Any] | None:
        """The entry that stood in the row when its author began."""
        revisions = hand.revisions if hand is not None else ()
        return next((one.entry for one in revisions if one.number == draft.based_on), None)

    @staticmethod
    def _is_undecided(draft: GridDraft) -> bool:
        return draft.is_asked and not draft.is_mine

    @staticmethod
    def _reason(draft: GridDraft, reason: str) -> str:
        mine = _("Two entries of one hand; this one was chosen.") if draft.is_mine else ""
        return reason or mine

    def _recorded(self, actor: Actor, draft: GridDraft, reason: str, now: datetime) -> RowOutcome:
        try:
            record_entry(
                actor=actor,
                game=self.game,
                number=draft.number,
                entry=entry_in(self.grammar, draft.way, draft.texts),
                now=now,
                source="host",
                based_on=draft.based_on,
                key=draft.key or None,
                reason=reason,
            )
        except HandRefused as later:
            return grid_messages.upset(draft, later.number, later.problems)
        except Refused as refused:
            if refused.problems[0].code == "idempotency_key_reused":
                return self._after_race(draft, refused.problems[0])
            return self._refused(draft, *refused.problems)
        except Conflict as conflict:
            return self._after_race(draft, conflict.problem)
        except Forbidden as forbidden:
            return self._refused(draft, self._why(forbidden, draft))
        return RowOutcome("saved")

    def _why(self, forbidden: Forbidden, draft: GridDraft) -> Problem:
        """Say what keeps a host from it: nearly always that the round is closed."""
        hand = self.hands.get(draft.number)
        is_void = hand is not None and hand.state == "void"
        if forbidden.problem.facts.get("act") != "correct_closed" or is_void:
            return forbidden.problem
        facts = {"round": self.table.round_number, "state": self.table.round_state}
        return Problem("round_not_open", facts=facts)

    def _after_race(self, draft: GridDraft, problem: Problem) -> RowOutcome:
        """Somebody wrote the hand between the reading and the writing, or it is not open."""
        hand = GridContext(self.event, self.code).hands.get(draft.number)
        if hand is None or problem.code in ("event_not_open", "round_is_draft"):
            return self._refused(draft, problem)
        return RowOutcome("same") if self._says(draft, hand.entry) else self._conflict(hand)

    def _conflict(self, hand: HandView) -> RowOutcome:
        texts = texts_of(self.grammar, hand.entry)[1]
        return grid_messages.conflict(
            self.grammar, texts, by=hand.by, hand=hand.number, revision=hand.revision
        )

    def _refused(self, draft: GridDraft, *problems: Problem) -> RowOutcome:
        return grid_messages.refused(self.grammar, self.names, draft, problems)

    def _worth(self) -> FaceValues:
        """What faces add up to, where they are whole numbers that nothing else changes."""
        seats, keys = self.sheet.seats, self.rules.keys
        total = hand_total(self.rules, seats)
        cards = {
            box.card or "": written_total(self.rules, seats, 0, [box.card or ""])
            for box in self.sheet.cards
        }
        heart = written_total(self.rules, seats, 1, []) if self.sheet.hearts else 0
        moon = moon_cell(self.grammar, moon_cards(self.rules, seats))
        if keys.modifiers or keys.settle is not None or not isinstance(total, int):
            return FaceValues(moon=moon)
        if not isinstance(heart, int):
            return FaceValues(moon=moon)
        whole = {card: worth for card, worth in cards.items() if isinstance(worth, int)}
        if len(whole) < len(cards):
            return FaceValues(moon=moon)
        adds, pays = adds_faces(self.rules, seats), moon_pays(self.rules, seats)
        return FaceValues(heart, whole, total, moon, adds, pays)

    def _name(self, number: int) -> str:
        seat = self.table.seats[number - 1]
        return seat.player or str(seat.title)


def new_key() -> str:
    """Return an idempotency key for a row."""
    return f"grid-{uuid.uuid4()}"
