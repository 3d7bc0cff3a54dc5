"""A receiver of webhooks on a port of its own, that does what a test has it do."""

import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook as Signer

from tests.support.live.project import PATIENCE_S


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    def verified(self, secret: str) -> Any:
        return Signer(secret).verify(self.body, self.headers)


@dataclass
class Behaviour:
    """How a receiver answers."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    answer: bytes = b"ok"
    holds: bool = False
    """It has read a request and answers only when `may_answer` is set."""
    dribbles: bool = False
    """It begins an answer and never ends its headers."""
    raw: bytes = b""
    """What it sends in the place of an answer."""


class Receiver(ThreadingHTTPServer):
    """Takes messages; `received` has each as often as it came in."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, behaviour: Behaviour | None = None, *, port: int = 0) -> None:
        self.behaviour = behaviour or Behaviour()
        self.received: list[Received] = []
        self.may_answer = threading.Event()
        self.has_taken = threading.Condition()
        super().__init__(("127.0.0.1", port), _Handler)
        self._scheme = "http"
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}/hook"

    def speak_tls(self, certificate: str, key: str) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.socket = context.wrap_socket(
            self.socket, server_side=True, do_handshake_on_connect=False
        )
        self._scheme = "https"

    def wait_for(self, condition: Callable[[list[Received]], object]) -> bool:
        with self.has_taken:
            return bool(self.has_taken.wait_for(lambda: condition(self.received), PATIENCE_S))

    def end(self) -> None:
        self.may_answer.set()
        self.shutdown()
        self.server_close()
        self._thread.join(PATIENCE_S)


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:  # the library's name
        server = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        says = server.behaviour
        with server.has_taken:
            server.received.append(Received(self.path, dict(self.headers), body))
            server.has_taken.notify_all()
        if says.dribbles:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not server.may_answer.wait(0.1):
                self.wfile.write(b"X-More: yes\r\n")
            return
        if says.raw:
            self.wfile.write(says.raw)
            return
        if says.holds:
            server.may_answer.wait(PATIENCE_S)
        self.send_response(says.status)
        for name, value in says.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(says.answer)))
        self.end_headers()
        self.wfile.write(says.answer)

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            return  # whoever sent was killed, or gave up

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
