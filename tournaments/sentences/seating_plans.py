"""Sentences about seating plans, of single players and of partners: whist, pairs and teams."""

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
    "plan_outdated": _("{left} cannot play all rounds of this plan any more. Create new plans."),
    "plan_round_is_over": _(
        "{found} rounds were posted after this plan was made. Create new plans for the rounds to "
        "come."
    ),
    "plan_scores_changed": _(
        "The standings changed after this Swiss round was planned. Create new plans."
    ),
    "plan_lacks_players": _(
        "{came} came after this plan was made. Create new plans, or choose this one anyway: the "
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
    "no_boards_move": _(
        "No boards move between tables in round {round}. Deal boards that move, or choose another "
        "kind of plan."
    ),
    "moving_seats_differ": _(
        "Round {round} was not seated as its boards move, so the next round cannot be planned. "
        "Seat tables by hand."
    ),
    "plan_of_other_boards": _(
        "This round of the plan is for the boards of round {expected}, and this is round {round}. "
        "Make a new plan."
    ),
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
    "plan_partners_changed": _(
        "Pairs or teams were changed after this plan was made: {names}. Create new plans."
    ),
    "plan_partners_left": _(
        "{names} cannot play this round, and its tables need all partners. Create new plans for "
        "those who stay: rounds that were played are taken into account."
    ),
    "bad_variation": _("{found} is not a variation of this movement. Expected: {expected}."),
    "movement_needs_sides": _(
        "This kind of evening needs rules with two sides of two, such as Partnership Hearts. "
        "Change the variant in the settings of the event, or use another kind of plan."
    ),
    "whist_of_pairs": _(
        "Partners change every round in a whist evening, but pairs or teams are entered: {names}. "
        "Withdraw them, or plan an evening of pairs."
    ),
    "players_without_partner": _(
        "Not in a pair: {names}. Enter them as pairs under Entrants, add a constraint “Always at "
        "one table” for two who play together this evening, or check them out."
    ),
    "players_without_team": _(
        "Not in a team: {names}. Enter them in a team under Entrants, or check them out."
    ),
    "pair_incomplete": _(
        "{name}: {missing} is not here. Check in {missing}, let a substitute play by a constraint "
        "“Always at one table” with the partner, or check the partner out."
    ),
    "team_is_no_pair": _(
        "{name} has {found} players here, and a pair has two. Plan team matches, or check in two."
    ),
    "team_incomplete": _(
        "{name} has {found} of the {expected} players that a match needs. Not here: {missing}. "
        "Check them in, change the team under Entrants, or check its players out: the team then "
        "has no match."
    ),
    "team_too_small": _(
        "{name} has {found} players, and a match needs {expected}. Add a player to the team under "
        "Entrants, choose team matches at one table, or check its players out: the team then has "
        "no match."
    ),
    "team_too_large": _(
        "{name} has {found} players here, and at most {most} play in a match. Check out those who "
        "rest."
    ),
    "too_few_pairs_or_teams": _(
        "{found} pairs or teams are here, and at least {least} are needed. Enter more of them "
        "under Entrants."
    ),
}
