"""What is public, for members, or held back; and one club knows nothing of another."""

import re

import pytest

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW
from tests.support.history import make_all
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.events import Event
from tournaments.services.publishing import publications

PAGES = (
    "",
    "/standings.csv",
    "/publications",
    "/publications/1",
    "/changes",
    "/standings?round=1",
    "/head-to-head",
    "/charts/places/RL01",
    "/meetings",
    "/rounds/1",
    "/rounds/1/board",
    "/projector",
    "/tables/r1t1",
    "/tables/r1t1/hands/1",
    "/players/RL01",
)


def published(evenings: Evenings, visibility: str) -> str:
    """Make a league that only some may read; its address."""
    event: Event = league(
        evenings.cast.riverside, slug="other", name="Board cup", visibility=visibility
    )
    game = table(event, players(evenings.cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publications.publish(event.pk, now=NOW)
    make_all(event.pk)
    return f"/clubs/riverside/events/{event.slug}"


@pytest.mark.parametrize(("visibility", "reader"), [("members", "piet"), ("held", "dirk")])
def test_clubs_page_lists_only_what_its_reader_may_read(
    evenings: Evenings, visibility: str, reader: str
) -> None:
    address = published(evenings, visibility)
    assert address not in evenings.client().get("/clubs/riverside").content.decode()
    assert address not in evenings.client("nora").get("/clubs/riverside").content.decode()
    assert address in evenings.client(reader).get("/clubs/riverside").content.decode()


def test_hidden_event_and_unknown_event_give_the_same_page(evenings: Evenings) -> None:
    hidden = evenings.client().get(published(evenings, "held"))
    unknown = evenings.client().get("/clubs/riverside/events/never")
    assert hidden.status_code == unknown.status_code == 404
    same = [page.content.decode().partition("quote")[0] for page in (hidden, unknown)]
    assert same[0].replace("/other", "") == same[1].replace("/never", "")


def test_private_club_is_missing_for_everybody_but_its_members(evenings: Evenings) -> None:
    evenings.cast.riverside.is_public = False
    evenings.cast.riverside.save()
    for name, expected in (("", 404), ("nora", 404), ("piet", 200), ("olga", 200)):
        client = evenings.client(name)
        assert client.get("/clubs/riverside").status_code == expected
        assert client.get(ADDRESS).status_code == expected
        assert ("Riverside" in client.get("/").content.decode()) is (expected == 200)


@pytest.mark.parametrize("path", ["/clubs/riverside/players", "/api/v1/clubs/riverside/players"])
def test_player_without_a_readable_event_is_for_members_only(evenings: Evenings, path: str) -> None:
    published(evenings, "held")
    players(evenings.cast.riverside, "Helga H.")
    for player in ("RL09", "RL13"):  # in the event that is held back; in none at all
        assert {
            name: evenings.client(name).get(f"{path}/{player}").status_code
            for name in ("", "nora", "piet", "dirk")
        } == {"": 404, "nora": 404, "piet": 200, "dirk": 200}, player
    assert "Helga" not in evenings.client().get(f"{path}/RL13").content.decode()
    assert evenings.client().get(f"{path}/RL01").status_code == 200


def test_masthead_says_who_is_signed_in_and_in_which_role(evenings: Evenings) -> None:
    page = evenings.client("dirk").get("/clubs/riverside").content.decode()
    assert "dirk, your page, Director" in re.sub("<[^>]+>", "", page)
    assert "Sign out" in page
    assert "Sign in" in evenings.client().get("/clubs/riverside").content.decode()


def test_pages_of_a_signed_in_reader_are_kept_by_no_shared_cache(evenings: Evenings) -> None:
    assert "private" in evenings.client("dirk").get(ADDRESS)["Cache-Control"]
    public = evenings.client().get(ADDRESS)
    assert public["Cache-Control"] == "no-cache"
    assert "Cookie" in public["Vary"]


def test_unchanged_page_answers_304(evenings: Evenings) -> None:
    client = evenings.client()
    etag = client.get(f"{ADDRESS}/tables/r1t1")["ETag"]
    assert client.get(f"{ADDRESS}/tables/r1t1", headers={"If-None-Match": etag}).status_code == 304
