"""The body and the headers of a webhook's message, also as ready-made notices for chats."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from standardwebhooks import Webhook as Signer

from tournaments.domain.sealing import unseal
from tournaments.errors import Missing
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
"""Rows of a notice."""
LONGEST: Final = 1800
"""Characters of a notice; Discord takes 2,000."""
_MARKS: Final = re.compile(r"([\\*_~`|\[\]()#>])")


def chat_body(delivery: WebhookDelivery, url: str) -> bytes | None:
    """Return the body of a chat's notice; None where the public may not read its subject."""
    webhook = delivery.webhook
    language = webhook.club.language
    is_known = language in dict(settings.LANGUAGES)
    with translation.override(language if is_known else settings.LANGUAGE_CODE):
        text = notice_text(delivery, _PLAIN[webhook.format])
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


def notice_text(delivery: WebhookDelivery, plain: Callable[[str], str]) -> str | None:
    """Return the text of a notice in the active language; None where the public may not read it.

    Args:
        plain: escapes a text that people entered for the chat.
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
    lines = [_line(row, document, plain) for row in document["rows"][:PLACES]]
    return "\n".join([head, *lines, settings.SITE_URL + path])


def _public_document(delivery: WebhookDelivery) -> tuple[Mapping[str, Any], str] | None:
    """Return the newest publication as the public reads it, and the path of its page."""
    occurrence, club = delivery.occurrence, delivery.webhook.club
    if occurrence.season is not None:
        season = season_at(ANYBODY, club.slug, occurrence.season.slug)
        publication = season_publication(ANYBODY, season)
        if publication is None:
            return None
        path = reverse("tournaments:season", args=[club.slug, season.slug])
        return json.loads(bytes(publication.body)), path
    event = occurrence.event
    if event is None:
        return None
    is_ladder = occurrence.kind == WebhookKind.LADDER_CHANGED
    of: Literal["ladder", "standings"] = "ladder" if is_ladder else "standings"
    stored = current_bytes(ANYBODY, club.slug, event.slug, form="body", of=of)
    if stored is None or stored.content is None:
        return None
    page = "tournaments:ladder" if is_ladder else "tournaments:event"
    return json.loads(stored.content), reverse(page, args=[club.slug, event.slug])


def _line(row: Mapping[str, Any], document: Mapping[str, Any], plain: Callable[[str], str]) -> str:
    """Return a row as text: place, name, and the primary value where it is a whole number."""
    place = row["rank"] if "rank" in row else row["place"]
    tied = "=" if row.get("tied") else ""
    primary = document.get("scheme", {}).get("primary", "")
    value = str(row.get("values", {}).get(primary, ""))
    figure = f" ({value})" if re.fullmatch(r"-?\d+", value) else ""
    return f"{place}{tied}. {plain(str(row['player']))}{figure}"


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


AGENT: Final = "Blacklady-Webhooks/1"
WebhookMessage = tuple[str, bytes, Mapping[str, str]]
"""Address, body and headers of a message."""


def message_of(delivery: WebhookDelivery, *, now: datetime) -> WebhookMessage | None:
    """Return the message of a delivery; None for a chat that may not read its subject."""
    webhook = delivery.webhook
    url = unseal(webhook.sealed_url.encode()).decode()
    headers = {"Content-Type": "application/json", "User-Agent": AGENT}
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
    number, moment = f"msg_{name}", now.astimezone(UTC)
    signatures = [
        Signer(unseal(secret.encode()).decode()).sign(number, moment, body) for secret in secrets
    ]
    return {
        "webhook-id": number,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
