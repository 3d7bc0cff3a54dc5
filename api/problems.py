"""Every error below `/api/` as problem details (RFC 9457); the only module that makes them.

Codes come from the scorer, from `tournaments.errors` or from `FRAMEWORK` in this module. Their
sentences are in `tournaments.sentences`, the remedy for each in `docs/errors.md`.
"""

import json
import math
import uuid
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, TypeAlias

import structlog
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions
from rest_framework.request import Request

from scoring.errors import Problem, Refused
from tournaments.domain.faults import (
    is_busy,
    is_disk_full,
    is_nul,
    is_unavailable,
    reconnect_if_read_only,
    report_fault,
)
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Forbidden, Missing

MEDIA_TYPE: Final = "application/problem+json"
RETRY_AFTER_S: Final = 2
"""Seconds after which to try again when the database was away or busy."""

Headers: TypeAlias = Mapping[str, str]
_Asked: TypeAlias = HttpRequest | Request
_log = structlog.get_logger("blacklady.api")

FRAMEWORK: Final = {
    exceptions.ParseError: "bad_json",
    exceptions.NotAuthenticated: "not_signed_in",
    exceptions.AuthenticationFailed: "not_signed_in",
    exceptions.PermissionDenied: "request_refused",
    exceptions.NotFound: "unknown_address",
    exceptions.MethodNotAllowed: "method_not_allowed",
    exceptions.NotAcceptable: "not_acceptable",
    exceptions.UnsupportedMediaType: "unsupported_media_type",
    exceptions.Throttled: "too_many_requests",
    PermissionDenied: "request_refused",
    Http404: "unknown_address",
    RequestDataTooBig: "too_large",
}
"""Exception of Django or the REST framework → our code."""

_BY_STATUS: Final = {
    400: "bad_request",
    403: "request_refused",
    404: "unknown_address",
    405: "method_not_allowed",
    408: "too_slow",
    413: "too_large",
    431: "too_large",
    501: "unknown_transfer_encoding",
    503: "try_again",
    507: "disk_full",
}
OUTDATED: Final = frozenset(
    {
        "entry_outdated",
        "house_rules_moved_on",
        "member_outdated",
        "notification_outdated",
        "problem_outdated",
        "seating_outdated",
        "stage_outdated",
        "settings_outdated",
        "event_outdated",
        "season_outdated",
        "meeting_outdated",
        "club_outdated",
        "player_outdated",
        "webhook_outdated",
    }
)
"""Conflicts of an edit that named what it was about."""

_STATUS_OF: Final = {code: status for status, code in reversed([*_BY_STATUS.items()])}


class BadRequest(Exception):
    """The request itself is invalid, before any rule of the game is checked (400, or `status`)."""

    def __init__(self, *problems: Problem, status: int = 400) -> None:
        super().__init__("; ".join(problem.code for problem in problems))
        self.problems = problems
        self.status = status


def problems_response(error: Exception, request: Request) -> HttpResponse:
    """Return the problem details of an exception of a view; an unforeseen one is a 500."""
    match error:
        case Refused():
            return problem_response(request, 422, error.problems)
        case BadRequest():
            return problem_response(request, error.status, error.problems)
        case Conflict():
            return _conflict(request, error)
        case Forbidden():
            return problem_response(request, 403, [error.problem])
        case Missing():
            return problem_response(request, error.status, [error.problem])
        case _ if is_disk_full(error):
            report_fault(_log, error)
            return problem_response(request, 507, [Problem("disk_full")])
        case _ if is_nul(error):
            nul = Problem("nul_character", facts={"where": "request"})
            return problem_response(request, 400, [nul])
        case _ if is_unavailable(error):
            return _unavailable(request, error)
        case _ if isinstance(error, (exceptions.APIException, *FRAMEWORK)):
            return _framework(request, error)
        case _:
            reference = _reference()
            _log.error("internal_error", reference=reference, exc_info=error)
            problem = Problem("internal_error", facts={"reference": reference})
            return problem_response(request, 500, [problem])


