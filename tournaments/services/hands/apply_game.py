"""Bringing a game's derived rows in line with its entries: seat scores, progress, sums.

Everything here is rebuilt from the entries by `replay_game.replay`; a correction touches the rows
of its own table only.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from django.db import connection

from scoring.entry.entry import StoredEntry
from scoring.game.game import GameState, outcome
from scoring.numbers import Complex, Score
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import Settings, settings_at
from tournaments.domain.replay_game import TOTALS, PlayedHand, Replay, replay
from tournaments.domain.score_budgets import of_a_hand
from tournaments.models.events import EntrantKind
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.meetings import Seat, Sitting
from tournaments.models.numbers import units_of
from tournaments.selectors.db.prepared_statements import all_rows
from tournaments.selectors.hands.game_for_update import LockedGame, SeatStretch
from tournaments.services.db.bulk import insert_few
from tournaments.services.standings.contributions import (
    GameValues,
    SeatShare,
    game_values,
    move_sums,
    values_of,
    values_there,
)


def settle_game(*, game: Game, rules: Rules, seats: Sequence[Seat]) -> Replay:
    """Replay the game's hands that count and store what follows from them.

    The caller holds the lock of the game row.

    Raises:
        HandRefused: a hand of the game cannot stand (any more); nothing is stored.
    """
    return _settled(game, rules, seats, hands_that_count(game), chairs_at(game), values_there(game))


def settle_now(*, game: Game, rules: Rules, there: LockedGame) -> Replay:
    """Do what `settle_game` does with what one statement has read; no query before it writes.

    Raises:
        HandRefused: a hand of the game cannot stand (any more); nothing is stored.
    """
    counting = [one for one in there.hands.values() if one.state == "accepted" and one.entry]
    return _settled(
        game, rules, there.seats, counting, chairs_of(there.sat), values_of(there.added)
    )


def _settled(
    game: Game,
    rules: Rules,
    seats: Sequence[Seat],
    hands: Sequence[Hand],
    chairs: Sequence[SeatShare],
    before: Mapping[int, GameValues],
) -> Replay:
    typed = [(hand.number, StoredEntry(_entry(hand).typed)) for hand in hands]
    played = play_through(game=game, rules=rules, seats=seats, typed=typed)
    store_replay(
        game=game,
        rules=rules,
        seats=seats,
        hands=hands,
        played=played,
        chairs=chairs,
        before=before,
    )
    return played


def play_through(
    *,
    game: Game,
    rules: Rules,
    seats: Sequence[Seat],
    typed: Sequence[tuple[int, Mapping[str, object]]],
    new: int | None = None,
) -> Replay:
    """Play (number, entry) of each hand that counts, as the game's event wants it; no query.

    Args:
        new: the number of the hand that is typed now; what it costs is bounded.

    Raises:
        HandRefused: the first hand that the engine refuses, with all its problems.
    """
    return replay(
        rules,
        len(seats),
        typed,
        teams=teams_of(seats, rules),
        chips=settings_at(game).start_totals,
        open_ended=settings_at(game).is_open_ended,
        new=None if new is None else {new: of_a_hand()},
    )


def store_replay(
    *,
    game: Game,
    rules: Rules,
    seats: Sequence[Seat],
    hands: Sequence[Hand],
    played: Replay,
    chairs: Sequence[SeatShare],
    before: Mapping[int, GameValues],
    new: Hand | None = None,
) -> None:
    """Store what follows from `played`, the replay of `hands`; `new` had no entry before.

    Args:
        chairs: who had which seat.
        before: what the game adds as stored, by entrant.
    """
    if new is not None and hands[-1] is new:
        # What comes after everything else changes no score before it.
        _add_scores(seats, _entry(new), played.hands[-1])
    else:
        _replace_scores(game, seats, hands, played)
    totals_for = next((hand.hands for hand in hands if hand.number == TOTALS), None)
    settings = settings_at(game)
    values = game_values(rules, played, chairs, placement=settings.placement, hands=totals_for)
    move_sums(game=game, values=values if game.counts else {}, before=before)
    _keep_progress(game, rules, played, settings)


def hands_that_count(game: Game) -> list[Hand]:
    """Return the accepted hands of the game in order, each with its entry."""
    hands = Hand.objects.filter(game=game, state="accepted", entry__isnull=False)
    return list(hands.select_related("entry").order_by("number"))


def teams_of(seats: Sequence[Seat], rules: Rules) -> list[list[int]] | None:
    """Return the seat indices of each side, where the rules have sides."""
    shape = rules.keys.teams.shape
    if not shape:
        return None
    if not all(seat.side for seat in seats):
        return [list(side) for side in shape]
    sides: dict[str, list[int]] = {}
    for index, seat in enumerate(seats):
        sides.setdefault(seat.side, []).append(index)
    return list(sides.values())


def chairs_of(sat: Iterable[SeatStretch]) -> list[SeatShare]:
    """Return who had which seat for which hands, as far as they compete in the event."""
    return [
        SeatShare(one.seat - 1, one.entrant_id, one.from_hand, one.to_hand, one.is_group)
        for one in sat
        if one.entrant_id is not None
    ]


def chairs_at(game: Game) -> list[SeatShare]:
    """Return who had which seat for which hands, by entrant of the game's event; one query."""
    sittings = Sitting.objects.filter(
        seat__table_id=game.table_id, player__entries_in_events__event_id=game.event_id
    )
    rows = sittings.values_list(
        "seat__number",
        "player__entries_in_events__entrant_id",
        "from_hand",
        "to_hand",
        "player__entries_in_events__entrant__kind",
    )
    return [
        SeatShare(seat - 1, entrant, first, last, kind != EntrantKind.PLAYER)
        for seat, entrant, first, last, kind in rows
    ]


