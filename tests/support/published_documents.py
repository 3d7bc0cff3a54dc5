"""Every publication that a test stores is as the types of published documents say."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db.models.signals import post_save

from tests.support.rest.closed_schema import faults, validator_of_type
from tournaments.domain.standings.ladder_documents import LadderDocument
from tournaments.domain.standings.standings_documents import StandingsDocument
from tournaments.models.standings import Publication


class DocumentNotTyped(AssertionError):
    """A publication has a member that no type names, or lacks one."""


def check_publication(sender: object, instance: Publication, **_more: Any) -> None:
    kind = LadderDocument if instance.ladder_id else StandingsDocument
    if found := faults(validator_of_type(kind), json.loads(bytes(instance.body))):
        raise DocumentNotTyped(found[:5])


@pytest.fixture(scope="session", autouse=True)
def publications_are_typed() -> Iterator[None]:
    post_save.connect(check_publication, sender=Publication)
    yield
    post_save.disconnect(check_publication, sender=Publication)
