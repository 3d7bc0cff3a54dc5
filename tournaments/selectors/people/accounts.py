"""What an account signs in with, its clubs, its roles and its players."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.db.models import Count

from tournaments.domain.name_matching import folded
from tournaments.models.access import ClaimState, PlayerClaim
from tournaments.models.clubs import Club, Membership, Player, Role
from tournaments.policy import Actor, may
from tournaments.selectors.clubs.clubs import roles_that_need_a_factor
from tournaments.selectors.clubs.members import ClaimRow, claim_rows

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


def get_account_security(user: User) -> AccountSecurity:
    """Return how an account signs in."""
    factors = list(Authenticator.objects.filter(user=user).order_by("created_at"))
    app = next((factor for factor in factors if factor.type == Authenticator.Type.TOTP), None)
    kept = next(
        (factor for factor in factors if factor.type == Authenticator.Type.RECOVERY_CODES), None
    )
    codes = kept.wrap() if kept is not None else None
    address = EmailAddress.objects.filter(user=user).order_by("-primary", "-verified").first()
    return AccountSecurity(
        email=address.email if address is not None else user.email,
        is_confirmed=address is not None and address.verified,
        has_password=user.has_usable_password(),
        passkeys=tuple(
            Passkey(factor.pk, factor.wrap().name, factor.created_at, factor.last_used_at)
            for factor in factors
            if factor.type == Authenticator.Type.WEBAUTHN
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


def list_player_labels(user: User) -> Sequence[str]:
    """Return which players an account is, each with its club."""
    players = Player.objects.filter(user=user).select_related("club").order_by("club__name")
    return tuple(f"{player.name}, {player.player_id} ({player.club.name})" for player in players)


MOST_LIKELY: Final = 8
"""So many players are offered as oneself; the others are on the list of players."""


@dataclass(frozen=True, slots=True)
class OwnClub:
    """A club of an account; `player` and `claim` are None where there is none."""

    club: Club
    role: str
    player: Player | None
    claim: ClaimRow | None
    n_claims: int
    """Claims of others that the account may decide."""


def list_own_clubs(actor: Actor) -> Sequence[OwnClub]:
    """Return the clubs that the actor is a member of, by name; four queries at most.

    A token for one club has that one only.
    """
    if actor.user_id is None:
        return ()
    members = Membership.objects.filter(user=actor.user_id).select_related("club")
    if actor.club_id is not None:
        members = members.filter(club=actor.club_id)
    found = list(members.order_by("club__name", "club__slug"))
    clubs = [one.club_id for one in found]
    players = {one.club_id: one for one in Player.objects.filter(user=actor.user_id)}
    claims = PlayerClaim.objects.filter(club__in=clubs, state=ClaimState.PENDING)
    asked = list(claims.filter(user=actor.user_id).select_related("player", "user"))
    own = dict(zip((one.club_id for one in asked), claim_rows(asked, is_member=True), strict=True))
    decided = [one.club_id for one in found if may(one.role, "link_players")]
    to_decide = _number_of_claims(decided)
    return [
        OwnClub(
            club=one.club,
            role=one.role,
            player=players.get(one.club_id),
            claim=own.get(one.club_id),
            n_claims=to_decide.get(one.club_id, 0),
        )
        for one in found
    ]


def find_likely_players(clubs: Iterable[Club], name: str) -> Mapping[int, Sequence[Player]]:
    """Return who of each club an account of this name may be, by club; one query.

    Players without an account; those whose name has words that the account's name begins with
    come first.
    """
    free = Player.objects.filter(
        club__in=list(clubs),
        user=None,
        erased_at=None,
        merged_into=None,
        is_active=True,
    )
    words = _words(name)
    found: dict[int, list[Player]] = {}
    for player in free.order_by("name", "player_id"):
        found.setdefault(player.club_id, []).append(player)
    return {
        club: sorted(players, key=lambda one: -_alike(words, one.name))[:MOST_LIKELY]
        for club, players in found.items()
    }


def _number_of_claims(clubs: Collection[int]) -> Mapping[int, int]:
    if not clubs:
        return {}
    pending = PlayerClaim.objects.filter(club__in=clubs, state=ClaimState.PENDING)
    return dict(pending.values_list("club").annotate(n=Count("pk")).order_by("club"))


def _alike(words: Sequence[str], name: str) -> int:
    """Return how many words of an account's name are words of a player's, or begin like one.

    >>> _alike(["cleo", "s"], "Cleo S."), _alike(["cleo", "smith"], "Cleo S."), _alike([], "Cleo")
    (2, 2, 0)
    """
    theirs = _words(name)
    return sum(any(a.startswith(b) or b.startswith(a) for b in theirs) for a in words)


def _words(name: str) -> list[str]:
    """Return the words of a name or of a login: `cleo.s7@riverside.example` is cleo and s.

    >>> _words("cleo.s7@riverside.example"), _words("Zoë K.")
    (['cleo', 's'], ['zoë', 'k'])
    """
    return re.findall(r"[^\W\d_]+", folded(name.partition("@")[0]))
