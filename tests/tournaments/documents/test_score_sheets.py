"""Printed documents: score sheets as images, seating lists, standings for the wall."""

import io
import re
from typing import Any

import pytest
from PIL import Image

from scoring.errors import Refused
from tests.support.hostile_texts import HOSTILE
from tests.support.pdf_text import joined, page_texts
from tests.support.printed_sheets import (
    NAMES,
    PX,
    found_codes,
    found_marks,
    grey_image,
    sheet_images,
)
from tournaments.documents.round_documents import SIZES, seating_pages
from tournaments.documents.score_sheets import SheetSet, SheetToPrint
from tournaments.documents.standings import (
    MOST_ROWS,
    TableRowTexts,
    TableTexts,
    link_picture,
    wall_sheet,
)
from tournaments.domain.sheets.sheet_fields import PrintOptions, sheet_form
from tournaments.domain.sheets.sheet_geometry import sheet_geometry, sheet_pages
from tournaments.models.rounds import Table
from tournaments.selectors.rules.rule_sets import variants

MOST_OFF = 0.5
TABLES = [
    ("hearts", 4),
    ("hearts", 5),
    ("cancellation-hearts", 7),
    ("cancellation-hearts", 9),
    ("partnership-hearts-pooled", 4),
]
SHEETS = [
    *(
        (variant, seats, layout, paper)
        for variant, seats in TABLES
        for layout in ("boxes", "bubbles")
        for paper in ("a4", "letter")
    ),
    ("cancellation-hearts", 11, "boxes", "letter"),
    ("spot-hearts", 6, "bubbles", "letter"),
]
LONG = (
    "W" * 200,
    "Wolfgang-Sebastian " * 10,
    "ירושלים",
    "Zoë 🂡 😀",
    "#let x = [*bold*] $x$ @ref \\u{41}",
)
FIGURES = ("4.7759", "−123", "1234", "26", "9", "0")


@pytest.mark.parametrize(("variant", "seats", "layout", "paper"), SHEETS)
def test_marks_and_code_are_found_at_their_positions(
    variant: str, seats: int, layout: str, paper: str
) -> None:
    rules = variants().rules(variant)
    form = sheet_form(rules, seats)
    pages = sheet_pages(form, layout=layout, paper=paper, hands=16)
    images = sheet_images(rules, seats, PrintOptions(paper, layout), hands=16)
    assert len(images) == len(pages)
    for page, png in zip(pages, images, strict=True):
        geometry = sheet_geometry(form, layout=layout, paper=paper, rows=len(page))
        image = grey_image(png)
        assert abs(image.shape[1] / PX - geometry.width) < MOST_OFF
        marks = found_marks(image)
        assert set(marks) == {0, 1, 2, 3}
        for mark, place in enumerate(geometry.marks):
            corners = [(place.x, place.y), (place.right, place.y)]
            corners += [(place.right, place.bottom), (place.x, place.bottom)]
            for (x, y), (found_x, found_y) in zip(corners, marks[mark], strict=True):
                assert abs(x - found_x) < MOST_OFF
                assert abs(y - found_y) < MOST_OFF
        (code,) = found_codes(image)
        sheet = f"{layout}-{paper}-{seats}-{len(page)}:{page.start}"
        assert code.text == f"BL1:riverside-hearts-club:autumn-league-2025:r12t5:{sheet}"
        assert abs(code.x - (geometry.code.x + geometry.code.width / 2)) < MOST_OFF
        assert abs(code.y - (geometry.code.y + geometry.code.height / 2)) < MOST_OFF


@pytest.mark.parametrize(("variant", "seats", "layout", "paper"), SHEETS)
def test_boxes_are_drawn_where_the_table_of_positions_has_them(
    variant: str, seats: int, layout: str, paper: str
) -> None:
    rules = variants().rules(variant)
    form = sheet_form(rules, seats)
    (png,) = sheet_images(rules, seats, PrintOptions(paper, layout), hands=4)
    geometry = sheet_geometry(form, layout=layout, paper=paper, rows=4)
    image = grey_image(png)
    for cell in geometry.cells:
        if cell.part == "label":
            continue
        place = cell.place
        middle = int((place.y + place.height / 2) * PX)
        for edge in (place.x, place.right):
            near = image[middle, int((edge - 0.4) * PX) : int((edge + 0.4) * PX) + 1]
            assert near.min() < 128, cell


@pytest.mark.parametrize("seats", [4, 9, 13])
def test_long_names_stay_within_their_column(seats: int) -> None:
    variant = "hearts" if seats == 4 else "hearts-multipack"
    rules = variants().rules(variant)
    form = sheet_form(rules, seats)
    png = sheet_images(rules, seats, PrintOptions(), hands=4, names=NAMES)[0]
    geometry = sheet_geometry(form, layout="boxes", paper="a4", rows=4)
    image = grey_image(png)
    for name in geometry.names:
        top, bottom = int((name.y + 0.4) * PX), int((name.bottom - 0.2) * PX)
        inside = image[top:bottom, int((name.x + 0.8) * PX) : int((name.right - 0.8) * PX)]
        assert inside.min() < 128
        for edge in (name.x + 0.35, name.right - 0.35):
            assert image[top:bottom, round(edge * PX)].min() > 128


def test_pass_column_says_the_cycle_of_the_table_and_how_cards_are_passed() -> None:
    chosen = {"passing": {"4": ["left", "scatter"]}, "pass_count": 4, "second_pass": True}
    sheets = SheetSet(PrintOptions())
    code = "riverside:league:r1t1"
    rules = variants().rules("hearts", chosen)
    sheets.add(SheetToPrint("Table 1", (), rules, NAMES[:4], code, hands=4))
    texts = [text["text"] for frame in sheets.frames for text in frame.texts]
    passes = [text for text in texts if "across" in text]
    assert passes == ["4 left + across", "scatter + across"] * 2


