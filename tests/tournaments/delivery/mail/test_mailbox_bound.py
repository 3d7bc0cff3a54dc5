"""At most twelve mails a day to one mailbox: what is held back, what is given up, who sees it."""

import threading
from datetime import datetime, time, timedelta

import pytest
import time_machine
from django.core.mail import EmailMultiAlternatives
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from scoring.errors import Refused
from tests.support.builders import by_tests, league, link, players
from tests.support.cast import NOW, Cast
from tests.support.mails import send_waiting
from tournaments.domain.notices import Recipients
from tournaments.models.access import Invitation
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club
from tournaments.models.jobs import MailboxSlot, Outbox
from tournaments.policy import command
from tournaments.selectors.access.invitations import list_pending_invitations
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.notices.outbox import get_club_mails, get_mail_backlog
from tournaments.services.clubs.invitations import (
    Invite,
    invite,
    invite_many,
    revoke_invitation,
)
from tournaments.services.notices.mailboxes import MOST_A_DAY, forget_free_slots, take_slot
from tournaments.services.notices.notifications import notify
from tournaments.services.notices.outbox import enqueue_sign_in_mail, send_mail_again
from tournaments.services.operations import Operation
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
Outgoing = list[EmailMultiAlternatives]
RUTH = "ruth@mail.example"


def invite_at(club: Club, number: int, email: str = RUTH, now: datetime = NOW) -> Invitation:
    op = Operation(command("tests"), now)
    return invite(op, club, role="player", name=f"Guest {number}", email=email)


def send_at(now: datetime) -> None:
    with time_machine.travel(now, tick=False):
        assert send_waiting()


def states(club: Club) -> dict[str, int]:
    mails = get_club_mails(club, with_site=False)
    return {state: len(rows) for state, rows in mails.items() if rows}


def test_thirteenth_mail_of_a_day_is_held_back_until_a_day_after_the_first(
    cast: Cast, mailoutbox: Outgoing
) -> None:
    for number in range(MOST_A_DAY):
        invite_at(cast.riverside, number)
    send_at(NOW)
    assert (len(mailoutbox), states(cast.riverside)) == (12, {"sent": 12})
    invite_at(cast.riverside, 12)
    send_at(NOW + timedelta(hours=1))
    assert (len(mailoutbox), states(cast.riverside)) == (12, {"held": 1, "sent": 12})
    held = Outbox.objects.get(sent_at=None)
    assert (held.due_at, held.attempts, held.parked) == (NOW + timedelta(days=1), 0, False)
    send_at(NOW + timedelta(days=1) - timedelta(seconds=1))
    assert len(mailoutbox) == 12
    send_at(NOW + timedelta(days=1))
    assert (len(mailoutbox), states(cast.riverside)) == (13, {"sent": 13})


def test_clubs_tags_and_letters_case_share_one_mailbox(cast: Cast, mailoutbox: Outgoing) -> None:
    for number in range(6):
        invite_at(cast.riverside, number, "Ruth@Mail.example")
        invite_at(cast.hilltop, number, f"ruth+{number}@mail.example")
    invite_at(cast.hilltop, 6)
    invite_at(cast.hilltop, 7, "rut@mail.example")
    send_at(NOW)
    assert len(mailoutbox) == 13
    assert states(cast.riverside) == {"sent": 6}
    assert states(cast.hilltop) == {"held": 1, "sent": 7}


def test_mails_about_signing_in_are_neither_counted_nor_held(mailoutbox: Outgoing) -> None:
    for number in range(MOST_A_DAY + 1):
        enqueue_sign_in_mail(to=RUTH, subject=f"Reset {number}", text="…", now=NOW)
    send_at(NOW)
    assert (len(mailoutbox), MailboxSlot.objects.count()) == (13, 0)


def full(now: datetime = NOW) -> None:
    for mail in range(MOST_A_DAY):
        assert take_slot(RUTH, 10_000 + mail, now=now) is None


def test_mail_that_is_held_for_two_days_is_given_up_and_listed(
    cast: Cast, mailoutbox: Outgoing
) -> None:
    full()
    invite_at(cast.riverside, 1)
    send_at(NOW)
    full(NOW + timedelta(days=1))
    send_at(NOW + timedelta(days=1))
    assert states(cast.riverside) == {"held": 1}
    full(NOW + timedelta(days=2))
    send_at(NOW + timedelta(days=2))
    assert (states(cast.riverside), mailoutbox) == ({"dropped": 1}, [])


def remind(cast: Cast) -> None:
    """Write Piet the reminder of an evening of tomorrow."""
    event = league(cast.riverside)
    cast.users["piet"].email = RUTH
    cast.users["piet"].save()
    link(players(cast.riverside, "Piet P.")[0], cast.users["piet"])
    day = NOW.date() + timedelta(days=1)
    plan_meeting(by_tests(), event, day=day, at=time(19, 30), place="Hall")
    facts = {"meeting": meeting_on(event, day).pk, "date": day.isoformat()}
    to = Recipients(frozenset({cast.users["piet"].pk}))
    notify(club=cast.riverside, to=to, kind="evening_reminder", key="1", facts=facts, now=NOW)


