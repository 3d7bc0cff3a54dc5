"""A cup of 13 in which ties decide who goes on: one is played off, one is drawn by lot."""

import pytest
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.builders import finished
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.cups import PLANS, E, cup, planned, post
from tests.support.scenarios.playoffs import look, play, view
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Round, RoundState, Sitting
from tournaments.models.standings import Publication
from tournaments.publishing.publish_event import publish

pytestmark = pytest.mark.django_db

PAGE = "/clubs/riverside/events/league"


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


def rows(client: Client) -> list[Json]:
    found: list[Json] = client.get(f"{E}/standings").json()["rows"]
    return found


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
        step = text_of(self.dirk.get(f"{PAGE}/direct"))
        assert "The next round can be planned once it is decided." in step
        play(event, 1, {names[0]: 6, names[1]: 2}, code=one.tables[0].code)
        look(event)
        assert view(event, 1).state == "decided"
        refused = post_json(self.dirk, PLANS, {"movement": "knockout"})
        assert codes(refused) == ["table_tie_open"]
        lot = post_json(self.dirk, f"{E}/playoffs/2/moves", {"to": "by_lot"})
        assert lot.status_code == 200, lot.content
        look(event)
        second = post(self.dirk, planned(self.dirk))
        there = {*Sitting.objects.filter(round=second).values_list("player__name", flat=True)}
        drawn = min(view(event, 2).members, key=lambda member: member.place or 9)
        other = next(member for member in view(event, 2).members if member != drawn)
        page = text_of(self.dirk.get(f"{PAGE}/playoffs/2"))
        assert f"Drawn: {drawn.player} before {other.player}." in page
        log = text_of(self.dirk.get(f"{PAGE}/changes"))
        assert f"play-off 2: {drawn.player} before {other.player}" in log
        assert names[1] in there
        assert names[0] not in there
        assert {member.player for member in two.members} & there == {drawn.player}
        assert len(there) == 8
        lines = [
            f"Table {one.boundaries[0]['table']}: {first} before {last}, {how}."
            for one, first, last, how in (
                (view(event, 1), names[1], names[0], "by play-off 1"),
                (view(event, 2), drawn.player, other.player, "drawn by lot"),
            )
        ]
        bracket = self.dirk.get(f"{E}/stages/1/bracket").json()["rounds"]
        assert [tie["text"] for one in bracket for tie in one["ties"]] == lines
        entrants = [one for table in bracket[0]["tables"] for one in table["entrants"]]
        places = {one["player"]: one["place"] for one in entrants}
        assert [places[name] for name in (names[1], names[0])] == [2, 3]
        for page in ("stages/1/bracket", "rounds/1"):
            assert all(line in text_of(self.dirk.get(f"{PAGE}/{page}")) for line in lines), page
        publish(event.pk, now=NOW)
        placed = {row["player"]: row for row in rows(self.dirk)}
        assert placed[names[0]]["reason"].endswith("; out by play-off")
        assert placed[other.player]["reason"].endswith("; out by lot")
        assert "out by" not in placed[drawn.player]["reason"]
        standings = text_of(self.dirk.get(PAGE))
        assert f"; {names[0]} out by play-off" in standings
        newest = Publication.objects.filter(event=event).count()
        because = text_of(self.dirk.get(f"{PAGE}/publications/1/difference/{newest}"))
        assert "Play-off 1: decided" in because
        assert "Play-off 2: decided by lot" in because
        assert "Event changed" not in because
