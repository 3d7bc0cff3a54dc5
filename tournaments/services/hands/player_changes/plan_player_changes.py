"""What becomes of people and hands where somebody else is to have played at a table."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import TOTALS, teams_of
from tournaments.domain.seating.seating_runs import (
    exchange_people,
    exchange_seats,
    holder,
    replace_person,
)
from tournaments.domain.seating.swap_seats import NotBySeat, exchange_entry_seats
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.meetings import Sitting
from tournaments.selectors.rounds.seatings import abandoned_without_hands
from tournaments.services.hands.player_changes.changed_tables import ChangedTable, PlayerChange
from tournaments.services.rounds.sides import require_whole_sides
from tournaments.services.rules.rule_sets import rules_of

AHEAD: Final = 40
"""So many hands beyond the next one may be named where a game has no fixed length."""


def holder_of(table: ChangedTable, wanted: PlayerChange) -> int:
    """Return who sits in the seat that is meant."""
    if not 1 <= wanted.seat <= len(table.seats):
        facts = {"found": wanted.seat, "expected": f"1 to {len(table.seats)}"}
        raise Refused(Problem("unknown_seat_number", ("seat",), facts))
    found = holder(table.runs, wanted.seat)
    if found is None:
        facts = {"seat": wanted.seat, "table": table.code}
        raise Refused(Problem("nobody_in_seat", ("seat",), facts))
    return found.player


def seat_of(table: ChangedTable, player: int) -> int | None:
    """Return the seat that a player had last at a table."""
    own = [seat.number for seat in table.seats]
    there = [run for seat in own if (run := holder(table.runs, seat)) and run.player == player]
    return there[0].seat if there else None


def refusal_facts(player: Player, table: ChangedTable) -> dict[str, int | str]:
    """Return a person and a table as facts of a refusal."""
    return {
        "player": player.name,
        "player_id": player.player_id,
        "table": table.game.table.number,
        "code": table.code,
        "round": table.game.table.round.number,
    }


def require_free(
    player: Player, table: ChangedTable, other: ChangedTable | None, here: int | None
) -> None:
    """Refuse somebody who sits here, or at another table of the round."""
    if here is not None:
        facts = {**refusal_facts(player, table), "seat": here}
        raise Conflict(Problem("player_sits_here", ("player",), facts))
    if other is not None:
        raise Conflict(Problem("player_already_seated", ("player",), refusal_facts(player, other)))


def first_changed_hand(other: ChangedTable, wanted: PlayerChange) -> int:
    """Return from which hand on people change at the other table: all, or the next one."""
    return 1 if wanted.from_hand == 1 else other.next_hand()


def plan_swap(
    table: ChangedTable,
    other: ChangedTable | None,
    wanted: PlayerChange,
    old: int,
    player: Player,
    here: int | None,
) -> None:
    """Plan that two people change places, at one table or between two."""
    first = wanted.from_hand
    if here is not None:
        if wanted.hands == "remap":
            exchange_scores(table, wanted.seat, here, first)
            table.after = exchange_seats(table.runs, wanted.seat, here, first)
        else:
            seats = (wanted.seat, here)
            _require_whole_totals(table, first)
            table.after = exchange_people(table.runs, seats, first, old, player.pk)
        return
    if other is None:
        raise Refused(Problem("nobody_to_swap", ("player",), refusal_facts(player, table)))
    there = seat_of(other, player.pk)
    if there is None:
        raise Conflict(Problem("seating_outdated", facts={"table": other.code}))
    for one, seat, begin, leaves, comes in (
        (table, wanted.seat, first, old, player.pk),
        (other, there, first_changed_hand(other, wanted), player.pk, old),
    ):
        _put(one, seat, begin, leaves, comes, wanted)


def plan_replacement(table: ChangedTable, wanted: PlayerChange, old: int, player: Player) -> None:
    """Plan that somebody who sits at no table takes a seat over."""
    _put(table, wanted.seat, wanted.from_hand, old, player.pk, wanted)


def _put(
    table: ChangedTable, seat: int, first: int, leaves: int, comes: int, wanted: PlayerChange
) -> None:
    """Put somebody from elsewhere into a seat; with `remap` whoever leaves keeps their scores.

    So with `remap` whoever comes plays the hands to come, of which a finished table has none.
    """
    if wanted.hands == "remap":
        if table.has_totals:
            raise Refused(Problem("totals_not_divided", ("hands",), {"table": table.code}))
        if table.game.state not in ("seated", "playing"):
            raise Refused(Problem("no_hands_to_come", ("hands",), {"table": table.code}))
        first = max(first, table.next_hand())
    else:
        _require_whole_totals(table, first)
    table.after = replace_person(
        table.runs, seat, first, leaves, comes, is_substitute=wanted.act == "substitute"
    )


def _require_whole_totals(table: ChangedTable, first: int) -> None:
    """Refuse to divide a sheet with totals only at a hand: nobody knows what was scored by then."""
    if table.has_totals and first > 1:
        raise Refused(Problem("totals_not_divided", ("from_hand",), {"table": table.code}))


def require_hand(table: ChangedTable, first: int) -> None:
    """Refuse to begin at a hand that the game does not have, or will hardly come to.

    A substitute may be known before the sheet is entered: hands that are to come are allowed.
    """
    last = table.next_hand()
    if table.game.state in ("seated", "playing"):
        last = max(last, settings_of(table.game.event).hands or last + AHEAD)
    if first > last:
        expected = f"1 to {last}" if last > 1 else "1"
        facts: dict[str, int | str] = {"found": first, "expected": expected}
        raise Refused(Problem("bad_from_hand", ("from_hand",), facts))


def exchange_scores(table: ChangedTable, one: int, other: int, first: int) -> None:
    """Have the scores of two seats follow their people, from hand `first` on."""
    if table.has_totals and first > 1:
        raise Refused(Problem("totals_not_divided", ("from_hand",), {"table": table.code}))
    table.exchanged, table.exchanged_from = (one, other), first
    sides = teams_of(table.seats, rules_of(table.game.snapshot)) or ()
    for hand in table.hands:
        if hand.entry is None or (hand.number != TOTALS and hand.number < first):
            continue
        try:
            entry = exchange_entry_seats(
                hand.entry.typed, one - 1, other - 1, seats=len(table.seats), sides=sides
            )
        except NotBySeat as whole:
            raise Refused(replace(whole.problem, at=("hands",))) from whole
        if entry != hand.entry.typed:
            table.revised.append((hand, entry))


def require_sides(event: Event, tables: Iterable[ChangedTable], is_answered: bool) -> None:
    """Ask where partners would not be one pair or team."""
    for table in tables:
        last = {run.seat: run.player for run in sorted(table.after, key=lambda run: run.first)}
        people = {one.pk: one for one in Player.objects.filter(pk__in=last.values())}
        seated = [people.get(last.get(seat.number, 0)) for seat in table.seats]
        rules = rules_of(table.game.snapshot)
        require_whole_sides(event, rules, seated, is_answered=is_answered)


def planned_players(table: ChangedTable) -> list[Player]:
    """Return who sits at a table by the plan."""
    open_ones = [run.player for run in table.after if run.last is None]
    return list(Player.objects.filter(pk__in=open_ones))


def require_nobody_elsewhere(table: ChangedTable, others: Iterable[ChangedTable]) -> None:
    """Let nobody come back who sits at another table of the round by now."""
    open_ones = [run.player for run in table.after if run.last is None]
    known = [one.game.table_id for one in others]
    rows = Sitting.objects.filter(
        round=table.game.table.round_id, player__in=open_ones, to_hand__isnull=True
    )
    there = rows.exclude(seat__table__in=known).exclude(abandoned_without_hands())
    found = there.select_related("player", "seat__table__round").order_by("pk").first()
    if found is not None:
        facts: dict[str, int | str] = {
            "player": found.player.name,
            "player_id": found.player.player_id,
            "table": found.seat.table.number,
            "code": found.seat.table.code,
            "round": found.seat.table.round.number,
        }
        raise Conflict(Problem("player_already_seated", ("player",), facts))
