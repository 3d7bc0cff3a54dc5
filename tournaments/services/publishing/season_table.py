"""A season's own table, and an event's table under other settings: games counted in memory."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from scoring.play_order import with_days
from scoring.rules.rules import Rules
from scoring.standings.game_points import share_of
from scoring.standings.metrics import PRIMARIES
from scoring.standings.rows import GameResult, InMemory, Key, Worth
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.domain.standings.standings_documents import UncountedLinesDocument
from tournaments.models.audit import AuditHead
from tournaments.models.events import EntrantMember, Event, Season, Visibility
from tournaments.models.outbox import Dirty, season_scope
from tournaments.models.standings import Contribution, Publication
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.events.settings_checks import (
    default_snapshot,
    fitting_settings,
    sizes_of,
)
from tournaments.selectors.jobs.queue import get_version, is_recounted
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.seasons import season_facts, season_settings
from tournaments.services.publishing.entrant_rows import (
    AdjustmentLine,
    EntrantInputs,
    NamedEntrant,
    entrant_inputs,
    rows_from,
)
from tournaments.services.publishing.publications import PublicationSource, store_publication
from tournaments.services.publishing.stages_reached import AsOf, as_of, played_rules
from tournaments.services.publishing.standings import (
    DraftStandings,
    RankedTable,
    Rendered,
    draft_standings,
    order_rows,
    render_table,
)
from tournaments.services.publishing.tie_break_evidence import every_game

MOST: Final = 20_000
"""Results (one an entrant and game) that a trial counts at once."""


def results_in(event: Event) -> int:
    """Return how many results an event has: one an entrant and game."""
    return Contribution.objects.filter(event=event).count()


def standings_under(event: Event, settings: Settings) -> DraftStandings:
    """Return the table of `event` as it would be ranked under `settings`, not yet laid out."""
    beside = entrant_inputs(event)
    games = games_under(settings, every_game(event), sizes_of(event))
    is_low = low_wins(rules_of(default_snapshot(event)))
    rows = rows_from(games, settings, beside, low_wins=is_low)
    return draft_standings(event, rows, InMemory(games), settings=settings, standing_beside=beside)


def games_under(
    settings: Settings, games: Sequence[GameResult], sizes: Mapping[Key, int]
) -> list[GameResult]:
    """Return the games with the place points of other settings."""
    return [
        replace(
            game,
            chairs={
                code: replace(worth, place_points=_points(settings, worth, sizes.get(game.key, 0)))
                for code, worth in game.chairs.items()
            },
        )
        for game in games
    ]


def _points(settings: Settings, worth: Worth, size: int) -> Fraction | None:
    """What a finish is worth at a table of `size`; None where the settings have no list for it."""
    scheme = settings.placement.get(str(size))
    if scheme is None:
        return None
    return share_of(worth.place, worth.shared, scheme)


Players = frozenset[str]
"""The ids of an entrant's players."""


Codes = Mapping[str, str]
"""What an event calls an entrant → what the season calls it."""


def players_of(event: Event) -> dict[str, Players]:
    """Return the players of each entrant of an event, by the entrant's code; one query."""
    found: dict[str, set[str]] = defaultdict(set)
    rows = EntrantMember.objects.filter(event=event)
    for code, player in rows.values_list("entrant__code", "player__player_id"):
        found[code].add(player)
    return {code: frozenset(players) for code, players in found.items()}


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
    taken = set(codes.values())
    for entrants in events:
        for code in sorted(entrants):
            players = entrants[code]
            if players in codes:
                continue
            own = code if code not in taken else "+".join(sorted(players))
            while own in taken:
                own += "+"
            codes[players] = own
            taken.add(own)
    return [{code: codes[players] for code, players in event.items()} for event in events]


@dataclass(frozen=True, slots=True)
class SeasonPart:
    """What one event brings to its season: its games, who is who, how far it is."""

    event: Event
    games: Sequence[GameResult]
    beside: EntrantInputs
    as_of: AsOf
    played: Sequence[Rules]


