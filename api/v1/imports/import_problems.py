"""The problems of an import: read, resolved, and corrected in their rows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag
from api.idempotency import idempotent_write, json_answer
from api.openapi import reading
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import (
    ChoiceTextField,
    StrictField,
    TextField,
    TextListField,
    bad_setting,
    is_whole,
)
from api.serializers.strict_serializers import BodiesField, StrictSerializer, validated
from api.v1.imports.import_batches import (
    ImportDetailSerializer,
    KeptProblemSerializer,
    accepted,
    importing,
)
from api.v1.imports.import_upload import LOCATION
from scoring.errors import Problem, Refused, listed, shown
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.etags import etag, mark_of_text
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Event
from tournaments.models.imports import ImportProblem, ProblemState, Upload
from tournaments.selectors import imports
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, hand_of
from tournaments.services.imports.resolve_problem import (
    MOST_LINES,
    asks_who,
    dismiss_problem,
    file_hand,
    name_new_player,
    name_player,
    rows_of,
    use_file_hand,
    use_offer,
)
from tournaments.services.imports.uploads import correct_upload
from tournaments.services.operations import Operation
from tournaments.services.rounds.seating import table_code

USES: Final = ("stored", "file")
DISMISSED: Final = "dismissed"

IF_MATCH: Final = if_match_parameter("The ETag of the problem that you looked at, or `*`")
ETAG: Final = etag_parameter("Names exactly this problem, with the stored hand of a conflict.", 200)


class StoredHandSerializer(OutputSerializer):
    """The hand that is stored in the event."""

    revision = serializers.IntegerField()
    state = serializers.CharField()
    entry = serializers.DictField(help_text="The entry as it was made.")
    hands = serializers.IntegerField(
        allow_null=True, help_text="Number of hands that totals cover; null if it is unknown."
    )
    scores = serializers.ListField(help_text="Booked scores of the seats, in seat order.")


class OwnHandSerializer(OutputSerializer):
    """The hand as the file has it."""

    entry = serializers.DictField(help_text="The entry in the file.")
    hands = serializers.IntegerField(
        allow_null=True,
        help_text="Number of hands that totals cover; null if the file does not say it.",
    )


class ProblemRowSerializer(OutputSerializer):
    """One line of the file."""

    line = serializers.IntegerField(help_text="Number of the line; 1 is the header.")
    cells = serializers.ListField(child=serializers.CharField(allow_blank=True))


class OfferSerializer(OutputSerializer):
    """One suggestion for correcting the rows."""

    index = serializers.IntegerField(help_text="Index of the offer, for `POST …/correct`.")
    text = serializers.CharField()
    player_id = serializers.CharField(
        allow_null=True, help_text="Id of the player whom the offer names; null for other offers."
    )


class ProblemDetailSerializer(KeptProblemSerializer):
    """One problem, with both hands where the event and the file differ."""

    stored = StoredHandSerializer(
        allow_null=True, help_text="The stored hand; null for codes other than `hand_exists`."
    )
    own = OwnHandSerializer(allow_null=True)
    columns = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="Headings of the file; empty if it is not stored and cannot be corrected.",
    )
    rows = ProblemRowSerializer(many=True, help_text="Lines of the problem, as corrected so far.")
    offers = OfferSerializer(many=True)
    asks_who = serializers.BooleanField(help_text="Whether naming a player resolves it.")


def _bad_choice(name: str, value: str, choices: tuple[str, ...]) -> Problem:
    facts = {"parameter": name, "found": shown(value), "expected": ", ".join(choices)}
    return Problem("bad_parameter", (name,), facts)


class ResolutionSerializer(StrictSerializer):
    """How a problem is resolved."""

    use = ChoiceTextField(
        choices=USES,
        required=False,
        help_text="Hand that is to count for `hand_exists`: the stored one, or that of the file.",
    )
    state = ChoiceTextField(
        choices=[DISMISSED], required=False, help_text="`dismissed`: leave out the problem's rows."
    )
    reason = TextField()

    def validate(self, attrs: dict[str, Any]) -> JsonDict:
        use, state = attrs["use"], attrs["state"]
        for name, value, choices in (("use", use, USES), ("state", state, (DISMISSED,))):
            if value and value not in choices:
                raise Refused(_bad_choice(name, value, choices))
        if bool(use) == bool(state):
            raise Refused(_bad_choice("use", use, USES))
        return attrs


@reading(
    "read_import_problem",
    ProblemDetailSerializer,
    parameters=(ETAG,),
    act="import_sheets",
    hidden_as="import",
)
def read_import_problem(
    request: Request, club: str, event: str, number: int, position: int
) -> HttpResponseBase:
    """One problem of an import; for a conflict, with the stored hand and the file's hand."""
    the_event = importing(caller(request), club, event)
    body = _detail(the_event, number, position)
    return Response(body, headers={"ETag": _tag(body)})


