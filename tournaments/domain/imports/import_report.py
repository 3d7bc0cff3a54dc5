"""The report of an import: one finding for each mistake, with its lines and a sentence.

The class says what becomes of the hands (docs/import-columns.md): `accept-note` goes in,
`ask` waits for a person, `reject` cannot be true, `skip` is no hand or there already."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from scoring.entry.sheet import seat_names
from scoring.errors import Problem, listed
from tournaments.domain.messages import sentence
from tournaments.domain.name_matching import MOST_SUGGESTED

NOTE: Final = "accept-note"
ASK: Final = "ask"
REJECT: Final = "reject"
SKIP: Final = "skip"
SHOWN_PLACES: Final = 6
"""Rows of one sheet that a sentence names."""

WAITING: Final = frozenset({ASK, REJECT})
"""Classes whose hands are not in the event: a person has to do something."""

LEFT_OUT_HIDDEN: Final = ("hidden_sheets_left_out", "hidden_rows_left_out")
"""Notes on what is hidden in a spreadsheet and was not read."""

NOT_READ: Final = frozenset({"sheets_not_read", "sheets_alike_not_read", *LEFT_OUT_HIDDEN})
"""Notes on parts of a file that nothing was read of."""

ABOUT_HIDDEN: Final = (*LEFT_OUT_HIDDEN, "hidden_sheets_read", "hidden_rows_read")

READ_WITHOUT_DOUBT: Final = frozenset(
    {
        *("byte_order_mark", "delimiter", "encoding", "blank_row", "trimmed"),
        *(
            "decimal_comma",
            "thousands_separator",
            "date_format",
            "name_order",
            "table_name",
            "sheets_joined",
        ),
        *("table_turned", "tables_side_by_side", "tables_below_each_other"),
        *("lines_in_other_encoding", "encoded_twice"),
        "known_by_alias",
    }
)
"""Notes on how a file is written: they say how it was read, and nothing is wrong with it."""

ABOUT_SHEETS: Final = frozenset(
    {
        *(
            "sheets_joined",
            "sheets_counted",
            "sheets_not_read",
            "sheets_alike_not_read",
            "table_turned",
        ),
        *("tables_side_by_side", "sums_beside_left_out"),
        *("tables_below_each_other", "lines_in_other_encoding", "encoded_twice"),
        *("broken_letters", *ABOUT_HIDDEN),
    }
)
"""Notes on which sheets of a spreadsheet are read, and how their rows are arranged."""

_NOTES: Final = {
    # how the file is written
    "byte_order_mark": _("The file starts with {found}. It is ignored."),
    "delimiter": _("The columns are separated by {found}."),
    "sheets_joined": _("These sheets are read as one table: {found}."),
    "sheets_counted": _("These sheets are read as rounds, by the numbers in their names: {found}."),
    "sheets_not_read": _(
        "These sheets have other heads and are not read: {found}. Save them as files of their own."
    ),
    "sheets_alike_not_read": _(
        "These sheets are like what is read, but nothing says which evenings they are: "
        "{found}. They are not read. Name each sheet by its date, or read them one by one."
    ),
    "sums_beside_left_out": _("The running totals beside the points are only compared with them."),
    "hidden_sheets_left_out": _("Hidden sheets are not read: {found}."),
    "hidden_rows_left_out": _("Hidden rows are not read. They are, by sheet: {found}."),
    "hidden_sheets_read": _("Hidden sheets are read too: {found}."),
    "hidden_rows_read": _("Hidden rows are read too. They are, by sheet: {found}."),
    "table_turned": _("The players are rows of the file. It is read with a row for each hand."),
    "tables_side_by_side": _("{found} tables are side by side. They are read below each other."),
    "tables_below_each_other": _(
        "{found} tables with heads of their own are below each other. They are read as one."
    ),
    "lines_in_other_encoding": _(
        "Some lines are not UTF-8: {found}. They are read as Windows-1252. Check the names."
    ),
    "broken_letters": _("Some lines have letters that cannot be read: {found}. Check the names."),
    "encoded_twice": _(
        'The text was encoded twice: "{found}" is read as "{expected}". Check the names.'
    ),
    "encoding": _("The text is not UTF-8. It is read as Windows-1252. Check the names."),
    "unknown_column": _('The column "{found}" is unknown. It is ignored.'),
    "blank_row": _("{where}{found}."),
    "trimmed": _("{where}spaces around {found} are removed."),
    "apostrophe": _("{where}the apostrophe before {found} is removed."),
    "nul_byte": _("{where}{found} has a NUL character. It is removed."),
    "decimal_comma": _("{where}{found} is read as the whole number {expected}."),
    "thousands_separator": _("{where}{found} is read as the whole number {expected}."),
    "blank_as_zero": _("{where}an empty cell for {found} is read as 0."),
    "date_format": _("{where}{found} is read as {expected}."),
    "known_by_alias": _("“{found}” is {expected}, as on {day}."),
    "table_name": _("{where}the table {found} is read as table {expected}."),
    "name_order": _("{where}{found} is read as {expected}."),
    "contact_left_out": _("{where}{found} is not stored: the public reads names."),
    "addresses_left_out": _(
        "{where}mail addresses are not stored. If these people agreed to get mails, add --agreed."
    ),
    "address_kept": _("{where}the player has a mail address already. It stays."),
    "name_cut": _("{where}the name has {found} letters. It is cut after {expected}."),
    "few_names_suggested": _(
        "{found} people are unknown. Similar names are suggested for the first {expected} only."
    ),
    "more_problems": _(
        "The file has {found} more problems. Resolve the first {expected}; the file is then read "
        "again and shows others."
    ),
    "card_not_counted": _("{where}{found} does not count in this game. It is ignored."),
    # lists of players, pairs and results
    "hands_unknown": _(
        "The number of hands is missing, and the standings of {found} need it. The players of "
        "these games have no place. Add a column “hands”."
    ),
    "guest_without_league": _(
        "{where}Only a league has guests, so {found} is entered as a member."
    ),
    "position_without_event": _(
        "The column {found} is ignored because it belongs to an event. Give the event with --event."
    ),
    # odd, but to be read in one way only
    "round_jump": _("Round {found} follows round {expected}. Is one missing?"),
    "hand_repeated": _("{place}: it is the same as hand {expected}. Was it dealt twice?"),
    "hand_jump": _("{place}: the hand before it is {expected}. Is one missing?"),
    "date_in_future": _("{where}{found} is in the future (today is {expected})."),
    "moon_mark_missing": _("{place}: read as a moon by {found}, {expected}. The mark is missing."),
    "player_changes": _(
        "{place}: {found} sits in seat {seat} from here on, previously {expected}."
    ),
}
_SKIPPED: Final = {
    "not_a_hand_row": _("Line {line} is not a row of a hand ({found})."),
    "line_left_out": _("{where}{found} is not a name. It is left out."),
    "duplicate_sheet": _("Table {table} of round {round} is in the file twice, word for word."),
    "duplicate_hand": _("{place}: it is in the file twice, word for word."),
    "duplicate_row": _("{place}: line {line} repeats an earlier line."),
}
_REJECTED: Final = {
    # what cannot be read
    "bad_number": _("Line {line}: the {field} is written as {found}. {expected} is expected."),
    "too_many_cells": _(
        "Line {line} has {found} cells, there are {expected} heads. Is a comma in a number?"
    ),
    "too_few_cells": _(
        "Line {line} has {found} cells, there are {expected} heads. Is the row cut short?"
    ),
    "row_moved": _(
        "{where}the last filled cell is number {found}, and there are {expected} heads. Is the row "
        "moved to the side?"
    ),
    "formula_without_value": _(
        "{where}{found} has a formula without its value. Open the file in the spreadsheet "
        "program and save it there, or paste the values."
    ),
    "unknown_seat": _("Line {line}: {found} is not a seat. {expected} is expected."),
    "duplicate_seat": _("{place}: seat {found} is entered twice."),
    "bad_date": _("{where}{found} is not a date. A date like 2025-11-13 is expected."),
    "bad_address": _("{where}{found} is not an e-mail address."),
    "no_counts": _("{place}: all seats are empty."),
    "only_points_in_totals": _(
        "{place}: totals of a whole game are points only. Leave the other columns empty."
    ),
    "bad_board": _("{place}: the board is written as {found}. One number from 1 up is expected."),
    "board_column_missing": _(
        "The file has no column for the board. Hands that need one: {found}. Add the column "
        "“board” with the number of the board, and import the file again."
    ),
    "sheet_too_long": _(
        "Table {table} of round {round} has {found} rows. The maximum is {expected}. Which columns "
        "have the round and the table?"
    ),
    "seat_count": _("{place}: there are {found}, expected {expected}."),
    "bad_moon_mark": _('{place}: the moon mark "{found}" is unknown. others or self is expected.'),
    "moon_amount": _("{place}: the moon mark is {found}. The rules require {expected}."),
    # what leaves open who sat there, or which of two statements is right
    "seats_needed": _(
        "Table {table} of round {round}: {found} is scored by player, a row for each is needed."
    ),
    "sides_unknown": _(
        "Table {table} of round {round}: {found} is played in sides. Seat the table first."
    ),
    # lists of players, pairs and results
    "no_result_id": _(
        "{where}nothing says which game this row is of. A row needs the round and the table, or "
        "the date and the table, or the id of the game."
    ),
    "bad_points": _("{where}{found} is not a number of points. A whole number is expected."),
    "bad_length": _("{where}{found} is not a number of hands. A number from 1 to 999 is expected."),
    "no_name": _("{where}the name is missing, and no player has this id yet."),
    "bad_player_id": _("{where}{found} cannot be an id; {expected} is expected."),
    "bad_guest_mark": _(
        "{where}{found} does not say whether somebody is a guest. An x, or nothing, is expected."
    ),
    "bad_position": _("{where}{found} is not a starting place. A number from 1 up is expected."),
}
_ASKED: Final = {
    # what leaves open who sat there, or which of two statements is right
    "ambiguous_date": _("{where}{found} may be two dates. Which one is it?"),
    "dates_disagree": _("Table {table} of round {round} is dated {found}, the round {expected}."),
    "variants_disagree": _("Table {table} of round {round} has both {found} and {expected}."),
    "unknown_variant": _("Table {table} of round {round}: no game is called {found}."),
    "not_at_the_table": _("{place}: {found} is not one of the players at the table."),
    "other_heads": _(
        "{where}words are where players have numbers: {found}. Whose hands are below them? They "
        "are pending. Write the number of the table or the date above each table and its heads, "
        "or import it as a file of its own."
    ),
    "unknown_pair": _("{where}{found} is not a pair of this event."),
    "pair_disagrees": _("{where}{found} does not play in the pair {expected}."),
    "partners_disagree": _("{place}: partners have one score, but the file has {found}."),
    "partners_have_one_score": _(
        "{where}partners have one score, but the file has {found}. Name the pair with one "
        "score, or enter partners as players 1 and 3, and 2 and 4, with the same points."
    ),
    "unknown_player": _("{where}{found} is not a player of the club."),
    "likely_name": _(
        "{where}“{found}” may be {expected}. Write the id beside it, or the full name."
    ),
    "ambiguous_name": _("{where}two players of the club are called {found}: {expected}."),
    "id_name_disagree": _("{where}{expected} is not called {found}."),
    "no_player": _("{where}the player of this seat is missing."),
    "player_at_two_tables": _(
        "{found} sits at tables {expected} in round {round}. Their sheets in the file are pending."
    ),
    "same_player_twice": _("{place}: {found} has two seats."),
    "repeated_hand_number": _(
        "Table {table}: two different hands have the number {hand} (lines {found})."
    ),
    "hands_repeated": _(
        "Table {table} of round {round}: hands {found} are each the same as the hand before. "
        "Were they dealt twice? The sheet is pending."
    ),
    "evening_cancelled": _(
        "Table {table} of round {round} is dated {found}, and that evening is cancelled. Was the "
        "sheet played all the same? It is pending."
    ),
    "which_round": _(
        "Table {table}: the event has rounds {expected} on this date. In which one was this sheet "
        "played? It is pending."
    ),
    "hand_moved_away": _(
        "{place}: a director moved this hand to table {to_table} of round {to_round}, where it is "
        "hand {number}. Leave the row out, or correct its place."
    ),
    "hand_unclear": _(
        "{place}: the file has more hands here than the event, and one of them is other than "
        "there. Is this a new hand? It is pending."
    ),
    "hand_inserted": _(
        "Table {table} of round {round}: inserted in the file: {found}. From there on it numbers "
        "the hands of the event otherwise: hand {first} is now {now}. New hands are pending."
    ),
    "hand_not_in_file": _(
        "Table {table} of round {round}: hand {found} of the event is not in the file, which "
        "numbers the later hands otherwise: hand {first} is now {now}. If the hand was not played, "
        "delete it at its table."
    ),
    "hand_twice": _(
        "{place}: the event has this hand as hand {expected}, and the file has another one there. "
        "Is this a new hand? It is pending."
    ),
    "sheet_elsewhere": _(
        "{where}table {table} of round {round} has the same people, and {same} of {hands} hands "
        "are equal. Is it one sheet? It is pending."
    ),
    "running_total_slip": _(
        "{place}: with these running totals two hands are impossible. One of these is wrong: "
        "{found}."
    ),
    "running_total_unclear": _(
        "{place}: these running totals can come from several hands: {found}. Write the points of "
        "the hand."
    ),
    "sum_beside_disagrees": _("{place}: points and sum disagree. {found}. Which of them is right?"),
    "hand_exists": _("{place}: the event already has this hand with different content."),
    "players_disagree": _(
        "{place}: the event has {expected} there. If the file is right, use “Change players” on "
        "the page of the table, then read the file again."
    ),
    "sheet_does_not_fit": _("Table {table} of round {round}: the event has it with {expected}."),
    "table_abandoned": _("Table {table} of round {round} was abandoned. It takes no more hands."),
    "round_is_draft": _("Table {table} of round {round}: a director has not posted this round."),
    "round_of_a_playoff": _(
        "Table {table} of round {round}: round {round} of this event belongs to a play-off."
    ),
    # lists of players, pairs and results
    "result_rows_disagree": _("{where}the rows of {result} do not agree: {found} and {expected}."),
    "place_disagrees": _(
        "{where}the place is {found}, but the points of {result} give place {expected}."
    ),
    "result_exists": _("{where}the event already has {found} with different content."),
    "repeated_result": _("{where}the file already has this game with different content."),
    "unknown_result": _("{where}{found} corrects {expected}, which does not exist."),
    "position_taken": _("{where}{expected} already starts from place {found}."),
    "position_disagrees": _("{where}the event has the starting place {expected}."),
    "ladder_begun": _("{where}the starting place {found} cannot be used: the ladder has begun."),
    "joined_disagrees": _("{where}the club has the joining date {expected}."),
    "one_or_several_people": _(
        "{where}{found} has a comma. Is this one person, {expected}, or several?"
    ),
    "repeated_player": _("{where}{found} is already in the list with different data."),
    "already_entered": _("{where}{found} already plays in the event, {expected}."),
    "pair_exists": _("{where}the event has {found} with other players: {expected}."),
}
SENTENCES: Final[Mapping[str, tuple[str, str]]] = {
    code: (severity, text)
    for severity, texts in ((NOTE, _NOTES), (SKIP, _SKIPPED), (REJECT, _REJECTED), (ASK, _ASKED))
    for code, text in texts.items()
}
"""Code → class and sentence of an import's own findings; the scorer's come with theirs."""

SCORER_FACTS: Final = {
    "bad_count": ("{found}", "a whole number from 0 up"),
    "choice_required": ("an unsettled moon", "taken off the shooter, or added to the others"),
    "wrong_shooter": ("seat {found} marked", "the seat that took everything"),
    "impossible_points": ("{points}", "points that the cards can give"),
    "impossible_totals": ("{found}", "totals that hands of these rules can make"),
    "unknown_card": ("{found}", "a card of this pack"),
    "short_form_not_allowed": ("a number of hearts", "the cards"),
    "choice_forbidden": ("{found}", "no settlement"),
}
"""The scorer's codes whose facts do not say by themselves what was found and expected."""

