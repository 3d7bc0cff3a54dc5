"""Seasons of a club that keeps its own files, a file a week; what is right after each of them.

`season(seed)` draws one: five evenings, and for each week the file that a secretary sends and the
games that were played up to then. What a secretary does is a shape with a name (`SHAPES`); a seed
gives always the same season. Nothing here is shared with what reads files.
"""

import random
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from tests.support.imports.spreadsheets import book, sheet_xml

MEMBERS: Final = (
    "Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk", "Ester Dorn", "Füsun Öz", "Gus Hale",
    "Holly Brook", "Ivo Sand", "Jana Kast", "Kees de Vries", "Łukasz Żak", "Mo O'Hara",
    "Nell Linde", "Otto Dove", "Pia Harm",
)  # fmt: skip
NICKNAMES: Final = {"Béatrice Müller": "Bea", "David Birk": "Dave"}
"""Nicknames that the club has on its list."""

WEEKS: Final = 5
FIRST_DAYS: Final = (date(2025, 9, 3), date(2025, 9, 18), date(2025, 9, 30), date(2025, 10, 6))

Points = Mapping[str, int]
"""The points of a hand by player."""
Row = list[object]
Shape = Callable[["Season"], Iterator["Week"]]


@dataclass
class Game:
    """A table of an evening: who sat there, and the hands."""

    people: tuple[str, ...]
    hands: list[Points]
    table: int = 1


@dataclass
class Evening:
    day: date
    games: list[Game]


@dataclass
class Week:
    """What a secretary does in a week, and what has been played by then.

    Attributes:
        write: makes the file in a folder; None where none is sent.
        played: the evenings up to this week, as they were.
        typed: what is filled in on the upload page.
        on_paper: games that are entered by hand before the file comes.
        undated: days of which a file said no date; their games may be without one.
        strangers: people of the file who are not in the club.
    """

    write: Callable[[Path], Path] | None
    played: list[Evening]
    typed: Mapping[str, str] = field(default_factory=dict)
    on_paper: Sequence[Evening] = ()
    undated: Sequence[date] = ()
    strangers: Sequence[str] = ()


@dataclass
class Season:
    """Five evenings; `rng` decides what else there is to be drawn."""

    seed: int
    shape: str
    rng: random.Random
    evenings: list[Evening]

    def until(self, week: int) -> list[Evening]:
        return self.evenings[:week]

    @property
    def people(self) -> list[str]:
        """Everybody who has played, in the order in which they came."""
        return people_of(self.evenings)


@dataclass(frozen=True)
class Style:
    """How a club writes its files.

    Attributes:
        day: how a date is written; None leaves the column away.
        table: how a table is written; None leaves the column away.
        hand: the head of the column for the hand; None leaves it away.
        cell: how points are written.
        spelling: how some people are written.
        order: the order of the columns of players; everybody else comes behind.
        sums: the label of a row of totals; None without such rows.
        running: whether cells add up the hands.
        counts_on: whether hands are numbered through the season.
        delimiter: of a CSV file.
    """

    day: Callable[[date], str] | None = date.isoformat
    table: Callable[[int], str] | None = None
    hand: str | None = "Hand"
    cell: Callable[[int], object] = int
    spelling: Mapping[str, str] = field(default_factory=dict)
    order: Sequence[str] = ()
    sums: str | None = None
    running: bool = False
    counts_on: bool = False
    delimiter: str = ","
    date_head: str = "Date"
    table_head: str = "Table"

    def name(self, person: str) -> str:
        return self.spelling.get(person, person)

    def columns(self, evenings: Iterable[Evening]) -> list[str]:
        there = people_of(evenings)
        first = [person for person in self.order if person in there]
        return [*first, *(person for person in there if person not in first)]


def people_of(evenings: Iterable[Evening]) -> list[str]:
    found: dict[str, None] = {}
    for evening in evenings:
        for game in evening.games:
            found |= dict.fromkeys(game.people)
    return list(found)


def hand_of(people: Sequence[str], rng: random.Random) -> Points:
    """Deal one hand: 13 hearts and the queen; whoever takes all gives 26 to the others."""
    hearts = dict.fromkeys(people, 0)
    for person in rng.choices(people, [rng.random() for _ in people], k=13):
        hearts[person] += 1
    queen = rng.choice(people)
    if hearts[queen] == 13:
        return {person: 0 if person == queen else 26 for person in people}
    hearts[queen] += 13
    return hearts


