"""Standings as of a round, and the table of each stage."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Final

from django.db.models import Case, F, Sum, Value, When

from scoring.rules.rules import Rules
from scoring.standings.counting import CarryRule
from scoring.standings.rank import Standing
from scoring.standings.rows import GameResult, Row, Sums, with_days
from scoring.standings.tie_breaks import PlayedOff
from tournaments.domain.event_settings import counts_matches, settings_of
from tournaments.domain.standings.counting_release import COUNTING
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.events import Event, Snapshot, Stage, StageKind
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, SitOut, SitOutReason
from tournaments.models.standings import PLACES, Aggregate, Contribution, LedgerLine, StoredHistory
from tournaments.selectors.hands.games import extra_hands, first_rounds_without_moons
from tournaments.selectors.playoffs.playoffs import playoff_results
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.selectors.stages import stages_of
from tournaments.selectors.standings.opening_values import OpeningLine
from tournaments.services.publishing.entrant_rows import (
    ADDED,
    PLACE_COLUMNS,
    BoardMeans,
    EntrantInputs,
    MatchPoints,
    entrant_inputs,
    lowest_wins,
    rows_with_evenings,
    rows_without_index,
    sums_from,
    total_rows,
)
from tournaments.services.publishing.evening_points import (
    EveningPoints,
    evening_rows,
    has_evening_rows,
    rows_of_games,
)
from tournaments.services.publishing.rank_and_render import (
    DraftStandings,
    draft_body,
    unranked_draft,
)
from tournaments.services.publishing.ranking import rank_rows
from tournaments.services.publishing.stages_reached import AsOf, StagesReached
from tournaments.services.publishing.tie_break_evidence import StoredGames, every_game, games_in

_OWN: Final = (*ADDED, "place", "shared", "index_num", "index_den")


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round with hands that count; `day` is that of its meeting, `snapshots` rows of rules."""

    number: int
    day: date | None
    hands: int
    snapshots: frozenset[int]


STAGE: Final = "stage"
"""Kind of the stored table of a stage; its key is the number of the stage."""


def played_rounds(event: Event) -> list[PlayedRound]:
    """Return the rounds of an event that count, by number; two queries."""
    games = Game.objects.filter(event=event, counts=True, hands_counted__gt=0)
    grouped = games.values_list(
        "table__round__number", "table__round__meeting__date", "snapshot_id"
    ).annotate(n_hands=Sum("hands_counted"))
    rounds: dict[int, PlayedRound] = {}
    extra = extra_hands(event)
    for number, day, snapshot, hands in grouped.order_by("table__round__number", "snapshot_id"):
        before = rounds.get(number, PlayedRound(number, day, extra.get(number, 0), frozenset()))
        rounds[number] = PlayedRound(
            number, day, before.hands + hands, before.snapshots | {snapshot}
        )
    return list(rounds.values())


class GamesOfRounds:
    """The games of some rounds of an event, for criteria that look at them."""

    def __init__(self, games: StoredGames, rounds: Collection[int]) -> None:
        self._games, self._rounds = games, rounds

    def games_of(self, codes: Collection[str]) -> Sequence[GameResult]:
        return [game for game in self._games.games_of(codes) if game.key[0] in self._rounds]

    def strangers(self, groups: Sequence[Sequence[str]]) -> Collection[int]:
        """Return the groups with two who never met: then they did not in these rounds."""
        return self._games.strangers(groups)

    def index_of(self, codes: Collection[str]) -> Mapping[str, Fraction | None]:
        return self._games.index_of(codes, rounds=self._rounds)


def _as_of(rounds: Sequence[PlayedRound], later: Sequence[PlayedRound] = ()) -> AsOf:
    """Return how far these rounds are; `later` ones say whether an evening goes on after them."""
    days = [round_.day for round_ in rounds if round_.day]
    last_day = max(days, default=None)
    return AsOf(
        meeting=last_day.isoformat() if last_day is not None else None,
        round=max(round_.number for round_ in rounds),
        hands=sum(round_.hands for round_ in rounds),
        is_so_far=any(round_.day is not None and round_.day == last_day for round_ in later),
    )


