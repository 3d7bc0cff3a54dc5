"""Lists of rows whose column refers to things of several kinds: read with a row of every kind."""

from uuid import uuid4

import pytest

from tests.support.builders import players
from tests.support.cast import NOW, Cast
from tournaments.models.audit import AuditLine
from tournaments.models.jobs import Dirty, Outbox
from tournaments.selectors.jobs.queue import list_claimable_scopes
from tournaments.services.clubs.invitations import invite
from tournaments.services.notices.outbox import enqueue_mail

pytestmark = pytest.mark.django_db
API = "/api/v1/clubs/riverside"


def mails_about_everything(cast: Cast) -> list[str]:
    """Write a mail about each kind of thing, and of those that are gone or odd."""
    people = players(cast.riverside, "Anna")
    invite(cast.operation("olga"), cast.riverside, role="player", email="ruth@mail.example")
    gone = [f"invitation:{uuid4()}", "invitation:3", "invitation:", "person:", "clock", ""]
    for about in (f"person:{people[0].pk}", *gone):
        enqueue_mail(club=cast.riverside, kind="digest", to=people[0], now=NOW, about=about)
    return sorted(Outbox.objects.values_list("about", flat=True))


def test_mails_about_anything_are_listed_with_their_addresses(cast: Cast) -> None:
    assert len(mails_about_everything(cast)) == 8
    client = cast.client("olga")
    page = client.get("/clubs/riverside/mail")
    assert (page.status_code, page.content.decode().count("ruth@mail.example")) == (200, 2)
    rows = client.get(f"{API}/mail").json()["results"]
    assert sorted(row["to"] for row in rows) == [*[""] * 7, "ruth@mail.example"]
    table = client.get(f"{API}/mail.csv")
    assert (table.status_code, len(table.content.decode().splitlines())) == (200, 9)


def test_audit_trail_lists_subjects_and_actors_of_every_kind(cast: Cast) -> None:
    of_event = [f"event:league{part}" for part in ("", "/table:r1t1/hand:2", "/round:x", "/table:")]
    subjects = ["player:A/B:C", "invitation:3", "mail:x", "user:", "club:", "odd", "", *of_event]
    actors = ["user:9", "person:3", "link:2", "command:import", "clock", "odd:", ""]
    AuditLine.objects.filter(club=cast.riverside).delete()
    AuditLine.objects.bulk_create(
        AuditLine(
            club=cast.riverside, number=number, at=NOW, actor=actors[number % len(actors)],
            act=f"act_{number}", subject=subject, digest="0" * 64,
        )
        for number, subject in enumerate(subjects, start=1)
    )  # fmt: skip
    client = cast.client("olga")
    assert client.get("/clubs/riverside/audit").status_code == 200
    rows = client.get(f"{API}/audit").json()["results"]
    assert [row["object"] for row in reversed(rows)] == subjects
    assert len(client.get(f"{API}/audit.csv").content.decode().splitlines()) == 1 + len(subjects)


def test_scopes_of_the_queue_that_are_no_numbers_are_left_out() -> None:
    for scope in ("event:7", "season:3", "event:x/1", "odd", "club-import:", ""):
        Dirty.objects.create(scope=scope, version=1)
    scopes = [(scope.prefix, scope.number) for scope in list_claimable_scopes(NOW)]
    assert scopes == [("event:", 7), ("season:", 3)]