def game_of(people: Sequence[str], rng: random.Random, table: int = 1, hands: int = 0) -> Game:
    """Play a game of different hands."""
    played: list[Points] = []
    wanted = hands or rng.randint(3, 5)
    while len(played) < wanted:
        hand = hand_of(people, rng)
        if hand not in played:
            played.append(hand)
    return Game(tuple(people), played, table)


def drawn_season(seed: int, shape: str, *, tables: int, same_people: bool) -> Season:
    rng = random.Random(f"{shape} {seed}")  # noqa: S311  # a drawn file is no secret
    first = rng.choice(FIRST_DAYS)
    people = rng.sample(MEMBERS, 4 * tables)
    evenings = []
    for week in range(WEEKS):
        if not same_people and week:
            people = rng.sample(MEMBERS, 4 * tables)
        games = [
            game_of(people[4 * number : 4 * number + 4], rng, number + 1)
            for number in range(tables)
        ]
        evenings.append(Evening(first + timedelta(7 * week), games))
    return Season(seed, shape, rng, evenings)


# How dates, points and names are written


def dotted(day: date) -> str:
    return f"{day.day}.{day.month}.{day.year}"


def american(day: date) -> str:
    return f"{day.month}/{day.day}/{day.year}"


def british(day: date) -> str:
    return f"{day.day:02}/{day.month:02}/{day.year}"


def dashed_short(day: date) -> str:
    return f"{day.day:02}-{day.month:02}-{day.year % 100}"


MONTHS: Final = {
    "en": ("Sep", "Oct", "Nov"),
    "de": ("September", "Oktober", "November"),
    "fr": ("septembre", "octobre", "novembre"),
    "nl": ("sept", "okt", "nov"),
}


def in_words(language: str) -> Callable[[date], str]:
    def write(day: date) -> str:
        return f"{day.day} {MONTHS[language][day.month - 9]} {day.year}"

    return write


def letter(table: int) -> str:
    return "ABCD"[table - 1]


def empty_zero(points: int) -> object:
    return points or ""


def dash_zero(points: int) -> object:
    return points or "–"


def minus(points: int) -> object:
    return -points


FOLDED: Final = str.maketrans("éüöŁŻ", "eooLZ") | str.maketrans("ü", "u")


def folded(name: str) -> str:
    return name.translate(FOLDED).upper()


def first_name(name: str) -> str:
    return name.split(maxsplit=1)[0]


def family_first(name: str) -> str:
    first, _, rest = name.partition(" ")
    return f"{rest}, {first}"


def initials(name: str) -> str:
    first, _, rest = name.partition(" ")
    return f"{first} {rest[0]}."


# How files are laid out


def wide_rows(evenings: Sequence[Evening], style: Style) -> Iterator[Row]:
    """Yield the heads and a row a hand, players as columns."""
    people = style.columns(evenings)
    lead: Row = []
    if style.day:
        lead.append(style.date_head)
    if style.table:
        lead.append(style.table_head)
    if style.hand:
        lead.append(style.hand)
    yield [*lead, *map(style.name, people)]
    before = 0
    for evening in evenings:
        for game in evening.games:
            for number, cells in enumerate(written_hands(game, style), start=1 + before):
                row = lead_of(evening, game, number, style)
                yield [*row, *(cells.get(person, "") for person in people)]
            if style.sums is not None:
                yield sum_row(game, people, len(lead), style)
            if style.counts_on:
                before += len(game.hands)


def lead_of(evening: Evening, game: Game, number: int, style: Style) -> Row:
    row: Row = []
    if style.day:
        row.append(style.day(evening.day))
    if style.table:
        row.append(style.table(game.table))
    if style.hand:
        row.append(number)
    return row


def written_hands(game: Game, style: Style) -> Iterator[dict[str, object]]:
    so_far = dict.fromkeys(game.people, 0)
    for hand in game.hands:
        so_far = {person: so_far[person] + hand[person] for person in game.people}
        shown = so_far if style.running else hand
        yield {person: style.cell(shown[person]) for person in game.people}


def sum_row(game: Game, people: Sequence[str], width: int, style: Style) -> Row:
    label: Row = [""] * width
    if width:
        label[0] = style.sums or ""
    sums = {person: sum(hand[person] for hand in game.hands) for person in game.people}
    return [*label, *(sums.get(person, "") for person in people)]


