"""Photos of a paper sheet: kept for those who enter at its table, and for nobody else."""

from collections.abc import Iterator
from io import BytesIO

import pytest
from django.db import connection
from django.test import Client
from PIL import Image

from tests.support.answers import Answer
from tests.support.pages.hand_entry import values
from tests.support.pages.photos import PHOTOS, TABLE, picture, send, stored, upload
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings
from tournaments.domain.sheets import images
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.rounds import Round, SheetPhoto

pytestmark = pytest.mark.both_databases


def noise() -> bytes:
    into = BytesIO()
    Image.effect_noise((900, 900), 90).save(into, "JPEG")
    return into.getvalue()


def test_photo_is_kept_and_shown_to_who_enters_there(evenings: Evenings) -> None:
    page = send(evenings.client("hanna"), picture())
    assert page.redirect_chain == [(PHOTOS, 302)]
    assert "1 photo saved." in text_of(page)
    assert f'src="{PHOTOS}/1" width="60" height="80"' in page.content.decode()
    for name in ("hanna", "dirk", "olga"):
        answer = evenings.client(name).get(f"{PHOTOS}/1")
        assert (answer.status_code, answer["Content-Type"]) == (200, "image/jpeg")
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert "private" in answer["Cache-Control"]
        assert Image.open(BytesIO(answer.content)).size == (60, 80)
    photo = SheetPhoto.objects.get()
    assert (photo.number, photo.added_as, photo.size) == (1, "hanna", len(answer.content))
    assert AuditLine.objects.get(act="add_photo").subject == "event:league/table:r1t2/photo:1"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"date,round,table\r\n", "This file is not a readable picture."),
        (bytes(images.LARGEST + 8_000_000), "This photo is larger than 15 MB."),
    ],
    ids=["csv", "larger-than-any-other-file"],
)
def test_what_is_no_photo_is_refused_in_words(
    evenings: Evenings, content: bytes, says: str
) -> None:
    page = send(evenings.client("hanna"), picture(), content)
    assert says in text_of(page, 422)
    assert "No file was submitted" not in text_of(page)
    assert "1 photo saved." in text_of(page)
    assert [number for number, _size in stored()] == [1]


def test_larger_than_any_form_is_a_413(evenings: Evenings) -> None:
    answer = evenings.client("hanna").generic(
        "POST",
        PHOTOS,
        b"--x\r\n",
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH=str(65 * 1024 * 1024),
    )
    assert "Nothing was changed." in text_of(answer, 413)


def test_nothing_chosen_is_said(evenings: Evenings) -> None:
    page = evenings.client("hanna").post(PHOTOS, {})
    assert (page.status_code, "Choose a photo first." in text_of(page)) == (422, True)


def test_table_takes_ten_photos(evenings: Evenings) -> None:
    hanna = evenings.client("hanna")
    send(hanna, *(picture(shade) for shade in range(9)))
    page = send(hanna, picture(20), picture(21))
    assert "This table already has 10 photos." in text_of(page, 422)
    assert len(stored()) == 10


