"""Permissions: a caller's permission is checked before the content of the request."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final

from django.http import HttpResponseBase
from rest_framework.exceptions import APIException
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from api.authentication import caller, known_caller
from api.problems import BadRequest
from scoring.errors import Refused
from tournaments.errors import BeyondScope, Forbidden, Missing, SecondFactorNeeded
from tournaments.policy import PUBLIC, WITHHELD, may
from tournaments.selectors.clubs.clubs import get_club, is_withheld
from tournaments.selectors.events.events import get_event, is_held_event
from tournaments.services.permissions import require_role


class DenyAll(BasePermission):
    """The default: a view that names no permission answers nobody, not even administrators."""

    def has_permission(self, request: Request, view: object) -> bool:
        return False


class KnownCallerOrReadOnly(BasePermission):
    """Writes need a known caller; reads, and methods that do not exist, pass."""

    def has_permission(self, request: Request, view: object) -> bool:
        method = request.method or ""
        if method not in SAFE_METHODS and hasattr(view, method.lower()):
            known_caller(request)
        return True


View = Callable[..., HttpResponseBase]


ACTS: Final[Mapping[str, str]] = {
    operation: act
    for act, operations in {
        "enter_hand": (
            "enter_hand enter_totals revise_hand preview_hand enter_second decide_entry "
            "check_sheet add_photo"
        ),
        "file_disputed": "file_disputed",
        "remove_photo": "remove_photo",
        "import_sheets": (
            "import_sheets enter_sheets resolve_import_problem confirm_import discard_import "
            "undo_import restart_import correct_import_problem map_import_columns "
            "store_mapping delete_mapping"
        ),
        "void_hand": "delete_hand",
        "correct_closed": "restore_hand",
        "close_table": "move_table close_tables",
        "manage_event": (
            "seat_table reseat_table remove_table remove_round "
            "change_seats preview_seats restore_table make_round move_round redraw_round "
            "change_round_game make_plans choose_plan take_best_plan form_tables "
        ),
        "open_dispute": "open_dispute open_table_dispute withdraw_dispute",
        "rule_on_disputes": "rule_on_dispute",
        "challenge": (
            "issue_challenge move_challenge postpone_challenge give_result tell_absence end_absence"
        ),
        "extend_round": "extend_round",
        "edit_own_player": "claim_player",
        "house_rules": (
            "archive_house_rules unarchive_house_rules make_house_rules add_house_version "
            "delete_house_version"
        ),
    }.items()
    for operation in operations.split()
}
"""Operation that writes → the act that it needs at least; its service may ask for more."""


_OF_IMPORTS: Final = ("import_sheets", "import")
READS: Final[Mapping[str, tuple[str, str]]] = {
    **dict.fromkeys(("export_sheets_csv", "export_sheets_xlsx"), _OF_IMPORTS),
    **dict.fromkeys(("read_import", "read_import_problem", "read_import_columns"), _OF_IMPORTS),
    **{
        f"list_{name}{form}": _OF_IMPORTS
        for name in ("imports", "import_problems", "undone_hands")
        for form in ("", "_csv")
    },
    "read_player_link": ("link_players", "player"),
}
"""Operation with restricted reading → its act, and the resource that is missing for the others."""


RESTRICTED: Final[Mapping[str, str]] = {
    **{
        f"list_{name}{form}": act
        for name, act in (
            ("plans", "manage_event"),
            ("mappings", "import_sheets"),
        )
        for form in ("", "_csv")
    },
    "export_club": "export_club",
    **dict.fromkeys(("print_seating_list", "print_score_sheets"), "enter_hand"),
    **dict.fromkeys(("list_photos", "list_photos_csv", "read_photo"), "enter_hand"),
    **dict.fromkeys(("read_double_entry", "read_sheet_check"), "enter_hand"),
    "print_table_cards": "manage_links",
    **dict.fromkeys(("read_playoff_answers", "read_cut_answers"), "manage_event"),
    "read_plan": "manage_event",
}
"""Operation with restricted reading that is no secret → its act; the others are refused."""


_OWN: Final = frozenset({"read_me", "read_player_data"})
"""Operations that read what is an account's own."""


def act_of_reading(name: str) -> str:
    """Return the act of an operation that reads; of most of them it is `read_public`."""
    if name in READS:
        return READS[name][0]
    return RESTRICTED.get(name, "own_account" if name in _OWN else "read_public")


def permission_first(view: View, act: str = "", read: tuple[str, str] | None = None) -> View:
    """Return `view` so that a missing permission is reported before any other error.

    Args:
        act: of the role table, for writes; for reads, checks that the resource exists.
        read: of `READS`, for reads that are not public.
    """

    @wraps(view)
    def judged(request: Request, **at: object) -> HttpResponseBase:
        try:
            return view(request, **at)
        except Exception as error:
            check_first(error, request, act, at, read)
            raise

    return judged


def check_first(
    error: Exception,
    request: Request,
    act: str,
    at: Mapping[str, Any],
    read: tuple[str, str] | None,
) -> None:
    """Report a missing permission before the error of a request."""
    if isinstance(error, APIException | BadRequest | Refused):
        _require_first(request, act, at, read)
    elif isinstance(error, Missing | Forbidden):
        _require_factor(request, error, act or (read[0] if read else ""), at)


def _require_factor(
    request: Request, refused: Missing | Forbidden, act: str, at: Mapping[str, Any]
) -> None:
    """Refuse a caller whose role waits for a second factor, and say so."""
    if is_held_event(caller(request), refused, at):
        raise SecondFactorNeeded("read_held")
    if isinstance(refused, BeyondScope) or not act or "club" not in at:
        return
    if not may(WITHHELD, act) and is_withheld(caller(request), at["club"]):
        raise SecondFactorNeeded(act)


def _require_first(
    request: Request, act: str, at: Mapping[str, Any], read: tuple[str, str] | None
) -> None:
    """Check the caller's permission for the resource of an address."""
    actor = known_caller(request) if act else caller(request)
    if "club" not in at:
        if act:
            require_role(actor, PUBLIC, act)
        return
    resource: Any = (
        get_event(actor, at["club"], at["event"], code=at.get("code", ""))
        if "event" in at
        else get_club(actor, at["club"])
    )
    if read is not None:
        kept_for, kind = read
        if not may(str(getattr(resource, "role", PUBLIC)), kept_for):
            raise Missing(kind)  # that it is there is not told
        require_role(actor, str(getattr(resource, "role", PUBLIC)), kept_for)
    if act:
        require_role(actor, str(getattr(resource, "role", PUBLIC)), act)
