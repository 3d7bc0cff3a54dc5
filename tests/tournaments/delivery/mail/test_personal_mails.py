"""Mails to players without an account: what they say, who gets them, how they end."""

import re
from collections.abc import Iterator
from datetime import time, timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks, Settings

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import work_on_evenings
from tests.support.mail_server import MailServer
from tests.support.mails import html_of, send_waiting
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import answer, issue, result, run_clock
from tests.support.scenarios.ladders import ladder
from tests.support.scenarios.mails import close_evening, end, post
from tournaments.domain.notices import PERSONAL_CONFIRMATION
from tournaments.errors import Conflict, Missing
from tournaments.models.access import Contact, PersonalLink
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Outbox
from tournaments.models.ladders import Challenge
from tournaments.models.rounds import Meeting, Round
from tournaments.selectors.access.personal_links import (
    find_confirmation,
    person_with_link,
    personal_path,
    printable_token,
)
from tournaments.selectors.waiting import list_waiting
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.clubs.personal_links import (
    ask_confirmation,
    renew_personal_link,
    revoke_personal_link,
    set_contact,
)
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import erase_player
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

pytestmark = pytest.mark.django_db
Outgoing = list[EmailMultiAlternatives]
OP = by_tests()
ADA = "ada@river.example"


@pytest.fixture(autouse=True)
def site(settings: Settings) -> None:
    settings.SITE_URL = "https://club.example"


def with_address(player: Player, email: str = ADA) -> Player:
    set_contact(OP, player, email=email, has_consent=True)
    return player


@pytest.fixture
def seated(cast: Cast) -> list[Player]:
    """Four players; Ada has an address, and the public reads Xenia by number."""
    people = players(cast.riverside, "Ada A.", "Xenia S.", "Ruth K.", "Omar B.")
    Player.objects.filter(pk=people[1].pk).update(public_name="Player 2")
    with_address(people[0])
    return people


@pytest.fixture
def game(cast: Cast, seated: list[Player]) -> Game:
    event = league(cast.riverside, name="Autumn league")
    game = table(event, seated)
    Round.objects.filter(event=event).update(state="draft")
    post(cast, event)
    hand(game, 1, [4, 1, 2, 6], 3)
    return game


@pytest.fixture
def meeting(cast: Cast) -> Meeting:
    event = league(cast.riverside, slug="winter", name="Winter league")
    on = NOW.date() + timedelta(days=4)
    return plan_meeting(OP, event, day=on, at=time(19, 30), place="Hall")


def sent(mailoutbox: Outgoing) -> EmailMultiAlternatives:
    """Send what is due, and return the only mail."""
    with time_machine.travel(NOW + timedelta(hours=2), tick=False):
        assert send_waiting()
    (message,) = mailoutbox
    return message


def body(message: EmailMultiAlternatives) -> str:
    """Return the text of a mail, with words for its tokens; the HTML has the same links."""
    for url in re.findall(r"https://\S+", str(message.body)):
        assert url.replace("&", "&amp;") in html_of(message)
    text = re.sub(r"/my/confirm/\S+", "/my/confirm/TOKEN", str(message.body))
    text = re.sub(r"/my/[\w-]{40,}", "/my/LINK", text)
    return re.sub(r"/unsubscribe/\S+", "/unsubscribe/TOKEN", text)


END = """-- 
Riverside, https://club.example
You get this mail as a player of Riverside.
Stop these mails: https://club.example/unsubscribe/TOKEN

"""


def test_reminder_has_three_links_that_only_choose(
    cast: Cast, meeting: Meeting, seated: list[Player], mailoutbox: Outgoing
) -> None:
    run_clock(meeting.event, NOW + timedelta(days=2))
    message = sent(mailoutbox)
    assert message.to == [ADA]
    page = f"https://club.example/my/LINK/evenings/{meeting.pk}"
    assert body(message) == (
        "Will you come on Monday 10 November 2025?\n\n"
        "Choose an answer. The page that opens has a button that sends it.\n\n"
        "Event: Winter league\nDay: Monday 10 November 2025\nTime: 19:30\nPlace: Hall\n\n"
        f"I come:\n{page}?answer=yes\n\n"
        f"I come later:\n{page}?answer=late\n\n"
        f"I do not come:\n{page}?answer=no\n\n"
        f"Open my evening:\nhttps://club.example/my/LINK\n\n{END}"
    )
    assert "<img" not in html_of(message)
    choice = re.findall(r"https://club.example(/my/\S+answer=late)", str(message.body))[0]
    with time_machine.travel(NOW, tick=False):
        page_text = Client().get(choice)
    assert page_text.status_code == 200
    assert not meeting.attendance.exists()


