"""The e-mail address of an account, a change of it that waits, and whose an address is.

The address of an account is the one of its row. A change of it is a row of allauth beside that,
which counts for nothing until a person who is signed in has confirmed it: neither for signing in
nor for a link to a new password (docs/decisions/0053-an-address-counts-once-confirmed.md).
"""

from collections.abc import Sequence
from typing import Final

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import signing

_SALT: Final = "tournaments.stop-address-change"


def find_accounts_of(email: str) -> Sequence[User]:
    """Return the accounts with this address; those alone that confirmed it, if there are any."""
    typed = email.strip().lower()
    if not typed:
        return []
    # A database may think more letters equal than a mail server does.
    users = [user for user in _with_address(typed) if user.email.lower() == typed]
    confirmed = EmailAddress.objects.filter(user__in=users, email=typed, verified=True)
    holders = set(confirmed.values_list("user_id", flat=True))
    return [user for user in users if user.pk in holders] or users


def _with_address(typed: str) -> Sequence[User]:
    return list(User.objects.filter(email__iexact=typed).order_by("pk"))


def is_address_taken(email: str, *, is_proven: bool = False) -> bool:
    """Whether an address belongs to an account: confirmed by it, or the account's present one.

    Args:
        is_proven: whether the person opened a link that was mailed to the address; what others
            state without having confirmed it does not count then.
    """
    typed = email.strip().lower()
    if EmailAddress.objects.filter(email__iexact=typed, verified=True).exists():
        return True
    return not is_proven and bool(_with_address(typed))


def get_own_address(user: User) -> EmailAddress | None:
    """Return the row of an account's address; None without an address or where it has no row."""
    return EmailAddress.objects.filter(user=user, email__iexact=user.email).first()


def find_address_change(user: User) -> EmailAddress | None:
    """Return the new address that an account asked for and that waits to be confirmed."""
    waiting = EmailAddress.objects.filter(user=user, verified=False, primary=False)
    return waiting.exclude(email__iexact=user.email).order_by("pk").last()


def is_address_change(address: EmailAddress) -> bool:
    """Whether confirming an address would replace that of its account, or be its first later on."""
    is_own = address.email.lower() == address.user.email.lower()
    return not (is_own or address.primary)


def stop_token(address: EmailAddress) -> str:
    """Return the token that stops this change of an address, and does nothing else."""
    return signing.dumps(address.pk, salt=_SALT)


def is_stop_token(token: str) -> bool:
    """Whether this site made a token, whatever became of its change; not if letters are missing."""
    return _change_of_token(token) is not None


def _change_of_token(token: str) -> int | None:
    try:
        return int(signing.loads(token, salt=_SALT))
    except (signing.BadSignature, ValueError, TypeError):
        return None


def find_change_to_stop(token: str) -> EmailAddress | None:
    """Return the change that a token stops; None if it was confirmed or stopped, or never was."""
    pk = _change_of_token(token)
    if pk is None:
        return None
    address = EmailAddress.objects.filter(pk=pk, verified=False).select_related("user").first()
    return address if address is not None and is_address_change(address) else None
