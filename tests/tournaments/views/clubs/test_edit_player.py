"""A director edits a player; a person chooses how public pages show their own name."""

import pytest
from django.test import Client

from tests.support.builders import hand, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.publishing.publications import publish

CLUB = "/clubs/riverside"
PAGE = f"{CLUB}/players/RL01"
EDIT = f"{CLUB}/edit-player/RL01"
NAMES = "/account/names"


@pytest.fixture
def xenia(cast: Cast) -> Player:
    """A player with results, and three others."""
    event = league(cast.riverside)
    people = players(cast.riverside, "Xenia Smit", "Zoë K.", "Leo K.", "Anton S.")
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    return people[0]


def details(**changed: str) -> dict[str, str]:
    return {"name": "Xenia Smit", "nickname": "", "is_active": "on", **changed}


def test_director_mends_a_name_and_standings_say_it_with_the_next_publication(
    cast: Cast, xenia: Player
) -> None:
    dirk = cast.client("dirk")
    assert "Edit player" in text_of(dirk.get(PAGE))
    assert "The number RL01 stays: results and addresses use it." in text_of(dirk.get(EDIT))
    saved = dirk.post(EDIT, details(name="Xenia Smits", nickname="Zed"), follow=True)
    assert saved.redirect_chain == [(PAGE, 302)]
    assert "Xenia Smits saved." in text_of(saved)
    publish(xenia.entries_in_events.get().event_id, now=NOW)
    assert "Xenia Smits" in text_of(Client().get(f"{CLUB}/events/league"))
    assert "Zed" not in text_of(Client().get(PAGE))
    changes = text_of(Client().get(f"{CLUB}/events/league/changes"))
    assert "Names changed, places are the same" in changes


def test_refusal_is_beside_its_field_and_nothing_is_saved(cast: Cast, xenia: Player) -> None:
    refused = cast.client("dirk").post(EDIT, details(name="", nickname="RL02"))
    assert refused.status_code == 422
    assert "is already the name, nickname or number of RL02" in text_of(refused)
    xenia.refresh_from_db()
    assert (xenia.name, xenia.nickname) == ("Xenia Smit", "")


def test_details_changed_by_somebody_else_are_not_overwritten(cast: Cast, xenia: Player) -> None:
    dirk = cast.client("dirk")
    seen = dirk.get(EDIT).context["form"]["seen"].value()
    dirk.post(EDIT, details(nickname="Zed", seen=seen))
    refused = dirk.post(EDIT, details(nickname="Other", seen=seen))
    assert "Somebody changed this player meanwhile." in text_of(refused)


def test_person_chooses_the_number_and_the_public_reads_it_everywhere_at_once(
    cast: Cast, xenia: Player
) -> None:
    piet = cast.client("piet")
    assert "No player is linked to your account" in text_of(piet.get(NAMES))
    link(xenia, cast.users["piet"])
    form = text_of(piet.get(NAMES))
    assert "As the club shows it Xenia Smit" in form
    assert "First name and initial Xenia S." in form
    sent = {"player": str(xenia.pk), f"player-{xenia.pk}-shown_as": "number"}
    saved = piet.post(NAMES, sent, follow=True)
    assert "Public pages of Riverside show you as RL01." in text_of(saved)
    for page in (PAGE, f"{CLUB}/events/league", f"{CLUB}/events/league/publications/1"):
        assert "Xenia" not in text_of(Client().get(page))
        assert "Xenia Smit" in text_of(piet.get(page))
    assert piet.post(NAMES, {"player": "0"}).status_code == 404
    assert "chooses how the name is shown" in text_of(cast.client("dirk").get(EDIT))


def test_search_of_the_public_finds_nobody_by_a_hidden_name(cast: Cast, xenia: Player) -> None:
    set_names_policy(actor=cast.actor("olga"), club=cast.riverside, policy="number", now=NOW)
    assert "0 of 4" in text_of(Client().get(f"{CLUB}/players?q=Xenia"))
    assert "1 of 4" in text_of(cast.client("piet").get(f"{CLUB}/players?q=Xenia"))


def test_player_of_no_public_event_is_nowhere_for_the_public(cast: Cast, xenia: Player) -> None:
    players(cast.riverside, "Nobody N.")
    for path in (f"{CLUB}/players/RL05", f"/api/v1{CLUB}/players/RL05"):
        assert Client().get(path).status_code == 404
        assert cast.client("piet").get(path).status_code == 200
