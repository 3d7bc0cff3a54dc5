"""Challenges of a ladder as pages and REST show them: places, deadline, winner, next steps."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Prefetch, Q, QuerySet
from django.utils import formats

from scoring.json_types import JsonDict
from scoring.ladders.challenges import Challenge as ScoringChallenge
from scoring.ladders.challenges import due_at, due_state
from scoring.ladders.rules import LadderRules
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.errors import first_or_missing
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantMember, Event, Visibility
from tournaments.models.ladders import (
    OPEN_CHALLENGES,
    Challenge,
    ChallengeState,
    LadderAbsence,
    LadderStep,
)
from tournaments.policy import DIRECTOR, HOST, LINK, OWNER, Actor, may
from tournaments.selectors.clubs.clubs import get_role, may_do
from tournaments.selectors.clubs.names import NameColumn, name_column, texts_for
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.entrants import entrant_names
from tournaments.selectors.hands.entry_display import bylines
from tournaments.selectors.ladders.challenge_results import (
    NO_PROBLEMS,
    ResultProblems,
    contributions_of,
    problems_of_results,
    result_of,
    stake_of,
)
from tournaments.selectors.ladders.log import current_ladder, listed_ladder, winner_at
from tournaments.states import CHALLENGE, moves_from

CHALLENGER: Final = frozenset({"challenger"})
CHALLENGED: Final = frozenset({"challenged"})
BOTH: Final = CHALLENGER | CHALLENGED

PART: Final = {
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
"""Move → which of the two makes it; every other move is a director's."""

RESULT_OF_HOSTS: Final = frozenset({HOST, DIRECTOR, OWNER})
"""Roles whose results the two report as wrong, and do not withdraw."""

POSTPONE = "postpone"
"""Value in `may` for postponing the game, which is no move of states."""

DISPUTE = "dispute"
"""Value in `may` for reporting that the result is wrong."""


@dataclass(frozen=True, slots=True)
class ChallengeRow:
    """A challenge in full; at `due_at` its state becomes `due_state`.

    Each of the two sides has `player_id`, `player` and `place`, None off the list.
    `winner` is the code of the winner at the table, None without a result; `confirmed_winner` that
    at the confirmation. `stake` has the places of the two now, and after a win of the challenger;
    empty once it is over. `result` is what was entered (`result_of`), None without it, and
    `dispute` the number of the open dispute for which it waits. `may` has the states that the
    reader may set now, `postpone` and `dispute`.
    """

    number: int
    state: str
    challenger: JsonDict
    challenged: JsonDict
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
    stake: tuple[JsonDict, ...]
    result: JsonDict | None
    dispute: int | None


def scoring_challenge(row: Challenge) -> ScoringChallenge:
    """Return a stored challenge, read with its two entrants, for the pure rules."""
    used = {row.challenger.code: row.postponed_c, row.challenged.code: row.postponed_d}
    return ScoringChallenge(
        challenger=row.challenger.code,
        challenged=row.challenged.code,
        state=row.state,
        issued_at=row.issued_at,
        accepted_at=row.accepted_at,
        played_at=row.played_at,
        closed_at=row.closed_at,
        postponed_by=frozenset(code for code, is_used in used.items() if is_used),
    )


def due_with_problems(
    row: Challenge, problems: Mapping[int, ResultProblems], zone: ZoneInfo, rules: LadderRules
) -> datetime | None:
    """Return the deadline of a challenge; None without one.

    A result of which a problem is open has none: it waits for the ruling.
    """
    due = due_at(scoring_challenge(row), zone, rules)
    found = problems.get(row.game_id or 0, NO_PROBLEMS)
    if due is None or row.state != ChallengeState.PLAYED:
        return due
    if found.open_number is not None:
        return None
    if found.ruled_at is None:
        return due
    return max(due, found.ruled_at)


@dataclass(frozen=True, slots=True)
class LadderActor:
    """The role of an actor in the club of a ladder, and the actor's own member of the ladder."""

    role: str
    own: Entrant | None

    @property
    def is_host(self) -> bool:
        """Whether the actor may act for other members, and enter anybody's results."""
        return may(self.role, "enter_hand") and self.role != LINK

    @property
    def is_director(self) -> bool:
        return may(self.role, "manage_event")


def by_when(at: datetime, zone: ZoneInfo, *, day: str = "D j M") -> str:
    """Return a deadline as its last day, in the date format `day`, and its time: midnight is 24:00
    of the day before."""
    local = at.astimezone(zone)
    if (local.hour, local.minute) != (0, 0):
        return formats.date_format(local, f"{day}, H:i")
    return f"{formats.date_format(local - timedelta(hours=1), day)}, 24:00"


def due_in_words(row: Challenge) -> str:
    """Return the deadline of a challenge, as its last day and time; empty without one."""
    zone = row.event.club.zone
    due = due_with_problems(row, problems_of_results([row]), zone, ladder_rules_of(row.event))
    return by_when(due, zone) if due is not None else ""


