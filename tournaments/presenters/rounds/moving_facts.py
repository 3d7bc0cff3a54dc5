"""Boards of a duplicate event and plans in which they move, in words. For directors only."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.seating.movements.moving_boards import LINES
from tournaments.models.seating_plans import SeatingPlan
from tournaments.presenters.rounds.plan_fact import PlanFact
from tournaments.selectors.seating_plans.boards_to_plan import BoardsToPlan


def moving_title(plan: SeatingPlan) -> str:
    """Return what a plan with moving boards is called."""
    tables = len(plan.inputs["present"]) // LINES
    return _("boards move between %(n)s tables") % {"n": tables}


def moving_line(boards: BoardsToPlan, here: int) -> str:
    """Return how many players boards that move need, and how many are here."""
    return _("%(needed)s players are needed, %(here)s are here.") % {
        "needed": boards.players,
        "here": here,
    }


def moving_facts(plan: SeatingPlan) -> Iterator[PlanFact]:
    """Yield how often players meet, and that nobody has a board twice."""
    repeats = int(plan.cost["repeats"])
    yield PlanFact(_("Meet again"), str(repeats), _("No pair shares a table twice."))
    yield PlanFact(_("Boards twice"), "0", _("Everybody plays each set of boards once at most."))


def boards_in_words(boards: BoardsToPlan | None) -> str:
    """Return how many rounds from the next one on have boards; "" without any."""
    if boards is None:
        return ""
    if boards.tables:
        text = ngettext(
            "Boards move between %(tables)s tables in %(n)s more round.",
            "Boards move between %(tables)s tables in %(n)s more rounds.",
            boards.rounds_left,
        )
        return text % {"tables": boards.tables, "n": boards.rounds_left}
    text = ngettext(
        "Every table plays the same boards. %(n)s more round has boards.",
        "Every table plays the same boards. %(n)s more rounds have boards.",
        boards.rounds_left,
    )
    return text % {"n": boards.rounds_left}
