"""Sentences about stages: planned, begun, and who goes on."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "table_tied": _(
        "{level} are tied at table {table}, and not all of them can go on. Create a play-off of "
        "the tied entrants, or finish it; or change how many of each table go on."
    ),
    "table_tie_open": _(
        "{level} are tied for place {place} at table {table} of round {round}, the last one that "
        "goes on. Play-off {playoff} decides: finish it, or draw the lot on its page."
    ),
    "table_tie_found": _(
        "{level} are tied for place {place} at table {table} of round {round}, the last one that "
        "goes on. Their play-off is being prepared. Try again in a few seconds."
    ),
    "wild_card_tie_open": _(
        "{level} are tied for the last wild card of round {round}. Play-off {playoff} decides: "
        "finish it, or draw the lot on its page."
    ),
    "wild_card_tie_found": _(
        "{level} are tied for the last wild card of round {round}. Their play-off is being "
        "prepared. Try again in a few seconds."
    ),
    "round_was_drawn": _(
        "Round {round} was drawn from the round before. Withdraw its posting while it has no hand, "
        "and plan it again, or keep the qualifiers."
    ),
    "round_was_played": _(
        "Hands have been entered in round {round}, so it cannot be drawn again. Keep the "
        "qualifiers."
    ),
    "wild_cards_tied": _(
        "{level} are tied in the standings for the last wild card. Create a play-off of the tied "
        "entrants, or finish it; or choose {fits} wild cards."
    ),
    "stage_without_standings": _(
        "{stage} has no standings yet: no hand of it counts, or they are still being computed."
    ),
    "stage_outdated": _("Somebody changed this stage meanwhile. Look at it, and change it again."),
    "unknown_movement": _("“{found}” is not a movement. Choose {expected}."),
    "bad_stage_rounds": _("“{found}” is not a valid number of rounds. Enter 1 to 99, or nothing."),
    "bad_stage_sizes": _(
        "“{found}” is not a list of table sizes. Enter different numbers from 2 to 13, for example "
        "4, 3."
    ),
    "unknown_carry": _("“{found}” cannot be carried over. Choose {expected}."),
    "unknown_takes": _("“{found}” is not one of the choices. Choose {expected}."),
    "unknown_seeding": _("“{found}” is not a seeding. Choose {expected}."),
    "bad_advance": _(
        "“{found}” does not say who goes on. Enter the best of the standings (2 to 999), or the "
        "best of each table (1 to 13) with wild cards (0 to 999)."
    ),
    "bad_each_round": _(
        "“{found}” does not say who goes on from each round. Enter the best of each table (1 to "
        "13) and wild cards (0 to 999)."
    ),
    "bad_from_round": _(
        "“{found}” is not the number of a round. Enter 1 for the first round of the knock-out, 2 "
        "for the second one, and so on."
    ),
    "bad_also_best": _(
        "“{found}” does not say how many come back from the second stage. Enter 1 to 999."
    ),
    "unknown_also_from": _(
        "Stage “{found}” is not before this one, so nobody can come back from it. Choose an "
        "earlier stage."
    ),
    "also_from_twice": _(
        "The stage takes its entrants from {stage} already. Choose another stage that some come "
        "back from."
    ),
    "also_best_too_many": _(
        "Only {most} play in {stage}, so {found} cannot come back from it. Enter a number up to "
        "{most}."
    ),
    "also_from_alone": _(
        "Choose a second stage and how many of its best come back, or leave both empty."
    ),
    "also_from_without_rule": _(
        "Some come back from a second stage only where others did not go on. Enter who goes on "
        "from {stage}, too."
    ),
    "each_round_of_knockout": _(
        "Only in a knock-out the best of each table go on from each round. Clear the field, or "
        "choose the movement Knock-out."
    ),
    "from_round_of_knockout": _(
        "Only a consolation of a knock-out takes the losers of one round. Leave the round empty, "
        "or take the losers of a knock-out."
    ),
    "stage_not_playing": _(
        "Stage {found} has not begun. Begin it on the page of the stages, or choose another stage."
    ),
    "knockout_too_few": _(
        "{found} players are here for {stage}. Its smallest table has {least} seats. Check in more "
        "players, or change the table sizes of the stage."
    ),
    "knockout_without_results": _(
        "Nobody has a result in round {round}. Reopen the round and enter its hands or walk-overs."
    ),
    "unknown_from_stage": _("Stage “{found}” is not before this one. Choose an earlier stage."),
    "consolation_needs_from_stage": _(
        "Choose the stage whose other entrants play in this consolation."
    ),
    "consolation_takes_all": _(
        "A consolation is for everybody who did not go on. Leave the number of qualifiers empty."
    ),
    "more_than_before": _(
        "Only {found} entrants play in {stage}, so {wanted} cannot go on from it."
    ),
    "first_stage_is_for_all": _(
        "The first stage is for all entrants. Leave out who goes on to it."
    ),
    "too_many_stages": _("An event has at most {most} stages."),
    "bad_stage_place": _("A planned stage can move to place {expected}, not to “{found}”."),
    "stage_has_rounds": _(
        "A round of {stage} was posted, so only its number of rounds can change."
    ),
    "stage_has_begun": _("{stage} has begun, so who plays in it cannot change."),
    "stage_is_source": _("{later} takes its entrants from {stage}. Change {later} first."),
    "stage_not_next": _("Begin {first} before {stage}, or change their order."),
    "winners_not_chosen": _(
        "Nobody has gone on from {stage} yet. Begin the stage for those who go on first."
    ),
    "not_in_a_knockout": _(
        "Round {round} is not part of a knock-out and has no matches of teams. Take the player out "
        "of the round under “Seating” instead."
    ),
    "walk_over_recorded": _(
        "“{found}” has given up a table of round {round} before. Reload the page."
    ),
    "no_walk_over": _("“{found}” has not given up table {table}. Choose an entrant who has."),
    "not_at_this_table": _(
        "“{found}” does not sit at table {table}. Choose an entrant who sits there."
    ),
    "nobody_goes_on": _(
        "{name} is the last one at table {table}. Somebody has to go on: leave this entrant."
    ),
    "nobody_left": _("Everybody of {stage} has gone on, so nobody is left for this stage."),
}
