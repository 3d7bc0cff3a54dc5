"""Writes a ladder's log, and keeps it in step with the entrants and the games."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Max

from scoring.ladders.absence_and_deadlines import AbsencePeriod, is_away, local_day
from scoring.ladders.positions import LadderEvent, TablePlayed
from scoring.ladders.replay import (
    LEAST_AT_TABLE,
    MOST_AT_TABLE,
    Ladder,
    applied,
    replay,
    table_problems,
)
from scoring.ladders.rules import LadderRules
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
from tournaments.selectors.ladders.log import BARRED, UNFINISHED, events_of
from tournaments.services.audit.audit import append_audit
from tournaments.services.audit.change_log import note_change
from tournaments.services.db.transactions import atomic_act
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.webhooks.record_event import record_challenge
from tournaments.states import CHALLENGE, find_move

TURN: Final = 10_000
"""Steps are this far apart: between two of them there is room for the tables of a round."""


def locked_state(event: Event) -> LadderState:
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
    """Add a step after all others; the caller holds `locked_state`.

    Args:
        on: the local day, for its story only.
    """
    return LadderStep.objects.create(
        club_id=event.club_id,
        event=event,
        number=next_turn(event) * TURN,
        kind=kind,
        on=on,
        entrant=entrant,
        challenge=challenge,
        week=week,
        facts=dict(facts or {}),
    )


def next_turn(event: Event) -> int:
    """Return the turn after the last one there is."""
    last = LadderStep.objects.filter(event=event).aggregate(last=Max("number"))["last"]
    return (last or 0) // TURN + 1


class PlayedGame(NamedTuple):
    """A game that counts and is over; `on` is the day it was played, `rules` its snapshot's id."""

    id: int
    round: int
    table: int
    on: date
    rules: int


def played_games(event: Event) -> list[PlayedGame]:
    """Return the games of an event that count and are over, by round and table; one query.

    A round without an evening was played when the one before it was, and the first one on the day
    on which the event was made, so that every game has its day whoever asks and whenever.
    """
    counted = Contribution.objects.filter(event=event, games__gt=0).values("game_id")
    games = Game.objects.filter(event=event, counts=True, pk__in=counted)
    rows = (
        games.exclude(state__in=UNFINISHED)
        .order_by("table__round__number", "table__number", "pk")
        .values_list(
            "pk",
            "table__round__number",
            "table__number",
            "table__round__meeting__date",
            "snapshot_id",
        )
    )
    day = local_day(event.created_at, ZoneInfo(event.club.time_zone))
    found = []
    for pk, of_round, table, on, rules in rows:
        day = on or day
        found.append(PlayedGame(pk, of_round, table, day, rules))
    return found


BEGUN: Final = (Kind.TABLE, Kind.CHALLENGE, Kind.SWEPT)
"""Steps after which the opening positions stay as they are."""
SYSTEM: Final = command("ladder")


_OF_MEMBERS: Final = (Kind.OPENED, Kind.JOINED, Kind.REMOVED)


@atomic_act
def sync_log(
    event: Event, now: datetime, *, note_void: Callable[[Challenge], None] | None = None
) -> None:
    """Write the steps that are missing in an event's log; safe twice.

    Args:
        now: for the days of what no game dates.
        note_void: tells of a challenge that became void, where the caller keeps that for its end.

    See docs/algorithms/position-ladder.md (new members, absence).
    """
    locked_state(event)
    games = played_games(event)
    there = set(LadderStep.objects.filter(event=event, game__isnull=False).values_list("game_id"))
    new = [game for game in games if (game.id,) not in there]
    today = local_day(now, ZoneInfo(event.club.time_zone))
    day = min([today, *(game.on for game in new)])
    if not has_steps(event):
        _open(event, day)
    _join(event, day, today)
    _add_tables(event, new)
    _remove(event, today)
    _void(event, games, note_void or partial(_note_void, event, now))


def has_begun(event: Event) -> bool:
    """Return whether a ladder's opening positions may not change any more."""
    return has_steps(event) or Contribution.objects.filter(event=event, games__gt=0).exists()


def has_steps(event: Event) -> bool:
    """Return whether anything has moved, or could have moved, somebody on the list."""
    return LadderStep.objects.filter(event=event, kind__in=BEGUN).exists()


def _open(event: Event, day: date) -> None:
    """Write the opening positions, again where they are other ones by now."""
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
    """Let in at the bottom who is active and not on the list, in the order of their coming."""
    here, why_gone = _on_list(event)
    active = Entrant.objects.filter(event=event, state=EntrantState.ACTIVE).exclude(code__in=here)
    away = _away(event, today) if "away" in why_gone.values() else frozenset()
    _add(
        event,
        [
            _step(event, Kind.JOINED, day, entrant=one)
            for one in active.order_by("pk")
            if why_gone.get(one.code) != "away" or one.pk not in away
        ],
    )


def _remove(event: Event, today: date) -> None:
    """Take off the list who has withdrawn from the event."""
    here, _ = _on_list(event)
    gone = Entrant.objects.filter(event=event, state=EntrantState.WITHDRAWN, code__in=here)
    _add(
        event,
        [
            _step(event, Kind.REMOVED, today, entrant=one, facts={"why": "left"})
            for one in gone.order_by("pk")
        ],
    )


