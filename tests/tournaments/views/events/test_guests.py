"""Guests on the pages of a league: added, shown, and made members with a preview."""

from datetime import timedelta

import pytest
from django.test import Client

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import beside, text_of
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.services.events.entrants import add_entrant
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.publishing.publications import publish

EVENT = "/clubs/riverside/events/league"
GUEST = f"{EVENT}/entrants/RL04/direct"


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside, settings={"primary": "placement_points"})
    people = players(cast.riverside, "Ada", "Ben", "Cleo", "Zoe")
    add_entrant(by_tests(), event, kind="player", players=people[3:], guest=True)
    hand(table(event, people), 1, [2, 6, 3, 2], queen=1)
    publish(event.pk, now=NOW)
    return event


@pytest.fixture
def dirk(cast: Cast, event: Event) -> Client:
    return cast.client("dirk")


def test_standings_list_guests_below_without_a_place(client: Client, event: Event) -> None:
    words = text_of(client.get(EVENT))
    assert "Guests: ranked in the evenings, without a place in the season – Zoe (guest)" in words
    assert "Guest" in text_of(client.get(f"{EVENT}/players/RL04"))
    assert "1 guest" in text_of(client.get(f"{EVENT}/entrants"))


def test_evening_of_a_guest_does_not_count_in_the_season(client: Client, event: Event) -> None:
    path = f"{EVENT}/players/RL04"
    assert "no points in the season" not in text_of(client.get(path)), "place points are kept"
    Event.objects.filter(pk=event.pk).update(
        settings={**event.settings, "primary": "evening_points"}
    )
    mark_changed(event=event, now=NOW)
    publish(event.pk, now=NOW)
    assert "0 Guest: no points in the season" in text_of(client.get(path))
    assert "no points in the season" not in text_of(client.get(f"{EVENT}/players/RL01"))


def test_guest_becomes_a_member_after_a_preview(dirk: Client, event: Event) -> None:
    shown = text_of(dirk.get(GUEST))
    assert "3 rows of the standings change" in shown
    assert "Zoe – 1 4 4" in shown
    refused = dirk.post(GUEST, {"guest": "change", "guest-reason": ""})
    assert refused.status_code == 422
    assert beside(refused, "guest-reason") == "Enter a reason in one sentence."
    sent = {"guest": "change", "guest-reason": "Three visits."}
    answer = dirk.post(GUEST, sent, follow=True)
    assert "Zoe is a member now. All results so far count in the season." in text_of(answer)
    assert not Entrant.objects.get(code="RL04").guest
    log = text_of(dirk.get(f"{EVENT}/changes"))
    assert "Guest became a member Zoe" in log
    assert "RL04" not in log
    assert "Three visits." in log


def test_change_log_names_entrants_as_its_reader_sees_them(
    dirk: Client, client: Client, event: Event
) -> None:
    dirk.post(GUEST, {"guest": "change", "guest-reason": "Three visits."})
    Player.objects.filter(player_id="RL04").update(public_name="Z.")
    assert "Guest became a member Z." in text_of(client.get(f"{EVENT}/changes"))
    assert "Guest became a member Zoe" in text_of(dirk.get(f"{EVENT}/changes"))


def test_players_are_added_as_guests(dirk: Client, event: Event) -> None:
    sent = {"names": "Yan", "guests": "on", "add_players": "Yan"}
    assert dirk.post(f"{EVENT}/add-entrants", sent).status_code == 302
    assert Entrant.objects.get(members__player__name="Yan").guest


def test_cup_offers_no_guests(cast: Cast, dirk: Client) -> None:
    Event.objects.update(kind="tournament")
    assert 'name="guests"' not in dirk.get(f"{EVENT}/add-entrants").content.decode()
    assert "Make a guest" not in text_of(dirk.get(f"{EVENT}/entrants/RL01/direct"))


def test_visits_of_a_guest_are_counted_where_a_director_decides(dirk: Client, event: Event) -> None:
    people = list(Player.objects.order_by("player_id"))
    today = NOW.date()
    # Two tables of one more evening are one visit, and a table without a hand is none.
    for number in (2, 3):
        game = table(event, people, round_number=number, on=today)
        hand(game, 1, [2, 6, 3, 2], queen=1)
    table(event, people, round_number=4, on=today + timedelta(weeks=1))
    in_list = text_of(dirk.get(f"{EVENT}/entrants"))
    first = "1 evening played"
    assert first in in_list
    assert in_list.count("played") == 1
    assert first in text_of(dirk.get(GUEST))
    rest = dirk.get("/api/v1/clubs/riverside/events/league/entrants").json()["results"]
    assert {row["player_id"]: row["visits"] for row in rest} == {
        "RL01": None,
        "RL02": None,
        "RL03": None,
        "RL04": 1,
    }
