"""The text of every kind of notice, as pages list it, and as it is copied where no mail leaves."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict
from tournaments.domain.notices import Recipients, message_of_notice
from tournaments.models.access import Contact, PersonalLink
from tournaments.models.clubs import Player
from tournaments.models.notices import Notice
from tournaments.models.rounds import Meeting, RoundState, Sitting
from tournaments.selectors.access.personal_links import (
    find_mailed_link,
    find_working_link,
    get_contact,
    personal_path,
    site_address,
)
from tournaments.selectors.attendance.attendance_list import recipients_to_ask
from tournaments.selectors.events.entrants import recipients_by_table
from tournaments.selectors.notices import challenge_messages, notice_messages
from tournaments.selectors.notices.notice_messages import (
    NothingToSay,
    NoticeContext,
    NoticeText,
)
from tournaments.selectors.notices.outbox import in_language_of

TEXTS: Final[Mapping[str, Callable[[NoticeContext], NoticeText]]] = {
    "challenge_received": challenge_messages.received,
    "challenge_answered": challenge_messages.answered,
    "challenge_deadline": challenge_messages.deadline_near,
    "result_to_confirm": challenge_messages.to_confirm,
    "correction": challenge_messages.correction,
    "dispute_decided": notice_messages.dispute_decided,
    "note_answered": notice_messages.note_answered,
    "playoff_called": notice_messages.playoff_called,
    "evening_reminder": notice_messages.reminder,
    "evening_changed": notice_messages.changed,
    "evening_cancelled": notice_messages.cancelled,
    "evenings_changed": notice_messages.several_changed,
    "evenings_cancelled": notice_messages.several_cancelled,
    "place_free": notice_messages.place_free,
    "fill_in": notice_messages.fill_in,
    "next_table": notice_messages.next_table,
    "digest": challenge_messages.digest,
    "counted_anew": notice_messages.counted_anew,
}
"""The kinds of `tournaments.domain.notices.KIND_OF`."""

KIND_LABELS: Final = {
    "challenge": _("Challenge received, its answer and deadline"),
    "result_to_confirm": _("Result to confirm"),
    "correction": _("Correction at my table"),
    "dispute_decided": _("Dispute decided"),
    "note_answered": _("My note about a value answered"),
    "playoff": _("Play-off called"),
    "evening_reminder": _("Will you come to an evening?"),
    "evening_changed": _("Evening moved or cancelled that I come to, or a place there"),
    "fill_in": _("An evening needs one more player"),
    "next_table": _("My next table"),
    "digest": _("Result after the evening"),
    "counted_anew": _("Standings counted anew after an upgrade (for directors)"),
}
"""The kinds of `tournaments.domain.notices.DEFAULTS`."""

COPIED_KINDS: Final = ("evening_reminder", "next_table", "digest")


def notice_text(
    kind: str,
    facts: JsonDict,
    reader: User | Player,
    *,
    now: datetime | None = None,
    email: str = "",
) -> NoticeText | None:
    """Return the text of a message for its reader, in the active language and time zone.

    Names are the present ones. None where its subject is gone or over, or not for the reader.

    Args:
        now: when a mail is sent, so that nothing past is mailed; None for a notice.
        email: where a mail to a player without an account goes; "" for a text to copy.
    """
    link = None
    confirms = False
    if isinstance(reader, Player) and email:
        contact = get_contact(reader)
        link = find_mailed_link(contact)
        confirms = contact.is_vouched
    elif isinstance(reader, Player):
        link = find_working_link(reader)
    try:
        text = TEXTS[kind](NoticeContext(reader, facts, now, link, email, confirms=confirms))
    except NothingToSay:
        return None
    if not isinstance(reader, Player) or text.mail_path:
        return text
    return replace(text, path=personal_path(link), link=gettext("Open my evening"))


def notice_lines(notices: Iterable[Notice]) -> Iterator[tuple[Notice, NoticeText]]:
    """Yield notices with their texts; those about something that is gone or over are skipped.

    Args:
        notices: rows of `selectors.notices.notices`.
    """
    for notice in notices:
        with timezone.override(notice.club.zone):
            message = message_of_notice(notice.kind, notice.facts)
            text = notice_text(message, notice.facts, notice.user)
        if text is not None:
            yield notice, text


TEXTS_A_PAGE: Final = 20
"""Each takes about eight statements."""


def list_texts_to_copy(
    meeting: Meeting, kind: str, *, page: str, now: datetime
) -> tuple[Page[Player], list[tuple[Player, str, str]]]:
    """Return a page of the players of an evening with an address or a link, and their texts.

    With a text are its player and the address, empty where only the link is known. A player has
    none where the message is out of date, or not for them.
    """
    facts_of = _facts_of_players(meeting, kind)
    contacts = Contact.objects.filter(player=OuterRef("pk")).exclude(email="")
    links = PersonalLink.objects.filter(player=OuterRef("pk"), revoked_at=None)
    players = Player.objects.filter(Q(Exists(contacts)) | Exists(links), pk__in=facts_of)
    players = players.select_related("contact").order_by("sort_key", "player_id")
    rows = Paginator(players, TEXTS_A_PAGE).get_page(page)
    with in_language_of(meeting.event.club):
        notices = [
            (player, notice_text(kind, facts_of[player.pk], player, now=now)) for player in rows
        ]
        return rows, [_copied(player, notice) for player, notice in notices if notice is not None]


def _copied(player: Player, notice: NoticeText) -> tuple[Player, str, str]:
    links = (*notice.answers, (notice.link, notice.path))
    lines = (
        notice.title,
        *((notice.headline,) if notice.headline else ()),
        *notice.paragraphs,
        *(f"{label}: {value}" for label, value in notice.rows),
        *(f"{label}: {site_address(path)}" for label, path in links if path),
    )
    contact: Contact | None = getattr(player, "contact", None)
    return player, contact.email if contact is not None else "", "\n".join(lines)


def _facts_of_players(meeting: Meeting, kind: str) -> dict[int, JsonDict]:
    """Return the facts of the message of a kind for each player without an account."""
    if kind == "evening_reminder":
        facts = {"meeting": meeting.pk, "date": meeting.date.isoformat()}
        return {player: facts for player in recipients_to_ask(meeting).people}
    if kind == "digest":
        sat = Sitting.objects.filter(round__meeting=meeting)
        played = Recipients.of(sat.values_list("player_id", "player__user_id"))
        return {player: {"meeting": meeting.pk} for player in played.people}
    posted = meeting.rounds.filter(state__in=(RoundState.POSTED, RoundState.PLAYING))
    round_ = posted.order_by("-number").first()
    seated = recipients_by_table(round_) if round_ is not None else {}
    return {player: {"table": table} for table, to in seated.items() for player in to.people}
