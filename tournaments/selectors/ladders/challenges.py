"""Challenges of a ladder as pages and REST show them: places, deadline, winner, next steps."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Prefetch, QuerySet
from django.utils import formats

from scoring.ladders.challenges import Challenge as Asked
from scoring.ladders.challenges import due_at, due_state
from scoring.ladders.replay import Ladder
from scoring.ladders.rules import LadderRules
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.errors import Missing
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantMember, Event
from tournaments.models.ladders import (
    OPEN_CHALLENGES,
    Challenge,
    LadderAbsence,
    LadderStep,
)
from tournaments.models.standings import Contribution
from tournaments.policy import LINK, Actor, may
from tournaments.selectors.clubs.clubs import get_role, may_do
from tournaments.selectors.clubs.names import NameColumn, name_column, texts_for
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.entrants import entrant_names
from tournaments.selectors.hands.entry_display import Bylines, bylines
from tournaments.selectors.ladders.log import (
    current_ladder,
    listed_ladder,
    winner_at,
)
from tournaments.states import CHALLENGE, moves_from


def scoring_challenge(row: Challenge) -> Asked:
    """Return a stored challenge as the pure rules read it; its two entrants come with it."""
    used = {row.challenger.code: row.postponed_c, row.challenged.code: row.postponed_d}
    return Asked(
        challenger=row.challenger.code,
        challenged=row.challenged.code,
        state=row.state,
        issued_at=row.issued_at,
        accepted_at=row.accepted_at,
        played_at=row.played_at,
        closed_at=row.closed_at,
        postponed_by=frozenset(code for code, was_used in used.items() if was_used),
    )


CHALLENGER: Final = frozenset({"challenger"})
CHALLENGED: Final = frozenset({"challenged"})
BOTH: Final = CHALLENGER | CHALLENGED


PART: Final[Mapping[tuple[str, str], frozenset[str]]] = {
    ("issued", "accepted"): CHALLENGED,
    ("issued", "declined"): CHALLENGED,
    ("issued", "withdrawn"): CHALLENGER,
    ("accepted", "forfeited_c"): CHALLENGER,
    ("accepted", "forfeited_d"): CHALLENGED,
    ("accepted", "cancelled"): BOTH,
    ("accepted", "played"): BOTH,
    ("played", "confirmed"): BOTH,
    ("played", "accepted"): BOTH,
}
"""Move → who of the two makes it; every other move is a director's."""


@dataclass(frozen=True, slots=True)
class LadderActor:
    """Who acts on a ladder: the role in its club, and the member of the ladder, if it is one."""

    role: str
    own: Entrant | None

    @property
    def is_host(self) -> bool:
        """Whether hosts' rights are there: for others, and for anybody's results."""
        return may(self.role, "enter_hand") and self.role != LINK

    @property
    def is_director(self) -> bool:
        """Whether directors' rights are there."""
        return may(self.role, "manage_event")


def by_when(at: datetime, zone: ZoneInfo, *, day: str = "D j M") -> str:
    """Return a deadline as its last day and time: one that ends with a day ends at 24:00 of it.

    Args:
        day: how the day is written.
    """
    local = at.astimezone(zone)
    if (local.hour, local.minute) != (0, 0):
        return formats.date_format(local, f"{day}, H:i")
    return f"{formats.date_format(local - timedelta(hours=1), day)}, 24:00"


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
    rows = Entrant.objects.filter(pk__in={entrant.pk for entrant in entrants})
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
    entrant_members = EntrantMember.objects.filter(event=event, player__user_id=actor.user_id)
    member = entrant_members.select_related("entrant").order_by("entrant__code").first()
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


POSTPONE = "postpone"
"""Value in `may` for putting the game off, which is no move of states."""


@dataclass(frozen=True, slots=True)
class ChallengeSide:
    """One of the two; `place` on the list as last worked out, None off the list."""

    player_id: str
    player: str
    place: int | None


@dataclass(frozen=True, slots=True)
class ChallengeRow:
    """A challenge in full; `due_state` is where the clock takes it at `due_at`.

    `winner` is the code of who won at the table, None without a result; `confirmed_winner` of who
    had won when the result was confirmed. `may` has the states that the asker may take it to now,
    and `postpone`.
    """

    number: int
    state: str
    challenger: ChallengeSide
    challenged: ChallengeSide
    issued_at: datetime
    accepted_at: datetime | None
    played_at: datetime | None
    closed_at: datetime | None
    due_at: datetime | None
    due_state: str | None
    postponed_by: tuple[str, ...]
    cancel_asked_by: str | None
    table: str | None
    winner: str | None
    confirmed_winner: str | None
    confirmed_as: str
    confirmed_by: str
    words: str
    may: tuple[str, ...]


def challenge_lines(
    event: Event, rows: Sequence[Challenge], *, actor: Actor, now: datetime, anew: bool = False
) -> list[ChallengeRow]:
    """Return challenges of one event as `actor` sees them, in the order given.

    Args:
        rows: from `selectors.ladders.challenges`, with what these bring along.
        anew: places on the list as it is now, for the answer to an act; else as last worked out.

    So many queries as for one, whatever there is.
    """
    rows, say = list(rows), texts_for(event)
    for row in rows:
        row.words = say(row.words)
    reader = _RowReader(
        ladder=current_ladder(event) if anew else listed_ladder(event),
        names=member_names(
            event, (one for row in rows for one in (row.challenger, row.challenged))
        ),
        places=_places(rows),
        rules=ladder_rules_of(event),
        zone=ZoneInfo(event.club.time_zone),
        who=LadderActor(get_role(actor, event.club_id), own_entrant(actor, event)),
        actor=actor,
        is_open=event.state == "open",
        now=now,
        bylines=bylines(event, {row.confirmed_by_id for row in rows}),
    )
    return [reader.line(row) for row in rows]


