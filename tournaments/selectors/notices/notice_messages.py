"""Messages to members and to players without an account: tables, evenings, events."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final, TypeVar

from django.contrib.auth.models import User
from django.db.models import Model, Q, QuerySet
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.entry.sheet import seat_names
from scoring.json_types import JsonDict
from tournaments.models.access import FillInRequest, PersonalLink
from tournaments.models.clubs import Player
from tournaments.models.columns import as_json
from tournaments.models.events import Entrant, Event, Season, Visibility
from tournaments.models.hands import Dispute, DisputeState, Entry, Hand, SeatScore
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.models.rounds import (
    Attendance,
    AttendanceState,
    Meeting,
    RoundState,
    Sitting,
    Table,
)
from tournaments.models.standings import ResultNote, ResultNoteState
from tournaments.policy import PERSON, may
from tournaments.selectors.access.personal_links import personal_path
from tournaments.selectors.attendance.fill_ins import (
    fill_in_path,
    further_request,
    own_fill_in_path,
    takes_fill_ins,
)
from tournaments.selectors.attendance.own_evenings import answer_token, find_own_table
from tournaments.selectors.attendance.places import COMING
from tournaments.selectors.clubs.clubs import actor_of, get_role
from tournaments.selectors.clubs.names import FULL_NAME, PUBLIC_NAME, NameColumn, texts_for
from tournaments.selectors.events.entrants import WITH_PLAYERS, entrant_name, entrant_names
from tournaments.selectors.events.events import READING
from tournaments.selectors.events.meetings import MEETS, club_day, planned, with_state
from tournaments.selectors.rounds.round_names import label_of_round


@dataclass(frozen=True, slots=True)
class NoticeText:
    """A message: its sentence, further text, and the page for the reader's action.

    `rows` are pairs of a label and a value. `mail_path` is the page for the mail, if different: one
    without sign-in. `answers` are further links of a mail, each with its label. `headline` is what
    the reader looks for, above all and large.
    """

    title: str
    link: str
    path: str
    paragraphs: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    mail_path: str = ""
    answers: tuple[tuple[str, str], ...] = ()
    headline: str = ""


class NothingToSay(Exception):
    """The subject of a message is gone or over, or not for its reader."""


M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class NoticeContext:
    """The reader of a message, the ids that it is made of, and when a mail is sent.

    A player without an account has a personal link, if the message may hold it, and the address
    `email` that a mail goes to; `confirms` says whether the club vouches for that address.
    """

    reader: User | Player
    facts: JsonDict
    now: datetime | None = None
    link: PersonalLink | None = None
    email: str = ""
    confirms: bool = False

    def id_of(self, key: str) -> int:
        return int(self.facts[key])

    @property
    def person(self) -> Player | None:
        """The reader, if it is a player without an account."""
        return self.reader if isinstance(self.reader, Player) else None

    @property
    def column(self) -> NameColumn:
        """The column of other players' names: a person gets those of the public."""
        return FULL_NAME if self.person is None else PUBLIC_NAME

    def is_own(self, player: str = "") -> Q:
        """Return the condition of the reader's player; `player` is its lookup with the `__`."""
        lookup = "user" if self.person is None else "pk"
        return Q(**{f"{player}{lookup}": self.reader.pk})

    def is_reader(self) -> Q:
        """Return the condition of mails and notices to the reader."""
        column = "user" if self.person is None else "player"
        return Q(**{column: self.reader.pk})

    def require_readable(self, event: Event) -> None:
        """Raise `NothingToSay` unless the reader may read an event, which then has their role.

        Only directors may while it is held; a person may read what members read.
        """
        if isinstance(self.reader, Player):
            role = PERSON
            reads = event.visibility != Visibility.HELD
            reads = reads and event.club.delete_after is None
        else:
            role = get_role(actor_of(self.reader), event.club_id)
            reads = may(role, READING[event.visibility])
        event.role = role  # type: ignore[attr-defined]  # as `events_for` annotates it
        if not reads:
            raise NothingToSay

    def texts(self, event: Event, text: str) -> str:
        """Return a typed text; a person reads the names in it as the public does."""
        if self.person is None:
            return text
        return texts_for(event)(text)

    def find(self, rows: QuerySet[M], key: str) -> M:
        row = rows.filter(pk=self.id_of(key)).first()
        if row is None:
            raise NothingToSay
        return row


