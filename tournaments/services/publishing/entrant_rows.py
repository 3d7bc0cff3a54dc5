"""The rows of an event's entrants for its table: totals, adjustments, byes."""

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import attrgetter
from types import MappingProxyType
from typing import Final, Self

from django.db.models import Exists, OuterRef

from scoring.duplicate.matchpoints import FieldScore, field_scores
from scoring.standings.counting import (
    CarryRule,
    Played,
    carry_lines,
    dropped,
    evening_values,
    kept,
    weight,
    weighted,
)
from scoring.standings.evenings import Period, count_evenings, periods_of
from scoring.standings.rows import EveningWorth, GameResult, Key, PeriodValue, Row, Sums
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.domain.people.public_names import public_entrant_name, redact_text
from tournaments.models.columns import UNIT, exact
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, EntrantState, Event
from tournaments.models.rounds import RoundState, SitOut, SitOutReason, Sitting
from tournaments.models.standings import PLACES, Aggregate, Contribution, LedgerKind, LedgerLine
from tournaments.selectors.attendance.excuses import list_excused
from tournaments.selectors.boards import LineResult, line_results
from tournaments.selectors.clubs.names import find_hidden_names, hides_names
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.hands.games import first_rounds_without_moons
from tournaments.selectors.rounds.rounds import match_points_by_round
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.selectors.standings.opening_values import (
    BEFORE,
    OpeningLine,
    as_played,
    opening_lines,
)
from tournaments.services.publishing.tie_break_evidence import carry_rules, every_game


@dataclass(frozen=True, slots=True)
class AdjustmentLine:
    """A penalty or a bonus that counts; `amount` is positive and in units of the primary value.

    `meeting` is the ISO date of the evening in whose table it counts too; None: the season's.
    """

    number: int
    kind: str
    amount: Fraction
    reason: str
    meeting: str | None = None

    @property
    def worsens_by(self) -> Fraction:
        """How much worse the primary value gets; negative for a bonus."""
        return self.amount if self.kind == LedgerKind.PENALTY else -self.amount


Ledger = Mapping[str, Sequence[AdjustmentLine]]
"""The lines that count, by the code of their entrant, in the order of their numbers."""


@dataclass(frozen=True, slots=True)
class NamedEntrant:
    """An entrant as published: its code is its public id."""

    code: str
    name: str
    withdrawn: bool
    members: tuple[tuple[str, str], ...] = ()
    """Ids and names of a pair's or a team's players; empty for a player alone."""
    is_substitute: bool = False
    is_guest: bool = False


