"""The page "Me", and choosing and stopping notifications."""

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tests.support.answers import Answer
from tests.support.builders import by_tests, finished, hand, league, players, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.mails import send_waiting
from tests.support.pages.queries import count_queries
from tests.support.pages.text import text_of
from tests.support.scenarios import mails
from tests.support.scenarios.challenges import issue
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.scenarios.ladders import ladder
from tournaments.domain.notices import DEFAULTS, SIGN_IN
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Event
from tournaments.models.jobs import Outbox
from tournaments.models.notices import NotificationChoice
from tournaments.models.rounds import Round
from tournaments.selectors.notices.notifications import list_choices, list_unread_notices
from tournaments.services.clubs.clubs import create_club
from tournaments.services.clubs.members import link_account
from tournaments.services.notices.outbox import enqueue_mail
from tournaments.services.publishing.publications import publish

CHALLENGES = "/clubs/riverside/events/ladder/challenges"


def link(club: Club, player_id: str, user: User) -> None:
    player = Player.objects.get(club=club, player_id=player_id)
    link_account(by_tests(), player, user=user)


def me(client: Client) -> str:
    return text_of(client.get("/me"))


def test_linked_player_reads_place_table_and_results(evenings: Evenings) -> None:
    piet = evenings.cast.users["piet"]
    link(evenings.cast.riverside, "RL06", piet)
    page = me(evenings.client("piet"))
    assert "Riverside Jörg S. RL06 Place 5 of 8 in Autumn league , up 3: behind Cleo S., " in page
    assert "who had a better average than you. Why in Autumn league" in page
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
    table = f'<a class="btn pri" href="{ADDRESS}/tables/r2t1">'
    assert re.search(rf"{table}Join table 1\s*</a>", page)


def test_table_of_tonight_comes_before_one_without_an_evening(cast: Cast) -> None:
    people, tonight = players(cast.riverside, "Ada", "Ben", "Cem", "Dora"), timezone.localdate()
    link(cast.riverside, "RL01", cast.users["hanna"])
    Round.objects.filter(
        pk=table(league(cast.riverside, slug="old"), people).table.round_id
    ).update(meeting=None)
    table(league(cast.riverside, name="Tonight"), people, round_number=2, on=tonight)
    page = cast.client("hanna").get("/me").content.decode()
    assert '<a class="btn pri" href="/clubs/riverside/events/league/tables/r2t1">' in " ".join(
        page.split()
    )


def test_evening_of_a_player_has_the_tables_and_the_points_of_each_hand(evenings: Evenings) -> None:
    link(evenings.cast.riverside, "RL06", evenings.cast.users["piet"])
    address = f"{ADDRESS}/meetings/2025-11-13/players/RL06"
    assert f'href="{address}"' in evenings.client("piet").get("/me").content.decode()
    page = text_of(evenings.client().get(address))
    assert "Thursday 13 November 2025, Autumn league. " in page
    assert "Place 5 of 8 in the season." in page
    assert "Table 1, East North Elsa D. · East Jörg S. · South" in page
    assert "2 hearts 2 +2 2 Open sheet" in page
    first = text_of(evenings.client().get(f"{ADDRESS}/meetings/2025-11-06/players/RL06"))
    assert "Table 2, East" in first
    assert "Table 1" not in first
    assert evenings.client().get(f"{address}9").status_code == 404


def test_evening_before_the_first_hand_names_the_pass(evenings: Evenings) -> None:
    event = evenings.event
    people = list(Player.objects.filter(club=event.club_id).order_by("player_id")[:4])
    table(event, people, round_number=3, on=date(2025, 11, 20))
    page = text_of(evenings.client().get(f"{ADDRESS}/meetings/2025-11-20/players/RL01"))
    assert "Table 1, North" in page
    assert "Hand 1: you pass to Zoë K. (E)." in page


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
    page = client.get("/me").content.decode()
    form = rf'action="({CHALLENGES}/\d+/move)">(?:(?!</form>).)*?name="to" value="{to}"'
    match = re.search(form, page, re.S)
    assert match, to
    return client.post(match[1], {"to": to, "back": "me"}, follow=True)


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
    response = client.post("/clubs/riverside/claim-player/RL10", {"back": "me"}, follow=True)
    assert response.redirect_chain == [("/me", 302)]
    assert "Wait for a director" in text_of(response)
    assert "Cleo Smith wants to be linked to Cleo S." in me(cast.client("dirk"))
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


