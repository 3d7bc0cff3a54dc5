"""Neutral players of a play-off, in chairs from which nobody plays for a place.

Such a chair belongs to no member. A player in it does not count, even one who competes in the event
or is out of the play-off; a member who is out keeps their chair. See docs/algorithms/playoffs.md.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final, TypeAlias

from django.db.models import Max

from scoring.errors import Problem, Refused, listed
from scoring.playoffs.progress import MOST_HANDS
from scoring.playoffs.states import FINISHED, lot_problems, step_problems
from tournaments.domain.reasons import require_reason
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantMember, Event
from tournaments.models.hands import Hand
from tournaments.models.meetings import Seat, Sitting
from tournaments.models.playoffs import (
    LIVE,
    Playoff,
    PlayoffState,
    PlayoffStepKind,
    is_unanswered,
    plays_at,
)
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.find_players import named_players
from tournaments.selectors.events.stages import get_stage, stage_title
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require
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
from tournaments.services.stages.advancing import TiedAtCut
from tournaments.services.stages.plan_stages import qualified_to_begin

NeutralChair: TypeAlias = tuple[Seat, Sitting | None]
"""A chair for a neutral player, and who sits there now."""


def seat_neutrals_in(playoff: Playoff, players: Sequence[str]) -> tuple[str, ...]:
    """Seat people in the chairs of neutral players, clockwise, from the next hand on.

    The caller holds the play-off's games and row. An empty text leaves the chair as it is. Returns
    the ids of who sits somewhere else now.
    """
    if playoff.state in FINISHED:
        raise Refused(Problem("playoff_over"))
    _require_not_waived(playoff)
    if playoff.state not in LIVE or playoff.stage_id is None:
        facts = {"found": playoff.state, "wanted": "scheduled"}
        raise Refused(Problem("playoff_state", ("players",), facts))
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
    """Return the chairs at open tables that are no member's, clockwise."""
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


WHY: Final = ("no_show", "withdrawn")
ANSWERS: Final = ("keep", "redo")


def lock_for_director(
    actor: Actor, event: Event, number: int, reason: str | None = None, *, when_final: bool = False
) -> tuple[Playoff, AuditContext]:
    """Lock the event and the play-off, and check that the actor may manage it.

    With `when_final` a play-off that is over may be changed in a final event.
    """
    require(actor, event.club, "manage_event")
    if reason is not None:
        require_reason(reason)
    role = get_role(actor, event.club_id)
    event = lock_event(event)
    playoff = lock_playoff(event, number)
    is_over = playoff.state not in LIVE or playoff.is_waived
    if event.state == "final" and is_over and not when_final:
        raise Conflict(Problem("event_is_final"))
    return playoff, AuditContext(actor, role, (reason or "").strip())


