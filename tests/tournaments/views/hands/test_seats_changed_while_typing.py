"""Entering hands: seats that change before the page is saved, and what it asks of the database."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Answer
from tests.support.builders import by_tests
from tests.support.pages.grid import GRID, Secretary
from tests.support.pages.hand_entry import NEW, TABLE, Host, edit, points, stored, typed, values
from tests.support.pages.text import text_of
from tests.support.players import stored_player
from tests.support.scenarios.evenings import Evenings
from tournaments.models.clubs import Player
from tournaments.models.hands import Game, Hand
from tournaments.services.hands.change_players import change_players
from tournaments.services.hands.plan_player_changes import PlayerChange
from tournaments.services.hands.void_hand import void_hand

pytestmark = pytest.mark.both_databases

MOVED = "Players have changed seats since this page was opened: Jörg S., Marit S."


def swap(evenings: Evenings, hands: str = "remap") -> None:
    change(PlayerChange("swap", 1, Player.objects.get(name="Jörg S.").player_id, hands=hands))


def change(wanted: PlayerChange) -> None:
    game = Game.objects.select_related("event", "table").get(
        table__code="r1t2", table__event__slug="league"
    )
    change_players(by_tests(), game, change=wanted, reason="Wrong seats.")


@pytest.mark.parametrize("hands", ["remap", "keep"])
def test_new_hand_stays_in_its_fields_beside_who_sits_now(evenings: Evenings, hands: str) -> None:
    host = Host(evenings.client("hanna"))
    swap(evenings, hands)
    answer = host.send(typed([5, 4, 4, 0], queen=1))
    assert MOVED in text_of(answer, 409)
    assert values(answer) == ["5", "4", "4", "0"]
    assert not stored(2)
    assert host.send(typed([4, 5, 4, 0], queen=2)).status_code == 302
    assert stored(2)[0].typed["hearts"] == [4, 5, 4, 0]


def test_hand_whose_answer_was_lost_is_there_after_the_seats_changed(evenings: Evenings) -> None:
    host = Host(evenings.client("hanna"))
    first = host.page
    assert host.send(typed([5, 4, 4, 0], queen=1)).status_code == 302
    swap(evenings)
    host.page = first
    assert host.send(typed([5, 4, 4, 0], queen=1)).status_code == 302
    assert [one.revision for one in stored(2)] == [1, 2]


def test_guest_in_the_seat_takes_the_seats_numbers_over(evenings: Evenings) -> None:
    host = Host(evenings.client("hanna"))
    guest = stored_player(club=evenings.cast.riverside, player_id="G1", name="Gus")
    change(PlayerChange("substitute", 1, guest.player_id, from_hand=2))
    assert host.send(typed([5, 4, 4, 0], queen=1)).status_code == 302


def test_row_of_the_grid_stays_beside_who_sits_there_now(evenings: Evenings) -> None:
    hanna = Secretary(evenings, "hanna", GRID)
    swap(evenings)
    hanna.send({2: "5q 4 4 0"})
    assert MOVED in hanna.why(2)
    assert hanna.row(2) == "5q 4 4 0"
    assert not stored(2)
    assert hanna.send({2: "4 5q 4 0"}).status_code == 302


def test_totals_stay_beside_who_sits_there_now(evenings: Evenings) -> None:
    game = Game.objects.get(table__code="r1t2", table__event__slug="league")
    void_hand(by_tests(), game, number=1, based_on=1, reason="Totals.")
    host = Host(evenings.client("hanna"), f"{TABLE}/totals")
    swap(evenings)
    assert MOVED in text_of(host.send(points(20, 6, 0, 0), go=""), 422)
    assert not Hand.objects.filter(game=game, number=0).exists()
    assert host.send(points(6, 20, 0, 0), go="").status_code == 302


@pytest.mark.parametrize("text", ["", "[", "7", '{"a": 1}', "[[[[", '["RL01", null, 3]'])
def test_field_that_is_none_holds_nobody_up(evenings: Evenings, text: str) -> None:
    host = Host(evenings.client("hanna"), NEW)
    assert host.send({**typed([5, 4, 4, 0], queen=1), "seated": text}).status_code == 302


CONTROL = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK")


def statements(send: Callable[[], Answer], status: int) -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        assert send().status_code == status
    return [
        query["sql"] for query in asked.captured_queries if not query["sql"].startswith(CONTROL)
    ]


def on(postgresql: int, sqlite: int) -> int:
    """PostgreSQL locks in a statement of its own, and writes two tables with one."""
    return postgresql if connection.vendor == "postgresql" else sqlite


def n_reads(asked: list[str]) -> int:
    table = 'SELECT "tournaments_table"."id"'
    return sum("'r1t2'" in sql and sql.startswith(table) for sql in asked)


@pytest.fixture
def host(evenings: Evenings) -> Host:
    return Host(evenings.client("hanna"), NEW)


def test_new_hand_reads_its_table_once(host: Host) -> None:
    asked = statements(lambda: host.send(typed([4, 1, 2, 6], 3)), 302)
    assert n_reads(asked) == 1
    assert len(asked) == on(postgresql=21, sqlite=22), "\n".join(asked)


def test_hand_that_is_refused_is_shown_without_reading_its_table_again(host: Host) -> None:
    asked = statements(lambda: host.send(typed([4, 1, 2, 5], 3)), 422)
    assert n_reads(asked) == 1
    assert len(asked) == on(postgresql=16, sqlite=15), "\n".join(asked)


def test_correction_reads_its_table_once(host: Host) -> None:
    form = edit(host.client)
    asked = statements(lambda: form.send(typed([3, 3, 4, 3], 2), reason="Swapped."), 302)
    assert n_reads(asked) == 1
    assert len(asked) == on(postgresql=29, sqlite=28), "\n".join(asked)


def test_rows_of_the_grid_read_their_table_once(evenings: Evenings, host: Host) -> None:
    grid = Secretary(evenings)
    asked = statements(lambda: grid.send({3: "6 3q 4 0"}), 302)
    assert n_reads(asked) == 1
    # Three of them look for the number of the second hand, which is missing here.
    assert len(asked) == on(postgresql=30, sqlite=31), "\n".join(asked)
