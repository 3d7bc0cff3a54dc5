"""Rank rows of standings: in the order of an event, or by settings alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from scoring.rules.rules import Rules
from scoring.standings.counting import kept, mean_of_scheme
from scoring.standings.rank import AdvancingStage, Standing, standings
from scoring.standings.rows import Evidence, GameResult, Row
from scoring.standings.tie_breaks import TIE_BREAKS, PlayedOff
from tournaments.domain.event_settings import Settings, counts_matches
from tournaments.models.events import Event
from tournaments.selectors.events.events import has_evening_tables
from tournaments.selectors.events.settings_checks import default_snapshot, has_points_only
from tournaments.selectors.playoffs.playoffs import playoff_results
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.publishing.entrant_rows import BoardMeans, MatchPoints
from tournaments.services.publishing.stages_reached import StagesReached, without_games
from tournaments.services.publishing.tie_break_evidence import IndexEvidence, StoredGames


def rank_rows(
    event: Event,
    rows: Sequence[Row],
    evidence: Evidence | None = None,
    *,
    settings: Settings,
    stages: Sequence[AdvancingStage] | None = None,
    playoffs: Sequence[Mapping[str, PlayedOff]] | None = None,
    seed: str = "",
    reached: StagesReached | None = None,
) -> tuple[Standing, ...]:
    """Return `rows` in the order of the event under these settings.

    Args:
        evidence: the games, for criteria that use them; by default as stored.
        stages: the qualifiers of each later stage or round of a knock-out; by default as stored.
        playoffs: results of play-offs; by default all of the event's.
        seed: what lots are drawn from; by default the event's.
        reached: the progress of the event, for its newest table; read if `stages` are not given.
    """
    if stages is None:
        reached = reached or StagesReached(event)
        stages = reached.by()
    if playoffs is None:
        playoffs = playoff_results(event)
    if settings.knocked_out != "standings":
        byes = reached.byes if reached is not None else frozenset()
        rows = [*rows, *without_games(event, rows, stages, byes)]
    if settings.duplicate and all(row.sums.matchpoints is None for row in rows):
        rows = BoardMeans(event).with_means(rows)
    if counts_matches(settings) and all(row.sums.match_points is None for row in rows):
        rows = MatchPoints(event).with_means(rows)
    placed = order_rows(
        rows,
        StoredGames(event) if evidence is None else evidence,
        settings=settings,
        chain=answerable(event, settings),
        rules=rules_of(default_snapshot(event)),
        seed=seed or event.seed,
        stages=stages,
        playoffs=playoffs,
    )
    if reached is None:
        return placed
    return reached.at_end(placed, settings, playoffs)


def order_rows(
    rows: Sequence[Row],
    evidence: Evidence,
    *,
    settings: Settings,
    chain: Sequence[str],
    rules: Rules,
    seed: str,
    stages: Sequence[AdvancingStage] = (),
    playoffs: Sequence[Mapping[str, PlayedOff]] = (),
) -> tuple[Standing, ...]:
    """Return `rows` in the order of `settings`.

    Args:
        chain: the criteria of the settings that the games can answer.
        rules: say whether the smaller total wins, and how many sit at an ordinary table.
    """

    def order(
        rows: Sequence[Row], chain: Sequence[str], playoffs: Sequence[Mapping[str, PlayedOff]] = ()
    ) -> tuple[Standing, ...]:
        return standings(
            rows,
            primary=settings.primary,
            low_wins=low_wins(rules),
            min_games=settings.min_games,
            min_third=settings.min_third,
            min_unit=settings.min_unit,
            tie_breaks=chain,
            evidence=evidence,
            seed=seed,
            playoffs=playoffs,
            playoff_first=settings.playoff_before_criteria,
            bye_award=_bye_award(settings),
            scheme_mean=_scheme_mean(settings, rules),
            stages=stages,
            knocked_out=settings.knocked_out,
        )

    if any(TIE_BREAKS[key].reads == "counted" for key in chain):
        rows = _with_counted(rows, evidence, lambda: _level(order(rows, ())))
    if "index" in chain and any(row.counted is None and row.sums.index is None for row in rows):
        level = _level(order(rows, chain[: chain.index("index")]))
        rows = _with_index(rows, evidence, level)
    if "sos" in chain and settings.primary == "index_per_game":
        level = _level(order(rows, chain[: chain.index("sos")]))
        rows = _with_index_of_opponents(rows, evidence, level)
    return order(rows, chain, playoffs)


def _bye_award(settings: Settings) -> str:
    """Return what byes add to the value that ranks; those of an evening count in the evening."""
    if settings.counts_evenings:
        return "none"
    return settings.bye_award


def answerable(event: Event, settings: Settings) -> Sequence[str]:
    """Return the tie-break order, without criteria of moons where a sheet has totals only, and
    without places of evenings where these have none."""
    chain = settings.tie_breaks
    if settings.ranks_evenings and not settings.counts_evenings and not has_evening_tables(event):
        chain = tuple(key for key in chain if "evenings" not in TIE_BREAKS[key].needs)
    if any("moons" in TIE_BREAKS[key].needs for key in chain) and has_points_only(event):
        return tuple(key for key in chain if "moons" not in TIE_BREAKS[key].needs)
    return chain


def _scheme_mean(settings: Settings, rules: Rules) -> Fraction | None:
    chairs = len(rules.keys.teams.shape) or 4
    sizes = sorted(map(int, settings.placement), key=lambda size: (abs(size - chairs), size))
    if not sizes:
        return None
    return mean_of_scheme(settings.placement[str(sizes[0])])


def _level(placed: Sequence[Standing]) -> frozenset[str]:
    level = (pair for pair in pairwise(placed) if pair[1].decided_by is None)
    return frozenset(row.sums.code for pair in level for row in pair)


def _with_counted(
    rows: Sequence[Row], evidence: Evidence, level: Callable[[], frozenset[str]]
) -> Sequence[Row]:
    """Return the rows with what tie-breaks count of the games that count; it is not stored."""
    short = {row.code: row.counted for row in rows if row.counted and not row.counted.places}
    if not short:
        return rows
    of_evenings = [row for row in rows if row.code in short and row.left_out_evenings]
    if of_evenings:
        return _with_games_of_evenings(rows, evidence, level())
    if not isinstance(evidence, StoredGames):
        return rows
    counted = evidence.with_counted({code: short[code] for code in short.keys() & level()})
    return [replace(row, counted=counted.get(row.code, row.counted)) for row in rows]


def _with_games_of_evenings(
    rows: Sequence[Row], evidence: Evidence, tied: frozenset[str]
) -> Sequence[Row]:
    """Return the rows with what tie-breaks count of the games of the evenings that count."""
    games = evidence.games_of(tied)
    complete = []
    for row in rows:
        counted = row.counted
        if counted is None or counted.places or row.code not in tied:
            complete.append(row)
            continue
        played = [
            (game.key, game.meeting, game.chairs[row.code])
            for game in games
            if row.code in game.chairs and game.meeting not in row.left_out_evenings
        ]
        sums = replace(
            kept(row.code, played),
            byes=counted.byes,
            evening_points=counted.evening_points,
            evenings=counted.evenings,
            evenings_won=counted.evenings_won,
            evenings_second=counted.evenings_second,
        )
        complete.append(replace(row, counted=sums))
    return complete


def _with_index(rows: Iterable[Row], evidence: Evidence, codes: frozenset[str]) -> list[Row]:
    """Return the rows with the index over all games of `codes`; few events store it."""
    index = _index_of(evidence, codes)
    return [
        replace(row, sums=replace(row.sums, index=index[row.code])) if row.code in index else row
        for row in rows
    ]


def _with_index_of_opponents(
    rows: Sequence[Row], evidence: Evidence, codes: frozenset[str]
) -> Sequence[Row]:
    """Return the rows with the index over all games of those whom `codes` met.

    Where games are dropped, rows have that of the games that count only.
    """
    unknown = {row.code for row in rows if (row.played or row.sums).index is None}
    if not codes or not unknown:
        return rows
    met = frozenset(code for game in evidence.games_of(codes) for code in game.chairs)
    index = _index_of(evidence, met & unknown)
    return [
        replace(row, played=replace(row.played or row.sums, index=index[row.code]))
        if row.code in index
        else row
        for row in rows
    ]


def _index_of(evidence: Evidence, codes: frozenset[str]) -> Mapping[str, Fraction | None]:
    if isinstance(evidence, IndexEvidence):
        return evidence.index_of(codes)
    return _index_in(evidence.games_of(codes), codes)


def _index_in(games: Iterable[GameResult], codes: frozenset[str]) -> Mapping[str, Fraction | None]:
    totals: dict[str, Fraction | None] = dict.fromkeys(codes, Fraction(0))
    for game in games:
        for code in codes & game.chairs.keys():
            index = game.chairs[code].index
            total = totals[code]
            totals[code] = None if index is None or total is None else total + index
    return totals