@dataclass(frozen=True, slots=True)
class EntrantInputs:
    """The inputs of the table from entrants, besides games: names, ledger lines, byes."""

    names: Mapping[str, NamedEntrant]
    ledger: Ledger
    byes: Mapping[str, int]
    unknown_moons: frozenset[str] = frozenset()
    """Codes of entrants at tables with totals only, whose moons are not known."""
    carry: tuple[CarryRule, ...] = ()
    """The stages in which not everything counts, in order."""
    bye_rounds: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The rounds of the byes by code; read only where there is a rule to carry over."""
    openings: Mapping[str, Sequence[OpeningLine]] = field(default_factory=dict)
    """The opening values that count by code, the earliest first."""
    excused: Mapping[str, Collection[str]] = field(default_factory=dict)
    """The codes of those who are excused by the day of an evening, whether they played or not; read
    only where an excused evening gives something."""

    def with_lines(
        self, has_line: Callable[[int], bool], has_opening: Callable[[OpeningLine], bool]
    ) -> Self:
        """Return the inputs with some of the ledger lines, by number, and of the opening values."""
        ledger = {
            code: [line for line in lines if has_line(line.number)]
            for code, lines in self.ledger.items()
        }
        openings = {
            code: [line for line in lines if has_opening(line)]
            for code, lines in self.openings.items()
        }
        return replace(
            self,
            ledger={code: lines for code, lines in ledger.items() if lines},
            openings={code: lines for code, lines in openings.items() if lines},
        )

    def lines_of(self, meeting: str) -> dict[str, Sequence[AdjustmentLine]]:
        """Return the ledger lines of an evening by the code of their entrant."""
        by_code: dict[str, Sequence[AdjustmentLine]] = {}
        for code, lines in self.ledger.items():
            of_evening = [line for line in lines if line.meeting == meeting]
            if of_evening:
                by_code[code] = of_evening
        return by_code

    @property
    def guests(self) -> frozenset[str]:
        """Codes of entrants who are ranked in evenings, and get no points of them."""
        return frozenset(code for code, entrant in self.names.items() if entrant.is_guest)

    def without_evening_lines(self) -> Self:
        """Return the inputs with the ledger lines of the season only.

        Under evening points a line of an evening is in the unit of the evening, whose place it
        changes.
        """
        ledger = {}
        for code, lines in self.ledger.items():
            of_season = [line for line in lines if line.meeting is None]
            if of_season:
                ledger[code] = of_season
        return replace(self, ledger=ledger)

    def row(
        self,
        sums: Sums,
        counted: Sums | None = None,
        carried: Sums | None = None,
        left_out: frozenset[Key] = frozenset(),
        played: Sums | None = None,
    ) -> Row:
        lines = self.ledger.get(sums.code, ())
        openings = self.openings.get(sums.code, ())
        penalties = sum((line.penalty for line in openings), Fraction(0))
        values = [line.value for at, line in enumerate(openings, 1) if (BEFORE, at) not in left_out]
        entrant = self.names.get(sums.code)
        return Row(
            sums=sums,
            counted=counted,
            carried=carried,
            played=played,
            ledger=sum((line.worsens_by for line in lines), penalties),
            left_out=left_out,
            from_before=sum(values, Fraction(0)) if openings else None,
            withdrawn=entrant is not None and entrant.withdrawn,
            is_substitute=entrant is not None and entrant.is_substitute,
            is_guest=entrant is not None and entrant.is_guest,
        )


EVERY_ROUND: Final = range(2**31)


def entrant_inputs(event: Event, settings: Settings | None = None) -> EntrantInputs:
    """Return the standings values of entrants that are not totals; eight queries, three more where
    excused evenings count.

    A bye counts once its round is posted.

    Args:
        settings: by which the event is counted; by default its own.
    """
    settings = settings or settings_of(event)
    sat_out = SitOut.objects.filter(event=event, reason=SitOutReason.BYE)
    sat_out = sat_out.exclude(round__state=RoundState.DRAFT)
    bye_rounds: dict[str, list[int]] = defaultdict(list)
    for code, number in sat_out.values_list("entrant__code", "round__number"):
        bye_rounds[code].append(number)
    return EntrantInputs(
        names=names_of(event),
        ledger=_list_adjustments(event),
        byes={code: len(rounds) for code, rounds in bye_rounds.items()},
        unknown_moons=frozenset(first_rounds_without_moons(event)),
        carry=carry_rules(event),
        bye_rounds=dict(bye_rounds),
        openings=_list_openings(event),
        excused=list_excused(event) if settings.counts_excuses else {},
    )


def names_of(event: Event) -> dict[str, NamedEntrant]:
    """Return the event's entrants by code, by the names that the public reads."""
    people: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    members = EntrantMember.objects.filter(event=event)
    for code, player_id, name, public_name in members.values_list(
        "entrant__code", "player__player_id", "player__name", "player__public_name"
    ).order_by("player__player_id"):
        people[code].append((player_id, name, public_name))
    entrants = {}
    query = Entrant.objects.filter(event=event).order_by("code")
    rows = list(query.values_list("code", "name", "kind", "state", "guest"))
    kinds = {kind for _code, _name, kind, _state, _guest in rows}
    substitutes = _substitutes(event) if EntrantKind.PLAYER in kinds and len(kinds) > 1 else ()
    for code, name, kind, state, guest in rows:
        players = [] if kind == EntrantKind.PLAYER else people[code]
        entrants[code] = NamedEntrant(
            code,
            public_entrant_name(name, ((full, public) for _, full, public in people[code])),
            state == EntrantState.WITHDRAWN,
            tuple((player_id, public) for player_id, _, public in players),
            is_substitute=kind == EntrantKind.PLAYER
            and any(player_id in substitutes for player_id, *_ in people[code]),
            is_guest=guest,
        )
    return entrants


