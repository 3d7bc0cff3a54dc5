"""Evenings at random, whose tables and results are those that a second count by hand gives."""

import json
from datetime import datetime, timedelta
from fractions import Fraction
from random import Random

import pytest

from tests.support.answers import Json
from tests.support.builders import by_tests, players
from tests.support.cast import NOW, Cast
from tests.support.evening_recount import rank
from tests.support.evening_work import make_tables_of
from tests.support.lengths import short_or_long
from tests.support.scenarios.random_nights import TONIGHT, RandomNight, random_night
from tournaments.models.clubs import Player
from tournaments.models.standings import StoredHistory
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.publishing.evening_results import publish_result
from tournaments.services.rounds.evenings import end_evening

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SEEDS = range(short_or_long(20, 200))
NAMES = "ABCDEFGHIJK"
WANTED = {"late", "left", "bye", "substitute", "moon", "penalty", "bonus", "corrected", "deleted"}


def listed(document: Json) -> list[tuple[int, str, Fraction]]:
    primary = document["scheme"]["primary"]
    return [
        (row["rank"], row["player_id"], Fraction(row["values"][primary]))
        for row in document["rows"]
    ]


def counted(night: RandomNight) -> list[tuple[int, str, Fraction]]:
    return rank(
        night.evening,
        primary=night.primary,
        tie_breaks=night.tie_breaks,
        bye_award=night.bye_award,
    )


def table_of(night: RandomNight) -> Json:
    stored = StoredHistory.objects.get(event=night.event, kind="evening", key=str(TONIGHT))
    document: Json = json.loads(bytes(stored.body))
    return document


def draw(night: RandomNight, now: datetime) -> Json:
    """Make the table of the evening, and draw its result, as workers do."""
    make_tables_of(night.event, now)
    result = publish_result(meeting_on(night.event, TONIGHT), now=now)
    assert result is not None
    document: Json = result.document
    return document


def people_of(cast: Cast) -> list[Player]:
    return list(cast.riverside.players.order_by("pk")) or players(cast.riverside, *NAMES)


def play_two(cast: Cast, seed: int) -> list[RandomNight]:
    """Play two events of one night, by the same people."""
    chance = Random(seed)  # noqa: S311 - a seeded chance
    people = players(cast.riverside, *NAMES[: chance.randint(8, 11)])
    nights = []
    for slug, rounds in (("long", chance.randint(2, 3)), ("short", 1)):
        night = random_night(cast, people, chance, slug=slug)
        night.play(rounds)
        nights.append(night)
    return nights


@pytest.mark.parametrize("seed", SEEDS)
def test_table_and_results_are_those_of_a_second_count(cast: Cast, seed: int) -> None:
    nights = play_two(cast, seed)
    for night in nights:
        end_evening(by_tests(), meeting_on(night.event, TONIGHT))
        result = draw(night, NOW)
        assert listed(table_of(night)) == counted(night), night.event.slug
        assert listed(result) == counted(night), night.event.slug
        assert result["publication"]["number"] == 1
    corrected_at = NOW + timedelta(hours=2)
    for night in nights:
        night.correct(corrected_at)
        if not counted(night):
            continue  # its only hand was deleted
        result = draw(night, corrected_at)
        assert listed(table_of(night)) == counted(night), night.event.slug
        assert listed(result) == counted(night), night.event.slug
        assert result["publication"]["number"] == 2


def test_evenings_at_random_have_all_that_happens(cast: Cast) -> None:
    seen: set[str] = set()
    for seed in range(4):
        night = random_night(cast, people_of(cast), Random(seed), slug=f"night-{seed}")  # noqa: S311 - a seeded chance
        night.play(2)
        for _again in range(3):
            night.correct(NOW)
        seen |= night.seen
    assert seen == WANTED
