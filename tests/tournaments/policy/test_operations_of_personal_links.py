"""Which operations the holder of a personal link may call, and that they act for nobody else."""

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import pytest

from tests.support.builders import league, players
from tests.support.cast import NOW, Cast
from tournaments import services
from tournaments.errors import Forbidden, Missing
from tournaments.models.clubs import Player
from tournaments.models.rounds import Attendance
from tournaments.policy import CONFIRMED, EVENING, MAY, PERSON, REACHED, command
from tournaments.selectors.access.personal_links import person_with_link
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.clubs.clubs import change_player
from tournaments.services.clubs.personal_links import make_personal_links
from tournaments.services.operations import DeclaredOperation, Operation
from tournaments.services.people.erase_player import ask_erasure, withdraw_erasure
from tournaments.services.rounds.meetings import plan_meeting

OF_A_LINK: Final = frozenset(
    {
        *("set_attendance", "state_own_attendance", "answer_fill_in"),
        *("choose_mails", "ask_confirmation", "send_result_note"),
    }
)
AFTER_ANY_MAIL: Final = frozenset({"confirm_address", "ask_account"})
"""`ask_account` then looks itself whether the club vouches for the address."""
AFTER_A_MAIL: Final = AFTER_ANY_MAIL | frozenset(
    {
        *("change_player", "ask_erasure", "withdraw_erasure"),
        *("issue_challenge", "answer_challenge", "postpone_challenge", "enter_result"),
        "dispute_result",
        *("report_absence", "end_absence"),
    }
)

OF_A_CODE: Final = frozenset({"state_attendance_tonight"})

ROLES: Final = (PERSON, REACHED, CONFIRMED, EVENING)


def _operations() -> Mapping[str, DeclaredOperation[..., Any]]:
    modules = [
        import_module(each.name)
        for each in pkgutil.walk_packages(services.__path__, "tournaments.services.")
    ]
    return {
        each.name: each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, DeclaredOperation)
    }


@pytest.fixture
def holders(cast: Cast) -> list[Operation]:
    """Somebody with a personal link, with the links of mails too, or with the code of a card; all
    are Anna."""
    anna, _ = players(cast.riverside, "Anna", "Bert")
    links = make_personal_links(Operation(command("tests"), NOW), cast.riverside)
    mine = next(each for each in links if each.player_id == anna.pk)
    return [Operation(person_with_link(mine, role=role), NOW) for role in ROLES]


def test_every_operation_refuses_whoever_holds_a_link(cast: Cast, holders: list[Operation]) -> None:
    found = _operations()
    assert len(found) > 200
    # Those without a subject belong to an account, or to anybody.
    for op, role, allowed in zip(
        holders,
        ROLES,
        (OF_A_LINK, OF_A_LINK | AFTER_ANY_MAIL, OF_A_LINK | AFTER_A_MAIL, OF_A_CODE),
        strict=True,
    ):
        assert {name for name, each in found.items() if role in MAY[each.right]} == allowed
        for name in found.keys() - allowed:
            operation = found[name]
            if operation.has_subject and not operation.right_in_body:
                with pytest.raises((Forbidden, Missing)):
                    operation(op, cast.riverside)


def test_holder_of_a_link_acts_for_nobody_else(cast: Cast, holders: list[Operation]) -> None:
    event = league(cast.riverside)
    meeting = plan_meeting(Operation(command("tests"), NOW), event, day=NOW.date())
    bert = Player.objects.get(name="Bert")
    for op in holders:
        for call in (
            lambda op=op: set_attendance(op, meeting, player=bert, state="expected"),
            lambda op=op: change_player(op, bert, nickname="B"),
            lambda op=op: ask_erasure(op, bert),
            lambda op=op: withdraw_erasure(op, bert),
        ):
            with pytest.raises((Forbidden, Missing)):
                call()
    bert.refresh_from_db()
    assert (bert.nickname, Attendance.objects.filter(player=bert).count()) == ("", 0)
