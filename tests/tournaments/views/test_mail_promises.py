"""What pages say of mails, on a site that sends them, one that holds them and one that has none.

`tests/support/mail_sentences.csv` has each marked sentence about a mail, so that a new promise is
found here: the author says on which sites it is true.
"""

from collections.abc import Iterable, Iterator

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.support.builders import by_tests, league, players
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in, evening
from tests.support.mail_sentences import SITES, allowed_sites, marked_sentences, pattern_of
from tests.support.mails import send_waiting
from tests.support.pages.linked_pages import linked_pages
from tests.support.pages.text import text_of
from tests.support.scenarios.ladders import climbing
from tournaments.models.access import Contact
from tournaments.models.clubs import Player
from tournaments.models.jobs import Outbox
from tournaments.selectors.access.invitations import invitations_of, printable_token
from tournaments.selectors.access.personal_links import (
    confirmation_token,
    find_working_link,
    personal_path,
)
from tournaments.selectors.jobs import outgoing
from tournaments.selectors.jobs.outgoing import KNOWN, SiteMail, get_site_mail, unsent_note
from tournaments.selectors.people.addresses import stop_token
from tournaments.services.attendance.fill_ins import ask_fill_in
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.personal_links import (
    make_personal_links,
    renew_personal_link,
    set_contact,
)
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
    starts = ["/", CLUB, "/me", "/account", "/account/notifications", *ACCOUNT_PAGES]
    directs = [
        f"{CLUB}/personal-links", f"{CLUB}/personal-links/H", f"{CLUB}/player-contact/H",
        f"{CLUB}/players/H", f"{CLUB}/events/league/meetings/2025-11-13/attendance",
    ]  # fmt: skip
    owns = [
        f"{CLUB}/mail", f"{CLUB}/members", f"{CLUB}/members/invite", f"{CLUB}/invitations",
        f"{CLUB}/settings",
    ]  # fmt: skip
    yield "public", Client(), ["/", CLUB, *ACCOUNT_PAGES]
    for name, paths in (("olga", starts + directs + owns), ("C", starts), ("dirk", directs)):
        yield name, cast.client(name), paths
    own_page = personal_path(find_working_link(person))
    yield "person", Client(), [own_page, f"{own_page}/more"]
    invitation = invitations_of(cast.riverside).filter(name="Kira").get()
    client = Client()
    client.get(reverse("tournaments:open-invitation", args=[printable_token(invitation)]))
    yield "invited", client, [reverse("tournaments:join")]


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
                assert answer.status_code == 200, (who, path)
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


HELD = "1 mail is held back, because its address got 12 mails within a day."
WAITS = "The mails wait until an administrator of this site switches sending on."
GIVEN_UP = "Some mails could not be sent. Hand out the links yourself."


@pytest.mark.parametrize(
    ("site", "columns", "sentence", "badge"),
    [
        ("on", {}, "1 of them waits to be sent by mail", "Not opened"),
        ("on", {"sent_at": NOW}, "1 of them was sent by mail.", "Not opened"),
        ("on", {"held_since": NOW}, HELD, "Mail held back"),
        ("on", {"parked": True, "held_since": NOW}, GIVEN_UP, "Mail not sent"),
        ("on", {"parked": True}, GIVEN_UP, "Mail refused"),
        ("off", {}, WAITS, "Mail waits"),
        ("off", {"held_since": NOW}, WAITS, "Mail held back"),
        ("off", {"sent_at": NOW}, "1 of them was sent by mail.", "Not opened"),
        ("none", {"sent_at": NOW}, "This site sends no mail. Hand out the links", "Not opened"),
    ],
    indirect=["site"],
)
def test_invitations_say_how_far_their_mails_have_come(
    cast: Cast, site: str, columns: dict[str, object], sentence: str, badge: str
) -> None:
    invite(by_tests(), cast.riverside, role="player", name="Kira", email="kira@home.example")
    Outbox.objects.update(**columns)
    olga = cast.client("olga")
    with time_machine.travel(NOW, tick=False):
        page = text_of(olga.get(f"{CLUB}/invitations"))
        said = {text for text in (HELD, WAITS, GIVEN_UP, "was sent", "to be sent") if text in page}
        assert sentence in page
        assert len(said) == (site != "none")
        assert badge in text_of(olga.get(f"{CLUB}/members"))


def test_second_press_of_a_day_sends_no_link_and_says_so(cast: Cast) -> None:
    set_contact(by_tests(), player_with_link(cast), email="ada@home.example", has_consent=True)
    pages = [
        text_of(cast.client("dirk").post(f"{CLUB}/personal-links", {"mail": "yes"}, follow=True))
        for _press in range(2)
    ]
    assert "1 mail leaves in a moment." in pages[0]
    assert "leaves in a moment" not in pages[1]
    assert "Each of these links was written into a mail today already." in pages[1]


@pytest.mark.parametrize(
    ("is_whole", "sentence"),
    [(True, "it was stopped or confirmed before"), (False, "This link is not complete.")],
)
def test_link_that_stops_a_change_says_whether_it_is_broken(
    cast: Cast, client: Client, is_whole: bool, sentence: str
) -> None:
    change = EmailAddress.objects.create(user=cast.users["piet"], email="new@home.example")
    token = stop_token(change)
    change.delete()
    answer = client.get(reverse("account_stop_email", args=[token if is_whole else token[:-2]]))
    assert sentence in text_of(answer, status=404)


def player_with_link(cast: Cast) -> Player:
    (player,) = players(cast.riverside, "Ada")
    renew_personal_link(by_tests(), player)
    return player


def test_account_made_by_a_mailed_link_has_a_confirmed_address(
    cast: Cast, mailoutbox: list[EmailMultiAlternatives]
) -> None:
    """The link was opened in its mailbox: no second mail confirms the same address."""
    player = player_with_link(cast)
    set_contact(by_tests(), player, email="ada@home.example", has_consent=True)
    link = find_working_link(player)
    assert link is not None
    with time_machine.travel(NOW, tick=False):
        token = confirmation_token(link, "account", {}, email="ada@home.example")
        client = Client()
        client.post(reverse("tournaments:my-confirm", args=[token]), follow=True)
        form = {"email": "ada@home.example", "password1": "Nine lives, one queen"}
        client.post(reverse("tournaments:join"), form)
        send_waiting()
    address = EmailAddress.objects.get(email="ada@home.example")
    assert address.verified
    player.refresh_from_db()
    assert player.user == address.user
    assert [mail.subject for mail in mailoutbox] == []
