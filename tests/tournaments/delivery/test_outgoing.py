"""A copy of the club's server sends nothing; once it may, what became too old is dropped."""

import io
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from tests.support import mails
from tests.support.builders import by_tests, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evenings import evening
from tests.support.mail_server import MailServer
from tests.support.webhook_receiver import Receiver
from tests.support.webhooks import send_waiting as send_webhooks
from tournaments.models.access import FillInRequest
from tournaments.models.jobs import OUTGOING_HELD, OUTGOING_OFF, Dirty, Outbox
from tournaments.models.rounds import Meeting
from tournaments.models.webhooks import Webhook, WebhookDelivery
from tournaments.selectors.jobs.outgoing import get_outgoing
from tournaments.services import outgoing
from tournaments.services.notices.outbox import claim_mail, enqueue_sign_in_mail, finish_mail
from tournaments.services.outgoing import DROPPED, Dropped, drop_old_messages, switch_outgoing
from tournaments.services.webhooks.delivery import (
    Answer,
    claim_delivery,
    finish_delivery,
    record_round_posted,
)
from tournaments.services.webhooks.manage import create_webhook
from tournaments.services.webhooks.manage import test_webhook as send_test

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)
KINDS = ("publication.created", "round.posted")


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[MailServer]:
    server = MailServer()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    yield server
    server.end()


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOW_PRIVATE, settings.WEBHOOK_TIMEOUT = True, 1
    receiver = Receiver()
    yield receiver
    receiver.end()


@pytest.fixture
def webhook(cast: Cast, receiver: Receiver) -> Webhook:
    return create_webhook(by_tests(NOW), cast.riverside, url=receiver.url, kinds=KINDS)


def write_mail(subject: str, *, now: datetime = NOW) -> None:
    enqueue_sign_in_mail(to="a@riverside.example", subject=subject, text="Hello.", now=now)


def switch_off(now: datetime = NOW) -> None:
    switch_outgoing(is_on=False, now=now)


def subjects(server: MailServer) -> list[str]:
    return [str(mail["Subject"]) for mail in server.mails]


def said_by(*words: str) -> tuple[int, str]:
    """The exit status and the output of `manage.py outgoing`."""
    output = io.StringIO()
    try:
        call_command("outgoing", *words, stdout=output)
    except SystemExit as ended:
        return int(str(ended.code)), output.getvalue()
    return 0, output.getvalue()


def test_copy_sends_no_mail_and_no_webhook_and_both_wait(
    mail_server: MailServer, receiver: Receiver, webhook: Webhook
) -> None:
    switch_off()
    write_mail("Hello")
    send_test(by_tests(NOW), webhook)
    with time_machine.travel(NOW):
        assert mails.send_waiting()
        send_webhooks()
    assert subjects(mail_server) == []
    assert mail_server.connections == 0
    assert receiver.received == []
    assert list(Outbox.objects.values_list("attempts", "sent_at")) == [(0, None)]
    assert list(WebhookDelivery.objects.values_list("state", "attempts")) == [("waiting", 0)]


def test_switching_on_sends_what_is_a_day_old_and_drops_what_is_older(
    mail_server: MailServer, receiver: Receiver, webhook: Webhook
) -> None:
    write_mail("A day and a second", now=NOW - DAY - SECOND)
    write_mail("A day", now=NOW - DAY)
    write_mail("A day less a second", now=NOW - DAY + SECOND)
    for at in (NOW - DAY - SECOND, NOW - DAY, NOW - DAY + SECOND):
        send_test(by_tests(at), webhook)
    switch_off(NOW - DAY)
    outgoing, dropped = switch_outgoing(is_on=True, now=NOW)
    assert outgoing.is_on
    assert dropped == Dropped(mails=1, webhook_messages=1)
    with time_machine.travel(NOW):
        assert mails.send_waiting()
        send_webhooks()
    assert subjects(mail_server) == ["A day", "A day less a second"]
    assert len(receiver.received) == 2
    states = WebhookDelivery.objects.order_by("pk").values_list("state", "error")
    assert list(states) == [("skipped", DROPPED), ("delivered", ""), ("delivered", "")]
    assert not Dirty.objects.filter(scope__startswith="outgoing").exists()


