"""Apply the scores of one game or many: seat scores, progress and sums.

Everything here is rebuilt from the entries by `replay_game.replay`; a correction touches the rows
of its own table only. Non-additive values (`Aggregate.kept`) are left to the caller, which
recomputes the sums.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from django.db import connection
from django.db.models import Field

from scoring.game.game import GameState, outcome
from scoring.numbers import Complex, Score
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import Settings, settings_at
from tournaments.domain.replay_game import (
    TOTALS,
    PlayedHand,
    Replay,
    counted_hands,
    entries_of,
    entry_of,
    replay_game,
)
from tournaments.models.columns import units_of
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.rounds import Seat
from tournaments.selectors.db.statements import all_rows
from tournaments.selectors.hands.game_for_update import LockedGame
from tournaments.selectors.hands.games import hands_of_game, hands_of_games_in
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.selectors.standings.bulk_reads import stored_chairs, stored_worth
from tournaments.services.db.bulk import in_parts, insert_few, write_rows
from tournaments.services.totals.contributions import (
    AT_ONCE,
    Worth,
    apply_contributions,
    game_values,
    store_worth,
    values_of,
)

SCORE: Final = ("club_id", "entry_id", "seat_id", "score", "score_im", "total", "total_im", "moons")
"""The columns of `score_rows`."""

Row: TypeAlias = tuple[int | None, ...]
"""A row of seat scores, in these columns."""

_ENTRY_ID: Final = SCORE.index("entry_id")

_SCORES: Final = SeatScore._meta.db_table

_STORED_SCORES: Final = f"""
    SELECT {", ".join(f"s.{name}" for name in SCORE)} FROM tournaments_hand h
    JOIN tournaments_entry n ON n.hand_id = h.id
    JOIN {_SCORES} s ON s.entry_id = n.id
    JOIN tournaments_seat t ON t.id = s.seat_id
    WHERE h.game_id = %s ORDER BY s.entry_id, t.number