def long_rows(evenings: Sequence[Evening], style: Style) -> Iterator[Row]:
    """Yield the heads and a row for each player of each hand."""
    yield [style.date_head, style.table_head, "Hand", "Player", "Points"]
    table = style.table or str
    for evening in evenings:
        day = style.day(evening.day) if style.day else ""
        for game in evening.games:
            for number, hand in enumerate(game.hands, start=1):
                for person in game.people:
                    cell = style.cell(hand[person])
                    yield [day, table(game.table), number, style.name(person), cell]


def block_rows(evenings: Sequence[Evening], style: Style) -> Iterator[Row]:
    """Yield a block for each table: a title with the date, the heads, the hands, the sums."""
    undated = replace(style, day=None, table=None)
    day = style.day or date.isoformat
    for evening in evenings:
        for game in evening.games:
            title = f"Hearts, {day(evening.day)}"
            yield [f"{title}, table {game.table}" if len(evening.games) > 1 else title]
            yield from wide_rows([Evening(evening.day, [game])], undated)
            yield []


def beside_rows(evening: Evening, style: Style) -> list[Row]:
    """Return the tables of an evening side by side under one column of hands."""
    games = evening.games
    heads: Row = [style.hand or "Hand"]
    for game in games:
        heads += map(style.name, game.people)
    rows = [heads]
    for number in range(max(len(game.hands) for game in games)):
        row: Row = [number + 1]
        for game in games:
            hand = game.hands[number] if number < len(game.hands) else {}
            row += [hand.get(person, "") for person in game.people]
        rows.append(row)
    return rows


def csv_file(name: str, rows: Iterable[Row], delimiter: str = ",") -> Callable[[Path], Path]:
    lines = [delimiter.join(quoted(str(cell), delimiter) for cell in row) for row in rows]

    def write(folder: Path) -> Path:
        path = folder / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write


def quoted(cell: str, delimiter: str) -> str:
    return f'"{cell}"' if delimiter in cell else cell


@dataclass(frozen=True)
class Sheet:
    """A sheet of a workbook; `hidden_rows` count from 1."""

    name: str
    rows: list[Row]
    is_hidden: bool = False
    hidden_rows: Sequence[int] = ()


def workbook(name: str, sheets: Sequence[Sheet]) -> Callable[[Path], Path]:
    texts = []
    for sheet in sheets:
        text = sheet_xml(sheet.rows)
        for number in sheet.hidden_rows:
            text = text.replace(f'<row r="{number}">', f'<row r="{number}" hidden="1">')
        texts.append(text)
    hidden = [sheet.name for sheet in sheets if sheet.is_hidden]

    def write(folder: Path) -> Path:
        path = book(folder / name, texts, [sheet.name for sheet in sheets])
        if hidden:
            hide_sheets(path, hidden)
        return path

    return write


def hide_sheets(path: Path, names: Sequence[str]) -> None:
    """Mark sheets as hidden in a workbook."""
    with zipfile.ZipFile(path) as file:
        parts = {part: file.read(part) for part in file.namelist()}
    listed = parts["xl/workbook.xml"].decode()
    for name in names:
        listed = listed.replace(f'<sheet name="{name}"', f'<sheet name="{name}" state="hidden"')
    parts["xl/workbook.xml"] = listed.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for part, content in parts.items():
            file.writestr(part, content)


# What secretaries do


def list_of(week: int, rows: Iterable[Row], style: Style) -> Callable[[Path], Path]:
    return csv_file(f"season-{week}.csv", rows, style.delimiter)


def sheets_of(evenings: Sequence[Evening], style: Style, newest: str = "last") -> list[Sheet]:
    """A sheet for each evening, named by its date."""
    day = style.day or date.isoformat
    undated = replace(style, day=None)
    sheets = [Sheet(day(evening.day), list(wide_rows([evening], undated))) for evening in evenings]
    return sheets if newest == "last" else sheets[::-1]


def growing(season: Season, style: Style, newest: str = "last") -> Iterator[Week]:
    """A list that grows by an evening a week."""
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        shown = evenings if newest == "last" else evenings[::-1]
        yield Week(list_of(week, wide_rows(shown, style), style), evenings)


