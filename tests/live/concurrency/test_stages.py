"""A stage is changed, begun or removed in the middle of other actions on it."""

import json
from functools import partial

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import by_tests, hand, players
from tests.support.cast import Cast, enter_the_cast
from tests.support.lengths import only_long, short_or_long
from tests.support.live.at_once import Action, Within
from tests.support.scenarios.cuts import LATER, NAMES, OTHERS, before_a_cut, chosen
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event, Stage
from tournaments.models.playoffs import StageEntrant
from tournaments.models.rounds import Table
from tournaments.selectors.stages import get_stage, stage_row, stage_tag
from tournaments.services.publishing.publications import publish
from tournaments.services.stages.cuts import undo_cut
from tournaments.services.stages.plan_stages import (
    begin_stage,
    change_stage,
    plan_stage,
    remove_stage,
)

pytestmark = [pytest.mark.pg, pytest.mark.timeout(300)]

TURNS = short_or_long(2, 20)
AS_PLAYED = [2, 4, 6, 1]
BEST = ["RL01", "RL02", "RL05", "RL06"]
BEST_CORRECTED = ["RL01", "RL02", "RL05", "RL07"]


class PlannedFinal:
    """An event of eight after its first round, with a final of the best two of each table."""

    def __init__(self, within: Within) -> None:
        self.within = within
        with within():
            self.event: Event = before_a_cut(players(enter_the_cast().riverside, *NAMES))
            self.plan()

    def plan(self) -> None:
        fields = {"name": "Final", "advance": {"each_table": 2}}
        plan_stage(by_tests(LATER), self.event, fields=fields)

    def begin(self) -> object:
        return begin_stage(by_tests(LATER), get_stage(self.event, 2))

    def remove(self) -> object:
        return remove_stage(by_tests(LATER), get_stage(self.event, 2))

    def correct(self, hearts: list[int]) -> Action:
        def work() -> object:
            game = Table.objects.get(event=self.event, code="r1t2").game
            revision = game.hands.get(number=1).revision
            return hand(game, 1, hearts, 3, based_on=revision, reason="Misread.", now=LATER)

        return work

    def undo(self) -> None:
        undo_cut(by_tests(LATER), get_stage(self.event, 2), reason="Again.")
        publish(self.event.pk, now=LATER)


@pytest.fixture
def final(within: Within) -> PlannedFinal:
    return PlannedFinal(within)


def test_of_two_directors_who_change_a_stage_one_sees_the_others(final: PlannedFinal) -> None:
    for turn in range(TURNS):
        with final.within():
            tag = stage_tag(stage_row(final.event, 2))
            change = partial(change_stage, by_tests(LATER), get_stage(final.event, 2), based_on=tag)
        names = (f"Mine {turn}", f"Yours {turn}")
        refused = final.within.at_once(*(partial(change, fields={"name": name}) for name in names))
        assert refused == ["stage_outdated"]
        with final.within():
            assert Stage.objects.get(event=final.event, number=2).name in names


def test_two_directors_begin_a_stage(final: PlannedFinal) -> None:
    for turn in range(1, TURNS + 1):
        assert final.within.at_once(final.begin, final.begin) == ["stage_has_begun"]
        with final.within():
            assert chosen(Stage.objects.get(number=2)) == BEST
            assert AuditLine.objects.filter(act="begin_stage").count() == turn
            final.undo()


def test_stage_is_removed_while_it_begins(final: PlannedFinal) -> None:
    for _ in range(TURNS):
        refused = final.within.at_once(final.begin, final.remove)
        assert refused in (["stage_has_begun"], ["unknown_stage"]), refused
        with final.within():
            if refused == ["unknown_stage"]:
                assert not StageEntrant.objects.exists()
                final.plan()
            else:
                assert chosen(Stage.objects.get(number=2)) == BEST
                final.undo()


def test_hand_is_corrected_while_a_stage_begins(final: PlannedFinal) -> None:
    before, after = (AS_PLAYED, BEST), (OTHERS, BEST_CORRECTED)
    for turn in range(TURNS):
        (_, stood), (hearts, _) = (before, after) if turn % 2 == 0 else (after, before)
        refused = final.within.at_once(final.begin, final.correct(hearts))
        assert refused in ([], ["standings_behind"]), refused
        with final.within():
            if refused:
                assert not StageEntrant.objects.exists()
                publish(final.event.pk, now=LATER)
            else:
                assert chosen(Stage.objects.get(number=2)) == stood
                publish(final.event.pk, now=LATER)
                final.undo()


AT = "/api/v1/clubs/riverside/events/league/stages"
PLAN = "tournaments.services.stages.plan_stages"
RECORD = f"{PLAN}.record_stage_operation"


class TwoStages:
    """An event after its first round: a final (2) and a stage after it (3) are planned."""

    def __init__(self, within: Within) -> None:
        self.within = within
        with within():
            self.cast: Cast = enter_the_cast()
            self.event: Event = before_a_cut(players(self.cast.riverside, *NAMES))
            for fields in ({"name": "Final", "advance": {"each_table": 2}}, {"name": "Last"}):
                plan_stage(by_tests(LATER), self.event, fields=fields)
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

    def action(self, name: str) -> Action:
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

    def both(self, first: str, second: str, at: str = RECORD) -> tuple[str, str]:
        return self.within.in_between(self.action(first), at, self.action(second))

    def names(self) -> list[tuple[int, str]]:
        found = Stage.objects.filter(event=self.event, number__gt=1).order_by("number")
        return list(found.values_list("number", "name"))


@pytest.fixture
def stages(within: Within) -> TwoStages:
    return TwoStages(within)


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
@pytest.mark.tier_long
def test_whoever_read_a_stage_that_is_another_one_now_is_told(
    stages: TwoStages, first: str, second: str, said: tuple[str, str], left: list[tuple[int, str]]
) -> None:
    assert stages.both(first, second) == said
    with stages.within():
        assert stages.names() == left
        verbs = {"patch": "change_stage", "delete": "remove_stage", "begin": "begin_stage"}
        done = [
            verbs[action.split()[0].strip("*")]
            for action, code in zip((first, second), said, strict=True)
            if not code
        ]
        lines = AuditLine.objects.filter(act__in=verbs.values()).order_by("number")
        assert list(lines.values_list("act", flat=True)) == done
        begun = "begin_stage" in done
        assert bool(chosen(Stage.objects.get(event=stages.event, number=2))) == begun


@pytest.mark.tier_long
def test_answer_of_a_change_is_of_the_stage_that_was_changed(stages: TwoStages) -> None:
    """The stage is removed as soon as it is changed, and the next one has its number."""
    assert stages.both("patch* 2", "delete* 2", f"{PLAN}.stage_row") == ("", "")
    answer = stages.answers["patch* 2"]
    assert (answer.json()["name"], answer["ETag"] != stages.tags[3]) == ("Mine", True)


@pytest.mark.tier_long
def test_answer_of_a_removal_is_the_stage_as_it_was_then(stages: TwoStages) -> None:
    assert stages.both(
        "delete* 2", "patch* 2", "tournaments.services.stages.advancing.lock_event"
    ) == ("", "")
    assert stages.answers["delete* 2"].json()["name"] == "Mine"
    with stages.within():
        assert stages.names() == REMOVED
