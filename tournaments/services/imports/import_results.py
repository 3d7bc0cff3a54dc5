"""Import a file with the totals of whole games: sheets with totals only, and their corrections."""

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial
from typing import Final
from zoneinfo import ZoneInfo

from tournaments.documents.read.blocks import find_table
from tournaments.documents.read.csv import CorrectedTable
from tournaments.documents.read.results import EnteredResult, ResultReader, ResultSides, Shape
from tournaments.documents.read.sheet_rows import day_in_title
from tournaments.documents.read.source_file import SourceFile, is_spreadsheet
from tournaments.documents.read.totals import TotalsReader, count_result_heads
from tournaments.domain.imports.import_report import Finding, Spot, finding
from tournaments.domain.imports.imported_sheets import SheetHand, TypedSheet
from tournaments.domain.replay_game import TOTALS
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Entry, Game
from tournaments.models.imports import Holds
from tournaments.models.rounds import Round, Sitting
from tournaments.models.standings import Contribution
from tournaments.services.db.bulk import in_parts, next_number
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import join_operations, repeat_once
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.imports.existing_tables import evening_days, existing_tables
from tournaments.services.imports.import_sheets import (
    CLOSING,
    ImportRequest,
    close_import,
    start_import,
)
from tournaments.services.imports.resolve_problem import note_replacement
from tournaments.services.imports.run import SheetImport
from tournaments.services.imports.same_sheets import find_answers
from tournaments.services.imports.table_changes import result_key
from tournaments.services.imports.targets import RuleBook, Target
from tournaments.services.imports.uploads import Report
from tournaments.services.operations import Operation
from tournaments.services.rounds.seating import table_code
from tournaments.services.totals.counted_games import lock_aggregates

PREFIX: Final = "result:"
CHUNK: Final = 200


@dataclass(frozen=True, slots=True)
class ExistingResult:
    round: int
    table: int
    seats: tuple[int, ...]
    points: Mapping[int, object]
    day: date | None
    revision: int
    is_undone: bool = False


class ResultImport:
    def __init__(self, running: SheetImport, event: Event, shape: Shape = ()) -> None:
        self.running = running
        self.event = event
        self.shape = shape
        self._results: dict[str, ExistingResult] = {}

    def take(self, results: Sequence[EnteredResult]) -> list[Finding]:
        """Store the valid results, corrections after the results they correct, all or none."""
        with join_operations("import_results") if self.running.writing else nullcontext():
            self._lock(results)
            self._results = _get_results(self.event, self.shape)
            findings = list(self._new([result for result in results if not result.corrects]))
            if self.running.writing:
                self._results = _get_results(self.event, self.shape)
            for result in results:
                if result.corrects:
                    findings.extend(self._correct(result))
        return findings

    def _lock(self, results: Sequence[EnteredResult]) -> None:
        """Lock the event, so that nobody else numbers rounds, and all that is corrected.

        Each correction marks the event; after the first one no game and no sum is locked any more.
        """
        if not self.running.writing:
            return
        lock_event(self.event)
        ids = {code for result in results for code in (result.result_id, result.corrects)}
        by_id = _get_results(self.event, self.shape)
        codes = [table_code(by_id[id_].round, by_id[id_].table) for id_ in ids & by_id.keys()]
        games = lock_games(Game.objects.filter(event=self.event, table__code__in=codes))
        corrected = Contribution.objects.filter(game__in=games)
        players = {player for result in results for player in result.points}
        members = EntrantMember.objects.filter(event=self.event, player__in=players)
        lock_aggregates(
            self.event,
            {
                *corrected.values_list("entrant_id", flat=True),
                *members.values_list("entrant_id", flat=True),
            },
        )

    def _new(self, results: Sequence[EnteredResult]) -> Iterator[Finding]:
        places = FreePlaces(
            self.event, self._results, {result.day for result in results if result.by_day}
        )
        sheets: list[TypedSheet] = []
        for result in results:
            stored_result = self._results.get(result.result_id)
            seats = tuple(result.points)
            if stored_result is None and self._is_one_sheet(result):
                self.running.n_accepted += 1
            elif stored_result is None:
                place = places.take(result)
                sheets.append(_sheet(result, place, seats, self.shape))
                self._results[result.result_id] = ExistingResult(
                    *place, seats, result.points, result.day, 1
                )
            elif stored_result.is_undone:
                place = (stored_result.round, stored_result.table)
                if _fits(result, stored_result.seats, self.shape):
                    seats = stored_result.seats
                sheets.append(_sheet(result, place, seats, self.shape))
            elif stored_result.points != result.points or stored_result.day != result.day:
                spot = Spot(result.lines, stored_result.round)
                yield finding("result_exists", spot, found=result.result_id)
            else:
                self.running.n_accepted += 1
        for part in in_parts(sheets, CHUNK):
            yield from self.running.take(part)

    def _is_one_sheet(self, result: EnteredResult) -> bool:
        """Whether a person said that the event has this game already, from another sheet."""
        answer = (self.running.answers or {}).get(result.lines[0])
        return answer is not None and answer.is_one

    def _correct(self, result: EnteredResult) -> Iterator[Finding]:
        target, earlier = self._results.get(result.corrects), self._results.get(result.result_id)
        if target is None or target.is_undone:
            spot = Spot(result.lines)
            yield finding("unknown_result", spot, found=result.result_id, expected=result.corrects)
            return
        spot = Spot(result.lines, target.round)
        if earlier is not None and earlier.points != result.points:
            yield finding("result_exists", spot, found=result.result_id)
            return
        if not _fits(result, target.seats, self.shape):
            names = " · ".join(self.running.names(player) for player in target.seats)
            yield finding("players_disagree", spot, found=result.result_id, expected=names)
            return
        if earlier is None or earlier.revision < target.revision:
            self._revise(result, target)
        self.running.n_accepted += 1

    def _revise(self, result: EnteredResult, target: ExistingResult) -> None:
        revision = target.revision + 1
        if self.running.writing:
            code = table_code(target.round, target.table)
            game = Game.objects.get(event=self.event, table__code=code)
            hand = game.hands.get(number=TOTALS)
            key = f"{PREFIX}{result.result_id}"
            is_again = result.result_id in self._results
            recorded = record_entry(
                self.running.op,
                game,
                number=TOTALS,
                entry={"points": _units(result, target.seats, self.shape)},
                based_on=hand.revision,
                key=result_key(key, hand.revision + 1) if is_again else key,
                reason=f"Result {result.result_id} corrects {result.corrects}.",
                source="import",
            )
            revision = recorded.entry.revision
            before = {"state": hand.state, "hands": hand.hands}
            note_replacement(self.running.open_batch(self.event), recorded, before)
        self.running.n_added += 1
        self._results[result.result_id] = replace(target, points=result.points, revision=revision)