def test_a_player_at_a_posted_table_is_reminded_of_it_and_not_asked(
    cast: Cast, meeting: Meeting, seated: list[Player], mailoutbox: Outgoing
) -> None:
    table(meeting.event, seated, on=meeting.date)
    Outbox.objects.all().delete()
    run_clock(meeting.event, NOW + timedelta(days=2))
    message = sent(mailoutbox)
    assert body(message).startswith(
        "Reminder: you play on Monday 10 November 2025\n\n"
        "You sit at table 1 of round 1. Change your answer if you cannot come.\n\n"
    )
    assert "I do not come:" in str(message.body)


def test_who_said_no_is_not_asked_and_who_comes_hears_of_a_change(
    cast: Cast, meeting: Meeting, seated: list[Player], mailoutbox: Outgoing
) -> None:
    link = renew_personal_link(OP, seated[0])
    own = Operation(person_with_link(link), NOW)
    state_own_attendance(own, meeting, state="absent")
    run_clock(meeting.event, NOW + timedelta(days=2))
    assert not Outbox.objects.exists()
    state_own_attendance(own, meeting, state="expected")
    change_meeting(OP, meeting, place="Library")
    message = sent(mailoutbox)
    assert message.subject == "The evening of Monday 10 November 2025 was changed"
    assert f"/my/{printable_token(link)}" in message.body


def test_next_table_names_others_as_the_public_reads_them(game: Game, mailoutbox: Outgoing) -> None:
    assert body(sent(mailoutbox)) == (
        "Your next table: table 1, seat N\n\n"
        "Autumn league, round 1, table 1\n\n"
        "Seat E: Player 2\nSeat S: Ruth K.\nSeat W: Omar B.\n\n"
        f"Open my evening:\nhttps://club.example/my/LINK\n\n{END}"
    )


def test_result_has_place_reason_and_rows(cast: Cast, game: Game, mailoutbox: Outgoing) -> None:
    Outbox.objects.all().delete()
    end(cast, game)
    assert body(sent(mailoutbox)) == (
        "Autumn league: your results of Thursday 6 November 2025\n\n"
        "You finished the evening at place 3 of 4.\n\n"
        "Reason: behind Ruth K., who had a better average than you\n\n"
        "Player 2 won the evening.\n\n"
        "Round 1, table 1: place 3, 4 points\n"
        "Average a hand of the evening: 4.00\nPoints of the evening: 4\n"
        "Evening, place 1: Player 2, 1.00\nEvening, place 2: Ruth K., 2.00\n"
        "Evening, place 3: Ada A., 4.00\n\n"
        f"Open my evening:\nhttps://club.example/my/LINK\n\n{END}"
    )


def test_a_shared_place_is_said_as_people_say_it(
    cast: Cast, game: Game, mailoutbox: Outgoing
) -> None:
    Outbox.objects.all().delete()
    hand(game, 2, [2, 7, 4, 0], 3)
    end(cast, game)
    text = body(sent(mailoutbox))
    assert "You share place 1 of 4 of the evening.\n\nReason: tied with Ruth K.\n\n" in text
    assert "Evening, place 1=: Ada A., 3.00\nEvening, place 1=: Ruth K., 3.00\n" in text
    assert "Evening, place 3: Player 2" in text


def test_corrections_before_the_end_of_an_evening_are_in_its_one_mail(
    cast: Cast, game: Game, mailoutbox: Outgoing
) -> None:
    Outbox.objects.all().delete()
    event = game.event
    close_evening(cast, game)
    corrected = NOW + timedelta(minutes=55)
    hand(game, 1, [1, 4, 2, 6], 3, based_on=1, reason="Sheet.", now=corrected)
    work_on_evenings(event, corrected)
    assert not Outbox.objects.filter(kind="digest").exists(), "the evening goes on"
    work_on_evenings(event, NOW + timedelta(hours=1))
    assert "You won the evening." in body(sent(mailoutbox))
    work_on_evenings(event, NOW + timedelta(hours=5))
    assert Outbox.objects.filter(kind="digest").count() == 1


def test_mail_about_a_correction_says_who_won_and_who_was_announced(
    cast: Cast, game: Game, mailoutbox: Outgoing
) -> None:
    Outbox.objects.all().delete()
    end(cast, game)
    sent(mailoutbox)
    mailoutbox.clear()
    corrected = NOW + timedelta(minutes=90)
    hand(game, 1, [1, 4, 2, 6], 3, based_on=1, reason="Sheet.", now=corrected)
    work_on_evenings(game.event, corrected)
    work_on_evenings(game.event, corrected + timedelta(minutes=15))
    message = sent(mailoutbox)
    assert message.subject == (
        "Autumn league: the result of Thursday 6 November 2025 was corrected"
    )
    assert "Corrected: Ada A. won the evening; announced was Player 2.\n" in body(message)


