"""The table of each evening of an event: its games alone, ranked as the event ranks.

See docs/decisions/0066-an-evening-has-its-own-table.md.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any, Final, TypeAlias

from scoring.json_types import JsonObject
from scoring.standings.evenings import worths_of_places
from scoring.standings.rank import ranked_tiers
from tournaments.domain.event_settings import (
    counts_matches,
    settings_of,
    settings_of_evening,
)
from tournaments.domain.standings.counting_release import COUNTING
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.events import Event, EventKind, StageKind
from tournaments.models.jobs import history_scope
from tournaments.models.rounds import Round, RoundState, SitOut, SitOutReason
from tournaments.models.standings import EVENINGS, Contribution, StoredHistory
from tournaments.selectors.events.events import has_evening_tables
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.hands.games import first_rounds_without_moons
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.selectors.stages import stages_of
from tournaments.selectors.standings.evenings import (
    EVENING,
    list_behind_with_evenings,
)
from tournaments.services.db.transactions import atomic_step
from tournaments.services.jobs.queue import mark_due
from tournaments.services.publishing.entrant_rows import (
    ADDED,
    BoardMeans,
    EntrantInputs,
    MatchPoints,
    entrant_inputs,
)
from tournaments.services.publishing.evening_points import EveningRanker
from tournaments.services.publishing.rank_and_render import DraftStandings, draft_body
from tournaments.services.publishing.running_tables import (
    PlayedRound,
    RunningTables,
    played_rounds,
)
from tournaments.services.publishing.stages_reached import AsOf
from tournaments.services.publishing.tie_break_evidence import games_in

SEEN: Final = (*ADDED, "place", "shared", "index_num", "index_den", "game__snapshot_id")
"""What a game adds that the table of its evening shows or is ranked by."""
MOST_FIRST: Final = 3
"""Entrants on a first place who are stored for lists of evenings; the others are counted."""

EVENTS_A_SWEEP: Final = 50
"""Events that one sweep has their evenings made for, so that others do not wait."""

RawRow: TypeAlias = tuple[Any, ...]
"""The number of the table, the code of the entrant, then `SEEN`."""


@dataclass(frozen=True, slots=True)
class EveningWork:
    """Which evenings have a table, and which are still to be looked at.

    `seen` is the last line of the audit trail that was read, `is_listed` whether no round changed
    since the evenings were listed. `left` are the days to look at, None: all of them. `tables` has
    by day the fingerprint (`mark`), the numbers of the rounds, and who is first (`first`, and how
    many share that place, `n_first`). `as_of` are the days whose table is that of the event as of
    then.
    """

    seen: int = 0
    is_listed: bool = False
    left: Sequence[str] | None = None
    tables: Mapping[str, JsonObject] = field(default_factory=dict)
    as_of: Sequence[str] = ()

    @property
    def is_done(self) -> bool:
        return self.is_listed and self.left is not None and not self.left

    @classmethod
    def read(cls, body: bytes | None) -> "EveningWork":
        if body is None:
            return cls()
        return cls(**json.loads(body))

    def with_changes(self, rounds: AbstractSet[int] | None, *, seen: int) -> "EveningWork":
        """Return the work with that of these changed rounds; None: anything may have changed."""
        if rounds is None:
            return replace(self, seen=seen, is_listed=False, left=None)
        work = replace(self, seen=seen, is_listed=self.is_listed and not rounds)
        if self.left is None:
            return work
        changed = {
            day for day, table in self.tables.items() if not rounds.isdisjoint(table["rounds"])
        }
        return replace(work, left=sorted({*self.left, *changed}))

    def document(self) -> bytes:
        return compact(asdict(replace(self, tables=dict(sorted(self.tables.items())))))


@dataclass(frozen=True, slots=True)
class MadeEvenings:
    """The tables that were made, by kind and key, those to delete, and the work as it is now."""

    work: EveningWork
    cost: int = 0
    bodies: Mapping[tuple[str, str], bytes] = field(default_factory=dict)
    gone: Sequence[tuple[str, str]] = ()


def stored_evening_work(event: Event) -> EveningWork:
    stored = StoredHistory.objects.filter(event=event, kind=EVENINGS)
    body = stored.values_list("body", flat=True).first()
    return EveningWork.read(bytes(body) if body is not None else None)


def make_evening_tables(event: Event, work: EveningWork, budget: int) -> MadeEvenings:
    """Make the tables of the evenings in `work` that are not as stored, the newest first.

    Where the budget ends, the others stay for a later piece; at least one evening is looked at.
    """
    if work.is_done:
        return MadeEvenings(work)
    by_day: dict[str, list[PlayedRound]] = defaultdict(list)
    for round_ in played_rounds(event):
        if round_.day is not None:
            by_day[round_.day.isoformat()].append(round_)
    as_of = _days_as_of(event, by_day)
    own = {day: rounds for day, rounds in by_day.items() if day not in as_of}
    if event.is_ladder:
        own = {}
    tables = {day: table for day, table in work.tables.items() if day in own}
    gone = [(EVENING, day) for day in work.tables if day not in own]
    days = sorted(_days_to_look_at(work, own), reverse=True)
    maker = _Maker(event, [own[day] for day in days]) if days else None
    bodies: dict[tuple[str, str], bytes] = {}
    cost = 0
    while maker is not None and days and (not bodies or cost < budget):
        day = days.pop(0)
        rounds = own[day]
        mark = maker.mark(day, rounds)
        cost += 1
        if day in tables and tables[day]["mark"] == mark:
            continue
        body = maker.table(day, rounds)
        bodies[EVENING, day] = body
        cost += body.count(b'"player_id"')
        first = [row["player_id"] for row in json.loads(body)["rows"] if row["rank"] == 1]
        tables[day] = {
            "mark": mark,
            "rounds": [row.number for row in rounds],
            "first": first[:MOST_FIRST],
            "n_first": len(first),
        }
    now = replace(work, is_listed=True, left=sorted(days), tables=tables, as_of=sorted(as_of))
    return MadeEvenings(now, cost, bodies, gone)


def draft_evening(event: Event, day: date) -> bytes | None:
    """Return the table of an evening as its games are now, and no other of the event's.

    That of the event as of then has no member `evening`. None if no hand of the evening counts.
    """
    if event.is_ladder:
        return None
    key = day.isoformat()
    played = played_rounds(event)
    rounds = [round_ for round_ in played if round_.day == day]
    if not rounds:
        return None
    if not _days_as_of(event, {key: rounds}):
        return _Maker(event, [rounds]).table(key, rounds)
    tables = RunningTables(event, played, len(played))
    rounds_by_day = {each: until for each, until, _mark in tables.days()}
    return tables.on_day(key, rounds_by_day[key])


def _days_to_look_at(
    work: EveningWork, rounds_by_day: Mapping[str, Sequence[PlayedRound]]
) -> Collection[str]:
    if work.left is None:
        return rounds_by_day
    days = {day for day in work.left if day in rounds_by_day}
    for day, rounds in rounds_by_day.items():
        known = work.tables.get(day)
        if known is None or known["rounds"] != [row.number for row in rounds]:
            days.add(day)
    return days


def _days_as_of(event: Event, rounds_by_day: Mapping[str, Sequence[PlayedRound]]) -> set[str]:
    """Return the days whose table is that of the event as of then.

    In a knock-out an evening decides who goes on, and not who has the most points of it. So it does
    in a tournament of several stages; a league with a final still plays for its evenings.
    """
    if event.kind == EventKind.TOURNAMENT and not has_evening_tables(event):
        return set(rounds_by_day)
    knockouts = list(stages_of(event).filter(kind=StageKind.KNOCKOUT))
    if not knockouts:
        return set()
    in_knockout = Round.objects.filter(event=event, stage__in=knockouts)
    numbers = set(in_knockout.values_list("number", flat=True))
    return {
        day
        for day, rounds in rounds_by_day.items()
        if not numbers.isdisjoint(row.number for row in rounds)
    }


class _Maker:
    """Makes the tables of some evenings; what they all need is read once."""

    def __init__(self, event: Event, evenings: Sequence[Sequence[PlayedRound]]) -> None:
        self._event = event
        self._numbers = [row.number for rounds in evenings for row in rounds]
        self._settings = settings_of_evening(settings_of(event))
        self._ranker = EveningRanker(event, settings_of(event))
        self._points: Sequence[int] | None = None
        if settings_of(event).counts_evenings:
            self._points = settings_of(event).evening_points
        self._rules = rules_of(default_snapshot(event))
        now = entrant_inputs(event)
        # Who withdrew later played that evening all the same.
        withdrawn = [name for name in now.names.values() if name.withdrawn]
        played = {name.code: replace(name, withdrawn=False) for name in withdrawn}
        names = {**now.names, **played}
        self._inputs = replace(now, names=names, byes={}, carry=(), bye_rounds={}, openings={})
        self._snapshots = {row.pk: rules_of(row) for row in event.snapshots.all()}

    def mark(self, day: str, rounds: Sequence[PlayedRound]) -> str:
        """Return the fingerprint of all that the table of an evening depends on."""
        rows = [row for round_ in rounds for row in self._raw_rows.get(round_.number, ())]
        inputs = self._inputs_of(day, rounds)
        codes = {str(row[1]) for row in rows}
        means = self._compared.means(_numbers(rounds)) if self._compared else {}
        parts: list[object] = [
            self._head,
            day,
            rows,
            [(row.number, row.hands, sorted(row.snapshots)) for row in rounds],
            [name for code, name in sorted(inputs.names.items()) if code in {*codes, *means}],
            sorted(inputs.byes.items()),
            sorted(inputs.unknown_moons & codes),
            sorted((code, repr(mean)) for code, mean in means.items()),
        ]
        # An evening without a line keeps the fingerprint that it had before there were any.
        if inputs.ledger:
            parts.append(sorted(inputs.ledger.items()))
        return hashlib.sha256(repr(tuple(parts)).encode()).hexdigest()

    def table(self, day: str, rounds: Sequence[PlayedRound]) -> bytes:
        numbers = _numbers(rounds)
        inputs = self._inputs_of(day, rounds)
        played = Contribution.objects.filter(
            event=self._event, game__table__round__number__in=numbers
        )
        games = games_in(self._event, played)
        placed = self._ranker.placed(day, games, inputs)
        season_points = None
        if self._points is not None:
            worths = worths_of_places(ranked_tiers(placed), self._points, inputs.guests)
            season_points = {code: worth.points for code, worth in worths.items()}
        rules = [self._snapshots[pk] for pk in {pk for row in rounds for pk in row.snapshots}]
        table = replace(
            self._empty,
            placed=placed,
            inputs=inputs,
            as_of=AsOf(day, max(numbers), sum(row.hands for row in rounds)),
            variants=tuple(sorted({each.id for each in rules})),
            is_complex=any(each.keys.number == "complex" for each in rules),
            seed=self._ranker.seed_of(day),
            season_points=season_points,
        )
        return draft_body(table, evening={"date": day, "counts": "evening"})

    def _inputs_of(self, day: str, rounds: Sequence[PlayedRound]) -> EntrantInputs:
        numbers = _numbers(rounds)
        byes = Counter(code for number in numbers for code in self._byes.get(number, ()))
        unknown: Collection[str] = ()
        if self._inputs.unknown_moons:
            unknown = first_rounds_without_moons(self._event, numbers)
        return replace(
            self._inputs,
            ledger=self._inputs.lines_of(day),
            byes=byes,
            unknown_moons=frozenset(unknown),
        )

    @cached_property
    def _empty(self) -> DraftStandings:
        return DraftStandings(
            event=self._event,
            settings=self._settings,
            low_wins=low_wins(self._rules),
            placed=(),
            inputs=self._inputs,
            as_of=AsOf(None, None, 0),
            variants=(),
            is_complex=False,
            seed=self._event.seed,
        )

    @cached_property
    def _head(self) -> str:
        """What every table depends on: names of club and event, settings, formulas."""
        head = draft_body(self._empty).decode() + repr((self._settings, COUNTING))
        if self._points is not None:
            head += repr(self._points)
        return head

    @cached_property
    def _raw_rows(self) -> Mapping[int, Sequence[RawRow]]:
        """What each game adds, as stored, by the number of the round; one query."""
        rows = Contribution.objects.filter(
            event=self._event, game__table__round__number__in=self._numbers
        )
        by_round: dict[int, list[RawRow]] = defaultdict(list)
        for number, *row in rows.order_by(
            "game__table__round__number", "game__table__number", "entrant__code"
        ).values_list("game__table__round__number", "game__table__number", "entrant__code", *SEEN):
            by_round[number].append(tuple(row))
        return by_round

    @cached_property
    def _byes(self) -> Mapping[int, Sequence[str]]:
        sat_out = SitOut.objects.filter(event=self._event, reason=SitOutReason.BYE)
        sat_out = sat_out.exclude(round__state=RoundState.DRAFT)
        by_round: dict[int, list[str]] = defaultdict(list)
        for number, code in sat_out.values_list("round__number", "entrant__code"):
            by_round[number].append(code)
        return by_round

    @cached_property
    def _compared(self) -> BoardMeans | MatchPoints | None:
        if self._settings.duplicate:
            return BoardMeans(self._event)
        if not counts_matches(self._settings):
            return None
        return MatchPoints(self._event)


def _numbers(rounds: Sequence[PlayedRound]) -> frozenset[int]:
    return frozenset(row.number for row in rounds)


@atomic_step
def mark_missing_evenings(*, now: datetime) -> int:
    """Have the history job make the evenings that an older release left out; return of how many
    events."""
    events = list_behind_with_evenings(at_most=EVENTS_A_SWEEP)
    for event_id in events:
        mark_due(history_scope(event_id), now=now)
    return len(events)
