"""What pages say of mails, on a site that sends them, one that holds them and one that has none.

`tests/support/mail_sentences.csv` has each marked sentence about a mail, so that a new promise is
found here: the author says on which sites it is true.
"""

from collections.abc import Iterable, Iterator

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from tests.support.builders import by_tests, league
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in, evening
from tests.support.mail_sentences import SITES, allowed_sites, marked_sentences, pattern_of
from tests.support.pages.linked_pages import linked_pages
from tests.support.pages.text import text_of
from tests.support.scenarios.ladders import climbing
from tournaments.models.access import Contact
from tournaments.models.clubs import Player
from tournaments.selectors.access.invitations import invitations_of, printable_token
from tournaments.selectors.access.personal_links import find_working_link, personal_path
from tournaments.selectors.jobs import outgoing
from tournaments.selectors.jobs.outgoing import KNOWN, SiteMail, get_site_mail, unsent_note
from tournaments.services.attendance.fill_ins import ask_fill_in
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.personal_links import make_personal_links, set_contact
from tournaments.services.outgoing import switch_outgoing

pytestmark = pytest.mark.django_db

CLUB = "/clubs/riverside"
ACCOUNT_PAGES = (
    "/accounts/email/", "/accounts/password/reset/", "/accounts/password/reset/done/",
    "/accounts/confirm-email/", "/accounts/login/", "/accounts/signup/",
)  # fmt: skip
"""Pages of signing in, which `linked_pages` passes over."""
BACKENDS = {
    "on": "django.core.mail.backends.locmem.EmailBackend",
    "off": "django.core.mail.backends.locmem.EmailBackend",
    "none": "django.core.mail.backends.console.EmailBackend",
}


@pytest.fixture(params=SITES)
def site(
    request: pytest.FixtureRequest, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> str:
    name = str(request.param)
    settings.EMAIL_BACKEND = BACKENDS[name]
    settings.SIGN_UP = "open"
    if name == "off":
        monkeypatch.setattr(outgoing, "LOOK_S", 0.0)
        monkeypatch.setattr(KNOWN, "known_until", 0.0)
        monkeypatch.setattr(KNOWN, "is_off", False)
        switch_outgoing(is_on=False, now=NOW)
    return name


def test_each_sentence_about_a_mail_is_in_the_table() -> None:
    """A new sentence gets its line, with the sites on which it is true."""
    assert sorted(allowed_sites()) == sorted(set(marked_sentences()))


@pytest.mark.parametrize(
    ("backend", "is_off", "site_mail", "note"),
    [
        ("django.core.mail.backends.smtp", False, SiteMail.ON, ""),
        (
            "django.core.mail.backends.smtp",
            True,
            SiteMail.OFF,
            "This site sends no mail at present.",
        ),
        ("django.core.mail.backends.console", False, SiteMail.NONE, "This site sends no mail."),
        ("django.core.mail.backends.console", True, SiteMail.NONE, "This site sends no mail."),
        ("tournaments.delivery.mail.files", False, SiteMail.NONE, "This site sends no mail."),
    ],
)
def test_what_becomes_of_the_mails_of_a_site(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, backend: str, is_off: bool,
    site_mail: SiteMail, note: str,
) -> None:  # fmt: skip
    settings.EMAIL_BACKEND = f"{backend}.EmailBackend"
    monkeypatch.setattr(KNOWN, "is_off", is_off)
    assert get_site_mail() == site_mail
    assert unsent_note() == note


def person_who_competes(cast: Cast) -> Player:
    """Fill Riverside: an evening that asks for one more, a ladder with challenges, invitations,
    people with and without a link and an address; return one of them without an account."""
    climbing(cast)
    for code in "HJ":
        Player.objects.filter(player_id=code).update(user=None)
    meeting, people = evening(league(cast.riverside), 6)
    Player.objects.filter(pk__in=[player.pk for player in people[:2]]).update(fills_in=True)
    set_contact(by_tests(), people[0], email="alma@home.example", has_consent=True)
    check_in(meeting, people[:2], state="absent")
    make_personal_links(by_tests(), cast.riverside)
    (person,) = Player.objects.filter(club=cast.riverside, player_id="H")
    set_contact(by_tests(), person, email="h@home.example", has_consent=True)
    ask_fill_in(by_tests(), meeting)
    invite(by_tests(), cast.riverside, role="player", name="Kira", email="kira@home.example")
    invite(by_tests(), cast.riverside, role="player", name="Lars")
    return person


def readers_of(cast: Cast, person: Player) -> Iterator[tuple[str, Client, list[str]]]:
    """Yield who reads, with their browser, and the pages that they open."""
    starts = ["/", CLUB, "/me", "/account", "/notifications", *ACCOUNT_PAGES]
    manages = [
        f"{CLUB}/mail", f"{CLUB}/members", f"{CLUB}/members/invite", f"{CLUB}/invitations",
        f"{CLUB}/personal-links", f"{CLUB}/players/H/link", f"{CLUB}/players/H/contact",
        f"{CLUB}/settings", f"{CLUB}/events/league/meetings/2025-11-13/attendance",
    ]  # fmt: skip
    for name, paths in (("", starts), ("olga", starts + manages), ("C", starts)):
        yield name, cast.client(name), paths
    yield "dirk", cast.client("dirk"), manages
    own_page = personal_path(find_working_link(person))
    yield "person", Client(), [own_page, f"{own_page}/more"]
    invitation = invitations_of(cast.riverside).filter(name="Kira").get()
    client = Client()
    client.get(f"/invitations/{printable_token(invitation)}")
    yield "invited", client, ["/join"]


def false_sentences(site: str, walk: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Return what pages say that is not true of a site: who reads it, where, and the sentence."""
    false = {
        sentence: pattern_of(sentence)
        for sentence, sites in allowed_sites().items()
        if site not in sites
    }
    return [
        (who, path, sentence)
        for who, path, text in walk
        for sentence, pattern in false.items()
        if pattern.search(text)
    ]


@pytest.mark.parametrize("origin", ["club", "link"])
def test_pages_about_mails_say_what_is_true_of_the_site(cast: Cast, site: str, origin: str) -> None:
    for name in ("olga", "C"):
        if name in cast.users:
            User.objects.filter(username=name).update(email=f"{name}@riverside.example")
    pages = []
    with time_machine.travel(NOW, tick=False):
        person = person_who_competes(cast)
        Contact.objects.filter(player=person).update(origin=origin)
        for who, client, paths in readers_of(cast, person):
            if origin == "link" and who != "person":
                continue
            for path in paths:
                answer = client.get(path, follow=True)
                assert answer.status_code in (200, 403, 404), (who, path)
                pages.append((who, path, text_of(answer)))
    assert false_sentences(site, pages) == []


@pytest.mark.tier_all
def test_no_page_of_a_site_without_mail_promises_one(cast: Cast, settings: Settings) -> None:
    settings.EMAIL_BACKEND = BACKENDS["none"]
    pages = []
    with time_machine.travel(NOW, tick=False):
        person = person_who_competes(cast)
        for who, client, paths in readers_of(cast, person):
            pages += [
                (who, path, text_of(client.get(path, follow=True)))
                for path in linked_pages(client, paths, of_a_route=1)
            ]
    assert len(pages) > 60
    assert false_sentences("none", pages) == []
