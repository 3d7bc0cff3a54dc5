"""Making rounds, taking them through their states, extending their time; notices about them."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta
from typing import Final

from django.db.models import Max, Q

from scoring.errors import Problem, Refused
from scoring.json_types import JsonObject
from tournaments.domain.event_settings import settings_of
from tournaments.domain.notices import Recipients
from tournaments.domain.reasons import BAD_REASON, require_some_reason
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event, StageKind
from tournaments.models.hands import Game
from tournaments.models.jobs import EVENING_RESULT, Deadline, Dirty, event_scope
from tournaments.models.rounds import (
    Attendance,
    EndedBy,
    Match,
    MatchTable,
    Meeting,
    Round,
    RoundState,
    Sitting,
    Table,
)
from tournaments.models.seating_plans import SeatingPlan
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.find_players import label_of
from tournaments.selectors.events.change_log import ROUND_KINDS
from tournaments.selectors.events.events import round_has_hands
from tournaments.selectors.events.meetings import LULL, is_old, posted_rounds_of
from tournaments.selectors.events.settings_checks import default_snapshot, require_comparable
from tournaments.selectors.jobs.queue import get_change_time, get_progress_of_all
from tournaments.selectors.rounds.round_progress import OVER, is_timed
from tournaments.selectors.rounds.round_seating import (
    attendance_in,
    next_round_number,
    round_seating,
)
from tournaments.selectors.rules.rule_sets import store_snapshot
from tournaments.selectors.stages import posted_rounds
from tournaments.services.attendance.gathering import gather
from tournaments.services.audit.audit import note_change
from tournaments.services.db.locks import lock_event, lock_round
from tournaments.services.db.transactions import unless_taken
from tournaments.services.events.events import BAD_RULES
from tournaments.services.events.states import (
    pending_imports_of_round,
    reopen_games,
    require_running,
    schedule_finalization,
)
from tournaments.services.events.table_ties import require_ties_decided
from tournaments.services.jobs.enqueue import DeadlineOutcome, set_deadline
from tournaments.services.notices.notifications import notify
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.evening_hours import note_continued, set_hour
from tournaments.services.rounds.meetings import meeting_for
from tournaments.services.rounds.next_tables import notify_next_tables
from tournaments.services.rounds.seating import change_rules
from tournaments.services.rounds.seating_checks import (
    NOT_COMPARABLE,
    SEATED,
    playing_stage,
    require_no_playoff,
    require_round_open,
)
from tournaments.services.webhooks.delivery import record_round_posted
from tournaments.states import ROUND, find_move, state_problem

DIGEST: Final = "digest"
"""Kind of the deadlines by which 0.5.0 sends an evening's results; `key` is the meeting's id."""

LONGEST_WAIT: Final = timedelta(hours=4)
"""Longest time from the last round to its results, however often these change."""

LOOK_AGAIN: Final = timedelta(minutes=1)

MOST_EXTRA_MINUTES: Final = 600
"""Maximum number of minutes by which a round is extended in all."""

LAST_ROUND: Final = 9999

NOT_MADE: Final = (
    "event_is_over",
    "bad_round_number",
    "round_exists",
    "bad_day",
    "meeting_is_cancelled",
    *BAD_RULES,
    *NOT_COMPARABLE,
)
"""Error codes of a new round."""

NOT_MOVED: Final = (
    "unknown_round",
    "state_not_allowed",
    "round_of_a_playoff",
    "event_is_over",
    *BAD_REASON,
    "round_has_no_table",
    "present_without_seat",
    "seated_player_left",
    "round_has_hands",
    "games_still_open",
    "import_waits",
    "import_running",
    "import_undoing",
    "table_tie_open",
    "table_tie_found",
    "wild_card_tie_open",
    "wild_card_tie_found",
)
"""Error codes of a change of a round's state."""


