"""A test whose database had a deadlock fails, though the actions were repeated and went through."""

import threading

import pytest
import structlog
from django.db import OperationalError
from structlog.testing import capture_logs

from tests.support.builders import enter_the_cast, players
from tests.support.live.at_once import Action, Within
from tests.support.live.deadlocks import _on_purpose, check_deadlocks
from tournaments.domain.faults import is_busy, report_fault
from tournaments.models.clubs import Player
from tournaments.selectors.clubs.find_players import require_not_merged
from tournaments.services.db.transactions import atomic_step

pytestmark = [pytest.mark.pg, pytest.mark.deadlocks]


def test_deadlock_is_counted_and_its_fault_names_act_and_table(within: Within) -> None:
    faults: list[OperationalError] = []
    with within():
        ann, ben = players(enter_the_cast().riverside, "Ann", "Ben")

    def both(first: Player, second: Player) -> Action:
        @atomic_step
        def take_both() -> None:
            require_not_merged([first.pk])
            waiting.wait(10)
            require_not_merged([second.pk])

        def action() -> None:
            try:
                take_both()
            except OperationalError as fault:
                faults.append(fault)

        return action

    waiting = threading.Barrier(2)
    within.at_once(both(ann, ben), both(ben, ann))
    (fault,) = faults
    assert is_busy(fault)
    with capture_logs() as logged:
        report_fault(structlog.get_logger(), fault)
    (line,) = logged
    assert (line["event"], line["tables"]) == ("database_busy", ["tournaments_player"])
    assert line["acts"][-1].endswith("take_both")
    _on_purpose.clear()
    with pytest.raises(pytest.fail.Exception, match="counted 1 deadlock"):
        check_deadlocks(within.project.environment["DATABASE_URL"])
