"""A cup counted again from the sheets, without the code that ranks: who came how far, and where."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Entry, Hand
from tournaments.models.playoffs import Playoff, WalkOver
from tournaments.models.rounds import Round, Sitting


@dataclass(frozen=True)
class RawTable:
    """A table of a round: points of each name, and the order of those who share a place there."""

    points: Mapping[str, int]
    decided: Mapping[str, int]

    def place(self, name: str) -> int:
        mine = (self.points[name], self.decided.get(name, 0))
        every = [(points, self.decided.get(other, 0)) for other, points in self.points.items()]
        return 1 + sum(result < mine for result in every)


def raw_tables(event: Event) -> dict[tuple[int, int], RawTable]:
    tables: dict[tuple[int, int], dict[str, int]] = defaultdict(dict)
    hands = Hand.objects.filter(game__event=event, game__counts=True, state="accepted")
    for hand in hands.select_related("game__table__round"):
        table = hand.game.table
        typed = Entry.objects.filter(hand=hand).order_by("-revision")[0].typed
        totals = tables[table.round.number, table.number]
        for sitting in Sitting.objects.filter(seat__table=table).select_related("seat", "player"):
            at = sitting.seat.number - 1
            points = typed["hearts"][at] + 13 * len(typed["taken"][at])
            totals[sitting.player.name] = totals.get(sitting.player.name, 0) + points
    return {key: RawTable(points, decided_at(event, *key)) for key, points in tables.items()}


def decided_at(event: Event, round_number: int, table: int | None) -> dict[str, int]:
    order: dict[str, int] = {}
    for playoff in Playoff.objects.filter(event=event, state__in=("decided", "by_lot")):
        line = playoff.boundaries[0]
        if (line.get("round"), line.get("table")) == (round_number, table):
            names = {
                member.entrant.code: name_of(member.entrant) for member in playoff.members.all()
            }
            for at, level in enumerate((playoff.result or {})["order"]):
                order |= dict.fromkeys((names[code] for code in level), at)
    return order


def name_of(entrant: Entrant) -> str:
    return entrant.members.get().player.name


def raw_ranks(event: Event) -> dict[str, int]:
    """Return the rank of everybody: rounds reached, place at the last table, points there."""
    tables = raw_tables(event)
    rounds = Round.objects.filter(event=event).exclude(stage__kind="playoff")
    numbers = {pk: number for pk, number in rounds.values_list("pk", "number")}
    last: dict[str, tuple[int, int]] = {}
    sat = Sitting.objects.filter(round__in=numbers).select_related("player", "seat__table__round")
    gave_up = WalkOver.objects.filter(event=event).select_related("entrant", "table__round")
    at_tables = [(sitting.player.name, sitting.seat.table) for sitting in sat]
    at_tables += [(name_of(walk_over.entrant), walk_over.table) for walk_over in gave_up]
    for name, table in at_tables:
        last[name] = max(last.get(name, (0, 0)), (table.round.number, table.number))
    out = {name_of(walk_over.entrant) for walk_over in gave_up}

    def key(name: str) -> tuple[object, ...]:
        table = tables.get(last[name])
        if name in out or table is None or name not in table.points:
            return (-last[name][0], name in out, True, 0, 0)
        return (-last[name][0], False, False, table.place(name), table.points[name])

    keys = {name: key(name) for name in last}
    return {name: 1 + sum(other < keys[name] for other in keys.values()) for name in last}


def gone_on(event: Event, number: int) -> Iterator[tuple[int, RawTable, set[str]]]:
    later = Sitting.objects.filter(round__number__gt=number, round__event=event)
    later = later.exclude(round__stage__kind="playoff")
    names = set(later.values_list("player__name", flat=True))
    gave_up = WalkOver.objects.filter(event=event, round__number__gt=number)
    names |= {name_of(walk_over.entrant) for walk_over in gave_up}
    for (round_number, table), raw in raw_tables(event).items():
        if round_number == number:
            yield table, raw, names & raw.points.keys()
