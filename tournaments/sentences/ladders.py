"""Sentences about ladders: challenges and absences."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_ladder": _("This event is not a ladder."),
    "unknown_challenge": _("There is no challenge with that number on this ladder."),
    "unknown_absence": _("{member} has no current absence."),
    "challenger_needed": _(
        "Choose the challenger: your account does not belong to a member of this ladder."
    ),
    "challenged_needed": _("Choose the player to challenge."),
    "member_needed": _("Choose a member: your account does not belong to a member of this ladder."),
    "challenge_not_yours": _("Only {other} can do this, not {member}."),
    "challenge_cancel_asked": _(
        "{member} has already asked to cancel the challenge. The other player has to agree."
    ),
    "challenge_result_missing": _("Send the result as a table or as totals."),
    "challenge_result_needed": _("Give either the table or the totals of all players."),
    "challenge_side_needed": _("Choose who postpones the game: the challenger or the challenged."),
    "challenge_game_open": _("The game at table {table} is not over, or does not count."),
    "challenge_game_taken": _("Table {table} is already the game of challenge {number}."),
    "challenge_game_early": _(
        "Table {table} was played on {found}, before the challenge was sent on {sent}."
    ),
    "challenge_bad_day": _(
        "{found} cannot be the day of this game. The day must be from {first} to {last}."
    ),
    "absence_backdated": _(
        "{found} is in the past; today is {today}. A host can enter the absence."
    ),
    "absence_exists": _("{member} already has an absence that begins on {found}."),
}
