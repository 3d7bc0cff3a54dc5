"""The page "Me": place, next table, questions and challenges of whoever is signed in."""

import re
from datetime import timedelta

import time_machine
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Answer
from tests.support.builders import TESTS, finished, hand, league, players, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import issue
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.scenarios.ladders import ladder
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Event
from tournaments.services.clubs.clubs import create_club
from tournaments.services.clubs.link_player import link_account
from tournaments.services.publishing.publications import publish

CHALLENGES = "/clubs/riverside/events/ladder/challenges"


def link(club: Club, player_id: str, user: User) -> None:
    player = Player.objects.get(club=club, player_id=player_id)
    link_account(actor=TESTS, club=club, player=player, user=user, now=NOW)


def me(client: Client) -> str:
    """The words of the page, and its name in front."""
    return text_of(client.get("/me"))


def test_stranger_is_sent_to_sign_in_and_comes_back() -> None:
    answer = Client().get("/me")
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=/me")


def test_name_in_the_header_leads_there_from_every_page(evenings: Evenings) -> None:
    for address in ("/", ADDRESS, "/variants", "/accounts/logout/"):
        page = evenings.client("piet").get(address).content.decode()
        assert re.search(r'<a class="me" href="/me"><b>piet</b>', page), address
        assert 'href="/me"' not in evenings.client().get(address).content.decode()


def test_linked_player_reads_place_table_and_results(evenings: Evenings) -> None:
    piet = evenings.cast.users["piet"]
    link(evenings.cast.riverside, "RL06", piet)
    page = me(evenings.client("piet"))
    assert "Riverside Jörg S. RL06 Place 5 of 8 in Autumn league , up 3. Why in Autumn" in page
    assert "Table still open Table 1, seat E Autumn league, round 2, Thursday 13 November" in page
    assert "With Elsa D. (N)" in page
    assert "Open sheet" in page
    assert "Join table" not in page
    assert "Round 2, table 1 13 Nov 2025, Autumn league" in page
    address = f"{ADDRESS}/players/RL06"
    assert f'href="{address}"' in evenings.client("piet").get("/me").content.decode()


def test_host_joins_the_table(evenings: Evenings) -> None:
    link(evenings.cast.riverside, "RL06", evenings.cast.users["hanna"])
    page = evenings.client("hanna").get("/me").content.decode()
    assert f'<a class="btn pri" href="{ADDRESS}/tables/r2t1">Join table 1</a>' in page


def test_nothing_of_a_held_event_or_a_draft_is_shown(evenings: Evenings) -> None:
    link(evenings.cast.riverside, "RL06", evenings.cast.users["piet"])
    Event.objects.update(visibility="held")
    page = me(evenings.client("piet"))
    assert "Autumn league" not in page
    assert "No results yet." in page


def test_disputes_of_my_table_and_of_mine_are_questions(evenings: Evenings) -> None:
    link(evenings.cast.riverside, "RL01", evenings.cast.users["piet"])
    said = {"hand": "1", "words": "East had 2 hearts."}
    assert evenings.client("hanna").post(f"{ADDRESS}/tables/r1t1/dispute", said).status_code == 302
    assert evenings.client("piet").post(f"{ADDRESS}/tables/r2t1/dispute", said).status_code == 302
    assert evenings.client("hanna").post(f"{ADDRESS}/tables/r1t2/dispute", said).status_code == 302
    page = me(evenings.client("piet"))
    assert "Dispute 1 about your table Round 1, table 1, hand 1, Autumn league." in page
    assert "Your dispute 2 is open Round 2, table 1, hand 1, Autumn league." in page
    assert "Dispute 3" not in page
    withdraw = f"{ADDRESS}/disputes/2/withdraw"
    assert f'href="{withdraw}"' in evenings.client("piet").get("/me").content.decode()
    assert evenings.client("piet").post(withdraw, {"reason": ""}).status_code == 302
    assert "Your dispute 2" not in me(evenings.client("piet"))


def press(client: Client, to: str) -> Answer:
    """Press the button of a challenge on the page, and come back to it."""
    page = client.get("/me").content.decode()
    form = rf'action="({CHALLENGES}/\d+/move)">(?:(?!</form>).)*?name="to" value="{to}"'
    found = re.search(form, page, re.S)
    assert found, to
    return client.post(found[1], {"to": to, "back": "me"}, follow=True)


