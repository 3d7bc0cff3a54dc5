"""Parsing of single cells: numbers, counts, seats, dates, moon marks; nothing is guessed.

Outer blanks, a spreadsheet's apostrophe and NUL characters are left out, and `7,0` is the whole
number 7; each of these adds a note. Any other text is kept for the scorer to refuse."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Final, Generic, TypeVar

from scoring.entry.codec import whole_number
from scoring.entry.sheet import complex_points
from scoring.numbers import ScoreJson
from tournaments.domain.csv_safety import unescape_formula
from tournaments.domain.imports.imported_sheets import AS_WRITTEN, MoonMark

T = TypeVar("T")
V = TypeVar("V")

KEPT: Final = 50_000
"""Maximum number of cached texts of one kind; a file repeats a few hundred."""

MINUS_SIGN: Final = "\u2212"
"""What programs for text write for a hyphen before a number."""

DECIMAL_COMMA: Final = re.compile(r"(?!-?[1-9][0-9]{0,2},000$)(-?(?:0|[1-9][0-9]{0,8})),0+")
AFTER_A_WORD: Final = re.compile(r"(?:[^\W\d_]{1,12}\.?|#)?\s*([0-9]{1,4})\.?")
THOUSANDS: Final = re.compile(r"-?[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+|(?:,[0-9]{3})+)")
"""A number with a separator of thousands; it may be one with three decimals too."""

PLACE: Final = re.compile(r"[T=]?\s*([0-9]{1,4})\s*(?:=|\.|st|nd|rd|th|er|e)?", re.I)
ISO_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[T ]00:00(?::00)?)?")
YEAR_FIRST: Final = re.compile(r"([0-9]{4})([./-])([0-9]{1,2})\2([0-9]{1,2})")
OTHER_DATE: Final = re.compile(r"([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4})")
SHORT_YEAR: Final = re.compile(r"([0-9]{1,2})([./])([0-9]{1,2})\2([0-9]{2})")
HYPHENS: Final = re.compile(r"([0-9]{2})-([0-9]{1,2})-([0-9]{2})")
"""A date with a year of two digits, which is its first or its last number."""
DAY_AND_MONTH: Final = re.compile(
    r"(?:[^\W\d]+[.,]*\s+)?([0-9]{1,2})(?:st|nd|rd|th|er)?[.\s-]+([^\W\d]+)[.,]?"
    r"(?:[\s-]+([0-9]{4}))?"
)
MONTH_AND_DAY: Final = re.compile(
    r"(?:[^\W\d]+[.,]*\s+)?([^\W\d]+)\.?\s+([0-9]{1,2})(?:st|nd|rd|th)?(?:,?\s+([0-9]{4}))?"
)
MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "jan januar january januari janv janvier janner", "feb februar february februari fev"
            " fevr fevrier", "mar mrz marz maerz march mrt maart mars", "apr april avr avril",
            "mai may mei", "jun juni june juin", "jul juli july juil juillet",
            "aug august augustus aout", "sep sept september septembre",
            "okt oct oktober october octobre", "nov november novembre",
            "dez dec dezember december decembre",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
"""Name of a month in English, German, Dutch and French, without accents → its number."""
SERIAL: Final = re.compile(r"([0-9]{5})(?:[.,][0-9]+)?")
"""A date as spreadsheets store it: days since 30 December 1899, the time of day behind a point."""

FIRST_DAY: Final = date(1899, 12, 30)
SERIALS: Final = range((date(2000, 1, 1) - FIRST_DAY).days, (date(2100, 1, 1) - FIRST_DAY).days)
"""Numbers that are read as dates of this century; any other one is no date."""

CLOCK: Final = re.compile(
    r"(?:T|,? )(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::[0-9]{2}(?:[.,][0-9]+)?)?"
    r"(?: ?(?P<half>[AP])M| ?(?:uhr|uur|h))?"
    r"(?: ?(?P<utc>Z|UTC|GMT)?(?P<offset>[+-][0-9]{1,2}(?::?[0-9]{2})?)?| [A-Z]{3,5})$",
    re.IGNORECASE,
)
"""The time of day behind a date, as forms, programs and spreadsheets write it; it is left out. With
a distance to UTC it may be another day in the zone of the club."""

WEEKDAY: Final = re.compile(r"^[^\W\d]+[.,]*\s+(?=[0-9])")
"""The day of the week before a date; it is left out."""
YEAR_OF_FOUR: Final = re.compile(r"(20[0-9]{2})([0-9]{2})([0-9]{2})")
WITHOUT_YEAR: Final = re.compile(r"([0-9]{1,2})\.\s?([0-9]{1,2})\.")

CENTURY: Final = 2000
"""A year of two digits is one of these."""
MARK: Final = re.compile(r"(others|opponents|self)\s*(?:([+\-−])\s*([0-9]{1,6}))?")
TICKS: Final = frozenset({"x", "1", "yes", "ja", "moon", "mond", "✓", "✔"})

TOTAL_WORDS: Final = frozenset(
    {"totals", "total", "gesamt", "summe", "totaal", "totalen", "som", "sum", "somme", "totaux"}
    | {"\N{GREEK SMALL LETTER SIGMA}"}
)
"""Value for a hand's number where a row has the total of the whole game."""

