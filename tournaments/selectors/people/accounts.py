"""What an account signs in with, and which clubs want more of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User

from tournaments.models.clubs import Membership, Player, Role
from tournaments.selectors.clubs.second_factor import roles_that_need_a_factor

FEW_CODES = 3
"""So many recovery codes, or fewer, are running low."""


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey by its row, and when it was last used."""

    id: int
    name: str
    created_at: datetime
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class RequiredBy:
    """Who requires a second factor of an account: the site, or clubs by name."""

    site: bool
    clubs: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.site or bool(self.clubs)


@dataclass(frozen=True, slots=True)
class AccountSecurity:
    """How an account signs in."""

    email: str
    is_confirmed: bool
    has_password: bool
    passkeys: tuple[Passkey, ...]
    app_since: datetime | None
    codes_left: int
    codes_total: int
    required_by: RequiredBy

    @property
    def has_second_factor(self) -> bool:
        """Whether a password alone does not sign in."""
        return self.app_since is not None or bool(self.passkeys)

    @property
    def has_few_codes(self) -> bool:
        """Whether recovery codes are running low, where there are any to have."""
        return self.has_second_factor and self.codes_left <= FEW_CODES


def account_security(user: User) -> AccountSecurity:
    """Return how an account signs in."""
    factors = list(Authenticator.objects.filter(user=user).order_by("created_at"))
    app = next((one for one in factors if one.type == Authenticator.Type.TOTP), None)
    kept = next((one for one in factors if one.type == Authenticator.Type.RECOVERY_CODES), None)
    codes = kept.wrap() if kept is not None else None
    address = EmailAddress.objects.filter(user=user).order_by("-primary", "-verified").first()
    return AccountSecurity(
        email=address.email if address is not None else user.email,
        is_confirmed=address is not None and address.verified,
        has_password=user.has_usable_password(),
        passkeys=tuple(
            Passkey(one.pk, one.wrap().name, one.created_at, one.last_used_at)
            for one in factors
            if one.type == Authenticator.Type.WEBAUTHN
        ),
        app_since=app.created_at if app is not None else None,
        codes_left=len(codes.get_unused_codes()) if codes is not None else 0,
        codes_total=len(codes.generate_codes()) if codes is not None else 0,
        required_by=second_factor_required_by(user),
    )


def second_factor_required_by(user: User) -> RequiredBy:
    """Return who requires a second factor of an account, whether it has one or not."""
    of_site = roles_that_need_a_factor()
    held = Membership.objects.filter(user=user, role__in=(Role.DIRECTOR, Role.OWNER))
    named = held.filter(club__requires_second_factor=True).order_by("club__name")
    needs = user.is_superuser or user.is_staff or held.filter(role__in=of_site).exists()
    return RequiredBy(
        site=bool(of_site) and needs, clubs=tuple(named.values_list("club__name", flat=True))
    )


def player_labels(user: User) -> Sequence[str]:
    """Return which players an account is, each with its club."""
    players = Player.objects.filter(user=user).select_related("club").order_by("club__name")
    return tuple(f"{one.name}, {one.player_id} ({one.club.name})" for one in players)