class FreePlaces:
    """The rounds and tables that new results of an event get.

    Rounds of stored results may get tables of the same date, one of `days`.
    """

    def __init__(
        self,
        event: Event,
        stored_results: Mapping[str, ExistingResult],
        days: Collection[date | None],
    ) -> None:
        self._next = next_number(Round.objects.filter(event=event))
        of_days = {
            result.round: result.day for result in stored_results.values() if result.day in days
        }
        self._rounds: dict[date | None, list[int]] = {}
        self._tables: dict[int, set[int]] = {}
        self._players: dict[int, set[int]] = {}
        for number in sorted(of_days):
            self._rounds.setdefault(of_days[number], []).append(number)
        sat = Sitting.objects.filter(round__event=event, round__number__in=of_days)
        for number, table, player in sat.values_list(
            "round__number", "seat__table__number", "player_id"
        ):
            self._note(number, table, {player})

    def _note(self, number: int, table: int, players: Iterable[int]) -> None:
        self._tables.setdefault(number, set()).add(table)
        self._players.setdefault(number, set()).update(players)

    def take(self, result: EnteredResult) -> tuple[int, int]:
        rounds = self._rounds.setdefault(result.day, []) if result.by_day else []
        for number in rounds:
            tables = self._tables.get(number, set())
            table = result.table or max(tables, default=0) + 1
            is_free = self._players.get(number, set()).isdisjoint(result.points)
            if table not in tables and is_free:
                break
        else:
            number = self._next
            table = result.table or 1
            self._next += 1
            rounds.append(number)
        self._note(number, table, result.points)
        return number, table


def store_placed_results(
    running: SheetImport, event: Event, results: Sequence[EnteredResult], shape: Shape
) -> list[Finding]:
    findings: list[Finding] = []
    for chunk in in_parts(results, CHUNK):
        tables = existing_tables(event, [result.place for result in chunk if result.place])
        sheets = []
        for result in chunk:
            place = result.place or (0, 0)
            sat = tables[place].players(TOTALS) if place in tables else ()
            seats = sat if _fits(result, sat, shape) else tuple(result.points)
            sheet = _sheet(result, place, seats, shape)
            hand = replace(sheet.hands[0], key=None, seat_lines=result.seat_lines)
            sheets.append(replace(sheet, hands=(hand,)))
        findings.extend(running.take(sheets))
    return findings


def _fits(result: EnteredResult, seats: Sequence[int], shape: Shape) -> bool:
    if set(seats) != set(result.points):
        return False
    return all(len({result.points[seats[seat]] for seat in side}) == 1 for side in shape)


