"""The pages of a personal link: what its holder reads, answers and confirms, and nothing else."""

from datetime import date, time

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from tests.support.builders import by_tests, finished, hand, league, players, table
from tests.support.builders import link as link_account
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.delivery.mail.sender import compose
from tournaments.models.access import Contact, PersonalLink
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, EntrantMember, Event
from tournaments.models.jobs import Outbox
from tournaments.models.rounds import Attendance, Meeting
from tournaments.policy import CONFIRMED, MAY, PERSON, REACHED
from tournaments.selectors.access.personal_links import confirmation_token, printable_token
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.notices.notifications import unsubscribe_token
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.clubs.personal_links import (
    make_personal_links,
    renew_personal_link,
    revoke_personal_link,
    set_contact,
)
from tournaments.services.people.merge_players import merge_players
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

pytestmark = pytest.mark.django_db

EVENING = date(2025, 11, 13)
ON_THE_DAY = "2025-11-13 19:00:00+00:00"


@pytest.fixture
def meeting(event: Event) -> Meeting:
    return Meeting.objects.create(
        club=event.club, event=event, date=EVENING, time=time(19, 30), place="Hall"
    )


@pytest.fixture
def link(meeting: Meeting) -> PersonalLink:
    ada = players(meeting.club, "Ada Adams", "Bo Brown")[0]
    return renew_personal_link(by_tests(), ada)


def path(link: PersonalLink, page: str = "") -> str:
    return f"/my/{printable_token(link)}{page}"


def states() -> dict[str, tuple[str, int | None]]:
    rows = Attendance.objects.values_list("player__player_id", "state", "from_round")
    return {player: (state, first) for player, state, first in rows}


def test_link_shows_the_evening_and_takes_each_answer(link: PersonalLink, meeting: Meeting) -> None:
    client, answer = Client(), path(link, f"/evenings/{meeting.pk}")
    with time_machine.travel(NOW, tick=False):
        text = text_of(client.get(path(link)))
        for words in ("Ada Adams", "Thursday 13 November", "19:30", "Hall", "I come later"):
            assert words in text
        assert "I am here" not in text
        assert "19:30, Hall" in text_of(client.get(f"{answer}?answer=no"))
        assert states() == {}, "a mail scanner that follows the link answers nothing"
        for sent, state in (
            ({"answer": "late", "from_round": "3"}, ("late", 3)),
            ({"answer": "no"}, ("absent", None)),
            ({"answer": "yes"}, ("expected", None)),
        ):
            assert client.post(answer, sent, follow=True).status_code == 200
            assert states() == {"RL01": state}
    line = AuditLine.objects.filter(act="check_in").latest("number")
    assert (line.actor, line.user_id, line.subject) == (f"person:{link.pk}", None, "player:RL01")
    with time_machine.travel(ON_THE_DAY, tick=False):
        assert "I am here: check in" in text_of(client.get(path(link)))
        client.post(path(link))
        assert states() == {"RL01": ("here", None)}
        page = text_of(client.get(path(link)))
        assert "You are checked in." in page
        assert "Your table is shown here when its round is posted." in page
        seated = [link.player, *players(meeting.club, "C", "D", "E")]
        hand(table(meeting.event, seated, on=EVENING), 1, [4, 2, 1, 6], queen=3)
        page = text_of(client.get(path(link)))
        assert "Your table is shown here as soon" not in page
        assert "My place" in page


def test_who_waits_is_offered_no_check_in(link: PersonalLink, meeting: Meeting) -> None:
    bo = Player.objects.get(name="Bo Brown")
    change_meeting(by_tests(), meeting_on(meeting.event, EVENING), capacity=1)
    set_attendance(by_tests(), meeting_on(meeting.event, EVENING), player=bo, state="expected")
    with time_machine.travel(ON_THE_DAY, tick=False):
        before = text_of(Client().get(path(link)))
        assert "A new answer is on the waiting list. If you are here, ask the host" in before
        assert "I am here: check in" not in before
        Client().post(path(link, f"/evenings/{meeting.pk}"), {"answer": "yes"})
        assert "I am here: check in" not in text_of(Client().get(path(link)))
        Client().post(path(link))
    assert states()["RL01"] == ("waiting", None), "the host checks in who waits"


