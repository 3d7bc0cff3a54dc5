"""Large files: whose turn it is, how long a step is, and what is published between two steps."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
import time_machine
from django.utils import timezone

from tests.support.builders import hand, league, players, table
from tests.support.cast import Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import rows, written
from tournaments import tasks
from tournaments.documents.read import hands as hands_module
from tournaments.documents.read.csv import BREATH, SHAPE_ROWS, TextTable
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.imports import ImportBatch, ImportProblem, Upload
from tournaments.models.jobs import Dirty, Heartbeat, import_scope
from tournaments.models.standings import Publication
from tournaments.selectors.jobs.queue import SILENT_AFTER, list_claimable_scopes
from tournaments.services.imports import import_sheets, process_upload
from tournaments.services.imports.uploads import store_upload
from tournaments.services.jobs.queue import (
    claim_import,
    finish_job,
    mark_due,
    record_heartbeat,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

cast_once, cast = cast_with(*FOUR)


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside)


def stored(cast: Cast, event: Event, content: bytes, holds: str = "hands") -> ImportBatch:
    """Store a file as its sender does; a worker has not seen it yet."""
    op = cast.operation("dirk")
    return store_upload(op, event, name="f.csv", content=content, holds=holds)


def files_of(club: Club, event: Event, number: int) -> list[ImportBatch]:
    batches = []
    for index in range(number):
        batch = ImportBatch.objects.create(
            club=club, event=event, number=1 + index, file_name="f.csv", state="reading",
            started_at=timezone.now(), file_digest="",
        )  # fmt: skip
        mark_due(import_scope(batch.pk), now=timezone.now())
        batches.append(batch)
    return batches


def claimable() -> list[int]:
    return [row.number for row in list_claimable_scopes(timezone.now()) if row.prefix == "import:"]


def claim(batch: ImportBatch) -> bool:
    return claim_import(import_scope(batch.pk), now=timezone.now())


def test_second_file_of_a_club_waits_until_the_first_is_done(cast: Cast, event: Event) -> None:
    record_heartbeat(name="w", now=timezone.now(), processes=8)
    first, second = files_of(cast.riverside, event, 2)
    assert claimable() == [first.pk]
    assert claim(first)
    assert claimable() == []
    assert not claim(second)
    tasks.work_on_import(second.pk)
    assert Dirty.objects.get(scope=import_scope(second.pk)).done == 0
    finish_job(import_scope(first.pk), 1, now=timezone.now())
    assert claimable() == [second.pk]
    assert claim(second)


@pytest.mark.parametrize(("processes", "n_files"), [(1, 1), (2, 1), (3, 2), (4, 3)])
def test_files_leave_one_process_of_the_workers_to_publish(
    cast: Cast, event: Event, processes: int, n_files: int
) -> None:
    record_heartbeat(name="w", now=timezone.now(), processes=processes)
    others = [league(club) for club in _clubs(cast, 3)]
    batches = [files_of(each.club, each, 1)[0] for each in (event, *others)]
    assert claimable() == [batch.pk for batch in batches[:n_files]]
    assert [claim(batch) for batch in batches] == [at < n_files for at in range(4)]


def _clubs(cast: Cast, number: int) -> list[Club]:
    return [
        Club.objects.create(
            name=f"Club {at}", slug=f"club-{at}", time_zone="UTC", created_at=timezone.now()
        )
        for at in range(number)
    ]


def test_workers_that_are_silent_or_of_an_earlier_release_count_for_little(
    cast: Cast, event: Event
) -> None:
    now = timezone.now()
    record_heartbeat(name="gone", now=now - SILENT_AFTER - timedelta(seconds=1), processes=9)
    Heartbeat.objects.create(name="before", seen_at=now)
    Heartbeat.objects.create(name="before-2", seen_at=now)
    other = league(_clubs(cast, 1)[0])
    files_of(cast.riverside, event, 1)
    files_of(other.club, other, 1)
    assert len(claimable()) == 1
    Heartbeat.objects.create(name="before-3", seen_at=now)
    assert len(claimable()) == 2


def test_place_of_a_killed_worker_is_free_again(
    cast: Cast, event: Event, clock: time_machine.Traveller
) -> None:
    first, second = files_of(cast.riverside, event, 2)
    assert claim(first)
    clock.shift(timedelta(seconds=4))
    assert claimable() == [first.pk]
    assert claim(second)


def test_files_of_one_club_hide_no_other_work(cast: Cast, event: Event) -> None:
    files_of(cast.riverside, event, 201)
    mark_due("playoffs:7", now=timezone.now())
    kinds = [row.prefix for row in list_claimable_scopes(timezone.now())]
    assert kinds.index("playoffs:") < kinds.index("import:")


def test_other_clubs_are_published_between_two_pieces_of_a_file(cast: Cast, event: Event) -> None:
    other = league(_clubs(cast, 1)[0])
    game = table(other, players(other.club, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))
    tasks.publish_event(other.pk)
    (batch,) = files_of(cast.riverside, event, 1)
    published: list[int] = []

    def pieces() -> Iterator[None]:
        for number in (1, 2, 3):
            hand(game, number, [4, 1, 2, 6], queen=3)
            yield
            published.append(Publication.objects.filter(event=other).count())

    tasks.run_job(import_scope(batch.pk), lambda job: job.work_off(pieces()), limit_s=None)
    assert published == [2, 3, 4]


def test_longer_work_of_others_is_done_between_two_pieces_of_a_file(
    cast: Cast, event: Event
) -> None:
    (batch,) = files_of(cast.riverside, event, 1)
    done: list[int] = []
    scope = f"recount:{event.pk}"

    def pieces() -> Iterator[None]:
        mark_due(scope, now=timezone.now())
        yield
        done.append(Dirty.objects.get(scope=scope).done)
        claimed_until = Dirty.objects.get(scope=import_scope(batch.pk)).claimed_until
        assert claimed_until is not None

    tasks.run_job(import_scope(batch.pk), lambda job: job.work_off(pieces()), limit_s=None)
    assert done == [1]


N_ROWS = 4 * SHAPE_ROWS
SHAPES = {
    "names": f"Hand,{','.join(FOUR)}\n" + "1,13,5,8,0\n" * N_ROWS,
    "astray": "round,table,hand,seat,player,points\n" + "x,1,1,N,Alma D.,0\n" * N_ROWS,
    "blank": "round,table,hand,seat,player,points\n1,1,1,N,Alma D.,0\n" + "\n" * N_ROWS,
    "long sheet": "round,table,hand,seat,player,points\n" + "1,1,1,N,Alma D.,0\n" * N_ROWS,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_step_of_a_file_reads_few_rows(
    cast: Cast, event: Event, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = stored(cast, event, SHAPES[shape].encode(), holds="auto")
    rows_of, n_read = TextTable.rows, [0]

    def counted(table: TextTable) -> Iterator[tuple[int, list[str]]]:
        for row in rows_of(table):
            n_read[0] += 1
            yield row

    monkeypatch.setattr(TextTable, "rows", counted)
    monkeypatch.setattr(process_upload, "PIECE_S", 0.0)
    marks = [0]
    steps = process_upload.upload_steps(batch.pk, now=timezone.now())
    marks.extend(n_read[0] for _ in steps)
    marks.append(n_read[0])
    assert n_read[0] >= 2 * SHAPE_ROWS
    most = max(after - before for before, after in pairwise(marks))
    assert most <= SHAPE_ROWS + 2 * BREATH


BAD = "round,table,hand,seat,player,points\n" + "".join(
    f"{n},1.5,1,N,Alma D.,0\n" for n in (1, 2, 3)
)


@pytest.mark.parametrize(("most", "n_stored", "more"), [(3, 3, []), (2, 2, ["1"])])
def test_problems_beyond_the_most_are_counted_and_not_stored(
    cast: Cast, event: Event, monkeypatch: pytest.MonkeyPatch, most: int, n_stored: int,
    more: list[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(import_sheets, "MOST_FINDINGS", most)
    batch = stored(cast, event, BAD.encode())
    tasks.work_on_import(batch.pk)
    problems = ImportProblem.objects.filter(batch=batch)
    assert problems.filter(code="bad_number").count() == n_stored
    assert list(problems.filter(code="more_problems").values_list("found", flat=True)) == more


@pytest.mark.parametrize(("longest", "accepted"), [(4, 1), (3, 0)])
def test_table_with_too_many_rows_in_a_round_is_refused(
    cast: Cast, event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, longest: int,
    accepted: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(hands_module, "LONGEST_SHEET", longest)
    batch = stored(cast, event, written(tmp_path, rows(1)).read_bytes())
    tasks.work_on_import(batch.pk)
    batch.refresh_from_db()
    assert batch.accepted == accepted
    codes = set(ImportProblem.objects.filter(batch=batch).values_list("code", flat=True))
    assert ("sheet_too_long" in codes) == (not accepted)


@pytest.mark.parametrize("most", [2, 1])
def test_file_with_too_many_rows_of_totals_is_refused(
    cast: Cast, event: Event, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("tournaments.documents.read.totals.MOST_ROWS", most)
    heads = ",".join(f"player {n},score {n}" for n in (1, 2, 3, 4))
    game = ",".join(f"{name},{points}" for name, points in zip(FOUR, (10, 5, 7, 4), strict=True))
    content = f"round,table,{heads}\n1,1,{game}\n2,1,{game}\n"
    batch = stored(cast, event, content.encode(), holds="totals")
    tasks.work_on_import(batch.pk)
    error = Upload.objects.get(batch=batch).error
    assert ("at most 1 rows" in error) == (most == 1)
