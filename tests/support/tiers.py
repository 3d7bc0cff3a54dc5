"""The three tiers of tests, and the database that each of them uses; a pytest plugin.

Each test has one tier: that of its marker (`tier_all`, `tier_long`), else that of its folder in
`FOLDERS`, else `test`.

- `--tier=test` (`make test`) runs on PostgreSQL where there is one, else on SQLite.
- `--tier=all` (`make test-all`) runs on SQLite: live servers, workers, browsers and what the
  folders below name, and again the first of each twelve tests of a module that are marked
  `both_databases`. Of the cases of one refusal of REST or a page it runs one in three.
- `--tier=long` (`make test-long`) runs everything at full length and at random, once for each
  `--database`: tests of rows on PostgreSQL, the others and those marked `both_databases` on SQLite.
- Without `--tier`, pytest runs what it is given but `tier_long`, on SQLite or on `--database`.

What BLACKLADY_REQUIRE names must be there. Live tests are repeated once when they fail.
"""

import gc
import os
import platform
import re
import shutil
import sqlite3
import tempfile
import tomllib
import uuid
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, quote, urlencode, urlsplit, urlunsplit

import django
import psycopg
import pytest

from tests.support import lengths
from tests.support.live.cluster import cluster_in_memory
from tests.support.made_once import PLACE
from tests.support.services import (
    ADDRESSES,
    ROOT,
    SERVICES,
    SHARED,
    address,
    missing,
    refuse_missing,
)
from tests.support.template_database import remove_template

