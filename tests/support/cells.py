"""Which cells of the test matrix run: SQLite always, the others where their service can be had.

A pytest plugin, loaded by `addopts` before Django's settings are read, because it chooses the
database. Without `--cell` everything runs on SQLite. `--cell=pg` runs the database tests on
PostgreSQL, `--cell=rest` what that leaves: tests without a database, with a service, and those
marked `once`, and the first of each three of a module that are marked `both_databases` (`--long`:
all of them); where there is no PostgreSQL, nothing was left out and all runs.
What BLACKLADY_REQUIRE names must be there, or the run fails; what is not there is said at the end.
"""

import os
import shutil
import socket
import tomllib
import uuid
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from urllib.parse import SplitResult, quote, urlencode, urlsplit, urlunsplit

import psycopg
import pytest

from tests.support import lengths

ROOT = Path(__file__).resolve().parents[2]
MINIMUM = ROOT / "tests" / "support" / "minimum_counts.toml"
SERVICES = ("pg", "redis", "rabbitmq", "browser", "proxies")
ADDRESSES = {
    "pg": ("BLACKLADY_TEST_PG", "postgres://postgres@127.0.0.1:5432/postgres"),
    "redis": ("BLACKLADY_TEST_REDIS", "redis://127.0.0.1:6379/0"),
    "rabbitmq": ("BLACKLADY_TEST_RABBITMQ", "amqp://guest:guest@127.0.0.1:5672//"),
}
PORTS = {"postgres": 5432, "postgresql": 5432, "redis": 6379, "amqp": 5672}
CHROMIUM = "/usr/bin/chromium"
PROXIES = ("/usr/bin/caddy", "/usr/sbin/nginx")
THIRD = 3
"""Of the tests of a module that run on both databases, one in so many runs on SQLite too."""
SHARED = Path(os.environ.get("BLACKLADY_SHARED", ROOT.parent / "shared"))


def address(service: str) -> str:
    """The URL of a service, from the environment or the usual place."""
    variable, usual = ADDRESSES[service]
    return os.environ.get(variable, usual)


def missing(service: str) -> str | None:
    """Why a service cannot be had, or None where it can."""
    if service == "browser":
        return None if shutil.which(CHROMIUM) else f"no {CHROMIUM} (apt-get install chromium)"
    if service == "proxies":
        absent = [program for program in PROXIES if not shutil.which(program)]
        return f"no {' or '.join(absent)} (apt-get install caddy nginx-light)" if absent else None
    parts = urlsplit(address(service))
    place = (parts.hostname or "127.0.0.1", parts.port or PORTS[parts.scheme])
    try:
        socket.create_connection(place, timeout=2).close()
    except OSError as error:
        return f"nothing answers at {ADDRESSES[service][0]} ({place[0]}:{place[1]}): {error}"
    return None


def required() -> tuple[str, ...]:
    """The services that this run must not do without."""
    return tuple(
        name.strip() for name in os.environ.get("BLACKLADY_REQUIRE", "").split(",") if name.strip()
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cell",
        default="sqlite",
        choices=("sqlite", "pg", "rest"),
        help="sqlite: everything on SQLite; pg: the database tests on PostgreSQL; rest: the others",
    )
    parser.addoption(
        "--long", action="store_true", help="run long tests in full, not in their short form"
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    """Give the settings their environment before pytest-django reads them."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _refuse_missing()
        os.environ[lengths.LONG] = str(int(early_config.known_args_namespace.long))
        on_pg = early_config.known_args_namespace.cell == "pg" and missing("pg") is None
        os.environ["DATABASE_URL"] = _own_database() if on_pg else "sqlite:///var/tests.sqlite3"
        os.environ["SECRET_KEY"] = "only-for-tests"
        os.environ["EMAIL_URL"] = "consolemail://"
        os.environ["TOKEN_REQUESTS_PER_MINUTE"] = "0"
        os.environ["STATIC_COLLECTED"] = os.environ["BEHIND_TLS"] = "0"
        for name in ("BROKER_URL", "CACHE_URL", "DEBUG", "ALLOWED_HOSTS", "SITE_URL"):
            os.environ.pop(name, None)
    return (yield)


def _refuse_missing() -> None:
    known = ", ".join(SERVICES)
    for name in required():
        if name not in SERVICES:
            raise pytest.UsageError(f"BLACKLADY_REQUIRE names {name}; known: {known}")
        if reason := missing(name):
            raise pytest.UsageError(f"BLACKLADY_REQUIRE names {name}, but {reason}")


def _own_database() -> str:
    """A name of our own on the test server, so that two runs do not meet."""
    name = f"blacklady_{uuid.uuid4().hex[:8]}"
    # What these tests keep need not survive a power cut, so no commit waits for the disk. Tables
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
        # The URL has no place for another port beside a directory.
        return directory.strip() if port == "5432" and directory.strip().startswith("/") else None
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """End before anything is collected where this run's database cannot be had."""
    if config.getoption("cell") == "pg" and (reason := missing("pg")):
        print(f"cell pg: not run, {reason}")
        return 0
    return None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the library's thousands of tests to the other run: none of them asks a database."""
    is_library = collection_path == ROOT / "tests" / "scoring"
    return True if is_library and config.getoption("cell") == "pg" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None]:
    """Keep what this cell can run; a test goes to the cells of its markers."""
    here = {service for service in SERVICES if missing(service) is None}
    cell = cell_of(config)
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    twice: Counter[Path] = Counter()
    for item in items:
        needed = {service for service in SERVICES if item.get_closest_marker(service)}
        runs = _runs(item, needed, cell, here)
        if runs and cell == "rest" and _runs(item, needed, "pg", here):
            runs = lengths.is_long() or twice[item.path] % THIRD == 0
            twice[item.path] += 1
        (kept if runs else dropped).append(item)
        database = "pg" if cell == "pg" else "sqlite"
        item.user_properties += [("cell", name) for name in needed or {database}]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept
    yield
    # Thousands of them are done in no time: they fill up the end, where one process may have a long
    # test left and the other nothing.
    items.sort(key=lambda item: item.path.is_relative_to(ROOT / "tests" / "scoring"))


