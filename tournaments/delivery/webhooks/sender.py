"""The webhook sender: a thread of every worker that posts messages to checked addresses."""

import http.client
import json
import re
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from datetime import UTC, datetime
from html import escape
from time import monotonic
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import structlog
from django.conf import settings
from django.db import DatabaseError
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from standardwebhooks import Webhook as Signer

from scoring.errors import Refused
from tournaments.delivery.lasting_thread import FAULT_S, LOOK_S, LastingThread, LastingThreadStep
from tournaments.domain.sealing import SealBroken, unseal
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.models.webhooks import (
    TEST_KIND,
    DeliveryState,
    Webhook,
    WebhookDelivery,
    WebhookEvent,
    WebhookFormat,
    WebhookKind,
)
from tournaments.policy import ANYBODY
from tournaments.selectors.chat_text import (
    Plain,
    challenges_text,
    ladder_text,
    place_lines,
    result_text,
    seating_text,
    standings_text,
)
from tournaments.selectors.events.events import get_event, get_round
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.events.seasons import get_season, season_publication
from tournaments.selectors.jobs.queue import get_database_time
from tournaments.selectors.ladders.announced_moves import (
    announcements_of,
    find_announcement,
    find_corrected,
    is_to_be_announced,
)
from tournaments.selectors.standings.evening_corrections import (
    correction_sentence,
    is_another_result,
    was_continued_since,
)
from tournaments.selectors.standings.evening_results import newest_result, result_numbered
from tournaments.selectors.standings.publications import current_publication, has_hands
from tournaments.services.outgoing import may_send
from tournaments.services.webhooks.delivery import (
    Answer,
    claim_delivery,
    finish_delivery,
    forget_old_deliveries,
)
from tournaments.services.webhooks.manage import (
    AddressNotAllowed,
    Resolver,
    WebAddress,
    checked_addresses,
    resolve,
)

LONGEST: Final = 1800
"""Characters of a notice; Discord takes 2,000."""
_MARKS: Final = re.compile(r"([\\*_~`|\[\]()#>])")

WebhookMessage = tuple[str, bytes, Mapping[str, str]]
"""Address, body and headers of a message."""

log = structlog.get_logger("blacklady.webhooks")


def chat_body(delivery: WebhookDelivery, url: str) -> bytes | None:
    """Return the body of a chat's notice; None where the public may not read its subject."""
    webhook = delivery.webhook
    language = webhook.club.language
    if language not in dict(settings.LANGUAGES):
        language = settings.LANGUAGE_CODE
    with translation.override(language):
        text = chat_notice(delivery, _PLAIN[webhook.format])
    if text is None:
        return None
    body: dict[str, object] = {"text": text[:LONGEST]}
    if webhook.format == WebhookFormat.DISCORD:
        body = {"content": text[:LONGEST], "allowed_mentions": {"parse": []}}
    elif webhook.format == WebhookFormat.TELEGRAM:
        # The chat's id is in the address as its owner entered it; Telegram reads it in the body.
        chat = parse_qs(urlsplit(url).query).get("chat_id", [""])[-1]
        body = {"chat_id": chat} | body
    return json.dumps(body, ensure_ascii=False).encode()


def chat_notice(delivery: WebhookDelivery, plain: Plain) -> str | None:
    """Return the text of a notice for its chat; None where the public may not read it."""
    occurrence = delivery.occurrence
    if occurrence.kind == TEST_KIND:
        club = delivery.webhook.club
        return _("Test message of %(club)s. This chat gets results from now on.") % {
            "club": plain(club.name)
        }
    try:
        return fitting(_public_text(delivery, plain))
    except Missing:
        return None


def fitting(text: str) -> str:
    """Return a text that a chat takes: lines before the last one, an address, are left out."""
    lines = text.split("\n")
    if len(text) <= LONGEST:
        return text
    while len(lines) > 2 and len("\n".join(lines)) > LONGEST - 2:
        del lines[-2]
    return "\n".join([*lines[:-1], "…", lines[-1]])


