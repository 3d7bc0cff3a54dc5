"""The table of a season, and of an event under other settings: games counted in memory."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from operator import attrgetter
from typing import Final, TypeVar

from scoring.standings.rows import GameResult, InMemory, Key, Worth, share_of, with_days
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.domain.standings.counting_release import COUNTING
from tournaments.domain.standings.standings_documents import UncountedLinesDocument
from tournaments.models.events import EntrantMember, Event, Season, Visibility
from tournaments.models.jobs import Dirty, season_scope
from tournaments.models.standings import Publication
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.events.settings_checks import (
    default_snapshot,
    fitting_settings,
    sizes_of,
)
from tournaments.selectors.jobs.queue import get_version, is_recounted
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.selectors.standings.counted_otherwise import (
    is_counted_otherwise,
    is_season_kept,
)
from tournaments.selectors.standings.opening_values import OpeningLine
from tournaments.services.db.transactions import atomic_step
from tournaments.services.events.seasons import season_facts, season_settings
from tournaments.services.publishing.counted_anew import note_counted_anew, with_stored_figures
from tournaments.services.publishing.entrant_rows import (
    AdjustmentLine,
    EntrantInputs,
    NamedEntrant,
    entrant_inputs,
    lowest_wins,
    rows_from,
)
from tournaments.services.publishing.evening_points import EveningPoints, rows_of_games
from tournaments.services.publishing.publications import (
    get_audit_number,
    newest_publication,
    settle_scope,
    store_publication,
)
from tournaments.services.publishing.rank_and_render import (
    DraftStandings,
    RankedTable,
    Rendered,
    draft_standings,
    render_table,
)
from tournaments.services.publishing.ranking import order_rows
from tournaments.services.publishing.shared_tables import with_table_owners
from tournaments.services.publishing.stages_reached import AsOf, as_of, played_rules
from tournaments.services.publishing.tie_break_evidence import every_game

T = TypeVar("T")
MOST_RESULTS: Final = 20_000
"""Results (one an entrant and game) that a preview of settings counts at once."""

Players = frozenset[str]
"""The ids of an entrant's players."""

Codes = Mapping[str, str]
"""The code of an entrant in an event → its code in the season."""


def standings_under(event: Event, settings: Settings) -> DraftStandings:
    """Return the table of `event` as it would be ranked under `settings`."""
    inputs = entrant_inputs(event, settings)
    games = every_game(event)
    if settings.table_owners != settings_of(event).table_owners:
        games = with_table_owners(event, games, settings)
    games = _games_under(settings, games, sizes_of(event))
    rows = rows_of_games(event, games, settings, inputs, low_wins=lowest_wins(event))
    return draft_standings(event, rows, InMemory(games), settings=settings, inputs=inputs)


def _games_under(
    settings: Settings, games: Sequence[GameResult], sizes: Mapping[Key, int]
) -> list[GameResult]:

    def points(worth: Worth, size: int) -> Fraction | None:
        scheme = settings.placement.get(str(size))
        if scheme is None:
            return None
        return worth.share * share_of(worth.place, worth.shared, scheme)

    return [
        replace(
            game,
            chairs={
                code: replace(worth, place_points=points(worth, sizes.get(game.key, 0)))
                for code, worth in game.chairs.items()
            },
        )
        for game in games
    ]


def _list_players(event: Event) -> dict[str, Players]:
    players: dict[str, set[str]] = defaultdict(set)
    rows = EntrantMember.objects.filter(event=event)
    for code, player in rows.values_list("entrant__code", "player__player_id"):
        players[code].add(player)
    return {code: frozenset(ids) for code, ids in players.items()}


