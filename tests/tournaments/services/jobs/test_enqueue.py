"""When the workers are told that an event waits, and whose the sweep is."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from tests.support.builders import hand, league, players, table
from tests.support.cast import enter_the_cast
from tests.support.events_behind import list_events_behind
from tournaments.models.hands import Game
from tournaments.selectors.jobs.queue import LEASE
from tournaments.services.jobs import enqueue
from tournaments.services.jobs.queue import claim_sweep
from tournaments.services.publishing import publications as publishing_publish_event
from tournaments.tasks import publish_event

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Enters = Callable[[int], None]


@pytest.fixture
def game(clock: time_machine.Traveller) -> Game:
    event = league(enter_the_cast().riverside)
    seated = table(event, players(event.club, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))
    publish_event(event.pk)
    return seated


@pytest.fixture
def hinted(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The events that the workers are told of, as beside a broker."""
    told: list[int] = []

    def note(app: object, task: str, number: int) -> bool:
        told.append(number)
        return True

    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(enqueue, "send_hint", note)
    return told


@pytest.fixture
def enters(
    game: Game, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> Enters:
    def enter(number: int) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            hand(game, number, [4, 1, 2, 6], queen=3, now=timezone.now())

    return enter


def test_burst_is_one_hint(game: Game, hinted: list[int], enters: Enters) -> None:
    for number in range(1, 11):
        enters(number)
    assert hinted == [game.event_id]
    publish_event(game.event_id)
    assert hinted == [game.event_id]


def test_next_hand_after_a_publication_is_hinted_again(
    game: Game, hinted: list[int], enters: Enters
) -> None:
    enters(1)
    publish_event(game.event_id)
    enters(2)
    assert hinted == 2 * [game.event_id]


def test_hand_after_the_pause_of_a_burst_is_hinted(
    game: Game, hinted: list[int], enters: Enters, clock: time_machine.Traveller
) -> None:
    for number in range(1, 41):
        enters(number)
    publish_event(game.event_id)
    enters(41)
    assert hinted == [game.event_id]
    clock.shift(timedelta(milliseconds=801))
    enters(42)
    assert hinted == 2 * [game.event_id]


def test_event_that_cannot_be_published_yet_is_not_tried_again_and_again(
    game: Game,
    hinted: list[int],
    enters: Enters,
    monkeypatch: pytest.MonkeyPatch,
    clock: time_machine.Traveller,
) -> None:
    enters(1)
    hinted.clear()
    monkeypatch.setattr(publishing_publish_event, "is_recounted", lambda event_id: True)
    publish_event(game.event_id)
    assert (list_events_behind(timezone.now()), hinted) == ((), [])
    clock.shift(LEASE)
    assert [event_id for event_id, _ in list_events_behind(timezone.now())] == [game.event_id]


def test_sweep_is_claimed_once_a_period(clock: time_machine.Traveller) -> None:
    claims = []
    for _ in range(25):
        claims.append([claim_sweep(now=timezone.now()) for _worker in range(2)])
        clock.shift(timedelta(seconds=1))
    assert [at for at, claim in enumerate(claims) if claim[0]] == [0, 10, 20]
    assert not any(claim[1] for claim in claims)


def test_sweep_goes_on_after_the_clock_stepped_back(clock: time_machine.Traveller) -> None:
    assert claim_sweep(now=timezone.now())
    clock.shift(timedelta(minutes=-10))
    assert claim_sweep(now=timezone.now())
    assert not claim_sweep(now=timezone.now())


def test_worker_that_read_its_clock_just_before_another_was_let_in_is_not() -> None:
    now = timezone.now()
    assert claim_sweep(now=now)
    assert not claim_sweep(now=now - timedelta(seconds=1))
