"""A club from an archive is the club that was exported, and a damaged archive is refused whole."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from tests.support.answers import Json
from tests.support.builders import by_tests, hand, league, penalize, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.history import make_all
from tests.support.module_scope import made_once
from tests.support.scenarios.full_club import fill_club
from tests.support.verification import require_clean
from tournaments.documents.club_archive import archive_chunks, publication_digests, rows_of
from tournaments.documents.feeds import deadline_entries, meeting_entries
from tournaments.domain.archives.tables import is_left_out, table_of
from tournaments.errors import Conflict
from tournaments.models.access import Contact
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.jobs import Deadline
from tournaments.models.publication_packs import DISCARDED, PublicationPack
from tournaments.models.rounds import Meeting, Picture
from tournaments.models.seating_plans import SeatingPlan
from tournaments.models.standings import LedgerLine, Publication, StoredHistory
from tournaments.selectors.people.merges import get_merge
from tournaments.services.archives import import_club
from tournaments.services.attendance.excuses import excuse_player
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.audit.audit import verify_audit
from tournaments.services.clubs.deletion import remove_piece
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.people.merge_players import undo_merge
from tournaments.services.publishing.packing import pack_piece
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.meetings import plan_meeting
from tournaments.services.verification.event import recount_now, verify_event

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class World:
    """Riverside, and its archive."""

    cast: Cast
    club: Club
    content: bytes


def make_world() -> World:
    cast = enter_the_cast()
    fill_club(cast)
    return World(cast, cast.riverside, b"".join(archive_chunks(cast.riverside, now=NOW)))


world_once, world = made_once("world", make_world)


@pytest.fixture
def filled(world: World) -> Club:
    return world.club


@pytest.fixture
def archive(world: World, tmp_path: Path) -> Path:
    path = tmp_path / "riverside.zip"
    path.write_bytes(world.content)
    return path


def imported(path: Path, *options: str) -> str:
    out = io.StringIO()
    call_command("import_club", str(path), *options, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def exported(*options: str | Path) -> None:
    call_command("export_club", "--club", "riverside", *map(str, options), stdout=io.StringIO())


def refused(path: Path, *options: str) -> str:
    """What import_club says as it refuses a file with status 2, after which nothing is there."""
    before = (Club.objects.count(), Event.objects.count())
    with pytest.raises(CommandError) as said:
        imported(path, *options)
    assert said.value.returncode == 2
    assert (Club.objects.count(), Event.objects.count()) == before
    return str(said.value)


def rows_in(club: Club) -> dict[str, int]:
    models = [
        model
        for model in apps.get_app_config("tournaments").get_models()
        if not is_left_out(model, anonymous=False)
    ]
    return {table_of(model): rows_of(model, club).count() for model in models}


def files_of(path: Path) -> Files:
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def packed(path: Path, files: Files, *, sums: bool = True) -> Path:
    """Write an archive with these files, with checksums that are right."""
    if sums:
        listed = sorted(name for name in files if name != "SHA256SUMS")
        files["SHA256SUMS"] = "".join(
            f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in listed
        ).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def columns_of(files: Files, table: str) -> list[str]:
    columns: list[str] = json.loads(files["archive.json"])["tables"][table]["columns"]
    return columns


def test_penalty_of_an_evening_is_of_the_same_evening_there(cast: Cast, tmp_path: Path) -> None:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, *"ABCD"), on=date(2025, 11, 6))
    hand(game, 1, [4, 1, 2, 6], 3)
    plan_meeting(by_tests(), event, day=date(2025, 11, 13))
    penalize(event, "RL02", "2", "Late.", meeting=date(2025, 11, 6))
    penalize(event, "RL02", "1", "Late again.")
    publish(event.pk, now=NOW)
    make_all(event.pk)
    path = tmp_path / "riverside.zip"
    path.write_bytes(b"".join(archive_chunks(cast.riverside, now=NOW)))
    imported(path, "--as", "two")
    lines = LedgerLine.objects.filter(club__slug="two").order_by("number")
    assert list(lines.values_list("meeting__date", "meeting__event__club__slug")) == [
        (date(2025, 11, 6), "two"),
        (None, None),
    ]
    other = Event.objects.get(club__slug="two")
    make_all(other.pk)
    tables = StoredHistory.objects.filter(kind="evening")
    there, here = (json.loads(bytes(tables.get(event=of).body))["rows"] for of in (other, event))
    assert there == here
    assert [line["number"] for row in here for line in row["ledger"]] == [1]
    require_clean(other)


def test_evening_points_are_counted_alike_there(cast: Cast, tmp_path: Path) -> None:
    settings = {
        "primary": "evening_points",
        "evening_points": [10, 8, 6],
        "best_of": {"unit": "meeting", "min": 1, "per": 1},
        "period_evenings": 2,
        "best_periods": 1,
        "min_unit": "meeting",
    }
    event = league(cast.riverside, slug="nights", settings=settings)
    people = players(cast.riverside, "Ada", "Bert", "Cleo", "Dora")
    for week in range(3):
        on = NOW.date() + timedelta(weeks=week)
        game = table(event, people, round_number=week + 1, on=on)
        hand(game, 1, [0, 2, 4, 7], queen=week)
    published = publish(event.pk, now=NOW)
    assert published is not None
    make_all(event.pk)
    path = tmp_path / "club.zip"
    path.write_bytes(b"".join(archive_chunks(cast.riverside, now=NOW)))
    imported(path, "--as", "there")
    there = Event.objects.get(club__slug="there", slug="nights")
    assert there.settings == Event.objects.get(pk=event.pk).settings
    kept = StoredHistory.objects.filter(kind="evening_places")
    assert len(set(kept.values_list("digest", flat=True))) == 1
    mark_changed(event=there, now=NOW)
    again = publish(there.pk, now=NOW)
    assert again is not None
    assert again.document["rows"] == published.document["rows"]


@pytest.mark.parametrize("anonymous", [False, True])
def test_excused_evenings_are_counted_alike_there(
    cast: Cast, tmp_path: Path, *, anonymous: bool
) -> None:
    settings = {"primary": "evening_points", "excused": "fixed", "excused_points": 7}
    event = league(cast.riverside, slug="nights", settings=settings)
    people = players(cast.riverside, "Ada", "Bert", "Cleo", "Dora", "Edda")
    days = [NOW.date(), NOW.date() + timedelta(weeks=1)]
    for number, (on, seated) in enumerate(zip(days, (people[:4], people[1:]), strict=True), 1):
        hand(table(event, seated, round_number=number, on=on), 1, [0, 2, 4, 7], queen=3)
    # They begin after all that happens here.
    Meeting.objects.filter(event=event).update(time=time(23))
    for day, player, excused in ((0, people[4], None), (1, people[0], True)):
        meeting = Meeting.objects.get(event=event, date=days[day])
        set_attendance(by_tests(), meeting, player=player, state="absent")
        if excused is not None:
            excuse_player(by_tests(), meeting, player=player, excused=excused, reason="Called.")
    published = publish(event.pk, now=NOW)
    assert published is not None
    # Seven points each for an evening of which Ada and Edda were excused.
    points = {row["player_id"]: row["evening_points"] for row in published.document["rows"]}
    assert (points["RL01"], points["RL05"]) == (11, 8)
    path = tmp_path / "club.zip"
    chunks = archive_chunks(cast.riverside, anonymous=anonymous, now=NOW)
    path.write_bytes(b"".join(chunks))
    imported(path, "--as", "there")
    there = Event.objects.get(club__slug="there", slug="nights")
    recount_now(there.pk, now=NOW)
    mark_changed(event=there, now=NOW)
    again = publish(there.pk, now=NOW)
    assert again is not None
    assert points == {row["player_id"]: row["evening_points"] for row in again.document["rows"]}


def test_command_gives_the_club_an_owner_or_stores_nothing(archive: Path) -> None:
    assert "Nobody here is called nobody." in refused(archive, "--as", "two", "--owner", "nobody")
    assert "olga is the owner." in imported(archive, "--as", "two", "--owner", "olga")
    [member] = Club.objects.get(slug="two").memberships.all()
    assert (member.user.username, member.role) == ("olga", "owner")


def test_club_under_another_slug_has_the_same_rows_and_totals(filled: Club, archive: Path) -> None:
    assert imported(archive, "--as", "lakeside").startswith("lakeside: ")
    club = Club.objects.get(slug="lakeside")
    expected = rows_in(filled)
    expected["auditline"] += 1  # of the import
    assert rows_in(club) == expected
    assert min(expected[name] for name in ("picture", "playermerge", "seatingplan", "challenge"))
    for event in Event.objects.filter(club=club).select_related("club", "season"):
        verification = verify_event(event, repair=False, now=NOW, report=lambda _words: None)
        assert not verification.differs, list(verification.lines())
    assert verify_audit(club)[1:] == (0, "")
    contact = Contact.objects.get(club=club)
    assert (contact.player.club, contact.player.fills_in) == (club, True)
    assert (contact.email, contact.consent_at) == ("second@riverside.example", NOW)
    assert (contact.consent_as, contact.consent_by) == ("Dirk", None)
    before = {publication.digest for publication in Publication.objects.filter(club=filled)}
    of_import = Publication.objects.filter(club=club).order_by("pk")
    assert not before & {one.digest for one in of_import}
    rows = Publication.objects.filter(club=filled).order_by("pk")
    for old, new in zip(rows, of_import, strict=True):
        assert old.number == new.number
        assert without_club(old) == without_club(new)
        assert json.loads(bytes(new.body))["club"]["slug"] == "lakeside"
        assert json.loads(bytes(new.body))["publication"]["digest"] == new.digest


def test_postgresql_counts_the_rows_before(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it joins tables that it believes to be empty, which takes minutes for a large club."""
    monkeypatch.setattr(import_club, "MANY", 2)
    counted: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        counted.extend(["compared"] if "tournaments_seatscore s" in sql else [])
        counted.extend([sql] if sql.startswith("ANALYZE") else [])
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        imported(archive, "--as", "lakeside")
    if connection.vendor != "postgresql":
        assert "compared" in counted
        assert set(counted) == {"compared"}
        return
    assert counted[1] == "compared"
    assert {"tournaments_hand", "tournaments_seatscore", "tournaments_game"} <= {
        name.strip(' "') for name in counted[0].removeprefix("ANALYZE (SKIP_LOCKED)").split(",")
    }


