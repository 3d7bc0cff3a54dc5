"""A sheet that is entered again: the secretary is asked before anything of it is stored."""

import pytest

from tests.support.builders import counts, hand, league, players, table
from tests.support.cast import NOW
from tests.support.pages.grid import Secretary
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.hands import Entry, Game, Hand
from tournaments.selectors.hands.score_sheet import game_at
from tournaments.services.hands.record_entry import record_entry

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
            actor=evenings.cast.actor("dirk"), game=first, number=number, entry={**entry, **more},
            now=NOW, source="host",
        )  # fmt: skip
    return Evenings(evenings.cast, event, EVENT)


def at(evenings: Evenings, code: str) -> Secretary:
    return Secretary(evenings, address=f"{EVENT}/tables/{code}/grid")


def n_hands(evenings: Evenings, code: str) -> int:
    return Hand.objects.filter(game=game_at(evenings.event, code)).count()


def test_same_people_in_another_round_are_asked_about_before_anything_is_stored(
    twice: Evenings,
) -> None:
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
    assert (answer.status_code, answer["Location"]) == (302, f"{EVENT}/rounds/2/pile")
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
def test_one_equal_hand_or_others_are_not_asked_about(
    twice: Evenings, rows: dict[int, str]
) -> None:
    assert at(twice, "r2t1").send(rows).status_code == 302
    assert n_hands(twice, "r2t1") == len(rows)


def test_hands_that_are_in_and_unchanged_are_not_asked_about(twice: Evenings) -> None:
    assert at(twice, "r1t1").send({4: "1 2 3q 7"}).status_code == 302
    assert Entry.objects.filter(hand__game__event=twice.event).count() == 4


def test_last_sheet_says_that_all_are_in_and_counts_one_hand_as_one(evenings: Evenings) -> None:
    event = league(evenings.cast.riverside, slug="one", name="One", length="hands:1")
    seated = players(evenings.cast.riverside, *(f"Other {n}." for n in range(1, 9)))
    game: Game = table(event, seated[:4])
    table(event, seated[4:], table_number=2)
    hand(game, 1, [6, 3, 4, 0], queen=1)
    address = "/clubs/riverside/events/one"
    hanna = Secretary(evenings, address=f"{address}/tables/r1t1/grid")
    assert "1 of 1 hand entered" in text_of(hanna.page)
    page = text_of(hanna.client.get(f"{address}/rounds/1/pile"))
    assert "1 sheet of 2 is missing." in page
    hanna = Secretary(evenings, address=f"{address}/tables/r1t2/grid")
    answer = hanna.send({1: "1 2 3q 7"}, go="next")
    page = text_of(hanna.client.get(answer["Location"]))
    assert "All sheets of round 1 are entered." in page
    assert "All sheets are entered." in page
    assert ADDRESS not in answer["Location"]
