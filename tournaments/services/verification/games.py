"""Score every stored hand of an event again, and list what differs from the stored results."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from operator import add, itemgetter
from typing import Final, TypeAlias

from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet

from scoring.engine.progress import NOTHING
from scoring.entry.hand_reader import read_entry
from scoring.entry.typed_hand import StoredEntry
from scoring.errors import Refused
from scoring.game.game import GameState, HandScore, book_totals, play, seat_totals
from scoring.numbers import Score
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import TOTALS, PlayedHand, Replay, begin, teams_of
from tournaments.models.columns import UNIT, exact
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game
from tournaments.models.rounds import Seat
from tournaments.models.standings import Contribution
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.selectors.standings.bulk_reads import (
    GAMES,
    Row,
    StoredGame,
    StoredHand,
    stored_chairs,
    stored_games,
    stored_hands,
    stored_lengths,
    stored_worth,
)
from tournaments.services.db.bulk import in_parts
from tournaments.services.hands.apply_game import apply_games, moon_json, score_columns
from tournaments.services.totals.contributions import (
    Worth,
    as_row,
    differing_entrants,
    game_values,
    store_worth,
    values_of,
)
from tournaments.services.totals.counted_games import lock_aggregates

MOST_LISTED: Final = 1000
"""Differences that are listed; all are counted."""


class PublicationState(StrEnum):
    """How the newest publication compares with one made from the stored rows.

    Where an older release has counted it otherwise, a worker counts a running event anew, and what
    is over keeps its figures.
    """

    SAME = "same"
    DIFFERS = "differs"
    COUNTED_ANEW = "counted_anew"
    KEPT = "kept"
    BEHIND = "behind"
    NONE = "none"


OTHERS: Final = frozenset({PublicationState.DIFFERS, PublicationState.COUNTED_ANEW})
"""States of a publication that is not what follows from the entries and will be replaced."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The stored and the computed value of a hand (`number` None: of a game).

    `what` is scores, totals, verified, moon, refused, progress or hands_counted; worth, of a game
    to an entrant, and, without a game, sums or kept, of an entrant; moves, ratings or state of a
    ladder; table or result of an `evening`, a day. `entrant` is a row's id.
    """

    game_id: int | None
    number: int | None
    what: str
    stored: object
    found: object
    entrant: int | None = None
    evening: str = ""


@dataclass(slots=True)
class Verification:
    """The numbers of games and hands that were compared, and the differences.

    `has_older_sums`: sums that follow from formulas are those of an older release.
    """

    games: int = 0
    hands: int = 0
    publication: PublicationState = PublicationState.NONE
    differences: list[Difference] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    games_by: dict[str, set[int]] = field(default_factory=dict)
    has_older_sums: bool = False

    @property
    def differing(self) -> int:
        return self.counts.total()

    @property
    def differs(self) -> bool:
        return bool(self.differing) or self.publication in OTHERS

    @property
    def differing_games(self) -> set[int]:
        return set().union(*self.games_by.values())

    def add(self, *differences: Difference) -> None:
        for difference in differences:
            self.counts[difference.what] += 1
            if difference.game_id is not None:
                self.games_by.setdefault(difference.what, set()).add(difference.game_id)
            if len(self.differences) < MOST_LISTED:
                self.differences.append(difference)

    def add_differences(self, other: "Verification") -> None:
        self.counts.update(other.counts)
        self.differences.extend(other.differences[: MOST_LISTED - len(self.differences)])
        for what, games in other.games_by.items():
            self.games_by.setdefault(what, set()).update(games)


MOST_KNOWN = 50_000
"""Texts of entries whose scores are remembered, for the tables of one kind."""
PARTS = ("scores", "totals", "verified", "moon")
RepeatedScore = tuple[HandScore, str, tuple[int, ...], str]
"""The score of an ordinary hand, which is the same however its game stands: nobody shot, nothing is
paid. With it the scores as stored, the units of each seat, and how it was verified."""


@dataclass(frozen=True, slots=True)
class TableKind:
    """Tables with the same rules, seats and sides.

    `known` has ordinary hands by the text of their entry, where these only add to the totals.
    """

    rules: Rules
    start: GameState
    open_ended: bool
    known: dict[str, RepeatedScore] = field(default_factory=dict)

    @property
    def only_adds(self) -> bool:
        """Whether an ordinary hand only adds to the totals of the seats."""
        keys = self.rules.keys
        alone = keys.teams.mode != "pooled" and keys.settle is None and keys.number == "real"
        return alone and self.open_ended and self.rules.only_adds


class TableKinds(dict[tuple[int, str, bool], TableKind]):
    """The kinds of tables of an event, by snapshot, sides of the seats and whether they count."""

    def __init__(self, event: Event) -> None:
        super().__init__()
        self.settings = settings_of(event)
        self.snapshots = Snapshot.objects.filter(event=event).in_bulk()

    def __missing__(self, key: tuple[int, str, bool]) -> TableKind:
        snapshot_id, sides, counts = key
        rules = rules_of(self.snapshots[snapshot_id])
        names = sides.split(",")
        teams = teams_of([Seat(side=name) for name in names], rules)
        start = begin(rules, len(names), teams=teams, chips=self.settings.start_totals)
        # The tables of a play-off, which do not count, go on until it is decided.
        self[key] = TableKind(rules, start, self.settings.is_open_ended or not counts)
        return self[key]


AfterReplay: TypeAlias = Callable[[StoredGame, Rules, Replay], None]
"""Called with each game that was replayed to its end."""

COMPARED: Final = 5000
"""Games of a batch that is only compared."""

LOCKED: Final = 100
"""Games, or entrants, that are locked at a time."""

MANY: Final = 20
"""If one game in this many differs, its whole batch is compared again."""

Report: TypeAlias = Callable[[str], None]
"""Is called with sentences on progress and on waits."""

_NOT_APPLIED: Final = ("worth", "refused")


def compare_hands(
    games: Sequence[StoredGame],
    rows: Iterable[Row],
    kinds: TableKinds,
    verification: Verification,
    after: AfterReplay | None = None,
) -> None:
    """Replay the games, in the order of their ids, and add the differences."""
    hands = {game_id: list(group) for game_id, group in groupby(rows, itemgetter(0))}
    for game in games:
        _replay(
            game,
            hands.get(game.id, ()),
            kinds[game.snapshot_id, game.sides, game.counts],
            verification,
            after,
        )


def _replay(
    game: StoredGame,
    rows: Sequence[Row],
    kind: TableKind,
    verification: Verification,
    after: AfterReplay | None,
) -> None:
    """Replay one game; runs of ordinary hands are totalled, every other hand is played."""
    played: list[PlayedHand] = []
    state, ordinary_hands = kind.start, kind.known
    verification.games += 1
    verification.hands += len(rows)
    if len(rows) > 1 and rows[0][1] == TOTALS:
        verification.add(Difference(game.id, TOTALS, "refused", None, ["totals_alone"]))
        return
    units = [0] * state.seats
    template = ",".join(["%d"] * state.seats)
    n_added = 0
    for row in rows:
        ordinary = ordinary_hands.get(row[2])
        if ordinary is None:
            state = _with_ordinary(state, units, n_added)
            outcome = _play(StoredHand._make(row), kind, state, verification)
            if outcome is None:
                return  # the hands after a refused one cannot be scored
            score, state = outcome
            n_added = 0
            units = [score_columns(total)[0] for total in state.totals]
            played.append(PlayedHand(row[1], score, ()))
            continue
        score, scores, seat_units, verified = ordinary
        played.append(PlayedHand(row[1], score, ()))
        units = list(map(add, units, seat_units))
        n_added += 1
        totals = template % tuple(units)
        if row[3] != scores or row[4] != totals or row[5] != verified or row[6] is not None:
            _compare_hand(StoredHand._make(row), (scores, totals, verified, None), verification)
    state = _with_ordinary(state, units, n_added)
    _compare_game(game, len(rows), state, verification)
    if after is not None:
        ends = seat_totals(kind.rules, state)
        after(game, kind.rules, Replay(tuple(played), state, ends, finished=False))


def _with_ordinary(state: GameState, units: Sequence[int], n_hands: int) -> GameState:
    if not n_hands:
        return state
    return state._replace(totals=tuple(map(exact, units)), deals=state.deals + n_hands)


def _play(
    hand: StoredHand, kind: TableKind, state: GameState, verification: Verification
) -> tuple[HandScore, GameState] | None:
    rules = kind.rules
    entry = StoredEntry(json.loads(hand.typed))
    try:
        if hand.number == TOTALS:
            typed = read_entry(entry, rules, state.seats, state.teams or None)
            score, after = book_totals(rules, state, typed)
        else:
            score, after = play(rules, state, entry, open_ended=kind.open_ended)
    except Refused as refused:
        codes = [problem.code for problem in refused.problems]
        verification.add(Difference(hand.game_id, hand.number, "refused", hand.scores, codes))
        return None
    scores = _scores(score)
    totals = ",".join(map(_units, seat_totals(rules, after)))
    moon = moon_json(PlayedHand(hand.number, score, ()))
    _compare_hand(hand, (scores, totals, score.verified, moon), verification)
    alone = score.moon is None and score.effects == NOTHING and hand.number != TOTALS
    if alone and kind.only_adds and len(kind.known) < MOST_KNOWN:
        units = tuple(score_columns(value)[0] for value in score.seat_scores)
        kind.known[hand.typed] = (score, scores, units, score.verified)
    return score, after


def _compare_hand(
    hand: StoredHand,
    computed: tuple[str, str, str, Mapping[str, object] | None],
    verification: Verification,
) -> None:
    moon = json.loads(hand.moon) if hand.moon else None
    stored = (hand.scores, hand.totals, hand.verified, moon)
    for what, before, now in zip(PARTS, stored, computed, strict=True):
        if before != now:
            verification.add(Difference(hand.game_id, hand.number, what, before, now))


def _compare_game(
    game: StoredGame, hands: int, state: GameState, verification: Verification
) -> None:
    if game.hands_counted != hands:
        verification.add(Difference(game.id, None, "hands_counted", game.hands_counted, hands))
    stored = json.loads(game.progress) if game.progress else None
    computed = state.as_json()
    if stored != computed and (hands or stored is not None):
        verification.add(Difference(game.id, None, "progress", stored, computed))


def _scores(score: HandScore) -> str:
    """Return each seat's score and moons in the form of `StoredHand.scores`."""
    by = score.moon.by if score.moon else ()
    values = enumerate(map(_units, score.seat_scores))
    return ",".join(f"{units}:{int(seat in by)}" for seat, units in values)


