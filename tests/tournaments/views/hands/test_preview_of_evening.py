"""A correction tells what it does to its evening, and that is what happens then."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Answer, Json, post_json, send_json
from tests.support.builders import by_tests, counts, hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.comparisons.stored_rows import rows_of_everything
from tests.support.evening_work import work_on_evenings
from tests.support.history import make_all
from tests.support.module_scope import made_once
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Round
from tournaments.models.standings import StoredHistory
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.standings.evening_results import newest_result
from tournaments.services.hands.close_tables import move_game
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.rounds import move_round

EVENT = "/clubs/riverside/events/league"
FIRST = f"{EVENT}/tables/r1t1/hands/1"
EVENING = date(2025, 11, 6)
SWAPPED = (4, 2, 1, 6)
"""Ben and Cem exchanged: Cem is first, in the place of Ben."""


@dataclass(frozen=True, slots=True)
class Autumn:
    """Two evenings of a table each; Ben was first on both."""

    cast: Cast
    event: Event
    people: Sequence[Player]


def play(event: Event, people: Sequence[Player], number: int, on: date) -> None:
    game = table(event, people, round_number=number, on=on)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    move_game(by_tests(), game, to="complete")
    move_round(by_tests(), Round.objects.get(event=event, number=number), to="closed")


def make_autumn(cast: Cast) -> Autumn:
    settings = {"primary": "placement_points", "placement": {"4": [5, 3, 2, 1]}}
    event = league(cast.riverside, settings=settings)
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    for number in (1, 2):
        play(event, people, number, EVENING + timedelta(weeks=number - 1))
    publish(event.pk, now=NOW)
    return Autumn(cast, event, people)


autumn_once, autumn = made_once("autumn", make_autumn)


def asked(autumn: Autumn, hearts: Sequence[int] = SWAPPED) -> Answer:
    body = {"entry": counts(list(hearts), 3), "reason": "Exchanged."}
    dirk = autumn.cast.client("dirk")
    return post_json(dirk, f"/api/v1{FIRST}/preview", body, If_Match='"1"')


def saved(autumn: Autumn, digest: str) -> Answer:
    body = {"entry": counts(list(SWAPPED), 3), "reason": "Exchanged.", "previewed": digest}
    dirk = autumn.cast.client("dirk")
    return send_json(dirk, "PUT", f"/api/v1{FIRST}", body, If_Match='"1"')


def stored_places(event: Event) -> Mapping[str, int]:
    publish(event.pk, now=NOW)
    make_all(event.pk)
    row = StoredHistory.objects.get(event=event, kind="evening", key=EVENING.isoformat())
    return {row["player_id"]: row["rank"] for row in json.loads(bytes(row.body))["rows"]}


def test_page_says_who_would_be_first_and_writes_nothing(autumn: Autumn) -> None:
    before = rows_of_everything()
    host = Host(autumn.cast.client("dirk"), f"{FIRST}/edit")
    page = text_of(host.send(typed(SWAPPED, queen=4)), 200)
    assert (
        "Cem would be first so far in the evening of Thursday 6 November 2025. First now: Ben. "
        "Cem: 2 → 1 Ben: 1 → 2"
    ) in page
    assert rows_of_everything() == before


def test_evening_that_is_over_would_have_been_won(autumn: Autumn) -> None:
    end_evening(by_tests(), meeting_on(autumn.event, EVENING))
    host = Host(autumn.cast.client("dirk"), f"{FIRST}/edit")
    page = text_of(host.send(typed(SWAPPED, queen=4)), 200)
    assert "Cem would have won the evening of Thursday 6 November 2025. First now: Ben." in page


def test_first_place_that_stays_is_not_said_to_change(autumn: Autumn) -> None:
    host = Host(autumn.cast.client("dirk"), f"{FIRST}/edit")
    page = text_of(host.send(typed((2, 1, 4, 6), queen=4)), 200)
    assert "2 places change in the evening of Thursday 6 November 2025." in page
    assert "would be first" not in page
    host = Host(autumn.cast.client("dirk"), f"{FIRST}/edit")
    page = text_of(host.send(typed((3, 1, 3, 6), queen=4)), 200)
    assert "Ada: 3 → 2= Cem: 2 → 2=" in page
    host = Host(autumn.cast.client("dirk"), f"{FIRST}/edit")
    same = text_of(host.send(typed((4, 0, 3, 6), queen=4)), 200)
    assert "in the evening of" not in same


def test_rest_has_the_places_that_then_are_published(autumn: Autumn) -> None:
    effect: Json = asked(autumn).json()
    assert effect["evening"] == {
        "date": "2025-11-06",
        "first": {"before": ["RL02"], "after": ["RL03"]},
        "places": {
            "changed": 2,
            "results": [
                {"player_id": "RL03", "player": "Cem", "before": 2, "after": 1},
                {"player_id": "RL02", "player": "Ben", "before": 1, "after": 2},
            ],
        },
        "result": None,
    }
    assert saved(autumn, effect["digest"]).status_code == 200
    assert stored_places(autumn.event) == {"RL03": 1, "RL02": 2, "RL01": 3, "RL04": 4}


def test_penalty_of_the_evening_that_came_meanwhile_makes_the_preview_outdated(
    autumn: Autumn,
) -> None:
    digest = asked(autumn).json()["digest"]
    penalize(autumn.event, "RL03", "4", "Late.", meeting=EVENING)
    refused = saved(autumn, digest)
    assert refused.status_code == 409
    there = refused.json()["there"]["evening"]
    assert there["first"] == {"before": ["RL02"], "after": ["RL02"]}


def test_result_that_follows_is_named_and_its_number_outdates_no_preview(
    autumn: Autumn, clock: time_machine.Traveller
) -> None:
    end_evening(by_tests(), meeting_on(autumn.event, EVENING))
    work_on_evenings(autumn.event, NOW)
    effect = asked(autumn).json()
    assert effect["evening"]["result"] == {"before": 1, "after": 2, "is_announced": True}
    same = asked(autumn, (4, 0, 3, 6)).json()
    assert same["evening"]["result"] is None
    publish_anew(autumn.event)
    again = asked(autumn).json()
    assert again["evening"]["result"] == {"before": 2, "after": 3, "is_announced": True}
    assert saved(autumn, effect["digest"]).status_code == 200


def publish_anew(event: Event) -> None:
    """Draw the result of the first evening again, with the same places under another head."""
    result = newest_result(meeting_on(event, EVENING))
    assert result is not None
    result.pk = None
    result.number = 2
    result.save(force_insert=True)


def test_only_hand_of_an_evening_leaves_nobody_first(autumn: Autumn) -> None:
    page = text_of(autumn.cast.client("dirk").get(f"{FIRST}/void"))
    assert (
        "Nobody would be first in the evening of Thursday 6 November 2025. First now: Ben." in page
    )
    assert "Ben: 1 → –" in page


def test_round_without_a_date_has_no_evening(autumn: Autumn) -> None:
    Round.objects.filter(event=autumn.event, number=1).update(meeting=None)
    assert asked(autumn).json()["evening"] is None
    Round.objects.filter(event=autumn.event, number=1).update(
        meeting=meeting_on(autumn.event, EVENING)
    )
    assert asked(autumn).json()["evening"] is not None


def test_preview_asks_no_more_of_the_database_with_more_evenings(autumn: Autumn) -> None:
    asked(autumn)
    with CaptureQueriesContext(connection) as few:
        assert asked(autumn).status_code == 200
    for number in range(3, 15):
        play(autumn.event, autumn.people, number, EVENING + timedelta(weeks=number))
    publish(autumn.event.pk, now=NOW)
    with CaptureQueriesContext(connection) as many:
        assert asked(autumn).status_code == 200
    assert len(many) <= len(few)


def test_rest_previews_a_hand_of_somebody_with_a_penalty_of_the_evening(autumn: Autumn) -> None:
    penalize(autumn.event, "RL03", "1", "Late.", meeting=EVENING)
    response = asked(autumn)
    assert response.status_code == 200
    rows = {row["player_id"]: row for row in response.json()["rows"]["results"]}
    assert [line["meeting"] for line in rows["RL03"]["after"]["ledger"]] == ["2025-11-06"]
