"""A soak: hands at a steady pace for a long time, and what becomes of the processes' memory.

Several clubs play at once. Their hosts enter hands over REST, their directors seat round after
round, some people read standings; at the end all of it is made again from the entries and compared.
Served as docker-compose.yml says on PostgreSQL, and by `manage.py serve` on SQLite.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Max
from django.utils import timezone

from benchmarks.databases import on_postgresql, why_no_redis
from benchmarks.full_evening import percentile
from benchmarks.installations import running
from benchmarks.leagues import NOW, write_league
from benchmarks.load import MB_UNIT, Looks, watched
from benchmarks.measure import Figure, Goal, say
from benchmarks.sizes import Sizes
from benchmarks.steady_hosts import Place, Soak, Told
from tests.support.live.project import LiveProject, wait_until
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.rounds import Round
from tournaments.models.standings import Publication
from tournaments.policy import command
from tournaments.selectors.jobs.jobs import get_job_backlog
from tournaments.services.access.tokens import make_token
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.targets import find_target
from tournaments.services.operations import Operation

EVENT: Final = "league"
WARM_UP: Final = 6
"""Memory counts after this fraction (one in this many) of the time."""
KINDS: Final = (
    ("own", "own memory", Goal(1.05)),
    ("share", "memory (PSS)", None),
    ("resident", "memory (RSS)", None),
)
"""Kinds of memory; the share changes also when others on the machine read the same files."""
IN_MS: Final = 1e3
SERVER_ERROR: Final = 500
DRAINED_S: Final = 120.0
REPLAYED_S: Final = 1800.0
SET_UP_S: Final = 300


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    missing = why_no_redis() if on_postgresql() else None
    if missing:
        say(f"nothing is measured over HTTP: {missing}")
        return
    places = [
        make_place(folder, f"club-{number}", sizes) for number in range(1, sizes.soak_clubs + 1)
    ]
    seconds = 60 * sizes.soak_minutes
    number = max(1, round(sizes.soak_minutes * sizes.soak_a_minute))
    lasts_s = round(seconds + DRAINED_S + REPLAYED_S + SET_UP_S)
    with running(folder, f"{places[0].address}/standings", lasts_s=lasts_s) as project:
        say(f"{number:,} hands in {sizes.soak_minutes:g} minutes at {len(places)} clubs")
        published = Publication.objects.count()
        names = ("web", "worker") if on_postgresql() else ("web and worker",)
        groups = {name: process.pid for name, process in zip(names, project.processes, strict=True)}
        with watched(groups, sizes.soak_look_s) as looks:
            told = Soak(project.port, places).run(number=number, apart_s=seconds / number)
            yield from _work_left()
            yield from _answers(told, Publication.objects.count() - published)
        yield from _memory(looks, sizes)
        yield from _replayed(project)


def make_place(folder: Path, slug: str, sizes: Sizes) -> Place:
    seats = 4 * sizes.soak_tables
    file = write_league(folder / f"{slug}.csv", players=seats, hands=sizes.small_hands)
    target = find_target(actor=command("import_sheets"), club=slug, event=EVENT, create=True)
    op = Operation(command("import_sheets"), NOW)
    import_file(op, target, ImportRequest(file, file.name))
    club = Club.objects.get(slug=slug)
    tokens = {
        role: _token(club, role, scope) for role, scope in (("owner", "manage"), ("host", "enter"))
    }
    people = list(Player.objects.filter(club=club).order_by("player_id"))
    ids = [player.player_id for player in people[:seats]]
    rounds = Round.objects.filter(event__club=club)
    last = rounds.aggregate(last=Max("number"))["last"] or 0
    # What is closed here was played elsewhere: the clubs' own rounds come after it.
    rounds.update(state="closed")
    return Place(
        address=f"/api/v1/clubs/{slug}/events/{EVENT}",
        page=f"/clubs/{slug}/events/{EVENT}",
        director=tokens["owner"],
        host=tokens["host"],
        tables=[ids[start : start + 4] for start in range(0, len(ids) - 3, 4)],
        first_round=last + 1,
        close=partial(_close, slug),
    )


def _close(slug: str, number: int) -> None:
    try:
        round_ = Round.objects.select_related("club", "event").get(
            event__club__slug=slug, number=number
        )
        close_tables(Operation(command("bench"), timezone.now()), round_)
    finally:
        connection.close()


def _token(club: Club, role: str, scope: str) -> str:
    user = User.objects.create_user(f"{role}-{club.slug}")
    Membership.objects.create(club=club, user=user, role=role)
    return make_token(Operation(command("bench"), NOW), club, user=user, scope=scope)


def _answers(told: Told, published: int) -> Iterator[Figure]:
    for wrong in told.wrong[:10]:
        say(wrong)
    refused = [status for status in told.statuses if status != 201]
    faults = [one for one in (*told.statuses, *told.read_statuses) if one >= SERVER_ERROR]
    yield Figure("soak", "hands entered", len(told.hands_s), "hands")
    yield Figure("soak", "hands not taken", len(refused), "hands", goal=Goal(0))
    yield Figure("soak", "answered 5xx or not at all", len(faults), "requests", goal=Goal(0))
    yield Figure("soak", "rounds seated", told.rounds, "rounds")
    yield Figure("soak", "publications", published, "publications")
    for name, seconds in (("POST of a hand", told.hands_s), ("GET of standings", told.reads_s)):
        for share in (50, 95, 100):
            what = "longest" if share == 100 else f"p{share}"
            value = IN_MS * percentile(seconds, share)
            yield Figure("soak", f"{name}, {what}", value, "ms")
    yield Figure("soak", "a hand sent after its moment, longest", told.late_s, "s")
    yield Figure("soak", "standings read", len(told.reads_s), "reads")
    unchanged = Counter(told.read_statuses)[304]
    yield Figure("soak", "of these answered 304", unchanged, "reads")


def _work_left() -> Iterator[Figure]:
    now = timezone.now()
    backlog = get_job_backlog(now)
    age = now - backlog.oldest if backlog.oldest else timedelta()
    yield Figure("soak", "age of the oldest work at the end", age.total_seconds(), "s")
    took = wait_until(
        lambda: not get_job_backlog(timezone.now()).waiting, what="the queue", within_s=DRAINED_S
    )
    yield Figure("soak", "until no work waited", took, "s")
    parked = get_job_backlog(timezone.now()).parked
    yield Figure("soak", "work given up", parked, "jobs", goal=Goal(0))


def _memory(looks: Mapping[str, Looks], sizes: Sizes) -> Iterator[Figure]:
    warm_up_s = 60 * sizes.soak_minutes / WARM_UP
    for name, group in looks.items():
        for kind, words, goal in KINDS:
            growth = group.growth(kind, warm_up_s)
            what = f"{words} of {name}"
            yield Figure(
                "soak",
                f"{what} at the end",
                growth.last,
                MB_UNIT,
                "after the warm-up",
                growth.first,
                growth.last / growth.first,
                goal,
            )
            yield Figure("soak", f"{what}, most", growth.most, MB_UNIT)
            yield Figure("soak", f"{what}, growth", IN_MS * growth.a_minute, "kB a minute")


def _replayed(project: LiveProject) -> Iterator[Figure]:
    say("replaying everything")
    ended = project.manage("replay", "--check", timeout=REPLAYED_S)
    lines = ended.stdout.splitlines()
    for line in (*lines, *ended.stderr.splitlines()[-5:]):
        say(line)
    yield Figure("soak", "exit status of replay --check", ended.returncode, "", goal=Goal(0))
