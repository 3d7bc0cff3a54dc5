"""A file on its way through a page: chosen, looked through, confirmed or thrown away."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.builders import hand, league, players, table
from tests.support.cast import Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import imported, imports_behind, rows, said, written
from tests.support.imports.uploads import IMPORTS, import_on_page, send_file
from tournaments import tasks
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, ImportProblem, Upload
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.standings import Publication
from tournaments.services.imports import process_upload as job

cast_once, cast = cast_with(*FOUR)


def text(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def large(folder: Path, tables: int = 130) -> Path:
    """A file that is too long to be worked off while its sender waits."""
    hands = [
        rows(number, (number, 7 - number, 0, 6), round_=night)
        for night in range(1, tables + 1)
        for number in (1, 2, 3)
    ]
    return written(folder, *hands, name="season.csv")


def test_preview_says_what_a_dry_run_of_the_command_says(hanna: Client, tmp_path: Path) -> None:
    path = written(tmp_path, rows(1), rows(2, (3, 1, 2, 6)), rows(3, (4, "O", 2, 6)))
    dry = imported(path, dry_run=True)
    page = text(hanna, send_file(hanna, path))
    for problem in dry.problems:
        assert problem.message in page.replace("&quot;", '"')
    problems = ImportProblem.objects.order_by("position")
    assert [(one.code, one.severity, one.lines) for one in problems] == said(dry)
    assert "Import 1 hand<" in re.sub(r"\s+<", "<", page)
    assert "Not imported yet" in page


def test_form_without_a_file_says_so(hanna: Client) -> None:
    response = hanna.post(f"{IMPORTS}/new", {"day": "13.13.2025"})
    assert response.status_code == 422
    assert "13.13.2025" in response.content.decode()


def test_file_beyond_the_largest_is_refused_before_it_is_kept(hanna: Client) -> None:
    response = hanna.post(f"{IMPORTS}/new", {"file": BytesIO(b"x" * (22 * 1024 * 1024))})
    assert response.status_code == 413
    assert "The request is too large. Send it in parts." in response.content.decode()
    assert not Upload.objects.exists()


def test_variant_and_date_stand_for_columns_not_there(hanna: Client, tmp_path: Path) -> None:
    heads = "round,table,hand,seat,player,hearts,QS,JD"
    names = ("Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    taken = zip("NESW", names, (4, 1, 2, 6), (0, 0, 0, 1), strict=True)
    body = [f"1,1,1,{seat},{name},{hearts},{queen},{queen}" for seat, name, hearts, queen in taken]
    path = written(tmp_path, body, heads=heads)
    import_on_page(hanna, path, variant="Omnibus Hearts", day="2025-11-13")
    game = Hand.objects.get().game
    assert str(game.table.round.meeting.date) == "2025-11-13"  # type: ignore[union-attr]
    assert game.snapshot.variant == "omnibus-hearts"


def test_file_of_same_content_asks_in_the_newest_import_only(hanna: Client, tmp_path: Path) -> None:
    path = written(tmp_path, rows(1), rows(2, (3, 1, 2, 6)))
    for _ in range(2):
        import_on_page(hanna, path)
    states = ImportProblem.objects.order_by("batch__number").values_list("state", flat=True)
    assert list(states) == ["settled", "open"]
    assert Hand.objects.count() == 1


class TestLarge:
    """A file that a worker works off."""

    def test_page_shows_how_far_the_worker_has_come(self, hanna: Client, tmp_path: Path) -> None:
        address = send_file(hanna, large(tmp_path))
        page = text(hanna, address)
        assert "The file is being checked." in page
        assert 'hx-trigger="every 1s"' in page
        polled = hanna.get(address, headers={"HX-Request": "true"})
        assert "<html" not in polled.content.decode()
        assert 'id="progress"' in polled.content.decode()
        assert list(imports_behind(timezone.now())) == [ImportBatch.objects.get().pk]
        tasks.work_on_import(ImportBatch.objects.get().pk)
        assert hanna.get(address, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
        assert "Import 390 hands" in text(hanna, address)
        hanna.post(f"{address}/confirm")
        assert "The hands are being imported." in text(hanna, address)
        tasks.work_on_import(ImportBatch.objects.get().pk)
        assert Hand.objects.count() == 390
        assert imports_behind(timezone.now()) == ()

    def test_standings_are_published_between_two_pieces(
        self, cast: Cast, hanna: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(job, "PIECE_S", 0.0)
        send_file(hanna, large(tmp_path, 120))
        other = league(cast.riverside, slug="other")
        seated = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
        hand(table(other, seated), 1, [4, 1, 2, 6], queen=3)
        batch = ImportBatch.objects.get()
        assert Publication.objects.count() == 0
        tasks.work_on_import(batch.pk)
        assert Publication.objects.get(event=other).number == 1
        row = Dirty.objects.get(scope=event_scope(other.pk))
        assert row.done == row.version

    def test_import_that_was_left_in_the_middle_is_completed(
        self, hanna: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        address = send_file(hanna, large(tmp_path))
        batch = ImportBatch.objects.get()
        tasks.work_on_import(batch.pk)
        hanna.post(f"{address}/confirm")
        monkeypatch.setattr(job, "PIECE_S", 0.0)
        steps = job.upload_steps(batch.pk, now=timezone.now())
        while not Hand.objects.exists():
            next(steps)
        assert Hand.objects.count() < 390
        steps.close()  # type: ignore[attr-defined]  # a killed process goes on no more
        tasks.work_on_import(batch.pk)
        batch.refresh_from_db()
        assert (Hand.objects.count(), batch.added, batch.accepted) == (390, 390, 390)
        assert ImportBatch.objects.count() == 1


def test_unconfirmed_file_is_discarded_there(cast: Cast, hanna: Client, tmp_path: Path) -> None:
    address, dirk = send_file(hanna, written(tmp_path, rows(1))), cast.client("dirk")
    manage = IMPORTS.removesuffix("/imports") + "/direct"
    page = dirk.get(manage).content.decode()
    assert "night.csv waits to be confirmed" in page
    assert f'action="{address}/discard"' in page
    dirk.post(f"{address}/discard", {"discard": "yes"})
    assert "waits to be confirmed" not in dirk.get(manage).content.decode()
    assert not ImportBatch.objects.exists()
