"""One season in fifty shapes, as clubs write it: every shape gives the same hands."""

import csv
import io
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.imports.imports import hand_scores
from tests.support.imports.spreadsheets import xlsx
from tests.support.imports.uploads import send_file
from tests.support.lengths import short_or_long
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text

NAMES = ("Béatrice Müller", "Cai Gale", "David Birk", "Gus Hale",
         "Holly Brook", "Ivo Sand", "Jana Kast", "Kees de Vries")  # fmt: skip
DAYS = ("2025-10-06", "2025-10-13")
HANDS = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12))
HEADS = {
    "en": ("Date", "Table", "Hand", "Player", "Points", "Total"),
    "de": ("Datum", "Tisch", "Blatt", "Spieler", "Punkte", "Summe"),
    "nl": ("Datum", "Tafel", "Spel", "Speler", "Punten", "Totaal"),
    "fr": ("Jour", "Table", "Donne", "Joueur", "Points", "Total"),
}
MONTHS = {"en": "Oct", "de": "Oktober", "nl": "okt.", "fr": "octobre"}
Row = list[str]
Hands = dict[tuple[str, int, int], dict[str, int]]


@dataclass(frozen=True)
class Shape:
    """How a season is written. `part` is what of it such a file can hold."""

    layout: str
    language: str
    encoding: str
    delimiter: str
    day: str
    title: bool
    running: bool
    sums: bool
    sheets: bool
    seed: int

    def __str__(self) -> str:
        on = (name for name in ("title", "running", "sums", "sheets") if getattr(self, name))
        return "-".join((self.layout, self.language, self.encoding, self.day, *on))


def shapes() -> Iterator[Shape]:
    for seed in range(short_or_long(50, 400)):
        dice = random.Random(seed)  # noqa: S311 - no secret
        layout = ("hands", "names", "seats", "beside", "turned")[seed % 5]
        sheets = layout in ("hands", "names") and dice.random() < 0.3
        yield Shape(
            layout,
            dice.choice(tuple(HEADS)),
            dice.choice(("utf-8", "utf-8-sig", "cp1252", "utf-16", "twice")),
            dice.choice(";\t,"),
            dice.choice(("iso", "dots", "words")),
            title=dice.random() < 0.4,
            running=layout in ("hands", "names", "beside") and dice.random() < 0.5,
            sums=layout in ("hands", "beside", "turned") and dice.random() < 0.5,
            sheets=sheets,
            seed=seed,
        )


def season(shape: Shape) -> Hands:
    days = DAYS if shape.layout in ("hands", "names", "seats") else DAYS[:1]
    tables = (1,) if shape.layout == "turned" else (1, 2)
    return {
        (day, table, number): dict(zip(_people(table), _turned(points, table), strict=True))
        for day in days
        for table in tables
        for number, points in enumerate(HANDS, start=1)
    }


def _people(table: int) -> Sequence[str]:
    return NAMES[:4] if table == 1 else NAMES[4:]


def _turned(points: Sequence[int], by: int) -> list[int]:
    return [*points[by:], *points[:by]]


def _day(shape: Shape, day: str) -> str:
    year, month, number = day.split("-")
    if shape.day == "words":
        return f"{int(number)}. {MONTHS[shape.language]} {year}"
    return day if shape.day == "iso" else f"{number}.{month}.{year}"