def season_codes(events: Sequence[Mapping[str, Players]]) -> list[dict[str, str]]:
    """Return the code of each event's entrants in their season.

    A player alone has their own id. A pair or a team keeps the code that it has in the first event
    it is in, unless somebody else of the season had that: then its players' ids are its code.

    Args:
        events: the players of each entrant, by code, of the season's events in their order.

    >>> first = {"pair-1": frozenset({"A", "C"}), "E": frozenset({"E"})}
    >>> second = {"pair-1": frozenset({"B", "D"}), "pair-2": frozenset({"A", "C"})}
    >>> season_codes([first, second])
    [{'pair-1': 'pair-1', 'E': 'E'}, {'pair-1': 'B+D', 'pair-2': 'pair-1'}]
    """
    alone = {players for entrants in events for players in entrants.values() if len(players) == 1}
    codes = {players: next(iter(players)) for players in alone}
    codes_in_use = set(codes.values())
    for entrants in events:
        for code in sorted(entrants):
            players = entrants[code]
            if players in codes:
                continue
            season_code = code if code not in codes_in_use else "+".join(sorted(players))
            while season_code in codes_in_use:
                season_code += "+"
            codes[players] = season_code
            codes_in_use.add(season_code)
    return [{code: codes[players] for code, players in event.items()} for event in events]


def publish_season(season_id: int, *, now: datetime) -> Publication | None:
    """Publish the season's own table if it is behind, and return the newest publication.

    A computation with the digest of the current publication makes no new one. While an event of
    it is counted again the season waits. Returns None where nothing was ever published.
    """
    row = Dirty.objects.filter(scope=season_scope(season_id)).first()
    season = Season.objects.select_related("club").filter(pk=season_id).first()
    newest = newest_publication(season=season_id)
    if row is None or (newest is not None and row.done >= row.version):
        return newest
    if season is None or season_settings(season) is None:
        settle_scope(season_scope(season_id), row.version, now=now)
        return newest
    _create_snapshots(season)
    with snapshot_read():
        version = get_version(season_scope(season_id))
        season = Season.objects.select_related("club").get(pk=season_id)
        settings = season_settings(season)
        events = _list_events(season)
        if settings is None or any(is_recounted(event.pk) for event in events):
            return newest_publication(season=season_id)
        audit_number = get_audit_number(season.club_id)
        rendered = _render_season(season, settings, events)
        is_kept = is_season_kept(events, newest, rendered.document())
    if newest is not None and is_kept:
        rendered = with_stored_figures(newest, rendered)
    return _store(season, version, audit_number, rendered, is_kept=is_kept, now=now)


@atomic_step
def _create_snapshots(season: Season) -> None:
    """Create the rows of its events' rules, for nothing is written in a read snapshot."""
    for event in _list_events(season):
        default_snapshot(event)


def _render_season(season: Season, settings: Settings, events: Sequence[Event]) -> Rendered:
    season_codes_by_event = season_codes([_list_players(event) for event in events])
    for event in events:
        settings = fitting_settings(settings, season_facts(event), seed=season.seed)
    games_of_events, inputs_of_events = [], []
    days: set[str] = set()
    for event, codes in zip(events, season_codes_by_event, strict=True):
        # An entrant exists before its games do, so that the games are read first.
        games = _get_games(event, settings)
        inputs = entrant_inputs(event, settings)
        if settings.ranks_evenings:
            seed = f"{season.seed}:{event.seed}"
            points = EveningPoints(event, settings, seed=seed)
            results = points.results(games, _evening_inputs(event, inputs, settings))
            games = [*games, *results]
        if settings.counts_evenings:
            games = _apart_from(days, games)
            days |= {game.meeting for game in games if game.meeting is not None}
        games_of_events.append(_in_codes_of_season(games, codes))
        inputs_of_events.append(_inputs_in_season(inputs, codes))
    parts = list(zip(events, inputs_of_events, strict=True))
    inputs = _joined_inputs(parts, settings)
    of_members = [
        _without_guests(games, of_event, inputs)
        for games, of_event in zip(games_of_events, inputs_of_events, strict=True)
    ]
    games = _in_order_of_play(of_members)
    rules = [rules_of(default_snapshot(event)) for event in events]
    is_low = all(map(low_wins, rules))
    rows = rows_from(games, settings, inputs, low_wins=is_low)
    # Two who were there on one evening have not met in it, unless they had a table.
    of_tables = [game for game in games if game.key[1]]
    played = [rules for event in events for rules in played_rules(event)]
    table = RankedTable(
        settings=settings,
        low_wins=is_low,
        placed=order_rows(
            rows,
            InMemory(of_tables),
            settings=settings,
            chain=settings.tie_breaks,
            rules=rules[0],
            seed=season.seed,
        )
        if rows
        else (),
        inputs=inputs,
        as_of=_as_of(events),
        is_complex=any(each.keys.number == "complex" for each in played),
        seed=season.seed,
    )
    about = {
        "slug": season.slug,
        "name": season.name,
        "starts_on": season.starts_on.isoformat(),
        "ends_on": season.ends_on.isoformat(),
        "events": [event.slug for event in events],
        "variants": sorted({each.id for each in played}),
        "uncounted_lines": list(_uncounted_lines(parts, settings)),
    }
    return render_table(table, club=season.club, about={"season": about})


