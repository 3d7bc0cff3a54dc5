"""Through a link: photos, totals and the sheet check of its table, and no other table’s."""

from typing import Any

from django.test import Client
from django.utils import timezone

from tests.support.cast import Cast
from tests.support.pages.hand_entry import hidden
from tests.support.pages.photos import picture, send, stored
from tests.support.pages.text import text_of
from tests.support.scenarios.table_links import Linked
from tournaments.models.access import TableLink
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Entry, Game, ReadBack
from tournaments.models.meetings import SheetPhoto


def other(night: Linked) -> str:
    """The address of the table beside it."""
    return f"{night.event}/tables/{night.other.table.code}"


def test_photo_through_a_link_is_seen_at_its_table_only(cast: Cast, night: Linked) -> None:
    phone = night.holder(name="Hanne")
    photos = f"{night.table}/photos"
    assert f'href="{photos}"' in phone.get(night.table).content.decode()
    assert "1 photo saved." in text_of(send(phone, picture(), address=photos))
    assert phone.get(f"{photos}/1")["Content-Type"] == "image/jpeg"
    photo = SheetPhoto.objects.get()
    assert (photo.added_as, photo.added_by) == ("Hanne", None)
    assert AuditLine.objects.get(act="add_photo").actor == f"link:{night.link.pk}"
    assert "Delete photo" not in text_of(phone.get(photos))
    assert phone.post(f"{photos}/1/remove", {"reason": "x"}).status_code in (302, 403)
    send(cast.client("dirk"), picture(9), address=f"{other(night)}/photos")
    for path in ("photos", "photos/1"):
        answer = phone.get(f"{other(night)}/{path}")
        assert answer.status_code in (403, 404), path
        assert answer.headers.get("Content-Type") != "image/jpeg"
    assert send(phone, picture(7), address=f"{other(night)}/photos").status_code in (403, 404)
    assert len(stored()) == 2


def test_revoked_link_shows_no_photo(night: Linked) -> None:
    phone = night.holder()
    send(phone, picture(), address=f"{night.table}/photos")
    TableLink.objects.update(revoked_at=timezone.now())
    for path in ("photos", "photos/1", "totals", "read-back"):
        assert phone.get(f"{night.table}/{path}").status_code in (403, 404), path


def test_sheet_is_checked_and_completed_through_the_link(cast: Cast, night: Linked) -> None:
    phone = night.holder(name="Hanne")
    page = phone.get(f"{night.table}/read-back")
    done: Any = phone.post(
        f"{night.table}/read-back", {"sheet": hidden(page)["sheet"][0]}, follow=True
    )
    assert "Checked against the sheet by Hanne," in text_of(done)
    assert Game.objects.get(pk=night.game.pk).state == "complete"
    assert (ReadBack.objects.get().by_as, ReadBack.objects.get().by) == ("Hanne", None)
    assert AuditLine.objects.get(act="read_back").actor == f"link:{night.link.pk}"
    assert "Checked against the sheet by Hanne," in text_of(cast.client("dirk").get(night.table))
    assert phone.post(f"{other(night)}/read-back", {"sheet": "x"}).status_code in (403, 404)
    assert ReadBack.objects.count() == 1


def test_totals_go_in_through_the_link_of_their_table(cast: Cast, night: Linked) -> None:
    dirk: Client = cast.client("dirk")
    dirk.post(f"{night.table}/hands/1/void", {"based_on": "1", "reason": "The sheet was lost."})
    phone = night.holder()
    fields = {f"points-{seat}": str(total) for seat, total in enumerate((60, 84, 6, 58), 1)}
    page = phone.get(f"{night.table}/totals")
    phone.post(f"{night.table}/totals", {**fields, "key": hidden(page)["key"][0], "hands": "8"})
    entry = Entry.objects.get(hand__game=night.game, hand__number=0)
    assert (entry.typed, entry.source) == ({"points": [60, 84, 6, 58]}, "link")
    assert phone.post(f"{other(night)}/totals", {**fields, "key": "k"}).status_code in (403, 404)
    assert not Entry.objects.filter(hand__game=night.other, hand__number=0).exists()
