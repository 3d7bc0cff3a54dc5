"""Play-offs on PostgreSQL, at one moment: two workers look, two heats end, a hand meets a look."""

from functools import partial

import pytest
from django.db import transaction

from tests.support.builders import TESTS, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Within
from tests.support.scenarios.playoffs import look, play, tied
from tournaments.models.events import Event, Stage
from tournaments.models.meetings import Round, Sitting
from tournaments.models.playoffs import Playoff
from tournaments.selectors.playoffs.playoffs import get_playoff
from tournaments.services.operations import Operation
from tournaments.services.playoffs.director_actions import seat_neutrals
from tournaments.services.playoffs.tables import add_round
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.schedule_playoffs import schedule_playoffs

pytestmark = pytest.mark.pg

LOOKS = short_or_long(3, 6)
PAIRS = short_or_long(3, 20)
LINES = {"title": 1, "promotion": 3}


def test_two_workers_that_look_at_one_moment_make_one_playoff(within: Within) -> None:
    with within():
        event = tied(enter_the_cast().riverside, (4, 4, 4, 1))
        Playoff.objects.all().delete()
        Sitting.objects.filter(round__number__gt=1).delete()
        Round.objects.filter(number__gt=1).delete()

    def worker() -> None:
        for _ in range(LOOKS):
            schedule_playoffs(event.pk, now=NOW)

    assert within.at_once(worker, worker) == []
    with within():
        assert list(Playoff.objects.values_list("number", "state")) == [(1, "scheduled")]
        assert list(Round.objects.order_by("number").values_list("number", flat=True)) == [1, 2]


def test_two_playoffs_that_need_a_round_at_one_moment_get_a_number_each(within: Within) -> None:
    with within():
        event = tied(enter_the_cast().riverside, (2, 2, 3, 3, 8, 8, 0), boundaries=LINES)
        stages = [one.stage for one in Playoff.objects.order_by("number")]

    def leg(stage: Stage | None) -> None:
        assert stage is not None
        with transaction.atomic():
            add_round(stage, None)

    for _ in range(PAIRS):
        assert within.at_once(*(partial(leg, stage) for stage in stages)) == []
    with within():
        rounds = Round.objects.filter(event=event).order_by("number")
        numbers = list(rounds.values_list("number", flat=True))
        assert numbers == list(range(1, 1 + 1 + 2 + 2 * PAIRS))


def test_neutral_players_are_seated_while_a_hand_is_entered_at_their_table(within: Within) -> None:
    with within():
        event = tied(enter_the_cast().riverside)
        players(event.club, "Kim", "Lou")
        play(event, 1, {"A": 3, "B": 3, "C": 20})

    def host() -> None:
        play(Event.objects.select_related("club").get(), 2, {"A": 3, "B": 3})

    def director() -> None:
        found = Event.objects.select_related("club").get()
        seat_neutrals(Operation(TESTS, NOW), found, number=1, players=["Kim", "Lou"])

    assert within.at_once(host, director) == []
    with within():
        sat = Sitting.objects.filter(round__number=3, player__name__in=["Kim", "Lou"])
        assert sat.values_list("from_hand", flat=True).distinct().get() in (1, 2)
        found = get_playoff(event, 1)
        assert [one.player for one in found.chairs] == ["Kim", "Lou"]
        assert [one.made for one in found.members[:2]] == [("3", "3"), ("3", "3")]


def test_two_heats_that_end_at_one_moment_meet_once(within: Within) -> None:
    with within():
        event = tied(
            enter_the_cast().riverside, (4, 4, 4, 4, 4, 4, 2), playoff_rules={"many": "heats"}
        )
        names = {one.player_id: one.player for one in get_playoff(event, 1).members}
        heats = [[names[code] for code in table.members] for table in get_playoff(event, 1).tables]

    def heat(at: int) -> None:
        found = Event.objects.select_related("club").get()
        scores = dict(zip(heats[at], (3, 10, 13), strict=True))
        play(found, 1, scores, code=f"r2t{at + 1}")

    def worker() -> None:
        for _ in range(LOOKS):
            publish(event.pk, now=NOW)
            schedule_playoffs(event.pk, now=NOW)

    assert within.at_once(partial(heat, 0), partial(heat, 1), worker) == []
    with within():
        look(event)
        found = get_playoff(event, 1)
        assert (found.state, [table.code for table in found.open_tables]) == ("in_play", ["r3t1"])
        assert sorted(names[code] for code in found.open_tables[0].members) == sorted(
            [heats[0][0], heats[1][0]]
        )