MINUS: Final = "−"
DECIDED: Final[Mapping[str, str | Promise]] = {
    DisputeState.UPHELD: gettext_lazy("The dispute of hand %(number)s was upheld"),
    DisputeState.REJECTED: gettext_lazy("The dispute of hand %(number)s was rejected"),
}
DECIDED_TOTALS: Final[Mapping[str, str | Promise]] = {
    DisputeState.UPHELD: gettext_lazy("The dispute of the totals at your table was upheld"),
    DisputeState.REJECTED: gettext_lazy("The dispute of the totals at your table was rejected"),
}

ANSWERS: Final = {
    "yes": gettext_lazy("I come"),
    "late": gettext_lazy("I come later"),
    "no": gettext_lazy("I do not come"),
}
"""Answers of a personal link's page → the labels of their links."""


def page_of(event: Event, name: str, *args: object) -> str:
    return reverse(f"tournaments:{name}", args=(event.club.slug, event.slug, *args))


def where_of(table: Table) -> str:
    """Return a table with its event: "Autumn league, round 4, table 3"."""
    return _("%(event)s, round %(round)s, table %(table)s") % {
        "event": table.event.name,
        "round": label_of_round(table.event, table.round),
        "table": table.number,
    }


def when(moment: datetime) -> str:
    """Return a deadline as its last day and time; one that ends with a day ends at 24:00 of it."""
    local = timezone.localtime(moment)
    if (local.hour, local.minute) != (0, 0):
        return formats.date_format(local, "l j F, H:i")
    return f"{formats.date_format(local - timedelta(hours=1), 'l j F')}, 24:00"


def on_day(day: date) -> str:
    return formats.date_format(day, "l j F Y")


def quoted(words: str) -> str:
    return f"“{words}”"


CORRECTED: Final[Mapping[str, str | Promise]] = {
    "correct": gettext_lazy("Hand %(number)s at your table was corrected"),
    "restore": gettext_lazy("Hand %(number)s at your table was restored"),
    "void": gettext_lazy("Hand %(number)s at your table was deleted"),
}
CORRECTED_TOTALS: Final[Mapping[str, str | Promise]] = {
    "correct": gettext_lazy("The totals at your table were corrected"),
    "restore": gettext_lazy("The totals at your table were restored"),
    "void": gettext_lazy("The totals at your table were deleted"),
}


def correction(context: NoticeContext) -> NoticeText:
    """Tell the players of a table that one of its hands was corrected, restored or voided."""
    rows = Hand.objects.select_related("game__table__round__stage", "game__table__event__club")
    hand = context.find(rows, "hand")
    context.require_readable(hand.game.table.event)
    table = hand.game.table
    operation = context.facts["act"]
    number = context.id_of("revision")
    revision = Entry.objects.filter(hand=hand, revision=number).first()
    reason = revision.reason if revision is not None and operation != "void" else ""
    return NoticeText(
        str((CORRECTED if hand.number else CORRECTED_TOTALS)[operation]) % {"number": hand.number},
        _("Open hand") if hand.number else _("Open totals"),
        page_of(table.event, "hand", table.code, hand.number),
        (where_of(table), *([_("Reason: %s") % quoted(reason)] if reason else [])),
        _scores(hand, number) if operation == "correct" else (),
    )


def _scores(hand: Hand, revision: int) -> tuple[tuple[str, str], ...]:
    rows = SeatScore.objects.filter(entry__hand=hand, entry__revision=revision, score_im=None)
    # Totals are hand 0: who sat from the first hand on.
    from_hand = max(hand.number, 1)
    sitting = Sitting.objects.filter(seat__table=hand.game.table_id, from_hand__lte=from_hand)
    names = dict(sitting.order_by("from_hand").values_list("seat__number", "player__name"))
    scores = rows.order_by("seat__number").values_list("seat__number", "score")
    return tuple(
        (names.get(seat, str(seat)), str(as_json(score)).replace("-", MINUS))
        for seat, score in scores
    )


