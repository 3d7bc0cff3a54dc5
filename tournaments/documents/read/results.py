"""Results of whole games, from the rows of each of them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, tzinfo
from functools import cached_property
from typing import Final

from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.documents.read import cells
from tournaments.documents.read.columns import length_of
from tournaments.documents.read.people import Pair, Pairs, People, RowPerson
from tournaments.documents.read.sheet_rows import known_day, settled, valid_number
from tournaments.domain.imports.import_report import Finding, Spot, finding
from tournaments.domain.replay_game import TOTALS
from tournaments.models.events import Event
from tournaments.selectors.clubs.find_players import NamedPlayers, named_players
from tournaments.selectors.rounds.resolve_players import Groups, side_players

Shape = Sequence[Sequence[int]]
"""The seats (from 0) of each side that has one score; empty where each seat has its own."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A row of a result: its line, its cells by key, its players, their points."""

    line: int
    texts: Mapping[str, str]
    players: tuple[int, ...]
    points: int


class ResultSides:
    """The sides of an event's games; none if each player has a score."""

    def __init__(self, event: Event, rules: Rules, pairs: Sequence[Pair]) -> None:
        teams = rules.keys.teams
        self._event = event
        self._pairs = Pairs(pairs)
        self._players: dict[str, tuple[int, ...] | Problem] = {}
        self.shape: Shape = teams.shape if teams.mode == "pooled" else ()

    @property
    def sizes(self) -> tuple[int, int] | None:
        n_players = sum(map(len, self.shape))
        return (n_players, n_players) if self.shape else None

    @cached_property
    def _groups_and_people(self) -> tuple[Groups, NamedPlayers]:
        return Groups(self._event), named_players(self._event.club)

    @property
    def n_unknown(self) -> int:
        if not self._players:
            return 0
        return self._groups_and_people[1].n_unknown

    def players(self, text: str) -> tuple[int, ...] | Problem:
        """Return the players of the side that a cell names, or the problem with it."""
        if text not in self._players:
            groups, people = self._groups_and_people
            side = side_players(text, len(self.shape[0]), groups, people, ("side",), 1)
            self._players[text] = side if isinstance(side, Problem) else tuple(p.pk for p in side)
        return self._players[text]

    def by_seat(self, rows: Sequence[ResultRow]) -> list[ResultRow] | str:
        """Return a row for each seat clockwise; the points of partners who differ, as text."""
        if len(rows) == len(self.shape):
            sides = [_singles([row]) for row in rows]
        else:
            sides = self._partners(_singles(rows))
        for side in sides:
            if len({row.points for row in side}) > 1:
                return " and ".join(str(row.points) for row in side)
        seated: dict[int, ResultRow] = {}
        for seats, side in zip(self.shape, sides, strict=True):
            seated.update(zip(seats, side, strict=True))
        return [seated[seat] for seat in sorted(seated)]

    def _partners(self, rows: Sequence[ResultRow]) -> list[list[ResultRow]]:
        """Return the rows of each side: those of the event's pairs, or those who sit opposite."""
        by_pair: dict[str, list[ResultRow]] = {}
        for row in rows:
            by_pair.setdefault(self._pairs.of(row.players[0]), []).append(row)
        sizes = [len(side) for side in self.shape]
        if "" not in by_pair and [len(side) for side in by_pair.values()] == sizes:
            return list(by_pair.values())
        return [[rows[seat] for seat in side] for side in self.shape]


ONCE: Final = ("corrects", "played_on", "hands")
"""Columns that say the same in every row of a result."""


@dataclass(frozen=True, slots=True)
class EnteredResult:
    """One game's totals as typed: points by player's key, in the order of the file, or clockwise
    where sides have one score; partners have the same points then.

    `corrects` is the id of the result that it replaces; `place` the round and the table as written.
    With `by_day` the round follows from the date, and `table` is the table's number.
    """

    result_id: str
    corrects: str
    lines: tuple[int, ...]
    day: date | None
    points: Mapping[int, int]
    hands: int | None = None
    place: tuple[int, int] | None = None
    seat_lines: tuple[int, ...] = ()
    keeps_sides: bool = False
    by_day: bool = False
    table: int | None = None


@dataclass(slots=True)
class ResultGroup:
    """The rows of one result, and whether something in them waits for a person.

    `seated` are the ids of its players, `unasked` the people of its lines who are not known.
    """

    result_id: str
    place: tuple[int, int] | None
    rows: list[ResultRow] = field(default_factory=list)
    waits: bool = False
    seated: set[str] = field(default_factory=set)
    unasked: list[tuple[int, RowPerson]] = field(default_factory=list)

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(row.line for row in self.rows))


def _singles(rows: Sequence[ResultRow]) -> list[ResultRow]:
    return [replace(row, players=(player,)) for row in rows for player in row.players]


def spot_in(group: ResultGroup | None, lines: Sequence[int]) -> Spot:
    """Return the place of lines of a file, with the round and the table of their result."""
    place = group.place if group is not None else None
    return Spot(tuple(sorted(set(lines))), *(place or ()), *((TOTALS,) if place else ()))


