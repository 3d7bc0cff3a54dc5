"""The processes of a running service, what they need to start, and the addresses of the site."""

import fcntl
import ipaddress
import os
import re
import socket
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Final

from celery import current_app
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.http.request import validate_host

from tournaments.management.supervisor import Child

OTHERS: Final = 0o077
"""The umask, and the mode bits that it removes: access for the owner only."""
FOR_OTHERS: Final = frozenset({"collectstatic", "makemigrations", "spectacular"})
"""Commands that write what others read: files that a server hands out, and sources."""

_ADVISORY_KEY = 0x426C61636B  # any constant of our own; PostgreSQL keeps these apart by database


class CannotServe(Exception):
    """What a server needs is missing or in use; the reason as one line."""


class AlreadyServed(CannotServe):
    """Another process serves this database."""


WEB_MODULE = "config.web.server"
"""Module of a web process: `load()` returns the application before the process is forked,
`serve(socket, application, threads=...)` is its work."""

WEB_THREADS = 4

SETUP_PATH = "setup"
"""Path of set-up links, which `serve` prints without loading the URLs."""

FIRST_FD = 3
"""The first socket that systemd passes, sd_listen_fds(3)."""


def make_private(words: Sequence[str]) -> None:
    """Make a command create files for its own account only, unless others are to read them."""
    if len(words) < 2 or words[1] not in FOR_OTHERS:
        os.umask(OTHERS)


def restrict_to_owner(paths: Iterable[Path]) -> None:
    """Remove the permissions of other accounts on existing files and directories.

    Files of other accounts are left unchanged.
    """
    for path in paths:
        with suppress(FileNotFoundError):
            _change_mode(path, lambda mode, _is_dir: mode & ~OTHERS)


def _change_mode(path: Path, new_mode: Callable[[int, bool], int]) -> None:
    status = path.lstat()
    mode = stat.S_IMODE(status.st_mode)
    is_dir = stat.S_ISDIR(status.st_mode)
    is_ours = status.st_uid == os.geteuid() and (is_dir or stat.S_ISREG(status.st_mode))
    if is_ours and mode != new_mode(mode, is_dir):
        path.chmod(new_mode(mode, is_dir))


def make_readable(root: Path, *, but: Path) -> None:
    """Let every account read collected static files: files 0644, directories 0755.

    A web server that serves them may run as another account; the umask may have been stricter.
    Nothing is changed if `root` contains `but`, the installation's own directory: that would
    expose the database too.
    """
    if root.resolve() in (but.resolve(), *but.resolve().parents):
        return
    for place, _, names in os.walk(root):
        for path in (Path(place), *(Path(place) / name for name in names)):
            _change_mode(path, lambda mode, is_dir: mode | (0o755 if is_dir else 0o644))


def files_of(var: Path, database: str = "") -> list[Path]:
    """Return the directory of an installation, its contents, and its SQLite file with the files
    beside it; `static` is for everybody."""
    inside = [path for path in var.rglob("*") if var / "static" not in (path, *path.parents)]
    beside = [Path(database + end) for end in ("", "-wal", "-shm", "-journal", ".serve-lock")]
    return [var, *inside, *(beside if database else ())]


@contextmanager
def only_one_serve(address: str, *, on: BaseDatabaseWrapper | None = None) -> Iterator[int]:
    """Hold the lock of a database for the block, in which the site is at `address`.

    Yields the open file that holds the lock. Forked children close it: the lock is free when the
    last copy is closed.

    Args:
        address: empty while a backup is restored and no site is served.
        on: the database; the installation's own by default.
    """
    database = on or connection.copy()
    is_server = database.vendor == "postgresql"
    with _advisory_lock(database) if is_server else _file_lock(database, address) as fd:
        yield fd


def served_address() -> str:
    """Return the address that `serve` has on this SQLite database now; empty if none is known."""
    if connection.vendor == "postgresql":
        return ""
    try:
        with _lock_path(connection).open(encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return "".join(file.read().split("\n")[1:2])
    except FileNotFoundError:
        pass
    return ""


def _lock_path(database: BaseDatabaseWrapper) -> Path:
    return Path(f"{database.settings_dict['NAME']}.serve-lock")


@contextmanager
def _file_lock(database: BaseDatabaseWrapper, address: str) -> Iterator[int]:
    # Appending, because to open must not empty what the holder of the lock has written.
    with _lock_path(database).open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            file.seek(0)
            raise AlreadyServed(
                f"{database.settings_dict['NAME']} is being served already, by process "
                f"{file.readline().strip() or '?'}."
            ) from held
        file.truncate(0)
        file.write(f"{os.getpid()}\n{address}\n")
        file.flush()
        yield file.fileno()


@contextmanager
def _advisory_lock(database: BaseDatabaseWrapper) -> Iterator[int]:
    """Hold the lock in a separate session, which nothing else closes."""
    if settings.DATABASE_POOLER != "none":
        raise CannotServe(
            "This command holds a lock for as long as it runs, and behind a pooler no session "
            f"lasts. Run `{settings.COMMAND} web` and `{settings.COMMAND} worker` instead."
        )
    session = database.copy()
    try:
        with session.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [_ADVISORY_KEY])
            if not cursor.fetchone()[0]:
                raise AlreadyServed(
                    f"Database {database.settings_dict['NAME']} is being served already."
                )
        yield session.connection.fileno()
    finally:
        with suppress(DatabaseError):  # the server may be gone by now
            session.close()


