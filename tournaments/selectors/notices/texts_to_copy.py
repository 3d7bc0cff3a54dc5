"""The texts of mails to players without an account, to copy where no mail leaves the site."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Q

from scoring.json_types import JsonDict
from tournaments.domain.notices import Recipients
from tournaments.models.clubs import Player
from tournaments.models.contacts import Contact, PersonalLink
from tournaments.models.rounds import Meeting, RoundState, Sitting
from tournaments.selectors.access.personal_links import site_address
from tournaments.selectors.attendance.attendance_list import recipients_to_ask
from tournaments.selectors.events.entrants import recipients_by_table
from tournaments.selectors.notices.notice_messages import NoticeText
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.selectors.notices.outbox import in_language_of

COPIED_KINDS: Final = ("evening_reminder", "next_table", "digest")
TEXTS_A_PAGE: Final = 20
"""Each takes about eight statements."""


@dataclass(frozen=True, slots=True)
class CopiedText:
    """What a mail to a player says; `email` is empty where only the link is known."""

    player: Player
    email: str
    text: str


def list_texts_to_copy(
    meeting: Meeting, kind: str, *, page: str, now: datetime
) -> tuple[Page[Player], list[CopiedText]]:
    """Return a page of the players of an evening with an address or a link, and their texts.

    A player has none where the message is out of date, or not for them.
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


def _copied(player: Player, notice: NoticeText) -> CopiedText:
    links = (*notice.answers, (notice.link, notice.path))
    lines = (
        notice.title,
        *notice.paragraphs,
        *(f"{label}: {value}" for label, value in notice.rows),
        *(f"{label}: {site_address(path)}" for label, path in links if path),
    )
    contact: Contact | None = getattr(player, "contact", None)
    return CopiedText(player, contact.email if contact is not None else "", "\n".join(lines))


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
