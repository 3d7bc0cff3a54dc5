"""The rating ladder is the replay of its games by Elo or Plackett-Luce."""

from datetime import date, timedelta
from math import e, fsum, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.ladders.rating import (
    MU,
    SIGMA,
    MemberRating,
    RatedGame,
    Ratings,
    Values,
    elo_after_game,
    game_problems,
    in_order,
    outlook,
    plackett_luce_after_game,
    rating_rows,
    replay,
)
from scoring.ladders.rules import LadderRules
from tests.support.lengths import short_or_long
from tests.support.scoring.ladder_season import season

DAY = date(2025, 3, 12)
ELO = LadderRules()
SKILL = LadderRules(rating="plackett_luce")


def game(number: int, order: str, places: list[int] | None = None, day: date = DAY) -> RatedGame:
    """Game `number` of a day: who played, in finishing order unless told otherwise."""
    sides = tuple((member,) for member in order)
    return RatedGame(
        (day, number, 1, f"G{number:03d}"), sides, tuple(places or range(1, len(order) + 1))
    )


@st.composite
def logs(draw: st.DrawFn) -> list[RatedGame]:
    games = []
    for number in range(draw(st.integers(1, 12))):
        order = draw(st.permutations("ABCDEF"))[: draw(st.integers(2, 6))]
        scores = draw(st.lists(st.integers(0, 4), min_size=len(order), max_size=len(order)))
        places = [1 + sum(other < score for other in scores) for score in scores]
        games.append(game(number, "".join(order), places))
    return games


@settings(max_examples=40, deadline=None)
@given(logs(), st.data(), st.sampled_from([ELO, SKILL]))
def test_replay_from_any_game_is_the_replay_from_the_first(
    games: list[RatedGame], data: st.DataObject, rules: LadderRules
) -> None:
    whole = replay(games, rules)
    for at in range(len(games)):
        before, changes = replay(games[:at], rules)
        rest = replay(games[at:], rules, after=before)
        assert (rest[0], (*changes, *rest[1])) == (whole[0], whole[1])
    assert replay(data.draw(st.permutations(games)), rules) == whole


def test_games_count_by_date_round_table_and_id() -> None:
    keys = [(DAY, 2, 1, "a"), (DAY, 1, 2, "b"), (DAY, 1, 1, "d"), (DAY, 1, 1, "c")]
    games = [RatedGame(key, (("A",), ("B",)), (1, 2)) for key in keys]
    assert [one.at[-1] for one in in_order(games)] == ["c", "d", "b", "a"]


def test_change_keeps_before_and_after_unrounded() -> None:
    changes = replay([game(1, "ABCD"), game(2, "AB")], ELO)[1]
    assert [(member, before.games, after.games) for _game, member, before, after in changes] == [
        ("A", 0, 1), ("B", 0, 1), ("C", 0, 1), ("D", 0, 1), ("A", 1, 2), ("B", 1, 2),
    ]  # fmt: skip
    (_, _, _, first_a), (_, _, _, first_b), *_, (_, _, before_a, _), _ = changes
    assert before_a == first_a
    assert first_b.values == (1500 + 64 / 3 * 0.5,)


def rows(**games: int) -> Ratings:
    return {m: MemberRating((1500.0 + ord(m),), n, DAY) for m, n in games.items()}


def test_member_is_provisional_until_ten_games_and_unranked() -> None:
    assert rating_rows(rows(A=10, B=9, C=30), DAY, ELO) == [
        (1, "C", 1567.0),
        (2, "A", 1565.0),
        (None, "B", 1566.0),
    ]


def test_equal_ratings_share_the_rank() -> None:
    same = {m: MemberRating((1500.0,), 20, DAY) for m in "BA"} | {
        "C": MemberRating((1400.0,), 20, DAY)
    }
    assert [row[:2] for row in rating_rows(same, DAY, ELO)] == [
        (1, "A"), (1, "B"), (3, "C"),
    ]  # fmt: skip


def test_member_is_hidden_after_ninety_idle_days_and_comes_back_unchanged() -> None:
    ratings = rows(A=10)
    assert len(rating_rows(ratings, DAY + timedelta(days=90), ELO)) == 1
    assert rating_rows(ratings, DAY + timedelta(days=91), ELO) == []
    assert rating_rows(ratings, DAY - timedelta(days=1), ELO)[0][2] == 1565.0


def test_plackett_luce_is_shown_as_mu_less_three_sigma() -> None:
    ratings = {"A": MemberRating((30.0, 2.0), 20, DAY), "B": MemberRating((31.0, 3.0), 20, DAY)}
    assert [row[1:] for row in rating_rows(ratings, DAY, SKILL)] == [
        ("A", 24.0), ("B", 22.0),
    ]  # fmt: skip


