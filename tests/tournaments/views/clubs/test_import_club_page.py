"""The pages of an import: upload an archive, read what is in it, import it, or be told why not."""

import io
import zipfile
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from tests.support.answers import Answer
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import beside, text_of
from tournaments.documents.club_archive import archive_chunks, publication_digests
from tournaments.models.clubs import Club, Membership
from tournaments.models.imports import ClubImport, ClubImportPiece
from tournaments.models.jobs import Dirty
from tournaments.services.archives import club_imports
from tournaments.services.clubs.clubs import create_club
from tournaments.services.publishing.publications import publish
from tournaments.tasks import work_on_club_import

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PAGE = "/import-club"


@pytest.fixture
def archive(cast: Cast) -> bytes:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, "Ann", "Ben", "Cem", "Dora"))
    hand(game, 1, [5, 4, 3, 1], 0)
    hand(game, 2, [1, 3, 4, 5], 3)
    publish(event.pk, now=NOW)
    return b"".join(archive_chunks(cast.riverside, now=NOW))


def upload(client: Client, content: bytes, name: str = "riverside.zip") -> Answer:
    return client.post(PAGE, {"archive": SimpleUploadedFile(name, content)})


def work() -> None:
    for record in ClubImport.objects.all():
        work_on_club_import(record.pk)


def checked(client: Client, content: bytes) -> str:
    assert upload(client, content)["Location"] == f"{PAGE}/1"
    work()
    return text_of(client.get(f"{PAGE}/1"))


