"""Archives of clubs are uploaded, confirmed, discarded and imported in the middle of each other.

What comes of it is what one order of the two gives.
"""

from collections.abc import Mapping
from datetime import timedelta
from io import BytesIO
from typing import Any, ClassVar

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.lengths import only_long
from tests.support.live.at_once import NamedActions, Within
from tournaments.documents.club_archive import archive_chunks
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership
from tournaments.models.imports import ClubImport, ClubImportPiece
from tournaments.models.jobs import Dirty
from tournaments.services.archives.club_imports import (
    confirm_club_import,
    discard_club_import,
    remove_old_club_imports,
)
from tournaments.services.archives.import_club import club_import_steps, receive_archive
from tournaments.services.clubs.change_club import change_club
from tournaments.services.clubs.clubs import create_club
from tournaments.services.db import transactions
from tournaments.services.jobs.queue import mark_due
from tournaments.services.people.accounts import delete_account

pytestmark = pytest.mark.pg

IMPORTS = "tournaments.services.archives.club_imports"
STORE = "tournaments.services.archives.store_club"
SLUG = "lakeside"


class Senders(NamedActions):
    """Piet and Nora, who send the archive of one club; what either does with it."""

    ends: ClassVar = {
        "upload": f"{IMPORTS}.mark_due",
        "confirm": f"{IMPORTS}.mark_due",
        "discard": f"{IMPORTS}._delete",
        "sweep": f"{IMPORTS}._delete",
        "work": f"{STORE}.append_audit",
        "work_of_nora": f"{STORE}.append_audit",
        "move": "tournaments.services.clubs.names.require_not_former",
    }

    def __init__(self, within: Within) -> None:
        super().__init__(within)
        with within():
            self.cast: Cast = enter_the_cast()
            event = league(self.cast.riverside)
            hand(table(event, players(self.cast.riverside, *"ABCD")), 1, [5, 4, 3, 1], 0)
            self.content = b"".join(archive_chunks(self.cast.riverside, now=NOW))

    def upload(self, who: str = "piet") -> None:
        receive_archive(self.cast.operation(who), file=BytesIO(self.content), name=f"{who}.zip")

    def confirm(self, who: str = "piet") -> None:
        confirm_club_import(self.cast.operation(who), self.own(who), slug=SLUG)

    def discard(self) -> None:
        discard_club_import(self.cast.operation("piet"), self.own())

    def sweep(self) -> None:
        remove_old_club_imports(now=NOW + timedelta(days=2))

    def work(self, who: str = "piet") -> None:
        for record in ClubImport.objects.filter(made_by__username=who):
            for _ in club_import_steps(record.pk, clock=timezone.now):
                pass

    def work_of_nora(self) -> None:
        self.work("nora")

    def create(self) -> None:
        create_club(self.cast.operation("piet"), name="Lakeside", slug=SLUG)

    def over_rest(self) -> str:
        client = Client()
        client.force_login(self.cast.users["piet"])
        body = {"name": "Lakeside", "slug": SLUG}
        answer = client.post("/api/v1/clubs", body, content_type="application/json")
        return "" if answer.status_code == 201 else answer.json()["errors"][0]["code"]

    def move(self) -> None:
        change_club(by_tests(), self.cast.hilltop, wanted={"slug": SLUG})

    def leave(self) -> None:
        delete_account(self.cast.operation("piet"))

    def own(self, who: str = "piet") -> ClubImport:
        return self.seen[who]

    def checked(self, *senders: str) -> None:
        """Have the archives of these wait for them, as their pages show it."""
        with self.within():
            for who in senders:
                self.upload(who)
                self.work(who)
            found = ClubImport.objects.select_related("made_by")
            self.seen: Mapping[str, ClubImport] = {one.made_by.username: one for one in found}
            assert {one.state for one in found} <= {"preview"}

    def states(self) -> list[tuple[int, str]]:
        """Number and state of what Piet sent; each has its whole file and one mark for a worker."""
        imports = ClubImport.objects.filter(made_by__username="piet").order_by("number")
        scopes = {f"club-import:{one.pk}" for one in ClubImport.objects.all()}
        assert set(Dirty.objects.filter(scope__startswith="club-import:").values_list(
            "scope", flat=True)) == scopes  # fmt: skip
        for one in ClubImport.objects.exclude(state="done"):
            pieces = ClubImportPiece.objects.filter(club_import=one).order_by("position")
            assert b"".join(bytes(piece.content) for piece in pieces) == self.content
        return [(one.number, one.state) for one in imports]


@pytest.fixture
def senders(within: Within) -> Senders:
    return Senders(within)


def test_two_uploads_of_one_account_leave_the_later_one(senders: Senders) -> None:
    assert senders.both("upload", "upload") == ("", "")
    with senders.within():
        assert senders.states() == [(2, "checking")]


