"""Checks the permission of a caller before the content of the request.

A view reads the request where it needs it, and services check the role table when they act. To keep
complaints about fields, parameters or media types from callers without the right, each complaint is
held back until the caller's right was looked up. A request without problems costs nothing more.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final

from django.http import HttpResponseBase
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from api.authentication import caller, known_caller
from api.problems import BadRequest
from scoring.errors import Refused
from tournaments.errors import Missing
from tournaments.policy import PUBLIC, may
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.events.events import event_at
from tournaments.services.access.permissions import require_role

View = Callable[..., HttpResponseBase]

ACTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("enter_hand", "revise_hand", "preview_hand"), "enter_hand"),
    **dict.fromkeys(("import_sheets", "resolve_import_problem"), "import_sheets"),
    **dict.fromkeys(("add_ledger_line", "withdraw_ledger_line"), "penalize"),
    **dict.fromkeys(("open_dispute", "withdraw_dispute"), "open_dispute"),
    "rule_on_dispute": "rule_on_disputes",
    **dict.fromkeys(
        ("issue_challenge", "move_challenge", "postpone_challenge", "give_result"), "challenge"
    ),
    **dict.fromkeys(("tell_absence", "end_absence"), "challenge"),
    **dict.fromkeys(("change_settings", "change_seats", "preview_seats"), "manage_event"),
    "restore_table": "manage_event",
    **dict.fromkeys(("make_cut", "undo_cut", "answer_cut"), "manage_event"),
    **dict.fromkeys(("move_playoff", "playoff_gone", "extend_playoff"), "manage_event"),
    "seat_neutrals": "manage_event",
    **dict.fromkeys(("waive_playoff", "answer_playoff"), "manage_event"),
    **dict.fromkeys(
        ("make_house_rules", "add_house_version", "delete_house_version"), "house_rules"
    ),
}
"""Operation that writes → the act that it needs at least; its service may ask for more."""

_OF_IMPORTS: Final = ("import_sheets", "import")
_OF_JOBS: Final = ("publish", "event")
READS: Final[Mapping[str, tuple[str, str]]] = {
    **dict.fromkeys(("export_sheets_csv", "export_sheets_xlsx"), _OF_IMPORTS),
    **dict.fromkeys(("read_import", "read_import_problem"), _OF_IMPORTS),
    **{
        f"list_{name}{form}": _OF_IMPORTS
        for name in ("imports", "import_problems", "undone_hands")
        for form in ("", "_csv")
    },
    **dict.fromkeys(("list_jobs", "list_jobs_csv"), _OF_JOBS),
}
"""Operation with restricted reading → its act, and the resource that is missing for the others."""


def permission_first(view: View, act: str = "", read: tuple[str, str] | None = None) -> View:
    """Return `view` so that a caller without the right learns that first, whatever else is wrong.

    Args:
        act: of the role table, for what writes; what reads asks whether there is anything to read.
        read: of `READS`, for what reads but not for everybody.
    """

    @wraps(view)
    def judged(request: Request, **at: object) -> HttpResponseBase:
        try:
            return view(request, **at)
        except (APIException, BadRequest, Refused):
            _require(request, act, at, read)
            raise

    return judged


def _require(
    request: Request, act: str, at: Mapping[str, Any], read: tuple[str, str] | None
) -> None:
    """Check the right to the resource of an address.

    Raises:
        NotAuthenticated: nobody writes without saying who they are.
        Missing: there is nothing that the caller may know of.
        Forbidden: their role or their token is not made for `act`.
    """
    actor = known_caller(request) if act else caller(request)
    if "club" not in at:
        return
    there: Any = (
        event_at(actor, at["club"], at["event"], code=at.get("code", ""))
        if "event" in at
        else club_at(actor, at["club"])
    )
    if read is not None:
        kept_for, kind = read
        if not may(str(getattr(there, "role", PUBLIC)), kept_for):
            raise Missing(kind)  # that it is there is not told
        require_role(actor, str(getattr(there, "role", PUBLIC)), kept_for)
    if act:
        require_role(actor, str(getattr(there, "role", PUBLIC)), act)