def test_challenge_links_to_its_confirmation(cast: Cast, mailoutbox: Outgoing) -> None:
    event = ladder(cast, now=NOW)
    challenged = Player.objects.get(player_id="E")
    Player.objects.filter(pk=challenged.pk).update(user=None)
    Player.objects.filter(player_id="H").update(public_name="Player H")
    challenged.refresh_from_db()
    with_address(challenged)
    issue(cast, event, "H", "E")
    message = sent(mailoutbox)
    text = body(message)
    assert message.subject == "Player H challenges you"
    assert "Answer challenge:\nhttps://club.example/my/confirm/TOKEN" in text
    token = re.findall(r"/my/confirm/(\S+)", str(message.body))[0]
    with time_machine.travel(NOW + timedelta(days=2), tick=False):
        confirmation = find_confirmation(token)
        page = text_of(Client().get(f"/my/confirm/{token}"))
    assert confirmation is not None
    assert confirmation.action == "challenge"
    assert "Accept" in page


def test_person_confirms_a_result_by_the_link_of_its_mail(cast: Cast, mailoutbox: Outgoing) -> None:
    event = ladder(cast, now=NOW)
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    Player.objects.filter(player_id="E").update(user=None)
    with_address(Player.objects.get(player_id="E"))
    result(cast, event, "H", "HIE")
    message = sent(mailoutbox)
    assert message.subject == "Is the result of Member H against Member E right?"
    path = re.findall(r"/my/confirm/\S+", str(message.body))[0]
    with time_machine.travel(NOW + timedelta(hours=3), tick=False):
        assert "Result confirmed." in text_of(Client().post(path, {"to": "confirmed"}))
    assert Challenge.objects.get().state == "confirmed"


@pytest.mark.parametrize("action", ["address", "erasure", "account"])
def test_confirmation_goes_to_the_stored_address(
    cast: Cast, seated: list[Player], mailoutbox: Outgoing, action: str
) -> None:
    link = renew_personal_link(OP, seated[0])
    email = "new@river.example" if action == "address" else ""
    own = Operation(person_with_link(link), NOW)
    ask_confirmation(own, cast.riverside, action=action, email=email)
    message = sent(mailoutbox)
    assert message.to == [ADA]
    assert "List-Unsubscribe" not in message.extra_headers
    token = re.findall(r"/my/confirm/(\S+)", str(message.body))[0]
    with time_machine.travel(NOW + timedelta(hours=3), tick=False):
        confirmation = find_confirmation(token)
    assert confirmation is not None
    assert confirmation.action == action
    assert confirmation.facts == ({"email": email} if email else {})
    if action == "address":
        assert "Ada A. is to get mails of Riverside at new@river.example." in message.body
    if action == "account":
        assert "The link makes an account for Ada A. at Riverside." in message.body


def test_first_address_is_confirmed_at_the_new_one(
    cast: Cast, seated: list[Player], mailoutbox: Outgoing
) -> None:
    own = Operation(person_with_link(renew_personal_link(OP, seated[2])), NOW)
    ask_confirmation(own, cast.riverside, action="address", email="ruth@river.example")
    assert sent(mailoutbox).to == ["ruth@river.example"]


def test_unconfirmed_address_confirms_nothing_else(cast: Cast, seated: list[Player]) -> None:
    own = Operation(person_with_link(renew_personal_link(OP, seated[2])), NOW)
    ask_confirmation(own, cast.riverside, action="address", email="ruth@river.example")
    for action in ("account", "erasure"):
        with pytest.raises(Conflict, match="no_address"):
            ask_confirmation(own, cast.riverside, action=action)


@pytest.mark.parametrize("then", ["held", "stopped", "erased", "linked", "refused"])
def test_waiting_mail_is_dropped_for_whom_it_is_not_any_more(
    cast: Cast, game: Game, mailoutbox: Outgoing, then: str
) -> None:
    ada = Player.objects.filter(name="Ada A.")
    if then == "held":
        Event.objects.update(visibility="held")
    elif then == "stopped":
        Contact.objects.update(stopped=["next_table"])
    elif then == "erased":
        ada.update(erased_at=NOW)
    elif then == "linked":
        ada.update(user=cast.users["piet"])
    else:
        Contact.objects.update(refusals=3)
    assert send_waiting()
    assert mailoutbox == []
    assert not Outbox.objects.exists()


