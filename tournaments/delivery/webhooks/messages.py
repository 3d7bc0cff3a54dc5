"""The body and the headers of a webhook's message, also as ready-made notices for chats."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from standardwebhooks import Webhook as Signer

from tournaments.domain.sealing import unseal
from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Season
from tournaments.models.webhooks import (
    TEST_KIND,
    Webhook,
    WebhookDelivery,
    WebhookFormat,
    WebhookKind,
)
from tournaments.policy import ANYBODY
from tournaments.selectors.events.seasons import season_at, season_publication
from tournaments.selectors.standings.publication_bytes import current_bytes

PLACES: Final = 5
"""So many rows are in a notice."""
LONGEST: Final = 1800
"""Characters of a notice; Discord takes 2,000."""
_MARKS: Final = re.compile(r"([\\*_~`|\[\]()#>])")


def chat_body(delivery: WebhookDelivery, url: str) -> bytes | None:
    """Return the body of a chat's notice; None where the public may not read what it is about."""
    webhook = delivery.webhook
    known = dict(settings.LANGUAGES)
    language = webhook.club.language
    with translation.override(language if language in known else settings.LANGUAGE_CODE):
        text = notice_text(delivery, _PLAIN[webhook.format])
    if text is None:
        return None
    body = _BODIES[webhook.format](text[:LONGEST], url)
    return json.dumps(body, ensure_ascii=False).encode()


def notice_text(delivery: WebhookDelivery, plain: Callable[[str], str]) -> str | None:
    """Return what a notice says, in the language of now; None where nothing may be said.

    Args:
        plain: makes a text that people entered mean nothing else in the chat.
    """
    occurrence = delivery.occurrence
    if occurrence.kind == TEST_KIND:
        club = delivery.webhook.club
        return _("Test message of %(club)s. This chat gets results from now on.") % {
            "club": plain(club.name)
        }
    try:
        public_document = _public_document(delivery)
    except Missing:
        return None
    if public_document is None:
        return None
    document, path = public_document
    about = document.get("event") or document.get("season") or {}
    head = f"{plain(document['club']['name'])}: {plain(str(about.get('name', '')))}"
    lines = [_line(row, document, plain) for row in _rows(document)[:PLACES]]
    return "\n".join([head, *lines, settings.SITE_URL + path])


def _public_document(delivery: WebhookDelivery) -> tuple[Mapping[str, Any], str] | None:
    """Return the newest publication as the public reads it, and the path of its page."""
    occurrence, club = delivery.occurrence, delivery.webhook.club
    if occurrence.season is not None:
        return _season(club, occurrence.season)
    if occurrence.event is None:
        return None
    is_ladder = occurrence.kind == WebhookKind.LADDER_CHANGED
    return _event(club, occurrence.event, is_ladder=is_ladder)


def _season(club: Club, season: Season) -> tuple[Mapping[str, Any], str] | None:
    readable = season_at(ANYBODY, club.slug, season.slug)
    stored = season_publication(ANYBODY, readable)
    if stored is None:
        return None
    path = reverse("tournaments:season", args=[club.slug, season.slug])
    return json.loads(bytes(stored.body)), path


def _event(club: Club, event: Event, *, is_ladder: bool) -> tuple[Mapping[str, Any], str] | None:
    of: Any = "ladder" if is_ladder else "standings"
    stored = current_bytes(ANYBODY, club.slug, event.slug, form="body", of=of)
    if stored is None or stored.content is None:
        return None
    page = "tournaments:ladder" if is_ladder else "tournaments:event"
    return json.loads(stored.content), reverse(page, args=[club.slug, event.slug])


def _rows(document: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    rows: Sequence[Mapping[str, Any]] = document["rows"]
    return rows


def _line(row: Mapping[str, Any], document: Mapping[str, Any], plain: Callable[[str], str]) -> str:
    """Return a row as text: place, name, and the value that ranks where it is a whole number."""
    place = row["rank"] if "rank" in row else row["place"]
    tied = "=" if row.get("tied") else ""
    primary = document.get("scheme", {}).get("primary", "")
    value = str(row.get("values", {}).get(primary, ""))
    shown = f" ({value})" if re.fullmatch(r"-?\d+", value) else ""
    return f"{place}{tied}. {plain(str(row['player']))}{shown}"


def _no_mention(text: str) -> str:
    return text.replace("@", "@\u200b")


def _markdown(text: str) -> str:
    return _no_mention(_MARKS.sub(r"\\\1", text))


def _slack(text: str) -> str:
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, name)
    return _no_mention(text)


_PLAIN: Final[Mapping[str, Callable[[str], str]]] = {
    WebhookFormat.DISCORD: _markdown,
    WebhookFormat.MATTERMOST: _markdown,
    WebhookFormat.SLACK: _slack,
    WebhookFormat.TELEGRAM: _no_mention,
}


def _discord(text: str, url: str) -> dict[str, object]:
    return {"content": text, "allowed_mentions": {"parse": []}}


def _text_only(text: str, url: str) -> dict[str, object]:
    return {"text": text}


def _telegram(text: str, url: str) -> dict[str, object]:
    """The chat's id is in the address as its owner entered it; Telegram reads it in the body."""
    chat = parse_qs(urlsplit(url).query).get("chat_id", [""])[-1]
    return {"chat_id": chat, "text": text}


_BODIES: Final[Mapping[str, Callable[[str, str], dict[str, object]]]] = {
    WebhookFormat.DISCORD: _discord,
    WebhookFormat.MATTERMOST: _text_only,
    WebhookFormat.SLACK: _text_only,
    WebhookFormat.TELEGRAM: _telegram,
}


AGENT: Final = "Blacklady-Webhooks/1"


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """A message ready to be sent."""

    url: str
    body: bytes
    headers: Mapping[str, str]


def message_of(delivery: WebhookDelivery, *, now: datetime) -> WebhookMessage | None:
    """Return a message as it is sent; None where there is nothing to say to a chat."""
    webhook = delivery.webhook
    url = unseal(webhook.sealed_url.encode()).decode()
    headers = {"Content-Type": "application/json", "User-Agent": AGENT}
    if webhook.format == WebhookFormat.STANDARD:
        body = standard_body(delivery)
        signed = signed_headers(webhook, delivery.occurrence.public_id.hex, body, now)
        return WebhookMessage(url, body.encode(), headers | signed)
    found = chat_body(delivery, url)
    return None if found is None else WebhookMessage(url, found, headers)


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
    number, moment = f"msg_{name}", now.astimezone(UTC)
    signatures = [
        Signer(unseal(secret.encode()).decode()).sign(number, moment, body) for secret in secrets
    ]
    return {
        "webhook-id": number,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
