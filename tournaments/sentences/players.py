"""Sentences about the players of a club: names, numbers, lists, merging and erasing."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_player": _("There is no player with that id in this club."),
    "unknown_merge": _("{player} is not merged into another player."),
    "merge_same_player": _("{player} cannot be merged with itself. Choose another player."),
    "merge_two_accounts": _(
        "{player} and {into} are linked to two different accounts. Unlink one of them first."
    ),
    "merge_same_round": _(
        "{player} and {into} both take part in round {round} of {event}, so they are two people. "
        "Correct the seating there first, if it is wrong."
    ),
    "merge_same_entrant": _(
        "{player} and {into} play together as {entrant} in {event}, so they are two people."
    ),
    "merge_two_entrants": _(
        "In {event}, {player} competes as {first} and {into} as {second}. A player competes once "
        "in an event. Change the members of the pair or team first."
    ),
    "merge_each_other": _(
        "{player} and {into} challenged each other in {event} (challenge {challenge}), so they are "
        "two people."
    ),
    "merge_open_challenges": _(
        "In {event}, challenges {first} and {second} are both open, and a player can have one of "
        "them. Resolve one first."
    ),
    "merge_same_playoff": _(
        "{player} and {into} both play in play-off {playoff} of {event}, so they are two people."
    ),
    "merge_in_use": _(
        "The merge of {player} into {into} cannot be undone: something has been added or changed "
        "since ({what} {event})."
    ),
    "erasure_not_confirmed": _(
        "You entered “{found}”. Enter the player's number {expected} to confirm."
    ),
    "erasure_asked": _("{player} has asked to be erased already. An owner of the club decides."),
    "unknown_erasure": _("{player} has not asked to be erased."),
    "erasure_pending": _(
        "{player} has asked to be erased. Erase the player or decline the request first."
    ),
    "line_without_name": _("Line {line} has only the id {player_id}. Add the name."),
    "line_too_long": _("Line {line}: the name has {found} characters. The maximum is {expected}."),
    "player_id_too_long": _(
        "Line {line}: the id has {found} characters. The maximum is {expected}."
    ),
    "player_id_of_another": _("Line {line}: the id {player_id} belongs to {who}."),
    "player_id_twice": _("Line {line}: the id {player_id} is already on line {other}: {who}."),
    "too_many_lines": _("The list has {found} lines. The maximum is {expected}."),
    "nobody_to_add": _("All players are already in the club. Enter at least one new name."),
    "list_changed": _("The names or the club's list have changed. Check the new preview."),
    "unknown_roster": _("This club has no pasted list with that number."),
    "player_id_not_usable": _(
        "The player id “{found}” cannot be used in an address. Use letters or digits."
    ),
    "number_too_long": _("This number has {found} characters. The maximum is {expected}."),
    "nickname_too_long": _("This nickname has {found} characters. The maximum is {expected}."),
    "nickname_taken": _(
        "“{found}” is already the name, nickname or number of {player}. Choose another nickname."
    ),
    "player_id_is_used": _(
        "{player} is entered in an event. Results and addresses use the number, so it cannot "
        "change."
    ),
    "player_outdated": _(
        "Somebody changed this player meanwhile. Check the current details, then change them."
    ),
    "bad_names_policy": _("Names cannot be shown as “{found}”. Choose one of these: {expected}."),
    "shown_as_is_own": _(
        "{player} has an account and chooses how their name is shown on the page “My name”."
    ),
    "player_id_taken": _("The player id {player_id} is already taken in this club."),
    "player_id_is_a_code": _(
        "The id {player_id} is already the code of a pair or team of “{event}”. Choose another "
        "player id."
    ),
    "nobody_of_that_name": _("“{found}” is not on the club's list of players."),
    "one_or_several_people": _(
        "“{found}” has a comma. Is this one person, or are these {n} people?"
    ),
    "name_of_several": _("“{found}” matches several players. Choose one, or enter the id: {ids}."),
}
