"""Whose role waits for a second factor: the site or a club may require one of owners and directors.

It is asked where a role is found, in the same statement: nobody else's requests ask anything more.
"""

from collections.abc import Mapping
from typing import Final

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Case, CharField, Exists, F, OuterRef, Q, Value, When

from tournaments.models.clubs import Role
from tournaments.policy import CLOSING, OWNER, PUBLIC, WITHHELD

_NONE: Final = " without factor"
_REQUIRED: Final = " without required factor"
_CLOSING: Final = " while closing"
_OF_SITE: Final[Mapping[str, frozenset[str]]] = {
    "nobody": frozenset(),
    "owners": frozenset({str(Role.OWNER)}),
    "directors": frozenset({str(Role.DIRECTOR), str(Role.OWNER)}),
}


def roles_that_need_a_factor() -> frozenset[str]:
    """Return the roles of which the whole site requires a second factor."""
    return _OF_SITE[settings.REQUIRE_SECOND_FACTOR]


def role_column(club: str, requires: str, closing: str = "FALSE") -> str:
    """Return the SQL of the role that a user (`%s`) has in a club, as `role_in` reads it.

    Args:
        club: the SQL of the club's id.
        requires: the SQL of whether the club requires a second factor; asked of those without one.
        closing: the SQL of whether the club waits for its deletion, for a role that decides about
            a change; what is read is the owner's as ever.
    """
    return f"""(SELECT m.role || CASE
            WHEN m.role NOT IN ('director', 'owner') THEN ''
            WHEN EXISTS (SELECT 1 FROM mfa_authenticator f
                WHERE f.user_id = m.user_id AND f.type <> 'recovery_codes') THEN ''
            WHEN {requires} THEN '{_REQUIRED}' ELSE '{_NONE}' END
            || CASE WHEN {closing} THEN '{_CLOSING}' ELSE '' END
        FROM tournaments_membership m WHERE m.club_id = {club} AND m.user_id = %s)"""  # noqa: S608 - names of our own columns


def role_in(found: str) -> str:
    """Return the role in what `role_column` found: withheld where a factor is missing.

    In a club that waits for its deletion its owners have one, and nobody else.

    >>> role_in("host"), role_in("owner without required factor"), role_in("owner while closing")
    ('host', 'withheld', 'closing')
    """
    if found.endswith(_CLOSING):
        return CLOSING if role_in(found.removesuffix(_CLOSING)) == OWNER else PUBLIC
    role, _, lacks = found.partition(" ")
    if f" {lacks}" == _REQUIRED or (lacks and role in roles_that_need_a_factor()):
        return WITHHELD
    return role


def role_expression() -> Case:
    """Return the same for a query of memberships."""
    held = Q(role__in=(Role.DIRECTOR, Role.OWNER), club__requires_second_factor=True)
    needs = held | Q(role__in=sorted(roles_that_need_a_factor()))
    factors = Authenticator.objects.filter(user=OuterRef("user"))
    has_one = Exists(factors.exclude(type=Authenticator.Type.RECOVERY_CODES))
    return Case(
        When(needs & ~has_one, then=Value(WITHHELD)), default=F("role"), output_field=CharField()
    )


def has_second_factor(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether a password alone does not sign in to an account."""
    factors = Authenticator.objects.filter(user=user.pk)
    return bool(factors.exclude(type=Authenticator.Type.RECOVERY_CODES).exists())


def lacks_factor_of_site(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether an administrator of the site has no second factor, and the site requires one.

    No query where it does not, nor for other accounts.
    """
    stands_above = getattr(user, "is_superuser", False) or getattr(user, "is_staff", False)
    return bool(stands_above and roles_that_need_a_factor()) and not has_second_factor(user)
