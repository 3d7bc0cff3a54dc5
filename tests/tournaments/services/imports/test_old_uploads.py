"""A file that nobody confirms does not stay for ever."""

from datetime import timedelta

import pytest

from tests.support.builders import by_tests, league
from tests.support.cast import NOW, Cast
from tournaments.models.imports import BatchState, ImportBatch, Upload
from tournaments.models.jobs import Dirty, import_scope
from tournaments.services.imports.uploads import remove_old_uploads, store_upload


@pytest.mark.django_db
@pytest.mark.both_databases
def test_files_that_nobody_confirmed_are_removed_after_ninety_days(cast: Cast) -> None:
    event = league(cast.riverside)
    states = (BatchState.PREVIEW, BatchState.MAPPING, BatchState.READING, BatchState.RUNNING)
    for state in (*states, BatchState.DONE):
        content = f"date,round,table\n2025-11-06,{state},1\n".encode()
        batch = store_upload(by_tests(), event, name="night.csv", content=content)
        ImportBatch.objects.filter(pk=batch.pk).update(state=state)
    remove_old_uploads(now=NOW + timedelta(days=90))
    assert Upload.objects.count() == 5
    remove_old_uploads(now=NOW + timedelta(days=91))
    remaining = list(Upload.objects.order_by("batch").values_list("batch__state", flat=True))
    assert remaining == [BatchState.RUNNING, BatchState.DONE]
    scopes = {import_scope(pk) for pk in ImportBatch.objects.values_list("pk", flat=True)}
    imports = Dirty.objects.filter(scope__startswith=import_scope(0)[:-1])
    assert set(imports.values_list("scope", flat=True)) == scopes