def test_foot_says_the_rules_of_play_that_players_forget() -> None:
    chosen = {"not_passed": ["2C", "QS"], "queen_breaks": "waits", "vacated_seat": "worst total"}
    code = "riverside:league:r1t1"
    said = []
    for options in (chosen, {}):
        sheets = SheetSet(PrintOptions())
        sheets.add(SheetToPrint("T", (), variants().rules("hearts", options), NAMES[:4], code))
        said.append([text["text"] for text in sheets.frames[0].texts])
    (foot,) = set(said[0]) - set(said[1])
    (plain,) = set(said[1]) - set(said[0])
    assert foot == (
        "Cards that may not be passed: 2♣ and Q♠. Q♠ may not be played before hearts are broken, "
        "unless a player may play nothing else. After a game the player with the worst total "
        f"leaves the seat to a player who waits. {plain}"
    )


def pages(*tables: tuple[str, ...], out: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    made = [(Table(number=number), names) for number, names in enumerate(tables, start=1)]
    return seating_pages(made, out, title="Round 1", subtitle="League", paper="a4")


def test_names_are_sorted_without_accents_and_sit_outs_stand_among_them() -> None:
    by_name, by_table = pages(("Zoë", "Émile", "Dora", "Étienne"), out=("Eva",))
    assert [row for group in by_name["groups"] for row in group["rows"]] == [
        ("Dora", "Table 1 · South"),
        ("Émile", "Table 1 · East"),
        ("Étienne", "Table 1 · West"),
        ("Eva", "Sitting out"),
        ("Zoë", "Table 1 · North"),
    ]
    assert [group["title"] for group in by_table["groups"]] == ["Table 1"]


def test_long_lists_have_smaller_type_and_the_longest_go_on_over_pages() -> None:
    tables = [tuple(f"Player {table}-{seat}" for seat in range(4)) for table in range(100)]
    few, some, many = (pages(*tables[:n])[0] for n in (3, 12, 100))
    assert (few["size"], few["left"]) == (SIZES[0], 12)
    assert some["left"] == 24
    assert (many["size"], many["left"]) == (SIZES[-1], None)


def test_names_of_two_words_fit_their_column_in_one_line() -> None:
    tables = [tuple(f"Quirin Adler-{table}{seat}" for seat in range(4)) for table in range(4)]
    assert pages(*tables)[0]["size"] == 14
    longer = [tuple(f"{name} of the very long name" for name in names) for names in tables]
    assert pages(*longer)[0]["size"] == 14


def published(*rows: TableRowTexts) -> TableTexts:
    return TableTexts(
        club="Riverside #strong[Hearts]", name="Autumn *league*", kind="Standings", number=12,
        published="6 Nov 2025, 22:10", about="up to round 7", ranked_by="Ranked by Points.",
        path="/clubs/riverside/events/league", competitor="Player",
        heads=("Average that counts", "Points", "Hands", "Won", "2nd", "Moons"), rows=rows,
        provisional=(),
    )  # fmt: skip


def row(at: int, name: str, *, members: str = "") -> TableRowTexts:
    return TableRowTexts(f"{at}", name, members, "withdrawn" if at % 7 == 0 else "", FIGURES)


def printed(table: TableTexts, paper: str = "a4") -> list[list[str]]:
    return page_texts(wall_sheet(table, paper=paper, colour="#7a1f3d", site="https://club.example"))


def _seen(text: str) -> str:
    """A text as paper has it: without blanks, control characters and marks of direction."""
    return re.sub(r"[\s\u202a-\u202e\u2066-\u2069\x00-\x1f\x7f-\x9f]", "", text)


def test_hostile_names_are_texts_of_the_print() -> None:
    names = [name for name in (*HOSTILE, *LONG) if name.isascii()]
    pages = printed(published(*(row(at, name) for at, name in enumerate(names, 1))))
    whole = joined([text for page in pages for text in page])
    assert [name for name in names if _seen(name) not in whole] == []
    assert "Riverside#strong[Hearts]" in whole


@pytest.mark.parametrize("name", LONG)
def test_picture_has_room_for_any_name(name: str) -> None:
    table = published(*(row(at, name, members=name) for at in range(1, 9)))
    picture = Image.open(io.BytesIO(link_picture(table, colour="")))
    assert picture.size == (1200, 630)
    assert min(picture.convert("L").crop((1140, 30, 1200, 630)).tobytes()) > 240


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("n", [1, 16, 17, 200])
def test_every_page_has_the_heads_and_its_number(paper: str, n: int) -> None:
    pages = printed(published(*(row(at, f"Player number {at}") for at in range(1, n + 1))), paper)
    assert [page.count("Place") for page in pages] == [1] * len(pages)
    assert [page[-1] for page in pages] == [
        f"Page {at} of {len(pages)}" for at in range(1, len(pages) + 1)
    ]
    shown = [text for page in pages for text in page if text.startswith("Player number ")]
    assert [int(text.split()[2]) for text in shown] == list(range(1, n + 1))


def test_table_without_rows_is_printed_and_drawn() -> None:
    (page,) = printed(published())
    assert "Place" in page
    assert Image.open(io.BytesIO(link_picture(published(), colour=""))).size == (1200, 630)


def test_more_rows_than_a_wall_has_room_for_are_refused() -> None:
    rows = [row(at, "A") for at in range(MOST_ROWS + 1)]
    with pytest.raises(Refused) as refused:
        printed(published(*rows))
    (problem,) = refused.value.problems
    assert (problem.code, problem.facts) == (
        "too_many_rows_to_print",
        {"found": MOST_ROWS + 1, "expected": MOST_ROWS},
    )