MINIMUM = ROOT / "tests" / "support" / "minimum_counts.toml"
TIERS: Final = ("test", "all", "long")
FOLDERS: Final = {
    "tests/api/access/test_visibility.py": "all",
    "tests/api/boards": "all",
    "tests/api/hands/test_event_hands.py": "all",
    "tests/api/http": "all",
    "tests/api/http/test_fuzz_by_role.py": "long",
    "tests/api/http/test_stateful_links.py": "long",
    "tests/api/imports/test_deferred_imports.py": "all",
    "tests/benchmarks": "all",
    "tests/benchmarks/test_large_league.py": "long",
    "tests/browser": "all",
    "tests/browser/http/test_reference_page.py": "long",
    "tests/browser/rounds/test_knockout_cup.py": "long",
    "tests/config": "all",
    "tests/conventions": "all",
    "tests/conventions/test_quickstart.py": "long",
    "tests/journeys": "all",
    "tests/live": "all",
    "tests/live/concurrency/test_photos.py": "long",
    "tests/live/concurrency/test_publication_files.py": "long",
    "tests/live/concurrency/test_merge_players.py": "long",
    "tests/live/concurrency/test_player_changes.py": "long",
    "tests/live/concurrency/test_walk_overs.py": "long",
    "tests/live/deploy/test_containers.py": "long",
    "tests/live/faults/test_thousand_posts.py": "long",
    "tests/live/server/test_empty_database.py": "long",
    "tests/releasing": "all",
    "tests/tournaments/domain/archives": "all",
    "tests/tournaments/services/archives": "all",
    "tests/tournaments/policy": "all",
    "tests/tournaments/documents/test_score_sheets.py": "all",
    "tests/tournaments/services/publishing/history": "all",
    "tests/tournaments/services/ladders/test_invariants.py": "all",
    "tests/tournaments/views/access": "all",
    "tests/tournaments/delivery/test_dispatcher.py": "all",
    "tests/tournaments/views/hands/test_score_sheet.py": "all",
    "tests/tournaments/views/help": "all",
    "tests/tournaments/views/http": "all",
    "tests/tournaments/views/ladders": "all",
    "tests/tournaments/views/offline": "all",
    "tests/tournaments/views/people": "all",
    "tests/tournaments/views/playoffs": "all",
    "tests/tournaments/views/rules": "all",
    "tests/tournaments/delivery/webhooks": "all",
}
"""The tier of all tests below a folder or file that bear no marker of their own."""
REST_AND_PAGES: Final = ("tests/api", "tests/tournaments/views")
REFUSAL: Final = re.compile(
    "refus|_(cannot|not|no|only|never|nobody|nothing|without|wrong|hidden|missing|unknown|may)_"
)
"""Tests of REST and pages whose name says that something is refused or hidden: second tier."""
LONGEST: Final = (
    "tests/api/http/test_examples.py",
    "tests/browser/http/test_every_page.py",
    "tests/tournaments/policy/test_every_right.py",
    "tests/browser/rounds",
    "tests/live/faults",
    "tests/live/deploy/test_proxies.py",
    "tests/live",
    "tests/browser",
    "tests/journeys",
)
"""What a run begins with, so that no process is left with a long file at the end."""
LIVE_MARKERS: Final = ("worker", "browser", "proxies")
LIVE_FIXTURES: Final = frozenset({"live_server", "chromium"})
SHARE: Final = 12
"""Of the tests of a module that are marked `both_databases`, one in so many runs on SQLite too."""
CASES: Final = 3
"""Of the cases of a refusal of REST or a page, one in so many runs in the second tier."""
RUNS_ON: Final = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--tier", default="", choices=("", *TIERS), help="what to run; see tests/support/tiers.py"
    )
    parser.addoption(
        "--database", default="", choices=("", *RUNS_ON), help="where tests of rows run"
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    """Give the settings their environment before pytest-django reads them.

    What is collected stays, so nobody looks for garbage among it (tests/conftest.py).
    """
    gc.disable()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        arguments = early_config.known_args_namespace
        if arguments.tier:
            _start_cluster(early_config)
        os.environ[PLACE] = tempfile.mkdtemp(prefix="blacklady-")
        early_config.add_cleanup(_remove_shared)
        refuse_missing()
        os.environ[lengths.LONG] = str(int(arguments.tier == "long"))
        is_pg = _database(arguments.tier, arguments.database) == "postgresql"
        os.environ["DATABASE_URL"] = _own_database() if is_pg else "sqlite:///var/tests.sqlite3"
        os.environ["SECRET_KEY"] = "only-for-tests"
        os.environ["EMAIL_URL"] = "consolemail://"
        os.environ["TOKEN_REQUESTS_PER_MINUTE"] = "0"
        os.environ["STATIC_COLLECTED"] = os.environ["BEHIND_TLS"] = "0"
        for name in ("BROKER_URL", "CACHE_URL", "DEBUG", "ALLOWED_HOSTS", "SITE_URL"):
            os.environ.pop(name, None)
    return (yield)


def _start_cluster(config: pytest.Config) -> None:
    """Start a PostgreSQL server in memory for a whole run, unless the environment names one.

    A quarter of the time of tests with committed rows went into waiting for the disk.
    """
    if ADDRESSES["pg"][0] in os.environ or (cluster := cluster_in_memory()) is None:
        return
    os.environ[ADDRESSES["pg"][0]] = cluster.url
    os.environ["PGPORT"] = str(cluster.port)
    config.add_cleanup(cluster.end)


def _remove_shared() -> None:
    remove_template()
    shutil.rmtree(os.environ[PLACE])


def _database(tier: str, wanted: str) -> str:
    """The database of a run: what was asked for, else what the tier uses where it is there."""
    wanted = wanted or ("postgresql" if tier == "test" else "sqlite")
    return "sqlite" if wanted == "postgresql" and missing("pg") else wanted


def _own_database() -> str:
    name = f"blacklady_{uuid.uuid4().hex[:8]}"
    # What these tests write need not survive a power cut, so no commit waits for the disk. Tables
    # without statistics look large to the planner, and compiling a plan costs more than it saves.
    options = urlencode({"options": "-c synchronous_commit=off -c jit=off"}, quote_via=quote)
    server = urlsplit(address("pg"))
    if directory := _socket_directory(server):
        # Two slashes, and django-environ takes all but the last part for the host.
        user = quote(server.username or "")
        return f"{server.scheme}://{user}@/{directory}/{name}?{options}"
    return urlunsplit(server._replace(path=f"/{name}", query=options))


def _socket_directory(server: SplitResult) -> str | None:
    """The directory of a server's Unix socket where we may use it, else None.

    A statement over TCP takes three times as long as one through the socket, and the suite runs
    some 600,000 of them.
    """
    if server.hostname not in ("127.0.0.1", "localhost", "::1") or server.password:
        return None
    try:
        with psycopg.connect(server.geturl(), connect_timeout=5) as connection:
            found = connection.execute("SHOW unix_socket_directories").fetchone()
            port = str(connection.info.port)
    except psycopg.Error:
        return None
    for directory in str(found[0] if found else "").split(","):
        try:
            psycopg.connect(
                host=directory.strip(), port=port, user=server.username, dbname="postgres",
                connect_timeout=5,
            ).close()  # fmt: skip
        except psycopg.Error:
            continue
        # The URL has no place for a port beside a directory.
        is_usual = port == os.environ.get("PGPORT", "5432")
        return directory.strip() if is_usual and directory.strip().startswith("/") else None
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """End before anything is collected where the database that was asked for cannot be had."""
    if config.getoption("database") == "postgresql" and (reason := missing("pg")):
        print(f"--database=postgresql: not run, {reason}")
        return 0
    return None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    tier = str(config.getoption("tier"))
    place = _within(collection_path)
    if tier == "all" and place == "tests/scoring":
        return True
    if tier in ("test", "all") and FOLDERS.get(place) == "long":
        return True
    is_left_out = FOLDERS.get(place) == "all" and place != "tests/journeys"
    return True if tier == "test" and is_left_out else None


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None]:
    run = Run(config)
    kept = list(run.choose(items))
    dropped = set(items) - set(kept)
    if dropped:
        config.hook.pytest_deselected(items=list(dropped))
        items[:] = kept
    yield
    if run.tier == "all":
        _mix(items)
    else:
        # Thousands of them are done in no time: they fill up the end, where one process may have a
        # long test left and the other nothing.
        items.sort(key=lambda item: item.path.is_relative_to(ROOT / "tests" / "scoring"))


