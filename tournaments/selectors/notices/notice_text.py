"""The text of every kind of notice, as pages list it, and as it is copied where no mail leaves."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict
from scoring.ladders.challenges import due_at, winner
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.domain.notices import Recipients, message_of_notice
from tournaments.models.access import Contact, PersonalLink
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantKind, EntrantMember
from tournaments.models.hands import Hand
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge, ChallengeState, LadderStep
from tournaments.models.notices import Notice
from tournaments.models.rounds import Meeting, RoundState, Sitting
from tournaments.selectors.access.personal_links import (
    confirmation_token,
    find_mailed_link,
    find_working_link,
    get_contact,
    personal_path,
    site_address,
)
from tournaments.selectors.attendance.attendance_list import recipients_to_ask
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import recipients_by_table
from tournaments.selectors.ladders.challenges import member_names, scoring_challenge
from tournaments.selectors.ladders.log import places_at, winner_at
from tournaments.selectors.notices import notice_messages
from tournaments.selectors.notices.notice_messages import (
    NothingToSay,
    NoticeContext,
    NoticeText,
    page_of,
    quoted,
    when,
)
from tournaments.selectors.notices.outbox import in_language_of

ANSWERS: Final = {
    "accepted": gettext_lazy("%(challenged)s accepted the challenge of %(challenger)s"),
    "declined": gettext_lazy("%(challenged)s declined the challenge of %(challenger)s"),
    "expired": gettext_lazy("%(challenged)s did not answer the challenge of %(challenger)s"),
    "withdrawn": gettext_lazy("%(challenger)s withdrew the challenge to %(challenged)s"),
    "forfeited_c": gettext_lazy("%(challenger)s forfeited the game against %(challenged)s"),
    "forfeited_d": gettext_lazy("%(challenged)s forfeited the game against %(challenger)s"),
    "cancelled": gettext_lazy("The challenge of %(challenger)s to %(challenged)s was cancelled"),
    "void": gettext_lazy("The challenge of %(challenger)s to %(challenged)s no longer counts"),
}
"""State that a challenge came to → sentence."""
LEFT: Final = gettext_lazy(
    "The challenge of %(challenger)s to %(challenged)s ended without a winner"
)


def received(context: NoticeContext) -> NoticeText:
    challenge = _find_challenge(context, "issued")
    return _text(
        context,
        challenge,
        gettext("%(challenger)s challenges you"),
        gettext("Answer challenge"),
        gettext("Answer by %s."),
        quoted(context.texts(challenge.event, challenge.words)) if challenge.words else "",
    )


def answered(context: NoticeContext) -> NoticeText:
    to, challenge = str(context.facts["to"]), _find_challenge(context)
    if to not in ANSWERS:
        raise NothingToSay
    play_by = gettext("Play by %s.") if challenge.state == "accepted" else ""
    title, link = str(ANSWERS[to]), gettext("Open challenge")
    reason = context.texts(challenge.event, str(context.facts.get("reason") or ""))
    words = gettext("Reason: %s") % quoted(reason) if reason else ""
    sides = {challenge.challenger.code: "challenger", challenge.challenged.code: "challenged"}
    if leaving_side := sides.get(context.facts.get("left", "")):
        title, words = (
            str(LEFT),
            gettext("%s left the ladder.") % _names(challenge, context)[leaving_side],
        )
    return _text(context, challenge, title, link, play_by, words)


def deadline_near(context: NoticeContext) -> NoticeText:
    challenge = _find_challenge(context, str(context.facts["state"]))
    if _due_at(challenge) is None:
        raise NothingToSay
    if challenge.state == "issued":
        title = gettext("Answer the challenge of %(challenger)s")
        due = gettext("Answer by %s.")
        return _text(context, challenge, title, gettext("Answer challenge"), due)
    title = gettext("Play the challenge of %(challenger)s to %(challenged)s")
    return _text(context, challenge, title, gettext("Open challenge"), gettext("Play by %s."))


def to_confirm(context: NoticeContext) -> NoticeText:
    challenge = _find_challenge(context, "played")
    challenger, challenged = challenge.challenger.code, challenge.challenged.code
    places = places_at(challenge.game) if challenge.game is not None else {}
    ahead = ""
    if {challenger, challenged} <= places.keys():
        is_challenger = winner(challenger, challenged, places) == challenger
        ahead = "challenger" if is_challenger else "challenged"
    return _text(
        context,
        challenge,
        gettext("Is the result of %(challenger)s against %(challenged)s right?"),
        gettext("Confirm result"),
        gettext("Without an answer it counts on %s."),
        ahead=ahead,
    )


def _text(
    context: NoticeContext,
    challenge: Challenge,
    title: str,
    link: str,
    due: str,
    words: str = "",
    *,
    ahead: str = "",
) -> NoticeText:
    """Return a message about a challenge.

    Args:
        due: a sentence for its deadline, if it has one.
        ahead: the side that finished ahead, `challenger` or `challenged`.
    """
    event, moment, names = challenge.event, _due_at(challenge), _names(challenge, context)
    paragraphs = (
        gettext("%s finished ahead.") % names[ahead] if ahead else "",
        due % when(moment) if due and moment is not None else "",
        words,
    )
    confirm = ""
    if context.link is not None and context.confirms and challenge.state in OPEN_CHALLENGES:
        # The mail proves the address, so that its link needs no other confirmation.
        facts = {"challenge": challenge.pk}
        token = confirmation_token(context.link, "challenge", facts, email=context.email)
        confirm = reverse("tournaments:my-confirm", args=(token,))
    path, lines = page_of(event, "challenge", challenge.number), filter(None, paragraphs)
    return NoticeText(title % names, link, path, (event.name, *lines), mail_path=confirm)


def _names(challenge: Challenge, context: NoticeContext | None = None) -> dict[str, str]:
    """Return the names of both sides; a person reads the own one in full, as accounts do all."""
    sides = {"challenger": challenge.challenger, "challenged": challenge.challenged}
    column = context.column if context is not None else FULL_NAME
    names = dict(member_names(challenge.event, sides.values(), column))
    if context is not None and context.person is not None:
        memberships = EntrantMember.objects.filter(
            entrant__in=sides.values(), entrant__kind=EntrantKind.PLAYER
        )
        for entrant in memberships.filter(player=context.person).values_list(
            "entrant_id", flat=True
        ):
            names[entrant] = context.person.name
    return {side: names[entrant.pk] for side, entrant in sides.items()}


def correction(context: NoticeContext) -> NoticeText:
    """Tell the players of a table of a correction, and what it did to the table's challenges."""
    text = notice_messages.correction(context)
    hand = Hand.objects.filter(pk=context.id_of("hand"))
    rows = Challenge.objects.filter(game__in=hand.values("game"), state__in=DECIDED)
    columns = ("event__club", "game", "challenger", "challenged", "ladder_step")
    changes = (_changed(row) for row in rows.select_related(*columns).order_by("number"))
    return replace(text, paragraphs=(*text.paragraphs, *filter(None, changes)))


