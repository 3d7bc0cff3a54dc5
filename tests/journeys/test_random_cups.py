"""Random knock-outs: nobody goes on or is placed by chance without a line that says so."""

import random
from fractions import Fraction

import pytest

from tests.support.answers import post_json
from tests.support.builders import TESTS, finished
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.rest.requests import codes
from tests.support.scenarios.cups import PLANS, cup, post
from tests.support.scenarios.playoffs import look, play, standing, view
from tests.support.scenarios.raw_cup import decided_at, gone_on, raw_ranks
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Round, RoundState, Sitting
from tournaments.models.playoffs import Playoff
from tournaments.models.standings import Change
from tournaments.services.operations import Operation
from tournaments.services.playoffs.director_actions import move_playoff
from tournaments.services.stages.walk_overs import record_walk_over

pytestmark = pytest.mark.django_db

SEEDS = range(short_or_long(4, 100))
HEARTS = {
    3: ((1, 4, 8), (0, 13, 0), (4, 4, 5), (6, 6, 1)),
    4: ((1, 2, 4, 6), (1, 4, 4, 4), (4, 4, 4, 1), (2, 2, 8, 1), (3, 4, 4, 2)),
    5: ((1, 2, 3, 4, 3), (2, 3, 3, 3, 2), (3, 3, 3, 3, 1)),
}
"""Hearts of a hand by the size of the table; many leave ties, and the last seat has the queen."""


def plays(round_: Round, chance: random.Random) -> None:
    for game in Game.objects.filter(table__round=round_).order_by("table__number"):
        there = list(Sitting.objects.filter(seat__table=game.table, to_hand=None))
        if len(there) == 4 and chance.random() < 0.2:
            code = there[0].player.player_id
            record_walk_over(Operation(TESTS, NOW), game, entrant=code, reason="Away.")
        game.refresh_from_db()
        seats = game.table.seats.count()
        if game.state != "abandoned":
            hearts = list(chance.choice(HEARTS[seats]))
            finished(game, hearts)
    Round.objects.filter(pk=round_.pk).update(state=RoundState.CLOSED)
    look(round_.event)


def decides(event: Event, chance: random.Random) -> None:
    """Play one hand of each play-off, and draw the lot where that decides nothing."""
    for playoff in Playoff.objects.filter(event=event, state__in=("scheduled", "in_play")):
        names = [one.player for one in view(event, playoff.number).members]
        if len(names) == 2 and chance.random() < 0.6:
            code = view(event, playoff.number).open_tables[0].code
            play(event, 1, dict(zip(names, chance.sample([2, 6, 6], 2), strict=True)), code=code)
            look(event)
        if view(event, playoff.number).is_live:
            move_playoff(Operation(TESTS, NOW), event, number=playoff.number, to="by_lot")
            look(event)


def checks_wild_cards(event: Event, number: int, most: int) -> None:
    """The first two of each table go on, and nobody is tied with the last wild card."""
    others, lucky = {}, set()
    decided = decided_at(event, number, None)
    for table, raw, on in gone_on(event, number):
        first = {name for name in raw.points if raw.place(name) <= 2}
        assert not on or first <= on, (number, table)
        mean = Fraction(sum(raw.points.values()), len(raw.points))
        for name in raw.points.keys() - first:
            others[name] = (raw.place(name), raw.points[name] - mean, decided.get(name, 0))
            lucky |= {name} & on
    out = [others[name] for name in others.keys() - lucky]
    assert len(lucky) <= most
    assert not lucky or not out or max(others[name] for name in lucky) < min(out), number


@pytest.mark.parametrize("seed", SEEDS)
def test_places_follow_the_stage_reached_and_each_lot_has_a_line(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seed of a test
    head_count = chance.randint(5, 40)
    wild = chance.choice((0, 1, 2))
    rule = {"each_table": 2, "wild_cards": wild}
    dirk, event = cup(enter_the_cast(), head_count, table_sizes=[3, 4, 5], each_round=rule)
    while True:
        answer = post_json(dirk, PLANS, {"movement": "knockout"})
        if answer.status_code != 201:
            assert codes(answer) == ["knockout_is_over"], answer.content
            break
        assert not answer.json()["plans"][0]["rounds"][0]["forced"], "nobody goes on by seed"
        round_ = post(dirk, answer.json()["plans"][0])
        plays(round_, chance)
        while Playoff.objects.filter(event=event, state="scheduled").exists():
            refused = post_json(dirk, PLANS, {"movement": "knockout"})
            assert set(codes(refused)) in ({"table_tie_open"}, {"wild_card_tie_open"})
            decides(event, chance)
    for number in Round.objects.exclude(stage__kind="playoff").values_list("number", flat=True):
        checks_wild_cards(event, number, wild)
    found = {name: row["rank"] for name, row in standing(event).items()}
    assert found == raw_ranks(event)
    lots = Playoff.objects.filter(event=event, state="by_lot").count()
    said = [one for one in Change.objects.filter(event=event) if one.facts.get("new") == "by_lot"]
    assert len(said) == lots
