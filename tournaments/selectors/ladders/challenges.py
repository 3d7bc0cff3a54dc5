"""Challenges and absences of a ladder, as rows; what the rules say of them is a service's.

Takes an event that `selectors.events.events.event_at` has let the actor read.
`presenters/ladders/challenge_rows.py` makes of a challenge what pages and REST show.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Prefetch, QuerySet

from tournaments.errors import Missing
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantMember, Event
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge, LadderAbsence
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.names import NameColumn, name_column
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.entrants import entrant_names


def challenge_rows(event: Event) -> QuerySet[Challenge]:
    """Return the challenges of an event by number, each with the two and the table of its game."""
    rows = Challenge.objects.filter(event=event)
    return rows.select_related(
        "challenger", "challenged", "cancel_asked_by", "game__table", "ladder_step"
    ).order_by("number")


def open_challenge_rows(event: Event) -> QuerySet[Challenge]:
    """Return the challenges that still wait for something, by number."""
    return challenge_rows(event).filter(state__in=OPEN_CHALLENGES)


def challenges_of_member(event: Event, code: str) -> QuerySet[Challenge]:
    """Return the challenges to and from one member, by number."""
    rows = challenge_rows(event)
    return rows.filter(challenger__code=code) | rows.filter(challenged__code=code)


def challenge_at(event: Event, number: int) -> Challenge:
    """Return one challenge of an event.

    Raises:
        Missing: challenge.
    """
    row = challenge_rows(event).filter(number=number).first()
    if row is None:
        raise Missing("challenge", {"challenge": number})
    return row


def absence_rows(event: Event) -> QuerySet[LadderAbsence]:
    """Return the absences of an event's members by their first day, each with its entrant.

    Only members of its club are told who is not at home; for anybody else there are none.
    """
    if not may_do(event, "read_members"):
        return LadderAbsence.objects.none()
    rows = LadderAbsence.objects.filter(event=event).select_related("entrant")
    return rows.order_by("since", "entrant__code")


def member_names(
    event: Event, entrants: Iterable[Entrant], column: NameColumn | None = None
) -> Mapping[int, str]:
    """Return what entrants of an event are called, by their rows; three queries.

    Args:
        column: the names that are shown; else those of whoever the event was read for.
    """
    rows = Entrant.objects.filter(pk__in={one.pk for one in entrants})
    members = EntrantMember.objects.select_related("player")
    found = list(rows.prefetch_related(Prefetch("members", members)))
    names = entrant_names(found, column or name_column(event))
    return {one.pk: names[one.pk] or one.code for one in found}


def ladders_with(ladders: QuerySet[Event], player: Player) -> Iterator[tuple[Event, str]]:
    """Yield which of these events a player stands in, each with the player's code there."""
    members = EntrantMember.objects.filter(event__in=ladders.values("pk"), player=player)
    codes = dict(members.values_list("event_id", "entrant__code"))
    for event in ladders.filter(pk__in=codes):
        yield event, codes[event.pk]


def own_entrant(actor: Actor, event: Event) -> Entrant | None:
    """Return the entrant of the event that the actor's own player belongs to; one query."""
    if actor.user_id is None:
        return None
    own = EntrantMember.objects.filter(event=event, player__user_id=actor.user_id)
    member = own.select_related("entrant").order_by("entrant__code").first()
    return member.entrant if member else None


@dataclass(frozen=True, slots=True)
class AbsenceLine:
    """Days on which a member is away, both included; `until` is None where it is not known yet."""

    player_id: str
    player: str
    since: date
    until: date | None


def absence_lines(event: Event) -> RenderedRows:
    """Return the absences of an event's members by their first day, for members of its club."""

    def told(rows: Sequence[LadderAbsence]) -> list[AbsenceLine]:
        names = member_names(event, (row.entrant for row in rows)) if rows else {}
        return [
            AbsenceLine(row.entrant.code, names[row.entrant_id], row.since, row.until)
            for row in rows
        ]

    return RenderedRows(absence_rows(event), told)