def challenge_rows(event: Event) -> QuerySet[Challenge]:
    """Return the challenges of an event by number, with members and the table of the game."""
    rows = event.challenges.select_related(
        "challenger",
        "challenged",
        "cancel_asked_by",
        "game__table__round__meeting",
        "game__snapshot",
        "ladder_step",
    )
    return rows.order_by("number")


def open_challenge_rows(event: Event) -> QuerySet[Challenge]:
    return challenge_rows(event).filter(state__in=OPEN_CHALLENGES)


def between(row: Challenge) -> QuerySet[Challenge]:
    pair = (row.challenger_id, row.challenged_id)
    return Challenge.objects.filter(challenger__in=pair, challenged__in=pair)


def challenges_with(event: Event, entrants: Collection[Entrant]) -> QuerySet[Challenge]:
    """Return every challenge of any of these entrants by number, with its two members."""
    pair = Q(challenger__in=entrants) | Q(challenged__in=entrants)
    rows = Challenge.objects.filter(pair, event=event)
    return rows.select_related("challenger", "challenged").order_by("number")


def challenges_of_member(event: Event, code: str) -> QuerySet[Challenge]:
    rows = challenge_rows(event)
    return rows.filter(challenger__code=code) | rows.filter(challenged__code=code)


def challenge_at(event: Event, number: int) -> Challenge:
    rows = challenge_rows(event).filter(number=number)
    return first_or_missing(rows, "challenge", challenge=number)


def open_challenges_of(player: Player) -> QuerySet[Challenge]:
    """Return the open challenges in which a player takes part, of events that are not held."""
    entrants = EntrantMember.objects.filter(player=player).values("entrant")
    is_own = Q(challenger__in=entrants) | Q(challenged__in=entrants)
    rows = Challenge.objects.filter(is_own, club=player.club_id, state__in=OPEN_CHALLENGES)
    return rows.exclude(event__visibility=Visibility.HELD)


def absence_rows(event: Event) -> QuerySet[LadderAbsence]:
    """Return the absences of an event's members by their first day, each with its entrant; none
    for readers outside the club."""
    if not may_do(event, "read_members"):
        return LadderAbsence.objects.none()
    rows = LadderAbsence.objects.filter(event=event).select_related("entrant")
    return rows.order_by("since", "entrant__code")


def member_names(
    event: Event, entrants: Iterable[Entrant], column: NameColumn | None = None
) -> Mapping[int, str]:
    """Return the names of entrants of an event by their ids; three queries.

    Args:
        column: the names to return; else those that the reader of the event may see.
    """
    rows = Entrant.objects.filter(pk__in={entrant.pk for entrant in entrants})
    members = EntrantMember.objects.select_related("player")
    rows = rows.prefetch_related(Prefetch("members", members))
    names = entrant_names(list(rows), column or name_column(event))
    return {row.pk: names[row.pk] or row.code for row in rows}


def ladders_with(ladders: QuerySet[Event], player: Player) -> Iterator[tuple[Event, str]]:
    """Yield the ladders of a player among these events, each with the player's code there."""
    members = EntrantMember.objects.filter(event__in=ladders.values("pk"), player=player)
    codes = dict(members.values_list("event_id", "entrant__code"))
    for event in ladders.filter(pk__in=codes):
        yield event, codes[event.pk]


def own_entrant(actor: Actor, event: Event) -> Entrant | None:
    """Return the entrant of the event with the actor's own player; one query."""
    entrant_members = EntrantMember.objects.filter(event=event)
    if actor.person is not None:
        entrant_members = entrant_members.filter(player=actor.person.player_id)
    elif actor.user_id is not None:
        entrant_members = entrant_members.filter(player__user_id=actor.user_id)
    else:
        return None
    member = entrant_members.select_related("entrant").order_by("entrant__code").first()
    return member.entrant if member else None


def absence_lines(event: Event) -> RenderedRows:
    """Return the absences of an event's members by their first day, for members of its club."""

    def lines(rows: Sequence[LadderAbsence]) -> list[dict[str, object]]:
        names = member_names(event, (row.entrant for row in rows)) if rows else {}
        return [
            {
                "player_id": row.entrant.code,
                "player": names[row.entrant_id],
                "since": row.since,
                "until": row.until,
            }
            for row in rows
        ]

    return RenderedRows(absence_rows(event), lines)


