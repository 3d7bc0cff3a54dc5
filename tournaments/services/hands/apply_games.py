"""Applies the scores of many games of an event in a few statements for all of them.

What follows from a game is computed as for one alone (services/hands/apply_game.py); here it is
read and written in bulk. What is not additive (`Aggregate.kept`) is left to whoever counts the sums
afterwards.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from django.db import connection
from django.db.models import Field

from tournaments.domain.event_settings import settings_at
from tournaments.domain.replay_game import TOTALS, PlayedHand, Replay, replay_game
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.meetings import Seat
from tournaments.models.standings import Contribution
from tournaments.selectors.rounds.game_length import hands_of_games_in
from tournaments.selectors.standings.aggregates_bulk import stored_chairs, stored_worth
from tournaments.services.db.bulk import add_to_aggregates, write_rows
from tournaments.services.hands.apply_game import (
    SCORE,
    Row,
    entries_of,
    entry_of,
    game_progress,
    moon_json,
    score_rows,
)
from tournaments.services.rules.rule_sets import rules_of
from tournaments.services.standings.contributions import (
    GameValues,
    SeatShare,
    add_contributions,
    contribution_difference,
    game_values,
    store_contributions,
    values_of,
)

Worth: TypeAlias = Mapping[int, GameValues]
"""What a game adds, by entrant."""

AT_ONCE: Final = 500
"""Rows that one statement names."""


def apply_games(*, event: Event, games: Collection[int]) -> None:
    """Replay games of an event and store what follows from them.

    The caller holds the games and the sums of everybody who plays in them, or is counted in them.

    Raises:
        HandRefused: a hand of one of them cannot stand (any more).
    """
    if not games:
        return
    first, last, chosen = min(games), max(games), sorted(games)
    rows = list(Game.objects.filter(pk__in=chosen).select_related("snapshot").order_by("pk"))
    lengths = hands_of_games_in(event, rows)
    seats, hands, scores = _seats(chosen), _hands(chosen), _scores(chosen)
    chairs = stored_chairs(event, first=first, last=last)
    before = stored_worth(event, first=first, last=last)
    changes = _Changes()
    worth: dict[int, tuple[Worth, Worth]] = {}
    for game in rows:
        game.event = event
        own, counting, rules = seats[game.table_id], hands[game.pk], rules_of(game.snapshot)
        entries = entries_of(counting)
        played = replay_game(game=game, rules=rules, seats=own, entries=entries)
        changes.score(game, own, counting, played, scores[game.pk])
        settings = settings_at(game)
        progress = game_progress(game, rules, played, settings, lengths[game.pk])
        changes.keep_progress(game, progress)
        found = game_values(
            rules,
            played,
            [SeatShare(*one) for one in chairs.get(game.pk, ())],
            placement=settings.placement,
            hands=next((one.hands for one in counting if one.number == TOTALS), None),
        )
        worth[game.pk] = values_of(before.get(game.pk, {})), found if game.counts else {}
    changes.store()
    store_worth(event, worth)


def store_worth(event: Event, changed: Mapping[int, tuple[Worth, Worth]]) -> None:
    """Store what games add, and move the sums by the difference; the caller holds both.

    Args:
        changed: by game, what it added as stored, and what it adds.
    """
    deltas: dict[int, dict[str, int]] = {}
    rows: list[tuple[int, int, GameValues]] = []
    new: list[tuple[int, int, GameValues]] = []
    for game_id, (there, found) in changed.items():
        for entrant in differing_entrants(there, found):
            delta = deltas.setdefault(entrant, {})
            for name, change in contribution_difference(
                there.get(entrant), found.get(entrant)
            ).items():
                delta[name] = delta.get(name, 0) + change
            if entrant in found:
                (rows if entrant in there else new).append((game_id, entrant, found[entrant]))
        if gone := set(there) - set(found):
            Contribution.objects.filter(game_id=game_id, entrant_id__in=gone).delete()
    if deltas:
        add_to_aggregates(club_id=event.club_id, event_id=event.pk, deltas=deltas)
    for some in _in_parts(rows):
        store_contributions(club_id=event.club_id, event_id=event.pk, rows=some)
    add_contributions(club_id=event.club_id, event_id=event.pk, rows=new)


def differing_entrants(there: Worth, found: Worth) -> list[int]:
    """Return the entrants to whom a game is worth something else than is stored."""
    both = sorted(set(there) | set(found))
    return [entrant for entrant in both if there.get(entrant) != found.get(entrant)]


class _Changes:
    """What is to be written for all games together."""

    def __init__(self) -> None:
        self._stale: list[int] = []
        self._fresh: list[Row] = []
        self._findings: list[tuple[Any, ...]] = []
        self._progress: list[tuple[Any, ...]] = []

    def score(
        self,
        game: Game,
        seats: Sequence[Seat],
        hands: Sequence[Hand],
        played: Replay,
        there: Mapping[int, Sequence[Row]],
    ) -> None:
        """Take down the scores of a game that differ from those that are `there`, by entry."""
        of_seats = [seat.pk for seat in seats]
        for hand, result in zip(hands, played.hands, strict=True):
            entry = entry_of(hand)
            rows = score_rows(
                club_id=game.club_id, entry_id=entry.pk, seats=of_seats, played=result
            )
            if there.get(entry.pk) != rows:
                self._stale += [entry.pk] if entry.pk in there else []
                self._fresh += rows
            self._find(entry, result)
        self._stale += set(there) - {entry_of(hand).pk for hand in hands}

    def _find(self, entry: Entry, result: PlayedHand) -> None:
        moon, verified = moon_json(result), result.score.verified
        if (entry.moon, entry.verified) != (moon, verified):
            self._findings.append((_given(Entry, "moon", moon), verified, entry.pk))

    def keep_progress(self, game: Game, found: tuple[str, object, int]) -> None:
        """Take down how far a game is, where that is not what is stored."""
        state, progress, counted = found
        if found != (game.state, game.progress, game.hands_counted):
            given = _given(Game, "progress", progress)
            self._progress.append((state, given, counted, game.pk))

    def store(self) -> None:
        """Write everything."""
        for some in _in_parts(self._stale):
            SeatScore.objects.filter(entry_id__in=some).delete()
        write_rows(SeatScore, SCORE, self._fresh)
        with connection.cursor() as cursor:
            if self._findings:
                cursor.executemany(
                    "UPDATE tournaments_entry SET moon = %s, verified = %s WHERE id = %s",
                    self._findings,
                )
            if self._progress:
                cursor.executemany(
                    "UPDATE tournaments_game SET state = %s, progress = %s, hands_counted = %s "
                    "WHERE id = %s",
                    self._progress,
                )


def _given(model: type[Entry | Game], name: str, value: object) -> object:
    """Return a value of a column as the database is given it."""
    field: Field[Any, Any] = model._meta.get_field(name)  # type: ignore[assignment]
    return field.get_db_prep_save(value, connection)


def _seats(games: Sequence[int]) -> Mapping[int, list[Seat]]:
    """The seats of each table, clockwise."""
    found: dict[int, list[Seat]] = defaultdict(list)
    for seat in Seat.objects.filter(table__game__in=games).order_by("table_id", "number"):
        found[seat.table_id].append(seat)
    return found


def _hands(games: Sequence[int]) -> Mapping[int, list[Hand]]:
    """The hands that count of each game in order, each with its entry."""
    found: dict[int, list[Hand]] = defaultdict(list)
    hands = Hand.objects.filter(game__in=games, state="accepted", entry__isnull=False)
    for hand in hands.select_related("entry").order_by("game_id", "number"):
        found[hand.game_id].append(hand)
    return found


def _scores(games: Sequence[int]) -> Mapping[int, dict[int, list[Row]]]:
    """The scores that are stored, by game and entry, in the order of the seats."""
    found: dict[int, dict[int, list[Row]]] = defaultdict(dict)
    rows = SeatScore.objects.filter(entry__hand__game__in=games)
    for game, *row in rows.order_by("entry_id", "seat__number").values_list(
        "entry__hand__game_id", *SCORE
    ):
        found[game].setdefault(row[SCORE.index("entry_id")], []).append(tuple(row))
    return found


def _in_parts(rows: Sequence[Any]) -> Iterable[Sequence[Any]]:
    for start in range(0, len(rows), AT_ONCE):
        yield rows[start : start + AT_ONCE]
