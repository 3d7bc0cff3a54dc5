"""Write a ladder's log, and keep it up to date with the entrants and the games."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from django.db.models import Q

from scoring.ladders.positions import (
    LEAST_AT_TABLE,
    MOST_AT_TABLE,
    TablePlayed,
    applied,
    replay,
    table_problems,
)
from scoring.ladders.rules import AbsencePeriod, LadderRules, is_away, local_day
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Entrant, EntrantState, Event
from tournaments.models.hands import Game
from tournaments.models.ladders import (
    Challenge,
    ChallengeState,
    LadderAbsence,
    LadderState,
    LadderStep,
)
from tournaments.models.ladders import StepKind as Kind
from tournaments.models.standings import Contribution
from tournaments.policy import command
from tournaments.selectors.ladders.log import BARRED, REASONS, UNFINISHED, erased_members, events_of
from tournaments.services.audit.audit import note_change
from tournaments.services.db.bulk import next_number
from tournaments.services.db.transactions import atomic_step
from tournaments.services.ladders.ask_to_confirm import turn_results
from tournaments.services.operations import Operation
from tournaments.services.webhooks.delivery import record_challenge
from tournaments.states import CHALLENGE, find_move

TURN: Final = 10_000
"""The distance between steps, which leaves numbers for the tables of a round."""


class PlayedGame(NamedTuple):
    """A game that counts and is over, and its day."""

    pk: int
    round_number: int
    table_number: int
    on: date


BEGUN: Final = (Kind.TABLE, Kind.CHALLENGE, Kind.SWEPT)
"""Steps after which the opening positions no longer change."""

LADDER: Final = "ladder"
"""The command that the audit trail names for what a ladder does by itself."""

VOIDED: Final = "void_challenge"

Note: TypeAlias = Callable[[Challenge, str, str], None]
"""Reports a challenge: the kind of its line, and the state that it has."""

_OF_MEMBERS: Final = (Kind.OPENED, Kind.JOINED, Kind.REMOVED)


def lock_ladder_state(event: Event) -> LadderState:
    """Return the state of an event's ladder, locked: steps are numbered one at a time."""
    LadderState.objects.get_or_create(event=event, defaults={"club_id": event.club_id})
    return LadderState.objects.select_for_update(no_key=True).get(event=event)


def add_step(
    event: Event,
    kind: str,
    *,
    on: date,
    entrant: Entrant | None = None,
    challenge: Challenge | None = None,
    week: str = "",
    facts: Mapping[str, object] | None = None,
) -> LadderStep:
    """Add a step after all others; the caller holds `lock_ladder_state`.

    Args:
        on: the local day, for its story only.
    """
    return LadderStep.objects.create(
        club_id=event.club_id,
        event=event,
        number=_next_turn(event) * TURN,
        kind=kind,
        on=on,
        entrant=entrant,
        challenge=challenge,
        week=week,
        facts=dict(facts or {}),
    )


def _next_turn(event: Event) -> int:
    return (next_number(LadderStep.objects.filter(event=event)) - 1) // TURN + 1


def played_games(event: Event) -> list[PlayedGame]:
    """Return the games of an event that count and are over, by round and table; one query.

    A round without an evening has the day of the round before, the first one that on which the
    event was created.
    """
    counted = Contribution.objects.filter(event=event, games__gt=0).values("game_id")
    games = Game.objects.filter(event=event, counts=True, pk__in=counted)
    rows = (
        games.exclude(state__in=UNFINISHED)
        .order_by("table__round__number", "table__number", "pk")
        .values_list("pk", "table__round__number", "table__number", "table__round__meeting__date")
    )
    day = local_day(event.created_at, event.club.zone)
    played = []
    for pk, round_number, table, on in rows:
        day = on or day
        played.append(PlayedGame(pk, round_number, table, day))
    return played


TURNED: Final = "turn_result"
"""Kinds of the lines about what became of a challenge by a correction of its game."""


