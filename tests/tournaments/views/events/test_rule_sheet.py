"""The page "How this league is counted", and both sheets in the preview of settings."""

from datetime import time, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import by_tests, hand, ladder, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.rule_sheet import facts_for_rules
from tournaments.selectors.standings.rule_example import find_rule_example
from tournaments.services.events.change_event import change_settings
from tournaments.services.events.entrants import set_guest
from tournaments.services.publishing.publications import publish
from tournaments.services.verification.event import recount_now

EVENT = "/clubs/riverside/events/league"
SHEET = f"{EVENT}/how-it-counts"
CHANGE = f"{EVENT}/settings/change"


@pytest.fixture
def event(cast: Cast) -> Event:
    settings = {"primary": "placement_points", "placement": {"4": [5, 3, 2, 1]}}
    return league(cast.riverside, settings=settings)


def play(event: Event, *, n_rounds: int = 1) -> None:
    """Ada wins the first round, and is third in the second."""
    people = players(event.club, "Ada", "Ben", "Cleo", "Dora")
    hand(table(event, people), 1, [0, 2, 4, 7], queen=3)
    if n_rounds > 1:
        hand(table(event, people, round_number=2), 1, [4, 1, 2, 6], queen=3)
    publish(event.pk, now=NOW)
    make_all(event.pk)


def test_sheet_says_the_rules_to_everybody_and_is_linked(client: Client, event: Event) -> None:
    words = text_of(client.get(SHEET))
    assert "How League is counted" in words
    assert "At a table of 4 the places give, from the first on: 5-3-2-1." in words
    assert "For example" not in words
    for page in (EVENT, f"{EVENT}/settings"):
        assert f'href="{SHEET}"' in client.get(page).content.decode()


def test_sheet_has_the_evenings_that_are_not_cancelled(client: Client, event: Event) -> None:
    play(event, n_rounds=2)
    Meeting.objects.update(ended_at=NOW)
    for week, state in ((1, "planned"), (2, "cancelled")):
        day = NOW.date() + timedelta(weeks=week)
        Meeting.objects.create(club=event.club, event=event, date=day, state=state)
    words = text_of(client.get(SHEET))
    assert "2 evenings are planned or were played, from 6 November 2025 to 13 Novem" in words
    assert "Each evening so far had 2 rounds." in words
    assert "begins at" not in words
    Meeting.objects.exclude(state="cancelled").update(time=time(19, 30))
    assert "An evening begins at 19:30." in text_of(client.get(SHEET))
    Meeting.objects.filter(date=NOW.date()).update(time=time(20))
    assert "begins at" not in text_of(client.get(SHEET))


def test_example_is_the_last_evening_of_its_winner(client: Client, event: Event) -> None:
    play(event, n_rounds=2)
    words = text_of(client.get(SHEET))
    assert "For example: the evening of Thursday 6 November 2025" in words
    assert "Ben was at place 1 of the evening." in words
    assert "Round Table Place Place points 1 1 2 3 2 1 1 5 Evening 8" in words
    assert "In the season Ben is at place 1. Place points: 8." in words
    assert "so far" not in words


def test_example_says_what_does_not_count(client: Client, event: Event) -> None:
    play(event, n_rounds=2)
    values = {"drop_worst": 1}
    change_settings(by_tests(), event, values=values, reason="The rule sheet.")
    recount_now(event.pk, now=NOW)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    words = text_of(client.get(SHEET))
    assert "1 1 2 3 (left out) 2 1 1 5 Evening 8" in words
    assert "Results of Ben that count so far: 1 of 2." in words


def test_guest_is_not_the_example(client: Client, event: Event) -> None:
    play(event)
    ada = event.entrants.get(members__player__name="Ada")
    set_guest(by_tests(), ada, guest=True, reason="She is on a visit.")
    publish(event.pk, now=NOW)
    make_all(event.pk)
    assert "Ben was at place 2 of the evening." in text_of(client.get(SHEET))


@pytest.mark.parametrize(
    ("totals", "evening", "among_members"),
    [
        ([0, 0, 4, 9], "Ben was at place 1= of the evening.", "place 1, which gives 8"),
        (
            [0, 1, 1, 11],
            "Ben was at place 2= of the evening.",
            "place 1=, which gives 7",
        ),
    ],
)
def test_guests_are_left_out_of_the_points_of_the_example(
    client: Client, event: Event, totals: list[int], evening: str, among_members: str
) -> None:
    event.settings |= {
        "primary": "evening_points",
        "evening_ranking": "raw_total",
        "evening_points": [8, 6, 5],
        "tie_breaks": [],
    }
    event.save()
    people = players(event.club, "Ada", "Ben", "Cleo", "Dora")
    hand(table(event, people), 1, totals, queen=3)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    assert "Guests are left out" not in text_of(client.get(SHEET))
    ada = event.entrants.get(members__player__name="Ada")
    set_guest(by_tests(), ada, guest=True, reason="She is on a visit.")
    publish(event.pk, now=NOW)
    make_all(event.pk)
    words = text_of(client.get(SHEET))
    assert evening in words
    assert f"Among the members Ben was at {among_members} evening points." in words
    assert "The place gives" not in words


def test_ladder_is_told_by_its_own_rules_and_not_by_its_points(cast: Cast, client: Client) -> None:
    ladder(cast.riverside)
    words = text_of(client.get("/clubs/riverside/events/ladder/how-it-counts"))
    assert "Ladder rules" in words
    assert "Beat a member above you to take their place." in words
    assert "average over your tables" not in words
    assert "Members move by the ladder rules." in text_of(
        client.get("/clubs/riverside/events/ladder/settings")
    )


def test_preview_of_settings_has_both_sheets(cast: Cast, event: Event) -> None:
    dirk = cast.client("dirk")
    page = dirk.get(CHANGE)
    assert "How it is counted, now and then" not in text_of(page)
    form = page.context["form"]
    sent = {field.html_name: field.value() for field in form if field.value() not in (None, False)}
    sent |= {"counting": "drop", "drop_worst": "1", "update": "yes"}
    words = text_of(dirk.post(CHANGE, sent))
    assert "How it is counted, now and then" in words
    assert (
        "Now (differs) All your games count. Then (differs) Your worst game does not count."
        in words
    )
    assert "A game A table plays any number of hands, until it is closed. Points" in words
    event.refresh_from_db()
    assert event.settings["drop_worst"] == 0


def test_example_reads_a_long_evening_with_as_many_queries_as_a_short_one(event: Event) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert find_rule_example(event) is not None
        return len(captured)

    play(event)
    n_queries = queries()
    people = list(event.club.players.order_by("player_id"))
    for number in (2, 3, 4):
        hand(table(event, people, round_number=number), 1, [0, 2, 4, 7], queen=3)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    assert queries() == n_queries <= 12
    with CaptureQueriesContext(connection) as captured:
        facts_for_rules(event)
    assert len(captured) <= 3