def evening_mail(cast: Cast, kind: str, meeting: Meeting) -> None:
    """A mail about an evening, with the facts that each kind has."""
    day, event = meeting.date.isoformat(), meeting.event
    facts: dict[str, Any] = {"meeting": meeting.pk, "date": day}
    if kind == "fill_in":
        request = FillInRequest.objects.create(
            club=cast.riverside, meeting=meeting, seed="s", token_digest="t", asked_at=NOW
        )
        facts = {"request": request.pk}
    elif kind == "next_table":
        people = players(cast.riverside, *(f"{name} {kind}" for name in ("A", "B", "C", "D")))
        facts = {"table": table(event, people, on=meeting.date).table.pk}
    elif kind == "evening_cancelled":
        facts = {"event": event.pk, "date": day, "reason": ""}
    Outbox.objects.create(
        club=cast.riverside, user=cast.users["piet"], kind=kind, key=day,
        payload={"facts": facts}, created_at=NOW, due_at=NOW,
    )  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    [
        *("evening_reminder", "evening_changed", "evening_cancelled", "fill_in", "next_table"),
        *("evenings_changed", "evenings_cancelled"),
    ],
)
@pytest.mark.parametrize(("days_ago", "n_dropped"), [(0, 0), (1, 1)])
def test_mail_about_an_evening_is_dropped_from_the_day_after_it(
    cast: Cast, kind: str, days_ago: int, n_dropped: int
) -> None:
    event = league(cast.riverside)
    day = timezone.localtime(NOW, cast.riverside.zone).date() - timedelta(days=days_ago)
    meeting, _ = evening(event, 4, on=day)
    evening_mail(cast, kind, meeting)
    switch_off()
    _, dropped = switch_outgoing(is_on=True, now=NOW)
    assert dropped == Dropped(mails=n_dropped)
    assert Outbox.objects.count() == 1 - n_dropped


@pytest.mark.parametrize(("days_ago", "state"), [(0, "waiting"), (1, "skipped")])
def test_seating_of_an_evening_is_dropped_from_the_day_after_it(
    cast: Cast, webhook: Webhook, days_ago: int, state: str
) -> None:
    event = league(cast.riverside)
    day = timezone.localtime(NOW, cast.riverside.zone).date() - timedelta(days=days_ago)
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    game = table(event, people, on=day)
    record_round_posted(game.table.round, now=NOW)
    switch_off()
    switch_outgoing(is_on=True, now=NOW)
    assert set(WebhookDelivery.objects.values_list("state", flat=True)) == {state}


def test_setting_overrules_the_switch_both_ways(
    mail_server: MailServer, settings: Settings
) -> None:
    write_mail("First")
    settings.OUTGOING = False
    with time_machine.travel(NOW, tick=False):
        assert mails.send_waiting()
    assert subjects(mail_server) == []
    assert get_outgoing().off_since == NOW
    settings.OUTGOING = True
    switch_off()
    with time_machine.travel(NOW):
        assert mails.send_waiting()
    assert subjects(mail_server) == ["First"]
    assert get_outgoing().switched_off_at == NOW


def test_first_worker_that_may_send_again_drops_what_waited_under_the_setting(
    mail_server: MailServer, settings: Settings
) -> None:
    write_mail("Old", now=NOW - DAY - SECOND)
    write_mail("Young", now=NOW - DAY + SECOND)
    settings.OUTGOING = False
    with time_machine.travel(NOW - timedelta(hours=1)):
        assert mails.send_waiting()
    settings.OUTGOING = None
    with time_machine.travel(NOW):
        assert mails.send_waiting()
    assert subjects(mail_server) == ["Young"]
    assert not Outbox.objects.filter(sent_at=None).exists()


def test_server_that_was_never_off_retries_old_messages(mail_server: MailServer) -> None:
    write_mail("Two days old", now=NOW - 2 * DAY)
    with time_machine.travel(NOW):
        assert mails.send_waiting()
    assert subjects(mail_server) == ["Two days old"]


def test_messages_that_a_worker_is_sending_stay(webhook: Webhook) -> None:
    write_mail("Old", now=NOW - 2 * DAY)
    send_test(by_tests(NOW - 2 * DAY), webhook)
    send_test(by_tests(NOW - 2 * DAY), webhook)
    mail, delivery = claim_mail(now=NOW), claim_delivery(now=NOW)
    assert mail is not None
    assert delivery is not None
    switch_off()
    _, dropped = switch_outgoing(is_on=True, now=NOW + SECOND)
    assert dropped == Dropped(mails=0, webhook_messages=1)
    finish_mail(mail, to="a@riverside.example", now=NOW + SECOND)
    assert finish_delivery(delivery, Answer(200), now=NOW + SECOND) == "delivered"
    assert Outbox.objects.get().sent_at == NOW + SECOND


