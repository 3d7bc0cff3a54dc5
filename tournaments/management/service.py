"""The processes of a running service, and what must be there before they start."""

import os
import socket
import sys

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tournaments.management.private_files import files_of, restrict_to_owner
from tournaments.management.supervisor import Child

WEB_MODULE = "config.web.server"
"""What a web process runs. It is given `--fd`, the socket to serve, and `--threads`."""
WEB_THREADS = 4
BACKLOG = 1024
SETUP_PATH = "setup"
"""Where the site opens set-up links. `serve` prints one, and does not load every page for it."""
FIRST_FD = 3
"""The first socket that systemd passes, sd_listen_fds(3)."""


class PortTaken(Exception):
    """Somebody listens at the address already."""


class NotCollected(Exception):
    """Pages take static files from a directory that has none: each would be a 500."""


def has_static_files() -> bool:
    """Return whether pages find their static files."""
    return not settings.COLLECTED or (settings.STATIC_ROOT / "staticfiles.json").exists()


def require_static_files() -> None:
    """Refuse to serve pages that cannot be shown.

    Raises:
        NotCollected: says which command to run.
    """
    if not has_static_files():
        raise NotCollected(
            f"No static files are collected in {settings.STATIC_ROOT}, so that every page would "
            f"fail. Run `{settings.COMMAND} collectstatic --noinput`, then start again."
        )


def prepare() -> None:
    """Close what is there to other accounts, bring the schema up to date, make the cache table."""
    is_file = connection.vendor == "sqlite"
    database = str(connection.settings_dict["NAME"]) if is_file else ""
    restrict_to_owner(files_of(settings.VAR_DIR, database))
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)
    call_command("createcachetable", verbosity=0)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; 0 is any free port. What comes waits for a web process.

    Where systemd passes a socket, it is that one: systemd keeps it open while this process starts
    again, so that nobody is refused meanwhile.

    Raises:
        PortTaken: we cannot.
    """
    if _has_passed_socket():
        return socket.socket(fileno=FIRST_FD)
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError as fault:
        listening.close()
        raise PortTaken(
            f"Cannot listen on {host}:{port} ({fault.strerror}); choose another with PORT=."
        ) from fault
    except OverflowError as fault:
        listening.close()
        raise PortTaken(
            f"Cannot listen on {host}:{port}; a port is a number from 1 to 65535."
        ) from fault
    return listening


def _has_passed_socket() -> bool:
    pid, number = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    return pid == str(os.getpid()) and number == "1"


def web(listening: socket.socket, workers: int | None = None) -> list[Child]:
    """The web processes: one on SQLite, which has one writer, one a core otherwise, or `workers`.

    All of them serve one socket.
    """
    fd = listening.fileno()
    words = (sys.executable, "-m", WEB_MODULE, "--fd", str(fd), "--threads", str(WEB_THREADS))
    number = workers or (1 if connection.vendor == "sqlite" else os.cpu_count() or 1)
    names = ["web"] if number == 1 else [f"web-{place}" for place in range(1, number + 1)]
    return [Child(name, words, fds=(fd,)) for name in names]


def worker() -> Child:
    """The Celery worker; with the memory broker its own dispatcher feeds it.

    It skips Django's checks: its tasks need no addresses, and those would load every page.
    """
    general = ("--quiet", "--skip-checks", "--app", "config.celery")
    options = ("--pool", "solo", "--loglevel", "WARNING", "--without-gossip", "--without-mingle")
    return Child("worker", (sys.executable, "-m", "celery", *general, "worker", *options))


def worker_words(concurrency: int | None) -> list[str]:
    """The words that start a worker beside a broker: so many tasks at once, or one a core."""
    number = [] if concurrency is None else ["--concurrency", str(concurrency)]
    general = ["--quiet", "--skip-checks", "--app", "config.celery"]
    return [sys.executable, "-m", "celery", *general, "worker", *number]


def setup_address(site: str, token: str) -> str:
    """The whole address of a set-up link, on a site whose addresses begin so."""
    return f"{site.rstrip('/')}/{SETUP_PATH}/{token}"


def address(host: str, port: int) -> str:
    """The beginning of every URL that a person opens."""
    return f"http://{host}:{port}"