def _render(
    draft: DraftStandings,
    placed: tuple[Standing, ...],
    inputs: EntrantInputs,
    as_of: AsOf,
    played: Sequence[Rules],
) -> bytes:
    table = replace(
        draft,
        placed=placed,
        inputs=inputs,
        as_of=as_of,
        variants=tuple(sorted({rules.id for rules in played})),
        is_complex=any(rules.keys.number == "complex" for rules in played),
    )
    return draft_body(table)


class RunningTables:
    """The tables of an event as of its rounds, one after the other from the one at `start` on.

    With a `day`, an ISO date, ledger lines, opening values and byes are those up to that day.
    """

    def __init__(
        self, event: Event, rounds: Sequence[PlayedRound], start: int, *, day: str = ""
    ) -> None:
        self._event, self._rounds, self._day = event, rounds, day
        self._settings = settings_of(event)
        self._reached = StagesReached(event)
        inputs = entrant_inputs(event, self._settings)
        self._now = unranked_draft(event, self._settings, inputs, self._reached)
        self._games = StoredGames(event)
        self._rules = {
            snapshot.pk: rules_of(snapshot) for snapshot in Snapshot.objects.filter(event=event)
        }
        self._low_wins = lowest_wins(event)
        self._at = start - 1
        self._sums: dict[str, list[int]] = {}
        self._sums_by_code: dict[str, Sums] = {}
        if start and not self._reads_games(self._now.inputs):
            self._sums = self._get_sums_before({round_.number for round_ in rounds[start:]})

    def __len__(self) -> int:
        return len(self._sums) or len(self._now.inputs.names)

    def to(self, position: int, before: str) -> str:
        """Go on to the round at `position`, the next one; return its fingerprint."""
        self._at = position
        number = self._rounds[position].number
        contributions = Contribution.objects.filter(
            event=self._event, game__table__round__number=number
        ).order_by("game__table__number", "entrant__code")
        rows = list(contributions.values_list("entrant__code", *_OWN, "game__table__number"))
        for code, *values in rows:
            self._add(code, values)
        names = {code: self._now.inputs.names[code] for code in {row[0] for row in rows}}
        inputs = self._inputs_of(self._numbers, self._day)
        means = self._compared.means(self._numbers) if self._compared else {}
        compared = sorted((code, repr(mean)) for code, mean in means.items())
        parts = (
            before or self._head,
            self._as_of_now(),
            tuple(sorted({rules.id for rules in self._played()})),
            rows,
            sorted(names.items()),
            sorted(inputs.ledger.items()),
            sorted(inputs.byes.items()),
            sorted(inputs.unknown_moons),
            self._reached.by(self._whole(self._numbers)),
            *self._playoffs(),
            *map(_as_text, inputs.carry),
            *([compared] if compared else []),
            *([sorted(inputs.openings.items())] if inputs.openings else []),
            *([_sorted_codes(inputs.excused)] if inputs.excused else []),
        )
        if self._decides and self._reached.is_staged:
            parts = (*parts, self._reached.end_mark)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def table(self) -> bytes:
        """Return the table over the rounds up to the one that `to` went to, as JSON."""
        until = self._numbers
        inputs = self._inputs_of(until, self._day)
        rows = self._rows(inputs)
        placed = rank_rows(
            self._event,
            self._compared.with_means(rows, until) if self._compared else rows,
            GamesOfRounds(self._games, until),
            settings=self._settings,
            stages=self._reached.by(self._whole(until)),
            playoffs=self._playoffs(),
            reached=self._reached if self._decides else None,
        )
        draft = self._now
        if not self._decides:
            draft = replace(draft, is_title_open=self._reached.is_staged)
        return _render(draft, placed, inputs, self._as_of_now(), self._played())

    def _as_of_now(self) -> AsOf:
        """Return how far the table is; under evening points whether its last evening goes on."""
        rounds = self._rounds[: self._at + 1]
        if not self._settings.counts_evenings:
            return _as_of(rounds)
        return _as_of(rounds, self._rounds[self._at + 1 :])

    @cached_property
    def _compared(self) -> BoardMeans | MatchPoints | None:
        if self._settings.duplicate:
            return BoardMeans(self._event)
        if not counts_matches(self._settings):
            return None
        return MatchPoints(self._event)

    @cached_property
    def _head(self) -> str:
        """The inputs of every table: the current one without its rows, settings and formulas."""
        empty = replace(self._now, as_of=AsOf(None, None, 0), variants=())
        return compact(draft_body(empty).decode()).decode() + repr((self._settings, COUNTING))

    @cached_property
    def _every_game(self) -> list[GameResult]:
        return every_game(self._event)

    def _reads_games(self, inputs: EntrantInputs) -> bool:
        """Whether the rows are counted from games; else they are sums over rounds."""
        if self._settings.counts_evenings:
            is_shared = self._settings.table_owners == "by_hands"
            return is_shared or not has_evening_rows(self._settings, inputs)
        return self._settings.keeps or bool(inputs.carry)

    @cached_property
    def _evenings(self) -> EveningPoints | None:
        if not self._settings.ranks_evenings:
            return None
        return EveningPoints(self._event, self._settings)

    def _playoffs(self) -> Sequence[Mapping[str, PlayedOff]]:
        """Return what play-offs decided; for the last tables only: they follow all rounds."""
        return self._played_off if self._decides else ()

    @property
    def _decides(self) -> bool:
        """Whether nothing that was played later decides who wins: the table is the newest one, or
        only consolations were played since."""
        return self._at >= self._last_deciding

    @cached_property
    def _last_deciding(self) -> int:
        """The position of the last round that is not of a consolation."""
        consolations = self._reached.consolation_rounds
        last = len(self._rounds) - 1
        while last > 0 and self._rounds[last].number in consolations:
            last -= 1
        return last

    @cached_property
    def _played_off(self) -> Sequence[Mapping[str, PlayedOff]]:
        return playoff_results(self._event)

    def _rows(self, inputs: EntrantInputs) -> list[Row]:
        numbers = self._numbers
        if self._reads_games(inputs):
            games = [game for game in self._every_game if game.key[0] in numbers]
            rows = rows_of_games(
                self._event,
                games,
                self._settings,
                inputs,
                low_wins=self._low_wins,
                evenings=self._evenings,
            )
            if self._settings.counts_evenings:
                return rows
            return rows_without_index(rows, self._settings)
        totals = {code: self._sums_of(code, inputs.byes.get(code, 0)) for code in self._sums}
        if self._evenings is not None:
            games = [game for game in self._every_game if game.key[0] in numbers]
            if not self._settings.counts_evenings:
                results = self._evenings.results(games, inputs)
                return rows_with_evenings(total_rows(totals, inputs), results)
            evenings = self._evenings.evenings(games, inputs)
            return evening_rows(totals, evenings, self._settings, inputs)
        return total_rows(totals, inputs)

    def _sums_of(self, code: str, byes: int) -> Sums:
        sums = self._sums_by_code.get(code)
        if sums is None:
            columns = dict(zip((*ADDED, *PLACE_COLUMNS), self._sums[code], strict=True))
            sums = sums_from(code, columns, tuple(columns[name] for name in PLACE_COLUMNS))
            self._sums_by_code[code] = sums
        if sums.byes == byes:
            return sums
        return replace(sums, byes=byes)

    def _get_sums_before(self, numbers: Collection[int]) -> dict[str, list[int]]:
        """Return everybody's sums over all rounds but those with `numbers`; one query.

        They are the event's sums less those of the later rounds, so that late rounds of a long
        season cost little; in one statement, so that both are of one moment.
        """
        now = Aggregate.objects.filter(event=self._event)
        since = Contribution.objects.filter(
            event=self._event, game__table__round__number__in=numbers
        )
        less = {f"less_{name}": -F(name) for name in ADDED}
        places = {
            f"less_{name}": Case(When(place=place, then=Value(-1)), default=Value(0))
            for place, name in enumerate(PLACE_COLUMNS, 1)
        }
        added = since.annotate(**less, **places).values_list("entrant__code", *less, *places)
        rows = now.values_list("entrant__code", *ADDED, *PLACE_COLUMNS).union(added, all=True)
        totals: dict[str, list[int]] = {}
        for code, *values in rows:
            sums = totals.setdefault(code, [0] * len(values))
            for at, value in enumerate(values):
                sums[at] += value
        return {code: sums for code, sums in totals.items() if sums[0]}

    def _add(self, code: str, values: Sequence[int]) -> None:
        sums = self._sums.setdefault(code, [0] * (len(ADDED) + PLACES))
        for at, value in enumerate(values[: len(ADDED)]):
            sums[at] += value
        sums[len(ADDED) + values[len(ADDED)] - 1] += 1
        self._sums_by_code.pop(code, None)

    def days(self) -> Iterator[tuple[str, list[PlayedRound], str]]:
        """Yield each day with an evening, a ledger line or an opening value, with the rounds up to
        it.

        The text says what its table counts; it is empty where that is the table as of the last of
        these rounds.
        """
        evenings = {day for round_ in self._rounds if (day := self._days[round_.number])}
        lines = chain.from_iterable(self._now.inputs.openings.values())
        dates = {*self._ledger_days.values(), *(line.date for line in lines)}
        later = {day for day in dates if evenings and day > min(evenings)}
        for day in sorted(evenings | later):
            rounds = [round_ for round_ in self._rounds if self._days[round_.number] <= day]
            numbers = frozenset(round_.number for round_ in rounds)
            then = self._inputs_of(numbers, day)
            if self._whole(numbers) == max(numbers) and then == self._inputs_of(numbers):
                yield day, rounds, ""
            else:
                counted = sorted(then.ledger.items()), sorted(then.byes.items())
                mark = (sorted(numbers), counted, sorted(then.unknown_moons))
                openings = [sorted(then.openings.items())] if then.openings else []
                excused = [_sorted_codes(then.excused)] if then.excused else []
                yield day, rounds, repr((*mark, *openings, *excused))

    def on_day(self, day: str, rounds: Sequence[PlayedRound]) -> bytes:
        """Return the table over these rounds with the ledger lines up to a day, as JSON."""
        others = [round_ for round_ in self._rounds if round_ not in rounds]
        return RunningTables(self._event, [*rounds, *others], len(rounds), day=day).table()

    def _inputs_of(self, numbers: frozenset[int], day: str = "") -> EntrantInputs:
        last, now = max(numbers), self._now.inputs
        # Byes count in the current table whether or not their round has a hand yet.
        end = max(round_.number for round_ in self._rounds)

        def has_round(number: int) -> bool:
            if day:
                return self._days[number] <= day
            return min(number, end) <= last

        def has_line(number: int) -> bool:
            if day:
                return self._ledger_days[number] <= day
            return self._ledger_rounds[number] <= last

        def has_opening(line: OpeningLine) -> bool:
            # As of the last round they all count, as they do now.
            return line.date <= (day or self._days[last]) or (not day and last >= end)

        if self._whole(numbers) == last:
            unknown = {code for code, first in self._unknown_moons.items() if first <= last}
        else:
            unknown = {*first_rounds_without_moons(self._event, numbers)}
        return replace(
            now.with_lines(has_line, has_opening),
            byes=Counter(code for number, code in self._byes if has_round(number)),
            unknown_moons=frozenset(unknown),
            bye_rounds={
                code: [number for number in rounds if has_round(number)]
                for code, rounds in now.bye_rounds.items()
            },
            excused=self._excused_in(numbers),
        )

    def _excused_in(self, numbers: frozenset[int]) -> Mapping[str, Collection[str]]:
        """Return who is excused of the evenings with these rounds, by day."""
        excused = self._now.inputs.excused
        if not excused:
            return {}
        days = {round_.day for round_ in self._rounds if round_.number in numbers}
        return {day: codes for day, codes in excused.items() if date.fromisoformat(day) in days}

    @cached_property
    def _unknown_moons(self) -> dict[str, int]:
        return first_rounds_without_moons(self._event)

    @cached_property
    def _ledger_days(self) -> dict[int, str]:
        """The date from which each line counts, by number: that of its evening, else when it was
        given."""
        zone = self._event.club.zone
        lines = LedgerLine.objects.filter(event=self._event, withdrawn_at=None)
        return {
            number: (evening or at.astimezone(zone).date()).isoformat()
            for number, evening, at in lines.values_list("number", "meeting__date", "at")
        }

    @cached_property
    def _days(self) -> dict[int, str]:
        """The date of each round by number; one without follows the rounds numbered before it."""
        rows = Round.objects.filter(event=self._event).values_list("number", "meeting__date")
        days = [((number,), day.isoformat() if day else None) for number, day in rows]
        return {number[0]: day for day, number, _ in with_days(days, lambda row: row)}

    @cached_property
    def _ledger_rounds(self) -> dict[int, int]:
        """The last round before each line was given, or of its day; 0 before the first one."""
        dated = [
            (self._days[round_.number], round_.number) for round_ in self._rounds if round_.day
        ]
        return {
            line: max((pair for pair in dated if pair[0] <= date), default=("", 0))[1]
            for line, date in self._ledger_days.items()
        }

    @cached_property
    def _byes(self) -> list[tuple[int, str]]:
        sat_out = SitOut.objects.filter(event=self._event, reason=SitOutReason.BYE)
        return list(sat_out.values_list("round__number", "entrant__code"))

    def _whole(self, numbers: frozenset[int]) -> int:
        """The last of these rounds before which none is missing."""
        missing = (r.number - 1 for r in self._rounds if r.number not in numbers)
        return min([max(numbers), *missing])

    @property
    def _numbers(self) -> frozenset[int]:
        """The numbers of the rounds up to the one that `to` went to."""
        return frozenset(round_.number for round_ in self._rounds[: self._at + 1])

    def _played(self) -> list[Rules]:
        snapshots = {pk for round_ in self._rounds[: self._at + 1] for pk in round_.snapshots}
        return [self._rules[pk] for pk in sorted(snapshots)]


