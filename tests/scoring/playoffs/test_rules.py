"""Who sits where in a play-off: by the number of those level and of the seats."""

import pytest

from scoring.playoffs.progress import PlayoffRules, plan

RULES = PlayoffRules()
HEATS = PlayoffRules(many="heats")


def members(count: int) -> list[str]:
    return [f"P{number:02d}" for number in range(count)]


@pytest.mark.parametrize(
    ("count", "cut", "rules", "kind", "sizes"),
    [
        (2, 1, RULES, "fillers", [2]),
        (2, 1, PlayoffRules(duel="two_hands"), "two_hands", [2]),
        (3, 1, RULES, "table", [3]),
        (4, 3, RULES, "table", [4]),
        (5, 1, HEATS, "table", [5]),
        (6, 1, RULES, "cancellation", [6]),
        (11, 1, RULES, "cancellation", [11]),
        (6, 1, HEATS, "heats", [3, 3]),
        (11, 4, HEATS, "heats", [6, 5]),
        (6, 3, HEATS, "cancellation", [6]),
        (12, 1, RULES, "heats", [4, 4, 4]),
        (13, 2, RULES, "heats", [4, 3, 3, 3]),
        (13, 3, RULES, "lot", []),
    ],
)
def test_tables_of_a_playoff(
    count: int, cut: int, rules: PlayoffRules, kind: str, sizes: list[int]
) -> None:
    found = plan(members(count), [cut], rules, seed="7f3c")
    assert (found.kind, [len(table) for table in found.tables]) == (kind, sizes)
    seated = sorted(one for table in found.tables for one in table)
    assert seated == (members(count) if sizes else [])
    assert found.fillers == (2 if kind == "fillers" else 0)
    assert found.through == (cut if kind == "heats" else 0)


def test_seats_are_drawn_by_the_seed_and_the_same_again() -> None:
    one = plan(["101", "102", "103"], [1], RULES, seed="7f3c")
    assert one.tables == (("101", "103", "102"),)
    assert plan(["103", "102", "101"], [1], RULES, seed="7f3c") == one
