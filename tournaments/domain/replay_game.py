"""Replaying the hands of one game through the engine, within a budget of work.

Pure: rules and typed entries in, hand scores out. A single entry, a correction and an import all
pass through `replay`, so a later hand whose settlement depends on totals follows by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from scoring.budget import Budget
from scoring.entry.hand_reader import read_entry
from scoring.entry.typed_hand import StoredEntry
from scoring.errors import Problem, Refused
from scoring.game.game import (
    GameState,
    book_totals,
    new_game,
    outcome,
    play,
    seat_totals,
    totals_problems,
)
from scoring.game.running_totals import (
    Line,
    are_running_totals,
    hands_in,
    points_choices,
    readings_between,
    unclear_lines,
)
from scoring.game.score_hand import HandScore
from scoring.numbers import Score
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import Settings, settings_at
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.rounds import Seat

A_REQUEST: Final = 1_200_000
"""Steps of a request to the open scorer: every worked case of the documentation, twice."""

A_HAND: Final = 6_000_000
"""Steps of a hand that is typed or stands in a file: three searches that find no end."""

HINTS_OF_A_REQUEST: Final = 10

HINTS_OF_A_FILE: Final = 25

HINT_STEPS: Final = 500_000

TOTALS: Final = 0
"""The number of the hand that stands for a whole game: a sheet with totals only."""

LAST_HAND: Final = 999
"""The highest number of a hand; one beyond it is a slip of the finger."""


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One hand that counts: its score and each seat's running total after it."""

    number: int
    score: HandScore
    totals: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    hands: tuple[PlayedHand, ...]
    state: GameState
    totals: tuple[Score, ...]
    finished: bool


def of_a_hand() -> Budget:
    return Budget(A_HAND, hint_steps=HINT_STEPS)


def of_a_stored_hand() -> Budget:
    """Return the budget of a hand that was accepted once: that it still can be has no bound.

    The earlier cost is no guide: a search is cheaper while its tables are cached.
    """
    return Budget(hint_steps=HINT_STEPS)


def of_a_row(file: Budget) -> Budget:
    """Return the budget of one hand of a file whose hints are those of the whole file."""
    return Budget(A_HAND, within=file)


def of_a_file() -> Budget:
    """Return the budget of a file: each hand is checked, the first bad ones have their hints."""
    return Budget(hint_steps=4 * HINT_STEPS, hints=HINTS_OF_A_FILE)


def beyond_length(
    settings: Settings, number: int, others: Mapping[int, str], n: int | None
) -> list[Problem]:
    """Return `match_over` if a new hand comes after the last of the games' fixed length.

    A number may exceed it by the hands that are deleted; a duplicate event has its boards, not
    numbers.

    Args:
        others: the other hands of the game: number → state.
        n: how many hands totals stand for, if that is known.
    """
    length = settings.hands
    if length is None:
        return []
    n_counted = sum(state != "void" for state in others.values())
    n_deleted = len(others) - n_counted
    if number == TOTALS:
        is_beyond = n is not None and n > length
    elif settings.duplicate:
        is_beyond = n_counted >= length or number > LAST_HAND
    else:
        is_beyond = n_counted >= length or number > length + n_deleted
    if not is_beyond:
        return []
    return [Problem("match_over", facts={"expected": length})]


def hands_of_running_totals(
    rules: Rules, lines: Sequence[Line], before: Line = ()
) -> Sequence[Line]:
    """Return the points of each hand if lines are likely running totals; else nothing.

    They begin at 0, or at the totals `before` them. A hand that could have other points has none.
    """
    start: Line = ()
    if before and are_running_totals(rules, [before, *lines]):
        start = before
    elif not are_running_totals(rules, lines):
        return ()

    hands = hands_in(rules, lines, start)
    for unclear in unclear_lines(rules, lines, start):
        hands[unclear.line] = ()
    return hands


def points_since(
    rules: Rules, before: Line, totals: Sequence[int | None]
) -> tuple[list[int | None], list[int]]:
    """Return the points that took totals to later ones, and the seats where these are unclear.

    None where no total is written, and for the points of unclear seats, which are counted from 0.
    """
    written = tuple(total for total in totals if total is not None)
    choices: list[tuple[int, ...]] = []
    if len(written) == len(totals):
        readings = readings_between(rules, before, written)
        for points_of_seat in zip(*readings, strict=True):
            choices.append(tuple(dict.fromkeys(points_of_seat)))
    else:
        for total_before, total in zip(before, totals, strict=True):
            if total is None:
                choices.append(())
            else:
                choices.append(points_choices(rules, total_before, total))

    points: list[int | None] = []
    unclear = []
    for seat, choices_of_seat in enumerate(choices):
        if len(choices_of_seat) == 1:
            points.append(choices_of_seat[0])
        else:
            points.append(None)
        if len(choices_of_seat) > 1:
            unclear.append(seat)
    return points, unclear


class HandRefused(Refused):
    """The engine refuses one hand of the replay; `number` says which."""

    def __init__(self, number: int, refused: Refused) -> None:
        super().__init__(*refused.problems)
        self.number = number


def plays_for_chips(rules: Rules) -> bool:
    """Whether each player begins with chips and pays some of them into every deal."""
    return rules.keys.settle is not None and rules.keys.settle.stake == "ante"