def _substitutes(event: Event) -> Collection[str]:
    """Return the ids of players who sat only on sides with a member of a pair or a team."""
    members = EntrantMember.objects.filter(event=event).exclude(entrant__kind=EntrantKind.PLAYER)
    beside = Sitting.objects.exclude(seat__side="").filter(
        seat__table=OuterRef("seat__table"),
        seat__side=OuterRef("seat__side"),
        player__in=members.values("player"),
    )
    sittings = Sitting.objects.filter(round__event=event)
    sat = sittings.values_list("player__player_id", Exists(beside)).distinct()
    alone = {player_id for player_id, is_beside in sat if not is_beside}
    return {player_id for player_id, _is_beside in sat} - alone


def _list_adjustments(event: Event) -> dict[str, list[AdjustmentLine]]:
    adjustments: dict[str, list[AdjustmentLine]] = defaultdict(list)
    lines = LedgerLine.objects.filter(event=event, withdrawn_at=None).order_by("number")
    columns = ("entrant__code", "number", "kind", "amount", "reason", "meeting__date")
    rows = list(lines.values_list(*columns))
    hidden = find_hidden_names(event.club_id) if rows and hides_names(event.club) else {}
    for code, number, kind, amount, reason, day in rows:
        meeting = day.isoformat() if day else None
        text = redact_text(reason, hidden)
        line = AdjustmentLine(number, kind, Fraction(amount, UNIT), text, meeting)
        adjustments[code].append(line)
    return dict(adjustments)


def _list_openings(event: Event) -> dict[str, Sequence[OpeningLine]]:
    lines = opening_lines(event)
    codes = Entrant.objects.filter(pk__in=lines).values_list("pk", "code") if lines else ()
    return {code: lines[entrant] for entrant, code in codes}


ADDED: Final = (
    "games",
    "hands",
    "points",
    "shared_wins",
    "win_share",
    "beaten_halves",
    "moons",
    "moons_against",
    "difference",
    "uncounted",
    "place_points",
)
"""The columns of an aggregate that are sums over games, but for the places."""
PLACE_COLUMNS: Final = tuple(f"place_{place}" for place in range(1, PLACES + 1))


def stored_rows(
    event: Event,
    settings: Settings,
    inputs: EntrantInputs,
    evenings: Sequence[GameResult] = (),
) -> list[Row]:
    """Return a row for each entrant that has played, from the event's sums; one query.

    Where a stage does not count everything before it, the games are read: sums are not stored by
    stage. So they are where opening values are among what may be dropped, and where places are
    shared by hands, whose parts are no whole units.

    Args:
        evenings: the places of evenings, where they break ties; one query more where evenings are
            dropped.
    """
    is_read = inputs.carry or (inputs.openings and settings.keeps)
    if is_read or has_shared_places(event, settings):
        games = [*every_game(event), *evenings]
        rows = rows_from(games, settings, inputs, low_wins=lowest_wins(event))
        if inputs.carry:
            return rows
        return rows_without_index(rows, settings)
    aggregates = Aggregate.objects.filter(event=event, games__gt=0).order_by("entrant__code")
    dropped_rows = []
    plain = {}
    for code, counted, *numbers in aggregates.values_list(
        "entrant__code", "kept", *ADDED, *PLACE_COLUMNS
    ):
        byes = inputs.byes.get(code, 0)
        sums = dict(zip(ADDED, numbers, strict=False))
        places = tuple(numbers[len(ADDED) :])
        index = Fraction(counted["index"]) if counted and counted["index"] else None
        if counted and settings.drops:
            row = inputs.row(
                sums_from(code, sums, places, byes),
                sums_from(code, sums | counted, (), byes, index),
            )
            dropped_rows.append(row)
        else:
            plain[code] = sums_from(code, sums, places, byes, index)
    rows = sorted([*dropped_rows, *total_rows(plain, inputs)], key=attrgetter("code"))
    if not evenings:
        return rows
    return rows_with_evenings(rows, evenings, _days_left_out(event, settings))