def make_matches(round_: Round, plan: SeatingPlan, number: int) -> None:
    """Store the matches of a round that was seated from round `number` of a plan.

    Replaces earlier matches of the round, in the caller's transaction, which holds the round.
    """
    Match.objects.filter(round=round_).delete()
    planned: JsonObject = plan.rounds[number - 1]
    planned_matches = planned.get("matches", ())
    if not planned_matches:
        return
    entrants = plan.inputs.get("entrants", ())
    matches = []
    for match_number, planned_match in enumerate(planned_matches, 1):
        first, second = planned_match["units"]
        match = Match(
            club_id=round_.club_id,
            event_id=round_.event_id,
            round=round_,
            number=match_number,
            first_id=entrants[first],
            second_id=entrants[second],
            forfeited_by_id=_forfeited_by(plan, planned, planned_match),
        )
        matches.append(match)
    Match.objects.bulk_create(matches)

    tables = dict(Table.objects.filter(round=round_).values_list("number", "pk"))
    match_tables = []
    for match, planned_match in zip(matches, planned_matches, strict=True):
        for table_number in planned_match["tables"]:
            if table_number in tables:
                table_id = tables[table_number]
                match_table = MatchTable(club_id=round_.club_id, match=match, table_id=table_id)
                match_tables.append(match_table)
    MatchTable.objects.bulk_create(match_tables)


def _forfeited_by(plan: SeatingPlan, planned: JsonObject, match: JsonObject) -> int | None:
    """Return the team that has fewer people in the round; None where a match has its tables."""
    if match["tables"]:
        return None
    present = set(planned["sitting_out"]).union(*planned["tables"])
    members = plan.inputs["units"]
    first, second = match["units"]
    n_first = sum(player in present for player in members[first])
    n_second = sum(player in present for player in members[second])
    if n_first == n_second:
        return None
    smaller = first if n_first < n_second else second
    entrant: int = plan.inputs["entrants"][smaller]
    return entrant


def require_everybody_placed(round_: Round) -> None:
    """Refuse to post a round unless every present player is seated once or sits out.

    Without attendance of its evening nothing is asked.
    """
    if not Attendance.objects.filter(meeting=round_.meeting_id).exists():
        return
    unplaced, gone_but_seated, _gone = attendance_in(round_, round_seating(round_))
    for code, player_ids in (
        ("present_without_seat", unplaced),
        ("seated_player_left", gone_but_seated),
    ):
        if not player_ids:
            continue
        players = Player.objects.filter(pk__in=player_ids).order_by("player_id")
        facts = {
            "round": round_.number,
            "players": ", ".join(map(label_of, players)),
            "ids": ",".join(player.player_id for player in players),
        }
        raise Conflict(Problem(code, ("state",), facts))


@operation(
    "extend_round",
    locks=lock_round,
    refuses=("unknown_round", "round_has_no_clock", "round_extended", "bad_minutes"),
)
def extend_round(
    op: Operation, round_: Round, /, *, minutes: int, based_on: int | None = None
) -> Round:
    """Extend the clock of a round by some minutes; for hosts and directors.

    If no clock runs in the round, the answer is 409 (`round_has_no_clock`).
    """
    if not settings_of(round_.event).round_minutes or not is_timed(round_.event, round_):
        raise Conflict(Problem("round_has_no_clock", facts={"round": round_.number}))
    # A button that is pressed twice extends once: it sends the extra minutes that were read.
    if based_on is not None and based_on != round_.extra_minutes:
        facts = {"round": round_.number, "minutes": round_.extra_minutes}
        raise Conflict(Problem("round_extended", facts=facts))
    most = MOST_EXTRA_MINUTES - round_.extra_minutes
    if not 1 <= minutes <= most:
        limits = {"found": minutes, "expected": f"1 to {most}"}
        raise Refused(Problem("bad_minutes", ("minutes",), limits))
    round_.extra_minutes += minutes
    round_.save(update_fields=["extra_minutes"])
    op.audit(round_, {"minutes": minutes, "extra_minutes": round_.extra_minutes})
    return round_


