"""Blocks of a spreadsheet that are pasted into the grid of a pile."""

import re

import pytest

from tests.support.pages.grid import GOOD, Secretary, hearts, stored
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings


@pytest.fixture
def hanna(evenings: Evenings) -> Secretary:
    return Secretary(evenings)


BY_HAND = "6\t3q\t4\t0\n7q\t2\t0\t4\n11q\t0\t0\t2"
BY_SEAT = "6\t7q\t11q\n3q\t2\t0\n4\t0\t0\n0\t4\t2"
NAMED = (
    "Seat\t2\t3\t4\nMarit S.\t6\t7q\t11q\nJörg S.\t3q\t2\t0\nCleo S.\t4\t0\t0\nCarla K.\t0\t4\t2"
)


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (BY_HAND, "3 rows of 4 read as one row per hand."),
        (BY_SEAT, "4 rows of 3 read as one row per seat."),
        (NAMED, "5 rows of 4 read as one row per seat."),
        (
            "2\t6\t3q\t4\t0\t26\n3\t7q\t2\t0\t4\t26\n4\t11q\t0\t0\t2\t26",
            "3 rows of 6 read as one row per hand.",
        ),
        (
            "Jörg S.;Marit S.;Cleo S.;Carla K.\n3q;6;4;0\n2;7q;0;4\n0;11q;0;2",
            "4 rows of 4 read as one row per hand.",
        ),
    ],
)
def test_block_of_a_spreadsheet_fills_the_grid_and_says_how_it_was_read(
    hanna: Secretary, block: str, said: str
) -> None:
    answer = hanna.send({}, go="paste", paste=block, paste_at="2")
    assert answer.status_code == 200
    assert [hanna.row(n) for n in (1, 2, 3, 4, 5)] == [
        "3 3q 3 4", GOOD, "7q 2 0 4", "11q 0 0 2", "_ _ _ _",
    ]  # fmt: skip
    assert said in text_of(answer)
    assert "Nothing is saved yet." in text_of(answer)
    assert not stored(2)
    assert hanna.send({}).status_code == 302
    assert hearts(4) == [11, 0, 0, 2]


def test_square_block_is_read_as_what_adds_up_and_can_be_switched(hanna: Secretary) -> None:
    square = "6\t7q\t11q\t3\n3q\t2\t0\t3\n4\t0\t0\t3q\n0\t4\t2\t4"
    answer = hanna.send({}, go="paste", paste=square, paste_at="2")
    assert "4 rows of 4 read as one row per seat." in text_of(answer)
    assert hanna.row(2) == GOOD
    answer = hanna.send({}, go="paste:hand", paste=square)
    assert "4 rows of 4 read as one row per hand." in text_of(answer)
    assert hanna.row(2) == "6 7q 11q 3"


def test_points_of_a_spreadsheet_are_known_by_their_sum(hanna: Secretary) -> None:
    answer = hanna.send({}, go="paste", paste="16\t3\t7\t0\n0\t20\t6\t0", paste_at="2")
    assert "The numbers are points." in text_of(answer)
    assert hanna.send({}).status_code == 302
    assert stored(2)[0].typed == {"points": [16, 3, 7, 0]}


@pytest.mark.parametrize(
    "block",
    [
        "3q\t6\t4\t0\t\t\n2\t7q\t0\t4\t\t",
        "2\t3q\t6\t4\t0\t\t\n3\t2\t7q\t0\t4\t\t",
        "\t3q\t6\t4\t0\n\t2\t7q\t0\t4",
        "3q\t6\t4\t0\n2\t7q\t0\t4\nSum\t18\t26\t4\t4",
        "\tA\tB\tC\tD\n1\t3q\t6\t4\t0\n2\t2\t7q\t0\t4\nTotal\t18\t26\t4\t4",
        "\t1\t2\tSum\nA\t3q\t2\t18\nB\t6\t7q\t26\nC\t4\t0\t4\nD\t0\t4\t4",
        "4\t3q\t6\t4\t0\n5\t2\t7q\t0\t4",
        "3q\t6\t4\t0\n4q\t5\t4\t0\t\t",
    ],
)
def test_block_with_more_beside_the_hands_is_not_shifted(hanna: Secretary, block: str) -> None:
    hanna.send({}, go="paste", paste=block, paste_at="2")
    assert hanna.row(2) == "3q 6 4 0"
    assert len(hanna.row(3).split()) == 4
    assert hanna.row(4) == "_ _ _ _"
    assert hanna.send({}).status_code == 302
    assert stored(3)


def test_more_hands_than_a_page_holds_are_told_and_go_in_on_the_next(hanna: Secretary) -> None:
    """Of 110 pasted hands 40 have a row; the page says where the others begin, and leads there."""
    lines = [f"{at % 10}q\t{13 - at % 10}\t0\t0" for at in range(110)]
    answer = hanna.send({3: "1 2 _ _"}, go="paste", paste="\n".join(lines), paste_at="4")
    says = (
        "71 hands do not fit on this page. Save these hands, then paste the others with 43 "
        "as the first"
    )
    assert says in text_of(answer)
    assert (hanna.row(3), hanna.row(42)) == ("1 2 _ _", "8q 5 0 0")
    assert "was not read" not in text_of(answer)
    wide = "\n".join([*lines[:3], f"1q\t12\t0\t0{' ' * 20_000}\t"])
    cut = hanna.send({3: "1 2 _ _"}, go="paste", paste=wide, paste_at="4")
    assert "The block has more than 20000 characters, so the rest was not read." in text_of(cut)
    assert "3 rows of 4 read" in text_of(cut), "half a line is no hand"
    hanna.send({3: ""})
    there = Secretary.__new__(Secretary)
    there.client, there.address = hanna.client, hanna.address
    first = hanna.client.get(hanna.address)
    onward = re.search('href="([^"]*)">Hands from 41', first.content.decode())
    assert onward is not None
    there.page = hanna.client.get(onward[1])
    assert (there.row(41), there.row(42)) == ("7q 6 0 0", "8q 5 0 0")
    answer = there.send({}, go="paste", paste="\n".join(lines[39:79]), paste_at="43")
    assert "no room" not in text_of(answer)
    assert there.send({}, go="anyway:save").status_code == 302
    assert hearts(82) == [8, 5, 0, 0]
    assert len(stored(82)) == 1


@pytest.mark.parametrize("block", ["", "1\t2", "6\t3q\t4\t0\t1\t2\t3\n1\t2"])
def test_block_that_fits_neither_way_fills_nothing_in(hanna: Secretary, block: str) -> None:
    answer = hanna.send({2: GOOD}, go="paste", paste=block)
    assert hanna.row(2) == GOOD
    assert hanna.row(3) == "_ _ _ _"
    if block:
        assert answer.status_code == 422
        assert "Paste rows of hands with 4 columns, or 4 rows of seats." in text_of(answer)
