"""Neutral players of a play-off, in chairs from which nobody plays for a place.

Such a chair belongs to no member. A player in it does not count, even one who competes in the event
or is out of the play-off; a member who is out keeps their chair. See docs/algorithms/playoffs.md.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from django.db.models import Max

from scoring.errors import Problem, Refused, listed
from scoring.playoffs.progress import FINISHED, MOST_HANDS, lot_problems, step_problems
from tournaments.domain.reasons import BAD_REASON, require_reason
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantMember, Event
from tournaments.models.hands import Hand
from tournaments.models.playoffs import (
    LIVE,
    Playoff,
    PlayoffState,
    PlayoffStepKind,
    is_unanswered,
    plays_at,
)
from tournaments.models.rounds import Seat, Sitting
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.find_players import named_players
from tournaments.selectors.stages import get_stage, valid_playoffs
from tournaments.services.db.locks import lock_event
from tournaments.services.operations import Operation, operation
from tournaments.services.playoffs.log import add_step, read_log
from tournaments.services.playoffs.playoffs import (
    WAIVED,
    AuditContext,
    PlayoffUpdate,
    create_playoff,
    lock_playoff,
    place_member_last,
    record_playoff_updates,
    schedule_playoff,
    update_playoff,
    void_playoff,
)
from tournaments.services.playoffs.tables import close_rounds
from tournaments.services.stages.advancing import BEGIN, TiedAtCut
from tournaments.services.stages.plan_stages import qualified_to_begin

NeutralChair: TypeAlias = tuple[Seat, Sitting | None]
"""A chair for a neutral player, and who sits there now."""

NOT_NEUTRAL: Final = (
    *("too_many_neutral_players", "nobody_of_that_name", "name_of_several", "player_is_merged"),
    *("same_player_twice", "player_already_seated"),
)
OF_A_PLAYOFF: Final = (
    *("unknown_playoff", "event_is_final", "playoff_waived", "playoff_void", "playoff_state"),
    "playoff_over",
)
WHY: Final = ("no_show", "withdrawn")
ANSWERS: Final = ("keep", "redo")


def seat_neutrals_in(playoff: Playoff, players: Sequence[str]) -> tuple[str, ...]:
    """Seat people in the chairs of neutral players, clockwise, from the next hand on.

    The caller holds the play-off's games and row. An empty text leaves the chair as it is. Returns
    the ids of who sits somewhere else now.
    """
    if playoff.state in FINISHED:
        raise Conflict(Problem("playoff_over"))
    _require_not_waived(playoff)
    if playoff.state not in LIVE or playoff.stage_id is None:
        facts = {"found": playoff.state, "wanted": "scheduled"}
        raise Conflict(Problem("playoff_state", ("players",), facts))
    texts = [text.strip() for text in players]
    while texts and not texts[-1]:
        texts.pop()
    chairs = free_chairs(playoff)
    if len(texts) > len(chairs):
        limits = {"found": len(texts), "expected": len(chairs)}
        raise Refused(Problem("too_many_neutral_players", ("players",), limits))
    neutrals = _resolve_neutrals(playoff, texts, chairs)
    tables = {seat.table_id for seat, _ in chairs}
    rows = Hand.objects.filter(game__table__in=tables).order_by().values("game__table")
    last = dict(rows.annotate(last=Max("number")).values_list("game__table", "last"))
    moving = {player.pk for player in neutrals.values()}
    for seat, sitting in chairs:
        if sitting and (seat.pk in neutrals or sitting.player_id in moving):
            last_hand = last.get(seat.table_id, 0)
            if sitting.from_hand > last_hand:
                sitting.delete()
            else:
                Sitting.objects.filter(pk=sitting.pk).update(to_hand=last_hand)
    for seat, _ in chairs:
        if seat.pk in neutrals:
            Sitting.objects.create(
                club_id=playoff.club_id,
                seat=seat,
                round_id=seat.table.round_id,
                player=neutrals[seat.pk],
                from_hand=last.get(seat.table_id, 0) + 1,
            )
    return tuple(neutrals[seat.pk].player_id for seat, _ in chairs if seat.pk in neutrals)


def free_chairs(playoff: Playoff) -> list[NeutralChair]:
    seats = Seat.objects.filter(table__round__stage=playoff.stage_id)
    seats = seats.exclude(table__round__state="closed").select_related("table")
    open_sittings = Sitting.objects.filter(seat__in=seats, to_hand__isnull=True)
    sittings = {sitting.seat_id: sitting for sitting in open_sittings.select_related("player")}
    members = EntrantMember.objects.filter(
        event=playoff.event_id, entrant__in=playoff.members.values("entrant")
    )
    codes = dict(members.values_list("player_id", "entrant__code"))
    chairs = []
    for seat in seats.order_by("table__number", "number"):
        sitting = sittings.get(seat.pk)
        code = codes.get(sitting.player_id) if sitting is not None else None
        if code is None or not plays_at(playoff, seat.table.code, code):
            chairs.append((seat, sitting))
    return chairs


def _resolve_neutrals(
    playoff: Playoff, texts: Sequence[str], chairs: Sequence[NeutralChair]
) -> dict[int, Player]:
    people = named_players(playoff.club)
    rounds = {seat.table.round_id for seat, _ in chairs}
    rows = Sitting.objects.filter(round__in=rounds, to_hand__isnull=True)
    elsewhere = rows.exclude(seat__in=[seat.pk for seat, _ in chairs])
    tables = dict(elsewhere.values_list("player_id", "seat__table__number"))
    neutrals: dict[int, Player] = {}
    problems: list[Problem] = []
    for place, (text, (seat, _)) in enumerate(zip(texts, chairs, strict=False)):
        if not text:
            continue
        player = people.meant(text, ("players", place), but=set(tables))
        if isinstance(player, Problem):
            problems.append(player)
        elif player in neutrals.values():
            facts = {"player": player.name, "player_id": player.player_id}
            problems.append(Problem("same_player_twice", ("players", place), facts))
        elif player.pk in tables:
            at_table = {"player": player.name, "table": tables[player.pk]}
            problems.append(Problem("player_already_seated", ("players", place), at_table))
        else:
            neutrals[seat.pk] = player
    refuse_any(problems)
    stays = {seat.pk: sitting.player_id for seat, sitting in chairs if sitting}
    return {seat: player for seat, player in neutrals.items() if stays.get(seat) != player.pk}


def _lock(
    op: Operation, event: Event, number: int, reason: str | None = None, *, when_final: bool = False
) -> tuple[Playoff, AuditContext]:
    """Lock the play-off; with `when_final` one that is over may be changed in a final event."""
    if reason is not None:
        require_reason(reason)
    playoff = lock_playoff(event, number)
    is_over = playoff.state not in LIVE or playoff.is_waived
    if event.state == "final" and is_over and not when_final:
        raise Conflict(Problem("event_is_final"))
    role = get_role(op.actor, event.club_id)
    return playoff, AuditContext(op.actor, role, (reason or "").strip())


@operation("manage_event", locks=lock_event, refuses=("nothing_tied", *BEGIN))
def play_off_tie(op: Operation, event: Event, /, *, number: int) -> Playoff:
    """Create a play-off for the tie that keeps a stage from beginning; a lot can decide it, too."""
    stage = get_stage(event, number)
    try:
        qualified_to_begin(stage)
    except TiedAtCut as tied:
        need = tied.need
    else:
        raise Conflict(Problem("nothing_tied", facts={"stage": stage.title}))
    if (playoff := valid_playoffs(event).filter(key=need.key).first()) is not None:
        facts = {"playoff": playoff.number, "stage": f"stage {number}"}
        raise Conflict(Problem("cut_playoff_open", ("advance",), facts))
    by = AuditContext(op.actor, get_role(op.actor, event.club_id))
    created = create_playoff(event, need, by=by, now=op.now)
    record_playoff_updates(created, now=op.now, mark=False)
    return created.playoff


@operation("manage_event", locks=lock_event, refuses=(*OF_A_PLAYOFF, *BAD_REASON))
def move_playoff(
    op: Operation, event: Event, /, *, number: int, to: str, reason: str = "", seed: str = ""
) -> Playoff:
    """Prepare a play-off, draw lots among the undecided members, or set it to `void`."""
    moves: Mapping[str, Callable[[Operation, Playoff, AuditContext], None]] = {
        PlayoffState.SCHEDULED: _schedule,
        PlayoffState.BY_LOT: partial(_draw_lots, seed=seed),
        PlayoffState.VOID: _void,
    }
    needs_reason = to == PlayoffState.VOID
    playoff, by = _lock(op, event, number, reason if needs_reason else None)
    if to not in moves:
        facts = {"found": playoff.state, "wanted": str(to)}
        raise Conflict(Problem("playoff_state", ("to",), facts))
    moves[to](op, playoff, AuditContext(op.actor, by.role, reason.strip()))
    return playoff


def _schedule(op: Operation, playoff: Playoff, by: AuditContext) -> None:
    refuse_any(step_problems(playoff.state, PlayoffState.SCHEDULED))
    _require_not_waived(playoff)
    record_playoff_updates(schedule_playoff(playoff, by=by, now=op.now), now=op.now)


@operation("manage_event", locks=lock_event, refuses=(*OF_A_PLAYOFF, *NOT_NEUTRAL))
def seat_neutrals(
    op: Operation, event: Event, /, *, number: int, players: Sequence[str]
) -> Playoff:
    """Set the players for the seats of neutral players; their scores do not count."""
    playoff, by = _lock(op, event, number)
    if ids := seat_neutrals_in(playoff, players):
        update = PlayoffUpdate(playoff, "seat_neutral_players", {"players": ", ".join(ids)}, by)
        record_playoff_updates(update, now=op.now, mark=False)
    return playoff


def _draw_lots(op: Operation, playoff: Playoff, by: AuditContext, *, seed: str) -> None:
    log = read_log(playoff)
    refuse_any(lot_problems(playoff.state, log.now))
    _require_not_waived(playoff)
    # The event's seed is published: from that anybody could work the lot out beforehand.
    facts = {"seed": seed or secrets.token_hex(8)}
    add_step(playoff, PlayoffStepKind.LOTS, now=op.now, by=by.role, facts=facts)
    outcome = update_playoff(playoff, read_log(playoff), by=by, now=op.now)
    facts_of_lot = {**facts, "result": playoff.result}
    update = PlayoffUpdate(playoff, "draw_lots", facts_of_lot, by, *outcome)
    record_playoff_updates(update, now=op.now)


def _void(op: Operation, playoff: Playoff, by: AuditContext) -> None:
    # The publication of a final event without another play-off would not have it looked for.
    update = void_playoff(playoff, "void_playoff", by=by, now=op.now)
    record_playoff_updates(update, now=op.now, look=True)


@operation(
    "manage_event",
    locks=lock_event,
    refuses=(*OF_A_PLAYOFF, "bad_choice", "playoff_stranger", "playoff_placed"),
)
def retire_member(
    op: Operation, event: Event, /, *, number: int, player_id: str, why: str
) -> Playoff:
    """Place a member last who does not come or gives up; the last remaining member wins."""
    playoff, by = _lock(op, event, number)
    if why not in WHY:
        raise Refused(_bad_choice("why", why, WHY))
    entrant = Entrant.objects.filter(event=event, code=player_id).first()
    if entrant is None or not playoff.members.filter(entrant=entrant).exists():
        raise Refused(Problem("playoff_stranger", ("player_id",), {"member": player_id}))
    _require_not_waived(playoff)
    record_playoff_updates(place_member_last(playoff, entrant, why, by=by, now=op.now), now=op.now)
    return playoff


@operation("manage_event", locks=lock_event, refuses=(*OF_A_PLAYOFF, "bad_number_of_hands"))
def extend_playoff(op: Operation, event: Event, /, *, number: int, hands: int) -> Playoff:
    """Allow further hands in a play-off."""
    playoff, by = _lock(op, event, number)
    if not 1 <= hands <= MOST_HANDS:
        facts = {"found": hands, "expected": f"1 to {MOST_HANDS}"}
        raise Refused(Problem("bad_number_of_hands", ("hands",), facts))
    if playoff.state in FINISHED:
        raise Conflict(Problem("playoff_over"))
    refuse_any(step_problems(playoff.state, PlayoffState.IN_PLAY))
    _require_not_waived(playoff)
    add_step(playoff, PlayoffStepKind.EXTENDED, now=op.now, by=by.role, facts={"hands": hands})
    outcome = update_playoff(playoff, read_log(playoff), by=by, now=op.now)
    update = PlayoffUpdate(playoff, "extend_playoff", {"hands": hands}, by, *outcome)
    record_playoff_updates(update, now=op.now)
    return playoff


@operation(
    "manage_event", locks=lock_event, refuses=(*OF_A_PLAYOFF, "table_place_shared", *BAD_REASON)
)
def waive_playoff(op: Operation, event: Event, /, *, number: int, reason: str) -> Playoff:
    """Let the tied members share their places, with a reason; the play-off is then not played."""
    playoff, by = _lock(op, event, number, reason)
    if playoff.state not in LIVE:
        raise Conflict(Problem("playoff_void" if playoff.state == "void" else "playoff_over"))
    if playoff.is_of_table:
        raise Refused(Problem("table_place_shared"))
    _require_not_waived(playoff)
    playoff.is_waived, playoff.reason = True, by.reason
    close_rounds(playoff, op.now)
    was = playoff.state
    update_playoff(playoff, read_log(playoff), by=by, now=op.now)
    update = PlayoffUpdate(playoff, "waive_playoff", {"reason": by.reason}, by, (was, WAIVED))
    record_playoff_updates(update, now=op.now)
    return playoff


@operation(
    "manage_event",
    locks=lock_event,
    refuses=(*OF_A_PLAYOFF, "bad_choice", "playoff_not_asked", *BAD_REASON),
)
def answer_playoff(
    op: Operation, event: Event, /, *, number: int, answer: str, reason: str
) -> Playoff:
    """Keep the result of a finished play-off whose group has changed, or play it again."""
    playoff, by = _lock(op, event, number, reason, when_final=True)
    if answer not in ANSWERS:
        raise Refused(_bad_choice("answer", answer, ANSWERS))
    if not is_unanswered(playoff.asked):
        raise Conflict(Problem("playoff_not_asked", ("answer",), {"playoff": number}))
    facts = {"answer": answer, "reason": by.reason}
    update = PlayoffUpdate(playoff, "answer_playoff", facts, by)
    if answer == "redo":
        update = replace(void_playoff(playoff, "answer_playoff", by=by, now=op.now), facts=facts)
    else:
        playoff.asked = {**(playoff.asked or {}), "answer": answer}
        playoff.reason = by.reason
        playoff.save(update_fields=["asked", "reason"])
    record_playoff_updates(update, now=op.now, look=answer == "redo")  # as `_void` does
    return playoff


def _require_not_waived(playoff: Playoff) -> None:
    if playoff.is_waived:
        raise Conflict(Problem("playoff_waived"))


def _bad_choice(field: str, text: str, choices: tuple[str, ...]) -> Problem:
    facts = {"field": field, "found": text, "known": listed(choices)}
    return Problem("bad_choice", (field,), facts)
