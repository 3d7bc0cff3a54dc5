"""Stored records of one player over events of a club, and their opponents.

A read never computes a score: a worker stores each event's best, worst and opponents after its
publication. This module combines the events.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import Final

from scoring.json_types import JsonDict
from tournaments.domain.standings.standings_documents import (
    BestsDocument,
    EncounterDocument,
    HeadToHeadDocument,
    NightDocument,
)
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantKind
from tournaments.policy import Actor
from tournaments.selectors.clubs.names import name_column
from tournaments.selectors.standings.history import documents_in
from tournaments.selectors.standings.player_results import PlayerResult, entered_events, results_in

MOST_EVENTS: Final = 60
"""Number of newest events in the records, opponents and charts of a player."""


def newest_results(actor: Actor, club: Club, player: Player) -> list[PlayerResult]:
    return results_in(list(entered_events(actor, club, player)[:MOST_EVENTS]))


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """A record of a player: `key` says of what, `event` in which event it was made last.

    `times` counts the events in which it was reached. `of` counts the places of the event, where
    the record is a place; `tables` are the codes of the tables where it was made.
    """

    key: str
    value: int | str
    event: str
    name: str
    times: int
    of: int | None = None
    tables: tuple[str, ...] = ()


def records_over(
    results: Sequence[PlayerResult], bests: Mapping[int, BestsDocument]
) -> tuple[dict[str, int | None], list[PlayerRecord]]:
    """Return the totals and records of a player over events, newest first; no query.

    `moons` are of the events whose sheets all say them, `moon_hands` the hands of these; None and
    0 where there is no such event.
    """
    played = [(result, bests[result.event_id]) for result in results if result.event_id in bests]
    documents = [best for _, best in played]
    counted = [(best["moons"], best["hands"]) for best in documents if best["moons"] is not None]
    series = [(result, best["longest_series"]) for result, best in played]
    records = (
        _best_place(results),
        _most("longest_series", [(result, row["wins"], row["tables"]) for result, row in series]),
        _most("moons", [(row, best["moons"] or 0, best["moon_tables"]) for row, best in played]),
        _extreme("lowest_game", [(result, best["lowest_game"]) for result, best in played], min),
        _extreme("highest_game", [(result, best["highest_game"]) for result, best in played], max),
    )
    totals = {
        "events": len(played),
        "games": sum(best["games"] for best in documents),
        "hands": sum(best["hands"] for best in documents),
        "wins": sum(best["wins"] for best in documents),
        "moons": sum(moons for moons, _ in counted) if counted else None,
        "moon_hands": sum(hands for _, hands in counted),
    }
    return totals, list(filter(None, records))


def _best_place(results: Iterable[PlayerResult]) -> PlayerRecord | None:
    """Return the best place: of equal ones the one without a tie, among most, the newest."""
    ranked = [result for result in results if result.rank is not None]
    if not ranked:
        return None
    best = min(
        ranked, key=lambda result: (result.rank or 0, result.place != str(result.rank), -result.of)
    )
    times = sum(result.rank == best.rank for result in ranked)
    return PlayerRecord("best_place", best.place, best.event, best.name, times, of=best.of)


def _most(
    key: str, counts: Sequence[tuple[PlayerResult, int, Sequence[str]]]
) -> PlayerRecord | None:
    best = max(counts, key=itemgetter(1), default=None)
    if best is None or not best[1]:
        return None
    result, value, tables = best
    times = sum(count == value for _, count, _ in counts)
    return PlayerRecord(key, value, result.event, result.name, times, tables=tuple(tables))


def _extreme(
    key: str,
    games: Sequence[tuple[PlayerResult, NightDocument | None]],
    pick: Callable[[Iterable[Fraction]], Fraction],
) -> PlayerRecord | None:
    # Complex points have no order and no records, so that these are no lists.
    points = [
        (Fraction(str(game["points"])), result, game) for result, game in games if game is not None
    ]
    if not points:
        return None
    best = pick(value for value, _, _ in points)
    equal = [(result, game) for value, result, game in points if value == best]
    result, game = equal[0]
    value = game["points"]
    assert not isinstance(value, list)  # noqa: S101 - complex points have no order and no records
    return PlayerRecord(
        key, value, result.event, result.name, len(equal), tables=tuple(game["tables"])
    )


def opponents_over(club: Club, player: Player, results: Iterable[PlayerResult]) -> list[JsonDict]:
    """Return a player's opponents in events, most tables first; two queries.

    Only events of single players count: in events of pairs and teams there are no single opponents.
    A merged opponent counts as the player who has the records.
    """
    alone = [
        (result.event_id, result.entrant_id)
        for result in results
        if result.entrant_kind == EntrantKind.PLAYER
    ]
    met: Mapping[int, HeadToHeadDocument] = documents_in(alone, "head_to_head")
    people = _people(
        club, {encounter["player_id"] for body in met.values() for encounter in body["against"]}
    )
    encounters: dict[tuple[str, str], list[tuple[int, EncounterDocument]]] = defaultdict(list)
    for event, body in met.items():
        for encounter in body["against"]:
            code = encounter["player_id"]
            encounters[people.get(code, (code, code))].append((event, encounter))
    opponents: list[JsonDict] = []
    for (code, name), rows in encounters.items():
        if code == player.player_id:
            continue
        games = sum(encounter["games"] for _, encounter in rows)
        ahead = sum(encounter["ahead"] for _, encounter in rows)
        level = sum(encounter["level"] for _, encounter in rows)
        share = Fraction(2 * ahead + level, 2 * games)
        opponents.append(
            {
                "player_id": code,
                "name": name,
                "events": len({event for event, _ in rows}),
                "games": games,
                "ahead": ahead,
                "level": level,
                "behind": sum(encounter["behind"] for _, encounter in rows),
                "share": share,
                "percent": round(100 * share),
            }
        )
    return sorted(opponents, key=lambda row: (-row["games"], row["player_id"]))


def _people(club: Club, codes: set[str]) -> dict[str, tuple[str, str]]:
    """Return number and name of players as the club's reader gets them, by the codes under which
    they compete; at most one query."""
    if not codes:
        return {}
    column = name_column(club)
    rows = Player.objects.filter(club=club, player_id__in=codes).values_list(
        "player_id", column, "merged_into__player_id", f"merged_into__{column}"
    )
    return {code: (into or code, kept_name or name) for code, name, into, kept_name in rows}
