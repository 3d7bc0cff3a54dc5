"""What docs/algorithms says of the registries is what the registries say, row by row."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from scoring.standings.counting import BYE_AWARDS
from scoring.standings.metrics import METRICS, PRIMARIES, Metric
from scoring.standings.tie_breaks import CRITERIA, USUAL, TieBreak
from tests.support.scoring.default_schemes import DEFAULT_SCHEMES

DOCS = Path(__file__).parents[3] / "docs" / "algorithms"


def metric_row(metric: Metric) -> str:
    better = "lower" if metric.ascending else "higher"
    turned = " (turns)" if metric.turns else ""
    cells = (f"`{metric.key}`", metric.name, metric.definition, better + turned, metric.example)
    return "| " + " | ".join(cells) + " |"


def criterion_row(criterion: TieBreak) -> str:
    cells = (f"`{criterion.key}`", criterion.name, criterion.definition, criterion.example)
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
    assert rows_under("standings.md", heading) == [metric_row(one) for one in metrics.values()]


def test_each_criterion_is_explained_in_the_words_of_the_registry() -> None:
    assert rows_under("tie-breaks.md", "Criteria") == [
        criterion_row(one) for one in CRITERIA.values()
    ]


def test_usual_tie_break_order_and_bye_awards_are_named() -> None:
    page = (DOCS / "tie-breaks.md").read_text(encoding="utf-8")
    assert ", ".join(f"`{key}`" for key in USUAL) in page
    table = rows_under("standings.md", "Byes")
    assert [row.split("`")[1] for row in table] == list(BYE_AWARDS)


def test_usual_lists_of_place_points_are_those_of_the_page() -> None:
    page = (DOCS / "place-points.md").read_text(encoding="utf-8")
    for size, scheme in DEFAULT_SCHEMES.items():
        called = "2 (two sides)" if size == 2 else str(size)
        assert f"| {called} | {'-'.join(map(str, scheme))} |" in page
