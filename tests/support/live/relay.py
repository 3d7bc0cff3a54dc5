"""A TCP relay before a broker, whose answers a test holds back or whose connections it cuts."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit, urlunsplit


class Relay:
    """Passes connections on to the server of `url`; `self.url` leads through it."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname
        assert parts.port
        self._server = (parts.hostname, parts.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        host = f"127.0.0.1:{self._listener.getsockname()[1]}"
        account, at, _ = parts.netloc.rpartition("@")
        self.url = urlunsplit(parts._replace(netloc=f"{account}{at}{host}"))
        self._silent = threading.Event()
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def swallow_answers(self) -> None:
        """Take everything from clients from now on, and answer nothing: like a paused server."""
        self._silent.set()

    def answer(self) -> None:
        self._silent.clear()
        self.cut()

    def cut(self) -> None:
        """End all connections, as a server does with idle ones; new ones are accepted."""
        while self._sockets:
            with contextlib.suppress(OSError):
                self._sockets.pop().shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the listener is closed
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._server)
                self._sockets += [client, server]
                for source, target in ((client, server), (server, client)):
                    args = (source, target, target is client)
                    threading.Thread(target=self._pass_on, args=args, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, is_answer: bool) -> None:
        with source, contextlib.suppress(OSError):
            while part := source.recv(65536):
                if not (is_answer and self._silent.is_set()):
                    target.sendall(part)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)
