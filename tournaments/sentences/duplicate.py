"""Sentences about deals and boards of duplicate events."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_board": _("There is no board with that number in this event."),
    "not_duplicate": _(
        "This event is not duplicate, so it has no boards. Turn on “Duplicate” in its settings "
        "first."
    ),
    "bad_number_of_boards": _(
        "{found} boards cannot be dealt. Enter a whole number from 1 to {most}."
    ),
    "bad_board_rounds": _("{found} cannot be used. Enter a whole number from {least} to {most}."),
    "boards_exist": _(
        "The event already has these boards: {boards}. Number the boards of the file differently."
    ),
    "deal_file_unreadable": _(
        "This file is not a deal file. Choose a PBN file or a JSON file with deals, up to 2 MB."
    ),
    "deals_needed": _("Send exactly one of count, deals and pbn."),
    "unknown_hand_records": _(
        "No deal may be shown yet. A deal is shown once every table has played it, or its round is "
        "closed."
    ),
    "unknown_deals": _(
        "The event has no deals with that commitment. The list of boards has those that it has."
    ),
    "deals_played": _(
        "Board {board} was played in hand {hand} at table {table}. Deals can be deleted only while "
        "no hand has been entered with them, deleted hands included."
    ),
    "deals_unreadable": _(
        "The cards cannot be read any more, because the server has another key. Delete these deals "
        "and make new boards."
    ),
    "printer_plays": _(
        "{player} plays in this event. Somebody who does not play prints the deals."
    ),
    "board_known_to_player": _(
        "{player} has printed the deal of board {board}, and so cannot play it. Seat somebody else "
        "for this board."
    ),
    "duplicate_has_deals": _(
        "The event has deals. Delete them under Boards before you turn off “Duplicate”."
    ),
    "board_needed": _("In a duplicate event each hand names its board. Enter the board number."),
    "board_not_expected": _("This table does not play boards. Leave the board out."),
    "no_such_board": _("The event has no board {found}. Its boards: {known}."),
    "totals_without_boards": _(
        "A sheet with totals only cannot be compared by boards. Enter the hands one by one."
    ),
    "board_not_for_table": _(
        "Boards are for tables of four with one pack of 52 cards. This table is not one."
    ),
    "board_of_another_round": _(
        "Board {board} belongs to round {expected}, and this table plays round {found}. Check the "
        "number on the board."
    ),
    "boards_fill_no_sets": _(
        "{found} boards are not {tables} sets of {each}. For {tables} tables with {each} boards in "
        "each round, {expected} boards are needed."
    ),
    "board_at_another_table": _(
        "Board {board} is at table {expected} in round {round}, and this is table {found}. Check "
        "the number on the board."
    ),
    "board_not_in_round": _(
        "Board {board} is played in rounds {first} to {last}, and this table plays round {found}. "
        "Check the number on the board."
    ),
    "board_played_at_table": _(
        "This table has already played board {board}, in hand {hand}. Check the number on the "
        "board."
    ),
    "board_played_by_player": _(
        "{player} has already played board {board}, at table {table}. Nobody plays a board twice."
    ),
}