def _sorted_codes(codes_by_day: Mapping[str, Collection[str]]) -> list[tuple[str, list[str]]]:
    return [(day, sorted(codes)) for day, codes in sorted(codes_by_day.items())]


def _as_text(rule: CarryRule) -> str:
    """Return a rule for a fingerprint, with sets in an order that all processes share."""
    return f"{sorted(rule.rounds)} {rule.factor} {rule.codes and sorted(rule.codes)}"


def stage_tables(event: Event) -> dict[tuple[str, str], bytes]:
    """Return the tables of an event's stages by kind and key; none where it has a single stage."""
    stages = list(stages_of(event))
    if len(stages) < 2:
        return {}
    of_stage = dict(Round.objects.filter(event=event).values_list("number", "stage_id"))
    played = played_rounds(event)
    games = StoredGames(event)
    reached = StagesReached(event)
    settings = settings_of(event)
    now = unranked_draft(event, settings, entrant_inputs(event, settings), reached)
    tables = {}
    for stage in stages:
        rounds = [round_ for round_ in played if of_stage.get(round_.number) == stage.pk]
        if rounds:
            tables[STAGE, str(stage.number)] = _stage_table(now, stage, rounds, games, reached)
    return tables


def stale_stage_tables(
    event: Event, tables: Collection[tuple[str, str]]
) -> Sequence[tuple[str, str]]:
    """Return kind and key of stored tables of stages that are not among `tables`."""
    stored = StoredHistory.objects.filter(event=event, kind=STAGE).values_list("key", flat=True)
    return [(STAGE, key) for key in stored if (STAGE, key) not in tables]


