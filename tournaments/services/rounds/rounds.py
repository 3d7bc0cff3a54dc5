"""Making rounds, taking them through their states, and extending their time."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Final

from django.db.models import Q

from scoring.errors import Problem, Refused
from scoring.json_types import JsonObject
from tournaments.domain.event_settings import settings_of
from tournaments.domain.reasons import require_some_reason
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event, StageKind
from tournaments.models.hands import Game
from tournaments.models.meetings import Attendance, Match, MatchTable, Round, Table
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.seating_plans import SeatingPlan
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.find_players import label_of
from tournaments.selectors.events.change_log import ROUND_KINDS
from tournaments.selectors.events.events import round_has_hands
from tournaments.selectors.events.settings_checks import default_snapshot, require_comparable
from tournaments.selectors.events.stages import posted_rounds
from tournaments.selectors.rounds.round_progress import OVER, has_clock
from tournaments.selectors.rounds.round_seating import (
    attendance_in,
    next_round_number,
    round_seating,
)
from tournaments.selectors.rules.rule_sets import store_snapshot
from tournaments.services.audit.audit import note_change
from tournaments.services.db.locks import lock_event, lock_round
from tournaments.services.db.transactions import atomic_act, unless_taken
from tournaments.services.events.states import (
    pending_imports_of_round,
    reopen_games,
    require_running,
    schedule_finalization,
)
from tournaments.services.events.table_ties import require_ties_decided
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.permissions import require
from tournaments.services.rounds.meetings import meeting_for
from tournaments.services.rounds.notify_rounds import notify_of_round
from tournaments.services.rounds.seating import change_rules
from tournaments.services.rounds.seating_checks import (
    playing_stage,
    require_no_playoff,
    require_round_open,
)
from tournaments.services.rounds.seating_log import audit_round
from tournaments.services.webhooks.delivery import record_round_posted
from tournaments.states import ROUND, find_move, state_problem


def make_matches(round_: Round, plan: SeatingPlan, number: int) -> None:
    """Store the matches of a round that was seated from round `number` of a plan.

    Replaces earlier matches of the round, in the caller's transaction, which holds the round.
    """
    Match.objects.filter(round=round_).delete()
    planned: JsonObject = plan.rounds[number - 1]
    matches = planned.get("matches", ())
    entrants = plan.inputs.get("entrants", ())
    if not matches:
        return
    stored_matches = Match.objects.bulk_create(
        Match(
            club_id=round_.club_id,
            event_id=round_.event_id,
            round=round_,
            number=at,
            first_id=entrants[planned_match["units"][0]],
            second_id=entrants[planned_match["units"][1]],
            forfeited_by_id=_forfeited_by(plan, planned, planned_match),
        )
        for at, planned_match in enumerate(matches, 1)
    )
    tables = dict(Table.objects.filter(round=round_).values_list("number", "pk"))
    MatchTable.objects.bulk_create(
        MatchTable(club_id=round_.club_id, match=match, table_id=tables[table])
        for match, planned_match in zip(stored_matches, matches, strict=True)
        for table in planned_match["tables"]
        if table in tables
    )


def _forfeited_by(plan: SeatingPlan, planned: JsonObject, match: JsonObject) -> int | None:
    """Return the team that has fewer people in the round; None where a match has its tables."""
    if match["tables"]:
        return None
    present = {player for table in planned["tables"] for player in table} | set(
        planned["sitting_out"]
    )
    first, second = (
        sum(player in present for player in plan.inputs["units"][unit]) for unit in match["units"]
    )
    if first == second:
        return None
    short = match["units"][0] if first < second else match["units"][1]
    entrant: int = plan.inputs["entrants"][short]
    return entrant


def require_everybody_placed(round_: Round) -> None:
    """Refuse to post a round unless every present player is seated once or sits out.

    Without attendance of its evening nothing is asked.
    """
    if not Attendance.objects.filter(meeting=round_.meeting_id).exists():
        return
    unplaced, left, _gone = attendance_in(round_, round_seating(round_))
    for code, players in (("present_without_seat", unplaced), ("seated_player_left", left)):
        if players:
            people = Player.objects.filter(pk__in=players).order_by("player_id")
            facts = {"round": round_.number, "players": ", ".join(map(label_of, people))}
            raise Conflict(Problem(code, ("state",), facts))


MOST_EXTRA_MINUTES: Final = 600
"""A round is extended by so much in all."""


@atomic_act
def extend_round(
    *, actor: Actor, round_: Round, minutes: int, now: datetime, based_on: int | None = None
) -> Round:
    """Extend the time of a posted round.

    Args:
        minutes: from 1; added to earlier extensions.
        based_on: the extra minutes that the caller read, so that a button pressed twice extends
            once; None skips the check.
    """
    require(actor, round_.club, "extend_round")
    locked = lock_round(round_)
    if not has_clock(locked.event, locked, settings_of(locked.event)):
        raise Conflict(Problem("round_has_no_clock", (), {"round": locked.number}))
    if based_on is not None and based_on != locked.extra_minutes:
        raise Conflict(
            Problem("round_extended", (), {"round": locked.number, "minutes": locked.extra_minutes})
        )
    most = MOST_EXTRA_MINUTES - locked.extra_minutes
    if not 1 <= minutes <= most:
        raise Refused(
            Problem("bad_minutes", ("minutes",), {"found": minutes, "expected": f"1 to {most}"})
        )
    locked.extra_minutes += minutes
    locked.save(update_fields=["extra_minutes"])
    facts = {"minutes": minutes, "extra_minutes": locked.extra_minutes}
    audit_round(actor, locked, "extend_round", facts, now)
    return locked


LAST_ROUND: Final = 9999


@atomic_act
def make_round(
    *,
    actor: Actor,
    event: Event,
    now: datetime,
    number: int | None = None,
    on: date | None = None,
    variant: str = "",
    options: Mapping[str, object] | None = None,
) -> Round:
    """Make a draft round, the next one where no number is given, on a local date or on none.

    Args:
        variant: what its tables play (id, name or alias) with `options`; empty = the event's own.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    require_running(event)
    if number is None:
        number = next_round_number(event)
    if not 1 <= number <= LAST_ROUND:
        limits = {"found": number, "expected": f"1 to {LAST_ROUND}"}
        raise Refused(Problem("bad_round_number", ("number",), limits))
    snapshot = None
    if variant:
        snapshot = store_snapshot(event=event, variant=variant, options=options)
        require_comparable(event=event, rules=snapshot)
    with unless_taken(Conflict(Problem("round_exists", ("number",), {"round": number}))):
        round_ = Round.objects.create(
            club=event.club,
            event=event,
            stage=playing_stage(event),
            meeting=meeting_for(event, on),
            number=number,
            snapshot=snapshot,
        )
    facts = {"round": number} | ({"variant": snapshot.variant} if snapshot else {})
    audit_round(actor, round_, "make_round", facts, now)
    return round_


