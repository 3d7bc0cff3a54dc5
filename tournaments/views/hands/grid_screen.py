"""The secretary's screen: all hands of one table in rows, and what becomes of each."""

from collections.abc import Collection, Iterator, Mapping, Sequence
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
"""Empty rows after the last hand then."""

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
        columns_of_rows = []
        for name, side in zip(self.names.values(), self.sheet.sides, strict=True):
            columns_of_rows.append((name, " ".join(labels[seat - 1] for seat in side)))
        return columns_of_rows

    def board_in(self, draft: GridDraft) -> int | None:
        """Return the number of the board of a row; 0, which no board has, for what is none."""
        if not self.is_duplicate or not draft.board:
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
        """The code of each meld, as it is typed, and its name."""
        labels = self.sheet.meld_labels
        return [(code, labels[meld]) for code, meld in meld_codes(self.sheet.melds).items()]

    def drafts(self, way: str = "", *, from_hand: int = 1) -> list[GridDraft]:
        """Return the rows from a hand on: what was entered, then rows to type in, in `way`."""
        last = max(self.hands, default=0)
        if self.of:
            until = max(self.of, last)
        else:
            until = max(USUAL_HANDS, last + SPARE_ROWS)
        until = max(until, from_hand)
        until = min(until, from_hand + MOST_ROWS - 1)
        return [self.draft(number, way) for number in range(from_hand, until + 1)]

    def way_of_new(self, request: PageRequest, drafts: Sequence[GridDraft]) -> str:
        """Return the input mode of new rows: that of all there are, else the one asked for."""
        ways = {draft.way for draft in drafts if draft.based_on is None}
        if len(ways) == 1:
            return ways.pop()
        requested_way = request.POST.get(WAY, "") or request.GET.get(WAY, "")
        if requested_way in self.ways:
            return requested_way
        return self.ways[0]

    def draft(self, number: int, way: str = "") -> GridDraft:
        """Return the row of a hand as it is stored, or an empty one to type in, in `way`."""
        hand = self.hands.get(number)
        if hand is None:
            return self.empty_draft(number, way)
        way_of_hand, texts = texts_of(self.grammar, hand.entry)
        return GridDraft(
            number=number,
            way=way_of_hand,
            texts=texts,
            key=new_key("grid"),
            based_on=hand.revision,
            board=str(hand.board or ""),
        )

    def empty_draft(self, number: int, way: str) -> GridDraft:
        way_of_draft = way if way in self.ways else self.ways[0]
        texts = RowTexts(tuple("" for _row in self.sheet.rows))
        return GridDraft(number=number, way=way_of_draft, texts=texts, key=new_key("grid"))

    def record(
        self, actor: Actor, drafts: Sequence[GridDraft], *, reason: str, now: datetime
    ) -> dict[int, RowOutcome]:
        """Record each changed row; return hand number → outcome.

        An invalid row does not prevent others from being saved.
        """
        outcomes = {}
        for draft in drafts:
            outcomes[draft.number] = self._record_row(actor, draft, reason, now)
        return outcomes

    def repeated(self, drafts: Sequence[GridDraft]) -> list[dict[str, object]]:
        """Return what `repeated_sheets` finds for the rows of new hands that can be read."""
        entries = {}
        for draft in drafts:
            if draft.number in self.hands or draft.texts.is_empty:
                continue
            _fields, unread = read_row(self.grammar, draft.way, draft.texts)
            if not unread:
                entries[draft.number] = entry_in(self.grammar, draft.way, draft.texts)
        return repeated_sheets(self.game, entries)

    def _rows(
        self, drafts: Sequence[GridDraft], outcomes: Mapping[int, RowOutcome]
    ) -> list[RowView]:
        play = self.rules.keys.play
        n_seats = self.sheet.seats
        names = list(self.names.values())
        stored = self.stored()
        unsaved = self.unsaved(drafts)
        rows = []
        for draft in drafts:
            number = draft.number
            outcome = outcomes.get(number)
            is_saved = outcome is not None and outcome.kind == "saved"
            # In a duplicate event the pass is that of the board, which is written on it.
            passing = None
            if not self.is_duplicate:
                passing = pass_of(play, n_seats, number)
            state, total, points, shooter = verdict(
                self.grammar, self.worth, draft.way, draft.texts
            )
            hand = stored.get(number)
            stored_scores: tuple[int, ...] = ()
            if hand is not None:
                stored_scores = self._scores(hand)
            row = RowView(
                draft=draft,
                passing=pass_in_words(play, n_seats, passing),
                cells=tuple(self._cells(draft, outcome)),
                beside=tuple(self._cells_beside(draft, outcome)),
                typed_state=state,
                sum=total,
                seats=points,
                shooter="" if shooter is None else names[shooter],
                outcome=outcome,
                stored=hand,
                stored_scores=stored_scores,
                is_unsaved=number in unsaved and not is_saved,
            )
            rows.append(row)
        return rows

    def _cells(self, draft: GridDraft, outcome: RowOutcome | None) -> Iterator[CellView]:
        is_refused = False
        wrong: Collection[str] = ()
        theirs: Mapping[int, str] = {}
        if outcome is not None:
            is_refused = outcome.kind == "refused"
            wrong = outcome.wrong
            theirs = outcome.theirs
        for (row, name), text in zip(self.names.items(), draft.texts.cells, strict=True):
            # Where no single cell is wrong, all are.
            is_wrong = is_refused and (not wrong or str(row) in wrong)
            yield CellView(
                name=f"c-{draft.number}-{row}",
                value=text,
                say=cell_meaning(self.grammar, self.worth, draft.way, row, text),
                label=_("Hand %(hand)s, %(name)s") % {"hand": draft.number, "name": name},
                place=str(row),
                is_wrong=is_wrong,
                theirs=theirs.get(row, ""),
            )

    def _cells_beside(
        self, draft: GridDraft, outcome: RowOutcome | None
    ) -> Iterator[CellView | None]:
        """Yield a cell for each column beside the seats; None where the input mode has none."""
        boxes_of_way = columns(self.sheet, draft.way)
        for box in columns(self.sheet):
            if box not in boxes_of_way:
                yield None
                continue
            words = {"hand": draft.number, "name": COLUMN_HEADS[box.kind]}
            yield CellView(
                name=f"c-{draft.number}-{box.kind}",
                value=draft.texts.beside.get(box.kind, ""),
                say="",
                label=_("Hand %(hand)s, %(name)s") % words,
                place=box.kind,
                is_wrong=outcome is not None and box.kind in outcome.wrong,
            )

    def _grid(self, rows: Sequence[RowView]) -> dict[str, object]:
        """Lay out the grid.

        `base` has the totals of the saved sheet, empty if they are no whole numbers. `foot` is
        `base` plus the unsaved rows, `counted` its sum; `left_out` are entered hands not in it.
        """
        people = self.columns
        heads = [(box.kind, COLUMN_HEADS[box.kind]) for box in columns(self.sheet)]
        totals: list[ScoreJson] = [0] * len(people)
        if self.stored():
            totals = [total or 0 for total in self.row_totals]

        whole_totals = [total for total in totals if isinstance(total, int)]
        is_whole = len(whole_totals) == len(people)
        foot: Sequence[ScoreJson] = totals
        base = []
        counted = None
        if is_whole:
            added = [row.adds for row in rows if row.adds]
            sums = []
            for place, total in enumerate(whole_totals):
                sums.append(total + sum(points[place] for points in added))
            foot = sums
            base = [str(total) for total in whole_totals]
            counted = sum(sums)

        left_out = []
        for row in rows:
            if row.adds is None or (row.adds and not is_whole):
                left_out.append(row.draft.number)
        return {
            "rows": rows,
            "people": people,
            "heads": heads,
            "width": len(people) + len(heads) + 1,
            "n_wrong": sum(row.is_wrong for row in rows),
            "has_passing": any(row.passing for row in rows),
            "foot": foot,
            "base": base,
            "counted": counted,
            "left_out": left_out,
            "start": start_of(rows),
        }

    def grid_page(
        self, request: PageRequest, drafts: Sequence[GridDraft], outcomes: Mapping[int, RowOutcome]
    ) -> dict[str, object]:
        """Return the context of a page with a grid; without rows it has none."""
        rows = self._rows(drafts, outcomes)
        last = drafts[-1].number if drafts else 0
        is_at_end = bool(self.of and last >= self.of)
        letters = []
        for card, letter in self.grammar.letters.items():
            letters.append((letter, card_sign(card), card_name(card)))
        return {
            "grid": self._grid(rows) if rows else None,
            "unsaved": [row.draft.number for row in rows if row.is_unsaved],
            "words": hints_json(self.grammar, self.worth),
            "way": self.way_of_new(request, drafts),
            "letters": letters,
            "n_saved": sum(outcome.kind == "saved" for outcome in outcomes.values()),
            "can_grow": 0 < len(drafts) < MOST_ROWS and not is_at_end,
        }

    @property
    def row_totals(self) -> tuple[ScoreJson | None, ...]:
        return tuple(self.table.finishes[row - 1].total for row in self.sheet.rows)

    def unsaved(self, drafts: Sequence[GridDraft]) -> set[int]:
        """Return the numbers of the hands whose rows are not as they are stored."""
        numbers = set()
        for draft in drafts:
            hand = self.hands.get(draft.number)
            if hand is None:
                is_as_stored = draft.texts.is_empty
            else:
                is_as_stored = self._is_stored(draft, hand)
            if not is_as_stored:
                numbers.add(draft.number)
        return numbers

    def stored(self) -> dict[int, HandView]:
        """Return the hands that the page shows to its reader."""
        return self.hands

    def _scores(self, hand: HandView) -> tuple[int, ...]:
        """Return what a stored hand adds to the totals; nothing if only the scorer can tell."""
        if hand.state != "accepted" or not self.worth.adds:
            return ()
        scores = [hand.cells[row - 1].score for row in self.sheet.rows]
        whole_scores = [score for score in scores if type(score) is int]
        if len(whole_scores) != len(scores):
            return ()
        return tuple(whole_scores)

    def refreshed(self, draft: GridDraft, outcome: RowOutcome | None) -> GridDraft:
        """Return the row to show after an outcome: as stored, or as typed where it is not saved."""
        if outcome is None or outcome.kind in ("same", "saved", "empty"):
            return self.draft(draft.number, draft.way)
        hand = self.hands.get(draft.number)
        if outcome.kind == "conflict" and hand is not None:
            draft.based_on = hand.revision
            draft.is_asked = True
            draft.key = new_key("grid")
        return draft

    def _record_row(self, actor: Actor, draft: GridDraft, reason: str, now: datetime) -> RowOutcome:
        hand = self.hands.get(draft.number)
        if hand is not None and self._is_stored(draft, hand):
            return RowOutcome("same")
        if hand is not None and self._is_as_read(draft, hand) and not draft.is_asked:
            return RowOutcome("same")
        if draft.texts.is_empty:
            if draft.based_on is None:
                return RowOutcome("empty")
            return row_emptied(draft)
        _fields, unread = read_row(self.grammar, draft.way, draft.texts)
        if unread:
            return unread_cells(self.grammar, self.names, draft, unread)
        if hand is not None and draft.is_asked and not draft.is_mine:
            return self._conflict(hand)
        if draft.is_mine and not reason:
            choice = _("Two entries of one hand: this one was chosen.")
            return self._record_draft(actor, draft, choice, now)
        return self._record_draft(actor, draft, reason, now)

    def _is_as_read(self, draft: GridDraft, hand: HandView) -> bool:
        """Whether a row still has the revision that its author read: nothing was typed in it."""
        for revision in hand.revisions:
            if revision.number == draft.based_on:
                is_same = is_same_entry(self.grammar, draft.way, draft.texts, revision.entry)
                return is_same and self._has_board(draft, hand)
        return False

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
            problem = refused.problems[0]
            if problem.code == "idempotency_key_reused":
                return self._after_race(draft, problem)
            if problem.code == "hand_repeated":
                return repeated_row(draft.number, problem)
            return self._refused(draft, *refused.problems)
        except Conflict as conflict:
            return self._after_race(draft, conflict.problem)
        except Forbidden as forbidden:
            is_void = hand is not None and hand.state == "void"
            return self._refused(draft, self.why_forbidden(forbidden, is_void=is_void))
        return RowOutcome("saved")

    def _after_race(self, draft: GridDraft, problem: Problem) -> RowOutcome:
        """Return the outcome of a row that is not saved because somebody else was first."""
        if problem.code == HANDS_MOVED:
            return moved_row(draft.number, problem)
        hand = GridScreen(self.event, self.code).hands.get(draft.number)
        if hand is None or problem.code in NOT_A_RACE:
            return self._refused(draft, problem)
        if self._is_stored(draft, hand):
            return RowOutcome("same")
        return self._conflict(hand)

    def _conflict(self, hand: HandView) -> RowOutcome:
        _way, texts = texts_of(self.grammar, hand.entry)
        return conflicting_row(
            self.grammar, texts, by=hand.by, hand=hand.number, revision=hand.revision
        )

    def _refused(self, draft: GridDraft, *problems: Problem) -> RowOutcome:
        refused = refused_cells(self.grammar, self.names, draft, problems, self.worth.total)
        filing = ""
        if not draft.based_on:
            filing = filing_of(self.event, problems)
        return replace(refused, filing=filing)

    def _face_values(self) -> FaceValues:
        """Return the total of faces, where they are whole numbers that nothing else changes."""
        rules = self.rules
        n_seats = self.sheet.seats
        total = hand_total(rules, n_seats)
        heart: object = 0
        if self.sheet.hearts:
            heart = written_total(rules, n_seats, 1, [])
        cards = {card: written_total(rules, n_seats, 0, [card]) for card in self.sheet.copies}
        whole_cards = {card: worth for card, worth in cards.items() if isinstance(worth, int)}
        moon = moon_cell(self.grammar, moon_cards(rules, n_seats))

        keys = rules.keys
        if keys.melds or keys.modifiers or keys.trick_value or keys.settle is not None:
            return FaceValues(moon=moon)
        if not isinstance(total, int) or not isinstance(heart, int) or whole_cards != cards:
            return FaceValues(moon=moon)
        return FaceValues(
            heart=heart,
            cards=whole_cards,
            total=total,
            moon=moon,
            adds=adds_faces(rules, n_seats),
            pays=moon_payment(rules, n_seats),
        )
