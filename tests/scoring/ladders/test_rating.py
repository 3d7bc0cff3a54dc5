"""The rating ladder is the replay of its games, from any of them, always the same numbers."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.ladders.positions import PlayedAt
from scoring.ladders.rating import (
    MemberRating,
    RatedGame,
    Ratings,
    game_problems,
    in_order,
    outlook,
    rating_rows,
    replay,
)
from scoring.ladders.rules import LadderRules
from tests.support.scoring.ladder_season import season
from tests.support.scoring.rating_corrections import before_game, replay_from

DAY = date(2025, 3, 12)
ELO = LadderRules()
SKILL = LadderRules(rating="plackett_luce")


def game(number: int, order: str, places: list[int] | None = None, day: date = DAY) -> RatedGame:
    """Game `number` of a day: who played, in finishing order unless told otherwise."""
    sides = tuple((member,) for member in order)
    return RatedGame(
        PlayedAt(day, number, 1, f"G{number:03d}"),
        sides,
        tuple(places or range(1, len(order) + 1)),
    )


@pytest.mark.parametrize("rules", [ELO, SKILL], ids=["elo", "plackett-luce"])
def test_corrected_result_replayed_from_its_game_is_a_replay_from_the_first(
    rules: LadderRules,
) -> None:
    stored = replay(season(corrected=False), rules)
    games = season(corrected=True)
    whole = replay(games, rules)
    again = replay_from(games[86], games, stored[1], rules)
    assert games[86].at.game == "G087"
    assert again[0].members == whole[0].members
    assert again[1] == whole[1][86 * 4 :]
    assert whole[0].members != stored[0].members


@pytest.mark.parametrize("rules", [ELO, SKILL], ids=["elo", "plackett-luce"])
def test_correction_and_its_opposite_restore_every_bit(rules: LadderRules) -> None:
    right, wrong = season(corrected=True), season(corrected=False)
    stored = replay(right, rules)
    there = replay_from(wrong[86], wrong, stored[1], rules)
    changes = (*stored[1][: 86 * 4], *there[1])
    back = replay_from(right[86], right, changes, rules)
    assert back[0].members == stored[0].members


@st.composite
def logs(draw: st.DrawFn) -> list[RatedGame]:
    games = []
    for number in range(draw(st.integers(1, 12))):
        order = draw(st.permutations("ABCDEF"))[: draw(st.integers(2, 6))]
        scores = draw(st.lists(st.integers(0, 4), min_size=len(order), max_size=len(order)))
        places = [1 + sum(other < own for other in scores) for own in scores]
        games.append(game(number, "".join(order), places))
    return games


@settings(max_examples=40, deadline=None)
@given(logs(), st.data(), st.sampled_from([ELO, SKILL]))
def test_replay_from_any_game_is_the_replay_from_the_first(
    games: list[RatedGame], data: st.DataObject, rules: LadderRules
) -> None:
    whole = replay(games, rules)
    for first in games:
        again = replay_from(first, games, whole[1], rules)
        assert again[0].members == whole[0].members
    shuffled = data.draw(st.permutations(games))
    assert replay(shuffled, rules) == whole


def test_deleted_and_inserted_games_are_replayed_from_their_place() -> None:
    games = [game(1, "ABC"), game(2, "CBA"), game(3, "BCA")]
    stored = replay(games, ELO)
    less = [games[0], games[2]]
    assert replay_from(games[1], less, stored[1], ELO)[0].members == replay(less, ELO)[0].members
    more = [*games, game(1, "CD", day=DAY - timedelta(days=1))]
    assert replay_from(more[3], more, stored[1], ELO)[0].members == replay(more, ELO)[0].members


def test_order_of_the_tables_of_a_round_is_irrelevant() -> None:
    first, second = game(1, "ABC"), game(1, "DEF")
    one = [first, replace(second, at=PlayedAt(DAY, 1, 2, "x"))]
    two = [replace(first, at=PlayedAt(DAY, 1, 3, "z")), one[1]]
    assert replay(one, ELO)[0].members == replay(two, ELO)[0].members


def test_games_count_by_date_round_table_and_id() -> None:
    keys = [(DAY, 2, 1, "a"), (DAY, 1, 2, "b"), (DAY, 1, 1, "d"), (DAY, 1, 1, "c")]
    games = [RatedGame(PlayedAt(*key), (("A",), ("B",)), (1, 2)) for key in keys]
    assert [one.at.game for one in in_order(games)] == ["c", "d", "b", "a"]


def test_change_keeps_before_and_after_unrounded() -> None:
    changes = replay([game(1, "ABCD"), game(2, "AB")], ELO)[1]
    assert [(member, before.games, after.games) for _game, member, before, after in changes] == [
        ("A", 0, 1), ("B", 0, 1), ("C", 0, 1), ("D", 0, 1), ("A", 1, 2), ("B", 1, 2),
    ]  # fmt: skip
    (_, _, _, first_a), (_, _, _, first_b), *_, (game_2, _, before_a, _), _ = changes
    assert before_a == first_a
    assert first_b.values == (1500 + 64 / 3 * 0.5,)
    assert before_game(changes, game_2).members["B"] == first_b


def test_elo_of_a_season_keeps_its_sum_with_one_k() -> None:
    done = replay(season(corrected=True), LadderRules(k_new=32))
    total = sum(one.values[0] for one in done[0].members.values())
    assert total == pytest.approx(30 * 1500, abs=1e-6)


def rows(**games: int) -> Ratings:
    return Ratings({m: MemberRating((1500.0 + ord(m),), n, DAY) for m, n in games.items()})


def test_member_is_provisional_until_ten_games_and_unranked() -> None:
    ratings = rows(A=10, B=9, C=30)
    assert rating_rows(ratings, DAY, ELO) == [
        (1, "C", 1567.0),
        (2, "A", 1565.0),
        (None, "B", 1566.0),
    ]


def test_equal_ratings_share_the_rank() -> None:
    same = Ratings(
        {m: MemberRating((1500.0,), 20, DAY) for m in "BA"}
        | {"C": MemberRating((1400.0,), 20, DAY)}
    )
    assert [row[:2] for row in rating_rows(same, DAY, ELO)] == [
        (1, "A"), (1, "B"), (3, "C"),
    ]  # fmt: skip


def test_member_is_hidden_after_ninety_idle_days_and_comes_back_unchanged() -> None:
    ratings = rows(A=10)
    assert len(rating_rows(ratings, DAY + timedelta(days=90), ELO)) == 1
    assert rating_rows(ratings, DAY + timedelta(days=91), ELO) == []
    assert rating_rows(ratings, DAY - timedelta(days=1), ELO)[0][2] == 1565.0


def test_plackett_luce_is_shown_as_mu_less_three_sigma() -> None:
    ratings = Ratings(
        {"A": MemberRating((30.0, 2.0), 20, DAY), "B": MemberRating((31.0, 3.0), 20, DAY)}
    )
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
    night = RatedGame(PlayedAt(DAY, 1, 1, "next"), tuple(map(tuple, table)), places)
    after = replay([night], rules, after=ratings)[0]
    for index, (member,) in enumerate(table):
        change = rating_of(after, member, rules) - rating_of(ratings, member, rules)
        assert seen[index][places[index] - 1] == pytest.approx(change, abs=1e-12)
        assert list(seen[index]) == sorted(seen[index], reverse=True)


def rating_of(ratings: Ratings, member: str, rules: LadderRules) -> float:
    values = ratings.members[member].values
    return values[0] if rules.rating == "elo" else values[0] - 3 * values[1]


def test_outlook_of_a_fresh_table_is_the_worked_example() -> None:
    new = LadderRules(k_new=32)
    [first, *others] = outlook([["A"], ["B"], ["C"], ["D"]], Ratings(), new)
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
