"""How long a session lasts, what ends it, and the names of its cookies behind TLS."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from config.accounts.sessions import ENDS, SIGNED_IN
from config.web import cookies
from tournaments.domain.sealing import SealBroken, seal, unseal

LOGIN, LOGOUT = "/accounts/login/", "/accounts/logout/"
PASSWORD = "Nine lives, one queen"

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga() -> User:
    cache.clear()
    return User.objects.create_user("olga", "olga@riverside.example", PASSWORD)


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


def enter(client: Client, password: str = PASSWORD) -> None:
    client.post(LOGIN, {"login": "olga", "password": password, "remember": "on"})


def signed_in(client: Client) -> bool:
    return client.get("/account").status_code == 200


def test_session_ends_two_weeks_after_its_last_use(
    client: Client, olga: User, clock: time_machine.Traveller
) -> None:
    enter(client)
    clock.shift(timedelta(days=13))
    assert signed_in(client)
    clock.shift(timedelta(days=13))
    assert signed_in(client), "its use on the way counts"
    clock.shift(timedelta(days=15))
    assert not signed_in(client)


def test_session_in_use_ends_after_thirty_days(
    client: Client, olga: User, clock: time_machine.Traveller
) -> None:
    enter(client)
    for _ in range(2):
        clock.shift(timedelta(days=13))
        assert signed_in(client)
    clock.shift(timedelta(days=4))
    assert not signed_in(client)
    enter(client)
    clock.shift(timedelta(days=5))
    assert signed_in(client), "a new sign-in has thirty days of its own"


def test_upgrade_ends_no_session_that_was_in_use_for_months(
    client: Client, olga: User, clock: time_machine.Traveller
) -> None:
    enter(client)
    session = client.session
    del session[ENDS]
    session[SIGNED_IN] -= timedelta(days=90).total_seconds()
    session.save()
    clock.shift(timedelta(hours=2))
    assert signed_in(client)
    assert signed_in(client)
    clock.shift(timedelta(days=13))
    assert signed_in(client)


def test_another_session_is_ended_with_the_password_only(
    client: Client, olga: User, clock: time_machine.Traveller
) -> None:
    enter(client)
    clock.shift(timedelta(minutes=6))
    phone = Client()
    enter(phone)
    response = client.post("/account/sessions", {"session": "others"})
    assert response["Location"].startswith("/accounts/reauthenticate/")
    assert signed_in(phone)
    client.post(response["Location"], {"password": PASSWORD}, follow=True)
    assert not signed_in(phone)


def copied(client: Client) -> Client:
    thief = Client()
    thief.cookies["sessionid"] = client.cookies["sessionid"].value
    return thief


def test_copied_cookie_opens_nothing_after_sign_out(client: Client, olga: User) -> None:
    enter(client)
    thief = copied(client)
    assert signed_in(thief)
    client.post(LOGOUT)
    assert not signed_in(thief)


def test_account_that_is_switched_off_has_no_session(client: Client, olga: User) -> None:
    enter(client)
    User.objects.filter(pk=olga.pk).update(is_active=False)
    assert not signed_in(client)


def test_password_that_is_entered_again_gives_the_session_another_key(
    client: Client, olga: User
) -> None:
    enter(client)
    thief = copied(client)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert signed_in(client)
    assert not signed_in(thief)
    assert UserSession.objects.get().session_key == client.session.session_key


def test_cookies_are_for_this_site_and_no_script(client: Client, olga: User) -> None:
    client.get(LOGIN)
    enter(client)
    client.post("/theme", {"theme": "dark"})
    kinds = {
        name: (cookie["samesite"], cookie["httponly"]) for name, cookie in client.cookies.items()
    }
    assert {"sessionid", "csrftoken", "theme"} <= set(kinds)
    assert set(kinds.values()) == {("Lax", True)}
    assert client.cookies["sessionid"].value not in client.get("/account").content.decode()


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example"])
def test_sign_in_leads_to_no_other_site(client: Client, olga: User, elsewhere: str) -> None:
    sent = {"login": "olga", "password": PASSWORD, "next": elsewhere}
    assert "evil.example" not in client.post(LOGIN, sent)["Location"]
    assert signed_in(client)


def test_sign_out_clears_the_browsers_cache_and_no_unsent_hand(client: Client, olga: User) -> None:
    enter(client)
    assert not client.get("/account").has_header("Clear-Site-Data")
    assert client.post(LOGOUT)["Clear-Site-Data"] == '"cache"'


def test_sign_in_its_refusal_and_sign_out_are_logged_without_what_was_typed(
    client: Client, olga: User, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    enter(client, "my secret mistake")
    enter(client)
    client.post(LOGOUT)
    lines = [record.getMessage() for record in caplog.records if "blacklady.sign_in" in record.name]
    assert ["sign_in_refused" in lines[0], "127.0.0.1" in lines[0]] == [True, True]
    assert ["signed_in" in lines[1], "password" in lines[1]] == [True, True]
    assert "signed_out" in lines[2]
    assert all(f"user:{olga.pk}" in line for line in lines[1:3])
    assert "secret" not in caplog.text
    assert "olga" not in "".join(lines)


@pytest.fixture
def behind_tls(settings: Settings) -> Iterator[None]:
    settings.COOKIE_PREFIX = "__Host-"
    settings.SESSION_COOKIE_NAME = "__Host-sessionid"
    settings.CSRF_COOKIE_NAME = "__Host-csrftoken"
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    cookies._accepted_until.cache_clear()
    yield
    cookies._accepted_until.cache_clear()


def old_phone(session: Client) -> Client:
    """A phone with the cookie that the release before gave it."""
    phone = Client()
    phone.cookies["sessionid"] = session.cookies["__Host-sessionid"].value
    return phone


def upgraded(days: int, *, installed: timedelta = timedelta(days=365)) -> None:
    """Let the release that renamed cookies be `days` old, so long after the installation."""
    applied = timezone.now() - timedelta(days=days)
    rows = MigrationRecorder.Migration.objects.filter(app="tournaments")
    assert rows.filter(name=cookies.UPGRADE).update(applied=applied) == 1
    assert rows.filter(name=cookies.FIRST).update(applied=applied - installed) == 1


@pytest.mark.usefixtures("behind_tls")
def test_old_cookie_counts_until_renamed_by_use(olga: User, clock: time_machine.Traveller) -> None:
    upgraded(days=0)
    client = Client()
    enter(client)
    phone = old_phone(client)
    assert signed_in(phone)
    clock.shift(timedelta(hours=1))
    assert signed_in(phone)
    assert phone.cookies["__Host-sessionid"].value == phone.cookies["sessionid"].value
    assert phone.cookies["__Host-sessionid"]["secure"]
    assert phone.cookies["__Host-sessionid"]["path"] == "/"
    clock.shift(timedelta(hours=1))
    phone.post(LOGOUT)
    assert [phone.cookies[name].value for name in ("sessionid", "__Host-sessionid")] == ["", ""]


@pytest.mark.usefixtures("behind_tls")
def test_form_that_a_phone_kept_since_before_the_upgrade_is_taken(olga: User) -> None:
    upgraded(days=1)
    client = Client()
    client.get(LOGIN)
    secret = client.cookies["__Host-csrftoken"].value
    phone = Client(enforce_csrf_checks=True)
    phone.cookies["csrftoken"] = secret
    typed = {"login": "olga", "password": PASSWORD, "csrfmiddlewaretoken": secret}
    assert phone.post(LOGIN, typed).status_code == 302
    assert signed_in(phone)


@pytest.mark.usefixtures("behind_tls")
def test_cookie_with_its_old_name_counts_for_thirty_days(olga: User) -> None:
    client = Client()
    enter(client)
    upgraded(days=29)
    assert signed_in(old_phone(client))
    upgraded(days=30)
    cookies._accepted_until.cache_clear()
    assert not signed_in(old_phone(client))
    assert signed_in(client)


@pytest.mark.usefixtures("behind_tls")
@pytest.mark.parametrize(
    ("installed", "counts"),
    [(timedelta(0), False), (timedelta(minutes=59), False), (timedelta(hours=1), True)],
)
def test_new_installation_takes_no_cookie_without_its_prefix(
    olga: User, installed: timedelta, counts: bool
) -> None:
    upgraded(days=1, installed=installed)
    client = Client()
    enter(client)
    assert signed_in(old_phone(client)) == counts


@pytest.mark.usefixtures("behind_tls")
def test_installation_as_it_is_made_takes_no_cookie_without_its_prefix(olga: User) -> None:
    client = Client()
    enter(client)
    assert not signed_in(old_phone(client))


def test_session_names_the_backend_that_the_release_before_knows(olga: User) -> None:
    client = Client()
    enter(client)
    backend = client.session["_auth_user_backend"]
    assert backend == "allauth.account.auth_backends.AuthenticationBackend"


def test_password_counts_exactly_as_it_was_typed(client: Client, olga: User) -> None:
    olga.set_password(" Nine lives ")
    olga.save()
    for other in ("Nine lives", " nine lives ", " Nine lives"):
        enter(client, other)
        assert not signed_in(client)
    enter(client, " Nine lives ")
    assert signed_in(client)


def test_former_key_opens_what_was_sealed_with_it(settings: Settings) -> None:
    sealed = seal(b"a secret")
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another-key-" * 5
    with pytest.raises(SealBroken):
        unseal(sealed)
    settings.SECRET_KEY_FALLBACKS = [former]
    assert unseal(sealed) == b"a secret"