def test_number_of_queries_does_not_grow_with_what_was_played(cast: Cast, piet: Client) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, *(f"Player {letter}" for letter in "ABCD"))
    link(cast.riverside, "RL01", cast.users["piet"])

    def evening(number: int) -> None:
        hand(finished(table(event, people, round_number=number)), 2, [4, 1, 2, 6], 3)
        publish(event.pk, now=NOW)

    evening(1)
    few = count_queries(piet, "/me")
    for number in range(2, 6):
        evening(number)
    league(cast.riverside, slug="cup", name="Cup")
    assert count_queries(piet, "/me") == few
    assert few <= 20
    for at in range(3):
        club = create_club(by_tests(), slug=f"club-{at}", name=f"Club {at}")
        players(club, "Piet K.")
        link(club, "RL01", cast.users["piet"])
    assert count_queries(piet, "/me") <= few + 3


def test_each_running_event_has_a_line_with_the_own_place(cast: Cast) -> None:
    people, client = players(cast.riverside, "Ada", "Ben", "Cem", "Dora"), cast.client("piet")
    link(cast.riverside, "RL01", cast.users["piet"])
    counts = []
    for name in ("Spring", "Summer", "Autumn", "Winter"):
        event = league(cast.riverside, slug=name.lower(), name=name)
        finished(table(event, people))
        publish(event.pk, now=NOW)
        counts.append(count_queries(client, "/me"))
    assert counts[1] == counts[2] == counts[3]
    Event.objects.filter(slug="spring").update(state="final")
    places = re.findall(r"Place (\d) of 4 in (\w+)", me(client))
    assert places == [("3", "Autumn"), ("3", "Summer"), ("3", "Winter")]


PAGE, NOTICES = "/account/notifications", "/notices"


def stop_link(message: EmailMultiAlternatives) -> str:
    header = str(message.extra_headers["List-Unsubscribe"])
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    found = re.fullmatch(r"<https://club\.example(/unsubscribe/\S+)>", header)
    assert found is not None
    return found[1]


@pytest.fixture
def corrected(cast: Cast, mailoutbox: list[EmailMultiAlternatives], settings: Settings) -> str:
    """A hand at Piet's table was corrected; the link that stops such mails."""
    settings.SITE_URL = "https://club.example"
    mails.give_addresses()
    mails.correct(cast, mails.evening(cast))
    assert send_waiting()
    return stop_link(mailoutbox[0])


def by_mail(cast: Cast) -> set[str]:
    chosen = list_choices(cast.users["piet"].pk, cast.riverside)
    return {kind for kind, channels in chosen.items() if channels.by_mail}


def test_mail_program_stops_a_kind_with_one_post_signed_out(cast: Cast, corrected: str) -> None:
    before = by_mail(cast)
    program = Client(enforce_csrf_checks=True)
    answer = program.post(
        corrected, "List-Unsubscribe=One-Click", "application/x-www-form-urlencoded"
    )
    assert answer.status_code == 200, "no redirect, no cookie, no question"
    assert not answer.cookies
    assert before - by_mail(cast) == {"correction"}
    assert program.post(corrected).status_code == 200, "twice is as once"
    assert NotificationChoice.objects.get().as_notice is DEFAULTS["correction"].as_notice


def test_person_is_asked_before_the_mails_stop(cast: Cast, corrected: str) -> None:
    text = text_of(Client().get(corrected))
    assert "Stop these mails? Mails of the kind “Correction at my table” from Riverside." in text
    assert "correction" in by_mail(cast), "a program that looks at links stops nothing"
    done = text_of(Client().post(corrected))
    assert "You get no more mails of the kind “Correction at my table” from Riverside." in done


def test_changed_link_and_one_of_a_former_member_stop_nothing(cast: Cast, corrected: str) -> None:
    changed = corrected[:-3] + ("abc" if corrected[-3:] != "abc" else "abd")
    assert Client().post(changed).status_code == 404
    assert Client().post("/unsubscribe/guessed").status_code == 404
    Membership.objects.filter(user=cast.users["piet"]).delete()
    assert Client().post(corrected).status_code == 404
    assert not NotificationChoice.objects.exists()


def test_member_chooses_by_club_and_stops_all(cast: Cast, piet: Client) -> None:
    assert "10 kinds by mail, 6 as a notice" in text_of(piet.get(PAGE))
    saved = piet.post(PAGE, {"club": "riverside", "mail-playoff": "on"}, follow=True)
    assert "Notifications of Riverside saved." in text_of(saved)
    assert by_mail(cast) == {"playoff"}
    stopped = piet.post(PAGE, {"none": "yes"}, follow=True)
    assert "All mails stopped. Mails about signing in are sent." in text_of(stopped)
    assert by_mail(cast) == set()
    assert piet.post(PAGE, {"club": "hilltop", "mail-playoff": "on"}).status_code == 404
    assert Client().get(PAGE).status_code == 302


