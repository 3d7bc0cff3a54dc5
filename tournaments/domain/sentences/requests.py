"""Sentences about HTTP requests, faults of the server, and imports of files."""

from typing import Final

from django.utils.translation import gettext_noop as _

REQUESTS: Final = {
    "request_in_progress": _(
        "A request with this key is still being processed. Send it again in a moment."
    ),
    "bad_choice": _("{field} cannot be {found}. Use one of: {known}."),
    "idempotency_key_reused": _("This key was already used for a different request."),
    "reason_required": _("Enter a reason in one sentence."),
    "already_undone": _("This was already undone."),
    "bad_day": _("{found} is not a date from 1900 to 2999. Enter a date such as 2025-10-30."),
    "preview_outdated": _("The standings have changed. Check the new preview, then save."),
    "bad_time": _("{found} is not a time. Enter a time such as 19:30."),
    "bad_moment": _("{found} is not a moment with its zone. Send it as 2025-11-06T19:12:40Z."),
    "bad_text": _(
        "{field} must be a text of at most {most} characters without NUL characters (U+0000)."
    ),
    "unknown_member": _("There is no field {found} here. Known fields: {expected}."),
    "if_match_needed": _("Send If-Match with the ETag of the {of}, for example {example}."),
    "bad_header": _("{header} cannot be {found}. It must be {expected}."),
    "file_needed": _("Send one file of sheets in the field file."),
    "bad_flag": _("{field} must be true or false."),
    "text_too_long": _("The {field} has {found} characters. The maximum is {expected}."),
    "state_not_allowed": _(
        "The state {state} cannot change to {wanted} here. Possible: {possible}."
    ),
    "file_too_large": _("The file has {found} MB. The maximum is {expected} MB. Split the file."),
    "empty_file": _("The file is empty. Choose a file with score sheets."),
    "unknown_address": _("There is nothing at this address. The reference is at /api/v1/docs."),
    "method_not_allowed": _("This endpoint does not support {method}."),
    "not_acceptable": _(
        "This endpoint cannot return that format. Request JSON, or CSV if the address ends in .csv."
    ),
    "unsupported_media_type": _(
        "This endpoint does not accept that content type. See the reference."
    ),
    "bad_form": _("The request is not a form with a file (multipart/form-data)."),
    "bad_json": _("The request is not valid JSON: {why}"),
    "unknown_charset": _("The charset of Content-Type is not supported. Send UTF-8."),
    "nul_character": _("The {where} contains a NUL character (U+0000). Remove it."),
    "bad_request": _("The request cannot be understood."),
    "request_refused": _("The request was refused: a signed-in session needs its CSRF token."),
    "tls_needed": _(
        "The request came by plain HTTP and was refused. Use https://. If it had a token, revoke "
        "the token and create a new one: others may have read it."
    ),
    "not_signed_in": _("Sign in first, or use a token that is still valid."),
    "too_large": _("The request is too large."),
    "unknown_transfer_encoding": _(
        "This server supports only the Transfer-Encoding chunked. Use it, or send a Content-Length."
    ),
    "too_slow": _(
        "The request did not arrive in time. Send it again when the connection is better."
    ),
    "too_many_requests": _("Too many requests. Try again in {seconds} s."),
    "try_again": _("The site cannot answer this at the moment. Nothing was saved. Try again."),
    "disk_full": _("The disk of the server is full. Nothing was saved."),
    "internal_error": _("Something went wrong here. The reference for it is {reference}."),
    "unknown_parameter": _("{parameter} is not a parameter here. Known parameters: {expected}."),
    "bad_parameter": _("{parameter} cannot be {found}. It must be {expected}."),
    "bad_cursor": _("This cursor does not belong to this list. Start again without a cursor."),
}

IMPORTS: Final = {
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
        "The event is {state}. An import is undone while its event is open: open the event first."
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
    "two_columns": _("Two columns are read as {name}: {found}. Choose one of them."),
    "column_needed": _(
        "No column gives {says}. The columns are: {found}. Choose {right} for the right column."
    ),
    "reading_needed": _(
        "It is not clear how the numbers of this file are written. Choose one of its readings."
    ),
    "column_gone": _("This file no longer has a column {found}."),
    "value_needed": _("The file does not give the {field}. Give one value for the whole file."),
    "mapping_name_taken": _("The club already has a mapping called {found}."),
    "mapping_stored": _(
        "The columns of import {number} are stored as mapping {found} already. Rename the mapping, "
        "or assign other columns."
    ),
    "mapping_not_needed": _(
        "Import {number} was read by its own column names. It needs no mapping."
    ),
    "mapping_reads_nothing": _(
        "No row of import {number} could be read by these columns. Correct them before you store "
        "them."
    ),
    "columns_not_assigned": _(
        "The columns of import {number} have no meanings yet. Assign them first."
    ),
    "import_being_read": _("Import {number} is still being read. Try again when it is finished."),
    "import_without_file": _(
        "Import {number} has no stored file, and so no columns. Upload the file on the page of the "
        "imports."
    ),
    "unknown_mapping": _("This club has no mapping with that number."),
    "unreadable_file": _("{why} Nothing was saved."),
    "import_moved_on": _("Import {number} has changed. Check its current state."),
    "problem_outdated": _("The problem or the stored hand has changed. Compare both hands again."),
    "nothing_to_answer": _("This import has no open problem with the code {found}."),
    "no_file_hand": _(
        "Problem {code} has no usable hand in the file. Dismiss the problem or correct its rows."
    ),
    "too_many_sheets": _(
        "The request has more than {most_sheets} sheets or {most_hands} hands. Send the sheets in "
        "several requests, or upload a file."
    ),
    "bad_sheets": _("{field} cannot be {found}. Expected: {expected}."),
    "bad_table_number": _("A table cannot have the number {found}. Expected: {expected}."),
    "running_total_wrong": _(
        "With the running total {found} two hands are impossible. Perhaps it is {expected}."
    ),
    "running_total_unclear": _(
        "The running totals {found} can come from several hands: {expected}. Send the points of "
        "this hand on a sheet without running totals."
    ),
    "repeated_sheet": _(
        "Table {table} of round {round} has two sheets in this request. Send one sheet for each "
        "table."
    ),
    "repeated_hand": _("The sheet has two hands with the number {number}. Check their numbers."),
    "ambiguous_name": _("Two players of the club are called {player}: {like}. Send an id."),
    "player_at_two_tables": _(
        "{player} sits at tables {tables} of this round. Correct the players of one sheet."
    ),
    "date_in_future": _("{found} is in the future (today is {expected})."),
    "players_disagree": _("The event has other players there: {expected}."),
    "hand_moved_away": _("A director moved this hand to table {found}, where it counts."),
    "sheet_does_not_fit": _("The event already has this table with {expected}."),
    "dates_disagree": _("The sheet has the date {found}, but the round has {expected}."),
    "evening_cancelled": _(
        "The evening of {found} is cancelled. Correct the date, or say that the sheet was played "
        "all the same."
    ),
}
