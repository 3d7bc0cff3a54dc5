"""Mail leaves after the request that wrote it is answered.

A mail server that hangs holds up no web thread, and one that refuses changes no answer: who asks
for a new password learns from neither that there is such an account. Each process has one thread
that sends. What it has not sent when the process ends is lost, and whoever waits for it asks again.
"""

import queue
import threading
from typing import Final

import structlog
from django.core.mail import EmailMessage

MOST_WAITING: Final = 200
"""Messages of one process that are not sent yet; further ones are dropped and logged."""

_log = structlog.get_logger("blacklady.mail")


class OutgoingMail:
    """A queue of messages and the thread that sends them."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[EmailMessage] = queue.Queue(MOST_WAITING)
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def hand_over(self, message: EmailMessage) -> None:
        """Queue a message that needs nothing further but to be sent; never waits."""
        try:
            self._waiting.put_nowait(message)
        except queue.Full:
            _log.error("mail_not_sent", fault="TooManyWaiting")
            return
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="mail", daemon=True)
                self._thread.start()

    def finish(self, *, within_s: float) -> bool:
        """Wait until every message was sent or given up; false where it takes longer."""
        with self._waiting.all_tasks_done:
            return self._waiting.all_tasks_done.wait_for(
                lambda: not self._waiting.unfinished_tasks, timeout=within_s
            )

    def _run(self) -> None:
        while True:
            message = self._waiting.get()
            try:
                message.send()
            except OSError as fault:  # smtplib's errors are such
                # Without the server's words: they repeat the address.
                code = getattr(fault, "smtp_code", None)
                _log.error("mail_not_sent", fault=type(fault).__name__, smtp_code=code)
            except Exception:  # without this thread nobody would get mail any more
                _log.exception("mail_not_sent")
            finally:
                self._waiting.task_done()


OUTGOING: Final = OutgoingMail()