def _units(value: Score) -> str:
    if type(value) is int:
        return str(value * UNIT)
    real, imaginary = score_columns(value)
    if imaginary is None:
        return str(real)
    return f"{real}:{imaginary}"


def no_report(words: str) -> None:
    pass


def batches(event: Event, *, size: int = GAMES) -> Iterator[Sequence[StoredGame]]:
    after = 0
    while games := stored_games(event, after=after, limit=size):
        yield games
        after = games[-1].id


def verify_games(
    event: Event, verification: Verification, *, repair: bool, report: Report = no_report
) -> Iterator[int]:
    kinds = TableKinds(event)
    n_compared = 0
    for games in batches(event, size=COMPARED):
        batch = Verification()
        _compare(event, kinds, games, batch)
        verification.games += batch.games
        verification.hands += batch.hands
        for first, last in _ranges(games, batch.differing_games):
            verification.add_differences(
                verify_locked_games(
                    event, kinds, first=first, last=last, repair=repair, report=report
                )
            )
        n_compared += len(games)
        yield n_compared


def _ranges(games: Sequence[StoredGame], differing: set[int]) -> Iterator[tuple[int, int]]:
    if not differing or len(differing) * MANY < len(games):
        yield from ((game_id, game_id) for game_id in sorted(differing))
        return
    yield from ((part[0].id, part[-1].id) for part in in_parts(games, LOCKED))


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
    if repair:
        event = locked_event(event, report)
        if kinds.settings != settings_of(event):
            kinds = TableKinds(event)
    rows = Game.objects.filter(event=event, pk__gte=first, pk__lte=last).order_by("pk")
    _lock_rows(rows, "a hand that is being entered", report)
    verification = Verification()
    most = min(last - first + 1, COMPARED)
    stored = stored_games(event, after=first - 1, limit=most)
    games = [game for game in stored if game.id <= last]
    changed = _compare(event, kinds, games, verification) if games else {}
    if repair and verification.differing:
        _repair_games(event, verification, changed)
    return verification