def without_club(publication: Publication) -> Any:
    document = json.loads(bytes(publication.body))
    return {name: one for name, one in document.items() if name not in ("club", "publication")}


def test_plan_of_an_imported_club_names_its_own_players(filled: Club, archive: Path) -> None:
    imported(archive, "--as", "lakeside")
    club = Club.objects.get(slug="lakeside")
    (old,) = SeatingPlan.objects.filter(club=filled)
    (new,) = SeatingPlan.objects.filter(club=club)
    assert new.public_id != old.public_id

    def seated(plan: SeatingPlan) -> list[list[list[str]]]:
        ids = dict(Player.objects.filter(club=plan.club).values_list("pk", "player_id"))
        return [[[ids[pk] for pk in table] for table in part["tables"]] for part in plan.rounds]

    assert seated(old) == seated(new)
    own = set(Player.objects.filter(club=club).values_list("pk", flat=True))
    assert set(new.inputs["present"]) <= own


def test_club_comes_back_under_its_slug_with_the_same_digests(filled: Club, archive: Path) -> None:
    digests, pictures = publication_digests(filled), Picture.objects.count()
    ids = calendar_ids(filled)
    assert "is the address of another club" in refused(archive)
    Club.objects.filter(pk=filled.pk).update(delete_after=NOW)
    while remove_piece(filled.pk, now=timezone.now()):
        pass
    imported(archive)
    club = Club.objects.get(slug="riverside")
    assert publication_digests(club) == digests
    assert calendar_ids(club) == ids
    assert Picture.objects.count() == pictures
    again = archive.with_name("again.zip")
    exported(again)
    first, second = files_of(archive), files_of(again)
    differ = {name for name in first if first[name] != second.get(name)}
    assert not [name for name in differ if name.startswith(("files/", "events/", "seasons/"))]


