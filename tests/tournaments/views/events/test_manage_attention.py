"""The attention list and the groups of the page Manage, and that its queries do not grow."""

from datetime import date, timedelta
from pathlib import Path

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.support.builders import TESTS, finished, hand, players, table, worker_runs
from tests.support.cast import NOW, Cast
from tests.support.imports.imports import imported, rows, written
from tests.support.pages.manage import attention, next_step
from tests.support.pages.text import text_of
from tests.support.scenarios.ladders import ladder
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.outbox import Outbox
from tournaments.services.clubs.link_player import claim_player
from tournaments.services.events.change_event import change_event
from tournaments.services.hands.disputes import open_dispute
from tournaments.services.ladders.challenges import issue_challenge
from tournaments.tasks import publish_event

pytestmark = pytest.mark.usefixtures("clock")

EVENT = "/clubs/riverside/events/league"
MANAGE = f"{EVENT}/direct"


def test_lines_come_in_order_of_urgency_with_one_act_each(
    cast: Cast, event: Event, clock: time_machine.Traveller, tmp_path: Path
) -> None:
    people = players(cast.riverside, *(f"Player {letter}." for letter in "ABCDEFGH"))
    old = table(event, people[:4])
    hand(old, 1, [4, 1, 2, 6], 3)
    publish_event(event.pk)
    clock.shift(timedelta(days=7))
    worker_runs()
    table(event, people[4:], round_number=2, on=date(2025, 11, 13))
    open_dispute(actor=cast.actor("dirk"), game=old, number=1, words="I had 4.", now=NOW)
    seats = {seat: f"RL0{n},Player {'ABCD'[n - 1]}." for n, seat in enumerate("NESW", start=1)}
    wrong = written(tmp_path, rows(hearts=(4, 1, 2, 5), round_=3, variant="hearts", cast=seats))
    imported(wrong, actor=cast.actor("dirk"))
    piet = cast.actor("piet")
    claim_player(actor=piet, club=cast.riverside, player=people[0], now=timezone.now())
    Outbox.objects.create(
        club=cast.riverside, kind="digest", payload={}, parked=True, error="550 no such box",
        created_at=NOW, due_at=NOW,
    )  # fmt: skip
    change_event(actor=TESTS, event=event, visibility="held", now=timezone.now())
    dirk = attention(cast.client("dirk"), MANAGE)
    assert [title for title, _ in dirk] == [
        "Table 1, hand 1 is disputed",
        "1 problem in night.csv",
        "piet wants to be linked to Player A.",
        "Only directors can read the results",
    ]
    assert [act for _, act in dirk] == [
        "Decide dispute 1", "Resolve problems of import 1", "Decide claim piet", "Release results",
    ]  # fmt: skip
    assert [line for line in attention(cast.client("olga"), MANAGE) if line not in dirk] == [
        ("1 mail of the club could not be delivered", "Show mails")
    ]


def test_many_lines_of_a_kind_are_cut_with_a_way_to_all(cast: Cast, event: Event) -> None:
    game = table(event, players(cast.riverside, *"ABCD"))
    for number in range(1, 8):
        hand(game, number, [4, 1, 2, 6], 3)
        open_dispute(actor=TESTS, game=game, number=number, words="No.", now=NOW)
    lines = attention(cast.client("dirk"), MANAGE)
    assert len(lines) == 6
    assert lines[5] == ("2 more like these", "Show all")


def test_worker_that_is_gone_is_said_once_something_waits(
    cast: Cast, event: Event, clock: time_machine.Traveller
) -> None:
    worker_runs()
    hand(table(event, players(cast.riverside, *"ABCD")), 1, [4, 1, 2, 6], 3)
    dirk = cast.client("dirk")
    assert attention(dirk, MANAGE) == []
    clock.shift(timedelta(minutes=2))
    assert attention(dirk, MANAGE) == [("No worker is running", "Show jobs")]
    worker_runs()
    assert attention(dirk, MANAGE) == []
    publish_event(event.pk)
    assert "Background jobs" in text_of(dirk.get(MANAGE))


def test_groups_give_each_link_with_its_present_value(cast: Cast, event: Event) -> None:
    people = players(cast.riverside, *"ABCD")
    finished(table(event, people))
    publish_event(event.pk)
    table(event, people, round_number=2)
    page = text_of(cast.client("olga").get(MANAGE))
    for said in (
        "League with 4 entrants. Round 1 in progress, round 2 posted. Only directors",
        "Rounds Round 1 in progress, round 2 posted",
        "Plan evening No further evening is planned",
        "Add round Round 3 is next",
        "Standings Publication 1, provisional",
        "Disputes No disputes",
        "Entrants 4 entrants",
        "Players 4 in the club",
        "Settings Hearts (American), Average a hand",
        "Visibility Public",
        "State Open",
        "Background jobs 1 pending, last run",
    ):
        assert said in page, (said, page)


def queries(client: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as found:
        assert client.get(page).status_code == 200
    return len(found)


def test_queries_do_not_grow_with_rounds_tables_hands_and_lines(cast: Cast, event: Event) -> None:
    people = players(cast.riverside, *(f"Player {n}" for n in range(48)))
    dirk = cast.client("dirk")

    def play(round_number: int, tables: int) -> None:
        for n in range(tables):
            seated = people[4 * n : 4 * n + 4]
            game = table(event, seated, round_number=round_number, table_number=n + 1)
            hand(game, 1, [4, 1, 2, 6], 3)
            open_dispute(actor=TESTS, game=game, number=1, words="No.", now=NOW)

    play(1, 2)
    publish_event(event.pk)
    next_step(dirk, MANAGE)
    few = queries(dirk, MANAGE)
    for number in range(2, 5):
        play(number, 12)
    publish_event(event.pk)
    assert queries(dirk, MANAGE) == few


def test_queries_of_a_ladder_do_not_grow_with_its_challenges(cast: Cast) -> None:
    event = ladder(cast, "ABCDEFGHIJ", now=NOW)
    page, dirk = "/clubs/riverside/events/ladder/direct", cast.client("dirk")

    def challenge(low: str, high: str) -> None:
        player = Player.objects.get(player_id=low)
        actor = cast.actor(low)
        assert player.user_id == actor.user_id
        issue_challenge(actor=actor, event=event, challenged=high, now=NOW)

    challenge("J", "H")
    next_step(dirk, page)
    few = queries(dirk, page)
    for low, high in (("D", "B"), ("G", "E")):
        challenge(low, high)
    assert queries(dirk, page) == few
