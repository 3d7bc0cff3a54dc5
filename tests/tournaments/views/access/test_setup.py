"""The site's first account: through the printed link, once, while there is none."""

from datetime import timedelta
from io import StringIO
from urllib.parse import unquote

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings
from time_machine import Traveller

from tests.support.builders import TESTS
from tests.support.cast import NOW
from tests.support.pages.text import text_of
from tournaments.models.access import SetupLink
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership
from tournaments.services.clubs.clubs import create_club

NEW = {"email": "olga@riverside.example", "password1": "Nine lives, one queen", "username": "olga"}
SENTENCE = "This set-up link does not work."

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


@pytest.fixture(autouse=True)
def no_wrong_links() -> None:
    cache.clear()


def printed() -> str:
    """The path of the link that the command prints."""
    out = StringIO()
    call_command("setup_link", "--address", "https://hearts.example", stdout=out, stderr=StringIO())
    site, _slash, path = out.getvalue().strip().partition("/setup/")
    assert site == "https://hearts.example"
    return f"/setup/{path}"


def test_first_account_administrates_the_site_and_creates_a_club() -> None:
    path, browser = printed(), Client()
    assert path.rpartition("/")[2] not in str(SetupLink.objects.values_list())
    assert browser.get(path)["Location"] == "/setup"
    assert "Set up this site" in text_of(browser.get("/setup"))
    assert browser.post("/setup", {**NEW, "password1": "123"}).status_code == 422
    assert browser.post("/setup", NEW).status_code == 302
    user = User.objects.get()
    assert (user.username, user.is_superuser, user.is_staff) == ("olga", True, True)
    made = browser.post("/new-club", {"name": "Riverside", "time_zone": "UTC"})
    assert made["Location"] == "/clubs/riverside"
    assert browser.get("/clubs/riverside/members").status_code == 200


def test_first_account_owns_a_club_that_was_imported_before_it() -> None:
    club = create_club(actor=TESTS, name="Riverside", slug="riverside", now=NOW)
    hidden = create_club(actor=TESTS, name="Removed", slug="removed", now=NOW)
    Club.objects.filter(pk=hidden.pk).update(delete_after=NOW)
    path, browser = printed(), Client()
    browser.get(path)
    assert "next=/clubs/riverside" in unquote(browser.post("/setup", NEW)["Location"])
    [member] = Membership.objects.all()
    assert (member.club, member.role, member.user.username) == (club, "owner", "olga")
    assert AuditLine.objects.filter(club=club, act="give_role").count() == 1


def test_link_works_once_and_only_while_nobody_has_an_account(clock: Traveller) -> None:
    path, first, second = printed(), Client(), Client()
    for browser in (first, second):
        assert browser.get(path).status_code == 302
    first.post("/setup", NEW)
    late = second.post("/setup", {**NEW, "username": "eve", "email": "eve@riverside.example"})
    assert late.status_code == 404
    assert SENTENCE in text_of(late)
    assert User.objects.count() == 1
    assert Client().get(path).status_code == 404
    with pytest.raises(CommandError) as refused:
        printed()
    assert refused.value.returncode == 2


def test_link_expires_and_a_new_one_replaces_it(clock: Traveller) -> None:
    before = printed()
    now = printed()
    assert [Client().get(path).status_code for path in (before, now)] == [404, 302]
    clock.shift(timedelta(hours=24))
    assert Client().get(now).status_code == 404
    assert Client().get("/setup").status_code == 404


@pytest.mark.parametrize("address", ["/", "/accounts/login/"])
@pytest.mark.parametrize("caller", ["127.0.0.1", "203.0.113.9"])
def test_site_without_accounts_names_the_command_to_everybody(address: str, caller: str) -> None:
    shown = text_of(Client(REMOTE_ADDR=caller).get(address))
    assert "Create the first account" in shown
    assert "manage.py setup_link" in shown
    Client().get(printed())
    User.objects.create_user("olga")
    assert "setup_link" not in text_of(Client(REMOTE_ADDR=caller).get(address))


@pytest.mark.parametrize(("is_embedded", "says_so"), [(True, True), (False, False)])
def test_only_an_embedded_installation_is_told_that_no_server_was_found(
    settings: Settings, is_embedded: bool, says_so: bool
) -> None:
    settings.EMBEDDED, settings.SITE_URL = is_embedded, "https://hearts.example"
    out, err = StringIO(), StringIO()
    call_command("setup_link", stdout=out, stderr=err)
    assert out.getvalue().startswith("https://hearts.example/setup/")
    assert ("No running server was found." in err.getvalue()) is says_so


def test_command_says_that_an_earlier_link_stopped_working() -> None:
    out, err = StringIO(), StringIO()
    call_command("setup_link", "--port", "8105", stdout=out, stderr=err)
    assert out.getvalue().startswith("http://127.0.0.1:8105/setup/")
    assert "A link that was printed before no longer works." in err.getvalue()
