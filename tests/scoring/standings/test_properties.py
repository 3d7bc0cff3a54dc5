"""What holds of any league: the invariants of docs/algorithms/standings.md."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.standings.counting import dropped, kept
from scoring.standings.explain import ahead, reason, reason_facts
from scoring.standings.metrics import FROM_GAMES, PRIMARIES
from scoring.standings.rank import Standing, standings
from scoring.standings.rows import GameResult, InMemory, Key, Row, Sums
from scoring.standings.tie_breaks import TIE_BREAKS
from tests.support.scoring.worked_league import played_by, result, results, rows_of

CODES = "ABCDEFGH"


@st.composite
def leagues(draw: st.DrawFn) -> dict[Key, dict[str, int]]:
    """Up to five rounds of one or two tables of three to five; few totals, so that many tie."""
    found: dict[Key, dict[str, int]] = {}
    for number in range(1, draw(st.integers(1, 5)) + 1):
        seated = draw(st.permutations(CODES))
        size = draw(st.integers(3, 5))
        for table, codes in enumerate((seated[:size], seated[size:]), 1):
            if len(codes) >= 3:
                totals = draw(st.lists(st.integers(0, 6), min_size=len(codes), max_size=len(codes)))
                found[number, table] = dict(zip(codes, totals, strict=True))
    return found


CHAINS = st.lists(st.sampled_from(sorted(TIE_BREAKS)), unique=True, max_size=6)
ANY_PRIMARY = st.sampled_from(sorted(FROM_GAMES))


def table(
    rows: Sequence[Row], games: Sequence[GameResult], primary: str, tie_breaks: Sequence[str]
) -> tuple[Standing, ...]:
    return standings(
        rows, primary=primary, tie_breaks=tie_breaks, evidence=InMemory(games), seed="7f3c"
    )


@given(leagues(), ANY_PRIMARY, CHAINS, st.randoms(use_true_random=False))
def test_order_of_the_input_never_matters(
    league: Mapping[Key, Mapping[str, int]], primary: str, tie_breaks: list[str], chance: object
) -> None:
    games = results(league)
    rows = rows_of(games)
    found = table(rows, games, primary, tie_breaks)
    shuffled, again = list(rows), list(games)
    chance.shuffle(shuffled)  # type: ignore[attr-defined] # a seeded chance of hypothesis
    chance.shuffle(again)  # type: ignore[attr-defined] # likewise
    assert table(shuffled, again, primary, tie_breaks) == found


@given(leagues(), ANY_PRIMARY, CHAINS)
def test_rank_is_one_more_than_how_many_are_ahead_and_follows_the_primary_value(
    league: Mapping[Key, Mapping[str, int]], primary: str, tie_breaks: list[str]
) -> None:
    games = results(league)
    found = table(rows_of(games), games, primary, tie_breaks)
    sign = 1 if PRIMARIES[primary].ascending else -1
    for number, (above, below) in enumerate(pairwise(found), 1):
        assert above.value is not None
        assert below.value is not None
        assert sign * above.value <= sign * below.value
        is_level = below.decided_by is None
        assert below.rank == (above.rank if is_level else number + 1)
        assert (below.decided_by == primary) == (above.value != below.value)
        if is_level:
            assert above.tied
            assert below.tied
        facts = reason_facts(below, above)
        assert ahead(facts)
        assert reason(facts)
    if "lot" in tie_breaks:
        assert not any(row.tied for row in found)


@given(leagues(), ANY_PRIMARY, CHAINS)
def test_criteria_never_move_anyone_past_a_better_primary_value(
    league: Mapping[Key, Mapping[str, int]], primary: str, tie_breaks: list[str]
) -> None:
    games = results(league)
    rows = rows_of(games)
    bare = {row.sums.code: row.rank or 0 for row in table(rows, games, primary, [])}
    for row in table(rows, games, primary, tie_breaks):
        level = sum(1 for rank in bare.values() if rank == bare[row.sums.code])
        assert bare[row.sums.code] <= (row.rank or 0) < bare[row.sums.code] + level


@given(leagues(), st.integers(-50, 50))
def test_constant_added_to_a_table_changes_no_place_share_or_index(
    league: Mapping[Key, Mapping[str, int]], more: int
) -> None:
    for totals in league.values():
        before = result((1, 1), totals).chairs
        after = result((1, 1), {code: total + more for code, total in totals.items()}).chairs
        assert {c: replace(w, points=0) for c, w in after.items()} == {
            c: replace(w, points=0) for c, w in before.items()
        }
        assert sum(worth.beaten for worth in after.values()) == Fraction(len(totals), 2)
        assert sum(worth.win_share for worth in after.values()) == 1
        assert sum(worth.index or 0 for worth in after.values()) == 0


@given(leagues(), st.data(), st.integers(1, 8))
def test_better_score_never_lowers_ones_own_place_points_share_or_index(
    league: Mapping[Key, Mapping[str, int]], data: st.DataObject, less: int
) -> None:
    key = data.draw(st.sampled_from(sorted(league)))
    code = data.draw(st.sampled_from(sorted(league[key])))
    better = {**league, key: {**league[key], code: league[key][code] - less}}
    before, after = (kept(code, played_by(code, results(each))) for each in (league, better))
    assert after.place_points >= before.place_points
    assert after.beaten >= before.beaten
    assert after.win_share >= before.win_share
    assert (after.index or 0) >= (before.index or 0)


@given(leagues(), ANY_PRIMARY, st.integers(0, 4), st.sampled_from(CODES))
def test_dropped_games_are_the_worst_and_one_always_counts(
    league: Mapping[Key, Mapping[str, int]], primary: str, number: int, code: str
) -> None:
    played = played_by(code, results(league))
    without = dropped(played, primary=primary, drop_worst=number)
    assert len(without) == (number if len(played) > number else 0)
    assert len(played) == 0 or kept(code, played, without).games >= 1
    metric = PRIMARIES[primary]
    sign = 1 if metric.ascending else -1
    worth = {key: sign * (metric.worth(each) or Fraction(0)) for key, _, each in played}
    rest = [value for key, value in worth.items() if key not in without]
    assert all(worth[key] >= max(rest) for key in without)


@given(leagues(), ANY_PRIMARY, st.integers(1, 5), st.data())
def test_penalty_never_helps_and_moves_nobody_else_down(
    league: Mapping[Key, Mapping[str, int]], primary: str, penalty: int, data: st.DataObject
) -> None:
    games = results(league)
    rows = rows_of(games)
    code = data.draw(st.sampled_from([row.code for row in rows]))
    fined = [replace(row, ledger=Fraction(penalty)) if row.code == code else row for row in rows]
    before = {row.sums.code: row.rank or 0 for row in table(rows, games, primary, [])}
    after = {row.sums.code: row.rank or 0 for row in table(fined, games, primary, [])}
    assert after[code] >= before[code]
    assert all(after[each] <= before[each] for each in before if each != code)


def thousand() -> list[Row]:
    """Rows of different averages: no two are tied."""
    return [
        Row(Sums(f"P{n:04}", 30, 100 + n % 37, 2000 + 7 * n, (n % 30, 1), 0, Fraction(n % 9, 4),
                 Fraction(n, 12), 0, 0, place_points=Fraction(n, 12), index=Fraction(n, 26 * 35)))
        for n in range(1000)
    ]  # fmt: skip


@pytest.mark.parametrize("primary", ["raw_per_hand", "placement_points", "index_per_game"])
def test_thousand_rows_are_ordered_in_a_few_milliseconds(primary: str) -> None:
    rows = thousand()
    times = []
    for _ in range(5):
        start = process_time()
        found = standings(rows, primary=primary, tie_breaks=["h2h", "lot"])
        times.append(process_time() - start)
    assert [row.rank for row in found] == sorted(row.rank or 0 for row in found)
    assert min(times) < 0.030, f"{min(times) * 1000:.1f} ms; 15 are meant"
