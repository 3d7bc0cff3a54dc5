"""Files with people: the players of a club, or the fixed pairs of an event."""

import csv
import io
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final

from tournaments.documents.read import cells
from tournaments.documents.read.blocks import find_table
from tournaments.documents.read.columns import (
    ColumnIndex,
    Heads,
    fold,
    head_notes,
    list_columns,
    number_from_one,
    require_columns,
)
from tournaments.documents.read.csv import (
    NO_ROWS,
    SHAPE_ROWS,
    TextTable,
    Unreadable,
    notes_on_text,
    open_table,
    run_steps,
    text_of,
)
from tournaments.documents.read.people import LONGEST_ID, LONGEST_NAME, People
from tournaments.documents.read.people_list import (
    KIND_OF,
    NAMING,
    PLAYERS,
    ListedPair,
    PastedPlayer,
    has_heads,
    left_out_text,
    person_of,
    read_people,
)
from tournaments.documents.read.sheet_rows import filled_rows
from tournaments.documents.read.source_file import is_spreadsheet, read_source
from tournaments.documents.read.table_rows import addresses
from tournaments.domain.imports.import_report import Finding, Spot, about_sheets, finding
from tournaments.domain.name_matching import FOLDERS
from tournaments.domain.notices import email_problem

PAIRS: Final[Heads] = {
    "pair_id": ("pair_id", "pair", "paar"),
    "player_1_id": ("player_1_id", "player 1 id", "spieler-nr 1"),
    "player_1": ("player_1", "player 1", "name 1", "spieler 1"),
    "player_2_id": ("player_2_id", "player 2 id", "spieler-nr 2"),
    "player_2": ("player_2", "player 2", "name 2", "spieler 2"),
}
"""Columns of a list of pairs."""

NAMED: Final = {
    key: key for key in ("first_name", "infix", "name", "family_name", "reversed", "email")
}
"""Columns of the name and the address of a player, by their kinds."""

KNOWN: Final = frozenset({*KIND_OF, *(fold(head) for names in PAIRS.values() for head in names)})


def count_people_heads(heads: Sequence[str]) -> int:
    return sum(1 for head in heads if fold(head) in KNOWN)


