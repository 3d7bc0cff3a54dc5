"""The grid of a pile: pasted blocks, its foot over many variants, and repeated sheets."""

import random
import re
from collections.abc import Sequence
from html import unescape

import pytest

from scoring.entry.sheet import boxes
from scoring.game.game import new_game
from scoring.rules.catalogue import catalogue
from tests.support.answers import Answer
from tests.support.builders import counts, league, players, table
from tests.support.lengths import short_or_long
from tests.support.pages.grid import GOOD, Secretary, hearts, stored
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.random_hands import dealt_at, settled
from tournaments.models.hands import Entry, Hand
from tournaments.selectors.hands.score_sheet import get_game
from tournaments.services.hands.record_entry import record_entry
from tournaments.views.hands.grid_cells import RowTexts, grammar_of, write_row
from tournaments.views.hands.hand_form_fields import EntryFields, fields_of, sheet_of


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
def test_block_fills_the_grid_and_says_how_read(hanna: Secretary, block: str, said: str) -> None:
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


def test_running_totals_of_a_spreadsheet_fill_the_grid_with_points(hanna: Secretary) -> None:
    block = "13\t5\t8\t0\n13\t18\t21\t0\n39\t44\t21\t26"
    answer = hanna.send({}, go="paste", paste=block, paste_at="2")
    assert "The numbers are running totals." in text_of(answer)
    assert [hanna.row(n) for n in (2, 3, 4)] == ["13 5 8 0", "0 13 13 0", "26 26 0 26"]
    answer = hanna.send({}, go="paste:hand:points", paste=block, paste_at="2")
    assert hanna.row(3) == "13 18 21 0"
    assert "running totals" not in text_of(answer)


def test_running_totals_go_on_from_the_hands_before_them(hanna: Secretary) -> None:
    before = [int(text) for text in hanna.send({}, go="paste").context["grid"]["base"]]
    assert any(before)
    hands = (13, 5, 8, 0), (0, 13, 13, 0)
    sums = [sum(column) for column in zip(before, hands[0], strict=True)]
    lines = [sums, [sum(column) for column in zip(sums, hands[1], strict=True)]]
    block = "\n".join("\t".join(map(str, line)) for line in lines)
    answer = hanna.send({}, go="paste", paste=block, paste_at="2")
    assert "The numbers are running totals." in text_of(answer)
    assert [hanna.row(n) for n in (2, 3)] == ["13 5 8 0", "0 13 13 0"]


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
    assert "Hands from 1<" not in first.content.decode()
    there.page = hanna.client.get(onward[1])
    assert (there.row(41), there.row(42)) == ("7q 6 0 0", "8q 5 0 0")
    assert "Hands from 1<" in there.page.content.decode()
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
        assert "Paste rows of hands with 4 columns, or 4 rows of seats." in text_of(answer, 422)


SOME = [
    "hearts", "omnibus-hearts", "hearts-multipack", "cancellation-hearts", "spot-hearts",
    "gong-zhu", "partnership-hearts-pooled", "joker-hearts", "super-hearts", "hearts-online",
]  # fmt: skip
MINUS = "\u2212"


def rows_of(chance: random.Random, variant: str, seats: int) -> tuple[EntryFields, list[RowTexts]]:
    """Four legal hands as texts of the grid, a moon among them where the rules have one."""
    rules = catalogue().rules(variant)
    sheet = sheet_of(rules, seats, new_game(rules, seats).teams or None)
    found: list[RowTexts] = []
    wanted = ["moon", "plain", "plain", "plain"]
    for _deal in range(400):
        dealt = dealt_at(chance, rules, seats)
        entry = dealt.counts if dealt.ready.short_form else dict(dealt.entry)
        if "first_trick" not in {box.kind for box in boxes(rules, seats)}:
            entry = {key: value for key, value in entry.items() if key != "first_trick_by"}
        made = settled(dealt, entry, new_game(rules, seats))
        kind = "moon" if made.moon else "plain"
        if kind not in wanted:
            continue
        wanted.remove(kind)
        if made.moon and made.moon.choice:
            entry = {**entry, "slam_choice": made.moon.choice}
        found.append(write_row(grammar_of(sheet), "counts", fields_of(sheet, entry, "counts")))
        if not wanted:
            break
    return sheet, found