def test_second_worker_drops_nothing(mail_server: MailServer) -> None:
    switch_off()
    write_mail("Old", now=NOW - 2 * DAY)
    Dirty.objects.filter(scope=OUTGOING_OFF).delete()
    assert drop_old_messages(now=NOW) == Dropped(mails=1)
    write_mail("Written before, and retried since", now=NOW - 2 * DAY)
    assert drop_old_messages(now=NOW) == Dropped()
    assert Outbox.objects.count() == 1


def test_switching_off_twice_keeps_the_first_moment() -> None:
    switch_off(NOW)
    switch_off(NOW + DAY)
    assert get_outgoing().off_since == NOW


def test_command_says_what_holds_and_what_was_dropped(webhook: Webhook) -> None:
    assert said_by() == (0, "Mails and webhooks are sent.\n")
    write_mail("Old", now=NOW - DAY - SECOND)
    send_test(by_tests(NOW - DAY - SECOND), webhook)
    send_test(by_tests(NOW - DAY - SECOND), webhook)
    with time_machine.travel(NOW, tick=False):
        off = "Nothing is sent since 2025-11-06 21:00:00 UTC: mails and webhooks wait.\n"
        assert said_by("off") == (0, off)
        assert said_by() == (0, off)
        assert said_by("on") == (
            0,
            "Dropped 1 mail and 2 messages of webhooks: older than a day, or their evening is "
            "over.\nMails and webhooks are sent.\n",
        )


@pytest.mark.parametrize(
    ("word", "setting", "said"),
    [
        (
            "on",
            False,
            "Nothing is sent since 2025-11-06 21:00:00 UTC: mails and webhooks wait. "
            "The setting OUTGOING=off decides.\n",
        ),
        ("off", True, "Mails and webhooks are sent. The setting OUTGOING=on decides.\n"),
    ],
)
def test_command_that_the_setting_overrules_says_so_and_ends_with_1(
    settings: Settings, word: str, setting: bool, said: str
) -> None:
    with time_machine.travel(NOW, tick=False):
        if word == "on":
            switch_off()
        settings.OUTGOING = setting
        assert said_by(word) == (1, said)
    assert Dirty.objects.filter(scope=OUTGOING_OFF).exists() is (word == "off")
    # What is sent all the time is not held, so nothing of it is dropped.
    assert Dirty.objects.filter(scope=OUTGOING_HELD).exists() is (word == "on")


def test_dropping_compares_pieces_of_five_hundred_in_two_queries_each(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(outgoing, "PIECE", 5)
    event = league(cast.riverside)
    meeting, _ = evening(event, 4, on=date(2025, 11, 1))
    facts = {"facts": {"meeting": meeting.pk, "date": "2025-11-01"}}
    switch_off()
    Outbox.objects.bulk_create(
        Outbox(
            club=cast.riverside, user=cast.users["piet"], kind="evening_reminder", key=str(n),
            payload=facts, created_at=NOW, due_at=NOW,
        )
        for n in range(10)
    )  # fmt: skip
    # A savepoint (2), the mark (2), what is too old (2), two pieces with a read and a deletion each
    # (the evenings are in the facts), a piece that is empty, and no seatings.
    with django_assert_num_queries(12):
        assert drop_old_messages(now=NOW) == Dropped(mails=10)


def test_command_does_not_say_that_mails_are_sent_where_there_is_no_mail_server(
    settings: Settings,
) -> None:
    assert said_by() == (0, "Mails and webhooks are sent.\n")
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    said = "Webhooks are sent. Nobody gets a mail: EMAIL_URL names no mail server.\n"
    assert said_by() == (0, said)
    status, words = said_by("on")
    assert (status, words.endswith(said)) == (0, True)


def test_old_mail_that_was_given_up_is_not_dropped() -> None:
    write_mail("Given up", now=NOW - DAY - SECOND)
    Outbox.objects.update(parked=True)
    switch_off()
    _, dropped = switch_outgoing(is_on=True, now=NOW)
    assert (dropped, Outbox.objects.count()) == (Dropped(), 1)
