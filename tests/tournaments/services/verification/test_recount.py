"""Counting an event again after its settings changed: in pieces, and published when it is done."""

import io

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.utils import timezone

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tournaments import tasks
from tournaments.models.columns import UNIT
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import recount_scope
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.selectors.jobs.queue import get_recount, list_claimable_scopes, list_failed_jobs
from tournaments.services.jobs import queue
from tournaments.services.jobs.enqueue import mark_recount
from tournaments.services.publishing.publications import publish
from tournaments.services.verification import event as verification
from tournaments.services.verification import games
from tournaments.services.verification.event import verify_totals
from tournaments.services.verification.games import Verification

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock"), pytest.mark.both_databases]
NAMES = ("Anna", "Bert", "Cora", "Dora")


@pytest.fixture
def event() -> Event:
    club = enter_the_cast().riverside
    event = league(club)
    seated = players(club, *NAMES)
    for number, hearts in enumerate(([3, 7, 0, 3], [0, 3, 3, 7], [7, 0, 3, 3]), start=1):
        hand(table(event, seated, round_number=number), 1, hearts, 1)
    publish(event.pk, now=NOW)
    return event


def change(event: Event, **settings: object) -> None:
    """Change settings as the service for it does: in one transaction with the mark."""
    with transaction.atomic():
        event = Event.objects.select_for_update().get(pk=event.pk)
        event.settings = {**event.settings, **settings}
        event.save(update_fields=["settings"])
        mark_recount(event=event, now=NOW)


def counted(event: Event) -> list[tuple[object, ...]]:
    rows = Aggregate.objects.filter(event=event).order_by("entrant__code")
    return [
        (points // UNIT, kept and kept["games"])
        for points, kept in rows.values_list("place_points", "kept")
    ]


def numbers(event: Event) -> list[int]:
    rows = Publication.objects.filter(event=event).order_by("number")
    return list(rows.values_list("number", flat=True))


def test_other_place_points_and_drops_reach_every_game_and_are_published_then(event: Event) -> None:
    assert counted(event) == [(9, None), (3, None), (12, None), (8, None)]
    change(event, placement={"4": [9, 3, 1, 0]}, primary="placement_points", drop_worst=1)
    publish(event.pk, now=NOW)
    assert numbers(event) == [1]
    tasks.recount_event(event.pk)
    assert counted(event) == [(12, 2), (0, 2), (18, 2), (9, 2)]
    assert Contribution.objects.filter(is_dropped=True).count() == 4
    publish(event.pk, now=NOW)
    assert numbers(event) == [1, 2]
    assert get_recount(event.pk) is None
    change(event, drop_worst=0)
    tasks.recount_event(event.pk)
    assert counted(event) == [(12, None), (0, None), (18, None), (9, None)]
    assert not Contribution.objects.filter(is_dropped=True).exists()


def test_hand_between_two_pieces_counts_once(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "LOCKED", 1)
    change(event, primary="index_per_game")
    steps = verification.recount_steps(event.pk)
    next(steps)
    for game in Game.objects.order_by("pk"):
        hand(game, 2, [4, 4, 4, 1], 0)
    progress = [dict(step) for step in steps]
    assert [one["done"] for one in progress] == [2, 3, 3, 3, 3, 3]
    verification.finish_recount(event.pk, 1, now=NOW)
    told = Verification()
    assert list(games.verify_games(event, told, repair=False)) == [3]
    event.refresh_from_db()
    verify_totals(event, told, repair=False)
    assert told.differences == []


def test_recount_goes_on_where_it_was_killed(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "LOCKED", 1)
    change(event, placement={"4": [9, 3, 1, 0]})
    scope = recount_scope(event.pk)
    steps = verification.recount_steps(event.pk)
    for _ in range(2):
        queue.renew_claim(scope, now=timezone.now(), progress=next(steps))
    assert get_recount(event.pk) == {"done": 2, "of": 3, "fault": ""}
    assert next(step["done"] for step in verification.recount_steps(event.pk)) == 3
    change(event, placement={"4": [8, 3, 1, 0]})
    assert get_recount(event.pk) == {"done": 0, "of": 0, "fault": ""}
    assert next(step["done"] for step in verification.recount_steps(event.pk)) == 1


def test_recount_that_fails_is_tried_again_then_parked_and_said(
    event: Event, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("no such rules")

    monkeypatch.setattr(verification, "verify_locked_games", broken)
    change(event, placement={"4": [9, 3, 1, 0]})
    for _ in range(3):
        tasks.recount_event(event.pk)
        clock.shift(10)
    assert list_failed_jobs(event) == [("recount", "RuntimeError: no such rules")]
    assert get_recount(event.pk) == {"done": 0, "of": 0, "fault": "RuntimeError: no such rules"}
    publish(event.pk, now=NOW)
    assert numbers(event) == [1]


def test_director_sees_how_far_it_is(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "LOCKED", 1)
    user = User.objects.get(username="dirk")
    dirk = Client()
    dirk.force_login(user)
    change(event, placement={"4": [9, 3, 1, 0]})
    page = "/clubs/riverside/events/league/direct"
    assert "All games will be recomputed" in dirk.get(page).content.decode()
    scope = recount_scope(event.pk)
    queue.renew_claim(
        scope, now=timezone.now(), progress=next(verification.recount_steps(event.pk))
    )
    assert "under the new settings: 1 of 3 done" in dirk.get(page).content.decode()
    queue.release_job(scope)
    tasks.recount_event(event.pk)
    assert "counted again" not in dirk.get(page).content.decode()


def test_publishing_by_command_counts_first(event: Event) -> None:
    change(event, placement={"4": [9, 3, 1, 0]}, primary="placement_points")
    out = io.StringIO()
    call_command("publish", "--club", "riverside", "--event", "league", stdout=out)
    assert out.getvalue().strip() == "2"
    assert counted(event) == [(12, None), (0, None), (18, None), (9, None)]


def test_workers_are_told_of_a_recount(event: Event) -> None:
    change(event, placement={"4": [9, 3, 1, 0]})
    assert ("recount:", event.pk) in [
        (scope.prefix, scope.number) for scope in list_claimable_scopes(NOW)
    ]