def changed(content: bytes, name: str) -> bytes:
    """The archive with another byte at the end of one of its files."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for one in old.namelist():
            new.writestr(one, old.read(one) + (b" " if one == name else b""))
    return out.getvalue()


def test_archive_is_checked_shown_and_imported_by_uploader(piet: Client, archive: bytes) -> None:
    upload(piet, archive)
    assert "The archive is being checked. Nothing is stored." in text_of(piet.get(f"{PAGE}/1"))
    assert f'href="{PAGE}/1">Refresh</a>' in piet.get(f"{PAGE}/1").content.decode()
    part = piet.get(f"{PAGE}/1", headers={"HX-Request": "true"})
    assert 'hx-trigger="every 1s"' in part.content.decode()
    assert "HX-Refresh" not in part
    clubs = Club.objects.count()
    work()
    assert piet.get(f"{PAGE}/1", headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    text = text_of(piet.get(f"{PAGE}/1"))
    assert "Club Riverside (riverside)" in text
    assert "Format 1, written by release" in text
    assert "Events 1 Players" in text
    assert "Hands 2 Publications 1" in text
    assert "all correct" in text
    assert "riverside is the address of another club here." in text
    assert Club.objects.count() == clubs

    assert piet.post(f"{PAGE}/1", {"import": "yes", "slug": "lakeside"})["Location"] == f"{PAGE}/1"
    running = text_of(piet.get(f"{PAGE}/1"))
    assert "The club is being imported." in running
    assert " rows." not in running
    work()
    assert "Riverside is imported. You are the owner." in text_of(piet.get(f"{PAGE}/1"))
    club = Club.objects.get(slug="lakeside")
    owner = Membership.objects.get(club=club)
    assert (owner.role, owner.user) == ("owner", User.objects.get(username="piet"))
    assert len(publication_digests(club)["event:league"]) == 1
    assert not ClubImportPiece.objects.exists()
    # A worker that died after the club was there imports no second one.
    Dirty.objects.filter(scope__startswith="club-import:").update(done=0)
    work()
    assert (Club.objects.count(), ClubImport.objects.get().state) == (clubs + 1, "done")


def test_bad_or_taken_address_is_chosen_again(cast: Cast, archive: bytes, piet: Client) -> None:
    checked(piet, archive)
    taken = piet.post(f"{PAGE}/1", {"import": "yes", "slug": "hilltop"})
    assert "hilltop is the address of another club here." in beside(taken, "slug", 422)
    bad = piet.post(f"{PAGE}/1", {"import": "yes", "slug": "Lake Side"})
    assert "Lake Side cannot be used." in beside(bad, "slug")
    assert ClubImport.objects.get().state == "preview"
    piet.post(f"{PAGE}/1", {"import": "yes", "slug": "lakeside"})
    create_club(cast.operation("olga"), name="Lakeside")
    work()
    assert "lakeside is the address of another club here." in text_of(piet.get(f"{PAGE}/1"))
    piet.post(f"{PAGE}/1", {"import": "yes", "slug": "seaside"})
    work()
    assert Club.objects.filter(slug="seaside").exists()


def test_file_that_is_no_archive_is_refused_beside_the_file(piet: Client, archive: bytes) -> None:
    assert beside(piet.get(PAGE), "archive") == ""
    assert beside(piet.post(PAGE, {}), "archive") == "Choose the archive of a club first."
    for content in (b"", b"round,table\n", archive[: len(archive) // 2]):
        refused = upload(piet, content)
        assert "This file is not an archive of a club." in beside(refused, "archive", 422)
    assert not ClubImport.objects.exists()


def test_archive_may_be_larger_than_others_and_no_larger_than_its_page_says(cast: Cast) -> None:
    piet, mb = cast.client("piet"), 1024 * 1024
    read = upload(piet, bytes(22 * mb))
    assert "This file is not an archive of a club." in beside(read, "archive")
    refused = upload(piet, bytes(61 * mb))
    assert "The file has 61 MB. The maximum is 60 MB." in beside(refused, "archive")
    other = piet.post(PAGE, {"sheet": SimpleUploadedFile("riverside.zip", bytes(22 * mb))})
    assert other.status_code == 413


def test_wrong_checksum_is_refused_and_the_file_is_deleted(cast: Cast, archive: bytes) -> None:
    says = checked(cast.client("piet"), changed(archive, "players.csv"))
    assert "The archive is damaged: players.csv is not as it was written." in says
    assert not ClubImportPiece.objects.exists()
    assert not Dirty.objects.filter(scope__startswith="club-import:", parked=True).exists()


def test_uploads_of_others_are_not_there(cast: Cast, archive: bytes) -> None:
    checked(cast.client("piet"), archive)
    for name in ("olga", "dirk", "nora"):
        assert cast.client(name).get(f"{PAGE}/1").status_code == 404
        assert cast.client(name).post(f"{PAGE}/1", {"discard": "yes"}).status_code == 404
    assert cast.client().get(PAGE)["Location"] == f"/accounts/login/?next={PAGE}"
    assert ClubImport.objects.count() == 1


def test_site_that_reserves_clubs_takes_no_archive_and_stores_none_that_waits(
    piet: Client, archive: bytes, settings: Settings
) -> None:
    checked(piet, archive)
    piet.post(f"{PAGE}/1", {"import": "yes", "slug": "lakeside"})
    settings.RESERVE_CLUBS = True
    assert piet.get(PAGE).status_code == 403
    assert upload(piet, archive).status_code == 403
    assert piet.post(f"{PAGE}/1", {"import": "yes", "slug": "lakeside"}).status_code == 403
    work()
    assert ClubImport.objects.get().state == "refused"
    assert not Club.objects.filter(slug="lakeside").exists()


def test_second_upload_takes_the_place_of_one_that_waits(piet: Client, archive: bytes) -> None:
    checked(piet, archive)
    assert upload(piet, archive)["Location"] == f"{PAGE}/2"
    assert [one.number for one in ClubImport.objects.all()] == [2]
    work()
    piet.post(f"{PAGE}/2", {"import": "yes", "slug": "lakeside"})
    assert "Import 2 of your account is running." in beside(upload(piet, archive), "archive")


def test_discarded_upload_is_deleted_with_its_file(piet: Client, archive: bytes) -> None:
    checked(piet, archive)
    gone = piet.post(f"{PAGE}/1", {"discard": "yes"}, follow=True)
    assert "riverside.zip was discarded." in text_of(gone)
    assert not ClubImport.objects.exists()
    assert not Dirty.objects.filter(scope__startswith="club-import:").exists()


def test_upload_that_nobody_goes_on_with_is_deleted_after_a_day(cast: Cast, archive: bytes) -> None:
    checked(cast.client("piet"), archive)
    made = ClubImport.objects.get().created_at
    club_imports.remove_old_club_imports(now=made + timedelta(hours=23))
    assert ClubImport.objects.count() == 1
    club_imports.remove_old_club_imports(now=made + timedelta(hours=25))
    assert not ClubImport.objects.exists()
    assert not ClubImportPiece.objects.exists()


def test_import_that_failed_three_times_can_be_tried_again(piet: Client, archive: bytes) -> None:
    upload(piet, archive)
    Dirty.objects.filter(scope__startswith="club-import:").update(parked=True, error="OSError: no")
    assert "Processing this file failed three times." in text_of(piet.get(f"{PAGE}/1"))
    piet.post(f"{PAGE}/1", {"again": "yes"})
    work()
    assert ClubImport.objects.get().state == "preview"