def _on_list(event: Event) -> tuple[set[str], dict[str, str]]:
    """Who is on the list by the log, and why each of the others left it."""
    here: set[str] = set()
    gone: dict[str, str] = {}
    steps = LadderStep.objects.filter(event=event, kind__in=_OF_MEMBERS).order_by("number")
    for kind, code, facts in steps.values_list("kind", "entrant__code", "facts"):
        if kind == Kind.OPENED:
            here.update(facts["members"])
        elif kind == Kind.JOINED:
            here.add(code)
        else:
            here.discard(code)
            gone[code] = str(facts.get("why", "left"))
    return here, gone


def _away(event: Event, today: date) -> frozenset[int]:
    """Ids of who is away today."""
    rows = LadderAbsence.objects.filter(event=event).values_list("entrant_id", "since", "until")
    return frozenset(
        one for one, since, until in rows if is_away([AbsencePeriod(since, until)], today)
    )


def _add_tables(event: Event, games: Sequence[PlayedGame]) -> None:
    """Give each of these games its step: tables of a round share the turn of its first one."""
    if not games:
        return
    turns = _turns(event, {game.round for game in games})
    turn = next_turn(event)
    steps = []
    for game in games:
        number = turns.get(game.round)
        if number is None or game.table >= TURN:
            number, turn = turn, turn + 1
            if game.table < TURN:
                turns[game.round] = number
        at = number * TURN + (game.table if game.table < TURN else 0)
        steps.append(_step(event, Kind.TABLE, game.on, game_id=game.id, number=at))
    _bar(event, steps)
    LadderStep.objects.bulk_create(steps, batch_size=500)


def _turns(event: Event, rounds: Iterable[int]) -> dict[int, int]:
    steps = LadderStep.objects.filter(event=event, kind=Kind.TABLE)
    rows = steps.values_list("game__table__round__number", "number", "game__table__number")
    wanted = set(rounds)
    return {
        of_round: number // TURN
        for of_round, number, table in rows
        if of_round in wanted and table < TURN
    }


def _bar(event: Event, steps: Sequence[LadderStep]) -> None:
    """Note what keeps a game from moving anybody: too few or many at the table, too far apart.

    Judged once, on the list as it stood when the table was first seen, like any rule about what
    may be played: a later correction neither lets it in nor shuts it out.
    """
    rules = ladder_rules_of(event)
    if rules.max_span is not None:
        _bar_spans(event, steps, rules)
        return
    sizes = Counter(
        Contribution.objects.filter(event=event, games__gt=0).values_list("game_id", flat=True)
    )
    for step in steps:
        if not LEAST_AT_TABLE <= sizes[step.game_id or 0] <= MOST_AT_TABLE:
            step.facts = {BARRED: "ladder_table_size"}


def _bar_spans(event: Event, steps: Sequence[LadderStep], rules: LadderRules) -> None:
    log = events_of(event)
    played = {step.number: step for step in steps}
    tables = {one.number: one for one in events_of(event, pending=steps)}
    ladder, reached = replay(log, rules).ladder, max((one.number for one in log), default=0)
    for number in sorted(played):
        table = tables.get(number)
        if not isinstance(table, TablePlayed):
            continue
        before = ladder if number > reached else _before(log, number, rules)
        problems = table_problems(before, table.tiers, rules)
        codes = [
            problem.code
            for problem in problems
            if problem.code in ("ladder_table_size", "ladder_span")
        ]
        if codes:
            played[number].facts = {BARRED: codes[0]}
        elif number > reached:
            ladder = applied(ladder, table, rules).ladder


def _before(log: Sequence[LadderEvent], number: int, rules: LadderRules) -> Ladder:
    return replay([one for one in log if one.number < number], rules).ladder


def _void(
    event: Event, games: Sequence[PlayedGame], note_void: Callable[[Challenge], None]
) -> None:
    """Make confirmed challenges void whose game counts no more, or is not theirs any more.

    Not while that game is taken up again: a hand that was voided may be restored.
    """
    confirmed = Challenge.objects.filter(event=event, state=ChallengeState.CONFIRMED)
    confirmed = confirmed.exclude(game__state__in=UNFINISHED)
    rows = list(confirmed.order_by("pk"))
    if not rows:
        return
    counted = {game.id for game in games}
    places = Contribution.objects.filter(
        event=event, games__gt=0, game__in=confirmed.values("game")
    )
    played = set(places.values_list("game_id", "entrant_id"))
    for row in rows:
        both = {(row.game_id, row.challenger_id), (row.game_id, row.challenged_id)}
        if row.game_id not in counted or not both <= played:
            find_move(CHALLENGE, row.state, ChallengeState.VOID)
            changed = Challenge.objects.filter(pk=row.pk, state=row.state)
            if changed.update(state=ChallengeState.VOID):
                note_void(row)


def _note_void(event: Event, now: datetime, challenge: Challenge) -> None:
    facts = {"challenge": challenge.number}
    version = mark_changed(event=event, now=now)
    note_change(
        event=event, version=version, kind="void_challenge", by="clock", now=now, facts=facts
    )
    record_challenge(event, challenge.number, "void", now=now)
    append_audit(
        club=event.club,
        actor=SYSTEM,
        act="void_challenge",
        subject=f"event:{event.slug}",
        facts=facts,
        now=now,
    )


def _step(event: Event, kind: str, on: date, **more: object) -> LadderStep:
    return LadderStep(club_id=event.club_id, event=event, kind=kind, on=on, **more)


def _add(event: Event, steps: Sequence[LadderStep]) -> None:
    """Store steps after all others, each with a turn of its own."""
    if not steps:
        return
    for turn, step in enumerate(steps, next_turn(event)):
        step.number = turn * TURN
    LadderStep.objects.bulk_create(steps, batch_size=500)
