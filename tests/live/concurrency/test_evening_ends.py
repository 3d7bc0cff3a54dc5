"""An evening ends once, and has one first result: two directors, a host, the clock and workers at
one moment."""

from datetime import date, datetime, timedelta

import pytest
from django.contrib.auth.models import User

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.evening_work import make_tables_of
from tests.support.live.at_once import Action, Within, get_game
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.jobs import Deadline
from tournaments.models.rounds import Round
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.events.meetings import LULL, is_over, meeting_on
from tournaments.selectors.standings.evening_results import newest_result
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import run_deadline_job

pytestmark = pytest.mark.pg

TONIGHT = date(2025, 11, 6)
LATER = NOW + timedelta(hours=1)
LOOK = timedelta(seconds=2)
"""Time until a worker looks again at tables that were being made."""


@pytest.fixture
def event(within: Within) -> Event:
    """Two rounds of a table each: the first closed an hour ago, the second complete."""
    with within():
        event = league(enter_the_cast().riverside)
        people = players(event.club, *"ABCD")
        for number in (1, 2):
            game = table(event, people, round_number=number, on=TONIGHT)
            hand(game, 1, [4, 1, 2, 6], queen=3)
            move_game(by_tests(), game, to="complete")
            if number == 1:
                move_round(by_tests(), game.table.round, to="closed")
        return event


def end(event: Event) -> Action:
    def action() -> None:
        end_evening(by_tests(LATER), meeting_on(event, TONIGHT))

    return action


def clock(event: Event) -> Action:
    def action() -> None:
        deadline = Deadline.objects.get(event=event, kind="evening_end")
        run_deadline_job(deadline.pk, now=LATER)

    return action


def reopen_table(event: Event) -> Action:
    def action() -> None:
        move_game(by_tests(LATER), get_game(event=event, table__code="r2t1"), to="playing")

    return action


def correct(event: Event) -> Action:
    def action() -> None:
        game = get_game(event=event, table__code="r2t1")
        void_hand(by_tests(LATER), game, number=1, based_on=1, reason="Wrong table.")

    return action


def n_ends() -> int:
    return AuditLine.objects.filter(act="end_evening").count()


def test_two_directors_and_the_clock_end_it_once(within: Within, event: Event) -> None:
    refused = within.at_once(end(event), end(event), clock(event))
    with within():
        meeting = meeting_on(event, TONIGHT)
        assert (refused, n_ends(), is_over(meeting)) == ([], 1, True)
        assert set(Round.objects.filter(event=event).values_list("state", flat=True)) == {"closed"}


def test_host_who_opens_a_table_again_comes_before_the_end_or_is_refused(
    within: Within, event: Event
) -> None:
    refused = within.at_once(end(event), reopen_table(event), clock(event))
    with within():
        over = is_over(meeting_on(event, TONIGHT))
        state = Game.objects.get(event=event, table__code="r2t1").state
        assert (refused, over, state) in (
            (["round_is_closed"], True, "complete"),
            (["evening_has_open_tables"], False, "playing"),
            (["games_still_open"], False, "playing"),
        )


def test_correction_beside_the_end_is_in_or_comes_after_it(within: Within, event: Event) -> None:
    refused = within.at_once(end(event), correct(event), end(event))
    with within():
        assert is_over(meeting_on(event, TONIGHT)) or refused == ["evening_has_open_tables"] * 2
        assert n_ends() <= 1


def draw(event: Event, now: datetime = LATER) -> Action:
    def action() -> None:
        for deadline in Deadline.objects.filter(event=event, kind="evening_result", done_at=None):
            run_deadline_job(deadline.pk, now=now)

    return action


def make_tables(event: Event) -> Action:
    def action() -> None:
        make_tables_of(event, LATER)

    return action


def numbers() -> list[int]:
    results = Publication.objects.filter(meeting__isnull=False).order_by("number")
    return list(results.values_list("number", flat=True))


def test_two_directors_and_two_workers_draw_one_first_result(within: Within, event: Event) -> None:
    with within():
        make_tables_of(event, LATER)
    assert within.at_once(end(event), end(event), clock(event), draw(event), draw(event)) == []
    with within():
        make_tables_of(event, LATER)
    assert within.at_once(draw(event, LATER + LOOK), draw(event, LATER + LOOK)) == []
    with within():
        assert numbers() == [1]


def test_host_beside_the_first_result_is_in_it_or_in_the_next(within: Within, event: Event) -> None:
    with within():
        end(event)()
        make_tables_of(event, LATER)
    refused = within.at_once(draw(event), correct(event), make_tables(event), draw(event))
    assert refused == []
    with within():
        make_tables_of(event, LATER)
        draw(event, LATER + LOOK)()
        draw(event, LATER + LULL)()
        newest = newest_result(meeting_on(event, TONIGHT))
        assert newest is not None
        assert newest.document["as_of"]["hands"] == 1
        assert numbers() in ([1], [1, 2])


def enter(event: Event, host: Actor) -> Action:
    def action() -> None:
        hand(get_game(event=event, table__code="r2t1"), 2, [0, 2, 4, 7], queen=3, actor=host)

    return action


def test_hand_of_a_phone_beside_the_end_is_in_the_first_result_or_refused(
    within: Within, event: Event
) -> None:
    with within():
        make_tables_of(event, LATER)
        hanna = User.objects.get(username="hanna")
    host = Actor("user", user_id=hanna.pk, name="Hanna")
    refused = within.at_once(end(event), enter(event, host), end(event))
    with within():
        is_stored = Hand.objects.filter(game__table__code="r2t1", number=2).exists()
        make_tables_of(event, LATER)
        draw(event, LATER + LOOK)()
        newest = newest_result(meeting_on(event, TONIGHT))
        assert newest is not None
        n_hands = newest.document["as_of"]["hands"]
        assert (refused, is_stored, n_hands) in (([], True, 3), (["forbidden"], False, 2))
        assert numbers() == [1]
