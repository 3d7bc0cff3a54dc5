"""A stage begins while somebody else begins or removes it, or corrects a hand before it."""

from collections.abc import Callable

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, hand, players
from tests.support.cast import enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import at_once, project
from tests.support.live.project import LiveProject
from tests.support.scenarios.cuts import LATER, NAMES, OTHERS, before_a_cut, chosen
from tournaments.errors import Conflict, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event, Stage
from tournaments.models.meetings import Table
from tournaments.models.playoffs import StageEntrant
from tournaments.selectors.events.stages import stage_row, stage_tag
from tournaments.services.publishing.publications import publish
from tournaments.services.stages.cuts import undo_cut
from tournaments.services.stages.plan_stages import (
    begin_stage,
    change_stage,
    plan_stage,
    remove_stage,
)

__all__ = ["project"]

pytestmark = [pytest.mark.pg, pytest.mark.timeout(300)]

TURNS = short_or_long(2, 20)
AS_PLAYED = [2, 4, 6, 1]
BEST = ["RL01", "RL02", "RL05", "RL06"]
BEST_CORRECTED = ["RL01", "RL02", "RL05", "RL07"]


class PlannedFinal:
    """An event of eight after its first round, with a final of the best two of each table."""

    def __init__(self, inside: Inside, project: LiveProject) -> None:
        self.inside, self.project = inside, project
        with inside(project):
            self.event: Event = before_a_cut(players(enter_the_cast().riverside, *NAMES))
            self.plan()

    def plan(self) -> None:
        fields = {"name": "Final", "advance": {"each_table": 2}}
        plan_stage(actor=TESTS, event=self.event, fields=fields, now=LATER)

    def begin(self) -> object:
        try:
            return begin_stage(actor=TESTS, event=self.event, number=2, now=LATER)
        except Missing as missing:
            raise Conflict(missing.problem) from missing

    def remove(self) -> object:
        return remove_stage(actor=TESTS, event=self.event, number=2, now=LATER)

    def correct(self, hearts: list[int]) -> Callable[[], object]:
        def work() -> object:
            game = Table.objects.get(event=self.event, code="r1t2").game
            revision = game.hands.get(number=1).revision
            return hand(game, 1, hearts, 3, based_on=revision, reason="Misread.", now=LATER)

        return work

    def at_once(self, *acts: Callable[[], object]) -> list[str]:
        return at_once(self.inside, self.project, acts)

    def undo(self) -> None:
        undo_cut(actor=TESTS, event=self.event, number=2, reason="Again.", now=LATER)
        publish(self.event.pk, now=LATER)


@pytest.fixture
def final(inside: Inside, project: LiveProject) -> PlannedFinal:
    return PlannedFinal(inside, project)


def test_of_two_directors_who_change_a_stage_one_sees_what_the_other_saved(
    final: PlannedFinal,
) -> None:
    def change(name: str, tag: str) -> Callable[[], object]:
        def work() -> object:
            return change_stage(
                actor=TESTS, event=final.event, number=2, fields={"name": name}, now=LATER,
                based_on=tag,
            )  # fmt: skip

        return work

    for turn in range(TURNS):
        with final.inside(final.project):
            tag = stage_tag(stage_row(final.event, 2))
        names = (f"Mine {turn}", f"Yours {turn}")
        refused = final.at_once(*(change(name, tag) for name in names))
        assert refused == ["stage_outdated"]
        with final.inside(final.project):
            assert Stage.objects.get(event=final.event, number=2).name in names


def test_two_directors_begin_a_stage(final: PlannedFinal) -> None:
    for turn in range(1, TURNS + 1):
        assert final.at_once(final.begin, final.begin) == ["stage_has_begun"]
        with final.inside(final.project):
            assert chosen(Stage.objects.get(number=2)) == BEST
            assert AuditLine.objects.filter(act="begin_stage").count() == turn
            final.undo()


def test_stage_is_removed_while_it_begins(final: PlannedFinal) -> None:
    for _ in range(TURNS):
        refused = final.at_once(final.begin, final.remove)
        assert refused in (["stage_has_begun"], ["unknown_stage"]), refused
        with final.inside(final.project):
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
        refused = final.at_once(final.begin, final.correct(hearts))
        assert refused in ([], ["standings_behind"]), refused
        with final.inside(final.project):
            if refused:
                assert not StageEntrant.objects.exists()
                publish(final.event.pk, now=LATER)
            else:
                assert chosen(Stage.objects.get(number=2)) == stood
                publish(final.event.pk, now=LATER)
                final.undo()
