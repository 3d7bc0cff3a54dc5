"""One table's rows while they are being read: what is known around them, what is said of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from tournaments.domain.imports.import_report import Finding, Offer, Spot, finding
from tournaments.importers.sheets.first_pass import Key, Outline
from tournaments.importers.sheets.rows import Notes, RowReader, SheetRow
from tournaments.importers.tabular.source import Formulas
from tournaments.services.imports.rules import SheetRules

RulesFor = Callable[[str], SheetRules]


@dataclass(slots=True)
class Context:
    """What the reading of a sheet needs to know of its file and event.

    `seated` is who sits at the event's tables, asked for where a file does not say who sat where.
    `widths` are lines with fewer or more cells than the others, `formulas` cells without values.
    `has_boards` is whether hands name their boards.
    """

    reader: RowReader
    outline: Outline
    rules_for: RulesFor
    notes: Notes
    today: date
    day: date | None = None
    seated: Mapping[Key, Sequence[int]] = field(default_factory=dict)
    widths: Mapping[int, int] = field(default_factory=dict)
    formulas: Formulas = field(default_factory=dict)
    has_boards: bool = False


@dataclass(slots=True)
class SheetReading:
    """One table's rows on their way to a typed sheet."""

    context: Context
    round: int
    table: int
    rows: list[SheetRow]
    findings: list[Finding] = field(default_factory=list)
    held: set[int] = field(default_factory=set)
    hold_all: bool = False
    used: int = 0
    has_hands: bool = False
    broken: set[int] = field(default_factory=set)
    astray: set[int] = field(default_factory=set)

    def spot(self, rows: Sequence[SheetRow], hand: int | None = None) -> Spot:
        """Return the place of some rows of this sheet."""
        return Spot(tuple(sorted({row.line for row in rows})), self.round, self.table, hand)

    def add_finding(
        self,
        code: str,
        rows: Sequence[SheetRow],
        hand: int | None = None,
        *,
        found: str = "",
        expected: str = "",
        suggestion: str | None = None,
        offers: Sequence[Offer] = (),
        **facts: object,
    ) -> None:
        """Add a finding about some rows of this sheet."""
        spot = self.spot(rows, hand)
        said = finding(code, spot, found=found, expected=expected, suggestion=suggestion, **facts)
        self.findings.append(replace(said, offers=tuple(offers)))

    def note(self, code: str, row: SheetRow, found: str, expected: str) -> None:
        """Keep a note on how a cell was read."""
        where = (self.round, self.table, row.hand)
        self.context.notes.add(code, row.line, where, lambda: (found, expected))
