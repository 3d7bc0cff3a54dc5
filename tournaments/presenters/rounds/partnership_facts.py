"""Plans with partners in words: their kind, the full set of rounds, repeats. For directors only."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.seating.partnership_figures import (
    full_set,
    least_partner_repeats,
    partnership_figures,
    unit_repeats,
)
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


def partnership_facts(plan: SeatingPlan, rounds: Sequence[RoundOfPlan]) -> Iterator[PlanFact]:
    """Yield how often partners and opponents come again, and the rounds of the full set."""
    tables = [one.tables for one in rounds]
    if plan.movement == WHIST:
        players = len(plan.inputs["present"])
        figures = partnership_figures(tables)
        yield _repeats(
            _("Partners again"),
            figures.partners,
            least_partner_repeats(players, tables),
            _("Nobody has the same partner twice."),
        )
        yield _opponents(figures.opponents, figures.most_opponents)
        yield from _full_set(plan, players, len(rounds))
        return
    units = plan.inputs["units"]
    repeats, least = unit_repeats(units, tables)
    never = (
        _("No two teams play each other twice.")
        if plan.movement == TEAMS
        else _("No two pairs play each other twice.")
    )
    yield _repeats(_("Meet again"), repeats, least, never)
    yield from _full_set(plan, len(units), len(rounds))


def _repeats(name: str, repeats: int, least: int, never: str) -> PlanFact:
    if not repeats:
        text = never
    elif least >= repeats:
        text = _("Fewer are not possible.")
    else:
        text = _("At least %(n)s in any plan.") % {"n": least}
    return PlanFact(name, str(repeats), text)


def _opponents(excess: int, most: int) -> PlanFact:
    text = _("Nobody plays against the same player more than twice.")
    if excess:
        text = ngettext("%(n)s time beyond the second.", "%(n)s times beyond the second.", excess)
        text %= {"n": excess}
    return PlanFact(_("Opponents again"), _("up to %(n)s×") % {"n": most}, text)


def _full_set(plan: SeatingPlan, units: int, rounds: int) -> Iterator[PlanFact]:
    full = full_set(plan.movement, plan.inputs.get("variation", ""), units)
    if full is None:
        return
    value = ngettext("%(n)s round", "%(n)s rounds", full) % {"n": full}
    if plan.movement == WHIST:
        text = _("Then everybody was everybody's partner once and opponent twice.")
    elif plan.inputs.get("variation") == "mitchell":
        text = _("Then every pair of one field has met every pair of the other.")
    elif plan.movement == TEAMS:
        text = _("Then every team has met every other team.")
    else:
        text = _("Then every pair has met every other pair.")
    if rounds > full:
        text = f"{text} {_('This plan is longer, so some meet again.')}"
    yield PlanFact(_("Full set"), value, text)
