"""Sentences about the players of one table, and changes of them."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "table_abandoned": _("Table {number} was abandoned and takes no hands. Ask the director."),
    "table_is_left": _(
        "Table {table} has no players any more, so hand {number} cannot be entered there. Enter "
        "the hand at the players' present table, or seat them at a new one."
    ),
    "players_sit_elsewhere": _(
        "Hand {number} cannot be restored, because {player} now sits at table {table_number} of "
        "this round. Change the seats of table {table_number} first, or leave the hand deleted."
    ),
    "players_moved": _(
        "Players have changed seats since this page was opened: {players}. Check that each number "
        "is beside the right player, then save again."
    ),
    "table_has_hands": _(
        "Hands have been entered at table {table}, so its seats and rules cannot change. Use "
        "“Change players”, or delete the hands."
    ),
    "seat_is_empty": _("Enter a player for seat {seat}."),
    "same_player_twice": _(
        "{player} ({player_id}) is entered twice. Choose another player for one seat."
    ),
    "player_already_seated": _(
        "{player} sits at table {table} of this round. Swap the players, or free table {table} "
        "first."
    ),
    "player_sits_here": _("{player} already sits at this table, in seat {seat}. Swap the players."),
    "same_person": _("{player} already sits in this seat. Choose another player."),
    "nobody_to_swap": _(
        "{player} has no seat in round {round}, so a swap is not possible. Replace the player "
        "instead."
    ),
    "side_sits_apart": _(
        "{names} do not sit together on one side of a table in round {round}. Choose a side that "
        "plays in this round, or replace the players."
    ),
    "nobody_named": _("Enter a player."),
    "nobody_in_seat": _("Seat {seat} of table {table} is empty. Seat the table first."),
    "unknown_seat_number": _("This table has no seat {found}. It has seats {expected}."),
    "bad_from_hand": _("{found} is not a valid first hand. Expected: {expected}."),
    "bad_change_of_players": _("“{found}” is not allowed here. Expected: {expected}."),
    "totals_not_divided": _(
        "Table {table} has totals only, which cannot be divided between players. Keep the "
        "scores with the seat from hand 1, or delete the totals."
    ),
    "no_hands_to_come": _(
        "Table {table} is over, so a new player would play no hand there. Keep the scores with the "
        "seat, or choose another player of this round."
    ),
    "scores_of_a_side": _(
        "The points were entered for a side, so they cannot follow one player to another side. "
        "Keep the scores with the seats, or delete the hands."
    ),
    "hand_refuses_seats": _(
        "Hand {number} of table {table} would become impossible with its scores at other seats. "
        "{why}"
    ),
    "player_in_two_seats": _(
        "{player} would sit in seats {seats} of table {table} for the same hand. Change the "
        "player of the other seat first, or choose another player."
    ),
    "challenge_needs_players": _(
        "Table {table} is the game of challenge {number}. Both players of the challenge must "
        "sit there."
    ),
    "seating_outdated": _(
        "The players or hands of table {table} have changed. Check the table again."
    ),
    "change_undone": _("This change of the players of table {table} is undone already."),
    "seats_moved_on": _(
        "The players of table {table} were changed again later. Undo the later change first."
    ),
    "unknown_change": _("There is no change of players with that number at this table."),
    "player_mismatch": _(
        "The entry has {found_name} in seat {seat}, where {expected_name} sits. Nothing was saved."
    ),
    "players_needed": _("No players are seated at this table yet. Give the players in seat order."),
    "bad_players": _("Players must be a list of player ids in seat order."),
}
