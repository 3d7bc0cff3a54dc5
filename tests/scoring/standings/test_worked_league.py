"""The worked league and the registries are as docs/algorithms says, cell by cell."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from scoring.standings.counting import BYE_AWARDS
from scoring.standings.explain import ahead, reason, reason_facts
from scoring.standings.metrics import METRICS, PRIMARIES, Metric
from scoring.standings.rank import Standing, standings
from scoring.standings.rows import InMemory
from scoring.standings.tie_breaks import CRITERIA, USUAL, Field, TieBreak, opponents
from tests.support.scoring.default_schemes import DEFAULT_SCHEMES
from tests.support.scoring.worked_league import WORKED, order, results, rounded, rows_of

GAMES = results(WORKED)
ROWS = rows_of(GAMES)
DOCS = Path(__file__).parents[3] / "docs" / "algorithms"


def table(*chain: str, primary: str = "placement_points", **more: str) -> tuple[Standing, ...]:
    return standings(
        ROWS, primary=primary, tie_breaks=chain, evidence=InMemory(GAMES), seed=more.get("seed", "")
    )


CELLS = """\
A 11  84  5.600 2.1667 1.5 +3.462 2-0-1-0 3.0370 9
C 11  83  5.533 2.1667 1.5 +3.718 2-0-1-0 2.7037 9
E 11  78  5.200 2.0000 2   +5.000 2-0-0-1 2.7407 10
B 9   83  5.533 1.6667 1   +3.718 1-1-0-1 2.7037 8
G 7.5 99  6.600 1.5000 0   -0.385 0-2-1-0 2.7963 5.5
F 6.5 116 7.733 1.1667 0   -4.744 0-2-0-1 2.6852 5.5
D 6   112 7.467 1.0000 0   -3.718 0-1-1-1 2.7037 5
H 4   125 8.333 0.3333 0   -7.051 0-0-1-2 2.6296 3""".splitlines()


@pytest.mark.parametrize("line", CELLS)
def test_each_cell_of_the_worked_table(line: str) -> None:
    code, points, raw, per_hand, beaten, wins, index, places, _, best_two = line.split()
    (sums,) = (row.sums for row in ROWS if row.code == code)

    def value(key: str) -> Fraction:
        found = METRICS[key].value(sums)
        assert found is not None
        return found

    assert value("placement_points") == Fraction(points)
    assert value("raw_total") == Fraction(raw)
    assert rounded(value("raw_per_hand"), 3) == per_hand
    assert rounded(value("beaten")) == beaten
    assert value("beaten_mean") == value("beaten") / 3
    assert value("wins") == Fraction(wins)
    assert f"{float(value('index') / 3):+.3f}" == index == f"{float(value('index_per_game')):+.3f}"
    assert "-".join(map(str, sums.places[:4])) == places
    counted = rows_of(GAMES, primary="placement_points", drop_worst=1)
    assert {row.code: row.counting.place_points for row in counted}[code] == Fraction(best_two)


def test_strength_of_opponents_is_that_of_the_worked_table() -> None:
    evidence = InMemory(GAMES)
    scene = Field(
        PRIMARIES["placement_points"], True, {row.code: row.sums for row in ROWS},
        lambda code: evidence.games_of([code]),
    )  # fmt: skip
    merits = opponents(ROWS, scene)
    assert merits is not None
    assert {code: rounded(Fraction(merit.value)) for code, merit in merits.items()} == {
        cells[0]: cells[8] for cells in map(str.split, CELLS)
    }


def test_without_tie_breaks_three_share_the_first_place() -> None:
    assert order(table()) == "1 A, 1 C, 1 E, 4 B, 5 G, 6 F, 7 D, 8 H"


def test_head_to_head_first() -> None:
    found = table("h2h")
    assert order(found)[:18] == "1 A, 2 C, 3 E, 4 B"
    assert [row.values.get("h2h") for row in found[:4]] == ["2.5/4", "1.5/3", "1/3", None]


def test_wins_first_then_head_to_head_of_the_two_that_are_left() -> None:
    found = table("wins", "h2h")
    assert order(found)[:18] == "1 E, 2 A, 3 C, 4 B"
    assert [row.values.get("h2h") for row in found[:3]] == [None, "1.5/2", "0.5/2"]
    assert [row.decided_by for row in found[:4]] == [None, "wins", "h2h", "placement_points"]


def test_usual_chain_leaves_nobody_level() -> None:
    assert order(table(*USUAL, seed="7f3c")) == "1 A, 2 C, 3 E, 4 B, 5 G, 6 F, 7 D, 8 H"


def test_worst_game_dropped() -> None:
    rows = rows_of(GAMES, primary="placement_points", drop_worst=1)
    found = standings(rows, primary="placement_points")
    assert order(found)[:18] == "1 E, 2 A, 2 C, 4 B"
    assert [row.value for row in found[:4]] == [10, 9, 9, 8]
    assert [row.sums.games for row in found] == [3] * 8


def test_raw_points_and_who_was_ahead_at_the_table_they_shared() -> None:
    assert order(table(primary="raw_total"))[:18] == "1 E, 2 B, 2 C, 4 A"
    found = table("h2h", primary="raw_total")
    assert order(found)[:18] == "1 E, 2 B, 3 C, 4 A"
    assert found[1].values["h2h"] == "1/1"


def test_each_row_says_why_it_is_above_the_next() -> None:
    rows = table("wins", "h2h")
    sentences = [
        ahead(reason_facts(row, above), name=lambda code: f"<{code}>")
        for above, row in pairwise(rows)
    ]
    assert sentences == [
        "above <A>: same points, more wins, 2 against 1.5",
        "above <C>: same points, ahead at 1.5 of the 2 tables they shared",
        "above <B>: 11 points against 9",
        "above <G>: 9 points against 7.5",
        "above <F>: 7.5 points against 6.5",
        "above <D>: 6.5 points against 6",
        "above <H>: 6 points against 4",
    ]
    assert [reason(reason_facts(row, above)) for above, row in pairwise(rows)][:3] == [
        "tied with E: 11 points; tables won 1.5000 against 2",
        "tied with A: 11 points; head to head 0.5/2 against 1.5/2",
        "9 points, 2 behind C",
    ]


def test_real_tie_says_what_was_compared() -> None:
    found = table("moons_shot", "moons_against")
    assert ahead(reason_facts(found[1], found[0])) == (
        "tied with C: 11 points, and tied on moons shot and moons against"
    )


def metric_row(metric: Metric) -> str:
    better = "lower" if metric.ascending else "higher"
    turned = " (turns)" if metric.turns else ""
    cells = (f"`{metric.key}`", metric.name, metric.definition, better + turned, metric.example)
    return "| " + " | ".join(cells) + " |"


def criterion_row(criterion: TieBreak) -> str:
    reads = {"counted": "games that count", "all": "all games", None: "–"}[criterion.reads]
    cells = (f"`{criterion.key}`", criterion.name, criterion.definition, reads, criterion.example)
    return "| " + " | ".join(cells) + " |"


def rows_under(page: str, heading: str) -> list[str]:
    """The rows of the first table under a heading, without its two head lines."""
    lines = (DOCS / page).read_text(encoding="utf-8").split(f"## {heading}\n", 1)[1].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|")) + 2
    table = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        table.append(line)
    return table


@pytest.mark.parametrize(
    ("heading", "metrics"),
    [
        ("Primary values", PRIMARIES),
        ("Other values", {key: METRICS[key] for key in METRICS if key not in PRIMARIES}),
    ],
)
def test_each_value_is_explained_in_the_words_of_the_registry(
    heading: str, metrics: Mapping[str, Metric]
) -> None:
    assert rows_under("standings.md", heading) == [
        metric_row(metric) for metric in metrics.values()
    ]


def test_each_criterion_is_explained_in_the_words_of_the_registry() -> None:
    assert rows_under("tie-breaks.md", "Criteria") == [
        criterion_row(criterion) for criterion in CRITERIA.values()
    ]


def test_usual_tie_break_order_and_bye_awards_are_named() -> None:
    page = (DOCS / "tie-breaks.md").read_text(encoding="utf-8")
    assert ", ".join(f"`{key}`" for key in USUAL) in page
    table = rows_under("standings.md", "Byes")
    assert [row.split("`")[1] for row in table] == list(BYE_AWARDS)


def test_usual_lists_of_place_points_are_those_of_the_page() -> None:
    page = (DOCS / "standings.md").read_text(encoding="utf-8")
    for size, scheme in DEFAULT_SCHEMES.items():
        called = "2 (two sides)" if size == 2 else str(size)
        assert f"| {called} | {'-'.join(map(str, scheme))} |" in page