def _public_text(delivery: WebhookDelivery, plain: Plain) -> str:
    occurrence = delivery.occurrence
    club = delivery.webhook.club
    if occurrence.season is not None:
        season = get_season(ANYBODY, club.slug, occurrence.season.slug)
        publication = season_publication(ANYBODY, season)
        if publication is None or not has_hands(publication):
            raise Missing("publication")
        path = reverse("tournaments:season", args=[club.slug, season.slug])
        head = f"{plain(club.name)}: {plain(season.name)}"
        lines = place_lines(publication.document, plain)
        return "\n".join([head, *lines, settings.SITE_URL + path])
    if occurrence.event is None:
        raise Missing("event")
    event = get_event(ANYBODY, club.slug, occurrence.event.slug)
    match occurrence.kind:
        case WebhookKind.ROUND_POSTED:
            return seating_text(event, get_round(event, occurrence.data["round"]), plain)
        case WebhookKind.EVENING_CLOSED:
            return _text_of_evening(event, delivery, plain)
        case WebhookKind.LADDER_CHANGED:
            return ladder_text(event, plain)
        case WebhookKind.CHALLENGE_CHANGED:
            return challenges_text(event, now=occurrence.created_at, plain=plain)
    return _text_of_standings(event, delivery.webhook, plain)


def _text_of_evening(event: Event, delivery: WebhookDelivery, plain: Plain) -> str:
    """Return the text of an evening, and what it corrects of the last one that the chat got."""
    occurrence = delivery.occurrence
    meeting = meeting_on(event, date_of(occurrence.data["day"]))
    correction = ""
    last = _last_in_chat(delivery)
    if last is None:
        return result_text(event, meeting, plain, now=occurrence.created_at)
    if event.is_ladder:
        correction = _correction_of_moves(event, meeting, last, plain)
        return result_text(event, meeting, plain, now=occurrence.created_at, correction=correction)
    result = newest_result(meeting)
    number = last.data["number"]
    if result is not None and number is not None:
        announced = result_numbered(meeting, number)
        if not is_another_result(result, announced):
            raise Missing("result", {"result": result.number})
        if not was_continued_since(event, result, announced):
            correction = correction_sentence(event, result, announced, plain)
    return result_text(event, meeting, plain, now=occurrence.created_at, correction=correction)


def _correction_of_moves(event: Event, meeting: Meeting, last: WebhookEvent, plain: Plain) -> str:
    """Return what an evening of a ladder corrects of the last one that the chat got; "" if it went
    on since."""
    # Announcements of a ladder's evening have no number but that of the one they correct.
    number = (last.data["corrects"] or 0) + 1
    announced = find_announcement(announcements_of(meeting), number)
    if announced is None:
        return ""  # by a release that kept no moves
    if not is_to_be_announced(event, meeting, announced):
        raise Missing("meeting", {"date": meeting.date.isoformat()})
    corrected = find_corrected(event, meeting, announced)
    return corrected.sentence(plain) if corrected is not None else ""


def _last_in_chat(delivery: WebhookDelivery) -> WebhookEvent | None:
    """Return the last result of the evening that the chat got before this one."""
    occurrence = delivery.occurrence
    earlier = WebhookDelivery.objects.filter(
        webhook=delivery.webhook,
        stream=delivery.stream,
        number__lt=delivery.number,
        state=DeliveryState.DELIVERED,
        occurrence__kind=occurrence.kind,
        occurrence__data__day=occurrence.data["day"],
    )
    last = earlier.select_related("occurrence").order_by("-number").first()
    if last is None:
        return None
    return last.occurrence


def _text_of_standings(event: Event, webhook: Webhook, plain: Plain) -> str:
    """Return the text of published standings, where a hand was played.

    That of a ladder is its list, which a chat with notices of the ladder already gets.
    """
    if event.is_ladder:
        if WebhookKind.LADDER_CHANGED in webhook.kinds:
            raise Missing("publication")
        return ladder_text(event, plain)
    publication = current_publication(event)
    if publication is None or not has_hands(publication):
        raise Missing("publication")
    return standings_text(event, plain, publication=publication)


def _no_mention(text: str) -> str:
    return text.replace("@", "@\u200b")


def _markdown(text: str) -> str:
    return _no_mention(_MARKS.sub(r"\\\1", text))


_PLAIN: Final[Mapping[str, Plain]] = {
    WebhookFormat.DISCORD: _markdown,
    WebhookFormat.MATTERMOST: _markdown,
    WebhookFormat.SLACK: lambda text: _no_mention(escape(text, quote=False)),
    WebhookFormat.TELEGRAM: _no_mention,
}