SCORER_CLASS: Final = {
    "choice_required": ASK,
    "points_disagree": ASK,
    **dict.fromkeys(
        ("side_of_two_pairs", "side_with_a_partner", "side_of_singles", "pair_on_both_sides"), ASK
    ),
}
"""Codes of refusals that leave something open; all others mean that no hand can be so."""

HAND_EXISTS: Final = "hand_exists"
"""The event has another hand: a person chooses between the two."""
HANDS_REPEATED: Final = "hands_repeated"
SHEET_ELSEWHERE: Final = "sheet_elsewhere"
EVENING_CANCELLED: Final = "evening_cancelled"
HAND_INSERTED: Final = "hand_inserted"
HAND_NOT_IN_FILE: Final = "hand_not_in_file"
HAND_TWICE: Final = "hand_twice"
CALLED_RIGHT: Final = (
    *(HANDS_REPEATED, EVENING_CANCELLED, HAND_INSERTED, HAND_NOT_IN_FILE, HAND_TWICE),
)
"""Questions about a sheet whose answer is that it is right as it is."""
ANSWERED: Final = (*CALLED_RIGHT, SHEET_ELSEWHERE)
"""Questions about a sheet whose answers hold for every import of the same file."""
OF_ONE_NAME: Final = frozenset({"unknown_player", "ambiguous_name"})
"""Codes of which a name in the file is the problem, not the place where it is."""
OF_PEOPLE: Final = OF_ONE_NAME | {
    *("id_name_disagree", "no_player", "player_at_two_tables", "same_player_twice"),
}
"""Codes of problems that are resolved by naming a player."""
_STORED: Final = frozenset({HAND_EXISTS, "result_exists", "players_disagree"})


