"""Members of a club: roles change, people are removed, and an owner always stays."""

import pytest
from django.contrib.auth.models import User

from scoring.errors import Refused
from tests.support.builders import players
from tests.support.cast import NOW, Cast
from tournaments.errors import Conflict, Forbidden
from tournaments.models.access import Invitation
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Membership, Player
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.members import (
    change_role,
    change_roles,
    give_role,
    link_player,
    remove_member,
)


def member(cast: Cast, name: str) -> Membership:
    return Membership.objects.get(club=cast.riverside, user=cast.users[name])


def change(cast: Cast, name: str, role: str, *, by: str = "olga") -> None:
    change_role(
        actor=cast.actor(by), club=cast.riverside, public_id=member(cast, name).public_id,
        role=role, now=NOW,
    )  # fmt: skip


def remove(cast: Cast, name: str, *, by: str = "olga") -> None:
    public_id = member(cast, name).public_id
    remove_member(actor=cast.actor(by), club=cast.riverside, public_id=public_id, now=NOW)


def refusal(cast: Cast, name: str, role: str = "") -> str:
    with pytest.raises(Conflict) as refused:
        change(cast, name, role) if role else remove(cast, name)
    return refused.value.problem.code


def test_last_owner_is_neither_removed_nor_demoted(cast: Cast) -> None:
    assert refusal(cast, "olga") == "last_owner"
    assert refusal(cast, "olga", "director") == "last_owner"
    with pytest.raises(Conflict):
        give_role(
            actor=cast.actor("olga"), club=cast.riverside, user_id=cast.users["olga"].pk,
            role="player", now=NOW,
        )  # fmt: skip
    change(cast, "dirk", "owner")
    User.objects.filter(username="dirk").update(is_active=False)
    assert refusal(cast, "olga") == "last_owner", "a closed account owns nothing"
    User.objects.filter(username="dirk").update(is_active=True)
    remove(cast, "olga")
    assert member(cast, "dirk").role == "owner"


def test_club_is_handed_over_in_one_step(cast: Cast) -> None:
    roles = {
        member(cast, "olga").public_id: "player",
        member(cast, "dirk").public_id: "owner",
        member(cast, "hanna").public_id: "host",
    }
    changed = change_roles(actor=cast.actor("olga"), club=cast.riverside, roles=roles, now=NOW)
    assert changed == 2
    assert (member(cast, "olga").role, member(cast, "dirk").role) == ("player", "owner")


def test_removing_unlinks_the_player_and_revokes_what_the_member_left(cast: Cast) -> None:
    (cleo,) = players(cast.riverside, "Cleo S.")
    change(cast, "dirk", "owner")
    olga = cast.actor("olga")
    link_player(actor=olga, club=cast.riverside, player=cleo, user=cast.users["dirk"], now=NOW)
    left = invite(actor=cast.actor("dirk"), club=cast.riverside, role="owner", now=NOW)
    remove(cast, "dirk")
    assert not Membership.objects.filter(user=cast.users["dirk"]).exists()
    assert Player.objects.get(pk=cleo.pk).user is None
    assert Invitation.objects.get(pk=left.pk).revoked_at == NOW
    line = AuditLine.objects.filter(act="remove_member").get()
    assert line.facts == {"role": "owner", "invitations": [str(left.public_id)]}


@pytest.mark.parametrize("name", ["dirk", "hanna", "piet", "nora"])
def test_only_owners_change_members(cast: Cast, name: str) -> None:
    with pytest.raises(Forbidden):
        change(cast, "piet", "owner", by=name)
    with pytest.raises(Forbidden):
        remove(cast, "piet", by=name)


def test_unknown_role_is_refused(cast: Cast) -> None:
    with pytest.raises(Refused) as refused:
        change(cast, "piet", "king")
    assert refused.value.problems[0].code == "unknown_role"