def dispute_decided(context: NoticeContext) -> NoticeText:
    rows = Dispute.objects.select_related(
        "event__club", "hand__game__table__round__stage", "hand__game__table__event__club"
    )
    dispute = context.find(rows.filter(state__in=DECIDED), "dispute")
    context.require_readable(dispute.event)
    table = dispute.hand.game.table
    number = dispute.hand.number
    return NoticeText(
        str((DECIDED if number else DECIDED_TOTALS)[dispute.state]) % {"number": number},
        _("Open hand") if number else _("Open totals"),
        page_of(table.event, "hand", table.code, number),
        (where_of(table), _("Ruling: %s") % quoted(dispute.ruling)),
    )


def note_answered(context: NoticeContext) -> NoticeText:
    """Tell a player that a director has answered their note."""
    is_own = context.is_own("player__") | context.is_own("player__merged_into__")
    rows = ResultNote.objects.select_related("event__club", "player__merged_into")
    note = context.find(rows.filter(is_own, state=ResultNoteState.ANSWERED), "note")
    context.require_readable(note.event)
    player = note.player.merged_into or note.player
    entrant = Entrant.objects.filter(event=note.event, members__player=player).first()
    if entrant is None:
        raise NothingToSay
    return NoticeText(
        _("Your note about %(event)s was answered") % {"event": note.event.name},
        _("Open my values"),
        page_of(note.event, "entrant", entrant.code),
        (
            _("You wrote: %s") % quoted(note.words),
            _("Answer: %s") % quoted(note.answer),
        ),
    )


def next_table(context: NoticeContext) -> NoticeText:
    rows = Table.objects.select_related("round__meeting", "round__stage", "event__club")
    table = context.find(rows.exclude(round__state=RoundState.DRAFT), "table")
    meeting = table.round.meeting
    is_closed = context.now is not None and table.round.state == RoundState.CLOSED
    if is_closed or (meeting is not None and _is_over(context, table.event, meeting.date)):
        raise NothingToSay
    context.require_readable(table.event)
    seats = seat_names(table.seats.count())
    sitting = Sitting.objects.filter(seat__table=table, to_hand__isnull=True)
    players = sitting.order_by("seat__number").values_list(
        "seat__number", f"player__{context.column}"
    )
    own_seat = sitting.filter(context.is_own("player__")).values_list("seat__number").first()
    if own_seat is None:
        raise NothingToSay  # another player sits there now
    title = _("Your next table: table %(table)s, seat %(seat)s")
    if "was" in context.facts:
        title = _("Changed: table %(table)s, seat %(seat)s, not table %(was)s")
    if table.round.state == RoundState.CLOSED:
        title = _("You sat at table %(table)s, seat %(seat)s")
    was = context.facts.get("was")
    return NoticeText(
        title % {"table": table.number, "seat": seats[own_seat[0] - 1], "was": was},
        _("Open table"),
        page_of(table.event, "table", table.code),
        (where_of(table),),
        tuple(
            (_("Seat %s") % seats[number - 1], name)
            for number, name in players
            if number != own_seat[0]
        ),
    )


def playoff_called(context: NoticeContext) -> NoticeText:
    rows = Playoff.objects.select_related("event__club")
    playoff = context.find(rows.filter(state__in=LIVE, is_waived=False), "playoff")
    context.require_readable(playoff.event)
    members = Entrant.objects.filter(pk__in=playoff.members.values("entrant"))
    names = entrant_names(members.prefetch_related(WITH_PLAYERS).order_by("code"), FULL_NAME)
    return NoticeText(
        _("A play-off is called in %s") % playoff.event.name,
        _("Open play-off"),
        page_of(playoff.event, "playoff", playoff.number),
        (_("You are tied at a cut-off, so the tie is played off."),),
        ((_("Tied"), ", ".join(names.values())),),
    )


