"""Mails about signing in: allauth's own texts, sealed until they are sent."""

import json
from collections.abc import Mapping

from tournaments.domain.sealing import unseal
from tournaments.mail.message import MailText


def sign_in_text(payload: Mapping[str, str]) -> tuple[str, MailText]:
    """Return the address and the text of a sealed mail; nobody's address is empty.

    Raises:
        SealBroken: it was written under another key.
    """
    parts = json.loads(unseal(payload["sealed"].encode()))
    blocks = tuple(block.strip() for block in parts["text"].split("\n\n"))
    return parts["to"], MailText(
        subject=parts["subject"], paragraphs=tuple(block for block in blocks if block)
    )