def growing_long(season: Season, style: Style, newest: str = "last") -> Iterator[Week]:
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        shown = evenings if newest == "last" else evenings[::-1]
        yield Week(list_of(week, long_rows(shown, style), style), evenings)


def growing_book(season: Season, style: Style, newest: str = "last") -> Iterator[Week]:
    """A workbook that grows by a sheet a week."""
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        yield Week(workbook(f"week{week}.xlsx", sheets_of(evenings, style, newest)), evenings)


def growing_blocks(season: Season, style: Style) -> Iterator[Week]:
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        yield Week(list_of(week, block_rows(evenings, style), style), evenings)


def each_evening(
    season: Season, style: Style, name: Callable[[Evening], str], title: str = ""
) -> Iterator[Week]:
    """A file for each evening, with its date in the name, a title or the form."""
    undated = replace(style, day=None)
    day = style.day or date.isoformat
    for week in range(1, WEEKS + 1):
        evening = season.evenings[week - 1]
        rows = list(wide_rows([evening], undated))
        if title:
            rows = [[f"{title} {day(evening.day)}"], [], *rows]
        write = csv_file(name(evening), rows, style.delimiter)
        yield Week(write, season.until(week))


TABLES: Final = Style(table=str)
GERMAN: Final = Style(
    day=dotted, table=str, hand="Spiel", delimiter=";", date_head="Datum", table_head="Tisch"
)


def below(season: Season) -> Iterator[Week]:
    yield from growing(season, TABLES)


def above(season: Season) -> Iterator[Week]:
    yield from growing(season, TABLES, "first")


def as_sheet(season: Season) -> Iterator[Week]:
    yield from growing_book(season, Style(day=in_words("en"), table=str))


def as_first_sheet(season: Season) -> Iterator[Week]:
    yield from growing_book(season, Style(day=dotted, table=str), "first")


def without_table_column(season: Season) -> Iterator[Week]:
    yield from growing(season, Style())


def without_hand_column(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(table=str, hand=None))


def date_dotted(season: Season) -> Iterator[Week]:
    yield from growing(season, GERMAN)


def date_american(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(day=american, table=str))


def date_british(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(day=british, table=str))


def date_dashed_short(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(day=dashed_short, table=str, delimiter=";"))


def date_in_words(season: Season) -> Iterator[Week]:
    language = season.rng.choice(list(MONTHS))
    yield from growing(season, Style(day=in_words(language), table=str))


def date_in_title(season: Season) -> Iterator[Week]:
    style = Style(day=in_words("de"), table=str, delimiter=";")
    yield from each_evening(season, style, lambda _: "Abend.csv", "Herzrunde vom")


def date_in_file_name(season: Season) -> Iterator[Week]:
    style = Style(table=str)
    yield from each_evening(season, style, lambda evening: f"hearts_{evening.day}.csv")


def date_on_the_form(season: Season) -> Iterator[Week]:
    weeks = each_evening(season, Style(table=str), lambda _: "evening.csv")
    for evening, week in zip(season.evenings, weeks, strict=True):
        yield replace(week, typed={"day": evening.day.isoformat()})


def date_in_first_row_only(season: Season) -> Iterator[Week]:
    """The date stands in the first row of each evening, as in a merged cell."""
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        last: object = None
        rows = []
        for row in wide_rows(evenings, TABLES):
            rows.append(["" if row[0] == last else row[0], *row[1:]])
            last = row[0]
        yield Week(list_of(week, rows, TABLES), evenings)


def date_missing_in_a_week(season: Season) -> Iterator[Week]:
    """One file of an evening has no date; the list of the season has all of them in the end."""
    without = season.rng.randint(2, 4)
    undated = [season.evenings[without - 1].day]
    for week in range(1, WEEKS + 1):
        evening, played = season.evenings[week - 1], season.until(week)
        style = replace(TABLES, day=None) if week == without else TABLES
        shown = played if week == WEEKS else [evening]
        write = csv_file("evening.csv", wide_rows(shown, style))
        yield Week(write, played, undated=undated)


def row_a_seat(season: Season) -> Iterator[Week]:
    yield from growing_long(season, Style(), season.rng.choice(("first", "last")))


def row_a_seat_of_letters(season: Season) -> Iterator[Week]:
    yield from growing_long(season, Style(table=letter))


def table_letters(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(table=letter))


def round_counts_hands(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(hand="Round"))


