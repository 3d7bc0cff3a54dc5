"""Sentences about stages: planned, begun, and who goes on."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "table_tied": _(
        "{level} are tied at table {table} and in the standings, and not all of them can go on. "
        "Change how many of each table go on, or break the tie with a penalty or a bonus."
    ),
    "wild_cards_tied": _(
        "{level} are tied in the standings for the last wild card. Choose {fits} wild cards."
    ),
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
    "stage_has_rounds": _("A round of {stage} was posted, so the stage cannot change."),
    "stage_has_begun": _("{stage} has begun, so who plays in it cannot change."),
    "stage_is_source": _("{later} takes its entrants from {stage}. Change {later} first."),
    "stage_not_next": _("Begin {first} before {stage}, or change their order."),
    "winners_not_chosen": _(
        "Nobody has gone on from {stage} yet. Begin the stage for those who go on first."
    ),
    "nobody_left": _("Everybody of {stage} has gone on, so nobody is left for this stage."),
}
