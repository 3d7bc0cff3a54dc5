"""A closed round of a cup decides who is through and who is out, before the next one is posted."""

import pytest
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.builders import finished
from tests.support.cast import NOW, Cast
from tests.support.scenarios.cups import E, cup, draw, planned, play, post
from tests.support.scenarios.playoffs import look
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, RoundState
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db

TWO_OF_FOUR = {"table_sizes": [4, 3], "each_round": {"each_table": 2, "wild_cards": 0}}


def close(round_: Round, *points: tuple[int, ...]) -> None:
    games = Game.objects.filter(table__round=round_).order_by("table__number")
    for game, of_table in zip(games, points, strict=True):
        finished(game, of_table)
    Round.objects.filter(pk=round_.pk).update(state=RoundState.CLOSED)
    publish(round_.event_id, now=NOW)
    look(round_.event)


def rows(client: Client) -> list[Json]:
    found: list[Json] = client.get(f"{E}/standings").json()["rows"]
    return found


def states(client: Client) -> list[str]:
    return [row.get("progress", "") for row in rows(client)]


def test_those_who_are_through_are_above_those_who_are_out_once_a_round_is_closed(
    cast: Cast,
) -> None:
    dirk, event = cup(cast, 16, **TWO_OF_FOUR)
    first = post(dirk, planned(dirk))
    assert "progress" not in str(dirk.get(f"{E}/standings").content)
    play(first)
    assert states(dirk) == ["through"] * 8 + ["out"] * 8
    table = rows(dirk)
    assert {row["stage"] for row in table[:8]} == {"the next round of Cup"}
    assert table[7]["ahead"].endswith("was out in round 1") or "went on" in table[7]["ahead"]
    before = [row["player_id"] for row in table[:8]]
    second = post(dirk, planned(dirk))
    publish(event.pk, now=NOW)
    assert states(dirk) == ["through"] * 8 + ["out"] * 8
    assert [row["player_id"] for row in rows(dirk)[:8]] == before
    play(second)
    assert states(dirk) == ["final"] * 4 + ["out"] * 12
    assert {row["stage"] for row in rows(dirk)[:4]} == {"the final of Cup"}
    play(post(dirk, planned(dirk)))
    assert states(dirk) == ["final"] * 4 + ["out"] * 12
    assert [row["rank"] for row in rows(dirk)[:4]] == [1, 2, 3, 4]
