"""A small mail server (SMTP) on a port of its own, that does what a test has it do."""

import socketserver
import threading
from collections import Counter
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

from tests.support.live.project import PATIENCE_S


@dataclass
class Behaviour:
    """How the server answers; `greeting` empty: it says nothing, until it is told to end."""

    greeting: bytes = b"220 mail.example"
    recipients: dict[str, bytes] = field(default_factory=dict)
    """Address → the answer to it, where that is another than yes."""
    data: bytes = b"250 2.0.0 taken"
    pause_s: float = 0.0
    """Before each answer."""
    holds_data: bool = False
    """After it has read a whole mail it answers only when `may_answer` is set."""


class MailServer(socketserver.ThreadingTCPServer):
    """Takes mails; `mails` has each as often as it came in whole, answered or not."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.behaviour = behaviour or Behaviour()
        self.mails: list[EmailMessage] = []
        self.may_answer = threading.Event()
        self.ending = threading.Event()
        self.has_taken = threading.Condition()
        self.connections = 0
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        port: int = self.socket.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def counted(self) -> Counter[str]:
        return Counter(str(mail["Message-ID"]) for mail in self.mails)

    def take(self, raw: bytes) -> None:
        with self.has_taken:
            self.mails.append(message_from_bytes(raw, policy=policy.default))
            self.has_taken.notify_all()

    def wait_for(self, number: int) -> bool:
        with self.has_taken:
            return self.has_taken.wait_for(lambda: len(self.mails) >= number, PATIENCE_S)

    def end(self) -> None:
        self.may_answer.set()
        self.ending.set()
        self.shutdown()
        self.server_close()
        self._thread.join(PATIENCE_S)


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        server, says = self.server, self.server.behaviour
        server.connections += 1
        if not says.greeting:
            server.may_answer.wait(PATIENCE_S)
            return
        self._say(says.greeting)
        try:
            while line := self.rfile.readline():
                if not self._answer(line.strip()):
                    return
        except (TimeoutError, ConnectionError):
            return  # whoever sent was killed

    def _answer(self, line: bytes) -> bool:
        says, word = self.server.behaviour, line[:4].upper()
        if word == b"QUIT":
            self._say(b"221 bye")
            return False
        if word == b"RCPT":
            address = line.partition(b"<")[2].partition(b">")[0].decode()
            self._say(says.recipients.get(address, b"250 ok"))
        elif word == b"DATA":
            self._say(b"354 go on")
            raw = b""
            while not raw.endswith(b"\r\n.\r\n"):
                part = self.rfile.readline()
                if not part:
                    return False
                raw += part
            if says.data[:1] == b"2":
                self.server.take(raw[:-5].replace(b"\r\n..", b"\r\n."))
            if says.holds_data:
                self.server.may_answer.wait(PATIENCE_S)
            self._say(says.data)
        else:
            self._say(b"250 ok")
        return True

    def _say(self, line: bytes) -> None:
        self.server.ending.wait(self.server.behaviour.pause_s)
        self.wfile.write(line + b"\r\n")
