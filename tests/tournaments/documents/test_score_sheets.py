"""Score sheets as images: marks and code are found where the table of positions has them."""

import pytest

from tests.support.printed_sheets import (
    NAMES,
    PX,
    found_codes,
    found_marks,
    grey_image,
    sheet_images,
)
from tournaments.documents.score_sheets import SheetSet, SheetToPrint
from tournaments.domain.sheets.sheet_code import SheetCode, read_sheet_code
from tournaments.domain.sheets.sheet_fields import PrintOptions, sheet_form
from tournaments.domain.sheets.sheet_geometry import sheet_geometry, sheet_pages
from tournaments.selectors.rules.rule_sets import variants

MOST_OFF = 0.5
"""Millimetres."""
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
        geometry = sheet_geometry(form, layout=layout, paper=paper, rows=page.rows)
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
        assert code.text.startswith("BL1:riverside-hearts-club:autumn-league-2025:r12t5:")
        read = read_sheet_code(code.text)
        assert read is not None
        assert (read.layout, read.paper, read.seats) == (layout, paper, seats)
        assert (read.first_hand, read.rows) == page
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
    options = PrintOptions()
    png = sheet_images(rules, seats, options, hands=4, names=NAMES)[0]
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
    code = SheetCode("riverside", "league", "r1t1", "boxes", "a4", 4, 0, 1)
    rules = variants().rules("hearts", chosen)
    sheets.add(SheetToPrint("Table 1", (), rules, NAMES[:4], code, hands=4))
    said = [text["text"] for frame in sheets.frames for text in frame.texts]
    passes = [text for text in said if "across" in text]
    assert passes == ["4 left + across", "scatter + across"] * 2