def runde_counts_hands(season: Season) -> Iterator[Week]:
    style = replace(GERMAN, hand="Runde", table=None)
    yield from growing(season, style)


def running_totals(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(running=True))


def round_and_running(season: Season) -> Iterator[Week]:
    yield from growing_book(season, Style(hand="Round", running=True))


def minus_points(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(cell=minus))


def zeros_empty(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(cell=empty_zero))


def zeros_dashed(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(cell=dash_zero))


def sums_below(season: Season) -> Iterator[Week]:
    label = season.rng.choice(("Total", "Summe", "Totaal", "TOTAL", "Gesamt"))
    yield from growing_book(season, Style(sums=label, table=None))


def sums_without_label(season: Season) -> Iterator[Week]:
    yield from growing_book(season, Style(sums=""))


def sums_in_list(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(table=str, sums="Total"))


def sums_without_label_in_list(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(table=str, sums=""))


def blocks_below(season: Season) -> Iterator[Week]:
    sums = season.rng.choice((None, "Total", ""))
    yield from growing_blocks(season, Style(day=in_words("en"), sums=sums))


def side_by_side(season: Season) -> Iterator[Week]:
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        sheets = [Sheet(dotted(evening.day), beside_rows(evening, Style())) for evening in evenings]
        yield Week(workbook(f"week{week}.xlsx", sheets), evenings)


def hidden_sheet(season: Season) -> Iterator[Week]:
    """A draft of the next evening is hidden."""
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        sheets = sheets_of(evenings, Style(day=dotted))
        draft = game_of(evenings[-1].games[0].people, season.rng)
        later = Evening(evenings[-1].day + timedelta(7), [draft])
        [hidden] = sheets_of([later], Style(day=dotted))
        write = workbook(f"week{week}.xlsx", [*sheets, replace(hidden, is_hidden=True)])
        yield Week(write, evenings)


def hidden_row(season: Season) -> Iterator[Week]:
    """A row that was played again is hidden."""
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        sheets = sheets_of(evenings, Style(day=dotted))
        last = sheets[-1]
        people = evenings[-1].games[0].people
        again = hand_of(people, season.rng)
        rows: list[Row] = [
            *last.rows,
            [len(last.rows), *(again[person] for person in last_people(last))],
        ]
        sheets[-1] = replace(last, rows=rows, hidden_rows=[len(rows)])
        yield Week(workbook(f"week{week}.xlsx", sheets), evenings)


def last_people(sheet: Sheet) -> list[str]:
    return [str(cell) for cell in sheet.rows[0][1:]]


def corrected(
    season: Season, write: Callable[[int, list[Evening]], Callable[[Path], Path]]
) -> Iterator[Week]:
    """An old figure is put right in the third week."""
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        if week == 3:
            put_right(evenings[0].games[0], season.rng)
        yield Week(write(week, evenings), played_now(evenings))


def put_right(game: Game, rng: random.Random) -> None:
    """Let two players of one hand have other points; the sum stays."""
    at = rng.randrange(len(game.hands))
    hand = dict(game.hands[at])
    one, other = sorted(game.people, key=lambda person: hand[person])[-2:]
    hand[one], hand[other] = hand[other], hand[one]
    if hand == game.hands[at]:
        low = min(game.people, key=lambda person: hand[person])
        hand[one], hand[low] = hand[low], hand[one]
    game.hands[at] = hand


def played_now(evenings: Sequence[Evening]) -> list[Evening]:
    """Copy evenings as they are, for what is put right later changes them."""
    return [
        Evening(
            evening.day,
            [Game(game.people, list(game.hands), game.table) for game in evening.games],
        )
        for evening in evenings
    ]


def late_correction(season: Season) -> Iterator[Week]:
    def write(week: int, evenings: list[Evening]) -> Callable[[Path], Path]:
        return list_of(week, wide_rows(evenings, TABLES), TABLES)

    yield from corrected(season, write)


def late_correction_in_book(season: Season) -> Iterator[Week]:
    def write(week: int, evenings: list[Evening]) -> Callable[[Path], Path]:
        return workbook(f"week{week}.xlsx", sheets_of(evenings, Style(day=dotted)))

    yield from corrected(season, write)


def late_correction_without_hand_column(season: Season) -> Iterator[Week]:
    style = Style(table=str, hand=None)

    def write(week: int, evenings: list[Evening]) -> Callable[[Path], Path]:
        return list_of(week, wide_rows(evenings, style), style)

    yield from corrected(season, write)


