"""A mail server that refuses, is silent or away: nobody waits for it, and no mail is lost."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.test import Client
from pytest_django import Settings

from tests.support.mail_server import Behaviour, MailServer
from tests.support.mails import send_waiting
from tests.support.pages.text import text_of
from tournaments.domain.people.notification_kinds import SIGN_IN
from tournaments.models.outbox import FIRST_TRY, Outbox
from tournaments.services.notices.outbox import (
    BACK_OFF,
    UNFINISHED,
    claim_mail,
    enqueue_mail,
    enqueue_sign_in_mail,
    forget_old_mails,
)

RESET = "/accounts/password/reset/"
KNOWN, UNKNOWN = "olga@riverside.example", "nobody@riverside.example"
NOW = datetime(2025, 11, 6, 21, 0, tzinfo=UTC)


@pytest.fixture
def mail_server(request: pytest.FixtureRequest, settings: Settings) -> Iterator[MailServer]:
    made = MailServer(getattr(request, "param", None))
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", made.port
    settings.EMAIL_TIMEOUT = 1
    yield made
    made.end()


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOW, tick=False) as travelled:
        yield travelled


@pytest.fixture
def olga(db: None) -> User:
    return User.objects.create_user("olga", KNOWN, "Nine lives, one queen")


def ask(address: str) -> tuple[int, list[tuple[str, int]], str]:
    """What somebody sees who asks for a new password."""
    client = Client(raise_request_exception=False)
    page = client.post(RESET, {"email": address}, follow=True)
    return page.status_code, page.redirect_chain, text_of(page)


def write(*addresses: str) -> None:
    for address in addresses:
        enqueue_sign_in_mail(to=address, subject="Hello", text="Good evening.", now=NOW)


def row() -> tuple[int, bool, str]:
    """Tries of the only mail that has not left, whether it is parked, and what went wrong."""
    mail = Outbox.objects.get(sent_at__isnull=True)
    return mail.attempts, mail.parked, mail.error


SILENT, REFUSES = Behaviour(greeting=b""), Behaviour(greeting=b"554 no mail from you")


@pytest.mark.usefixtures("olga")
@pytest.mark.parametrize("mail_server", [REFUSES, SILENT], ids=["refuses", "silent"], indirect=True)
def test_known_and_unknown_address_are_answered_alike_without_the_mail_server(
    mail_server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    known, unknown = ask(KNOWN), ask(UNKNOWN)
    assert known == unknown
    assert known[:2] == (200, [(f"{RESET}done/", 302)])
    assert mail_server.connections == 0
    assert Outbox.objects.count() == 2, "a mail is written for both"
    assert KNOWN not in str(list(Outbox.objects.values())), "and neither can be read"
    assert not send_waiting()
    assert Outbox.objects.filter(sent_at__isnull=True).exists()
    logged: list[Any] = [one.msg for one in caplog.records if one.name == "blacklady.mail"]
    assert [line["event"] for line in logged] == ["mail_not_sent"]
    assert KNOWN not in str(logged)


@pytest.mark.django_db
def test_refused_recipient_is_parked_and_the_others_get_their_mail(
    mail_server: MailServer, clock: object
) -> None:
    mail_server.behaviour.recipients = {"gone@a.example": b"550 5.1.1 no such mailbox"}
    write("gone@a.example", "ada@a.example", "bo@a.example")
    assert send_waiting()
    assert [one["To"] for one in mail_server.mails] == ["ada@a.example", "bo@a.example"]
    assert row() == (1, True, "550 5.1.1 no such mailbox")
    assert list(Outbox.objects.filter(sent_at=NOW).values_list("payload", flat=True)) == [{}, {}]


@pytest.mark.django_db
def test_mail_that_is_refused_for_now_comes_again_later_and_later_until_it_is_parked(
    mail_server: MailServer, clock: time_machine.Traveller
) -> None:
    mail_server.behaviour.data = b"451 4.7.1 greylisted"
    write(KNOWN)
    for tries, wait in enumerate(BACK_OFF, start=1):
        assert send_waiting()
        assert row() == (tries, False, "451 4.7.1 greylisted")
        clock.shift(wait - timedelta(seconds=1))
        assert claim_mail(now=datetime.now(UTC)) is None
        clock.shift(timedelta(seconds=1))
    assert send_waiting()
    assert row() == (len(BACK_OFF) + 1, True, "451 4.7.1 greylisted")
    mail_server.behaviour.data = b"250 ok"
    Outbox.objects.update(**FIRST_TRY)
    assert send_waiting()
    assert mail_server.mails[0]["To"] == KNOWN


@pytest.mark.django_db
def test_server_that_is_away_is_tried_with_one_mail_and_the_others_leave_when_it_is_back(
    mail_server: MailServer, settings: Settings, clock: time_machine.Traveller
) -> None:
    settings.EMAIL_PORT = 9  # nobody listens there
    write("ada@a.example", "bo@a.example", "cy@a.example")
    assert not send_waiting()
    assert sorted(Outbox.objects.values_list("attempts", flat=True)) == [0, 0, 1]
    settings.EMAIL_PORT = mail_server.port
    assert send_waiting()
    assert len(mail_server.mails) == 2
    clock.shift(BACK_OFF[0])
    assert send_waiting()
    assert {one["To"] for one in mail_server.mails} == {
        "ada@a.example", "bo@a.example", "cy@a.example",
    }  # fmt: skip
    assert mail_server.connections == 2, "one connection takes several mails"


@pytest.mark.django_db
def test_server_that_falls_silent_amid_a_mail_is_given_up_and_the_mail_comes_again(
    mail_server: MailServer, clock: time_machine.Traveller
) -> None:
    mail_server.behaviour.holds_data = True
    write(KNOWN)
    assert not send_waiting()
    assert row() == (1, False, "SMTPServerDisconnected: Connection unexpectedly closed: timed out")
    mail_server.behaviour.holds_data = False
    clock.shift(BACK_OFF[0])
    assert send_waiting()
    assert list(mail_server.counted().values()) == [2], "the same mail, by its Message-ID"


@pytest.mark.django_db
def test_mail_written_under_another_key_is_parked_and_says_why(settings: Settings) -> None:
    write(KNOWN)
    settings.SECRET_KEY = "another"
    assert send_waiting()
    assert row() == (1, True, "Written under another SECRET_KEY")


@pytest.mark.django_db
def test_line_ends_in_a_subject_make_no_header(mailoutbox: list[EmailMessage]) -> None:
    enqueue_sign_in_mail(to=KNOWN, subject="Hi\r\nBcc: all@a.example", text="x", now=NOW)
    assert send_waiting()
    (message,) = mailoutbox
    assert (message.subject, message.recipients()) == ("Hi Bcc: all@a.example", [KNOWN])


@pytest.mark.django_db
def test_mail_is_claimed_by_one_and_again_when_the_claim_has_run_out(
    clock: time_machine.Traveller,
) -> None:
    write(KNOWN)
    assert claim_mail(now=NOW) is not None
    assert claim_mail(now=NOW) is None
    assert claim_mail(now=NOW + timedelta(minutes=2)) is not None
    assert claim_mail(now=NOW - timedelta(days=2)) is not None, "the clock stepped back"


@pytest.mark.django_db
def test_mail_that_ends_its_worker_each_time_is_parked_and_others_still_leave(
    mail_server: MailServer, clock: time_machine.Traveller
) -> None:
    write(KNOWN)
    for tries in range(1, len(BACK_OFF) + 2):
        assert claim_mail(now=datetime.now(UTC)) is not None  # and the worker is killed
        assert row() == (tries, False, "")
        clock.shift(timedelta(minutes=2))
    write("bo@a.example")
    assert send_waiting()
    assert [one["To"] for one in mail_server.mails] == ["bo@a.example"]
    parked = Outbox.objects.get(parked=True)
    assert (parked.attempts, parked.error) == (len(BACK_OFF) + 1, UNFINISHED)


@pytest.mark.django_db
def test_sent_mails_are_forgotten_after_a_month(clock: time_machine.Traveller) -> None:
    enqueue_mail(club=None, kind=SIGN_IN, to="", now=NOW)
    Outbox.objects.update(sent_at=NOW)
    assert forget_old_mails(now=NOW + timedelta(days=30)) == 0
    assert forget_old_mails(now=NOW + timedelta(days=31)) == 1
