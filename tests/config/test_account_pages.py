"""Pages and e-mails of accounts: a new password, an e-mail address, a closed sign-up."""

import re
from datetime import timedelta

import pytest
import time_machine
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.core.context import request_context
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from config.accounts.sign_in import AccountAdapter
from tests.support.answers import Answer
from tests.support.cast import NOW
from tests.support.mails import send_waiting
from tests.support.pages.text import text_of
from tournaments.selectors.people.addresses import find_address_change, stop_token

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
    response = client.post(RESET, {"email": ADDRESS}, follow=True)
    assert "a link to choose a new password is on its way" in text_of(response)
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
    message = mailed()["olga@hilltop.example"]
    assert message.subject.endswith("Confirm your e-mail address")
    assert "sign in to it and open this link to confirm the address" in message.body
    link = re.search(r"http://testserver(\S+)", str(message.body))
    assert link is not None
    assert "is an e-mail address of the account olga." in text_of(client.get(link[1]))
    assert client.post(link[1]).status_code == 302
    olga.refresh_from_db()
    assert olga.email == "olga@hilltop.example"
    assert send_waiting()
    told = {message.to[0]: message for message in mail.outbox}
    assert "was changed from olga@riverside.example to" in told[ADDRESS].body
    assert "change your password now, end all other sessions" in told[ADDRESS].body


def test_address_of_another_account_is_answered_like_any_other(olga: User) -> None:
    User.objects.create_user("dirk", "dirk@riverside.example")
    pages = []
    for address in ("dirk@riverside.example", "nobody@elsewhere.example"):
        EmailAddress.objects.filter(verified=False).delete()
        client = Client()
        client.post("/accounts/login/", {"login": "olga", "password": "Nine lives, one queen"})
        response = client.post(
            "/accounts/email/", {"action_add": "", "email": address}, follow=True
        )
        pages.append(text_of(response).replace(address, "…"))
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


OLD = "Nine lives, one queen"
SLIP = "olga@hilltop.example"


def ask_for(client: Client, email: str) -> Answer:
    client.post("/accounts/login/", {"login": "olga", "password": OLD})
    return client.post("/accounts/email/", {"action_add": "", "email": email}, follow=True)


def mailed() -> dict[str, mail.EmailMessage]:
    send_waiting()
    messages = {message.to[0]: message for message in mail.outbox}
    mail.outbox.clear()
    return messages


def link_in(message: mail.EmailMessage) -> str:
    link = re.search(r"http://testserver(\S+)", str(message.body))
    assert link is not None
    return link[1]


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_address_that_waits_signs_nobody_in_and_gets_no_link(
    olga: User, is_confirmed: bool
) -> None:
    EmailAddress.objects.create(user=olga, email=ADDRESS, primary=True, verified=is_confirmed)
    ask_for(Client(), SLIP)
    mailed()
    for address, n in ((SLIP, 0), (ADDRESS, 1)):
        Client().post(RESET, {"email": address})
        assert [message.to for message in mailed().values()] == [[address]] * n
        client = Client()
        client.post("/accounts/login/", {"login": address, "password": OLD})
        assert client.get("/account").status_code == (200 if n else 302)
    olga.refresh_from_db()
    assert olga.email == ADDRESS, "it stays until the new one is confirmed"
    rows = EmailAddress.objects.filter(user=olga).order_by("pk")
    assert [(row.email, row.primary) for row in rows] == [(ADDRESS, True), (SLIP, False)]


def test_change_is_confirmed_by_the_account_that_asked_for_it_alone(olga: User) -> None:
    owner, stranger = Client(), Client()
    ask_for(owner, SLIP)
    message = mailed()[SLIP]
    assert "olga" not in str(message.body).replace(SLIP, "")
    link = link_in(message)
    User.objects.create_user("eve", "eve@elsewhere.example", OLD)
    other = Client()
    other.post("/accounts/login/", {"login": "eve", "password": OLD})
    for client in (stranger, other):
        page = client.get(link)
        assert "Sign in as that account" in text_of(page)
        assert "olga" not in text_of(page).replace(SLIP, "")
        assert client.post(link).status_code == 403
    assert other.get("/account").status_code == 200, "a link ends no session"
    olga.refresh_from_db()
    assert olga.email == ADDRESS
    assert owner.post(link).status_code == 302
    olga.refresh_from_db()
    assert olga.email == SLIP
    (row,) = EmailAddress.objects.filter(user=olga)
    assert (row.email, row.primary, row.verified) == (SLIP, True, True)


