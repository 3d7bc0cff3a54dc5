"""The rows of an event that needs the places of its evenings: each evening is one more result.

An evening is ranked by its own games. Its places give points, or break ties. They come as a result
without a game (scoring/standings/evenings.py), so that best evenings, tie-breaks, earlier stages
and tables as of a round take them as they take games.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Final

from django.db import connection

from scoring.standings.counting import kept
from scoring.standings.evenings import (
    count_evenings,
    periods_of,
)
from scoring.standings.rank import Standing, ranked_tiers
from scoring.standings.rows import EveningWorth, GameResult, InMemory, Row, Sums
from tournaments.domain.etags import digest_of
from tournaments.domain.event_settings import Settings, counts_matches, settings_of_evening
from tournaments.domain.standings.counting_release import COUNTING
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.events import Event
from tournaments.models.standings import EVENING_PLACES, Contribution, StoredHistory
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.selectors.standings.evening_places import (
    RankedEvening,
    StoredEvening,
    StoredEvenings,
    get_stored_evenings,
    results_of,
)
from tournaments.services.db.bulk import is_postgresql
from tournaments.services.publishing.entrant_rows import (
    BoardMeans,
    EntrantInputs,
    MatchPoints,
    has_shared_places,
    lowest_wins,
    rows_from,
    stored_rows,
    stored_totals,
    total_rows,
    with_evenings,
)
from tournaments.services.publishing.ranking import answerable, order_rows
from tournaments.services.publishing.tie_break_evidence import every_game, games_in


@dataclass(frozen=True, slots=True)
class EventRows:
    """The rows of an event; `evenings` are its places as they are to be kept, None if as before."""

    rows: list[Row]
    evenings: StoredEvenings | None = None


class EveningRanker:
    """Ranks single evenings of an event; what they all need is read once."""

    def __init__(self, event: Event, settings: Settings, *, seed: str = "") -> None:
        self._event = event
        self._settings = settings_of_evening(settings)
        self._seed = seed or event.seed
        self._snapshot = default_snapshot(event)
        self._rules = rules_of(self._snapshot)
        self._chain = answerable(event, self._settings)

    def seed_of(self, day: str) -> str:
        """Return the seed of the lots of an evening: one for all would favour one entrant."""
        return f"{self._seed}:{day}"

    @cached_property
    def head(self) -> str:
        """What the places of each evening depend on, besides its games and its own lines."""
        parts = (self._settings, self._chain, self._snapshot.content_hash, self._seed, COUNTING)
        return repr(parts)

    def means(self, rounds: Collection[int]) -> str:
        """Return what compares tables of an evening, for its fingerprint."""
        if self._compared is None:
            return ""
        means = self._compared.means(rounds)
        return repr(sorted((code, repr(mean)) for code, mean in means.items()))

    def placed(
        self, day: str, games: Sequence[GameResult], inputs: EntrantInputs
    ) -> tuple[Standing, ...]:
        """Return the order of an evening with these games; `inputs` are those of the evening."""
        rows: Sequence[Row] = rows_from(
            games, self._settings, inputs, low_wins=low_wins(self._rules)
        )
        # Guests play for the evening.
        rows = [replace(row, is_guest=False) if row.is_guest else row for row in rows]
        if self._compared is not None:
            rows = self._compared.with_means(rows, {game.key[0] for game in games})
        return order_rows(
            rows,
            InMemory(games),
            settings=self._settings,
            chain=self._chain,
            rules=self._rules,
            seed=self.seed_of(day),
        )

    def ranked(self, day: str, games: Sequence[GameResult], inputs: EntrantInputs) -> RankedEvening:
        """Return the places of an evening with these games; `inputs` are those of the event."""
        n_games: Counter[str] = Counter()
        for game in games:
            n_games.update(game.chairs.keys())
        rounds = tuple(sorted({game.key[0] for game in games}))
        placed = self.placed(day, games, inputs_of_evening(inputs, day, rounds))
        return RankedEvening(day, rounds, ranked_tiers(placed), dict(n_games))

    @cached_property
    def _compared(self) -> BoardMeans | MatchPoints | None:
        if self._settings.duplicate:
            return BoardMeans(self._event)
        if not counts_matches(self._settings):
            return None
        return MatchPoints(self._event)


class EveningPoints:
    """Ranks the evenings among games; one whose games are as before is not ranked again."""

    def __init__(self, event: Event, settings: Settings, *, seed: str = "") -> None:
        self._settings = settings
        self._ranker = EveningRanker(event, settings, seed=seed)
        self._ranked: dict[object, RankedEvening] = {}

    def evenings(self, games: Sequence[GameResult], inputs: EntrantInputs) -> list[RankedEvening]:
        """Return the evenings of these games by day; a game without a date is of none."""
        return [
            with_excused(self._evening(day, of_day, inputs), inputs)
            for day, of_day in sorted(games_by_day(games).items())
        ]

    def results(self, games: Sequence[GameResult], inputs: EntrantInputs) -> list[GameResult]:
        """Return a result for each evening of these games."""
        return results_of(self.evenings(games, inputs), self._settings, guests=inputs.guests)

    def _evening(
        self, day: str, games: Sequence[GameResult], inputs: EntrantInputs
    ) -> RankedEvening:
        rounds = {game.key[0] for game in games}
        own = inputs_of_evening(inputs, day, rounds)
        keys = tuple(game.key for game in games)
        mark = (day, keys, repr(sorted(own.ledger.items())), repr(sorted(own.byes.items())))
        if mark not in self._ranked:
            self._ranked[mark] = self._ranker.ranked(day, games, inputs)
        return self._ranked[mark]


def games_by_day(games: Sequence[GameResult]) -> Mapping[str, list[GameResult]]:
    by_day: dict[str, list[GameResult]] = defaultdict(list)
    for game in games:
        if game.meeting is not None:
            by_day[game.meeting].append(game)
    return by_day


def with_excused(evening: RankedEvening, inputs: EntrantInputs) -> RankedEvening:
    """Return an evening with those who were excused and did not play; its places are as before."""
    excused = set(inputs.excused.get(evening.day, ())).difference(evening.games, *evening.tiers)
    return replace(evening, excused=tuple(sorted(excused)))


def inputs_of_evening(inputs: EntrantInputs, day: str, rounds: Collection[int]) -> EntrantInputs:
    """Return what counts in an evening besides its games: its own byes and ledger lines."""
    byes: Counter[str] = Counter()
    for code, numbers in inputs.bye_rounds.items():
        n_byes = sum(1 for number in numbers if number in rounds)
        if n_byes:
            byes[code] = n_byes
    return replace(
        inputs,
        ledger=inputs.lines_of(day),
        byes=byes,
        carry=(),
        bye_rounds={},
        openings={},
    )


def rows_of_games(
    event: Event,
    games: Sequence[GameResult],
    settings: Settings,
    inputs: EntrantInputs,
    *,
    low_wins: bool,
    evenings: EveningPoints | None = None,
) -> list[Row]:
    """Return a row for each entrant of these games, counted from the games themselves.

    Args:
        evenings: ranks the evenings of an event that needs their places; by default a new one.
    """
    if not settings.ranks_evenings:
        return rows_from(games, settings, inputs, low_wins=low_wins)
    if evenings is None:
        evenings = EveningPoints(event, settings)
    results = [*games, *evenings.results(games, inputs)]
    of_season = inputs
    if settings.counts_evenings:
        of_season = inputs.without_evening_lines()
    return rows_from(results, settings, of_season, low_wins=low_wins)


def event_rows(
    event: Event, settings: Settings, inputs: EntrantInputs, *, is_anew: bool = False
) -> EventRows:
    """Return a row for each entrant of an event, as it is stored now.

    `is_anew`: evenings are ranked again even if their places are kept.
    """
    if not settings.ranks_evenings:
        return EventRows(stored_rows(event, settings, inputs))
    stored: StoredEvenings = {}
    if not is_anew:
        stored = get_stored_evenings(event)
    evenings, changed = _evenings_now(event, settings, inputs, stored)
    if not settings.counts_evenings:
        results = results_of(evenings, settings, guests=inputs.guests)
        rows = stored_rows(event, settings, inputs, results)
    elif has_evening_rows(settings, inputs) and not has_shared_places(event, settings):
        rows = evening_rows(stored_totals(event, inputs), evenings, settings, inputs)
    else:
        results = results_of(evenings, settings, guests=inputs.guests)
        rows = rows_from(
            [*every_game(event), *results],
            settings,
            inputs.without_evening_lines(),
            low_wins=lowest_wins(event),
        )
    return EventRows(rows, changed)


def has_evening_rows(settings: Settings, inputs: EntrantInputs) -> bool:
    """Whether sums and places of evenings make the rows, so that no game has to be read.

    Games before a stage may count less, and values from before may be dropped with an evening.
    """
    return not inputs.carry and not (inputs.openings and settings.drops)


def evening_rows(
    totals: Mapping[str, Sums],
    evenings: Sequence[RankedEvening],
    settings: Settings,
    inputs: EntrantInputs,
) -> list[Row]:
    """Return a row for each entrant from sums over all games and from the places of evenings.

    Where evenings are dropped, the counted sums lack what only tie-breaks need: `order_rows` reads
    it for entrants that are tied.
    """
    worths: dict[str, dict[str, EveningWorth]] = defaultdict(dict)
    results = results_of(evenings, settings, guests=inputs.guests)
    for evening, result in zip(evenings, results, strict=True):
        for code, worth in result.chairs.items():
            if worth.evening is not None:
                worths[code][evening.day] = worth.evening
    missing = worths.keys() - totals.keys() - inputs.openings.keys()
    every_total = {**totals, **{code: kept(code, ()) for code in missing}}

    days = {evening.day for evening in evenings}
    for lines in inputs.openings.values():
        days.update(line.date for line in lines)
    periods = periods_of(days, settings.period_evenings) if settings.period_evenings else ()

    rows = []
    for row in total_rows(every_total, inputs.without_evening_lines()):
        own = worths.get(row.code, {})
        values = {day: worth.points for day, worth in own.items()}
        for line in inputs.openings.get(row.code, ()):
            values[line.date] = values.get(line.date, Fraction(0)) + line.value
        counted = count_evenings(
            values,
            best_of=settings.best_of,
            periods=periods,
            best_periods=settings.best_periods,
        )
        sums = with_evenings(row.sums, own.values())
        full = replace(row, sums=sums, periods=counted.periods)
        if row.played is not None:
            full = replace(full, played=with_evenings(row.played, own.values()))
        if settings.drops:
            left = [worth for day, worth in own.items() if day not in counted.left_out]
            dropped = sum(
                evening.games.get(row.code, 0)
                for evening in evenings
                if evening.day in counted.left_out
            )
            without_places = replace(row.sums, games=row.sums.games - dropped, places=())
            full = replace(
                full,
                counted=with_evenings(without_places, left),
                left_out_evenings=counted.left_out,
            )
        rows.append(full)
    return rows


def _evenings_now(
    event: Event, settings: Settings, inputs: EntrantInputs, stored: StoredEvenings
) -> tuple[list[RankedEvening], StoredEvenings | None]:
    """Return the evenings of an event, and their places if these are not kept like this yet.

    Only evenings are ranked whose fingerprint is not that of the places kept of them.
    """
    ranker = EveningRanker(event, settings)
    now: dict[str, StoredEvening] = {}
    to_rank: dict[str, str] = {}
    for day, (rounds, games) in _games_as_text(event).items():
        own = inputs_of_evening(inputs, day, rounds)
        ledger = repr(sorted(own.ledger.items()))
        parts = (ranker.head, games, ledger, sorted(own.byes.items()), ranker.means(rounds))
        mark = hashlib.sha256(repr(parts).encode()).hexdigest()
        if day in stored and stored[day].mark == mark:
            now[day] = stored[day]
        else:
            to_rank[day] = mark
    if to_rank:
        played = Contribution.objects.filter(
            event=event, game__table__round__meeting__date__in=list(to_rank)
        )
        for day, of_day in games_by_day(games_in(event, played)).items():
            now[day] = StoredEvening(to_rank[day], ranker.ranked(day, of_day, inputs))
    # Who is excused changes no place, so that no evening is ranked again for it.
    now = {day: replace(row, evening=with_excused(row.evening, inputs)) for day, row in now.items()}
    evenings = [now[day].evening for day in sorted(now)]
    return evenings, None if now == stored else now


_GAMES_AS_TEXT: Final = """
    SELECT day, {joined}
    FROM (
        SELECT m.date AS day, r.number AS round,
            r.number || ',' || t.number || ',' || e.code || ',' || c.place || ',' || c.shared
            || ',' || c.points || ',' || c.hands || ',' || c.place_points || ','
            || c.beaten_halves || ',' || c.win_share || ',' || c.index_num || ','
            || c.index_den || ',' || c.moons || ',' || c.moons_against || ',' || c.difference
            || ',' || c.uncounted || ',' || c.of_hands || ',' || g.snapshot_id AS line
        FROM tournaments_contribution c
        JOIN tournaments_entrant e ON e.id = c.entrant_id
        JOIN tournaments_game g ON g.id = c.game_id
        JOIN tournaments_table t ON t.id = g.table_id
        JOIN tournaments_round r ON r.id = t.round_id
        JOIN tournaments_meeting m ON m.id = r.meeting_id
        WHERE c.event_id = %s
        ORDER BY m.date, r.number, t.number, e.code
    ) AS lines
    GROUP BY day
