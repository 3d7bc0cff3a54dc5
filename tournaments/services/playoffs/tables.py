"""The tables of a play-off: which rules seat so many, rounds made for them, closed and reopened.

A play-off has a stage of its own, and its rounds are the next ones of the event, made although it
is closed. Its games do not count (`Game.counts`) and last until it is decided. See
docs/algorithms/playoffs.md.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Final, TypeAlias

from django.db import IntegrityError, transaction

from scoring.json_types import JsonObject
from scoring.playoffs.progress import USUAL_SEATS, Plan, PlayoffRules, plan
from scoring.rules.dealing import uneven
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import settings_of
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event, Snapshot, Stage, StageKind
from tournaments.models.hands import Game
from tournaments.models.jobs import FINALISE_ROUND
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Round, Seat, Sitting, Table
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.rounds.round_progress import OVER
from tournaments.selectors.rules.rule_sets import (
    low_wins,
    offered_in,
    rules_of,
    sides_of,
    store_snapshot,
)
from tournaments.services.db.bulk import next_number
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.playoffs.log import HEATS, PlayoffLog
from tournaments.services.rounds.seating import table_code

TRIES: Final = 5
LOTS: Final = "lot"
"""Kind of a leg for which no table can be had: a director draws lots, or waives it."""
Chairs: TypeAlias = Sequence[Player | None]
"""Players clockwise from seat 1; None is the chair of any neutral player."""
SeatedTable: TypeAlias = tuple[Snapshot, Chairs]
"""The rules of a table, and who sits at it."""


def add_leg_tables(playoff: Playoff, log: PlayoffLog, *, now: datetime) -> Round | None:
    """Make tables for those undecided who have none, or note that there can be none.

    The caller holds the play-off's row and stores it. Heats are only ever the first leg. Returns
    the round that was posted, if any.
    """
    if log.heats or (playoff.legs and playoff.legs[-1]["kind"] == LOTS):
        return None
    undecided = [(tier.members, cuts) for tier, cuts in log.now.cut_tiers]
    if all(_has_table(members, log) for members, _ in undecided):
        return None
    tables: list[SeatedTable] = []
    plans: list[Plan] = []
    for members, cuts in undecided:
        planned = _plan_tables(playoff, members, cuts, log.rules, may_heat=not playoff.legs)
        if planned is None:
            playoff.legs = [*playoff.legs, {"round": None, "kind": LOTS}]
            return None
        plans.append(planned[0])
        tables.extend(planned[1])
    close_rounds(playoff, None)
    round_ = _create_round(playoff, tables)
    kind, _, through = plans[0]
    playoff.legs = [
        *playoff.legs,
        {
            "round": round_.number,
            "kind": kind,
            "through": through,
            "fillers": max(chairs.count(None) for _, chairs in tables),
            "tables": {
                table_code(round_.number, at): list(members)
                for at, members in enumerate(chain(*(members for _, members, _ in plans)), start=1)
            },
        },
    ]
    return round_


def _has_table(members: Sequence[str], log: PlayoffLog) -> bool:
    """Whether these members have an open table. Two have a separate one, by the setting `duel`, or
    share a table of four with two others who play for another line."""
    playing = {code for tier in log.now.undecided for code in tier.members}
    rests = [
        set(at_table) - set(members)
        for game, at_table in log.boards
        if game.table.round.state != "closed" and set(members) <= set(at_table)
    ]
    if len(members) > 2:
        return bool(rests)
    may_share = log.rules.duel == "fillers"
    return any(
        not two or (may_share and len(two) == USUAL_SEATS - 2 and two <= playing) for two in rests
    )


def _plan_tables(
    playoff: Playoff,
    members: Sequence[str],
    cuts: Sequence[int],
    rules: PlayoffRules,
    *,
    may_heat: bool,
) -> tuple[Plan, list[SeatedTable]] | None:
    """The plan for a tier with its tables; where no rules seat it so, heats, where these can be."""
    first = rules if may_heat else replace(rules, many="cancellation")
    for plan_rules in (first, replace(rules, many=HEATS)) if may_heat else (first,):
        planned = plan(members, cuts, plan_rules, seed=playoff.seed)
        kind, members_by_table, _ = planned
        if kind == LOTS:
            return None
        tables = [_seat_entrants(playoff.event, codes, kind) for codes in members_by_table]
        if all(tables):
            return planned, [table for table in tables if table is not None]
    return None


def _seat_entrants(event: Event, codes: Sequence[str], kind: str) -> SeatedTable | None:
    players = _list_players(event, codes)
    snapshot = default_snapshot(event)
    rules = rules_of(snapshot)
    if rules.keys.number != "real":
        return None
    if rules.keys.teams.mode != "none" or any(len(player) != 1 for player in players):
        return _two_sides(snapshot, rules, players)
    alone = [player[0] for player in players]
    wants_other = kind == "two_hands" or (
        kind == "cancellation" and rules.keys.same_card.rule != "cancel"
    )
    if wants_other and (other_rules := _find_other_rules(event, rules, len(alone))):
        return other_rules, alone
    seats = _seats(rules, len(alone), USUAL_SEATS if len(alone) == 2 else len(alone))
    if seats is not None:
        return snapshot, spread_players(alone, seats)
    other_rules = _find_other_rules(event, rules, len(alone))
    return (other_rules, alone) if other_rules is not None else None


def _list_players(event: Event, codes: Sequence[str]) -> list[list[Player]]:
    players: dict[str, list[Player]] = {code: [] for code in codes}
    rows = EntrantMember.objects.filter(event=event, entrant__code__in=codes)
    for row in rows.select_related("entrant", "player").order_by("player__player_id"):
        players[row.entrant.code].append(row.player)
    return list(players.values())


def _two_sides(
    snapshot: Snapshot, rules: Rules, players: Sequence[Sequence[Player]]
) -> SeatedTable | None:
    """Two entrants as the two sides of a table; a side's chairs that nobody has are fillers'."""
    shape = rules.keys.teams.shape
    if len(players) != 2 or len(shape) != 2:
        return None
    if any(
        len(side_players) > len(seats) for side_players, seats in zip(players, shape, strict=True)
    ):
        return None
    chairs: list[Player | None] = [None] * sum(map(len, shape))
    for side_players, seats in zip(players, shape, strict=True):
        for player, seat in zip(side_players, seats, strict=False):
            chairs[seat] = player
    return snapshot, chairs


def _seats(rules: Rules, count: int, usual: int) -> int | None:
    """How many seats these rules give so many players: as wanted, else the next size they know."""
    least, most = rules.keys.players
    sizes = [*range(max(usual, least), most + 1), *range(most, max(count, least) - 1, -1)]
    fit = (seats for seats in sizes if seats >= count and uneven(rules, seats) is None)
    return next(fit, None)


def spread_players(players: Sequence[Player], seats: int) -> Chairs:
    """Return the chairs of a table with the players as far apart as they can be.

    >>> spread_players(["A", "B"], 4)
    ['A', None, 'B', None]
    """
    chairs: list[Player | None] = [None] * seats
    for at, player in enumerate(players):
        chairs[at * seats // len(players)] = player
    return chairs


def _find_other_rules(event: Event, event_rules: Rules, count: int) -> Snapshot | None:
    """Return the rules of the first variant on offer for exactly so many who play alone.

    For two that is one made for two; for more, one in which equal cards cancel each other.
    """
    offered = offered_in(event)
    for variant in offered.ids:
        rules = offered.rules(variant)
        keys = rules.keys
        least, most = keys.players
        fits = least <= count <= most and keys.teams.mode == "none" and keys.number == "real"
        if count == 2:
            made_for = most == 2
        else:
            made_for = keys.same_card.rule == "cancel"
        if (
            fits
            and made_for
            and low_wins(rules) == low_wins(event_rules)
            and not uneven(rules, count)
        ):
            return store_snapshot(event=event, variant=variant)
    return None


def _create_round(playoff: Playoff, tables: Sequence[SeatedTable]) -> Round:
    event = playoff.event
    if playoff.stage is None:
        playoff.stage = Stage.objects.create(
            club_id=playoff.club_id,
            event=event,
            number=next_number(Stage.objects.filter(event=event)),
            name=f"Play-off {playoff.number}",
            kind=StageKind.PLAYOFF,
        )
        Playoff.objects.filter(pk=playoff.pk).update(stage=playoff.stage)
    default = default_snapshot(event)
    first, _ = tables[0]
    round_ = add_round(playoff.stage, None if first.pk == default.pk else first)
    for number, (snapshot, chairs) in enumerate(tables, start=1):
        _create_table(round_, number, snapshot, chairs)
    return round_


def add_round(stage: Stage, snapshot: Snapshot | None) -> Round:
    """Make the event's next round, of a play-off's stage.

    A hand does not hold the event's row, so that a director's operation at another play-off may
    take the number at the same moment; then the one after it is ours.
    """
    rounds = Round.objects.filter(event=stage.event_id)
    for tries_left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                return Round.objects.create(
                    club_id=stage.club_id,
                    event_id=stage.event_id,
                    stage=stage,
                    number=next_number(rounds),
                    state="posted",
                    snapshot=snapshot,
                )
        except IntegrityError:
            if not tries_left:
                raise
    raise AssertionError("there is a last try")


def _create_table(round_: Round, number: int, snapshot: Snapshot, chairs: Chairs) -> None:
    table = Table.objects.create(
        club_id=round_.club_id,
        event_id=round_.event_id,
        round=round_,
        number=number,
        code=table_code(round_.number, number),
    )
    sides = sides_of(rules_of(snapshot), len(chairs))
    for at, (player, side) in enumerate(zip(chairs, sides, strict=True), start=1):
        seat = Seat.objects.create(club_id=round_.club_id, table=table, number=at, side=side)
        if player is not None:
            Sitting.objects.create(club_id=round_.club_id, seat=seat, round=round_, player=player)
    Game.objects.create(
        club_id=round_.club_id,
        event_id=round_.event_id,
        table=table,
        snapshot=snapshot,
        counts=False,
    )


def close_rounds(playoff: Playoff, now: datetime | None) -> None:
    """Close the rounds of a play-off and their games; those without a hand that counts are
    abandoned. Without `now` no correction window starts: the play-off continues elsewhere, and the
    window of all its rounds starts at its end.

    A hand does not hold the event's row, so only the deadlines of these rounds are touched."""
    rounds = Round.objects.filter(stage=playoff.stage_id)
    if now:
        rounds = rounds.filter(closed_at=None)
    else:
        rounds = rounds.exclude(state="closed")
    games = Game.objects.filter(table__round__in=rounds.values("pk")).exclude(state__in=OVER)
    ids = list(games.order_by("pk").values_list("pk", flat=True))
    Game.objects.filter(pk__in=ids, hands_counted=0).update(state="abandoned")
    Game.objects.filter(pk__in=ids, hands_counted__gt=0).update(state="complete")
    window = settings_of(playoff.event).correction_window
    if now is not None and window and playoff.event.state in ("open", "closed"):
        for number in rounds.order_by("number").values_list("number", flat=True):
            set_deadline(playoff.event, FINALISE_ROUND, now + window, key=str(number))
    rounds.update(state="closed", closed_at=now)


def reopen_round(playoff: Playoff, number: int) -> None:
    """Open a round of a play-off again: a correction has undone what had ended it."""
    rounds = Round.objects.filter(stage=playoff.stage_id, number=number)
    rounds.update(state="playing", closed_at=None)
    set_deadline(playoff.event, FINALISE_ROUND, None, key=str(number))
    games = Game.objects.filter(table__round__in=rounds.values("pk"))
    games.exclude(state="seated").filter(hands_counted__gt=0).update(state="playing")
    games.filter(hands_counted=0).update(state="seated")


def last_round(legs: Sequence[JsonObject], *, heats: bool = False) -> int | None:
    rounds = [leg["round"] for leg in legs if leg["round"] and (not heats or leg["kind"] == HEATS)]
    return rounds[-1] if rounds else None
