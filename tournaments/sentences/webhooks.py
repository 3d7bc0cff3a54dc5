"""Sentences about webhooks."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_webhook": _("There is no webhook with that id in this club."),
    "unknown_delivery": _("There is no message with that id. Messages are kept for 30 days."),
    "bad_webhook_url": _(
        "“{found}” is not the address of a webhook. Enter an address that begins with https:// and "
        "has no user name, such as https://club.example/hook."
    ),
    "address_not_allowed": _(
        "{host} is a private address or this server itself. Enter an address on the internet."
    ),
    "bad_webhook_format": _(
        "“{found}” is not a format. Use standard, discord, slack, mattermost or telegram."
    ),
    "bad_webhook_kinds": _("Found: {found}. Choose one or more of: {expected}."),
    "kind_not_for_chat": _(
        "A chat is sent published standings and ladders only. Found: {found}, expected: {expected}."
    ),
    "bad_webhook_state": _("“{found}” is not a state of a webhook. Use active or disabled."),
    "telegram_chat_needed": _(
        "The address names no chat. Add the id of the chat at its end, as in ?chat_id=-1001234567."
    ),
    "too_many_webhooks": _(
        "A club can have {expected} webhooks. Remove one that is not needed first."
    ),
    "webhook_outdated": _("Somebody changed this webhook meanwhile. Load it again."),
    "webhook_is_disabled": _("This webhook is disabled. Enable it first."),
}