def _stage_table(
    now: DraftStandings,
    stage: Stage,
    rounds: Sequence[PlayedRound],
    games: StoredGames,
    reached: StagesReached,
) -> bytes:
    event = now.event
    numbers = frozenset(round_.number for round_ in rounds)
    # Only the byes of the stage count: nothing is carried over or from before, no ledger line.
    sat_out = SitOut.objects.filter(round__stage=stage, reason=SitOutReason.BYE)
    byes = Counter(sat_out.values_list("entrant__code", flat=True))
    inputs = replace(now.inputs, ledger={}, byes=byes, carry=(), bye_rounds={}, openings={})
    game_results = games_in(
        event, Contribution.objects.filter(event=event, game__table__round__stage=stage)
    )
    snapshots = {pk for round_ in rounds for pk in round_.snapshots}
    played = [rules_of(snapshot) for snapshot in event.snapshots.filter(pk__in=snapshots)]
    rows = rows_of_games(event, game_results, now.settings, inputs, low_wins=lowest_wins(event))
    if now.settings.duplicate:
        rows = BoardMeans(event).with_means(rows, numbers)
    elif counts_matches(now.settings):
        rows = MatchPoints(event).with_means(rows, numbers)
    # What a final's play-off decides is its result, where a knock-out is ranked by places.
    is_placed = stage.kind == StageKind.KNOCKOUT and now.settings.knocked_out != "standings"
    placed = rank_rows(
        event,
        rows,
        GamesOfRounds(games, numbers),
        settings=now.settings,
        stages=reached.within(stage.pk),
        playoffs=None if is_placed else (),
    )
    return _render(now, placed, inputs, _as_of(rounds), played)
