"""Ways to change the seats of a round before its hands, and what each leads to."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Final, Literal, TypeAlias, get_args

from django.db.models import Count
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from scoring.errors import Problem, Refused, shown
from scoring.seating.arrangements import (
    Arrangement,
    SeatingLimits,
    Way,
    partners_opposite,
    swapped,
    way_from,
)
from scoring.seating.brackets import sizes_of_rules
from scoring.seating.changes import (
    Comparisons,
    table_to_form,
    ways_to_close,
    ways_to_form,
    ways_to_move,
    ways_to_seat,
)
from scoring.seating.group_changes import RoundOfSides, ways_to_release_all
from tournaments.domain.etags import mark_of_text
from tournaments.domain.people.public_names import entrant_name_of
from tournaments.domain.seating_preferences import preferred_sizes
from tournaments.models.events import Event
from tournaments.models.rounds import Match, Round, SitOutReason
from tournaments.models.seating_plans import ConstraintKind, SeatingConstraint, SeatingPlan
from tournaments.selectors.events.settings_checks import comparing_problems
from tournaments.selectors.rounds.rematches import EventMeetings
from tournaments.selectors.rounds.round_seating import (
    SeatedTable,
    attendance_in,
    chosen_plan,
    pairs_met,
    round_seating,
    snapshot_for,
)
from tournaments.selectors.rounds.tables import get_group_of_players, side_shape
from tournaments.selectors.rules.rule_sets import rules_of

ChangeKind: TypeAlias = Literal["seat", "leave", "move", "swap", "close", "form"]
KINDS: Final = get_args(ChangeKind)


@dataclass(frozen=True, slots=True)
class SeatingChange:
    """A change: players by row, `table` for `close`; `form` is a new table of those who wait.

    A `swap` exchanges the first half of its players with the second one, in order.
    """

    kind: ChangeKind
    players: tuple[int, ...] = ()
    table: int = 0


def allowed_sizes(event: Event, round_number: int, plan: SeatingPlan | None) -> tuple[int, ...]:
    """Return the table sizes of the plan, else of the rules, that event and club allow."""
    planned = plan.inputs.get("sizes") if plan is not None else None
    snapshot = snapshot_for(event, round_number)
    allowed = preferred_sizes(event.club.seating, sizes_of_rules(rules_of(snapshot)))
    return tuple(
        size
        for size in allowed
        if (not planned or size in planned)
        and not comparing_problems(event=event, rules=snapshot, seats=size)
    )


def limits_of(
    event: Event,
    number: int,
    tables: Sequence[SeatedTable],
    plan: SeatingPlan | None,
    met: frozenset[frozenset[int]],
) -> SeatingLimits:
    """Return the constraints on a change of a round; `tables` are those of the round, in order.

    Args:
        number: of the round within its event; the round may not exist yet.
        met: pairs who share a table in another round of the evening.
    """
    pairs = _constraints(event)
    index = {table.number: at for at, table in enumerate(tables)}
    rows = SeatingConstraint.objects.filter(event=event, table_number__in=list(index))
    tables_of_players = rows.values_list("player_id", "table_number")
    return SeatingLimits(
        sizes=allowed_sizes(event, number, plan),
        apart=frozenset(pairs[ConstraintKind.APART]),
        together=frozenset(pairs[ConstraintKind.TOGETHER]),
        fixed={player: index[table] for player, table in tables_of_players if table is not None},
        locked=frozenset(at for at, table in enumerate(tables) if table.is_fixed),
        met=met,
    )


def _constraints(event: Event) -> Mapping[str, set[frozenset[int]]]:
    pairs: dict[str, set[frozenset[int]]] = defaultdict(set)
    rows = SeatingConstraint.objects.filter(event=event, other__isnull=False)
    for kind, player, other in rows.values_list("kind", "player_id", "other_id"):
        pairs[kind].add(frozenset((player, other)))
    return pairs


class SeatingNow:
    """The seating of a round, the players at its evening, and the constraints on a change of it.

    Args:
        numbers: of its tables, in the order of `arrangement`.
        unplaced: players present without a seat or a sit-out, in order of arrival.
        left: players with a seat who left.
        gone: all who do not play in it, by attendance.
        group_of: player → pair or team.
        sides: the seats (from 0) of each side, where pairs or teams compete on sides; else empty.
    """

    def __init__(self, round_: Round, plan: SeatingPlan | None = None) -> None:
        meeting = round_.meeting
        seating = round_seating(round_)
        if meeting is not None:
            plan = plan or chosen_plan(meeting)
        self.round, self.seating = round_, seating
        self.unplaced, self.left, self.gone = attendance_in(round_, seating, plan)
        outside = tuple(player for player in seating.sit_outs if player not in self.gone)
        self.arrangement = Arrangement(
            tuple(table.players for table in seating.tables), (*self.unplaced, *outside)
        )
        self.group_of = get_group_of_players(round_.event, self.arrangement.people)
        met = frozenset(
            pair
            for pair in pairs_met(meeting, plan, round_)
            if len({self.group_of.get(player, -player) for player in pair}) > 1
        )
        self.numbers = tuple(table.number for table in seating.tables)
        self.limits = limits_of(round_.event, round_.number, seating.tables, plan, met)
        self.sides = self._get_sides() if self.group_of else ()

    @property
    def fixed(self) -> frozenset[int]:
        return frozenset(
            player for table in self.seating.tables if table.is_fixed for player in table.players
        )

    def _get_sides(self) -> Sequence[Sequence[int]]:
        """Return the seats of each side; none where the matches of teams have two tables."""
        matches = Match.objects.filter(round=self.round).annotate(n_tables=Count("tables"))
        if matches.filter(n_tables__gt=1).exists():
            return ()
        rules = rules_of(snapshot_for(self.round.event, self.round.number))
        return side_shape(rules, sum(map(len, rules.keys.teams.shape)))

    @cached_property
    def round_of_sides(self) -> RoundOfSides:
        waiting: dict[int, list[int]] = defaultdict(list)
        for player in self.arrangement.waiting:
            if player in self.group_of:
                waiting[self.group_of[player]].append(player)
        size = len(self.sides[0])
        playing = {self.group_of.get(player) for player in self.seating.seated}
        whole = [
            tuple(players[:size])
            for group, players in waiting.items()
            if len(players) >= size and group not in playing
        ]
        return RoundOfSides(self.arrangement, self.sides, whole)

    def side_of(self, player: int) -> tuple[int, ...]:
        """Return the players of the pair or team who move with a player, in seat order."""
        if not self.sides or player not in self.round_of_sides.unit_of:
            return (player,)
        side = self.round_of_sides.units[self.round_of_sides.unit_of[player]]
        groups = {self.group_of.get(other) for other in side}
        return side if len(groups) == 1 and None not in groups else (player,)

    def name_of(self, players: Sequence[int], names: Mapping[int, str]) -> str:
        return entrant_name_of("", [names[player] for player in players])

    def with_whole_sides(self, change: SeatingChange) -> SeatingChange:
        """Return a change of picked players as that of their pairs, where each has a whole side.

        A pair and a player without a partner are exchanged as they were picked; so are two players
        of one side, who take each other's seats.
        """
        sides = list(dict.fromkeys(map(self.side_of, change.players)))
        players = tuple(chain(*sides))
        if len(players) == len(sides):
            return change
        if change.kind in ("seat", "leave"):
            return replace(change, players=players)
        if len(sides) == 1 and len(change.players) > 1:
            return change
        if len(sides) == 1:
            return SeatingChange("move", players)
        is_waiting = {*players} <= {*self.arrangement.waiting}
        if is_waiting:
            return SeatingChange("form", players)
        if len(sides) == 2 and len(sides[0]) == len(sides[1]):
            return SeatingChange("swap", players)
        return change

    def table_to_form(self, tried: Comparisons) -> tuple[int, ...]:
        """Return the first who wait and may share a new table; empty if there are none."""
        if not self.sides:
            return table_to_form(self.arrangement, self.limits, tried)
        sides = self.round_of_sides
        units = table_to_form(sides.arrangement, sides.limits(self.limits), tried)
        return tuple(chain.from_iterable(sides.units[unit] for unit in units))

    @cached_property
    def meetings(self) -> EventMeetings:
        return EventMeetings(self.round.event, self.round, self.arrangement.people)

    def with_partners_opposite(self, way: Way) -> Way:
        """Return a way whose new tables have the partners of each pair on one side."""
        old, new = way.after.tables[: len(self.numbers)], way.after.tables[len(self.numbers) :]
        if not new or not self.group_of:
            return way
        rules = rules_of(snapshot_for(self.round.event, self.round.number))
        seated = (
            partners_opposite(table, self.group_of, side_shape(rules, len(table))) for table in new
        )
        return replace(way, after=Arrangement((*old, *seated), way.after.waiting))

    def frees_a_bye(self, player: int) -> bool:
        """Whether somebody sits out for want of a seat once this player, who sat out, plays."""
        seated = {self.group_of.get(other) for other in self.seating.seated}
        is_bye = self.seating.sit_outs[player] == SitOutReason.BYE
        return is_bye or self.group_of.get(player, 0) in seated

    def number_at(self, index: int) -> int:
        """Return the number of a table of an arrangement, also of one that is not there yet."""
        if index < len(self.numbers):
            return self.numbers[index]
        return max(self.numbers, default=0) + 1 + index - len(self.numbers)


def ways_of(
    now: SeatingNow, change: SeatingChange, tried: Comparisons | None = None
) -> tuple[Way, ...]:
    """Return the ways to make a change, the least disturbing first; empty where it has none."""
    return tuple(map(now.with_partners_opposite, _ways_of(now, change, tried)))


def _ways_of(now: SeatingNow, change: SeatingChange, tried: Comparisons | None) -> tuple[Way, ...]:
    if change.kind not in KINDS or not set(change.players) <= set(now.arrangement.people):
        raise _bad(change)
    if change.kind == "form":
        return _ways_to_form(now, change)
    if now.fixed & set(change.players):
        return ()
    if change.kind == "close" and change.table not in now.numbers:
        raise _bad(change)
    is_odd_swap = change.kind == "swap" and len(change.players) % 2 == 1
    if is_odd_swap or len(set(change.players)) != len(change.players):
        raise _bad(change)
    tried = tried or Comparisons()
    if not now.sides or not _is_of_whole_sides(now, change):
        return _ways_in(now, change, now.arrangement, now.limits, tried)
    sides = now.round_of_sides
    of_units = replace(change, players=sides.units_of(change.players))
    ways = _ways_in(now, of_units, sides.arrangement, sides.limits(now.limits), tried)
    whole = tuple(map(sides.way_of_players, ways))
    return whole + tuple(_ways_of_substitutes(now, change))


def _is_of_whole_sides(now: SeatingNow, change: SeatingChange) -> bool:
    """Whether a change moves whole pairs or teams.

    An exchange within one side does not: its players take each other's seats.
    """
    if change.kind == "close":
        return True  # everybody at the table moves
    players = set(change.players)
    sides = {now.side_of(player) for player in players}
    if change.kind == "swap" and len(sides) == 1:
        return False
    return all(len(side) > 1 and players.issuperset(side) for side in sides)


def _ways_in(
    now: SeatingNow,
    change: SeatingChange,
    before: Arrangement,
    limits: SeatingLimits,
    tried: Comparisons,
) -> tuple[Way, ...]:
    """Return the ways of a change in a round of players or of units, whose `players` are these."""
    if change.kind == "close":
        index = now.numbers.index(change.table)
        if index in limits.locked:
            return ()
        return ways_to_close(before, index, limits, tried)
    if change.kind == "leave":
        return ways_to_release_all(before, change.players, limits, tried)
    if change.kind == "swap":
        half = len(change.players) // 2
        after = before
        for first, second in zip(change.players[:half], change.players[half:], strict=True):
            after = swapped(after, first, second)
        return (way_from(before, after, limits),)
    if len(change.players) != 1:
        raise _bad(change)
    player = change.players[0]
    if change.kind == "seat" and player in before.waiting:
        return ways_to_seat(before, player, limits, tried)
    return ways_to_move(before, player, limits, tried)


def _ways_of_substitutes(now: SeatingNow, change: SeatingChange) -> Iterator[Way]:
    """Yield the ways to give the seat of one partner who left to a player without a partner."""
    gone = [player for player in change.players if player in now.left]
    if change.kind != "leave" or len(gone) != 1 or len(change.players) == 1:
        return
    before = now.arrangement
    for player in before.waiting:
        if len(now.side_of(player)) == 1:
            after = swapped(before, gone[0], player)
            waiting = tuple(other for other in after.waiting if other != gone[0])
            yield way_from(before, replace(after, waiting=waiting), now.limits)


def _ways_to_form(now: SeatingNow, change: SeatingChange) -> tuple[Way, ...]:
    if not set(change.players) <= set(now.arrangement.waiting):
        raise Refused(Problem("too_many_picked", ("seat",), {"found": len(change.players)}))
    rules = rules_of(snapshot_for(now.round.event, now.round.number))
    count = len(change.players)
    least, most = rules.keys.players
    if count not in sizes_of_rules(rules):
        facts = {"found": count, "least": least, "most": most}
        raise Refused(Problem("seat_count", ("seat",), facts))
    # Who picks the players chooses the size, too: the plan's sizes are for what is proposed.
    return ways_to_form(now.arrangement, change.players, replace(now.limits, sizes=(count,)))


def why_no_way(now: SeatingNow, change: SeatingChange) -> str:
    """Return what keeps a change from having a way: hands, constraints or sizes of tables."""
    limits, before = now.limits, now.arrangement
    if change.kind == "close":
        return _("Table %(n)s is being played or over, so it stays.") % {"n": change.table}
    unconstrained = SeatingLimits(limits.sizes, locked=limits.locked)
    if change.kind == "form" or ways_to_move(before, change.players[0], unconstrained):
        return _("A rule under “Who may sit together” forbids this.")
    if ways_to_move(before, change.players[0], SeatingLimits(limits.sizes)):
        return _("The other tables are being played or over, and nobody waits.")
    sizes = get_text_list([str(size) for size in sorted(limits.sizes)], _("or"))
    return _("Nobody waits, and each table needs %(sizes)s players.") % {"sizes": sizes}


def digest_of_way(way: Way) -> str:
    """Return what names exactly this seating."""
    text = json.dumps([way.after.tables, way.after.waiting], separators=(",", ":"))
    return mark_of_text(text)


def _bad(change: SeatingChange) -> Refused:
    text = shown(f"{change.kind} {change.table or ''}".strip())
    return Refused(Problem("bad_seating_change", ("about",), {"found": text}))