@atomic_act
def change_round_game(
    *,
    actor: Actor,
    round_: Round,
    now: datetime,
    variant: str = "",
    options: Mapping[str, object] | None = None,
) -> Round:
    """Change the rules of a round and all its tables, before its first hand.

    Args:
        variant: id, name or alias, with `options`; empty = the event's own game.
    """
    require(actor, round_.club, "manage_event")
    locked = lock_round(round_)
    require_running(locked.event)
    require_no_playoff(locked)
    require_round_open(locked)
    games = Game.objects.filter(table__round=locked).order_by("table__number")
    played = games.filter(Q(hands__isnull=False) | ~Q(state__in=("seated", "abandoned")))
    if code := played.values_list("table__code", flat=True).first():
        raise Conflict(Problem("table_has_hands", facts={"table": code}))
    event = locked.event
    own_game = store_snapshot(event=event, variant=variant, options=options) if variant else None
    locked.snapshot, snapshot = own_game, own_game or default_snapshot(event)
    locked.save(update_fields=["snapshot"])
    change_rules(locked, games, snapshot)
    facts = {"round": locked.number, "variant": snapshot.variant, "options": snapshot.options}
    audit_round(actor, locked, "change_round_game", facts, now)
    return locked


@atomic_act
def remove_round(*, actor: Actor, round_: Round, now: datetime) -> None:
    require(actor, round_.club, "manage_event")
    locked = lock_round(round_)
    if locked.state != "draft" or Table.objects.filter(round=locked).exists():
        raise Conflict(Problem("round_has_tables", facts={"round": locked.number}))
    locked.delete()
    audit_round(actor, round_, "remove_round", {"round": round_.number}, now)


