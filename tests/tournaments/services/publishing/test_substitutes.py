"""Standings by pairs: a substitute of a round is not among the pairs."""

import json

import pytest

from tests.support.builders import finished, league, pairs, players, table
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

POOLED = "partnership-hearts-pooled"


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, "Ann", "Bob", "Cem", "Dee", "Sue", "Tim", "Una")


@pytest.fixture
def event(cast: Cast, people: list[Player]) -> Event:
    event = league(cast.riverside, variant=POOLED, settings={"primary": "wins"})
    pairs(event, people[:4])
    return event


def published(event: Event) -> list[tuple[int | None, str]]:
    document = json.loads(bytes(publish(event.pk, now=NOW).body))  # type: ignore[union-attr]
    rows = [*document["rows"], *document["provisional_rows"]]
    return [(row["rank"], row["player"]) for row in rows]


def test_substitute_beside_a_partner_is_in_no_pair(event: Event, people: list[Player]) -> None:
    ann, _bob, cem, dee, sue, *_others = people
    finished(table(event, [ann, cem, sue, dee]))
    assert published(event) == [(1, "Ann & Bob"), (2, "Cem & Dee")]


def test_two_who_play_against_a_pair_compete_themselves(event: Event, people: list[Player]) -> None:
    ann, bob, _cem, _dee, sue, tim, _una = people
    finished(table(event, [ann, sue, bob, tim]))
    assert {name for _rank, name in published(event)} == {"Ann & Bob", "Sue", "Tim"}