def locked_event(event: Event, report: Report = no_report) -> Event:
    """Return the current event, locked against changes of its settings."""
    _lock_rows(Event.objects.filter(pk=event.pk), "an import or a change of settings", report)
    return Event.objects.get(pk=event.pk)


def _lock_rows(rows: QuerySet[Event] | QuerySet[Game], others: str, report: Report) -> None:
    """Lock rows, and report what that waits for; on SQLite the transaction locks everything."""
    if not connection.features.has_select_for_update:
        return
    try:
        with transaction.atomic():
            list(rows.select_for_update(nowait=True, no_key=True).values_list("pk", flat=True))
    except OperationalError:
        report(f"waits for {others}")
        list(rows.select_for_update(no_key=True).values_list("pk", flat=True))


def _compare(
    event: Event, kinds: TableKinds, games: Sequence[StoredGame], verification: Verification
) -> dict[int, tuple[Worth, Worth]]:
    """Compare games; return the worth of each as stored and as computed, where these differ."""
    first = games[0].id
    last = games[-1].id
    chairs = stored_chairs(event, first=first, last=last)
    lengths = stored_lengths(event, first=first, last=last)
    stored = stored_worth(event, first=first, last=last)
    placement = kinds.settings.placement
    owners = kinds.settings.table_owners
    changed: dict[int, tuple[Worth, Worth]] = {}

    def compare_worth(game: StoredGame, rules: Rules, played: Replay) -> None:
        shares = chairs.get(game.id, ())
        hands = lengths.get(game.id)
        values = game_values(rules, played, shares, placement=placement, hands=hands, owners=owners)
        now = values if game.counts else {}
        before = values_of(stored.get(game.id, {}))
        if now != before:
            changed[game.id] = before, now
            for entrant in differing_entrants(before, now):
                stored_values = before.get(entrant)
                computed_values = now.get(entrant)
                stored_row = as_row(stored_values) if stored_values is not None else None
                computed_row = as_row(computed_values) if computed_values is not None else None
                difference = Difference(
                    game.id, None, "worth", stored=stored_row, found=computed_row, entrant=entrant
                )
                verification.add(difference)

    rows = stored_hands(event, first=first, last=last)
    compare_hands(games, rows, kinds, verification, compare_worth)
    return changed


def _repair_games(
    event: Event, verification: Verification, changed: Mapping[int, tuple[Worth, Worth]]
) -> None:
    others = (games for what, games in verification.games_by.items() if what not in _NOT_APPLIED)
    # Where the rules refuse an entry nothing can be applied.
    applied = set().union(*others) - verification.games_by.get("refused", set())
    stored = Contribution.objects.filter(game__in=sorted(applied))
    entrants = {entrant for pair in changed.values() for worth in pair for entrant in worth}
    lock_aggregates(event, sorted(entrants | set(stored.values_list("entrant_id", flat=True))))
    store_worth(event, {pk: pair for pk, pair in changed.items() if pk not in applied})
    apply_games(event=event, games=applied)
