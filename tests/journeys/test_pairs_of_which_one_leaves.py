"""Eight pairs play all play all; one leaves after two rounds; the rest is played to the end.

The final standings are counted again from the raw hands.
"""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import pytest
from django.test import Client

from tests.journeys.test_evenings_with_partners import (
    EVENING,
    EVENT,
    POOLED,
    Director,
    seated,
    standings,
)
from tests.support.builders import TESTS, hand, league
from tests.support.cast import NOW, Cast
from tests.support.evenings import evening
from tests.support.pages.text import text_of
from tournaments.domain.event_settings import PRESETS
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.django_db


class PairsDirector(Director):
    """Plans, seats and withdraws pairs."""

    def plan(self, rounds: int) -> str:
        words = " ".join(text_of(self.plans("pairs:all_play_all", rounds)).split())
        self.chooses()
        return words

    def withdraw(self, code: str) -> None:
        page = f"{EVENT}/entrants/{code}/direct"
        assert "Check out of the evening" in text_of(self.client.get(page))
        sent = {"to": "withdrawn", "reason": "Went home.", "check_out": "on"}
        assert self.client.post(page, sent).status_code == 302


class Sheet(NamedTuple):
    """What is on paper: who sat where, the hearts of each seat, and who had the queen."""

    players: list[str]
    hearts: list[int]
    queen: int


def play(number: int, lot: Random) -> list[Sheet]:
    """Play one hand at each table: some hearts and the queen for each seat by lot."""
    sheets = []
    games = Game.objects.filter(table__round__number=number).order_by("table__number")
    for game, four in zip(games, seated(number), strict=True):
        drawn = Counter(lot.choices(range(4), k=13))
        sheet = Sheet(
            [one.player_id for one in four], [drawn[at] for at in range(4)], lot.randrange(4)
        )
        hand(game, 1, sheet.hearts, sheet.queen)
        sheets.append(sheet)
    round_ = Round.objects.get(number=number)
    close_tables(actor=TESTS, round_=round_, now=NOW)
    round_.refresh_from_db()
    move_round(actor=TESTS, round_=round_, to="closed", now=NOW)
    return sheets


def counted(sheets: list[Sheet], pair_of: dict[str, str]) -> dict[str, tuple[Fraction, int]]:
    """Matches won, ties as half, and matches played of each pair, from the sheets alone."""
    won: Counter[str] = Counter()
    played: Counter[str] = Counter()
    for sheet in sheets:
        points = [hearts + 13 * (seat == sheet.queen) for seat, hearts in enumerate(sheet.hearts)]
        less = points[0] + points[2] - points[1] - points[3]
        assert abs(less) < 26, "no side shot the moon"
        north, east = (pair_of[player] for player in sheet.players[:2])
        assert [north, east] == [pair_of[player] for player in sheet.players[2:]]
        played.update((north, east))
        won.update({north: 1 + (less < 0) - (less > 0), east: 1 + (less > 0) - (less < 0)})
    return {code: (Fraction(won[code], 2), played[code]) for code in played}


def test_rest_of_the_evening_has_no_repeat_and_ranks_by_match_played(cast: Cast) -> None:
    event = league(cast.riverside, variant=POOLED, settings=dict(PRESETS["pairs"]))
    _meeting, people = evening(event, 16)
    director, lot = PairsDirector(cast), Random(8)  # noqa: S311 - deals cards, keeps no secret
    director.enters_pairs(people)
    pair_of = {one.player_id: f"pair-{at // 2 + 1}" for at, one in enumerate(people)}
    words = director.plan(7)
    assert "After this plan no match is left." in words
    sheets: list[Sheet] = []
    for number in (1, 2):
        director.seats(number)
        sheets += play(number, lot)
    director.withdraw("pair-8")
    here = director.client.get(f"/api/v1{EVENT}/meetings/2025-11-13/attendance").json()
    assert Counter(one["state"] for one in here["results"]) == {"here": 14, "left": 2}
    page = director.client.get(f"{EVENING}/plans").content.decode()
    assert 'value="5"' in page, "the rounds that are left are proposed"
    words = director.plan(5)
    assert "Meet again 0 No two pairs play each other twice." in words
    assert "After this plan no match is left." in words
    for number in (3, 4, 5, 6, 7):
        director.seats(number)
        sheets += play(number, lot)
    met = Counter(
        frozenset(pair_of[one.player_id] for one in four)
        for number in range(1, 8)
        for four in seated(number)
    )
    assert (len(met), set(met.values())) == (8 + 15, {1})
    rows = standings(event)
    results = counted(sheets, pair_of)
    assert {code: row["tables"] for code, row in rows.items()} == {
        code: played for code, (_won, played) in results.items()
    }
    byes = {code: row.get("byes", 0) for code, row in rows.items()}
    worth = {code: won + byes[code] * won / played for code, (won, played) in results.items()}
    assert {byes[code] + played for code, (_, played) in results.items()} == {7, 2}
    _require_order(rows, worth)
    stay = [code for code in rows if code != "pair-8"]
    rates = [Fraction(results[code][0], results[code][1]) for code in stay]
    assert rates == sorted(rates, reverse=True), "by matches won per match played"
    read = " ".join(text_of(Client().get(EVENT)).split())
    assert "Sit-outs count as the average of one's own games: it ranks by game played." in read


def _require_order(rows: dict[str, dict[str, Any]], worth: dict[str, Fraction]) -> None:
    """The rows are in the order of what they are worth; equal ranks for equal values at most."""
    values = [worth[code] for code in rows]
    assert values == sorted(values, reverse=True)
    ranks = [row["rank"] for row in rows.values()]
    assert ranks == sorted(ranks)
