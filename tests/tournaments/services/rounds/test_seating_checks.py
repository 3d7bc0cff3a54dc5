"""A table whose cards would not come out even is refused; an abandoned one takes no hands."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from scoring.errors import Refused
from tests.support.builders import TESTS, counts, hand, players
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.imports.imports import imported, rows, said, written
from tests.support.pages.hand_entry import TABLE, stored, typed
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings
from tests.support.scenarios.table_links import linked
from tournaments.errors import Conflict, Forbidden
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.meetings import Table
from tournaments.services.events.events import create_event, move_event
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.operations import Operation
from tournaments.services.rounds.seating import seat_table

pytestmark = pytest.mark.django_db

RIGHT = typed([4, 1, 2, 6], queen=3)
SAID = "Table 2 was abandoned and takes no hands. Ask the director."
REST = f"/api/v1{TABLE}/hands"
CODE = "table_abandoned"


def game() -> Game:
    games = Game.objects.select_related("event", "club", "snapshot", "table__round")
    return games.get(table__code="r1t2", table__event__slug="league")


@pytest.fixture
def abandon(evenings: Evenings) -> Callable[..., None]:
    """Abandon table 2 of round 1, which has one hand."""

    def do(*, hands_count: bool = True) -> None:
        move_game(
            Operation(TESTS, NOW),
            game(),
            to="abandoned",
            reason="Fire alarm.",
            hands_count=hands_count,
        )

    return do


def test_rest_refuses_a_new_hand_under_its_own_code(
    evenings: Evenings, abandon: Callable[..., None]
) -> None:
    hanna = evenings.client("hanna")
    abandon()
    body = json.dumps({"number": 2, "entry": counts([4, 1, 2, 6], 3)})
    for headers in ({}, {"Idempotency-Key": "k-1"}):
        answer = hanna.post(REST, body, content_type="application/json", headers=headers)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, CODE)
        assert answer.json()["errors"][0]["message"].startswith(SAID)
    assert (stored(2), game().hands_counted, game().state) == ([], 1, "abandoned")


@pytest.mark.parametrize("name", ["hanna", "dirk"])
def test_page_for_the_next_hand_says_it_and_has_no_form(
    evenings: Evenings, abandon: Callable[..., None], name: str
) -> None:
    client = evenings.client(name)
    abandon()
    for path in (f"{TABLE}/hands/new", f"{TABLE}/hands/new?number=2"):
        page = client.get(path)
        assert (page.status_code, SAID in text_of(page)) == (200, True)
        assert "Enter hand" not in text_of(page)
        assert 'name="hearts-1"' not in page.content.decode()
    assert 'name="hearts-1"' in client.get(f"{TABLE}/hands/1/edit").content.decode()
    assert "Table 2 Abandoned" in text_of(client.get("/my-tables"))


def test_links_page_says_it_and_offers_no_hand(cast: Cast) -> None:
    night = linked(cast)
    phone = night.holder()
    assert "Enter hand 2" in text_of(phone.get("/t"))
    move_game(Operation(TESTS, NOW), night.game, to="abandoned", reason="Fire alarm.")
    page = text_of(phone.get("/t"))
    assert "Table 1 was abandoned and takes no hands. Ask the director." in page
    assert "Enter hand 2" not in page
    assert "takes no hands" in text_of(phone.get(f"{night.table}/hands/new"))


def test_sheet_with_a_wrong_total_is_not_filed(
    evenings: Evenings, abandon: Callable[..., None]
) -> None:
    abandon()
    entry = counts([4, 1, 2, 5], 3)
    with pytest.raises(Conflict, match=CODE):
        file_disputed(
            Operation(TESTS, NOW), game(), number=2, entry=entry, key=None, reason="Look."
        )
    assert stored(2) == []


def test_import_holds_its_new_hand_and_skips_the_one_that_is_there(
    evenings: Evenings, abandon: Callable[..., None], tmp_path: Path
) -> None:
    abandon()
    cast = {"N": "RL05,Marit S.", "E": "RL06,Jörg S.", "S": "RL07,Cleo S.", "W": "RL08,Carla K."}
    where = {"round_": 1, "table": 2, "day": "2025-11-06", "variant": "hearts", "cast": cast}
    there = rows(1, [3, 3, 3, 4], "E", **where)  # type: ignore[arg-type]
    fresh = rows(2, [4, 1, 2, 6], "W", **where)  # type: ignore[arg-type]
    report = imported(written(tmp_path, there, fresh))
    assert ("table_abandoned", "ask") in [(code, what) for code, what, _ in said(report)]
    assert (report.accepted, stored(2), game().state) == (1, [], "abandoned")
    again = imported(written(tmp_path, there, name="again.csv"))
    assert CODE not in [code for code, _, _ in said(again)]


def test_hand_that_is_there_may_still_be_corrected(
    evenings: Evenings, abandon: Callable[..., None]
) -> None:
    abandon()
    hand(
        game(),
        1,
        [3, 3, 4, 3],
        1,
        based_on=1,
        reason="Swapped.",
        actor=evenings.cast.actor("hanna"),
    )
    assert (game().hands_counted, game().state) == (1, "abandoned")


def test_hand_that_does_not_count_is_restored_by_a_director_only(
    evenings: Evenings, abandon: Callable[..., None]
) -> None:
    file_disputed(
        Operation(TESTS, NOW),
        game(),
        number=2,
        entry=counts([4, 1, 2, 5], 3),
        key=None,
        reason="Look.",
    )
    abandon(hands_count=False)
    for number in (1, 2):
        assert Hand.objects.get(game=game(), number=number).state != "accepted"
        with pytest.raises(Forbidden):
            hand(
                game(), number, [4, 1, 2, 6], 3, based_on=1, reason="Counts.",
                actor=evenings.cast.actor("hanna"),
            )  # fmt: skip
    assert Entry.objects.filter(hand__game=game()).count() == 2
    hand(
        game(), 1, [4, 1, 2, 6], 3, based_on=1, reason="Counts.", actor=evenings.cast.actor("dirk")
    )
    assert game().hands_counted == 1


def test_cards_that_do_not_come_out_even_seat_nobody() -> None:
    cast = enter_the_cast()
    event = create_event(
        Operation(TESTS, NOW), cast.riverside, name="Threes", variant="hearts",
        options={"removed_cards": {"3": ["3C"]}},
    )  # fmt: skip
    event = move_event(Operation(TESTS, NOW), event, to="open")
    people = players(cast.riverside, "A A.", "B B.", "C C.", "D D.", "E E.")
    with pytest.raises(Refused) as refused:
        seat_table(Operation(TESTS, NOW), event, round_number=1, players=people)
    (problem,) = refused.value.problems
    assert (problem.code, problem.at) == ("seat_count", ("players",))
    assert problem.message == "The 52 cards of these rules cannot be dealt evenly to 5 players."
    assert not Table.objects.exists()
    seat_table(Operation(TESTS, NOW), event, round_number=1, players=people[:3])
    assert Table.objects.get().code == "r1t1"