def counted_anew(context: NoticeContext) -> NoticeText:
    """Tell a director that a new release counts standings otherwise, and who moved."""
    if "season" in context.facts:
        season = context.find(Season.objects.select_related("club"), "season")
        name, club = season.name, season.club
        page = reverse("tournaments:season", args=(club.slug, season.slug))
        codes = [*_codes_of_moves(context.facts), *_codes_of_values(context)]
        players = Player.objects.filter(club=club, player_id__in=codes)
        names = dict(players.values_list("player_id", "name"))
    else:
        event = context.find(Event.objects.select_related("club"), "event")
        context.require_readable(event)
        name, club = event.name, event.club
        numbers = context.id_of("before"), context.id_of("publication")
        page = page_of(event, "publication-difference", numbers[1], numbers[0])
        codes = [*_codes_of_moves(context.facts), *_codes_of_values(context)]
        entrants = Entrant.objects.filter(event=event, code__in=codes)
        names = {
            entrant.code: entrant_name(entrant, FULL_NAME)
            for entrant in entrants.prefetch_related(WITH_PLAYERS)
        }
    if not may(_role_of(context.reader, club.pk), "manage_event"):
        raise NothingToSay
    title = _("Release %(release)s counted the standings of %(event)s anew")
    n_moved, n_changed = context.id_of("n_moved"), context.id_of("n_changed")
    paragraphs = [
        ngettext("%(n)s place changed.", "%(n)s places changed.", n_moved) % {"n": n_moved}
    ]
    if n_changed:
        values = ngettext("%(n)s other value changed.", "%(n)s other values changed.", n_changed)
        paragraphs.append(values % {"n": n_changed})
    if context.facts["with_results"]:
        paragraphs.append(_("Results that came in at the same time are in it too."))
    moves = context.facts["moved"]
    if n_moved > len(moves):
        paragraphs.append(_("The first %(n)s are listed; the page has all.") % {"n": len(moves)})
    return NoticeText(
        title % {"release": context.facts["release"], "event": name},
        _("Open difference") if "event" in context.facts else _("Open standings"),
        page,
        tuple(paragraphs),
        tuple(
            (names.get(code, code), _("place %(was)s → %(now)s") % {"was": was, "now": now})
            for code, was, now in moves
        )
        + tuple((names.get(code, code), _("another value")) for code in _codes_of_values(context)),
    )


def _codes_of_values(context: NoticeContext) -> list[str]:
    """Return whose value changed without a move; release 0.5.0 stored none."""
    return list(context.facts.get("changed", ()))


def _role_of(reader: User | Player, club_id: int) -> str:
    if isinstance(reader, Player):
        return PERSON
    return get_role(actor_of(reader), club_id)


def _codes_of_moves(facts: JsonDict) -> list[str]:
    return [code for code, _was, _now in facts["moved"]]


def reminder(context: NoticeContext) -> NoticeText:
    """Ask a player whether they will attend an evening, or remind them that they do."""
    meeting = _planned(context)
    player = _player(context, meeting)
    row = Attendance.objects.filter(meeting=meeting, player=player).first()
    answer = row.answer if row is not None else ""
    if player is None or answer == AttendanceState.ABSENT:
        raise NothingToSay
    title, link = _("Will you come on %s?"), _("Answer")
    text = _("Answer with one press, without signing in. You can change the answer later.")
    if answer in (AttendanceState.EXPECTED, AttendanceState.LATE):
        title, link = _("Reminder: you come on %s"), _("Change answer")
        text = _("Your answer: you come. Change it if you cannot.")
        if answer == AttendanceState.LATE:
            text = _("Your answer: you come later. Change it if you cannot.")
    elif answer == AttendanceState.WAITING:
        title, link = _("You are on the waiting list of %s"), _("Change answer")
        text = _("All places are taken. Change your answer if you cannot come any more.")
    elif table := find_own_table(meeting, player):
        title, link = _("Reminder: you play on %s"), _("Change answer")
        text = _(
            "You sit at table %(table)s of round %(round)s. Change your answer if you cannot come."
        )
        text %= {"round": label_of_round(table.event, table.round), "table": table.number}
    elif context.link is not None:
        text = _("Choose an answer. The page that opens has a button that sends it.")
    elif context.person is not None:
        text = _("Tell a director of the club whether you come.")
    notice = _evening_text(context, meeting, title % on_day(meeting.date), link, text, player)
    path = personal_path(context.link, "my-answer", meeting.pk)
    # A link only chooses an answer: mail scanners follow links.
    answers = ((str(label), f"{path}?answer={key}") for key, label in ANSWERS.items() if path)
    return replace(notice, answers=tuple(answers))


