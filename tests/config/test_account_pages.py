"""Pages and e-mails of accounts: a new password, an e-mail address, a closed sign-up."""

import re

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tests.support.mails import send_waiting
from tests.support.pages.text import text_of

RESET = "/accounts/password/reset/"
ADDRESS = "olga@riverside.example"
NEW = "Eight lives, two queens"

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga() -> User:
    return User.objects.create_user("olga", ADDRESS, "Nine lives, one queen")


@pytest.mark.usefixtures("olga")
def test_new_password_is_chosen_through_the_link_of_the_e_mail() -> None:
    client = Client()
    assert "You get an e-mail with a link" in text_of(client.get(RESET))
    sent = client.post(RESET, {"email": ADDRESS}, follow=True)
    assert "a link to choose a new password is on its way" in text_of(sent)
    assert send_waiting()
    (message,) = mail.outbox
    assert message.subject.endswith("Reset your password")
    assert "Your user name is olga." in message.body
    assert "Hello from" not in message.body
    link = re.search(r"http://testserver(\S+)", str(message.body))
    assert link is not None
    form = client.get(link[1], follow=True)
    assert "New password" in text_of(form)
    address = form.redirect_chain[-1][0]
    done = client.post(address, {"password1": NEW, "password2": NEW}, follow=True)
    assert "Your password is changed." in text_of(done)
    assert client.login(username="olga", password=NEW)
    used = text_of(Client().get(link[1], follow=True))
    assert "This link is not valid. It was used before, or it has expired." in used


@pytest.mark.usefixtures("olga")
def test_link_to_a_new_password_works_for_an_hour() -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        Client().post(RESET, {"email": ADDRESS})
        assert send_waiting()
        (message,) = mail.outbox
        assert "Open this link within an hour" in message.body
        link = re.search(r"http://testserver(\S+)", str(message.body))
        assert link is not None
        clock.shift(60 * 60)
        assert "not valid" not in text_of(Client().get(link[1], follow=True))
        clock.shift(1)
        assert "This link is not valid." in text_of(Client().get(link[1], follow=True))


def test_changed_address_counts_once_the_link_of_the_e_mail_was_opened(olga: User) -> None:
    EmailAddress.objects.create(user=olga, email=ADDRESS, primary=True, verified=True)
    client = Client()
    client.force_login(olga)
    changed = {"action_add": "", "email": "olga@hilltop.example"}
    page = client.post("/accounts/email/", changed, follow=True)
    assert "Enter your password again to continue." in text_of(page)
    again = {"password": "Nine lives, one queen", "next": "/accounts/email/"}
    page = client.post("/accounts/reauthenticate/", again, follow=True)
    assert "olga@hilltop.example Not confirmed" in " ".join(text_of(page).split())
    assert f"{ADDRESS} Confirmed" in " ".join(text_of(client.get("/account")).split())
    assert send_waiting()
    (message,) = mail.outbox
    assert message.to == ["olga@hilltop.example"]
    assert message.subject.endswith("Confirm your e-mail address")
    assert "The account olga added this e-mail address." in message.body
    link = re.search(r"http://testserver(\S+)", str(message.body))
    assert link is not None
    assert "is an e-mail address of the account olga." in text_of(client.get(link[1]))
    assert client.post(link[1]).status_code == 302
    olga.refresh_from_db()
    assert olga.email == "olga@hilltop.example"
    assert send_waiting()
    told = {message.to[0]: message for message in mail.outbox[1:]}
    assert "was changed from olga@riverside.example to" in told[ADDRESS].body
    assert "change your password now, end all other sessions" in told[ADDRESS].body


def test_address_of_another_account_is_answered_like_any_other(olga: User) -> None:
    User.objects.create_user("dirk", "dirk@riverside.example")
    pages = []
    for address in ("dirk@riverside.example", "nobody@elsewhere.example"):
        EmailAddress.objects.filter(verified=False).delete()
        client = Client()
        client.post("/accounts/login/", {"login": "olga", "password": "Nine lives, one queen"})
        sent = client.post("/accounts/email/", {"action_add": "", "email": address}, follow=True)
        pages.append(text_of(sent).replace(address, "…"))
    assert pages[0] == pages[1]


def test_changed_password_and_closed_sign_up_have_pages_of_ours(olga: User) -> None:
    assert "You need an invitation to create an account." in text_of(
        Client().get("/accounts/signup/")
    )
    client = Client()
    client.force_login(olga)
    page = text_of(client.get("/accounts/password/change/"))
    assert "Change password" in page
    assert "Change Password" not in page
    assert "This account is deactivated." in text_of(Client().get("/accounts/inactive/"))


def test_site_without_a_mail_server_never_claims_a_mail(olga: User, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "tournaments.delivery.mail.files.EmailBackend"
    client = Client()
    client.post("/accounts/login/", {"login": ADDRESS, "password": "Nine lives, one queen"})
    client.post("/accounts/email/", {"email": ADDRESS, "action_send": ""})
    page = text_of(client.get("/account"))
    assert "was sent to that address" not in page
    assert "was not sent" not in page
    reset = text_of(Client().post(RESET, {"email": ADDRESS}, follow=True))
    assert "on its way" not in reset
    assert "This site sends no mail. Ask the administrator of this site" in reset
    assert "var/mail" not in reset


def test_address_is_asked_for_where_a_link_can_be_sent(olga: User, settings: Settings) -> None:
    EmailAddress.objects.create(user=olga, email=ADDRESS, primary=True, verified=False)
    client = Client()
    client.force_login(olga)
    assert f"Open the link in the e-mail that was sent to {ADDRESS}." in text_of(
        client.get("/account")
    )
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    page = text_of(client.get("/account"))
    assert "Open the link in the e-mail" not in page
    assert "Add a passkey" in page
