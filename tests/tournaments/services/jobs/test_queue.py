"""The sweep is one worker's at a time, and falls to another where that one is killed."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from tournaments.services.jobs.queue import claim_sweep

pytestmark = pytest.mark.django_db


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