@atomic_act
def play_off_tie(*, actor: Actor, event: Event, number: int, now: datetime) -> Playoff:
    """Create the play-off of the tie that keeps a planned stage from beginning.

    The director may draw the lot instead of having it played.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    stage = get_stage(event, number)
    try:
        qualified_to_begin(stage)
    except TiedAtCut as tied:
        need = tied.need
    else:
        raise Conflict(Problem("nothing_tied", facts={"stage": stage_title(stage)}))
    playoffs = Playoff.objects.filter(event=event, key=need.key).exclude(state=PlayoffState.VOID)
    if (playoff := playoffs.first()) is not None:
        facts = {"playoff": playoff.number, "stage": f"stage {number}"}
        raise Conflict(Problem("cut_playoff_open", ("advance",), facts))
    by = AuditContext(actor, get_role(actor, event.club_id))
    created = create_playoff(event, need, by=by, now=now)
    record_playoff_updates(created, now=now, mark=False)
    return created.playoff


@atomic_act
def move_playoff(
    *,
    actor: Actor,
    event: Event,
    number: int,
    to: str,
    now: datetime,
    reason: str = "",
    seed: str = "",
) -> Playoff:
    """Move a play-off to `scheduled`, `by_lot` or `void`; the other states follow from hands.

    If it becomes void while its tie remains, the tie is detected again and played from the start.

    Args:
        seed: for a test; by default a new random seed, unknown beforehand.
    """
    moves: Mapping[str, Callable[[Playoff, AuditContext, datetime], None]] = {
        PlayoffState.SCHEDULED: _schedule,
        PlayoffState.BY_LOT: partial(_draw_lots, seed=seed),
        PlayoffState.VOID: _void,
    }
    needs_reason = to == PlayoffState.VOID
    playoff, by = lock_for_director(actor, event, number, reason if needs_reason else None)
    if to not in moves:
        facts = {"found": playoff.state, "wanted": str(to)}
        raise Refused(Problem("playoff_state", ("to",), facts))
    moves[to](playoff, AuditContext(actor, by.role, reason.strip()), now)
    return playoff


def _schedule(playoff: Playoff, by: AuditContext, now: datetime) -> None:
    refuse_any(step_problems(playoff.state, PlayoffState.SCHEDULED))
    _require_not_waived(playoff)
    record_playoff_updates(schedule_playoff(playoff, by=by, now=now), now=now)


@atomic_act
def seat_neutrals(
    *, actor: Actor, event: Event, number: int, players: Sequence[str], now: datetime
) -> Playoff:
    playoff, by = lock_for_director(actor, event, number)
    if ids := seat_neutrals_in(playoff, players):
        facts = {"players": ", ".join(ids)}
        record_playoff_updates(
            PlayoffUpdate(playoff, "seat_neutral_players", facts, by), now=now, mark=False
        )
    return playoff


def _draw_lots(playoff: Playoff, by: AuditContext, now: datetime, *, seed: str) -> None:
    log = read_log(playoff)
    refuse_any(lot_problems(playoff.state, log.now))
    _require_not_waived(playoff)
    # The event's seed is published: from that anybody could work the lot out beforehand.
    facts = {"seed": seed or secrets.token_hex(8)}
    add_step(playoff, PlayoffStepKind.LOTS, now=now, by=by.role, facts=facts)
    outcome = update_playoff(playoff, read_log(playoff), by=by, now=now)
    facts_of_lot = {**facts, "result": playoff.result}
    update = PlayoffUpdate(playoff, "draw_lots", facts_of_lot, by, *outcome)
    record_playoff_updates(update, now=now)


def _void(playoff: Playoff, by: AuditContext, now: datetime) -> None:
    # The publication of a final event without another play-off would not have it looked for.
    record_playoff_updates(
        void_playoff(playoff, "void_playoff", by=by, now=now), now=now, look=True
    )


@atomic_act
def retire_member(
    *, actor: Actor, event: Event, number: int, player_id: str, why: str, now: datetime
) -> Playoff:
    """Place a member last who is absent (`no_show`) or gives up (`withdrawn`)."""
    playoff, by = lock_for_director(actor, event, number)
    if why not in WHY:
        raise Refused(_bad_choice("why", why, WHY))
    entrant = Entrant.objects.filter(event=event, code=player_id).first()
    if entrant is None or not playoff.members.filter(entrant=entrant).exists():
        raise Refused(Problem("playoff_stranger", ("player_id",), {"member": player_id}))
    _require_not_waived(playoff)
    record_playoff_updates(place_member_last(playoff, entrant, why, by=by, now=now), now=now)
    return playoff


@atomic_act
def extend_playoff(
    *, actor: Actor, event: Event, number: int, hands: int, now: datetime
) -> Playoff:
    playoff, by = lock_for_director(actor, event, number)
    if not 1 <= hands <= MOST_HANDS:
        facts = {"found": hands, "expected": f"1 to {MOST_HANDS}"}
        raise Refused(Problem("bad_number_of_hands", ("hands",), facts))
    if playoff.state in FINISHED:
        raise Refused(Problem("playoff_over"))
    refuse_any(step_problems(playoff.state, PlayoffState.IN_PLAY))
    _require_not_waived(playoff)
    add_step(playoff, PlayoffStepKind.EXTENDED, now=now, by=by.role, facts={"hands": hands})
    outcome = update_playoff(playoff, read_log(playoff), by=by, now=now)
    update = PlayoffUpdate(playoff, "extend_playoff", {"hands": hands}, by, *outcome)
    record_playoff_updates(update, now=now)
    return playoff


@atomic_act
def waive_playoff(
    *, actor: Actor, event: Event, number: int, reason: str, now: datetime
) -> Playoff:
    """Let the tied members share the place: the play-off is not played and blocks nothing."""
    playoff, by = lock_for_director(actor, event, number, reason)
    if playoff.state not in LIVE:
        raise Refused(Problem("playoff_void" if playoff.state == "void" else "playoff_over"))
    if playoff.is_of_table:
        raise Refused(Problem("table_place_shared"))
    _require_not_waived(playoff)
    playoff.is_waived, playoff.reason = True, by.reason
    close_rounds(playoff, now)
    was = playoff.state
    update_playoff(playoff, read_log(playoff), by=by, now=now)
    update = PlayoffUpdate(playoff, "waive_playoff", {"reason": by.reason}, by, (was, WAIVED))
    record_playoff_updates(update, now=now)
    return playoff


@atomic_act
def answer_playoff(
    *, actor: Actor, event: Event, number: int, answer: str, reason: str, now: datetime
) -> Playoff:
    """Keep or replay a finished play-off whose group a correction has changed.

    `keep`: its result remains until something changes again. `redo`: it becomes void, and those
    tied now play.
    """
    playoff, by = lock_for_director(actor, event, number, reason, when_final=True)
    if answer not in ANSWERS:
        raise Refused(_bad_choice("answer", answer, ANSWERS))
    if not is_unanswered(playoff.asked):
        raise Conflict(Problem("playoff_not_asked", ("answer",), {"playoff": number}))
    facts = {"answer": answer, "reason": by.reason}
    update = PlayoffUpdate(playoff, "answer_playoff", facts, by)
    if answer == "redo":
        update = replace(void_playoff(playoff, "answer_playoff", by=by, now=now), facts=facts)
    else:
        playoff.asked = {**(playoff.asked or {}), "answer": answer}
        playoff.reason = by.reason
        playoff.save(update_fields=["asked", "reason"])
    record_playoff_updates(update, now=now, look=answer == "redo")  # as `_void` has it looked for
    return playoff


def _require_not_waived(playoff: Playoff) -> None:
    if playoff.is_waived:
        raise Refused(Problem("playoff_waived"))


def _bad_choice(field: str, text: str, choices: tuple[str, ...]) -> Problem:
    facts = {"field": field, "found": text, "known": listed(choices)}
    return Problem("bad_choice", (field,), facts)