def test_packed_and_discarded_publications_come_back(filled: Club, tmp_path: Path) -> None:
    event = Event.objects.filter(club=filled, publications__isnull=False).earliest("pk")
    for minute in range(1, 5):
        mark_changed(event=event, now=NOW)
        Event.objects.filter(pk=event.pk).update(name=f"League {minute}")
        publish(event.pk, now=NOW + timedelta(minutes=minute))
    plain = tmp_path / "plain.zip"
    exported(plain)
    while pack_piece(now=NOW + timedelta(days=30)):
        pass
    assert Publication.objects.filter(pack__gt=DISCARDED).count() >= 4
    packed = tmp_path / "packed.zip"
    exported(packed)
    first, second = files_of(plain), files_of(packed)
    assert [name for name in first if "publication" in name and first[name] != second[name]] == []
    call_command("discard_publications", "--club", "riverside", "--days", "0", stdout=io.StringIO())
    discarded = Publication.objects.filter(pack=DISCARDED).count()
    assert discarded
    packed.unlink()
    exported(packed)
    digests = publication_digests(filled)
    Club.objects.filter(pk=filled.pk).update(delete_after=NOW)
    while remove_piece(filled.pk, now=timezone.now()):
        pass
    assert not PublicationPack.objects.exists()
    imported(packed)
    assert publication_digests(Club.objects.get(slug="riverside")) == digests
    assert Publication.objects.filter(pack=DISCARDED).count() == discarded
    assert not Publication.objects.filter(pack__gt=DISCARDED).exists()


