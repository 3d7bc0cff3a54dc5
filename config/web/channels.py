"""Limits of one connection to the web server: waitress with deadlines for slow clients.

waitress reads heads and bodies in its own loop and uses a thread for complete requests only. This
module adds what it lacks: deadlines and minimum rates for heads, bodies and answers; limits on
connections, on the requests waiting on each, and on the memory of bodies and answers; eviction of
the slowest connection of the network with most for a new one; and threads of their own for probes
and refusals. `config/web/incoming.py` bounds the cost of one request's bytes.
"""

import math
import time
from collections import Counter
from typing import Any, Final

from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask
from waitress.utilities import Error

from config.web.incoming import IN_MEMORY, PIECE, ExcessRequest, Parser, Refusal, TooBusy, TooSlow
from tournaments.domain.client_address import network_of

HEAD_S: Final = 10.0
"""From the first byte of a request to the end of its head."""
SILENT_S: Final = 30.0
"""Longest time without a byte, for a body or a new connection."""
GRACE_S: Final = 10.0
LEAST_RATE: Final = 500
"""Bytes a second of a body on the average once GRACE_S are over, and of an answer taken."""
BODY_S: Final = 900.0
"""A photo of 2 MB passes at 2.3 kB a second, which is slower than any telephone that works."""
KEPT_S: Final = 150.0
"""A connection between two requests: longer than proxies keep theirs, so that they end it."""
LINGER_S: Final = 5.0
"""How long data after a refusal is read and dropped, so that the refusal arrives."""
LOOK_S: Final = 1.0
"""Between two looks at every connection."""

MOST_CONNECTIONS: Final = 512
MOST_QUEUED: Final = 2
"""Requests of one connection that are not answered yet; browsers and proxies send one at a time."""
HELD_BYTES: Final = 512 * 1024 * 1024
"""Maximum total of bodies and answers that are larger than IN_MEMORY."""
WHOLE_BYTES: Final = 64 * 1024 * 1024
"""Maximum total of unsent answers in memory; above it a large answer waits in a file."""


class WholeAnswer(ReadOnlyFileBasedBuffer):
    """The bytes of a large answer, neither copied nor written to a file."""

    def __init__(self, content: bytes) -> None:
        self._left = memoryview(content)

    @property
    def remain(self) -> int:
        return len(self._left)

    def get(self, numbytes: int = -1, skip: bool = False) -> memoryview:
        piece = self._left if numbytes < 0 else self._left[:numbytes]
        if skip:
            unsent = self._left[len(piece) :]
            # A view holds all that it is a part of: what was sent must not stay for a slow reader.
            is_small = 2 * len(unsent) < len(unsent.obj)  # type: ignore[arg-type]  # bytes
            self._left = memoryview(bytes(unsent)) if is_small else unsent
        return piece

    def skip(self, numbytes: int, allow_prune: bool = False) -> None:
        self.get(numbytes, skip=True)

    def close(self) -> None:
        self._left = memoryview(b"")


class Answer(WSGITask):
    """The answer to a request; one without a body keeps the connection open.

    waitress closes a connection after an answer without a length. A 304 or 204 ends with its head
    (RFC 9112, section 6.3), and a page that follows standings gets a 304 every two seconds.
    """

    ends_with_head = False

    def build_response_header(self) -> bytes:
        connection = self.request.headers.get("CONNECTION", "").lower()
        self.ends_with_head = self.version == "1.1" and not self.has_body and connection != "close"
        head: bytes = super().build_response_header()
        self.ends_with_head = False
        return head

    def set_close_on_finish(self) -> None:
        if not self.ends_with_head:
            super().set_close_on_finish()


