"""A print for the wall and a picture: whatever the names are, all rows are there, as text."""

import io
import re

import pytest
from PIL import Image

from scoring.errors import Refused
from tests.support.hostile_texts import HOSTILE
from tests.support.pdf_text import joined, page_texts
from tournaments.documents.standings import (
    MOST_ROWS,
    TableRowTexts,
    TableTexts,
    link_picture,
    wall_sheet,
)

LONG = (
    "W" * 200,
    "Wolfgang-Sebastian " * 10,
    "ירושלים",
    "Zoë 🂡 😀",
    "#let x = [*bold*] $x$ @ref \\u{41}",
)
FIGURES = ("4.7759", "−123", "1234", "26", "9", "0")


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
    made = wall_sheet(table, paper=paper, colour="#7a1f3d", site="https://club.example")
    return page_texts(made)


def _seen(text: str) -> str:
    """A text as paper has it: without blanks, control characters and marks of direction."""
    return re.sub(r"[\s\u202a-\u202e\u2066-\u2069\x00-\x1f\x7f-\x9f]", "", text)


def test_hostile_names_are_texts_of_the_print() -> None:
    names = [name for name in (*HOSTILE, *LONG) if name.isascii()]
    pages = printed(published(*(row(at, name) for at, name in enumerate(names, 1))))
    whole = joined([text for page in pages for text in page])
    missing = [name for name in names if _seen(name) not in whole]
    assert missing == []
    assert "Riverside#strong[Hearts]" in whole


@pytest.mark.parametrize("name", LONG)
def test_picture_has_room_for_any_name(name: str) -> None:
    table = published(*(row(at, name, members=name) for at in range(1, 9)))
    picture = Image.open(io.BytesIO(link_picture(table, colour="")))
    assert picture.size == (1200, 630)
    margin = picture.convert("L").crop((1140, 30, 1200, 630))
    assert min(margin.tobytes()) > 240


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("n", [1, 16, 17, 200])
def test_every_page_has_the_heads_and_its_number(paper: str, n: int) -> None:
    table = published(*(row(at, f"Player number {at}") for at in range(1, n + 1)))
    pages = printed(table, paper)
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
