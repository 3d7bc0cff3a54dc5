"""Challenges through the services: what moves, what is refused, what the clock does."""

from datetime import UTC, date, datetime, timedelta

import pytest

from tests.support.builders import TESTS, hand, table
from tests.support.cast import NOW, Cast
from tests.support.scenarios.challenges import LATER, answer, codes, issue, result, run_clock
from tests.support.scenarios.ladders import ladder, member, order
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game
from tournaments.models.ladders import Challenge, LadderStep
from tournaments.models.outbox import Deadline
from tournaments.services.events.change_settings import change_settings
from tournaments.services.hands.close_tables import move_game
from tournaments.services.ladders.challenges import (
    enter_result,
    issue_challenge,
    postpone_challenge,
)
from tournaments.services.ladders.log import sync_log
from tournaments.services.ladders.members import end_absence, report_absence

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(cast: Cast) -> Event:
    return ladder(cast, now=NOW)


@pytest.mark.parametrize(
    ("rule", "after"),
    [
        ("take_place", "ABCDHEFGIJ"),
        ("swap", "ABCDHFGEIJ"),
        ("halfway", "ABCDEHFGIJ"),
        ("one_up", "ABCDEFHGIJ"),
    ],
)
def test_lower_who_wins_moves_by_the_rule_of_the_ladder(cast: Cast, rule: str, after: str) -> None:
    event = ladder(cast, now=NOW, rule=rule)
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    assert order(event) == "ABCDEFGHIJ", "nothing moves before it is confirmed"
    answer(cast, event, "E", "confirmed")
    assert order(event) == after
    assert Challenge.objects.get().confirmed_as == "loser"


def test_higher_who_wins_moves_nobody(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "E", "EIH")
    answer(cast, event, "H", "confirmed")
    assert order(event) == "ABCDEFGHIJ"


