"""A challenge in a browser: sent, accepted, played, confirmed, the place changed; beside it one
that nobody answered. Each page on the way is judged on a phone and at a desk."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE
from tests.support.builders import publish_all
from tests.support.cast import Cast, enter_the_cast
from tests.support.scenarios.ladders import ladder, member
from tests.support.walks import Walks, elsewhere
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.jobs import Deadline
from tournaments.selectors.access.personal_links import personal_path
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.services.clubs.personal_links import renew_personal_link
from tournaments.services.ladders.challenges import (
    answer_challenge,
    enter_result,
    issue_challenge,
)
from tournaments.services.operations import Operation
from tournaments.tasks import publish_event, publish_ladder, run_deadline

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/ladder"


@pytest.fixture
def members(db: None) -> dict[str, Client]:
    """Members of a ladder who are signed in; I challenged G nine days ago and heard nothing."""
    cast: Cast = enter_the_cast()
    now = timezone.now()
    event = ladder(cast, now=now - timedelta(days=10))
    long_ago = now - timedelta(days=9)
    issue_challenge(Operation(member(cast, "I"), long_ago), event, challenged="G")
    publish_all(event, now=now)
    return {name: cast.client(name) for name in ("C", "E")}


def work_it_off() -> None:
    """Do what the workers do: the clock's jobs that are over, and what is to be published."""
    event = Event.objects.get(slug="ladder")
    over = Deadline.objects.filter(event=event, due_at__lte=timezone.now(), done_at=None)
    for pk in over.order_by("due_at").values_list("pk", flat=True):
        run_deadline(pk)
    publish_event(event.pk)
    publish_ladder(event.pk)


def test_challenge_from_sending_to_the_changed_place_beside_an_expired_one(
    members: dict[str, Client], walks: Walks
) -> None:
    low = walks(PHONE, DESK, by=members["E"], at=f"{EVENT}/ladder")
    low.look()
    low.press("Challenge Member C, place 3")
    expect(low.page.get_by_text("Challenge 2 sent.")).to_be_visible()

    high = walks(PHONE, DESK, by=members["C"], at=f"{EVENT}/ladder/members/C")
    high.look()
    high.page.goto("/clubs/riverside/players/C")
    high.look()
    high.press("Accept (challenge 2)")
    expect(high.page.get_by_text("Challenge accepted.")).to_be_visible()

    low.page.goto(f"{EVENT}/challenges/2")
    low.follow("Enter result")
    low.press("Save result")
    expect(low.page.get_by_role("alert")).to_be_focused()
    low.page.get_by_label("Points of Member E").fill("20")
    low.page.get_by_label("Points of Member C").fill("35")
    low.page.get_by_label("Player in seat 3").select_option("A")
    low.page.get_by_label("Points of seat 3").fill("49")
    low.press("Save result")
    expect(low.page.get_by_text("You won against Member C.")).to_be_visible()

    high.page.goto(f"{EVENT}/challenges/2")
    high.press("Confirm result")
    expect(high.page.get_by_text("Result confirmed.")).to_be_visible()

    elsewhere(work_it_off)
    low.page.goto(f"{EVENT}/ladder")
    low.look(again=True)
    listed = low.page.locator("table.rung tbody th > a").all_inner_texts()
    assert "".join(one[-1] for one in listed) == "ABECDFIGHJ"
    expect(low.page.locator("#E .story")).to_contain_text("beat Member C (#3) on")
    expect(low.page.locator("#I .story")).to_contain_text("(#7) did not answer on")
    low.page.goto(f"{EVENT}/challenges")
    low.look()
    expect(low.page.get_by_text("Not answered in time")).to_be_visible()
    low.page.goto(f"{EVENT}/ladder/members/E")
    low.look()
    assert low.wrong_but(422) + high.wrong == []


@pytest.fixture
def wrong_result(db: None) -> tuple[Client, Client, str]:
    """C, a director, and the personal page of E, who has no account: a director entered a result
    of theirs."""
    cast: Cast = enter_the_cast()
    now = timezone.now()
    event = ladder(cast, now=now - timedelta(days=10))
    director = Operation(cast.actor("dirk"), now)
    issue_challenge(Operation(member(cast, "E"), now), event, challenged="C")
    answer_challenge(Operation(member(cast, "C"), now), challenge_at(event, 1), to="accepted")
    points = {"E": 10, "A": 20, "C": 48}
    enter_result(director, challenge_at(event, 1), points=points)
    publish_all(event, now=now)
    publish_ladder(event.pk)
    player = Player.objects.get(club=event.club, player_id="E")
    player.user = None
    player.save()
    path = personal_path(renew_personal_link(director, player))
    return cast.client("C"), cast.client("dirk"), path


def test_a_result_is_shown_and_reported_as_wrong(
    wrong_result: tuple[Client, Client, str], walks: Walks
) -> None:
    by_loser, by_director, path = wrong_result
    loser = walks(PHONE, DESK, by=by_loser, at=f"{EVENT}/challenges/1")
    expect(loser.page.get_by_role("row", name="Member C 48 3")).to_be_visible()
    loser.look()
    loser.follow("It is wrong")
    loser.look()
    loser.page.get_by_label("What is wrong?").fill("I had 10.")
    loser.press("It is wrong")
    expect(loser.page.get_by_text("Your report was sent to the directors")).to_be_visible()
    loser.look()
    loser.page.goto("/me")
    loser.look()

    director = walks(PHONE, by=by_director, at="/me")
    title = "Is the result of Member E against Member C wrong?"
    expect(director.page.get_by_text(title)).to_be_visible()

    person = walks(PHONE, DESK, at=path)
    expect(person.page.get_by_text("A director decides.").first).to_be_visible()
    person.look()
    assert loser.wrong + director.wrong + person.wrong == []