@pytest.mark.parametrize("rules", [ELO, SKILL], ids=["elo", "plackett-luce"])
def test_outlook_is_what_then_happens(rules: LadderRules) -> None:
    ratings = replay(season(corrected=True), rules)[0]
    table = [["L01"], ["L02"], ["L03"], ["L04"]]
    seen = outlook(table, ratings, rules)
    usual = sorted(range(4), key=lambda i: -rating_of(ratings, table[i][0], rules))
    places = tuple(usual.index(i) + 1 for i in range(4))
    night = RatedGame((DAY, 1, 1, "next"), tuple(map(tuple, table)), places)
    after = replay([night], rules, after=ratings)[0]
    for index, (member,) in enumerate(table):
        change = rating_of(after, member, rules) - rating_of(ratings, member, rules)
        assert seen[index][places[index] - 1] == pytest.approx(change, abs=1e-12)
        assert list(seen[index]) == sorted(seen[index], reverse=True)


def rating_of(ratings: Ratings, member: str, rules: LadderRules) -> float:
    values = ratings[member].values
    return values[0] if rules.rating == "elo" else values[0] - 3 * values[1]


def test_outlook_of_a_fresh_table_is_the_worked_example() -> None:
    new = LadderRules(k_new=32)
    [first, *others] = outlook([["A"], ["B"], ["C"], ["D"]], {}, new)
    assert first == pytest.approx((16, 5.333, -5.333, -16), abs=1e-3)
    assert others == [first] * 3


@pytest.mark.parametrize(
    ("sides", "places", "codes"),
    [
        ("A B", [1, 2], []),
        ("AB CD", [1, 2], []),
        ("A", [1], ["rated_sides"]),
        ("A B C D E F G H I J K L", list(range(1, 13)), ["rated_sides"]),
        ("AB C", [1, 2], ["rated_sides"]),
        ("A B", [1], ["rated_places"]),
        ("A B A", [1, 2, 3], ["ladder_member_twice"]),
    ],
)
def test_game_of_another_size_is_not_rated(sides: str, places: list[int], codes: list[str]) -> None:
    assert [problem.code for problem in game_problems(sides.split(), places)] == codes


def ratings(
    before: list[float], places: list[int], games: int = 10, rules: LadderRules = ELO
) -> list[float]:
    sides = [[MemberRating((value,), games)] for value in before]
    return [side[0][0] for side in elo_after_game(sides, places, rules)]


@pytest.mark.parametrize(
    ("before", "places", "after"),
    [
        ([1500] * 4, [1, 2, 3, 4], [1516, 1505.333, 1494.667, 1484]),
        ([1500] * 4, [1, 2, 2, 4], [1516, 1500, 1500, 1484]),
        ([1600, 1500, 1500, 1400], [3, 1, 4, 2], [1588.908, 1516.000, 1484.000, 1411.092]),
    ],
    ids=["fresh four", "second and third level", "upset"],
)
def test_worked_game(before: list[float], places: list[int], after: list[float]) -> None:
    found = ratings(before, places)
    assert found == pytest.approx(after, abs=1e-3)
    assert fsum(found) == pytest.approx(fsum(before), abs=1e-9)


def test_k_is_64_for_the_first_ten_games_of_a_player() -> None:
    assert ratings([1500, 1500], [1, 2], games=9) == [1532, 1468]
    assert ratings([1500, 1500], [1, 2], games=10) == [1516, 1484]


def test_partners_get_the_change_of_their_side_by_the_mean_of_their_k() -> None:
    new, old = MemberRating((1500.0,), 0), MemberRating((1600.0,), 30)
    other = MemberRating((1550.0,), 30)
    won, lost = elo_after_game([[new, old], [other, other]], [1, 2], ELO)
    assert won == ((1524.0,), (1624.0,))
    assert lost == ((1534.0,), (1534.0,))


RATING = st.floats(500, 2500)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[float], list[int]]:
    size = draw(st.integers(2, 11))
    before = draw(st.lists(RATING, min_size=size, max_size=size))
    scores = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size))
    return before, [1 + sum(other < score for other in scores) for score in scores]


@settings(max_examples=150, deadline=None)
@given(tables())
def test_sum_is_constant_where_all_k_are_equal(table: tuple[list[float], list[int]]) -> None:
    before, places = table
    assert fsum(ratings(before, places)) == pytest.approx(fsum(before), abs=1e-8)