def put(sheet: EntryFields, texts: list[RowTexts]) -> dict[str, str]:
    fields = {}
    for number, one in enumerate(texts, start=1):
        for row, text in zip(sheet.rows, one.cells, strict=True):
            fields[f"c-{number}-{row}"] = text
        fields |= {f"c-{number}-{kind}": text for kind, text in one.beside.items()}
    return fields


def foot(page: Answer) -> list[str]:
    html = page.content.decode()
    return [unescape(cell) for cell in re.findall(r'class="foot-sum">([^<]*)<', html)]


def sheet_foot(page: Answer) -> list[str]:
    cells = page.content.decode().partition("<tfoot>")[2].partition("</tfoot>")[0]
    return [unescape(cell) for cell in re.findall(r'<span class="pts">([^<]*)</span>', cells)]


def columns_of(rows: Sequence[int], seats: int) -> Sequence[int]:
    """The seats with a column on a sheet: where sides share their points, each side's first."""
    return rows if len(rows) < seats else range(1, seats + 1)


@pytest.mark.parametrize("variant", short_or_long(SOME, list(VARIANTS)))
def test_foot_of_the_grid_equals_the_sheet_and_rest(evenings: Evenings, variant: str) -> None:
    least, most = catalogue().rules(variant).keys.players
    seats = most if variant in SOME[:2] else least
    chance = random.Random(variant)  # noqa: S311 - deals cards, keeps no secret
    event = league(evenings.cast.riverside, slug="foot", name="Foot", variant=variant)
    seated = players(evenings.cast.riverside, *(f"Guest {n}." for n in range(seats)))
    table(event, seated, variant=variant)
    address = "/clubs/riverside/events/foot/tables/r1t1"
    sheet, texts = rows_of(chance, variant, seats)
    hanna = Secretary(evenings, address=f"{address}/grid")
    refused = dict(zip((f"c-5-{row}" for row in sheet.rows), ["0"] * seats, strict=False))
    answer = hanna.send({}, **put(sheet, texts), **refused)  # a hand of nothing is refused
    assert answer.status_code == 422
    rest = hanna.client.get(f"/api/v1{address}/hands").json()["results"]
    assert len(rest) == len(texts)
    totals = [str(seat["total"]).replace("-", MINUS) for seat in rest[-1]["seats"]]
    page = sheet_foot(hanna.client.get(address))
    if not isinstance(rest[-1]["seats"][0]["total"], list):
        assert page == [totals[row - 1] for row in columns_of(sheet.rows, seats)]
    rows = [page[row - 1].replace(" ", "") for row in sheet.rows]
    assert [one.replace(" ", "") for one in foot(answer)] == rows
    assert "without hand 5" in answer.content.decode()
    hanna.page = hanna.client.get(hanna.address)
    assert [one.replace(" ", "") for one in foot(hanna.page)] == rows


def test_keys_say_how_the_tricks_of_a_hand_are_entered(evenings: Evenings) -> None:
    event = league(evenings.cast.riverside, slug="reversis", name="Reversis", variant="reversis")
    seated = players(evenings.cast.riverside, *(f"Guest {n}." for n in range(4)))
    table(event, seated, variant="reversis")
    page = evenings.client("hanna").get("/clubs/riverside/events/reversis/tables/r1t1/grid")
    assert "Tricks a number for each seat with spaces between" in text_of(page)


EVENT = "/clubs/riverside/events/twice"
FIRST = {1: "6 3q 4 0", 2: "7 5q 1 0", 3: "0 0 13q- 0"}
TURNED = {1: "3q 4 0 6", 2: "5q 1 0 7", 3: "0 13q- 0 0"}
"""The same hands where everybody sits one seat farther on."""