@dataclass(kw_only=True)
class ResultReader:
    """Reads results of an event.

    `day` is that of a file without dates; `find_days` returns the days of the event's evenings.
    """

    event: Event
    rules: Rules
    people: People
    sides: ResultSides
    today: date
    zone: tzinfo
    day: date | None
    find_days: Callable[[], Collection[date]] = tuple
    findings: list[Finding] = field(default_factory=list)

    def add_problem(
        self, group: ResultGroup | None, code: str, lines: Sequence[int], **facts: str | None
    ) -> None:
        self.add_finding(group, finding(code, spot_in(group, lines), **facts))

    def add_finding(self, group: ResultGroup | None, problem: Finding) -> None:
        self.findings.append(problem)
        if group is not None and problem.waits:
            group.waits = True

    def results(self, groups: Sequence[ResultGroup]) -> list[EnteredResult]:
        """Return the results of which nothing waits for a person."""
        results = [result for group in groups if (result := self._result(group)) is not None]
        clashing = set(self._clashes(results))
        return [result for result in results if result.result_id not in clashing]

    def _result(self, group: ResultGroup) -> EnteredResult | None:
        self._compare_rows(group)
        rows = self._points(group)
        texts = group.rows[0].texts
        day = self._day(group, texts.get("played_on", ""))
        hands = length_of(cells.plain(texts.get("hands", "")))
        if texts.get("hands") and hands is None:
            self.add_problem(group, "bad_length", group.lines, found=f'"{texts["hands"]}"')
        if group.waits or rows is None:
            return None
        table = cells.table(texts.get("table", "")).value
        # A ladder's games keep their order, each in a round of its own.
        is_placed = group.place is not None or bool(texts.get("entry_id"))
        by_day = day is not None and not is_placed and not self.event.is_ladder
        return EnteredResult(
            group.result_id,
            texts.get("corrects", ""),
            group.lines,
            day,
            {player: row.points for player, row in rows.items()},
            hands,
            group.place,
            tuple(row.line for row in rows.values()),
            any(cells.is_as_written(row.texts.get("sides", "")) for row in group.rows),
            by_day,
            table if valid_number(table) else None,
        )

    def _compare_rows(self, group: ResultGroup) -> None:
        for key in ONCE:
            texts = list(dict.fromkeys(row.texts.get(key, "") for row in group.rows))
            if len(texts) > 1:
                first, second = (text or "nothing" for text in texts[:2])
                facts = {"result": group.result_id, "found": first, "expected": second}
                self.add_problem(group, "result_rows_disagree", group.lines, **facts)

    def _points(self, group: ResultGroup) -> dict[int, ResultRow] | None:
        least, most = self.sides.sizes or self.rules.keys.players
        n_players = sum(max(1, len(row.players)) for row in group.rows)
        if not least <= n_players <= most:
            if least == most:
                expected = f"{least} players"
            else:
                expected = f"{least} to {most} players"
            count = "one player" if n_players == 1 else f"{n_players} players"
            self.add_problem(group, "seat_count", group.lines, found=count, expected=expected)
        players = [player for row in group.rows for player in row.players]
        if twice := next((player for player in players if players.count(player) > 1), None):
            name = self.people.name_of(twice)
            self.add_problem(group, "same_player_twice", group.lines, found=name)
        if group.waits:
            return None
        self._check_places(group, low_wins=self.rules.keys.result.order != "high")
        if not self.sides.shape:
            return {row.players[0]: row for row in group.rows}
        seated = self.sides.by_seat(group.rows)
        if isinstance(seated, str):
            self.add_problem(group, "partners_have_one_score", group.lines, found=seated)
            return None
        return {row.players[0]: row for row in seated}

    def _check_places(self, group: ResultGroup, *, low_wins: bool) -> None:
        sign = 1 if low_wins else -1
        points = [sign * row.points for row in group.rows]
        n_partners = len(points) // len(self.sides.shape) if self.sides.shape else 1
        for row, score in zip(group.rows, points, strict=True):
            if not row.texts.get("place"):
                continue
            better = sum(other < score for other in points)
            place = cells.place(row.texts["place"])
            if place not in (better + 1, better // n_partners + 1):
                facts = {"result": group.result_id, "found": row.texts["place"]}
                facts["expected"] = str(better + 1)
                self.add_problem(group, "place_disagrees", [row.line], **facts)

    def _day(self, group: ResultGroup, text: str) -> date | None:
        if not text:
            return self.day
        day = cells.day(text, self.zone).value
        played_on = settled(day, set(), self.today)
        if played_on is None and day.options:
            played_on = known_day(day, self.find_days())
        if played_on is None:
            code = "ambiguous_date" if day.options else "bad_date"
            self.add_problem(group, code, group.lines, found=f'"{text}"', expected="one date")
            return None
        facts = {"found": played_on.isoformat(), "expected": self.today.isoformat()}
        if not day.is_iso:
            self.add_problem(group, "date_format", group.lines, found=text, expected=facts["found"])
        if played_on > self.today:
            self.add_problem(group, "date_in_future", group.lines, **facts)
        return played_on

    def _clashes(self, results: Sequence[EnteredResult]) -> Iterator[str]:
        """Yield the ids of results of players who sit at two tables of a round."""
        sat: dict[tuple[int, int], list[EnteredResult]] = {}
        for result in results:
            if result.place:
                for player in result.points:
                    sat.setdefault((result.place[0], player), []).append(result)
        for (round_, player), at_tables in sat.items():
            if len(at_tables) > 1:
                tables = " and ".join(str(result.place[1]) for result in at_tables if result.place)
                lines = tuple(sorted({line for result in at_tables for line in result.lines}))
                facts = {"found": self.people.name_of(player), "expected": tables}
                self.findings.append(finding("player_at_two_tables", Spot(lines, round_), **facts))
                yield from (result.result_id for result in at_tables)
