"""The result of an evening: its table as a numbered publication of its own."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.utils import timezone

from tests.support.builders import (
    by_tests,
    hand,
    ladder,
    league,
    players,
    publish_all,
    table,
)
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of, work_on_evenings
from tests.support.webhooks import webhook_of
from tournaments.errors import Missing
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import EVENING_RESULT, Deadline
from tournaments.models.rounds import Meeting, Round
from tournaments.models.standings import Publication
from tournaments.models.webhooks import WebhookEvent
from tournaments.selectors.events.meetings import LULL, is_over, meeting_on
from tournaments.selectors.standings.evening_results import (
    newest_result,
    result_numbered,
    results_of,
)
from tournaments.selectors.standings.evenings import evening_table
from tournaments.services.clubs.clubs import change_player
from tournaments.services.hands.close_tables import close_tables, move_game
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.imports.batches import close_rounds
from tournaments.services.publishing.evening_results import publish_result
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.evenings import (
    end_evening,
    end_evenings_at_noon,
    end_evenings_of_the_past,
)
from tournaments.services.rounds.pending_results import draw_result_now
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import run_deadline_job

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TONIGHT = date(2025, 11, 6)
SCHEME: Mapping[str, object] = {
    "primary": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
    "tie_breaks": ("wins",),
}


@pytest.fixture
def night(cast: Cast) -> Event:
    """Two tables of a first round with two hands each; the club is in UTC."""
    event = league(cast.riverside, settings=SCHEME)
    people = players(cast.riverside, *"ABCDEFGH")
    for number in (1, 2):
        game = table(event, people[4 * number - 4 : 4 * number], table_number=number, on=TONIGHT)
        hand(game, 1, [0, 2, 4, 7], queen=3)
        hand(game, 2, [4, 1, 2, 6], queen=3)
    return event


def the_meeting(event: Event) -> Meeting:
    return meeting_on(event, TONIGHT)


def correct(event: Event, now: datetime = NOW, *, table_number: int = 1, hand_: int = 1) -> None:
    game = Game.objects.get(event=event, table__round__number=1, table__number=table_number)
    void_hand(by_tests(now), game, number=hand_, based_on=1, reason="Wrong table.")


def close(event: Event, now: datetime = NOW, number: int = 1) -> None:
    close_tables(by_tests(now), the_round(event, number))
    move_round(by_tests(now), the_round(event, number), to="closed")


def the_round(event: Event, number: int = 1) -> Round:
    return Round.objects.get(event=event, number=number)


def further_round(event: Event, now: datetime) -> None:
    people = list(Player.objects.filter(club=event.club, name__in="ABCD").order_by("name"))
    game = table(event, people, round_number=2, on=TONIGHT)
    hand(game, 1, [7, 4, 2, 0], queen=0)


def numbers(event: Event) -> list[int]:
    return [result.number for result in results_of(the_meeting(event))]


def test_result_has_the_bytes_of_the_table_under_a_number_of_its_own(night: Event) -> None:
    webhook_of(night.club)
    make_tables_of(night, NOW)
    stored = evening_table(night, the_meeting(night))
    announced = WebhookEvent.objects.filter(kind="publication.created").count()
    assert announced == 1
    result = publish_result(the_meeting(night), now=NOW)
    assert result is not None
    assert (result.number, result.event, result.meeting) == (1, None, the_meeting(night))
    assert result.digest == stored.digest
    document = result.document
    assert document.pop("publication")["number"] == 1
    assert document == json.loads(stored.body)
    assert Publication.objects.filter(event=night).count() == 1
    assert WebhookEvent.objects.filter(kind="publication.created").count() == announced


def test_same_bytes_make_no_number_and_others_the_next(night: Event) -> None:
    make_tables_of(night, NOW)
    first = publish_result(the_meeting(night), now=NOW)
    assert publish_result(the_meeting(night), now=NOW) == first
    assert numbers(night) == [1]
    correct(night)
    make_tables_of(night, NOW)
    second = publish_result(the_meeting(night), now=NOW)
    assert numbers(night) == [2, 1]
    assert newest_result(the_meeting(night)) == second
    assert result_numbered(the_meeting(night), 1) == first
    with pytest.raises(Missing):
        result_numbered(the_meeting(night), 3)


def test_evening_whose_table_is_not_made_has_no_result(night: Event) -> None:
    publish(night.pk, now=NOW)
    assert publish_result(the_meeting(night), now=NOW) is None
    assert newest_result(the_meeting(night)) is None


def test_hour_draws_the_first_and_a_correction_the_next_after_its_lull(night: Event) -> None:
    close(night)
    work_on_evenings(night, NOW + timedelta(minutes=59))
    assert numbers(night) == []
    work_on_evenings(night, NOW + timedelta(minutes=60))
    assert numbers(night) == [1]

    corrected_at = NOW + timedelta(hours=2)
    correct(night, corrected_at)
    work_on_evenings(night, corrected_at)
    work_on_evenings(night, corrected_at + LULL - timedelta(seconds=1))
    assert numbers(night) == [1]
    work_on_evenings(night, corrected_at + LULL)
    assert numbers(night) == [2, 1]

    player = Player.objects.get(club=night.club, name="A")
    change_player(by_tests(corrected_at + LULL), player, name="Anna")
    work_on_evenings(night, corrected_at + 2 * LULL)
    assert numbers(night) == [3, 2, 1]
    work_on_evenings(night, corrected_at + timedelta(hours=9))
    assert numbers(night) == [3, 2, 1]


def test_second_correction_starts_the_lull_again(night: Event) -> None:
    close(night)
    work_on_evenings(night, NOW + timedelta(hours=1))
    first = NOW + timedelta(hours=2)
    correct(night, first)
    work_on_evenings(night, first)
    second = first + timedelta(minutes=10)
    correct(night, second, table_number=2)
    work_on_evenings(night, second)
    work_on_evenings(night, first + LULL)
    assert numbers(night) == [1]
    work_on_evenings(night, second + LULL)
    assert numbers(night) == [2, 1]


def test_second_correction_starts_the_lull_again_after_an_end_that_drew_no_number(
    night: Event,
) -> None:
    close(night)
    end_evening(by_tests(), the_meeting(night))
    work_on_evenings(night, NOW)
    again = NOW + timedelta(minutes=20)
    move_round(by_tests(again), the_round(night), to="playing", reason="A late table.")
    close(night, again)
    end_evening(by_tests(again), the_meeting(night))
    work_on_evenings(night, again)
    assert numbers(night) == [1]
    morning = datetime(2025, 11, 7, 7, 0, tzinfo=UTC)
    correct(night, morning)
    work_on_evenings(night, morning)
    later = morning + timedelta(minutes=14)
    correct(night, later, table_number=2)
    work_on_evenings(night, later)
    work_on_evenings(night, morning + LULL)
    assert numbers(night) == [1]
    work_on_evenings(night, later + LULL - timedelta(seconds=1))
    assert numbers(night) == [1]
    work_on_evenings(night, later + LULL)
    assert numbers(night) == [2, 1]


@pytest.mark.parametrize("looked", [False, True])
def test_result_that_is_sent_now_is_not_put_off_by_the_tables_under_way(
    night: Event, *, looked: bool
) -> None:
    close(night)
    work_on_evenings(night, NOW + timedelta(hours=1))
    first = NOW + timedelta(hours=2)
    correct(night, first)
    work_on_evenings(night, first)
    correct(night, first + timedelta(minutes=1), table_number=2)
    sent_at = first + timedelta(minutes=5)
    draw_result_now(by_tests(sent_at), the_meeting(night))
    if looked:  # in vain, as the table is not made
        deadline = Deadline.objects.get(event=night, kind=EVENING_RESULT)
        assert not run_deadline_job(deadline.pk, now=sent_at)
    make_tables_of(night, sent_at)
    assert numbers(night) == [1]
    work_on_evenings(night, sent_at + timedelta(minutes=1))
    assert numbers(night) == [2, 1]
    result = newest_result(the_meeting(night))
    assert result is not None
    assert result.document["as_of"]["hands"] == 2


def test_who_presses_gets_the_result_at_once_and_a_further_round_the_next(night: Event) -> None:
    close(night)
    pressed_at = NOW + timedelta(minutes=1)
    end_evening(by_tests(pressed_at), the_meeting(night))
    work_on_evenings(night, pressed_at)
    assert numbers(night) == [1]

    further_round(night, NOW + timedelta(minutes=10))
    work_on_evenings(night, NOW + timedelta(minutes=30))
    assert numbers(night) == [1]
    close(night, NOW + timedelta(minutes=30), number=2)
    work_on_evenings(night, NOW + timedelta(minutes=89))
    assert numbers(night) == [1]
    work_on_evenings(night, NOW + timedelta(minutes=90))
    assert numbers(night) == [2, 1]


def test_nobody_presses_anything_and_the_result_is_there_at_noon(night: Event) -> None:
    for game in Game.objects.filter(event=night).order_by("pk"):
        move_game(by_tests(), game, to="complete")
    noon = datetime(2025, 11, 7, 12, 0, tzinfo=UTC)
    assert end_evenings_at_noon(now=noon - timedelta(seconds=1)) == 0
    assert end_evenings_at_noon(now=noon) == 1
    work_on_evenings(night, noon)
    assert numbers(night) == [1]


def test_result_waits_for_the_table_of_the_last_hand(night: Event) -> None:
    make_tables_of(night, NOW)
    correct(night)
    close(night)
    end_evening(by_tests(), the_meeting(night))
    deadline = Deadline.objects.get(event=night, kind=EVENING_RESULT)
    assert not run_deadline_job(deadline.pk, now=NOW)
    assert numbers(night) == []
    publish(night.pk, now=NOW)
    deadline.refresh_from_db()
    assert deadline.due_at == NOW + timedelta(seconds=2)
    assert not run_deadline_job(deadline.pk, now=deadline.due_at)
    assert numbers(night) == []
    make_tables_of(night, NOW)
    deadline.refresh_from_db()
    assert run_deadline_job(deadline.pk, now=deadline.due_at)
    result = newest_result(the_meeting(night))
    assert result is not None
    assert result.digest == evening_table(night, the_meeting(night)).digest
    assert result.document["as_of"]["hands"] == 3


def test_correction_beside_the_end_does_not_move_the_first_result(night: Event) -> None:
    close(night)
    make_tables_of(night, NOW)
    end_evening(by_tests(), the_meeting(night))
    correct(night)
    make_tables_of(night, NOW)
    deadline = Deadline.objects.get(event=night, kind=EVENING_RESULT)
    assert deadline.due_at == NOW


def test_result_is_never_of_before_the_end_though_clocks_differ(night: Event) -> None:
    close(night)
    make_tables_of(night, NOW)
    ahead = NOW + timedelta(seconds=1)
    end_evening(by_tests(), the_meeting(night))
    Meeting.objects.filter(event=night).update(ended_at=ahead)
    work_on_evenings(night, NOW)
    result = newest_result(the_meeting(night))
    assert result is not None
    assert result.published_at == ahead


def test_hand_that_comes_back_draws_the_first_result_of_an_evening_without_any(
    night: Event,
) -> None:
    close(night)
    for table_number in (1, 2):
        for hand_ in (1, 2):
            correct(night, table_number=table_number, hand_=hand_)
    end_evening(by_tests(), the_meeting(night))
    work_on_evenings(night, NOW)
    assert numbers(night) == []
    game = Game.objects.get(event=night, table__number=1)
    hand(game, 1, [0, 2, 4, 7], queen=3, based_on=1, reason="It was right.")
    work_on_evenings(night, NOW + LULL - timedelta(seconds=1))
    assert numbers(night) == []
    work_on_evenings(night, NOW + LULL)
    assert numbers(night) == [1]


def test_correction_while_a_round_was_posted_is_drawn_after_it_is_withdrawn(night: Event) -> None:
    close(night)
    end_evening(by_tests(), the_meeting(night))
    work_on_evenings(night, NOW)
    people = list(Player.objects.filter(club=night.club, name__in="ABCD").order_by("name"))
    table(night, people, round_number=2, on=TONIGHT)
    Round.objects.filter(event=night, number=2).update(state="posted", posted_at=NOW)
    correct(night, NOW)
    work_on_evenings(night, NOW + LULL)
    assert numbers(night) == [1]
    later = NOW + timedelta(hours=1)
    move_round(by_tests(later), the_round(night, 2), to="draft")
    work_on_evenings(night, later + LULL)
    assert numbers(night) == [2, 1]


OLD = datetime(2025, 11, 10, 9, 0, tzinfo=UTC)
"""The first morning on which the evening is of more than three days ago."""


@pytest.mark.parametrize(
    ("now", "by", "numbers_then"), [(OLD - timedelta(days=1), "hour", [1]), (OLD, "record", [])]
)
def test_old_evening_ends_by_itself_without_a_result(
    night: Event, now: datetime, by: str, numbers_then: list[int]
) -> None:
    close(night, now)
    work_on_evenings(night, now + timedelta(hours=1))
    assert (the_meeting(night).ended_by, numbers(night)) == (by, numbers_then)


def test_old_evening_that_somebody_ends_has_a_result(night: Event) -> None:
    close(night, OLD)
    end_evening(by_tests(OLD), the_meeting(night))
    work_on_evenings(night, OLD)
    assert (the_meeting(night).ended_by, numbers(night)) == ("person", [1])


def test_evenings_of_the_past_are_ended_for_the_record(night: Event) -> None:
    assert end_evenings_of_the_past(now=OLD) == 0
    close(night)
    assert end_evenings_of_the_past(now=OLD - timedelta(days=1)) == 0
    assert end_evenings_of_the_past(now=OLD) == 1
    assert (the_meeting(night).ended_by, the_meeting(night).ended_at) == ("record", NOW)
    assert is_over(the_meeting(night))
    assert end_evenings_of_the_past(now=OLD) == 0
    work_on_evenings(night, OLD)
    correct(night, OLD)
    work_on_evenings(night, OLD + LULL)
    assert numbers(night) == []
    assert not Deadline.objects.filter(event=night, kind=EVENING_RESULT).exists()


def test_evening_of_a_cup_has_the_table_of_the_event_as_of_then(night: Event) -> None:
    Event.objects.filter(pk=night.pk).update(kind="tournament")
    night.stages.update(kind="knockout")
    night.refresh_from_db()
    close(night)
    end_evening(by_tests(), the_meeting(night))
    work_on_evenings(night, NOW)
    result = newest_result(the_meeting(night))
    assert result is not None
    assert result.document["evening"] == {"date": "2025-11-06", "counts": "event"}
    correct(night)
    work_on_evenings(night, NOW + LULL - timedelta(seconds=1))
    assert numbers(night) == [1]
    work_on_evenings(night, NOW + LULL)
    assert numbers(night) == [2, 1]


def test_evening_of_a_ladder_has_no_result(cast: Cast) -> None:
    event = ladder(cast.riverside)
    hand(table(event, players(cast.riverside, *"ABCD"), on=TONIGHT), 1, [4, 1, 2, 6], queen=3)
    close(event)
    end_evening(by_tests(), the_meeting(event))
    publish_all(event)
    work_on_evenings(event, NOW)
    assert numbers(event) == []


def test_hand_of_a_further_evening_draws_nothing_of_the_first(night: Event) -> None:
    close(night)
    end_evening(by_tests(), the_meeting(night))
    work_on_evenings(night, NOW)
    people = list(Player.objects.filter(club=night.club, name__in="ABCD").order_by("name"))
    later = NOW + timedelta(weeks=1)
    game = table(night, people, round_number=2, on=later.date())
    hand(game, 1, [7, 4, 2, 0], queen=0)
    make_tables_of(night, later)
    assert not Deadline.objects.filter(event=night, kind=EVENING_RESULT, done_at=None).exists()
    assert numbers(night) == [1]


def test_upgrade_ends_the_evenings_of_the_last_days_for_the_record(night: Event) -> None:
    migration = import_module(".0056_owners_of_publications", "tournaments.migrations")
    today = timezone.now().date()
    Meeting.objects.filter(event=night).update(date=today - timedelta(days=4))
    migration.end_recent_evenings(apps, connection.schema_editor())
    meeting = Meeting.objects.get(event=night)
    assert not meeting.ended_by  # its round is open
    close(night)
    Meeting.objects.filter(event=night).update(date=today - timedelta(days=5))
    migration.end_recent_evenings(apps, connection.schema_editor())
    meeting.refresh_from_db()
    assert not meeting.ended_by
    Meeting.objects.filter(event=night).update(date=today - timedelta(days=4))
    migration.end_recent_evenings(apps, connection.schema_editor())
    meeting.refresh_from_db()
    assert (meeting.ended_at, meeting.ended_by) == (NOW, "record")
    work_on_evenings(night, timezone.now() + timedelta(hours=2))
    assert not Publication.objects.filter(meeting=meeting).exists()


def test_file_for_an_evening_of_long_ago_does_not_begin_it_again(night: Event) -> None:
    close(night)
    end_evening(by_tests(), the_meeting(night))
    work_on_evenings(night, NOW)
    further_round(night, NOW)
    game = Game.objects.get(event=night, table__round__number=2)
    move_game(by_tests(), game, to="complete")
    assert not is_over(the_meeting(night))
    with transaction.atomic():
        close_rounds(night, [2], now=OLD - timedelta(days=1))
    assert not is_over(the_meeting(night))
    Round.objects.filter(event=night, number=2).update(state="playing", closed_at=None)
    with transaction.atomic():
        close_rounds(night, [2], now=OLD)
    assert is_over(the_meeting(night))
