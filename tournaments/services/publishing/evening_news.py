"""What is said of the result of an evening, once: notices, mails, webhooks and chats.

See docs/decisions/0069-a-result-is-said-once.md.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from django.urls import reverse

from tournaments.domain.etags import digest_of
from tournaments.domain.notices import Recipients
from tournaments.models.events import Visibility
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.rounds import Meeting, Sitting
from tournaments.models.standings import LADDER_EVENING, Publication, StoredHistory
from tournaments.models.webhooks import WebhookEvent, WebhookKind
from tournaments.selectors.access.personal_links import site_address
from tournaments.selectors.events.events import event_url
from tournaments.selectors.events.meetings import is_old, posted_rounds_of
from tournaments.selectors.ladders.announced_moves import (
    AnnouncedMoves,
    announcements_of,
    document_of,
    is_to_be_announced,
    last_round_of,
    moves_of_games,
)
from tournaments.selectors.standings.evening_corrections import is_another_result
from tournaments.selectors.standings.evenings import has_counted_games
from tournaments.services.notices.notifications import notify
from tournaments.services.webhooks.delivery import record_evening

RESULT: Final = "digest"
"""The kind of the messages to players; 0.5.0 has it too, with one message an evening."""


def announce_result(
    meeting: Meeting, result: Publication, before: Publication | None, *, now: datetime
) -> None:
    """Tell of a result of an evening that was stored just now.

    The caller holds the row of the event, in whose transaction the result is stored: without the
    number nobody is told, and with it everybody once.

    Args:
        before: the result that it replaces, None for the first of its evening. Nobody is told
            where places and values are the same.
    """
    if not _is_to_be_told(meeting, now):
        return
    if before is not None and not is_another_result(result, before):
        return
    day = meeting.date.isoformat()
    address = (meeting.event.club.slug, meeting.event.slug, day, result.number)
    links = {
        **_links(meeting),
        "json": site_address(reverse("read_evening_result", args=address)),
        "picture": site_address(reverse("read_evening_result_png", args=address)),
    }
    facts = {
        "number": result.number,
        "corrects": before.number if before is not None else None,
        "links": links,
    }
    record_evening(meeting, facts, now=now)
    key = str(meeting.pk)
    if before is not None:
        key = f"{meeting.pk}:{result.number}"
    _notify_players(meeting, key, {"meeting": meeting.pk, "number": result.number}, now)


def announce_moves(meeting: Meeting, *, now: datetime) -> None:
    """Tell of an evening of a ladder that is over: it has moves, and no result with a number.

    It is told once, and again where its games moved members otherwise than was announced. The
    caller holds the row of the event, in whose transaction what is announced is stored.
    """
    event = meeting.event
    if not _is_to_be_told(meeting, now) or not has_counted_games(event, meeting):
        return
    announced = announcements_of(meeting)
    if announced and not is_to_be_announced(event, meeting, announced[-1]):
        return
    number = len(announced) + 1
    corrects = number - 1 or None
    if announced or not _is_recorded(meeting):
        facts = {"number": None, "corrects": corrects, "links": _links(meeting)}
        record_evening(meeting, facts, now=now)
    key = str(meeting.pk)
    if announced:
        key = f"{meeting.pk}:{number}"
    _notify_players(meeting, key, {"meeting": meeting.pk, "number": number}, now)
    _store_announced(meeting, announced, now=now)


def _is_recorded(meeting: Meeting) -> bool:
    """Whether programs were told of an evening, also by a release that kept no moves of it."""
    of_evening = WebhookEvent.objects.filter(
        event=meeting.event, kind=WebhookKind.EVENING_CLOSED, data__day=meeting.date.isoformat()
    )
    return of_evening.exists()


def _store_announced(
    meeting: Meeting, announced: Sequence[AnnouncedMoves], *, now: datetime
) -> None:
    """Keep what was announced just now, with which the next correction is compared."""
    event = meeting.event
    versions = Dirty.objects.filter(scope=event_scope(event.pk)).values_list("version", flat=True)
    version = versions.first() or 0
    moves = moves_of_games(event, meeting)
    announcement = AnnouncedMoves(
        number=len(announced) + 1,
        at=now.isoformat(),
        round=last_round_of(meeting),
        version=version,
        places=moves.places,
        winners=moves.winners,
    )
    body = document_of([*announced, announcement])
    StoredHistory.objects.update_or_create(
        event=event,
        kind=LADDER_EVENING,
        key=meeting.date.isoformat(),
        defaults={
            "club_id": event.club_id,
            "version": version,
            "digest": digest_of(body),
            "body": body,
        },
    )


def _is_to_be_told(meeting: Meeting, now: datetime) -> bool:
    """Whether anybody hears of an evening: one of a held event, or of long ago, is silent."""
    if meeting.event.visibility == Visibility.HELD:
        return False
    return not is_old(meeting, now)


def _links(meeting: Meeting) -> Mapping[str, str]:
    event = meeting.event
    day = meeting.date.isoformat()
    address = (event.club.slug, event.slug, day)
    return {
        "page": site_address(event_url("evening", event, day)),
        "text": site_address(reverse("read_result_text", args=address)),
    }


def _notify_players(meeting: Meeting, key: str, facts: Mapping[str, object], now: datetime) -> None:
    """Write to all who sat at a table of the evening, also to those who left early.

    The database takes one message of a key for each of them.
    """
    played = Sitting.objects.filter(round__in=posted_rounds_of(meeting))
    notify(
        club=meeting.event.club,
        to=Recipients.of(played.values_list("player_id", "player__user_id")),
        kind=RESULT,
        key=key,
        facts=facts,
        now=now,
    )