def table_added(season: Season) -> Iterator[Week]:
    """The sheet of another table of the first evening turns up in the third week."""
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        if week == 3:
            first = evenings[0]
            others = [person for person in MEMBERS if person not in people_of([first])]
            number = len(first.games) + 1
            first.games.append(game_of(season.rng.sample(others, 4), season.rng, number))
        yield Week(list_of(week, wide_rows(evenings, TABLES), TABLES), played_now(evenings))


def row_inserted(season: Season) -> Iterator[Week]:
    """A hand that was forgotten is inserted in the middle of an old evening; numbers move."""
    yield from _row_inserted(season, TABLES)


def row_inserted_without_hand_column(season: Season) -> Iterator[Week]:
    yield from _row_inserted(season, Style(table=str, hand=None))


def _row_inserted(season: Season, style: Style) -> Iterator[Week]:
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        if week == 3:
            game = evenings[0].games[0]
            game.hands.insert(1, hand_of(game.people, season.rng))
        yield Week(list_of(week, wide_rows(evenings, style), style), played_now(evenings))


def other_order(season: Season) -> Iterator[Week]:
    """Columns of players, and evenings, stand in another order each week."""
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        order = season.rng.sample(MEMBERS, len(MEMBERS))
        shown = season.rng.sample(evenings, len(evenings))
        style = replace(TABLES, order=order)
        yield Week(list_of(week, wide_rows(shown, style), style), evenings)


def renamed(season: Season, spell: Callable[[str], str], who: Sequence[str] = ()) -> Iterator[Week]:
    """From the third week on a player is written in another way, in all of the list."""
    person = who[0] if who else season.rng.choice(season.evenings[0].games[0].people)
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        spelling = {person: spell(person)} if week >= 3 else {}
        style = replace(TABLES, spelling=spelling)
        yield Week(list_of(week, wide_rows(evenings, style), style), evenings)


def renamed_folded(season: Season) -> Iterator[Week]:
    yield from renamed(season, folded)


def renamed_first_name(season: Season) -> Iterator[Week]:
    yield from renamed(season, first_name)


def renamed_family_first(season: Season) -> Iterator[Week]:
    yield from renamed(season, family_first)


def renamed_initials(season: Season) -> Iterator[Week]:
    yield from renamed(season, initials)


def renamed_nickname(season: Season) -> Iterator[Week]:
    known = [person for person in season.people if person in NICKNAMES]
    if not known:
        game = season.evenings[0].games[0]
        swap_in(game, next(iter(NICKNAMES)))
        known = [next(iter(NICKNAMES))]
    yield from renamed(season, lambda person: NICKNAMES[person], known)


def swap_in(game: Game, person: str) -> None:
    """Let somebody have played in place of the last one of a game."""
    out = game.people[-1]
    game.people = (*game.people[:-1], person)
    game.hands = [
        {person if each == out else each: points for each, points in hand.items()}
        for hand in game.hands
    ]


def nicknames_all_along(season: Season) -> Iterator[Week]:
    yield from growing(season, replace(TABLES, spelling=NICKNAMES))


def stranger_joins(season: Season) -> Iterator[Week]:
    """Somebody who is not in the club plays from the third week on."""
    name = season.rng.choice(("Quinn Abel", "Rosa Diaz", "Sven Åberg"))
    for evening in season.evenings[2:]:
        swap_in(evening.games[0], name)
    for week in growing(season, TABLES):
        strangers = [name] if len(week.played) > 2 else []
        yield replace(week, strangers=strangers)


def paper_first(season: Season) -> Iterator[Week]:
    """Each evening is entered by hand, and the list comes behind it."""
    for week in growing(season, TABLES):
        yield replace(week, on_paper=[week.played[-1]])


def paper_first_other_order(season: Season) -> Iterator[Week]:
    order = season.rng.sample(MEMBERS, len(MEMBERS))
    for week in growing(season, Style(order=order)):
        yield replace(week, on_paper=[week.played[-1]])


def paper_first_without_date(season: Season) -> Iterator[Week]:
    """The file of the second evening, which was entered by hand, has no date."""
    for week in range(1, WEEKS + 1):
        evening, played = season.evenings[week - 1], season.until(week)
        is_paper = week == 2
        style = replace(TABLES, day=None) if is_paper else TABLES
        write = csv_file("evening.csv", wide_rows([evening], style))
        yield Week(write, played, on_paper=[evening] if is_paper else [])