"""
_JOINED: Final = {
    "postgresql": "string_agg(line, ';' ORDER BY line), string_agg(DISTINCT round::text, ',')",
    "sqlite": "group_concat(line, ';'), group_concat(DISTINCT round)",
}


def _games_as_text(event: Event) -> Mapping[str, tuple[frozenset[int], str]]:
    """Return the rounds of each evening, and all that its games say for its places; one query.

    The database joins the text, which is several times faster than reading rows. On SQLite their
    order is that of the query below, in practice; another one would have the evening ranked again.
    """
    dialect = "postgresql" if is_postgresql() else "sqlite"
    with connection.cursor() as cursor:
        cursor.execute(_GAMES_AS_TEXT.format(joined=_JOINED[dialect]), [event.pk])
        rows = cursor.fetchall()
    return {
        str(day): (frozenset(map(int, str(rounds).split(","))), games)
        for day, games, rounds in rows
    }


def store_evenings(event: Event, evenings: StoredEvenings, *, version: int) -> None:
    """Keep the places of evenings for the next publication. The caller holds the event's queue
    row."""
    body = _evenings_document(evenings)
    StoredHistory.objects.update_or_create(
        event=event,
        kind=EVENING_PLACES,
        key="",
        defaults={
            "club_id": event.club_id,
            "version": version,
            "digest": digest_of(body),
            "body": body,
        },
    )


def _evenings_document(evenings: StoredEvenings) -> bytes:
    return compact(
        {
            day: {
                "mark": stored.mark,
                "rounds": stored.evening.rounds,
                "tiers": stored.evening.tiers,
                "games": stored.evening.games,
                **({"excused": stored.evening.excused} if stored.evening.excused else {}),
            }
            for day, stored in sorted(evenings.items())
        }
    )
