"""The kinds of notifications, as pages call them."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

KIND_LABELS: Final[Mapping[str, str | Promise]] = {
    "challenge": _("Challenge received, its answer and deadline"),
    "result_to_confirm": _("Result to confirm"),
    "correction": _("Correction at my table"),
    "dispute_decided": _("Dispute decided"),
    "playoff": _("Play-off called"),
    "evening_reminder": _("Will you come to an evening?"),
    "evening_changed": _("Evening moved or cancelled that I come to"),
    "next_table": _("My next table"),
    "digest": _("Digest after the evening"),
}
"""The kinds of `tournaments.domain.people.notification_kinds.DEFAULTS`."""