def paper_first_grown(season: Season) -> Iterator[Week]:
    """The last hand of each evening is in the file only."""
    for week in growing(season, Style()):
        evening = week.played[-1]
        shorter = [Game(game.people, game.hands[:-1], game.table) for game in evening.games]
        yield replace(week, on_paper=[Evening(evening.day, shorter)])


def paper_first_corrected(season: Season) -> Iterator[Week]:
    """A figure of what was entered by hand is another one in the file."""
    for week in growing(season, Style()):
        [evening] = played_now(week.played[-1:])
        put_right(evening.games[0], season.rng)
        on_paper = [evening] if len(week.played) == 2 else []
        yield replace(week, on_paper=on_paper)


def paper_first_other_table(season: Season) -> Iterator[Week]:
    """The file counts the tables in another way than the sheets."""
    for week in growing(season, TABLES):
        evening = week.played[-1]
        moved = [Game(game.people, game.hands, game.table + 3) for game in evening.games]
        yield replace(week, on_paper=[Evening(evening.day, moved)])


def same_file_twice(season: Season) -> Iterator[Week]:
    for week in growing(season, TABLES):
        yield week
        yield week


def last_evenings_only(season: Season) -> Iterator[Week]:
    """The file has the last two evenings only."""
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        yield Week(list_of(week, wide_rows(evenings[-2:], TABLES), TABLES), evenings)


def list_becomes_book(season: Season) -> Iterator[Week]:
    """From the fourth week on the list is a workbook with a sheet an evening."""
    weeks = zip(growing(season, Style()), growing_book(season, Style()), strict=True)
    for number, (in_list, in_book) in enumerate(weeks, start=1):
        yield in_list if number < 4 else in_book


def hands_count_on(season: Season) -> Iterator[Week]:
    yield from growing(season, Style(counts_on=True))


def rows_prepared(season: Season) -> Iterator[Week]:
    """Numbered rows without points wait for further hands."""
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        sheets = []
        for sheet in sheets_of(evenings, Style(day=dotted)):
            n_hands = len(sheet.rows) - 1
            prepared: list[Row] = [[number] for number in range(n_hands + 1, 9)]
            sheets.append(replace(sheet, rows=[*sheet.rows, *prepared]))
        yield Week(workbook(f"week{week}.xlsx", sheets), evenings)


def two_rounds_a_day(season: Season) -> Iterator[Week]:
    """Each day has two rounds of the same people, numbered by a column."""
    for week in range(1, WEEKS + 1):
        evenings = season.until(week)
        rows: list[Row] = []
        for number, evening in enumerate(evenings):
            for half, game in enumerate(evening.games):
                for at, hand in enumerate(game.hands, start=1):
                    lead: Row = [evening.day.isoformat(), 2 * number + half + 1, at]
                    rows.append([*lead, *(hand[person] for person in season.people)])
        heads: Row = ["Date", "Round", "Hand", *season.people]
        yield Week(list_of(week, [heads, *rows], TABLES), evenings)


def two_games_a_day_by_tables(season: Season) -> Iterator[Week]:
    """The same people play two games a day, which the file calls tables 1 and 2."""
    yield from growing(season, TABLES)


@dataclass(frozen=True)
class Kind:
    """A shape: how many tables, whether people stay the same, and whether nothing may be asked."""

    weeks: Shape
    tables: int = 2
    same_people: bool = False
    is_plain: bool = False
    again: bool = False
    """Whether the second table is the same people's second game."""


