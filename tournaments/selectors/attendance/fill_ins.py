"""Requests for one more player at an evening: who is asked, what their link opens, who came in."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.core import signing
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse
from django.utils import formats
from django.utils.translation import ngettext

from tournaments.domain.name_matching import each_begins, sort_key, spellings, words_of
from tournaments.models.access import FillInRequest, PersonalLink, token_digest
from tournaments.models.clubs import Player
from tournaments.models.events import Visibility
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, MeetingState, Round
from tournaments.selectors.access.personal_links import (
    find_link_of_mail,
    printable_token,
    site_address,
)
from tournaments.selectors.clubs.clubs import POSTED
from tournaments.selectors.clubs.find_players import find_final_keys
from tournaments.selectors.events.meetings import MEETS, club_day, with_state

MOST_NAMES: Final = 50
"""Names on the page of a request; others are found by a search."""
MOST_REQUESTS: Final = 10
"""Requests that an evening shows, the newest."""
_SALT: Final = "tournaments.fill-in.own"


def list_willing(meeting: Meeting) -> QuerySet[Player]:
    """Return who is willing to fill in and said nothing of an evening, by name."""
    nothing = {"state": AttendanceState.EXPECTED, "answer": ""}  # an undone check-in
    answers = Attendance.objects.filter(meeting=meeting, player=OuterRef("pk")).exclude(**nothing)
    willing = Player.objects.filter(
        club=meeting.club_id, fills_in=True, is_active=True, merged_into=None, erased_at=None
    )
    return willing.filter(~Exists(answers)).order_by("sort_key", "player_id")


def find_willing(meeting: Meeting, query: str) -> list[Player]:
    """Return who is willing and whose public name a query finds, by public name.

    The order of the full names would show what a club hides.
    """
    words = words_of(query)
    players = [
        row for row in list_willing(meeting) if each_begins(words, spellings(row.public_name))
    ]
    return sorted(players, key=lambda player: (sort_key(player.public_name), player.player_id))


def takes_fill_ins(meeting: Meeting, now: datetime | None) -> bool:
    """Whether an evening may still ask for players: it is not over and no round is posted.

    That of a held event, which only directors read, asks nobody. Without `now` its day
    is not looked at.
    """
    event = meeting.event
    is_held = event.visibility == Visibility.HELD
    if is_held or event.state not in MEETS or event.archived_at is not None:
        return False
    state = getattr(meeting, "state_now", meeting.state)
    is_over = now is not None and meeting.date < club_day(event.club, now)
    is_ahead = state == MeetingState.PLANNED and not is_over
    return is_ahead and not Round.objects.filter(meeting=meeting, state__in=POSTED).exists()


def list_fill_ins(meeting: Meeting) -> Sequence[FillInRequest]:
    """Return the requests of an evening with who came in, the newest first; one query."""
    requests = FillInRequest.objects.filter(meeting=meeting).select_related("filled_by")
    return list(requests.order_by("-asked_at", "-pk")[:MOST_REQUESTS])


def find_asked(meeting: Meeting) -> frozenset[int]:
    """Return the players, by their rows, to whom a mail or a notice of an evening's requests went.

    A merged one means who has the records now. Each request repeats those of the earlier ones, so
    that the newest are enough.
    """
    requests = FillInRequest.objects.filter(meeting=meeting).order_by("-asked_at", "-pk")
    lists = requests.values_list("asked", flat=True)[:MOST_REQUESTS]
    asked = {player for players in lists for player in players}
    if not asked:
        return frozenset()
    final = find_final_keys(meeting.club_id)
    return frozenset(final.get(player, player) for player in asked)


def open_fill_in(meeting: Meeting, now: datetime) -> FillInRequest | None:
    """Return the request of an evening that still asks; None without one."""
    requests = FillInRequest.objects.filter(meeting=meeting, filled_at=None, ended_at=None)
    request = requests.first()
    return request if request is not None and takes_fill_ins(meeting, now) else None


def requests_asked_with(request: FillInRequest) -> QuerySet[FillInRequest]:
    """Return the requests for all who were asked for at one moment, each for one of them."""
    requests = FillInRequest.objects.filter(meeting=request.meeting_id, asked_at=request.asked_at)
    return requests.select_related("filled_by").order_by("pk")


def further_request(request: FillInRequest) -> FillInRequest | None:
    """Return the open request for the others who were asked for with this one; None without."""
    further = requests_asked_with(request).filter(filled_at=None, ended_at=None).first()
    if further is not None:
        further.meeting = request.meeting
    return further


def find_fill_in(token: str) -> FillInRequest | None:
    """Return the request that has a token, with its evening and who came in."""
    return _first(FillInRequest.objects.filter(token_digest=token_digest(token)))


def find_own_fill_in(token: str) -> tuple[FillInRequest, PersonalLink] | None:
    """Return the request that an own token answers, and the personal link of who answers.

    None for a bad token, and where the link ended or its player left the club.
    """
    try:
        request_pk, link_pk = signing.Signer(salt=_SALT).unsign_object(token)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    link = find_link_of_mail(link_pk)
    request = _first(FillInRequest.objects.filter(pk=request_pk))
    if link is None or request is None or link.club != request.club:
        return None
    return request, link


def fill_in_for(request: FillInRequest, player: Player, *, now: datetime) -> FillInRequest:
    """Return the request of an evening that a player who was asked answers: the open one.

    Who was asked by an earlier request gets no mail of a further one. Without an open one it is the
    one that the player filled, else the request of the mail.
    """
    if request.filled_by == player:
        return request
    meeting = request.meeting
    filled = FillInRequest.objects.filter(meeting=meeting, filled_by=player)
    asked_now = open_fill_in(meeting, now)
    if asked_now is not None:  # of several who are asked for at once, one may be this player
        filled_now = filled.filter(asked_at=asked_now.asked_at).first()
        still_comes = filled_now is not None and comes_as_fill_in(filled_now)
        answered = filled_now if filled_now is not None and still_comes else asked_now
    else:
        answered = filled.order_by("-asked_at").first() or request
    answered.meeting = meeting
    return answered


def comes_as_fill_in(request: FillInRequest) -> bool:
    """Whether the player of a filled request has not withdrawn since."""
    rows = Attendance.objects.filter(meeting=request.meeting_id, player=request.filled_by_id)
    return not rows.filter(state=AttendanceState.ABSENT).exists()


def _first(requests: QuerySet[FillInRequest]) -> FillInRequest | None:
    readable = requests.filter(club__delete_after__isnull=True).exclude(
        meeting__event__visibility=Visibility.HELD
    )
    request = readable.select_related("club", "filled_by").first()
    if request is not None:
        meetings = with_state(Meeting.objects.select_related("event__club"))
        request.meeting = meetings.get(pk=request.meeting_id)
    return request


def is_over(request: FillInRequest, now: datetime) -> bool:
    """Whether the day of a request's evening has passed."""
    event = request.meeting.event
    return request.meeting.date < club_day(event.club, now)


def fill_in_path(request: FillInRequest) -> str:
    """Return the address of a request's page below the site; "" if the server's key changed."""
    token = printable_token(request)
    if not token:
        return ""
    return reverse("tournaments:fill-in", args=(token,))


def own_fill_in_path(request: FillInRequest, link: PersonalLink) -> str:
    """Return where the player of a personal link answers a request, and does nothing else.

    The page is made to be passed on, so that its address does not hold the link itself.
    """
    token = signing.Signer(salt=_SALT).sign_object([request.pk, link.pk])
    return reverse("tournaments:own-fill-in", args=(token,))


def fill_in_text(request: FillInRequest) -> str:
    meeting = request.meeting
    when = formats.date_format(meeting.date, "l j F")
    if meeting.time is not None:
        when += f", {formats.time_format(meeting.time, 'H:i')}"
    lines = [f"{meeting.event.club.name}: {meeting.event.name}", when, meeting.place]
    needs = ngettext(
        "We need one more. The first who taps is in:",
        "We need %(n)s more. The first %(n)s who tap are in:",
        request.wanted,
    )
    lines += [needs % {"n": request.wanted}]
    return "\n".join([*filter(None, lines), site_address(fill_in_path(request))])
