"""Problems of a plan with names of players in the place of their rows."""

from collections.abc import Iterable, Mapping
from typing import Any

from scoring.errors import Problem
from tournaments.models.clubs import Club, Player

_ONE = ("player",)
_SEVERAL = ("pair", "players")
_PAIRS = ("pairs", "together")


def named_problems(club: Club, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return problems of the planner with full names, for directors; one query."""
    found = tuple(problems)
    rows = {player for problem in found for player in _rows_in(problem.facts)}
    names = dict(Player.objects.filter(club=club, pk__in=rows).values_list("pk", "name"))
    return tuple(
        Problem(one.code, one.at, _named(one.facts, names), one.suggestions) for one in found
    )


def _rows_in(facts: Mapping[str, Any]) -> Iterable[int]:
    yield from (facts[key] for key in _ONE if isinstance(facts.get(key), int))
    for key in _SEVERAL:
        yield from facts.get(key, ())
    for key in _PAIRS:
        for pair in facts.get(key, ()):
            yield from pair


def _named(facts: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    found = dict(facts)
    for key in _ONE:
        if isinstance(facts.get(key), int):
            found[key] = names.get(facts[key], "?")
    for key in _SEVERAL:
        if key in facts:
            found[key] = [names.get(one, "?") for one in facts[key]]
    for key in _PAIRS:
        if key in facts:
            found[key] = [[names.get(one, "?") for one in pair] for pair in facts[key]]
    return found
