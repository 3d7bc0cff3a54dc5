"""Choosing notifications, stopping them from a mail, notices, and the owner's page of mails."""

import re
from pathlib import Path

import pytest
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from pytest_django import Settings

from tests.support.cast import NOW, Cast
from tests.support.mails import send_waiting
from tests.support.pages.text import text_of
from tests.support.scenarios import mails
from tournaments.domain.people.notification_kinds import DEFAULTS, SIGN_IN
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Membership
from tournaments.models.notices import NotificationChoice
from tournaments.models.outbox import Outbox
from tournaments.selectors.notices.notifications import list_choices, list_unread_notices
from tournaments.services.notices.outbox import enqueue_mail

PAGE, NOTICES = "/account/notifications", "/notices"

pytestmark = pytest.mark.django_db


def stop_link(message: EmailMultiAlternatives) -> str:
    """The path that a mail program posts to."""
    header = str(message.extra_headers["List-Unsubscribe"])
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    found = re.fullmatch(r"<https://club\.example(/unsubscribe/\S+)>", header)
    assert found is not None
    return found[1]


@pytest.fixture
def corrected(cast: Cast, mailoutbox: list[EmailMultiAlternatives], settings: Settings) -> str:
    """A hand at Piet's table was corrected; the link that stops such mails."""
    settings.SITE_URL = "https://club.example"
    mails.give_addresses()
    mails.correct(cast, mails.evening(cast))
    assert send_waiting()
    return stop_link(mailoutbox[0])


def by_mail(cast: Cast) -> set[str]:
    """The kinds that Piet gets by mail."""
    chosen = list_choices(cast.users["piet"].pk, cast.riverside)
    return {kind for kind, channels in chosen.items() if channels.by_mail}


def test_mail_program_stops_a_kind_with_one_post_and_without_signing_in(
    cast: Cast, corrected: str
) -> None:
    before = by_mail(cast)
    program = Client(enforce_csrf_checks=True)
    answer = program.post(
        corrected, "List-Unsubscribe=One-Click", "application/x-www-form-urlencoded"
    )
    assert answer.status_code == 200, "no redirect, no cookie, no question"
    assert not answer.cookies
    assert before - by_mail(cast) == {"correction"}
    assert program.post(corrected).status_code == 200, "twice is as once"
    assert NotificationChoice.objects.get().as_notice is DEFAULTS["correction"].as_notice


def test_person_is_asked_before_the_mails_stop(cast: Cast, corrected: str) -> None:
    asked = text_of(Client().get(corrected))
    assert "Stop these mails? Mails from Riverside about: Correction at my table." in asked
    assert "correction" in by_mail(cast), "a program that looks at links stops nothing"
    done = text_of(Client().post(corrected))
    assert "You get no more mails from Riverside about: Correction at my table." in done


def test_link_that_is_changed_or_of_a_former_member_stops_nothing(
    cast: Cast, corrected: str
) -> None:
    changed = corrected[:-3] + ("abc" if corrected[-3:] != "abc" else "abd")
    assert Client().post(changed).status_code == 404
    assert Client().post("/unsubscribe/guessed").status_code == 404
    Membership.objects.filter(user=cast.users["piet"]).delete()
    assert Client().post(corrected).status_code == 404
    assert not NotificationChoice.objects.exists()


def test_member_chooses_by_club_and_stops_all(cast: Cast) -> None:
    piet = cast.client("piet")
    assert "8 kinds by mail, 5 as a notice" in text_of(piet.get(PAGE))
    saved = piet.post(PAGE, {"club": "riverside", "mail-playoff": "on"}, follow=True)
    assert "Notifications of Riverside saved." in text_of(saved)
    assert by_mail(cast) == {"playoff"}
    stopped = piet.post(PAGE, {"none": "yes"}, follow=True)
    assert "All mails stopped. Mails about signing in are sent." in text_of(stopped)
    assert by_mail(cast) == set()
    assert piet.post(PAGE, {"club": "hilltop", "mail-playoff": "on"}).status_code == 404
    assert Client().get(PAGE).status_code == 302