def challenge_lines(
    event: Event, rows: Sequence[Challenge], *, actor: Actor, now: datetime, anew: bool = False
) -> list[ChallengeRow]:
    """Return challenges of one event as `actor` sees them; a fixed number of queries.

    Args:
        rows: from `challenge_rows`.
        anew: whether places are recomputed, for the answer to a write; else as last computed.
    """
    rows, redact = list(rows), texts_for(event)
    for row in rows:
        row.words = redact(row.words)
    if anew:
        ladder = current_ladder(event)
    else:
        ladder = listed_ladder(event)
    contributions = contributions_of(rows)
    entrants = [side for row in rows for side in (row.challenger, row.challenged)]
    entrants += [row.entrant for at_table in contributions.values() for row in at_table]
    names = member_names(event, entrants)
    problems = problems_of_results(rows)
    rules = ladder_rules_of(event)
    zone = event.club.zone
    reader = LadderActor(get_role(actor, event.club_id), own_entrant(actor, event))
    confirmers = bylines(event, {row.confirmed_by_id for row in rows})

    def side(entrant: Entrant) -> JsonDict:
        code = entrant.code
        name = names.get(entrant.pk, code)
        return {"player_id": code, "player": name, "place": ladder.place(code)}

    def line(row: Challenge) -> ChallengeRow:
        challenge = scoring_challenge(row)
        # No time runs on a ladder that is not open (`schedule_ladder`).
        due = due_with_problems(row, problems, zone, rules) if event.is_open else None
        at_table = contributions.get(row.game_id or 0, ())
        places = {each.entrant.code: each.place for each in at_table}
        winner = winner_at(row, places)
        is_open = row.state in OPEN_CHALLENGES
        dispute = problems.get(row.game_id or 0, NO_PROBLEMS).open_number
        is_running = event.is_open and (due is None or now < due)
        postponed = ((row.challenger, row.postponed_c), (row.challenged, row.postponed_d))
        step: LadderStep | None = getattr(row, "ladder_step", None)
        confirmed_winner = step.facts.get("winner") if step else None
        codes = (row.challenger.code, row.challenged.code)
        sides = (side(row.challenger), side(row.challenged))
        return ChallengeRow(
            number=row.number,
            state=row.state,
            challenger=sides[0],
            challenged=sides[1],
            issued_at=row.issued_at,
            accepted_at=row.accepted_at,
            played_at=row.played_at,
            closed_at=row.closed_at,
            due_at=due,
            due_state=due_state(challenge, due, zone, rules) if due else None,
            postponed_by=tuple(entrant.code for entrant, is_used in postponed if is_used),
            cancel_asked_by=row.cancel_asked_by.code if row.cancel_asked_by else None,
            table=row.game.table.code if row.game else None,
            winner=winner,
            confirmed_winner=confirmed_winner if confirmed_winner in codes else None,
            confirmed_as=row.confirmed_as,
            confirmed_by=confirmers.get(row.confirmed_by_id or 0, row.confirmed_name),
            words=row.words,
            may=tuple(_steps_of(reader, actor, row, winner, dispute)) if is_running else (),
            stake=stake_of(ladder, sides, rules) if is_open else (),
            result=result_of(row, at_table, names) if row.game is not None else None,
            dispute=dispute,
        )

    return [line(row) for row in rows]


def challenge_rows_by_number(event: Event, *, actor: Actor, now: datetime) -> RenderedRows:
    """Return the challenges of an event by number as `actor` sees them, read a part at a time."""

    def lines(rows: Sequence[Challenge]) -> list[ChallengeRow]:
        if not rows:
            return []
        return challenge_lines(event, rows, actor=actor, now=now)

    return RenderedRows(challenge_rows(event), lines)


def challenge_line(
    event: Event, row: Challenge, *, actor: Actor, now: datetime, anew: bool = False
) -> ChallengeRow:
    return challenge_lines(event, [row], actor=actor, now=now, anew=anew)[0]


def is_withdrawal_from_host(row: Challenge, to: str) -> bool:
    """Whether a move withdraws a result that a host or director entered, as neither side may."""
    return (row.state, to) == ("played", "accepted") and row.result_as in RESULT_OF_HOSTS


def _is_for_the_director(reader: LadderActor, row: Challenge, to: str, dispute: int | None) -> bool:
    """Whether a director decides first: on a problem of the result, or on a result of a host."""
    if to == "confirmed":
        return dispute is not None
    return not reader.is_host and is_withdrawal_from_host(row, to)


def _steps_of(
    reader: LadderActor, actor: Actor, row: Challenge, winner: str | None, dispute: int | None
) -> Iterator[str]:
    """Yield the states that a reader may set, by the same table as the services, and `postpone`.

    `dispute` is a problem of the result that a director has still to decide: it is confirmed later.
    """
    member_id = reader.own.pk if reader.own else 0
    side = {row.challenger_id: "challenger", row.challenged_id: "challenged"}.get(member_id, "")
    for to, move in moves_from(CHALLENGE, row.state):
        if not may(reader.role, move.right) or not actor.is_within_scope(move.right):
            continue
        is_own = side in PART.get((row.state, to), BOTH)
        if not (reader.is_host or is_own) or reader.role == LINK:
            continue
        if _is_for_the_director(reader, row, to, dispute):
            continue
        if to == "cancelled" and not reader.is_director:
            fits = bool(side) and row.cancel_asked_by_id != member_id
        elif to == "confirmed" and not reader.is_host:
            fits = winner is not None and reader.own is not None and winner != reader.own.code
        else:
            fits = True
        if fits:
            yield to
    may_dispute = bool(side) and reader.role != LINK and actor.is_within_scope("confirm_result")
    if row.state == "played" and may_dispute and may(reader.role, "confirm_result"):
        yield DISPUTE
    used = {"challenger": row.postponed_c, "challenged": row.postponed_d}
    is_left = not used[side] if side else not all(used.values())
    may_postpone = (reader.is_host or bool(side)) and actor.is_within_scope("challenge")
    if row.state == "accepted" and may_postpone and is_left:
        yield POSTPONE
