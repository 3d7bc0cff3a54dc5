"""What a director does with a play-off: who did not come, more hands, lots, waiving, answering.

The event's row comes first, for rounds and stages are numbered through it. In a final event a
director answers what a correction asks, and directs only what one has opened again. Everything
stands on `playoffs.update_playoff`; see there for what is locked. See docs/algorithms/playoffs.md.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from scoring.errors import Problem, Refused, listed
from scoring.playoffs.rules import MOST_HANDS
from scoring.playoffs.states import FINISHED, lot_problems, step_problems
from tournaments.domain.reasons import reason_problems
from tournaments.errors import Conflict
from tournaments.models.events import Entrant, Event
from tournaments.models.playoffs import (
    LIVE,
    Playoff,
    PlayoffState,
    PlayoffStepKind,
    is_unanswered,
)
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import role_of
from tournaments.selectors.events.cuts import stage_title
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require
from tournaments.services.playoffs.create_playoff import create_playoff, schedule_playoff
from tournaments.services.playoffs.log import add_step, read_log
from tournaments.services.playoffs.neutral_players import seat_neutrals_in
from tournaments.services.playoffs.playoffs import (
    WAIVED,
    AuditContext,
    PlayoffUpdate,
    locked_playoff,
    place_member_last,
    record_playoff_updates,
    update_playoff,
    void_playoff,
)
from tournaments.services.playoffs.tables import close_rounds
from tournaments.services.stages.advancing import TiedAtCut
from tournaments.services.stages.begin_stage import qualified_to_begin

WHY: Final = ("no_show", "withdrawn")
ANSWERS: Final = ("keep", "redo")
SEAT_NEUTRALS: Final = "seat_neutral_players"


def lock_for_director(
    actor: Actor,
    event: Event,
    number: int,
    reason: str | None = None,
    *,
    when_final: bool = False,
) -> tuple[Playoff, AuditContext]:
    """Return the play-off, locked after its event, for who may direct that, with a reason where one
    is due.

    Args:
        when_final: whether it may be done in a final event to a play-off that is over, too.

    Raises:
        Conflict: event_is_final, where it is over in one.
    """
    require(actor, event.club, "manage_event")
    if reason is not None and (problems := tuple(reason_problems(reason))):
        raise Refused(*problems)
    role = role_of(actor, event.club_id)
    event = lock_event(event)
    playoff = locked_playoff(event, number)
    is_over = playoff.state not in LIVE or playoff.is_waived
    if event.state == "final" and is_over and not when_final:
        raise Conflict(Problem("event_is_final"))
    return playoff, AuditContext(actor, role, (reason or "").strip())


@atomic_act
def play_off_tie(*, actor: Actor, event: Event, number: int, now: datetime) -> Playoff:
    """Create the play-off of the tie that keeps a planned stage from beginning.

    The director may draw the lot instead of having it played.

    Raises:
        Forbidden: manage_event.
        Missing: stage.
        Conflict: nothing_tied, and those of `begin_stage`.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    try:
        stage = qualified_to_begin(event, number)[0]
    except TiedAtCut as tied:
        need = tied.need
    else:
        raise Conflict(Problem("nothing_tied", facts={"stage": stage_title(stage)}))
    there = Playoff.objects.filter(event=event, key=need.key).exclude(state=PlayoffState.VOID)
    if (playoff := there.first()) is not None:
        facts = {"playoff": playoff.number, "stage": f"stage {number}"}
        raise Conflict(Problem("cut_playoff_open", ("advance",), facts))
    by = AuditContext(actor, role_of(actor, event.club_id))
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
    """Take a play-off to `scheduled`, `by_lot` or `void`; the other states follow from hands.

    Making one void while its tie stands has it detected anew: it is played from the start.

    Args:
        seed: for a test; else lots are drawn from a fresh one, which nobody knows before.

    Raises:
        Forbidden: manage_event.
        Missing: unknown_playoff.
        Refused: reason_required for void; playoff_state, playoff_void, playoff_over,
            playoff_waived.
        Conflict: event_is_final.
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
    if problems := step_problems(playoff.state, PlayoffState.SCHEDULED):
        raise Refused(*problems)
    _require_not_waived(playoff)
    record_playoff_updates(schedule_playoff(playoff, by=by, now=now), now=now)


@atomic_act
def seat_neutrals(
    *, actor: Actor, event: Event, number: int, players: Sequence[str], now: datetime
) -> Playoff:
    """Say who sits in the chairs of neutral players at the open tables of a play-off.

    Raises:
        Forbidden: manage_event.
        Missing: unknown_playoff.
        Refused: those of `seat_neutrals_in`.
        Conflict: event_is_final.
    """
    playoff, by = lock_for_director(actor, event, number)
    if said := seat_neutrals_in(playoff, players):
        facts = {"players": ", ".join(said)}
        record_playoff_updates(
            PlayoffUpdate(playoff, SEAT_NEUTRALS, facts, by), now=now, mark=False
        )
    return playoff


def _draw_lots(playoff: Playoff, by: AuditContext, now: datetime, *, seed: str) -> None:
    log = read_log(playoff)
    if problems := lot_problems(playoff.state, log.now):
        raise Refused(*problems)
    _require_not_waived(playoff)
    # The event's seed is published: from that anybody could work the lot out beforehand.
    facts = {"seed": seed or secrets.token_hex(8)}
    add_step(playoff, PlayoffStepKind.LOTS, now=now, by=by.role, facts=facts)
    move = update_playoff(playoff, read_log(playoff), by=by, now=now)
    said = {**facts, "result": playoff.result}
    done = PlayoffUpdate(playoff, "draw_lots", said, by, move.moved, move.posted)
    record_playoff_updates(done, now=now)


def _void(playoff: Playoff, by: AuditContext, now: datetime) -> None:
    # The publication of a final event without another play-off would not have it looked for.
    record_playoff_updates(
        void_playoff(playoff, "void_playoff", by=by, now=now), now=now, look=True
    )


@atomic_act
def retire_member(
    *, actor: Actor, event: Event, number: int, player_id: str, why: str, now: datetime
) -> Playoff:
    """Place a member last who does not come (`no_show`) or gives up (`withdrawn`).

    Raises:
        Forbidden: manage_event.
        Missing: unknown_playoff.
        Refused: bad_choice of `why`; playoff_stranger, playoff_placed, playoff_over,
            playoff_void, playoff_state.
        Conflict: event_is_final.
    """
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
    """Allow so many hands more than there were to be.

    Raises:
        Forbidden: manage_event.
        Missing: unknown_playoff.
        Refused: bad_number_of_hands; playoff_over, playoff_void, playoff_state, playoff_waived.
        Conflict: event_is_final.
    """
    playoff, by = lock_for_director(actor, event, number)
    if not 1 <= hands <= MOST_HANDS:
        facts = {"found": hands, "expected": f"1 to {MOST_HANDS}"}
        raise Refused(Problem("bad_number_of_hands", ("hands",), facts))
    if playoff.state in FINISHED:
        raise Refused(Problem("playoff_over"))
    if problems := step_problems(playoff.state, PlayoffState.IN_PLAY):
        raise Refused(*problems)
    _require_not_waived(playoff)
    add_step(playoff, PlayoffStepKind.EXTENDED, now=now, by=by.role, facts={"hands": hands})
    move = update_playoff(playoff, read_log(playoff), by=by, now=now)
    done = PlayoffUpdate(playoff, "extend_playoff", {"hands": hands}, by, move.moved, move.posted)
    record_playoff_updates(done, now=now)
    return playoff


@atomic_act
def waive_playoff(
    *, actor: Actor, event: Event, number: int, reason: str, now: datetime
) -> Playoff:
    """Let those who are tied share: the play-off is not played, and holds nothing up.

    Raises:
        Forbidden: manage_event.
        Missing: unknown_playoff.
        Refused: reason_required, bad_text; playoff_over, playoff_void, playoff_waived,
            table_place_shared.
        Conflict: event_is_final.
    """
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
    done = PlayoffUpdate(playoff, "waive_playoff", {"reason": by.reason}, by, (was, WAIVED))
    record_playoff_updates(done, now=now)
    return playoff


@atomic_act
def answer_playoff(
    *, actor: Actor, event: Event, number: int, answer: str, reason: str, now: datetime
) -> Playoff:
    """Say what becomes of a finished play-off whose group a correction has changed.

    `keep`: its result stands until something changes again. `redo`: it is void, and whoever is
    tied now plays.

    Raises:
        Forbidden: manage_event.
        Missing: unknown_playoff.
        Refused: reason_required, bad_text, bad_choice.
        Conflict: playoff_not_asked.
    """
    playoff, by = lock_for_director(actor, event, number, reason, when_final=True)
    if answer not in ANSWERS:
        raise Refused(_bad_choice("answer", answer, ANSWERS))
    if not is_unanswered(playoff.asked):
        raise Conflict(Problem("playoff_not_asked", ("answer",), {"playoff": number}))
    facts = {"answer": answer, "reason": by.reason}
    done = PlayoffUpdate(playoff, "answer_playoff", facts, by)
    if answer == "redo":
        done = replace(void_playoff(playoff, "answer_playoff", by=by, now=now), facts=facts)
    else:
        playoff.asked = {**(playoff.asked or {}), "answer": answer}
        playoff.reason = by.reason
        playoff.save(update_fields=["asked", "reason"])
    record_playoff_updates(done, now=now, look=answer == "redo")  # as `_void` has it looked for
    return playoff


def _require_not_waived(playoff: Playoff) -> None:
    if playoff.is_waived:
        raise Refused(Problem("playoff_waived"))


def _bad_choice(field: str, found: str, known: tuple[str, ...]) -> Problem:
    return Problem("bad_choice", (field,), {"field": field, "found": found, "known": listed(known)})