@idempotent_write(
    ProblemDetailSerializer,
    ResolutionSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
    act="import_sheets",
)
def resolve_import_problem_view(
    request: Request, club: str, event: str, number: int, position: int
) -> HttpResponse:
    """Resolve a problem: keep the stored hand, use the file's, or dismiss it with a reason.

    `If-Match` names the version that you read. Without it the answer is 428; if the problem or the
    stored hand changed meanwhile it is 412, with both as they are now (`there`). Using the file's
    hand is a correction: it needs the rights and a reason, and the change log gets a line. Undoing
    the import brings the stored hand back.
    """
    actor = known_caller(request)
    the_event = importing(actor, club, event)
    tag = if_match_tag(request, of="problem")
    resolution = validated(request, ResolutionSerializer)
    detail = _detail(the_event, number, position)
    if tag is not None and etag(tag) != _tag(detail):
        raise Conflict(Problem("problem_outdated"), there=detail)
    problem = imports.problem_at(imports.batch_at(the_event, number), position)
    op = Operation(actor, timezone.now())
    _resolve(op, problem, detail, resolution["use"], resolution["reason"])
    body = _detail(the_event, number, position)
    return json_answer(body, tag=_tag(body))


def _resolve(
    op: Operation, problem: ImportProblem, detail: JsonObject, use: str, reason: str
) -> None:
    if use != "file":
        dismiss_problem(op, problem, reason=reason)
        return
    if detail["stored"] is None:
        raise Refused(Problem("no_file_hand", ("use",), {"code": problem.code}))
    use_file_hand(op, problem, based_on=detail["stored"]["revision"], reason=reason)


def _detail(event: Event, number: int, position: int) -> JsonDict:
    problem = imports.problem_at(imports.batch_at(event, number), position)
    body = plain(KeptProblemSerializer)(problem)
    hand, stored = file_hand(problem), _get_stored_hand(event, problem)
    from_file = hand and {"entry": dict(hand["entry"]), "hands": hand.get("hands")}
    is_whole = from_file is not None and stored is not None
    return {
        **body,
        "stored": stored if is_whole else None,
        "own": from_file if is_whole else None,
        **_correctable(problem),
    }


def _correctable(problem: ImportProblem) -> JsonDict:
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


def _get_stored_hand(event: Event, problem: ImportProblem) -> JsonDict | None:
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


WAYS: Final = ("player_id", "new_name", "offer", "rows")
"""Members of which a correction has one."""


class WholeField(StrictField, serializers.IntegerField):
    """A whole number from `min_value`."""

    def to_internal_value(self, data: Any) -> object:
        least = self.min_value or 0
        if not is_whole(data) or data < least:
            raise bad_setting(self, shown(data), f"a whole number from {least}")
        return data


class CorrectedRowSerializer(StrictSerializer):
    """One line of the file as it should have been."""

    line = WholeField(min_value=1)
    cells = TextListField(
        child=serializers.CharField(allow_blank=True),
        help_text="The cells, in the order of the problem's `columns`.",
    )


