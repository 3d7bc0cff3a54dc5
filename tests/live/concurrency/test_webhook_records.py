"""Messages of webhooks are recorded with acts at one moment: in order, without gaps, no deadlock.

A transaction that a deadlock ended is made once more; here it is not, so that each one is seen.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, counts, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.imports.imports import imported
from tests.support.live.bulk_acts import HEARTS, Act, at_once, project, tables
from tests.support.live.project import LiveProject
from tests.support.webhooks import HOOK
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.models.webhooks import WebhookDelivery, WebhookEvent, WebhookKind
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import seat_table
from tournaments.services.webhooks.delivery import Answer, claim_delivery, finish_delivery
from tournaments.services.webhooks.manage import create_webhook

__all__ = ["project"]

pytestmark = pytest.mark.pg
TURNS = 2
HANDS = 4
"""Entered at each table of a turn, beside the one that is corrected as often."""
ALL = tuple(WebhookKind.values)


def correct_and_enter(game: int) -> Act:
    """A host enters hands, and corrects the first one after each."""

    def save() -> None:
        games = Game.objects.select_related("event", "club", "snapshot", "table__round")
        for at in range(1, HANDS + 1):
            found = games.get(pk=game)
            record_entry(
                actor=TESTS, game=found, number=at + 1, entry=counts(HEARTS, 3), now=NOW,
                source="host",
            )  # fmt: skip
            hearts = [1, 4, 2, 6] if at % 2 else HEARTS
            record_entry(
                actor=TESTS, game=found, number=1, entry=counts(hearts, 3), now=NOW,
                source="host", based_on=at, reason="Swapped",
            )  # fmt: skip

    return save


def post(event: Event, people: Sequence[Player], number: int) -> Act:
    """A director posts the round again, and then another one by seating its first table."""

    def save() -> None:
        move_round(actor=TESTS, round_=round_of(event, number), to="posted", now=NOW)
        seat_table(actor=TESTS, event=event, round_number=number + 1, players=people[:4], now=NOW)

    return save


def round_of(event: Event, number: int) -> Round:
    return Round.objects.select_related("club", "event", "stage").get(event=event, number=number)


def sheets(path: Path, people: Sequence[Player], number: int) -> Path:
    """A file with two hands of two tables of a round of its own."""
    rows = ["date,round,table,hand,seat,player_id,hearts,queen_spades"]
    for at, own in enumerate((people[:4], people[4:]), start=1):
        for hand in (1, 2):
            rows += [
                f"2025-11-06,{number},{at},{hand},{'NESW'[seat]},{one.player_id},"
                f"{HEARTS[seat]},{int(seat == 3)}"
                for seat, one in enumerate(own)
            ]
    path.write_text("\n".join(rows))
    return path


def test_hands_rounds_imports_and_publications_are_numbered_in_the_order_of_their_commits(
    inside: Inside, project: LiveProject, tmp_path: Path
) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(1, 9)))
        hooks = [
            create_webhook(actor=TESTS, club=event.club, url=HOOK, kinds=ALL, now=NOW).webhook.pk
            for _ in range(2)
        ]
    for turn in range(TURNS):
        first = 1 + turn * 10
        with inside(project):
            games = tables(event, people, first)
            seat_table(
                actor=TESTS, event=event, round_number=first + 1, players=people[:4], now=NOW
            )
            move_round(actor=TESTS, round_=round_of(event, first + 1), to="draft", now=NOW)
        path = sheets(tmp_path / f"{turn}.csv", people, first + 5)

        def bring(path: Path = path) -> None:
            assert imported(path).accepted == 4

        def publish_now() -> None:
            for _ in range(3):
                publish(event.pk, now=NOW)

        hosts = [correct_and_enter(game) for game in games]
        acts = [*hosts, post(event, people, first + 1), bring, publish_now]
        assert at_once(inside, project, acts) == []
    with inside(project):
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
            assert [one.number for one in rows] == [one.number for one in recorded]
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
