"""Sentences about imports of files, their columns and their problems."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_problem": _("There is no problem with that number in this import."),
    "unknown_import": _("There is no import with that number in this event."),
    "import_waits": _(
        "Import {number} has hands for round {round} that are not imported yet. Import them, or "
        "discard the file, on its page."
    ),
    "import_running": _(
        "Import {number} is still running. Wait until it is done. If it has stopped, run it again "
        "or undo it on its page."
    ),
    "import_undoing": _("Import {number} is being undone. Wait until that is done."),
    "undo_needs_open_event": _(
        "The event is {state}. An import is undone while its event is open: open the event again "
        "first."
    ),
    "undo_needs_director": _("Tables of this import are final. A director can undo it."),
    "undo_event_not_open": _(
        "The event is {state}, so the import was not undone or only in part. Undo it again while "
        "the event is open."
    ),
    "undo_not_allowed": _(
        "The person who asked for the undo may no longer import into this event, so the import was "
        "not undone or only in part. A host or director can undo it."
    ),
    "undo_of_final_tables": _(
        "Some tables of this import are now final, and the person who asked for the undo may "
        "not correct final tables. The import was not undone or only in part. A director can "
        "undo it."
    ),
    "import_corrects_closed": _(
        "A result of this file corrects a game of a closed round. A director may import it."
    ),
    "import_not_allowed": _(
        "The person who uploaded this file may no longer import into this event, so the import "
        "stopped. A host or director can upload it again."
    ),
    "unknown_heads": _(
        "{why} Unknown columns: {found}. Create a mapping for these columns; the club can use "
        "it again."
    ),
    "bad_mapping": _("{field} cannot be {found}. Expected: {expected}."),
    "two_columns": _("Two columns are {field}: {found}. Choose one of them."),
    "column_needed": _(
        "No column gives {says}. The columns are: {found}. Choose {right} for the right column."
    ),
    "column_gone": _("This file no longer has a column {found}."),
    "value_needed": _("The file does not give the {field}. Give one value for the whole file."),
    "mapping_name_taken": _("The club already has a mapping called {found}."),
    "unknown_mapping": _("This club has no mapping with that number."),
    "unreadable_file": _("{why} Nothing was saved."),
    "import_moved_on": _("Import {number} has changed. Check its current state."),
    "problem_outdated": _("The problem or the stored hand has changed. Compare both hands again."),
    "no_file_hand": _(
        "Problem {code} has no usable hand in the file. Dismiss the problem or correct its rows."
    ),
    "too_many_sheets": _(
        "The request has more than {most_sheets} sheets or {most_hands} hands. Send the sheets in "
        "several requests, or upload a file."
    ),
    "bad_sheets": _("{field} cannot be {found}. Expected: {expected}."),
    "bad_table_number": _("A table cannot have the number {found}. Expected: {expected}."),
    "repeated_sheet": _(
        "Table {table} of round {round} has two sheets in this request. Send one sheet for each "
        "table."
    ),
    "repeated_hand": _("The sheet has two hands with the number {number}. Check their numbers."),
    "ambiguous_name": _("Two players of the club are called {player}: {like}. Send an id."),
    "player_at_two_tables": _(
        "{player} sits at tables {tables} of this round. Correct the players of one sheet."
    ),
    "players_disagree": _("The event has other players there: {expected}."),
    "sheet_does_not_fit": _("The event already has this table with {expected}."),
    "dates_disagree": _("The sheet has the date {found}, but the round has {expected}."),
}
