"""Notices as pages list them: a sentence each, in the zone of its club."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from django.utils import timezone

from tournaments.models.notices import Notice
from tournaments.presenters.notices.notice_text import notice_text
from tournaments.presenters.notices.sentences import NoticeText


@dataclass(frozen=True, slots=True)
class NoticeLine:
    """A notice in words, with the club that it is of."""

    id: UUID
    club: str
    zone: str
    created_at: datetime
    is_read: bool
    text: NoticeText


def notice_lines(notices: Iterable[Notice]) -> Iterator[NoticeLine]:
    """Yield notices in words; what tells of something that is gone or over is passed over.

    Args:
        notices: rows of `selectors.notices.notices`.
    """
    for notice in notices:
        with timezone.override(ZoneInfo(notice.club.time_zone)):
            text = notice_text(notice.kind, notice.facts, notice.user)
        if text is not None:
            yield NoticeLine(
                notice.public_id,
                notice.club.name,
                notice.club.time_zone,
                notice.created_at,
                notice.read_at is not None,
                text,
            )