def written(shape: Shape, hands: Hands) -> list[Row]:
    date, table, hand, player, points, total = HEADS[shape.language]
    shown: Hands = {}
    before: dict[tuple[str, int, str], int] = {}
    for (day, at, number), scored in hands.items():
        shown[day, at, number] = {}
        for name, value in scored.items():
            before[day, at, name] = before.get((day, at, name), 0) * shape.running + value
            shown[day, at, number][name] = before[day, at, name]
    if shape.layout == "seats":
        return [[date, table, hand, player, points]] + [
            [_day(shape, day), str(at), str(number), name, str(value)]
            for (day, at, number), scored in shown.items()
            for name, value in scored.items()
        ]
    if shape.layout == "names":
        pairs = [f"{what} {n}" for n in range(1, 5) for what in (player, points)]
        return [[date, table, hand, *pairs]] + [
            [_day(shape, day), str(at), str(number)]
            + [cell for name, value in scored.items() for cell in (name, str(value))]
            for (day, at, number), scored in shown.items()
        ]
    if shape.layout == "turned":
        names = _people(1)
        rows = [[player, "1", "2", "3"]]
        rows += [[name, *(str(scored[name]) for scored in shown.values())] for name in names]
        return [*rows, [total, "26", "26", "26"]] if shape.sums else rows
    if shape.layout == "beside":
        gap = [""] * (shape.seed % 2)
        rows = [[hand, *_people(1), *gap, hand, *_people(2)]]
        for number in range(1, 4):
            parts = [
                [str(number), *(str(shown[DAYS[0], at, number][name]) for name in _people(at))]
                for at in (1, 2)
            ]
            rows.append([*parts[0], *gap, *parts[1]])
        return rows
    rows = [[date, table, hand, *NAMES]] + [
        [_day(shape, day), str(at), str(number), *(str(scored.get(name, "")) for name in NAMES)]
        for (day, at, number), scored in shown.items()
    ]
    order = list(range(len(rows[0])))
    random.Random(shape.seed).shuffle(order)  # noqa: S311 - no secret
    if shape.sums:
        order = [0, *(at for at in order if at)]
        rows.append([total, "", "", *["99"] * len(NAMES)])
    return [[row[at] for at in order] for row in rows]


def file_of(shape: Shape, rows: list[Row], folder: Path) -> Path:
    title = [["Herzabend im Löwen"], []] if shape.title else []
    if shape.sheets:
        heads, *lines = rows
        at = next(n for n, head in enumerate(heads) if head in ("Date", "Datum", "Jour"))
        days = list(dict.fromkeys(line[at] for line in lines))
        of_days = [[line for line in lines if line[at] == day] for day in days]
        return xlsx(folder / "season.xlsx", *([*title, heads, *some] for some in of_days))
    text_of_rows = io.StringIO()
    csv.writer(text_of_rows, delimiter=shape.delimiter).writerows([*title, *rows])
    path = folder / "season.csv"
    content = text_of_rows.getvalue()
    twice = content.encode().decode("latin-1").encode()
    path.write_bytes(twice if shape.encoding == "twice" else content.encode(shape.encoding))
    return path


def stored() -> Hands:
    found: Hands = {}
    names = {f"RL{n:02d}": name for n, name in enumerate(NAMES, start=1)}
    for day, _round, table, number, _seat, player, score in hand_scores():
        found.setdefault((day, int(table), int(number)), {})[names[player]] = int(score)
    return found


@pytest.mark.parametrize("shape", [*shapes()], ids=str)
def test_every_shape_of_a_season_gives_its_hands(cast: Cast, tmp_path: Path, shape: Shape) -> None:
    players(cast.riverside, *NAMES)
    league(cast.riverside)
    dirk, hands = cast.client("dirk"), season(shape)
    day = DAYS[0] if shape.layout in ("beside", "turned") else ""
    at = send_file(dirk, file_of(shape, written(shape, hands), tmp_path), day=day)
    page = confirmed(dirk, at)
    assert stored() == hands, page


def confirmed(client: Client, at: str) -> str:
    """Leave the columns as they are proposed, with round and table 1 where there are none."""
    if at.endswith("/columns"):
        form = as_shown(client.get(at).context["form"])
        client.post(at, {**{"round": "1", "table": "1"}, **form})
        at = at.removesuffix("/columns")
    page = text(client.get(at))
    client.post(f"{at}/confirm")
    return page[page.find("Imports") :]