def test_challenge_is_answered_played_and_confirmed_from_there(
    clock: time_machine.Traveller, cast: Cast
) -> None:
    event = ladder(cast, now=NOW)
    publish_all(event, now=NOW)
    low, high = cast.client("H"), cast.client("E")
    issue(cast, event, "H", "E")
    assert "Place 5 of 10 in Ladder . Why" in me(high)
    assert "Answer by Member E due Sun 9 Nov, 24:00" in me(high)
    accepted = press(high, "accepted")
    assert accepted.redirect_chain == [("/me", 302)]
    assert "Challenge accepted." in text_of(accepted)
    assert "Play by Thu 20 Nov, 24:00" in me(low)
    clock.shift(timedelta(hours=1))
    totals = {
        **{"player-1": "H", "points-1": "10", "player-2": "I", "points-2": "20"},
        **{"player-3": "E", "points-3": "48"},
    }
    assert low.post(f"{CHALLENGES}/1/result", totals).status_code == 302
    assert "Questions for you" not in me(low)
    asked = me(high).partition("Questions for you")[2]
    assert asked.startswith(" Member H → challenges Member E Played: Member H finished ahead.")
    confirmed = press(high, "confirmed")
    assert "Result confirmed. The ladder will be updated." in text_of(confirmed)
    assert "No open challenges." in text_of(confirmed)


def test_unlinked_member_finds_likely_players_first_and_claims_one(cast: Cast) -> None:
    piet = cast.users["piet"]
    piet.first_name, piet.last_name = "Cleo", "Smith"
    piet.save()
    names = [f"Anna {letter}." for letter in "ABCDEFGHI"]
    players(cast.riverside, *names, "Cleo S.", "Clara K.")
    client = cast.client("piet")
    page = me(client)
    assert "Which player are you?" in page
    listed = re.findall(r"(\w+ \w\.) (RL\d+) This is me", page)
    assert listed[0] == ("Cleo S.", "RL10")
    assert len(listed) == 8
    sent = client.post("/clubs/riverside/claim-player/RL10", {"back": "me"}, follow=True)
    assert sent.redirect_chain == [("/me", 302)]
    assert "Wait for a director" in text_of(sent)
    assert "1 claim in Riverside" in me(cast.client("dirk"))
    assert "1 claim in Riverside" not in me(cast.client("hanna"))


def test_account_without_a_club_is_told_to_ask_for_an_invitation(cast: Cast) -> None:
    User.objects.create_user("zoe")
    client = Client()
    client.force_login(User.objects.get(username="zoe"))
    assert "You are not a member of any club yet." in me(client)


def test_each_line_names_its_club_where_there_are_several(evenings: Evenings) -> None:
    cast, piet = evenings.cast, evenings.cast.users["piet"]
    link(cast.riverside, "RL06", piet)
    Membership.objects.create(club=cast.hilltop, user=piet, role="player")
    page = me(evenings.client("piet"))
    assert "Riverside: Place" in page
    assert "Table still open, Riverside" in page
    assert "Next step, Hilltop" in page


def queries(client: Client) -> int:
    with CaptureQueriesContext(connection) as made:
        assert client.get("/me").status_code == 200
    return len(made)


def test_number_of_queries_does_not_grow_with_what_was_played(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, *(f"Player {letter}" for letter in "ABCD"))
    link(cast.riverside, "RL01", cast.users["piet"])
    client = cast.client("piet")

    def evening(number: int) -> None:
        hand(finished(table(event, people, round_number=number)), 2, [4, 1, 2, 6], 3)
        publish(event.pk, now=NOW)

    evening(1)
    few = queries(client)
    for number in range(2, 6):
        evening(number)
    league(cast.riverside, slug="cup", name="Cup")
    assert queries(client) == few
    assert few < 20
    for at in range(3):
        club = create_club(actor=TESTS, slug=f"club-{at}", name=f"Club {at}", now=NOW)
        players(club, "Piet K.")
        link(club, "RL01", cast.users["piet"])
    assert queries(client) <= few + 3
