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
class AccountSecurity:
    """How an account signs in, and whether the site or clubs, by name, require a second factor."""

    email: str
    is_confirmed: bool
    has_password: bool
    passkeys: Sequence[Authenticator]
    app_since: datetime | None
    codes_left: int
    codes_total: int
    is_required_by_site: bool
    requiring_clubs: Sequence[str]

    @property
    def requires_second_factor(self) -> bool:
        """Whether a second factor is required, whether the account has one or not."""
        return self.is_required_by_site or bool(self.requiring_clubs)

    @property
    def has_second_factor(self) -> bool:
        return self.app_since is not None or bool(self.passkeys)

    @property
    def has_few_codes(self) -> bool:
        """Whether recovery codes are running low, where there are any to have."""
        return self.has_second_factor and self.codes_left <= FEW_CODES


def get_account_security(user: User) -> AccountSecurity:
    factors: dict[str, list[Authenticator]] = {}
    for factor in Authenticator.objects.filter(user=user).order_by("created_at"):
        factors.setdefault(factor.type, []).append(factor)
    apps = factors.get(Authenticator.Type.TOTP, [])
    codes = [row.wrap() for row in factors.get(Authenticator.Type.RECOVERY_CODES, [])]
    address = EmailAddress.objects.filter(user=user).order_by("-primary", "-verified").first()
    roles = roles_that_need_a_factor()
    managed = Membership.objects.filter(user=user, role__in=(Role.DIRECTOR, Role.OWNER))
    clubs = managed.filter(club__requires_second_factor=True).order_by("club__name")
    is_admin = user.is_superuser or user.is_staff
    return AccountSecurity(
        email=address.email if address is not None else user.email,
        is_confirmed=address is not None and address.verified,
        has_password=user.has_usable_password(),
        passkeys=factors.get(Authenticator.Type.WEBAUTHN, []),
        app_since=apps[0].created_at if apps else None,
        codes_left=len(codes[0].get_unused_codes()) if codes else 0,
        codes_total=len(codes[0].generate_codes()) if codes else 0,
        is_required_by_site=bool(roles) and (is_admin or managed.filter(role__in=roles).exists()),
        requiring_clubs=list(clubs.values_list("club__name", flat=True)),
    )


def list_player_labels(user: User) -> Sequence[str]:
    players = Player.objects.filter(user=user).select_related("club").order_by("club__name")
    return [f"{player.name}, {player.player_id} ({player.club.name})" for player in players]


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
    memberships = list(members.order_by("club__name", "club__slug"))
    players = {player.club_id: player for player in Player.objects.filter(user=actor.user_id)}
    claims = PlayerClaim.objects.filter(
        club__in=[member.club_id for member in memberships], state=ClaimState.PENDING
    )
    own_claims = claims.filter(user=actor.user_id).select_related("player", "user")
    claim_of = {claim.club_id: claim_rows([claim], is_member=True)[0] for claim in own_claims}
    n_claims = _count_claims(
        [member.club_id for member in memberships if may(member.role, "link_players")]
    )
    return [
        OwnClub(
            member.club,
            member.role,
            players.get(member.club_id),
            claim_of.get(member.club_id),
            n_claims.get(member.club_id, 0),
        )
        for member in memberships
    ]


def find_likely_players(clubs: Iterable[Club], name: str) -> Mapping[int, Sequence[Player]]:
    """Return the players that an account of this name may be, by club; one query.

    Players without an account; those whose name has words that the account's name begins with
    come first.
    """
    free = Player.objects.filter(
        club__in=list(clubs), user=None, erased_at=None, merged_into=None, is_active=True
    )
    words = _words(name)
    by_club: dict[int, list[Player]] = {}
    for player in free.order_by("name", "player_id"):
        by_club.setdefault(player.club_id, []).append(player)
    return {
        club: sorted(players, key=lambda player: -_alike(words, player.name))[:MOST_LIKELY]
        for club, players in by_club.items()
    }


def _count_claims(clubs: Collection[int]) -> Mapping[int, int]:
    if not clubs:
        return {}
    pending = PlayerClaim.objects.filter(club__in=clubs, state=ClaimState.PENDING)
    return dict(pending.values_list("club").annotate(n=Count("pk")).order_by("club"))


def _alike(words: Sequence[str], name: str) -> int:
    """Return how many words of an account's name are words of a player's, or begin like one.

    >>> _alike(["cleo", "s"], "Cleo S."), _alike(["cleo", "smith"], "Cleo S."), _alike([], "Cleo")
    (2, 2, 0)
    """
    parts = _words(name)
    return sum(any(a.startswith(b) or b.startswith(a) for b in parts) for a in words)


def _words(name: str) -> list[str]:
    """Return the words of a name or of a login: `cleo.s7@riverside.example` is cleo and s.

    >>> _words("cleo.s7@riverside.example"), _words("Zoë K.")
    (['cleo', 's'], ['zoë', 'k'])
    """
    return re.findall(r"[^\W\d_]+", folded(name.partition("@")[0]))
