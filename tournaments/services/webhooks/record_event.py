"""Recording what webhooks are sent, in the transaction of the act that they report.

Without the act there is no message, and with it the message is not lost: a worker sends it
afterwards (tournaments/delivery/webhooks/sender.py). A club without a webhook for the kind costs
one query.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from tournaments.models.clubs import Club
from tournaments.models.events import Event, Season
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.playoffs import Playoff
from tournaments.models.webhooks import (
    TEST_KIND,
    DeliveryState,
    Webhook,
    WebhookDelivery,
    WebhookEvent,
    WebhookFormat,
    WebhookKind,
    WebhookSequence,
)
from tournaments.selectors.webhooks.webhooks import list_active_webhooks
from tournaments.services.db.transactions import is_dry_run

CHAT_PAUSE: Final = timedelta(minutes=5)
"""A chat is sent at most one notice of an event in this time: the newest one."""
SUPERSEDED: Final = "A newer publication took its place"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """What happened: its kind, the ids that say what, and the stream in whose order it is sent."""

    kind: str
    stream: str
    data: Mapping[str, object]
    event: Event | None = None
    season: Season | None = None


def record_event(
    event: Event, kind: WebhookKind, data: Mapping[str, object], *, now: datetime
) -> None:
    """Record something that happened in an event, for each webhook that wants its kind.

    The event's numbers are locked until the commit: after the event's own dirty row where the
    caller marks it (`mark_changed`), and before any other dirty row, as a publication takes them.

    Args:
        data: ids and numbers, never names; the club and the event come before them.
    """
    webhooks = webhooks_for(event.club_id, kind)
    if webhooks:
        _store_of_event(event, kind, data, webhooks, now)


def _store_of_event(
    event: Event,
    kind: WebhookKind,
    data: Mapping[str, object],
    webhooks: Sequence[Webhook],
    now: datetime,
) -> None:
    facts = {"club": event.club.slug, "event": event.slug, **data}
    occurrence = Occurrence(kind, f"event:{event.pk}", facts, event=event)
    store_occurrence(event.club, occurrence, webhooks, now=now)


def record_round_posted(round_: Round, *, now: datetime, version: int | None = None) -> None:
    """Record that a round was posted: by a director, with its first table, or with its tables.

    Args:
        version: what `mark_changed` returned in this transaction; without it the event's dirty row
            is locked here, as the act marks the event later or not at all, and the version is the
            one that it has then.
    """
    event, kind = round_.event, WebhookKind.ROUND_POSTED
    webhooks = webhooks_for(event.club_id, kind)
    if webhooks:
        if version is None:
            rows = Dirty.objects.select_for_update(no_key=True).filter(scope=event_scope(event.pk))
            version = rows.values_list("version", flat=True).first() or 0
        data = {"round": round_.number, "event_version": version}
        _store_of_event(event, kind, data, webhooks, now)


def record_correction(
    game: Game, number: int, *, change: str, revision: int, version: int, now: datetime
) -> None:
    """Record that a hand was corrected, deleted or restored.

    Args:
        change: `correct_hand`, `void_hand` or `restore_hand`, as the change log names it.
        version: the event's version that contains it.
    """
    data = {
        "table": game.table.code,
        "hand": number,
        "change": change,
        "revision": revision,
        "event_version": version,
    }
    record_event(game.event, WebhookKind.HAND_CORRECTED, data, now=now)


def record_challenge(event: Event, number: int, state: str, *, now: datetime) -> None:
    data = {"challenge": number, "state": str(state)}
    record_event(event, WebhookKind.CHALLENGE_CHANGED, data, now=now)


def record_playoff(playoff: Playoff, *, now: datetime) -> None:
    data = {"playoff": playoff.number, "state": str(playoff.state)}
    record_event(playoff.event, WebhookKind.PLAYOFF_CHANGED, data, now=now)


def record_season_publication(season: Season, number: int, *, now: datetime) -> None:
    kind = WebhookKind.PUBLICATION_CREATED
    webhooks = webhooks_for(season.club_id, kind)
    if webhooks:
        facts = {"club": season.club.slug, "season": season.slug, "publication": number}
        occurrence = Occurrence(kind, f"season:{season.pk}", facts, season=season)
        store_occurrence(season.club, occurrence, webhooks, now=now)


def record_test(webhook: Webhook, *, now: datetime) -> WebhookDelivery:
    occurrence = Occurrence(TEST_KIND, f"webhook:{webhook.pk}", {"club": webhook.club.slug})
    (delivery,) = store_occurrence(webhook.club, occurrence, [webhook], now=now)
    return delivery


def webhooks_for(club_id: int, kind: str) -> Sequence[Webhook]:
    """Return the webhooks of a club that are sent a kind; none within a dry run."""
    if is_dry_run():
        return ()
    return [webhook for webhook in list_active_webhooks(club_id) if kind in webhook.kinds]


def store_occurrence(
    club: Club, occurrence: Occurrence, webhooks: Sequence[Webhook], *, now: datetime
) -> list[WebhookDelivery]:
    """Store an event with the next number of its stream, and a delivery for each webhook."""
    number = _next_number(club, occurrence.stream)
    webhook_event = WebhookEvent.objects.create(
        club=club,
        event=occurrence.event,
        season=occurrence.season,
        stream=occurrence.stream,
        number=number,
        kind=occurrence.kind,
        data=dict(occurrence.data),
        created_at=now,
    )
    due = {webhook.pk: _due_at(webhook, occurrence, now) for webhook in webhooks}
    return WebhookDelivery.objects.bulk_create(
        WebhookDelivery(
            club=club,
            webhook=webhook,
            occurrence=webhook_event,
            stream=occurrence.stream,
            number=number,
            first_due_at=due[webhook.pk],
            due_at=due[webhook.pk],
        )
        for webhook in webhooks
    )


def _next_number(club: Club, stream: str) -> int:
    """Return the next number of a stream, whose row stays locked until the commit."""
    first = WebhookSequence(club=club, stream=stream)
    WebhookSequence.objects.bulk_create([first], ignore_conflicts=True)
    row = WebhookSequence.objects.select_for_update(no_key=True).get(stream=stream)
    row.number += 1
    row.save(update_fields=["number"])
    return row.number


def _due_at(webhook: Webhook, occurrence: Occurrence, now: datetime) -> datetime:
    """Return when a message is due: at once, for a chat not too soon after the one before it.

    What waits for a chat already is not sent any more: the new one says what is the case now.
    """
    if webhook.format == WebhookFormat.STANDARD or occurrence.kind == TEST_KIND:
        return now
    earlier = WebhookDelivery.objects.filter(
        webhook=webhook, stream=occurrence.stream, occurrence__kind=occurrence.kind
    )
    earlier.filter(state=DeliveryState.WAITING).update(
        state=DeliveryState.SKIPPED, done_at=now, error=SUPERSEDED
    )
    last = earlier.filter(state=DeliveryState.DELIVERED).order_by("-number").first()
    if last is None or last.done_at is None:
        return now
    return max(now, min(last.done_at, now) + CHAT_PAUSE)
