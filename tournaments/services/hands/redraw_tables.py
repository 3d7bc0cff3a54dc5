"""Redrawing a round after hands were entered: the tables without hands, or all of them.

A redraw of all tables abandons those that play: their hands do not count and stay in the history,
and their players sit down at tables with new numbers."""

from collections.abc import Mapping, Sequence
from typing import Final

from scoring.errors import Problem, Refused, shown
from tournaments.domain.reasons import BAD_REASON, require_reason
from tournaments.errors import Conflict
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game, GameState, Hand
from tournaments.models.ladders import Challenge
from tournaments.models.rounds import Round, SitOutReason
from tournaments.models.standings import Contribution
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.rounds.round_seating import (
    RoundSeating,
    evening_number,
    list_absent,
    round_seating,
)
from tournaments.services.db.locks import lock_round
from tournaments.services.events.states import require_running
from tournaments.services.hands.void_hand import empty_hands, note_voids
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.arrange_round import (
    NOT_ARRANGED,
    SeatingTarget,
    seat_all_present,
    seating_facts,
)
from tournaments.services.rounds.seating import note_seating, places_in
from tournaments.services.rounds.seating_checks import end_sittings_of, require_ordinary
from tournaments.services.seating_plans.form_tables import draw_tables
from tournaments.services.totals.counted_games import lock_aggregates

SCOPES: Final = ("unplayed", "all")
BY_PLAN: Final = "plan"
"""Over REST a round is redrawn by its chosen plan as well (`plan_rounds.redraw_round`)."""
AGAIN: Final = "again"
"""Over REST a draft is drawn again as well (`drafts.draw_round_again`)."""


@operation(
    "manage_event",
    locks=lock_round,
    refuses=(
        *("bad_redraw_scope", "no_table_to_redraw", "redraw_complete_tables", "too_few_to_seat"),
        *("redraw_discards_hands", "challenge_needs_players", "table_of_a_playoff"),
        *(*BAD_REASON, *NOT_ARRANGED),
    ),
)
def redraw_tables(
    op: Operation,
    round_: Round,
    /,
    *,
    scope: str,
    reason: str = "",
    hands: int = 0,
    tag: str | None = None,
    split_sides: bool = False,
) -> Round:
    """Seat the players of a round's tables again, with the fewest repeats, in one operation.

    Args:
        scope: `unplayed`, the tables without hands, or `all`, which abandons those in play.
        reason: required once a hand was entered in the round.
        hands: the number of discarded hands that the director confirmed, with `all`.
        tag: of the seating that the director read (`round_seating`).
        split_sides: whether partners who are no pair are allowed.
    """
    if scope not in SCOPES:
        facts = {"found": shown(scope), "expected": ", ".join((*SCOPES, BY_PLAN, AGAIN))}
        raise Refused(Problem("bad_redraw_scope", ("scope",), facts))
    require_running(round_.event)
    if round_.state == "closed":
        raise Conflict(Problem("round_is_closed", facts={"round": round_.number}))
    seating = round_seating(round_)
    if tag is not None and tag != seating.tag:
        raise Conflict(Problem("round_seating_outdated", facts={"round": round_.number}))
    _require_redrawable(round_, seating, scope, hands)
    if seating.with_hands or reason.strip():
        require_reason(reason)
    abandoned = seating.in_play if scope == "all" else []
    games = _get_games(round_, [table.number for table in abandoned])
    again = (*seating.unplayed, *abandoned)
    _require_no_challenge(round_, [table.number for table in again])
    tables = tuple(table.players for table in again)
    meeting = round_.meeting
    absent = list_absent(meeting, evening_number(round_)) if meeting is not None else ()
    seated = [player for table in tables for player in table if player not in absent]
    if not seated:
        raise Conflict(Problem("no_table_to_redraw", facts={"round": round_.number}))
    drawn, fixed, seed = draw_tables(round_, tables, seated)
    places = places_in(round_)
    Game.objects.filter(pk__in=[game.pk for game in games]).update(state=GameState.ABANDONED)
    end_sittings_of(games)
    before = round_seating(round_)
    leavers = {player for table in tables for player in table} - set(seated)
    outside = dict(before.sit_outs)
    outside |= dict.fromkeys(drawn.sitting_out, SitOutReason.BYE.value)
    outside |= dict.fromkeys(leavers, SitOutReason.LEFT.value)
    tables_by_number = _tables_by_number(drawn.tables, fixed, seating)
    target = SeatingTarget(
        tables_by_number, outside, _rules_of_new_tables(games, tables_by_number, seating)
    )
    codes = seat_all_present(round_, before, target, split_sides=split_sides)
    gone_hands = _discard_hands(round_.event, games)
    version = op.mark(round_.event)
    role = get_role(op.actor, round_.club_id)
    for game, voided in gone_hands:
        note_voids(role, game, voided, version, reason, op.now)
    note_seating(op, round_, places, reason=reason)
    audited = {
        "scope": scope,
        "reason": reason.strip(),
        "seed": seed,
        "abandoned": {
            game.table.code: [[hand.number, hand.revision] for hand in voided]
            for game, voided in gone_hands
        },
        **seating_facts(before, target, codes),
    }
    op.audit(round_, audited)
    return round_


