"""REST of the history of standings: as of a round, places, who met whom, differences."""

import json
from datetime import date, timedelta

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.builders import hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tournaments.models.standings import StoredHistory
from tournaments.selectors.standings import history
from tournaments.services.publishing.publications import publish


@pytest.fixture
def season(evening: Evening) -> Evening:
    """Two rounds on two Thursdays, both published, with their history."""
    late = table(evening.event, evening.people, round_number=2, on=date(2025, 11, 13))
    hand(late, 1, [1, 2, 3, 7], queen=0)
    publish(evening.event.pk, now=NOW + timedelta(days=7))
    make_all(evening.event.pk)
    return evening


def test_table_as_of_round_1_is_its_publication_in_short(season: Evening, client: Client) -> None:
    first = client.get(f"{season.at}/publications/1").json()
    del first["publication"]
    answer = client.get(f"{season.at}/standings?round=1")
    assert answer.content == json.dumps(first, ensure_ascii=False, separators=(",", ":")).encode()
    assert client.get(f"{season.at}/standings?date=2025-11-12").content == answer.content


def test_csv_as_of_the_last_round_is_the_publications(season: Evening, client: Client) -> None:
    now = client.get(f"{season.at}/standings.csv")
    then = client.get(f"{season.at}/standings.csv?round=2")
    assert then.content == now.content
    assert then["Content-Type"] == "text/csv; charset=utf-8"


def test_table_of_the_past_that_is_known_is_not_sent_again(season: Evening, client: Client) -> None:
    address = f"{season.at}/standings?round=1"
    again = client.get(address, headers={"If-None-Match": client.get(address)["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(address, headers={"If-None-Match": '"1-other"'}).status_code == 200


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("date=2025-11-05", 404, "nothing_played_by_then"),
        ("date=5.11.2025", 400, "bad_parameter"),
        ("date=2025-02-30", 400, "bad_parameter"),
        ("round=0", 400, "bad_parameter"),
        ("round=first", 400, "bad_parameter"),
        ("round=1&table=2", 400, "unknown_parameter"),
    ],
)
def test_what_is_no_round_and_no_day_is_refused_with_its_reason(
    season: Evening, client: Client, query: str, status: int, code: str
) -> None:
    answer = client.get(f"{season.at}/standings?{query}")
    assert answer.status_code == status
    assert [error["code"] for error in answer.json()["errors"]] == [code]


def test_history_has_places_and_values_after_each_round(season: Evening, client: Client) -> None:
    rounds = client.get(f"{season.at}/history").json()["rounds"]
    assert [(round_["round"], round_["meeting"], round_["hands"]) for round_ in rounds] == [
        (1, "2025-11-06", 2),
        (2, "2025-11-13", 3),
    ]
    assert rounds[0]["places"] == {"RL01": "3", "RL02": "2", "RL03": "1", "RL04": "4"}
    assert rounds[1]["values"]["RL03"] == "5/3"


def test_head_to_head_has_each_pair_from_both_sides(season: Evening, client: Client) -> None:
    rows = client.get(f"{season.at}/head-to-head").json()["results"]
    assert len(rows) == 12
    by_pair = {(row["player_id"], row["opponent_id"]): row for row in rows}
    own = by_pair["RL01", "RL04"]
    assert (own["games"], own["share"], own["difference"]) == (2, "1/2", 5)
    assert by_pair["RL04", "RL01"]["difference"] == -5
    own = client.get(f"{season.at}/players/RL01/head-to-head").json()["results"]
    assert [row["opponent_id"] for row in own] == ["RL02", "RL03", "RL04"]
    assert client.get(f"{season.at}/players/RL99/head-to-head").status_code == 404


def test_event_too_large_for_a_matrix_has_the_list_of_each(
    season: Evening, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MOST_IN_A_MATRIX", 3)
    answer = client.get(f"{season.at}/head-to-head")
    assert answer.status_code == 404
    assert answer.json()["errors"][0]["code"] == "matrix_too_large"
    assert len(client.get(f"{season.at}/players/RL01/head-to-head").json()["results"]) == 3


def test_difference_of_publications_names_hands_between(season: Evening, client: Client) -> None:
    body = client.get(f"{season.at}/publications/1/difference/2").json()
    assert (body["older"], body["newer"]) == (1, 2)
    assert body == client.get(f"{season.at}/publications/2/difference/1").json()
    assert [
        (one["table"], [cause["hand"] for cause in one["causes"]]) for one in body["tables"]
    ] == [("r2t1", [1])]
    assert body["tables"][0]["causes"][0]["kind"] == "new_hand"
    assert client.get(f"{season.at}/publications/1/difference/3").status_code == 404
    assert client.get(f"{season.at}/publications/1/difference/1").status_code == 404


def test_difference_shows_ranking_values_with_penalties(season: Evening, client: Client) -> None:
    last = client.get(f"{season.at}/standings").json()["rows"][-1]
    penalize(season.event, last["player_id"], "1/2", "Late.", now=NOW + timedelta(days=8))
    publish(season.event.pk, now=NOW + timedelta(days=8))
    body = client.get(f"{season.at}/publications/2/difference/3").json()
    assert body["moved"] == []
    assert [(row["player_id"], row["value_was"], row["value_now"]) for row in body["changed"]] == [
        (last["player_id"], "10.3333", "10.8333")
    ]


def test_table_of_an_event_that_is_held_is_missing(season: Evening, client: Client) -> None:
    season.event.visibility = "held"
    season.event.save(update_fields=["visibility"])
    assert client.get(f"{season.at}/standings?round=1").status_code == 404
    then = season.cast.client("dirk").get(f"{season.at}/standings?round=1")
    assert (then.status_code, then["Cache-Control"]) == (200, "private, no-cache")


def test_reading_makes_nothing(evening: Evening, client: Client) -> None:
    assert client.get(f"{evening.at}/history").json() == {"rounds": []}
    assert client.get(f"{evening.at}/standings?round=1").status_code == 404
    assert StoredHistory.objects.count() == 0


def test_table_as_of_a_day_holds_no_later_meeting(cast: Cast, client: Client) -> None:
    event = league(cast.riverside, slug="out-of-order")
    people = players(cast.riverside, "E", "F", "G", "H")
    for number, day, hearts in ((1, 10, [13, 0, 0, 0]), (2, 3, [0, 0, 4, 9])):
        hand(table(event, people, round_number=number, on=date(2025, 11, day)), 1, hearts, queen=2)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    at = "/api/v1/clubs/riverside/events/out-of-order/standings"
    bodies = {day: client.get(f"{at}?date=2025-11-{day}").json() for day in ("03", "10")}
    assert bodies["03"]["as_of"] == {"meeting": "2025-11-03", "round": 2, "hands": 1}
    assert bodies["10"]["as_of"] == {"meeting": "2025-11-10", "round": 2, "hands": 2}
    first = client.get(f"{at}?round=1").json()["as_of"]
    assert first == {"meeting": "2025-11-10", "round": 1, "hands": 1}
    page = client.get("/clubs/riverside/events/out-of-order/standings?date=2025-11-03")
    assert "As of Monday 3 November 2025, with today" in page.text
    assert client.get(f"{at}?date=2025-11-02").status_code == 404