def test_tie_at_the_table_is_not_enough(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    enter_result(
        actor=member(cast, "E"), event=event, number=1, now=LATER,
        points={"H": 10, "E": 10, "I": 32},
    )  # fmt: skip
    answer(cast, event, "H", "confirmed")
    assert order(event) == "ABCDEFGHIJ"


def test_positions_are_read_when_the_result_is_confirmed(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    issue_challenge(
        actor=cast.actor("dirk"), event=event, challenger="E", challenged="D", now=LATER
    )
    answer(cast, event, cast.actor("dirk"), "declined", number=2)
    assert order(event) == "ABCEDFGHIJ"
    answer(cast, event, "E", "confirmed")
    assert order(event) == "ABCHEDFGIJ", "to where E stands now, not where E stood"


def test_challenger_who_is_above_by_then_moves_nobody(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    people = list(Player.objects.filter(player_id__in="EFGH").order_by("-player_id"))
    game = table(event, people, round_number=2)
    hand(game, 1, [0, 1, 2, 10], queen=3)
    move_game(actor=TESTS, game=game, to="complete", now=LATER)
    sync_log(event, LATER)
    assert order(event) == "ABCDHGFEIJ", "H won a table meanwhile"
    answer(cast, event, "E", "confirmed")
    assert order(event) == "ABCDHGFEIJ"


@pytest.mark.parametrize(
    ("to", "who", "after"), [("declined", "E", "ABCDHEFGIJ"), ("withdrawn", "H", "ABCDEFGHIJ")]
)
def test_what_an_answer_counts_as(cast: Cast, event: Event, to: str, who: str, after: str) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, who, to)
    assert order(event) == after


@pytest.mark.parametrize(
    ("to", "who", "after"), [("forfeited_d", "E", "ABCDHEFGIJ"), ("forfeited_c", "H", "ABCDEFGHIJ")]
)
def test_giving_up_counts_for_the_challenger_only(
    cast: Cast, event: Event, to: str, who: str, after: str
) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    answer(cast, event, who, to)
    assert order(event) == after


def test_first_refusal_is_forgiven_where_the_ladder_says_so(cast: Cast) -> None:
    event = ladder(cast, now=NOW, forgive_first_refusal=True)
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "declined")
    assert order(event) == "ABCDEFGHIJ"
    issue(cast, event, "G", "E", LATER)
    answer(cast, event, "E", "declined", number=2)
    assert order(event) == "ABCDGEFHIJ"


def test_challenge_that_cannot_be_is_refused_with_its_own_code(cast: Cast, event: Event) -> None:
    assert codes(lambda: issue(cast, event, "H", "H")) == ["challenge_self"]
    assert codes(lambda: issue(cast, event, "H", "D")) == ["challenge_beyond_reach"]
    assert codes(lambda: issue(cast, event, "E", "H")) == ["challenge_downwards"]
    assert codes(lambda: issue(cast, event, "H", "Z")) == ["unknown_entrant"]
    report_absence(actor=member(cast, "G"), event=event, since=date(2025, 11, 6), now=NOW)
    assert codes(lambda: issue(cast, event, "H", "G")) == ["challenge_absent"]
    assert codes(lambda: issue(cast, event, "G", "F")) == ["challenge_absent"]
    end_absence(actor=member(cast, "G"), event=event, now=NOW)
    issue(cast, event, "H", "G")
    assert codes(lambda: issue(cast, event, "H", "G")) == [
        "challenge_out_open",
        "challenge_in_open",
    ]
    assert codes(lambda: issue(cast, event, "I", "G")) == ["challenge_in_open"]
    assert codes(lambda: issue(cast, event, "H", "F")) == ["challenge_out_open"]
    answer(cast, event, "G", "declined")
    assert codes(lambda: issue(cast, event, "G", "H", LATER)) == ["challenge_rematch"]
    Entrant.objects.filter(code="B").update(state="withdrawn")
    assert codes(lambda: issue(cast, event, "C", "B")) == ["not_on_ladder"]


def test_league_and_closed_ladder_take_no_challenge(cast: Cast, event: Event) -> None:
    Event.objects.filter(pk=event.pk).update(state="closed")
    assert codes(lambda: issue(cast, event, "H", "E")) == ["event_not_open"]
    Event.objects.filter(pk=event.pk).update(state="open", kind="league")
    assert codes(lambda: issue(cast, event, "H", "E")) == ["unknown_ladder"]


def test_answer_after_the_deadline_is_refused_though_no_job_has_run(
    cast: Cast, event: Event
) -> None:
    issue(cast, event, "H", "E")
    over = datetime(2025, 11, 10, tzinfo=UTC)
    assert Deadline.objects.get(kind="challenge").due_at == over
    assert codes(lambda: answer(cast, event, "E", "accepted", over)) == ["challenge_too_late"]
    assert codes(lambda: answer(cast, event, "H", "withdrawn", over)) == ["challenge_state"]
    run_clock(event, over + timedelta(hours=5))
    assert codes(lambda: answer(cast, event, "E", "accepted", over)) == ["challenge_too_late"]
    row = Challenge.objects.get()
    assert (row.state, row.closed_at) == ("expired", over)
    assert order(event) == "ABCDHEFGIJ"


def test_other_rules_move_the_deadlines_of_what_waits(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    change_settings(
        actor=cast.actor("dirk"), event=event, values={"ladder": {"respond_days": 1}}, now=LATER
    )
    assert Deadline.objects.get(kind="challenge").due_at == datetime(2025, 11, 8, tzinfo=UTC)
    run_clock(event, datetime(2025, 11, 8, tzinfo=UTC))
    assert Challenge.objects.get().state == "expired"


def test_result_after_the_deadline_is_refused_and_ends_as_the_ladder_says(cast: Cast) -> None:
    event = ladder(cast, now=NOW, unplayed="forfeited_c")
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    over = datetime(2025, 11, 21, tzinfo=UTC)
    assert Deadline.objects.get(kind="challenge").due_at == over
    assert codes(lambda: result(cast, event, "H", "HIE", over)) == ["challenge_too_late"]
    run_clock(event, over)
    assert Challenge.objects.get().state == "forfeited_c"
    assert order(event) == "ABCDEFGHIJ"
    assert not Game.objects.filter(event=event).exists()


def test_each_may_put_the_game_off_once(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")

    def put(who: str, by: str = "") -> Challenge:
        actor = member(cast, who) if len(who) == 1 else cast.actor(who)
        return postpone_challenge(actor=actor, event=event, number=1, now=LATER, by=by)

    assert codes(lambda: put("H")) == ["challenge_state"]
    answer(cast, event, "E", "accepted")
    put("H")
    assert codes(lambda: put("H")) == ["challenge_postponed"]
    assert codes(lambda: put("F")) == ["challenge_stranger"]
    assert codes(lambda: put("dirk")) == ["challenge_side_needed"]
    put("dirk", "challenged")
    assert codes(lambda: put("E")) == ["challenge_postponed"]
    assert Deadline.objects.get(kind="challenge").due_at == datetime(2025, 12, 5, tzinfo=UTC)


def test_two_call_it_off_together_and_a_director_alone(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    assert answer(cast, event, "H", "cancelled").state == "accepted"
    assert codes(lambda: answer(cast, event, "H", "cancelled")) == ["challenge_cancel_asked"]
    assert codes(lambda: answer(cast, event, cast.actor("hanna"), "cancelled")) == ["forbidden"]
    assert answer(cast, event, "E", "cancelled").state == "cancelled"
    assert order(event) == "ABCDEFGHIJ"
    issue(cast, event, "H", "E", LATER)
    answer(cast, event, "E", "accepted", number=2)
    assert answer(cast, event, cast.actor("dirk"), "cancelled", number=2).state == "cancelled"
    assert not LadderStep.objects.exclude(kind="opened").exists()