def _days_left_out(event: Event, settings: Settings) -> Mapping[str, Collection[str]]:
    """Return the evenings that do not count by the code of their entrant, where whole evenings are
    dropped; one query then."""
    if not settings.best_of or settings.best_of["unit"] != "meeting":
        return {}
    left_out = Contribution.objects.filter(
        event=event, is_dropped=True, game__table__round__meeting__isnull=False
    )
    days: dict[str, set[str]] = defaultdict(set)
    rows = left_out.values_list("entrant__code", "game__table__round__meeting__date")
    for code, day in rows.distinct():
        days[code].add(day.isoformat())
    return days


def rows_with_evenings(
    rows: Sequence[Row],
    evenings: Sequence[GameResult],
    left_out: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> list[Row]:
    """Return rows with the places of evenings added; `left_out` are days that do not count."""
    worths: dict[str, dict[str, EveningWorth]] = defaultdict(dict)
    for result in evenings:
        for code, worth in result.chairs.items():
            if worth.evening is not None and result.meeting is not None:
                worths[code][result.meeting] = worth.evening
    full_rows = []
    for row in rows:
        own = worths.get(row.code, {})
        full = replace(row, sums=with_evenings(row.sums, own.values()))
        if row.played is not None:
            full = replace(full, played=with_evenings(row.played, own.values()))
        if row.counted is not None:
            out = left_out.get(row.code, ())
            counting = [worth for day, worth in own.items() if day not in out]
            full = replace(full, counted=with_evenings(row.counted, counting))
        full_rows.append(full)
    return full_rows


def with_evenings(sums: Sums, worths: Collection[EveningWorth]) -> Sums:
    return replace(
        sums,
        evening_points=sums.evening_points + sum(worth.points for worth in worths),
        evenings=sums.evenings + sum(worth.evenings for worth in worths),
        evenings_won=sums.evenings_won + sum(1 for worth in worths if worth.place == 1),
        evenings_second=sums.evenings_second + sum(1 for worth in worths if worth.place == 2),
    )


def stored_totals(event: Event, inputs: EntrantInputs) -> dict[str, Sums]:
    """Return the sums of each entrant that has played over all games, as stored; one query."""
    aggregates = Aggregate.objects.filter(event=event, games__gt=0).order_by("entrant__code")
    totals = {}
    for code, *numbers in aggregates.values_list("entrant__code", *ADDED, *PLACE_COLUMNS):
        sums = dict(zip(ADDED, numbers, strict=False))
        places = tuple(numbers[len(ADDED) :])
        totals[code] = sums_from(code, sums, places, inputs.byes.get(code, 0))
    return totals


def has_shared_places(event: Event, settings: Settings) -> bool:
    if settings.table_owners != "by_hands":
        return False
    return Contribution.objects.filter(event=event, of_hands__gt=0).exists()


def lowest_wins(event: Event) -> bool:
    """Whether the smaller total is the better one under an event's own rules."""
    return low_wins(rules_of(default_snapshot(event)))


def total_rows(totals: Mapping[str, Sums], inputs: EntrantInputs) -> list[Row]:
    """Return rows of sums over games, with what entrants brought from before added."""
    rows = []
    for code in sorted({*totals, *inputs.openings}):
        openings = inputs.openings.get(code, ())
        if not openings:
            rows.append(inputs.row(totals[code]))
            continue
        played = totals.get(code) or kept(code, (), byes=inputs.byes.get(code, 0))
        sums = weighted([(1, played), (1, kept(code, as_played(openings)))])
        rows.append(inputs.row(sums, played=played))
    return rows


def rows_without_index(rows: Sequence[Row], settings: Settings) -> list[Row]:
    """Return rows counted from games as stored sums give them.

    Where games are dropped, these have no index over all games: it is read for tied rows only.
    """
    return [
        replace(row, sums=replace(row.sums, index=None)) if settings.drops else row for row in rows
    ]


def rows_from(
    games: Collection[GameResult], settings: Settings, inputs: EntrantInputs, *, low_wins: bool
) -> list[Row]:
    """Return a row for each entrant of these games, counted from the games themselves and from
    opening values."""
    played: dict[str, list[Played]] = defaultdict(list)
    for code, openings in inputs.openings.items():
        played[code].extend(as_played(openings))
    for game in games:
        for code, worth in game.chairs.items():
            played[code].append((game.key, game.meeting, worth))

    periods: Sequence[Period] = ()
    if settings.period_evenings:
        periods = periods_of(_days_of(played.values()), settings.period_evenings)

    def dropped_of(games: Sequence[Played]) -> frozenset[Key]:
        return dropped(
            games,
            primary=settings.primary,
            low_wins=low_wins,
            drop_worst=settings.drop_worst,
            best_of=settings.best_of,
            periods=periods,
            best_periods=settings.best_periods,
        )

    def row(code: str, games: Sequence[Played]) -> Row:
        byes = inputs.byes.get(code, 0)
        sums = kept(code, games, byes=byes)
        played_here = None
        if code in inputs.openings:
            played_here = kept(code, [game for game in games if game[0][0] != BEFORE], byes=byes)
        lines = carry_lines(code, {key[0] for key, _, _ in games}, inputs.carry)
        if lines:
            # Games that count nothing are none of those of which the worst are dropped.
            live = [game for game in games if weight(game[0][0], lines)]
            without = dropped_of(live) if settings.drops else frozenset()
            bye_rounds = inputs.bye_rounds.get(code, ())
            left_out = without | ({key for key, *_ in games} - {key for key, *_ in live})
            counted, carried = _carried(code, live, lines, without, bye_rounds)
            return inputs.row(sums, counted, carried, left_out, played_here)
        if not settings.drops:
            return inputs.row(sums, played=played_here)
        without = dropped_of(games)
        counted = kept(code, games, without, byes=byes)
        return inputs.row(sums, counted, left_out=without, played=played_here)

    rows = [row(code, played[code]) for code in sorted(played)]
    if not periods:
        return rows
    return [
        replace(row, periods=_period_values(played[row.code], periods, settings)) for row in rows
    ]


def _days_of(games_by_entrant: Iterable[Sequence[Played]]) -> set[str]:
    return {day for games in games_by_entrant for _key, day, _worth in games if day is not None}


def _period_values(
    games: Sequence[Played], periods: Sequence[Period], settings: Settings
) -> tuple[PeriodValue, ...]:
    counted = count_evenings(
        evening_values(games),
        best_of=settings.best_of,
        periods=periods,
        best_periods=settings.best_periods,
    )
    return counted.periods


def _carried(
    code: str,
    games: Sequence[Played],
    lines: Sequence[tuple[int, Fraction]],
    without: frozenset[Key],
    bye_rounds: Sequence[int],
) -> tuple[Sums, Sums]:
    parts = [
        (
            share,
            kept(
                code,
                [game for game in games if weight(game[0][0], lines) == share],
                without,
                byes=sum(1 for number in bye_rounds if weight(number, lines) == share),
            ),
        )
        for share in sorted({weight(game[0][0], lines) for game in games} | {Fraction(1)})
    ]
    byes = sum(part.byes for _, part in parts)
    return kept(code, games, without, byes=byes), weighted(parts)


def sums_from(
    code: str,
    stored: Mapping[str, int],
    places: tuple[int, ...],
    byes: int = 0,
    index: Fraction | None = None,
) -> Sums:
    return Sums(
        code=code,
        games=stored["games"],
        hands=stored["hands"],
        points=exact(stored["points"]),
        places=places,
        shared_wins=stored["shared_wins"],
        win_share=Fraction(stored["win_share"], UNIT),
        beaten=Fraction(stored["beaten_halves"], 2 * UNIT),
        moons=stored["moons"],
        moons_against=stored["moons_against"],
        difference=exact(stored["difference"]),
        uncounted=stored["uncounted"],
        place_points=Fraction(stored["place_points"], UNIT),
        byes=byes,
        index=index,
    )


class MatchPoints:
    def __init__(self, event: Event) -> None:
        self._event = event
        self._results = match_points_by_round(event)
        self._carry = carry_rules(event)

    def means(self, rounds: Container[int]) -> dict[str, Mapping[int, int]]:
        """Return the match points of each team in these rounds, by code and round."""
        by_team: dict[str, dict[int, int]] = defaultdict(dict)
        for number, code, points in self._results:
            if number in rounds:
                by_team[code][number] = by_team[code].get(number, 0) + points
        return dict(by_team)

    def with_means(self, rows: Sequence[Row], rounds: Container[int] = EVERY_ROUND) -> list[Row]:
        """Return rows with their match points, and a row for each team that sat at no table."""
        points = self.means(rounds)
        missing = points.keys() - {row.code for row in rows}
        if missing:
            inputs = entrant_inputs(self._event)
            none = Fraction(0)
            rows = [
                *rows,
                *(
                    inputs.row(Sums(code, 0, 0, 0, (0,) * PLACES, 0, none, none, 0, 0))
                    for code in missing
                ),
            ]
            rows = sorted(rows, key=lambda row: row.code)
        return [self._with_points(row, points.get(row.code, {})) for row in rows]

    def _with_points(self, row: Row, by_round: Mapping[int, int]) -> Row:
        lines = carry_lines(row.code, set(by_round), self._carry)
        weights = {number: weight(number, lines) for number in by_round}
        weighted = sum((weights[at] * points for at, points in by_round.items()), Fraction(0))
        counted = sum(points for at, points in by_round.items() if weights[at])
        n_counted = sum(1 for at in by_round if weights[at])
        n_weighted = sum(weights.values(), Fraction(0))
        sums = replace(
            row.sums, match_points=Fraction(sum(by_round.values())), matches=len(by_round)
        )
        return replace(
            row,
            sums=sums,
            counted=row.counted
            and replace(row.counted, match_points=Fraction(counted), matches=n_counted),
            carried=row.carried and replace(row.carried, match_points=weighted, matches=n_weighted),
        )


class BoardMeans:
    def __init__(self, event: Event) -> None:
        self._results = line_results(event)
        self._low_wins = lowest_wins(event)

    def means(self, rounds: Container[int]) -> dict[str, FieldScore]:
        """Return the means of each entrant over the boards of these rounds, by code."""
        results = (result for result in self._results if result.round in rounds)
        return field_scores(lines_of(results), low_wins=self._low_wins)

    def with_means(self, rows: Sequence[Row], rounds: Container[int] = EVERY_ROUND) -> list[Row]:
        """Return rows with their means; those who played no board have none."""
        means = self.means(rounds)
        return [
            replace(
                row,
                sums=replace(
                    row.sums,
                    matchpoints=means[row.code].percentage,
                    datum=means[row.code].datum / Fraction(UNIT),
                ),
            )
            if row.code in means
            else row
            for row in rows
        ]


def lines_of(results: Iterable[LineResult]) -> list[list[tuple[str, int]]]:
    """Return the results of each line of each board: (code of the entrant, score)."""
    lines: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
    for result in results:
        lines[result.board, result.line].append((result.entrant, result.score))
    return list(lines.values())