@settings(max_examples=150, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_seat_order_changes_no_bit(table: tuple[list[float], list[int]], chance: object) -> None:
    before, places = table
    turned = list(range(len(before)))
    chance.shuffle(turned)  # type: ignore[attr-defined]  # a Random
    straight = ratings(before, places)
    shuffled = ratings([before[i] for i in turned], [places[i] for i in turned])
    assert shuffled == [straight[i] for i in turned]


@settings(max_examples=150, deadline=None)
@given(tables(), RATING)
def test_equal_ratings_get_more_for_a_better_place_and_the_same_for_the_same(
    table: tuple[list[float], list[int]], level: float
) -> None:
    _, places = table
    after = ratings([level] * len(places), places)
    for own, place in zip(after, places, strict=True):
        for other, theirs in zip(after, places, strict=True):
            assert (own > other) == (place < theirs)
            assert (own == other) == (place == theirs)


NEW = (MU, SIGMA)


def rated(before: list[Values], places: list[int]) -> list[Values]:
    return [
        side[0]
        for side in plackett_luce_after_game(
            [[MemberRating(values)] for values in before], places, SKILL
        )
    ]


def mus(count: int, places: list[int] | None = None) -> list[float]:
    return [mu for mu, _ in rated([NEW] * count, places or list(range(1, count + 1)))]


def test_two_against_two() -> None:
    sides = [[MemberRating(NEW), MemberRating(NEW)], [MemberRating(NEW), MemberRating(NEW)]]
    won, lost = plackett_luce_after_game(sides, [1, 2], SKILL)
    assert [mu for mu, _ in (*won, *lost)] == pytest.approx(
        [26.964, 26.964, 23.036, 23.036], abs=1e-3
    )


def test_table_of_known_and_new_members() -> None:
    before: list[Values] = [(30.0, 2.0), (27.0, 3.0), (25.0, 2.5), NEW]
    found = rated(before, [3, 1, 4, 2])
    assert [value for pair in found for value in pair] == pytest.approx(
        [29.8904, 1.9989, 27.5360, 2.9973, 24.5507, 2.4953, 27.7543, 7.8685], abs=1e-4
    )


def by_hand(before: list[Values]) -> list[Values]:
    """The formulas as written, for the finishing order as given."""
    spread = [sigma**2 + (25 / 300) ** 2 for _, sigma in before]
    c = sqrt(sum(s + (25 / 6) ** 2 for s in spread))
    weight = [e ** (mu / c) for mu, _ in before]
    after: list[Values] = []
    for i, (mu, _) in enumerate(before):
        p = [weight[i] / sum(weight[q:]) for q in range(i + 1)]
        omega, delta = 1 - sum(p), sum(x * (1 - x) for x in p)
        shrink = max(1e-4, 1 - (sqrt(spread[i]) / c) ** 3 * delta)
        after.append((mu + spread[i] / c * omega, sqrt(spread[i] * shrink)))
    return after


SKILLS = st.tuples(st.floats(10, 40), st.floats(1, 8))


@settings(max_examples=short_or_long(33, 100), deadline=None)
@given(st.lists(SKILLS, min_size=2, max_size=11))
def test_package_does_what_the_formulas_say(before: list[Values]) -> None:
    found = rated(before, list(range(1, len(before) + 1)))
    for own, formula in zip(found, by_hand(before), strict=True):
        assert own == pytest.approx(formula, abs=1e-6)


def test_ties_are_averaged_over_their_orders() -> None:
    found = mus(5, [1, 1, 3, 4, 5])
    assert found == pytest.approx([27.2501, 27.2501, 25.7223, 24.0555, 20.7220], abs=1e-3)


def test_sigma_squared_is_what_is_averaged() -> None:
    first, second = rated([NEW] * 3, [1, 2, 3])[:2]
    tied = rated([NEW] * 3, [1, 1, 3])
    assert tied[0] == tied[1]
    assert tied[0][0] == pytest.approx((first[0] + second[0]) / 2, abs=1e-12)
    assert tied[0][1] == pytest.approx(sqrt((first[1] ** 2 + second[1] ** 2) / 2), abs=1e-12)


@st.composite
def places(draw: st.DrawFn) -> list[int]:
    scores = draw(st.lists(st.integers(0, 5), min_size=3, max_size=11))
    return [1 + sum(other < score for other in scores) for score in scores]


@settings(max_examples=short_or_long(13, 40), deadline=None)
@given(places())
def test_equal_members_never_come_out_of_order_with_ties(drawn: list[int]) -> None:
    found = mus(len(drawn), drawn)
    for own, place in zip(found, drawn, strict=True):
        for other, theirs in zip(found, drawn, strict=True):
            if place < theirs:
                assert own > other
            if place == theirs:
                assert own == pytest.approx(other, abs=1e-9)


@settings(max_examples=short_or_long(20, 60), deadline=None)
@given(st.lists(st.tuples(SKILLS, st.integers(0, 3)), min_size=2, max_size=4), st.data())
def test_order_of_the_seats_changes_no_bit_of_plackett_luce(
    table: list[tuple[Values, int]], data: st.DataObject
) -> None:
    turned = data.draw(st.permutations(range(len(table))))
    straight = rated([one for one, _ in table], [place for _, place in table])
    shuffled = rated([table[i][0] for i in turned], [table[i][1] for i in turned])
    assert shuffled == [straight[i] for i in turned]


def test_order_of_the_seats_changes_no_bit_of_plackett_luce_where_the_orders_are_too_many() -> None:
    before: list[Values] = [(20.0 + n, 8.0 - n / 2) for n in range(7)]
    places = [1, 1, 1, 1, 1, 6, 6]
    straight = rated(before, places)
    turned = [4, 6, 0, 5, 3, 1, 2]
    assert rated([before[i] for i in turned], [places[i] for i in turned]) == [
        straight[i] for i in turned
    ]
