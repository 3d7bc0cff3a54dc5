"""Somebody whom a director links by hand, on a phone: who they are, a challenge, a dispute.

The director works on a phone as well; each page on the way is judged.
"""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import DESK, PHONE, Cookie, launched, session_cookie, walk_in
from tests.support.builders import hand, league, players, publish_all, table
from tests.support.cast import enter_the_cast
from tests.support.scenarios.ladders import ladder
from tournaments.models.clubs import Membership, Player

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLUB = "/clubs/riverside"
LADDER, LEAGUE = f"{CLUB}/events/ladder", f"{CLUB}/events/league"


@pytest.fixture
def cookies(db: None, live_server: LiveServer) -> dict[str, Cookie]:
    """Cleo has an account and no player: RL04 is "Cleo S.", on a ladder and in a league."""
    cast = enter_the_cast()
    now = timezone.now()
    event = ladder(cast, "ABC", now=now - timedelta(days=10))
    cleo = Player.objects.get(player_id="C")
    Player.objects.filter(pk=cleo.pk).update(name="Cleo S.", public_name="Cleo S.", user=None)
    Membership.objects.filter(user=cast.users["C"]).delete()
    people = [cleo, *players(cast.riverside, "Anna D.", "Dora M.", "Emil")]
    weekly = league(cast.riverside)
    hand(table(weekly, people), 1, [4, 1, 2, 6], 3)
    publish_all(event, now=now)
    cast.users["cleo"] = User.objects.create_user("cleo", first_name="Cleo", last_name="S.")
    Membership.objects.create(club=cast.riverside, user=cast.users["cleo"], role="player")
    return {
        name: session_cookie(cast.client(name), live_server.url)
        for name in ("dirk", "cleo", "B", "hanna")
    }


@pytest.mark.tier_long
def test_linked_by_hand_the_player_challenges_confirms_and_disputes(
    cookies: dict[str, Cookie], live_server: LiveServer, chromium: str
) -> None:
    with launched(chromium) as browser:
        walks = {}
        for name, cookie in cookies.items():
            walks[name] = walk_in(browser, live_server.url, PHONE, DESK)
            walks[name].page.context.add_cookies([cookie])
        cleo, dirk, rival, host = (walks[name] for name in ("cleo", "dirk", "B", "hanna"))

        cleo.page.goto("/")
        cleo.page.locator("a.me").click()
        expect(cleo.page.get_by_role("heading", name="Which player are you?")).to_be_visible()
        cleo.look()
        cleo.page.goto(f"{LADDER}/ladder")
        expect(cleo.page.get_by_text("Ask a director to link it.")).to_be_visible()

        dirk.page.goto(f"{CLUB}/players/C")
        dirk.look()
        dirk.follow("Link account")
        dirk.look()
        dirk.page.get_by_label("Member").select_option(label="Cleo S. (Player)")
        dirk.press("Link account")
        expect(dirk.page.get_by_text("Cleo S. is linked.")).to_be_visible()
        dirk.look(again=True)

        cleo.page.goto(f"{CLUB}/players/C")
        expect(cleo.page.get_by_text("This is you.")).to_be_visible()
        cleo.page.goto(f"{LADDER}/ladder")
        cleo.press("Challenge Member B, place 2")
        expect(cleo.page.get_by_text("Challenge 1 sent.")).to_be_visible()

        rival.page.goto("/me")
        rival.look()
        rival.press("Accept (challenge 1)")
        expect(rival.page.get_by_text("Challenge accepted.")).to_be_visible()

        host.page.goto(f"{LADDER}/challenges/1/result")
        host.page.get_by_label("Points of Cleo S.").fill("35")
        host.page.get_by_label("Points of Member B").fill("20")
        host.page.get_by_label("Player in seat 3").select_option("A")
        host.page.get_by_label("Points of seat 3").fill("49")
        host.press("Save result")
        expect(host.page.get_by_text("Played: Member B finished ahead.")).to_be_visible()

        rival.page.goto(f"{LADDER}/challenges/1")
        rival.look()
        expect(rival.page.get_by_text("Only Cleo S., a host or a director can")).to_be_visible()
        cleo.page.goto("/me")
        expect(cleo.page.get_by_role("heading", name="Questions for you")).to_be_visible()
        cleo.look(again=True)

        cleo.press("Confirm result (challenge 1)")
        expect(cleo.page.get_by_text("Result confirmed.")).to_be_visible()

        cleo.page.goto(f"{LEAGUE}/tables/r1t1")
        cleo.follow("Report a problem")
        cleo.page.get_by_label("Problem").fill("I had 3 hearts.")
        cleo.press("Report problem")
        cleo.page.goto("/me")
        expect(cleo.page.get_by_text("Your dispute 1 is open")).to_be_visible()
        assert [one for walk in walks.values() for one in walk.wrong] == []
