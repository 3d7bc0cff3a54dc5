"""The change log says from what to what, and a superseded publication when and by which change."""

import pytest
from django.test import Client

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.services.hands.disputes import open_dispute, rule_on_dispute
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db
EVENT = "/clubs/riverside/events/league"
ROUND = f"{EVENT}/rounds/1/direct"


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publish(event.pk, now=NOW)
    return event


def test_changes_have_from_and_to_on_the_page_and_over_rest(cast: Cast, event: Event) -> None:
    dirk = cast.client("dirk")
    game = Game.objects.get(event=event)
    hand(game, 1, [5, 0, 2, 6], queen=3, based_on=1, reason="Misread.")
    dirk.post(f"{EVENT}/tables/r1t1/hands/1/void", {"based_on": "2", "reason": "Misdeal."})
    Game.objects.filter(pk=game.pk).update(state="complete")
    event.rounds.update(state="closed")
    dirk.post(ROUND, {"to": "playing", "reason": "A hand is missing."})
    page = text_of(Client().get(f"{EVENT}/changes"))
    assert "Round reopened: round 1" in page
    assert "closed → then in progress" in page
    assert "counts → then deleted" in page
    assert "→ then 5 hearts" in page
    assert "E 1 heart 1 → then" in page
    assert " S 2" not in page
    lines = Client().get(f"/api/v1{EVENT}/changes").json()["results"]
    told = {one["kind"]: (one["before"], one["after"]) for one in lines}
    assert told["reopen_round"] == ("closed", "playing")
    entry = {"hearts": [5, 0, 2, 6], "taken": [[], [], [], ["QS"]]}
    assert told["void_hand"] == (entry, "void")
    assert told["correct_hand"] == ({**entry, "hearts": [4, 1, 2, 6]}, entry)


def test_superseded_publication_says_when_and_by_which_change(cast: Cast, event: Event) -> None:
    hand(Game.objects.get(event=event), 1, [5, 0, 2, 6], queen=3, based_on=1, reason="Misread.")
    publish(event.pk, now=NOW)
    said = text_of(Client().get(f"{EVENT}/publications/1"))
    assert "Superseded on 6 Nov 2025, 21:00 by publication 2 ( what changed )." in said
    assert "Hand corrected table r1t1, hand 1, revision 2" in said
    assert "Superseded on" not in text_of(Client().get(f"{EVENT}/publications/2"))


def test_change_that_leaves_the_standings_is_not_said_to_wait(cast: Cast, event: Event) -> None:
    dirk, game = cast.actor("dirk"), Game.objects.get(event=event)
    open_dispute(actor=dirk, game=game, number=1, words="I had 4.", now=NOW)
    rule_on_dispute(actor=dirk, event=event, number=1, to="rejected", ruling="No.", now=NOW)
    assert "Not published yet." in text_of(Client().get(f"{EVENT}/changes"))
    publish(event.pk, now=NOW)
    page = text_of(Client().get(f"{EVENT}/changes"))
    assert "The standings did not change." in page
    assert "Not published yet." not in page
