"""What only a mail can do is refused where nobody gets it; a sent mail says where it went."""

from datetime import timedelta

import pytest
from django.core.mail import EmailMultiAlternatives
from pytest_django import Settings

from tests.support.builders import by_tests, league, players
from tests.support.cast import NOW, Cast
from tests.support.evenings import evening
from tests.support.mails import send_waiting
from tournaments.errors import Conflict
from tournaments.models.access import Contact, Invitation, PersonalLink
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.jobs import Outbox
from tournaments.selectors.access.invitations import find_mail_states, list_invitation_rows
from tournaments.selectors.access.personal_links import person_with_link
from tournaments.selectors.notices.outbox import mail_rows
from tournaments.services.attendance.fill_ins import ask_fill_in
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.personal_links import (
    ask_confirmation,
    mail_personal_links,
    renew_personal_link,
    set_contact,
)
from tournaments.services.notices.outbox import enqueue_sign_in_mail
from tournaments.services.operations import Operation

pytestmark = pytest.mark.django_db

CONSOLE = "django.core.mail.backends.console.EmailBackend"


@pytest.fixture
def link(cast: Cast) -> PersonalLink:
    link = renew_personal_link(by_tests(), players(cast.riverside, "Ada")[0])
    set_contact(by_tests(), link.player, email="ada@home.example", has_consent=True)
    return link


def test_site_without_mail_mails_no_link_and_confirms_nothing(
    cast: Cast, link: PersonalLink, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = CONSOLE
    holder = Operation(person_with_link(link), NOW)
    n_lines = AuditLine.objects.count()
    with pytest.raises(Conflict, match=r"^site_sends_no_mail$"):
        mail_personal_links(by_tests(), cast.riverside)
    for action in ("address", "erasure", "account", "challenge"):
        with pytest.raises(Conflict, match=r"^site_sends_no_mail$"):
            ask_confirmation(holder, cast.riverside, action=action, email="new@home.example")
    assert not Outbox.objects.exists()
    assert Contact.objects.get(player=link.player).new_email == ""
    assert AuditLine.objects.count() == n_lines


def test_links_are_counted_that_a_mail_was_written_for(cast: Cast, link: PersonalLink) -> None:
    """A second press on one day writes none, and says so."""
    assert mail_personal_links(by_tests(), cast.riverside) == 1
    other = renew_personal_link(by_tests(), players(cast.riverside, "Bo")[0])
    set_contact(by_tests(), other.player, email="bo@home.example", has_consent=True)
    assert mail_personal_links(by_tests(), cast.riverside) == 1
    assert mail_personal_links(by_tests(), cast.riverside) == 0
    assert Outbox.objects.count() == 2
    assert AuditLine.objects.filter(act="mail_personal_links").count() == 2
    assert mail_personal_links(by_tests(NOW + timedelta(days=1)), cast.riverside) == 2


@pytest.mark.parametrize(("backend", "n_asked"), [("", 1), (CONSOLE, 0)])
def test_fill_ins_without_an_account_are_asked_only_by_mails_that_are_sent(
    cast: Cast, link: PersonalLink, settings: Settings, backend: str, n_asked: int
) -> None:
    settings.EMAIL_BACKEND = backend or settings.EMAIL_BACKEND
    meeting, _people = evening(league(cast.riverside), 0)
    Player.objects.filter(pk=link.player_id).update(fills_in=True)
    assert len(ask_fill_in(by_tests(), meeting).asked) == n_asked


def test_sent_mail_is_listed_with_the_address_that_it_went_to(
    cast: Cast, link: PersonalLink, mailoutbox: list[EmailMultiAlternatives]
) -> None:
    mail_personal_links(by_tests(), cast.riverside)
    enqueue_sign_in_mail(to="olga@riverside.example", subject="S", text="T", now=NOW)
    assert send_waiting()
    set_contact(by_tests(), link.player, email="new@home.example", has_consent=True)

    def addresses() -> dict[object, object]:
        rows = mail_rows(cast.riverside, with_site=True)
        return {row["kind"]: row["to"] for row in rows}

    assert addresses() == {"personal_link": "ada@home.example", "sign_in": ""}
    Outbox.objects.filter(kind="personal_link").update(sent_to="")
    assert addresses()["personal_link"] == "", "an earlier release did not store it"


def test_address_that_is_removed_goes_from_the_list_of_mails_too(
    cast: Cast, link: PersonalLink, mailoutbox: list[EmailMultiAlternatives]
) -> None:
    mail_personal_links(by_tests(), cast.riverside)
    assert send_waiting()
    set_contact(by_tests(), link.player, email="")
    assert list(Outbox.objects.values_list("sent_to", flat=True)) == [""]


@pytest.mark.parametrize(
    ("columns", "mail", "state"),
    [
        ({}, "waiting", "not_opened"),
        ({"held_since": NOW}, "held", "not_opened"),
        ({"sent_at": NOW}, "sent", "not_opened"),
        ({"parked": True}, "parked", "mail_refused"),
        ({"parked": True, "held_since": NOW}, "dropped", "mail_refused"),
    ],
)
def test_invitation_says_how_far_its_mail_has_come(
    cast: Cast, settings: Settings, columns: dict[str, object], mail: str, state: str
) -> None:
    invite(by_tests(), cast.riverside, role="player", name="Kira", email="kira@home.example")
    invite(by_tests(), cast.riverside, role="player", name="Lars")
    Outbox.objects.update(**columns)
    rows = {row.label: row for row in list_invitation_rows(cast.riverside, NOW)}
    assert (rows["Kira"].mail, rows["Kira"].state.value) == (mail, state)
    assert rows["Lars"].mail == ""
    settings.EMAIL_BACKEND = CONSOLE
    assert find_mail_states(list(Invitation.objects.all())) == {}
