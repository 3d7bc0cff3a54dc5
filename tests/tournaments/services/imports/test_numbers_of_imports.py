"""The number of an import belongs to it for good: nothing later gets it, whatever became of it."""

from datetime import timedelta
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection

from tests.support.builders import league, players
from tests.support.cast import NOW, Cast
from tests.support.imports.imports import imported, rows, written
from tests.support.rest.sheets import CSV
from tournaments.models.events import Event
from tournaments.models.imports import ImportBatch
from tournaments.services.imports.uploads import (
    UNCONFIRMED_FOR,
    discard_upload,
    remove_old_uploads,
    store_upload,
)

pytestmark = pytest.mark.both_databases

MIGRATIONS = "tournaments.migrations"


@pytest.fixture
def event(cast: Cast) -> Event:
    players(cast.riverside, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    return league(cast.riverside)


def sent(cast: Cast, event: Event, content: str = CSV) -> ImportBatch:
    return store_upload(
        cast.operation("hanna"), event, name="evening.csv", content=content.encode()
    )


def test_number_of_a_discarded_import_is_not_given_again(cast: Cast, event: Event) -> None:
    assert sent(cast, event).number == 1
    last = sent(cast, event)
    assert last.number == 2
    discard_upload(cast.operation("hanna"), last)
    assert sent(cast, event).number == 3


def test_number_of_an_only_import_that_was_discarded_is_not_given_again(
    cast: Cast, event: Event
) -> None:
    discard_upload(cast.operation("hanna"), sent(cast, event))
    assert not ImportBatch.objects.exists()
    assert sent(cast, event).number == 2


def test_number_of_an_upload_that_was_removed_after_90_days_is_not_given_again(
    cast: Cast, event: Event
) -> None:
    sent(cast, event)
    ImportBatch.objects.update(started_at=NOW - UNCONFIRMED_FOR - timedelta(seconds=1))
    remove_old_uploads(now=NOW)
    assert not ImportBatch.objects.exists()
    assert sent(cast, event).number == 2


def test_file_of_a_command_gets_the_number_after_a_discarded_one(
    cast: Cast, event: Event, tmp_path: Path
) -> None:
    discard_upload(cast.operation("hanna"), sent(cast, event))
    imported(written(tmp_path, rows(1)))
    assert ImportBatch.objects.get().number == 2


def test_numbers_of_another_event_are_its_own(cast: Cast, event: Event) -> None:
    discard_upload(cast.operation("hanna"), sent(cast, event))
    other = league(cast.riverside, slug="other")
    assert sent(cast, other).number == 1


def test_process_of_the_release_before_has_given_a_higher_number(cast: Cast, event: Event) -> None:
    sent(cast, event)
    ImportBatch.objects.update(number=7)  # its process does not know the column of the event
    assert sent(cast, event).number == 8


def test_migration_knows_the_last_import_of_each_event(cast: Cast, event: Event) -> None:
    sent(cast, event)
    sent(cast, event)
    without = league(cast.riverside, slug="other")
    Event.objects.update(last_import=0)
    migration = import_module(".0052_last_imports", MIGRATIONS)
    migration.note_last_imports(apps, connection.schema_editor())
    numbers = dict(Event.objects.values_list("slug", "last_import"))
    assert (numbers[event.slug], numbers[without.slug]) == (2, 0)