def _runs(item: pytest.Item, needed: set[str], cell: str, here: set[str]) -> bool:
    if "shared" in getattr(item, "fixturenames", ()) and not SHARED.is_dir():
        return False
    if item.get_closest_marker("long") is not None and not lengths.is_long():
        return False
    is_once = item.get_closest_marker("once") is not None
    on_pg = not needed and not is_once and _uses_database(item)
    if cell == "pg":
        return on_pg
    if cell == "rest" and on_pg:
        return item.get_closest_marker("both_databases") is not None
    return needed <= here


def cell_of(config: pytest.Config) -> str:
    """What this run runs; the rest of nothing is everything."""
    cell = str(config.getoption("cell"))
    return "sqlite" if cell == "rest" and missing("pg") else cell


def _uses_database(item: pytest.Item) -> bool:
    fixtures = getattr(item, "fixturenames", ())
    return item.get_closest_marker("django_db") is not None or bool(
        {"db", "transactional_db", "live_server"} & set(fixtures)
    )


class Tally:
    """Counts the passed tests of each cell, and holds them against the committed minimum."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.passed: Counter[str] = Counter()
        self.worked: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.passed.update(str(value) for key, value in report.user_properties if key == "cell")
            self.worked.update(
                str(value) for key, value in report.user_properties if key == "variant"
            )

    @property
    def cells(self) -> tuple[str, ...]:
        if cell_of(self.config) == "pg":
            return ("pg",)
        return ("sqlite", *(service for service in SERVICES if missing(service) is None))

    @property
    def too_few(self) -> list[str]:
        """Sentences about cells below their minimum; only a whole run is judged."""
        options = self.config.option
        whole = self.config.args_source is pytest.Config.ArgsSource.TESTPATHS
        if not whole or options.keyword or options.markexpr or options.collectonly:
            return []
        minimum = tomllib.loads(MINIMUM.read_text(encoding="utf-8"))[cell_of(self.config)]
        return [
            f"cell {cell}: {self.passed[cell]} tests passed, at least {least} expected"
            for cell, least in minimum.items()
            if cell in self.cells and self.passed[cell] < least
        ]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus == pytest.ExitCode.OK and self.too_few:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("cells")
        if cell_of(self.config) == "rest":
            terminalreporter.line(
                "database tests: on PostgreSQL (--cell=pg); here of those that can differ on SQLite"
                + ("" if lengths.is_long() else " the first of each three of a module")
            )
        for cell in self.cells:
            terminalreporter.line(f"{cell}: {self.passed[cell]} passed")
        if cell_of(self.config) != "pg":
            for service in SERVICES:
                if reason := missing(service):
                    terminalreporter.line(f"{service}: not run, {reason}")
        if not lengths.is_long():
            terminalreporter.line("long tests: in their short form (make test-long)")
        if self.worked:
            each = ", ".join(f"{variant} {n}" for variant, n in sorted(self.worked.items()))
            total, variants = sum(self.worked.values()), len(self.worked)
            terminalreporter.line(f"{total} worked cases of {variants} variants: {each}")
        if not SHARED.is_dir():
            terminalreporter.line(
                "tests on the shared sheets and cases: not run, no such directory"
            )
        for sentence in self.too_few:
            terminalreporter.line(f"FAILED {sentence}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Tally(config), "blacklady-tally")
