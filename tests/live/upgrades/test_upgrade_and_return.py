"""The last two releases are upgraded under load, and gone back to, without losing a hand.

Their code, environment and database are their own: the commit in releases.toml, the lock file of
that commit, and what its commands and services wrote.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from releasing.release import Release
from tests.live.conftest import Inside
from tests.support.builders import by_tests, counts
from tests.support.evenings import evening, plans
from tests.support.lengths import short_or_long
from tests.support.live.older_release import (
    FILL,
    TABLES,
    install,
    more_rows,
    older_releases,
    run_code,
    unpack,
)
from tests.support.live.project import LiveProject, wait_until
from tests.support.live.rest_client import Answer, Hosts, RestClient, published_hands, stored
from tournaments.domain.people.public_names import public_name_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.jobs import Deadline
from tournaments.models.standings import Publication
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.events.change_event import change_settings
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.publishing.packing import pack_piece
from tournaments.services.rounds.rounds import DIGEST

pytestmark = [pytest.mark.worker, pytest.mark.timeout(short_or_long(1200, 1800))]

EVENT = "/api/v1/clubs/oldtown/events/league"
READ = (
    "/api/v1/clubs/oldtown",
    "/api/v1/clubs/oldtown/players",
    "/api/v1/clubs/oldtown/seasons/autumn/standings",
    *(
        f"{EVENT}{below}"
        for below in ("", "/standings", "/publications", "/meetings", "/rounds", "/changes")
    ),
    f"{EVENT}/jobs",
    "/clubs/oldtown",
    "/clubs/oldtown/events/league",
)
"""What the older release still serves after the return."""
HANDS = short_or_long(6, 150)
"""So many hands are acknowledged between two steps."""
LINES = 1 + 4 * 20
"""Of a heading and twenty hands that the older release imports in the short form."""
CHECK = """
from django.core.management import call_command
call_command("replay", "--check")
call_command("verify_audit")
print("\\nchecked")
"""
"""The stored numbers against the entries, and the chain of the audit; both end with a refusal."""


class MovingClient(RestClient):
    """Sends hands to the installation that serves now.

    Each host sends at most five in two seconds: a table has 999 hands at most.
    """

    def turn_to(self, project: LiveProject) -> None:
        self._port = project.port

    def enter(self, code: str, number: int, *, key: str, queen: int = 3) -> Answer:
        threading.Event().wait(0.4)
        gift = number % 12 + 1
        body = {"number": number, "entry": counts([gift, 13 - gift, 0, 0], queen)}
        return self.ask("POST", f"{EVENT}/tables/{code}/hands", body, **{"Idempotency-Key": key})


@dataclass(frozen=True, slots=True)
class Releases:
    """One database, and the installations of two releases on it; `both` may run at once."""

    older: LiveProject
    newer: LiveProject
    both: bool
    release: Release

    def begin(self, project: LiveProject) -> None:
        """Start web and worker, and wait until they work."""
        if not self.both:
            project.serve()
            return
        name = "older" if project is self.older else "newer"
        web = project.start("manage.py", "web", "--workers", "1")
        project.start_worker(name, "--concurrency", "1")
        project.wait_ready(web)

    def switch(self, rest: MovingClient, old: LiveProject, new: LiveProject) -> None:
        """End one release and begin the other; where both may run, there is no gap."""
        if not self.both:
            old.drain()
        self.begin(new)
        rest.turn_to(new)
        if self.both:
            old.drain()


@pytest.fixture(scope="module", params=older_releases(), ids=lambda release: release.version)
def older_tree(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Release, Path, str]:
    tree = tmp_path_factory.mktemp("older-release")
    unpack(request.param, tree)
    return request.param, tree, install(tree)


@pytest.fixture
def two_releases(
    live_project: Callable[..., LiveProject], older_tree: tuple[Release, Path, str]
) -> Callable[..., Releases]:
    def made(**environment: str) -> Releases:
        older = live_project(**environment)
        url = older.environment["DATABASE_URL"]
        newer = live_project(**{**environment, "DATABASE_URL": url})
        release, older.root, older.python = older_tree
        return Releases(older, newer, both="BROKER_URL" in environment, release=release)

    return made


@pytest.mark.tier_long
def test_upgrade_and_return_sqlite(two_releases: Callable[..., Releases], inside: Inside) -> None:
    upgrade_and_return(two_releases(), inside)


@pytest.mark.tier_long
@pytest.mark.pg
@pytest.mark.redis
@pytest.mark.deadlocks  # the older release takes rows in another order
def test_upgrade_and_return_on_postgresql(
    two_releases: Callable[..., Releases], inside: Inside, pg_url: str, redis_url: str
) -> None:
    upgrade_and_return(two_releases(DATABASE_URL=pg_url, BROKER_URL=redis_url), inside)


def upgrade_and_return(site: Releases, inside: Inside) -> None:
    token, *kinds = run_code(site.older, in_directory(site.older, FILL))
    site.begin(site.older)
    rest = MovingClient(site.older, token)
    with load(rest) as hosts:
        more_hands(hosts)
        migrate(site.newer)
        more_hands(hosts)
        run_code(site.older, more_rows(site.release))
        site.switch(rest, site.older, site.newer)
        more_hands(hosts)
        with inside(site.newer):
            wait_until(names_are_public, what=site.newer.log)
            use_new_features()
        more_hands(hosts)

        site.switch(rest, site.newer, site.older)
        with inside(site.newer):
            deadline = write_deadline()
        more_hands(hosts)
        run_code(site.older, more_rows(site.release))
        assert {path: rest.ask("GET", path).status for path in READ} == dict.fromkeys(READ, 200)
        check_by_older(site.older)
        if DIGEST in kinds:
            with inside(site.newer):
                wait_until(finished(deadline).exists, what=site.older.log)
        else:
            wait_until(
                lambda: site.older.readiness() == ["job_parked"], what="the deadline is given up"
            )

        migrate(site.newer)
        site.switch(rest, site.older, site.newer)
        more_hands(hosts)
        with inside(site.newer):
            wait_until(finished(deadline).exists, what=site.newer.log)
        pack_old_publications(rest, site, inside)
    if site.both:
        assert hosts.statuses[0] == 0  # somebody served all the time
    all_is_there(site, inside, hosts)


@contextmanager
def load(rest: MovingClient) -> Iterator[Hosts]:
    """Enter hands for the block; nobody refuses one for another reason than a lock."""
    hosts = Hosts(rest, TABLES, hands=100_000).start()
    try:
        yield hosts
    finally:
        hosts.end()
    assert hosts.rude == []


def more_hands(hosts: Hosts) -> None:
    """Wait until further hands are acknowledged."""
    wanted = len(hosts.acknowledged) + HANDS

    def entered() -> bool:
        assert hosts.rude == [], [answer.body for answer in hosts.rude]
        return hosts.has(wanted)

    wait_until(entered, what=f"{wanted} hands; {hosts.statuses}")


def migrate(project: LiveProject) -> None:
    done = project.manage("migrate", "--skip-checks", "--verbosity", "0")
    assert done.returncode == 0, done.stdout + done.stderr


def in_directory(project: LiveProject, code: str) -> str:
    """Let code find `sheets.csv`: the first lines of the older release's own demo, or all."""
    sheets = project.root / "tournaments" / "demo" / "sheets.csv"
    lines = sheets.read_text(encoding="utf-8").splitlines(keepends=True)
    given = project.place / "sheets.csv"
    given.write_text("".join(lines[: short_or_long(LINES, None)]), encoding="utf-8")
    return code.replace("sheets.csv", str(given))