def topic_of(code: str) -> str:
    if code in OF_PEOPLE:
        return "players"
    if code in _STORED:
        return "stored"
    return "sheets"


Offer = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A row of a sheet of the file, or a column, counted from 1; text has no sheet."""

    sheet: str = ""
    row: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file: its lines, and round, table and hand if there is one."""

    lines: tuple[int, ...]
    round: int | None = None
    table: int | None = None
    hand: int | None = None

    @property
    def place(self) -> str:
        names = [("Table", self.table), ("hand", self.hand)]
        words = [f"{name} {number}" for name, number in names if number is not None]
        text = ", ".join("totals" if word == "hand 0" else word for word in words)
        return text or f"Line {self.lines[0] if self.lines else 1}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem or note of a file; `found` and `expected` are facts, `message` is the sentence.

    `lines` are those of the table that was read, ascending; `places` are theirs in the file, where
    sheets were joined or a table was rearranged. `rows` are the cells as typed, stored with open
    problems; `offers` ways to resolve it (models/imports.py). `problem` is the refusal behind it,
    if there is one.
    """

    code: str
    severity: str
    spot: Spot
    message: str
    found: str = ""
    expected: str = ""
    suggestion: str | None = None
    rows: tuple[tuple[int, tuple[str, ...]], ...] = ()
    offers: tuple[Offer, ...] = ()
    problem: Problem | None = None
    places: tuple[FilePlace, ...] = ()

    @property
    def waits(self) -> bool:
        return self.severity in WAITING

    def as_json(self) -> dict[str, object]:
        """Return the finding as the report of docs/import-columns.md writes it."""
        return {
            "lines": list(self.spot.lines),
            "places": self.places_as_json,
            "round": self.spot.round,
            "table": self.spot.table,
            "hand": self.spot.hand,
            "code": self.code,
            "class": self.severity,
            "found": self.found,
            "expected": self.expected,
            "message": self.message,
            "suggestion": self.suggestion,
        }

    @property
    def places_as_json(self) -> list[dict[str, object]]:
        """The places in the file, each with its sheet, if there are sheets, and row or column."""
        return [
            {
                "sheet": place.sheet,
                "row": place.row or None,
                "column": column_name(place.column) or None,
            }
            for place in self.places
        ]


def finding(code: str, spot: Spot, **facts: str | int | None) -> Finding:
    """Return a finding with the sentence of its code, whose words are `facts`.

    `found`, `expected` and `suggestion` are also facts of the finding.
    """
    severity, text = SENTENCES[code]
    words = {
        "place": spot.place,
        "where": f"{words_for_lines(spot.lines)}: ",
        "line": spot.lines[0] if spot.lines else 1,
        "round": spot.round,
        "table": spot.table,
        "hand": spot.hand,
        "found": "",
        "expected": "",
        **facts,
    }
    found = words["found"]
    expected = words["expected"]
    hint = facts.get("suggestion")
    return Finding(
        code,
        severity,
        spot,
        gettext(text).format_map(words),
        str(found),
        str(expected),
        None if hint is None else str(hint),
    )


def about_sheets(notes: Iterable[tuple[str, int, str, str]]) -> Iterator[Finding]:
    """Return the notes of `ABOUT_SHEETS` among those on how a file is written."""
    for code, line, found, expected in notes:
        if code in ABOUT_SHEETS:
            yield finding(code, Spot((line,)), found=found, expected=expected)


def at_places(problem: Finding, place_of: Callable[[int], FilePlace | None]) -> Finding:
    """Return a finding that names its places in the file, where its lines are others."""
    if problem.places:
        return problem
    found = [place_of(line) for line in problem.spot.lines]
    places = tuple(place for place in found if place is not None)
    if not places or len(places) < len(found):
        return problem
    message = problem.message
    for lines in (problem.spot.lines, problem.spot.lines[:1]):
        words = words_for_lines(lines)
        if re.match(rf"{re.escape(words)}[: ]", message):
            message = words_for_places(places[: len(lines)]) + message.removeprefix(words)
            break
    return replace(problem, message=message, places=places)


def words_for_places(places: Sequence[FilePlace]) -> str:
    """
    >>> words_for_places([FilePlace("A", 4), FilePlace("A", 5), FilePlace("B", 9)])
    'Sheet “A”, rows 4, 5; sheet “B”, row 9'
    >>> words_for_places([FilePlace("", 7)]), words_for_places([FilePlace("A", column=28)])
    ('Line 7', 'Sheet “A”, column AB')
    """
    by_sheet: dict[tuple[str, bool], list[str]] = {}
    for place in places:
        name = column_name(place.column) if place.column else str(place.row)
        names = by_sheet.setdefault((place.sheet, bool(place.column)), [])
        if name not in names:
            names.append(name)
    text = "; ".join(
        _words_for_place(sheet, names, is_column=is_column)
        for (sheet, is_column), names in by_sheet.items()
    )
    return text[:1].upper() + text[1:]


def _words_for_place(sheet: str, names: Sequence[str], *, is_column: bool) -> str:
    kind = "column" if is_column else "row"
    if not sheet and not is_column:
        kind = "line"
    if len(names) > 1:
        kind += "s"
    shown = (
        ", ".join(names) if len(names) <= SHOWN_PLACES else f"{names[0]}, {names[1]} … {names[-1]}"
    )
    if not sheet:
        return f"{kind} {shown}"
    return f"sheet “{sheet}”, {kind} {shown}"


def column_name(number: int) -> str:
    """Return what spreadsheet programs call a column: A is 1, AB is 28.

    >>> column_name(1), column_name(26), column_name(28)
    ('A', 'Z', 'AB')
    """
    letters = ""
    while number:
        number, letter = divmod(number - 1, len(ascii_uppercase))
        letters = ascii_uppercase[letter] + letters
    return letters


def column_number(name: str) -> int:
    """
    >>> column_number("A"), column_number("AB"), column_number("")
    (1, 28, 0)
    """
    number = 0
    for letter in name:
        number = number * len(ascii_uppercase) + ascii_uppercase.index(letter) + 1
    return number


def with_rows(problem: Finding, rows: Mapping[int, Sequence[str]]) -> Finding:
    """Return a finding with its rows of the file, if a person has to look at them."""
    if not problem.waits:
        return problem
    lines = (line for line in problem.spot.lines if line in rows)
    return replace(problem, rows=tuple((line, tuple(rows[line])) for line in lines))


def few_suggested(n_unknown: int) -> Iterator[Finding]:
    if n_unknown > MOST_SUGGESTED:
        n_found, n_expected = str(n_unknown), str(MOST_SUGGESTED)
        yield finding("few_names_suggested", Spot(()), found=n_found, expected=n_expected)


def words_for_lines(lines: Sequence[int]) -> str:
    """
    >>> words_for_lines([54]), words_for_lines([6, 7, 8, 9]), words_for_lines([54, 57, 61])
    ('Line 54', 'Lines 6 to 9', 'Lines 54, 57 and 61')
    """
    if not lines:
        return "File"
    if len(lines) == 1:
        return f"Line {lines[0]}"
    if lines[-1] - lines[0] == len(lines) - 1:
        return f"Lines {lines[0]} to {lines[-1]}"
    if len(lines) > 6:
        return f"Lines {lines[0]}, {lines[1]}, … {lines[-1]} ({len(lines)} lines)"
    return f"Lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"


def from_problem(
    problem: Problem, spot: Spot, seats: Sequence[str] = (), severity: str = ""
) -> Finding:
    """Return the finding for a refusal of the scorer; `seats` are their labels in the file."""
    hints = [
        _by_label(suggestion.text, seats)
        for suggestion in problem.suggestions
        if suggestion.code != "correction"
    ]
    return Finding(
        problem.code,
        severity or SCORER_CLASS.get(problem.code, REJECT),
        spot,
        f"{spot.place}: {_sentence(problem, seats)}",
        *_facts(problem),
        " or ".join(hints) or None,
        problem=problem,
    )


def _facts(problem: Problem) -> tuple[str, str]:
    text, expected = (_counted(problem.facts, key) for key in ("found", "expected"))
    if "least" in problem.facts:
        return f"{text} seats", "{least} to {most} seats".format_map(problem.facts)
    if problem.facts.get("field") == "points" and problem.code == "bad_count":
        return text, "a whole number, or a fraction like 26/3"
    facts = {**problem.facts, "found": text, "points": problem.facts.get("points", "")}
    if "most" in facts and not expected:
        expected = f"a whole number from 0 to {facts['most']}"
    words = SCORER_FACTS.get(problem.code, ("", ""))
    return words[0].format_map(facts) or text, expected or words[1]


def _sentence(problem: Problem, seats: Sequence[str]) -> str:
    facts = problem.facts
    if problem.code == "missing_cards" and facts.get("what") == "hearts":
        return gettext("the hearts total {found}, expected {expected}.").format_map(facts)
    text = _by_label(sentence(problem), seats)
    for number, name in enumerate(seats, start=1):
        text = text.replace(f"Seat {number} ", f"{name} ").replace(f"seat {number} ", f"{name} ")
    labels = set(seats) - set(seat_names(len(seats)))
    is_word = text[1:2].islower() and not text.startswith(tuple(labels))
    if not is_word:
        return text
    return text[:1].lower() + text[1:]


def _by_label(text: str, seats: Sequence[str]) -> str:
    """Return a scorer's words with the seats called by their labels, where a file has its own.

    >>> _by_label("seat E 4 instead of 3", ("Alma", "Bruno"))
    'Bruno 4 instead of 3'
    """
    for usual, label in zip(seat_names(len(seats)), seats, strict=True):
        if label != usual:
            text = re.sub(rf"\b[Ss]eat {usual}(?!\w)", label.replace("\\", r"\\"), text)
    return text


def _counted(facts: Mapping[str, object], key: str) -> str:
    """Return a fact in words: `12 hearts`, `nobody`."""
    value = facts.get(key, "")
    if isinstance(value, list | tuple):
        return listed(value)
    if "what" in facts and isinstance(value, int):
        times = "" if facts["what"] == "hearts" or value == 1 else "times the "
        return f"{value} {times}{facts['what']}"
    return str(value)
