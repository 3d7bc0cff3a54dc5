"""All play all that is planned in parts: as good as one that is planned at once."""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import pytest

from scoring.seating.movements.all_play_all import circle_goes_on, circle_rounds, full_set
from scoring.seating.movements.plan_movement import plan_movement
from scoring.seating.requests import PlannedRound, Presence, SeatingPlan, SeatingRequest
from tests.support.lengths import short_or_long

SIZES = {"pairs": 2, "teams": 4}
Parts = tuple[int, ...]


def cuts(rounds: int) -> Iterator[Parts]:
    """Every way to plan so many rounds one part after the other."""
    if rounds == 0:
        yield ()
    for first in range(1, rounds + 1):
        for rest in cuts(rounds - first):
            yield (first, *rest)


def units_of(movement: str, n_units: int) -> tuple[tuple[int, ...], ...]:
    """Pairs or teams in no order of their players."""
    size = SIZES[movement]
    players = list(range(1, 1 + size * n_units))
    Random(n_units).shuffle(players)  # noqa: S311  # fixed units, no secret
    return tuple(tuple(players[at : at + size]) for at in range(0, len(players), size))


def planned_in_parts(
    movement: str, n_units: int, parts: Parts, seed: int, *, with_matches: bool = True
) -> list[PlannedRound]:
    units = units_of(movement, n_units)
    history: list[PlannedRound] = []
    for at, rounds in enumerate(parts):
        request = SeatingRequest(
            players=tuple(player for unit in units for player in unit),
            rounds=rounds,
            seed=seed + at,
            movement=movement,
            units=units,
            history=tuple(
                each if with_matches else PlannedRound(each.tables, each.sitting_out)
                for each in history
            ),
        )
        history += plan_movement(request).rounds
    return history


def meetings(
    units: Sequence[Sequence[int]], rounds: Sequence[PlannedRound]
) -> Counter[frozenset[int]]:
    """How often two units met; the tables of a match are one meeting."""
    unit_of = {player: at for at, unit in enumerate(units) for player in unit}
    return Counter(
        meeting
        for each in rounds
        for meeting in {frozenset(unit_of[player] for player in table) for table in each.tables}
    )


@pytest.mark.parametrize("movement", ["pairs", "teams"])
@pytest.mark.parametrize("n_units", [4, 5, 6, 7, 8])
def test_set_in_any_parts_has_no_repeat_and_leaves_nobody_out(movement: str, n_units: int) -> None:
    units = units_of(movement, n_units)
    for parts in cuts(full_set(n_units, "")):
        for seed in range(short_or_long(1, 10)):
            rounds = planned_in_parts(movement, n_units, parts, seed)
            times = meetings(units, rounds)
            assert max(times.values()) == 1, (parts, seed)
            assert len(times) == n_units * (n_units - 1) // 2, (parts, seed)


