"""Each round that is posted is recorded for webhooks once, whichever operation posts it."""

import pytest

from tests.support.builders import by_tests, league, players
from tests.support.cast import Cast
from tests.support.scenarios.open_nights import OpenNightEvening
from tests.support.scenarios.playoffs import play, tied
from tests.support.webhooks import HOOK
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Round
from tournaments.models.webhooks import WebhookEvent
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.playoffs.director_actions import move_playoff
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import seat_table
from tournaments.services.webhooks.manage import create_webhook

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def listen(club: Club, *kinds: str) -> None:
    create_webhook(by_tests(), club, url=HOOK, kinds=kinds)


def posted(event: Event) -> list[tuple[int, int]]:
    rows = WebhookEvent.objects.filter(event=event, kind="round.posted").order_by("number")
    return [(row.data["round"], row.data["event_version"]) for row in rows]


def test_round_of_an_open_night_is_recorded_with_its_first_tables_only(cast: Cast) -> None:
    listen(cast.riverside, "round.posted")
    event = league(cast.riverside)
    night = OpenNightEvening(event, 4)
    night.form()
    first = (1, event_version(event))
    assert posted(event) == [first]
    night.come("Wim W.", "Xaver W.", "Yann W.")
    (table,) = night.form()
    assert table["code"] == "r1t2"
    assert posted(event) == [first]
    night.end("r1t1")
    night.form()
    assert posted(event) == [first, (2, event_version(event))]


def test_round_that_its_first_table_posts_is_recorded_once(cast: Cast) -> None:
    listen(cast.riverside, "round.posted")
    event = league(cast.riverside)
    for names in (("Anna", "Bert", "Cora", "Dora"), ("Emil", "Fritz", "Gerd", "Hans")):
        seat_table(by_tests(), event, round_number=1, players=players(cast.riverside, *names))
    assert [number for number, _ in posted(event)] == [1]
    round_ = Round.objects.get(event=event)
    move_round(by_tests(), round_, to="draft")
    move_round(by_tests(), round_, to="posted")
    assert [number for number, _ in posted(event)] == [1, 1]


def test_round_of_a_playoff_is_recorded_with_the_version_that_posted_it(cast: Cast) -> None:
    listen(cast.riverside, "round.posted")
    event = tied(cast.riverside)
    Playoff.objects.filter(event=event).update(state="detected", legs=[], stage=None)
    before, version = posted(event), event_version(event)
    move_playoff(by_tests(), event, number=1, to="scheduled")
    assert event_version(event) == version + 1
    (new,) = posted(event)[len(before) :]
    assert new[1] == version + 1


def test_tables_of_a_playoff_are_recorded_with_the_playoff(cast: Cast) -> None:
    listen(cast.riverside, "round.posted", "playoff.changed")
    event = tied(cast.riverside)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    numbers = list(Round.objects.filter(event=event, stage__kind="playoff").order_by("number"))
    assert [number for number, _ in posted(event)][-len(numbers) :] == [
        one.number for one in numbers
    ]
    states = WebhookEvent.objects.filter(event=event, kind="playoff.changed").order_by("number")
    assert [state.data["state"] for state in states][:2] == ["scheduled", "in_play"]
    stored = (
        WebhookEvent.objects.filter(event=event).order_by("pk").values_list("number", flat=True)
    )
    assert list(stored) == list(range(1, len(stored) + 1))
