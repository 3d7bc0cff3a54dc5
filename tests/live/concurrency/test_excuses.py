"""A director's word on an excused evening beside another one, the player's answer, and the
publication."""

from datetime import UTC, date, datetime, time

import pytest

from tests.support.builders import by_tests, hand, league, link, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Action, Within
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.rounds import Attendance, Meeting
from tournaments.models.standings import Change
from tournaments.policy import Actor
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.attendance.excuses import excuse_player
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.pg

FIRST = date(2025, 11, 6)
SECOND = date(2025, 11, 13)
START = datetime(2025, 11, 13, 19, 0, tzinfo=UTC)
SETTINGS = {"primary": "evening_points", "excused": "fixed", "excused_points": 7}


@pytest.fixture
def event(within: Within) -> Event:
    """Two evenings; Ada played the first one and not the second one, and has an account."""
    with within():
        cast = enter_the_cast()
        event = league(cast.riverside, settings=SETTINGS)
        people = players(event.club, *"ABCDE")
        link(people[0], cast.users["piet"])
        hand(table(event, people[:4], on=FIRST), 1, [4, 1, 2, 6], queen=3)
        hand(table(event, people[1:], round_number=2, on=SECOND), 1, [4, 1, 2, 6], queen=3)
        Meeting.objects.filter(event=event).update(time=time(19))
        publish(event.pk, now=NOW)
        return event


def ada(event: Event) -> Player:
    return Player.objects.get(club=event.club, name="A")


def excuse(event: Event, *, excused: bool) -> Action:
    def action() -> None:
        reason = "Called." if excused else "Never calls."
        meeting = meeting_on(event, SECOND)
        excuse_player(by_tests(), meeting, player=ada(event), excused=excused, reason=reason)

    return action


def answer(event: Event) -> Action:
    def action() -> None:
        user = ada(event).user
        assert user is not None
        operation = Operation(Actor("user", user_id=user.pk, name="Piet"), START)
        state_own_attendance(operation, meeting_on(event, SECOND), state="absent")

    return action


def publish_it(event: Event) -> Action:
    def action() -> None:
        publish(event.pk, now=NOW)

    return action


def points_of_ada(event: Event) -> int:
    """Return what Ada has in the standings once all is published."""
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    row = Dirty.objects.get(scope=event_scope(event.pk))
    assert row.done == row.version
    rows = {row["player"]: row["evening_points"] for row in publication.document["rows"]}
    points: int = rows["A"]
    return points


def test_the_last_of_two_words_counts(within: Within, event: Event) -> None:
    with within():
        without = points_of_ada(event)
    for _turn in range(short_or_long(2, 20)):
        words = (excuse(event, excused=True), excuse(event, excused=False))
        assert within.at_once(*words) == []
        with within():
            lines = Change.objects.filter(event=event, kind="excuse").order_by("pk")
            said = [line.facts["excused"] for line in lines]
            assert sorted(said) == [False, True]
            assert Attendance.objects.get().excused is said[-1]
            assert points_of_ada(event) == without + 7 * bool(said[-1])
            Attendance.objects.all().delete()
            lines.delete()


def test_a_word_beside_the_players_own_answer_makes_one_row(within: Within, event: Event) -> None:
    for _turn in range(short_or_long(2, 20)):
        assert within.at_once(excuse(event, excused=True), answer(event)) == []
        with within():
            row = Attendance.objects.get()
            # The answer is late; the word stays, whichever came first.
            assert (row.state, row.answer, row.excused) == ("absent", "absent", True)
            row.delete()


@pytest.mark.parametrize("excused", [True, False])
def test_a_word_beside_the_publication_is_in_the_next_one(
    within: Within, event: Event, *, excused: bool
) -> None:
    with within():
        without = points_of_ada(event)
    assert within.at_once(excuse(event, excused=excused), publish_it(event)) == []
    with within():
        assert points_of_ada(event) == without + 7 * excused