def begin(
    rules: Rules, seats: int, *, teams: Sequence[Sequence[int]] | None = None, chips: int = 0
) -> GameState:
    """Return a game before its first hand, with `chips` for each seat where rules play for them."""
    state = new_game(rules, seats, teams=teams)
    if not (chips and plays_for_chips(rules)):
        return state
    return new_game(rules, seats, teams=teams, start_totals=[chips] * len(state.totals))


def teams_of(seats: Sequence[Seat], rules: Rules) -> list[list[int]] | None:
    """Return the seats of each side, from 0; None if the rules have no sides.

    The sides are those of the seats, or those of the rules if a seat has none.
    """
    shape = rules.keys.teams.shape
    if not shape:
        return None
    if not all(seat.side for seat in seats):
        return [list(side) for side in shape]
    sides: dict[str, list[int]] = {}
    for index, seat in enumerate(seats):
        sides.setdefault(seat.side, []).append(index)
    return list(sides.values())


def replay_game(
    *,
    game: Game,
    rules: Rules,
    seats: Sequence[Seat],
    entries: Sequence[tuple[int, Mapping[str, object]]],
    new: int | None = None,
    hands_of_totals: int | None = None,
) -> Replay:
    """Play (number, entry) of each hand that counts as the settings of the game's event say.

    Args:
        new: the number of the hand that is entered now; what it costs is bounded.
        hands_of_totals: how many hands new totals stand for, if that is known.

    Raises:
        HandRefused: the first hand that the engine refuses, with all its problems.
    """
    settings = settings_at(game)
    budgets = {}
    if new is not None:
        budgets[new] = of_a_hand()
    return replay(
        rules,
        len(seats),
        entries,
        teams=teams_of(seats, rules),
        chips=settings.start_totals,
        open_ended=settings.is_open_ended,
        new=budgets,
        hands_of_totals=hands_of_totals,
    )


def replay(
    rules: Rules,
    seats: int,
    hands: Sequence[tuple[int, Mapping[str, object]]],
    *,
    teams: Sequence[Sequence[int]] | None = None,
    chips: int = 0,
    open_ended: bool,
    new: Mapping[int, Budget] | None = None,
    hands_of_totals: int | None = None,
) -> Replay:
    """Play `hands` in order from the start of a game.

    Args:
        seats: number of seats at the table.
        hands: (number, entry as typed) of each hand that counts, ascending by number; number 0
            is a sheet with totals only.
        teams: seat indices from 0 of each side, where the variant has sides.
        chips: what each seat begins with where the rules play for chips (event setting
            `start_totals`).
        open_ended: the end condition is not applied (event setting `length`).
        new: what pays for the searches of a hand, by its number; any other one was accepted once,
            and how much it costs is no reason to refuse it now. New totals must be possible.
        hands_of_totals: how many hands new totals stand for, if that is known.

    Raises:
        HandRefused: the first hand that the engine refuses, with all its problems; the last one
            of hands beside a sheet with totals only.
    """
    budgets = new or {}
    state = begin(rules, seats, teams=teams, chips=chips)
    is_total = bool(hands) and hands[0][0] == TOTALS
    if is_total and len(hands) > 1:
        last_number, _last_entry = hands[-1]
        raise HandRefused(last_number, Refused(Problem("totals_alone")))

    played = []
    for number, entry in hands:
        budget = budgets.get(number)
        try:
            if is_total:
                typed_totals = read_entry(entry, rules, seats, teams)
                score, after = book_totals(rules, state, typed_totals)
                if budget is not None:
                    _require_possible(rules, state, score.scores, n_hands=hands_of_totals)
                if budget is not None and hands_of_totals == 1:
                    # Totals of one hand are refused for all that a hand is refused for.
                    play(rules, state, entry, open_ended=open_ended, budget=budget)
                state = after
            else:
                if budget is None:
                    budget = of_a_stored_hand()
                score, state = play(rules, state, entry, open_ended=open_ended, budget=budget)
        except Refused as refused:
            raise HandRefused(number, refused) from refused
        played.append(PlayedHand(number, score, totals=seat_totals(rules, state)))

    is_finished = is_total or (not open_ended and outcome(rules, state).finished)
    return Replay(
        hands=tuple(played),
        state=state,
        totals=seat_totals(rules, state),
        finished=is_finished,
    )


def _require_possible(
    rules: Rules, state: GameState, totals: Sequence[Score], *, n_hands: int | None
) -> None:
    problems = totals_problems(rules, state, totals, hands=n_hands, most_hands=LAST_HAND)
    if problems:
        raise Refused(*problems)


def counted_hands(hands: Iterable[Hand]) -> list[Hand]:
    """Return those of `hands` that count, in order; each has its entry."""
    counted = [hand for hand in hands if hand.state == "accepted" and hand.entry is not None]
    return sorted(counted, key=attrgetter("number"))


def entries_of(hands: Iterable[Hand]) -> list[tuple[int, StoredEntry]]:
    return [(hand.number, StoredEntry(entry_of(hand).typed)) for hand in hands]


def entry_of(hand: Hand) -> Entry:
    if hand.entry is None:
        raise AssertionError(f"hand {hand.pk} counts but has no entry")
    return hand.entry
