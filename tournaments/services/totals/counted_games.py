"""Non-additive standings values: counted games, and the totals over them.

Recomputed from the entrant's own games only, so that a correction reads the games of one table's
players and never the league's. The caller holds the entrants' sums (just written by
`add_to_aggregates`, or locked), so that no two transactions do this for one entrant at a time.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final, TypeAlias

from django.db import connection

from scoring.standings.counting import Played, dropped, kept
from scoring.standings.metrics import PRIMARIES
from scoring.standings.rows import Key
from tournaments.domain.event_settings import settings_of
from tournaments.models.columns import UNIT
from tournaments.models.events import Event
from tournaments.models.standings import Aggregate, Contribution
from tournaments.selectors.rules.rule_sets import low_wins, rules_of_event
from tournaments.selectors.standings.counted_values import WORTH, worth_of
from tournaments.selectors.standings.opening_values import as_played, opening_lines
from tournaments.services.db.bulk import JSON, add_to_aggregates, in_parts, is_postgresql

ENTRANTS_AT_ONCE: Final = 500
"""Entrants whose games are read together."""
CountedTotals: TypeAlias = dict[str, int | str | None]
"""Content of `Aggregate.kept`."""
CountedGame: TypeAlias = tuple[int, bool, Played]
"""A contribution of an entrant: its row, whether it is marked as dropped, and its game."""
FROM_BEFORE: Final = 0
"""In place of its row: an opening value, which is no contribution and has no mark."""


def recompute_counted(*, event: Event, entrants: Collection[int]) -> None:
    """Mark the dropped games of `entrants` and store the sums of the others."""
    scheme = CountingScheme(event)
    for some in in_parts(sorted(entrants), ENTRANTS_AT_ONCE):
        sums: dict[int, CountedTotals | None] = dict.fromkeys(some, scheme.count(()))
        turned: list[int] = []
        for entrant_id, games in games_by_entrant(event, some):
            without = scheme.without(games)
            sums[entrant_id] = scheme.count(games, without)
            turned.extend(wrong_marks(games, without))
        store_counted(event, sums)
        flip_marks(turned)


def recompute_counted_in_rounds(*, event: Event, rounds: Collection[int]) -> None:
    """Recompute for everybody who played in `rounds`, whose evening changed."""
    if not rounds or not settings_of(event).drops_games:
        return
    played = Contribution.objects.filter(game__table__round__in=rounds)
    entrants = sorted(set(played.values_list("entrant_id", flat=True)))
    lock_aggregates(event, entrants)
    recompute_counted(event=event, entrants=entrants)


def lock_aggregates(event: Event, entrants: Collection[int], *, make: bool = False) -> None:
    """Lock the sums of `entrants` in ascending id, as every writer must.

    Args:
        make: whether to create missing sums before they are written, so that no concurrent
            transaction creates them out of order.
    """
    if not entrants or not connection.features.has_select_for_update:
        return
    rows = Aggregate.objects.filter(event=event, entrant_id__in=entrants)
    if make and rows.count() < len(set(entrants)):
        stored = set(rows.values_list("entrant_id", flat=True))
        nothing = {entrant: {"games": 0} for entrant in entrants}
        add_to_aggregates(club_id=event.club_id, event_id=event.pk, deltas=nothing)
        # Not all of them get a game: somebody may be seated for hands to come.
        recompute_counted(event=event, entrants=set(entrants) - stored)
        return
    list(rows.select_for_update(no_key=True).order_by("entrant_id").values_list("pk", flat=True))


def games_by_entrant(
    event: Event, entrants: Collection[int]
) -> Iterator[tuple[int, list[CountedGame]]]:
    """Yield each of `entrants` with its games and opening values, by entrant; two queries."""
    openings: dict[int, list[CountedGame]] = {
        entrant_id: [(FROM_BEFORE, False, played) for played in as_played(lines)]
        for entrant_id, lines in opening_lines(event, entrants).items()
    }
    rows = Contribution.objects.filter(entrant_id__in=list(entrants)).order_by(
        "entrant_id", "game__table__round__number", "game__table__number"
    )
    columns = rows.values_list(
        "entrant_id",
        "pk",
        "is_dropped",
        "game__table__round__number",
        "game__table__number",
        "game__table__round__meeting__date",
        *WORTH,
    )
    for entrant_id, games_of_entrant in groupby(columns, itemgetter(0)):
        games = openings.pop(entrant_id, [])
        for _, pk, is_dropped, round_number, table_number, day, *worth in games_of_entrant:
            meeting = day.isoformat() if day is not None else None
            played = (round_number, table_number), meeting, worth_of(worth)
            games.append((pk, is_dropped, played))
        yield entrant_id, games
    yield from openings.items()


def wrong_marks(games: Iterable[CountedGame], without: Collection[Key]) -> list[int]:
    """Return the contributions whose mark is not what it should be, where `without` is dropped."""
    return [
        row
        for row, is_dropped, game in games
        if row != FROM_BEFORE and is_dropped != (game[0] in without)
    ]


def flip_marks(contributions: Sequence[int]) -> None:
    """Mark these contributions as dropped that are not, and the other way round."""
    for some in in_parts(contributions, ENTRANTS_AT_ONCE):
        marks = ", ".join(["%s"] * len(some))
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {Contribution._meta.db_table} SET is_dropped = NOT is_dropped "  # noqa: S608 - names of our own tables
                f"WHERE id IN ({marks})",
                list(some),
            )


class CountingScheme:
    """How an event drops games: its settings, and whether the smaller total wins."""

    def __init__(self, event: Event) -> None:
        self.settings = settings_of(event)
        # Only a primary value that turns asks for the rules.
        self.low_wins = True
        if self.settings.drops_games and PRIMARIES[self.settings.primary].turns:
            self.low_wins = low_wins(rules_of_event(event))

    def without(self, games: Iterable[CountedGame]) -> frozenset[Key]:
        if not self.settings.drops_games:
            return frozenset()
        return dropped(
            [game for _, _, game in games],
            primary=self.settings.primary,
            low_wins=self.low_wins,
            drop_worst=self.settings.drop_worst,
            best_of=self.settings.best_of,
        )

    def count(
        self, games: Iterable[CountedGame], without: Collection[Key] = ()
    ) -> CountedTotals | None:
        """Return the non-additive values of one entrant; None if the event has none."""
        if not self.settings.keeps:
            return None
        sums = kept("", [game for _, _, game in games], without)
        index = sums.index
        return {
            "games": sums.games,
            "hands": sums.hands,
            "points": int(sums.points * UNIT),
            "place_points": int(sums.place_points * UNIT),
            "win_share": int(sums.win_share * UNIT),
            "beaten_halves": int(sums.beaten * 2 * UNIT),
            "uncounted": sums.uncounted,
            "index": None if index is None else f"{index.numerator}/{index.denominator}",
        }


def store_counted(event: Event, sums: Mapping[int, CountedTotals | None]) -> None:
    """Store what is kept for some entrants; one statement on PostgreSQL."""
    entrants = list(sums)
    texts = [None if sum_ is None else JSON(sum_) for sum_ in sums.values()]
    table = Aggregate._meta.db_table
    with connection.cursor() as cursor:
        if is_postgresql():
            cursor.execute(
                f"UPDATE {table} SET kept = d.kept::jsonb "  # noqa: S608 - names of our own tables
                "FROM unnest(%s::bigint[], %s::text[]) AS d(entrant_id, kept) "
                f"WHERE {table}.event_id = %s AND {table}.entrant_id = d.entrant_id",
                [entrants, texts, event.pk],
            )
        else:
            cursor.executemany(
                f"UPDATE {table} SET kept = %s WHERE event_id = %s AND entrant_id = %s",  # noqa: S608 - names of our own tables
                [(text, event.pk, entrant) for entrant, text in zip(entrants, texts, strict=True)],
            )
