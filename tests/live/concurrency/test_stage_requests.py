"""Stages are changed, removed and begun over REST in the middle of each other, with If-Match.

What comes of it is what one order of the two gives; a transaction that a deadlock ended is not
made once more here, so that it would be seen.
"""

import json

import pytest
from django.test import Client

from tests.live.conftest import Inside
from tests.support.answers import Answer
from tests.support.builders import TESTS, players
from tests.support.cast import Cast, enter_the_cast
from tests.support.lengths import only_long
from tests.support.live.bulk_acts import Act, project
from tests.support.live.in_between import in_between
from tests.support.live.project import LiveProject
from tests.support.scenarios.cuts import LATER, NAMES, before_a_cut, chosen
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event, Stage
from tournaments.services.stages.plan_stages import plan_stage

__all__ = ["project"]

pytestmark = pytest.mark.pg

AT = "/api/v1/clubs/riverside/events/league/stages"
PLAN, BEGIN = (f"tournaments.services.stages.{one}" for one in ("plan_stages", "begin_stage"))
RECORD = "record_stage_act"


class TwoStages:
    """An event after its first round: a final (2) and a stage after it (3) are planned."""

    def __init__(self, inside: Inside, project: LiveProject) -> None:
        self.inside, self.project = inside, project
        with inside(project):
            self.cast: Cast = enter_the_cast()
            self.event: Event = before_a_cut(players(self.cast.riverside, *NAMES))
            for fields in ({"name": "Final", "advance": {"each_table": 2}}, {"name": "Last"}):
                plan_stage(actor=TESTS, event=self.event, fields=fields, now=LATER)
            self.tags = {at: self.send("GET", f"/{at}")["ETag"] for at in (2, 3)}
        self.answers: dict[str, Answer] = {}

    def send(self, method: str, path: str, body: object = None, tag: str = "") -> Answer:
        client = Client()
        client.force_login(self.cast.users["dirk"])
        headers = {"If-Match": tag} if tag else {}
        answer: Answer = client.generic(
            method, f"{AT}{path}", json.dumps(body or {}), "application/json", headers=headers
        )
        return answer

    def act(self, name: str) -> Act:
        """`patch 2` with the ETag that was read at first, `patch* 2` with any; so `delete`."""
        verb, number = name.split()
        method = {"patch": "PATCH", "delete": "DELETE", "begin": "POST"}[verb.strip("*")]
        tag = "*" if "*" in verb else self.tags[int(number)]
        body = {"name": "Mine"} if method == "PATCH" else {}
        path = f"/{number}/begin" if verb == "begin" else f"/{number}"

        def work() -> str:
            answer = self.send(method, path, body, "" if verb == "begin" else tag)
            self.answers[name] = answer
            return "" if answer.status_code == 200 else str(answer.json()["errors"][0]["code"])

        return work

    def both(self, first: str, second: str, at: str = "") -> tuple[str, str]:
        at = at or f"{BEGIN if first.startswith('begin') else PLAN}.{RECORD}"
        return in_between(self.inside, self.project, self.act(first), at, self.act(second))

    def names(self) -> list[tuple[int, str]]:
        found = Stage.objects.filter(event=self.event, number__gt=1).order_by("number")
        return list(found.values_list("number", "name"))


@pytest.fixture
def stages(inside: Inside, project: LiveProject) -> TwoStages:
    return TwoStages(inside, project)


BOTH, REMOVED, CHANGED = [(2, "Final"), (3, "Last")], [(2, "Last")], [(2, "Mine"), (3, "Last")]


@pytest.mark.parametrize(
    ("first", "second", "said", "left"),
    [
        only_long("delete 3", "delete 3", ("", "unknown_stage"), [(2, "Final")]),
        ("delete 2", "delete 2", ("", "stage_outdated"), REMOVED),
        only_long("delete 3", "patch 3", ("", "unknown_stage"), [(2, "Final")]),
        ("delete 2", "patch 2", ("", "stage_outdated"), REMOVED),
        only_long("delete 2", "patch 3", ("", "unknown_stage"), REMOVED),
        only_long("patch 2", "delete 2", ("", "stage_outdated"), CHANGED),
        only_long("patch 2", "delete* 2", ("", ""), REMOVED),
        only_long("patch 3", "delete 2", ("", ""), [(2, "Mine")]),
        ("patch 2", "patch 2", ("", "stage_outdated"), CHANGED),
        ("begin 2", "delete 2", ("", "stage_outdated"), BOTH),
        only_long("begin 2", "delete* 2", ("", "stage_has_begun"), BOTH),
        only_long("delete 3", "begin 3", ("", "unknown_stage"), [(2, "Final")]),
        ("begin 2", "patch 2", ("", "stage_outdated"), BOTH),
        only_long("patch 2", "begin 2", ("", ""), CHANGED),
    ],
)
def test_whoever_read_a_stage_that_is_another_one_now_is_told(
    stages: TwoStages, first: str, second: str, said: tuple[str, str], left: list[tuple[int, str]]
) -> None:
    assert stages.both(first, second) == said
    with stages.inside(stages.project):
        assert stages.names() == left
        verbs = {"patch": "change_stage", "delete": "remove_stage", "begin": "begin_stage"}
        done = [
            verbs[act.split()[0].strip("*")]
            for act, code in zip((first, second), said, strict=True)
            if not code
        ]
        lines = AuditLine.objects.filter(act__in=verbs.values()).order_by("number")
        assert list(lines.values_list("act", flat=True)) == done
        begun = "begin_stage" in done
        assert bool(chosen(Stage.objects.get(event=stages.event, number=2))) == begun


def test_answer_of_a_change_is_of_the_stage_that_was_changed(stages: TwoStages) -> None:
    """The stage is removed as soon as it is changed, and the next one has its number."""
    assert stages.both("patch* 2", "delete* 2", f"{PLAN}.stage_row") == ("", "")
    answer = stages.answers["patch* 2"]
    assert (answer.json()["name"], answer["ETag"] != stages.tags[3]) == ("Mine", True)


def test_answer_of_a_removal_is_the_stage_as_it_was_then(stages: TwoStages) -> None:
    assert stages.both("delete* 2", "patch* 2", f"{PLAN}.lock_event") == ("", "")
    assert stages.answers["delete* 2"].json()["name"] == "Mine"
    with stages.inside(stages.project):
        assert stages.names() == REMOVED