@atomic_act
def move_round(*, actor: Actor, round_: Round, to: str, now: datetime, reason: str = "") -> Round:
    """Take a round from its state to the state `to`, as the table of states allows.

    The event's row is locked, then its games, as an entry locks the one it goes into: a hand is in
    before the round closes, or finds it closed; and the event does not close meanwhile.
    """
    locked = lock_round(round_)
    move = find_move(ROUND, locked.state, to)
    require(actor, locked.club, move.act)
    if move.by:
        raise Conflict(state_problem(ROUND, locked.state, to))
    if move.needs_reason:
        require_some_reason(reason)
    require_no_playoff(locked, "state")
    require_running(locked.event)
    _require_tables_allow(locked, to)
    facts = {"from": locked.state, "to": to, "reason": reason.strip()}
    is_opened_again = (locked.state, to) == ("closed", "playing")
    locked.state, locked.closed_at = to, now if to == "closed" else None
    if to == "posted":
        locked.posted_at, locked.extra_minutes = now, 0
    elif to == "draft":
        locked.posted_at, locked.extra_minutes = None, 0
    locked.save(update_fields=["state", "closed_at", "posted_at", "extra_minutes"])
    if is_opened_again:
        reopen_games(locked)
    schedule_finalization(locked.event)
    version = mark_changed(event=locked.event, now=now)
    note_change(
        event=locked.event,
        version=version,
        kind="reopen_round" if is_opened_again else ROUND_KINDS[to],
        by=get_role(actor, locked.club_id),
        reason=reason,
        now=now,
        facts={"round": locked.number, "from": facts["from"], "to": to},
    )
    if to == "posted":
        record_round_posted(locked, version=version, now=now)
    notify_of_round(actor, locked, now)
    audit_round(actor, locked, "move_round", facts, now)
    return locked


def _require_tables_allow(round_: Round, to: str) -> None:
    games = Game.objects.filter(table__round=round_)
    facts: dict[str, int | str] = {"round": round_.number}
    if to == "posted" and not games.exists():
        raise Conflict(Problem("round_has_no_table", ("state",), facts))
    if to == "posted":
        require_everybody_placed(round_)
        before = posted_rounds(round_.stage).last()
        if round_.stage.kind == StageKind.KNOCKOUT and before is not None:
            # A hand of the round before is in by now, or is later than this one's posting.
            Dirty.objects.select_for_update().filter(scope=event_scope(round_.event_id)).first()
            require_ties_decided(round_.event, before)
    if to == "draft" and round_has_hands(round_):
        raise Conflict(Problem("round_has_hands", ("state",), facts))
    if to == "closed":
        open_ones = games.exclude(state__in=OVER).order_by("table__number")
        if numbers := list(open_ones.values_list("table__number", flat=True)):
            facts["tables"] = ", ".join(map(str, numbers))
            raise Conflict(Problem("games_still_open", ("state",), facts))
        for problem in pending_imports_of_round(round_):
            raise Conflict(problem)
