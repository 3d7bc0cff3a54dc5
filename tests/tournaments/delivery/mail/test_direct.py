"""A mail that is sent at once says what became of it, in a sentence with what to check."""

import socket
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tests.support.cast import NOW
from tests.support.mail_server import Behaviour, MailServer
from tournaments.delivery.mail.direct import send_test_mail
from tournaments.selectors.jobs.outgoing import KNOWN
from tournaments.services.outgoing import switch_outgoing

pytestmark = pytest.mark.django_db

TO = "olga@a.example"
CONSOLE = "django.core.mail.backends.console.EmailBackend"
NO_SERVER = (
    "This site has no mail server. Set EMAIL_URL to the address of yours, such as "
    "smtp+tls://user:password@host:587, and restart the service."
)


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[MailServer]:
    server = MailServer()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_PORT = server.port
    settings.EMAIL_TIMEOUT = 1
    settings.SITE_URL = "https://hearts.example"
    KNOWN.known_until = 0.0
    yield server
    KNOWN.known_until = 0.0
    server.end()


def test_test_mail_names_the_server_the_sender_and_what_to_read(mail_server: MailServer) -> None:
    sent = send_test_mail(TO)
    server = f"127.0.0.1:{mail_server.port}"
    assert sent.is_sent
    assert sent.sentence.startswith(f"{server} took the mail for {TO}.")
    (mail,) = mail_server.mails
    assert (mail["To"], mail["Subject"]) == (TO, "Test mail of https://hearts.example")
    body = mail.get_body(("plain",))
    assert body is not None
    assert f"The server {server} took this one." in " ".join(body.get_content().split())


@pytest.mark.parametrize(
    ("behaviour", "sentence", "reply"),
    [
        (
            Behaviour(recipients={TO: b"550 5.1.1 no such mailbox"}),
            "accepts no mail for olga@a.example. Check the address.",
            "550 5.1.1 no such mailbox",
        ),
        (Behaviour(data=b"554 5.7.1 spam"), "refuses this mail.", "554 5.7.1 spam"),
        (
            Behaviour(greeting=b"554 no service for you"),
            "refuses this machine.",
            "554 no service for you",
        ),
    ],
    ids=["recipient", "data", "greeting"],
)
def test_refusal_of_the_mail_server_is_said_with_its_words(
    mail_server: MailServer, behaviour: Behaviour, sentence: str, reply: str
) -> None:
    mail_server.behaviour = behaviour
    sent = send_test_mail(TO)
    assert not sent.is_sent
    assert sent.sentence == f"127.0.0.1:{mail_server.port} {sentence}"
    assert sent.reply == reply


def test_password_for_a_server_that_takes_none_is_named(
    mail_server: MailServer, settings: Settings
) -> None:
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = "club"
    assert "does not offer what EMAIL_URL asks for." in send_test_mail(TO).sentence


def test_port_that_wants_no_encryption_is_named(
    mail_server: MailServer, settings: Settings
) -> None:
    settings.EMAIL_USE_SSL = True
    assert "does not encrypt as EMAIL_URL asks for." in send_test_mail(TO).sentence
    assert mail_server.mails == []


def test_silent_server_is_named(mail_server: MailServer) -> None:
    mail_server.behaviour = Behaviour(greeting=b"")
    sent = send_test_mail(TO)
    assert sent.sentence.startswith(f"127.0.0.1:{mail_server.port} ends the connection before")


@pytest.mark.usefixtures("mail_server")
def test_port_where_nobody_listens_is_named(settings: Settings) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        settings.EMAIL_PORT = free.getsockname()[1]
    sentence = f"No server answers at 127.0.0.1:{settings.EMAIL_PORT}. Check host and port"
    assert send_test_mail(TO).sentence.startswith(sentence)


def test_copy_sends_no_test_mail(mail_server: MailServer) -> None:
    switch_outgoing(is_on=False, now=NOW)
    sent = send_test_mail(TO)
    assert (sent.is_sent, mail_server.mails) == (False, [])
    assert sent.sentence.startswith("Sending is switched off, as on a copy of a site.")


def test_command_ends_with_2_and_names_the_setting_where_there_is_no_mail_server(
    settings: Settings,
) -> None:
    settings.EMAIL_BACKEND = CONSOLE
    with pytest.raises(CommandError) as refused:
        call_command("sendtestemail", TO)
    assert (refused.value.returncode, str(refused.value)) == (2, NO_SERVER)


def test_command_says_where_the_mail_went(
    mail_server: MailServer, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("sendtestemail", TO)
    assert capsys.readouterr().out.startswith(f"127.0.0.1:{mail_server.port} took the mail for")
    assert len(mail_server.mails) == 1


def test_command_takes_addresses_only(mail_server: MailServer) -> None:
    with pytest.raises(CommandError, match="olga is not a mail address") as refused:
        call_command("sendtestemail", "olga")
    assert (refused.value.returncode, mail_server.mails) == (2, [])
