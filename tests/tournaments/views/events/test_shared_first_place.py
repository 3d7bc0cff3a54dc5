"""A first place that is shared where ties are played off, but none for the title: Manage asks."""

import re

import pytest
from django.test import Client

from tests.support.answers import post_json
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in
from tests.support.pages.manage import next_step
from tests.support.pages.text import text_of
from tests.support.scenarios.cuts import close
from tests.support.scenarios.playoffs import look
from tournaments.models.events import Event, Stage
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Meeting
from tournaments.services.events.change_event import change_settings
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

E = "/clubs/riverside/events/league"
PAGE = f"{E}/direct"
SHARED = "Ada and Ben share place 1."


def played(cast: Cast, hearts: tuple[int, ...] = (2, 2, 4, 5), **settings: object) -> Event:
    """Play a Swiss stage of one round at one table; with these hearts Ada and Ben tie."""
    given = {"primary": "raw_total", "playoff": "extra_hands", "boundaries": {"cut": 3}}
    event = league(cast.riverside, settings={**given, "tie_breaks": (), **settings})
    Stage.objects.update(kind="swiss", planned_rounds=1)
    game = table(event, players(cast.riverside, "Ada", "Ben", "Cleo", "Dan"))
    hand(game, 1, list(hearts), 3)
    close(event, 1)
    return event


def buttons_to(client: Client, state: str) -> set[str]:
    """Return the words of all buttons of Manage that move the event to a state."""
    page = client.get(PAGE).content.decode()
    return set(re.findall(rf'name="to"\s+value="{state}">([^<]*)', page))


def test_manage_names_who_share_place_1_and_plays_it_off_by_one_press(
    cast: Cast, dirk: Client
) -> None:
    event = played(cast)
    assert next_step(dirk, PAGE) == ("Close the event", "Play off")
    page = text_of(dirk.get(PAGE))
    assert f"Close the event when no more rounds are played. {SHARED}" in page
    assert "Share it and close" in page
    assert f"{SHARED} Closing the event leaves them there." in page
    assert buttons_to(dirk, "closed") == {"Share it and close"}
    assert dirk.post(PAGE, {"first": "play_off"}).status_code == 302
    event.refresh_from_db()
    assert (event.state, event.settings["boundaries"]) == ("closed", {"cut": 3, "title": 1})
    look(event)
    playoff = Playoff.objects.get(event=event)
    assert [line["kind"] for line in playoff.boundaries] == ["title"]
    assert SHARED not in text_of(dirk.get(PAGE))


def test_share_it_closes_the_event_and_what_is_closed_is_asked_once_more(
    cast: Cast, dirk: Client
) -> None:
    event = played(cast, correction_window_h=0)
    assert dirk.post(PAGE, {"to": "closed"}).status_code == 302
    look(event)
    assert not Playoff.objects.exists()
    assert next_step(dirk, PAGE) == ("Make the results final", "Play off")
    assert f"{SHARED} Making the event final leaves them there." in text_of(dirk.get(PAGE))
    assert buttons_to(dirk, "final") == {"Share it"}
    dirk.post(PAGE, {"first": "play_off"})
    look(event)
    assert Playoff.objects.filter(event=event).count() == 1


@pytest.mark.parametrize(
    ("hearts", "settings"),
    [
        ((1, 3, 4, 5), {}),
        ((1, 4, 4, 4), {}),
        ((2, 2, 4, 5), {"boundaries": {"cut": 3, "title": 1}}),
        ((2, 2, 4, 5), {"playoff": "share"}),
        ((2, 2, 4, 5), {"playoff": "criteria"}),
    ],
)
def test_nothing_is_asked_where_place_1_is_one_persons_or_the_settings_decide(
    cast: Cast, dirk: Client, hearts: tuple[int, ...], settings: dict[str, object]
) -> None:
    played(cast, hearts, **settings)
    assert "share place 1" not in text_of(dirk.get(PAGE))
    assert buttons_to(dirk, "closed") == {"Close event"}


def test_step_that_plans_a_further_round_names_the_shared_place_and_shares_it(
    cast: Cast, dirk: Client
) -> None:
    event = played(cast)
    Stage.objects.update(planned_rounds=None)
    meeting = Meeting.objects.get(event=event)
    check_in(meeting, players(event.club, "Ada", "Ben", "Cleo", "Dan"))
    assert next_step(dirk, PAGE)[0] == "Plan round 2"
    assert f"or close the event. {SHARED}" in text_of(dirk.get(PAGE))
    assert buttons_to(dirk, "closed") == {"Share it and close"}


def test_nothing_is_asked_while_rounds_are_to_come(cast: Cast, dirk: Client) -> None:
    event = played(cast)
    Stage.objects.update(planned_rounds=2)
    assert "share place 1" not in text_of(dirk.get(PAGE))
    lines = {"cut": 3, "title": 1}
    change_settings(by_tests(), event, values={"boundaries": lines}, reason="A title.")
    publish(event.pk, now=NOW)
    brings = "Closing brings a play-off: Ada and Ben are tied for place 1."
    assert brings not in text_of(dirk.get(PAGE))
    Stage.objects.update(planned_rounds=1)
    assert brings in text_of(dirk.get(PAGE))


def test_new_swiss_event_of_the_page_has_a_title_and_that_of_rest_has_none(dirk: Client) -> None:
    dirk.post("/clubs/riverside/new-event", {"name": "Open", "preset": "swiss"})
    event = Event.objects.latest("pk")
    assert event.settings["boundaries"] == {"cut": 4, "title": 1}
    body = {"name": "Other", "variant": "hearts", "preset": "swiss"}
    response = post_json(dirk, "/api/v1/clubs/riverside/events", body)
    assert response.status_code == 201, response.content
    assert Event.objects.latest("pk").settings["boundaries"] == {"cut": 4}