def challenge_rows_by_number(event: Event, *, actor: Actor, now: datetime) -> RenderedRows:
    """Return the challenges of an event by number as `actor` sees them, read a part at a time."""

    def dress(rows: Sequence[Challenge]) -> list[ChallengeRow]:
        return challenge_lines(event, rows, actor=actor, now=now) if rows else []

    return RenderedRows(challenge_rows(event), dress)


def challenge_line(
    event: Event, row: Challenge, *, actor: Actor, now: datetime, anew: bool = False
) -> ChallengeRow:
    """Return one challenge as `actor` sees it; `anew` as in `challenge_lines`."""
    return challenge_lines(event, [row], actor=actor, now=now, anew=anew)[0]


@dataclass(frozen=True, slots=True)
class _RowReader:
    ladder: Ladder
    names: Mapping[int, str]
    places: Mapping[int, Mapping[str, int]]
    rules: LadderRules
    zone: ZoneInfo
    who: LadderActor
    actor: Actor
    is_open: bool
    now: datetime
    bylines: Bylines

    def line(self, row: Challenge) -> ChallengeRow:
        asked = scoring_challenge(row)
        # No time runs on a ladder that is not open (ladder_clock.follow_ladder).
        due = due_at(asked, self.zone, self.rules) if self.is_open else None
        postponed = ((row.challenger, row.postponed_c), (row.challenged, row.postponed_d))
        return ChallengeRow(
            number=row.number,
            state=row.state,
            challenger=self._side(row.challenger),
            challenged=self._side(row.challenged),
            issued_at=row.issued_at,
            accepted_at=row.accepted_at,
            played_at=row.played_at,
            closed_at=row.closed_at,
            due_at=due,
            due_state=due_state(asked, due, self.zone, self.rules) if due else None,
            postponed_by=tuple(one.code for one, was_used in postponed if was_used),
            cancel_asked_by=row.cancel_asked_by.code if row.cancel_asked_by else None,
            table=row.game.table.code if row.game else None,
            winner=self._winner(row),
            confirmed_winner=_confirmed_winner(row),
            confirmed_as=row.confirmed_as,
            confirmed_by=self.bylines.get(row.confirmed_by_id or 0, row.confirmed_name),
            words=row.words,
            may=tuple(self._may(row, due)),
        )

    def _side(self, entrant: Entrant) -> ChallengeSide:
        code = entrant.code
        return ChallengeSide(code, self.names.get(entrant.pk, code), self.ladder.place(code))

    def _winner(self, row: Challenge) -> str | None:
        return winner_at(row, self.places.get(row.game_id or 0, {}))

    def _may(self, row: Challenge, due: datetime | None) -> list[str]:
        """Say what may be done now, by the same table as the services; nothing once it is over."""
        own = self.who.own.pk if self.who.own else None
        side = {row.challenger_id: "challenger", row.challenged_id: "challenged"}.get(own or 0, "")
        if not self.is_open or (due is not None and self.now >= due):
            return []
        found = []
        for to, move in moves_from(CHALLENGE, row.state):
            if not may(self.who.role, move.act) or not self.actor.is_within_scope(move.act):
                continue
            is_own = side in PART.get((row.state, to), BOTH)
            is_link = self.who.role == LINK
            if (self.who.is_host or is_own) and not is_link and self._fits(row, to, side):
                found.append(to)
        may_put_off = (self.who.is_host or bool(side)) and self.actor.is_within_scope("challenge")
        used = {"challenger": row.postponed_c, "challenged": row.postponed_d}
        left = not used[side] if side else not all(used.values())
        if row.state == "accepted" and may_put_off and left:
            found.append(POSTPONE)
        return found

    def _fits(self, row: Challenge, to: str, side: str) -> bool:
        if to == "cancelled" and not self.who.is_director:
            own = self.who.own.pk if self.who.own else None
            return bool(side) and row.cancel_asked_by_id != own
        if to == "confirmed" and not self.who.is_host:
            won = self._winner(row)
            return won is not None and self.who.own is not None and won != self.who.own.code
        return True


def _confirmed_winner(row: Challenge) -> str | None:
    step: LadderStep | None = getattr(row, "ladder_step", None)
    winner = step.facts.get("winner") if step else None
    return winner if winner in (row.challenger.code, row.challenged.code) else None


def _places(rows: Sequence[Challenge]) -> Mapping[int, Mapping[str, int]]:
    games = [row.game_id for row in rows if row.game_id]
    found: dict[int, dict[str, int]] = defaultdict(dict)
    if games:
        counted = Contribution.objects.filter(game__in=games, games__gt=0)
        for game, code, place in counted.order_by("pk").values_list(
            "game_id", "entrant__code", "place"
        ):
            found[game][code] = place
    return found