def test_two_later_evenings_are_answered_below_the_next_one(
    link: PersonalLink, meeting: Meeting, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    event = meeting.event
    for day in (20, 27, 28):
        plan_meeting(by_tests(), event, day=date(2025, 11, day))
    with time_machine.travel(NOW, tick=False):
        with django_assert_max_num_queries(43):
            shown = text_of(Client().get(path(link)))
        assert "Thursday 20 November" in shown
        assert "Thursday 27 November" in shown
        assert "Friday 28 November" not in shown, "the third"
        week_after = Meeting.objects.get(date=date(2025, 11, 20))
        Client().post(path(link, f"/evenings/{week_after.pk}"), {"answer": "no"})
        assert Attendance.objects.get().meeting == week_after
        later = text_of(Client().get(path(link))).partition("Later evenings")[2]
        assert later.partition("Thursday 27")[0].count("Your answer: you do not come.") == 1
    with time_machine.travel("2025-11-27 19:00:00+00:00", tick=False):
        last = text_of(Client().get(path(link))).partition("Later evenings")[2]
        assert "Friday 28 November" in last
        assert "Thursday 27 November" not in last, "it is the evening above"


def test_cancelled_evening_among_the_next_ones_is_named(
    cast: Cast, link: PersonalLink, meeting: Meeting
) -> None:
    """The next one for everybody, a later one for who comes, and none after the third day."""
    event = meeting.event
    link_account(link.player, cast.users["piet"])
    for day in (20, 27, 28):
        plan_meeting(by_tests(), event, day=date(2025, 11, day))

    def cancel(day: int, reason: str) -> None:
        row = meeting_on(event, date(2025, 11, day))
        change_meeting(by_tests(), row, state="cancelled", reason=reason)

    def pages() -> tuple[str, str]:
        own = text_of(cast.client("piet").get("/me"))
        return text_of(Client().get(path(link))), own.partition("New notices")[0]

    with time_machine.travel(NOW, tick=False):
        for day, state in ((20, "late"), (28, "expected")):
            row = meeting_on(event, date(2025, 11, day))
            set_attendance(by_tests(), row, player=link.player, state=state)
        for page in pages():
            assert "is cancelled" not in page
        for day in (20, 27, 28):
            cancel(day, "Snow.")
        for page in pages():
            assert "Thursday 20 November 2025 is cancelled: Snow. League" in page
            assert page.count("is cancelled") == 1, "27: no answer; 28: the fourth day"
        cancel(13, "Flood.")
        for page in pages():
            assert "Thursday 13 November 2025 is cancelled: Flood. League" in page
            assert page.count("is cancelled") == 2
        row = meeting_on(event, date(2025, 11, 20))
        Attendance.objects.filter(meeting=row).update(state="absent", answer="absent")
        for page in pages():
            assert page.count("is cancelled") == 1
    with time_machine.travel("2025-11-14 10:00:00+00:00", tick=False):
        for page in pages():
            assert "Thursday 13 November" not in page
            assert "Thursday 20 November 2025 is cancelled: Snow." in page, "it is the next one"


def test_question_about_the_next_evening_stands_before_later_ones_with_its_places(
    cast: Cast, link: PersonalLink, meeting: Meeting
) -> None:
    link_account(link.player, cast.users["piet"])
    bo = Player.objects.get(name="Bo Brown")
    change_meeting(by_tests(), meeting_on(meeting.event, EVENING), capacity=1)
    set_attendance(by_tests(), meeting_on(meeting.event, EVENING), player=bo, state="expected")
    plan_meeting(by_tests(), meeting.event, day=date(2025, 11, 20))
    with time_machine.travel(NOW, tick=False):
        page = text_of(cast.client("piet").get("/me"))
    question = page.partition("Will you come on Thursday 13 November 2025?")[2]
    assert "All places are taken. A new answer is on the waiting list." in question
    assert "Later evening Thursday 20 November 2025" in question


def test_waiting_list_is_the_same_on_every_page(link: PersonalLink, meeting: Meeting) -> None:
    """What the holder, the director and the public read while the only place is taken, and then."""
    bo = Player.objects.get(name="Bo Brown")
    change_meeting(by_tests(), meeting_on(meeting.event, EVENING), capacity=1)
    set_attendance(by_tests(), meeting_on(meeting.event, EVENING), player=bo, state="expected")
    evening = f"/clubs/riverside/events/league/meetings/{EVENING}"
    director = Client()
    director.force_login(User.objects.get(username="dirk"))
    with time_machine.travel(NOW, tick=False):
        assert "All places are taken." in text_of(Client().get(evening))
        answer = path(link, f"/evenings/{meeting.pk}")
        asked = "You have not answered yet. All places are taken. A new answer is on the waiting"
        assert asked in text_of(Client().get(path(link)))
        said = text_of(Client().post(answer, {"answer": "yes"}, follow=True))
        assert "Saved: you are on the waiting list of Thursday 13 November 2025." in said
        waits = "You are 1st on the waiting list and get a place when one becomes free."
        assert waits in text_of(Client().get(path(link)))
        assert "I come later" in text_of(Client().get(path(link))), "and may say so, or withdraw"
        listed = text_of(director.get(f"{evening}/attendance"))
        assert "1 places, 1 waiting" not in listed
        assert "1 place, 1 waiting. Answers: 1 coming" in listed
        assert "1st on the waiting list" in listed
        director.post(f"{evening}/attendance", {"absent": bo.player_id})
        assert "A place became free: you come." in text_of(Client().get(path(link)))
        change_meeting(by_tests(), meeting_on(meeting.event, EVENING), capacity=3)
        assert "2 places are free." in text_of(Client().get(evening))
        change_meeting(by_tests(), meeting_on(meeting.event, EVENING), capacity=2)
        assert "1 place is free." in text_of(Client().get(evening))


def test_answer_after_the_first_hand_is_late_and_seen(link: PersonalLink, meeting: Meeting) -> None:
    seated = players(meeting.club, "C", "D", "E", "F")
    hand(table(meeting.event, seated, on=EVENING), 1, [4, 2, 1, 6], queen=3)
    with time_machine.travel(ON_THE_DAY, tick=False):
        client = Client()
        page = text_of(client.get(path(link)))
        assert "The evening has begun: your answer is late. The host still sees it." in page
        client.post(path(link, f"/evenings/{meeting.pk}"), {"answer": "yes"})
        assert states()["RL01"] == ("late", None)


def test_links_that_open_nothing(link: PersonalLink) -> None:
    client, op = Client(), by_tests()
    assert client.get("/my/guessed").status_code == 404
    renewed = renew_personal_link(op, link.player)
    assert "ask a director for a new link" in text_of(client.get(path(link)), 410)
    assert client.get(path(renewed)).status_code == 200
    bo = Player.objects.get(name="Bo Brown")
    Player.objects.filter(pk=link.player_id).update(merged_into=bo)
    assert "Bo Brown" in text_of(client.get(path(renewed)))
    Player.objects.filter(pk=bo.pk).update(erased_at=NOW)
    assert client.get(path(renewed)).status_code == 404


def test_revoked_link_opens_nothing(link: PersonalLink) -> None:
    assert revoke_personal_link(by_tests(), link.player)
    assert Client().get(path(link)).status_code == 410


def test_guessed_links_are_limited(link: PersonalLink) -> None:
    client = Client()
    answers = [client.get(f"/my/guessed{n}").status_code for n in range(40)]
    assert 429 in answers
    assert client.get(path(link)).status_code == 200


def test_more_than_the_evening_is_confirmed_by_mail(link: PersonalLink) -> None:
    client, more = Client(), path(link, "/more")
    response = client.post(more, {"action": "erasure"})
    assert "The club has no mail address of yours" in text_of(response, 422)
    client.post(more, {"action": "address", "email": "ada@home.example"})
    assert not Contact.objects.get().email
    mail = Outbox.objects.get()
    assert (mail.kind, mail.player_id) == ("personal_confirmation", link.player_id)
    facts = mail.payload["facts"]
    token = confirmation_token(link, "address", facts, email="ada@home.example")
    assert "ada@home.example" in text_of(client.get(f"/my/confirm/{token}"))
    assert not Contact.objects.get().email, "reading confirms nothing"
    assert "Your address is saved." in text_of(client.post(f"/my/confirm/{token}"))
    contact = Contact.objects.get()
    assert (contact.email, contact.consent_as) == ("ada@home.example", "")
    assert "a…@home.example" in text_of(client.get(path(link)))
    assert "ada@home.example" not in client.get(path(link)).content.decode()
    other = confirmation_token(link, "erasure", {}, email="thief@home.example")
    assert client.get(f"/my/confirm/{other}").status_code == 404


def test_account_is_made_by_the_link_of_a_mail(link: PersonalLink) -> None:
    set_contact(by_tests(), link.player, email="ada@home.example", has_consent=True)
    token = confirmation_token(link, "account", {}, email="ada@home.example")
    assert "Ada Adams" in text_of(Client().post(f"/my/confirm/{token}", follow=True), 200)


def test_personal_link_has_no_other_right() -> None:
    own = {"check_in", "own_link", "note_own_result"}
    by_mail = own | {"confirmed_link"}
    assert {right for right, roles in MAY.items() if PERSON in roles} == own
    assert {right for right, roles in MAY.items() if REACHED in roles} == by_mail
    assert {right for right, roles in MAY.items() if CONFIRMED in roles} == {
        *by_mail,
        *("challenge", "confirm_result", "edit_own_player"),
    }


def test_names_the_public_does_not_read_stay_hidden(link: PersonalLink, meeting: Meeting) -> None:
    club = meeting.club
    Club.objects.filter(pk=club.pk).update(names_policy="number", names_version=1, is_public=False)
    Player.objects.filter(club=club).update(public_name=F("player_id"))
    seated = [link.player, *players(club, "Cleo Clark", "Dirk Dent", "Eva East")]
    game = table(meeting.event, seated, on=EVENING)
    Player.objects.filter(club=club).update(public_name=F("player_id"))
    hand(game, 1, [4, 2, 1, 6], queen=3)
    with time_machine.travel(ON_THE_DAY, tick=False):
        text = text_of(Client().get(path(link)))
    assert "Ada Adams" in text
    assert "Table 1" in text
    for name in ("Cleo", "Clark", "Dirk", "Eva"):
        assert name not in text


def test_cards_are_made_for_all_who_have_no_account(cast: Cast, meeting: Meeting) -> None:
    players(meeting.club, *(f"Player {n}" for n in range(12)))
    dirk = cast.client("dirk")
    address = f"/clubs/{meeting.club.slug}/personal-links"
    assert "Create 1" in text_of(dirk.get(address))
    page = dirk.post(address, follow=True)
    assert page.content.decode().count('class="qr"') == PersonalLink.objects.count() > 10
    text = text_of(page)
    assert text.index("Player 11") < text.index("Player 2")
    assert len(make_personal_links(by_tests(), meeting.club)) == 0
    assert cast.client("hanna").get(address).status_code == 403


def test_links_are_mailed_by_one_press_and_once_a_day(cast: Cast, link: PersonalLink) -> None:
    club, dirk = link.player.club, cast.client("dirk")
    page = f"/clubs/{club.slug}/personal-links"
    assert "Nobody here has both" in text_of(dirk.post(page, {"mail": "yes"}, follow=True))
    set_contact(by_tests(), link.player, email="ada@home.example", has_consent=True)
    assert "Send 1 link by mail" in text_of(dirk.get(page))
    said = [
        text_of(dirk.post(address, {"mail": "yes"}, follow=True))
        for address in (page, f"{page}/RL01")
    ]
    assert "1 mail leaves in a moment." in said[0]
    assert "Each of these links was written into a mail today already." in said[1]
    mail = Outbox.objects.get()
    message = compose(mail)
    assert message is not None
    assert message.to == ["ada@home.example"]
    assert path(link) in message.body
    revoke_personal_link(by_tests(), link.player)
    assert compose(mail) is None


def test_director_sees_who_comes(cast: Cast, link: PersonalLink, meeting: Meeting) -> None:
    answers = {"Cy": "yes", "Di": "yes", "Ed": "yes", "Flo": "late", "Gus": "no"}
    with time_machine.travel(NOW, tick=False):
        for name, answer in answers.items():
            own = renew_personal_link(by_tests(), players(meeting.club, name)[0])
            Client().post(path(own, f"/evenings/{meeting.pk}"), {"answer": answer})
        base = f"/clubs/{meeting.club.slug}/events/league/meetings/{EVENING}/attendance"
        page = text_of(cast.client("dirk").get(base))
    said = "Answers: 3 coming, 1 later, 1 not coming: 1 table, nobody sits out"
    assert said in page


def test_mail_to_an_earlier_address_confirms_nothing(link: PersonalLink) -> None:
    op, client = by_tests(), Client()
    set_contact(op, link.player, email="thief@home.example", has_consent=True)
    token = confirmation_token(link, "erasure", {}, email="thief@home.example")
    set_contact(op, link.player, email="ada@home.example", has_consent=True)
    client.post(path(link, "/more"), {"action": "address", "email": "thief@home.example"})
    assert Contact.objects.get().new_email == "thief@home.example"
    assert client.post(f"/my/confirm/{token}").status_code == 404


@pytest.mark.parametrize("challenge", [None, 7, 10**30])
def test_mail_of_a_gone_challenge_opens_nothing(link: PersonalLink, challenge: int | None) -> None:
    set_contact(by_tests(), link.player, email="ada@home.example", has_consent=True)
    facts = {"challenge": challenge}
    token = confirmation_token(link, "challenge", facts, email="ada@home.example")
    gone = Client().post(f"/my/confirm/{token}", {"to": "accepted"})
    assert "This link does not work" in text_of(gone, 404)


def test_unknown_kind_of_mails_is_refused(link: PersonalLink) -> None:
    page = Client().post(path(link, "/mails"), {"kind": "spam"}, follow=True)
    assert "spam" in text_of(page, 200)
    assert not Contact.objects.exists()


def test_unsubscribe_link_of_a_player_merged_twice_stops_the_mails(link: PersonalLink) -> None:
    op, ada = by_tests(), link.player
    set_contact(op, ada, email="ada@home.example", has_consent=True)
    token = unsubscribe_token(club_id=ada.club_id, kind="digest", player_id=ada.pk)
    bo, cy = Player.objects.get(name="Bo Brown"), players(ada.club, "Cy Clark")[0]
    merge_players(op, ada, target=bo)
    merge_players(op, Player.objects.get(pk=bo.pk), target=cy)
    assert Client().post(f"/unsubscribe/{token}").status_code == 200
    assert Contact.objects.get(player=cy).stopped == ["digest"]


def test_confirming_mails_are_bounded_a_day_for_player_and_club(link: PersonalLink) -> None:
    bo = renew_personal_link(by_tests(), Player.objects.get(name="Bo Brown"))
    ask = {"action": "address", "email": "stranger@home.example"}
    with time_machine.travel(NOW, tick=False):
        asked = [Client().post(path(link, "/more"), ask).status_code for _n in range(4)]
        assert asked == [302, 302, 302, 422]
        mail = Outbox.objects.latest("pk")
        rest = {"club": bo.club, "kind": mail.kind, "created_at": NOW, "due_at": NOW}
        Outbox.objects.bulk_create(Outbox(**rest, payload={}) for _n in range(196))
        assert Client().post(path(bo, "/more"), ask).status_code == 302
        refused = Client().post(path(bo, "/more"), ask)
    assert "200 mails were asked for today to confirm something" in text_of(refused)


def test_page_of_a_person_takes_as_many_statements_for_any_number_of_ladders(
    link: PersonalLink, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    club = link.player.club
    for number in range(20):
        event = league(club, slug=f"ladder-{number}")
        entrant = Entrant.objects.create(club=club, event=event, code="RL01")
        EntrantMember.objects.create(club=club, event=event, entrant=entrant, player=link.player)
    Event.objects.filter(slug__startswith="ladder-").update(kind="ladder")
    with time_machine.travel(NOW, tick=False), django_assert_max_num_queries(40):
        assert Client().get(path(link)).status_code == 200


def test_a_posted_table_is_answer_enough(link: PersonalLink, meeting: Meeting) -> None:
    with time_machine.travel(NOW, tick=False):
        client = Client()
        assert "You have not answered yet." in text_of(client.get(path(link)))
        seated = [link.player, *players(meeting.club, "C", "D", "E")]
        table(meeting.event, seated, on=EVENING)
        for page in (path(link), path(link, f"/evenings/{meeting.pk}")):
            text = text_of(client.get(page))
            assert "You have not answered yet." not in text
            assert "You sit at table 1 of round 1." in text
            assert "I do not come" in text, "a player who cannot come still says it"
        client.post(path(link, f"/evenings/{meeting.pk}"), {"answer": "no"})
        text = text_of(client.get(path(link)))
        assert "Your answer: you do not come." in text


def closed_after_its_evening(link: PersonalLink, meeting: Meeting) -> Client:
    seated = [link.player, *players(meeting.club, "C", "D", "E")]
    Entrant.objects.filter(event=meeting.event).delete()
    finished(table(meeting.event, seated, on=EVENING))
    publish(meeting.event_id, now=NOW)
    other = league(meeting.club, slug="newer", name="Newer league")
    Entrant.objects.filter(event=other).delete()
    Event.objects.filter(pk=meeting.event_id).update(state="closed")
    return Client()


def test_a_closed_event_stays_on_the_page_until_its_evening_ends(
    link: PersonalLink, meeting: Meeting
) -> None:
    client = closed_after_its_evening(link, meeting)
    with time_machine.travel("2025-11-13 23:59:59+00:00", tick=False):
        text = text_of(client.get(path(link)))
        for words in (
            *("Today", "Thursday 13 November", "Round 1", "My place", "What counts"),
            "The event is closed. Your evening and your place in the season are below.",
        ):
            assert words in text, words
        assert "I am here: check in" not in text
        assert "I do not come" not in text
    with time_machine.travel("2025-11-14 00:00:00+00:00", tick=False):
        text = text_of(client.get(path(link)))
        assert "No evening is planned yet." in text, "midnight in the club's time zone"


def test_an_event_closed_tonight_concerns_those_who_sat_there(
    link: PersonalLink, meeting: Meeting
) -> None:
    bo = Player.objects.get(name="Bo Brown")
    bo_link = renew_personal_link(by_tests(), bo)
    client = closed_after_its_evening(link, meeting)
    with time_machine.travel("2025-11-13 22:00:00+00:00", tick=False):
        assert "No evening is planned yet." in text_of(client.get(path(bo_link)))


@pytest.mark.parametrize("backend", ["locmem", "console"])
def test_page_leads_to_what_a_mail_confirms_where_mails_are_sent(
    link: PersonalLink, settings: Settings, backend: str
) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    with time_machine.travel(NOW, tick=False):
        page = Client().get(path(link))
    sends = backend == "locmem"
    assert (path(link, "/more") in page.content.decode()) is sends
    assert ("to be erased, ask a director of the club." in text_of(page)) is not sends


@pytest.mark.parametrize(
    ("zone", "now"),
    [
        ("Pacific/Auckland", "2025-11-12 11:30+00:00"),
        ("Pacific/Honolulu", "2025-11-14 09:30+00:00"),
    ],
)
def test_evening_of_a_closed_event_stays_all_day_in_every_time_zone(
    link: PersonalLink, meeting: Meeting, zone: str, now: str
) -> None:
    Club.objects.update(time_zone=zone)
    client = closed_after_its_evening(link, meeting)
    with time_machine.travel(now, tick=False):
        assert "The event is closed. Your evening" in text_of(client.get(path(link)))
