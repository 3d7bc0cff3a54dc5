"""Webhook messages are recorded with the operation: in order, without gaps or deadlocks."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.builders import by_tests, hand, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.imports.imports import imported
from tests.support.live.at_once import HEARTS, Action, Within, get_game, sheets, tables
from tests.support.webhooks import HOOK
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Round
from tournaments.models.webhooks import WebhookDelivery, WebhookEvent, WebhookKind
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import seat_table
from tournaments.services.webhooks.delivery import Answer, claim_delivery, finish_delivery
from tournaments.services.webhooks.manage import create_webhook

pytestmark = pytest.mark.pg
TURNS = 2
HANDS = 4
"""Entered at each table of a turn, beside the one that is corrected as often."""
ALL = tuple(WebhookKind.values)


def correct_and_enter(game: int) -> Action:
    """A host enters hands, and corrects the first one after each."""

    def save() -> None:
        for at in range(1, HANDS + 1):
            found = get_game(pk=game)
            hand(found, at + 1, HEARTS, 3)
            hearts = [1, 4, 2, 6] if at % 2 else HEARTS
            hand(found, 1, hearts, 3, based_on=at, reason="Swapped")

    return save


def post(event: Event, people: Sequence[Player], number: int) -> Action:
    """A director posts the round again, and then another one by seating its first table."""

    def save() -> None:
        move_round(by_tests(), round_of(event, number), to="posted")
        seat_table(by_tests(), event, round_number=number + 1, players=people[:4])

    return save


def round_of(event: Event, number: int) -> Round:
    return Round.objects.select_related("club", "event", "stage").get(event=event, number=number)


def test_numbers_follow_the_order_of_commits_of_hands(within: Within, tmp_path: Path) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(1, 9)))
        hooks = [create_webhook(by_tests(), event.club, url=HOOK, kinds=ALL).pk for _ in range(2)]
    for turn in range(TURNS):
        first = 1 + turn * 10
        with within():
            games = tables(event, people, first)
            seat_table(by_tests(), event, round_number=first + 1, players=people[:4])
            move_round(by_tests(), round_of(event, first + 1), to="draft")
        path = tmp_path / f"{turn}.csv"
        path.write_text(sheets(people, {first + 5: [1, 2]}))

        def bring(path: Path = path) -> None:
            assert imported(path).accepted == 4

        def publish_now() -> None:
            for _ in range(3):
                publish(event.pk, now=NOW)

        hosts = [correct_and_enter(game) for game in games]
        actions = [*hosts, post(event, people, first + 1), bring, publish_now]
        assert within.at_once(*actions) == []
    with within():
        publish(event.pk, now=NOW)
        recorded = list(WebhookEvent.objects.filter(stream=f"event:{event.pk}").order_by("number"))
        assert [one.number for one in recorded] == list(range(1, len(recorded) + 1))
        # Numbers are given while the event's version is held, so both ascend together.
        changes = [
            one.data["event_version"] for one in recorded if one.kind != "publication.created"
        ]
        assert changes == sorted(changes)
        published = [
            one.data["publication"] for one in recorded if one.kind == "publication.created"
        ]
        assert published == list(range(1, len(published) + 1))
        kinds = Counter(one.kind for one in recorded)
        assert kinds["hand.corrected"] == TURNS * 2 * HANDS
        assert kinds["round.posted"] == TURNS * 4  # with that of the tables
        for hook in hooks:
            rows = WebhookDelivery.objects.filter(webhook=hook).order_by("number")
            assert [row.number for row in rows] == [one.number for one in recorded]
        assert claimed(hooks) == {hook: [one.number for one in recorded] for hook in hooks}


def claimed(hooks: Sequence[int]) -> dict[int, list[int]]:
    """The numbers in which a worker sends what was recorded, by webhook."""
    found: dict[int, list[int]] = {hook: [] for hook in hooks}
    now = NOW + timedelta(hours=1)
    while (delivery := claim_delivery(now=now)) is not None:
        found[delivery.webhook_id].append(delivery.number)
        finish_delivery(delivery, Answer(status=204), now=now)
        now += timedelta(seconds=1)
    return found
