"""Members of a club: accounts with their roles, their players and when they last signed in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tournaments.domain.etags import mark_of_text
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Membership, Player, Role

STRONGEST_FIRST = tuple(reversed(Role.values))


@dataclass(frozen=True, slots=True)
class MemberRow:
    """One member as owners see them; `is_last_owner` where nobody else owns the club."""

    id: UUID
    user_id: int
    username: str
    name: str
    email: str
    role: str
    player_id: str | None
    player: str | None
    joined_at: datetime | None
    last_sign_in: datetime | None
    is_last_owner: bool

    @property
    def label(self) -> str:
        """What the member is called: the account's full name, the player's, or the login."""
        return self.name or self.player or self.username

    @property
    def tag(self) -> str:
        """The mark of what an edit changes: the role."""
        return mark_of_text(self.role)


def member_rows(club: Club) -> Sequence[MemberRow]:
    """Return the members of a club, owners first, then by login; two queries."""
    members = Membership.objects.filter(club=club).select_related("user")
    players = dict[int, tuple[str, str]]()
    for user_id, player_id, name in Player.objects.filter(
        club=club, user__isnull=False
    ).values_list("user_id", "player_id", "name"):
        players[user_id] = (player_id, name)
    rows = list(members)
    owners = [row for row in rows if row.role == Role.OWNER and row.user.is_active]
    only = owners[0].pk if len(owners) == 1 else None
    made = [_row(row, players.get(row.user_id), is_last_owner=row.pk == only) for row in rows]
    return tuple(sorted(made, key=lambda one: (STRONGEST_FIRST.index(one.role), one.username)))


def has_owner(club: Club) -> bool:
    """Return whether somebody whose account works owns the club."""
    owned = Membership.objects.filter(club=club, role=Role.OWNER)
    return owned.filter(user__is_active=True).exists()


def member_at(club: Club, public_id: UUID) -> MemberRow:
    """Return one member of a club.

    Raises:
        Missing: unknown_membership.
    """
    found = next((row for row in member_rows(club) if row.id == public_id), None)
    if found is None:
        raise Missing("membership")
    return found


def _row(member: Membership, player: tuple[str, str] | None, *, is_last_owner: bool) -> MemberRow:
    user = member.user
    return MemberRow(
        id=member.public_id,
        user_id=user.pk,
        username=user.get_username(),
        name=user.get_full_name(),
        email=user.email,
        role=member.role,
        player_id=player[0] if player else None,
        player=player[1] if player else None,
        joined_at=member.joined_at,
        last_sign_in=user.last_login,
        is_last_owner=is_last_owner,
    )