def publish_season(season_id: int, *, now: datetime) -> Publication | None:
    """Publish the season's own table if it is behind, and return the newest publication.

    A computation with the digest of the current publication makes no new one. While an event of
    it is counted again the season waits. Returns None where nothing was ever published.
    """
    row = Dirty.objects.filter(scope=season_scope(season_id)).first()
    season = Season.objects.select_related("club").filter(pk=season_id).first()
    if row is None or (_newest(season_id) is not None and row.done >= row.version):
        return _newest(season_id)
    if season is None or season_settings(season) is None:
        _settle(season_id, row.version, now)
        return _newest(season_id)
    _keep_rules(season)
    with snapshot_read():
        version = get_version(season_scope(season_id))
        season = Season.objects.select_related("club").get(pk=season_id)
        settings, events = season_settings(season), _counted(season)
        if settings is None or any(is_recounted(event.pk) for event in events):
            return _newest(season_id)
        head = AuditHead.objects.filter(club_id=season.club_id).values_list("number", flat=True)
        audit_number = head.first() or 0
        rendered = render_season(season, settings, events)
    return _store(season, version, audit_number, rendered, now)


@atomic_act
def _keep_rules(season: Season) -> None:
    """Make the rows of its events' rules, for nothing is written in a snapshot."""
    for event in _counted(season):
        default_snapshot(event)


def render_season(season: Season, settings: Settings, events: Sequence[Event]) -> Rendered:
    """Return the bytes of a season's table over these events: JSON without `publication`, CSV."""
    codes = season_codes([players_of(event) for event in events])
    parts = [_part(event, settings, own) for event, own in zip(events, codes, strict=True)]
    for event in events:
        settings = fitting_settings(settings, season_facts(event), seed=season.seed)
    games = _in_order_of_play(parts)
    together = _beside(parts, settings)
    rules = [rules_of(default_snapshot(event)) for event in events]
    is_low = all(map(low_wins, rules))
    rows = rows_from(games, settings, together, low_wins=is_low)
    played = [one for part in parts for one in part.played]
    table = RankedTable(
        settings=settings,
        ascending=PRIMARIES[settings.primary].is_ascending(low_wins=is_low),
        placed=order_rows(
            rows,
            InMemory(games),
            settings=settings,
            chain=settings.tie_breaks,
            rules=rules[0],
            seed=season.seed,
        )
        if rows
        else (),
        beside=together,
        as_of=_as_of(parts),
        is_complex=any(one.keys.number == "complex" for one in played),
        seed=season.seed,
    )
    about = {
        "slug": season.slug,
        "name": season.name,
        "starts_on": season.starts_on.isoformat(),
        "ends_on": season.ends_on.isoformat(),
        "events": [event.slug for event in events],
        "variants": sorted({one.id for one in played}),
        "uncounted_lines": list(_uncounted_lines(parts, settings)),
    }
    return render_table(table, club=season.club, about={"season": about})


def _counted(season: Season) -> list[Event]:
    """The events that count, in the order in which they were made."""
    events = Event.objects.filter(season=season, visibility=Visibility.PUBLIC)
    return list(events.select_related("club", "season").order_by("created_at", "pk"))


def _part(event: Event, settings: Settings, codes: Codes) -> SeasonPart:
    games = every_game(event)  # before who is who: an entrant is there before its games are
    sizes = {key: size for key, size in sizes_of(event).items() if str(size) in settings.placement}
    listed = [game for game in games if game.key in sizes]
    others = [game for game in games if game.key not in sizes]
    counted = [*games_under(settings, listed, sizes), *others]
    return SeasonPart(
        event,
        [_in_season(game, codes) for game in counted],
        _who_in_season(entrant_inputs(event), codes),
        as_of(event),
        played_rules(event),
    )


def _in_season(game: GameResult, codes: Codes) -> GameResult:
    """Return a game whose entrants are called as the season calls them."""
    chairs = {codes.get(code, code): worth for code, worth in game.chairs.items()}
    return replace(game, chairs={code: chairs[code] for code in sorted(chairs)})


