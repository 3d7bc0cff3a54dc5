"""The secretary's screen: all hands of one table in rows, and what becomes of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _

from scoring.cards import card_name, card_sign
from scoring.entry.sheet import (
    adds_faces,
    hand_total,
    meld_codes,
    moon_cards,
    moon_payment,
    seat_names,
    written_total,
)
from scoring.errors import Problem, Refused
from scoring.numbers import ScoreJson
from scoring.rules.dealing import pass_of
from tournaments.domain.replay_game import HandRefused
from tournaments.errors import Conflict, Forbidden
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.selectors.hands.double_entry import repeated_sheets
from tournaments.selectors.hands.games import hands_of_games_in
from tournaments.selectors.hands.score_sheet import pass_in_words
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.operations import Operation
from tournaments.views.hands.grid_cells import (
    COLUMN_HEADS,
    CellGrammar,
    RowTexts,
    columns,
    entry_in,
    grammar_of,
    how_to_write,
    is_same_entry,
    read_row,
    texts_of,
    ways_of,
)
from tournaments.views.hands.grid_hints import (
    FaceValues,
    cell_meaning,
    hints_json,
    moon_cell,
    verdict,
)
from tournaments.views.hands.grid_rows import (
    MOST_ROWS,
    CellView,
    GridDraft,
    RowOutcome,
    RowView,
    conflicting_row,
    later_hand_refused,
    moved_row,
    refused_cells,
    repeated_row,
    row_emptied,
    start_of,
    unread_cells,
)
from tournaments.views.hands.hand_form_fields import number_in, with_unshown
from tournaments.views.hands.hand_screen import (
    HANDS_MOVED,
    NOT_A_RACE,
    EntryScreen,
    filing_of,
    new_key,
)
from tournaments.views.http.layout import PageRequest

USUAL_HANDS: Final = 8
"""Number of rows if the length of a game is not known."""
SPARE_ROWS: Final = 2
WAY: Final = "way"
"""Input mode of new hands: a field of the grid, and a parameter of links to the next sheet."""


class GridScreen(EntryScreen):
    """One table's sheet in the grid.

    Where nobody sits yet, `is_empty`, and where the sheet has totals only, `totals_only`, there is
    no grid.
    """

    def __init__(self, event: Event, code: str) -> None:
        super().__init__(event, code)
        self.of = hands_of_games_in(event, [self.game])[self.game.pk]
        self.totals_only = self.totals is not None
        if self.is_empty or self.totals_only:
            return
        self.grammar: CellGrammar = grammar_of(self.sheet)
        self.worth = self._face_values()

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Name and seat of each row of the sheet, which the grid has as a column."""
        labels = seat_names(self.sheet.seats)
        return [
            (name, " ".join(labels[seat - 1] for seat in side))
            for name, side in zip(self.names.values(), self.sheet.sides, strict=True)
        ]

    def board_in(self, draft: GridDraft) -> int | None:
        """Return the number of the board of a row; 0, which no board has, for what is none."""
        if not (self.is_duplicate and draft.board):
            return None
        return number_in(draft.board) or 0

    @property
    def ways(self) -> tuple[str, ...]:
        return ways_of(self.sheet)

    @property
    def how_to_write(self) -> str:
        return how_to_write(self.sheet)

    @property
    def asks_who_pays(self) -> bool:
        moon = self.sheet.box("moon")
        return moon is not None and bool(moon.choices)

    @property
    def meld_codes(self) -> list[tuple[str, str]]:
        labels = self.sheet.meld_labels
        return [(code, labels[meld]) for code, meld in meld_codes(self.sheet.melds).items()]

    def drafts(self, way: str = "", *, from_hand: int = 1) -> list[GridDraft]:
        """Return the rows from a hand on: what was entered, then rows to type in, in `way`."""
        last = max(self.hands, default=0)
        if self.of:
            until = max(self.of or 0, last)
        else:
            until = max(USUAL_HANDS, last + SPARE_ROWS)
        until = min(max(until, from_hand), from_hand + MOST_ROWS - 1)
        return [self.draft(number, way) for number in range(from_hand, until + 1)]

    def way_of_new(self, request: PageRequest, drafts: Sequence[GridDraft]) -> str:
        ways = {draft.way for draft in drafts if draft.based_on is None}
        posted_way = request.POST.get(WAY, "") or request.GET.get(WAY, "")
        if len(ways) == 1:
            return ways.pop()
        if posted_way in self.ways:
            return posted_way
        return self.ways[0]

    def draft(self, number: int, way: str = "") -> GridDraft:
        hand = self.hands.get(number)
        if hand is None:
            return self.empty_draft(number, way)
        entry_way, texts = texts_of(self.grammar, hand.entry)
        board = str(hand.board or "")
        return GridDraft(number, entry_way, texts, new_key("grid"), hand.revision, board=board)

    def empty_draft(self, number: int, way: str) -> GridDraft:
        usual = way if way in self.ways else self.ways[0]
        texts = RowTexts(tuple("" for _row in self.sheet.rows))
        return GridDraft(number, usual, texts, new_key("grid"))

    def record(
        self, actor: Actor, drafts: Sequence[GridDraft], *, reason: str, now: datetime
    ) -> dict[int, RowOutcome]:
        """Record each changed row; return hand number → outcome.

        An invalid row does not prevent others from being saved.
        """
        return {draft.number: self._record_row(actor, draft, reason, now) for draft in drafts}

    def repeated(self, drafts: Sequence[GridDraft]) -> list[dict[str, object]]:
        new = {
            draft.number: entry_in(self.grammar, draft.way, draft.texts)
            for draft in drafts
            if draft.number not in self.hands
            and not draft.texts.is_empty
            and not read_row(self.grammar, draft.way, draft.texts)[1]
        }
        return repeated_sheets(self.game, new)

    def _rows(
        self, drafts: Sequence[GridDraft], outcomes: Mapping[int, RowOutcome]
    ) -> list[RowView]:
        play = self.rules.keys.play
        seats = self.sheet.seats
        names = [*self.names.values()]
        is_duplicate = self.is_duplicate
        stored = self.stored()
        unsaved = self.unsaved(drafts)
        rows = []
        for draft in drafts:
            number = draft.number
            outcome = outcomes.get(draft.number)
            hand = stored.get(number)
            # In a duplicate event the pass is that of the board, which is written on it.
            way = None if is_duplicate else pass_of(play, seats, number)
            state, total, points, shooter = verdict(
                self.grammar, self.worth, draft.way, draft.texts
            )
            rows.append(
                RowView(
                    draft=draft,
                    passing=pass_in_words(play, seats, way),
                    cells=tuple(self._cells(draft, outcome)),
                    beside=tuple(self._cells_beside(draft, outcome)),
                    typed_state=state,
                    sum=total,
                    seats=points,
                    shooter="" if shooter is None else names[shooter],
                    outcome=outcome,
                    stored=hand,
                    stored_scores=self._scores(hand) if hand is not None else (),
                    is_unsaved=number in unsaved and not (outcome and outcome.kind == "saved"),
                )
            )
        return rows

    def _cells(self, draft: GridDraft, outcome: RowOutcome | None) -> Iterator[CellView]:
        is_refused = outcome is not None and outcome.kind == "refused"
        wrong = outcome.wrong if outcome else ()
        theirs = outcome.theirs if outcome else {}
        for (row, name), text in zip(self.names.items(), draft.texts.cells, strict=True):
            yield CellView(
                name=f"c-{draft.number}-{row}",
                value=text,
                say=cell_meaning(self.grammar, self.worth, draft.way, row, text),
                label=_("Hand %(hand)s, %(name)s") % {"hand": draft.number, "name": name},
                place=str(row),
                is_wrong=is_refused and (not wrong or str(row) in wrong),
                theirs=theirs.get(row, ""),
            )

    def _cells_beside(
        self, draft: GridDraft, outcome: RowOutcome | None
    ) -> Iterator[CellView | None]:
        boxes = columns(self.sheet, draft.way)
        for box in columns(self.sheet):
            words = {"hand": draft.number, "name": COLUMN_HEADS[box.kind]}
            yield (
                CellView(
                    name=f"c-{draft.number}-{box.kind}",
                    value=draft.texts.beside.get(box.kind, ""),
                    say="",
                    label=_("Hand %(hand)s, %(name)s") % words,
                    place=box.kind,
                    is_wrong=outcome is not None and box.kind in outcome.wrong,
                )
                if box in boxes
                else None
            )

    def _grid(self, rows: Sequence[RowView]) -> dict[str, object]:
        """Lay out the grid.

        `base` has the totals of the saved sheet, empty if they are no whole numbers. `foot` is
        `base` plus the unsaved rows, `counted` its sum; `left_out` are entered hands not in it.
        """
        people = self.columns
        heads = [(box.kind, COLUMN_HEADS[box.kind]) for box in columns(self.sheet)]
        if self.stored():
            totals = [total or 0 for total in self.row_totals]
        else:
            totals = [0] * len(people)
        whole = [total for total in totals if isinstance(total, int)]
        is_whole = len(whole) == len(people)
        added = [row.adds for row in rows if row.adds] if is_whole else []
        sums = [total + sum(seats[place] for seats in added) for place, total in enumerate(whole)]
        return {
            "rows": rows,
            "people": people,
            "heads": heads,
            "width": len(people) + len(heads) + 1,
            "n_wrong": sum(row.is_wrong for row in rows),
            "has_passing": any(row.passing for row in rows),
            "foot": sums if is_whole else totals,
            "base": [str(total) for total in whole] if is_whole else [],
            "counted": sum(sums) if is_whole else None,
            "left_out": [
                row.draft.number for row in rows if row.adds is None or (row.adds and not is_whole)
            ],
            "start": start_of(rows),
        }

    def grid_page(
        self, request: PageRequest, drafts: Sequence[GridDraft], outcomes: Mapping[int, RowOutcome]
    ) -> dict[str, object]:
        """Return what the template of a page with a grid is given; without rows it has none."""
        last = drafts[-1].number if drafts else 0
        rows = self._rows(drafts, outcomes)
        return {
            "grid": self._grid(rows) if rows else None,
            "unsaved": [row.draft.number for row in rows if row.is_unsaved],
            "words": hints_json(self.grammar, self.worth),
            "way": self.way_of_new(request, drafts),
            "letters": [
                (letter, card_sign(card), card_name(card))
                for card, letter in self.grammar.letters.items()
            ],
            "n_saved": sum(outcome.kind == "saved" for outcome in outcomes.values()),
            "can_grow": 0 < len(drafts) < MOST_ROWS and not (self.of and last >= self.of),
        }

    @property
    def row_totals(self) -> tuple[ScoreJson | None, ...]:
        return tuple(self.table.finishes[row - 1].total for row in self.sheet.rows)

    def unsaved(self, drafts: Sequence[GridDraft]) -> set[int]:
        stored = self.hands
        return {
            draft.number
            for draft in drafts
            if not (
                self._is_stored(draft, stored[draft.number])
                if draft.number in stored
                else draft.texts.is_empty
            )
        }

    def stored(self) -> dict[int, HandView]:
        """Return the hands that the page shows to its reader."""
        return self.hands

    def _scores(self, hand: HandView) -> tuple[int, ...]:
        scores = [hand.cells[row - 1].score for row in self.sheet.rows]
        whole = [score for score in scores if type(score) is int]
        counts = hand.state == "accepted" and self.worth.adds
        if counts and len(whole) == len(scores):
            return tuple(whole)
        return ()

    def refreshed(self, draft: GridDraft, outcome: RowOutcome | None) -> GridDraft:
        if outcome is None or outcome.kind in ("same", "saved", "empty"):
            return self.draft(draft.number, draft.way)
        hand = self.hands.get(draft.number)
        if outcome.kind == "conflict" and hand is not None:
            draft.based_on, draft.is_asked, draft.key = hand.revision, True, new_key("grid")
        return draft

    def _record_row(self, actor: Actor, draft: GridDraft, reason: str, now: datetime) -> RowOutcome:
        hand = self.hands.get(draft.number)
        if hand is not None and self._is_stored(draft, hand):
            return RowOutcome("same")
        revisions = hand.revisions if hand is not None else ()
        at_start = next((row.entry for row in revisions if row.number == draft.based_on), None)
        is_same = (
            hand is not None
            and at_start is not None
            and is_same_entry(self.grammar, draft.way, draft.texts, at_start)
            and self._has_board(draft, hand)
        )
        if is_same and not draft.is_asked:
            return RowOutcome("same")
        if draft.texts.is_empty:
            is_new = draft.based_on is None
            if is_new:
                return RowOutcome("empty")
            return row_emptied(draft)
        if wrong := read_row(self.grammar, draft.way, draft.texts)[1]:
            return unread_cells(self.grammar, self.names, draft, wrong)
        if hand is not None and draft.is_asked and not draft.is_mine:
            return self._conflict(hand)
        if draft.is_mine and not reason:
            reason = _("Two entries of one hand: this one was chosen.")
        return self._record_draft(actor, draft, reason, now)

    def _is_stored(self, draft: GridDraft, hand: HandView) -> bool:
        is_same = is_same_entry(self.grammar, draft.way, draft.texts, hand.entry)
        return is_same and self._has_board(draft, hand)

    def _has_board(self, draft: GridDraft, hand: HandView) -> bool:
        """Whether a row has the board that is stored; an empty one keeps it."""
        return not self.is_duplicate or draft.board in ("", str(hand.board or ""))

    def _record_draft(
        self, actor: Actor, draft: GridDraft, reason: str, now: datetime
    ) -> RowOutcome:
        hand = self.hands.get(draft.number)
        typed = entry_in(self.grammar, draft.way, draft.texts)
        op = Operation(actor, now)
        try:
            if draft.disputed is not None and hand is None:
                file_disputed(
                    op,
                    self.game,
                    number=draft.number,
                    entry=typed,
                    key=draft.key or None,
                    reason=draft.disputed,
                    known_moves=draft.known_moves,
                )
                return RowOutcome("saved")
            record_entry(
                op,
                self.game,
                number=draft.number,
                entry=with_unshown(self.sheet, typed, hand),
                source="host",
                based_on=draft.based_on,
                key=draft.key or None,
                reason=reason,
                displayed_players=draft.displayed_players,
                known_moves=draft.known_moves,
                board=self.board_in(draft),
                may_repeat=draft.may_repeat,
            )
        except HandRefused as later:
            return later_hand_refused(draft, later.number, later.problems)
        except Refused as refused:
            if refused.problems[0].code == "idempotency_key_reused":
                return self._after_race(draft, refused.problems[0])
            if refused.problems[0].code == "hand_repeated":
                return repeated_row(draft.number, refused.problems[0])
            return self._refused(draft, *refused.problems)
        except Conflict as conflict:
            return self._after_race(draft, conflict.problem)
        except Forbidden as forbidden:
            is_void = hand is not None and hand.state == "void"
            return self._refused(draft, self.why_forbidden(forbidden, is_void=is_void))
        return RowOutcome("saved")

    def _after_race(self, draft: GridDraft, problem: Problem) -> RowOutcome:
        if problem.code == HANDS_MOVED:
            return moved_row(draft.number, problem)
        hand = GridScreen(self.event, self.code).hands.get(draft.number)
        if hand is None or problem.code in NOT_A_RACE:
            return self._refused(draft, problem)
        if self._is_stored(draft, hand):
            return RowOutcome("same")
        return self._conflict(hand)

    def _conflict(self, hand: HandView) -> RowOutcome:
        texts = texts_of(self.grammar, hand.entry)[1]
        return conflicting_row(
            self.grammar, texts, by=hand.by, hand=hand.number, revision=hand.revision
        )

    def _refused(self, draft: GridDraft, *problems: Problem) -> RowOutcome:
        refused = refused_cells(self.grammar, self.names, draft, problems, self.worth.total)
        return replace(refused, filing="" if draft.based_on else filing_of(self.event, problems))

    def _face_values(self) -> FaceValues:
        """Return the total of faces, where they are whole numbers that nothing else changes."""
        rules = self.rules
        seats = self.sheet.seats
        keys = self.rules.keys
        total = hand_total(rules, seats)
        heart = written_total(rules, seats, 1, []) if self.sheet.hearts else 0
        cards = {card: written_total(rules, seats, 0, [card]) for card in self.sheet.copies}
        whole = {code: worth for code, worth in cards.items() if isinstance(worth, int)}
        moon = moon_cell(self.grammar, moon_cards(rules, seats))
        more = keys.melds or keys.modifiers or keys.trick_value or keys.settle is not None
        if more or not (isinstance(total, int) and isinstance(heart, int)) or whole != cards:
            return FaceValues(moon=moon)
        adds = adds_faces(rules, seats)
        pays = moon_payment(rules, seats)
        return FaceValues(heart, whole, total, moon, adds, pays)
