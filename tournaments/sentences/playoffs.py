"""Sentences about play-offs, stages and cuts."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_playoff": _("This event has no play-off with that number."),
    "playoff_waived": _("This play-off was waived. The tied entrants share the place."),
    "playoff_moved": _(
        "This table is closed. The play-off continues in round {round}. Enter the hand there."
    ),
    "playoff_by_hands": _(
        "A play-off needs single hands. A sheet with totals only cannot decide it."
    ),
    "table_place_shared": _(
        "This play-off decides who goes on from a round, so the place cannot be shared. Play it, "
        "or draw the lot."
    ),
    "playoff_not_asked": _("Play-off {playoff} needs no decision."),
    "playoffs_undecided": _(
        "Undecided play-offs: {n}. Decide or waive them before the event can be final."
    ),
    "cuts_asked": _(
        "Cuts affected by a correction: {n}. Decide them before the event can be final."
    ),
    "playoffs_looked_for": _("Ties are being checked. Try again in a few seconds."),
    "table_of_a_playoff": _(
        "Table {table} belongs to a play-off. Its state is managed by the play-off."
    ),
    "round_of_a_playoff": _(
        "Round {round} belongs to a play-off. Its state is managed by the play-off."
    ),
    "not_in_stage": _(
        "{player} has not qualified for {stage}. Only qualified entrants play in round {round}."
    ),
    "unknown_stage": _("This event has no stage with that number."),
    "bad_cut": _(
        "“{found}” is not a valid number of qualifiers. Enter a number from {least} to {most}."
    ),
    "nobody_can_qualify": _(
        "No entrant has a place in the standings yet. Play and close a round, wait until the "
        "standings are published, then try again."
    ),
    "cut_too_large": _("Only {found} entrants can qualify, not {wanted}. Enter a smaller number."),
    "cut_round_open": _(
        "Round {round} is {state}. Close it or remove its tables before you make a cut."
    ),
    "cut_tied": _(
        "{level} are tied at the cut after place {cut}. Choose {fits} qualifiers, or plan a "
        "stage for the best {cut}: on its page you can create a play-off of the tied entrants."
    ),
    "cut_playoff_open": _(
        "Play-off {playoff} decides who goes on to {stage}. Finish it, or make it void, and begin "
        "the stage then."
    ),
    "nothing_tied": _("No tie keeps {stage} from beginning. Begin it."),
    "cut_is_not_last": _("Stage {stage} already has a cut. Undo that cut first."),
    "cut_is_played": _("Hands have been entered in {stage}, so its cut cannot change."),
    "bad_cut_answer": _("The answer for a cut affected by a correction must be {expected}."),
    "nothing_asked": _("Stage {stage} needs no decision."),
}