@atomic_step
def sync_log(event: Event, now: datetime, *, note: Note | None = None) -> None:
    """Write the steps that are missing in an event's log; safe twice.

    Challenges follow their games: a confirmed one may become void, a result to confirm may turn.

    Args:
        now: for the days of steps without a game, and for the deadline of a turned result.
        note: reports what became of a challenge; else it is written at once.

    See docs/algorithms/position-ladder.md (new members, absence).
    """
    lock_ladder_state(event)
    games = played_games(event)
    logged = LadderStep.objects.filter(event=event, game__isnull=False)
    ids = set(logged.values_list("game_id", flat=True))
    new = [game for game in games if game.pk not in ids]
    today = local_day(now, event.club.zone)
    day = min([today, *(game.on for game in new)])
    if not _has_steps(event):
        _open(event, day)
    _join(event, day, today)
    _add_tables(event, new)
    listed, _ = _read_list(event)
    withdrawn = Q(state=EntrantState.WITHDRAWN)
    if event.is_open:  # who was erased before 0.4.0 is still a member
        withdrawn |= Q(pk__in=erased_members(event))
    gone = Entrant.objects.filter(withdrawn, event=event, code__in=listed)
    steps = [
        _step(event, Kind.REMOVED, today, entrant=entrant, facts={"why": "left"})
        for entrant in gone.order_by("pk")
    ]
    _add(event, steps)
    note = note or partial(_note, event, now)
    _void(event, games, note)
    if event.is_open:
        ids = {game.pk for game in games}
        for row in turn_results(event, ids, actor=command(LADDER), now=now):
            note(row, TURNED, row.state)


def has_begun(event: Event) -> bool:
    """Whether a ladder's opening positions are final."""
    return _has_steps(event) or Contribution.objects.filter(event=event, games__gt=0).exists()


def _has_steps(event: Event) -> bool:
    return LadderStep.objects.filter(event=event, kind__in=BEGUN).exists()


def _open(event: Event, day: date) -> None:
    """Begin the log anew if the opening positions changed; they may, until the ladder has begun."""
    placed = Entrant.objects.filter(
        event=event, state=EntrantState.ACTIVE, start_position__isnull=False
    )
    members = list(placed.order_by("start_position").values_list("code", flat=True))
    opened = LadderStep.objects.filter(event=event, kind=Kind.OPENED).first()
    if members == (opened.facts["members"] if opened is not None else []):
        return
    LadderStep.objects.filter(event=event).delete()
    if members:
        _add(event, [_step(event, Kind.OPENED, day, facts={"members": members})])


def _join(event: Event, day: date, today: date) -> None:
    listed, reasons = _read_list(event)
    active = Entrant.objects.filter(event=event, state=EntrantState.ACTIVE).exclude(code__in=listed)
    active = active.exclude(pk__in=erased_members(event))
    absences = LadderAbsence.objects.filter(event=event)
    if "away" not in reasons.values():
        absences = absences.none()
    away = {
        row.entrant_id for row in absences if is_away([AbsencePeriod(row.since, row.until)], today)
    }
    steps = [
        _step(event, Kind.JOINED, day, entrant=entrant)
        for entrant in active.order_by("pk")
        if reasons.get(entrant.code) != "away" or entrant.pk not in away
    ]
    _add(event, steps)


def _read_list(event: Event) -> tuple[set[str], dict[str, str]]:
    listed: set[str] = set()
    reasons: dict[str, str] = {}
    steps = LadderStep.objects.filter(event=event, kind__in=_OF_MEMBERS).order_by("number")
    for kind, code, facts in steps.values_list("kind", "entrant__code", "facts"):
        if kind == Kind.OPENED:
            listed.update(facts["members"])
        elif kind == Kind.JOINED:
            listed.add(code)
        else:
            listed.discard(code)
            reasons[code] = str(facts.get("why", "left"))
    return listed, reasons


def _add_tables(event: Event, games: Sequence[PlayedGame]) -> None:
    """Add a step for each game, by day, round and table; those of a round share the turn of its
    first one.

    The number of a round is a name: an older evening may have been imported later.
    """
    if not games:
        return
    turns = _get_turns(event, {game.round_number for game in games})
    turn = _next_turn(event)
    steps = []
    for game in sorted(games, key=attrgetter("on", "round_number", "table_number", "pk")):
        number = turns.get(game.round_number)
        table = game.table_number
        if number is None or table >= TURN:
            number, turn = turn, turn + 1
            if table < TURN:
                turns[game.round_number] = number
        at = number * TURN + (table if table < TURN else 0)
        steps.append(_step(event, Kind.TABLE, game.on, game_id=game.pk, number=at))
    _bar(event, steps)
    LadderStep.objects.bulk_create(steps, batch_size=500)