def _list_events(season: Season) -> list[Event]:
    events = Event.objects.filter(season=season, visibility=Visibility.PUBLIC)
    return list(events.select_related("club", "season").order_by("created_at", "pk"))


def _evening_inputs(event: Event, inputs: EntrantInputs, settings: Settings) -> EntrantInputs:
    """Return what counts in the evenings of an event; its penalties if they are in their unit."""
    if settings_of(event).games_ranked_by == settings.games_ranked_by:
        return inputs
    return replace(inputs, ledger={})


def _apart_from(days: Collection[str], games: Sequence[GameResult]) -> list[GameResult]:
    """Return games whose evenings are other ones than those on `days`, of an earlier event.

    Two events may play on one day, and each evening is one of those that may be dropped.
    """
    apart = []
    for game in games:
        day = game.meeting
        while day in days:
            day = f"{day}+"
        apart.append(replace(game, meeting=day) if day != game.meeting else game)
    return apart


def _get_games(event: Event, settings: Settings) -> list[GameResult]:
    games = every_game(event)
    sizes = {key: size for key, size in sizes_of(event).items() if str(size) in settings.placement}
    listed = [game for game in games if game.key in sizes]
    others = [game for game in games if game.key not in sizes]
    return sorted([*_games_under(settings, listed, sizes), *others], key=attrgetter("key"))


def _in_codes_of_season(games: Sequence[GameResult], codes: Codes) -> list[GameResult]:
    return [
        replace(game, chairs=dict(sorted(_recoded(game.chairs, codes).items()))) for game in games
    ]


def _recoded(by_code: Mapping[str, T], codes: Codes) -> dict[str, T]:
    """Return a mapping by the codes of an event as one by the codes of the season."""
    return {codes.get(code, code): value for code, value in by_code.items()}


def _without_guests(
    games: Sequence[GameResult], of_event: EntrantInputs, of_season: EntrantInputs
) -> Sequence[GameResult]:
    """Return the games of an event without its guests who compete in another one of the season.

    What they played as guests does not count for them there.
    """
    left_out = {
        code
        for code, entrant in of_event.names.items()
        if entrant.is_guest and not of_season.names[code].is_guest
    }
    if not left_out:
        return games
    return [
        replace(
            game, chairs={code: row for code, row in game.chairs.items() if code not in left_out}
        )
        for game in games
    ]


def _inputs_in_season(inputs: EntrantInputs, codes: Codes) -> EntrantInputs:
    names = _recoded(inputs.names, codes)
    return EntrantInputs(
        names={code: replace(entrant, code=code) for code, entrant in names.items()},
        ledger=_recoded(inputs.ledger, codes),
        byes=_recoded(inputs.byes, codes),
        unknown_moons=frozenset(codes.get(code, code) for code in inputs.unknown_moons),
        openings=_recoded(inputs.openings, codes),
    )


def _uncounted_lines(
    parts: Sequence[tuple[Event, EntrantInputs]], settings: Settings
) -> Iterator[UncountedLinesDocument]:
    """Yield the events whose penalties, bonuses and opening values do not count, for they are in
    other units than the season's, and how many these are."""
    for event, inputs in parts:
        unit = settings_of(event).primary
        number = _number_in_other_units(event, inputs, settings)
        if number:
            yield {"event": event.slug, "primary": unit, "lines": number}


