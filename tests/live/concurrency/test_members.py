"""Members at one moment on PostgreSQL: an owner stays, and an invitation is accepted once."""

from contextlib import suppress
from uuid import UUID

import pytest

from tests.live.conftest import Inside
from tests.support.builders import players
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import Act, at_once, project
from tests.support.live.project import LiveProject
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.access import Invitation
from tournaments.models.clubs import Membership, Player
from tournaments.services.clubs.invitations import accept_invitation, invite
from tournaments.services.clubs.members import change_role, remove_member

__all__ = ["project"]

pytestmark = pytest.mark.pg
TIMES = short_or_long(2, 6)


def test_two_owners_who_demote_or_remove_each_other_leave_one(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        cast = enter_the_cast()
    club, pair = cast.riverside, ("olga", "dirk")
    for at in range(TIMES):
        with inside(project):
            Membership.objects.filter(club=club, user__username__in=pair).delete()
            ids = {
                name: Membership.objects.create(
                    club=club, user=cast.users[name], role="owner"
                ).public_id
                for name in pair
            }

        def against(by: str, other: UUID, *, demote: bool = at % 2 == 0) -> Act:
            def act() -> None:
                actor = cast.actor(by)
                try:
                    if demote:
                        change_role(actor=actor, club=club, public_id=other, role="host", now=NOW)
                    else:
                        remove_member(actor=actor, club=club, public_id=other, now=NOW)
                except Forbidden as late:
                    # The other act was saved before this one asked for its permission.
                    raise Conflict(late.problem) from late

            return act

        refused = at_once(
            inside, project, [against("olga", ids["dirk"]), against("dirk", ids["olga"])]
        )
        with inside(project):
            owners = Membership.objects.filter(club=club, role="owner").count()
        assert owners == 1
        assert refused in (["last_owner"], ["forbidden"])


def test_owner_who_is_just_demoted_leaves_no_invitation_of_an_owner(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        cast = enter_the_cast()
    club = cast.riverside
    for _ in range(TIMES):
        with inside(project):
            Membership.objects.filter(club=club, user=cast.users["dirk"]).delete()
            Invitation.objects.all().delete()
            dirk = Membership.objects.create(club=club, user=cast.users["dirk"], role="owner")

        def demote(member: UUID = dirk.public_id) -> None:
            change_role(actor=cast.actor("olga"), club=club, public_id=member, role="host", now=NOW)

        def invite_owner() -> None:
            with suppress(Forbidden):
                invite(actor=cast.actor("dirk"), club=club, role="owner", name="Eve", now=NOW)

        at_once(inside, project, [demote, invite_owner])
        with inside(project):
            assert not Invitation.objects.filter(role="owner", revoked_at=None).exists()


def test_invitation_is_accepted_by_one_of_two_accounts(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        cast = enter_the_cast()
        people = players(cast.riverside, *(f"Player {at}" for at in range(TIMES)))
    for player in people:
        with inside(project):
            made = invite(
                actor=cast.actor("olga"), club=cast.riverside, role="player",
                player_id=player.player_id, now=NOW,
            )  # fmt: skip
            Player.objects.update(user=None)

        def accept(name: str, invitation: Invitation = made) -> Act:
            def act() -> None:
                try:
                    accept_invitation(actor=cast.actor(name), invitation=invitation, now=NOW)
                except Missing as late:
                    raise Conflict(late.problem) from late

            return act

        refused = at_once(inside, project, [accept("hanna"), accept("piet")])
        assert refused == ["unknown_invitation"]
        with inside(project):
            accepted = Invitation.objects.get(pk=made.pk).accepted_by
            assert Player.objects.get(pk=player.pk).user == accepted
