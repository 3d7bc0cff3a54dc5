"""When the end of an evening is offered, to whom, which tables keep it from ending, and which
planned rounds it leaves.

The only place of this rule: pages offer what `services.rounds.evenings.end_evening` would do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from tournaments.models.clubs import Membership, Role
from tournaments.models.events import Event, EventKind, StageKind
from tournaments.models.hands import Game
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.models.rounds import Meeting, Round, RoundState, Table
from tournaments.models.seating_plans import OPEN, PlanState, SeatingPlan
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.members import account_name
from tournaments.selectors.events.events import rounds_of
from tournaments.selectors.events.meetings import club_day, meetings_of, posted_rounds_of
from tournaments.selectors.rounds.evenings_to_end import find_hour
from tournaments.selectors.rounds.playoffs_of_evening import list_playoffs
from tournaments.selectors.rounds.round_names import is_final, round_names
from tournaments.selectors.rounds.round_progress import OVER
from tournaments.selectors.rounds.round_seating import next_round_number
from tournaments.selectors.stages import stages_of

MOST_DIRECTORS: Final = 5
"""Directors who are named to a host."""


@dataclass(frozen=True, slots=True)
class EveningEnd:
    """The end of an evening, as its reader may be offered it.

    Where `open_tables` are left it cannot be closed, and they are named. `directors` are the names
    of those who can close it, empty for a reader who `may_end` it. `unplayed_rounds` are the
    numbers of planned rounds; closing it leaves them as they are. `next_to_play` is the name of the
    round or the stage that is to follow before the event has a winner, empty for none.
    """

    meeting: Meeting
    open_tables: Sequence[Table]
    may_end: bool
    directors: Sequence[str]
    unplayed_rounds: Sequence[int]
    next_to_play: str = ""

    @property
    def day(self) -> str:
        return self.meeting.date.isoformat()


def open_games_of(meeting: Meeting, *, with_playoffs: bool = True) -> QuerySet[Game]:
    """Return the games that keep an evening from ending, in the order of their tables.

    Args:
        with_playoffs: whether those of its play-offs are among them. At noon of the next day they
            are not: a play-off that is still open then is played another day.
    """
    is_of_evening = Q(table__round__meeting=meeting)
    if with_playoffs and (playoffs := list_open_playoffs(meeting)):
        is_of_evening |= Q(table__round__stage__playoff__in=playoffs)
    games = Game.objects.filter(is_of_evening).exclude(state__in=OVER)
    games = games.exclude(table__round__state__in=(RoundState.DRAFT, RoundState.CLOSED))
    return games.order_by("table__round__number", "table__number")


def list_open_playoffs(meeting: Meeting) -> Sequence[int]:
    """Return the keys of undecided play-offs of an evening, whose rounds belong to no meeting.

    These are of ties in its rounds; those of the standings belong to the newest evening. One query,
    two more where a play-off is undecided.
    """
    undecided = Playoff.objects.filter(event=meeting.event_id, state__in=LIVE, is_waived=False)
    boundaries = dict(undecided.values_list("pk", "boundaries"))
    if not boundaries:
        return ()
    keys = set(list_playoffs(meeting))
    later = Round.objects.filter(event=meeting.event_id, meeting__date__gt=meeting.date)
    is_newest = not later.exclude(state=RoundState.DRAFT).exists()
    playoffs = []
    for key, lines in boundaries.items():
        is_of_standings = not any("round" in line for line in lines)
        if key in keys or (is_of_standings and is_newest):
            playoffs.append(key)
    return playoffs


def find_evening_end(event: Event, meeting: Meeting) -> EveningEnd | None:
    """Return the end of an evening from `meeting_on`; None where the reader is not concerned.

    That is everybody but hosts and directors; and an evening that is over, has no posted round, or
    whose event is over, cannot end. At most seven queries, and six more where a knock-out or a
    further stage follows; one more for a host.
    """
    may_end = may_do(event, "manage_event")
    if event.is_over or not (may_end or may_do(event, "close_table")):
        return None
    is_over: bool = meeting.is_over  # type: ignore[attr-defined]  # annotated
    if is_over or not posted_rounds_of(meeting).exists():
        return None
    games = open_games_of(meeting).select_related("table__round")
    open_tables = [game.table for game in games]
    directors: Sequence[str] = ()
    if not may_end:
        directors = _list_directors(event)
    unplayed_rounds: Sequence[int] = ()
    next_to_play = ""
    if not open_tables:
        unplayed_rounds = list_unplayed_rounds(event, meeting)
        next_to_play = find_next_to_play(event)
    return EveningEnd(
        meeting,
        open_tables,
        may_end=may_end,
        directors=directors,
        unplayed_rounds=unplayed_rounds,
        next_to_play=next_to_play,
    )


def find_next_to_play(event: Event) -> str:
    """Return the name of the round of a knock-out, or else of the stage, that follows the last
    posted round; "" where none does, and in a league, whose evenings are played for themselves. At
    most six queries."""
    stages = list(stages_of(event))
    has_knockout = any(stage.kind == StageKind.KNOCKOUT for stage in stages)
    if not has_knockout and (len(stages) == 1 or event.kind == EventKind.LEAGUE):
        return ""
    rounds = rounds_of(event).exclude(state=RoundState.DRAFT).annotate(n_tables=Count("tables"))
    posted = list(rounds.select_related("stage").order_by("number"))
    last = next((row for row in reversed(posted) if row.stage.kind != StageKind.PLAYOFF), None)
    if last is not None and last.stage.kind == StageKind.KNOCKOUT and not is_final(last):
        names = round_names((row, row.n_tables) for row in posted)
        name = names.get(posted[-1].number + 1)
        if name is not None:
            return name
    played = {row.stage_id for row in posted}
    to_play = [stage.title for stage in stages if stage.pk not in played]
    if not to_play:
        return ""
    return to_play[0]


def list_unplayed_rounds(event: Event, meeting: Meeting) -> Sequence[int]:
    """Return the numbers of an evening's drafts, and those that the rounds of its chosen plan will
    have that were not made yet; at most three queries."""
    drafts = Round.objects.filter(meeting=meeting, state=RoundState.DRAFT).order_by("number")
    numbers = list(drafts.values_list("number", flat=True))
    plans = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.CHOSEN)
    counts = plans.exclude(movement=OPEN).annotate(n_made=Count("made_rounds"))
    for round_count, n_made in counts.values_list("round_count", "n_made"):
        if n_made < round_count:
            following = next_round_number(event)
            numbers.extend(range(following, following + round_count - n_made))
    return numbers


def find_due_evening_end(event: Event, *, now: datetime) -> EveningEnd | None:
    """Return the end of the newest evening, if its last posted round has all tables complete.

    No query for a reader who is not concerned, one while that round is played; then at most eight.
    """
    if event.is_over or not (may_do(event, "manage_event") or may_do(event, "close_table")):
        return None
    round_ = find_last_posted_round(event, now=now)
    if round_ is None or round_.meeting_id is None or not is_complete(round_):
        return None
    meeting = meetings_of(event).get(pk=round_.meeting_id)
    meeting.event = event
    return find_evening_end(event, meeting)


def find_last_posted_round(event: Event, *, now: datetime) -> Round | None:
    """Return the last posted round of the newest evening until today, as `is_complete` reads it.

    A sheet of an older evening that is entered late, and a play-off, which belongs to no evening,
    have a higher number. One query.
    """
    games = Game.objects.filter(table__round=OuterRef("pk"))
    rounds = Round.objects.filter(event=event, meeting__date__lte=club_day(event.club, now))
    rounds = rounds.exclude(state=RoundState.DRAFT)
    rounds = rounds.annotate(
        has_games=Exists(games), has_open_games=Exists(games.exclude(state__in=OVER))
    )
    return rounds.order_by("-meeting__date", "-number").first()


def is_complete(round_: Round) -> bool:
    """Whether a round waits for no more sheets; one that was closed does not."""
    if round_.state == RoundState.CLOSED:
        return True
    has_games: bool = round_.has_games  # type: ignore[attr-defined]  # annotated
    has_open_games: bool = round_.has_open_games  # type: ignore[attr-defined]  # annotated
    return has_games and not has_open_games


def find_end(meeting: Meeting, *, now: datetime) -> datetime | None:
    """Return when an evening that is on ends by itself, if nobody posts another round.

    None while a round is open or a play-off undecided, and once that time has come. At most five
    queries.
    """
    hour = find_hour(meeting)
    if hour is None or hour <= now or list_open_playoffs(meeting):
        return None
    return hour


def _list_directors(event: Event) -> Sequence[str]:
    members = Membership.objects.filter(
        club=event.club_id, role__in=(Role.DIRECTOR, Role.OWNER), user__is_active=True
    )
    rows = members.select_related("user").order_by("role", "pk")
    return [account_name(member.user) for member in rows[:MOST_DIRECTORS]]