def _number_in_other_units(event: Event, inputs: EntrantInputs, settings: Settings) -> int:
    is_in_unit = settings_of(event).primary == settings.primary
    is_evening_in_unit = is_in_unit
    if settings.counts_evenings:
        is_evening_in_unit = settings_of(event).games_ranked_by == settings.evening_ranking
    number = 0
    for lines in inputs.ledger.values():
        for line in lines:
            counts = is_in_unit if line.meeting is None else is_evening_in_unit
            number += not counts
    if not is_in_unit:
        number += sum(len(values) for values in inputs.openings.values())
    return number


def _in_order_of_play(games_of_events: Sequence[Sequence[GameResult]]) -> list[GameResult]:
    """Return all games, each with a key of its own that sorts as they were played.

    A round without a day follows those before it in its event.
    """
    rounds: dict[tuple[str, int, int], list[GameResult]] = {}
    for at, games in enumerate(games_of_events):
        for day, key, game in with_days(games, lambda game: (game.key, game.meeting)):
            rounds.setdefault((day, at, key[0]), []).append(game)
    return [
        replace(game, key=(number, game.key[1]))
        for number, at in enumerate(sorted(rounds), 1)
        for game in rounds[at]
    ]


def _joined_inputs(
    parts: Sequence[tuple[Event, EntrantInputs]], settings: Settings
) -> EntrantInputs:
    """Return names, ledger lines, opening values and byes of all events.

    Names are those of the newest event. A ledger line or an opening value counts where its event's
    primary value is the season's.
    """
    names: dict[str, NamedEntrant] = {}
    byes: dict[str, int] = {}
    ledger: dict[str, list[AdjustmentLine]] = {}
    openings: dict[str, list[OpeningLine]] = {}
    for event, inputs in parts:
        for code, entrant in inputs.names.items():
            before = names.get(code, entrant)
            names[code] = replace(
                entrant,
                withdrawn=before.withdrawn and entrant.withdrawn,
                is_substitute=before.is_substitute and entrant.is_substitute,
                is_guest=before.is_guest and entrant.is_guest,
            )
        for code, number in inputs.byes.items():
            byes[code] = byes.get(code, 0) + number
        if settings_of(event).primary == settings.primary:
            season_lines = inputs.ledger
            if settings.counts_evenings:
                season_lines = inputs.without_evening_lines().ledger
            for code, lines in season_lines.items():
                ledger.setdefault(code, []).extend(lines)
            for code, values in inputs.openings.items():
                openings[code] = sorted([*openings.get(code, ()), *values], key=attrgetter("date"))
    unknown = frozenset(code for _, inputs in parts for code in inputs.unknown_moons)
    return EntrantInputs(
        names=names, ledger=ledger, byes=byes, unknown_moons=unknown, openings=openings
    )


def _as_of(events: Sequence[Event]) -> AsOf:
    """Return the last evening of all events, and their hands; rounds are each event's own."""
    ends = [as_of(event) for event in events]
    evenings = [end.meeting for end in ends if end.meeting]
    return AsOf(max(evenings, default=None), round=None, hands=sum(end.hands for end in ends))


@atomic_step
def _store(
    season: Season,
    version: int,
    audit_number: int,
    rendered: Rendered,
    *,
    is_kept: bool,
    now: datetime,
) -> Publication:
    row = Dirty.objects.select_for_update().get(scope=season_scope(season.pk))
    newest = newest_publication(season=season.pk)
    if newest is not None and row.done >= version:
        return newest
    is_older = is_counted_otherwise(newest)
    counting = newest.counting if newest is not None and is_kept else COUNTING
    publication = store_publication(
        newest,
        rendered,
        owner={"season": season},
        version=version,
        audit_number=audit_number,
        now=now,
        counting=counting,
    )
    if newest is not None and publication is not newest and is_older and not is_kept:
        note_counted_anew(newest, publication, season, now=now)
    settle_scope(season_scope(season.pk), version, now=now)
    return publication
