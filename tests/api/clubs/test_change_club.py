"""Clubs over REST: created, settings, logo, export, and deletion in two weeks."""

import io
import json
import zipfile
from datetime import timedelta

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image
from pytest_django import Settings

from tests.api.conftest import Evening
from tests.support.answers import Answer, post_json
from tests.support.cast import NOW, Cast
from tests.support.rest.requests import errors, token
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership
from tournaments.models.events import Event
from tournaments.services.clubs.deletion import mark_due_removals
from tournaments.tasks import remove_club

C = "/api/v1/clubs/riverside"
JSON = "application/json"
CLUBS = "/api/v1/clubs"


def patch(evening: Evening, body: object, tag: str = "*", who: str = "olga", at: str = C) -> Answer:
    headers = {"If-Match": tag} if tag else {}
    return evening.cast.client(who).patch(at, body, content_type=JSON, headers=headers)


def post(evening: Evening, path: str, body: object, who: str = "olga") -> Answer:
    return evening.cast.client(who).post(f"{C}{path}", body, content_type=JSON)


def test_settings_are_read_and_patched(evening: Evening) -> None:
    read = evening.cast.client().get(C)
    wanted = {"name": "River", "slug": "river", "colour": "7A1F3D", "event_creators": "owners"}
    answer = patch(evening, wanted, read["ETag"])
    assert answer.status_code == 200
    assert answer.json() == {**read.json(), **wanted, "colour": "#7a1f3d"}
    assert answer["ETag"] == evening.cast.client().get("/api/v1/clubs/river")["ETag"]
    moved = patch(evening, {"name": "Riverside"})
    assert (moved.status_code, moved.headers["Location"]) == (308, "/api/v1/clubs/river")


def test_texts_of_the_club_page_are_read_and_patched(evening: Evening) -> None:
    wanted = {
        "about": " We play  Hearts.\r\n\r\n\r\nFor fun. ", "when_where": "Thursdays, 19:30",
        "how_to_join": ["Come.", " ", "Play  a hand."], "fee": "3 €", "contact": "hi@river.example",
        "welcomes_visitors": True, "front_event": "league",
    }  # fmt: skip
    answer = patch(evening, wanted)
    kept = {
        **wanted, "about": "We play Hearts.\n\nFor fun.", "how_to_join": ["Come.", "Play a hand."],
    }  # fmt: skip
    assert (answer.status_code, {key: answer.json()[key] for key in kept}) == (200, kept)
    read = evening.cast.client().get(C)
    assert (read.json(), read["ETag"]) == (answer.json(), answer["ETag"])
    assert patch(evening, {"fee": "4 €"}, read["ETag"]).json()["about"] == kept["about"]
    trail = "".join(str(line.facts) for line in AuditLine.objects.filter(act="change_club"))
    assert "when_where" in trail
    assert "Thursdays" not in trail  # no words: somebody's name may be among them
    assert patch(evening, {"front_event": None}).json()["front_event"] is None


def test_texts_that_are_too_long_and_events_of_others_are_refused(evening: Evening) -> None:
    wrong = {
        "about": "x" * 2001, "when_where": "x" * 161, "how_to_join": ["a"] * 5 + ["x" * 201],
        "fee": "x" * 121, "contact": "x" * 201, "front_event": "elsewhere",
    }  # fmt: skip
    too_long = ("/about", "/when_where", "/fee", "/contact")
    assert errors(patch(evening, wrong)) == [
        *(("text_too_long", pointer) for pointer in too_long),
        ("too_many_steps", "/how_to_join"), ("text_too_long", "/how_to_join/5"),
        ("unknown_event", "/front_event"),
    ]  # fmt: skip
    assert patch(evening, {"about": "a\x00b"}).json()["errors"][0]["code"] == "nul_character"


def test_event_that_the_reader_may_not_read_is_not_named_as_the_first(evening: Evening) -> None:
    patch(evening, {"front_event": "league"})
    before = evening.cast.client().get(C)
    for visibility, readers in (("members", {"piet", "olga"}), ("held", {"olga"})):
        Event.objects.filter(slug="league").update(visibility=visibility)
        for who in ("", "nora", "piet", "olga"):
            read = evening.cast.client(who).get(C)
            seen = "league" if who in readers else None
            assert read.json()["front_event"] == seen, (visibility, who)
            assert (read["ETag"] == before["ETag"]) == (seen is not None)


