"""Webhooks: which cannot be, and which rounds they are told of."""

from collections.abc import Callable
from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.builders import NOW, Cast, by_tests, league, players
from tests.support.scenarios.open_nights import OpenNightEvening
from tests.support.scenarios.playoffs import play, tied
from tests.support.webhooks import HOOK, with_webhook
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Round
from tournaments.models.webhooks import Webhook, WebhookDelivery, WebhookEvent
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.operations import Operation
from tournaments.services.playoffs.director_actions import move_playoff
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import seat_table
from tournaments.services.webhooks import manage
from tournaments.services.webhooks.manage import create_webhook

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
BAD_VALUES: list[tuple[dict[str, Any], str]] = [
    ({"url": "ftp://203.0.114.7/"}, "bad_webhook_url"),
    ({"url": "https://203.0.114.7:25/"}, "bad_webhook_url"),
    ({"url": "https://203.0.114.7:1023/"}, "bad_webhook_url"),
    ({"url": "https://10.0.0.7/"}, "address_not_allowed"),
    ({"kinds": ()}, "bad_webhook_kinds"),
]


@pytest.fixture
def op(cast: Cast) -> Operation:
    return cast.by("olga")


@pytest.fixture
def webhook(cast: Cast) -> Webhook:
    return with_webhook(cast)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        *BAD_VALUES,
        ({"format": "fax"}, "bad_webhook_format"),
        ({"format": "telegram"}, "telegram_chat_needed"),
        ({"format": "slack", "kinds": ["round.posted"]}, "kind_not_for_chat"),
    ],
)
def test_webhook_that_cannot_work_is_not_created(
    cast: Cast, op: Operation, changes: dict[str, Any], code: str
) -> None:
    wanted = {"url": HOOK, "kinds": ["publication.created"], **changes}
    with pytest.raises(Refused, match=code):
        manage.create_webhook(op, cast.riverside, **wanted)
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    ("format", "changes", "code"),
    [
        *(("standard", *bad) for bad in BAD_VALUES),
        ("standard", {"state": "lost"}, "bad_webhook_state"),
        ("telegram", {"url": HOOK}, "telegram_chat_needed"),
        ("slack", {"kinds": ["round.posted"]}, "kind_not_for_chat"),
    ],
)
def test_webhook_is_not_changed_into_one_that_cannot_work(
    op: Operation, webhook: Webhook, format: str, changes: dict[str, Any], code: str
) -> None:
    webhook.format = format
    with pytest.raises(Refused, match=code):
        manage.change_webhook(op, webhook, **changes)


def test_club_has_so_many_webhooks(
    cast: Cast, op: Operation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manage, "MOST", 0)
    with pytest.raises(Conflict, match="too_many_webhooks"):
        manage.create_webhook(op, cast.riverside, url=HOOK, kinds=["publication.created"])


def repeat(op: Operation, webhook: Webhook) -> object:
    return manage.repeat_delivery(op, WebhookDelivery.objects.get(webhook=webhook))


@pytest.mark.parametrize(
    "operation",
    [
        manage.change_webhook,
        manage.remove_webhook,
        manage.rotate_webhook_secret,
        manage.test_webhook,
        repeat,
    ],
)
def test_removed_webhook_is_not_known(
    op: Operation, webhook: Webhook, operation: Callable[[Operation, Webhook], object]
) -> None:
    Webhook.objects.update(removed_at=NOW)
    with pytest.raises(Missing, match="webhook"):
        operation(op, webhook)


@pytest.mark.parametrize("operation", [manage.test_webhook, repeat])
def test_nothing_is_sent_to_a_disabled_webhook(
    op: Operation, webhook: Webhook, operation: Callable[[Operation, Webhook], object]
) -> None:
    Webhook.objects.update(state="disabled")
    with pytest.raises(Conflict, match="webhook_is_disabled"):
        operation(op, webhook)


def test_delivery_that_was_deleted_is_not_known(op: Operation, webhook: Webhook) -> None:
    delivery = WebhookDelivery.objects.get(webhook=webhook)
    WebhookDelivery.objects.filter(pk=delivery.pk).delete()
    with pytest.raises(Missing, match="delivery"):
        manage.repeat_delivery(op, delivery)


def listen(club: Club, *kinds: str) -> None:
    create_webhook(by_tests(), club, url=HOOK, kinds=kinds)


def posted(event: Event) -> list[tuple[int, int]]:
    """The rounds that were recorded, each with the version of the event."""
    rows = WebhookEvent.objects.filter(event=event, kind="round.posted").order_by("number")
    return [(one.data["round"], one.data["event_version"]) for one in rows]


def test_round_of_an_open_night_is_recorded_with_its_first_tables_only(cast: Cast) -> None:
    listen(cast.riverside, "round.posted")
    event = league(cast.riverside)
    night = OpenNightEvening(event, 4)
    night.form()
    first = (1, event_version(event))
    assert posted(event) == [first]
    night.come("Wim W.", "Xaver W.", "Yann W.")
    (table,) = night.form()
    assert table.code == "r1t2"
    assert posted(event) == [first]
    night.end("r1t1")
    night.form()
    assert posted(event) == [first, (2, event_version(event))]


def test_round_that_its_first_table_posts_is_recorded_once(cast: Cast) -> None:
    listen(cast.riverside, "round.posted")
    event = league(cast.riverside)
    for names in (("Anna", "Bert", "Cora", "Dora"), ("Emil", "Fritz", "Gerd", "Hans")):
        seat_table(by_tests(), event, round_number=1, players=players(cast.riverside, *names))
    assert [number for number, _ in posted(event)] == [1]
    round_ = Round.objects.get(event=event)
    move_round(by_tests(), round_, to="draft")
    move_round(by_tests(), round_, to="posted")
    assert [number for number, _ in posted(event)] == [1, 1]


def test_round_of_a_playoff_is_recorded_with_the_version_of_the_act_that_posted_it(
    cast: Cast,
) -> None:
    listen(cast.riverside, "round.posted")
    event = tied(cast.riverside)
    Playoff.objects.filter(event=event).update(state="detected", legs=[], stage=None)
    before, version = posted(event), event_version(event)
    move_playoff(by_tests(), event, number=1, to="scheduled")
    assert event_version(event) == version + 1
    (new,) = posted(event)[len(before) :]
    assert new[1] == version + 1


def test_tables_of_a_playoff_are_recorded_with_the_playoff(cast: Cast) -> None:
    listen(cast.riverside, "round.posted", "playoff.changed")
    event = tied(cast.riverside)
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    numbers = list(Round.objects.filter(event=event, stage__kind="playoff").order_by("number"))
    assert [number for number, _ in posted(event)][-len(numbers) :] == [
        one.number for one in numbers
    ]
    states = WebhookEvent.objects.filter(event=event, kind="playoff.changed").order_by("number")
    assert [one.data["state"] for one in states][:2] == ["scheduled", "in_play"]
    stored = (
        WebhookEvent.objects.filter(event=event).order_by("pk").values_list("number", flat=True)
    )
    assert list(stored) == list(range(1, len(stored) + 1))
