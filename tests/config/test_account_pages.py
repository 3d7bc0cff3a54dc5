"""Pages and e-mails of accounts: a new password, an e-mail address, a closed sign-up."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from config.outgoing_mail import OUTGOING
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
    assert OUTGOING.finish(within_s=60)
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


def test_added_address_is_confirmed_through_the_link_of_the_e_mail(olga: User) -> None:
    client = Client()
    client.force_login(olga)
    added = {"action_add": "", "email": "olga@hilltop.example"}
    page = client.post("/accounts/email/", added, follow=True)
    if "Enter your password again to continue." in text_of(page):
        again = {"password": "Nine lives, one queen", "next": "/accounts/email/"}
        client.post("/accounts/reauthenticate/", again)
        client.post("/accounts/email/", added)
    assert OUTGOING.finish(within_s=60)
    (message,) = mail.outbox
    assert message.subject.endswith("Confirm your e-mail address")
    assert "The account olga added this e-mail address." in message.body
    link = re.search(r"http://testserver(\S+)", str(message.body))
    assert link is not None
    assert "is an e-mail address of the account olga." in text_of(client.get(link[1]))
    assert client.post(link[1]).status_code == 302


def test_changed_password_and_closed_sign_up_have_pages_of_ours(olga: User) -> None:
    assert "The administrator of this site creates accounts" in text_of(
        Client().get("/accounts/signup/")
    )
    client = Client()
    client.force_login(olga)
    page = text_of(client.get("/accounts/password/change/"))
    assert "Change password" in page
    assert "Change Password" not in page
    assert "This account is deactivated." in text_of(Client().get("/accounts/inactive/"))
