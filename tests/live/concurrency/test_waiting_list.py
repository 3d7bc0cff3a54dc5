"""Answers, withdrawals and changes of an evening with a limit at one moment: no place is given
twice, and none stays empty while somebody waits."""

from datetime import date, timedelta
from functools import partial

import pytest
from django.contrib.auth.models import User

from tests.support.builders import by_tests, league, link, pairs, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Action, Within
from tournaments.models.clubs import Membership, Player
from tournaments.models.rounds import Attendance, Meeting
from tournaments.policy import Actor
from tournaments.selectors.attendance.places import waiting_numbers
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import erase_player
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

pytestmark = pytest.mark.pg

EVENING = date(2025, 11, 13)
NAMES = ("Ada", "Bo", "Cy", "Di", "Ed")


@pytest.fixture
def meeting(within: Within) -> Meeting:
    """An evening of two places, and five members with an account."""
    with within():
        event = league(enter_the_cast().riverside)
        for name, player in zip(NAMES, players(event.club, *NAMES), strict=True):
            user = User.objects.create_user(name.lower())
            Membership.objects.create(club=event.club, user=user, role="player")
            link(player, user)
        return plan_meeting(by_tests(), event, day=EVENING, capacity=2)


def answer(meeting: Meeting, name: str, state: str = "expected", seconds: int = 0) -> Action:
    user = User.objects.get(username=name.lower())
    actor = Actor("user", user_id=user.pk, name=name)
    op = Operation(actor, NOW + timedelta(seconds=seconds))
    return partial(state_own_attendance, op, meeting, state=state)


def states(meeting: Meeting) -> list[str]:
    return sorted(Attendance.objects.filter(meeting=meeting).values_list("state", flat=True))


def test_two_answers_for_the_last_place_are_one_place_and_one_who_waits(
    within: Within, meeting: Meeting
) -> None:
    for _turn in range(short_or_long(3, 20)):
        with within():
            answer(meeting, "Ada")()
            actions = [answer(meeting, name) for name in ("Bo", "Cy", "Di")]
        assert within.at_once(*actions) == []
        with within():
            assert states(meeting) == ["expected", "expected", "waiting", "waiting"]
            assert sorted(waiting_numbers(meeting).values()) == [1, 2]
            Attendance.objects.all().delete()


def test_no_place_is_lost_or_given_twice_while_two_withdraw_and_a_director_adds(
    within: Within, meeting: Meeting
) -> None:
    for _turn in range(short_or_long(3, 20)):
        with within():
            for at, name in enumerate(NAMES):
                answer(meeting, name, seconds=at)()
            ed = Attendance.objects.get(meeting=meeting, player__name="Ed").player
            actions: list[Action] = [
                answer(meeting, "Ada", "absent", 10),
                answer(meeting, "Bo", "absent", 11),
                partial(set_attendance, by_tests(NOW), meeting, player=ed, state="here"),
                partial(change_meeting, by_tests(NOW), meeting, capacity=3),
            ]
        refused = within.at_once(*actions)
        with within():
            meeting = Meeting.objects.select_related("event__club").get(pk=meeting.pk)
            capacity = meeting.capacity
            found = states(meeting)
            assert found.count("absent") == 2
            here = found.count("here")
            taken = found.count("expected") + here
            assert refused == []
            assert (capacity, taken, found.count("waiting")) == (3, 3, 0)
            Attendance.objects.all().delete()
            change_meeting(by_tests(NOW), meeting, capacity=2)


def test_two_partners_who_answer_differently_at_once_have_the_answer_of_one(
    within: Within, meeting: Meeting
) -> None:
    with within():
        pairs(meeting.event, list(Player.objects.filter(name__in=NAMES[:4]).order_by("name")))
    for _turn in range(short_or_long(3, 20)):
        with within():
            actions = [
                answer(meeting, "Ada"),
                answer(meeting, "Bo", "absent"),
                answer(meeting, "Cy"),
                answer(meeting, "Di", "absent"),
            ]
        assert within.at_once(*actions) == []
        with within():
            rows = dict(Attendance.objects.values_list("player__name", "state"))
            assert (rows["Ada"], rows["Cy"]) == (rows["Bo"], rows["Di"])
            Attendance.objects.all().delete()


def test_place_of_who_is_erased_is_given_once_while_others_answer(
    within: Within, meeting: Meeting
) -> None:
    with within():
        for at, name in enumerate(("Ada", "Bo", "Cy")):
            answer(meeting, name, seconds=at)()
        ada = Player.objects.get(name="Ada")
        actions: list[Action] = [
            partial(erase_player, by_tests(NOW), ada, confirmed=ada.player_id, reason="Asked."),
            answer(meeting, "Bo", "absent", 10),
            answer(meeting, "Di", seconds=11),
            answer(meeting, "Ed", seconds=12),
        ]
    assert within.at_once(*actions) == []
    with within():
        found = states(meeting)
        assert (found.count("expected"), found.count("waiting")) == (2, 1)


def test_one_of_three_who_check_in_at_once_gets_the_last_place(
    within: Within, meeting: Meeting
) -> None:
    on_the_day = (EVENING - NOW.date()).days * 24 * 3600
    for _turn in range(short_or_long(3, 20)):
        with within():
            answer(meeting, "Ada")()
            actions = [answer(meeting, name, "here", on_the_day) for name in ("Bo", "Cy", "Di")]
        assert within.at_once(*actions) == ["places_are_taken"] * 2
        with within():
            assert states(meeting) == ["expected", "here"]
            Attendance.objects.all().delete()