def test_notices_are_listed_until_they_are_read(cast: Cast, piet: Client) -> None:
    mails.evening(cast)
    page = piet.get(NOTICES)
    assert "1 notice is new." in text_of(page)
    assert "Your next table: table 1, seat N" in text_of(page)
    (notice,) = list_unread_notices(cast.users["piet"].pk)
    assert cast.client("dirk").post(f"{NOTICES}/{notice.public_id}").status_code == 404
    opened = piet.post(f"{NOTICES}/{notice.public_id}")
    assert opened["Location"] == "/clubs/riverside/events/league/tables/r1t1"
    assert "No new notices." in text_of(piet.get(NOTICES))
    Membership.objects.filter(user=cast.users["piet"]).delete()
    assert "Your next table" not in text_of(piet.get(NOTICES))


def test_owner_sees_what_was_not_delivered_and_sends_it_again(
    cast: Cast, mailoutbox: list[EmailMultiAlternatives]
) -> None:
    mails.give_addresses()
    mails.correct(cast, mails.evening(cast))
    error = "550 5.1.1 no such mailbox"
    Outbox.objects.update(parked=True, attempts=1, error=error, due_at=NOW)
    mail = Outbox.objects.get()
    olga, page = cast.client("olga"), "/clubs/riverside/mail"
    text = text_of(olga.get(page))
    assert "1 mail could not be delivered." in text
    assert "Correction of a hand: piet@riverside.example" in text
    assert error in text
    for name, status in {"dirk": 403, "piet": 403, "nora": 403}.items():
        assert cast.client(name).get(page).status_code == status
        assert cast.client(name).post(f"{page}/{mail.pk}/send").status_code == status
    assert "sent again in a moment" in text_of(olga.post(f"{page}/{mail.pk}/send", follow=True))
    assert AuditLine.objects.filter(act="send_mail_again", subject=f"mail:{mail.pk}").exists()
    assert send_waiting()
    assert [one.to for one in mailoutbox] == [["piet@riverside.example"]]
    assert "All mails are sent." in text_of(olga.get(page))
    assert "This mail is sent already." in text_of(olga.post(f"{page}/{mail.pk}/send", follow=True))


def test_without_a_mail_server_the_owner_reads_the_mails_of_the_club_and_no_others(
    cast: Cast, settings: Settings, tmp_path: Path, olga: Client
) -> None:
    settings.EMAIL_BACKEND = "tournaments.delivery.mail.files.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    mails.every_mail(cast)
    enqueue_mail(club=cast.hilltop, kind="correction", to=cast.users["nora"].pk, now=NOW)
    assert send_waiting()
    page = text_of(olga.get("/clubs/riverside/mail"))
    assert "Nobody gets the mails below. Read them here, and hand out" in page
    assert "All mails are sent" not in page
    assert "var/mail" not in page
    assert "Press Share on the standings" in page
    invite = text_of(olga.get("/clubs/riverside/members/invite"))
    assert "One a line. This site sends no mail: hand out the links yourself." in invite
    assert "sends the invitation by mail" not in invite
    invitation = Outbox.objects.get(kind="invitation")
    read = text_of(olga.get(f"/clubs/riverside/mail/{invitation.pk}"))
    assert "Invitation to Riverside" in read
    assert "/invitations/" in read
    secret = Outbox.objects.get(kind=SIGN_IN)
    assert "About signing in" not in page
    assert olga.get(f"/clubs/riverside/mail/{secret.pk}").status_code == 404
    assert olga.post(f"/clubs/riverside/mail/{secret.pk}/send").status_code == 404
    kept = list((tmp_path / "mail").iterdir())
    assert len(kept) == Outbox.objects.filter(sent_at__isnull=False).count()
    assert {oct(one.stat().st_mode)[-3:] for one in kept} == {"600"}


@pytest.mark.parametrize(
    ("may_answer", "said"), [(True, "You have not answered yet."), (False, "")]
)
def test_answer_is_missed_only_where_it_can_be_given(may_answer: bool, said: str) -> None:
    one = {"state": "", "may_answer": may_answer}
    assert render_to_string("people/_own_state.html", {"one": one}).strip() == said
