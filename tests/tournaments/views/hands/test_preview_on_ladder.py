"""A correction on a ladder tells what it does to the list, the ratings and challenges, and that is
what happens then; on the page and over REST."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Answer, Json, post_json, send_json
from tests.support.builders import by_tests, counts, hand, players, table
from tests.support.cast import NOW, Cast
from tests.support.module_scope import made_once
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.jobs import Dirty
from tournaments.models.ladders import Challenge, LadderMove, LadderState, LadderStep, RatingChange
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.services.events.events import create_event, move_event
from tournaments.services.hands.close_tables import move_game
from tournaments.services.ladders.log import add_step, lock_ladder_state
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round

EVENT = "/clubs/riverside/events/ladder"
FIRST = f"{EVENT}/tables/r1t1/hands/1"
NAMES = ("Ada", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hedi", "Ida", "Jan")
SWAPPED = (6, 1, 2, 4)
"""Ada and Dora exchanged: Dora is second of the table then, and Ada third."""


@dataclass(frozen=True, slots=True)
class Season:
    """Ten members and three nights: two tables, then one, then one with three of the first."""

    cast: Cast
    event: Event
    people: Sequence[Player]
    games: Sequence[Game]


def make_season(cast: Cast) -> Season:
    event = create_event(
        by_tests(), cast.riverside, slug="ladder", name="Ladder", kind="ladder",
        variant="hearts", settings={"length": "open", "primary": "beaten_mean"},
    )  # fmt: skip
    event = move_event(by_tests(), event, to="open")
    people = players(cast.riverside, *NAMES)
    games = [
        night(event, people[:4], [4, 1, 2, 6], round_number=1),
        night(event, people[4:8], [1, 5, 4, 3], round_number=1, table_number=2),
        night(event, [people[0], people[4], people[8], people[9]], [0, 3, 6, 4], round_number=2),
        night(event, [people[6], people[1], people[5]], [2, 5, 6], round_number=3),
    ]
    work(event)
    return Season(cast, event, people, games)


season_once, season = made_once("season", make_season)


def night(
    event: Event, seated: Sequence[Player], hearts: Sequence[int], *, round_number: int, **at: Any
) -> Game:
    on = date(2025, 11, 6) + timedelta(days=7 * round_number)
    game = table(event, seated, round_number=round_number, on=on, **at)
    hand(game, 1, list(hearts), queen=2)
    move_game(by_tests(), game, to="complete")
    return game


def work(event: Event) -> Json:
    """Let the workers do what there is, and return the ladder as published."""
    publish(event.pk, now=NOW)
    publish_ladder(event.pk, now=NOW)
    newest = Publication.objects.filter(ladder=event).latest("number")
    body: dict[str, Any] = json.loads(bytes(newest.body))
    return body


def closed(season: Season) -> None:
    """Close the first night, so that its corrections are looked at first."""
    move_round(by_tests(), season.games[0].table.round, to="closed")
    work(season.event)


def asked(season: Season, hearts: Sequence[int] = SWAPPED, act: str = "correct") -> Answer:
    body = {"act": act} if act != "correct" else {"entry": counts(list(hearts), 2)}
    dirk = season.cast.client("dirk")
    return post_json(dirk, f"/api/v1{FIRST}/preview", body, If_Match='"1"')


def saved(season: Season, digest: str, hearts: Sequence[int] = SWAPPED) -> Answer:
    body = {"entry": counts(list(hearts), 2), "reason": "Exchanged.", "previewed": digest}
    return send_json(season.cast.client("dirk"), "PUT", f"/api/v1{FIRST}", body, If_Match='"1"')


def places(body: Json) -> dict[str, int]:
    return {row["player_id"]: row["place"] for row in body["rows"]}


def ratings(body: Json) -> dict[str, float]:
    return {row["player_id"]: row["rating"] for row in body["rows"]}


def differing(before: Json, after: Json) -> dict[str, tuple[object, object]]:
    return {
        code: (before.get(code), after.get(code))
        for code in {**after, **before}
        if before.get(code) != after.get(code)
    }


def told_of(listed: Json) -> dict[str, tuple[object, object]]:
    return {
        result["player_id"]: (result["before"], result["after"]) for result in listed["results"]
    }


def everything() -> dict[str, list[tuple[object, ...]]]:
    models = (
        *(Aggregate, Challenge, Contribution, Dirty, Entry, Game, Hand, LadderMove, LadderState),
        *(LadderStep, Publication, RatingChange),
    )
    return {model.__name__: list(model.objects.order_by("pk").values_list()) for model in models}


def challenged(season: Season, *, by: int, who: int, state: str = "confirmed") -> Challenge:
    entrants = {entrant.code: entrant for entrant in Entrant.objects.filter(event=season.event)}
    made = Challenge.objects.create(
        club=season.event.club,
        event=season.event,
        number=1,
        challenger=entrants[season.people[by].player_id],
        challenged=entrants[season.people[who].player_id],
        state=state,
        issued_at=NOW,
        game=season.games[0],
    )
    lock_ladder_state(season.event)
    add_step(season.event, "challenge", on=date(2025, 11, 20), challenge=made)
    Dirty.objects.filter(scope=f"ladder:{season.event.pk}").update(version=100)
    return made


def test_preview_is_what_the_next_publication_of_the_ladder_says(season: Season) -> None:
    before, rows = work(season.event), everything()
    answer = asked(season)
    assert answer.status_code == 200
    told = answer.json()["ladder"]
    assert everything() == rows
    assert saved(season, answer.json()["digest"]).status_code == 200
    after = work(season.event)
    moved = differing(places(before), places(after))
    assert len(moved) >= 2
    assert told_of(told["places"]) == moved
    assert told["places"]["changed"] == len(moved)
    rated = differing(ratings(before), ratings(after))
    assert len(rated) >= 4
    assert told_of(told["ratings"]) == rated
    assert told["ratings"]["changed"] == len(rated)
    sizes = [abs(result["after"] - result["before"]) for result in told["ratings"]["results"]]
    assert sizes == sorted(sizes, reverse=True)
    numbers = (before["publication"]["number"], after["publication"]["number"])
    assert told["publication"] == {"before": numbers[0], "after": numbers[1]}
    assert (told["challenges"], answer.json()["playoffs"], answer.json()["cuts"]) == ([], [], [])


def test_correction_that_moves_nobody_says_so_and_makes_no_publication(season: Season) -> None:
    number = work(season.event)["publication"]["number"]
    answer = asked(season, (4, 1, 3, 5)).json()
    assert answer["rows"]["changed"] == 3
    assert answer["ladder"] == {
        "places": {"changed": 0, "results": []},
        "ratings": {"changed": 0, "results": []},
        "challenges": [],
        "publication": {"before": number, "after": number},
    }
    assert saved(season, answer["digest"], (4, 1, 3, 5)).status_code == 200
    assert work(season.event)["publication"]["number"] == number


def test_ladder_that_is_behind_is_compared_as_it_would_be_published_now(season: Season) -> None:
    people = season.people
    night(season.event, [people[6], people[7], people[9]], [1, 5, 7], round_number=4)
    told = asked(season).json()["ladder"]
    before = work(season.event)
    assert asked(season).json()["ladder"]["places"] == told["places"]
    assert saved(season, asked(season).json()["digest"]).status_code == 200
    after = work(season.event)
    assert told_of(told["places"]) == differing(places(before), places(after))


def test_challenge_that_somebody_else_has_won_then_is_named(season: Season) -> None:
    challenged(season, by=3, who=0)
    before = work(season.event)
    answer = asked(season).json()
    ada, dora = (season.people[one].player_id for one in (0, 3))
    assert answer["ladder"]["challenges"] == [
        {
            "number": 1,
            "before": {"state": "confirmed", "winner": ada},
            "after": {"state": "confirmed", "winner": dora},
        }
    ]
    assert saved(season, answer["digest"]).status_code == 200
    after = work(season.event)
    assert told_of(answer["ladder"]["places"]) == differing(places(before), places(after))


def test_challenge_whose_only_hand_is_voided_becomes_void(season: Season) -> None:
    made = challenged(season, by=3, who=0)
    work(season.event)
    answer = asked(season, act="void")
    assert answer.status_code == 200
    (one,) = answer.json()["ladder"]["challenges"]
    assert (one["before"]["state"], one["after"]) == (
        "confirmed",
        {"state": "void", "winner": None},
    )
    made.refresh_from_db()
    assert made.state == "confirmed"


def test_page_says_who_changes_places_and_which_ratings_change_most(season: Season) -> None:
    Player.objects.filter(pk=season.people[0].pk).update(name="Ada M.", public_name="Ada M.")
    closed(season)
    challenged(season, by=3, who=0)
    work(season.event)
    told = asked(season).json()["ladder"]
    host = Host(season.cast.client("dirk"), f"{FIRST}/edit")
    page = text_of(host.send(typed(list(SWAPPED), queen=3)))
    assert f"The ladder: {told['places']['changed']} members change places" in page
    assert f"{told['ratings']['changed']} ratings change" in page
    assert "Challenge 1, Dora against Ada M.: Dora has won, not Ada M. " in page


def test_preview_asks_no_more_of_the_database_on_a_longer_ladder(season: Season) -> None:
    asked(season)
    with CaptureQueriesContext(connection) as few:
        assert asked(season).status_code == 200
    for number in range(4, 24):
        night(season.event, season.people[:4], [4, 1, 2, 6], round_number=number)
    work(season.event)
    with CaptureQueriesContext(connection) as many:
        assert asked(season).status_code == 200
    assert len(many) <= len(few)
