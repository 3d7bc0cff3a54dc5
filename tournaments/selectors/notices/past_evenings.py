"""Messages about an evening that is over: nobody needs them any more."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Final

from tournaments.models.access import FillInRequest
from tournaments.models.jobs import Outbox
from tournaments.models.rounds import Round, Table
from tournaments.models.webhooks import WebhookDelivery, WebhookKind
from tournaments.selectors.events.meetings import club_day

DATED_KINDS: Final = (
    *("evening_reminder", "evening_changed", "evening_cancelled", "place_free"),
    *("evenings_changed", "evenings_cancelled"),
)
"""Kinds of mails whose facts hold the day of the evening, of several that of the last one."""
EVENING_KINDS: Final = (*DATED_KINDS, "fill_in", "next_table")
"""Kinds of mails about an evening to come, or one that is being played."""


def find_mails_of_past_evenings(mails: Iterable[Outbox], now: datetime) -> list[int]:
    """Return the ids of mails whose evening was before today; two queries.

    Args:
        mails: of `EVENING_KINDS`, with their club.
    """
    rows = [mail for mail in mails if mail.club is not None]
    requests = [mail.payload["facts"]["request"] for mail in rows if mail.kind == "fill_in"]
    tables = [mail.payload["facts"]["table"] for mail in rows if mail.kind == "next_table"]
    by_request = FillInRequest.objects.filter(pk__in=requests).values_list("pk", "meeting__date")
    by_table = Table.objects.filter(pk__in=tables, round__meeting__isnull=False)
    days: dict[tuple[str, int], date] = {
        **{("fill_in", pk): day for pk, day in by_request},
        **{
            ("next_table", pk): day
            for pk, day in by_table.values_list("pk", "round__meeting__date")
        },
    }
    past = []
    for mail in rows:
        day = _day_of(mail, days)
        if mail.club is not None and day is not None and day < club_day(mail.club, now):
            past.append(mail.pk)
    return past


def _day_of(mail: Outbox, days: Mapping[tuple[str, int], date]) -> date | None:
    """Return the day of the evening that a mail is about; None if it is gone or without a day."""
    facts = mail.payload["facts"]
    if mail.kind in DATED_KINDS:
        return date.fromisoformat(facts["date"])
    if mail.kind == "fill_in":
        subject = facts["request"]
    else:
        subject = facts["table"]
    return days.get((mail.kind, subject))


def find_deliveries_of_past_evenings(
    deliveries: Iterable[WebhookDelivery], now: datetime
) -> list[int]:
    """Return the ids of messages with the seating of an evening before today; one query.

    Args:
        deliveries: of `WebhookKind.ROUND_POSTED`, with club and occurrence.
    """
    rows = [row for row in deliveries if row.occurrence.kind == WebhookKind.ROUND_POSTED]
    events = {row.occurrence.event_id for row in rows}
    rounds = Round.objects.filter(event__in=events, meeting__isnull=False)
    days: dict[tuple[int | None, int], date] = {
        (event, number): day
        for event, number, day in rounds.values_list("event", "number", "meeting__date")
    }
    past = []
    for row in rows:
        day = days.get((row.occurrence.event_id, row.occurrence.data["round"]))
        if day is not None and day < club_day(row.club, now):
            past.append(row.pk)
    return past
