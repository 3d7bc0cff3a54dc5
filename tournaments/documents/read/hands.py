"""Files of hands: a row is a seat of a hand, or a hand."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, tzinfo
from itertools import pairwise
from typing import Final, TypeAlias

from django.utils.translation import gettext

from scoring.entry.sheet import Box
from scoring.errors import listed
from scoring.rules.rules import Rules
from tournaments.documents.read.apply_plan import (
    MappedTable,
    NotMapped,
    PlanRequest,
    SelectedPlan,
    StoredMapping,
    sample_of,
    select_plan,
    unknown_heads,
)
from tournaments.documents.read.column_plan import RUNNING, ColumnPlan, labels_of
from tournaments.documents.read.columns import ColumnIndex, columns_of, head_notes
from tournaments.documents.read.csv import (
    BREATH,
    NO_ROWS,
    CorrectedTable,
    SheetTable,
    Unreadable,
    formulas_in,
)
from tournaments.documents.read.people import Pairs, People
from tournaments.documents.read.readings import are_places, places_in, read_as, reading_problem
from tournaments.documents.read.sheet_rows import (
    MOST_LINES,
    Key,
    Notes,
    Outline,
    RowReader,
    is_filled,
    outline_of,
    valid_number,
)
from tournaments.documents.read.sheets import read_sheet
from tournaments.documents.read.source_file import SHEETS_COUNTED
from tournaments.documents.read.table_rows import Context, addresses, odd_width, row_words
from tournaments.documents.read.ways import AS_WRITTEN, SEAT_IS_PLACE, with_ways
from tournaments.domain.imports.alike import ALIKE, OWN_ROUND
from tournaments.domain.imports.evenings import Evenings
from tournaments.domain.imports.import_report import (
    FilePlace,
    Finding,
    Spot,
    finding,
    with_rows,
)
from tournaments.domain.imports.imported_sheets import SheetRules, TypedSheet
from tournaments.models.imports import IGNORE, SEATS

NEEDED: Final = "board_needed"

LONGEST_SHEET: Final = 5_000
"""Maximum number of rows of one table in one round, which are read and stored in one piece: more
than a thousand hands of four. A file of a season whose rounds nobody mapped has more."""

NO_READING: Final = (
    "The columns of this file are our own. A reading is for files that are read with a mapping."
)

Rows = list[tuple[int, list[str]]]

Sheet: TypeAlias = tuple[TypedSheet | None, Sequence[Finding], Rows]


@dataclass
class HandsReader:
    """Reads the hands of a file: its columns, the outline of its sheets, then sheet after sheet.

    `day` is the date of rows without one, `day_in_names` that of a file which has neither dates nor
    rounds. `places` are the rounds and tables that people gave to lines of a file without rounds.

    Of more than `most_findings` findings the others are only counted, in `n_more`, with the rounds
    that they are of.
    """

    corrected: CorrectedTable
    people: People
    pairs: Pairs
    most_findings: int | None = None
    findings: list[Finding] = field(default_factory=list)
    n_more: int = 0
    more_rounds: set[int] = field(default_factory=set)
    notes: Notes = field(default_factory=Notes)
    n_hands: int = 0
    chosen: SelectedPlan | None = None
    find_evenings: Callable[[], Evenings] = Evenings
    places: Mapping[int, Key] = field(default_factory=dict)
    today: date | None = None
    day: date | None = None
    day_in_names: date | None = None
    zone: tzinfo | None = None
    mapped: MappedTable | None = None
    below_heads: dict[int, list[tuple[int, list[str]]]] = field(default_factory=dict)
    """Line of other heads → its row and those below them, which are nobody's."""

    def find_columns(
        self,
        request: PlanRequest,
        mappings: Sequence[StoredMapping],
        rules: Rules | None,
        variant_boxes: Sequence[Box],
    ) -> None:
        corrected, people, pairs = self.corrected, self.people, self.pairs
        added = len(corrected.corrections.added)
        self.chosen = select_plan(
            corrected,
            added=added,
            request=request,
            mappings=mappings,
            people=people,
            round_by_date=self._round_by_date,
        )
        if self.chosen is not None:
            is_stored = self.chosen.key is not None and request.plan is None
            if is_stored and rules is not None and not request.values.get("reading"):
                self._check_reading(self.chosen, rules)
            plan, values = self.chosen.plan, self.chosen.values
            mapped = MappedTable(
                corrected,
                plan,
                values,
                people,
                added=added,
                rules=rules,
                find_evenings=self.find_evenings,
                today=self.today,
                day=self.file_day,
                answers={} if self.has_rounds else self.places,
                zone=self.zone,
            )
            columns = replace(mapped.columns, unknown=self.chosen.strange)
            self.table: SheetTable = mapped
            self.mapped = mapped
            heads = mapped.heads_by_key
            self.rows = RowReader(columns, people, pairs, heads, mapped.width, zone=self.zone)
            return
        try:
            columns = columns_of(corrected.heads, variant_boxes)
        except Unreadable as fault:
            not_mapped = unknown_heads(corrected.heads, variant_boxes, fault, corrected)
            raise (not_mapped if not_mapped.sample else Unreadable(NO_ROWS)) from fault
        if not request.is_ours:
            self._check_places(columns, request)
        self.table, self.rows = corrected, RowReader(columns, people, pairs, zone=self.zone)

    @property
    def file_day(self) -> date | None:
        if self.day is not None or self.tells_evenings_apart:
            return self.day
        return self.day_in_names

    def _round_by_date(self, plan: ColumnPlan) -> int | None:
        """Return the round of a file whose dates tell it: of its only date, or the first new one.

        None without a date, and where the event has several rounds of that date.
        """
        has_dates = "date" in plan.means
        day = self.day if has_dates or self.day is not None else self.day_in_names
        if not has_dates and day is None:
            return None
        evenings = self.find_evenings()
        of_day = evenings.rounds_of(day) if day is not None and not has_dates else ()
        if len(of_day) > 1:
            return None
        if of_day:
            return of_day[0]
        return max([*evenings.rounds, *evenings.closed], default=0) + 1

    def _check_reading(self, chosen: SelectedPlan, rules: Rules) -> None:
        """Ask for the reading if a stored mapping makes no hands of the file, and another does."""
        corrected = self.corrected
        added = len(corrected.corrections.added)
        heads = corrected.heads[: len(corrected.heads) - added]
        readings = read_as(with_ways(chosen.plan, ()), heads, sample_of(corrected), rules)
        if readings.may_be(chosen.plan):
            return
        raise NotMapped(readings.problem, heads, corrected, chosen=chosen)

    def _check_places(self, columns: ColumnIndex, request: PlanRequest) -> None:
        """Ask whether a column of seats has places, if these have the order of the points."""
        corrected = self.corrected
        heads = labels_of(corrected.heads)
        reading = request.values.get("reading", "")
        if reading not in ("", AS_WRITTEN):
            raise Unreadable(NO_READING)
        if reading or not {"seat", "points"} <= columns.at.keys():
            return
        means = {heads[index]: key for key, index in columns.at.items()}
        plan = ColumnPlan(SEATS, tuple((label, means.get(label, IGNORE)) for label in heads))
        if are_places(places_in(plan, heads, sample_of(corrected))):
            problem = reading_problem((AS_WRITTEN, SEAT_IS_PLACE))
            raise NotMapped(problem, corrected.heads, corrected)

    @property
    def tells_evenings_apart(self) -> bool:
        """Whether the file has a column of dates or of rounds."""
        means = self.chosen.plan.means if self.chosen is not None else self.rows.columns.at.keys()
        return bool({"date", "round"} & means)

    @property
    def has_rounds(self) -> bool:
        """Whether the file itself says the rounds; names such as `Sheet2` only count them."""
        if self.chosen is None:
            return True
        if any(code == SHEETS_COUNTED for code, *_ in self.corrected.notes):
            return False
        return "round" in self.chosen.plan.means

    def read_outline(self) -> Generator[None, None, Outline]:
        if self.mapped is not None:
            yield from self.mapped.find_seated()
            yield from self.mapped.find_rounds()
            yield from self.mapped.find_slips()
        self.outline = yield from outline_of(self.table, self.rows)
        if not self.outline.rows:
            raise Unreadable(NO_ROWS)
        self._note_file()
        return self.outline

    def context(self, rules_for: Callable[[str], SheetRules], today: date) -> Context:
        context = Context(self.rows, self.outline, rules_for, self.notes, today, self.file_day)
        context.has_running_totals = self.chosen is not None and self.chosen.plan.cells == RUNNING
        context.counts_hands = self.chosen is not None and "hand" not in self.chosen.plan.means
        if self.mapped is not None:
            context.sum_slips = {
                line: [(slip, *self.mapped.sums_of(slip)) for slip in slips]
                for line, slips in (self.mapped.slips or {}).items()
            }
        context.widths = self.corrected.odd_widths()
        context.shifted = self.corrected.shifted()
        context.is_padded = self.corrected.is_padded
        context.n_heads = self.corrected.n_named
        columns = self.rows.columns
        formulas = self.table.formulas
        if self.chosen is None:
            formulas = formulas_in({*columns.at.values(), *columns.cards.values()}, formulas)
        context.formulas = formulas
        return context

    def sheets(self, context: Context) -> Iterator[Sheet | None]:
        """Yield the sheets of the file, and None after every few rows of it."""
        for rows_of_sheet in self._rows_of_sheets(context):
            if rows_of_sheet is None:
                yield None
                continue
            key, raw = rows_of_sheet
            typed, n_hands, problems = read_sheet(context, *key, raw)
            self.n_hands += n_hands
            if question := self._which_round(key, raw):
                yield None, [*problems, question], raw
            else:
                yield typed, problems, raw

    def _which_round(self, key: Key, raw: Rows) -> Finding | None:
        """Ask for the round of a sheet, if its date has several and its people sat in none."""
        rounds = self.mapped.rounds if self.mapped is not None else None
        if rounds is None or key[0] not in rounds.unclear:
            return None
        of_day = rounds.unclear[key[0]]
        lines = tuple(dict.fromkeys(line for line, _ in raw))
        answers = [
            (gettext("Round %(n)s") % {"n": number}, f"round_{number}", number) for number in of_day
        ]
        answers.append((gettext("A round of its own"), OWN_ROUND, key[0]))
        offers = tuple(
            {
                "text": text,
                ALIKE: answer,
                "cells": {str(line): {"round": str(number)} for line in lines},
            }
            for text, answer, number in answers
        )
        question = finding("which_round", Spot(lines, *key), found="", expected=listed(of_day))
        return replace(question, offers=offers)

    def add(self, problem: Finding) -> None:
        if self.most_findings is None or len(self.findings) < self.most_findings:
            self.findings.append(problem)
        elif problem.waits:
            self.n_more += 1
            if problem.spot.round is not None:
                self.more_rounds.add(problem.spot.round)

    def settle_findings(self) -> Generator[None, None, None]:
        """Judge the findings of all sheets together, once these are read."""
        for rows in self.below_heads.values():
            spot = Spot(tuple(line for line, _ in rows))
            question = finding("other_heads", spot, found=row_words(rows[0][1]))
            self.add(with_rows(question, dict(rows)))
        if "board" not in self.rows.columns.at:
            self.findings = _one_for_the_file(self.findings)
        if self.chosen is not None:
            yield from self._keep_own_rows()

    def all_findings(self) -> Iterator[Finding]:
        yield from self.findings
        if self.n_more:
            facts = {"found": str(self.n_more), "expected": str(self.most_findings)}
            yield finding("more_problems", Spot((self.table.head_line,)), **facts)
        yield from self.notes.findings()
        yield from self.people.notes()

    def _keep_own_rows(self) -> Generator[None, None, None]:
        """Put the rows of the file itself in place of those that a plan makes of them."""
        once = {(problem.code, problem.spot, problem.message): problem for problem in self.findings}
        lines = {line for problem in once.values() if problem.waits for line in problem.spot.lines}
        rows: dict[int, list[str]] = {}
        for number, (line, row) in enumerate(self.corrected.rows(), start=1):
            if number % BREATH == 0:
                yield
            if line in lines:
                rows[line] = row
        self.findings = [with_rows(problem, rows) for problem in once.values()]

    def _note_file(self) -> None:
        table = self.table
        for code, line, text, expected in table.notes:
            note = finding(code, Spot((line,)), found=text, expected=expected)
            if table.file_places.runs:  # the line is one of the file already
                note = replace(note, places=(FilePlace(table.sheet, row=line),))
            self.findings.append(note)
        self.findings += head_notes(self.rows.columns, table.head_line)
        for line in self.outline.blank:
            self.notes.add("blank_row", line, example=lambda: ("empty", ""))
        self.notes.count_more("blank_row", self.outline.n_blank - len(self.outline.blank))

    def note_round_jumps(self, stored_rounds: set[int]) -> None:
        first: dict[int, int] = {}
        for (round_, _), sheet in self.outline.sheets.items():
            first[round_] = min(first.get(round_, sheet.first_line), sheet.first_line)
        for before, round_ in pairwise(sorted(stored_rounds | set(first))):
            if round_ in first and round_ > before + 1:
                spot = Spot((first[round_],), round_)
                jump = finding("round_jump", spot, found=str(round_), expected=str(before))
                self.findings.append(jump)

    def _rows_of_sheets(self, context: Context) -> Iterator[tuple[Key, Rows] | None]:
        reader = self.rows
        sheets = self.outline.sheets
        self._refuse_long_sheets()
        waiting: dict[Key, Rows] = {}
        for number, (line, cells) in enumerate(self.table.rows(), start=1):
            if number % BREATH == 0:
                yield None
            if not is_filled(cells):
                continue
            row = reader.fitted(cells)
            key = reader.home(row)
            if key is None:
                self._astray(context, line, row)
                continue
            if sheets[key].rows > LONGEST_SHEET:
                continue
            raw = waiting.setdefault(key, [])
            raw.append((line, row))
            if len(raw) == sheets[key].rows:
                yield key, waiting.pop(key)

    def _refuse_long_sheets(self) -> None:
        for (round_, table), sheet in self.outline.sheets.items():
            if sheet.rows > LONGEST_SHEET:
                spot = Spot((sheet.first_line,), round_, table)
                facts = {"found": str(sheet.rows), "expected": str(LONGEST_SHEET)}
                self.add(finding("sheet_too_long", spot, **facts))

    def _astray(self, context: Context, line: int, row: list[str]) -> None:
        if self.mapped is not None and line in self.mapped.other_heads:
            rows = self.below_heads.setdefault(self.mapped.other_heads[line], [])
            if len(rows) < MOST_LINES:
                rows.append((line, row))
            return
        reader = context.reader
        round_ = reader.whole[row[reader.at["round"]]]
        table = reader.table[row[reader.at["table"]]]
        spot = Spot((line,))
        if not reader.is_hand(row):
            numbers = (n if valid_number(n) else None for n in (round_.value, table.value))
            problem = finding("not_a_hand_row", Spot((line,), *numbers), found=row_words(row))
        elif width := odd_width(context, line, row):
            problem = finding(width[0], spot, **width[1])
        elif formulas := context.formulas.get(line):
            problem = finding("formula_without_value", spot, found=addresses(formulas))
        else:
            key, cell = ("table", table) if valid_number(round_.value) else ("round", round_)
            problem = finding(
                "bad_number",
                spot,
                field=reader.called(key),
                found=f'"{cell.text}"' if cell.text else "nothing",
                expected="A number from 1 up",
            )
        self.add(with_rows(problem, {line: row}))


def _one_for_the_file(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with one problem in place of those of all hands without a board."""
    of_hands = [problem for problem in findings if problem.code == NEEDED]
    if not of_hands:
        return list(findings)
    lines = tuple(sorted({line for problem in of_hands for line in problem.spot.lines}))
    rows = {line: row for problem in of_hands for line, row in problem.rows}
    whole = finding("board_column_missing", Spot(lines), found=str(len(of_hands)))
    remaining = [problem for problem in findings if problem.code != NEEDED]
    return [*remaining, replace(whole, rows=tuple(sorted(rows.items())))]
