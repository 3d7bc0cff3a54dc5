"""Kinds of mails, as their page calls them."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

MAIL_LABELS: Final[Mapping[str, str | Promise]] = {
    "invitation": _("Invitation"),
    "sign_in": _("About signing in"),
    "challenge_received": _("Challenge received"),
    "challenge_answered": _("Challenge answered"),
    "challenge_deadline": _("Deadline of a challenge"),
    "result_to_confirm": _("Result to confirm"),
    "correction": _("Correction of a hand"),
    "dispute_decided": _("Dispute decided"),
    "playoff_called": _("Play-off called"),
    "evening_reminder": _("Reminder of an evening"),
    "evening_changed": _("Evening changed"),
    "evening_cancelled": _("Evening cancelled"),
    "next_table": _("Next table"),
    "digest": _("Digest after the evening"),
}