def webhook_message(delivery: WebhookDelivery, *, now: datetime) -> WebhookMessage | None:
    """Return the message of a delivery; None for a chat that may not read its subject."""
    webhook = delivery.webhook
    url = unseal(webhook.sealed_url.encode()).decode()
    headers = {"Content-Type": "application/json", "User-Agent": "Blacklady-Webhooks/1"}
    if webhook.format == WebhookFormat.STANDARD:
        text = standard_body(delivery)
        signed = signed_headers(webhook, delivery.occurrence.public_id.hex, text, now)
        return url, text.encode(), headers | signed
    body = chat_body(delivery, url)
    return None if body is None else (url, body, headers)


def standard_body(delivery: WebhookDelivery) -> str:
    """Return the body of a signed message: its kind, its time, and ids."""
    occurrence = delivery.occurrence
    body = {
        "type": occurrence.kind,
        "timestamp": occurrence.created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "data": {**occurrence.data, "sequence": occurrence.number},
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def signed_headers(webhook: Webhook, name: str, body: str, now: datetime) -> dict[str, str]:
    """Return the headers of Standard Webhooks: id, time, and a signature for each secret."""
    secrets = [webhook.secret]
    if webhook.previous_secret and webhook.previous_until and webhook.previous_until > now:
        secrets.append(webhook.previous_secret)
    number = f"msg_{name}"
    moment = now.astimezone(UTC)
    signatures = [
        Signer(unseal(secret.encode()).decode()).sign(number, moment, body) for secret in secrets
    ]
    return {
        "webhook-id": number,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


READ: Final = 2000
"""Bytes of an answer that are read; a page shows its first 500 characters."""


def post(url: str, body: bytes, headers: Mapping[str, str], resolver: Resolver = resolve) -> Answer:
    """Send one message and return the answer, or the fault as an answer.

    Once the name is resolved, all steps together take at most `WEBHOOK_TIMEOUT` seconds.
    """
    began = monotonic()
    try:
        target = WebAddress(url)
        addresses = checked_addresses(target, resolver)
    except Refused:
        return Answer(error="The address is not allowed on this site any more")
    except AddressNotAllowed:
        return Answer(error="The host has an address that is not allowed")
    except OSError as fault:
        return Answer(error=f"The host has no address ({fault.strerror or fault})")
    try:
        answer, error, text = _exchange(target, addresses, body, headers)
    except ssl.SSLCertVerificationError as fault:
        return Answer(error=f"Bad certificate: {fault.verify_message}", took_ms=_since(began))
    except TimeoutError:
        return Answer(error="No answer in time", took_ms=_since(began))
    except (OSError, http.client.HTTPException) as fault:
        # Some of these quote the receiver's words.
        error = _printable(f"{type(fault).__name__}: {fault}")
        return Answer(error=error, took_ms=_since(began))
    retry_after = answer.headers.get("Retry-After") or ""
    return Answer(answer.status, text, error, _since(began), retry_after=retry_after)


def _exchange(
    target: WebAddress, addresses: Sequence[str], body: bytes, headers: Mapping[str, str]
) -> tuple[http.client.HTTPResponse, str, str]:
    """Connect, send and read; return the answer, what is wrong with it, and its beginning."""
    limit = float(settings.WEBHOOK_TIMEOUT)
    deadline = monotonic() + limit
    connection = CheckedConnection(target, addresses, limit)
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        connection.interrupt()

    timer = threading.Timer(limit, end)
    timer.daemon = True
    timer.start()
    try:
        connection.request("POST", target.path, body, dict(headers) | {"Host": target.host_header})
        answer = connection.getresponse()
        if is_late.is_set():  # what was cut off looks like the end of the headers
            raise TimeoutError
        raw = b""
        with suppress(OSError, http.client.HTTPException, ValueError):  # it may break off
            raw = answer.read(READ)
        text = _printable(raw.decode(errors="replace"))
    except (OSError, http.client.HTTPException, ValueError):
        if is_late.is_set() or monotonic() >= deadline:
            raise TimeoutError from None
        raise
    finally:
        timer.cancel()
        connection.close()
    error = "" if 200 <= answer.status < 300 else f"Status {answer.status}"
    if 300 <= answer.status < 400:
        error = f"Redirected ({answer.status}); redirects are not followed"
    return answer, error, text


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text).strip()


def _since(began: float) -> int:
    return round((monotonic() - began) * 1000)


class CheckedConnection(http.client.HTTPConnection):
    """A connection to checked addresses, under the name of their host."""

    def __init__(self, target: WebAddress, addresses: Sequence[str], limit: float) -> None:
        super().__init__(target.host, target.port, timeout=limit)
        self._target, self._addresses = target, addresses
        self._raw: socket.socket | None = None
        self._is_interrupted = False

    def connect(self) -> None:
        self._use(self._reach())
        if self._target.is_tls:
            context = ssl.create_default_context()
            wrapped = context.wrap_socket(
                self.sock, server_hostname=self._target.host, do_handshake_on_connect=False
            )
            self._use(wrapped)
            wrapped.do_handshake()

    def _use(self, raw: socket.socket) -> None:
        """Use a socket, unless the time-out passed before it was created."""
        self.sock = self._raw = raw
        if self._is_interrupted:
            raise TimeoutError

    def interrupt(self) -> None:
        """End the wait of another thread, and its next waits."""
        self._is_interrupted = True
        raw = self._raw
        if raw is not None:
            with suppress(OSError):
                socket.socket.shutdown(raw, socket.SHUT_RDWR)

    def _reach(self) -> socket.socket:
        last: OSError | None = None
        share = (self.timeout or 1.0) / len(self._addresses)
        for address in self._addresses:
            try:
                raw = socket.create_connection((address, self._target.port), share)
            except OSError as fault:
                last = fault
                continue
            raw.settimeout(self.timeout)
            return raw
        raise last or OSError("no address")


LANES: Final = 8
"""Messages that are sent at once, each to another webhook."""


class WebhookSender(LastingThread):
    """Sends the messages that are due, until `stop`."""

    NAME = "webhook-sender"
    CLAIMED = Webhook

    def __init__(self) -> None:
        super().__init__()
        self._lanes = ThreadPoolExecutor(LANES, thread_name_prefix="webhook")
        self.sending: dict[Future[Answer], WebhookDelivery] = {}

    def stop(self) -> None:
        """End the thread; another worker sends messages in flight again."""
        self._ending.set()
        self._lanes.shutdown(wait=False, cancel_futures=True)
        super().stop()

    def forget_old(self, now: datetime) -> None:
        forget_old_deliveries(now=now)

    def step(self) -> float:
        self.note_answers()
        self.send_due()
        return LOOK_S

    def pause(self, seconds: float) -> bool:
        """Wait for a sent message or the time-out; return whether the thread is to end."""
        if seconds != FAULT_S and self.sending and not self._ending.is_set():
            wait(self.sending, timeout=seconds, return_when=FIRST_COMPLETED)
            return self._ending.is_set()
        return self._ending.wait(seconds)

    def note_answers(self) -> None:
        for future in [future for future in self.sending if future.done()]:
            delivery = self.sending[future]
            if not future.cancelled():
                note_answer(delivery, _answer_of(future))
            del self.sending[future]

    def send_due(self) -> None:
        while len(self.sending) < LANES and not self._ending.is_set():
            now = get_database_time(timezone.now())
            delivery = claim_delivery(now=now) if may_send(now=now) else None
            if delivery is None:
                return
            message = prepare(delivery)
            if message is not None:
                future = self._lanes.submit(post, *message)
                self.sending[future] = delivery
            self.note_answers()  # before their claims run out


def prepare(delivery: WebhookDelivery) -> WebhookMessage | None:
    try:
        message = webhook_message(delivery, now=timezone.now())
    except SealBroken:
        broken = "The server has another secret key now. Enter the address again, rotate the secret"
        note_answer(delivery, Answer(error=broken, is_permanent=True))
        return None
    except DatabaseError:
        raise  # nobody's fault: the claim runs out
    except Exception as fault:
        log.exception("webhook_not_written", id=delivery.pk)
        note_answer(delivery, Answer(error=f"The message was not written: {type(fault).__name__}"))
        return None
    if message is None:
        note_answer(delivery, Answer(error="Nothing that the public may read", is_skipped=True))
    return message


def note_answer(delivery: WebhookDelivery, answer: Answer) -> None:
    state = finish_delivery(delivery, answer, now=get_database_time(timezone.now()))
    # Without the address, which may hold a key, and without the receiver's words.
    log.info(
        "webhook_tried",
        id=delivery.pk,
        webhook=delivery.webhook_id,
        state=str(state),
        status=answer.status,
        attempts=delivery.attempts,
        took_ms=answer.took_ms,
    )


def _answer_of(future: Future[Answer]) -> Answer:
    fault = future.exception()
    if fault is None:
        return future.result()
    log.error("webhook_lane_failed", fault=type(fault).__name__, exc_info=fault)
    return Answer(error=f"The message was not sent: {type(fault).__name__}")


class WebhookSenderStep(LastingThreadStep):
    def create(self, parent: object) -> Any:
        return WebhookSender()