def test_reminder_that_is_held_past_its_evening_is_listed_as_not_sent(
    cast: Cast, mailoutbox: Outgoing
) -> None:
    remind(cast)
    full(NOW + timedelta(hours=23))
    send_at(NOW + timedelta(hours=23))
    assert states(cast.riverside) == {"held": 1}
    send_at(NOW + timedelta(hours=47))
    assert (states(cast.riverside), mailoutbox) == ({"dropped": 1}, [])


def test_reminder_that_a_place_comes_free_for_in_time_is_sent(
    cast: Cast, mailoutbox: Outgoing
) -> None:
    remind(cast)
    full(NOW - timedelta(hours=12))
    send_at(NOW)
    send_at(NOW + timedelta(hours=12))
    assert (states(cast.riverside), len(mailoutbox)) == ({"sent": 1}, 1)


def test_held_invitation_that_is_revoked_leaves_the_list(cast: Cast, mailoutbox: Outgoing) -> None:
    full()
    invitation = invite_at(cast.riverside, 1)
    send_at(NOW)
    revoke_invitation(by_tests(), invitation)
    send_at(NOW + timedelta(days=1))
    assert (states(cast.riverside), mailoutbox) == ({}, [])


def test_another_try_of_a_mail_keeps_its_slot() -> None:
    full()
    assert take_slot(RUTH, 10_011, now=NOW + timedelta(hours=1)) is None
    assert take_slot(RUTH, 10_012, now=NOW) == NOW + timedelta(days=1)


def test_slot_is_free_after_a_day_and_not_before() -> None:
    full()
    assert take_slot(RUTH, 1, now=NOW + timedelta(days=1) - timedelta(microseconds=1)) is not None
    assert take_slot(RUTH, 1, now=NOW + timedelta(days=1)) is None


def test_slot_that_was_taken_before_the_clock_was_set_back_is_free() -> None:
    full(NOW + timedelta(days=1, seconds=1))
    assert take_slot(RUTH, 1, now=NOW) is None


def test_statements_do_not_grow_with_mails_and_mailboxes() -> None:
    def statements(mail: int, address: str = RUTH) -> int:
        with CaptureQueriesContext(connection) as queries:
            take_slot(address, mail, now=NOW)
        return len(queries)

    assert statements(0) == 5
    for number in range(20):
        statements(100 + number, f"person-{number}@mail.example")
    assert [statements(mail) for mail in range(1, MOST_A_DAY)] == [5] * 11
    assert [statements(mail) for mail in range(MOST_A_DAY, MOST_A_DAY + 5)] == [1] * 5


def test_slots_are_forgotten_after_a_day() -> None:
    full()
    forget_free_slots(now=NOW + timedelta(days=1) - timedelta(seconds=1))
    assert MailboxSlot.objects.count() == 12
    forget_free_slots(now=NOW + timedelta(days=1))
    assert MailboxSlot.objects.count() == 0


def test_no_address_is_stored_with_a_slot() -> None:
    full()
    assert not MailboxSlot.objects.filter(mailbox__contains="ruth").exists()
    assert set(map(len, MailboxSlot.objects.values_list("mailbox", flat=True))) == {64}


def test_what_is_held_or_given_up_is_no_fault_of_the_mail_server(cast: Cast) -> None:
    full()
    invite_at(cast.riverside, 1)
    send_at(NOW)
    backlog = get_mail_backlog(NOW)
    assert (backlog.waiting, backlog.oldest, backlog.parked) == (0, None, 0)
    Outbox.objects.update(parked=True)
    assert get_mail_backlog(NOW).parked == 0


def test_page_and_rest_show_what_is_held_and_given_up(cast: Cast, mailoutbox: Outgoing) -> None:
    full()
    for number in (1, 2):
        invite_at(cast.riverside, number, now=NOW - timedelta(hours=number))
    send_at(NOW)
    Outbox.objects.filter(pk=Outbox.objects.order_by("pk")[0].pk).update(parked=True)
    client = cast.client("olga")
    page = client.get("/clubs/riverside/mail").content.decode()
    assert "Held back: too many mails to one address" in page
    assert "Not sent: too many mails to one address" in page
    rows = client.get("/api/v1/clubs/riverside/mail").json()["results"]
    assert [(row["state"], row["to"]) for row in rows] == [("dropped", RUTH), ("held", RUTH)]
    only = client.get("/api/v1/clubs/riverside/mail?state=held").json()["results"]
    assert [row["state"] for row in only] == ["held"]


