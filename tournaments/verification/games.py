"""Computes what follows from each game's entries again, and says where it differs.

Comparing locks nothing; where something differs the same is done again with the rows locked, so
that a hand entered meanwhile is never taken for a difference, and there it is repaired. A repair
locks the event, then games by ascending id, then totals by ascending entrant, as an import does.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet

from scoring.rules.rules import Rules
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import Replay
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Contribution
from tournaments.selectors.standings.aggregates_bulk import (
    stored_chairs,
    stored_lengths,
    stored_worth,
)
from tournaments.selectors.standings.hands_bulk import StoredGame, stored_games, stored_hands
from tournaments.services.hands.apply_game import (
    Worth,
    apply_games,
    differing_entrants,
    store_worth,
)
from tournaments.services.standings.contributions import SeatShare, as_row, game_values, values_of
from tournaments.services.standings.counted_games import lock_aggregates
from tournaments.verification.batches import Batch, batches
from tournaments.verification.differences import Difference, Verification
from tournaments.verification.scores import TableKinds, compare_hands

COMPARED: Final = 5000
"""Games of a batch that is only compared."""
LOCKED: Final = 100
"""Games, or entrants, that are locked at a time."""
MANY: Final = 20
"""Where one game in so many differs, its whole batch is done again."""

Report: TypeAlias = Callable[[str], None]
"""Is given sentences on progress, and on what is waited for."""

_NOT_APPLIED: Final = ("worth", "refused")


def no_report(words: str) -> None:
    """Report to nobody."""


def verify_games(
    event: Event, found: Verification, *, repair: bool, report: Report = no_report
) -> Iterator[int]:
    """Compare all games with their entries, and repair those that differ where that is wanted.

    Yields:
        How many games have been compared.
    """
    kinds, done = TableKinds(event), 0
    for games in batches(event, size=COMPARED):
        seen = Verification()
        _compare(event, kinds, games, seen)
        found.games += seen.games
        found.hands += seen.hands
        for first, last in _ranges(games, seen.differing_games):
            found.add_differences(
                verify_locked_games(
                    event, kinds, first=first, last=last, repair=repair, report=report
                )
            )
        done += len(games)
        yield done


def _ranges(games: Batch, differing: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last id of what is done again together."""
    if not differing or len(differing) * MANY < len(games):
        yield from ((one, one) for one in sorted(differing))
        return
    for start in range(0, len(games), LOCKED):
        part = games[start : start + LOCKED]
        yield part[0].id, part[-1].id


@transaction.atomic
def verify_locked_games(
    event: Event,
    kinds: TableKinds,
    *,
    first: int,
    last: int,
    repair: bool,
    report: Report = no_report,
) -> Verification:
    """Compare the games of these ids while they are locked, and repair them where wanted.

    Returns:
        What differed.
    """
    if repair:
        event = locked_event(event, report)
        if kinds.settings != settings_of(event):
            kinds = TableKinds(event)
    rows = Game.objects.filter(event=event, pk__gte=first, pk__lte=last).order_by("pk")
    _lock_rows(rows, "a hand that is being entered", report)
    found = Verification()
    most = min(last - first + 1, COMPARED)
    games = [one for one in stored_games(event, after=first - 1, limit=most) if one.id <= last]
    changed = _compare(event, kinds, games, found) if games else {}
    if repair and found.differing:
        _repair_games(event, found, changed)
    return found


def locked_event(event: Event, report: Report = no_report) -> Event:
    """Return the event as it is now, locked: who changes its settings waits meanwhile."""
    _lock_rows(Event.objects.filter(pk=event.pk), "an import or a change of settings", report)
    return Event.objects.get(pk=event.pk)


def _lock_rows(rows: QuerySet[Event] | QuerySet[Game], others: str, report: Report) -> None:
    """Lock rows, and report whom that waits for; on SQLite the transaction locks everything."""
    if not connection.features.has_select_for_update:
        return
    try:
        with transaction.atomic():
            list(rows.select_for_update(nowait=True, no_key=True).values_list("pk", flat=True))
    except OperationalError:
        report(f"waits for {others}")
        list(rows.select_for_update(no_key=True).values_list("pk", flat=True))


def _compare(
    event: Event, kinds: TableKinds, games: Batch, found: Verification
) -> dict[int, tuple[Worth, Worth]]:
    """Compare games; returns what each adds as stored and as it should, where these differ."""
    first, last = games[0].id, games[-1].id
    chairs = stored_chairs(event, first=first, last=last)
    lengths = stored_lengths(event, first=first, last=last)
    stored = stored_worth(event, first=first, last=last)
    placement = kinds.settings.placement
    changed: dict[int, tuple[Worth, Worth]] = {}

    def compare_worth(game: StoredGame, rules: Rules, played: Replay) -> None:
        shares = [SeatShare(*one) for one in chairs.get(game.id, ())]
        hands = lengths.get(game.id)
        values = game_values(rules, played, shares, placement=placement, hands=hands)
        now, before = values if game.counts else {}, values_of(stored.get(game.id, {}))
        if now != before:
            changed[game.id] = before, now
            found.add(*_worth_differences(game.id, before, now))

    rows = stored_hands(event, first=first, last=last)
    compare_hands(games, rows, kinds, found, compare_worth)
    return changed


def _worth_differences(game_id: int, before: Worth, now: Worth) -> Iterator[Difference]:
    for entrant in differing_entrants(before, now):
        old, new = before.get(entrant), now.get(entrant)
        stored, found = old and as_row(old), new and as_row(new)
        yield Difference(game_id, None, "worth", stored, found, entrant)


def _repair_games(
    event: Event, found: Verification, changed: Mapping[int, tuple[Worth, Worth]]
) -> None:
    """Store what the games add, and apply those of which more than that differs, all together."""
    others = (games for what, games in found.games_by.items() if what not in _NOT_APPLIED)
    # Where the rules refuse an entry nothing can be applied.
    applied = set().union(*others) - found.games_by.get("refused", set())
    stored = Contribution.objects.filter(game__in=sorted(applied))
    people = {entrant for both in changed.values() for worth in both for entrant in worth}
    lock_aggregates(event, sorted(people | set(stored.values_list("entrant_id", flat=True))))
    store_worth(event, {pk: both for pk, both in changed.items() if pk not in applied})
    apply_games(event=event, games=applied)


def parts(entrants: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield entrants LOCKED at a time."""
    for start in range(0, len(entrants), LOCKED):
        yield entrants[start : start + LOCKED]