def test_everything_that_is_wrong_is_refused_at_once(evening: Evening) -> None:
    wanted = {
        "name": " ", "slug": "A b", "time_zone": "Mars", "language": "xx", "visibility": "all",
        "names_policy": "none", "event_creators": "hosts", "colour": "#ffffff",
    }  # fmt: skip
    refused = patch(evening, wanted)
    assert (refused.status_code, {pointer: code for code, pointer in errors(refused)}) == (422, {
        "/name": "no_name", "/slug": "bad_slug", "/time_zone": "bad_time_zone",
        "/language": "bad_language", "/visibility": "bad_setting",
        "/names_policy": "bad_setting", "/event_creators": "bad_setting",
        "/colour": "colour_too_light",
    })  # fmt: skip
    for days in (0, 15, "3", True):
        refused = patch(evening, {"reminder_days": days})
        assert errors(refused) == [("bad_setting", "/reminder_days")], days
    for kept in (None, 14):
        assert patch(evening, {"reminder_days": kept}).json()["reminder_days"] == kept
    assert errors(patch(evening, {"name": "x" * 121, "slug": "", "colour": "red"})) == [
        ("name_too_long", "/name"), ("no_slug", "/slug"), ("bad_colour", "/colour"),
    ]  # fmt: skip
    assert errors(patch(evening, {"slug": "hilltop"})) == [("slug_taken", "/slug")]
    assert Club.objects.get(pk=evening.cast.riverside.pk).name == "Riverside"


def test_logo_is_sent_and_removed(evening: Evening) -> None:
    file = io.BytesIO()
    Image.new("RGB", (40, 40)).save(file, "WEBP")
    olga = evening.cast.client("olga")
    response = olga.post(f"{C}/logo", {"logo": SimpleUploadedFile("logo.webp", file.getvalue())})
    assert response.status_code == 200
    assert olga.get(response.json()["logo"])["Content-Type"] == "image/png"
    assert response["ETag"] == olga.get(C)["ETag"]
    assert olga.delete(f"{C}/logo").json()["logo"] is None
    assert olga.delete(f"{C}/logo").status_code == 404


def test_export_has_the_data_of_the_club(evening: Evening) -> None:
    answer = evening.cast.client("olga").get(f"{C}/export")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    assert answer["Cache-Control"] == "private, no-store", "it has mail addresses"
    with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as archive:
        for_people = [
            name for name in archive.namelist() if not name.startswith(("rows/", "files/"))
        ]
        assert sorted(for_people) == [
            "README.txt", "SHA256SUMS", "archive.json", "audit.csv", "club.json",
            "events/league/event.json", "events/league/meetings.csv", "events/league/sheets.csv",
            "events/league/standings.csv", "events/league/standings.json", "players.csv",
        ]  # fmt: skip
        assert json.loads(archive.read("club.json"))["slug"] == "riverside"
        standings = evening.cast.client().get(f"{evening.at}/standings")
        assert archive.read("events/league/standings.json") == standings.content
        sheets = evening.cast.client("dirk").get(f"{evening.at}/sheets.csv")
        assert archive.read("events/league/sheets.csv") == sheets.content
        assert archive.read("players.csv").startswith(
            b"player_id,name,nickname,joined,is_active\r\nRL01,Elsa D.,,,True\r\n"
        )
        lines = archive.read("audit.csv").count(b"\n") - 1
    assert lines == AuditLine.objects.filter(club=evening.cast.riverside).count() - 1
    assert AuditLine.objects.order_by("number").last().act == "export_club"  # type: ignore[union-attr]