def test_mails_of_members_events_are_sent_and_a_revoked_link_is_left_out(
    game: Game, seated: list[Player], mailoutbox: Outgoing
) -> None:
    Event.objects.update(visibility="members")
    revoke_personal_link(OP, seated[0])
    message = sent(mailoutbox)
    assert "/my/" not in message.body
    assert "Your next table" in message.body


def test_mails_are_stopped_by_a_click_and_started_again(game: Game, mailoutbox: Outgoing) -> None:
    message = sent(mailoutbox)
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = message.extra_headers["List-Unsubscribe"][1:-1].removeprefix("https://club.example")
    assert "Stop these mails?" in text_of(Client().get(path))
    assert Contact.objects.get().stopped == [], "a mail scanner that follows the link stops nothing"
    page = text_of(Client(enforce_csrf_checks=True).post(path, {"List-Unsubscribe": "One-Click"}))
    assert Contact.objects.get().stopped == ["next_table"]
    assert "You get no more mails of the kind “My next table” from Riverside." in page
    assert "open your personal link" in page


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[MailServer]:
    server = MailServer()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    settings.EMAIL_TIMEOUT = 1
    yield server
    server.end()


def next_mail(cast: Cast, game: Game) -> None:
    """Write Ada a mail about her table once more, and send it."""
    Outbox.objects.all().delete()
    Round.objects.update(state="draft")
    post(cast, game.event)
    assert send_waiting()


def test_address_that_is_refused_three_times_is_left_alone_and_shown(
    cast: Cast, game: Game, mail_server: MailServer, clock: object
) -> None:
    mail_server.behaviour.recipients = {ADA: f"550 5.1.1 <{ADA}> no such mailbox".encode()}
    for _mail in range(2):
        next_mail(cast, game)
    mail_server.behaviour.recipients = {}
    next_mail(cast, game)
    assert Contact.objects.get().refusals == 0, "a delivered mail begins the count anew"
    mail_server.behaviour.recipients = {ADA: f"550 5.1.1 <{ADA}> no such mailbox".encode()}
    for refusals in (1, 2, 3):
        next_mail(cast, game)
        contact = Contact.objects.get()
        assert (contact.refusals, contact.refusal) == (refusals, "550 5.1.1 <…> no such mailbox")
    next_mail(cast, game)
    assert not Outbox.objects.exists()
    roles = {role: [(cast.riverside, role)] for role in ("director", "host")}
    titles = [line.title for line in list_waiting(roles["director"], now=NOW)]
    assert "The mail address of Ada A. is refused" in titles
    assert "refused_address" not in {line.kind for line in list_waiting(roles["host"], now=NOW)}
    page = text_of(cast.client("olga").get("/clubs/riverside/mail"))
    assert "Refused addresses" in page
    assert ADA in page
    assert cast.client("dirk").get("/clubs/riverside/mail").status_code == 403


def test_refusal_for_now_is_not_counted(
    cast: Cast, game: Game, mail_server: MailServer, clock: object
) -> None:
    mail_server.behaviour.recipients = {ADA: b"451 4.7.1 greylisted"}
    assert send_waiting()
    assert Contact.objects.get().refusals == 0


