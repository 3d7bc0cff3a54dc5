"""The web process: it serves a socket, and shares what `load` loads before it is forked."""

import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final, TypeVar

from django.db.migrations.loader import MigrationLoader
from django.template import Engine
from django.urls import reverse
from django.utils.translation import gettext
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.task import ThreadedTaskDispatcher

from config.database_connections import limit_database_time
from config.web import channels, incoming
from config.web.microcache import MicrocachedHandler
from tournaments.management.service import BACKLOG
from tournaments.management.supervisor import GRACE_S

T = TypeVar("T")


WORDS: Final = 70_000
"""The size of one frame; its chunk is the next power of two, and has room for a thousand more."""

FILES: Final = 4096
"""A connection has a socket, and a file each for a large body and a large answer."""

DRAIN_S: Final = GRACE_S - 3

SWITCH_S: Final = 0.0005
"""A thread that computes lets the others in after this; they come back from the database often."""


def with_large_frame(function: Callable[[], T]) -> T:
    """Call `function` on top of a frame whose chunk holds the frames of all that it calls."""
    return function()


with_large_frame.__code__ = with_large_frame.__code__.replace(co_stacksize=WORDS)


class Dispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress has no types
    """Threads that each have room for the frames of a request."""

    def handler_thread(self, thread_no: int) -> None:
        with_large_frame(partial(super().handler_thread, thread_no))


def make_server(
    sock: socket.socket, app: Callable[..., Iterable[bytes]], *, threads: int
) -> channels.Server:
    adjustments = Adjustments(
        sockets=[sock],
        threads=threads,
        # A proxy says who asks and how; Django's settings say whether it is believed.
        clear_untrusted_proxy_headers=False,
        ident="",
        backlog=BACKLOG,
        recv_bytes=2 * incoming.PIECE,
        inbuf_overflow=incoming.IN_MEMORY,
        outbuf_overflow=incoming.IN_MEMORY,
        # A thread never waits for who takes an answer: all of it goes to a file.
        outbuf_high_watermark=2**40,
        # Ours are fewer: this one would stop listening.
        connection_limit=channels.MOST_CONNECTIONS * 2,
        log_socket_errors=False,
        max_request_header_size=incoming.HEAD_BYTES,
        max_request_body_size=incoming.BODY_BYTES,
        asyncore_use_poll=True,
    )
    dispatcher = Dispatcher()
    dispatcher.set_thread_count(threads)
    sockinfo = (sock.family, sock.type, sock.proto, sock.getsockname())
    return channels.Server(
        app,
        {},
        True,
        sock,
        dispatcher=dispatcher,
        adj=adjustments,
        bind_socket=False,
        sockinfo=sockinfo,
    )


def run(server: channels.Server) -> None:
    """Serve until SIGTERM or SIGINT; then finish the requests in progress, and end."""
    ended_at: list[float] = []

    def end(number: int, frame: FrameType | None) -> None:
        ended_at.append(time.monotonic())
        server.pull_trigger()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    while not ended_at:
        wasyncore.loop(timeout=channels.LOOK_S, use_poll=True, map=server._map, count=1)
    server.stop_listening()
    while server.is_busy and time.monotonic() < ended_at[0] + DRAIN_S:
        server.close_idle()
        server.maintenance(time.monotonic())
        wasyncore.loop(timeout=0.05, use_poll=True, map=server._map, count=1)
    server.task_dispatcher.shutdown(timeout=1)


def load() -> Callable[..., Iterable[bytes]]:
    """Load all addresses, templates, translations and migrations, so that no request waits for
    them; return the application."""
    reverse("tournaments:clubs")
    gettext("Clubs")
    MigrationLoader(None)
    engine = Engine.get_default()
    for directory in map(Path, engine.dirs):
        for path in directory.rglob("*.*"):
            engine.get_template(str(path.relative_to(directory)))
    return MicrocachedHandler()


def serve(
    listening: socket.socket, application: Callable[..., Iterable[bytes]], *, threads: int
) -> None:
    """Serve a socket until SIGTERM or SIGINT."""
    limit_database_time("web")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, most) if most > 0 else FILES, most))
    sys.setswitchinterval(SWITCH_S)
    listening.listen(BACKLOG)
    run(make_server(listening, application, threads=threads))
