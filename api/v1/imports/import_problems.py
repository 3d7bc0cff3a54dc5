"""One problem of an import: read with both hands of a conflict, and resolved."""

import json
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag_or_any
from api.idempotent_writes import idempotent_write, json_answer
from api.openapi import reading
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import MOST_TEXT, ChoiceTextField, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.imports.import_batches import KeptProblemSerializer, importing
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.etags import etag, mark_of_text
from tournaments.errors import Conflict, Missing
from tournaments.importers.resolutions import asks_who, rows_of
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

IF_MATCH: Final = if_match_parameter("The ETag of the problem that you looked at, or `*`")
ETAG: Final = etag_parameter("Names exactly this problem, with the stored hand of a conflict.", 200)


class StoredHandSerializer(serializers.Serializer[Any]):
    """The hand of the event."""

    revision = serializers.IntegerField()
    state = serializers.CharField()
    entry = serializers.DictField(help_text="As it was entered.")
    hands = serializers.IntegerField(
        allow_null=True, help_text="Number of hands that totals cover; null where it is unknown."
    )
    scores = serializers.ListField(help_text="Booked score of each seat, in seat order.")


class OwnHandSerializer(serializers.Serializer[Any]):
    """The hand of the file."""

    entry = serializers.DictField(help_text="As the file has it.")
    hands = serializers.IntegerField(
        allow_null=True,
        help_text="Number of hands that totals cover; null where the file does not have it.",
    )


class ProblemRowSerializer(serializers.Serializer[Any]):
    """One line of the file."""

    line = serializers.IntegerField(help_text="Header = 1.")
    cells = serializers.ListField(child=serializers.CharField(allow_blank=True))


class OfferSerializer(serializers.Serializer[Any]):
    """One way to correct the rows."""

    index = serializers.IntegerField(help_text="For `POST …/correct`.")
    text = serializers.CharField()
    player_id = serializers.CharField(allow_null=True, help_text="Where it names a player.")


class ProblemDetailSerializer(KeptProblemSerializer):
    """One problem, with both hands where the event and the file differ."""

    stored = StoredHandSerializer(
        allow_null=True, help_text="Null for problems of other codes than `hand_exists`."
    )
    own = OwnHandSerializer(allow_null=True)
    columns = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="Headings of the file; empty where it is not stored and cannot be corrected.",
    )
    rows = ProblemRowSerializer(many=True, help_text="Lines of the problem, as they read now.")
    offers = OfferSerializer(many=True)
    asks_who = serializers.BooleanField(help_text="Whether a player resolves it.")


def _bad_choice(name: str, found: str, choices: tuple[str, ...]) -> Problem:
    facts = {"parameter": name, "found": shown(found), "expected": ", ".join(choices)}
    return Problem("bad_parameter", (name,), facts)


class ResolutionSerializer(StrictSerializer):
    """How a problem is resolved."""

    use = ChoiceTextField(
        choices=USES,
        required=False,
        help_text="For `hand_exists`: keep the stored hand, or make the file's its next revision.",
    )
    state = ChoiceTextField(
        choices=[DISMISSED], required=False, help_text="Leaves the rows of any problem out."
    )
    reason = TextField(max_length=MOST_TEXT)

    def validate(self, attrs: dict[str, Any]) -> JsonDict:
        """Return the body, where it names exactly one way.

        Raises:
            Refused: bad_parameter.
        """
        use, state = attrs["use"], attrs["state"]
        for name, found, choices in (("use", use, USES), ("state", state, (DISMISSED,))):
            if found and found not in choices:
                raise Refused(_bad_choice(name, found, choices))
        if bool(use) == bool(state):
            raise Refused(_bad_choice("use", use, USES))
        return attrs


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

    `If-Match` names the version that you read. Without it the answer is 428; if the problem or the
    stored hand changed meanwhile it is 412, with both as they are now (`there`). Using the file's
    hand is a correction: its rights, its reason and its line in the change log; undoing the import
    brings the stored hand back.
    """
    allow_only(request)
    actor = known_caller(request)
    found = importing(actor, club, event)
    tag = if_match_tag_or_any(request, of="problem")
    sent = validated(request, ResolutionSerializer)
    there = _shown(found, number, position)
    if tag is not None and etag(tag) != _tag(there):
        raise Conflict(Problem("problem_outdated"), there=there)
    problem = imports.problem_at(imports.batch_at(found, number), position)
    _resolve(actor, problem, there, sent["use"], sent["reason"])
    body = _shown(found, number, position)
    answer = json_answer(body)
    answer["ETag"] = _tag(body)
    return answer


def _resolve(
    actor: Actor, problem: ImportProblem, there: JsonObject, use: str, reason: str
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


def _shown(event: Event, number: int, position: int) -> JsonDict:
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
        **_correctable(problem),
    }


def _correctable(problem: ImportProblem) -> JsonDict:
    """Return what a correction of the rows can name."""
    upload = imports.file_of(problem.batch)
    if upload is None:
        return {"columns": [], "rows": [], "offers": [], "asks_who": False}
    rows = rows_of(problem, upload)
    return {
        "columns": list(upload.heads),
        "rows": [{"line": line, "cells": cells} for line, cells in rows.items()],
        "offers": [
            {"index": index, "text": offer["text"], "player_id": offer.get("player")}
            for index, offer in enumerate(problem.offers)
            if "text" in offer
        ],
        "asks_who": asks_who(problem, upload),
    }


def _stored(event: Event, problem: ImportProblem) -> JsonDict | None:
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


def _tag(body: JsonObject) -> str:
    return etag(mark_of_text(json.dumps(body, sort_keys=True, default=str)))


resolve_import_problem = idempotent_write(
    _resolve_import_problem,
    ProblemDetailSerializer,
    ResolutionSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
)
"""`PATCH …/imports/{number}/problems/{position}`."""
