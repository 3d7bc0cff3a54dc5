"""Sentences about HTTP requests: headers, parameters, bodies, limits, and faults of the server."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
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
        "The state {state} cannot change to {wanted} by this request. Possible: {possible}."
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
    "not_signed_in": _("Sign in first, or use a token that is still valid."),
    "too_large": _("The request is too large."),
    "unknown_transfer_encoding": _(
        "This server supports only the Transfer-Encoding chunked. Use it, or send a Content-Length."
    ),
    "too_slow": _(
        "The request did not arrive in time. Send it again when the connection is better."
    ),
    "too_many_requests": _("Too many requests. Try again in {seconds} s."),
    "try_again": _("The database cannot be reached at the moment. Nothing was saved. Try again."),
    "disk_full": _("The disk of the server is full. Nothing was saved."),
    "internal_error": _("Something went wrong here. The reference for it is {reference}."),
    "unknown_parameter": _("{parameter} is not a parameter here. Known parameters: {expected}."),
    "bad_parameter": _("{parameter} cannot be {found}. It must be {expected}."),
    "bad_cursor": _("This cursor does not belong to this list. Start again without a cursor."),
}
