"""Which settings an event's tables cannot give, and what a tie-break order leaves.

What is chosen is refused with the reason; what was chosen earlier and became untrue has no effect,
which the page of settings says.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from scoring.duplicate.deals import plays_boards
from scoring.errors import Problem
from scoring.rules.rules import Rules
from scoring.standings.refusals import Facts, Scheme, refusals, warnings
from tournaments.domain.event_settings import Settings, bad_setting
from tournaments.selectors.rules.rule_sets import VariantChoices

OF_PRIMARY: Final = frozenset(
    {"primary", "placement", "mixed_raw", "min_games", "duplicate", "drop_worst", "best_of"}
)
OF_BYES: Final = frozenset({"bye_award", "primary"})


def rules_facts(every: Iterable[Rules]) -> Facts:
    """Return what rules say by themselves, before any table plays them."""
    found = list(every)
    return Facts(
        sizes=(),
        is_complex=any(rules.keys.number == "complex" for rules in found),
        has_sides=any(rules.keys.teams.mode != "none" for rules in found),
    )


def scheme_of(settings: Settings, seed: str) -> Scheme:
    """Return how an event of these settings orders its entrants."""
    return Scheme(
        primary=settings.primary,
        tie_breaks=settings.tie_breaks,
        placement={int(size): points for size, points in settings.placement.items()},
        mixed_raw=settings.mixed_raw,
        drop_worst=settings.drop_worst,
        best_of=settings.best_of,
        min_games=settings.min_games,
        bye_award=settings.bye_award,
        seed=seed,
        duplicate=settings.duplicate,
    )


def setting_refusals(
    settings: Settings,
    facts: Facts,
    *,
    seed: str,
    changed: Collection[str],
    tie_breaks_before: Sequence[str] = (),
) -> list[Problem]:
    """Return why the tables cannot give what is chosen; what was so before is not said again.

    Args:
        changed: the settings that are chosen now, by key.
        tie_breaks_before: the criteria that were in the tie-break order already.
    """
    return [
        Problem(problem.code, ("settings", *problem.at), problem.facts, problem.suggestions)
        for problem in refusals(scheme_of(settings, seed), facts)
        if _is_chosen(problem, settings, changed, tie_breaks_before)
    ]


def _is_chosen(
    problem: Problem, settings: Settings, changed: Collection[str], tie_breaks_before: Sequence[str]
) -> bool:
    key, *place = problem.at
    if key == "primary":
        return not OF_PRIMARY.isdisjoint(changed)
    if key == "bye_award":
        return not OF_BYES.isdisjoint(changed)
    if key == "tie_breaks" and place:
        return settings.tie_breaks[int(place[0])] not in tie_breaks_before
    return key in changed


def fitting_settings(settings: Settings, facts: Facts, *, seed: str) -> Settings:
    """Return settings whose chain is left with what the tables can give: for a preset."""
    idle = unusable_criteria(settings, facts, seed=seed)
    return replace(
        settings, tie_breaks=tuple(key for key in settings.tie_breaks if key not in idle)
    )


def unusable_criteria(settings: Settings, facts: Facts, *, seed: str) -> dict[str, Problem]:
    """Return the criteria of the chain of which the tables tell nothing, each with the reason."""
    return {
        settings.tie_breaks[int(problem.at[1])]: problem
        for problem in refusals(scheme_of(settings, seed), facts)
        if problem.at[0] == "tie_breaks" and len(problem.at) > 1
    }


def tie_break_warnings(settings: Settings) -> list[Problem]:
    """Return what somebody who chooses this chain should know; none of it forbids the choice."""
    has_playoff = bool(settings.boundaries) and settings.playoff not in ("share", "criteria")
    return warnings(settings.tie_breaks, has_playoff=has_playoff)


def chip_problems(
    offered: VariantChoices,
    variant: str,
    options: Mapping[str, object] | None,
    wanted: Mapping[str, object],
) -> list[Problem]:
    """Say that nobody has chips where the rules end a game by who has some."""
    found = offered.rules_named(variant, options)
    if found is None or wanted.get("length", "variant") != "variant":
        return []
    ends = any(test.kind in ("chips_all", "chips_out") for test in found.keys.finish)
    if not ends or wanted.get("start_totals"):
        return []
    return [bad_setting("start_totals", 0, "a number of chips from 1, for this game ends by them")]


def board_problems(
    offered: VariantChoices,
    variant: str,
    options: Mapping[str, object] | None,
    wanted: Mapping[str, object],
) -> list[Problem]:
    """Say that the game cannot be played with boards, where the event is to be duplicate."""
    found = offered.rules_named(variant, options)
    if found is None or wanted.get("duplicate") is not True or plays_boards(found):
        return []
    expected = "a game for four players with all 52 cards of one pack dealt"
    return [bad_setting("duplicate", found.name, expected)]
