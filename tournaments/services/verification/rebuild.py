"""Making everything that follows from the entries once more, and saying where it differs.

Two looks, at the games and then at the sums. Looking holds nothing; where it finds a difference the
same is done again with the rows held, so that a hand entered meanwhile is never taken for one, and
there it is mended. Who mends takes the event, then games by ascending id, then sums by ascending
entrant, as an import does.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet

from scoring.rules.rules import Rules
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import Replay
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game
from tournaments.models.standings import Aggregate, Contribution
from tournaments.selectors.standings.aggregates_bulk import (
    SUMS,
    EntrantTotals,
    game_ids,
    stored_chairs,
    stored_lengths,
    stored_worth,
    summed,
)
from tournaments.selectors.standings.hands_bulk import StoredGame, stored_games, stored_hands
from tournaments.services.db.bulk import add_to_aggregates
from tournaments.services.hands.apply_games import Worth, settle_games, store_worth, unlike
from tournaments.services.standings.contributions import SeatShare, as_row, game_values, values_of
from tournaments.services.standings.counted_games import (
    CountingScheme,
    Kept,
    hold,
    own_games,
    store_kept,
    turn,
    turned_by,
)
from tournaments.services.verification.verify_scores import (
    ScoreDifference,
    ScoreVerification,
    TableKinds,
    compare,
)

LOOKED_AT: Final = 5000
"""Games of a batch that is only looked at."""
HELD: Final = 100
"""Games, or entrants, that are held at a time."""
MANY: Final = 20
"""Where one game in so many differs, its whole batch is done again."""

Say: TypeAlias = Callable[[str], None]
"""Where it is said what is waited for."""

_NOT_SETTLED: Final = ("worth", "refused")


@dataclass(slots=True)
class _Seen(ScoreVerification):
    """What differs, and in which games, however many: by what it is."""

    games_by: dict[str, set[int]] = field(default_factory=dict)

    @property
    def ids(self) -> set[int]:
        """Every game in which anything differs."""
        return set().union(*self.games_by.values())

    @property
    def unsettled(self) -> set[int]:
        """Games whose hands or progress differ; where the rules refuse an entry nothing can."""
        others = (games for what, games in self.games_by.items() if what not in _NOT_SETTLED)
        return set().union(*others) - self.games_by.get("refused", set())

    def tell(self, difference: ScoreDifference) -> None:
        """Count a difference, and keep which game has it."""
        ScoreVerification.tell(self, difference)
        if difference.game_id is not None:
            self.games_by.setdefault(difference.what, set()).add(difference.game_id)


def batches(event: Event, size: int, *, after: int = 0) -> Iterator[Sequence[int]]:
    """Yield the ids of the event's games, ascending, so many at a time."""
    while ids := game_ids(event, after=after, limit=size):
        yield ids
        after = ids[-1]


def quiet(words: str) -> None:
    """Say nothing."""


def look_at_games(
    event: Event, told: ScoreVerification, *, mend: bool, say: Say = quiet
) -> Iterator[int]:
    """Compare all games with their entries, and mend those that differ where that is wanted.

    Yields:
        How many games have been looked at.
    """
    kinds, done = TableKinds(event), 0
    for ids in batches(event, LOOKED_AT):
        seen = _Seen()
        _weigh(event, kinds, ids[0], ids[-1], seen)
        told.games += seen.games
        told.hands += seen.hands
        for first, last in _parts(ids, seen.ids):
            held = count_games(event, kinds, first=first, last=last, mend=mend, say=say)
            told.add(ScoreVerification(0, 0, held.differing, held.differences))
        done += len(ids)
        yield done


