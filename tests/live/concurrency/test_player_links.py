"""Accounts of players at one moment on PostgreSQL: a player has one, an account is one player."""

from uuid import UUID

import pytest

from tests.live.conftest import Inside
from tests.support.builders import players
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import Act, at_once, project
from tests.support.live.project import LiveProject
from tournaments.errors import Conflict, Missing
from tournaments.models.access import Invitation, PlayerClaim
from tournaments.models.clubs import Player
from tournaments.services.clubs.invitations import accept_invitation, invite
from tournaments.services.clubs.members import (
    claim_player,
    confirm_claim,
    link_player,
    unlink_player,
)

__all__ = ["project"]

pytestmark = pytest.mark.pg
TIMES = short_or_long(2, 6)


def test_of_two_claims_of_a_player_one_is_confirmed(inside: Inside, project: LiveProject) -> None:
    with inside(project):
        cast = enter_the_cast()
        people = players(cast.riverside, *(f"Player {at}" for at in range(TIMES)))
    club = cast.riverside
    for player in people:
        with inside(project):
            Player.objects.update(user=None)
            ids = {
                name: claim_player(
                    actor=cast.actor(name), club=club, player=player, now=NOW
                ).public_id
                for name in ("piet", "hanna")
            }

        def confirm(by: str, name: str, ids: dict[str, UUID] = dict(ids)) -> Act:  # noqa: B006
            def act() -> None:
                confirm_claim(actor=cast.actor(by), club=club, claim_id=ids[name], now=NOW)

            return act

        refused = at_once(inside, project, [confirm("dirk", "piet"), confirm("olga", "hanna")])
        with inside(project):
            states = PlayerClaim.objects.filter(player=player).values_list("state", flat=True)
            user = Player.objects.get(pk=player.pk).user
            assert (refused, sorted(states)) == (["claim_is_decided"], ["confirmed", "rejected"])
            assert PlayerClaim.objects.get(player=player, state="confirmed").user == user


def test_link_by_hand_and_invitation_meet_and_one_is_the_player(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        cast = enter_the_cast()
        people = players(cast.riverside, *(f"Player {at}" for at in range(TIMES)))
    club = cast.riverside
    for player in people:
        with inside(project):
            Player.objects.update(user=None)
            made = invite(
                actor=cast.actor("olga"), club=club, role="player",
                player_id=player.player_id, now=NOW,
            )  # fmt: skip

        def accept(invitation: Invitation = made) -> None:
            try:
                accept_invitation(actor=cast.actor("nora"), invitation=invitation, now=NOW)
            except Missing as gone:
                raise Conflict(gone.problem) from gone

        def link(player: Player = player) -> None:
            user = cast.users["piet"]
            link_player(actor=cast.actor("dirk"), club=club, player=player, user=user, now=NOW)

        refused = at_once(inside, project, [accept, link])
        with inside(project):
            linked = Player.objects.get(pk=player.pk).user
        # The invitation of a linked player works no longer.
        by_whom = {"player_is_linked": "nora", "unknown_invitation": "piet"}
        assert [cast.users[by_whom[code]] for code in refused] == [linked]


def test_account_is_linked_to_one_of_two_players(inside: Inside, project: LiveProject) -> None:
    with inside(project):
        cast = enter_the_cast()
        people = players(cast.riverside, "Cleo S.", "Carla K.")
    club, piet = cast.riverside, cast.users["piet"]
    for _time in range(TIMES):
        with inside(project):
            for player in people:
                unlink_player(actor=cast.actor("dirk"), club=club, player=player, now=NOW)

        def link(by: str, player: Player) -> Act:
            def act() -> None:
                link_player(actor=cast.actor(by), club=club, player=player, user=piet, now=NOW)

            return act

        refused = at_once(inside, project, [link("dirk", people[0]), link("olga", people[1])])
        with inside(project):
            n = Player.objects.filter(club=club, user=piet).count()
        assert (refused, n) == (["account_is_linked"], 1)
