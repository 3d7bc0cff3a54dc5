"""Order of a table: the primary value, each criterion of the chain alone, then real ties."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from scoring.standings.counting import kept, opening_worth
from scoring.standings.explain import ahead, reason, reason_facts
from scoring.standings.rank import (
    AdvancingStage,
    KnockoutFinish,
    Progress,
    Standing,
    progress_of,
    standings,
)
from scoring.standings.rows import GameResult, InMemory, Key, Row, Sums
from scoring.standings.tie_breaks import TIE_BREAKS, PlayedOff
from tests.support.scoring.worked_league import order, played_by, result, results, rows_of


def pair(code: str, wins: Fraction | int, difference: int, games: int = 6) -> Row:
    return Row(Sums(code, games, 60, 0, (0,), 0, Fraction(wins), Fraction(0), 0, 0, difference))


def placed(table: tuple[Standing, ...]) -> list[tuple[int | None, str, str | None]]:
    return [(row.rank, row.sums.code, row.decided_by) for row in table]


ROWS = [pair("T3", 4, -32), pair("T1", 4, -142), pair("T2", 3, -200), pair("T4", 4, -32)]


def test_rows_tied_on_the_primary_value_are_ordered_by_difference() -> None:
    table = standings(ROWS, primary="wins", tie_breaks=["difference"])
    assert placed(table) == [
        (1, "T1", None), (2, "T3", "difference"), (2, "T4", None), (4, "T2", "wins"),
    ]  # fmt: skip
    assert [row.tied for row in table] == [False, True, True, False]


FINAL = AdvancingStage(frozenset({"T1", "T2"}), "the final of 2")


def test_those_of_a_later_stage_are_before_better_values() -> None:
    table = standings(ROWS, primary="wins", tie_breaks=["difference"], stages=[FINAL])
    assert placed(table) == [
        (1, "T1", None), (2, "T2", "wins"), (3, "T3", "stage"), (3, "T4", None),
    ]  # fmt: skip
    assert [row.stage for row in table] == ["the final of 2", "the final of 2", "", ""]
    assert reason(reason_facts(table[2], table[1])) == "T2 went on to the final of 2"
    assert ahead(reason_facts(table[2], table[1])) == "above T3: went on to the final of 2"


def test_those_of_the_last_stage_are_before_those_of_the_one_before() -> None:
    semi = AdvancingStage(frozenset({"T1", "T2", "T4"}), "the semi-final")
    table = standings(ROWS, primary="wins", stages=[semi, FINAL])
    assert placed(table) == [
        (1, "T1", None), (2, "T2", "wins"), (3, "T4", "stage"), (4, "T3", "stage"),
    ]  # fmt: skip
    assert reason(reason_facts(table[3], table[2])) == "T4 went on to the semi-final"


def test_tie_across_a_stage_is_none() -> None:
    final = AdvancingStage(frozenset({"T1"}), "the final")
    table = standings(ROWS, primary="wins", stages=[final])
    assert [(row.rank, row.tied) for row in table] == [(1, False), (2, True), (2, True), (4, False)]


def decided(knocked_out: str = "place", min_games: int = 0) -> tuple[Standing, ...]:
    """T2 is through with the worst value, T3 is tied for that, T1 and T4 are out; T5 had a bye."""
    out = {
        "T1": KnockoutFinish(1, 1, 3, against="T2", its_place=1),
        "T4": KnockoutFinish(1, 1, 4, against="T2", its_place=1),
    }
    states: dict[str, tuple[int, Progress]] = {
        "T2": (3, "through"), "T5": (3, "through"), "T3": (3, "undecided"), "T1": (3, "out"),
        "T4": (3, "out"),
    }  # fmt: skip
    tied = AdvancingStage(frozenset({"T2", "T3", "T5"}), "", out, states)
    through = AdvancingStage(frozenset({"T2", "T5"}), "the final")
    rows = [*ROWS, Row(Sums("T5", 0, 0, 0, (0,), 0, Fraction(0), Fraction(0), 0, 0))]
    return standings(
        rows,
        primary="wins",
        stages=[tied, through],
        knocked_out=knocked_out,
        min_games=min_games,
    )


def test_those_tied_for_a_stage_are_between_those_who_are_through_and_those_who_are_out() -> None:
    table = decided(min_games=1)
    assert [(row.rank, row.sums.code, row.progress, row.stage) for row in table] == [
        (1, "T2", "through", "the final"), (2, "T5", "through", "the final"),
        (3, "T3", "undecided", ""), (4, "T1", "out", ""), (5, "T4", "out", ""),
    ]  # fmt: skip
    tied, out = reason_facts(table[2], table[1]), reason_facts(table[3], table[2])
    assert reason(tied) == "T5 went on to the final"
    assert ahead(out) == "above T1: T1 was out in round 1"
    assert reason(out) == "T2 went on from table 1 with place 1 against place 3"


def test_who_had_a_bye_needs_games_where_the_standings_order_a_knock_out() -> None:
    ranks = {row.sums.code: row.rank for row in decided("standings", min_games=1)}
    assert ranks["T5"] is None
    assert ranks["T2"] == 1


def test_newest_progress_counts() -> None:
    first = AdvancingStage(frozenset(), "", progress={"A": (2, "through"), "B": (3, "out")})
    second = AdvancingStage(frozenset(), "", progress={"A": (3, "out"), "B": (2, "through")})
    for stages in ([first, second], [second, first]):
        assert progress_of(stages) == {"A": "out", "B": "out"}


def test_too_few_games_leave_no_rank_in_a_later_stage_either() -> None:
    table = standings(
        [*ROWS, pair("T5", 9, 0, games=2)],
        primary="wins",
        min_games=3,
        stages=[AdvancingStage(frozenset({"T5"}), "the final")],
    )
    assert [(row.rank, row.sums.code) for row in table][-1] == (None, "T5")
    assert ahead(reason_facts(table[4], table[3])) == "above T5: T5 has too few games for a rank"


def level(code: str, **more: object) -> Row:
    """An entrant with 10 placement points; what is given goes over it."""
    sums = Sums(code, 3, 15, 80, (1, 1, 1), 0, Fraction(1), Fraction(1), 0, 0,
                place_points=Fraction(10), index=Fraction(0))  # fmt: skip
    return Row(replace(sums, **more))  # type: ignore[arg-type] # the fields of Sums


def ordered(rows: Sequence[Row], *chain: str, **more: object) -> tuple[Standing, ...]:
    settings = {"primary": "placement_points", **more}
    return standings(rows, tie_breaks=chain, **settings)  # type: ignore[arg-type] # as given


@pytest.mark.parametrize(
    ("key", "field", "values", "expected"),
    [
        ("wins", "win_share", (Fraction(1), Fraction(3, 2)), "1 B, 2 A"),
        ("index", "index", (Fraction(-1), Fraction(1, 3)), "1 B, 2 A"),
        ("moons_shot", "moons", (0, 2), "1 B, 2 A"),
        ("moons_against", "moons_against", (2, 1), "1 B, 2 A"),
        ("difference", "difference", (-32, -142), "1 B, 2 A"),
        ("countback", "places", ((1, 1, 1), (1, 2)), "1 B, 2 A"),
        ("countback", "places", ((1, 1), (1, 1, 0, 0)), "1 A, 1 B"),
    ],
)
def test_criterion_of_sums(key: str, field: str, values: Sequence[object], expected: str) -> None:
    rows = [level(code, **{field: value}) for code, value in zip("AB", values, strict=True)]
    assert order(ordered(rows, key)) == expected


def test_difference_turns_where_the_highest_total_wins() -> None:
    rows = [level("A", difference=-32), level("B", difference=-142)]
    assert order(ordered(rows, "difference", low_wins=False)) == "1 A, 2 B"


def test_index_that_is_not_known_of_one_separates_nobody() -> None:
    rows = [level("A", index=None), level("B", index=Fraction(5)), level("C", index=Fraction(4))]
    found = ordered(rows, "index")
    assert order(found) == "1 A, 1 B, 1 C"
    assert [list(row.values) for row in found] == [["placement_points"]] * 3


PAIR: Mapping[Key, Mapping[str, int]] = {
    (1, 1): {"A": 10, "B": 20, "C": 50, "D": 50},
    (2, 1): {"A": 20, "B": 10, "E": 50, "F": 50},
    (3, 2): {"A": 30, "B": 30, "G": 30, "H": 40},
}


def test_head_to_head_takes_a_tie_for_half() -> None:
    games = results(PAIR)
    rows = [level("A"), level("B")]
    found = ordered(rows, "h2h", evidence=InMemory(games))
    assert (order(found), found[0].values["h2h"]) == ("1 A, 1 B", "1.5/3")


def test_head_to_head_has_no_effect_unless_every_two_have_met() -> None:
    games = results(PAIR)
    found = ordered(
        [level("A"), level("B"), level("C"), level("E")], "h2h", evidence=InMemory(games)
    )
    assert order(found) == "1 A, 1 B, 1 C, 1 E"
    assert all("h2h" not in row.values for row in found)


def test_partners_have_not_met() -> None:
    game = result((1, 1), {"A": 10, "B": 60})
    partners = GameResult(
        game.key, None, {code: replace(worth, side=1) for code, worth in game.chairs.items()}
    )
    found = ordered([level("A"), level("B")], "h2h", "sos", evidence=InMemory([partners]))
    assert [list(row.values) for row in found] == [["placement_points"]] * 2
    opponents = GameResult(
        game.key, None,
        {code: replace(worth, side=side) for side, (code, worth) in enumerate(game.chairs.items())},
    )  # fmt: skip
    found = ordered([level("A"), level("B")], "h2h", evidence=InMemory([opponents]))
    assert order(found) == "1 A, 2 B"


def test_last_game_that_differs_decides() -> None:
    games = results(PAIR)
    found = ordered([level("A"), level("B")], "last_game", evidence=InMemory(games))
    assert [row.values["last_game"] for row in found] == ["10/3 5 3", "10/3 3 5"]
    assert order(found) == "1 B, 2 A"


def test_last_game_is_that_of_the_latest_evening_whatever_its_number() -> None:
    november, october = results({(1, 1): {"A": 3, "B": 5}, (2, 1): {"A": 5, "B": 3}})
    dated = [replace(november, meeting="2026-11-20"), replace(october, meeting="2026-10-16")]
    found = ordered([level("A"), level("B")], "last_game", evidence=InMemory(dated))
    assert order(found) == "1 A, 2 B"
    undated = [november, replace(october, meeting="2026-10-16")]
    found = ordered([level("A"), level("B")], "last_game", evidence=InMemory(undated))
    assert order(found) == "1 B, 2 A"


def test_last_game_of_raw_points_turns_where_the_highest_total_wins() -> None:
    games = results({key: PAIR[key] for key in [(1, 1), (2, 1)]})
    rows = [level("A"), level("B")]
    more = {"primary": "raw_total", "evidence": InMemory(games)}
    assert order(ordered(rows, "last_game", **more)) == "1 B, 2 A"
    assert order(ordered(rows, "last_game", low_wins=False, **more)) == "1 A, 2 B"


def test_who_has_no_further_game_is_behind() -> None:
    games = results(
        {(1, 1): {"A": 10, "C": 20}, (2, 1): {"A": 10, "C": 20}, (2, 2): {"B": 5, "D": 9}}
    )
    found = ordered([level("A"), level("B")], "last_game", evidence=InMemory(games))
    assert order(found) == "1 A, 2 B"


def test_lot_of_the_worked_seed() -> None:
    found = ordered([level("103"), level("101"), level("102")], "lot", seed="7f3c")
    assert order(found) == "1 101, 2 103, 3 102"
    assert [str(row.values["lot"])[:12] for row in found] == [
        "1eae8de1db6d", "9547e9af46a6", "9af0b9525486",
    ]  # fmt: skip


def test_playoff_comes_after_the_chain_and_before_the_lot() -> None:
    rows = [level("A"), level("B"), level("C", win_share=Fraction(2))]
    played = {code: PlayedOff(place) for code, place in (("A", 2), ("B", 1), ("C", 3))}
    found = ordered(rows, "wins", "lot", seed="7f3c", playoffs=(played,))
    assert order(found) == "1 C, 2 B, 3 A"
    assert [row.decided_by for row in found] == [None, "wins", "playoff"]
    assert "lot" not in found[1].values


def test_playoff_among_others_than_the_tied_has_no_effect() -> None:
    rows = [level("A"), level("B"), level("C")]
    played = {"A": PlayedOff(2), "B": PlayedOff(1)}
    assert order(ordered(rows, playoffs=(played,))) == "1 A, 1 B, 1 C"


def test_places_of_two_playoffs_are_never_mixed() -> None:
    rows = [level(code) for code in "ABCD"]
    two = ({"A": PlayedOff(1), "B": PlayedOff(2)}, {"C": PlayedOff(1), "D": PlayedOff(2)})
    assert order(ordered(rows, playoffs=two)) == "1 A, 1 B, 1 C, 1 D"


def test_playoff_before_the_criteria_is_asked_first_and_again_of_smaller_groups() -> None:
    rows = [level("A", win_share=Fraction(2)), level("B", win_share=Fraction(2)), level("C")]
    title = {"A": PlayedOff(3), "B": PlayedOff(2), "C": PlayedOff(1)}
    assert order(ordered(rows, "wins", playoffs=(title,), playoff_first=True)) == "1 C, 2 B, 3 A"
    cut = {"A": PlayedOff(2), "B": PlayedOff(1)}
    later = ordered(rows, "wins", playoffs=(cut,), playoff_first=True)
    assert order(later) == "1 B, 2 A, 3 C"
    assert [row.decided_by for row in later] == [None, "playoff", "wins"]


def test_next_criterion_goes_on_and_does_not_start_again() -> None:
    # All three have met in a ring, so that h2h separates nobody; wins then leave A and C, who
    # are not asked h2h again although C was ahead of A.
    games = results({(1, 1): {"A": 1, "B": 2}, (2, 1): {"B": 1, "C": 2}, (3, 1): {"C": 1, "A": 2}})
    rows = [level("A"), level("B", win_share=Fraction(2)), level("C")]
    assert order(ordered(rows, "h2h", "wins", evidence=InMemory(games))) == "1 B, 2 A, 2 C"
    assert order(ordered(rows, "wins", "h2h", evidence=InMemory(games))) == "1 B, 2 C, 3 A"


def test_strength_of_opponents_looks_at_what_they_played_here() -> None:
    """A and B are equal in all; whom A beat brought 13 points in two games from before."""
    games = results({(1, 1): {"A": 10, "X": 20}, (1, 2): {"B": 10, "Y": 20}})
    *others, of_x, of_y = rows_of(games)
    before = opening_worth("placement_points", Fraction(13), games=2)
    played = [((0, 1), "2025-09-01", before), *played_by("X", games)]
    rows = [*others, Row(kept("X", played), played=of_x.sums), of_y]
    found = {row.sums.code: row for row in ordered(rows, "sos", evidence=InMemory(games))}
    assert (found["A"].rank, found["B"].rank) == (2, 2), "X has 13 points more"
    assert found["A"].values["sos"] == found["B"].values["sos"] == of_y.sums.place_points


@pytest.mark.parametrize(("n_matches", "expected"), [(2, "1 B, 2 A"), (1, "1 A, 2 B")])
def test_strength_of_teams_is_by_matches_of_which_one_may_have_no_table(
    n_matches: int, expected: str
) -> None:
    """A met C, with 3 match points in one match or in two; B met D, with 2 in one."""
    games = results({(1, 1): {"A": 10, "C": 20}, (1, 2): {"B": 10, "D": 20}})
    made = {"A": (4, 2), "B": (4, 2), "C": (3, n_matches), "D": (2, 1)}
    rows = []
    for row in rows_of(games):
        points, number = made[row.code]
        sums = replace(row.sums, match_points=Fraction(points), matches=number)
        rows.append(replace(row, sums=sums))
    found = ordered(rows, "sos", primary="match_points", evidence=InMemory(games))
    assert order(found).startswith(expected)


class Watched:
    """Evidence that remembers what it was asked."""

    def __init__(self, games: Sequence[GameResult]) -> None:
        self.games, self.asked = InMemory(games), list[list[str]]()

    def games_of(self, codes: Collection[str]) -> Sequence[GameResult]:
        self.asked.append(sorted(codes))
        return self.games.games_of(codes)


def test_games_are_asked_for_once_and_only_of_those_that_are_tied() -> None:
    watched = Watched(results(PAIR))
    alone = level("Z", place_points=Fraction(99))
    rows = [level("A"), level("B"), alone, level("C", place_points=Fraction(1)),
            level("D", place_points=Fraction(1))]  # fmt: skip
    ordered(rows, "h2h", "sos", "last_game", evidence=watched)
    assert watched.asked == [["A", "B", "C", "D"]]
    watched.asked.clear()
    ordered(rows, "wins", "countback", evidence=watched)
    ordered([alone, level("A")], "h2h", evidence=watched)
    assert watched.asked == []


@pytest.mark.parametrize("key", TIE_BREAKS)
def test_primary_value_never_breaks_its_own_ties(key: str) -> None:
    games = results(PAIR)
    rows = rows_of(games)
    found = standings(rows, primary="wins", tie_breaks=["wins", key], evidence=InMemory(games))
    assert found == standings(rows, primary="wins", tie_breaks=[key], evidence=InMemory(games))


def test_criterion_of_what_counts_leaves_dropped_games_out_and_the_primary_value_stays() -> None:
    rows = [
        replace(level(code, win_share=Fraction(wins)), counted=level(code).sums)
        for code, wins in (("A", 2), ("B", 3))
    ]
    assert order(ordered(rows, "wins")) == "1 A, 1 B"
    found = ordered(rows, "wins", primary="wins")
    assert order(found) == "1 A, 1 B"
    assert [row.values for row in found] == [{"wins": 1}, {"wins": 1}]