class Channel(HTTPChannel):
    """One connection, and since when it has been in its current state."""

    task_class = Answer
    error_task_class = Refusal

    # waitress'.
    adj: Any
    server: Any
    socket: Any
    request: Any
    requests: list[Any]
    outbufs: list[Any]
    connected: bool
    close_when_flushed: bool
    total_outbufs_len: int

    lingers = False
    lingering_since: float | None = None
    was_used = False
    untaken: tuple[float, int] | None = None
    """Time of the last look at an answer, and the unread bytes at that time."""

    def __init__(
        self, server: object, sock: object, addr: Any, adj: object, map: object = None
    ) -> None:
        self.since = self.free_since = self.heard = time.monotonic()
        self.network = network_of(str(addr[0]))
        self.parser_class = self._next_parser
        self.requests = []
        super().__init__(server, sock, addr, adj, map=map)

    def _next_parser(self, adj: object) -> Parser:
        last = self.requests[-1] if self.requests else None
        if last is None or not (last.error or len(self.requests) >= MOST_QUEUED):
            return Parser(adj)
        surplus = ExcessRequest(adj)
        surplus.error = None if last.error else TooBusy("")
        return surplus

    def received(self, data: bytes) -> bool:
        if self.lingering_since is not None:
            return False
        self.heard = time.monotonic()
        return all(self._take(data[at : at + PIECE]) for at in range(0, len(data), PIECE))

    def _take(self, piece: bytes) -> bool:
        begun, had_head, had = self.request, self._has_head, self._steps
        if begun is None:
            self.since = self.heard
        is_taken: bool = super().received(piece)
        if self.request is None:
            # Blank lines before a request are none: the connection is as free as it was.
            is_blank = begun.empty if begun is not None else not piece.strip()
            self.since = self.free_since if is_blank else self.heard
        elif not had_head and self._has_head:
            self.since = self.heard
        if self._steps > had:
            self.server.make_space()
        return is_taken

    @property
    def _has_head(self) -> bool:
        return self.request is not None and bool(self.request.headers_finished)

    @property
    def _steps(self) -> int:
        """The number of times that the body being read has grown by IN_MEMORY."""
        if self.request is None:
            return 0
        received: int = self.request.body_bytes_received
        return received // IN_MEMORY

    @property
    def held(self) -> int:
        return sum(
            request.held for request in (self.request, *self.requests) if request is not None
        )

    @property
    def unread(self) -> int:
        """Bytes of large answers not yet sent; files do not count."""
        if self.total_outbufs_len <= IN_MEMORY:
            return 0
        size = sum(
            len(buffer)
            for buffer in list(self.outbufs)
            if isinstance(buffer, WholeAnswer) or not isinstance(buffer, ReadOnlyFileBasedBuffer)
        )
        return size if size > IN_MEMORY else 0

    @property
    def rate(self) -> float:
        took = max(time.monotonic() - self.since, 0.001)
        return float(self.request.body_bytes_received / took)

    @property
    def works(self) -> bool:
        return bool(self.requests)

    @property
    def is_idle(self) -> bool:
        return self.request is None and self.was_used and not self.total_outbufs_len

    def refuse(self, error: Error) -> None:
        with self.requests_lock:
            request, self.request = self.request or Parser(self.adj), None
            request.close()
            request.error = error
            request.completed = True
            self.requests.append(request)
            if len(self.requests) == 1:
                self.server.add_task(self)

    def write_soon(self, data: Any) -> int:
        """Queue data to send; a large answer stays in memory within the limit."""
        is_large = isinstance(data, bytes) and len(data) > IN_MEMORY
        if is_large and self.server.unsent + len(data) <= WHOLE_BYTES:
            data = WholeAnswer(data)
        written: int = super().write_soon(data)
        return written

    def readable(self) -> bool:
        return self.lingering_since is not None or bool(super().readable())

    def handle_write(self) -> None:
        """Send pending data; after a refusal close our side only, and keep reading for a while."""
        ends = self.close_when_flushed and self.lingers and self.lingering_since is None
        if ends:
            self.close_when_flushed = False
        super().handle_write()
        if ends and self.connected:
            if self.total_outbufs_len:
                self.close_when_flushed = True
            else:
                self.lingering_since = time.monotonic()
                try:
                    self.socket.shutdown(1)
                except OSError:
                    self.handle_close()

    def look(self, now: float) -> None:
        if self.lingering_since is not None:
            if now - self.lingering_since > LINGER_S or not self.connected:
                self.handle_close()
        elif self.works:
            return
        elif self.total_outbufs_len:
            self._look_at_answer(now)
        elif self.request is None:
            if now - self.since > (KEPT_S if self.was_used else SILENT_S):
                self.handle_close()
        elif self._is_slow(now):
            self.refuse(TooSlow(""))

    def _is_slow(self, now: float) -> bool:
        took = now - self.since
        if not self.request.headers_finished:
            return took > HEAD_S
        due = LEAST_RATE * took if took > GRACE_S else 0
        got: int = self.request.body_bytes_received
        return took > BODY_S or now - self.heard > SILENT_S or got < due

    def _look_at_answer(self, now: float) -> None:
        since, unsent = self.untaken or (now, self.total_outbufs_len)
        if now - since > SILENT_S:
            if unsent - self.total_outbufs_len < LEAST_RATE * SILENT_S:
                self.handle_close()
                return
            since = now
            unsent = self.total_outbufs_len
        self.untaken = since, unsent

    def service(self) -> None:
        self.untaken = None
        super().service()
        self.was_used = True
        self.since = self.free_since = time.monotonic()
        if self.unread:
            self.server.look_soon()


