"""The text of every kind of notice, and notices as pages list them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from scoring.ladders.challenges import due_at, winner
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.ladders import Challenge
from tournaments.models.notices import Notice
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.ladders.challenges import member_names, scoring_challenge
from tournaments.selectors.ladders.log import places_at
from tournaments.selectors.people import notice_messages
from tournaments.selectors.people.notice_messages import (
    NoticeContext,
    NoticeText,
    page_of,
    quoted,
    when,
)

ANSWERS: Final[Mapping[str, str | Promise]] = {
    "accepted": gettext_lazy("%(challenged)s accepted the challenge of %(challenger)s"),
    "declined": gettext_lazy("%(challenged)s declined the challenge of %(challenger)s"),
    "expired": gettext_lazy("%(challenged)s did not answer the challenge of %(challenger)s"),
    "withdrawn": gettext_lazy("%(challenger)s withdrew the challenge to %(challenged)s"),
    "forfeited_c": gettext_lazy("%(challenger)s forfeited the game against %(challenged)s"),
    "forfeited_d": gettext_lazy("%(challenged)s forfeited the game against %(challenger)s"),
    "cancelled": gettext_lazy("The challenge of %(challenger)s to %(challenged)s was cancelled"),
}
"""State that a challenge came to → what is told of it."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A challenge with the names of the two, and when the clock moves it on."""

    row: Challenge
    names: Mapping[str, str]
    due: datetime | None

    @property
    def due_text(self) -> str:
        return when(self.due) if self.due is not None else ""

    def text(self, title: str, link: str, *paragraphs: str) -> NoticeText:
        path = page_of(self.row.event, "challenge", self.row.number)
        return NoticeText(title, link, path, (self.row.event.name, *filter(None, paragraphs)))


def received(context: NoticeContext) -> NoticeText | None:
    """Tell the challenged of a challenge that waits for an answer."""
    told = _told(context, "issued")
    if told is None:
        return None
    return told.text(
        gettext("%(challenger)s challenges you") % told.names,
        gettext("Answer challenge"),
        gettext("Answer by %s.") % told.due_text if told.due else "",
        quoted(told.row.words) if told.row.words else "",
    )


def answered(context: NoticeContext) -> NoticeText | None:
    """Tell what became of a challenge."""
    to = str(context.facts["to"])
    told = _told(context)
    if told is None or to not in ANSWERS:
        return None
    is_on = told.row.state == "accepted" and told.due
    return told.text(
        str(ANSWERS[to]) % told.names,
        gettext("Open challenge"),
        gettext("Play by %s.") % told.due_text if is_on else "",
    )


def deadline_near(context: NoticeContext) -> NoticeText | None:
    """Tell that a challenge has to be answered, or played, soon."""
    told = _told(context, str(context.facts["state"]))
    if told is None or told.due is None:
        return None
    if told.row.state == "issued":
        title = gettext("Answer the challenge of %(challenger)s") % told.names
        return told.text(
            title, gettext("Answer challenge"), gettext("Answer by %s.") % told.due_text
        )
    title = gettext("Play the challenge of %(challenger)s to %(challenged)s") % told.names
    return told.text(title, gettext("Open challenge"), gettext("Play by %s.") % told.due_text)


def to_confirm(context: NoticeContext) -> NoticeText | None:
    """Ask whoever lost whether a result is right."""
    told = _told(context, "played")
    if told is None:
        return None
    title = gettext("Is the result of %(challenger)s against %(challenged)s right?") % told.names
    places = places_at(told.row.game) if told.row.game is not None else {}
    ahead = ""
    if {told.row.challenger.code, told.row.challenged.code} <= places.keys():
        won = winner(told.row.challenger.code, told.row.challenged.code, places)
        name = told.names["challenger" if won == told.row.challenger.code else "challenged"]
        ahead = gettext("%s finished ahead.") % name
    otherwise = gettext("Without an answer it counts on %s.") % told.due_text if told.due else ""
    return told.text(title, gettext("Confirm result"), ahead, otherwise)


def _told(context: NoticeContext, state: str = "") -> _Told | None:
    """Return a challenge that the reader may read; None where it has another state by now."""
    rows = Challenge.objects.select_related("event__club", "game", "challenger", "challenged")
    row = rows.filter(pk=context.id_of("challenge")).first()
    if row is None or (state and row.state != state) or not context.may_read(row.event):
        return None
    found = member_names(row.event, (row.challenger, row.challenged), FULL_NAME)
    names = {"challenger": found[row.challenger_id], "challenged": found[row.challenged_id]}
    zone = ZoneInfo(row.event.club.time_zone)
    return _Told(row, names, due_at(scoring_challenge(row), zone, ladder_rules_of(row.event)))


TEXTS: Final[Mapping[str, Callable[[NoticeContext], NoticeText | None]]] = {
    "challenge_received": received,
    "challenge_answered": answered,
    "challenge_deadline": deadline_near,
    "result_to_confirm": to_confirm,
    "correction": notice_messages.correction,
    "dispute_decided": notice_messages.dispute_decided,
    "playoff_called": notice_messages.playoff_called,
    "evening_reminder": notice_messages.reminder,
    "evening_changed": notice_messages.changed,
    "evening_cancelled": notice_messages.cancelled,
    "next_table": notice_messages.next_table,
    "digest": notice_messages.digest,
}
"""The kinds of `tournaments.domain.people.notification_kinds.KIND_OF`."""


def notice_text(
    kind: str, facts: dict[str, Any], reader: User, *, now: datetime | None = None
) -> NoticeText | None:
    """Return what a message says to its reader, in the language and zone of now.

    Names are those of now. None where what it tells of is gone or over, or not for the reader.

    Args:
        now: when a mail is sent, which tells of nothing that is past; None for a notice.
    """
    return TEXTS[kind](NoticeContext(reader, facts, now))


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


KIND_LABELS: Final[Mapping[str, str | Promise]] = {
    "challenge": _("Challenge received, its answer and deadline"),
    "result_to_confirm": _("Result to confirm"),
    "correction": _("Correction at my table"),
    "dispute_decided": _("Dispute decided"),
    "playoff": _("Play-off called"),
    "evening_reminder": _("Will you come to an evening?"),
    "evening_changed": _("Evening moved or cancelled that I come to"),
    "next_table": _("My next table"),
    "digest": _("Digest after the evening"),
}
"""The kinds of `tournaments.domain.people.notification_kinds.DEFAULTS`."""