SEATS: Final = {
    **{name: 0 for name in ("n", "north", "nord", "noord", "norte", "1")},
    **{name: 1 for name in ("e", "o", "east", "ost", "oost", "est", "este", "2")},
    **{name: 2 for name in ("s", "z", "south", "süd", "sued", "zuid", "sud", "sur", "3")},
    **{name: 3 for name in ("w", "west", "ouest", "oeste", "4")},
    **{str(number + 1): number for number in range(4, 13)},
}
"""Written seat → its index from 0. An O depends on the other letters (`seat_of_o`)."""

SIDES: Final = {
    **{name: 0 for name in ("ns", "sn", "northsouth", "nordsüd")},
    **{name: 1 for name in ("ew", "we", "eastwest", "ostwest", "ow")},
}
"""Written side, without separators → its index from 0."""


TABLE: Final = re.compile(
    r"(?:(?:table|tisch|tafel|tbl)\.?(?: n[°o]\.?)?\s*|t)?"
    r"(?:(?P<number>[1-9][0-9]{0,2})|(?P<letter>[A-WYZ]))",
    re.IGNORECASE,
)
"""A table with its word, or of a club that calls its tables A, B and C; an x is a mark."""

TABLE_TITLE: Final = re.compile(
    r"\b(?:table|tisch|tafel|table n°)\s*(?:(\d{1,3})|((?-i:[A-Z])))\b", re.IGNORECASE
)