@pytest.mark.parametrize("movement", ["pairs", "teams"])
@pytest.mark.parametrize("parts", [(1, 3), (2, 3), (1, 4), (1, 5), (4, 3), (3, 3, 3), (1, 9)])
def test_part_beyond_a_set_goes_on_with_the_next_one(movement: str, parts: Parts) -> None:
    times = meetings(units_of(movement, 6), planned_in_parts(movement, 6, parts, seed=1))
    sets = -(-sum(parts) // 5)
    assert max(times.values()) == sets
    assert sum(max(0, count - 1) for count in times.values()) == max(0, 3 * sum(parts) - 15)


def test_history_with_or_without_its_matches_gives_teams_no_repeat() -> None:
    for with_matches in (True, False):
        rounds = planned_in_parts("teams", 6, (1, 1, 1, 1, 1), seed=4, with_matches=with_matches)
        assert max(meetings(units_of("teams", 6), rounds).values()) == 1


@pytest.mark.parametrize("parts", [(1, 4), (2, 3), (1, 1, 1, 1, 1)])
def test_sides_of_a_set_in_parts_differ_by_one(parts: Parts) -> None:
    rounds = planned_in_parts("pairs", 6, parts, seed=2)
    first = Counter(player for each in rounds for table in each.tables for player in table[::2])
    assert {first[player] for player in range(1, 13)} == {2, 3}


@pytest.mark.parametrize("parts", [(1, 4), (2, 3), (1, 1, 1, 1, 1)])
def test_each_of_five_pairs_sits_out_once_in_a_set_in_parts(parts: Parts) -> None:
    rounds = planned_in_parts("pairs", 5, parts, seed=2)
    out = Counter(player for each in rounds for player in each.sitting_out)
    assert out == dict.fromkeys(range(1, 11), 1)


def six_pairs(
    *rounds: tuple[int, ...], n_rounds: int = 1, gone: Sequence[int] = (), **more: object
) -> SeatingPlan:
    """A plan for six pairs that played these rounds: 0 met 1, 2 met 3, and so on."""
    units = tuple((2 * at + 1, 2 * at + 2) for at in range(6) if at not in gone)
    history = tuple(
        PlannedRound(
            tuple(
                (2 * a + 1, 2 * b + 1, 2 * a + 2, 2 * b + 2)
                for a, b in zip(each[::2], each[1::2], strict=True)
            )
        )
        for each in rounds
    )
    players = tuple(player for unit in units for player in unit)
    request = SeatingRequest(
        players,
        n_rounds,
        movement="pairs",
        units=units,
        history=history,
        **more,  # type: ignore[arg-type]
    )
    return plan_movement(request)


def test_round_after_seats_were_redrawn_leaves_a_rest_that_can_be_played() -> None:
    """After these two rounds a third may leave two rings of three, which are no rounds."""
    units = tuple((2 * at + 1, 2 * at + 2) for at in range(6))
    played = ((0, 1, 2, 3, 4, 5), (0, 3, 1, 4, 2, 5))
    for seed in range(20):
        third = six_pairs(*played, seed=seed).rounds[0]
        before = [
            tuple((table[at] - 1) // 2 for table in third.tables for at in (0, 1)),
        ]
        rest = six_pairs(*played, *before, n_rounds=2, seed=seed)
        times = meetings(units, rest.rounds)
        assert max(times.values()) == 1
        met = {frozenset(each[at : at + 2]) for each in (*played, *before) for at in (0, 2, 4)}
        assert met.isdisjoint(times), seed


def test_pair_that_leaves_ends_the_circle_and_not_the_set() -> None:
    rest = six_pairs((0, 1, 2, 3, 4, 5), n_rounds=4, gone=[5])
    units = tuple((2 * at + 1, 2 * at + 2) for at in range(5))
    times = meetings(units, rest.rounds)
    assert len(times) == 8
    assert set(times.values()) == {1}
    assert {frozenset((0, 1)), frozenset((2, 3))}.isdisjoint(times)


def test_pair_that_leaves_early_is_planned_for_by_the_search() -> None:
    rest = six_pairs(
        (0, 1, 2, 3, 4, 5), n_rounds=4, presence={11: Presence(1, 2), 12: Presence(1, 2)}
    )
    assert [len(each.tables) for each in rest.rounds] == [3, 3, 2, 2]
    assert all(player < 11 for each in rest.rounds[2:] for table in each.tables for player in table)


@pytest.mark.parametrize("n_played", [1, 2, 3])
def test_rounds_with_the_sides_of_the_circle_go_on_with_these_sides(n_played: int) -> None:
    units = [(2 * at + 1, 2 * at + 2) for at in range(6)]
    circle = circle_rounds(6, 5)
    played = circle[:n_played]
    history = tuple(
        PlannedRound(
            tuple((units[a][0], units[b][0], units[a][1], units[b][1]) for a, b in matches)
        )
        for matches in played
    )
    request = SeatingRequest(
        tuple(range(1, 13)), 5 - n_played, movement="pairs", history=history, seed=1
    )
    assert circle_goes_on(request, units, played) == circle[n_played:]
