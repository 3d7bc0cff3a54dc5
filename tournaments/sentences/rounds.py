"""Sentences about rounds, their tables and their clock."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_round": _("There is no round with that number in this event."),
    "unknown_table": _("There is no table with that code in this event."),
    "round_not_open": _("Round {round} is {state}. A director can correct it with a reason."),
    "round_is_draft": _(
        "Round {round} is a draft. Hands can be entered after the director posts it."
    ),
    "hands_disputed": _("Round {round} has a disputed hand. Resolve it first."),
    "bad_round_number": _("A round cannot have the number {found}. Expected: {expected}."),
    "round_exists": _("Round {round} already exists."),
    "round_has_tables": _("Round {round} has tables. Only an empty draft can be deleted."),
    "round_has_no_clock": _("No clock runs in round {round}."),
    "round_extended": _(
        "Somebody else just changed the time of round {round}: {minutes} minutes were added so far."
    ),
    "bad_minutes": _("A round cannot be extended by {found} minutes. Expected: {expected}."),
    "round_has_no_table": _("Round {round} has no tables yet. Seat a table first."),
    "round_has_hands": _(
        "Hands of round {round} have been entered, so it cannot become a draft again."
    ),
    "round_is_closed": _("Round {round} is closed. Reopen it before you change its tables."),
    "games_still_open": _("Open tables in round {round}: {tables}. Close or abandon them first."),
    "no_table_to_redraw": _(
        "Round {round} has no table without hands to redraw. Redraw all its tables, or change "
        "the players of one."
    ),
    "bad_redraw_scope": _("A round cannot be redrawn for “{found}”. Expected: {expected}."),
    "redraw_complete_tables": _(
        "Tables of round {round} are complete: {tables}. Redraw the tables without hands, or "
        "reopen the complete tables first."
    ),
    "redraw_discards_hands": _(
        "Redrawing all tables of round {round} discards hands. Tables, with the number of their "
        "hands: {tables}. Check them and confirm again."
    ),
    "present_without_seat": _(
        "Round {round} has no seat for {players}. Seat them or let them sit out, then post the "
        "round."
    ),
    "seated_player_left": _(
        "{players} left and still have a seat in round {round}. Give the seat to somebody else, "
        "then post the round."
    ),
    "round_seating_outdated": _(
        "The seating of round {round} has changed. Check the current seating, then change it."
    ),
    "bad_seating_change": _(
        "The change “{found}” is not about players and tables of this round. Pick one player or "
        "two, or a table."
    ),
    "bad_tables": _("These tables cannot be read: {found}. Expected: {expected}."),
    "too_many_picked": _(
        "You picked {found} players. Pick two to swap, one to move, or players who wait for a new "
        "table."
    ),
    "nobody_picked": _("Tick the players of the table first."),
    "player_not_free": _(
        "{player} is not free: not here, or at a table that is still playing. Pick other players."
    ),
    "too_few_free": _(
        "{found} players are free, too few for a table of {least}. Wait for more players."
    ),
    "previous_round_open": _(
        "Round {round} is not closed. Open tables: {tables}. Close it, then seat the next round."
    ),
    "table_exists": _("Table {table} is already seated."),
}
