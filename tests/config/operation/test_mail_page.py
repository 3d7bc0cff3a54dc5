"""The page that sends a test mail, for administrators of the site."""

from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from tests.support.cast import Cast
from tests.support.mail_server import MailServer
from tests.support.pages.text import text_of

pytestmark = pytest.mark.django_db

ADDRESS = "/statusz/mail"


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[MailServer]:
    server = MailServer()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_PORT = server.port
    settings.EMAIL_TIMEOUT = 1
    yield server
    server.end()


@pytest.fixture
def olga(cast: Cast) -> Client:
    user = cast.users["olga"]
    user.is_superuser = user.is_staff = True
    user.email = "olga@a.example"
    user.save()
    return cast.client("olga")


def test_administrator_sends_a_test_mail(olga: Client, mail_server: MailServer) -> None:
    page = olga.get(ADDRESS)
    assert 'value="olga@a.example"' in page.content.decode()
    assert f"The mail goes to 127.0.0.1:{mail_server.port} at once" in text_of(page)
    sent = olga.post(ADDRESS, {"email": "club@b.example"}, follow=True)
    assert sent.redirect_chain == [(ADDRESS, 302)]
    assert f"127.0.0.1:{mail_server.port} took the mail for club@b.example." in text_of(sent)
    assert [mail["To"] for mail in mail_server.mails] == ["club@b.example"]


def test_page_shows_what_the_mail_server_refuses(olga: Client, mail_server: MailServer) -> None:
    mail_server.behaviour.recipients = {"gone@a.example": b"550 5.1.1 no such mailbox"}
    refused = olga.post(ADDRESS, {"email": "gone@a.example"})
    assert refused.status_code == 422
    words = f"127.0.0.1:{mail_server.port} accepts no mail for gone@a.example. Check the address."
    assert f"The mail is not sent {words} Answer: 550 5.1.1 no such mailbox" in text_of(refused)
    assert 'value="gone@a.example"' in refused.content.decode()


def test_page_names_the_setting_where_the_site_has_no_mail_server(
    olga: Client, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    page = olga.get(ADDRESS)
    assert "This site has no mail server. Set EMAIL_URL" in text_of(page)
    assert "Send test mail" not in text_of(page)


def test_owner_of_a_club_sends_none(cast: Cast, mail_server: MailServer) -> None:
    assert cast.client("olga").post(ADDRESS, {"email": "a@b.example"}).status_code == 403
    assert Client().post(ADDRESS, {"email": "a@b.example"}).status_code == 302
    assert mail_server.mails == []