SCORE: Final = (
    "club_id",
    "entry_id",
    "seat_id",
    "score",
    "score_im",
    "total",
    "total_im",
    "moons",
)
"""The columns of `score_rows`."""

Row: TypeAlias = tuple[int | None, ...]


def score_rows(
    *, club_id: int, entry_id: int, seats: Sequence[int], played: PlayedHand
) -> list[Row]:
    """Return what is stored for each seat of a hand; `seats` are seat row ids clockwise."""
    shooters = played.score.moon.by if played.score.moon else ()
    return [
        (
            club_id,
            entry_id,
            seat_id,
            *stored(played.score.seat_scores[index]),
            *stored(played.totals[index]),
            int(index in shooters),
        )
        for index, seat_id in enumerate(seats)
    ]


def stored(value: Score) -> tuple[int, int | None]:
    """Return a score as the two integer columns hold it."""
    if isinstance(value, Complex):
        return units_of(value.re), units_of(value.im)
    return units_of(value), None


def moon_json(played: PlayedHand) -> dict[str, object] | None:
    """Return the moon of a hand as stored and served: seats from 1."""
    moon = played.score.moon
    if moon is None:
        return None
    return {"id": moon.id, "by": [seat + 1 for seat in moon.by], "choice": moon.choice}


def _entry(hand: Hand) -> Entry:
    if hand.entry is None:
        raise AssertionError(f"hand {hand.pk} counts but has no entry")
    return hand.entry


def _add_scores(seats: Sequence[Seat], entry: Entry, played: PlayedHand) -> None:
    """Write the scores of an entry that has none yet."""
    rows = score_rows(
        club_id=entry.club_id, entry_id=entry.pk, seats=[seat.pk for seat in seats], played=played
    )
    insert_few(SeatScore._meta.db_table, SCORE, rows)
    _keep_finding(entry, played)


def _replace_scores(
    game: Game, seats: Sequence[Seat], hands: Sequence[Hand], played: Replay
) -> None:
    """Write the scores that differ from what is stored, hand by hand."""
    there: dict[int, list[Row]] = {}
    for row in all_rows(_SCORES_THERE, (game.pk,)):
        there.setdefault(row[SCORE.index("entry_id")], []).append(row)
    counting = {_entry(hand).pk for hand in hands}
    stale = set(there) - counting
    fresh: list[Row] = []
    for hand, result in zip(hands, played.hands, strict=True):
        entry = _entry(hand)
        rows = score_rows(
            club_id=game.club_id,
            entry_id=entry.pk,
            seats=[seat.pk for seat in seats],
            played=result,
        )
        if there.get(entry.pk) != rows:
            stale.add(entry.pk)
            fresh.extend(rows)
            _keep_finding(entry, result)
    if gone := sorted(stale & set(there)):
        marks = ", ".join(["%s"] * len(gone))
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {_SCORES} WHERE entry_id IN ({marks})", gone)  # noqa: S608 - a table of our own
    if fresh:
        insert_few(SeatScore._meta.db_table, SCORE, fresh)


_SCORES: Final = SeatScore._meta.db_table
_SCORES_THERE: Final = f"""
    SELECT {", ".join(f"s.{name}" for name in SCORE)} FROM tournaments_hand h
    JOIN tournaments_entry n ON n.hand_id = h.id
    JOIN {_SCORES} s ON s.entry_id = n.id
    JOIN tournaments_seat t ON t.id = s.seat_id
    WHERE h.game_id = %s ORDER BY s.entry_id, t.number
"""  # noqa: S608 - names of our own tables


def _keep_finding(entry: Entry, result: PlayedHand) -> None:
    moon, verified = moon_json(result), result.score.verified
    if (entry.moon, entry.verified) != (moon, verified):
        Entry.objects.filter(pk=entry.pk).update(moon=moon, verified=verified)
        entry.moon, entry.verified = moon, verified


def is_over(game: Game, rules: Rules, settings: Settings) -> bool:
    """Whether the game as stored reached its length; no query. One closed by a person did not."""
    if settings.hands is not None:
        return game.hands_counted >= settings.hands
    if settings.is_open_ended or not game.progress:
        return False
    return outcome(rules, GameState.from_json(rules, game.progress)).finished


def progressed(
    game: Game, rules: Rules, played: Replay, settings: Settings
) -> tuple[str, Any, int]:
    """Return the state of a game after `played`, its progress, and how many hands count."""
    full = settings.hands is not None and len(played.hands) >= settings.hands
    state = game.state
    if played.finished or full:
        state = "complete" if state in {"seated", "playing"} else state
    elif state in {"complete", "checked"} and is_over(game, rules, settings):
        state = "playing"  # it is not at its end any more; what a person closed stays closed
    elif played.hands and state == "seated":
        state = "playing"
    return state, played.state.as_json(), len(played.hands)


def _keep_progress(game: Game, rules: Rules, played: Replay, settings: Settings) -> None:
    state, game.progress, game.hands_counted = progressed(game, rules, played, settings)
    game.state = state
    Game.objects.filter(pk=game.pk).update(
        state=state, progress=game.progress, hands_counted=game.hands_counted
    )
