"""The check of density counts what docs/style.md asks to avoid, and nothing that it allows."""

import pytest

from tests.support import density
from tests.support.density import habits_in


def counted(habit: str, source: str) -> int:
    habits, _tokens = habits_in(source)
    return habits[habit]


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("contact, kinds = get_contact(player), set(wanted)", 1),
        ("low, high = cards[0], cards[-1]", 0),
        ("first, second = second, first", 0),
        ("left, *rest = rows", 0),
        ("total, rest = rest, 0", 0),
        ("first, second = row", 0),
        ("name, count = '', 0", 1),
        ("name, word = '', 'x'", 0),
    ],
)
def test_unrelated_values_are_two_lines(source: str, count: int) -> None:
    assert counted(density.UNRELATED, source) == count


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("x = [a for a in b if a]", 0),
        ("x = [a for c in b for a in c]", 0),
        ("x = [a for c in b for a in c if a]", 1),
        ("x = [\n    a\n    for a in b\n]", 1),
    ],
)
def test_third_clause_or_line_of_a_comprehension_counts(source: str, count: int) -> None:
    assert counted(density.LONG_COMPREHENSIONS, source) == count


def test_conditional_inside_another_counts_as_both() -> None:
    source = "x = 1 if a else 2 if b else 3"
    assert counted(density.CONDITIONALS, source) == 2
    assert counted(density.NESTED, source) == 1


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("LIMIT = 1\n\ndef f():\n    return 2\n", 0),
        ("def f():\n    return 2\n\nLIMIT = 1\n", 1),
        ("def f():\n    return 2\n\nTABLE = (f,)\n", 0),
        ("def f():\n    return 2\n\n__all__ = ()\n", 0),
        ("def f():\n    return 2\n\nclass Row:\n    name: str\n", 1),
    ],
)
def test_constants_and_types_below_a_function_count_unless_they_need_it(
    source: str, count: int
) -> None:
    assert counted(density.SEAMS, source) == count


@pytest.mark.parametrize(("lines", "count"), [(5, 1), (6, 0)])
def test_function_of_under_six_lines_that_is_called_once_counts(lines: int, count: int) -> None:
    body = "    x = 1\n" * (lines - 1) + "    return x\n"
    source = f'def _f():\n    """Say what."""\n{body}\n_f()\n'
    assert counted(density.SMALL_FUNCTIONS, source) == count
    assert counted(density.SMALL_FUNCTIONS, source + "_f()\n") == 0


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("x = a or b", 1),
        ("x = is_a or not b", 0),
        ("x = a == 1 or has_b()", 0),
        ("x = a.may_c or d", 1),
    ],
)
def test_default_by_or_counts_and_a_condition_does_not(source: str, count: int) -> None:
    assert counted(density.VALUES_OF_CONDITIONS, source) == count


def test_comments_docstrings_and_imports_are_no_code() -> None:
    source = '"""Text of several words."""\n\nimport os\n\n# A comment.\nx = 1\n'
    assert habits_in(source)[1] == 3


@pytest.mark.parametrize(
    ("limit", "exceeded"), [(2.0, []), (1.9, ["`noqa`: 2.0 by 10,000 tokens of code, at most 1.9"])]
)
def test_limit_is_the_greatest_number_allowed(limit: float, exceeded: list[str]) -> None:
    assert density.exceeded({density.NOQA: 2}, 10_000, {density.NOQA: limit}) == exceeded