def has_static_files() -> bool:
    return not settings.COLLECTED or (settings.STATIC_ROOT / "staticfiles.json").exists()


def require_static_files() -> None:
    if not has_static_files():
        raise CannotServe(
            f"No static files are collected in {settings.STATIC_ROOT}, so that every page would "
            f"fail. Run `{settings.COMMAND} collectstatic --noinput`, then start again."
        )


def count_missing_migrations() -> int:
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def prepare() -> None:
    """Restrict files to this account, migrate the schema, create the cache table."""
    is_file = connection.vendor == "sqlite"
    database = str(connection.settings_dict["NAME"]) if is_file else ""
    restrict_to_owner(files_of(settings.VAR_DIR, database))
    if count_missing_migrations():
        call_command("migrate", interactive=False, verbosity=0)
    call_command("createcachetable", verbosity=0)


BACKLOG: Final = 1024
"""Connections that wait for a web process."""


def listen(host: str, port: int, *, at_once: bool = True) -> socket.socket:
    """Return a listening socket; port 0 is any free port. Connections wait for a web process.

    Unless `at_once`, they are refused until a web process is loaded, so that a proxy asks another.
    A socket passed by systemd is used: systemd keeps it open during restarts of this process, so
    that no connection is refused.
    """
    pid, number = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    if pid == str(os.getpid()) and number == "1":
        return socket.socket(fileno=FIRST_FD)
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        if at_once:
            listening.listen(BACKLOG)
    except (OSError, OverflowError) as fault:
        listening.close()
        reason = "; a port is a number from 1 to 65535."
        if isinstance(fault, OSError):
            reason = f" ({fault.strerror}); choose another with PORT=."
        raise CannotServe(f"Cannot listen on {host}:{port}{reason}") from fault
    return listening


def web(
    listening: socket.socket, workers: int | None = None, *, closes: Sequence[int] = ()
) -> list[Child]:
    """The web processes: one on SQLite, which has one writer, one a core otherwise, or `workers`.

    All of them serve one socket, and share what is loaded here.
    """
    module = import_module(WEB_MODULE)
    run = partial(module.serve, listening, module.load(), threads=WEB_THREADS)
    number = workers or (1 if connection.vendor == "sqlite" else os.cpu_count() or 1)
    names = ["web"] if number == 1 else [f"web-{place}" for place in range(1, number + 1)]
    return [Child(name, run, closes=closes) for name in names]


def worker(*, closes: Sequence[int] = ()) -> Child:
    """The Celery worker; with the memory broker it runs its own dispatcher."""
    current_app.loader.import_default_modules()
    options = ("--pool", "solo", "--loglevel", "WARNING", "--without-gossip", "--without-mingle")
    run = partial(current_app.start, [*worker_words(None), *options])
    return Child("worker", run, closes=closes)


NAME_LENGTH: Final = 50
"""Longest name of a worker, to which Celery adds `@` and the host."""


def worker_words(concurrency: int | None, name: str = "") -> list[str]:
    """Celery's command line of a worker: a number of tasks at once, or one a core.

    It skips Django's checks: they would load all URLs, which tasks do not need. The name is that of
    the state directory by default, so that two workers have two names.
    """
    name = name or re.sub(r"[^\w./-]", "-", str(settings.VAR_DIR))[-NAME_LENGTH:]
    options = [] if concurrency is None else ["--concurrency", str(concurrency)]
    return ["--quiet", "--skip-checks", "worker", "--hostname", f"{name}@%h", *options]


def setup_address(site: str, token: str) -> str:
    return f"{site.rstrip('/')}/{SETUP_PATH}/{token}"


def address(host: str, port: int) -> str:
    return f"http://{host}:{port}"


OWN: Final = "127.0.0.1"
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address for documentation. Nothing is sent there: the system only says how it would go."""


def site_addresses(host: str, port: int) -> tuple[list[str], list[str]]:
    """Return the addresses of a site that listens on a host (0.0.0.0 is all) and port.

    First the addresses that serve pages, starting with that of this machine; then the hosts that
    reach the site but are refused.
    """
    if not ipaddress.ip_address(host).is_unspecified:
        allowed = validate_host(host, settings.ALLOWED_HOSTS)
        return [address(host, port)], [] if allowed else [host]
    hosts = [OWN, *_network_address(), *_named_hosts()]
    usable = [name for name in dict.fromkeys(hosts) if validate_host(name, settings.ALLOWED_HOSTS)]
    refused = [name for name in hosts if name not in usable and name != OWN]
    return [address(name, port) for name in usable or [OWN]], refused


def _network_address() -> list[str]:
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(_ELSEWHERE)
        network_address = str(probe.getsockname()[0])
        return [] if ipaddress.ip_address(network_address).is_loopback else [network_address]
    return []


def _named_hosts() -> list[str]:
    return [
        name
        for name in settings.ALLOWED_HOSTS
        if name[:1] not in (".", "*") and name != "localhost"
    ]
