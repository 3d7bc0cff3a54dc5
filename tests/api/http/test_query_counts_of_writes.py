"""What a write asks of the database: so many statements, however large the league is."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.api.conftest import Evening
from tests.support.builders import counts, hand, players, table
from tests.support.rest.requests import token
from tests.support.rest.sheets import CSV
from tournaments.models.rounds import Round

pytestmark = pytest.mark.both_databases


NEW = {"number": 3, "entry": counts([4, 1, 2, 6], 3)}
CONTROL = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


def statements(evening: Evening, method: str, path: str, body: object, **headers: str) -> list[str]:
    """Send a body that is done as Hanna's token does it, and return what the database was asked."""
    sent = {"authorization": f"Bearer {token('hanna', 'enter')}", **headers}
    with CaptureQueriesContext(connection) as asked:
        response = Client().generic(
            method, evening.at + path, json.dumps(body), "application/json", headers=sent
        )
    assert response.status_code in (200, 201), response.content
    return [
        query["sql"] for query in asked.captured_queries if not query["sql"].startswith(CONTROL)
    ]


def on(postgresql: int, sqlite: int) -> int:
    """PostgreSQL locks in a statement of its own, and writes two tables with one."""
    return postgresql if connection.vendor == "postgresql" else sqlite


def test_new_hand_takes_at_most_twelve_statements(evening: Evening) -> None:
    headers = {"Idempotency-Key": "phone-7"}
    asked = statements(evening, "POST", "/tables/r1t1/hands", NEW, **headers)
    assert len(asked) == on(postgresql=11, sqlite=12), "\n".join(asked)


def test_first_hand_of_a_round_takes_one_more_to_begin_it(evening: Evening) -> None:
    Round.objects.update(state="posted")
    asked = statements(evening, "POST", "/tables/r1t1/hands", NEW)
    assert len(asked) == on(postgresql=12, sqlite=13), "\n".join(asked)
    assert Round.objects.get().state == "playing"


def test_hand_with_a_moon_and_one_at_a_long_table_take_as_many(evening: Evening) -> None:
    for number in range(3, 20):
        hand(evening.game, number, [4, 1, 2, 6], 3)
    moon = {"number": 20, "entry": counts([13, 0, 0, 0], 0, slam_choice="others")}
    asked = statements(evening, "POST", "/tables/r1t1/hands", moon)
    assert len(asked) == on(postgresql=11, sqlite=12), "\n".join(asked)


def test_hand_of_a_large_league_takes_as_many(evening: Evening) -> None:
    for number in range(2, 12):
        people = players(evening.cast.riverside, *(f"Guest {number}-{n}" for n in range(4)))
        hand(table(evening.event, people, round_number=number), 1, [4, 1, 2, 6], 3)
    asked = statements(evening, "POST", "/tables/r1t1/hands", NEW)
    assert len(asked) == on(postgresql=11, sqlite=12), "\n".join(asked)


@pytest.mark.parametrize("number", [1, 2])
def test_revision_reads_the_stored_scores_replaces_those_that_differ_and_says_so(
    evening: Evening, number: int
) -> None:
    body = {"entry": counts([4, 1, 2, 6], 0), "reason": "The queen was North's."}
    asked = statements(evening, "PUT", f"/tables/r1t1/hands/{number}", body, **{"If-Match": '"1"'})
    assert len(asked) == on(postgresql=19, sqlite=18), "\n".join(asked)


def test_file_takes_as_many_statements_with_three_hands_as_with_one(evening: Evening) -> None:
    taken = []
    for round_, hands in ((11, 1), (12, 1), (13, 3)):
        head, *rows = CSV.splitlines()
        lines = [row.replace(",1,1,hearts,1,", f",{round_},1,hearts,{number},")
                 for number in range(1, hands + 1) for row in rows]  # fmt: skip
        file = SimpleUploadedFile("e.csv", "\r\n".join([head, *lines]).encode())
        with CaptureQueriesContext(connection) as asked:
            response = Client().post(
                f"{evening.at}/imports",
                {"file": file},
                headers={"authorization": f"Bearer {token('hanna', 'enter')}"},
            )
        assert response.status_code == 200, response.content
        taken.append(len(asked))
    assert taken[1] == taken[2]


def test_statement_that_is_kept_planned_is_logged_as_any_other(evening: Evening) -> None:
    for _ in range(4):
        with CaptureQueriesContext(connection) as asked:
            Client().get(f"{evening.at}/standings")
        assert ["tournaments_publication" in one["sql"] for one in asked] == [True]


def test_scoring_asks_for_nothing_but_how_often_it_was_asked(client: Client, db: None) -> None:
    case = {"variant": "hearts", "hands": [counts([4, 1, 2, 6], 3)]}
    with CaptureQueriesContext(connection) as asked:
        client.post("/api/v1/score", json.dumps(case), content_type="application/json")
    others = [one for one in asked if not one["sql"].startswith(CONTROL)]
    assert [other["sql"] for other in others if "blacklady_cache" not in other["sql"]] == []


def test_sheets_take_as_many_statements_with_many_hands_as_with_one(evening: Evening) -> None:
    people = [
        player.player_id
        for player in players(evening.cast.riverside, *map("Guest {}".format, range(12)))
    ]
    taken = []
    for round_, n_tables, n_hands in ((11, 1, 1), (12, 1, 1), (13, 3, 4)):
        sheets = [
            {
                "round": round_,
                "table": at + 1,
                "players": people[4 * at : 4 * at + 4],
                "hands": [
                    {"number": number, "entry": counts([4, 1, 2, 6], 3)}
                    for number in range(1, n_hands + 1)
                ],
            }
            for at in range(n_tables)
        ]
        if round_ == 12:  # everybody competes by now, as in the round after it
            sheets[0]["players"] = people[:4]
            more = {"round": 99, "table": 1, "players": people[4:8], "hands": sheets[0]["hands"]}
            last = {**more, "table": 2, "players": people[8:]}
            statements(evening, "POST", "/sheets", {"mode": "all", "sheets": [more, last]})
        taken.append(len(statements(evening, "POST", "/sheets", {"mode": "all", "sheets": sheets})))
    assert taken[1] == taken[2]
