"""The clubs of an account: its role and its player in each, a claim of one, and who it may be."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count

from tournaments.domain.imports.name_matching import folded
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.invitations import ClaimState, PlayerClaim
from tournaments.policy import Actor, may
from tournaments.selectors.clubs.linked_accounts import ClaimRow, claim_rows

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


def own_clubs(actor: Actor) -> Sequence[OwnClub]:
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


def likely_players(clubs: Iterable[Club], name: str) -> Mapping[int, Sequence[Player]]:
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
