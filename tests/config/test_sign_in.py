"""Guessing passwords: slowed down where it is done, and nobody else is kept out by it."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache, caches
from django.core.cache.backends.dummy import DummyCache
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from config.accounts import sign_in
from config.accounts.sign_in import SignInPace, Window
from tests.support.answers import Answer
from tests.support.cast import enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.mails import send_waiting
from tests.support.pages.text import text_of
from tournaments.models.clubs import Club, Membership
from tournaments.models.jobs import Outbox

LOGIN = "/accounts/login/"
RIGHT = "Nine lives, one queen"
HOME, HALL = "198.51.100.7", "203.0.113.9"


@pytest.fixture
def in_memory(settings: Settings) -> None:
    """Counts that are kept in memory, as by a cache of its own; else in a table."""
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}


@pytest.fixture
def people(db: None) -> None:
    cache.clear()
    for user in enter_the_cast().users.values():
        user.email = f"{user.username}@riverside.example"
        user.set_password(RIGHT)
        user.save()


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    """Time stands, so that no pause ends while a busy machine works at a test."""
    with time_machine.travel(timezone.now(), tick=False) as travelled:
        yield travelled


def try_it(password: str, *, account: str = "olga", address: str = HALL, **more: str) -> Answer:
    typed = {"login": account, "password": password}
    return Client().post(LOGIN, typed, REMOTE_ADDR=address, **more)  # type: ignore[arg-type]


def status(password: str = "wrong", **more: str) -> int:  # noqa: S107 - a wrong one
    return int(try_it(password, **more).status_code)


@pytest.mark.tier_all
@pytest.mark.usefixtures("in_memory", "people")
def test_hundreds_of_wrong_passwords_keep_nobody_out(clock: time_machine.Traveller) -> None:
    tries = short_or_long(200, 1_000)
    tried = [status() for _ in range(tries)]
    assert tried == [200] * sign_in.FREE + [429] * (tries - sign_in.FREE)
    for name in ("hanna", "piet"):
        assert status(RIGHT, account=name, address=HALL) == 302, "others in the hall get in"
    assert status(RIGHT, address=HOME) == 302, "the right password from elsewhere gets in at once"
    assert status(RIGHT) == 429, "in the hall itself it is not looked at"
    clock.shift(timedelta(seconds=sign_in.FIRST_WAIT_S))
    assert status(RIGHT) == 302
    assert [status() for _ in range(6)] == [200] * 5 + [429]


@pytest.mark.usefixtures("people")
def test_each_further_try_waits_longer_up_to_a_quarter_hour(clock: time_machine.Traveller) -> None:
    for _ in range(sign_in.FREE):
        assert status() == 200
    waits = []
    for _ in range(10):
        answer = try_it("wrong")
        assert answer.status_code == 429
        waits.append(int(answer["Retry-After"]))
        clock.shift(timedelta(seconds=waits[-1] - 1))
        answer = try_it("wrong")
        assert (answer.status_code, answer["Retry-After"]) == (429, "1")
        assert "Try again in 1 second, or sign in from another network." in text_of(answer)
        clock.shift(timedelta(seconds=1))
        assert status() == 200
    assert waits == [5, 10, 20, 40, 80, 160, 320, 640, 900, 900]
    refused = try_it("wrong")
    assert (
        "Too many wrong passwords from this network. Your password was not checked. "
        "Try again in 15 minutes, or sign in from another network."
    ) in text_of(refused)


@pytest.mark.usefixtures("people")
def test_sign_in_leads_to_the_only_club_and_else_to_the_list() -> None:
    assert try_it(RIGHT, account="piet")["Location"] == "/clubs/riverside"
    club, piet = Club.objects.get(slug="hilltop"), User.objects.get(username="piet")
    Membership.objects.create(club=club, user=piet, role="player")
    assert try_it(RIGHT, account="piet")["Location"] == "/"
    asked = {"login": "piet", "password": RIGHT, "next": "/me"}
    assert Client().post(LOGIN, asked)["Location"] == "/me"


def ask_link(*, address: str = HALL, email: str = "olga@riverside.example") -> int:
    answer = Client().post("/accounts/password/reset/", {"email": email}, REMOTE_ADDR=address)
    return answer.status_code


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize("email", ["olga@riverside.example", "nobody@riverside.example"])
def test_links_asked_for_too_often_are_not_sent_and_the_answer_is_the_same(
    clock: time_machine.Traveller, email: str
) -> None:
    assert [ask_link(email=email) for _ in range(9)] == [302] * 9
    assert Outbox.objects.count() == sign_in.FREE_MAILS
    assert (ask_link(address=HOME, email=email), Outbox.objects.count()) == (302, 3)
    clock.shift(timedelta(seconds=sign_in.FIRST_WAIT_S))
    assert (ask_link(email=email), Outbox.objects.count()) == (302, 4)


@pytest.mark.usefixtures("in_memory", "people")
def test_links_asked_for_from_many_addresses_leave_the_owner_theirs() -> None:
    for n in range(60):
        ask_link(address=f"10.0.{n // 250}.{n % 250 + 1}")
    sent = Outbox.objects.count()
    assert ask_link(address=HOME) == ask_link(address=HOME) == 302
    assert Outbox.objects.count() == sent + sign_in.FREE_OF_MANY
    assert status(RIGHT) == 302, "passwords are counted apart"


@pytest.mark.usefixtures("in_memory", "people")
def test_links_asked_for_many_accounts_leave_theirs_to_who_signs_in_there() -> None:
    assert status(RIGHT, account="hanna") == 302
    for n in range(60):
        ask_link(email=f"guess-{n}@riverside.example")
    assert Outbox.objects.count() == sign_in.MOST_OF_ADDRESS
    assert ask_link(email="hanna@riverside.example") == 302
    assert Outbox.objects.count() == sign_in.MOST_OF_ADDRESS + 1


@pytest.mark.usefixtures("in_memory", "people")
def test_guesses_from_many_addresses_keep_the_owner_in() -> None:
    tried = {status(address=f"10.0.{n // 250}.{n % 250 + 1}") for n in range(60)}
    assert tried == {200}
    assert [status(address="10.0.0.1") for _ in range(3)] == [429] * 3
    assert [status(address="10.9.9.9") for _ in range(2)] == [200, 429], "one free try, not five"
    assert status(RIGHT, address=HOME) == 302


@pytest.mark.usefixtures("people")
def test_address_that_tries_many_accounts_waits_but_not_who_signs_in_there(
    clock: time_machine.Traveller,
) -> None:
    assert status(RIGHT, account="hanna") == 302
    tried = [status(account=f"guess-{n}") for n in range(60)]
    assert tried == [200] * sign_in.MOST_OF_ADDRESS + [429] * 10
    assert 1 <= int(try_it("wrong", account="another")["Retry-After"]) <= 60
    assert status(RIGHT, account="hanna") == 302
    assert status(RIGHT, account="dirk", address=HOME) == 302
    clock.shift(timedelta(seconds=60))
    assert status(RIGHT, account="dirk") == 302


@pytest.mark.usefixtures("people")
def test_own_sign_ins_between_do_not_buy_more_guesses(clock: object) -> None:
    tried = []
    for _ in range(8):
        tried.append(status())
        assert status(RIGHT, account="nora") == 302
    assert tried == [200] * 5 + [429] * 3


@pytest.mark.usefixtures("people")
def test_mail_address_and_capitals_share_the_count_of_the_name() -> None:
    names = ("olga", "OLGA@Riverside.example", " Olga ", "olga@riverside.example", "olgA")
    assert [status(account=name) for name in names] == [200] * 5
    again = [status(RIGHT, account=name) for name in ("olga", "olga@riverside.example")]
    assert again == [429] * 2
    assert status(RIGHT, account="hanna@riverside.example") == 302
    assert status(RIGHT, account="olga@riverside.example", address=HOME) == 302


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize("domain", ["", "@riverside.example"])
def test_name_without_an_account_waits_like_one(clock: time_machine.Traveller, domain: str) -> None:
    answers = []
    for name in ("olga", "nobody"):
        told = []
        for _ in range(8):
            answer = try_it("wrong", account=name + domain)
            text = text_of(answer).partition(" quote ")[0]  # each answer has a number of its own
            told.append((answer.status_code, answer.get("Retry-After"), text))
            clock.shift(timedelta(seconds=2))
        answers.append(told)
    assert answers[0] == answers[1]
    assert [code for code, _, _ in answers[0]] == [200] * 5 + [429] * 2 + [200]


@pytest.mark.usefixtures("people")
def test_right_password_at_a_shared_mail_address_buys_no_guesses_at_the_other_account(
    clock: time_machine.Traveller,
) -> None:
    share_address()
    tried = []
    for _ in range(sign_in.FREE):
        tried.append(status(account=SHARED))
        tried.append(status(OF_HANNA, account=SHARED))
    assert tried == [200, 302] * 4 + [200, 429]
    assert status(RIGHT, account=SHARED) == 429
    clock.shift(timedelta(minutes=20))
    assert status(RIGHT, account=SHARED) == 302


SHARED, OF_HANNA = "olga@riverside.example", "Hanna has one of her own"


def share_address() -> None:
    hanna = User.objects.get(username="hanna")
    hanna.email = SHARED
    hanna.set_password(OF_HANNA)
    hanna.save()


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize("password", [RIGHT, OF_HANNA])
def test_right_password_at_a_shared_mail_address_never_waits(password: str) -> None:
    share_address()
    assert [status(password, account=SHARED) for _ in range(sign_in.FREE + 2)] == [302] * 7
    assert [status(account=SHARED) for _ in range(6)] == [200] * 5 + [429]


@pytest.mark.usefixtures("in_memory", "people")
def test_cache_that_lost_the_sum_puts_off_nobody_for_good(clock: time_machine.Traveller) -> None:
    for _ in range(sign_in.FREE):
        status()
    cache.delete(SignInPace(f"account {User.objects.get(username='olga').pk}", HALL).pair)
    clock.shift(timedelta(seconds=3))
    assert int(try_it(RIGHT)["Retry-After"]) == 2, "from the last try, not from this one"
    clock.shift(timedelta(seconds=2))
    assert status(RIGHT) == 302


class Full(DummyCache):
    """A cache that keeps nothing and says so, as one in a table does that cannot be written."""

    def add(self, *_: object, **__: object) -> bool:
        return False


@pytest.mark.usefixtures("people")
def test_cache_that_keeps_nothing_lets_everybody_in(settings: Settings) -> None:
    settings.CACHES = {"default": {"BACKEND": f"{__name__}.Full"}}
    assert [status() for _ in range(7)] == [200] * 7
    assert status(RIGHT) == 302


@pytest.mark.usefixtures("in_memory")
def test_count_just_forgotten_begins_with_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    window = Window("tries", 60)
    window.add(120, 5)
    add, calls = cache.add, []

    def too_late(key: str, value: int, timeout: float) -> bool:
        """It was there when it was asked for, and is gone when it is added to."""
        calls.append(key)
        if len(calls) > 1:
            return bool(add(key, value, timeout))
        cache.clear()
        return False

    monkeypatch.setattr(caches["default"], "add", too_late)
    window.add(121, 2)
    assert window.number(121) == 2
    monkeypatch.undo()
    window.add(180, -1)
    assert window.number(180) == 0, "nothing is subtracted from a window that has just begun"


@pytest.mark.usefixtures("people")
def test_behind_a_proxy_a_stranger_shuts_nobody_out(settings: Settings, clock: object) -> None:
    settings.TRUSTED_PROXIES = 1
    proxy = {"address": "10.0.0.2"}
    for n in range(51):
        status(account=f"guess-{n}", HTTP_X_FORWARDED_FOR=f"spoofed, {HALL}", **proxy)
    assert status(account="x", HTTP_X_FORWARDED_FOR=f"9.9.9.9, {HALL}", **proxy) == 429
    assert status(RIGHT, HTTP_X_FORWARDED_FOR=HOME, **proxy) == 302
    assert status(RIGHT, account="dirk", HTTP_X_FORWARDED_FOR=f"{HALL}, {HOME}", **proxy) == 302


@pytest.mark.usefixtures("people")
def test_without_a_proxy_the_address_that_a_caller_claims_does_not_count() -> None:
    tried = [status(HTTP_X_FORWARDED_FOR=f"198.51.100.{n}") for n in range(7)]
    assert tried == [200] * 5 + [429] * 2


@pytest.mark.usefixtures("people")
def test_addresses_of_one_network_count_as_one() -> None:
    tried = [status(address=f"2001:db8:1:2::{n:x}") for n in range(7)]
    assert tried == [200] * 5 + [429] * 2
    assert status(RIGHT, address="2001:db8:1:3::1") == 302


@pytest.mark.usefixtures("people")
def test_reset_of_an_unknown_address_mails_nobody_and_looks_the_same() -> None:
    answers = []
    for address in ("nobody@elsewhere.example", "olga@riverside.example"):
        page = Client().post("/accounts/password/reset/", {"email": address}, follow=True)
        answers.append((page.redirect_chain, text_of(page)))
    assert answers[0] == answers[1]
    assert send_waiting()
    assert [(one.to, "signup" in str(one.body)) for one in mail.outbox] == [
        (["olga@riverside.example"], False)
    ]


@pytest.mark.usefixtures("people")
def test_admin_and_asking_again_for_the_password_are_paced_too() -> None:
    signed_in = Client()
    signed_in.force_login(User.objects.get(username="olga"))
    address = "/accounts/reauthenticate/"
    tried = [
        signed_in.post(address, {"password": "wrong"}, REMOTE_ADDR=HALL).status_code
        for _ in range(7)
    ]
    assert tried == [200] * 5 + [429] * 2
    assert Client().get("/admin/login/").headers["Location"].startswith(LOGIN)
