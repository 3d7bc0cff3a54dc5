"""Clocks of a ladder (A4): local days, steps back, late and doubled jobs, any order of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.errors import Refused
from tests.support.builders import TESTS, by_tests, finished
from tests.support.cast import NOW, Cast
from tests.support.lengths import short_or_long
from tests.support.scenarios.challenges import answer, issue, result
from tests.support.scenarios.challenges import run_clock as run
from tests.support.scenarios.ladders import ladder, member, order, seated
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.jobs import CHALLENGE_REMINDER, Deadline
from tournaments.models.ladders import Challenge, LadderAbsence, LadderState, LadderStep
from tournaments.selectors.ladders.challenges import challenge_at, challenge_line
from tournaments.services.events.events import move_event
from tournaments.services.jobs.enqueue import DeadlineOutcome
from tournaments.services.ladders.challenge_transitions import run_challenge_reminder
from tournaments.services.ladders.log import sync_log
from tournaments.services.ladders.members import end_absence, report_absence
from tournaments.services.operations import Operation
from tournaments.tasks import run_deadline_job

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
BACK = timedelta(minutes=10)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


def due(event: Event, kind: str = "challenge", key: str = "1") -> datetime:
    key = key if kind == "challenge" else ""
    return Deadline.objects.get(event=event, kind=kind, key=key).due_at


def play(event: Event, codes: str, on: date, round_number: int) -> None:
    """Let a table be played that ends in the order in which they sit, which moves nobody."""
    finished(seated(event, codes, round_number=round_number, on=on), [0, 1, 2, 10])
    sync_log(event, NOW)


# --- days of the club --------------------------------------------------------------------------


def test_answer_is_in_time_until_the_last_local_day_is_over(cast: Cast) -> None:
    Club.objects.update(time_zone="Europe/Amsterdam")
    cast.riverside.refresh_from_db()
    sent = utc(2025, 3, 28, 23, 30)  # the 29th there already
    over = utc(2025, 4, 1, 22)
    event = ladder(cast, "ABCD", now=sent)
    issue(cast, event, "D", "A", sent)
    assert due(event) == over
    with pytest.raises(Refused, match=r"^challenge_too_late$"):
        answer(cast, event, "A", "accepted", over)
    assert answer(cast, event, "A", "accepted", over - timedelta(seconds=1)).state == "accepted"


@pytest.mark.parametrize(
    ("opened", "monday"),
    [
        (utc(2025, 3, 20, 12), utc(2025, 3, 23, 23)),
        (utc(2025, 3, 27, 12), utc(2025, 3, 30, 22)),
        (utc(2025, 10, 23, 12), utc(2025, 10, 26, 23)),
    ],
)
def test_week_begins_with_the_local_monday(cast: Cast, opened: datetime, monday: datetime) -> None:
    Club.objects.update(time_zone="Europe/Amsterdam")
    cast.riverside.refresh_from_db()
    event = ladder(cast, "ABCD", now=opened)
    assert due(event, "ladder_week") == monday
    assert run(event, monday - timedelta(seconds=1)) == 0
    assert run(event, monday) == 1
    local = (monday + timedelta(days=1)).date() if monday.hour else monday.date()
    assert LadderState.objects.get(event=event).swept_to == local
    assert due(event, "ladder_week") - monday in (
        timedelta(days=7), timedelta(days=7, hours=-1), timedelta(days=7, hours=1),
    )  # fmt: skip


# --- a clock that steps back -------------------------------------------------------------------


def test_clock_that_steps_back_between_steps_makes_nothing_twice(cast: Cast) -> None:
    event = ladder(cast, "ABCD", now=NOW)
    issue(cast, event, "D", "A", NOW)
    answer(cast, event, "A", "accepted", NOW - BACK)
    result(cast, event, "D", "DBA", NOW - 2 * BACK)
    row = Challenge.objects.get()
    assert row.accepted_at is not None
    assert row.played_at is not None
    assert row.issued_at <= row.accepted_at <= row.played_at
    over = due(event)
    assert over == row.played_at + timedelta(hours=48)
    assert run(event, over - BACK, kind="challenge") == 0
    assert run(event, over, kind="challenge") == 1
    assert run(event, over - BACK, kind="challenge") == 0
    row.refresh_from_db()
    assert (row.state, row.closed_at) == ("confirmed", over)
    with pytest.raises(Conflict, match="challenge_state"):
        answer(cast, event, "A", "confirmed", over - BACK)
    assert order(event) == "DABC"
    # The game's own step moves nobody: it is the challenge's.
    assert list(LadderStep.objects.order_by("number").values_list("kind", flat=True)) == [
        "opened",
        "table",
        "challenge",
    ]
    lines = AuditLine.objects.filter(subject__endswith="challenge:1").order_by("number")
    assert [line.facts.get("to", line.act) for line in lines] == [
        *("issue_challenge", "accepted", "played", "confirmed")
    ]


def test_expiry_that_has_run_stays_when_the_clock_is_before_it_again(cast: Cast) -> None:
    event = ladder(cast, "ABCD", now=NOW)
    issue(cast, event, "D", "A", NOW)
    over = due(event)
    job = Deadline.objects.get(kind="challenge").pk
    assert run_deadline_job(job, now=over + timedelta(minutes=5))
    for who, to in (("A", "accepted"), ("A", "declined"), ("D", "withdrawn")):
        with pytest.raises((Refused, Conflict)):
            answer(cast, event, who, to, over - timedelta(minutes=5))
    assert not run_deadline_job(job, now=over - timedelta(minutes=5))
    assert not run_deadline_job(job, now=over + timedelta(hours=1))
    assert (Challenge.objects.get().state, order(event)) == ("expired", "DABC")
    assert LadderStep.objects.filter(kind="challenge").count() == 1


def test_sweep_after_which_the_clock_is_in_the_week_before_is_not_done_again(cast: Cast) -> None:
    event = idle_ladder(cast)
    monday = utc(2025, 12, 15)
    run(event, monday + timedelta(minutes=5))
    assert order(event) == "BACDE"
    job = Deadline.objects.get(event=event, kind="ladder_week")
    run(event, monday - timedelta(minutes=5))
    job.refresh_from_db()
    for again in (monday - timedelta(minutes=5), monday, monday + timedelta(minutes=5)):
        Deadline.objects.filter(pk=job.pk).update(due_at=again)
        run_deadline_job(job.pk, now=again)
    assert order(event) == "BACDE"
    assert LadderStep.objects.filter(kind="swept").count() == 1
    assert LadderState.objects.get(event=event).swept_to == monday.date()


# --- weeks -------------------------------------------------------------------------------------


def idle_ladder(cast: Cast) -> Event:
    """ABCDE of 6 November, of whom all but A play on 5 December."""
    event = ladder(cast, "ABCDE", now=NOW)
    play(event, "BCDE", date(2025, 12, 5), 1)
    return event


def test_idle_member_is_warned_first_and_drops_a_week_later(cast: Cast) -> None:
    event = idle_ladder(cast)
    run(event, utc(2025, 12, 8))
    job = Deadline.objects.get(event=event, kind="ladder_week")
    assert (job.outcome, job.ran_at) == ("0 dropped, 1 warned", utc(2025, 12, 8))
    assert order(event) == "ABCDE"
    run(event, utc(2025, 12, 15))
    job.refresh_from_db()
    assert (job.outcome, job.due_at) == ("1 dropped, 0 warned", utc(2025, 12, 22))
    assert order(event) == "BACDE"


def test_missed_weeks_are_swept_in_their_order_as_if_they_had_run(cast: Cast) -> None:
    event = idle_ladder(cast)
    play(event, "ACDE", date(2025, 12, 23), 2)
    with rolled_back():
        for monday in (8, 15, 22, 29):
            run(event, utc(2025, 12, monday))
        in_time = order(event)
    late = utc(2025, 12, 30, 9)
    assert run(event, late) == 1
    assert order(event) == in_time == "BCADE"
    weeks = LadderStep.objects.filter(kind="swept").order_by("number")
    assert list(weeks.values_list("week", flat=True)) == ["2025-W51", "2025-W52"]
    assert Deadline.objects.get(event=event, kind="ladder_week").outcome == "2 dropped, 0 warned"
    assert run(event, late) == 0


def test_closed_ladder_is_not_swept_and_begins_anew_when_it_opens(cast: Cast) -> None:
    event = idle_ladder(cast)
    event.rounds.update(state="closed")
    event = move_event(by_tests(utc(2025, 12, 6)), event, to="closed")
    assert not Deadline.objects.filter(event=event, kind="ladder_week").exists()
    later = utc(2026, 1, 14, 12)
    event = move_event(by_tests(later), event, to="open", reason="It goes on.")
    assert due(event, "ladder_week") == utc(2026, 1, 19)
    run(event, later)
    assert order(event) == "ABCDE"


def test_time_of_challenges_does_not_run_while_a_ladder_is_closed(cast: Cast) -> None:
    event = ladder(cast, "ABCDEF", now=NOW)
    issue(cast, event, "C", "B", NOW)
    issue(cast, event, "E", "D", NOW)
    answer(cast, event, "D", "accepted", NOW, number=2)
    event = move_event(by_tests(NOW + BACK), event, to="closed")
    line = challenge_line(event, challenge_at(event, 1), actor=TESTS, now=NOW + BACK)
    assert (line.state, line.due_at) == ("issued", None)
    assert not Deadline.objects.filter(event=event, kind="challenge", done_at=None).exists()
    later = NOW + timedelta(days=60)
    event = move_event(by_tests(later), event, to="open", reason="It goes on.")
    assert run(event, later) == 0
    assert answer(cast, event, "B", "accepted", later + BACK).state == "accepted"
    assert due(event, key="2").date() == (later + timedelta(days=15)).date()
    run(event, due(event, key="2"))
    assert Challenge.objects.get(number=2).state == "forfeited_d"


def test_job_of_a_challenge_of_a_closed_ladder_is_not_asked_again(cast: Cast) -> None:
    event = ladder(cast, "ABCD", now=NOW)
    issue(cast, event, "D", "A", NOW)
    over = due(event)
    Event.objects.filter(pk=event.pk).update(state="final")
    run(event, over)
    assert not Deadline.objects.filter(event=event, kind="challenge", done_at=None).exists()


def test_away_member_keeps_the_place_and_is_removed_when_it_lasts_too_long(cast: Cast) -> None:
    event = ladder(cast, "ABCDE", now=NOW, away_days=30)
    play(event, "BCDE", date(2025, 12, 5), 1)
    report_absence(Operation(member(cast, "A"), NOW), event, since=date(2025, 11, 20))
    run(event, utc(2025, 12, 15))
    assert order(event) == "ABCDE"
    run(event, utc(2025, 12, 22))
    assert order(event) == "BCDE"
    assert Deadline.objects.get(event=event, kind="ladder_week").outcome.endswith("1 removed")
    end_absence(Operation(member(cast, "A"), utc(2025, 12, 23)), event)
    assert order(event) == "BCDEA"
    sync_log(event, utc(2025, 12, 23))
    assert order(event) == "BCDEA"


def test_who_is_back_is_back_from_every_absence_that_runs(cast: Cast) -> None:
    event = ladder(cast, "ABCDE", now=NOW)
    actor = member(cast, "A")
    tell = partial(report_absence, Operation(actor, NOW), event)
    tell(since=date(2025, 11, 6), until=date(2025, 11, 30))
    tell(since=date(2025, 11, 8), until=date(2025, 11, 20))
    tell(since=date(2025, 12, 10))
    end_absence(Operation(actor, utc(2025, 11, 10)), event)
    absences = LadderAbsence.objects.filter(event=event).order_by("since")
    assert list(absences.values_list("since", "until")) == [
        (date(2025, 11, 6), date(2025, 11, 9)),
        (date(2025, 11, 8), date(2025, 11, 9)),
        (date(2025, 12, 10), None),
    ]
    end_absence(Operation(actor, utc(2025, 11, 11)), event)
    assert absences.count() == 2


# --- late, doubled, and in any order -----------------------------------------------------------


def test_week_that_was_given_up_and_runs_late_comes_again(cast: Cast) -> None:
    job = Deadline.objects.get(event=idle_ladder(cast), kind="ladder_week")
    Deadline.objects.filter(pk=job.pk).update(parked=True, attempts=3, error="KeyError: 'x'")
    assert run_deadline_job(job.pk, now=utc(2025, 12, 8))
    job.refresh_from_db()
    assert (job.parked, job.error, job.due_at) == (False, "", utc(2025, 12, 15))


@contextmanager
def rolled_back() -> Iterator[None]:
    with transaction.atomic():
        point = transaction.savepoint()
        yield
        transaction.savepoint_rollback(point)


def test_any_order_of_people_and_jobs_ends_in_one_state(cast: Cast) -> None:
    """Two challenges are over, one for want of an answer and one of a game; a week is due."""
    event = ladder(cast, "ABCDEF", now=NOW, play_days=3, idle_days=28)
    play(event, "BCDE", date(2025, 12, 5), 1)
    sent = utc(2025, 12, 11, 12)
    issue(cast, event, "C", "B", sent)
    issue(cast, event, "E", "D", sent)
    answer(cast, event, "D", "accepted", sent, number=2)
    issue(cast, event, "F", "E", sent + timedelta(days=1))
    now = utc(2025, 12, 15, 3)
    operations: dict[str, Callable[[], object]] = {
        "job 1": partial(run, event, now, kind="challenge", key="1"),
        "job 2": partial(run, event, now, kind="challenge", key="2"),
        "job 3": partial(run, event, now, kind="challenge", key="3"),
        "week": partial(run, event, now, kind="ladder_week"),
        "late answer": partial(answer, cast, event, "B", "declined", now),
        "late withdrawal": partial(answer, cast, event, "C", "withdrawn", now),
        "late giving up": partial(answer, cast, event, "E", "forfeited_c", now, 2),
        "answer in time": partial(answer, cast, event, "E", "accepted", now, 3),
        "out of reach by then": partial(issue, cast, event, "D", "C", now),
        "new one": partial(issue, cast, event, "D", "A", now),  # within reach once A has dropped
    }

    def ended(
        names: list[str],
    ) -> tuple[str, list[tuple[str, datetime | None, str]], list[tuple[str, int | None]]]:
        with rolled_back():
            for name in (*names, *operations):
                with suppress(Refused, Conflict):
                    operations[name]()
            rows = Challenge.objects.select_related("challenged").order_by("number")
            steps = LadderStep.objects.order_by("number").values_list("kind", "challenge__number")
            return (
                order(event),
                [(row.state, row.closed_at, str(row.challenged)) for row in rows],
                list(steps),
            )

    expected = ended(["week"])
    assert [state for state, *_ in expected[1]] == ["expired", "forfeited_d", "accepted", "issued"]
    assert [one for one in expected[2] if one[0] in ("challenge", "swept")] == [
        ("challenge", 1), ("challenge", 2), ("swept", None),
    ]  # fmt: skip

    for name in operations:
        assert ended([name]) == expected, name

    @settings(
        max_examples=short_or_long(6, 12), deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.lists(st.sampled_from(sorted(operations)), max_size=7))
    def same(names: list[str]) -> None:
        assert ended(names) == expected

    same()


def test_member_is_reminded_from_a_day_before_the_deadline_until_it(cast: Cast) -> None:
    event = ladder(cast, "ABCD", now=NOW)
    row = issue(cast, event, "D", "A")
    end = due(event)
    first = end - timedelta(days=1)
    second = timedelta(seconds=1)
    reminder = Deadline.objects.get(event=event, kind=CHALLENGE_REMINDER, key="1")
    assert reminder.due_at == first

    def remind(now: datetime) -> DeadlineOutcome:
        return run_challenge_reminder(event, reminder, now)

    assert remind(first - second) == DeadlineOutcome(first)
    assert remind(end) == DeadlineOutcome(None)
    assert remind(first) == remind(end - second) == DeadlineOutcome(None, "issued")
    Challenge.objects.filter(pk=row.pk).update(state="played")
    assert remind(first) == DeadlineOutcome(None)


def test_challenge_that_expires_at_midnight_moves_places_on_the_day_before(cast: Cast) -> None:
    event = ladder(cast, "ABCD", now=NOW)
    issue(cast, event, "D", "A")
    end = due(event)
    assert run(event, end, kind="challenge") == 1
    expired = Challenge.objects.get()
    assert (expired.state, expired.closed_at) == ("expired", end)
    last_day = (end.astimezone(cast.riverside.zone) - timedelta(microseconds=1)).date()
    assert LadderStep.objects.get(challenge=expired).on == last_day
