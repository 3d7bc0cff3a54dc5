"""Sentences about plans with partners: whist, pairs and matches of teams."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "plan_partners_changed": _(
        "Pairs or teams were changed after this plan was made: {names}. Make new plans."
    ),
    "plan_partners_left": _(
        "{names} cannot play this round, and its tables need all partners. Make new plans for "
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
    "team_too_large": _(
        "{name} has {found} players here, and at most {most} play in a match. Check out those who "
        "rest."
    ),
    "too_few_pairs_or_teams": _(
        "{found} pairs or teams are here, and at least {least} are needed. Enter more of them "
        "under Entrants."
    ),
}