def test_notices_are_listed_until_they_are_read(cast: Cast) -> None:
    mails.evening(cast)
    piet = cast.client("piet")
    page = piet.get(NOTICES)
    assert "1 notice is new." in text_of(page)
    assert "Your next table: table 1, seat N" in text_of(page)
    (notice,) = list_unread_notices(cast.users["piet"].pk)
    assert cast.client("dirk").post(f"{NOTICES}/{notice.public_id}").status_code == 404
    opened = piet.post(f"{NOTICES}/{notice.public_id}")
    assert opened["Location"] == "/clubs/riverside/events/league/tables/r1t1"
    assert "No new notices." in text_of(piet.get(NOTICES))
    Membership.objects.filter(user=cast.users["piet"]).delete()
    assert "Your next table" not in text_of(piet.get(NOTICES))


def test_owner_sees_what_was_not_delivered_and_sends_it_again(
    cast: Cast, mailoutbox: list[EmailMultiAlternatives]
) -> None:
    mails.give_addresses()
    mails.correct(cast, mails.evening(cast))
    error = "550 5.1.1 no such mailbox"
    Outbox.objects.update(parked=True, attempts=1, error=error, due_at=NOW)
    mail = Outbox.objects.get()
    olga, page = cast.client("olga"), "/clubs/riverside/mail"
    said = text_of(olga.get(page))
    assert "1 mail could not be delivered." in said
    assert "Correction of a hand: piet@riverside.example" in said
    assert error in said
    for name, status in {"dirk": 403, "piet": 403, "nora": 403}.items():
        assert cast.client(name).get(page).status_code == status
        assert cast.client(name).post(f"{page}/{mail.pk}/send").status_code == status
    assert "sent again in a moment" in text_of(olga.post(f"{page}/{mail.pk}/send", follow=True))
    assert AuditLine.objects.filter(act="send_mail_again", subject=f"mail:{mail.pk}").exists()
    assert send_waiting()
    assert [one.to for one in mailoutbox] == [["piet@riverside.example"]]
    assert "All mails are sent." in text_of(olga.get(page))
    assert "This mail is sent already." in text_of(olga.post(f"{page}/{mail.pk}/send", follow=True))


def test_without_a_mail_server_the_owner_reads_the_mails_of_the_club_and_no_others(
    cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    settings.EMAIL_BACKEND = "tournaments.delivery.mail.files.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    mails.every_mail(cast)
    enqueue_mail(club=cast.hilltop, kind="correction", to=cast.users["nora"].pk, now=NOW)
    assert send_waiting()
    olga = cast.client("olga")
    page = text_of(olga.get("/clubs/riverside/mail"))
    assert "Nobody gets the mails below. Read them here, and hand out" in page
    assert "All mails are sent" not in page
    assert "var/mail" not in page
    assert "Press Share on the standings" in page
    invite = text_of(olga.get("/clubs/riverside/members/invite"))
    assert "One a line. This site sends no mail: hand out the links yourself." in invite
    assert "sends the invitation by mail" not in invite
    invitation = Outbox.objects.get(kind="invitation")
    read = text_of(olga.get(f"/clubs/riverside/mail/{invitation.pk}"))
    assert "Invitation to Riverside" in read
    assert "/invitations/" in read
    secret = Outbox.objects.get(kind=SIGN_IN)
    assert "About signing in" not in page
    assert olga.get(f"/clubs/riverside/mail/{secret.pk}").status_code == 404
    assert olga.post(f"/clubs/riverside/mail/{secret.pk}/send").status_code == 404
    kept = list((tmp_path / "mail").iterdir())
    assert len(kept) == Outbox.objects.filter(sent_at__isnull=False).count()
    assert {oct(one.stat().st_mode)[-3:] for one in kept} == {"600"}