def _who_in_season(there: EntrantInputs, codes: Codes) -> EntrantInputs:
    """Return the standings values of an event that are not totals, by the season's entrant keys."""
    names = {codes.get(code, code): named for code, named in there.names.items()}
    return EntrantInputs(
        names={code: replace(named, code=code) for code, named in names.items()},
        ledger={codes.get(code, code): lines for code, lines in there.ledger.items()},
        byes={codes.get(code, code): number for code, number in there.byes.items()},
        unknown_moons=frozenset(codes.get(code, code) for code in there.unknown_moons),
    )


def _uncounted_lines(
    parts: Sequence[SeasonPart], settings: Settings
) -> Iterator[UncountedLinesDocument]:
    """Say which events have penalties and bonuses in other units than the season's, and how many:
    they do not count in its table."""
    for part in parts:
        unit = settings_of(part.event).primary
        number = sum(len(lines) for lines in part.beside.ledger.values())
        if number and unit != settings.primary:
            yield {"event": part.event.slug, "primary": unit, "lines": number}


def _in_order_of_play(parts: Sequence[SeasonPart]) -> list[GameResult]:
    """All games, each with a key of its own that sorts as they were played.

    A round without a day follows those before it in its event.
    """
    rounds: dict[tuple[str, int, int], list[GameResult]] = {}
    for at, part in enumerate(parts):
        for day, key, game in with_days(part.games, lambda game: (game.key, game.meeting)):
            rounds.setdefault((day, at, key[0]), []).append(game)
    return [
        replace(game, key=(number, game.key[1]))
        for number, where in enumerate(sorted(rounds), 1)
        for game in rounds[where]
    ]


def _beside(parts: Sequence[SeasonPart], settings: Settings) -> EntrantInputs:
    """Who is who, ledger lines and byes of all events.

    The newest event says what somebody is called; who withdrew from all of theirs is withdrawn. A
    penalty or a bonus counts where its event's primary value is the season's: it is in its units.
    """
    names: dict[str, NamedEntrant] = {}
    byes: dict[str, int] = {}
    ledger: dict[str, list[AdjustmentLine]] = {}
    for part in parts:
        for code, named in part.beside.names.items():
            before = names.get(code)
            stays = before is not None and not before.withdrawn
            names[code] = replace(named, withdrawn=False) if stays else named
        for code, number in part.beside.byes.items():
            byes[code] = byes.get(code, 0) + number
        if settings_of(part.event).primary == settings.primary:
            for code, lines in part.beside.ledger.items():
                ledger.setdefault(code, []).extend(lines)
    unknown = frozenset(code for part in parts for code in part.beside.unknown_moons)
    return EntrantInputs(names=names, ledger=ledger, byes=byes, unknown_moons=unknown)


def _as_of(parts: Sequence[SeasonPart]) -> AsOf:
    """The last evening of all events, and their hands; rounds are each event's own."""
    evenings = [part.as_of.meeting for part in parts if part.as_of.meeting]
    hands = sum(part.as_of.hands for part in parts)
    return AsOf(meeting=max(evenings, default=None), round=None, hands=hands)


@atomic_act
def _store(
    season: Season, version: int, audit_number: int, rendered: Rendered, now: datetime
) -> Publication:
    """Store the table as the next publication, unless one of its version or a newer is there."""
    row = Dirty.objects.select_for_update().get(scope=season_scope(season.pk))
    newest = _newest(season.pk)
    if newest is not None and row.done >= version:
        return newest
    owner = {"club_id": season.club_id, "season": season}
    source = PublicationSource(owner, version, audit_number, season.club.names_version)
    stored = store_publication(newest, rendered, source, now=now)
    _settle(season.pk, version, now)
    return stored


def _settle(season_id: int, version: int, now: datetime) -> None:
    """Note what is done; a version that was marked meanwhile stays behind."""
    rows = Dirty.objects.filter(scope=season_scope(season_id), done__lt=version)
    done: dict[str, Any] = {"done": version, "done_at": now, "attempts": 0, "due_at": None}
    rows.update(**done, parked=False, error="")


def _newest(season_id: int) -> Publication | None:
    return Publication.objects.filter(season_id=season_id).order_by("-number").first()
