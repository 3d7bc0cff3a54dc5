"""A league from one name: without JavaScript, and from the keyboard only."""

import re

import pytest
from django.test import Client
from playwright.sync_api import expect

from scoring.rules.catalogue import catalogue
from scoring.rules.options import options_of
from tests.support.browser import DESK, PHONE
from tests.support.builders import league, players
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NEW = "/clubs/riverside/new-event"
MADE = "/clubs/riverside/events/winter-league/direct"


@pytest.fixture
def dirk(db: None) -> Client:
    cast = enter_the_cast()
    players(cast.riverside, "Anna K.", "Jörg S.", "Béla D.", "Player C.")
    return cast.client("dirk")


@pytest.mark.tier_long
def test_steps_work_without_javascript_and_back_keeps_fields(dirk: Client, walks: Walks) -> None:
    page = walks.without_script(dirk)
    page.goto(NEW)
    page.get_by_role("button", name="Continue to ranking").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter a name")
    page.get_by_label("Name of the event").fill("Winter league")
    page.get_by_label("Game", exact=True).select_option("Omnibus Hearts")
    page.get_by_label("First evening").fill("2025-12-04")
    page.get_by_label("Last evening").fill("2026-02-26")
    page.get_by_role("button", name="Continue to ranking").click()
    page.get_by_text("Of 13 evenings 9 count.").click()
    page.get_by_role("button", name="Continue to players").click()
    aside = page.get_by_role("complementary")
    expect(aside).to_contain_text("place points, best 9 of 13 evenings")
    page.go_back()
    expect(page.get_by_text("Of 13 evenings 9 count.")).to_be_visible()
    page.go_forward()
    page.get_by_role("button", name="Back").locator("visible=true").click()
    expect(page.get_by_role("radio", name="Season (best results)")).to_be_checked()
    page.locator("#step-1 > summary").click()
    page.get_by_text("Leave out some of 13 evenings").click()
    page.get_by_label("Thursday 25 December 2025").check()
    expect(page.get_by_label("Name of the event")).to_have_value("Winter league")
    page.get_by_role("button", name="Create event").click()
    expect(page).to_have_url(f"{walks.url}{MADE}")
    walks.put_away()
    event = Event.objects.get()
    assert (event.variant, event.settings["primary"]) == ("omnibus-hearts", "placement_points")
    days = list(Meeting.objects.filter(event=event).order_by("date").values_list("date", flat=True))
    assert len(days) == 12
    assert [days[0].isoformat(), days[-1].isoformat()] == ["2025-12-04", "2026-02-26"]


def test_event_is_created_from_the_keyboard(dirk: Client, walks: Walks) -> None:
    walk = walks(DESK, by=dirk)
    page, keys = walk.page, walk.page.keyboard
    page.goto(NEW)
    expect(page.get_by_label("Name of the event")).to_be_focused()
    keys.type("Winter league")
    expect(page.get_by_role("complementary")).to_contain_text("winter-league")
    keys.press("Enter")
    expect(page.locator("#step-2 > summary")).to_be_focused()
    keys.press("Tab")
    keys.press("ArrowDown")
    expect(page.get_by_role("radio", name="Place points 5")).to_be_focused()
    expect(page.get_by_role("complementary")).to_contain_text("place points")
    keys.press("Enter")
    expect(page.locator("#step-3 > summary")).to_be_focused()
    keys.press("Tab")
    keys.press("Enter")
    expect(page).to_have_url(f"{walks.url}{MADE}")
    assert walk.wrong == []
    walks.put_away()
    assert Event.objects.get().settings["primary"] == "placement_points"


def test_options_are_those_of_the_chosen_game(dirk: Client, walks: Walks) -> None:
    walk = walks(DESK, by=dirk)
    page = walk.page
    page.goto(NEW)
    page.get_by_label("Name of the event").fill("Winter league")
    page.get_by_label("Game", exact=True).select_option("Rickety Kate")
    expect(page.locator("#game-options > details > summary")).to_contain_text("Rickety Kate")
    options = page.locator("#game-options [name^=options-]")
    names = options.evaluate_all("(fields) => fields.map((field) => field.name)")
    expect(page.get_by_role("complementary")).to_contain_text("Rickety Kate")
    page.locator("#game-options > details > summary").click()
    walk.look(again=True)
    assert walk.wrong == []
    rickety_kate, hearts = (
        {f"options-{option.name}" for option in options_of(catalogue().resolved(variant))}
        for variant in ("rickety-kate", "hearts")
    )
    assert set(names) == rickety_kate != hearts


def test_name_filters_the_players_to_add_and_chosen_ones_stay(dirk: Client, walks: Walks) -> None:
    event = league(Player.objects.all()[0].club)
    page = walks(PHONE, by=dirk).page
    page.goto(f"/clubs/riverside/events/{event.slug}/add-entrants")
    choices = page.locator("#choices label:visible")
    page.get_by_label("Anna K.").check()
    page.get_by_label("Find a player").fill("jorg")
    expect(choices).to_have_text([re.compile("Anna K."), re.compile("Jörg S.")])
    page.get_by_label("Find a player").press("Enter")
    page.get_by_label("Find a player").fill("")
    expect(choices).to_have_count(4)
