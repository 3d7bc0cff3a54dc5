"""Challenges of a player without an account: on the personal page, and by the link of a mail."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client

from tests.support.builders import by_tests, publish_all
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import LATER, answer, issue, result
from tests.support.scenarios.ladders import ladder
from tournaments.delivery.mail.sender import compose
from tournaments.models.access import PersonalLink
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Dispute
from tournaments.models.jobs import Outbox
from tournaments.models.ladders import Challenge
from tournaments.selectors.access.personal_links import printable_token
from tournaments.selectors.hands.disputes import get_dispute
from tournaments.services.clubs.personal_links import renew_personal_link, set_contact
from tournaments.services.hands.disputes import rule_on_dispute
from tournaments.services.ladders.result_problems import dispute_result

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(cast: Cast) -> Event:
    event = ladder(cast, now=NOW)
    publish_all(event)
    return event


@pytest.fixture
def link(cast: Cast, event: Event) -> PersonalLink:
    """E has no account, and an address that the club knows."""
    player = Player.objects.get(club=event.club, player_id="E")
    player.user = None
    player.save()
    set_contact(by_tests(), player, email="e@home.example", has_consent=True)
    return renew_personal_link(by_tests(), player)


def mail(kind: str) -> str:
    row = Outbox.objects.filter(kind=kind).latest("pk")
    message = compose(row)
    assert message is not None
    return str(message.body)


def page_of(link: PersonalLink) -> str:
    with time_machine.travel(LATER, tick=False):
        return text_of(Client().get(f"/my/{printable_token(link)}"), 200)


def play(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, cast.actor("dirk"), "accepted")
    result(cast, event, "H", "HIE")


def test_each_step_says_what_is_at_stake_and_who_acts(
    cast: Cast, event: Event, link: PersonalLink
) -> None:
    issue(cast, event, "H", "E")
    received = mail("challenge_received")
    assert "If Member H wins: Member H place 8 → 5, Member E place 5 → 6." in received
    assert "No answer counts as a win for Member H." in received
    page = page_of(link)
    assert "Your answer is needed. Answer by mail" in page
    assert "If Member H wins: Member H place 8 → 5, Member E place 5 → 6." in page
    answer(cast, event, cast.actor("dirk"), "accepted")
    page = page_of(link)
    assert "Play the game. Then the other player or a host enters the result." in page
    assert "A director of the club answers for you" not in page


def test_the_mail_of_a_result_shows_it(cast: Cast, event: Event, link: PersonalLink) -> None:
    play(cast, event)
    text = mail("result_to_confirm")
    for words in (
        "Member H finished ahead.",
        "When it counts: Member H place 8 → 5, Member E place 5 → 6.",
        "Without an answer it counts on Saturday 8 November, 22:00.",
        "Table: Ladder, round 1, table 1",
        "Day: Thursday 6 November 2025",
        "Member H: 10 points, place 1",
        "Member E: 48 points, place 3",
        "It is wrong:",
    ):
        assert words in text
    page = page_of(link)
    assert "Is the result right? Confirm it, or say what is wrong. Answer by mail" in page
    assert "Member E 48 3" in page


def test_answer_by_mail_sends_the_link(cast: Cast, event: Event, link: PersonalLink) -> None:
    play(cast, event)
    client, token = Client(), printable_token(link)
    with time_machine.travel(LATER, tick=False):
        html = client.get(f"/my/{token}").content.decode()
        match = re.search(r'name="challenge" value="(\d+)"', html)
        assert match is not None
        sent = {"action": "challenge", "challenge": match[1]}
        client.post(f"/my/{token}/more", sent, follow=True)
    assert "/my/confirm/" in mail("personal_confirmation")


def test_it_is_wrong_by_the_link_of_the_mail(cast: Cast, event: Event, link: PersonalLink) -> None:
    play(cast, event)
    match = re.search(r"(/my/confirm/\S+)\?wrong=1", mail("result_to_confirm"))
    assert match is not None
    client = Client()
    with time_machine.travel(LATER, tick=False):
        page = text_of(client.get(f"{match[1]}?wrong=1"), 200)
        assert "Member E 48 3" in page
        empty = client.post(match[1], {"to": "dispute", "words": ""})
        assert "Describe in one sentence what is wrong." in text_of(empty)
        assert not Dispute.objects.exists()
        done = client.post(match[1], {"to": "dispute", "words": "I had 10."})
    assert "Your report was sent to the directors" in text_of(done)
    page = page_of(link)
    assert "The result is disputed: a director decides. " in page
    assert "A director decides. You need not do anything." in page
    assert "Answer by mail" not in page
    dirk = cast.client("dirk")
    with time_machine.travel(LATER, tick=False):
        manage = text_of(dirk.get(f"/clubs/riverside/events/{event.slug}/direct"))
        text = text_of(dirk.get(f"/clubs/riverside/events/{event.slug}/challenges/1"))
    assert "The totals of round 1 are disputed. They keep their score" in manage
    assert "can confirm this result" not in text
    assert Challenge.objects.get().state == "played"
    op = cast.operation("dirk", LATER + timedelta(minutes=1))
    rule_on_dispute(op, get_dispute(event, 1), to="rejected", ruling="The sheet says 48.")
    outbox = Outbox.objects.get(kind="dispute_decided", player=link.player)
    message = compose(outbox)
    assert message is not None
    assert "The sheet says 48." in message.body
    assert message.subject.endswith("The dispute of the totals at your table was rejected")


def test_totals_of_an_upheld_dispute_are_named_as_totals(
    cast: Cast, event: Event, link: PersonalLink
) -> None:
    play(cast, event)
    dispute_result(cast.operation("H", LATER), Challenge.objects.get(), words="E had 10.")
    op = cast.operation("dirk", LATER + timedelta(minutes=1))
    rule_on_dispute(op, get_dispute(event, 1), to="upheld", ruling="The sheet says 10.")
    with time_machine.travel(LATER, tick=False):
        page = cast.client("dirk").get(f"/clubs/riverside/events/{event.slug}/direct")
    assert "The totals of round 1 still count as they were entered. Correct totals" in text_of(page)
    assert "Hand 0" not in text_of(page)


def test_both_sides_are_told_the_ruling(cast: Cast, event: Event, link: PersonalLink) -> None:
    """The other side was told that a director decides, and without an account never what."""
    play(cast, event)
    challenge = Challenge.objects.get()
    dispute_result(cast.operation("H", LATER), challenge, words="E had 10.")
    op = cast.operation("dirk", LATER + timedelta(minutes=1))
    rule_on_dispute(op, get_dispute(event, 1), to="rejected", ruling="The sheet says 48.")
    mails = Outbox.objects.filter(kind="dispute_decided")
    assert [row.player for row in mails if row.player is not None] == [link.player]


def test_a_name_with_a_full_stop_ends_a_sentence_once(
    cast: Cast, event: Event, link: PersonalLink
) -> None:
    Player.objects.filter(club=event.club, player_id="H").update(
        name="Hal H.", public_name="Hal H."
    )
    Player.objects.filter(club=event.club, player_id="E").update(
        name="Eve E.", public_name="Eve E."
    )
    issue(cast, event, "H", "E")
    received = mail("challenge_received")
    assert "No answer counts as a win for Hal H.\n" in received
    match = re.search(r"/my/confirm/\S+", received)
    assert match is not None
    with time_machine.travel(LATER, tick=False):
        assert "Hal H. challenges Eve E. " in text_of(Client().get(match[0]), 200)