def calendar_ids(club: Club) -> list[str]:
    events = Event.objects.filter(club=club).select_related("club")
    entries = [*meeting_entries(events, now=NOW), *deadline_entries(events)]
    assert len(entries) > 1
    return sorted(f"{entry.starts} {entry.title} {entry.uid}" for entry in entries)


def test_archive_of_a_release_without_ids_of_meetings_gives_each_meeting_one(archive: Path) -> None:
    files = files_of(archive)
    at = columns_of(files, "meeting").index("public_id")
    manifest(lambda document: document["tables"]["meeting"]["columns"].pop(at))(files)
    rows = [json.loads(one) for one in files["rows/meeting/00001.jsonl"].splitlines()]
    lines = (json.dumps(row[:at] + row[at + 1 :]) for row in rows)
    files["rows/meeting/00001.jsonl"] = "\n".join(lines).encode()
    imported(packed(archive.with_name("old.zip"), files), "--as", "lakeside")
    meetings = Meeting.objects.filter(club__slug="lakeside")
    assert len(set(meetings.values_list("public_id", flat=True))) == len(rows) > 1


def test_merge_of_an_imported_club_cannot_be_undone_and_says_so(archive: Path) -> None:
    imported(archive, "--as", "lakeside")
    club = Club.objects.get(slug="lakeside")
    source = Player.objects.get(club=club, merged_into__isnull=False)
    with pytest.raises(Conflict, match="merge_of_archive"):
        undo_merge(by_tests(), get_merge(club, source.player_id))


def test_dry_run_checks_and_stores_nothing(archive: Path) -> None:
    before = Club.objects.count()
    assert "Checked, nothing was stored." in imported(archive, "--as", "lakeside", "--dry-run")
    assert Club.objects.count() == before


def changed(name: str, text: Callable[[bytes], bytes]) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        files[name] = text(files[name])

    return change


def one_value(table: str, column: str, value: object, line: int = 0) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        name = f"rows/{table}/00001.jsonl"
        rows = [json.loads(one) for one in files[name].splitlines()]
        rows[line][columns_of(files, table).index(column)] = value
        files[name] = "".join(json.dumps(row) + "\n" for row in rows).encode()

    return change


def page_as_picture(files: Files) -> None:
    for name in files:
        if name.startswith("files/picture/"):
            files[name] = b"<!doctype html><script>alert(1)</script>"


def manifest(change: Callable[[Json], object]) -> Callable[[Files], None]:
    def apply(files: Files) -> None:
        document = json.loads(files["archive.json"])
        change(document)
        files["archive.json"] = json.dumps(document).encode()

    return apply


def about(**members: object) -> Callable[[Files], None]:
    return manifest(lambda document: document.update(members))