def problem_response(
    request: _Asked,
    status: int,
    problems: Sequence[Problem],
    *,
    headers: Headers | None = None,
    both: Mapping[str, object] | None = None,
) -> HttpResponse:
    """Return problem details: the first problem names the type, `errors` has them all.

    Args:
        both: for a conflict, the stored and the sent version, as further members.
    """
    first = problems[0]
    body: dict[str, Any] = {
        "type": f"/api/v1/docs/errors.md#{first.code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": first.code,
        "detail": " ".join(sentence(problem) for problem in problems),
        "instance": request.path,
        "errors": [error_json(problem) for problem in problems],
    }
    body |= both or {}
    text = json.dumps(body, ensure_ascii=False, default=str)
    return HttpResponse(text, status=status, content_type=MEDIA_TYPE, headers=headers)


def status_response(request: _Asked, status: int) -> HttpResponse:
    """Return problem details where Django itself refused and only the status is known."""
    code = _BY_STATUS.get(status, "bad_request" if status < 500 else "internal_error")
    facts = {"internal_error": {"reference": _reference()}}.get(code, {})
    if code == "method_not_allowed":
        facts = {"method": request.method or ""}
    return problem_response(request, status, [Problem(code, facts=facts)])


def error_json(problem: Problem) -> dict[str, object]:
    """Return one member of `errors`: code, JSON pointer, facts, sentence, suggestions."""
    return {
        "code": problem.code,
        "pointer": pointer(problem.at),
        "facts": {key: _plain(value) for key, value in problem.facts.items()},
        "message": sentence(problem),
        "suggestions": [_plain(suggestion.as_json()) for suggestion in problem.suggestions],
    }


def pointer(at: Sequence[str | int]) -> str:
    """Return a path as a JSON pointer (RFC 6901); the empty one is the whole document.

    >>> pointer(("entry", "hearts", 2)), pointer(("a/b", "m~n")), pointer(())
    ('/entry/hearts/2', '/a~1b/m~0n', '')
    """
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in at)


def _conflict(request: Request, error: Conflict) -> HttpResponse:
    """409, or 412 where the caller named the revision it had seen."""
    status = 412 if error.problem.code in OUTDATED else 409
    both = {
        name: version
        for name, version in (("there", error.there), ("yours", error.yours))
        if isinstance(version, Mapping)
    }
    return problem_response(request, status, [error.problem], both=both)


def _unavailable(request: Request, error: Exception) -> HttpResponse:
    report_fault(_log, error)
    reconnect_if_read_only(error)
    wait = {"Retry-After": str(RETRY_AFTER_S)}
    facts = {"cause": "busy"} if is_busy(error) else {}
    return problem_response(request, 503, [Problem("try_again", facts=facts)], headers=wait)


def _framework(request: Request, error: Exception) -> HttpResponse:
    code = next((code for kind, code in FRAMEWORK.items() if isinstance(error, kind)), None)
    status = getattr(error, "status_code", None) or _STATUS_OF[code or "bad_request"]
    facts: dict[str, str | int] = {}
    headers = {}
    if isinstance(error, exceptions.MethodNotAllowed):
        facts["method"] = request.method or ""
    elif status == 401:
        headers["WWW-Authenticate"] = str(getattr(error, "auth_header", ""))
    elif isinstance(error, exceptions.ParseError):
        if str(request.content_type).startswith("multipart/"):
            code = "bad_form"
        else:
            facts["why"] = str(error)
    elif isinstance(error, exceptions.Throttled):
        facts["seconds"] = math.ceil(getattr(error, "wait", None) or 1)
        headers["Retry-After"] = str(facts["seconds"])
    problem = Problem(code or "bad_request", facts=facts)
    return problem_response(request, status, [problem], headers=headers)


def _reference() -> str:
    """The id of this request in the logs, to quote in a report of a 500."""
    request_id = structlog.contextvars.get_contextvars().get("request_id")
    return str(request_id or uuid.uuid4().hex)


def _plain(value: object) -> object:
    """Return a fact as JSON; a value of any other type is written as text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return str(value)