ROUND_TITLE: Final = re.compile(
    r"\b(?:round|runde|ronde|manche|week|woche|evening|abend|avond|soirée|night|session|spieltag"
    r"|spielabend|speelavond|matchday)\s*(?:n[°o]\.?\s*)?(\d{1,3})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ParsedCell(Generic[T]):
    """The value of a cell, its text without what was left out, and the codes of its notes."""

    value: T
    text: str
    notes: tuple[str, ...] = ()

    def having(self, value: V, *notes: str) -> "ParsedCell[V]":
        return ParsedCell(value, self.text, (*self.notes, *notes))


class CellCache(dict[str, ParsedCell[T]]):
    """Cells read before, by their text as typed: a file repeats the same few texts."""

    def __init__(self, read: Callable[[str], ParsedCell[T]]) -> None:
        super().__init__()
        self.read = read

    def __missing__(self, raw: str) -> ParsedCell[T]:
        if len(self) >= KEPT:
            self.clear()
        cell = self[raw] = self.read(raw)
        return cell


RECENT: Final = timedelta(days=2 * 366)


def plain(raw: str) -> ParsedCell[str]:
    """Return the text of a cell without outer blanks, apostrophe and NUL characters."""
    notes = []
    text = raw
    if "\0" in text:
        text = text.replace("\0", "")
        notes.append("nul_byte")
    stripped = text.strip()
    if stripped != text:
        notes.append("trimmed")
    unescaped = unescape_formula(stripped)
    if unescaped != stripped:
        notes.append("apostrophe")
    text = unicodedata.normalize("NFC", unescaped)
    return ParsedCell(text, text, tuple(notes) if text else ())


def whole(raw: str) -> ParsedCell[int | None]:
    """Return the whole number in a cell, or None if there is none.

    >>> whole("12").value, whole(" 7,0").value, whole("7,5").value, whole("٣").value
    (12, 7, None, None)
    >>> whole("-13").value, whole("\u221213").value, whole("\u2212").value
    (-13, -13, None)
    """
    cell = plain(raw)
    text = cell.text
    if text.startswith(MINUS_SIGN):
        text = f"-{text[1:]}"
    if (number := whole_number(text)) is not None:
        return cell.having(number)
    if match := DECIMAL_COMMA.fullmatch(text):
        return cell.having(int(match[1]), "decimal_comma")
    return cell.having(None)


def numbered(raw: str) -> str:
    """Return the number of a round or a hand that stands after a word; else the cell.

    >>> [numbered(text) for text in ("R1", "KW 42", "Spiel 3", "4.", "# 5", "B", "1a", "7")]
    ['1', '42', '3', '4', '5', 'B', '1a', '7']
    """
    match = AFTER_A_WORD.fullmatch(plain(raw).text)
    if match is None:
        return raw
    return match[1]


def table(raw: str) -> ParsedCell[int | None]:
    """Return the number of a table; the first one of a club that calls them by letters is A.

    >>> [table(text).value for text in ("3", "B", "Tisch 2", "Table c", "T4", "Bo", "0")]
    [3, 2, 2, 3, 4, None, 0]
    """
    cell = whole(raw)
    if cell.value is not None:
        return cell
    match = TABLE.fullmatch(cell.text)
    if match is None:
        return cell
    return cell.having(_number_of_table(match["number"], match["letter"]), "table_name")


def table_in(title: str) -> int | None:
    """Return the table that a title names.

    >>> table_in("13 Oct, Table 2"), table_in("Tisch B"), table_in("table of results")
    (2, 2, None)
    """
    match = TABLE_TITLE.search(title)
    if match is None:
        return None
    return _number_of_table(match[1], match[2])


def round_in(title: str) -> int | None:
    """Return the round, or the evening, that a title numbers.

    >>> round_in("Week 3"), round_in("Spieltag 12, Tisch 2"), round_in("Week of 3 Nov")
    (3, 12, None)
    >>> round_in("Evening 6 Oct 2026"), round_in("Evening 2, 6 Oct 2026")
    (None, 2)
    """
    match = ROUND_TITLE.search(title)
    if match is None:
        return None
    from_number = title[match.start(1) :]
    if any(from_number.startswith(date) for date in dates_in(from_number)):
        return None  # the day of a date
    return int(match[1])


def _number_of_table(number: str | None, letter: str | None) -> int:
    if number:
        return int(number)
    return ord((letter or "A").upper()) - ord("A") + 1


def thousands(column: Iterable[str]) -> dict[str, int]:
    """Return the numbers of a column that have separators of thousands, by their texts.

    Nothing if one number of the column has decimals, or if each may be a whole one with `.000`.

    >>> sorted(thousands(["980", "1.012", "1,000"]).items())
    [('1,000', 1000), ('1.012', 1012)]
    >>> thousands(["1.012", "0.5"]), thousands(["26.000"] * 4)
    ({}, {})
    """
    texts = {text for text in column if re.search(r"\d", text)}
    separated = {text for text in texts if re.search(r"\d[.,]\d", text)}
    is_decimal = texts == separated and all(text.endswith("000") for text in texts)
    if is_decimal or not all(map(THOUSANDS.fullmatch, separated)):
        return {}
    return {text: int(re.sub("[.,]", "", text)) for text in separated}


def place(raw: str) -> int | None:
    """Return a place as tables have it; those of a tie with a sign.

    >>> [place(text) for text in ("2", "2=", "T1", "3rd", "1.", "=4", "2e", "last")]
    [2, 2, 1, 3, 1, 4, 2, None]
    """
    match = PLACE.fullmatch(plain(raw).text)
    return int(match[1]) if match else None


def hand(raw: str) -> ParsedCell[int | None]:
    """Return the number of a hand from 1 up; 0 for a word that means the totals of the game.

    >>> hand("3").value, hand("Totals").value, hand("0").value
    (3, 0, None)
    """
    cell = whole(raw)
    if cell.value is None and cell.text.casefold() in TOTAL_WORDS:
        return cell.having(0)
    return cell.having(cell.value or None)


def is_as_written(raw: str) -> bool:
    """Whether a cell of the column `sides` says that partners who are no pair are meant."""
    return plain(raw).text.casefold() == AS_WRITTEN


def count(raw: str) -> ParsedCell[int | str | None]:
    """Return a counted number; an unreadable one as its text, an empty cell as None."""
    cell = whole(raw)
    return cell.having(cell.text or None if cell.value is None else cell.value)


def points(raw: str) -> ParsedCell[ScoreJson | None]:
    """Return points, those with an imaginary part as `[re, im]`; else as `count`.

    >>> points("7").value, points("'-26+10i").value
    (7, [-26, 10])
    """
    cell = count(raw)
    pair = complex_points(cell.text)
    return cell.having(cell.value if pair is None else pair)


def seat(raw: str, *, o: int | None = 1) -> ParsedCell[int | None]:
    """Return the index of a seat from 0: N E S W, the words, or 1 to 13; `o` is that of an O."""
    cell = plain(raw)
    text = cell.text.casefold()
    return cell.having(o if text == "o" else SEATS.get(text))


def seat_of_o(letters: AbstractSet[str]) -> int | None:
    """Return the seat that an O is among the letters of a file's seats; None if that is open.

    East in German and Dutch (Ost, Oost), West in the Romance languages (Ouest, Oeste).

    >>> seat_of_o(set("nosw")), seat_of_o(set("nozw")), seat_of_o(set("neso")), seat_of_o(set("no"))
    (1, 1, 3, None)
    """
    if letters in ({"n", "o", "s", "w"}, {"n", "o", "z", "w"}):
        return 1
    return 3 if letters == {"n", "e", "s", "o"} else None


def side(raw: str) -> ParsedCell[int | None]:
    """Return the index of a side from 0: NS, EW, or the words.

    >>> side("N/S").value, side("east-west").value, side("N").value
    (0, 1, None)
    """
    cell = plain(raw)
    letters = "".join(sign for sign in cell.text.casefold() if sign.isalpha())
    return cell.having(SIDES.get(letters))


@dataclass(frozen=True, slots=True)
class ParsedDate:
    """A date as written: `options` are the days it may mean, the likelier order first.

    Attributes:
        order: `day` or `month`, which must come first if the year does not.
        without_year: month and day, where the year is left out.
        day_first: the option with the day before the month, `month_first` the other way round.
    """

    options: tuple[date, ...]
    is_iso: bool = False
    order: str = ""
    without_year: tuple[int, int] | None = None
    day_first: date | None = None
    month_first: date | None = None

    @property
    def may_begin_with_year(self) -> bool:
        """Whether each part has two digits, so that the year may be the first or the last."""
        return len({option.year for option in self.options}) > 1

    @property
    def is_date(self) -> bool:
        return bool(self.options or self.without_year)

    def recent(self, today: date) -> date | None:
        """Return the only option of the last two years; without a year, the last such day."""
        options = self.options
        if self.without_year:
            options = _days(*((today.year - n, *self.without_year) for n in (0, 1)))
            options = tuple(option for option in options if option <= today)[:1]
        recent = _recent(options, today)
        if len(recent) != 1:
            return None
        return recent[0]

    def in_order(self, orders: AbstractSet[str], today: date | None) -> date | None:
        """Return the option in the order of other dates, `orders`, if they have one of both.

        None where the year may come first. Of a year with two digits only recent days count.
        """
        options = self.options
        if self.may_begin_with_year and today is not None:
            options = _recent(options, today)
        if set(options) != {self.day_first, self.month_first}:
            return None
        if orders & {"day", "month"} == {"day"}:
            return self.day_first
        if orders & {"day", "month"} == {"month"}:
            return self.month_first
        return None


def _recent(options: Iterable[date], today: date) -> tuple[date, ...]:
    return tuple(day for day in options if today - RECENT <= day <= today)


def day(raw: str, zone: tzinfo | None = None) -> ParsedCell[ParsedDate]:
    """Return the days that a cell may mean.

    Dots put the day first. With strokes it may be the month; a number over 12 settles it. A year
    of two digits comes last; between hyphens it may be first too. A month may be a name. A number
    of five digits is a date as spreadsheets store it. With a time and its distance to UTC it is the
    day in `zone`, or as written without one.

    >>> [str(option) for cell in ("45964", "13.11.2025") for option in day(cell).value.options]
    ['2025-11-03', '2025-11-13']
    >>> [str(option) for option in day("11/13/25 19:30").value.options]
    ['2025-11-13']
    >>> [str(option) for cell in ("26-10-13", "Di., 6. März 2026", "Oct 6, 2026")
    ...  for option in day(cell).value.options]
    ['2026-10-13', '2013-10-26', '2026-03-06', '2026-10-06']
    >>> str(day("6 Oct").value.recent(date(2026, 3, 1))), str(day("20251006").value.options[0])
    ('2025-10-06', '2025-10-06')
    >>> str(day("Mo, 6.10.").value.recent(date(2026, 3, 1)))
    '2025-10-06'
    >>> [str(option) for cell in ("2026-10-13T22:30:00Z", "2026-10-13 21:59 UTC")
    ...  for option in day(cell, timezone(timedelta(hours=2))).value.options]
    ['2026-10-14', '2026-10-13']
    """
    cell = plain(raw)
    parsed = _date_in(cell.text)
    clock = CLOCK.search(cell.text)
    if zone is not None and clock is not None and (clock["utc"] or clock["offset"]):
        options = tuple(_in_zone(option, clock, zone) for option in parsed.options)
        parsed = replace(parsed, options=options)
    return cell.having(parsed)


def _in_zone(day: date, clock: re.Match[str], zone: tzinfo) -> date:
    """Return the day in a zone of a time of another day with its distance to UTC."""
    hour = int(clock["hour"])
    if clock["half"]:
        hour = hour % 12 + (12 if clock["half"].upper() == "P" else 0)
    sign, digits = (clock["offset"] or "+0")[0], (clock["offset"] or "+0")[1:].replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    distance = timedelta(hours=int(hours), minutes=int(minutes))
    try:
        offset = timezone(distance if sign == "+" else -distance)
        moment = datetime(day.year, day.month, day.day, hour, int(clock["minute"]), tzinfo=offset)
        return moment.astimezone(zone).date()
    except (ValueError, OverflowError):
        return day


def _date_in(written: str) -> ParsedDate:
    if match := ISO_DATE.fullmatch(written):
        return ParsedDate(_days((int(match[1]), int(match[2]), int(match[3]))), is_iso=True)
    day_alone = CLOCK.sub("", written)
    if match := MONTH_AND_DAY.fullmatch(day_alone):  # before a month is taken for a weekday
        named = _named(match[1], match[2], match[3])
        if named.is_date:
            return named
    text = WEEKDAY.sub("", day_alone, count=1)
    if match := YEAR_OF_FOUR.fullmatch(text):
        return ParsedDate(_days((int(match[1]), int(match[2]), int(match[3]))))
    if (match := WITHOUT_YEAR.fullmatch(text)) and _days((2000, int(match[2]), int(match[1]))):
        return ParsedDate((), without_year=(int(match[2]), int(match[1])))
    if match := YEAR_FIRST.fullmatch(text):
        return ParsedDate(_days((int(match[1]), int(match[3]), int(match[4]))))
    if match := OTHER_DATE.fullmatch(text) or SHORT_YEAR.fullmatch(text):
        first = int(match[1])
        sign = match[2]
        second = int(match[3])
        year = int(match[4])
        year += CENTURY if len(match[4]) == 2 else 0
        day_first, month_first = (year, second, first), (year, first, second)
        if sign == ".":
            return _ordered((), _days(day_first), ())
        return _ordered((), _days(day_first), _days(month_first))
    if match := HYPHENS.fullmatch(text):
        first, second, last = map(int, match.groups())
        year_first = _days((CENTURY + first, second, last))
        day_first = (CENTURY + last, second, first)
        month_first = (CENTURY + last, first, second)
        return _ordered(year_first, _days(day_first), _days(month_first))
    if match := DAY_AND_MONTH.fullmatch(text):
        return _named(match[2], match[1], match[3])
    if (match := SERIAL.fullmatch(written)) and int(match[1]) in SERIALS:
        return ParsedDate((FIRST_DAY + timedelta(int(match[1])),))
    return ParsedDate(())


def _ordered(
    year_first: tuple[date, ...], day_first: tuple[date, ...], month_first: tuple[date, ...]
) -> ParsedDate:
    """Return a date from the days that it means in each order, one or none."""
    options = tuple(dict.fromkeys((*year_first, *day_first, *month_first)))
    order = ""
    if day_first and not month_first:
        order = "day"
    elif month_first and not day_first:
        order = "month"
    elif day_first == month_first and len(options) == 1:
        order = "day"
    return ParsedDate(
        options,
        order=order,
        day_first=next(iter(day_first), None),
        month_first=next(iter(month_first), None),
    )


def _named(name: str, number: str, year: str | None) -> ParsedDate:
    letters = unicodedata.normalize("NFKD", name.casefold())
    month = MONTHS.get("".join(filter(str.isalpha, letters)), 0)
    if month and year is None and 1 <= int(number) <= 31:
        return ParsedDate((), without_year=(month, int(number)))
    return ParsedDate(_days((int(year or 0), month, int(number))))


def _days(*candidates: tuple[int, int, int]) -> tuple[date, ...]:
    days: list[date] = []
    for year, month, number in candidates:
        try:
            candidate = date(year, month, number)
        except ValueError:
            continue
        if candidate not in days:
            days.append(candidate)
    return tuple(days)


def tick(raw: str) -> ParsedCell[bool | str | None]:
    """Return whether a cell is ticked; other text as it is, an empty cell as None.

    >>> tick("x").value, tick("0").value, tick("").value, tick("perhaps").value
    (True, False, None, 'perhaps')
    """
    cell = plain(raw)
    text = cell.text.casefold()
    if not text:
        return cell.having(None)
    is_ticked: bool | None = None
    if text in TICKS:
        is_ticked = True
    elif text in {"0", "no", "nein", "-", "–"}:
        is_ticked = False
    return cell.having(cell.text if is_ticked is None else is_ticked)


def mark(raw: str) -> ParsedCell[MoonMark | None]:
    """Return the moon mark in a cell; None if it is empty.

    >>> mark("others+26").value
    MoonMark(text='others+26', choice='others', amount=26, is_read=True)
    """
    cell = plain(raw)
    text = cell.text.casefold()
    if not text or text == "0":
        return cell.having(None)
    if text in TICKS:
        return cell.having(MoonMark(cell.text))
    match = MARK.fullmatch(text)
    if match is None:
        return cell.having(MoonMark(cell.text, is_read=False))
    choice = "self" if match[1] == "self" else "others"
    has_right_sign = match[2] is None or (match[2] == "+") == (choice == "others")
    amount = int(match[3]) if match[3] else None
    return cell.having(MoonMark(cell.text, choice, amount, has_right_sign))


LONGEST_TITLE: Final = 300
"""Characters of a title that are searched for a date."""
LONGEST_DAY: Final = 4
"""Maximum number of words of a date."""


def dates_in(title: str) -> Iterator[str]:
    """Yield the texts of a title that are dates.

    >>> list(dates_in("Table 2 on 3 Nov 2026 (late)")), list(dates_in("Table 2"))
    (['3 Nov 2026'], [])
    """
    words = title[:LONGEST_TITLE].replace("\0", "").split()
    at = 0
    while at < len(words):
        for n in range(min(LONGEST_DAY, len(words) - at), 0, -1):
            text = " ".join(words[at : at + n]).strip("():;,")
            on = day(text).value
            if text.isdecimal() or not on.is_date:
                continue
            while day(rest := text.partition(" ")[2]).value == on:
                text = rest  # without a word before the date
            yield text
            break
        at += n


def one_day(titles: Sequence[str]) -> str:
    """Return the date of the first title that has one; empty if it has several."""
    days = next(filter(None, (list(dates_in(title)) for title in titles)), [])
    if len({day(text).value for text in days}) != 1:
        return ""
    return days[0]