def test_director_deletes_a_photo_with_a_reason_and_its_number_is_gone(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    send(dirk, picture(1), picture(2))
    assert "Delete photo 2" in text_of(dirk.get(PHOTOS))
    assert "Delete photo" not in text_of(evenings.client("hanna").get(PHOTOS))
    silent = dirk.post(f"{PHOTOS}/2/remove", {"reason": " "})
    assert "Enter a reason in one sentence." in text_of(silent, 422)
    assert len(stored()) == 2
    page = dirk.post(f"{PHOTOS}/2/remove", {"reason": "A face is on it."}, follow=True)
    assert "Photo 2 deleted." in text_of(page)
    assert "Photo 2 was deleted by dirk" in text_of(page)
    assert "“A face is on it.”" in text_of(page)
    assert dirk.get(f"{PHOTOS}/2").status_code == 404
    line = AuditLine.objects.get(act="remove_photo")
    assert (line.facts, line.subject) == (
        {"reason": "A face is on it."},
        "event:league/table:r1t2/photo:2",
    )
    assert dirk.post(f"{PHOTOS}/2/remove", {"reason": "Again."}).status_code == 404
    send(dirk, picture(2))
    assert [number for number, _size in stored()] == [1, 3]


@pytest.fixture
def full_disk(evenings: Evenings) -> Iterator[None]:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite can be told to be full")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # pages that earlier tests gave back would be room
        cursor.execute("PRAGMA max_page_count = 1")  # it is never less than what there is
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA max_page_count = 4294967294")


@pytest.mark.django_db(transaction=True)  # SQLite ends a transaction that finds no room
@pytest.mark.usefixtures("full_disk")
def test_full_disk_is_a_507_and_leaves_nothing_half_stored(evenings: Evenings) -> None:
    page = send(evenings.client("hanna"), noise())
    assert "The disk of the server is full. Nothing was saved." in text_of(page, 507)
    assert SheetPhoto.objects.count() == 0
    assert not AuditLine.objects.filter(act="add_photo").exists()


NEW = f"{TABLE}/hands/new"
TYPED = {"hearts-1": "4", "hearts-2": "1", "hearts-3": "2", "hearts-4": "6", "card-QS": "4"}


def save(client: Client, go: str, *contents: bytes, **more: str) -> Answer:
    fields = {**TYPED, "way": "counts", "number": "2", "key": "one-key", "go": go, **more}
    files = {"photo": [upload(content) for content in contents]} if contents else {}
    return client.post(NEW, {**fields, **files}, follow=True)


def n_hands() -> int:
    return Hand.objects.filter(game__table__code="r1t2", game__event__slug="league").count()


def test_photo_is_kept_first_and_the_numbers_stay(evenings: Evenings) -> None:
    page = save(evenings.client("hanna"), "photo", picture())
    assert "1 photo saved." in text_of(page, 200)
    assert f'src="{PHOTOS}/1"' in page.content.decode()
    assert values(page) == ["4", "1", "2", "6"]
    assert (len(stored()), n_hands()) == (1, 1)


def test_photo_and_hand_are_saved_together(evenings: Evenings) -> None:
    page = save(evenings.client("hanna"), "save", picture())
    assert page.redirect_chain == [(NEW, 302)]
    assert "1 photo saved." in text_of(page)
    assert "Hand 2 saved." in text_of(page)
    assert (len(stored()), n_hands()) == (1, 2)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xff\xd8\xff no picture", "This file is not a readable picture."),
        (bytes(images.LARGEST + 8_000_000), "This photo is larger than 15 MB."),
    ],
    ids=["broken", "large"],
)
def test_refused_photo_keeps_numbers_only(evenings: Evenings, content: bytes, says: str) -> None:
    hanna = evenings.client("hanna")
    page = save(hanna, "save", content)
    assert says in text_of(page, 422)
    assert values(page) == ["4", "1", "2", "6"]
    assert 'id="card-QS-4-0" name="card-QS" value="4" checked' in page.content.decode()
    assert (stored(), n_hands()) == ([], 1)
    assert "Hand 2 saved." in text_of(save(hanna, "save"))


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("full_disk")
def test_full_disk_keeps_the_numbers_in_the_form(evenings: Evenings) -> None:
    page = save(evenings.client("hanna"), "save", noise())
    assert "The disk of the server is full." in text_of(page, 507)
    assert values(page) == ["4", "1", "2", "6"]
    assert n_hands() == 1


def test_refused_hand_does_not_lose_its_photo(evenings: Evenings) -> None:
    page = save(evenings.client("hanna"), "save", picture(), **{"hearts-4": "5"})
    assert "One heart is missing." in text_of(page, 422)
    assert "1 photo saved." in text_of(page)
    assert (len(stored()), n_hands()) == (1, 1)


def test_name_without_a_file_is_said_and_the_hand_is_saved(evenings: Evenings) -> None:
    """What a browser without a script sends when Save is pressed with a file chosen."""
    page = save(evenings.client("hanna"), "save", photo="IMG_0001.jpg")
    assert "The photo was not sent." in text_of(page)
    assert "Hand 2 saved." in text_of(page)
    assert (stored(), n_hands()) == ([], 2)


@pytest.mark.parametrize("name", ["hanna", "dirk"])
@pytest.mark.parametrize(
    ("event", "round_"),
    [
        ("open", "playing"),
        ("open", "closed"),
        ("closed", "playing"),
        ("final", "closed"),
        ("final", "playing"),
        ("draft", "playing"),
    ],
)
def test_photo_is_offered_if_taken(evenings: Evenings, name: str, event: str, round_: str) -> None:
    Event.objects.update(state=event)
    Round.objects.update(state=round_)
    client = evenings.client(name)
    is_offered = 'type="file"' in client.get(PHOTOS).content.decode()
    is_linked = f'href="{PHOTOS}"' in client.get(TABLE).content.decode()
    is_taken = send(client, picture()).status_code == 200
    assert is_offered == is_linked == is_taken