def check_by_older(older: LiveProject) -> None:
    """Compare as the older release does: only publications of the newer one may differ, and are
    made again (docs/upgrading.md)."""
    done = older.manage("replay", "--check", "--json")
    events = json.loads(done.stdout.splitlines()[-1])
    assert [one for one in events if one["differing"]] == []
    for event in (one["event"] for one in events if one["publication"] == "differs"):
        older.manage("replay", "--club", "oldtown", "--event", event)
    done = older.manage("replay", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def names_are_public() -> bool:
    """Whether the public reads a name of every player that the older release added."""
    players = Player.objects.filter(club__slug="oldtown").select_related("club")
    return all(player.public_name == public_name_of(player, player.club) for player in players)


def use_new_features() -> None:
    """Write what the older release does not know."""
    event = Event.objects.select_related("club").get(club__slug="oldtown", slug="league")
    now = timezone.now()
    meeting, _ = evening(event, 8, on=date(2026, 12, 3))
    plans(meeting, 2)
    set_names_policy(by_tests(now), event.club, policy="initial")
    invite(by_tests(now), event.club, role="player", name="Vera", email="v@e.example")
    wanted = {"round_minutes": 45}
    change_settings(by_tests(now), event, values=wanted, reason="A clock.")


def write_deadline() -> int:
    event = Event.objects.get(club__slug="oldtown", slug="league")
    meeting = event.meetings.latest("date")
    set_deadline(event, DIGEST, timezone.now(), key=str(meeting.pk))
    return event.deadlines.get(kind=DIGEST, key=str(meeting.pk)).pk


def finished(deadline: int) -> QuerySet[Deadline]:
    return Deadline.objects.filter(pk=deadline, done_at__isnull=False)


def pack_old_publications(rest: MovingClient, site: Releases, inside: Inside) -> None:
    """Pack what the older release published, as a worker does a week later; its readers see the
    same bytes."""
    numbers = range(1, 4)
    before = [rest.ask("GET", f"{EVENT}/publications/{number}").body for number in numbers]
    with inside(site.newer):
        while pack_piece(now=timezone.now() + timedelta(days=9)):
            pass
        packed = Publication.objects.filter(pack__isnull=False, event__slug="league")
        assert packed.filter(number__in=numbers).count() == len(numbers)
    assert [rest.ask("GET", f"{EVENT}/publications/{number}").body for number in numbers] == before


def all_is_there(site: Releases, inside: Inside, hosts: Hosts) -> None:
    """Compare what is stored and published with what was acknowledged, and with the entries."""
    with inside(site.newer):
        event = Event.objects.select_related("club").get(club__slug="oldtown", slug="league")
        found = stored(event)
        assert {key: n for key, n in found.items() if key[0].startswith("r1")} == (
            hosts.acknowledged
        )
        wait_until(lambda: published_hands(event) == len(found), what=site.newer.log)
        wait_until(names_are_public, what=site.newer.log)
    assert run_code(site.newer, CHECK) == ["checked"]
    assert site.newer.readiness() == []
