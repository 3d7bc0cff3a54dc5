"""Refuses settings that an event's sheets cannot give, and warns of what tie-breaks leave.

Pure: settings and facts in, problems out. See docs/algorithms/standings.md and
docs/algorithms/tie-breaks.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scoring.errors import Problem
from scoring.json_types import JsonObject
from scoring.standings.counting import BYE_AWARDS, can_award
from scoring.standings.metrics import PRIMARIES
from scoring.standings.tie_breaks import TIE_BREAKS

UNITS: Final = ("meeting", "game")
"""What `best_of` can drop."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """The order that an event asks for: keys of the registries, as they are stored.

    `placement` has the event's list of place points by size of table (2 = two sides); `duplicate`
    says that all tables play the same deals.
    """

    primary: str
    tie_breaks: Sequence[str] = ()
    placement: Mapping[int, Sequence[int]] = field(default_factory=dict)
    mixed_raw: bool = False
    drop_worst: int = 0
    best_of: Mapping[str, Any] | None = None
    min_games: int = 0
    bye_award: str = "none"
    seed: str = ""
    duplicate: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of the event's tables, played or planned.

    Args:
        variants: how many different games (variant and options).
        sizes: how many finish at each table, once each size: 4; with two sides 2.
        has_points_only: whether some sheet has totals only, so that nobody knows who shot.
        has_unknown_hands: whether of some game nobody knows how many hands it had.
        hands_differ: whether entrants may have played different numbers of hands.
        is_complex: whether some game is scored in complex numbers.
        has_sides: whether partners play against others.
    """

    variants: int = 1
    sizes: tuple[int, ...] = (4,)
    has_points_only: bool = False
    has_unknown_hands: bool = False
    hands_differ: bool = False
    is_complex: bool = False
    has_sides: bool = False


def refusals(scheme: Scheme, facts: Facts) -> list[Problem]:
    """The reasons for which the tables cannot give the scheme; empty if they can.

    Each problem names in `at` the setting, and the place in the tie-break order.

    >>> [problem.code for problem in refusals(Scheme("wins", ["moons_shot"]), Facts())]
    []
    >>> found = refusals(Scheme("wins", ["moons_shot"]), Facts(has_points_only=True))
    >>> [(problem.code, problem.at) for problem in found]
    [('moons_not_known', ('tie_breaks', 0))]
    """
    return [*_primary(scheme, facts), *_tie_breaks(scheme, facts), *_counting(scheme)]


def warnings(tie_breaks: Sequence[str], *, has_playoff: bool = False) -> list[Problem]:
    """Warnings about chosen tie-breaks, maybe of an event with play-offs; none forbids the choice.

    >>> [problem.code for problem in warnings(["h2h"])], warnings(["h2h", "lot"])
    (['ties_stay'], [])
    """
    problems = []
    if "lot" not in tie_breaks:
        facts = {"chain": ", ".join(tie_breaks), "always": "lot"}
        problems.append(Problem("ties_stay", ("tie_breaks",), facts))
        return problems
    place = list(tie_breaks).index("lot")
    if rest := list(tie_breaks)[place + 1 :]:
        facts = {"found": ", ".join(rest)}
        problems.append(Problem("never_asked", ("tie_breaks", place + 1), facts))
    if has_playoff:
        problems.append(Problem("lot_waits_for_playoff", ("tie_breaks", place)))
    return problems


def _primary(scheme: Scheme, facts: Facts) -> Iterator[Problem]:
    metric = PRIMARIES.get(scheme.primary)
    if metric is None:
        unknown = {"found": scheme.primary, "known": ", ".join(PRIMARIES)}
        yield Problem("unknown_criterion", ("primary",), unknown)
        return
    yield from _needs(metric.needs, metric.name, ("primary",), scheme, facts)


def _tie_breaks(scheme: Scheme, facts: Facts) -> Iterator[Problem]:
    for place, key in enumerate(scheme.tie_breaks):
        at = ("tie_breaks", place)
        if key in scheme.tie_breaks[:place]:
            yield Problem("criterion_twice", at, {"found": key})
        elif key not in TIE_BREAKS:
            criteria = ", ".join(TIE_BREAKS)
            yield Problem("unknown_criterion", at, {"found": key, "known": criteria})
        else:
            yield from _needs(TIE_BREAKS[key].needs, TIE_BREAKS[key].name, at, scheme, facts)


def _counting(scheme: Scheme) -> Iterator[Problem]:
    if scheme.bye_award not in BYE_AWARDS or not can_award(scheme.bye_award, scheme.primary):
        facts = {"found": scheme.bye_award, "primary": scheme.primary}
        yield Problem("bye_award_not_possible", ("bye_award",), facts)
    if scheme.drop_worst < 0:
        yield Problem("bad_drop", ("drop_worst",), {"found": scheme.drop_worst})
    if scheme.best_of is None:
        return
    if scheme.drop_worst > 0:
        yield Problem("dropped_twice", ("best_of",), {"found": scheme.drop_worst})
    if not _is_best_of(scheme.best_of):
        yield Problem("bad_best_of", ("best_of",), {"found": str(dict(scheme.best_of))})


def _is_best_of(rule: JsonObject) -> bool:
    return (
        set(rule) == {"unit", "min", "per"}
        and rule["unit"] in UNITS
        and all(type(rule[key]) is int and rule[key] >= 1 for key in ("min", "per"))
    )


def _needs(
    needs: frozenset[str],
    name: str,
    at: tuple[str | int, ...],
    scheme: Scheme,
    facts: Facts,
) -> Iterator[Problem]:
    for code, details in _missing(needs, scheme, facts):
        yield Problem(code, at, {"what": name, **details})


_Check = tuple[str, bool, str, dict[str, int | str]]
"""A need, whether it is not met, and the code and facts of the problem then."""


def _missing(
    needs: frozenset[str], scheme: Scheme, facts: Facts
) -> Iterator[tuple[str, dict[str, int | str]]]:
    """What is missing for a value, in the order in which it is said; `games` are always there."""
    sizes = sorted(set(facts.sizes))
    sizes_text = ", ".join(map(str, sizes))
    compares_raw, has_dropped = not scheme.mixed_raw, bool(scheme.drop_worst or scheme.best_of)
    checks: list[_Check] = [
        ("scores", facts.is_complex, "scores_have_no_order", {}),
        ("hands", facts.has_unknown_hands, "hands_not_known", {}),
        ("equal_hands", facts.hands_differ, "hands_differ", {}),
        (
            "one_game",
            compares_raw and facts.variants > 1,
            "raw_over_games",
            {"found": facts.variants},
        ),
        ("one_game", compares_raw and len(sizes) > 1, "raw_over_sizes", {"found": sizes_text}),
    ]
    for size in sizes:
        n_points = len(scheme.placement.get(size, ()))
        has_list = size in scheme.placement
        wrong = {"size": size, "found": n_points}
        checks += [
            ("placement", not has_list, "no_placement_list", {"size": size}),
            ("placement", has_list and n_points != size, "bad_placement_list", {**wrong}),
        ]
    checks += [
        ("moons", facts.has_points_only, "moons_not_known", {}),
        ("sides", not facts.has_sides, "no_sides", {}),
        ("boards", not scheme.duplicate, "no_boards", {}),
        ("boards", has_dropped, "boards_not_dropped", {}),
        ("matches", has_dropped, "matches_not_dropped", {}),
        ("seed", not scheme.seed, "no_seed", {}),
    ]
    return ((code, details) for need, holds, code, details in checks if holds and need in needs)