def test_mail_that_was_given_up_is_sent_again_within_the_bound(
    cast: Cast, mailoutbox: Outgoing
) -> None:
    full()
    invite_at(cast.riverside, 1)
    send_at(NOW)
    Outbox.objects.update(parked=True)
    send_mail_again(by_tests(), cast.riverside, mail=Outbox.objects.get())
    send_at(NOW)
    assert (states(cast.riverside), mailoutbox) == ({"held": 1}, [])
    send_mail_again(
        Operation(command("tests"), NOW + timedelta(days=1)), cast.riverside,
        mail=Outbox.objects.get(),
    )  # fmt: skip
    send_at(NOW + timedelta(days=1))
    assert (states(cast.riverside), len(mailoutbox)) == ({"sent": 1}, 1)


@pytest.mark.django_db(transaction=True)
def test_senders_at_one_moment_keep_the_bound() -> None:
    """Eight senders take five slots each of one mailbox, all at once."""
    results: list[datetime | None] = []
    barrier = threading.Barrier(8)

    def sender(first: int) -> None:
        barrier.wait()
        try:
            for mail in range(first, first + 5):
                results.append(take_slot(RUTH, mail, now=NOW))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=sender, args=(100 * at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(results), results.count(None)) == (40, MOST_A_DAY)
    again = [take_slot(RUTH, 900 + mail, now=NOW + timedelta(days=1)) for mail in range(20)]
    assert again.count(None) == MOST_A_DAY


def pending(club: Club) -> list[str]:
    rows = list_pending_invitations().filter(club=club).order_by("pk")
    return [f"{row.name}<{row.email}>" for row in rows]


def test_second_invitation_of_a_name_and_address_replaces_the_first(
    cast: Cast, mailoutbox: Outgoing
) -> None:
    op = cast.operation("olga")
    for role in ("player", "host"):
        for _time in range(20):
            invite(op, cast.riverside, role=role, email=RUTH)
    assert pending(cast.riverside) == [f"<{RUTH}>"]
    assert list_pending_invitations().get().role == "host"
    invite(op, cast.riverside, role="player", email=RUTH.upper())
    assert pending(cast.riverside) == [f"<{RUTH.upper()}>"]
    send_at(NOW)
    assert len(mailoutbox) == 1, "the mails of those that were replaced are dropped"


@pytest.mark.parametrize(
    ("name", "email", "club"),
    [("Bo", RUTH, "riverside"), ("Ann", "bo@mail.example", "riverside"), ("Ann", RUTH, "hilltop")],
)
def test_invitation_of_another_name_address_or_club_stays(
    cast: Cast, name: str, email: str, club: str
) -> None:
    invite(by_tests(), cast.riverside, role="player", name="Ann", email=RUTH)
    invite(by_tests(), getattr(cast, club), role="player", name=name, email=email)
    assert f"Ann<{RUTH}>" in pending(cast.riverside)
    assert list_pending_invitations().count() == 2


def test_invitation_of_a_player_stays_beside_one_without(cast: Cast) -> None:
    players(cast.riverside, "Ann")
    invite(by_tests(), cast.riverside, role="player", player_id="RL01", email=RUTH)
    invite(by_tests(), cast.riverside, role="player", email=RUTH)
    assert list_pending_invitations().count() == 2


def test_one_list_invites_a_name_and_address_once(cast: Cast) -> None:
    with pytest.raises(Refused, match="invited_twice"):
        invite_many(
            by_tests(), cast.riverside, role="player",
            people=[Invite(email=RUTH), Invite(email=RUTH.upper())],
        )  # fmt: skip
    assert not list_pending_invitations().exists()
    invite_many(
        by_tests(), cast.riverside, role="player",
        people=[Invite(name="Ann", email=RUTH), Invite(name="Bo", email=RUTH)],
    )  # fmt: skip
    assert list_pending_invitations().count() == 2


def test_replaced_invitations_are_in_the_audit_trail(cast: Cast) -> None:
    first = invite(by_tests(), cast.riverside, role="player", email=RUTH)
    invite(by_tests(), cast.riverside, role="player", email=RUTH)
    line = AuditLine.objects.filter(act="invite").latest("number")
    assert line.facts["instead_of"] == [str(first.public_id)]


def test_next_slot_is_that_of_the_oldest_mail() -> None:
    for mail in range(MOST_A_DAY):
        assert take_slot(RUTH, 100 + mail, now=NOW + timedelta(hours=mail)) is None
    assert take_slot(RUTH, 1, now=NOW + timedelta(hours=12)) == NOW + timedelta(days=1)


def test_slot_of_a_day_ahead_is_taken_and_one_of_later_is_not() -> None:
    full(NOW + timedelta(days=1))
    assert take_slot(RUTH, 1, now=NOW) == NOW + timedelta(days=2)
    assert take_slot(RUTH, 1, now=NOW - timedelta(microseconds=1)) is None