@pytest.mark.both_databases
def test_club_is_deleted_after_an_export_and_two_weeks(evening: Evening) -> None:
    readers = ("", "nora", "piet", "dirk", "olga")

    def readable(path: str) -> list[str]:
        return [
            reader for reader in readers if evening.cast.client(reader).get(path).status_code == 200
        ]

    def may_be_shared(path: str) -> bool:
        """Whether a cache that several people use may store what the owner reads."""
        return "private" not in evening.cast.client("olga").get(path)["Cache-Control"]

    with time_machine.travel(NOW, tick=False) as clock:
        cached = (f"{evening.at}/standings", f"{evening.at}/rounds/1/seating.txt")
        assert [path for path in cached if may_be_shared(path)] == list(cached)
        early = post(evening, "/delete", {"confirm": "riverside"})
        assert (early.status_code, errors(early)) == (409, [("export_needed", "")])
        assert evening.cast.client("olga").get(f"{C}/export").getvalue()
        wrong = post(evening, "/delete", {"confirm": "Riverside"})
        assert errors(wrong) == [("address_not_confirmed", "/confirm")]
        done = post(evening, "/delete", {"confirm": "riverside"})
        assert done.json() == {"slug": "riverside", "delete_after": "2025-11-20T21:00:00Z"}
        paths = (
            C, evening.at, f"{evening.at}/standings", f"{evening.at}/publications/1",
            f"{evening.at}/publications/1.csv", f"{C}/players", f"{evening.at}/publications",
            f"{evening.at}/tables/r1t1/hands", f"{C}/events", "/clubs/riverside",
        )  # fmt: skip
        assert {path: readable(path) for path in paths} == {path: ["olga"] for path in paths}
        assert [path for path in cached if may_be_shared(path)] == []
        assert "riverside" not in evening.cast.client("dirk").get("/api/v1/clubs").content.decode()
        assert "riverside" not in evening.cast.client("dirk").get("/").content.decode()
        page = evening.cast.client("olga").get("/clubs/riverside").content.decode()
        assert "This club will be deleted on 20 Nov 2025" in page
        undone = post(evening, "/delete/undo", {})
        assert undone.json() == {"slug": "riverside", "delete_after": None}
        assert errors(post(evening, "/delete/undo", {})) == [("no_deletion", "")]
        assert readable(f"{evening.at}/publications/1") == list(readers)
        post(evening, "/delete", {"confirm": "riverside"})
        clock.shift(timedelta(days=13, hours=23))
        mark_due_removals(now=NOW + timedelta(days=13, hours=23))
        remove_club(evening.cast.riverside.pk)
        assert readable(C) == ["olga"]
        clock.shift(timedelta(hours=2))
        assert errors(post(evening, "/delete/undo", {})) == [("deletion_begun", "")]
        mark_due_removals(now=NOW + timedelta(days=14, hours=1))
        for _ in range(200):
            remove_club(evening.cast.riverside.pk)
        assert readable(C) == []
    assert not Club.objects.filter(pk=evening.cast.riverside.pk).exists()
    assert Club.objects.filter(slug="hilltop").exists()


def test_account_makes_a_club_and_owns_it(cast: Cast) -> None:
    piet = cast.client("piet")
    answer = post_json(piet, CLUBS, {"name": " Café  Łódź ", "time_zone": "Europe/Warsaw"})
    assert (answer.status_code, answer["Location"]) == (201, f"{CLUBS}/cafe-lodz")
    response = piet.get(answer["Location"])
    assert (response.json(), response["ETag"]) == (answer.json(), answer["ETag"])
    member = Membership.objects.get(club=Club.objects.get(slug="cafe-lodz"))
    assert (member.user, member.role) == (cast.users["piet"], "owner")


@pytest.mark.parametrize(
    ("more", "scope", "status"),
    [((), "manage", 201), ((), "enter", 403), (("--club", "riverside"), "manage", 403)],
)
def test_token_makes_a_club_where_it_is_bound_to_none(
    cast: Cast, more: tuple[str, ...], scope: str, status: int
) -> None:
    headers = {"Authorization": f"Bearer {token('olga', scope, *more)}"}
    answer = post_json(cast.client(), CLUBS, {"name": "Lakeside"}, **headers)
    assert answer.status_code == status, answer.content


def test_site_may_reserve_clubs_for_its_administrators(cast: Cast, settings: Settings) -> None:
    settings.RESERVE_CLUBS = True
    assert post_json(cast.client("olga"), CLUBS, {"name": "Lakeside"}).status_code == 403
    assert post_json(cast.client(), CLUBS, {"name": "Lakeside"}).status_code == 401