def test_present_address_is_told_and_stops_the_change_and_nothing_else(olga: User) -> None:
    owner = Client()
    ask_for(owner, SLIP)
    messages = mailed()
    assert set(messages) == {SLIP, ADDRESS}
    told = messages[ADDRESS]
    assert told.subject.endswith("Another e-mail address was asked for")
    stop, confirm = link_in(told), link_in(messages[SLIP])
    assert f"{SLIP} was asked for as the new" in text_of(Client().get(stop))
    assert EmailAddress.objects.filter(email=SLIP).exists(), "reading the page stops nothing"
    assert "The change is stopped." in text_of(Client().post(stop))
    assert not EmailAddress.objects.filter(email=SLIP).exists()
    assert owner.post(confirm).status_code == 404
    assert "No change waits under this link" in text_of(Client().get(stop), 404)
    ask_for(owner, SLIP)
    assert Client().post(stop).status_code == 404, "the link of another change stops no later one"
    assert EmailAddress.objects.filter(email=SLIP).exists()


def test_link_that_stops_a_change_does_nothing_once_it_is_confirmed(olga: User) -> None:
    owner = Client()
    ask_for(owner, SLIP)
    messages = mailed()
    owner.post(link_in(messages[SLIP]))
    assert Client().post(link_in(messages[ADDRESS])).status_code == 404
    olga.refresh_from_db()
    assert olga.email == SLIP


def test_link_that_stops_a_change_confirms_nothing_and_the_other_way_round(olga: User) -> None:
    owner = Client()
    ask_for(owner, SLIP)
    change = EmailAddress.objects.get(email=SLIP)
    key = EmailConfirmationHMAC(change).key
    assert Client().post(f"/accounts/email/stop/{key}/").status_code == 404
    assert owner.post(f"/accounts/confirm-email/{stop_token(change)}/").status_code == 404
    assert EmailAddress.objects.filter(pk=change.pk, verified=False).exists()


def test_second_change_takes_the_place_of_the_first(olga: User) -> None:
    owner = Client()
    for address in (SLIP, "olga@lakeside.example"):
        ask_for(owner, address)
    waiting = EmailAddress.objects.filter(verified=False, primary=False).exclude(email=ADDRESS)
    assert [row.email for row in waiting] == ["olga@lakeside.example"]
    page = text_of(owner.get("/account"))
    assert f"{ADDRESS} Not confirmed olga@lakeside.example replaces it" in " ".join(page.split())
    owner.post("/accounts/email/", {"action_primary": "", "email": "olga@lakeside.example"})
    owner.post("/accounts/email/", {"action_remove": "", "email": ADDRESS})
    olga.refresh_from_db()
    assert olga.email == ADDRESS, "neither becomes or leaves the account without a confirmation"
    owner.post("/accounts/email/", {"action_remove": "", "email": "olga@lakeside.example"})
    assert not waiting.all().exists()


def test_change_of_an_earlier_release_that_threw_the_address_away_counts_for_nothing(
    olga: User,
) -> None:
    User.objects.filter(pk=olga.pk).update(email="")
    EmailAddress.objects.create(user=olga, email=SLIP)
    Client().post(RESET, {"email": SLIP})
    assert mailed() == {}
    client = Client()
    client.post("/accounts/login/", {"login": "olga", "password": OLD})
    client.post("/accounts/email/", {"action_send": "", "email": SLIP})
    link = link_in(mailed()[SLIP])
    assert Client().post(link).status_code == 403
    assert client.post(link).status_code == 302
    olga.refresh_from_db()
    assert olga.email == SLIP


def test_first_address_is_confirmed_by_whoever_reads_its_mail(olga: User) -> None:
    row = EmailAddress.objects.create(user=olga, email=ADDRESS, primary=True)
    key = EmailConfirmationHMAC(row).key
    assert Client().post(f"/accounts/confirm-email/{key}/").status_code == 302
    row.refresh_from_db()
    assert row.verified