def place_free(context: NoticeContext) -> NoticeText:
    """Tell a player who waited that a place is free now."""
    meeting = _planned(context, "evening")
    player = _player(context, meeting)
    if not Attendance.objects.filter(meeting=meeting, player=player, state__in=COMING).exists():
        raise NothingToSay  # they do not come, after all
    text = _("A place is free for you. Change your answer if you cannot come.")
    title = _("You have a place on %s") % on_day(meeting.date)
    return _evening_text(context, meeting, title, _("Change answer"), text, player)


def fill_in(context: NoticeContext) -> NoticeText:
    if "player" in context.facts:
        return _answer_withdrawn(context)
    request: FillInRequest | None = context.find(FillInRequest.objects.all(), "request")
    if request is not None and request.filled_at is not None:
        request = further_request(request)
    if request is None or request.ended_at is not None:
        raise NothingToSay
    meetings = with_state(Meeting.objects.select_related("event__club"))
    meeting = meetings.filter(pk=request.meeting_id).first()
    if meeting is None or not takes_fill_ins(meeting, context.now):
        raise NothingToSay
    path = fill_in_path(request)
    own_path = own_fill_in_path(request, context.link) if context.link is not None else path
    n = {"n": request.wanted, "day": on_day(meeting.date)}
    title = ngettext(
        "We need one more on %(day)s. Can you fill in?",
        "We need %(n)s more on %(day)s. Can you fill in?",
        request.wanted,
    )
    first = ngettext(
        "The first who answers is in.", "The first %(n)s who answer are in.", request.wanted
    )
    return NoticeText(
        title % n, _("Answer"), path, (first % n,), _when_and_where(meeting), own_path
    )


def _answer_withdrawn(context: NoticeContext) -> NoticeText:
    """Tell a director that a player who was to come does not."""
    meeting = _planned(context)
    player = context.find(Player.objects.filter(club=meeting.club_id), "player")
    if not may(_role_of(context.reader, meeting.club_id), "take_attendance"):
        raise NothingToSay
    row = Attendance.objects.filter(meeting=meeting, player=player).first()
    if row is None or row.state != AttendanceState.ABSENT:
        raise NothingToSay  # they come, after all
    title = _("%(name)s withdrew the answer: not there on %(day)s")
    return NoticeText(
        title % {"name": player.name, "day": on_day(meeting.date)},
        _("Open attendance"),
        page_of(meeting.event, "attendance", meeting.date.isoformat()),
        (_("The answer was: I come."),),
        _when_and_where(meeting),
    )


def changed(context: NoticeContext) -> NoticeText:
    """Notify an expected player that the evening has another day, time or place."""
    meeting = _planned(context)
    was = date.fromisoformat(str(context.facts["was"]))
    title = _("The evening of %(day)s was changed")
    if was != meeting.date:
        title = _("The evening of %(was)s was moved to %(day)s")
    title %= {"was": on_day(was), "day": on_day(meeting.date)}
    text = _("Your answer: you come. Change it if you cannot.")
    player = _player(context, meeting)
    return _evening_text(context, meeting, title, _("Change answer"), text, player)


def _evening_text(
    context: NoticeContext,
    meeting: Meeting,
    title: str,
    link: str,
    text: str,
    player: Player | None,
) -> NoticeText:
    mail_path = ""
    if player is not None and context.person is None:
        token = answer_token(meeting_id=meeting.pk, player_id=player.pk, user_id=context.reader.pk)
        mail_path = reverse("tournaments:answer-link", args=(token,))
    path = page_of(meeting.event, "will-you-come", meeting.date.isoformat())
    return NoticeText(title, link, path, (text,), _when_and_where(meeting), mail_path)


def _when_and_where(meeting: Meeting) -> tuple[tuple[str, str], ...]:
    rows = [(_("Event"), meeting.event.name), (_("Day"), on_day(meeting.date))]
    if meeting.time is not None:
        rows.append((_("Time"), formats.time_format(meeting.time, "H:i")))
    if meeting.place:
        rows.append((_("Place"), meeting.place))
    return tuple(rows)


