"""A network between a phone and the site, which answers in the site's place when told to.

A browser's own interception does not reach what its service worker asks for; this does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final
from urllib.parse import urlsplit

PAGE: Final = b"<!doctype html><title>Guest network</title><h1>Guest network</h1>"
PATIENCE_S: Final = 300
HOP_BY_HOP: Final = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})


@dataclass
class Network:
    """Where the phone goes instead of the site; `status` 0 lets everything through."""

    url: str
    status: int = 0
    answered: int = 0

    def answer(self, status: int) -> None:
        """Answer every request from now on: 302 leads to a page of the network's own."""
        self.status = status

    def let_through(self) -> None:
        self.status = 0


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, site: str) -> None:
        super().__init__(("localhost", 0), _Handler)
        self.site = urlsplit(site)
        self.network = Network(f"http://localhost:{self.server_address[1]}")


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/guest-network":
            self._give(200, [("Content-Type", "text/html")], PAGE)
        elif self.server.network.status:
            self._answer_itself(self.server.network)
        else:
            self._forward(body)

    def do_POST(self) -> None:
        self.do_GET()

    def do_HEAD(self) -> None:
        self.do_GET()

    def _answer_itself(self, network: Network) -> None:
        network.answered += 1
        if network.status == 302:
            self._give(302, [("Location", f"{network.url}/guest-network")], b"")
        else:
            self._give(network.status, [("Content-Type", "text/html")], PAGE)

    def _forward(self, body: bytes) -> None:
        site = self.server.site
        asked = HTTPConnection(str(site.hostname), site.port, timeout=PATIENCE_S)
        asked.request(self.command, self.path, body or None, dict(self.headers.items()))
        answer = asked.getresponse()
        content = answer.read()
        asked.close()
        self._give(answer.status, answer.getheaders(), content)

    def _give(self, status: int, heads: list[tuple[str, str]], content: bytes) -> None:
        self.send_response_only(status)
        for name, text in heads:
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, text)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def network_before(site: str) -> Iterator[Network]:
    """A network that leads to `site`."""
    server = _Server(site)
    running = Thread(target=server.serve_forever, daemon=True)
    running.start()
    try:
        yield server.network
    finally:
        server.shutdown()
        server.server_close()
        running.join()