@operation("manage_event", locks=lock_event, requires=require_running, refuses=NOT_MADE)
def make_round(
    op: Operation,
    event: Event,
    /,
    *,
    number: int | None = None,
    on: date | None = None,
    variant: str = "",
    options: Mapping[str, object] | None = None,
) -> Round:
    """Make a draft round, the next one where no number is given, on a local date or on none.

    Args:
        variant: what its tables play (id, name or alias) with `options`; empty = the event's own.
    """
    if number is None:
        number = next_round_number(event)
    if not 1 <= number <= LAST_ROUND:
        limits = {"found": number, "expected": f"1 to {LAST_ROUND}"}
        raise Refused(Problem("bad_round_number", ("number",), limits))
    facts: dict[str, object] = {"round": number}
    snapshot = None
    if variant:
        snapshot = store_snapshot(event=event, variant=variant, options=options)
        require_comparable(event=event, rules=snapshot)
        facts["variant"] = snapshot.variant
    with unless_taken(Conflict(Problem("round_exists", ("number",), {"round": number}))):
        round_ = Round.objects.create(
            club=event.club,
            event=event,
            stage=playing_stage(event),
            meeting=meeting_for(event, on, now=op.now),
            number=number,
            snapshot=snapshot,
        )
    op.audit(round_, facts)
    return round_


@operation(
    "manage_event",
    locks=lock_round,
    refuses=(
        "unknown_round",
        "event_is_over",
        "round_of_a_playoff",
        "round_is_closed",
        "table_has_hands",
        *BAD_RULES,
        *SEATED,
    ),
)
def change_round_game(
    op: Operation,
    round_: Round,
    /,
    *,
    variant: str = "",
    options: Mapping[str, object] | None = None,
) -> Round:
    """Change the variant of a round and all its tables, before the first hand of the round.

    Without `variant` they play the variant of the event.
    """
    event = round_.event
    require_running(event)
    require_no_playoff(round_)
    require_round_open(round_)
    games = Game.objects.filter(table__round=round_).order_by("table__number")
    played = games.filter(Q(hands__isnull=False) | ~Q(state__in=("seated", "abandoned")))
    table_code = played.values_list("table__code", flat=True).first()
    if table_code:
        raise Conflict(Problem("table_has_hands", facts={"table": table_code}))

    if variant:
        snapshot = store_snapshot(event=event, variant=variant, options=options)
        round_.snapshot = snapshot
    else:
        snapshot = default_snapshot(event)
        round_.snapshot = None
    round_.save(update_fields=["snapshot"])
    change_rules(round_, games, snapshot)
    facts = {"round": round_.number, "variant": snapshot.variant, "options": snapshot.options}
    op.audit(round_, facts)
    return round_


@operation("manage_event", locks=lock_round, refuses=("unknown_round", "round_has_tables"))
def remove_round(op: Operation, round_: Round, /) -> None:
    """Remove a draft round without tables."""
    if round_.state != "draft" or Table.objects.filter(round=round_).exists():
        raise Conflict(Problem("round_has_tables", facts={"round": round_.number}))
    round_.delete()
    op.audit(round_, {"round": round_.number})


@operation("manage_event", locks=lock_round, refuses=NOT_MOVED, right_in_body=True)
def move_round(op: Operation, round_: Round, /, *, to: str, reason: str = "") -> Round:
    """Take a round from its state to the state `to`, as the table of states allows.

    The event's row is locked, then its games, as an entry locks the one it goes into: a hand is in
    before the round closes, or finds it closed; and the event does not close meanwhile.
    """
    state_before = round_.state
    move = find_move(ROUND, state_before, to)
    op.require(move.right, round_)
    if move.by:
        raise Conflict(state_problem(ROUND, state_before, to))
    if move.needs_reason:
        require_some_reason(reason)
    require_no_playoff(round_, "state")
    require_running(round_.event)
    _require_tables_allow(round_, to)

    round_.state = to
    round_.closed_at = op.now if to == "closed" else None
    if to == "posted":
        round_.posted_at = op.now
        round_.extra_minutes = 0
    elif to == "draft":
        round_.posted_at = None
        round_.extra_minutes = 0
    round_.save(update_fields=["state", "closed_at", "posted_at", "extra_minutes"])
    if state_before == "closed" and to == "playing":
        kind = "reopen_round"
        reopen_games(round_)
    else:
        kind = ROUND_KINDS[to]

    schedule_finalization(round_.event)
    version = op.mark(round_.event)
    note_change(
        event=round_.event,
        version=version,
        kind=kind,
        by=get_role(op.actor, round_.club_id),
        reason=reason,
        now=op.now,
        facts={"round": round_.number, "from": state_before, "to": to},
    )
    if to == "posted":
        gather(round_.event, round_.meeting, now=op.now)
        record_round_posted(round_, version=version, now=op.now)
    notify_of_round(op.actor, round_, op.now)
    if round_.meeting_id is not None:
        note_continued(round_.event, [round_.meeting_id], now=op.now, actor=op.actor)
    op.audit(round_, {"from": state_before, "to": to, "reason": reason.strip()})
    return round_


