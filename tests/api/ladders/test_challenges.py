"""Challenges and absences over REST: answers, refusals, keys, and who may."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Answer, Json, post_json
from tests.support.cast import NOW, Cast
from tests.support.rest.requests import codes
from tests.support.scenarios.ladders import ladder, order
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Entry
from tournaments.models.ladders import Challenge, LadderAbsence

pytestmark = pytest.mark.usefixtures("clock")

AT = "/api/v1/clubs/riverside/events/ladder"
TOTALS = {"H": 10, "I": 20, "E": 48}


@pytest.fixture
def event(cast: Cast) -> Event:
    return ladder(cast, now=NOW)


def post(client: Client, path: str, body: Json | None = None, **headers: str) -> Answer:
    return post_json(client, f"{AT}/{path}", body or {}, **headers)


def test_challenge_from_sending_to_the_changed_position(cast: Cast, event: Event) -> None:
    low, high = cast.client("H"), cast.client("E")
    response = post(low, "challenges", {"challenged": "E", "words": "On Thursday?"})
    assert (response.status_code, response["Location"]) == (201, f"{AT}/challenges/1")
    assert response.json()["due_at"] == "2025-11-10T00:00:00Z"
    assert response.json()["may"] == ["withdrawn"]
    assert high.get(f"{AT}/challenges/1").json()["may"] == ["accepted", "declined"]
    assert Client().get(f"{AT}/challenges/1").json()["may"] == []
    answered = post(high, "challenges/1/moves", {"to": "accepted"})
    assert answered.json()["may"] == ["played", "forfeited_d", "cancelled", "postpone"]
    put_off = post(low, "challenges/1/postpone")
    assert put_off.json()["postponed_by"] == ["H"]
    assert put_off.json()["due_at"] == "2025-11-28T00:00:00Z"
    result = post(low, "challenges/1/result", {"points": TOTALS}).json()
    assert (result["state"], result["table"], result["winner"]) == ("played", "r1t1", "H")
    assert result["may"] == ["accepted", "dispute"]
    assert Entry.objects.get().source == "api"
    done = post(high, "challenges/1/moves", {"to": "confirmed"}).json()
    assert (done["state"], done["confirmed_as"], done["challenger"]["place"]) == (
        "confirmed",
        "loser",
        5,
    )
    assert order(event) == "ABCDHEFGIJ"
    listed = Client().get(f"{AT}/challenges").json()["results"]
    assert [(one["number"], one["state"]) for one in listed] == [(1, "confirmed")]
    table = Client().get(f"{AT}/challenges.csv").content.decode().splitlines()
    assert table[0].startswith("number,state,challenger,challenger_name,challenged")
    assert table[1].startswith("1,confirmed,H,Member H,E,Member E,2025-11-06T21:00:00Z")


def test_refusals_have_codes_and_places(cast: Cast, event: Event) -> None:
    low = cast.client("H")
    for body, status, code in (
        ({"challenged": "H"}, 422, "challenge_self"),
        ({"challenged": "Z"}, 404, "unknown_entrant"),
        ({}, 422, "challenged_needed"),
        ({"challenged": 7}, 422, "bad_text"),
        ({"challenged": "E", "who": "me"}, 422, "unknown_member"),
        ({"challenged": "E", "challenger": "G"}, 403, "forbidden"),
        ({"challenged": "E", "words": "\x00"}, 422, "bad_text"),
    ):
        answer = post(low, "challenges", body)
        assert (answer.status_code, codes(answer)) == (status, [code]), body
    said = post(low, "challenges", {"challenged": "A"}).json()["errors"][0]
    assert said["facts"] == {"member": "A", "place": 1, "own": 8, "found": 7, "most": 3}
    assert not Challenge.objects.exists()
    assert codes(post(low, "challenges/9/moves", {"to": "accepted"})) == ["unknown_challenge"]
    assert Client().get(f"{AT}/challenges/9").status_code == 404
    post(low, "challenges", {"challenged": "E"})
    nowhere = post(low, "challenges/1/moves", {"to": "nowhere"})
    assert (nowhere.status_code, codes(nowhere)) == (409, ["challenge_state"])
    assert codes(post(low, "challenges/1/moves", {"to": "accepted"})) == ["challenge_not_yours"]
    wrong: list[Any] = [[], "20", 7, {}, {f"P{n}": 1 for n in range(14)}]
    for points in wrong:
        sent = {"points": points}
        assert codes(post(low, "challenges/1/result", sent)) == ["bad_setting"], points
    said = post(low, "challenges/1/result", {"points": [20]}).json()["errors"][0]
    expected = (
        "points cannot be a list. Expected: an object of totals by player id, 1 to 13 of them."
    )
    assert said["message"] == expected
    long = {"points": {"x" * 501: 1}}
    assert codes(post(low, "challenges/1/result", long)) == ["bad_text"]
    day = {"points": TOTALS, "played_on": "yesterday"}
    assert codes(post(low, "challenges/1/result", day)) == ["bad_day"]


def declined(event: Event, *numbers: int) -> None:
    """Challenges of H to E that E has declined."""
    low, high = (Entrant.objects.get(event=event, code=code) for code in "HE")
    Challenge.objects.bulk_create(
        Challenge(
            club_id=event.club_id,
            event=event,
            number=number,
            challenger=low,
            challenged=high,
            state="declined",
            issued_at=NOW,
            closed_at=NOW,
        )
        for number in numbers
    )


def test_page_of_challenges_costs_the_same_however_many_there_are(cast: Cast, event: Event) -> None:
    declined(event, *range(1, 4))
    asked = []
    for more in ((), range(4, 203)):
        declined(event, *more)
        with CaptureQueriesContext(connection) as queries:
            assert len(Client().get(f"{AT}/challenges?limit=3").json()["results"]) == 3
        asked.append(len(queries))
    assert asked[0] == asked[1] <= 8


def test_absence_is_told_listed_for_members_and_ended(
    cast: Cast, event: Event, clock: time_machine.Traveller
) -> None:
    away = cast.client("G")
    response = post(away, "absences", {"since": "2025-11-06", "until": "2025-11-20"})
    line = {"player_id": "G", "player": "Member G", "since": "2025-11-06", "until": "2025-11-20"}
    assert (response.status_code, response.json()) == (201, line)
    assert away.get(f"{AT}/absences").json()["results"] == [line]
    assert Client().get(f"{AT}/absences").json()["results"] == []
    csv = away.get(f"{AT}/absences.csv").content.decode().splitlines()
    assert csv[1] == "G,Member G,2025-11-06,2025-11-20"
    clock.shift(timedelta(days=2))
    assert post(away, "absences/end").json() == {"results": [{**line, "until": "2025-11-07"}]}
    assert codes(post(away, "absences/end")) == ["unknown_absence"]
    for body, code in (
        ({}, "bad_day"),
        ({"since": "6 Nov"}, "bad_day"),
        ({"since": "9999-12-31"}, "bad_day"),
        ({"since": "2025-11-07"}, "absence_backdated"),
        ({"since": "2025-11-20", "until": "2025-11-19"}, "absence_backwards"),
        ({"since": "2025-11-20", "until": "2025-12-31"}, "absence_too_long"),
        ({"since": "2025-11-20", "player_id": "H"}, "forbidden"),
    ):
        assert codes(post(away, "absences", body)) == [code], body
    assert LadderAbsence.objects.count() == 1
    assert codes(post(cast.client("hanna"), "absences", {"since": "2025-11-01"})) == [
        "member_needed"
    ]
    told = post(cast.client("hanna"), "absences", {"since": "2025-11-01", "player_id": "H"})
    assert told.status_code == 201