def test_upload_that_the_database_gave_up_once_has_its_whole_file(
    senders: Senders, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = iter([OperationalError("deadlock detected")])

    def mark(*args: Any, **kwargs: Any) -> None:
        for one in ended:
            raise one
        mark_due(*args, **kwargs)

    monkeypatch.setattr(transactions, "may_repeat", lambda fault: True)
    monkeypatch.setattr(Senders.ends["upload"], mark)
    with senders.within():
        senders.upload()
        assert senders.states() == [(1, "checking")]


GONE, RUNS = "club_import_moved_on", "club_import_running"


@pytest.mark.parametrize(
    ("first", "second", "said", "left"),
    [
        ("confirm", "confirm", ("", GONE), [(1, "running")]),
        ("confirm", "discard", ("", GONE), [(1, "running")]),
        only_long("discard", "confirm", ("", GONE), []),
        ("discard", "discard", ("", GONE), []),
        ("confirm", "upload", ("", RUNS), [(1, "running")]),
        only_long("upload", "confirm", ("", GONE), [(2, "checking")]),
        ("upload", "discard", ("", GONE), [(2, "checking")]),
        only_long("discard", "upload", ("", ""), [(1, "checking")]),
        ("confirm", "sweep", ("", ""), [(1, "running")]),
        only_long("sweep", "confirm", ("", GONE), []),
        ("sweep", "upload", ("", ""), [(1, "checking")]),
    ],
)
def test_archive_that_was_checked_goes_one_way(
    senders: Senders, first: str, second: str, said: tuple[str, str], left: list[tuple[int, str]]
) -> None:
    senders.checked("piet")
    assert senders.both(first, second) == said
    with senders.within():
        assert senders.states() == left
        senders.work()
        imported = (1, "running") in left
        assert Club.objects.filter(slug=SLUG).count() == imported
        assert AuditLine.objects.filter(act="import_club").count() == imported


def test_two_workers_at_one_import_make_one_club(senders: Senders) -> None:
    senders.checked("piet")
    with senders.within():
        senders.confirm()
    assert senders.both("work", "work") == ("", "")
    with senders.within():
        assert senders.states() == [(1, "done")]
        assert Club.objects.filter(slug=SLUG).count() == 1
        assert Membership.objects.filter(club__slug=SLUG).count() == 1


@pytest.mark.parametrize(
    ("other", "is_first"),
    [
        ("work_of_nora", True),
        ("create", False),
        ("move", True),
        only_long("work_of_nora", False),
        only_long("create", True),
        only_long("move", False),
        only_long("over_rest", True),
        only_long("over_rest", False),
    ],
)
def test_address_goes_to_one_of_two(senders: Senders, other: str, *, is_first: bool) -> None:
    """Whoever is second is told so, and a sender can choose another address."""
    senders.checked("piet", "nora")
    with senders.within():
        senders.confirm()
        senders.confirm("nora")
    said = senders.both("work", other) if is_first else senders.both(other, "work")
    taken = "slug_taken" if other != "work_of_nora" and is_first else ""
    assert said == ("", taken)
    with senders.within():
        assert Club.objects.filter(slug=SLUG).count() == 1
        mine = ClubImport.objects.get(made_by__username="piet")
        codes = [problem["code"] for problem in mine.problems]
        assert (mine.state, codes) == (
            ("done", []) if is_first else ("preview", ["archive_slug_taken"])
        )
        assert AuditLine.objects.filter(act="import_club").count() == (
            1 if is_first or other == "work_of_nora" else 0
        )


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("leave", "upload", ("", "forbidden")),
        only_long("upload", "leave", ("", "")),
        only_long("leave", "confirm", ("", "")),
        ("confirm", "leave", ("", "")),
        only_long("leave", "work", ("", "")),
        ("leave", "create", ("", "forbidden")),
        only_long("create", "leave", ("", "owns_clubs_alone")),
        ("work", "leave", ("", "owns_clubs_alone")),
    ],
)
def test_account_that_is_deleted_leaves_no_archive_and_no_club_without_an_owner(
    senders: Senders, first: str, second: str, said: tuple[str, str]
) -> None:
    senders.checked("piet")
    if "work" in (first, second):
        with senders.within():
            senders.confirm()
    assert senders.both(first, second) == said
    with senders.within():
        stays = first in ("work", "create")
        assert User.objects.filter(username="piet").exists() == stays
        assert ClubImport.objects.exists() == stays
        assert not Club.objects.filter(slug=SLUG).exclude(memberships__role="owner").exists()
        assert Membership.objects.filter(club__slug=SLUG, role="owner").count() == stays
        assert Club.objects.filter(slug=SLUG).exists() == stays