"""  # noqa: S608 - names of our own tables

_FINDING: Final = "UPDATE tournaments_entry SET moon = %s, verified = %s WHERE id = %s"

_PROGRESS: Final = (
    "UPDATE tournaments_game SET state = %s, progress = %s, hands_counted = %s WHERE id = %s"
)


class _Finding(NamedTuple):
    """What the engine finds in an entry, as it is stored with it."""

    moon: dict[str, object] | None
    verified: str


class _GameProgress(NamedTuple):
    """The columns of a game that follow from its hands."""

    state: str
    progress: object
    hands_counted: int


def apply_game(*, game: Game, stored: LockedGame) -> Replay:
    """Replay the game's hands that count, and store what follows from them.

    The caller holds the lock of the game row, and has `stored` read under it (`game_now`).
    """
    rules = rules_of(game.snapshot)
    hands = counted_hands(stored.hands.values())
    played = replay_game(game=game, rules=rules, seats=stored.seats, entries=entries_of(hands))
    store_replay(game=game, stored=stored, hands=hands, played=played)
    return played


def store_replay(
    *,
    game: Game,
    stored: LockedGame,
    hands: Sequence[Hand],
    played: Replay,
    new: Hand | None = None,
) -> None:
    """Store what follows from the replay of `hands`; `new` is one that had no entry before."""
    rules = rules_of(game.snapshot)
    settings = settings_at(game)
    seat_ids = [seat.pk for seat in stored.seats]
    if new is not None and hands[-1] is new:
        # What comes after everything else changes no score before it.
        rows = score_rows(
            club_id=game.club_id, entry_id=entry_of(new).pk, seats=seat_ids, played=played.hands[-1]
        )
        insert_few(_SCORES, SCORE, rows)
        _store_findings([new], played.hands[-1:])
    else:
        _replace_scores(game, seat_ids, hands=hands, played=played)

    values: Worth = {}
    if game.counts:
        values = game_values(
            rules,
            played,
            chairs=stored.sat,
            placement=settings.placement,
            hands=_hands_of_totals(hands),
            owners=settings.table_owners,
        )
    apply_contributions(game=game, values=values, before=values_of(stored.added))

    progress = game_progress(game, rules, played, settings, of=hands_of_game(game))
    game.state, game.progress, game.hands_counted = progress
    Game.objects.filter(pk=game.pk).update(
        state=progress.state,
        progress=progress.progress,
        hands_counted=progress.hands_counted,
    )


def _hands_of_totals(hands: Sequence[Hand]) -> int | None:
    """Return how many hands the totals among `hands` stand for; None if unknown, or without any."""
    for hand in hands:
        if hand.number == TOTALS:
            return hand.hands
    return None


def score_rows(
    *, club_id: int, entry_id: int, seats: Sequence[int], played: PlayedHand
) -> list[Row]:
    """Return the scores of a hand as rows, one for each of `seats`, in order."""
    moon = played.score.moon
    shooters = moon.by if moon is not None else ()
    rows: list[Row] = []
    for index, seat_id in enumerate(seats):
        score, score_im = score_columns(played.score.seat_scores[index])
        total, total_im = score_columns(played.totals[index])
        moons = int(index in shooters)
        rows.append((club_id, entry_id, seat_id, score, score_im, total, total_im, moons))
    return rows


def score_columns(value: Score) -> tuple[int, int | None]:
    """Return the two columns of a score; the second is the imaginary part, None without one."""
    if isinstance(value, Complex):
        return units_of(value.re), units_of(value.im)
    return units_of(value), None


def moon_json(played: PlayedHand) -> dict[str, object] | None:
    """Return the moon of a hand as stored and served: seats from 1."""
    moon = played.score.moon
    if moon is None:
        return None
    return {"id": moon.id, "by": [seat + 1 for seat in moon.by], "choice": moon.choice}


def _replace_scores(
    game: Game, seats: Sequence[int], *, hands: Sequence[Hand], played: Replay
) -> None:
    """Store the scores of `played` in the place of those that do not hold any more."""
    stored: dict[int, list[Row]] = defaultdict(list)
    for row in all_rows(_STORED_SCORES, (game.pk,)):
        stored[row[_ENTRY_ID]].append(row)
    outdated, new_rows = _changed_scores(game, seats, hands=hands, played=played, stored=stored)
    _store_findings(hands, played.hands)
    if outdated:
        marks = ", ".join(["%s"] * len(outdated))
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {_SCORES} WHERE entry_id IN ({marks})", outdated)  # noqa: S608 - a table of our own
    if new_rows:
        insert_few(_SCORES, SCORE, new_rows)


def _changed_scores(
    game: Game,
    seats: Sequence[int],
    *,
    hands: Sequence[Hand],
    played: Replay,
    stored: Mapping[int, Sequence[Row]],
) -> tuple[list[int], list[Row]]:
    """Return the entries whose `stored` scores do not hold, and the rows that come instead."""
    # Entries that do not count any more have no scores.
    outdated = stored.keys() - {entry_of(hand).pk for hand in hands}
    new_rows: list[Row] = []
    for hand, result in zip(hands, played.hands, strict=True):
        entry_id = entry_of(hand).pk
        rows = score_rows(club_id=game.club_id, entry_id=entry_id, seats=seats, played=result)
        if stored.get(entry_id) == rows:
            continue
        if entry_id in stored:
            outdated.add(entry_id)
        new_rows += rows
    return sorted(outdated), new_rows


def _changed_findings(
    hands: Sequence[Hand], played: Sequence[PlayedHand]
) -> Iterator[tuple[Entry, _Finding]]:
    """Yield each entry of which something else is stored than what is found in it now."""
    for hand, result in zip(hands, played, strict=True):
        entry = entry_of(hand)
        finding = _Finding(moon=moon_json(result), verified=result.score.verified)
        if (entry.moon, entry.verified) != finding:
            yield entry, finding


def _store_findings(hands: Sequence[Hand], played: Sequence[PlayedHand]) -> None:
    for entry, finding in _changed_findings(hands, played):
        Entry.objects.filter(pk=entry.pk).update(moon=finding.moon, verified=finding.verified)
        entry.moon = finding.moon
        entry.verified = finding.verified


def is_over(game: Game, rules: Rules, settings: Settings, of: int | None) -> bool:
    """Whether the game as stored reached its `of` hands, or the end of its rules."""
    if of is not None:
        return game.hands_counted >= of
    if settings.is_open_ended or not game.progress:
        return False
    return outcome(rules, GameState.from_json(rules, game.progress)).finished


def game_progress(
    game: Game, rules: Rules, played: Replay, settings: Settings, of: int | None
) -> _GameProgress:
    """Return the state of a game of `of` hands after `played`, its progress, and its hands."""
    n_hands = len(played.hands)
    state = game.state
    if played.finished or (of is not None and n_hands >= of):
        if state in {"seated", "playing"}:
            state = "complete"
    elif state in {"complete", "checked"} and is_over(game, rules, settings, of):
        # It was at its end before, and is not any more; what a person closed stays closed.
        state = "playing"
    elif played.hands and state == "seated":
        state = "playing"
    return _GameProgress(state=state, progress=played.state.as_json(), hands_counted=n_hands)


def apply_games(*, event: Event, games: Collection[int]) -> None:
    """Replay games of an event and store the results.

    The caller holds the games and the sums of all entrants who play or count in them.
    """
    if not games:
        return
    first = min(games)
    last = max(games)
    game_ids = sorted(games)
    rows = list(Game.objects.filter(pk__in=game_ids).select_related("snapshot").order_by("pk"))
    lengths = hands_of_games_in(event, rows)
    seats = _get_seats(game_ids)
    hands = _get_hands(game_ids)
    scores = _get_scores(game_ids)
    chairs = stored_chairs(event, first=first, last=last)
    worth_before = stored_worth(event, first=first, last=last)
    outdated: list[int] = []
    new_rows: list[Row] = []
    findings: list[tuple[Any, ...]] = []
    progress: list[tuple[Any, ...]] = []
    worth: dict[int, tuple[Worth, Worth]] = {}
    for game in rows:
        game.event = event
        game_hands = hands[game.pk]
        game_seats = seats[game.table_id]
        rules = rules_of(game.snapshot)
        settings = settings_at(game)
        played = replay_game(
            game=game, rules=rules, seats=game_seats, entries=entries_of(game_hands)
        )

        removed, added = _changed_scores(
            game,
            [seat.pk for seat in game_seats],
            hands=game_hands,
            played=played,
            stored=scores[game.pk],
        )
        outdated += removed
        new_rows += added
        for entry, finding in _changed_findings(game_hands, played.hands):
            moon = _as_column(Entry, "moon", finding.moon)
            findings.append((moon, finding.verified, entry.pk))

        after = game_progress(game, rules, played, settings, of=lengths[game.pk])
        if after != (game.state, game.progress, game.hands_counted):
            document = _as_column(Game, "progress", after.progress)
            progress.append((after.state, document, after.hands_counted, game.pk))

        values: Worth = {}
        if game.counts:
            values = game_values(
                rules,
                played,
                chairs=chairs.get(game.pk, ()),
                placement=settings.placement,
                hands=_hands_of_totals(game_hands),
                owners=settings.table_owners,
            )
        worth[game.pk] = values_of(worth_before.get(game.pk, {})), values

    for part in in_parts(outdated, AT_ONCE):
        SeatScore.objects.filter(entry_id__in=part).delete()
    write_rows(SeatScore, SCORE, new_rows)
    with connection.cursor() as cursor:
        if findings:
            cursor.executemany(_FINDING, findings)
        if progress:
            cursor.executemany(_PROGRESS, progress)
    store_worth(event, worth)


def _as_column(model: type[Entry | Game], name: str, value: object) -> object:
    """Return a value as it is written to a JSON column, for a statement of our own."""
    field: Field[Any, Any] = model._meta.get_field(name)  # type: ignore[assignment]
    return field.get_db_prep_save(value, connection)


def _get_seats(games: Sequence[int]) -> Mapping[int, list[Seat]]:
    seats: dict[int, list[Seat]] = defaultdict(list)
    for seat in Seat.objects.filter(table__game__in=games).order_by("table_id", "number"):
        seats[seat.table_id].append(seat)
    return seats


def _get_hands(games: Sequence[int]) -> Mapping[int, list[Hand]]:
    by_game: dict[int, list[Hand]] = defaultdict(list)
    hands = Hand.objects.filter(game__in=games, state="accepted", entry__isnull=False)
    for hand in hands.select_related("entry").order_by("game_id", "number"):
        by_game[hand.game_id].append(hand)
    return by_game


def _get_scores(games: Sequence[int]) -> Mapping[int, dict[int, list[Row]]]:
    """Return the stored scores: game → entry → its rows."""
    by_game: dict[int, dict[int, list[Row]]] = defaultdict(dict)
    scores = SeatScore.objects.filter(entry__hand__game__in=games)
    rows = scores.order_by("entry_id", "seat__number").values_list("entry__hand__game_id", *SCORE)
    for game_id, *row in rows:
        by_game[game_id].setdefault(row[_ENTRY_ID], []).append(tuple(row))
    return by_game