def rows_in_manifest(table: str, number: int) -> Callable[[Files], None]:
    """Say how many rows a table has, and that it has the columns that it has, or one."""
    return manifest(
        lambda document: (
            document["tables"].setdefault(table, {"columns": ["name"]}).update(rows=number)
        )
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (about(format=2), "A later release wrote this archive (format 2)"),
        (about(format="1"), "archive.json is not as it was written"),
        (about(club=None), "archive.json is not as it was written"),
        (rows_in_manifest("spaceship", 0), "A later release wrote this archive"),
        (one_value("player", "name", "x" * 500), "rows/player/00001.jsonl, line 1"),
        (one_value("player", "name", None), "rows/player/00001.jsonl, line 1"),
        (one_value("player", "name", "a\0b"), "rows/player/00001.jsonl, line 1"),
        (one_value("event", "state", "gone"), "rows/event/00001.jsonl, line 1"),
        (one_value("hand", "game", 10**9), "rows/hand/00001.jsonl, line 1"),
        (one_value("hand", "game", 0), "rows/hand/00001.jsonl, line 1"),
        (one_value("hand", "entry", 10**9), "rows/hand"),
        (one_value("hand", "number", -1), "rows/hand/00001.jsonl, line 1"),
        (one_value("hand", "number", True), "rows/hand/00001.jsonl, line 1"),
        (one_value("event", "created_at", "2025-13-01"), "rows/event/00001.jsonl, line 1"),
        (one_value("seatingplan", "inputs", {"present": ["x"]}), "rows/seatingplan/00001.jsonl"),
        (one_value("picture", "jpeg", "files/publication/1.json"), "rows/picture/00001.jsonl"),
        (page_as_picture, "rows/picture/00001.jsonl, line 1"),
        (one_value("publication", "digest", "sha256:0"), "rows/publication/00001.jsonl, line 1"),
        (one_value("event", "options", {"x": float("inf")}), "rows/event/00001.jsonl, line 1"),
        (one_value("event", "settings", []), "rows/event/00001.jsonl, line 1"),
        (one_value("event", "slug", "a b/c"), "rows/event/00001.jsonl, line 1"),
        (one_value("event", "created_at", "0001-01-01T00:00:00+23:59"), "rows/event/00001.jsonl"),
        (one_value("meeting", "date", "9999-12-31"), "rows/meeting/00001.jsonl, line 1"),
        (one_value("club", "time_zone", "Mars/Base"), "rows/club/00001.jsonl, line 1"),
        (one_value("club", "colour", "red;}"), "rows/club/00001.jsonl, line 1"),
        (one_value("club", "seating", [1]), "rows/club/00001.jsonl, line 1"),
        (one_value("publication", "csv", "files/publication/1.csv", 1), "publication/00001.jsonl"),
        (about(jobs=[["event:", 1, 10**30, 0]]), "archive.json is not as it was written"),
        (about(jobs=[["event:", 1, 1, 0]] * 2), "archive.json is not as it was written"),
        (rows_in_manifest("hand", 10**15), "archive.json is not as it was written"),
        (one_value("seatscore", "score", 77), "do not follow from its hands"),
        (one_value("entry", "typed", []), "do not follow from its hands"),
        (changed("rows/hand/00001.jsonl", lambda text: text[:-20]), "rows/hand/00001.jsonl"),
        (changed("rows/hand/00001.jsonl", lambda _: b"[" * 100_000), "rows/hand/00001.jsonl"),
        (lambda files: files.pop("rows/hand/00001.jsonl"), "rows/hand/00001.jsonl"),
        (lambda files: files.update({"../../etc/passwd": b"x"}), "../../etc/passwd"),
        (lambda files: files.update({"/etc/passwd": b"x"}), "/etc/passwd"),
        (lambda files: files.update({"a/./b": b"x"}), "a/./b"),
    ],
)  # fmt: skip
def test_archive_that_was_changed_is_refused_and_nothing_is_there(
    archive: Path, change: Callable[[Files], object], words: str
) -> None:
    files = files_of(archive)
    change(files)
    assert words in refused(packed(archive.with_name("bad.zip"), files), "--as", "lakeside")


def test_checksums_that_are_wrong_or_missing_are_refused(archive: Path) -> None:
    files = files_of(archive)
    files["players.csv"] += b"RL99,Somebody\r\n"
    bad = packed(archive.with_name("bad.zip"), files, sums=False)
    assert "players.csv is not as it was written" in refused(bad, "--as", "lakeside")
    del files["players.csv"]
    bad = packed(archive.with_name("bad.zip"), files, sums=False)
    assert "players.csv is not as it was written" in refused(bad, "--as", "lakeside")