class CorrectionSerializer(StrictSerializer):
    """The right content of the rows of a problem, in one of four ways."""

    player_id = TextField(
        required=False,
        help_text="Id or name of the player of the seat, for problems about a player (`asks_who`).",
    )
    new_name = TextField(
        required=False, help_text="Name of the player of the seat, who is added to the club."
    )
    new_player_id = TextField(
        required=False,
        help_text="Id of the player of `new_name`, for directors only; without it the player is "
        "added as a guest.",
    )
    offer = WholeField(required=False, min_value=0, help_text="`index` of one of the `offers`.")
    rows = BodiesField(
        child=CorrectedRowSerializer(),
        expected=f"a list of 1 to {MOST_LINES} lines",
        required=False,
        min_length=1,
        max_length=MOST_LINES,
        help_text="Corrected lines of the problem; a line that is left out stays.",
    )

    def body_problems(self, body: Mapping[str, object]) -> Iterator[Problem]:
        if sum(name in body for name in WAYS) != 1:
            facts = {
                "parameter": "body",
                "found": listed([name for name in WAYS if name in body]) or "none",
                "expected": f"exactly one of {', '.join(WAYS)}",
            }
            yield Problem("bad_parameter", (), facts)


@idempotent_write(
    ImportDetailSerializer, CorrectionSerializer, status=202, tells=(LOCATION,), act="import_sheets"
)
def correct_import_problem_view(
    request: Request, club: str, event: str, number: int, position: int
) -> HttpResponse:
    """Correct the rows of a problem; the file is then read again with the correction.

    A file that was only checked is checked again (`reading`); an imported file is imported again,
    and its hands in the event stay. The work goes on in the background: read the import until
    `finished` is true. Its problems then have other positions.
    """
    actor = known_caller(request)
    the_event = importing(actor, club, event)
    body = validated(request, CorrectionSerializer)
    problem = imports.problem_at(imports.batch_at(the_event, number), position)
    upload = imports.file_of(problem.batch)
    if upload is None or problem.state != ProblemState.OPEN:
        raise Conflict(Problem("problem_outdated"))
    _correct(Operation(actor, timezone.now()), problem, upload, body)
    return accepted(the_event, number)


def _correct(op: Operation, problem: ImportProblem, upload: Upload, body: JsonDict) -> None:
    """Read the file again with the corrections of the request."""
    if "offer" in body:
        use_offer(op, problem, upload, body["offer"])
    elif "rows" in body:
        correct_upload(op, problem.batch, lines=_lines(rows_of(problem, upload), body["rows"]))
    elif not asks_who(problem, upload):
        name = "player_id" if body["player_id"] else "new_name"
        facts = {
            "parameter": name,
            "found": shown(body[name]),
            "expected": "one of offers, or rows",
        }
        raise Refused(Problem("bad_parameter", (name,), facts))
    elif body["player_id"]:
        try:
            name_player(op, problem, upload=upload, player=body["player_id"])
        except Refused as refused:
            raise Refused(
                *(replace(problem_, at=("player_id",)) for problem_ in refused.problems)
            ) from refused
    else:
        name, player_id = body["new_name"], body["new_player_id"]
        name_new_player(op, problem, upload=upload, name=name, player_id=player_id)


def _lines(
    cells_by_line: Mapping[int, Sequence[str]], corrected_rows: Sequence[JsonDict]
) -> dict[int, Sequence[str]]:
    problems = []
    for at, row in enumerate(corrected_rows):
        cells = cells_by_line.get(row["line"])
        if cells is None:
            expected = ", ".join(map(str, cells_by_line))
            facts = {"key": "line", "found": row["line"], "expected": expected}
        elif len(row["cells"]) != len(cells):
            counts = {"found": f"{len(row['cells'])} cells", "expected": f"{len(cells)} cells"}
            facts = {"key": "cells", **counts}
        else:
            continue
        problems.append(Problem("bad_setting", ("rows", at, facts["key"]), facts))
    if problems:
        raise Refused(*problems)
    return {row["line"]: row["cells"] for row in corrected_rows}