def _parts(ids: Sequence[int], differing: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last id of what is done again together."""
    if differing and len(differing) * MANY >= len(ids):
        yield from spans(ids)
    else:
        yield from ((one, one) for one in sorted(differing))


def spans(ids: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last of HELD ids at a time."""
    for start in range(0, len(ids), HELD):
        part = ids[start : start + HELD]
        yield part[0], part[-1]


@transaction.atomic
def count_games(
    event: Event, kinds: TableKinds, *, first: int, last: int, mend: bool, say: Say = quiet
) -> ScoreVerification:
    """Compare the games of these ids while they are held, mend them if wanted; returns what was."""
    if mend:
        event = _held(event, say)
        if kinds.settings != settings_of(event):
            kinds = TableKinds(event)
    games = Game.objects.filter(event=event, pk__gte=first, pk__lte=last).order_by("pk")
    _hold_rows(games, "a hand that is being entered", say)
    seen = _Seen()
    changed = _weigh(event, kinds, first, last, seen)
    if mend and seen.ids:
        _mend_games(event, seen, changed)
    return seen


def _held(event: Event, say: Say) -> Event:
    """Return the event as it is now, held: who changes its settings waits meanwhile."""
    _hold_rows(Event.objects.filter(pk=event.pk), "an import or a change of settings", say)
    return Event.objects.get(pk=event.pk)


def _hold_rows(rows: QuerySet[Any], others: str, say: Say) -> None:
    """Lock rows, and say whom that waits for; on SQLite the transaction holds everything."""
    if not connection.features.has_select_for_update:
        return
    try:
        with transaction.atomic():
            list(rows.select_for_update(nowait=True, no_key=True).values_list("pk", flat=True))
    except OperationalError:
        say(f"waits for {others}")
        list(rows.select_for_update(no_key=True).values_list("pk", flat=True))


def _weigh(
    event: Event, kinds: TableKinds, first: int, last: int, told: ScoreVerification
) -> dict[int, tuple[Worth, Worth]]:
    """Compare games of these ids; returns what each adds as stored and as it should, if unlike."""
    chairs = stored_chairs(event, first=first, last=last)
    lengths = stored_lengths(event, first=first, last=last)
    stored = stored_worth(event, first=first, last=last)
    placement = kinds.settings.placement
    changed: dict[int, tuple[Worth, Worth]] = {}

    def weigh(game: StoredGame, rules: Rules, played: Replay) -> None:
        sat = [SeatShare(*one) for one in chairs.get(game.id, ())]
        hands = lengths.get(game.id)
        found = game_values(rules, played, sat, placement=placement, hands=hands)
        if not game.counts:
            found = {}
        there = values_of(stored.get(game.id, {}))
        if found != there:
            changed[game.id] = there, found
            _tell_worth(game.id, there, found, told)

    games = stored_games(event, after=first - 1, limit=LOOKED_AT)
    rows = stored_hands(event, first=first, last=last)
    compare([game for game in games if game.id <= last], rows, kinds, told, weigh)
    return changed


def _tell_worth(game_id: int, there: Worth, found: Worth, told: ScoreVerification) -> None:
    for entrant in unlike(there, found):
        before, now = there.get(entrant), found.get(entrant)
        old, new = before and as_row(before), now and as_row(now)
        told.tell(ScoreDifference(game_id, None, "worth", old, new, entrant))


def _mend_games(event: Event, seen: _Seen, changed: Mapping[int, tuple[Worth, Worth]]) -> None:
    """Store what the games add, and settle those of which more than that differs, all together."""
    settled = seen.unsettled
    stored = Contribution.objects.filter(game__in=sorted(settled))
    people = {entrant for both in changed.values() for worth in both for entrant in worth}
    hold(event, sorted(people | set(stored.values_list("entrant_id", flat=True))))
    store_worth(event, {pk: both for pk, both in changed.items() if pk not in settled})
    settle_games(event=event, games=settled)


def look_at_sums(event: Event, told: ScoreVerification, *, mend: bool) -> None:
    """Compare all sums with the games, and mend those that differ where that is wanted."""
    differing = {one.entrant_id for one in summed(event) if one.found != one.stored}
    entrants = sorted(Entrant.objects.filter(event=event).values_list("pk", flat=True))
    for some in parts(entrants):
        differing.update(one.entrant_id for one in _kept_unlike(event, some))
    for some in parts(sorted(differing)):
        told.add(count_sums(event, some, mend=mend))


def parts(entrants: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield entrants HELD at a time."""
    for start in range(0, len(entrants), HELD):
        yield entrants[start : start + HELD]


@transaction.atomic
def count_sums(event: Event, entrants: Sequence[int], *, mend: bool) -> ScoreVerification:
    """Compare the sums of entrants while they are held, mend them if wanted; returns what was."""
    told = ScoreVerification()
    if mend:
        event = _held(event, quiet)
    hold(event, entrants)
    wrong = [one for one in summed(event, entrants) if one.found != one.stored]
    for one in wrong:
        told.tell(ScoreDifference(None, None, "sums", one.stored, one.found, one.entrant_id))
    if mend and wrong:
        deltas = {one.entrant_id: _missing(one) for one in wrong}
        add_to_aggregates(club_id=event.club_id, event_id=event.pk, deltas=deltas)
    kept = _kept_unlike(event, entrants)
    for each in kept:
        told.tell(ScoreDifference(None, None, "kept", each.stored, each.found, each.entrant_id))
    if mend and kept:
        store_kept(event, {each.entrant_id: each.found for each in kept})
        turn([row for each in kept for row in each.turned])
    return told


def _missing(one: EntrantTotals) -> dict[str, int]:
    pairs = zip(SUMS, one.stored, one.found, strict=True)
    return {name: found - stored for name, stored, found in pairs if found != stored}


class _Unkept(NamedTuple):
    """What is kept of an entrant's games, and should be; `turned` has marks that are wrong."""

    entrant_id: int
    stored: Any
    found: Kept | None
    turned: Sequence[int]


def _kept_unlike(event: Event, entrants: Sequence[int]) -> list[_Unkept]:
    scheme = CountingScheme.of(event)
    sums = Aggregate.objects.filter(event=event, entrant_id__in=entrants)
    stored = dict(sums.values_list("entrant_id", "kept"))
    if scheme.settings.keeps or any(one is not None for one in stored.values()):
        games = dict(own_games(entrants))
    else:
        marked = Contribution.objects.filter(entrant_id__in=entrants, is_dropped=True)
        games = dict(own_games(set(marked.values_list("entrant_id", flat=True))))
    found = []
    for entrant_id in sorted(stored):
        own = games.get(entrant_id, [])
        without = scheme.without(own)
        one = _Unkept(
            entrant_id, stored[entrant_id], scheme.count(own, without), turned_by(own, without)
        )
        if one.stored != one.found or one.turned:
            found.append(one)
    return found
