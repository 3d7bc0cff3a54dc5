"""Bringing a game's derived rows in line with its entries: seat scores, progress, sums.

Everything here is rebuilt from the entries by `replays.replay`; a correction touches the rows
of its own table only.
"""

from collections.abc import Iterable, Mapping, Sequence

from scoring.game import GameState, outcome
from scoring.numbers import Complex, Score
from scoring.rules import Rules
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.meetings import Seat, Sitting
from tournaments.models.numbers import units_of
from tournaments.services.contributions import Chair, game_values, move_sums
from tournaments.services.events import Settings, settings_of
from tournaments.services.replays import TOTALS, PlayedHand, Replay, replay


def settle_game(*, game: Game, rules: Rules, seats: Sequence[Seat]) -> Replay:
    """Replay the game's hands that count and store what follows from them.

    The caller holds the lock of the game row.

    Raises:
        HandRefused: a hand of the game cannot stand (any more); nothing is stored.
    """
    hands = hands_that_count(game)
    typed = [(hand.number, _entry(hand).typed) for hand in hands]
    played = play_through(game=game, rules=rules, seats=seats, typed=typed)
    store_replay(game=game, rules=rules, seats=seats, hands=hands, played=played)
    return played


def play_through(
    *,
    game: Game,
    rules: Rules,
    seats: Sequence[Seat],
    typed: Sequence[tuple[int, Mapping[str, object]]],
) -> Replay:
    """Play (number, entry) of each hand that counts, as the game's event wants it; no query.

    Raises:
        HandRefused: the first hand that the engine refuses, with all its problems.
    """
    return replay(
        rules,
        len(seats),
        typed,
        teams=teams_of(seats, rules),
        open_ended=settings_of(game.event).is_open_ended,
    )


def store_replay(
    *,
    game: Game,
    rules: Rules,
    seats: Sequence[Seat],
    hands: Sequence[Hand],
    played: Replay,
    new: Hand | None = None,
) -> None:
    """Store what follows from `played`, the replay of `hands`; `new` had no entry before."""
    if new is not None and hands[-1] is new:
        # What comes after everything else changes no score before it.
        _add_scores(seats, _entry(new), played.hands[-1])
    else:
        _replace_scores(game, seats, hands, played)
    totals_for = next((hand.hands for hand in hands if hand.number == TOTALS), None)
    values = game_values(rules, played, chairs_of(game), hands=totals_for)
    move_sums(game=game, values=values)
    _keep_progress(game, rules, played, settings_of(game.event))


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


def chairs_of(game: Game) -> list[Chair]:
    """Return who had which seat for which hands, by entrant of the game's event."""
    sittings = Sitting.objects.filter(
        seat__table_id=game.table_id, player__entries_in_events__event_id=game.event_id
    )
    rows = sittings.values_list(
        "seat__number", "player__entries_in_events__entrant_id", "from_hand", "to_hand"
    )
    return [Chair(seat - 1, entrant, first, last) for seat, entrant, first, last in rows]


def score_rows(
    *, club_id: int, entry_id: int, seats: Sequence[int], played: PlayedHand
) -> Iterable[SeatScore]:
    """Yield one unsaved seat score a seat; `seats` are seat row ids clockwise."""
    shooters = played.score.moon.by if played.score.moon else ()
    for index, seat_id in enumerate(seats):
        score, score_im = stored(played.score.seat_scores[index])
        total, total_im = stored(played.totals[index])
        yield SeatScore(
            club_id=club_id,
            entry_id=entry_id,
            seat_id=seat_id,
            score=score,
            score_im=score_im,
            total=total,
            total_im=total_im,
            moons=int(index in shooters),
        )


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
    SeatScore.objects.bulk_create(rows)
    _keep_finding(entry, played)


def _replace_scores(
    game: Game, seats: Sequence[Seat], hands: Sequence[Hand], played: Replay
) -> None:
    """Write the scores that differ from what is stored, hand by hand."""
    there: dict[int, list[tuple[int, ...]]] = {}
    kept = SeatScore.objects.filter(entry__hand__game=game)
    for row in kept.order_by("entry_id", "seat__number"):
        there.setdefault(row.entry_id, []).append(_columns(row))
    counting = {_entry(hand).pk for hand in hands}
    stale = set(there) - counting
    fresh: list[SeatScore] = []
    for hand, result in zip(hands, played.hands, strict=True):
        entry = _entry(hand)
        rows = list(
            score_rows(
                club_id=game.club_id,
                entry_id=entry.pk,
                seats=[seat.pk for seat in seats],
                played=result,
            )
        )
        if there.get(entry.pk) != [_columns(row) for row in rows]:
            stale.add(entry.pk)
            fresh.extend(rows)
            _keep_finding(entry, result)
    if stale & set(there):
        SeatScore.objects.filter(entry_id__in=stale).delete()
    SeatScore.objects.bulk_create(fresh)


def _keep_finding(entry: Entry, result: PlayedHand) -> None:
    moon, verified = moon_json(result), result.score.verified
    if (entry.moon, entry.verified) != (moon, verified):
        Entry.objects.filter(pk=entry.pk).update(moon=moon, verified=verified)
        entry.moon, entry.verified = moon, verified


def _columns(row: SeatScore) -> tuple[int, ...]:
    return (row.seat_id, row.score, row.score_im or 0, row.total, row.total_im or 0, row.moons)


def is_over(game: Game, rules: Rules, settings: Settings) -> bool:
    """Whether the game as stored reached its length; no query. One closed by a person did not."""
    if settings.hands is not None:
        return game.hands_counted >= settings.hands
    if settings.is_open_ended or not game.progress:
        return False
    return outcome(rules, GameState.from_json(rules, game.progress)).finished


def _keep_progress(game: Game, rules: Rules, played: Replay, settings: Settings) -> None:
    full = settings.hands is not None and len(played.hands) >= settings.hands
    state = game.state
    if played.finished or full:
        state = "complete" if state in {"seated", "playing"} else state
    elif state in {"complete", "checked"} and is_over(game, rules, settings):
        state = "playing"  # it is not at its end any more; what a person closed stays closed
    elif played.hands and state == "seated":
        state = "playing"
    game.state = state
    game.progress = played.state.as_json()
    game.hands_counted = len(played.hands)
    Game.objects.filter(pk=game.pk).update(
        state=state, progress=game.progress, hands_counted=game.hands_counted
    )
