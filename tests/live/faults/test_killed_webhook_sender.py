"""Receiver and worker killed and restarted: each event comes at least once, signed, in order."""

import subprocess
from collections.abc import Callable
from itertools import pairwise

import pytest
from django.utils import timezone

from tests.live.conftest import Inside
from tests.support.live.events import enter, evening, is_published, newest
from tests.support.live.project import PATIENCE_S, LiveProject, wait_until
from tests.support.webhook_receiver import Received, Receiver
from tournaments.models.hands import Game
from tournaments.models.webhooks import DeliveryState, Webhook, WebhookDelivery, WebhookEvent
from tournaments.policy import command
from tournaments.services.operations import Operation
from tournaments.services.webhooks.manage import create_webhook

pytestmark = [pytest.mark.worker, pytest.mark.pg]

TESTS = command("tests")


def kill(worker: subprocess.Popen[bytes]) -> None:
    worker.kill()
    worker.wait(PATIENCE_S)


def subscribe(game: Game, url: str) -> Webhook:
    kinds = ("publication.created", "hand.corrected")
    return create_webhook(Operation(TESTS, timezone.now()), game.club, url=url, kinds=kinds)


def publish(project: LiveProject, game: Game, number: int) -> None:
    enter(game, number)
    wait_until(lambda: is_published(game.event_id), what=f"standings\n{project.log}")


def all_delivered() -> bool:
    waiting = WebhookDelivery.objects.exclude(state=DeliveryState.DELIVERED)
    return not waiting.exists() and WebhookDelivery.objects.exists()


def require_every_event_in_order(received: list[Received], secret: str) -> None:
    """Each event came at least once, with a valid signature, none before an earlier one."""
    bodies = [one.verified(secret) for one in received]
    numbers = [body["data"]["sequence"] for body in bodies]
    wanted = list(WebhookEvent.objects.order_by("number").values_list("number", flat=True))
    assert sorted(set(numbers)) == wanted == list(range(1, len(wanted) + 1))
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(numbers)), numbers
    assert len({one.id for one in received}) == len(wanted), "an id for each event"
    print(f"events {len(wanted)}, messages {len(numbers)}")


def test_each_event_comes_signed_and_in_order_though_receiver_and_worker_are_killed(
    live_project: Callable[..., LiveProject],
    migrated_pg_url: str,
    inside: Inside,
    receiver: Receiver,
) -> None:
    project = live_project(
        DATABASE_URL=migrated_pg_url, WEBHOOK_ALLOW_PRIVATE="1", WEBHOOK_TIMEOUT="1"
    )
    with inside(project):
        game = evening()
        made = subscribe(game, receiver.url)
        worker = project.start_worker("first@tests")
        publish(project, game, 1)
        assert receiver.wait_for(len), project.log
        # The worker is killed while the receiver has its message and has not answered.
        receiver.behaviour.holds = True
        publish(project, game, 2)
        assert receiver.wait_for(
            lambda got: any(
                one.verified(made.plain_secret)["data"]["publication"] > 1 for one in got
            )
        ), project.log
        kill(worker)
        # The receiver goes as well; what happens meanwhile waits.
        port, before = receiver.port, list(receiver.received)
        receiver.end()
        worker = project.start_worker("second@tests")
        publish(project, game, 3)
        wait_until(
            lambda: WebhookDelivery.objects.exclude(error="").exists(), what="a refused message"
        )
        kill(worker)
        again = Receiver(port=port)
        project.start_worker("third@tests")
        try:
            publish(project, game, 4)
            wait_until(all_delivered, what=f"the last message\n{project.log}")
        finally:
            again.end()
    with inside(project):
        require_every_event_in_order([*before, *again.received], made.plain_secret)
        last = again.received[-1].verified(made.plain_secret)
        assert last["data"]["publication"] == newest(game.event_id).number
        assert last["type"] == "publication.created"