DECIDED: Final = (ChallengeState.CONFIRMED, ChallengeState.VOID)


def _changed(challenge: Challenge) -> str:
    """Say that a challenge is void, or won by the other one than at its confirmation."""
    names = _names(challenge)
    if challenge.state == ChallengeState.VOID:
        return str(ANSWERS["void"]) % names + "."
    step: LadderStep | None = getattr(challenge, "ladder_step", None)
    before = step.facts.get("winner") if step is not None else None
    won = winner_at(challenge, places_at(challenge.game)) if challenge.game is not None else None
    if before is None or won in (None, before):
        return ""
    side = "challenger" if won == challenge.challenger.code else "challenged"
    text = gettext(
        "The correction turns the challenge of %(challenger)s to %(challenged)s round: %(ahead)s "
        "finished ahead."
    )
    return text % {**names, "ahead": names[side]}


def _due_at(challenge: Challenge) -> datetime | None:
    zone = challenge.event.club.zone
    return due_at(scoring_challenge(challenge), zone, ladder_rules_of(challenge.event))


def _find_challenge(context: NoticeContext, state: str = "") -> Challenge:
    rows = Challenge.objects.select_related("event__club", "game", "challenger", "challenged")
    row = context.find(rows, "challenge")
    if state and row.state != state:
        raise NothingToSay
    context.require_readable(row.event)
    return row


TEXTS: Final[Mapping[str, Callable[[NoticeContext], NoticeText]]] = {
    "challenge_received": received,
    "challenge_answered": answered,
    "challenge_deadline": deadline_near,
    "result_to_confirm": to_confirm,
    "correction": correction,
    "dispute_decided": notice_messages.dispute_decided,
    "playoff_called": notice_messages.playoff_called,
    "evening_reminder": notice_messages.reminder,
    "evening_changed": notice_messages.changed,
    "evening_cancelled": notice_messages.cancelled,
    "fill_in": notice_messages.fill_in,
    "next_table": notice_messages.next_table,
    "digest": notice_messages.digest,
    "counted_anew": notice_messages.counted_anew,
}
"""The kinds of `tournaments.domain.notices.KIND_OF`."""


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


KIND_LABELS: Final = {
    "challenge": _("Challenge received, its answer and deadline"),
    "result_to_confirm": _("Result to confirm"),
    "correction": _("Correction at my table"),
    "dispute_decided": _("Dispute decided"),
    "playoff": _("Play-off called"),
    "evening_reminder": _("Will you come to an evening?"),
    "evening_changed": _("Evening moved or cancelled that I come to"),
    "fill_in": _("An evening needs one more player"),
    "next_table": _("My next table"),
    "digest": _("Result after the evening"),
    "counted_anew": _("Standings counted anew after an upgrade (for directors)"),
}
"""The kinds of `tournaments.domain.notices.DEFAULTS`."""


COPIED_KINDS: Final = ("evening_reminder", "next_table", "digest")
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