def test_statements_do_not_grow_with_the_number_of_players(
    cast: Cast, meeting: Meeting, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    many = players(cast.riverside, *(f"Person {number}" for number in range(40)))
    Contact.objects.bulk_create(
        Contact(
            club=cast.riverside,
            player=player,
            email=f"p{number}@river.example",
            consent_at=NOW,
            origin="club",
            origin_at=NOW,
        )
        for number, player in enumerate(many)
    )
    with django_assert_max_num_queries(30):
        run_clock(meeting.event, NOW + timedelta(days=2))
    assert Outbox.objects.filter(player__isnull=False).count() == 40
    assert PersonalLink.objects.count() == 40


def test_texts_are_offered_to_copy(
    cast: Cast,
    meeting: Meeting,
    seated: list[Player],
    settings: Settings,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    """For directors alone, twenty on a page; the attendance links to it without a mail server."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    link = renew_personal_link(OP, seated[2])
    many = players(cast.riverside, *(f"Person {number}" for number in range(30)))
    for player in many:
        renew_personal_link(OP, player)
    path = f"/clubs/riverside/events/winter/meetings/{meeting.date.isoformat()}/messages"
    with time_machine.travel(NOW, tick=False):
        with django_assert_max_num_queries(200):
            first = cast.client("dirk").get(path)
        second = cast.client("dirk").get(f"{path}?page=2")
        attendance = cast.client("dirk").get(path.replace("messages", "attendance"))
    assert first.content.count(b"<textarea") == 20
    text = second.content.decode()
    assert f"I come: https://club.example/my/{printable_token(link)}/evenings/{meeting.pk}" in text
    assert "Xenia" not in text, "neither address nor link"
    assert path in attendance.content.decode()
    assert cast.client("hanna").get(path).status_code == 403


def test_erasure_deletes_the_files_of_mails_to_an_earlier_address(
    cast: Cast,
    game: Game,
    seated: list[Player],
    settings: Settings,
    tmp_path: Path,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with_address(seated[0], "reader7@river.example")
    settings.EMAIL_BACKEND = "tournaments.delivery.mail.files.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    other = tmp_path / "outbox-0-20251106210000@club.example.eml"
    other.write_text("To: ruth@river.example\n\nYour next table: table 1, seat E")
    with time_machine.travel(NOW, tick=False):
        assert send_waiting()
    (own,) = {*tmp_path.iterdir()} - {other}
    assert "reader7@river.example" in own.read_text()
    assert "Ada" not in own.read_text()
    with_address(seated[0])
    with django_capture_on_commit_callbacks(execute=True):
        olga = cast.operation("olga")
        erase_player(olga, seated[0], confirmed=seated[0].player_id, reason="Asked.")
    assert list(tmp_path.iterdir()) == [other]


def challenged_person(cast: Cast) -> tuple[Player, Event]:
    """A person without an account whom H challenges; C and D have a challenge of their own."""
    event = ladder(cast, now=NOW)
    Player.objects.filter(player_id="E").update(user=None)
    person = with_address(Player.objects.get(player_id="E"))
    issue(cast, event, "H", "E")
    issue(cast, event, "D", "C")
    return person, event


def ask_about(cast: Cast, person: Player, challenge: int | None) -> None:
    own = Operation(person_with_link(renew_personal_link(OP, person)), NOW)
    ask_confirmation(own, cast.riverside, action="challenge", challenge=challenge)


def test_confirmation_of_an_own_open_challenge_is_mailed(cast: Cast) -> None:
    person, _event = challenged_person(cast)
    ask_about(cast, person, Challenge.objects.get(number=1).pk)
    assert Outbox.objects.filter(kind=PERSONAL_CONFIRMATION).count() == 1


@pytest.mark.parametrize("which", ["none", "unknown", "other", "over", "held"])
def test_confirmation_of_no_own_open_challenge_is_refused_without_a_mail(
    cast: Cast, which: str
) -> None:
    person, event = challenged_person(cast)
    challenges = {row.number: row.pk for row in Challenge.objects.all()}
    if which == "over":
        Challenge.objects.filter(number=1).update(state="declined")
    if which == "held":
        Event.objects.filter(pk=event.pk).update(visibility="held")
    asked = {"none": None, "unknown": 9_999, "other": challenges[2]}.get(which, challenges[1])
    with pytest.raises(Missing, match="challenge"):
        ask_about(cast, person, asked)
    assert not Outbox.objects.filter(kind=PERSONAL_CONFIRMATION).exists()


def test_page_refuses_a_confirmation_of_another_players_challenge(cast: Cast) -> None:
    person, _event = challenged_person(cast)
    path = personal_path(renew_personal_link(OP, person))
    other = Challenge.objects.get(number=2).pk
    answer = Client().post(f"{path}/more", {"action": "challenge", "challenge": other})
    assert answer.status_code in (404, 422)
    assert not Outbox.objects.filter(kind=PERSONAL_CONFIRMATION).exists()


def next_tables_at(mailoutbox: Outgoing, hours: int) -> int:
    """Send what is due hours after the round was posted, and count the mails of next tables."""
    with time_machine.travel(NOW + timedelta(hours=hours), tick=False):
        assert send_waiting()
    return sum("Your next table" in str(message.subject) for message in mailoutbox)


def test_next_table_is_mailed_while_its_round_is_played(game: Game, mailoutbox: Outgoing) -> None:
    assert next_tables_at(mailoutbox, 2) == 1


def test_next_table_of_a_closed_round_is_not_mailed(game: Game, mailoutbox: Outgoing) -> None:
    Round.objects.update(state="closed")
    assert next_tables_at(mailoutbox, 2) == 0


def test_next_table_of_a_past_evening_is_not_mailed(
    game: Game, meeting: Meeting, mailoutbox: Outgoing
) -> None:
    Meeting.objects.filter(pk=meeting.pk).update(date=NOW.date())
    Round.objects.update(meeting=meeting)
    assert next_tables_at(mailoutbox, 24) == 0