class Run:
    """What one run of pytest runs."""

    def __init__(self, config: pytest.Config) -> None:
        self.tier = str(config.getoption("tier"))
        self.database = _database(self.tier, str(config.getoption("database")))
        self.services = {service for service in SERVICES if missing(service) is None}

    def choose(self, items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
        again: Counter[Path] = Counter()
        cases: Counter[tuple[Path, str]] = Counter()
        for item in items:
            tier = tier_of(item)
            item.add_marker(f"tier_{tier}")
            needs = {service for service in SERVICES if item.get_closest_marker(service)}
            if is_live(item):
                item.add_marker(pytest.mark.flaky(reruns=1))
            item.user_properties += [("ran", name) for name in needs or {self.database}]
            if "shared" in getattr(item, "fixturenames", ()) and not SHARED.is_dir():
                continue
            if not needs <= self.services:
                continue
            is_chosen = self._has(item, tier, needs)
            if is_chosen and self.tier == "all" and is_refusal(item):
                test = item.path, item.name.partition("[")[0]
                is_chosen = cases[test] % CASES == 0
                cases[test] += 1
            if not is_chosen and self.tier == "all" and self._runs_again(item):
                is_chosen = again[item.path] % SHARE == 0
                again[item.path] += 1
            if is_chosen:
                yield item

    def _has(self, item: pytest.Item, tier: str, needs: set[str]) -> bool:
        if self.tier == "long":
            on_pg = "pg" in self.services and uses_rows(item) and not needs and not is_live(item)
            if self.database == "postgresql":
                return on_pg
            return not on_pg or item.get_closest_marker("both_databases") is not None
        return tier == self.tier if self.tier else tier != "long"

    def _runs_again(self, item: pytest.Item) -> bool:
        """Whether a test that runs on PostgreSQL in the first tier may do otherwise on SQLite."""
        return "pg" in self.services and item.get_closest_marker("both_databases") is not None


def tier_of(item: pytest.Item) -> str:
    """The tier of a test: that of its marker, else of its folder, else the first."""
    for tier in reversed(TIERS):
        if item.get_closest_marker(f"tier_{tier}") is not None:
            return tier
    place = _within(item.path)
    if names := [name for name in FOLDERS if f"{place}/".startswith(f"{name}/")]:
        return FOLDERS[max(names, key=len)]
    if is_live(item):
        return "all"
    return "all" if is_refusal(item) else "test"


def is_refusal(item: pytest.Item) -> bool:
    name = item.name.partition("[")[0]
    return _within(item.path).startswith(REST_AND_PAGES) and bool(REFUSAL.search(name))


def is_live(item: pytest.Item) -> bool:
    is_marked = any(item.get_closest_marker(name) for name in LIVE_MARKERS)
    return is_marked or bool(LIVE_FIXTURES & set(getattr(item, "fixturenames", ())))


def uses_rows(item: pytest.Item) -> bool:
    fixtures = getattr(item, "fixturenames", ())
    return item.get_closest_marker("django_db") is not None or bool(
        {"db", "transactional_db", "live_server"} & set(fixtures)
    )


def _mix(items: list[pytest.Item]) -> None:
    """Spread the files that mostly wait over those that mostly work, the longest of each first.

    Then no process waits while there is nothing for the others to do.
    """
    files = sorted({item.path for item in items})
    turns = {file: _turn(_within(file)) for file in files}
    places: dict[Path, float] = {}
    for waits in (True, False):
        kind = [file for file in files if (turns[file] < len(LONGEST)) is waits]
        kind.sort(key=lambda file: turns[file])
        places |= {file: number / len(kind) for number, file in enumerate(kind)}
    items.sort(key=lambda item: places[item.path])


def _turn(place: str) -> int:
    """The number of the first of `LONGEST` that a file belongs to; the others come last."""
    turns = (turn for turn, name in enumerate(LONGEST) if f"{place}/".startswith(f"{name}/"))
    return next(turns, len(LONGEST))


def _within(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""


class Tally:
    """Counts what passed, compares it with the committed minimum, and says what was left out."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.run = Run(config)
        self.passed: Counter[str] = Counter()
        self.worked: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.passed.update(str(value) for key, value in report.user_properties if key == "ran")
            self.worked.update(
                str(value) for key, value in report.user_properties if key == "variant"
            )

    @property
    def too_few(self) -> list[str]:
        """Sentences about services below their minimum; only a whole tier is judged."""
        options = self.config.option
        whole = self.config.args_source is pytest.Config.ArgsSource.TESTPATHS and self.run.tier
        if not whole or options.keyword or options.markexpr or options.collectonly:
            return []
        minimum = tomllib.loads(MINIMUM.read_text(encoding="utf-8")).get(self.run.tier, {})
        here = {*self.run.services, self.run.database}
        return [
            f"{name}: {self.passed[name]} tests passed, at least {least} expected"
            for name, least in minimum.items()
            if name in here and self.passed[name] < least
        ]

    @property
    def left_out(self) -> list[str]:
        after = TIERS[TIERS.index(self.run.tier) + 1 :] if self.run.tier else ("long",)
        what = {
            "all": "servers, workers, browsers and page refusals (make test-all)",
            "long": "random searches and full lengths (make test-long)",
        }
        reasons = [f"{name}: {reason}" for name in SERVICES if (reason := missing(name))]
        shared = [] if SHARED.is_dir() else ["comparisons with BLACKLADY_SHARED: no such directory"]
        return [*(what[tier] for tier in after), *reasons, *shared]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus == pytest.ExitCode.OK and self.too_few:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.worked:
            each = ", ".join(f"{variant} {n}" for variant, n in sorted(self.worked.items()))
            total, variants = sum(self.worked.values()), len(self.worked)
            terminalreporter.line(f"{total} worked cases of {variants} variants: {each}")
        for sentence in self.too_few:
            terminalreporter.line(f"FAILED {sentence}", red=True)

    def pytest_unconfigure(self) -> None:
        """Close the output with two lines: the versions, then what ran and what was left out."""
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or self.config.option.collectonly:
            return
        counts = ", ".join(f"{name} {self.passed[name]}" for name in sorted(self.passed))
        repeated = len({report.nodeid for report in reporter.stats.get("rerun", ())})
        attempts = f"{repeated} on the second attempt; " if repeated else ""
        reporter.line(f"{versions()}, {database_version(self.run.database)}")
        reporter.line(
            f"tier {self.run.tier or 'of the files named'} on {RUNS_ON[self.run.database]}: "
            f"passed with each service: {counts or 'nothing'}; {attempts}"
            f"left out: {'; '.join(self.left_out) or 'nothing'}"
        )


def versions() -> str:
    """The versions that tests run with: "Python 3.13.5, Django 5.2.9"."""
    return f"Python {platform.python_version()}, Django {django.get_version()}"


def database_version(database: str) -> str:
    """The version of the database that tests of rows use: "SQLite 3.40.1"."""
    if database == "sqlite":
        return f"SQLite {sqlite3.sqlite_version}"
    try:
        with psycopg.connect(address("pg"), connect_timeout=5) as connection:
            number = connection.info.server_version
    except psycopg.Error:
        return "PostgreSQL (it does not answer any more)"
    major, minor = divmod(number, 10_000)
    return f"PostgreSQL {major}.{minor}"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Tally(config), "blacklady-tally")
