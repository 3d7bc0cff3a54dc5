"""Kinds of notifications that people choose among, the kind of each message, mail addresses.

A kind is chosen per club, by mail and as a notice; a message belongs to one kind. Messages about
signing in are always sent. See docs/decisions/0034-mail-and-webhooks-leave-from-the-database.md.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from scoring.errors import Path, Problem, shown


@dataclass(frozen=True, slots=True)
class Channels:
    by_mail: bool
    as_notice: bool


class Recipients(NamedTuple):
    """Accounts by their ids, and players without an account by their rows."""

    accounts: Set[int]
    people: Set[int] = frozenset()

    @classmethod
    def of(cls, players: Iterable[tuple[int, int | None]]) -> Self:
        """Return the recipients among players, each with the account if there is one."""
        pairs = list(players)
        accounts = frozenset(account for _player, account in pairs if account is not None)
        return cls(accounts, frozenset(player for player, account in pairs if account is None))


DEFAULTS: Final[Mapping[str, Channels]] = {
    "challenge": Channels(by_mail=True, as_notice=True),
    "result_to_confirm": Channels(by_mail=True, as_notice=True),
    "correction": Channels(by_mail=True, as_notice=False),
    "dispute_decided": Channels(by_mail=True, as_notice=False),
    "note_answered": Channels(by_mail=True, as_notice=False),
    "playoff": Channels(by_mail=True, as_notice=True),
    "evening_reminder": Channels(by_mail=True, as_notice=False),
    "evening_changed": Channels(by_mail=True, as_notice=True),
    "fill_in": Channels(by_mail=True, as_notice=True),
    "next_table": Channels(by_mail=False, as_notice=True),
    "digest": Channels(by_mail=True, as_notice=False),
    "counted_anew": Channels(by_mail=False, as_notice=True),
}
"""Kind → what holds where an account chose nothing, in the order of the page."""

FOR_DIRECTORS: Final = frozenset({"counted_anew"})
"""Kinds whose messages go to directors and owners alone."""

KIND_OF: Final = {
    "challenge_received": "challenge",
    "challenge_answered": "challenge",
    "challenge_deadline": "challenge",
    "result_to_confirm": "result_to_confirm",
    "correction": "correction",
    "dispute_decided": "dispute_decided",
    "note_answered": "note_answered",
    "playoff_called": "playoff",
    "evening_reminder": "evening_reminder",
    "evening_changed": "evening_changed",
    "evening_cancelled": "evening_changed",
    "evenings_changed": "evening_changed",
    "evenings_cancelled": "evening_changed",
    "place_free": "evening_changed",
    "fill_in": "fill_in",
    "next_table": "next_table",
    "digest": "digest",
    "counted_anew": "counted_anew",
}
"""Message → its kind."""

STORED_AS: Final = {
    "counted_anew": ("challenge_received", "challenge"),
    "note_answered": ("dispute_decided", "dispute"),
    "evenings_changed": ("evening_changed", "meeting"),
    "evenings_cancelled": ("evening_cancelled", "event"),
    "place_free": ("evening_changed", "meeting"),
}
"""Message that release 0.5.0 or 0.6.0 does not know → one of its own under which a notice of it is
stored, and the fact that names a row which does not exist. After a return the earlier one leaves
such notices out; a message that it does not know is an error 500 of its pages. Mails keep their own
kind: the earlier release tries one that it does not know for a day, and then lists it as not
delivered."""

_MESSAGE: Final = "message"

PERSONAL_LINK: Final = "personal_link"
"""The mail with the personal link of a player, sent by a director."""

PERSONAL_CONFIRMATION: Final = "personal_confirmation"
"""The mail that confirms what the holder of a personal link asked for."""

INVITATION: Final = "invitation"

SIGN_IN: Final = "sign_in"
"""Confirmations of an address, new passwords, notices of security."""


def stored_notice(message: str, facts: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Return the kind and the facts under which a notice is stored.

    >>> stored_notice("digest", {"event": 3})
    ('digest', {'event': 3})
    >>> stored_notice("counted_anew", {"event": 3})
    ('challenge_received', {'event': 3, 'message': 'counted_anew', 'challenge': 0})
    """
    if message not in STORED_AS:
        return message, dict(facts)
    kind, missing = STORED_AS[message]
    return kind, {**facts, _MESSAGE: message, missing: 0}


def message_of_notice(kind: str, facts: Mapping[str, object]) -> str:
    """Return the message of a stored notice.

    >>> message_of_notice(*stored_notice("counted_anew", {"event": 3}))
    'counted_anew'
    """
    return str(facts.get(_MESSAGE, kind))


PERSONAL_KINDS: Final = (
    "evening_reminder",
    "evening_changed",
    "fill_in",
    "next_table",
    "digest",
    "challenge",
    "note_answered",
)
"""Kinds that a player without an account gets by mail, all of them unless the person stops them."""


def personal_kind(message: str) -> str:
    """Return the kind of a message to a player without an account; "" where they get none.

    >>> personal_kind("result_to_confirm"), personal_kind("dispute_decided")
    ('challenge', 'challenge')
    >>> personal_kind("correction")
    ''
    """
    # A person reports the result of a challenge alone.
    of_challenge = ("result_to_confirm", "dispute_decided")
    kind = "challenge" if message in of_challenge else KIND_OF[message]
    return kind if kind in PERSONAL_KINDS else ""


LONGEST_EMAIL: Final = 254


def email_problem(email: str, at: Path) -> Problem | None:
    problem = Problem("bad_email", at, {"found": shown(email)})
    if len(email) > LONGEST_EMAIL:
        return problem
    if email:
        try:
            validate_email(email)
        except ValidationError:
            return problem
    return None