def test_bomb_cut_file_and_other_files_are_refused(archive: Path, tmp_path: Path) -> None:
    files = files_of(archive)
    files["rows/hand/00002.jsonl"] = b"0" * 300_000_000
    bomb = packed(tmp_path / "bomb.zip", files)
    assert "larger than an export writes" in refused(bomb, "--as", "lakeside")
    cut = tmp_path / "cut.zip"
    cut.write_bytes(archive.read_bytes()[:-5000])
    assert "not an archive of a club" in refused(cut)
    (tmp_path / "text.zip").write_text("Hello")
    assert "not an archive of a club" in refused(tmp_path / "text.zip")
    assert "cannot be read" in refused(tmp_path / "none.zip")


def test_archive_of_too_many_files_is_refused_before_names(archive: Path, tmp_path: Path) -> None:
    empty = {f"files/{number}": b"" for number in range(2000)}
    crowded = packed(tmp_path / "crowded.zip", files_of(archive) | empty)
    content = crowded.read_bytes()
    names = content.rindex(b"files/1999") - 46
    crowded.write_bytes(content[:names] + b"x" * 46 + content[names + 46 :])
    assert "larger than an export writes" in refused(crowded, "--as", "lakeside")


@pytest.mark.parametrize("packing", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_archive_that_is_packed_in_another_way_is_refused(archive: Path, packing: int) -> None:
    other = archive.with_name("other.zip")
    with zipfile.ZipFile(other, "w", packing) as made:
        for name, content in files_of(archive).items():
            made.writestr(name, content)
    assert "is not as it was written" in refused(other, "--as", "lakeside")


def test_name_that_is_no_text_is_refused(archive: Path) -> None:
    """The central directory and the file itself each have the name; one of them is damaged."""
    content, bad = bytearray(archive.read_bytes()), archive.with_name("bad.zip")
    at, listed = content.index(b"archive.json"), content.rindex(b"archive.json")
    for flags in (at - 30 + 7, listed - 46 + 9):
        content[flags] |= 0x08  # the name is UTF-8, it says
    content[at] = 0xFF
    bad.write_bytes(content)
    assert "archive.json is not as it was written" in refused(bad, "--as", "lakeside")


def test_all_deadlines_come_back_however_many(archive: Path) -> None:
    files = files_of(archive)
    name, columns = "rows/deadline/00001.jsonl", columns_of(files, "deadline")
    first = json.loads(files[name].splitlines()[0])
    first[columns.index("kind")] = "ladder_week"
    lines = []
    for number in range(2001):
        first[columns.index("key")] = str(number)
        lines.append(json.dumps(first) + "\n")
    rows_in_manifest("deadline", len(lines))(files)
    files[name] = "".join(lines[:2000]).encode()
    files["rows/deadline/00002.jsonl"] = lines[2000].encode()
    imported(packed(archive.with_name("many.zip"), files), "--as", "lakeside")
    deadlines = Deadline.objects.filter(club__slug="lakeside", kind="ladder_week", key__gte="0")
    assert deadlines.count() == 2001


def test_anonymous_archive_names_nobody_and_ranks_the_same(filled: Club, tmp_path: Path) -> None:
    path = tmp_path / "anonymous.zip"
    exported("--anonymous", path)
    names = set(Player.objects.filter(club=filled).values_list("name", flat=True))
    everything = b"\n".join(
        content for name, content in files_of(path).items() if name != "SHA256SUMS"
    ).decode()
    assert not [name for name in names if name in everything]
    assert "dirk" not in everything.lower()
    assert "riverside.example" not in everything
    imported(path, "--as", "lakeside")
    for event in Event.objects.filter(club=Club.objects.get(slug="lakeside")):
        recount_now(event.pk, now=NOW)
        publish(event.pk, now=NOW)
        old = Publication.objects.filter(event__club=filled, event__slug=event.slug)
        new = Publication.objects.filter(event=event)
        assert places(new.latest("number")) == places(old.latest("number"))


def places(publication: Publication) -> list[tuple[object, ...]]:
    rows = json.loads(bytes(publication.body))["rows"]
    return sorted((row["rank"], row["player_id"], row.get("tables")) for row in rows)
