"""One problem of an import: read with both hands of a conflict, and resolved."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.fast_serialization import plain
from api.idempotency import KEY, REPLAYED_HEADER, answered_once
from api.idempotent_writes import MOST_TEXT, sent_texts
from api.openapi import reading, writing
from api.preconditions import if_match_tag_or_any
from api.query_parameters import allow_only
from api.v1.imports.import_batches import KeptProblemSerializer, importing
from scoring.errors import Problem, Refused, shown
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Event
from tournaments.models.imports import ImportProblem
from tournaments.policy import Actor
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, hand_of
from tournaments.selectors.imports import imports
from tournaments.services.imports.dismiss import dismiss_problem
from tournaments.services.imports.resolve_conflict import file_hand, use_file_hand
from tournaments.services.rounds.seating import table_code

USES: Final = ("stored", "file")
DISMISSED: Final = "dismissed"

IF_MATCH: Final = OpenApiParameter(
    "If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, required=False,
    description="The ETag of the problem that you looked at, or `*`; without it 428.",
)  # fmt: skip
ETAG: Final = OpenApiParameter(
    "ETag", OpenApiTypes.STR, OpenApiParameter.HEADER, response=[200],
    description="Names exactly this problem, with the stored hand of a conflict.",
)  # fmt: skip


class StoredHandSerializer(serializers.Serializer[Any]):
    """The hand that the event has."""

    revision = serializers.IntegerField()
    state = serializers.CharField()
    entry = serializers.DictField(help_text="As it was entered.")
    hands = serializers.IntegerField(
        allow_null=True, help_text="How many hands totals stand for; null where nobody knows."
    )
    scores = serializers.ListField(help_text="What each seat is booked, in seat order.")


class OwnHandSerializer(serializers.Serializer[Any]):
    """The hand of the file."""

    entry = serializers.DictField(help_text="As the file has it.")
    hands = serializers.IntegerField(
        allow_null=True,
        help_text="How many hands totals stand for; null where the file does not say.",
    )


class ProblemDetailSerializer(KeptProblemSerializer):
    """One problem, with both hands where the event has a hand otherwise than the file."""

    stored = StoredHandSerializer(
        allow_null=True, help_text="Null for problems of other codes than `hand_exists`."
    )
    own = OwnHandSerializer(allow_null=True)


class ResolutionSerializer(serializers.Serializer[Any]):
    """How a problem is resolved."""

    use = serializers.ChoiceField(
        choices=USES,
        required=False,
        help_text="For `hand_exists`: keep the stored hand, or make the file's its next revision.",
    )
    state = serializers.ChoiceField(
        choices=[DISMISSED], required=False, help_text="Leaves the rows of any problem out."
    )
    reason = serializers.CharField(max_length=MOST_TEXT)


@reading("read_import_problem", ProblemDetailSerializer, parameters=(ETAG,))
def read_import_problem(
    request: Request, club: str, event: str, number: int, position: int
) -> HttpResponseBase:
    """One problem of an import; of a conflict, the stored hand and the file's."""
    allow_only(request)
    found = importing(caller(request), club, event)
    body = _shown(found, number, position)
    return Response(body, headers={"ETag": _tag(body)})


def _resolve_import_problem(
    request: Request, club: str, event: str, number: int, position: int
) -> HttpResponse:
    """Resolve a problem: keep the stored hand, use the file's, or dismiss it with a reason.

    `If-Match` says what you looked at. Without it the answer is 428; if the problem or the stored
    hand changed meanwhile it is 412, with both as they are now (`there`). Using the file's hand is
    a correction: its rights, its reason and its line in the change log; undoing the import brings
    the stored hand back.
    """
    allow_only(request)
    actor = known_caller(request)
    found = importing(actor, club, event)
    tag = if_match_tag_or_any(request, of="problem")
    use, reason = _sent(request.data)
    there = _shown(found, number, position)
    if tag is not None and f'"{tag}"' != _tag(there):
        raise Conflict(Problem("problem_outdated"), there=there)
    problem = imports.problem_at(imports.batch_at(found, number), position)
    _resolve(actor, problem, there, use, reason)
    body = _shown(found, number, position)
    answer = HttpResponse(json.dumps(body, ensure_ascii=False), content_type="application/json")
    answer["ETag"] = _tag(body)
    return answer


def _resolve(
    actor: Actor, problem: ImportProblem, there: Mapping[str, Any], use: str, reason: str
) -> None:
    if use != "file":
        dismiss_problem(actor=actor, problem=problem, reason=reason, now=timezone.now())
        return
    if there["stored"] is None:
        raise Refused(Problem("no_file_hand", ("use",), {"code": problem.code}))
    use_file_hand(
        actor=actor,
        problem=problem,
        based_on=there["stored"]["revision"],
        reason=reason,
        now=timezone.now(),
    )


def _sent(body: Any) -> tuple[str, str]:
    """Return what is used (`dismissed` for neither) and the reason.

    Raises:
        Refused: unknown_member, bad_text, bad_parameter.
    """
    sent = sent_texts(body, ("use", "state", "reason"))
    use, state = sent["use"], sent["state"]
    allowed = {"use": USES, "state": (DISMISSED,)}
    for key, found in (("use", use), ("state", state)):
        if found and found not in allowed[key]:
            facts = {"parameter": key, "found": shown(found), "expected": ", ".join(allowed[key])}
            raise Refused(Problem("bad_parameter", (key,), facts))
    if bool(use) == bool(state):
        facts = {"parameter": "use", "found": shown(use), "expected": ", ".join(USES)}
        raise Refused(Problem("bad_parameter", ("use",), facts))
    return use or state, sent["reason"]


def _shown(event: Event, number: int, position: int) -> dict[str, Any]:
    """Return one problem as its address gives it.

    Raises:
        Missing: there is no such import or problem.
    """
    problem = imports.problem_at(imports.batch_at(event, number), position)
    body = plain(KeptProblemSerializer)(problem)
    own, stored = file_hand(problem), _stored(event, problem)
    is_whole = own is not None and stored is not None
    return {
        **body,
        "stored": stored if is_whole else None,
        "own": {"entry": dict(own.entry), "hands": own.hands}
        if own is not None and is_whole
        else None,
    }


def _stored(event: Event, problem: ImportProblem) -> dict[str, Any] | None:
    if problem.round is None or problem.table is None or problem.hand is None:
        return None
    try:
        sheet = table_sheet(event, table_code(problem.round, problem.table))
        hand: HandView = hand_of(sheet, problem.hand)
    except Missing:
        return None
    return {
        "revision": hand.revision,
        "state": hand.state,
        "entry": dict(hand.entry),
        "hands": hand.n_hands,
        "scores": [cell.score for cell in hand.cells],
    }


def _tag(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, default=str)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:12]}"'


def _fingerprint(request: Request) -> bytes:
    return json.dumps(request.data, sort_keys=True).encode()


resolve_import_problem = writing(
    "resolve_import_problem",
    "PATCH",
    ProblemDetailSerializer,
    ResolutionSerializer,
    status=200,
    parameters=(IF_MATCH, KEY, REPLAYED_HEADER, ETAG),
)(answered_once(_resolve_import_problem, fingerprint=_fingerprint))
"""`PATCH …/imports/{number}/problems/{position}`."""