def test_who_confirms_an_address_takes_it_from_those_who_only_state_it(olga: User) -> None:
    eve = User.objects.create_user("eve", ADDRESS, OLD)
    EmailAddress.objects.create(user=eve, email=ADDRESS, primary=True)
    dirk = User.objects.create_user("dirk", "dirk@riverside.example", OLD)
    EmailAddress.objects.create(user=dirk, email=ADDRESS)
    row = EmailAddress.objects.create(user=olga, email=ADDRESS, primary=True)
    Client().post(f"/accounts/confirm-email/{EmailConfirmationHMAC(row).key}/")
    emails = dict(User.objects.values_list("username", "email"))
    assert emails == {"olga": ADDRESS, "eve": "", "dirk": "dirk@riverside.example"}
    assert [each.user_id for each in EmailAddress.objects.filter(email=ADDRESS)] == [olga.pk]
    late = EmailAddress.objects.create(user=eve, email=ADDRESS, primary=True)
    eve_client = Client()
    eve_client.post("/accounts/login/", {"login": "eve", "password": OLD})
    key = EmailConfirmationHMAC(late).key
    page = eve_client.post(f"/accounts/confirm-email/{key}/", follow=True)
    assert f"{ADDRESS} is already confirmed by another account." in text_of(page)
    late.refresh_from_db()
    assert not late.verified


def test_link_to_a_new_password_goes_to_the_stored_address(olga: User) -> None:
    for typed in ("OLGA@riverside.example", "olga@Riverside.example"):
        cache.clear()
        Client().post(RESET, {"email": typed})
        assert set(mailed()) == {ADDRESS}
    Client().post(RESET, {"email": "o\u017fga@riverside.example"})
    Client().post(RESET, {"email": "olga@river\u017fide.example"})
    assert mailed() == {}


def test_open_sign_up_takes_an_address_that_somebody_only_asked_for(
    olga: User, settings: Settings
) -> None:
    settings.SIGN_UP = "open"
    EmailAddress.objects.create(user=olga, email=SLIP)
    typed = {"username": "owen", "email": ADDRESS, "password1": "Violet trams, nine"}
    page = Client().post("/accounts/signup/", typed)
    assert text_of(page).count("An account has this e-mail address already.") == 1
    assert Client().post("/accounts/signup/", {**typed, "email": SLIP}).status_code == 302
    assert User.objects.get(username="owen").email == SLIP


def test_note_of_a_change_goes_to_the_address_that_the_account_has_now(olga: User) -> None:
    """An administrator set another one, because the mailbox of the former is lost."""
    EmailAddress.objects.create(user=olga, email=ADDRESS, primary=True, verified=True)
    User.objects.filter(pk=olga.pk).update(email=SLIP)
    client = Client()
    client.post("/accounts/login/", {"login": "olga", "password": OLD})
    changed = {"oldpassword": OLD, "password1": NEW, "password2": NEW}
    client.post("/accounts/password/change/", changed)
    assert set(mailed()) == {SLIP}
    for address, n in ((ADDRESS, 0), (SLIP, 1)):
        Client().post(RESET, {"email": address})
        assert len(mailed()) == n


def test_mailbox_gets_twelve_mails_a_day_that_confirm_addresses() -> None:
    """Whoever has a club makes accounts by its links, each with another tag of an address."""
    emails = [f"Eve+{number}@elsewhere.example" for number in range(13)]
    for number, email in enumerate([*emails, "anna@elsewhere.example"]):
        user = User.objects.create_user(f"eve{number}", email)
        address = EmailAddress.objects.create(user=user, email=email, primary=True)
        with request_context(RequestFactory().get("/")) as request:
            link = EmailConfirmationHMAC.create(address)
            AccountAdapter(request).send_confirmation_mail(request, link, signup=True)
    send_waiting()
    to = [address for message in mail.outbox for address in message.to]
    assert to == [*emails[:12], "anna@elsewhere.example"]


def test_account_asks_for_twelve_addresses_a_day(olga: User) -> None:
    """The present address, which may be that of a stranger, is told of each."""
    client = Client()
    for number in range(13):
        with time_machine.travel(NOW + timedelta(seconds=20 * number), tick=False):
            page = text_of(ask_for(client, f"olga@host{number}.example"))
        assert ("many other addresses today" in page) is (number == 12)
    change = find_address_change(olga)
    assert change is not None
    assert change.email == "olga@host11.example"
