"""A cup of 13 in which ties decide who goes on: one is played off, one is drawn by lot."""

import pytest
from django.test import Client

from tests.support.answers import post_json
from tests.support.builders import finished
from tests.support.cast import Cast, enter_the_cast
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.cups import PLANS, E, cup, planned, post
from tests.support.scenarios.playoffs import look, play, view
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Round, RoundState, Sitting

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def names_at(table: str) -> list[str]:
    sat = Sitting.objects.filter(seat__table__code=table).order_by("seat__number")
    return list(sat.values_list("player__name", flat=True))


def plays(round_: Round, *hearts: tuple[int, ...]) -> None:
    """Play one hand at each table of a round, close it, and let the workers look."""
    games = Game.objects.filter(table__round=round_).order_by("table__number")
    for game, points in zip(games, hearts, strict=True):
        finished(game, points)
    Round.objects.filter(pk=round_.pk).update(state=RoundState.CLOSED)
    look(round_.event)


class TestTwoTies:
    """13 play at four tables; at two of them two share the last place that goes on."""

    @pytest.fixture
    def event(self, cast: Cast) -> Event:
        self.dirk, event = cup(cast, 13, table_sizes=[4, 3], each_round={"each_table": 2})
        self.first = post(self.dirk, planned(self.dirk))
        tables = [len(names_at(f"r1t{n}")) for n in (1, 2, 3, 4)]
        tied = {4: (1, 4, 4, 4), 3: (0, 13, 0)}
        clear = {4: (1, 2, 4, 6), 3: (1, 4, 8)}
        plays(self.first, *(({1: clear, 2: clear}.get(at, tied))[n] for at, n in enumerate(tables)))
        return event

    dirk: Client

    def test_next_round_waits_for_each_tie_which_a_hand_or_a_lot_decides(
        self, event: Event
    ) -> None:
        refused = post_json(self.dirk, PLANS, {"movement": "knockout"})
        assert (refused.status_code, codes(refused)) == (422, ["table_tie_open"] * 2)
        one, two = view(event, 1), view(event, 2)
        assert one.boundaries[0]["kind"] == "table"
        assert "waive" not in one.may
        names = [member.player for member in one.members]
        assert f"{names[0]} and {names[1]} are tied for place 2 at table" in str(refused.json())
        step = text_of(self.dirk.get("/clubs/riverside/events/league/direct"))
        assert "The next round can be planned once it is decided." in step
        play(event, 1, {names[0]: 6, names[1]: 2}, code=one.tables[0].code)
        look(event)
        assert view(event, 1).state == "decided"
        refused = post_json(self.dirk, PLANS, {"movement": "knockout"})
        assert codes(refused) == ["table_tie_open"]
        page = f"{E.removeprefix('/api/v1')}/playoffs/2"
        lot = self.dirk.post(f"{page}/direct", {"act": "by_lot"}, follow=True)
        drawn = min(view(event, 2).members, key=lambda member: member.place or 9)
        assert f"Lot drawn: {drawn.player} goes on." in text_of(lot)
        assert "standings will be updated" not in text_of(lot)
        look(event)
        second = post(self.dirk, planned(self.dirk))
        there = {*Sitting.objects.filter(round=second).values_list("player__name", flat=True)}
        other = next(member for member in view(event, 2).members if member != drawn)
        assert f"Drawn: {drawn.player} before {other.player}." in text_of(self.dirk.get(page))
        log = text_of(self.dirk.get("/clubs/riverside/events/league/changes"))
        assert f"play-off 2: {drawn.player} before {other.player}" in log
        assert names[1] in there
        assert names[0] not in there
        assert {member.player for member in two.members} & there == {drawn.player}
        assert len(there) == 8
