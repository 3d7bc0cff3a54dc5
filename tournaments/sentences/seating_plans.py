"""Sentences about seating plans, their constraints, and open nights."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_plan": _("This plan is not there any more. Look at the plans of the evening."),
    "unknown_constraint": _("There is no such constraint in this event."),
    "bad_table_sizes": _(
        "Tables of {found} are not allowed by the rules of this event. Use {expected}."
    ),
    "bad_seed": _("A seed is a whole number from 0 to {most}, not {found}."),
    "plan_failed": _("No plan was found here. Change the rounds, table sizes or constraints."),
    "plan_outdated": _("{left} cannot play all rounds of this plan any more. Make new plans."),
    "plan_round_is_over": _(
        "{found} rounds were posted after this plan was made. Make new plans for the rounds to "
        "come."
    ),
    "plan_scores_changed": _(
        "The standings changed after this Swiss round was planned. Make new plans."
    ),
    "plan_lacks_players": _(
        "{came} came after this plan was made. Make new plans, or choose this one anyway: the "
        "people who came are on the waiting list then."
    ),
    "bad_constraint_kind": _("{found} is not a kind of constraint. Expected: {expected}."),
    "bad_fixed_table": _("A fixed table has a number from 1 to {most}."),
    "constraint_exists": _("{player} has this constraint already. Remove it first."),
    "no_plan_chosen": _("No plan is chosen for {date}. Choose one, then seat its rounds."),
    "no_ladder_order": _(
        "Nobody here has a place in the ladder or in the standings yet. Use another kind of plan."
    ),
    "round_not_closed": _(
        "Round {round} is not closed. Close all rounds, so that the next one is planned by "
        "their results."
    ),
    "standings_not_published": _(
        "The standings do not have all results yet. Publish them, or wait a moment, and plan the "
        "round then."
    ),
    "open_night_has_no_rounds": _(
        "An open night has no planned rounds. Form tables from the players who are free."
    ),
    "no_open_night": _("The plan chosen for {date} is not an open night. Choose an open night."),
    "plan_not_chosen": _("This plan is not the chosen one. Choose it before you seat its rounds."),
    "plan_not_ready": _("This plan is still being computed. Wait, or take the best plan so far."),
    "plan_has_no_more_rounds": _(
        "All {rounds} rounds of the plan are seated. Make a plan for further rounds."
    ),
    "bad_plan_round": _("The plan has no round {found}. Expected: {expected}."),
    "planned_players_changed": _(
        "Round {round} of the plan does not fit any more. Left: {gone}. Not in the plan: {came}. "
        "Seat the round with the changes that are proposed, or make a new plan."
    ),
}
