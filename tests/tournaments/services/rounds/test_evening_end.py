"""The end of an evening: pressed, after an hour, at noon; and what makes it on again."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import transaction

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import work_on_evenings
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Deadline
from tournaments.models.rounds import Meeting, Round
from tournaments.models.standings import Change
from tournaments.selectors.events.meetings import is_going_on, is_over, meeting_on
from tournaments.selectors.standings.evening_results import results_of
from tournaments.services.hands.close_tables import close_tables, move_game
from tournaments.services.imports.batches import close_rounds
from tournaments.services.rounds import evenings
from tournaments.services.rounds.evenings import end_evening, end_evenings_at_noon
from tournaments.services.rounds.rounds import make_round, move_round
from tournaments.services.rounds.seating import place_table
from tournaments.tasks import run_deadline_job

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TONIGHT = date(2025, 11, 6)
NEXT_NOON = datetime(2025, 11, 7, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def night(cast: Cast) -> Event:
    """Two tables of a first round, a hand at each; the club is in UTC."""
    event = league(cast.riverside)
    people = players(cast.riverside, *"ABCDEFGH")
    for number in (1, 2):
        game = table(event, people[4 * number - 4 : 4 * number], table_number=number, on=TONIGHT)
        hand(game, 1, [4, 1, 2, 6], queen=3)
    return event


def the_meeting(event: Event) -> Meeting:
    return meeting_on(event, TONIGHT)


def the_round(event: Event, number: int = 1) -> Round:
    return Round.objects.get(event=event, number=number)


def complete(event: Event, *tables: int) -> None:
    for number in tables:
        game = Game.objects.get(event=event, table__round__number=1, table__number=number)
        move_game(by_tests(), game, to="complete")


def close(event: Event, now: datetime = NOW) -> None:
    close_tables(by_tests(now), the_round(event))
    move_round(by_tests(now), the_round(event), to="closed")


def code(conflict: Conflict) -> tuple[str, object]:
    return conflict.problem.code, conflict.problem.facts.get("tables")


def test_end_names_the_tables_that_are_not_complete_and_closes_the_round_when_all_are(
    night: Event,
) -> None:
    complete(night, 1)
    with pytest.raises(Conflict) as refused:
        end_evening(by_tests(), the_meeting(night))
    assert code(refused.value) == ("evening_has_open_tables", "r1t2")
    assert the_round(night).state == "playing"
    complete(night, 2)
    ended = end_evening(by_tests(), the_meeting(night))
    assert (ended.ended_by, ended.ended_at, is_over(ended)) == ("person", NOW, True)
    assert the_round(night).state == "closed"
    assert not is_going_on(ended, NOW)


def test_evening_without_a_posted_round_cannot_end(cast: Cast) -> None:
    event = league(cast.riverside)
    make_round(by_tests(), event, on=TONIGHT)
    with pytest.raises(Conflict) as refused:
        end_evening(by_tests(), meeting_on(event, TONIGHT))
    assert code(refused.value) == ("evening_without_round", None)


def test_draft_round_left_over_does_not_keep_an_evening_on(night: Event) -> None:
    make_round(by_tests(), night, number=2, on=TONIGHT)
    close(night)
    assert is_over(end_evening(by_tests(), the_meeting(night)))
    assert the_round(night, 2).state == "draft"


def log_of(event: Event) -> list[tuple[str, str, object]]:
    """Return the lines of the change log about ends: kind, role, and how or which rounds."""
    lines = Change.objects.filter(event=event, kind__contains="_evening").order_by("pk")
    return [
        (line.kind, line.by, line.facts.get("by") or line.facts.get("rounds")) for line in lines
    ]


def test_change_log_has_each_end_and_who_continued_the_evening(night: Event, cast: Cast) -> None:
    complete(night, 1, 2)
    dirk = cast.operation("dirk")
    end_evening(dirk, the_meeting(night))
    end_evening(dirk, the_meeting(night))
    ended = ("end_evening", "director", "person")
    assert log_of(night) == [ended]
    move_round(dirk, the_round(night), to="playing", reason="A hand is missing.")
    reopened = ("continue_evening", "director", [1])
    assert log_of(night) == [ended, reopened]
    close(night, NOW + HOUR)
    assert log_of(night) == [ended, reopened]
    run_deadline_job(due(night).pk, now=NOW + 2 * HOUR)
    by_hour = ("end_evening", "clock", "hour")
    assert log_of(night)[2:] == [by_hour]

    people = list(Player.objects.filter(club=night.club).order_by("pk")[:4])
    second = table(night, people, round_number=2, on=TONIGHT)
    assert log_of(night)[3:] == [("continue_evening", "owner", [2])]
    hand(second, 1, [4, 1, 2, 6], queen=3)
    move_game(by_tests(), second, to="complete")
    end_evenings_at_noon(now=NEXT_NOON)
    assert log_of(night)[4:] == [("end_evening", "clock", "noon")]
    lines = Change.objects.filter(event=night, kind="end_evening").order_by("pk")
    assert [line.facts["date"] for line in lines] == ["2025-11-06"] * 3
    versions = list(lines.values_list("version", flat=True))
    assert versions == sorted(set(versions)), "a program that asks for later changes gets each"


def test_sheets_that_are_typed_after_the_end_are_in_the_change_log(night: Event) -> None:
    complete(night, 1, 2)
    end_evening(by_tests(), the_meeting(night))
    people = list(Player.objects.filter(club=night.club).order_by("pk")[:4])
    game = place_table(
        event=night,
        snapshot=Game.objects.get(event=night, table__code="r1t1").snapshot,
        round_number=2,
        players=people,
        on=TONIGHT,
    )
    Game.objects.filter(pk=game.pk).update(state="complete")
    bring(night, 2, now=NOW + HOUR)
    assert log_of(night)[1:] == [("continue_evening", "", [2])]


def test_end_for_the_record_is_not_in_the_change_log(night: Event) -> None:
    close(night)
    run_deadline_job(due(night).pk, now=NOW + timedelta(days=4))
    assert the_meeting(night).ended_by == "record"
    move_round(by_tests(), the_round(night), to="playing", reason="A hand is missing.")
    assert log_of(night) == []


def test_second_director_who_ends_it_changes_nothing(night: Event) -> None:
    complete(night, 1, 2)
    end_evening(by_tests(), the_meeting(night))
    again = end_evening(by_tests(NOW + HOUR), the_meeting(night))
    assert again.ended_at == NOW
    assert AuditLine.objects.filter(act="end_evening").count() == 1


def test_end_of_a_director_who_waited_is_not_before_a_round_that_was_closed_meanwhile(
    night: Event,
) -> None:
    close(night, NOW + timedelta(seconds=3))
    ended = end_evening(by_tests(NOW), the_meeting(night))
    assert ended.ended_at == NOW + timedelta(seconds=3)
    assert is_over(ended)


def test_reopened_round_and_a_further_table_take_the_end_back(night: Event) -> None:
    complete(night, 1, 2)
    end_evening(by_tests(), the_meeting(night))
    move_round(by_tests(), the_round(night), to="playing", reason="A hand is missing.")
    assert not is_over(the_meeting(night))
    move_round(by_tests(NOW + HOUR), the_round(night), to="closed")
    assert not is_over(the_meeting(night)), "closed after the end"
    end_evening(by_tests(NOW + HOUR), the_meeting(night))
    assert is_over(the_meeting(night))
    people = list(Player.objects.filter(club=night.club).order_by("pk")[:4])
    hand(table(night, people, round_number=2, on=TONIGHT), 1, [4, 1, 2, 6], queen=3)
    assert not is_over(the_meeting(night))


def due(event: Event) -> Deadline:
    return Deadline.objects.get(event=event, kind="evening_end")


def test_evening_ends_an_hour_after_its_last_round_and_not_a_second_before(night: Event) -> None:
    close(night)
    assert due(night).due_at == NOW + HOUR
    assert not run_deadline_job(due(night).pk, now=NOW + HOUR - timedelta(seconds=1))
    assert not is_over(the_meeting(night))
    assert run_deadline_job(due(night).pk, now=NOW + HOUR)
    assert the_meeting(night).ended_by == "hour"
    assert is_over(the_meeting(night))


def test_whoever_moves_the_deadline_does_not_move_the_hour(night: Event) -> None:
    close(night)
    Deadline.objects.filter(pk=due(night).pk).update(due_at=NOW)
    run_deadline_job(due(night).pk, now=NOW + timedelta(minutes=30))
    assert not is_over(the_meeting(night))
    assert due(night).due_at == NOW + HOUR
    assert due(night).done_at is None


def test_round_that_is_open_again_at_the_hour_keeps_the_evening_on(night: Event) -> None:
    close(night)
    deadline = due(night)
    Round.objects.filter(event=night).update(state="playing", closed_at=None)
    assert run_deadline_job(deadline.pk, now=NOW + HOUR)
    assert the_meeting(night).ended_at is None


def bring(
    event: Event, *rounds: int, unfinished: tuple[int, ...] = (), now: datetime = NOW
) -> None:
    """Do with rounds what typed sheets and files do once their hands are in."""
    with transaction.atomic():
        close_rounds(event, rounds, unfinished=unfinished, now=now)


def test_evening_whose_rounds_sheets_close_ends_an_hour_after_the_last_one(night: Event) -> None:
    people = list(Player.objects.filter(club=night.club).order_by("pk")[:4])
    second = table(night, people, round_number=2, on=TONIGHT)
    hand(second, 1, [4, 1, 2, 6], queen=3)
    complete(night, 1, 2)
    bring(night, 1)
    assert not Deadline.objects.filter(kind="evening_end").exists(), "the second round is open"
    move_game(by_tests(), second, to="complete")
    bring(night, 2, now=NOW + HOUR)
    assert due(night).due_at == NOW + 2 * HOUR
    assert run_deadline_job(due(night).pk, now=NOW + 2 * HOUR)
    assert the_meeting(night).ended_by == "hour"
    bring(night, 2, unfinished=(2,), now=NOW + 3 * HOUR)
    assert not Deadline.objects.filter(kind="evening_end").exists(), "it is open again"


def test_rounds_of_an_evening_of_four_days_ago_that_sheets_close_set_no_hour(night: Event) -> None:
    complete(night, 1, 2)
    bring(night, 1, now=NOW + timedelta(days=4))
    assert not Deadline.objects.filter(kind="evening_end").exists()
    Round.objects.filter(event=night).update(state="playing", closed_at=None)
    bring(night, 1, now=NOW + timedelta(days=3))
    assert due(night).due_at == NOW + timedelta(days=3) + HOUR


def test_round_that_is_withdrawn_to_draft_leaves_the_hour_of_those_before(night: Event) -> None:
    people = list(Player.objects.filter(club=night.club).order_by("pk")[:4])
    close(night)
    table(night, people, round_number=2, on=TONIGHT)
    move_round(by_tests(NOW + HOUR / 2), the_round(night, 2), to="draft")
    assert due(night).due_at == NOW + HOUR
    move_round(by_tests(NOW + HOUR / 2), the_round(night, 2), to="posted")
    assert not Deadline.objects.filter(kind="evening_end").exists()
    move_round(by_tests(NOW + HOUR / 2), the_round(night, 2), to="draft")
    assert due(night).due_at == NOW + HOUR


def test_hour_that_passed_while_a_round_was_open_counts_once_that_is_withdrawn(
    night: Event,
) -> None:
    people = list(Player.objects.filter(club=night.club).order_by("pk")[:4])
    close(night)
    table(night, people, round_number=2, on=TONIGHT)
    run_deadline_job(due(night).pk, now=NOW + HOUR)
    assert not is_over(the_meeting(night))
    move_round(by_tests(NOW + HOUR * 2), the_round(night, 2), to="draft")
    assert run_deadline_job(due(night).pk, now=NOW + HOUR * 2)
    assert is_over(the_meeting(night))


@pytest.mark.parametrize("state", ["closed", "final"])
def test_evening_of_an_event_that_was_closed_that_night_ends_by_the_hour(
    night: Event, state: str
) -> None:
    close(night)
    Event.objects.filter(pk=night.pk).update(state=state)
    work_on_evenings(night, NOW + HOUR)
    assert the_meeting(night).ended_by == "hour"
    assert [result.number for result in results_of(the_meeting(night))] == [1]


@pytest.mark.parametrize("state", ["closed", "final"])
def test_evening_of_an_event_that_is_closed_ends_at_noon_if_its_rounds_are_closed(
    night: Event, state: str
) -> None:
    complete(night, 1, 2)
    Event.objects.filter(pk=night.pk).update(state=state)
    assert end_evenings_at_noon(now=NEXT_NOON) == 0, "nobody may close its round any more"
    Round.objects.filter(event=night).update(state="closed", closed_at=None)
    assert end_evenings_at_noon(now=NEXT_NOON) == 0, "a play-off goes on elsewhere"
    Round.objects.filter(event=night).update(state="closed", closed_at=NOW)
    assert end_evenings_at_noon(now=NEXT_NOON) == 1
    assert (the_meeting(night).ended_by, is_over(the_meeting(night))) == ("noon", True)
    work_on_evenings(night, NEXT_NOON)
    assert [result.number for result in results_of(the_meeting(night))] == [1]
    assert end_evenings_at_noon(now=NEXT_NOON) == 0


def test_evening_that_nobody_closes_ends_at_noon_when_its_tables_are_complete(
    night: Event,
) -> None:
    complete(night, 1)
    assert end_evenings_at_noon(now=NEXT_NOON) == 0
    complete(night, 2)
    assert end_evenings_at_noon(now=NEXT_NOON - timedelta(seconds=1)) == 0
    assert end_evenings_at_noon(now=NEXT_NOON) == 1
    assert the_meeting(night).ended_by == "noon"
    assert the_round(night).state == "closed"
    assert is_over(the_meeting(night))
    assert end_evenings_at_noon(now=NEXT_NOON) == 0


def test_evening_of_four_days_ago_is_left_as_it_is(night: Event) -> None:
    complete(night, 1, 2)
    assert end_evenings_at_noon(now=NEXT_NOON + timedelta(days=3)) == 0
    assert end_evenings_at_noon(now=NEXT_NOON + timedelta(days=2)) == 1


def test_evenings_before_their_noon_take_no_turn_of_those_past_it(
    night: Event, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a club farther west, with as many evenings as one sweep ends."""
    monkeypatch.setattr(evenings, "EVENINGS_A_SWEEP", 1)
    complete(night, 1, 2)
    west = league(cast.hilltop, slug="west")
    people = players(cast.hilltop, *"ABCD")
    game = table(west, people, on=TONIGHT)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    move_game(by_tests(), game, to="complete")
    Club.objects.filter(pk=cast.hilltop.pk).update(time_zone="America/New_York")
    Meeting.objects.filter(event=west).update(date=TONIGHT + timedelta(days=1))
    assert end_evenings_at_noon(now=NEXT_NOON) == 1
    assert is_over(the_meeting(night))
    in_new_york = NEXT_NOON + timedelta(days=1, hours=5)
    assert end_evenings_at_noon(now=in_new_york - timedelta(seconds=1)) == 0
    assert end_evenings_at_noon(now=in_new_york) == 1
