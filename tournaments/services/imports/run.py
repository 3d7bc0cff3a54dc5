"""Store typed sheets in an event: batch by batch, whole tables at a time.

`take` judges a chunk of sheets and stores the hands that fit in one transaction, so that a hand is
never stored in part if the process dies; run again, the import completes.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain, islice
from typing import Final

from django.db import IntegrityError, OperationalError
from django.db.models import Q

from scoring.budget import Budget
from scoring.entry.codec import same_entry
from scoring.entry.typed_hand import StoredEntry
from scoring.errors import Problem
from scoring.json_types import JsonDict
from scoring.rules_card import wording
from tournaments.domain.counters import count_entries
from tournaments.domain.event_settings import preset_settings, settings_of
from tournaments.domain.imports.aligned_hands import (
    Content,
    align_hands,
    find_moved,
    find_shift,
)
from tournaments.domain.imports.import_report import (
    ASK,
    CALLED_RIGHT,
    Finding,
    finding,
    from_problem,
)
from tournaments.domain.imports.imported_sheets import (
    NOBODY,
    SheetHand,
    SheetRules,
    TypedSheet,
)
from tournaments.domain.replay_game import TOTALS, beyond_length, of_a_file
from tournaments.domain.standings.criteria import placement_problems
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import BatchState, ImportBatch, ImportProblem, ProblemState
from tournaments.models.standings import Contribution
from tournaments.selectors.events.meetings import list_cancelled_days
from tournaments.selectors.events.settings_checks import required_game
from tournaments.selectors.hands.double_entry import is_same_hand
from tournaments.selectors.rounds.tables import PlayingGroups, side_shape
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import join_operations, may_repeat
from tournaments.services.hands.apply_game import score_columns
from tournaments.services.imports.batches import (
    close_batch,
    find_interrupted_batch,
    new_batch,
    note_rounds,
    require_open,
    require_state,
)
from tournaments.services.imports.bulk_rows import ImportedSheet, RowsOfEvent, TableRows
from tournaments.services.imports.existing_tables import (
    Elsewhere,
    ExistingTable,
    HandPlace,
    Key,
    evening_days,
    existing_rounds,
    existing_tables,
    hand_exists,
    hand_moved,
    hands_moved_away,
    hidden_rounds,
    is_of_others,
    other_people,
    rounds_of_playoffs,
    seated_elsewhere,
    sheet_conflicts,
    sheet_notes,
    split_sides,
    stored_entry,
)
from tournaments.services.imports.same_sheets import (
    Answers,
    HandPoints,
    SameSheet,
    ask_moved,
    ask_same_sheet,
    ask_shift,
    find_same_sheets,
    hand_points,
    renumbered,
    turned_sheet,
    with_held,
    with_numbers,
)
from tournaments.services.imports.table_changes import extend_table
from tournaments.services.imports.validate_sheet import (
    FileBoards,
    ask_cancelled,
    ask_repeats,
    unmarked_moon,
    validate_sheet,
)
from tournaments.services.operations import Operation
from tournaments.services.rounds.seating import table_code
from tournaments.services.rounds.seating_checks import end_abandoned_sittings, has_pairs
from tournaments.services.totals.counted_games import (
    lock_aggregates,
    recompute_counted_in_rounds,
)

SHOWN: Final = 3
"""Hands of a file that its preview shows as read."""


@dataclass(frozen=True, slots=True)
class ReachedTable:
    """A table that gets hands of a file, the day of its round, and what the event does not have."""

    day: date | None
    is_new: bool
    is_in_new_round: bool


@dataclass(kw_only=True)
class SheetImport:
    """The import of one file into one event.

    Attributes:
        event: where the hands go; None where a dry run would create it first.
        writing: False for a dry run, which judges everything and writes nothing.
        file_rounds: the numbers of the rounds that the file has sheets of.
        batch: the batch of a file that was uploaded; else one is opened with the first hand.
        asks_repeats: whether a sheet waits for an answer if several hands repeat the one before.
        takes_cancelled: whether sheets of a cancelled evening are taken without a question.
        confirmed: the codes of questions about sheets which are right as they are.
        renumbers: whether hands that the event has under other numbers are asked about; else each
            is compared with the hand of its number.
        answers: what people said of the file's sheets. A sheet without an answer waits if the event
            has it under another round or table; None where the file itself has the rounds.
        n_accepted: hands that are, or would be, in the event after the run.
        already: (round, table, hand) of the last chunk that the event had with the same content.
        touched: the numbers of the rounds that got hands.
        first: the first hands as they were read, for a preview.
    """

    op: Operation
    event: Event | None
    rules_for: Callable[[str], SheetRules]
    file_name: str
    digest: str
    writing: bool
    names: Callable[[int], str]
    file_rounds: Collection[int]
    batch: ImportBatch | None = None
    asks_repeats: bool = False
    takes_cancelled: bool = False
    confirmed: Collection[str] = ()
    renumbers: bool = False
    answers: Answers | None = None
    n_accepted: int = 0
    n_added: int = 0
    already: set[tuple[int, int, int]] = field(default_factory=set)
    touched: set[int] = field(default_factory=set)
    first: list[JsonDict] = field(default_factory=list)
    _claimed: set[Key] = field(default_factory=set)
    _n_existing: int = 0
    _moved: Mapping[HandPlace, Hand] = field(default_factory=dict)
    _tables: dict[Key, ReachedTable] = field(default_factory=dict)
    _lengths: set[int | None] = field(default_factory=set)
    _boards: FileBoards = field(default_factory=FileBoards)
    _rows: RowsOfEvent = field(default_factory=RowsOfEvent)
    _budget: Budget = field(default_factory=of_a_file)

    def __post_init__(self) -> None:
        event, self._committed_batch = self.event, self.batch
        self._read_event()
        is_of_pairs = event is not None and has_pairs(event)
        self._groups = PlayingGroups(event) if event is not None and is_of_pairs else None
        if event is not None:
            self._settings = settings_of(event)
        else:
            self._settings = preset_settings("sheets")

    def _read_event(self) -> None:
        self.rounds = existing_rounds(self.event)
        self._playoff_rounds = rounds_of_playoffs(self.event)
        self._hidden_rounds = hidden_rounds(self.op.actor, self.event)
        self._required_game = required_game(self.event) if self.event is not None else None
        self._answered = _answered_questions(self.event, self.digest)

    def take(self, sheets: Sequence[TypedSheet]) -> list[Finding]:
        """Judge some sheets, store those that fit, and return the problems of the others."""
        claimed = frozenset(self._claimed)
        try:
            return self._take(sheets)
        except (IntegrityError, OperationalError) as fault:
            if isinstance(fault, OperationalError) and not may_repeat(fault):
                raise
            # Somebody seated one of these tables at this very moment: now it can be read.
            self._rows = RowsOfEvent()
            self._claimed = set(claimed)
            self.batch = self._committed_batch
            self._read_event()
            return self._take(sheets)

    def _take(self, sheets: Sequence[TypedSheet]) -> list[Finding]:
        findings: list[Finding] = []
        accepted = self.n_accepted
        with join_operations("import_sheets") if self.writing else nullcontext():
            event = self._locked()
            keys = [(sheet.round, sheet.table) for sheet in sheets]
            self._lock_games(event, keys)
            self._boards.read(event, is_locking=self.writing)
            tables = existing_tables(event, keys)
            rounds = set(self.rounds) & {sheet.round for sheet in sheets}
            elsewhere = seated_elsewhere(event, rounds)
            self._moved = hands_moved_away(event, keys)
            same_sheets = self._find_same_sheets(event, sheets, tables)
            sheets = [self._seated_as_stored(sheet, tables) for sheet in sheets]
            sheets, unclear = self._compared_by_content(sheets, tables)
            findings.extend(unclear)
            cancelled = self._cancelled_days(event, sheets)
            judged = []
            self._n_existing = 0
            self.already.clear()
            for sheet in sheets:
                if same := same_sheets.get((sheet.round, sheet.table)):
                    findings.append(ask_same_sheet(sheet, same, self._own_place(sheet, same)))
                    continue
                if self._day_of(sheet) in cancelled:
                    question = ask_cancelled(sheet, self._day_of(sheet))
                    if _question_key(question) not in self._answered:
                        findings.append(question)
                        continue
                imported, problems = self._judge(
                    sheet, tables.get((sheet.round, sheet.table)), elsewhere
                )
                findings.extend(problems)
                if imported is not None:
                    judged.append(imported)
            added = sum(len(imported.accepted) for imported in judged)
            for imported in judged:
                number = imported.sheet.round
                key = number, imported.sheet.table
                self._tables[key] = ReachedTable(
                    imported.sheet.day or self.rounds.get(number),
                    is_new=key not in tables,
                    is_in_new_round=number not in self.rounds,
                )
                self._lengths |= {hand.hands for hand in imported.accepted if hand.number == TOTALS}
                if len(self.first) < SHOWN:
                    self.first += islice(self._as_read(imported), SHOWN - len(self.first))
            if event is not None and self.writing and added:
                self._store(event, judged, added)
        self._committed_batch = self.batch
        self.n_added += added
        self.n_accepted = accepted + added + self._n_existing
        return findings

    def _day_of(self, sheet: TypedSheet) -> date | None:
        return sheet.day or self.rounds.get(sheet.round)

    def _cancelled_days(
        self, event: Event | None, sheets: Sequence[TypedSheet]
    ) -> Collection[date]:
        """Return the days of sheets whose evening is cancelled, unless nobody is to be asked."""
        days = {day for sheet in sheets if (day := self._day_of(sheet)) is not None}
        if event is None or self.takes_cancelled or not days:
            return ()
        return list_cancelled_days(event, days)

    def outline(self) -> JsonDict:
        """Return the evenings, tables and rounds of the hands so far, as they are stored.

        The event does not have those that are new yet.
        """
        tables = self._tables.values()
        days = {table.day for table in tables if table.day is not None}
        new_days: Collection[date] = ()
        if not self.writing:
            new_days = days - evening_days(self.event)
        new_rounds = {
            round_ for (round_, _), table in self._tables.items() if table.is_in_new_round
        }
        return {
            "evenings": sorted(day.isoformat() for day in days),
            "new_evenings": sorted(day.isoformat() for day in new_days),
            "tables": len(tables),
            "new_tables": sum(1 for table in tables if table.is_new),
            "new_rounds": sorted(new_rounds),
            "rounds": sorted({round_ for round_, _ in self._tables} - new_rounds),
            "has_totals": bool(self._lengths),
            "has_unknown_hands": None in self._lengths,
            "first": self.first,
        }

    def _as_read(self, imported: ImportedSheet) -> Iterator[JsonDict]:
        sheet = imported.sheet
        scores = {hand.number: hand.score.seat_scores for hand in imported.played.hands}
        for hand in imported.accepted:
            yield {
                "line": hand.lines[0],
                "round": sheet.round,
                "table": sheet.table,
                "hand": hand.number,
                "points": [
                    (self.names(player), wording.points(score))
                    for player, score in zip(hand.players, scores[hand.number], strict=False)
                    if player != NOBODY
                ],
            }

    def finish(
        self,
        *,
        findings: Sequence[Finding],
        rows: int,
        hands: int,
        unfinished: Collection[int] = (),
    ) -> ImportBatch | None:
        """Close the import: store open problems, resolve finished ones, write one audit line.

        Rounds with refused hands (`unfinished`) stay open.
        """
        if self.event is None or not self.writing:
            return None
        return close_batch(
            self.op,
            self.event,
            batch=self.batch,
            file_name=self.file_name,
            digest=self.digest,
            findings=findings,
            counts=(rows, hands, self.n_accepted),
            rounds=self.touched,
            unfinished=unfinished,
        )

    def _locked(self) -> Event | None:
        """Return the event if it still accepts hands, locked unless this is a dry run.

        A batch that was created before must still be running, because it may have been undone.
        """
        if self.event is None:
            return None
        events = Event.objects.select_related("club")
        if self.writing:
            event = lock_event(self.event)
        else:
            event = events.get(pk=self.event.pk)
        self.op.require("import_sheets", event)
        require_open(event)
        if self.writing and self.batch is not None:
            require_state(self.batch, BatchState.RUNNING)
        return event

    def _lock_games(self, event: Event | None, keys: Sequence[Key]) -> None:
        """Lock the tables that may grow, and those of rounds that may get a date."""
        if event is None or not self.writing:
            return
        undated = [number for number, _ in keys if self.rounds.get(number) is None]
        grown = Q(table__code__in=[table_code(*key) for key in keys])
        lock_games(Game.objects.filter(grown | Q(table__round__number__in=undated), event=event))

    # --- is it one sheet? ------------------------------------------------------------------

    def _find_same_sheets(
        self,
        event: Event | None,
        sheets: Sequence[TypedSheet],
        tables: Mapping[Key, ExistingTable],
    ) -> Mapping[Key, SameSheet]:
        """Return the sheets that are new where we placed them, and that the event has elsewhere."""
        if event is None or self.answers is None:
            return {}
        new_sheets = []
        for sheet in sheets:
            table = tables.get((sheet.round, sheet.table))
            is_new = table is None or not table.hands or is_of_others(sheet, table)
            if is_new and sheet.lines[0] not in self.answers:
                new_sheets.append(sheet)
        if not new_sheets:
            return {}
        if not self._claimed:
            self._claimed |= {answer.key for answer in self.answers.values() if answer.is_one}
        same = find_same_sheets(event, new_sheets, self._points_of, self._claimed)
        self._claimed |= {sheet.key for sheet in same.values() if not sheet.is_of_another}
        return same

    def _points_of(self, sheet: TypedSheet) -> dict[int, HandPoints]:
        """Return the points of the hands of a sheet that can be scored, also of held ones."""
        ruled = self.rules_for(sheet.variant)
        hands = tuple(replace(hand, is_held=False) for hand in sheet.hands)
        accepted, played, _ = validate_sheet(
            replace(sheet, hands=hands),
            ruled.rules,
            before=[],
            sat={},
            chips=self._settings.start_totals,
            open_ended=self._settings.is_open_ended,
            budget=self._budget,
        )
        if played is None:
            return {}
        scores = {hand.number: hand.score.seat_scores for hand in played.hands}
        points = {}
        for hand in accepted:
            pairs = zip(hand.players, scores[hand.number], strict=False)
            points[hand.number] = frozenset(
                (player, *score_columns(score)) for player, score in pairs
            )
        return points

    def _has_other_form(self, sheet: TypedSheet, table: ExistingTable | None) -> bool:
        """Whether a sheet is one with a table that has its totals instead of its hands, or its
        hands instead of its totals: then it adds nothing."""
        if table is None or not table.hands or self.answers is None:
            return False
        answer = self.answers.get(sheet.lines[0])
        has_totals = any(hand.number == TOTALS for hand in sheet.hands)
        is_one = answer is not None and answer.is_one
        return is_one and has_totals != (TOTALS in table.hands)

    def _own_place(self, sheet: TypedSheet, same: SameSheet) -> Key:
        """Return the place of a sheet as a game of its own, which the round of `same` cannot be."""
        if same.key[0] != sheet.round:
            return sheet.round, sheet.table
        return max([*self.rounds, *self.file_rounds]) + 1, sheet.table

    def _seated_as_stored(
        self, sheet: TypedSheet, tables: Mapping[Key, ExistingTable]
    ) -> TypedSheet:
        """Return a sheet in the seats of its table, if that is one with it and has no sides."""
        table = tables.get((sheet.round, sheet.table))
        if self.answers is None or table is None or not table.hands:
            return sheet
        is_single = rules_of(table.game.snapshot).keys.teams.mode == "none"
        is_turned = any(hand.players != table.players(hand.number) for hand in sheet.hands)
        if not is_single or not is_turned or table.seats != sheet.seats:
            return sheet
        return turned_sheet(sheet, table)

    # --- which hand is a row? --------------------------------------------------------------

    def _compared_by_content(
        self, sheets: Sequence[TypedSheet], tables: Mapping[Key, ExistingTable]
    ) -> tuple[Sequence[TypedSheet], list[Finding]]:
        """Number the hands of sheets by the hands of their tables that have the same content.

        A row that may be a corrected hand or a new one is held, with a question. One query.
        """
        shifted = {}
        for sheet in sheets:
            table = tables.get((sheet.round, sheet.table))
            if table is None:
                continue
            if sheet.counts_hands:
                is_compared = self._is_shifted(sheet, table)
            else:
                is_compared = self._has_other_hands(sheet, table)
            if is_compared:
                shifted[sheet.round, sheet.table] = table
        if not shifted:
            return sheets, []
        points = hand_points({row.game.table_id: row.players_by_seat for row in shifted.values()})
        findings: list[Finding] = []
        numbered = []
        for sheet in sheets:
            table = shifted.get((sheet.round, sheet.table))
            if table is None:
                numbered.append(sheet)
                continue
            stored = dict.fromkeys(table.hands) | points[table.game.table_id]
            rows = dict.fromkeys(sheet.sat) | self._points_of(sheet)
            if sheet.counts_hands:
                aligned, questions = renumbered(sheet, align_hands(stored, rows))
            else:
                aligned, questions = self._shifted(sheet, stored, rows)
            numbered.append(aligned)
            findings += questions
        return numbered, findings

    def _shifted(
        self, sheet: TypedSheet, stored: Mapping[int, Content], rows: Mapping[int, Content]
    ) -> tuple[TypedSheet, list[Finding]]:
        """Return a sheet with numbers as its table has them, and what is to be asked about that.

        New hands wait while the numbers of the file may be those of other hands.
        """
        shift = find_shift(stored, rows)
        if shift is None:
            return self._without_moved(sheet, find_moved(stored, rows))
        numbered = with_numbers(sheet, shift.numbers)
        question = ask_shift(sheet, shift)
        if question is None or self._is_answered(question):
            return numbered, []
        return with_held(numbered, [shift.numbers[row] for row in shift.inserted]), [question]

    def _without_moved(
        self, sheet: TypedSheet, moved: Mapping[int, int]
    ) -> tuple[TypedSheet, list[Finding]]:
        questions = [
            ask_moved(sheet, hand, moved[hand.number])
            for hand in sheet.hands
            if hand.number in moved
        ]
        questions = [question for question in questions if not self._is_answered(question)]
        held = [question.spot.hand for question in questions if question.spot.hand is not None]
        return with_held(sheet, held), questions

    def _is_answered(self, question: Finding) -> bool:
        return question.code in self.confirmed or _question_key(question) in self._answered

    def _has_other_hands(self, sheet: TypedSheet, table: ExistingTable) -> bool:
        """Whether the table has another hand with the number of a row. Totals are no such hands."""
        if not self.renumbers or TOTALS in table.hands:
            return False
        if any(hand.board is not None for hand in sheet.hands):
            return False
        return any(
            hand.number in table.hands and not self._is_same(hand, table.hands[hand.number], table)
            for hand in sheet.hands
        )

    def _is_shifted(self, sheet: TypedSheet, table: ExistingTable) -> bool:
        """Whether a hand of the table is not the row of its number."""
        rows = {hand.number: hand for hand in sheet.hands}
        for number, stored_hand in table.hands.items():
            row = rows.get(number)
            if row is None or not self._is_same(row, stored_hand, table):
                return True
        return False

    # --- judging ---------------------------------------------------------------------------

    def _judge(
        self, sheet: TypedSheet, table: ExistingTable | None, elsewhere: Elsewhere
    ) -> tuple[ImportedSheet | None, list[Finding]]:
        if sheet.round in self._hidden_rounds:
            return None, [finding("round_is_draft", sheet.spot())]
        if self._has_other_form(sheet, table):
            self._n_existing += len(sheet.hands)
            return None, []
        ruled = self.rules_for(sheet.variant)
        findings = self._sheet_findings(sheet, ruled, table, elsewhere)
        if table is not None and table.hands and is_of_others(sheet, table):
            return None, findings or [other_people(sheet, table, self.names)]
        hold = bool(findings)
        findings.extend(sheet_notes(sheet, table.sat() if table else {}, self.names))
        fresh: list[SheetHand] = []
        for hand in sheet.hands:
            stored_hand = table.hands.get(hand.number) if table else None
            if stored_hand is None or table is None:
                moved = self._moved_hand(sheet, hand)
                if moved is not None:
                    findings.append(hand_moved(sheet, hand, moved))
                fresh.append(replace(hand, is_held=True) if hold or moved else hand)
            elif not self._is_same(hand, stored_hand, table):
                if not hold:  # what does not fit as a whole is reported once, of the sheet
                    findings.append(hand_exists(sheet, hand, table, self.names))
            else:
                self._n_existing += 1
                self.already.add((sheet.round, sheet.table, hand.number))
                findings.extend(unmarked_moon(sheet, hand, stored_entry(stored_hand)[1]))
        if not fresh:
            return None, findings
        fresh, board_findings = self._boards.checked(sheet, fresh, ruled.rules, self.names)
        findings.extend(board_findings)
        fresh, beyond = self._within_length(sheet, fresh, table)
        findings.extend(beyond)
        stored_hands = table.hands if table is not None and not hold else {}
        accepted, played, problems = validate_sheet(
            replace(sheet, hands=tuple(fresh)),
            ruled.rules,
            before=[
                (number, StoredEntry(stored_entry(stored_hand)[0]))
                for number, stored_hand in stored_hands.items()
                if stored_hand.state == "accepted"
            ],
            sat=table.sat() if table is not None else {},
            chips=self._settings.start_totals,
            open_ended=self._settings.is_open_ended,
            budget=self._budget,
        )
        findings.extend(problems)
        question = ask_repeats(sheet, problems) if self.asks_repeats else None
        if question is not None and _question_key(question) not in self._answered:
            findings = [each for each in findings if each.code != "hand_repeated"]
            return None, [*findings, question]
        if not accepted or played is None:
            return None, findings
        if self._required_game is not None:
            self._required_game.hold(ruled.name, ruled.options, ruled.rules, sheet.seats)
        return ImportedSheet(sheet, ruled, table, accepted, played), findings

    def _moved_hand(self, sheet: TypedSheet, hand: SheetHand) -> Hand | None:
        """Return the hand of the event that this one became when it was moved."""
        moved = self._moved.get((table_code(sheet.round, sheet.table), hand.number))
        if moved is None or not same_entry(stored_entry(moved)[0], hand.entry):
            return None
        return moved

    def _within_length(
        self, sheet: TypedSheet, hands: Sequence[SheetHand], table: ExistingTable | None
    ) -> tuple[list[SheetHand], list[Finding]]:
        """Return new hands of a sheet, held if they exceed the length of the event's games."""
        stored = table.hands.items() if table is not None else ()
        others = {number: hand.state for number, hand in stored}
        within = []
        findings = []
        for hand in hands:
            problems = beyond_length(self._settings, hand.number, others, hand.hands)
            if problems and not hand.additional:
                findings += [from_problem(problem, sheet.spot(hand)) for problem in problems]
                within.append(replace(hand, is_held=True))
            else:
                within.append(hand)
                others[hand.number] = "accepted"
        return within, findings

    def _sheet_findings(
        self,
        sheet: TypedSheet,
        ruled: SheetRules,
        table: ExistingTable | None,
        elsewhere: Elsewhere,
    ) -> list[Finding]:
        day = self.rounds.get(sheet.round)
        findings = sheet_conflicts(sheet, ruled, table, elsewhere, day, self.names)
        if sheet.round in self._playoff_rounds:
            findings.append(finding("round_of_a_playoff", sheet.spot()))
        problems: list[Problem] = []
        if self._required_game is not None and (table is None or not table.hands):
            options, rules = ruled.options, ruled.rules
            problems += self._required_game.problems(ruled.name, options, rules, sheet.seats)
        if table is None or not table.hands:
            kind = self.event.kind if self.event is not None else ""
            problems += placement_problems(self._settings, ruled.rules, sheet.seats, kind)
        findings += [from_problem(problem, sheet.spot(), severity=ASK) for problem in problems]
        if self._groups is not None and side_shape(ruled.rules, sheet.seats):
            findings.extend(split_sides(sheet, ruled, table, self._groups, self.names))
        return findings

    def _is_same(self, hand: SheetHand, stored_hand: Hand, table: ExistingTable) -> bool:
        board = stored_hand.board.number if stored_hand.board is not None else None
        typed, moon = stored_entry(stored_hand)
        return (
            stored_hand.state == "accepted"
            and table.players(hand.number) == hand.players
            and (hand.number != TOTALS or hand.hands in (None, stored_hand.hands))
            and hand.board in (None, board)
            and (same_entry(typed, hand.entry, moon) or self._has_points_of(hand, typed, table))
        )

    def _has_points_of(self, hand: SheetHand, typed: JsonDict, table: ExistingTable) -> bool:
        """Whether a hand with points only says no more than the stored one: these points, perhaps
        with the mark of a moon, or the cards that give them."""
        if set(hand.entry) != {"points"}:
            return False
        if "points" in typed:
            return bool(typed["points"] == hand.entry["points"])
        rules = rules_of(table.game.snapshot)
        chips = self._settings.start_totals
        return is_same_hand(rules, table.seats, hand.entry, typed, chips=chips)

    # --- storing ---------------------------------------------------------------------------

    def _store(self, event: Event, judged: Sequence[ImportedSheet], added: int) -> None:
        batch = self.open_batch(event)
        sat = (seated for imported in judged for seated in imported.sheet.sat.values())
        players = set(chain.from_iterable(sat)) - {NOBODY}
        self._rows.load_entrants(event, batch, players)
        rounds = {
            imported.sheet.round: self._rows.round(
                event, batch, imported.sheet.round, imported.sheet.day
            )
            for imported in judged
        }
        lock_aggregates(event, self._changed_entrants(judged), make=True)
        new_tables = [imported for imported in judged if imported.table is None]
        end_abandoned_sittings({rounds[new.sheet.round] for new in new_tables}, players)
        boards = self._boards.rows
        actor = self.op.actor
        now = self.op.now
        TableRows(event, batch, self._rows, boards, actor, now).write(new_tables)
        for imported in judged:
            if imported.table is not None:
                extend_table(
                    imported.table,
                    imported,
                    snapshot_id=self._rows.snapshot(event, imported.ruled),
                    boards=boards,
                    batch=batch,
                    actor=actor,
                    now=now,
                )
        self.touched |= rounds.keys()
        recompute_counted_in_rounds(event=event, rounds=self._rows.redated)
        self._rows.redated.clear()
        self.op.mark(event, by=added)
        count_entries("import", added)

    def open_batch(self, event: Event) -> ImportBatch:
        """Return the batch of the file; the caller's transaction holds the event."""
        if self.batch is None:
            self.batch = find_interrupted_batch(event, self.digest) or new_batch(
                self.op, event, file_name=self.file_name, digest=self.digest
            )
            note_rounds(self.batch, self.file_rounds)
        return self.batch

    def _changed_entrants(self, judged: Sequence[ImportedSheet]) -> set[int]:
        """Return the entrants whose sums change: all are locked before one of them is written."""
        grown = [imported.table.game.pk for imported in judged if imported.table is not None]
        games = Q(game__in=grown) | Q(game__table__round__in=self._rows.redated)
        contributions = Contribution.objects.filter(games)
        hands = chain.from_iterable(imported.accepted for imported in judged)
        players = {player for hand in hands for player in hand.players} - {NOBODY}
        return {self._rows.entrants[player] for player in players} | set(
            contributions.values_list("entrant_id", flat=True)
        )


QuestionKey = tuple[str, int | None, int | None, str]
"""The code, round, table and `found` of a question."""


def _question_key(question: Finding) -> QuestionKey:
    return question.code, question.spot.round, question.spot.table, question.found


def _answered_questions(event: Event | None, digest: str) -> frozenset[QuestionKey]:
    """Return the questions about sheets of a file that somebody answered (`confirm_repeats`)."""
    settled = ImportProblem.objects.filter(state=ProblemState.SETTLED, code__in=CALLED_RIGHT)
    problems = settled.filter(event=event, batch__file_digest=digest).exclude(reason="")
    return frozenset(problems.values_list("code", "round", "table", "found"))