def _get_turns(event: Event, rounds: set[int]) -> dict[int, int]:
    steps = LadderStep.objects.filter(event=event, kind=Kind.TABLE)
    rows = steps.values_list("game__table__round__number", "number", "game__table__number")
    return {
        round_number: number // TURN
        for round_number, number, table in rows
        if round_number in rounds and table < TURN
    }


def _bar(event: Event, steps: Sequence[LadderStep]) -> None:
    """Record why a game changes no place: too few or many at the table, or too far apart.

    It is decided once, by the list when the table was first logged: a later correction does not
    change it.
    """
    rules = ladder_rules_of(event)
    if rules.max_span is not None:
        _bar_spans(event, steps, rules)
        return
    sizes = Counter(
        Contribution.objects.filter(event=event, games__gt=0).values_list("game_id", flat=True)
    )
    for step in steps:
        if not LEAST_AT_TABLE <= (n_members := sizes[step.game_id or 0]) <= MOST_AT_TABLE:
            facts = {"found": n_members, "least": LEAST_AT_TABLE, "most": MOST_AT_TABLE}
            step.facts = {BARRED: "ladder_table_size", **facts}


def _bar_spans(event: Event, steps: Sequence[LadderStep], rules: LadderRules) -> None:
    log = events_of(event)
    played = {step.number: step for step in steps}
    tables = {step.number: step for step in events_of(event, pending=steps)}
    ladder = replay(log, rules).ladder
    reached = max((step.number for step in log), default=0)
    for number in sorted(played):
        table = tables.get(number)
        if not isinstance(table, TablePlayed):
            continue
        before = ladder
        if number <= reached:
            before = replay([step for step in log if step.number < number], rules).ladder
        problems = table_problems(before, table.tiers, rules)
        problem = next((problem for problem in problems if problem.code in REASONS), None)
        if problem is not None:
            played[number].facts = {BARRED: problem.code, **problem.facts}
        elif number > reached:
            ladder = applied(ladder, table, rules).ladder


def _void(event: Event, games: Sequence[PlayedGame], note: Note) -> None:
    """Make confirmed challenges void whose game no longer counts, or no longer has both members.

    Not while the game is open again: a hand that was voided may be restored.
    """
    confirmed = Challenge.objects.filter(event=event, state=ChallengeState.CONFIRMED)
    confirmed = confirmed.exclude(game__state__in=UNFINISHED)
    rows = list(confirmed.order_by("pk"))
    if not rows:
        return
    counted = {game.pk for game in games}
    places = Contribution.objects.filter(
        event=event, games__gt=0, game__in=confirmed.values("game")
    )
    played = set(places.values_list("game_id", "entrant_id"))
    for row in rows:
        pair = {(row.game_id, row.challenger_id), (row.game_id, row.challenged_id)}
        if row.game_id not in counted or not pair <= played:
            find_move(CHALLENGE, row.state, ChallengeState.VOID)
            changed = Challenge.objects.filter(pk=row.pk, state=row.state)
            if changed.update(state=ChallengeState.VOID):
                note(row, VOIDED, ChallengeState.VOID)


def _note(event: Event, now: datetime, challenge: Challenge, kind: str, state: str) -> None:
    facts = {"challenge": challenge.number}
    note_change(event=event, kind=kind, by="clock", now=now, facts=facts)
    record_challenge(event, challenge.number, state, now=now)
    Operation(command(LADDER), now).audit(event, facts, name=kind)


def _step(event: Event, kind: str, on: date, **more: object) -> LadderStep:
    return LadderStep(club_id=event.club_id, event=event, kind=kind, on=on, **more)


def _add(event: Event, steps: Sequence[LadderStep]) -> None:
    if not steps:
        return
    for turn, step in enumerate(steps, _next_turn(event)):
        step.number = turn * TURN
    LadderStep.objects.bulk_create(steps, batch_size=500)
