"""Mails and notices do not stay for ever."""

from datetime import timedelta

import pytest

from tests.support.cast import NOW, Cast
from tournaments.models.jobs import Outbox
from tournaments.models.notices import Notice
from tournaments.services.notices.outbox import enqueue_sign_in_mail, forget_old_mails

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_mails_that_were_given_up_are_forgotten_after_a_month() -> None:
    for address in ("waits@a.example", "parked@a.example"):
        enqueue_sign_in_mail(to=address, subject="A link", text="…", now=NOW)
    waiting, given_up = Outbox.objects.order_by("pk")
    Outbox.objects.filter(pk=given_up.pk).update(parked=True, due_at=NOW)
    assert forget_old_mails(now=NOW + timedelta(days=30)) == 0
    assert forget_old_mails(now=NOW + timedelta(days=31)) == 1
    assert list(Outbox.objects.all()) == [waiting]


def test_notices_are_forgotten_after_ninety_days(cast: Cast) -> None:
    for days in (0, 1):
        Notice.objects.create(
            club=cast.riverside, user=cast.users["piet"], kind="dispute_decided", key=f"{days}",
            facts={}, path="/me", created_at=NOW + timedelta(days=days),
        )  # fmt: skip
    forget_old_mails(now=NOW + timedelta(days=91))
    assert [notice.key for notice in Notice.objects.all()] == ["1"]
