"""The problems of an import: read, resolved, and corrected in their rows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django.db.models import QuerySet
from rest_framework import serializers

from api.lists import Filter, Flat, limited
from api.resource_schema import IfMatch
from api.resources import changes, performs, reads
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import (
    BooleanField,
    ChoiceTextField,
    StrictField,
    TextField,
    TextListField,
    bad_setting,
    is_whole,
)
from api.serializers.strict_serializers import BodiesField, StrictSerializer
from api.serializers.typed_documents import DocumentField
from api.v1.imports.import_batches import (
    AtImportViewSet,
    ImportDetailSerializer,
    KeptProblemSerializer,
)
from scoring.entry.typed_hand import EntryDocument
from scoring.errors import Problem, Refused, listed, shown
from scoring.json_types import JsonDict
from tournaments.domain.etags import mark_of_text
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Event
from tournaments.models.imports import ImportBatch, ImportProblem, ProblemState, Upload
from tournaments.selectors import imports
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, hand_of
from tournaments.services.imports.resolve_problem import (
    MOST_LINES_SHOWN,
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

_RESOLVE: Final = """\
Resolve a problem: keep the stored hand, use the file's, or dismiss it with a reason.

`If-Match` names the version that you read. Without it the answer is 428; if the problem or the
stored hand changed meanwhile it is 412, with both as they are now (`there`). Using the file's
hand is a correction: it needs the rights and a reason, and the change log gets a line. Undoing
the import brings the stored hand back."""


class StoredHandSerializer(OutputSerializer):
    """The hand that is stored in the event."""

    revision = serializers.IntegerField()
    state = serializers.CharField()
    entry = DocumentField(EntryDocument, help_text="The entry as it was made.")
    hands = serializers.IntegerField(
        allow_null=True, help_text="Number of hands that totals cover; null if it is unknown."
    )
    scores = serializers.ListField(help_text="Booked scores of the seats, in seat order.")


class OwnHandSerializer(OutputSerializer):
    """The hand as the file has it."""

    entry = DocumentField(EntryDocument, help_text="The entry in the file.")
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


WAYS: Final = ("player_id", "new_name", "offer", "rows")
"""Members of which a correction has one."""


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
    keeps_name = BooleanField(
        left_out=False,
        help_text="Whether the club keeps that the name in the file is this player's, with "
        "`player_id`, `new_name` or the `offer` of a player: next time nobody is asked. The answer "
        "of a host is proposed to the directors. A seat, a number or a usual heading is not kept.",
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
        expected=f"a list of 1 to {MOST_LINES_SHOWN} lines",
        required=False,
        min_length=1,
        max_length=MOST_LINES_SHOWN,
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


class ProblemViewSet(AtImportViewSet):
    """The problems of one import, in the order of its file."""

    resource = ("import_problem", "import_problems")
    lookup_url_kwarg, lookup_value_converter = "position", "number"
    serializer_class, detail_serializer_class = KeptProblemSerializer, ProblemDetailSerializer
    ordering = ("position",)
    columns = (
        *("position", "lines", "round", "table", "hand", "code", "class", "state"),
        *("found", "expected", "message", "suggestion", "reason"),
    )
    filters = (
        Filter("state", "Only problems in this state.", ProblemState.values),
        Filter("code", "Only problems with this code, as in `unknown_player`."),
    )
    etag_text = "Names exactly this problem, with the stored hand of a conflict."
    retrieve = reads(
        "One problem of an import; for a conflict, with the stored hand and the file's hand."
    )
    partial_update = changes(
        dismiss_problem,
        ResolutionSerializer,
        name="resolve_import_problem",
        text=_RESOLVE,
        if_match=IfMatch(text="The ETag of the problem that you looked at, or `*`", of="problem"),
    )
    correct = performs(
        correct_upload,
        "correct",
        name="correct_import_problem",
        body=CorrectionSerializer,
        status=202,
        also_refuses=("problem_outdated",),
        answer=ImportDetailSerializer,
    )

    def get_queryset(self, state: str = "", code: str = "") -> QuerySet[ImportProblem]:
        return limited(imports.problems_in_order(self.get_batch()), state=state, code=code)

    def get_lines(self, row: Flat) -> Sequence[Flat]:
        return ({**row, "lines": " ".join(map(str, row["lines"]))},)

    def get_object(self) -> ImportProblem:
        return imports.problem_at(self.get_batch(), self.kwargs["position"])

    def get_row(self, result: ImportProblem) -> JsonDict:
        hand = file_hand(result)
        stored = _get_stored_hand(self.parent, result)
        from_file = hand and {"entry": hand["entry"], "hands": hand.get("hands")}
        is_whole = from_file is not None and stored is not None
        return {
            **plain(KeptProblemSerializer)(result),
            "severity": result.severity,
            "stored": stored if is_whole else None,
            "own": from_file if is_whole else None,
            **_correctable(result),
        }

    def get_tag(self, row: JsonDict) -> str:
        document = plain(ProblemDetailSerializer)(row)
        return mark_of_text(json.dumps(document, sort_keys=True, default=str))

    def perform_update(self, op: Operation, body: JsonDict) -> ImportProblem:
        problem = self.get_object()
        row = self.get_row(problem)
        if body["based_on"] not in (None, self.get_tag(row)):
            document = plain(ProblemDetailSerializer)(row)
            raise Conflict(Problem("problem_outdated"), there=document)
        if body["use"] != "file":
            dismiss_problem(op, problem, reason=body["reason"])
        elif row["stored"] is None:
            raise Refused(Problem("no_file_hand", ("use",), {"code": problem.code}))
        else:
            based_on = row["stored"]["revision"]
            use_file_hand(op, problem, based_on=based_on, reason=body["reason"])
        return self.get_object()

    def perform_correct(self, op: Operation, body: JsonDict) -> ImportBatch:
        problem = self.get_object()
        upload = imports.file_of(problem.batch)
        if upload is None or problem.state != ProblemState.OPEN:
            raise Conflict(Problem("problem_outdated"))
        _correct(op, problem, upload, body)
        return self.get_batch()


def _correct(op: Operation, problem: ImportProblem, upload: Upload, body: JsonDict) -> None:
    """Read the file again with the corrections of the request."""
    if "offer" in body:
        use_offer(op, problem, upload, body["offer"], keeps_name=body["keeps_name"])
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
            name_player(
                op,
                problem,
                upload=upload,
                player=body["player_id"],
                keeps_name=body["keeps_name"],
            )
        except Refused as refused:
            raise Refused(
                *(replace(problem_, at=("player_id",)) for problem_ in refused.problems)
            ) from refused
    else:
        name, player_id = body["new_name"], body["new_player_id"]
        name_new_player(
            op,
            problem,
            upload=upload,
            name=name,
            player_id=player_id,
            keeps_name=body["keeps_name"],
        )


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
