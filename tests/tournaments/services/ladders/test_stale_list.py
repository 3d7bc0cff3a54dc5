"""Whom one may challenge goes by what is so now, whether or not a worker has looked at it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, publish_all, worker_runs
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import answer, issue, result, run_clock
from tests.support.scenarios.ladders import ladder, order, seated
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.ladders import Challenge, LadderStep
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.selectors.ladders.ladders import choices_of
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.ladders.challenges import answer_challenge
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.django_db
PAGES = "/clubs/riverside/events/ladder"
REST = f"/api/v1{PAGES}"


@pytest.fixture
def event(cast: Cast) -> Event:
    return ladder(cast, "ABCDEF", now=NOW, reach=1)


def play(event: Event, codes: str, hearts: list[int], queen: int, number: int = 1) -> Game:
    game = seated(event, codes, round_number=number)
    hand(game, 1, hearts, queen)
    Game.objects.filter(pk=game.pk).update(state="complete")
    return game


def rivals(event: Event, code: str) -> list[str]:
    choices = choices_of(event, event.entrants.get(code=code), now=NOW, anew=True)
    return [str(rival["player_id"]) for rival in choices["rivals"]]


def against(cast: Cast, event: Event, low: str, high: str) -> list[str]:
    try:
        issue(cast, event, low, high)
    except Refused as refused:
        return [problem.code for problem in refused.problems]
    return []


def test_corrected_table_counts_before_the_worker_has_replayed(cast: Cast, event: Event) -> None:
    game = play(event, "ABCD", [1, 2, 4, 6], 3)
    publish_all(event)
    assert order(event) == "ABCDEF"
    hand(game, 1, [6, 4, 2, 1], 0, based_on=1, reason="Read again.")
    at_once = order(event)
    assert at_once == "DCBAEF"
    assert rivals(event, "A") == ["B"]
    assert against(cast, event, "D", "C") == ["challenge_downwards"]
    assert against(cast, event, "C", "D") == []
    publish_all(event)
    assert order(event) == at_once


def test_table_that_has_just_ended_moves_who_challenges_now(cast: Cast, event: Event) -> None:
    publish_all(event)
    play(event, "ABCD", [6, 4, 2, 1], 0)
    assert against(cast, event, "D", "C") == ["challenge_downwards"]
    assert against(cast, event, "A", "B") == []
    assert order(event) == "DCBAEF"


def test_challenge_of_a_voided_game_is_void_at_the_next_one(cast: Cast, event: Event) -> None:
    issue(cast, event, "B", "A")
    answer(cast, event, "A", "accepted", now=NOW)
    won = result(cast, event, "B", "BAC")
    answer(cast, event, "A", "confirmed", now=NOW + timedelta(hours=2))
    publish_all(event)
    assert order(event) == "BACDEF"
    games = Game.objects.select_related("event", "club", "table__round", "snapshot")
    game = games.get(challenges=won)
    void_hand(by_tests(), game, number=0, based_on=1, reason="Not played.")
    move_round(by_tests(), game.table.round, to="playing", reason="Look again.")
    move_game(by_tests(), game, to="complete")
    before = AuditLine.objects.count()
    assert against(cast, event, "D", "C") == []
    assert Challenge.objects.get(pk=won.pk).state == "void"
    operations = [line.act for line in AuditLine.objects.order_by("number")][before:]
    assert operations == ["void_challenge", "issue_challenge"]


READ = [
    *(f"{PAGES}/{page}" for page in ("ladder", "challenges", "challenges/1", "ladder/what-if")),
    *(f"{PAGES}/{page}" for page in ("ladder/members/D", "ladder/members/C")),
    "/clubs/riverside/players/C",
    *(f"{REST}/{path}" for path in ("challenges", "challenges/1", "challenges.csv", "ladder")),
]


@pytest.fixture
def behind(cast: Cast, event: Event) -> Event:
    """C has challenged B; a table with a name in it was corrected since the last replay."""
    game = play(event, "ABCD", [1, 2, 4, 6], 3)
    issue(cast, event, "C", "B")
    publish_all(event)
    hand(game, 1, [6, 4, 2, 1], 0, based_on=1, reason="Read again.")
    return event


def replayed(client: Client, path: str) -> list[str]:
    """The statements with which a page reads the steps of a ladder after one of them."""
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(path)
    assert answer.status_code == 200, path
    table = LadderStep._meta.db_table
    return [
        query["sql"] for query in asked.captured_queries if f'"{table}"."number" >' in query["sql"]
    ]


@pytest.mark.parametrize("who", ["", "C"])
def test_page_replays_nothing_while_a_ladder_waits(cast: Cast, behind: Event, who: str) -> None:
    client = cast.client(who)
    assert {path: found for path in READ if (found := replayed(client, path))} == {}


def test_pages_show_the_places_of_before_and_say_so(cast: Cast, behind: Event) -> None:
    alone = text_of(cast.client().get(f"{PAGES}/challenges/1"))
    assert "They are updated when the worker is running again" in alone
    worker_runs()
    for page in ("challenges", "challenges/1", "ladder/what-if"):
        text = text_of(cast.client().get(f"{PAGES}/{page}"))
        assert "The ladder is being updated. New places follow" in text
    for page in ("ladder", "ladder/members/C"):
        text = text_of(cast.client().get(f"{PAGES}/{page}"))
        assert "The ladder is being updated. This is publication 1" in text
    assert cast.client().get(f"{REST}/challenges/1").json()["challenged"]["place"] == 2
    publish_all(behind)
    text = text_of(cast.client().get(f"{PAGES}/challenges/1"))
    assert "The ladder is being updated" not in text
    assert cast.client().get(f"{REST}/challenges/1").json()["challenged"]["place"] == 3


def test_form_that_sends_a_challenge_goes_by_the_present_list(cast: Cast, behind: Event) -> None:
    page = text_of(cast.client("A").get(f"{PAGES}/challenges/new"))
    assert "You are at place 4." in page
    assert "The ladder is being updated" not in page


def test_clock_that_is_weeks_late_replays_the_ladder_once(cast: Cast, behind: Event) -> None:
    with CaptureQueriesContext(connection) as asked:
        run_clock(behind, NOW + timedelta(weeks=12))
    assert LadderStep.objects.filter(event=behind, kind="swept").count() > 2
    table = LadderStep._meta.db_table
    whole = [query for query in asked.captured_queries if f'"{table}"."number" > 0' in query["sql"]]
    assert len(whole) == 1
    at_once = order(behind)
    publish_all(behind)
    assert order(behind) == at_once


def test_list_stays_on_the_pages_until_it_is_made_anew(cast: Cast, event: Event) -> None:
    issue(cast, event, "B", "A")
    answer(cast, event, "A", "accepted", now=NOW)
    result(cast, event, "B", "BAC")
    answer(cast, event, "A", "confirmed", now=NOW + timedelta(hours=2))
    publish_all(event)
    answer_challenge(
        by_tests(NOW + timedelta(hours=3)), challenge_at(event, 1), to="void", reason="Wrong table."
    )
    assert order(event) == "ABCDEF"
    worker_runs()
    text = text_of(cast.client().get(f"{PAGES}/challenges/1"))
    assert "Member B , now at place 1" in text
    assert "The ladder is being updated" in text
    publish_all(event)
    assert order(event) == "ABCDEF"
