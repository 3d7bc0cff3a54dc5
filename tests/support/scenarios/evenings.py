"""Two evenings of a league, as every page of it is looked at."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import pytest
from django.test import Client
from pytest_django import DjangoDbBlocker

from tests.support.builders import NOW, Cast, enter_the_cast, hand, league, make_all, players, table
from tests.support.module_scope import Once, once_a_module
from tournaments.models.events import Event
from tournaments.services.publishing import publications

HOSTILE = "<script>alert('Leo')</script>"
ADDRESS = "/clubs/riverside/events/league"


@dataclass(frozen=True, slots=True)
class Evenings:
    """The league with its cast; `address` is that of its standings."""

    cast: Cast
    event: Event
    address: str = ADDRESS

    def client(self, name: str = "") -> Client:
        return self.cast.client(name)


def two_evenings() -> Evenings:
    """Three tables in two rounds: a moon, a correction, and a name that is no name."""
    cast = enter_the_cast()
    event = league(cast.riverside, name="Autumn league")
    people = players(
        cast.riverside,
        *("Elsa D.", "Zoë K.", HOSTILE, "Anton S."),
        *("Marit S.", "Jörg S.", "Cleo S.", "Carla K."),
    )
    first = table(event, people[:4])
    hand(first, 1, [4, 1, 2, 6], queen=3)
    hand(first, 2, [13, 0, 0, 0], queen=0, slam_choice="self")
    hand(first, 1, [4, 2, 1, 6], queen=3, based_on=1, reason="East and South were swapped.")
    second = table(event, people[4:], table_number=2)
    hand(second, 1, [3, 3, 3, 4], queen=1)
    third = table(
        event, [people[0], people[5], people[2], people[7]], round_number=2, on=date(2025, 11, 13)
    )
    hand(third, 1, [0, 13, 0, 0], queen=1, slam_choice="others")
    hand(third, 2, [1, 2, 3, 7], queen=2)
    publications.publish(event.pk, now=NOW)
    make_all(event.pk)
    return Evenings(cast, event)


@pytest.fixture(scope="module")
def evenings_once(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Once[Evenings]]:
    yield from once_a_module(request, django_db_blocker, two_evenings, "evenings")


@pytest.fixture
def evenings(evenings_once: Once[Evenings], db: None) -> Evenings:
    return evenings_once.given() or two_evenings()
