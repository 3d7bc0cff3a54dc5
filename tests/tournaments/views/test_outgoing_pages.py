"""Pages of an installation that sends nothing say so, and promise no mail."""

from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from pytest_django import Settings

from tests.support.builders import by_tests, league, players
from tests.support.cast import NOW, Cast
from tests.support.mails import send_waiting
from tests.support.pages.text import text_of
from tests.support.webhooks import webhook_of
from tournaments.models.jobs import Outbox
from tournaments.selectors.access.personal_links import personal_path
from tournaments.selectors.jobs import outgoing
from tournaments.selectors.jobs.outgoing import KNOWN
from tournaments.services.clubs.personal_links import renew_personal_link, set_contact
from tournaments.services.outgoing import switch_outgoing

pytestmark = [pytest.mark.django_db, pytest.mark.tier_all]

BANNER = "This server sends no mails and no webhooks: they wait."
NOTE = "Nothing has been sent since 6 Nov 2025, 21:00."
CLUB = "/clubs/riverside"


@pytest.fixture
def off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sending is off, and pages ask the database each time."""
    monkeypatch.setattr(outgoing, "LOOK_S", 0.0)
    monkeypatch.setattr(KNOWN, "known_until", 0.0)
    monkeypatch.setattr(KNOWN, "is_off", False)
    switch_outgoing(is_on=False, now=NOW)


@pytest.mark.parametrize(
    ("name", "is_told"), [("olga", True), ("dirk", True), ("hanna", False), ("", False)]
)
def test_banner_is_for_those_who_manage(
    cast: Cast, client: Client, off: None, name: str, is_told: bool
) -> None:
    league(cast.riverside)
    reader = cast.client(name) if name else client
    for page in (CLUB, f"{CLUB}/events/league", f"{CLUB}/players"):
        assert (BANNER in text_of(reader.get(page))) is is_told, page


def test_banner_is_gone_once_sending_is_on(cast: Cast, off: None) -> None:
    switch_outgoing(is_on=True, now=NOW)
    assert BANNER not in text_of(cast.client("dirk").get(CLUB))


def test_page_asks_the_database_again_after_some_seconds(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KNOWN, "is_off", False)
    monkeypatch.setattr(KNOWN, "known_until", 0.0)
    assert not KNOWN.is_outgoing_off()
    switch_outgoing(is_on=False, now=NOW)
    assert not KNOWN.is_outgoing_off()
    monkeypatch.setattr(KNOWN, "known_until", 0.0)
    assert KNOWN.is_outgoing_off()


def test_mail_page_says_since_when_and_what_becomes_of_old_mails(cast: Cast, off: None) -> None:
    page = text_of(cast.client("olga").get(f"{CLUB}/mail"))
    assert NOTE in page
    assert "or about an evening that is over, are dropped" in page


def test_pages_of_webhooks_say_it_too(cast: Cast, off: None) -> None:
    webhook = webhook_of(cast.riverside)["webhook"]
    olga = cast.client("olga")
    assert NOTE in text_of(olga.get(f"{CLUB}/webhooks"))
    assert NOTE in text_of(olga.get(f"{CLUB}/webhooks/{webhook}"))
    answer = olga.post(f"{CLUB}/webhooks/{webhook}", {"test": "yes"}, follow=True)
    assert "The test message waits: sending is switched off." in text_of(answer)


def test_mail_that_is_to_be_sent_again_waits(cast: Cast, off: None) -> None:
    waiting = Outbox.objects.create(
        club=cast.riverside, kind="invitation", payload={"to": "a@b.example"},
        created_at=NOW, due_at=NOW + timedelta(days=1),
    )  # fmt: skip
    answer = cast.client("olga").post(f"{CLUB}/mail/{waiting.pk}/send", follow=True)
    assert "The mail waits: sending is switched off." in text_of(answer)


@pytest.mark.parametrize("is_off", [True, False])
def test_person_who_asks_for_a_new_password_reads_whether_a_mail_comes(
    cast: Cast, client: Client, request: pytest.FixtureRequest, settings: Settings, is_off: bool
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    if is_off:
        request.getfixturevalue("off")
    user = cast.users["piet"]
    user.email = "piet@riverside.example"
    user.save()
    before = text_of(client.get("/accounts/password/reset/"))
    done = text_of(client.post("/accounts/password/reset/", {"email": user.email}, follow=True))
    note = "This site sends no mail at present."
    assert (note in before, note in done) == (is_off, is_off)
    assert ("was made, but not sent" in done) is is_off
    assert ("is on its way" in done) is not is_off
    assert send_waiting()
    assert len(mail.outbox) == (0 if is_off else 1)


def test_holder_of_a_personal_link_reads_that_the_mail_waits(
    cast: Cast, client: Client, off: None, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    link = renew_personal_link(by_tests(), players(cast.riverside, "Ada")[0])
    answer = client.post(
        f"{personal_path(link)}/more", {"action": "address", "email": "new@b.example"}, follow=True
    )
    assert "The mail with the link waits until an administrator of this site switches" in text_of(
        answer
    )


def test_director_who_mails_personal_links_reads_that_they_wait(cast: Cast, off: None) -> None:
    link = renew_personal_link(by_tests(), players(cast.riverside, "Ada")[0])
    set_contact(by_tests(), link.player, email="ada@home.example", has_consent=True)
    answer = cast.client("dirk").post(f"{CLUB}/personal-links", {"mail": "yes"}, follow=True)
    assert "1 mail waits: sending is switched off." in text_of(answer)