@pytest.fixture
def twice(evenings: Evenings) -> Evenings:
    """Two rounds of the same four people, who sit otherwise in the second, and another table."""
    event = league(evenings.cast.riverside, slug="twice", name="Twice")
    people = players(evenings.cast.riverside, *(f"Guest {n}." for n in range(1, 9)))
    first = table(event, people[:4])
    table(event, people[4:], table_number=2)
    table(event, [*people[1:4], people[0]], round_number=2)
    for number, entry in enumerate(
        [counts([6, 3, 4, 0], 1), counts([7, 5, 1, 0], 1), counts([0, 0, 13, 0], 2)], start=1
    ):
        more = {"slam_choice": "self"} if number == 3 else {}
        record_entry(
            evenings.cast.operation("dirk"), first, number=number,
            entry={**entry, **more}, source="host",
        )  # fmt: skip
    return Evenings(evenings.cast, event, EVENT)


def at(evenings: Evenings, code: str) -> Secretary:
    return Secretary(evenings, address=f"{EVENT}/tables/{code}/grid")


def n_hands(evenings: Evenings, code: str) -> int:
    return Hand.objects.filter(game=get_game(evenings.event, code)).count()


def test_same_people_in_another_round_are_asked_about_before_storing(twice: Evenings) -> None:
    hanna = at(twice, "r2t1")
    answer = hanna.send(TURNED, go="next")
    page = text_of(answer)
    assert answer.status_code == 409
    assert "Was this sheet entered twice?" in page
    assert "Hands 1–3 are the same as hands 1–3 of table 1, round 1, entered by Dirk" in page
    assert f'<a href="{EVENT}/tables/r1t1">' in answer.content.decode()
    assert n_hands(twice, "r2t1") == 0
    answer = hanna.send({}, go="cancel")
    assert answer.status_code == 200
    assert [hanna.row(n) for n in TURNED] == list(TURNED.values())
    assert n_hands(twice, "r2t1") == 0
    hanna.send({}, go="save")
    answer = hanna.send({}, go="anyway:next")
    assert (answer.status_code, answer["Location"]) == (302, f"{EVENT}/rounds/2")
    assert n_hands(twice, "r2t1") == 3


def test_other_numbers_of_the_same_table_are_asked_about(twice: Evenings) -> None:
    hanna = at(twice, "r1t1")
    page = text_of(hanna.send({5: FIRST[1], 6: FIRST[2], 7: "1 2 3 7q"}))
    assert "Hands 5–6 are the same as hands 1–2 of this table, entered by Dirk" in page
    assert n_hands(twice, "r1t1") == 3
    assert hanna.send({}, go="anyway:save").status_code == 302
    assert n_hands(twice, "r1t1") == 6


def test_sheet_at_the_wrong_table_of_its_round_is_asked_about(twice: Evenings) -> None:
    page = text_of(at(twice, "r1t2").send(FIRST))
    assert "Hands 1–3 are the same as hands 1–3 of table 1, round 1" in page
    assert n_hands(twice, "r1t2") == 0


def test_points_of_the_same_hands_are_known_too(twice: Evenings) -> None:
    hanna = at(twice, "r2t1")
    hanna.send({}, go="way:points")
    page = text_of(hanna.send({1: "16 4 0 6", 2: "18 1 0 7"}))
    assert "Hands 1–2 are the same as hands 1–2 of table 1, round 1" in page


@pytest.mark.parametrize(
    "rows", [{1: TURNED[1]}, {1: TURNED[1], 2: "1 2 3q 7"}, {1: FIRST[1], 2: FIRST[2]}]
)
def test_one_equal_hand_or_other_is_not_asked_about(twice: Evenings, rows: dict[int, str]) -> None:
    assert at(twice, "r2t1").send(rows).status_code == 302
    assert n_hands(twice, "r2t1") == len(rows)


def test_hands_that_are_in_and_unchanged_are_not_asked_about(twice: Evenings) -> None:
    assert at(twice, "r1t1").send({4: "1 2 3q 7"}).status_code == 302
    assert Entry.objects.filter(hand__game__event=twice.event).count() == 4
