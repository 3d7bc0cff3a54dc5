"""The two processes of a running service, and what must be there before they start."""

import os
import socket
import sys

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tournaments.management.supervisor import GRACE_S, Child

WEB_THREADS = 4


class PortTaken(Exception):
    """Somebody listens at the address already."""


def prepare() -> None:
    """Bring the schema up to date and make the cache table, where that is needed."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)
    call_command("createcachetable", verbosity=0)


def require_free_port(host: str, port: int) -> None:
    """Look whether we could listen there.

    Raises:
        PortTaken: we could not.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as fault:
            raise PortTaken(
                f"Cannot listen on {host}:{port} ({fault.strerror}); choose another with PORT=."
            ) from fault
        except OverflowError as fault:
            raise PortTaken(
                f"Cannot listen on {host}:{port}; a port is a number from 1 to 65535."
            ) from fault


def web(host: str, port: int) -> Child:
    """The web process: one worker on SQLite, which has one writer, one a core otherwise."""
    workers = 1 if connection.vendor == "sqlite" else os.cpu_count() or 1
    options = {
        "--interface": "wsgi",
        "--host": host,
        "--port": port,
        "--workers": workers,
        "--blocking-threads": WEB_THREADS,
        "--workers-kill-timeout": int(GRACE_S) - 2,
        "--log-level": "warning",
    }
    words = [str(word) for option in options.items() for word in option]
    return Child("web", (sys.executable, "-m", "granian", *words, "config.wsgi:application"))


def worker() -> Child:
    """The Celery worker; with the memory broker its own pump feeds it.

    It skips Django's checks: its tasks need no addresses, and those would load every page.
    """
    general = ("--quiet", "--skip-checks", "--app", "config.celery")
    options = ("--pool", "solo", "--loglevel", "WARNING", "--without-gossip", "--without-mingle")
    return Child("worker", (sys.executable, "-m", "celery", *general, "worker", *options))


def address(host: str, port: int) -> str:
    """The beginning of every URL that a person opens."""
    return f"http://{host}:{port}"
