"""The cast as a fixture, for tests of any layer, made once a module where its tests allow it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoDbBlocker, Settings

from tests.support.builders import league, players
from tests.support.cast import Cast, enter_the_cast
from tests.support.module_scope import Once, once_a_module
from tests.support.webhook_receiver import Receiver

FOUR = ("Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
EIGHT = (*FOUR, "Emil", "Frieda", "Gero", "Hilde")


def cast_with(*names: str, with_league: bool = False) -> tuple[Any, Any]:
    """Give a module fixtures of its own: `cast_once, cast = cast_with(*FOUR, with_league=True)`."""

    def make() -> Cast:
        cast = enter_the_cast()
        players(cast.riverside, *names)
        if with_league:
            league(cast.riverside)
        return cast

    @pytest.fixture(scope="module", name="cast_once")
    def once(
        request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
    ) -> Iterator[Once[Cast]]:
        yield from once_a_module(request, django_db_blocker, make, "cast")

    @pytest.fixture(name="cast")
    def each(cast_once: Once[Cast], db: None) -> Cast:
        return cast_once.given() or make()

    return once, each


cast_once, cast = cast_with()


def client_of(name: str) -> Any:
    """Give tests a browser in which somebody of the cast is signed in."""

    @pytest.fixture(name=name)
    def client(cast: Cast) -> Client:
        return cast.client(name)

    return client


olga, dirk, hanna, piet, nora = map(client_of, ("olga", "dirk", "hanna", "piet", "nora"))


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    """A receiver of webhooks on this machine, which they may reach."""
    settings.WEBHOOK_ALLOW_PRIVATE = True
    receiver = Receiver()
    yield receiver
    receiver.end()
