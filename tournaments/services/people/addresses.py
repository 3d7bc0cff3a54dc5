"""Ask for another e-mail address of an account, stop that, and confirm an address.

Each locks accounts in order of their rows and then what is stored of their addresses, as deleting
an account does.
"""

from collections.abc import Iterable

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.db.models import Q

from tournaments.selectors.people.addresses import find_change_to_stop
from tournaments.services.db.transactions import atomic_step


@atomic_step
def store_address_change(user: User, email: str) -> EmailAddress:
    """Store the new address of an account, in place of one that waits; the present one stays."""
    _lock_accounts([user.pk])
    waiting = EmailAddress.objects.filter(user=user, verified=False, primary=False)
    waiting.exclude(email__iexact=user.email).delete()
    change, _is_new = EmailAddress.objects.get_or_create(user=user, email=email.lower())
    return change


@atomic_step
def stop_address_change(token: str) -> bool:
    """Drop the change that a token stops; it returns whether there was one."""
    change = find_change_to_stop(token)
    if change is None:
        return False
    _lock_accounts([change.user_id])
    deleted, _rows = EmailAddress.objects.filter(pk=change.pk, verified=False).delete()
    return bool(deleted)


def lock_claims(address: EmailAddress) -> EmailAddress | None:
    """Lock an address of an account with what others state of it, in a transaction.

    It returns the row as it is now: None if it was dropped, or another account confirmed it.
    """
    _lock_holders(address.user_id, address.email)
    same = EmailAddress.objects.filter(email__iexact=address.email)
    rows = {row.pk: row for row in same.select_for_update().order_by("pk")}
    locked = rows.pop(address.pk, None)
    if locked is None or any(row.verified for row in rows.values()):
        return None
    return locked


def drop_other_claims(address: EmailAddress) -> None:
    """Take an address from all accounts that have it without having confirmed it, but its own.

    The caller holds the locks of `lock_claims`.
    """
    others = EmailAddress.objects.filter(email__iexact=address.email, verified=False)
    others.exclude(user=address.user_id).delete()
    holders = User.objects.filter(email__iexact=address.email).exclude(pk=address.user_id)
    holders.update(email="")


def confirm_by_mailed_link(user: User) -> bool:
    """Confirm the address of an account whose person opened a link that was mailed to it.

    It returns whether it is confirmed now; not where another account confirmed it before.
    """
    try:
        return _confirm_own(user)
    except IntegrityError:  # by another account, at the same moment, in an earlier release
        return False


@atomic_step
def _confirm_own(user: User) -> bool:
    _lock_holders(user.pk, user.email)
    email = User.objects.values_list("email", flat=True).get(pk=user.pk).lower()
    if not email or email != user.email.lower():
        return False  # somebody else confirmed it at the same moment
    # allauth makes no row where another account has one with this address.
    address, _is_new = EmailAddress.objects.get_or_create(user=user, email=email)
    if address.verified:
        return True
    locked = lock_claims(address)
    if locked is None:
        return False
    drop_other_claims(locked)
    locked.verified = True
    locked.primary = True
    locked.save(update_fields=["verified", "primary"])
    return True


def _lock_holders(user_id: int, email: str) -> None:
    """Lock an account, and all others that confirmed, have or asked for an address."""
    same = EmailAddress.objects.filter(email__iexact=email)
    holders = User.objects.filter(Q(email__iexact=email) | Q(pk__in=same.values("user")))
    _lock_accounts([user_id, *holders.values_list("pk", flat=True)])


def _lock_accounts(users: Iterable[int]) -> None:
    rows = User.objects.select_for_update(no_key=True).filter(pk__in=set(users)).order_by("pk")
    list(rows.values_list("pk", flat=True))
