"""Names in a browser: a director mends one, a person chooses the number, the public reads it."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE
from tests.support.builders import hand, league, link, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.walks import Walks
from tournaments.models.clubs import Player
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(db: None) -> Cast:
    cast = enter_the_cast()
    event = league(cast.riverside)
    people = players(cast.riverside, "Xenia Smit", "Zoë K.", "Leo K.", "Anton S.")
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    link(people[0], cast.users["piet"])
    Player.objects.filter(pk=people[0].pk).update(nickname="Cards first")
    return cast


@pytest.mark.tier_long
def test_director_edits_and_player_chooses(cast: Cast, walks: Walks) -> None:
    dirk, piet = cast.client("dirk"), cast.client("piet")
    walk = walks(PHONE, DESK, by=dirk, at="/clubs/riverside/players/RL02")
    page = walk.page
    walk.look()
    walk.follow("Edit player")
    walk.look()
    page.get_by_label("Name", exact=True).fill("Zoë Klein")
    walk.press("Save player")
    expect(page.get_by_role("heading", name="Zoë Klein")).to_be_visible()
    assert walk.wrong == []
    walk = walks(PHONE, DESK, by=piet, at="/account/names")
    page = walk.page
    walk.look()
    page.get_by_label("Number only").check()
    walk.press("Save name")
    expect(page.get_by_text("Public pages of Riverside show you as RL01.")).to_be_visible()
    page.context.clear_cookies()
    page.goto("/clubs/riverside/events/league")
    expect(page.get_by_role("link", name="RL01", exact=True)).to_be_visible()
    expect(page.get_by_text("Xenia")).to_have_count(0)
    assert walk.wrong == []
