"""Results, records and opponents of one player in the events of a club, as workers stored them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from operator import itemgetter
from typing import Any, Final

from django.db.models import OuterRef, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict
from scoring.standings.rows import NumbersAndDay, in_play_order
from tournaments.domain.figures import place_text
from tournaments.domain.standings.ladder_documents import LadderDocument
from tournaments.domain.standings.standings_documents import (
    BestsDocument,
    EncounterDocument,
    HeadToHeadDocument,
    NightDocument,
    StandingsDocument,
)
from tournaments.errors import first_or_missing
from tournaments.models.clubs import Club, Player
from tournaments.models.columns import as_json
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event
from tournaments.models.standings import Contribution, Publication
from tournaments.policy import Actor
from tournaments.selectors.clubs.names import name_column, name_of
from tournaments.selectors.events.entrants import WITH_PLAYERS, EntrantMemberRow, entrant_names
from tournaments.selectors.events.events import listed_events
from tournaments.selectors.hands.games import hands_of_games, known_moons
from tournaments.selectors.standings.history import documents_in
from tournaments.selectors.standings.publications import newest_publications
from tournaments.selectors.standings.sorting import decimal, decimals_of
from tournaments.selectors.standings.standings_view import cell_value, column_title, ranking_column


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """The result of a player in one event.

    `rank` is None and `place` empty before the player has a place; `of` counts the places. `score`
    is the value that decides the place, or None; `score_key` and `score_title` name it. `on` is the
    day of the last counted meeting.
    """

    event_id: int
    event: str
    name: str
    created_at: datetime
    is_ladder: bool
    entrant_id: str
    entrant_kind: str
    on: date | None = None
    rank: int | None = None
    place: str = ""
    of: int = 0
    score: int | str | None = None
    score_key: str = ""
    score_title: str | Promise = ""
    publication: int | None = None


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


def entrant_history(event: Event, entrant_id: str) -> Mapping[str, object]:
    """Return an entrant with all `tables` that count, the newest first, and their sums.

    There are no `points` where some table has complex ones, as in the standings. Always five
    queries.
    """
    rows = Entrant.objects.filter(event=event, code=entrant_id)
    entrant = first_or_missing(rows.prefetch_related(WITH_PLAYERS), "player", player=entrant_id)
    contributions = list(
        Contribution.objects.filter(event=event, entrant=entrant)
        .select_related("game__table__round__meeting", "game__snapshot")
        .defer("game__progress")
    )
    contributions = in_play_order(contributions, _row_played)[::-1]
    totals = hands_of_games([row.game_id for row in contributions])
    column = name_column(event)
    has_points = all(row.game.snapshot.has_points for row in contributions)
    return {
        "entrant_id": entrant.code,
        "name": entrant_names([entrant], column)[entrant.pk],
        "members": [
            EntrantMemberRow(member.player.player_id, name_of(member.player, column))
            for member in entrant.members.all()
        ],
        "is_withdrawn": entrant.state == "withdrawn",
        "is_guest": entrant.guest,
        "tables": [_table(row, is_totals=row.game_id in totals) for row in contributions],
        "hands": sum(row.hands for row in contributions),
        "points": as_json(sum(row.points for row in contributions)) if has_points else None,
        "wins": sum(row.place == 1 for row in contributions),
        "moons": known_moons(sum(row.moons for row in contributions), is_unknown=bool(totals)),
    }


def _row_played(row: Contribution) -> NumbersAndDay:
    table = row.game.table
    meeting = table.round.meeting
    day = meeting.date.isoformat() if meeting is not None else None
    return (table.round.number, table.number), day


def _table(row: Contribution, *, is_totals: bool) -> Mapping[str, object]:
    table = row.game.table
    return {
        "code": table.code,
        "table": table.number,
        "round": table.round.number,
        "date": table.round.meeting.date if table.round.meeting else None,
        "variant_name": row.game.snapshot.variant_name,
        "hands": row.hands,
        "points": as_json(row.points) if row.game.snapshot.has_points else None,
        "place": place_text(row.place, is_tied=row.shared > 1),
        "moons": known_moons(row.moons, is_unknown=is_totals),
        "is_win": row.place == 1,
    }


ORDER: Final = ("-created_at", "slug")
"""Newest event first; the columns that pages of results follow."""


def entered_events(actor: Actor, club: Club, player: Player) -> QuerySet[Event]:
    """Return the listed events of `club` that `player` competes in and `actor` may read, newest
    first, each with `entrant_code` and `entrant_kind`."""
    entered = EntrantMember.objects.filter(player=player)
    in_event = entered.filter(event=OuterRef("pk")).order_by()
    return (
        listed_events(actor, club)
        .filter(pk__in=entered.values("event"))
        .annotate(
            entrant_code=in_event.values("entrant__code")[:1],
            entrant_kind=in_event.values("entrant__kind")[:1],
        )
        .order_by(*ORDER)
    )


def events_before(events: QuerySet[Event], slug: str) -> QuerySet[Event]:
    """Return the events after the one at `slug`, newest first; all of them for an unknown slug."""
    last = events.filter(slug=slug).values_list("created_at", "slug").first() if slug else None
    if last is None:
        return events
    created_at, last_slug = last
    return events.filter(
        Q(created_at__lt=created_at) | Q(created_at=created_at, slug__gt=last_slug)
    )


def results_in(events: Sequence[Event]) -> list[PlayerResult]:
    """Return what a player reached in each of these `entered_events`; at most two queries."""
    ladders = [event for event in events if event.is_ladder]
    competitions = [event for event in events if not event.is_ladder]
    lists = newest_publications(ladders, "ladder")
    tables = newest_publications(competitions, "event")
    return [_result(event, lists.get(event.pk) or tables.get(event.pk)) for event in events]


def _result(event: Event, publication: Publication | None) -> PlayerResult:
    code = event.entrant_code  # type: ignore[attr-defined]  # annotated
    is_ladder = event.is_ladder
    read = _on_ladder if is_ladder else _in_standings
    return PlayerResult(
        event_id=event.pk,
        event=event.slug,
        name=event.name,
        created_at=event.created_at,
        is_ladder=is_ladder,
        entrant_id=code,
        entrant_kind=event.entrant_kind,  # type: ignore[attr-defined]  # annotated
        **(read(publication, code) if publication is not None else {}),
    )


def _in_standings(publication: Publication, code: str) -> Mapping[str, Any]:
    body: StandingsDocument = publication.document
    read = _read_of(publication, body["as_of"]["meeting"], len(body["rows"]))
    row = next(
        (row for row in (*body["rows"], *body["provisional_rows"]) if row["player_id"] == code),
        None,
    )
    if row is None:
        return read
    primary = body["scheme"]["primary"]
    published = {column["key"]: column for column in body["columns"]}
    key = ranking_column(primary, published)
    value = cell_value(row, key)
    return {
        **read,
        "rank": row["rank"],
        "place": place_text(row["rank"], is_tied=row["tied"]),
        "score": decimal(value, decimals_of([value])),
        "score_key": key if key in published else primary,
        "score_title": column_title(key, primary, published),
    }


def _on_ladder(publication: Publication, code: str) -> Mapping[str, Any]:
    body: LadderDocument = publication.document
    read = _read_of(publication, body["as_of"]["on"], len(body["rows"]))
    row = next((row for row in body["rows"] if row["player_id"] == code), None)
    if row is None:
        return read
    return {
        **read,
        "rank": row["place"],
        "place": str(row["place"]),
        "score": row["rating_shown"],
        "score_key": "rating",
        "score_title": _("Rating"),
    }


def _read_of(publication: Publication, day: str | None, of: int) -> Mapping[str, Any]:
    on = date.fromisoformat(day) if day else None
    return {"publication": publication.number, "on": on, "of": of}


MOST_EVENTS: Final = 60
"""Number of newest events in the records, opponents and charts of a player."""


def newest_results(actor: Actor, club: Club, player: Player) -> list[PlayerResult]:
    return results_in(list(entered_events(actor, club, player)[:MOST_EVENTS]))


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