class Server(TcpWSGIServer):
    """Accepts connections; probes and refusals have threads of their own."""

    channel_class = Channel

    active_channels: dict[int, Channel]
    task_dispatcher: Any

    next_channel_cleanup = math.inf
    """waitress would look by the system's clock, and not at all while that is set back."""
    look_at = 0.0

    def __init__(self, *args: object, **kwargs: object) -> None:
        self.apart: dict[str, Any] = {
            path: ThreadedTaskDispatcher() for path in ("/healthz", "/readyz")
        }
        for dispatcher in self.apart.values():
            dispatcher.set_thread_count(1)
        super().__init__(*args, **kwargs)

    def readable(self) -> bool:
        now = time.monotonic()
        if now >= self.look_at:
            self.look_at = now + LOOK_S
            self.maintenance(now)
        return bool(super().readable())

    def look_soon(self) -> None:
        """Wake the loop to check every connection; may be called from any thread."""
        self.look_at = 0.0
        self.pull_trigger()

    @property
    def held(self) -> int:
        return sum(channel.held for channel in list(self.active_channels.values()))

    @property
    def unsent(self) -> int:
        return sum(channel.total_outbufs_len for channel in list(self.active_channels.values()))

    @property
    def unread(self) -> int:
        return sum(channel.unread for channel in list(self.active_channels.values()))

    def make_space(self) -> None:
        """Drop the slowest bodies or the largest answers until at most HELD_BYTES are held."""
        while (held := self.held) + (unread := self.unread) > HELD_BYTES:
            everyone = list(self.active_channels.values())
            bodies = [
                channel
                for channel in everyone
                if channel.request is not None and channel.request.held
            ]
            if bodies and (held > unread or not unread):
                min(bodies, key=lambda channel: channel.rate).refuse(TooBusy(""))
            elif unread:
                max(everyone, key=lambda channel: channel.unread).handle_close()
            else:
                return  # all of it is whole and being answered

    def add_task(self, channel: Channel) -> None:
        request = channel.requests[0]
        path = "/healthz" if request.error else request.path
        self.apart.get(path, self.task_dispatcher).add_task(channel)

    def handle_accept(self) -> None:
        """Accept a connection; if there are too many, close another one."""
        if len(self.active_channels) >= MOST_CONNECTIONS:
            self._make_room()
        super().handle_accept()

    def _make_room(self) -> None:
        """Close the slowest connection of the network with most, one between requests last."""
        everyone = list(self.active_channels.values())
        number = Counter(channel.network for channel in everyone)
        waiting = [channel for channel in everyone if not channel.works]
        if waiting:
            min(
                waiting,
                key=lambda channel: (-number[channel.network], channel.is_idle, channel.since),
            ).handle_close()

    def maintenance(self, now: float) -> None:
        for channel in list(self.active_channels.values()):
            channel.look(now)
        self.make_space()

    @property
    def is_busy(self) -> bool:
        return any(
            channel.works or channel.request is not None or channel.total_outbufs_len
            for channel in list(self.active_channels.values())
        )

    def stop_listening(self) -> None:
        """Accept no further connections; other processes may keep using the socket."""
        self.accepting = False
        self.del_channel(self._map)
        self.socket.close()

    def close_idle(self) -> None:
        for channel in list(self.active_channels.values()):
            if not (channel.works or channel.request is not None or channel.total_outbufs_len):
                channel.handle_close()