def is_list_of_people(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the columns of a table name one person each, and none of them has numbers only.

    >>> is_list_of_people(["Name", "Phone"], [["Ruth Shore", "0170 12"], ["Yann Chen", ""]])
    True
    >>> is_list_of_people(["Name", "Points"], [["Ruth Shore", "12"], ["Yann Chen", "5"]])
    False
    """
    kinds = [KIND_OF.get(fold(head), "") for head in heads]
    if not NAMING & set(kinds) or len(rows) < 2:
        return False
    others = [at for at, kind in enumerate(kinds) if not kind and heads[at].strip()]
    return not any(
        cells.whole(row[at]).value is not None for row in rows for at in others if at < len(row)
    )


def text_of_people(content: bytes) -> str:
    """Return a file as the text of a list of people: of a spreadsheet the rows below its heads."""
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        path = Path(folder) / "people"
        path.write_bytes(content)
        if not is_spreadsheet(path):
            return text_of(path, SHAPE_ROWS)  # beyond it the list is refused as too long
        source = run_steps(read_source(path, Path(folder)))
        table = run_steps(find_table(source, (count_people_heads,), People([])))
        text = io.StringIO()
        csv.writer(text, delimiter="\t").writerows([table.heads, *(row for _, row in table.rows())])
        return text.getvalue()


class PeopleReader:
    """Reads a file into rows of a list; the first of two results is the number of its rows.

    The rows of a list may enter an event, if it `has_event`.
    """

    def __init__(self, *, has_event: bool, has_consent: bool) -> None:
        self.columns = ColumnIndex(0, {})
        self.has_event = has_event
        self.has_consent = has_consent
        self.findings: list[Finding] = []

    def file(self, path: Path, folder: Path) -> tuple[int, list[PastedPlayer | ListedPair]]:
        sheet = None
        if is_spreadsheet(path):
            sheet = run_steps(read_source(path, folder)).best(count_people_heads)
        text = text_of(sheet.path if sheet is not None else path)
        if has_heads(text):
            return self._table(sheet or open_table(path, count_people_heads))
        self.findings += about_sheets(sheet.notes if sheet is not None else notes_on_text(path))
        return self._lines(text)

    def _table(self, table: TextTable) -> tuple[int, list[PastedPlayer | ListedPair]]:
        is_pairs = "pair_id" in list_columns(table.heads, PAIRS).at
        self.columns = columns = list_columns(table.heads, PAIRS if is_pairs else PLAYERS)
        needed = ("pair_id", "player_1_id or player_1", "player_2_id or player_2")
        if is_pairs or not {"family_name", "reversed"} & set(columns.at):
            require_columns(columns, table.heads, needed if is_pairs else ("player_id or name",))
        if is_pairs and not self.has_event:
            raise Unreadable("Pairs belong to an event. Give the event with --event.")
        rows = list(filled_rows(table))
        if not rows:
            raise Unreadable(NO_ROWS)
        self.findings += about_sheets(table.notes)
        head = Spot((table.head_line,))
        phones = [name for name in columns.unknown if KIND_OF.get(fold(name)) == "phone"]
        for name in phones:
            column = f'"{name}" (telephone numbers)'
            self.findings.append(finding("contact_left_out", head, found=column))
        unknown = tuple(name for name in columns.unknown if name not in phones)
        self.findings += head_notes(replace(columns, unknown=unknown), table.head_line)
        for name in ("start_position", "guest"):
            if name in columns.at and not self.has_event:
                self.findings.append(finding("position_without_event", head, found=name))
        if "email" in columns.at and not self.has_consent:
            self.findings.append(finding("addresses_left_out", head))
        read = self._pair if is_pairs else self._player
        for line in (formulas := table.formulas):
            self._add_problem("formula_without_value", line, found=addresses(formulas[line]))
        whole_rows = (row for row in rows if row[0] not in formulas)
        return len(rows), [item for row in whole_rows if (item := read(*row))]

    def _lines(self, text: str) -> tuple[int, list[PastedPlayer | ListedPair]]:
        people = read_people(text)
        return len(people), [item for person in people if (item := self._line(person))]

    def _line(self, person: PastedPlayer) -> PastedPlayer | None:
        if not person.is_name:
            text = " ".join((person.name, *(text for _kind, text in person.left_out)))
            self._add_problem("line_left_out", person.line, found=f'"{text[:60]}"')
            return None
        before = len(self.findings)
        code = self._checked_id(person.line, person.player_id)
        name, email = self._public(person)
        if any(problem.waits for problem in self.findings[before:]):
            return None
        return PastedPlayer(person.line, name, code, joined=person.joined, email=email)

    def _player(self, line: int, row: Sequence[str]) -> PastedPlayer | None:
        before = len(self.findings)
        code = self._id(line, row, "player_id")
        name, email = self._name(line, row, NAMED, has_id=bool(code))
        joined = self._joined(line, row)
        position = self._position(line, row)
        guest = self._guest(line, row)
        if not code and not name:
            self._add_problem("no_name", line)
        if any(problem.waits for problem in self.findings[before:]):
            return None
        return PastedPlayer(
            line, name, code, joined=joined, start_position=position, email=email, guest=guest
        )

    def _pair(self, line: int, row: Sequence[str]) -> ListedPair | None:
        before = len(self.findings)
        code = self._id(line, row, "pair_id")
        if not code:
            self._add_problem("bad_player_id", line, found="nothing", expected="the pair's id")
        players = []
        for number in (1, 2):
            player_id = self._id(line, row, f"player_{number}_id")
            name, email = self._name(line, row, {f"player_{number}": "name"})
            if not player_id and not name:
                self._add_problem("no_name", line)
            players.append(PastedPlayer(line, name, player_id, email=email))
        if any(problem.waits for problem in self.findings[before:]):
            return None
        return code, players[0], players[1]

    def _add_problem(self, code: str, line: int, **facts: str) -> None:
        self.findings.append(finding(code, Spot((line,)), **facts))

    def _text(self, line: int, row: Sequence[str], key: str) -> str:
        cell = self.columns.cell(row, key)
        for note in cell.notes:
            self._add_problem(note, line, found=f'"{cell.text[:60]}"')
        return cell.text

    def _id(self, line: int, row: Sequence[str], key: str) -> str:
        return self._checked_id(line, self._text(line, row, key))

    def _checked_id(self, line: int, code: str) -> str:
        if len(code) > LONGEST_ID:
            text = f'"{code[:LONGEST_ID]}…"'
            expected = f"at most {LONGEST_ID} letters"
            self._add_problem("bad_player_id", line, found=text, expected=expected)
        if code in FOLDERS:
            self._add_problem(
                "bad_player_id", line, found=f'"{code}"', expected="letters or digits"
            )
        return code

    def _name(
        self, line: int, row: Sequence[str], kinds: Mapping[str, str], *, has_id: bool = False
    ) -> tuple[str, str]:
        """Return the name in columns, and the mail address of a column or beside the name.

        Args:
            kinds: column → kind of its text.
        """
        parts = [(kind, self._text(line, row, key)) for key, kind in kinds.items()]
        return self._public(person_of(line, parts, has_id=has_id))

    def _public(self, person: PastedPlayer) -> tuple[str, str]:
        """Return the name as the public reads it, and the address if it is to be stored."""
        line = person.line
        name = person.name
        email = person.email * self.has_consent
        left_out = [*person.left_out]
        if person.email and not email and "email" not in self.columns.at:
            left_out.append(("address", person.email))
        if left_out:
            self._add_problem("contact_left_out", line, found=left_out_text(left_out))
        if email_problem(email, ()):
            self._add_problem("bad_address", line, found=f'"{email[:60]}"')
        if len(name) > LONGEST_NAME:
            self._add_problem("name_cut", line, found=str(len(name)), expected=str(LONGEST_NAME))
        return name[:LONGEST_NAME], email

    def _joined(self, line: int, row: Sequence[str]) -> date | None:
        cell_text = self._text(line, row, "joined")
        if not cell_text:
            return None
        day = cells.day(cell_text).value
        if not day.options:
            self._add_problem(
                "bad_date", line, found=f'"{cell_text}"', expected="a date like 2025-11-13"
            )
        elif len(day.options) > 1:
            self._add_problem("ambiguous_date", line, found=cell_text, expected="one date")
        else:
            if not day.is_iso:
                expected = day.options[0].isoformat()
                self._add_problem("date_format", line, found=cell_text, expected=expected)
            return day.options[0]
        return None

    def _position(self, line: int, row: Sequence[str]) -> int | None:
        if not self.has_event:
            return None
        cell = self.columns.cell(row, "start_position")
        position = number_from_one(cell)
        if position is None and cell.text:
            self._add_problem("bad_position", line, found=f'"{cell.text}"')
        return position

    def _guest(self, line: int, row: Sequence[str]) -> bool:
        text = self._text(line, row, "guest")
        ticked = cells.tick(text).value
        if isinstance(ticked, str):
            self._add_problem("bad_guest_mark", line, found=f'"{text[:60]}"')
            return False
        return bool(ticked) and self.has_event
