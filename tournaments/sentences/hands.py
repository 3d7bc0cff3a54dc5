"""Sentences about hands, sheets, photos and disputes."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_hand": _("There is no hand with that number at this table."),
    "unknown_dispute": _("There is no dispute with that number in this event."),
    "dispute_exists": _("You have already reported this: dispute {number} is about hand {hand}."),
    "bad_ruling": _("A dispute can be upheld or rejected, not {found}."),
    "adds_up": _(
        "The total of hand {number} is correct. Save the hand instead of marking it as disputed."
    ),
    "unknown_photo": _("There is no photo with that number at this table."),
    "hand_exists": _("Hand {number} already exists. To change it, send a revision with a reason."),
    "entry_outdated": _(
        "This hand has changed: you have revision {yours}, the current one is {theirs}."
    ),
    "not_a_photo": _("This file is not a readable picture. Choose a JPEG, PNG or WebP file."),
    "photo_too_large": _(
        "This photo is larger than {expected} MB. Take it again with a lower resolution."
    ),
    "photo_too_many_pixels": _(
        "This picture has more than {expected} million pixels. Take it again with a lower "
        "resolution."
    ),
    "too_many_photos": _(
        "This table already has {expected} photos. Ask a director to delete photos."
    ),
    "photo_is_gone": _("Photo {number} has already been deleted."),
    "nothing_to_undo": _("Hand {hand} has no earlier revision."),
    "undo_changes_nothing": _(
        "The previous revision of hand {hand} is the same, so there is nothing to undo. A "
        "director can delete the hand."
    ),
    "hand_needed_by": _("Hand {number} would become impossible without this hand. {why}"),
    "game_is_over": _("The game at table {table} is over and cannot be reopened."),
    "sheet_is_empty": _("Nothing is entered at this table yet, so there is nothing to check."),
    "double_entry_off": _("This event does not use double entry."),
    "typed_by_you": _(
        "You made the first entry of hand {hand}. Another person has to make the second entry."
    ),
    "hand_not_typed_again": _(
        "The second entry has no hand {hand}. A director can delete the hand."
    ),
    "sheet_changed": _(
        "The sheet changed while you were checking it. Check the current sheet below."
    ),
    "totals_alone": _("A game has either its totals or single hands, not both."),
    "bad_hand_number": _("A hand cannot have the number {found}. Expected: {expected}."),
    "bad_number_of_hands": _("{found} is not a valid number of hands. Expected: {expected}."),
}