def _require_tables_allow(round_: Round, to: str) -> None:
    """Refuse a move of a round that its tables, hands or imports do not allow."""
    games = Game.objects.filter(table__round=round_)
    facts: dict[str, int | str] = {"round": round_.number}
    if to == "posted":
        if not games.exists():
            raise Conflict(Problem("round_has_no_table", ("state",), facts))
        require_everybody_placed(round_)
        round_before = posted_rounds(round_.stage).last()
        if round_.stage.kind == StageKind.KNOCKOUT and round_before is not None:
            # A hand of the round before is in by now, or is later than this one's posting.
            Dirty.objects.select_for_update().filter(scope=event_scope(round_.event_id)).first()
            require_ties_decided(round_.event, round_before)
    elif to == "draft":
        if round_has_hands(round_):
            raise Conflict(Problem("round_has_hands", ("state",), facts))
    elif to == "closed":
        open_games = games.exclude(state__in=OVER).order_by("table__number")
        numbers = open_games.values_list("table__number", flat=True)
        if numbers:
            facts["tables"] = ", ".join(map(str, numbers))
            raise Conflict(Problem("games_still_open", ("state",), facts))
        for problem in pending_imports_of_round(round_):
            raise Conflict(problem)


def notify_of_round(actor: Actor, round_: Round, now: datetime) -> None:
    """Tell what follows from the state of a round that was just moved; the caller holds it.

    Nobody is told of an old evening, whose sheets are brought in afterwards.
    """
    meeting = round_.meeting
    if meeting is not None:
        set_hour(round_.event, meeting)
        if round_.state == RoundState.DRAFT:
            # Without this round the evening may be over again, and its table another than then.
            set_deadline(round_.event, EVENING_RESULT, now + LULL, key=str(meeting.pk))
    if meeting is not None and is_old(meeting, now):
        return
    if round_.state == RoundState.POSTED:
        notify_next_tables(actor, round_, round_.club, now)


def notify_of_tables(actor: Actor, meeting: Meeting, codes: Collection[str], now: datetime) -> None:
    """Tell people that they sit at one of these tables of a posted round, formed just now."""
    if is_old(meeting, now):
        return
    tables = Table.objects.filter(event=meeting.event_id, code__in=codes).select_related("round")
    tables_by_round: dict[Round, set[int]] = {}
    for table in tables.order_by("pk"):
        tables_by_round.setdefault(table.round, set()).add(table.pk)
    for round_, table_ids in tables_by_round.items():
        notify_next_tables(actor, round_, meeting.event.club, now, among=table_ids)


def run_digest(event: Event, deadline: Deadline, now: datetime) -> DeadlineOutcome:
    """Notify the players of an evening that was over before this release, an hour after its rounds.

    0.5.0 set the deadline. Every other evening is announced with its result, once it is over.
    """
    meeting = Meeting.objects.filter(event=event, pk=int(deadline.key)).first()
    if meeting is None or meeting.ended_by != EndedBy.RECORD or is_old(meeting, now):
        return DeadlineOutcome(None)
    rounds = posted_rounds_of(meeting)
    if rounds.exclude(state=RoundState.CLOSED).exists():
        return DeadlineOutcome(None)
    if get_progress_of_all(event.pk).is_behind:
        return DeadlineOutcome(now + LOOK_AGAIN)
    changed_at = get_change_time(event.pk)
    ended_at = rounds.aggregate(at=Max("closed_at"))["at"]
    if changed_at is not None and ended_at is not None:
        quiet_at = min(changed_at + LULL, ended_at + LONGEST_WAIT)
        if quiet_at > now:
            return DeadlineOutcome(quiet_at)
    sittings = Sitting.objects.filter(round__in=rounds)
    notify(
        club=event.club,
        to=Recipients.of(sittings.values_list("player_id", "player__user_id")),
        kind="digest",
        key=str(meeting.pk),
        facts={"meeting": meeting.pk},
        now=now,
    )
    return DeadlineOutcome(None, "sent")