def _units(result: EnteredResult, seats: Sequence[int], shape: Shape) -> list[int]:
    first: Sequence[int] = range(len(seats))
    if shape:
        first = [side[0] for side in shape]
    return [result.points[seats[seat]] for seat in first]


def _sheet(
    result: EnteredResult, place: tuple[int, int], seats: tuple[int, ...], shape: Shape
) -> TypedSheet:
    hand = SheetHand(
        number=TOTALS,
        lines=result.lines,
        seat_lines=result.lines[: len(seats)],
        entry={"points": _units(result, seats, shape)},
        players=seats,
        mark=None,
        is_held=False,
        hands=result.hands,
        key=f"{PREFIX}{result.result_id}",
    )
    return TypedSheet(
        *place,
        result.lines,
        result.day,
        "",
        len(seats),
        (hand,),
        {TOTALS: seats},
        keeps_sides=result.keeps_sides,
    )


def _get_results(event: Event, shape: Shape) -> dict[str, ExistingResult]:
    entries = Entry.objects.filter(
        hand__game__event=event, hand__number=TOTALS, key__startswith=PREFIX
    )
    rows = list(
        entries.order_by("revision").values_list(
            "key",
            "typed",
            "revision",
            "hand__state",
            "hand__game__table_id",
            "hand__game__table__round__number",
            "hand__game__table__round__meeting__date",
            "hand__game__table__number",
        )
    )
    seats: dict[int, tuple[int, ...]] = {}
    sittings = Sitting.objects.filter(seat__table__in={row[4] for row in rows})
    for table_id, player in sittings.order_by("seat__number").values_list(
        "seat__table_id", "player_id"
    ):
        seats[table_id] = (*seats.get(table_id, ()), player)
    results: dict[str, ExistingResult] = {}
    for key, typed, revision, state, table_id, number, day, table in rows:
        sat = seats.get(table_id, ())
        points = typed.get("points", []) if isinstance(typed, dict) else []
        result_id = str(key).removeprefix(PREFIX).partition("~")[0]
        results[result_id] = ExistingResult(
            number,
            table,
            sat,
            _by_player(sat, points, shape),
            day,
            revision,
            is_undone=state == "void",
        )
    return results


def _by_player(sat: Sequence[int], points: Sequence[object], shape: Shape) -> dict[int, object]:
    """Return the points of each player in an entry; partners have what their side has."""
    if not shape:
        return dict(zip(sat, points, strict=False))
    units = zip(shape, points, strict=False)
    return {sat[seat]: score for side, score in units for seat in side if seat < len(sat)}


def import_results(
    op: Operation, target: Target, request: ImportRequest, source: SourceFile
) -> Generator[object, None, Report]:
    """Import the results of a file, those with a round some at a time; the others all or none.

    `CLOSING` comes before the first of them is stored, as an interrupted import is not continued.
    """
    if (event := target.event) is None:
        raise AssertionError("results have an event to go into")
    people = target.people(request.named)
    rules_for = RuleBook(event.variant, event.options, offered=target.offered())
    rules = rules_for("").rules
    table = yield from find_table(
        source, (count_result_heads,), people, rules=rules, heads=request.heads, sheet=request.sheet
    )
    corrected = CorrectedTable(table, request.corrections)
    zone = ZoneInfo(target.time_zone)
    today = op.now.astimezone(zone).date()
    reader = ResultReader(
        event=event,
        rules=rules,
        people=people,
        sides=ResultSides(event, rules, target.pairs()),
        today=today,
        zone=zone,
        day=request.day or day_in_title(table, today),
        find_days=cache(partial(evening_days, event)),
    )
    totals = TotalsReader(reader, corrected, is_cut=not is_spreadsheet(request.path))
    results = yield from totals.read(request.wanted, target.maps())
    rounds = {result.place[0] for result in results if result.place is not None}
    unplaced = [result for result in results if not result.place]
    shape = reader.sides.shape

    def store_unplaced() -> tuple[SheetImport, list[Finding]]:
        running = start_import(op, request, event, rules_for, people, rounds)
        if not totals.names_games:
            running.answers = find_answers(
                event, running.digest, sheet=request.sheet, reads_hidden=request.reads_hidden
            )
        return running, ResultImport(running, event, shape).take(unplaced)

    yield CLOSING
    running, findings = repeat_once(store_unplaced, "import_results")
    reader.findings += findings
    with_place = [result for result in results if result.place]
    for part in in_parts(with_place, CHUNK):
        reader.findings += store_placed_results(running, event, part, shape)
        yield None
    return close_import(
        running,
        request,
        list(totals.findings()),
        rows=len(totals.rows),
        hands=len(totals.groups),
        heads=corrected.heads,
        table=corrected,
        chosen=totals.chosen,
        holds=Holds.TOTALS,
    )
