"""Deadlines by which 0.5.0 mails results: worked off for evenings that were over at the upgrade."""

from datetime import timedelta

import pytest

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of
from tournaments.models.events import Event
from tournaments.models.jobs import Deadline, Outbox
from tournaments.models.rounds import Meeting, Round
from tournaments.services.clubs.personal_links import set_contact
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.rounds.rounds import DIGEST, make_round
from tournaments.tasks import run_deadline_job

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def event(cast: Cast) -> Event:
    """An evening that was over before the upgrade, with a draft round that was left over."""
    event = league(cast.riverside)
    people = players(cast.riverside, *"ABCD")
    set_contact(by_tests(), people[0], email="a@river.example", has_consent=True)
    hand(table(event, people), 1, [4, 1, 2, 6], queen=3)
    Round.objects.filter(event=event).update(state="closed", closed_at=NOW)
    make_round(by_tests(), event, number=2, on=NOW.date())
    Meeting.objects.filter(event=event).update(ended_at=NOW, ended_by="record")
    make_tables_of(event, NOW)
    set_deadline(event, DIGEST, NOW + HOUR, key=str(Meeting.objects.get(event=event).pk))
    return event


def run(event: Event, wait: timedelta = HOUR) -> int:
    """Run the deadline; return how many mails there are."""
    run_deadline_job(Deadline.objects.get(event=event, kind=DIGEST).pk, now=NOW + wait)
    return Outbox.objects.filter(kind="digest").count()


def test_evening_that_was_over_at_the_upgrade_is_mailed_once(event: Event) -> None:
    assert run(event) == 1
    assert run(event, 2 * HOUR) == 1


def test_evening_that_ends_now_is_mailed_with_its_result(event: Event) -> None:
    Meeting.objects.filter(event=event).update(ended_by="hour")
    assert run(event) == 0


def test_evening_that_goes_on_again_is_mailed_with_its_result(event: Event) -> None:
    Round.objects.filter(event=event, number=1).update(state="playing", closed_at=None)
    assert run(event) == 0


def test_evening_of_long_ago_is_mailed_to_nobody(event: Event) -> None:
    assert run(event, timedelta(days=4)) == 0