def cancelled(context: NoticeContext) -> NoticeText:
    day = date.fromisoformat(str(context.facts["date"]))
    event = context.find(Event.objects.select_related("club"), "event")
    context.require_readable(event)
    planned_again = planned(Meeting.objects.filter(event=event, date=day))
    if _is_over(context, event, day) or planned_again.exists():
        raise NothingToSay
    reason = context.texts(event, str(context.facts["reason"]))
    return NoticeText(
        _("%(event)s: the evening of %(day)s is cancelled")
        % {"event": event.name, "day": on_day(day)},
        _("Open evenings"),
        page_of(event, "meetings"),
        (_("Reason: %s") % reason,) if reason else (_("Your answer was: you come."),),
    )


def several_changed(context: NoticeContext) -> NoticeText:
    """Notify an expected player of the new days, times and places of several evenings."""
    event = _event_that_meets(context)
    days = {key: (was, day) for key, was, day in context.facts["meetings"]}
    rows = []
    for meeting in planned(Meeting.objects.filter(pk__in=days)).order_by("date"):
        was, day = days[meeting.pk]
        if meeting.date.isoformat() == day and not _is_over(context, event, meeting.date):
            rows.append((on_day(date.fromisoformat(was)), _when(meeting)))
    if not rows:
        raise NothingToSay
    title = ngettext(
        "%(event)s: %(n)s evening was changed", "%(event)s: %(n)s evenings were changed", len(rows)
    )
    return NoticeText(
        title % {"event": event.name, "n": len(rows)},
        _("Open evenings"),
        page_of(event, "meetings"),
        (_("Your answers: you come. Change them if you cannot."),),
        tuple(rows),
    )


def several_cancelled(context: NoticeContext) -> NoticeText:
    """Notify an expected player that several evenings are cancelled."""
    event = _event_that_meets(context)
    days = [date.fromisoformat(day) for day in context.facts["dates"]]
    again = planned(Meeting.objects.filter(event=event, date__in=days))
    planned_again = set(again.values_list("date", flat=True))
    days = [day for day in days if day not in planned_again and not _is_over(context, event, day)]
    if not days:
        raise NothingToSay
    title = ngettext(
        "%(event)s: %(n)s evening is cancelled",
        "%(event)s: %(n)s evenings are cancelled",
        len(days),
    )
    reason = context.texts(event, str(context.facts["reason"]))
    return NoticeText(
        title % {"event": event.name, "n": len(days)},
        _("Open evenings"),
        page_of(event, "meetings"),
        (_("Reason: %s") % reason,),
        tuple((_("Cancelled"), on_day(day)) for day in days),
    )


def _event_that_meets(context: NoticeContext) -> Event:
    """Return the event of a message about several of its evenings, which its reader may read."""
    event = context.find(Event.objects.select_related("club"), "of_event")
    context.require_readable(event)
    if event.state not in MEETS:
        raise NothingToSay
    return event


def _when(meeting: Meeting) -> str:
    """Return day, time and place of an evening in one line."""
    parts = [on_day(meeting.date)]
    if meeting.time is not None:
        parts.append(formats.time_format(meeting.time, "H:i"))
    if meeting.place:
        parts.append(meeting.place)
    return ", ".join(parts)


def _planned(context: NoticeContext, fact: str = "meeting") -> Meeting:
    """Return the meeting of a message while it is planned for the day that the message names.

    Args:
        fact: the fact of the message that has the row of the meeting.
    """
    rows = planned(Meeting.objects.filter(event__state__in=MEETS)).select_related("event__club")
    meeting = context.find(rows, fact)
    is_moved = meeting.date.isoformat() != context.facts["date"]
    if is_moved or _is_over(context, meeting.event, meeting.date):
        raise NothingToSay
    context.require_readable(meeting.event)
    return meeting


def _is_over(context: NoticeContext, event: Event, day: date) -> bool:
    """Whether a mail comes too late; a notice stays in the list."""
    return context.now is not None and day < club_day(event.club, context.now)


def _player(context: NoticeContext, meeting: Meeting) -> Player | None:
    return Player.objects.filter(context.is_own(), club=meeting.club_id).first()
