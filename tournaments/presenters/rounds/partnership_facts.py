"""Plans with partners in words: their kind, the full set of rounds, repeats. For directors only.

The figures are those of the engine: docs/algorithms/movements.md, "Whist" and "Pairs".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import Refused
from scoring.seating.movements.circle import figures_of_units
from scoring.seating.movements.movement_facts import MovementFacts, movement_facts
from scoring.seating.movements.whist import whist_figures
from scoring.seating.requests import MovementFigures, PlannedRound
from tournaments.models.seating_plans import TEAMS, WHIST, SeatingPlan
from tournaments.presenters.rounds.plan_fact import PlanFact
from tournaments.selectors.seating_plans.plans import RoundOfPlan

TITLES: Final[Mapping[tuple[str, str], str | Promise]] = {
    (WHIST, ""): gettext_lazy("whist"),
    ("pairs", "all_play_all"): gettext_lazy("pairs, all play all"),
    ("pairs", "mitchell"): gettext_lazy("pairs, two fields"),
    ("pairs", "swiss"): gettext_lazy("pairs, Swiss"),
    (TEAMS, "one_table"): gettext_lazy("team matches, one table"),
    (TEAMS, "two_tables"): gettext_lazy("team matches, two tables"),
}
"""Movement and variation → what the plan is called."""


_OF_EVENT: Final = ("opponent_excess", "opponent_bound", "sets", "unmet")
"""Figures of pairs and teams that count earlier rounds; plans of earlier versions have none."""


def partnership_title(plan: SeatingPlan) -> str:
    """Return what kind of plan with partners it is."""
    return str(TITLES.get((plan.movement, plan.inputs.get("variation", "")), plan.movement))


def odd_units_line(plan: SeatingPlan) -> str:
    """Return what an odd number of pairs or teams means, and what would help; "" for an even one.

    In a whist evening these are players beyond a multiple of four.
    """
    if plan.movement == WHIST:
        over = len(plan.inputs["present"]) % 4
        if not over:
            return ""
        text = ngettext(
            "With %(n)s more player nobody would sit out.",
            "With %(n)s more players nobody would sit out.",
            4 - over,
        )
        return text % {"n": 4 - over}
    if len(plan.inputs["units"]) % 2 == 0:
        return ""
    if plan.movement == TEAMS:
        return _("The number of teams is odd. With one more team every team has a match.")
    return _("The number of pairs is odd. With one more pair nobody would sit out.")


def movement_line(kind: str, count: int) -> str:
    """Return what a movement with partners gives for those who are here; "" for too few.

    Args:
        kind: `whist`, or movement and variation as in `pairs:mitchell`.
        count: the players of whist, the pairs or the teams.
    """
    movement, _colon, variation = kind.partition(":")
    try:
        facts = movement_facts(movement, count, variation="" if movement == WHIST else variation)
    except Refused:
        return ""
    tables = ngettext("%(n)s table", "%(n)s tables", facts.tables) % {"n": facts.tables}
    rounds = ngettext("%(n)s round", "%(n)s rounds", facts.rounds) % {"n": facts.rounds}
    text = {
        WHIST: ngettext("%(n)s player", "%(n)s players", count),
        TEAMS: ngettext("%(n)s team", "%(n)s teams", count),
    }.get(movement, ngettext("%(n)s pair", "%(n)s pairs", count))
    line = _("%(here)s: %(tables)s a round, full set %(rounds)s, %(out)s %(nearness)s")
    if variation == "swiss":
        line = _("%(here)s: %(tables)s a round, %(out)s")
    said = line % {
        "here": text % {"n": count},
        "tables": tables,
        "rounds": rounds,
        "out": _out(facts, movement),
        "nearness": _nearness(facts),
    }
    return said.strip()


def _out(facts: MovementFacts, movement: str) -> str:
    n = facts.sitting_out
    if not n:
        return _("nobody sits out.")
    text = {
        WHIST: ngettext("%(n)s player sits out.", "%(n)s players sit out.", n),
        TEAMS: _("one team has no match."),
    }.get(movement, _("one pair sits out."))
    return text % {"n": n}


def _nearness(facts: MovementFacts) -> str:
    """Return how near the full set is to what the movement promises; "" where it keeps it."""
    if facts.figures is None:
        return _("A search makes the plan.")
    if facts.is_exact:
        return ""
    return _("In the full set %(n)s partners or opponents meet once too often.") % {
        "n": facts.figures.partner_excess + facts.figures.opponent_excess
    }


def partnership_facts(plan: SeatingPlan, rounds: Sequence[RoundOfPlan]) -> Iterator[PlanFact]:
    """Yield how often partners and opponents come again, and the rounds of the full set."""
    planned = [PlannedRound(one.tables, one.sitting_out) for one in rounds]
    if plan.movement == WHIST:
        found = whist_figures(len(plan.inputs["present"]), planned)
        sets = -(-len(rounds) // found.full_set)
        never = ngettext(
            "Nobody has the same partner twice.",
            "Nobody has the same partner more than %(n)s times.",
            sets,
        )
        yield _repeats(_("Partners again"), found.partner_excess, found.partner_bound, never, sets)
        never = _("Nobody plays against the same player more than %(n)s times.")
        yield _repeats(
            _("Opponents again"), found.opponent_excess, found.opponent_bound, never, 2 * sets
        )
        yield from _full_set(plan, found, len(rounds))
        return
    found = figures_of_units(
        plan.movement, plan.inputs.get("variation", ""), plan.inputs["units"], planned
    )
    whole = {name: plan.cost[name] for name in _OF_EVENT if name in plan.cost}
    found = replace(found, **whole)
    sets = found.sets
    never = (
        ngettext(
            "No two teams play each other twice.",
            "No two teams play each other more than %(n)s times.",
            sets,
        )
        if plan.movement == TEAMS
        else ngettext(
            "No two pairs play each other twice.",
            "No two pairs play each other more than %(n)s times.",
            sets,
        )
    )
    yield _repeats(_("Meet again"), found.opponent_excess, found.opponent_bound, never, sets)
    yield from _full_set(plan, found, len(rounds))


def _repeats(name: str, excess: int, bound: int, never: str, most: int) -> PlanFact:
    if not excess:
        text = never % {"n": most}
    elif bound >= excess:
        text = _("Fewer are not possible.")
    else:
        text = _("At least %(n)s in any plan.") % {"n": bound} if bound else ""
    return PlanFact(name, str(excess), text)


def _full_set(plan: SeatingPlan, figures: MovementFigures, rounds: int) -> Iterator[PlanFact]:
    full = figures.full_set
    value = ngettext("%(n)s round", "%(n)s rounds", full) % {"n": full}
    if plan.movement == WHIST and len(plan.inputs["present"]) % 4 > 1:
        text = _("Then everybody was everybody's partner once at most and opponent twice at most.")
    elif plan.movement == WHIST:
        text = _("Then everybody was everybody's partner once and opponent twice.")
    elif plan.inputs.get("variation") == "mitchell":
        text = _("Then every pair of one field has met every pair of the other.")
    elif plan.movement == TEAMS:
        text = _("Then every team has met every other team.")
    else:
        text = _("Then every pair has met every other pair.")
    if unmet := plan.cost.get("unmet"):
        left = ngettext(
            "After this plan %(n)s match is left.", "After this plan %(n)s matches are left.", unmet
        )
        text = f"{text} {left % {'n': unmet}}"
    elif unmet == 0 and plan.inputs.get("variation") != "mitchell":
        text = _("After this plan no match is left.")
    if rounds > full:
        text = f"{text} {_('This plan is longer, so some meet again.')}"
    yield PlanFact(_("Full set"), value, text)