def _require_redrawable(round_: Round, seating: RoundSeating, scope: str, hands: int) -> None:
    facts: dict[str, int | str] = {"round": round_.number}
    if scope == "unplayed" and not seating.unplayed:
        raise Conflict(Problem("no_table_to_redraw", ("scope",), facts))
    if scope == "all" and seating.complete:
        facts["tables"] = ", ".join(str(table.number) for table in seating.complete)
        raise Conflict(Problem("redraw_complete_tables", ("scope",), facts))
    if scope == "all" and seating.hands_in_play != hands:
        facts["tables"] = ", ".join(f"{row.number} ({row.hands})" for row in seating.in_play)
        facts["hands"] = seating.hands_in_play
        raise Conflict(Problem("redraw_discards_hands", ("hands",), facts))


def _get_games(round_: Round, numbers: Sequence[int]) -> list[Game]:
    """Return the games to abandon by ascending id, as they stand under the round's lock."""
    if not numbers:
        return []
    rows = Game.objects.filter(table__round=round_, table__number__in=numbers).order_by("pk")
    games = list(rows.select_related("event", "club", "snapshot", "table__round"))
    for game in games:
        require_ordinary(game)
    return games


def _require_no_challenge(round_: Round, numbers: Sequence[int]) -> None:
    rows = Challenge.objects.filter(game__table__round=round_, game__table__number__in=numbers)
    if first := rows.order_by("number").values_list("game__table__number", "number").first():
        raise Conflict(
            Problem("challenge_needs_players", ("scope",), {"table": first[0], "number": first[1]})
        )


def _tables_by_number(
    tables: Sequence[tuple[int, ...]],
    fixed: Mapping[tuple[int, ...], int],
    seating: RoundSeating,
) -> dict[int, tuple[int, ...]]:
    """Return the tables by number: numbers of tables without hands first, then new ones.

    A table without hands that is no longer needed is included without players.
    """
    numbers = [table.number for table in seating.tables]
    unplayed = [table.number for table in seating.unplayed]
    played = set(numbers) - set(unplayed)
    tables_by_number: dict[int, tuple[int, ...]] = {}
    # Those with a fixed number first, so that no other table takes it.
    for table in sorted(tables, key=lambda table: table not in fixed):
        number = fixed.get(table)
        if not number or number in tables_by_number or number in played:
            free = [number for number in unplayed if number not in tables_by_number]
            number = free[0] if free else max((*numbers, *tables_by_number)) + 1
        tables_by_number[number] = table
    return {**{number: () for number in unplayed}, **tables_by_number}


def _rules_of_new_tables(
    games: Sequence[Game], tables_by_number: Mapping[int, tuple[int, ...]], seating: RoundSeating
) -> Mapping[int, Snapshot]:
    snapshots = {game.snapshot_id: game.snapshot for game in games}
    if len(snapshots) != 1:
        return {}
    own_numbers = {table.number for table in seating.unplayed}
    return dict.fromkeys(set(tables_by_number) - own_numbers, next(iter(snapshots.values())))


def _discard_hands(event: Event, games: Sequence[Game]) -> list[tuple[Game, list[Hand]]]:
    """Discard the hands of games; the sums of everybody are locked before one is written."""
    entrants = Contribution.objects.filter(game__in=games).values_list("entrant_id", flat=True)
    lock_aggregates(event, sorted(set(entrants)))
    discarded = []
    for game in games:
        game.state = GameState.ABANDONED
        voided = list(Hand.objects.filter(game=game).exclude(state="void").order_by("number"))
        if voided:
            empty_hands(game, voided)
        discarded.append((game, voided))
    return discarded
