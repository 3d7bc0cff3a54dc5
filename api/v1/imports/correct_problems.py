"""Correcting the rows of a problem: the file is read again with them, and judged as before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import known_caller
from api.idempotent_writes import idempotent_write, json_answer
from api.query_parameters import allow_only
from api.serializers.body_lists import BodiesField, read_bodies
from api.serializers.strict_fields import (
    StrictField,
    TextField,
    TextListField,
    bad_setting,
    is_whole,
)
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.imports.import_batches import ImportDetailSerializer, batch_json, importing
from api.v1.imports.import_upload import LOCATION
from scoring.errors import Problem, Refused, listed, shown
from scoring.json_types import JsonDict
from tournaments.errors import Conflict
from tournaments.importers.resolutions import (
    MOST_LINES,
    Resolution,
    ResolvedLines,
    asks_who,
    rows_of,
)
from tournaments.models.imports import ProblemState
from tournaments.selectors.imports import imports

WAYS: Final = ("player_id", "new_name", "offer", "rows")
"""Members of which a correction has one."""


class WholeField(StrictField, serializers.IntegerField):
    """A whole number from `min_value`."""

    def to_internal_value(self, data: Any) -> object:
        """Return the number.

        Raises:
            Refused: bad_setting.
        """
        least = self.min_value or 0
        if not is_whole(data) or data < least:
            raise bad_setting(self, shown(data), f"a whole number from {least}")
        return data


class CorrectedRowSerializer(StrictSerializer):
    """One line of the file as it should have been."""

    line = WholeField(min_value=1)
    cells = TextListField(
        child=serializers.CharField(allow_blank=True),
        help_text="In the order of `columns` of the problem.",
    )


class CorrectedRowsField(BodiesField):
    """Lines of the file as they should have been."""

    def to_internal_value(self, data: object) -> object:
        """Return the lines.

        Raises:
            Refused: bad_setting, where this is no list of lines; what their members refuse.
        """
        if not isinstance(data, list) or not 1 <= len(data) <= MOST_LINES:
            raise bad_setting(self, shown(data), f"a list of 1 to {MOST_LINES} lines")
        return tuple(read_bodies(data, CorrectedRowSerializer))


class CorrectionSerializer(StrictSerializer):
    """The right content of the rows of a problem, in one of four ways."""

    player_id = TextField(
        required=False,
        help_text="The player at that seat, for problems about a player (`asks_who`).",
    )
    new_name = TextField(
        required=False, help_text="The same, of somebody who is not in the club and is added."
    )
    new_player_id = TextField(
        required=False,
        help_text="For `new_name`: their number. Without it they are a guest; with it a director "
        "adds them.",
    )
    offer = WholeField(required=False, min_value=0, help_text="`index` of one of the `offers`.")
    rows = CorrectedRowsField(
        child=CorrectedRowSerializer(),
        required=False,
        min_length=1,
        max_length=MOST_LINES,
        help_text="Lines of the problem with other cells; a line that is left out stays.",
    )

    def body_problems(self, body: Mapping[str, object]) -> Iterator[Problem]:
        """Yield that a body says nothing, or several things."""
        if sum(name in body for name in WAYS) != 1:
            found = [name for name in WAYS if name in body]
            facts = {
                "parameter": "body",
                "found": listed(found) or "none",
                "expected": f"exactly one of {', '.join(WAYS)}",
            }
            yield Problem("bad_parameter", (), facts)


def _correct_import_problem(
    request: Request, club: str, event: str, number: int, position: int
) -> HttpResponse:
    """Correct the rows of a problem, and have the file read again with that.

    Nothing is imported by it that was not confirmed: a checked file is checked again (`reading`),
    an imported one is imported again, and hands that are there stay. A worker goes on with it; ask
    for the import until `finished` is true. Its problems have other positions then.
    """
    allow_only(request)
    actor = known_caller(request)
    found = importing(actor, club, event)
    sent = validated(request, CorrectionSerializer)
    problem = imports.problem_at(imports.batch_at(found, number), position)
    upload = imports.file_of(problem.batch)
    if upload is None or problem.state != ProblemState.OPEN:
        raise Conflict(Problem("problem_outdated"))
    _correct(Resolution(actor, problem, upload, timezone.now()), sent)
    answer = json_answer(batch_json(found, number), status=202)
    answer["Location"] = reverse("read_import", args=[club, event, number])
    return answer


def _correct(resolution: Resolution, sent: JsonDict) -> None:
    """Have the file read again with what was sent."""
    problem, upload = resolution.problem, resolution.upload
    if "offer" in sent:
        resolution.offer(sent["offer"])
    elif "rows" in sent:
        resolution.mend(ResolvedLines(_lines(rows_of(problem, upload), sent["rows"])))
    elif not asks_who(problem, upload):
        name = "player_id" if sent["player_id"] else "new_name"
        facts = {
            "parameter": name,
            "found": shown(sent[name]),
            "expected": "one of offers, or rows",
        }
        raise Refused(Problem("bad_parameter", (name,), facts))
    elif sent["player_id"]:
        try:
            resolution.player(sent["player_id"])
        except Refused as refused:
            raise Refused(
                *(replace(one, at=("player_id",)) for one in refused.problems)
            ) from refused
    else:
        resolution.newcomer(sent["new_name"], sent["new_player_id"])


def _lines(
    there: Mapping[int, Sequence[str]], sent: Sequence[JsonDict]
) -> dict[int, Sequence[str]]:
    """Return other cells by the line of the file.

    Raises:
        Refused: bad_setting, where a line is not the problem's, or has too many cells.
    """
    problems = []
    for at, row in enumerate(sent):
        cells = there.get(row["line"])
        if cells is None:
            facts = {"key": "line", "found": row["line"], "expected": ", ".join(map(str, there))}
            problems.append(Problem("bad_setting", ("rows", at, "line"), facts))
        elif len(row["cells"]) != len(cells):
            facts = {
                "key": "cells",
                "found": f"{len(row['cells'])} cells",
                "expected": f"{len(cells)} cells",
            }
            problems.append(Problem("bad_setting", ("rows", at, "cells"), facts))
    if problems:
        raise Refused(*problems)
    return {row["line"]: row["cells"] for row in sent}


correct_import_problem_view = idempotent_write(
    _correct_import_problem,
    ImportDetailSerializer,
    CorrectionSerializer,
    status=202,
    tells=(LOCATION,),
)
"""`POST …/imports/{number}/problems/{position}/correct`."""