SHAPES: Final[Mapping[str, Kind]] = {
    "new evening below": Kind(below, is_plain=True),
    "new evening above": Kind(above, is_plain=True),
    "new evening as a sheet": Kind(as_sheet, is_plain=True),
    "new evening as the first sheet": Kind(as_first_sheet, is_plain=True),
    "no column of tables": Kind(without_table_column, 1, is_plain=True),
    "two tables without a column of tables": Kind(without_table_column),
    "no column of hands": Kind(without_hand_column, is_plain=True),
    "dates with dots": Kind(date_dotted, is_plain=True),
    "dates with slashes, month first": Kind(date_american),
    "dates with slashes, day first": Kind(date_british),
    "dates of two digits": Kind(date_dashed_short),
    "dates with names of months": Kind(date_in_words, is_plain=True),
    "date in the title": Kind(date_in_title, is_plain=True),
    "date in the file's name": Kind(date_in_file_name, is_plain=True),
    "date on the form": Kind(date_on_the_form, is_plain=True),
    "date in the first row of an evening": Kind(date_in_first_row_only, is_plain=True),
    "file without date in one week": Kind(date_missing_in_a_week),
    "row a seat": Kind(row_a_seat, is_plain=True),
    "row a seat, table letters": Kind(row_a_seat_of_letters),
    "table letters": Kind(table_letters),
    "Round counts hands": Kind(round_counts_hands, 1, same_people=True),
    "Runde counts hands": Kind(runde_counts_hands, 1),
    "running totals": Kind(running_totals, 1, same_people=True),
    "Round counts hands of running totals": Kind(round_and_running, 1, same_people=True),
    "minus points": Kind(minus_points, 1, same_people=True),
    "zeros left empty": Kind(zeros_empty, 1, same_people=True),
    "zeros left empty among more columns": Kind(zeros_empty, 1),
    "zeros as dashes": Kind(zeros_dashed, 1, same_people=True),
    "sums below": Kind(sums_below, 1, is_plain=True),
    "sums without a label": Kind(sums_without_label, 1, is_plain=True),
    "sums in a list": Kind(sums_in_list, is_plain=True),
    "sums without a label in a list": Kind(sums_without_label_in_list),
    "blocks below": Kind(blocks_below, is_plain=True),
    "two tables side by side": Kind(side_by_side),
    "hidden sheet": Kind(hidden_sheet, 1, is_plain=True),
    "hidden row": Kind(hidden_row, 1, is_plain=True),
    "late correction": Kind(late_correction),
    "late correction in a workbook": Kind(late_correction_in_book, 1),
    "late correction without a column of hands": Kind(late_correction_without_hand_column),
    "table added to an old evening": Kind(table_added, is_plain=True),
    "row inserted": Kind(row_inserted),
    "row inserted without a column of hands": Kind(row_inserted_without_hand_column),
    "other order of players and evenings": Kind(other_order, is_plain=True),
    "renamed: folded": Kind(renamed_folded, is_plain=True),
    "renamed: first name": Kind(renamed_first_name),
    "renamed: family name first": Kind(renamed_family_first),
    "renamed: initials": Kind(renamed_initials),
    "renamed: nickname": Kind(renamed_nickname, is_plain=True),
    "nicknames all along": Kind(nicknames_all_along, is_plain=True),
    "stranger joins": Kind(stranger_joins),
    "paper first": Kind(paper_first, is_plain=True),
    "paper first, other order": Kind(paper_first_other_order, is_plain=True),
    "paper first, file without date": Kind(paper_first_without_date),
    "paper first, grown by a hand": Kind(paper_first_grown, 1, is_plain=True),
    "paper first, corrected": Kind(paper_first_corrected, 1),
    "paper first, other table numbers": Kind(paper_first_other_table),
    "same file twice": Kind(same_file_twice, is_plain=True),
    "last evenings only": Kind(last_evenings_only, is_plain=True),
    "list becomes a workbook": Kind(list_becomes_book, 1, is_plain=True),
    "hands count on": Kind(hands_count_on, 1, is_plain=True),
    "rows prepared": Kind(rows_prepared, 1, is_plain=True),
    "two rounds a day": Kind(two_rounds_a_day, same_people=True, is_plain=True, again=True),
    "two games a day by tables": Kind(two_games_a_day_by_tables, again=True),
}


def shape_of(seed: int) -> str:
    names = list(SHAPES)
    return names[seed % len(names)]


def season(seed: int, shape: str = "") -> Season:
    """Return the season of a seed; its shape goes round through all of them."""
    name = shape or shape_of(seed)
    kind = SHAPES[name]
    drawn = drawn_season(seed, name, tables=kind.tables, same_people=kind.same_people)
    if kind.again:
        for evening in drawn.evenings:
            first, second = evening.games
            second.people = first.people
            second.hands = game_of(first.people, drawn.rng).hands
    return drawn


def weeks(drawn: Season) -> Iterator[Week]:
    return SHAPES[drawn.shape].weeks(drawn)
