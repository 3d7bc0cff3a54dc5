"""What pages say of mails, on a site that sends them, one that holds them and one that has none.

`tests/support/mail_sentences.csv` has each marked sentence about a mail, so that a new promise is
found here: the author says on which sites it is true.
"""

from collections.abc import Iterator

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
    """A new sentence gets its line, with the sites on which it is true; a line that is gone goes."""
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
    on_ladder = climbing(cast)
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
    assert on_ladder.slug == "ladder"
    return person


def readers_of(cast: Cast, person: Player) -> Iterator[tuple[str, Client, list[str]]]:
    """Yield who reads, with their browser, and the pages that their walk begins with."""
    starts = ["/", CLUB, "/me", "/account", "/notifications"]
    manages = [
        f"{CLUB}/mail", f"{CLUB}/members", f"{CLUB}/members/invite", f"{CLUB}/invitations",
        f"{CLUB}/personal-links", f"{CLUB}/players/H/link", f"{CLUB}/players/H/contact",
        f"{CLUB}/settings", f"{CLUB}/events/league/meetings/2025-11-13/attendance",
    ]  # fmt: skip
    for name in ("", "olga", "dirk", "hanna", "piet", "C"):
        yield name or "public", cast.client(name), [*starts, *manages]
    root = User.objects.create_superuser("root", "root@site.example")
    client = Client()
    client.force_login(root)
    yield "administrator", client, [*starts, *manages]
    own_page = personal_path(find_working_link(person))
    yield "person", Client(), [own_page, f"{own_page}/more"]
    for invitation in invitations_of(cast.riverside):
        client = Client()
        client.get(f"/invitations/{printable_token(invitation)}")
        yield "invited", client, ["/join"]


@pytest.mark.tier_all
@pytest.mark.parametrize("is_vouched", [True, False])
def test_pages_say_of_mails_only_what_is_true_of_the_site(
    cast: Cast, site: str, is_vouched: bool
) -> None:
    for name in ("olga", "dirk"):
        User.objects.filter(username=name).update(email=f"{name}@riverside.example")
    with time_machine.travel(NOW, tick=False):
        person = person_who_competes(cast)
        if not is_vouched:
            Contact.objects.filter(player=person).update(origin="link")
        false = {
            sentence: pattern_of(sentence)
            for sentence, sites in allowed_sites().items()
            if site not in sites
        }
        found = []
        n_pages = 0
        for who, client, starts in readers_of(cast, person):
            pages = [*linked_pages(client, starts, of_a_route=2), *ACCOUNT_PAGES]
            for path in pages:
                answer = client.get(path, follow=True)
                n_pages += answer.status_code == 200
                text = text_of(answer)
                found += [
                    (who, path, sentence) for sentence, it in false.items() if it.search(text)
                ]
    assert found == []
    assert n_pages > 100
