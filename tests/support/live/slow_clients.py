"""Strangers who hold connections: they never finish, trickle, or take no answer."""

import contextlib
import socket
import threading
from typing import Final, Self

KINDS: Final = ("head", "body", "trickled head", "trickled body", "deaf")

_HEAD: Final = (
    b"POST /api/v1/score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
)
_BODY: Final = _HEAD + b"Content-Length: 100000\r\n\r\n["
_LARGE: Final = b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
_BEGINNINGS: Final = {
    "head": _HEAD,
    "body": _BODY,
    "trickled head": _HEAD + b"X-Long: ",
    "trickled body": _BODY,
}


class SlowClients:
    """So many connections of one kind; whichever is ended is opened again at once.

    Use as a context. `answered` counts connections that the server ended or answered, `held` those
    that hang now.
    """

    def __init__(self, port: int, kind: str, number: int, *, large: str) -> None:
        self._port, self._kind, self._number = port, kind, number
        self._large = large.encode()
        self._sockets: list[socket.socket] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.answered = 0
        self.rounds = 0
        self.statuses: set[bytes] = set()

    @property
    def held(self) -> int:
        return len(self._sockets)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._over.set()
        self._thread.join()
        for client in self._sockets:
            client.close()

    def _run(self) -> None:
        while not self._over.wait(1.0 if self.rounds else 0.0):
            self._sockets = [client for client in self._sockets if self._hangs(client)]
            while len(self._sockets) < self._number and not self._over.is_set():
                with contextlib.suppress(OSError):
                    self._sockets.append(self._opened())
                    continue
                break
            self.rounds += 1

    def _opened(self) -> socket.socket:
        one = socket.socket()
        if self._kind == "deaf":
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.settimeout(2)
        one.connect(("127.0.0.1", self._port))
        one.sendall(_BEGINNINGS.get(self._kind) or _LARGE % self._large)
        one.setblocking(False)
        return one

    def _hangs(self, one: socket.socket) -> bool:
        try:
            if self._kind.startswith("trickled"):
                one.send(b"1")
            if self._kind == "deaf":
                one.send(b"")
                error = one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if not error:
                    return True
                raise ConnectionResetError
            self.statuses.add(one.recv(4096)[9:12])
        except BlockingIOError:
            return True
        except OSError:
            pass
        self.answered += 1
        one.close()
        return False


def took(seconds: list[float]) -> str:
    """Median and 95th percentile of seconds, as text."""
    ordered = [second * 1000 for second in sorted(seconds)]
    return f"{ordered[len(ordered) // 2]:.0f} ms, {ordered[int(len(ordered) * 0.95)]:.0f} ms p95"
