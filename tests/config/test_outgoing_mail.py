"""A mail server that refuses or never answers: nobody waits for it, and nobody learns from it."""

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.test import Client
from pytest_django import Settings

from config.outgoing_mail import OUTGOING
from tests.support.pages.text import text_of

RESET = "/accounts/password/reset/"
KNOWN, UNKNOWN = "olga@riverside.example", "nobody@riverside.example"
PATIENCE_S = 60


class MailServer:
    """Takes connections on a port of its own; says `greeting` on each, or nothing at all.

    Without a greeting it keeps the line open until it is told to end, or gives up on that.
    """

    def __init__(self, greeting: bytes) -> None:
        self.greeting = greeting
        self.may_end = threading.Event()
        self.gave_up = threading.Event()
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            try:
                line, _ = self.listening.accept()
            except OSError:
                return
            with line:
                if self.greeting:
                    line.sendall(self.greeting)
                elif not self.may_end.wait(PATIENCE_S):
                    self.gave_up.set()

    def end(self) -> None:
        self.may_end.set()
        # An accept that waits is not ended by closing its socket.
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        self._thread.join(PATIENCE_S)


@pytest.fixture
def mail_server(request: pytest.FixtureRequest, settings: Settings) -> Iterator[MailServer]:
    made = MailServer(request.param)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", made.port
    yield made
    made.end()
    assert OUTGOING.finish(within_s=PATIENCE_S)


@pytest.fixture
def olga(db: None) -> User:
    return User.objects.create_user("olga", KNOWN, "Nine lives, one queen")


def ask(address: str) -> tuple[int, list[tuple[str, int]], str]:
    """What somebody sees who asks for a new password."""
    client = Client(raise_request_exception=False)
    page = client.post(RESET, {"email": address}, follow=True)
    return page.status_code, page.redirect_chain, text_of(page)


@pytest.mark.usefixtures("olga")
@pytest.mark.parametrize(
    "mail_server", [b"554 no mail from you\r\n", b""], ids=["refuses", "silent"], indirect=True
)
def test_known_and_unknown_address_are_answered_alike_before_the_mail_server_has(
    mail_server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    known, unknown = ask(KNOWN), ask(UNKNOWN)
    assert known == unknown
    assert known[:2] == (200, [(f"{RESET}done/", 302)])
    assert not mail_server.gave_up.is_set(), "the answer came first"
    mail_server.may_end.set()
    assert OUTGOING.finish(within_s=PATIENCE_S)
    logged: list[Any] = [one.msg for one in caplog.records if one.name == "blacklady.mail"]
    assert [line["event"] for line in logged] == ["mail_not_sent"]
    assert KNOWN not in str(logged)


@pytest.mark.usefixtures("olga")
@pytest.mark.parametrize("mail_server", [b""], ids=["silent"], indirect=True)
def test_silent_mail_server_is_given_up_and_the_next_mail_gets_its_turn(
    mail_server: MailServer, settings: Settings, mailoutbox: list[EmailMessage]
) -> None:
    assert settings.EMAIL_TIMEOUT == 10
    settings.EMAIL_TIMEOUT = 1
    ask(KNOWN)
    assert OUTGOING.finish(within_s=PATIENCE_S), "without the server's doing anything"
    assert not mail_server.gave_up.is_set()
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    ask(KNOWN)
    assert OUTGOING.finish(within_s=PATIENCE_S)
    assert [one.to for one in mailoutbox] == [[KNOWN]]
