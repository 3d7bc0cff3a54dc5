"""Linking an account to a player: who may, what is refused, what it gives and keeps."""

import pytest
from django.contrib.auth.models import User

from scoring.errors import Refused
from tests.support.builders import players
from tests.support.cast import NOW, Cast, enter_the_cast
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Membership, Player
from tournaments.services.clubs.members import link_account, link_player, unlink_player

Club = tuple[Cast, Player, Player]


@pytest.fixture
def club(db: None) -> Club:
    cast = enter_the_cast()
    cleo, carla = players(cast.riverside, "Cleo S.", "Carla K.")
    return cast, cleo, carla


def link(cast: Cast, player: Player, name: str, *, by: str = "dirk") -> Player:
    return link_player(
        actor=cast.actor(by), club=cast.riverside, player=player, user=cast.users[name], now=NOW
    )


def refusal(cast: Cast, player: Player, name: str) -> str:
    with pytest.raises(Conflict) as refused:
        link(cast, player, name)
    return refused.value.problem.code


def test_director_links_and_unlinks_a_member_who_keeps_the_role(club: Club) -> None:
    cast, cleo, _carla = club
    assert link(cast, cleo, "hanna").user == cast.users["hanna"]
    assert link(cast, cleo, "hanna").user == cast.users["hanna"]
    unlink_player(actor=cast.actor("dirk"), club=cast.riverside, player=cleo, now=NOW)
    cleo.refresh_from_db()
    assert cleo.user is None
    assert Membership.objects.get(user=cast.users["hanna"]).role == "host"
    lines = AuditLine.objects.filter(subject="player:RL01", act__endswith="link_player")
    user = cast.users["hanna"].pk
    assert list(lines.order_by("number").values_list("act", "facts")) == [
        ("link_player", {"user": user}),
        ("unlink_player", {"user": user}),
    ]


@pytest.mark.parametrize("name", ["piet", "hanna", "nora"])
def test_only_directors_and_owners_link(club: Club, name: str) -> None:
    cast, cleo, _carla = club
    with pytest.raises(Forbidden):
        link(cast, cleo, "piet", by=name)
    with pytest.raises(Forbidden):
        unlink_player(actor=cast.actor(name), club=cast.riverside, player=cleo, now=NOW)


def test_account_is_one_player_and_player_one_account(club: Club) -> None:
    cast, cleo, carla = club
    link(cast, cleo, "piet")
    assert refusal(cast, carla, "piet") == "account_is_linked"
    assert refusal(cast, cleo, "hanna") == "player_is_linked"


def test_erased_and_merged_players_get_no_account(club: Club) -> None:
    cast, cleo, carla = club
    Player.objects.filter(pk=cleo.pk).update(erased_at=NOW)
    assert refusal(cast, cleo, "piet") == "player_is_erased"
    Player.objects.filter(pk=cleo.pk).update(erased_at=None, merged_into=carla)
    assert refusal(cast, cleo, "piet") == "player_is_merged"


def test_stranger_is_linked_by_an_invitation_and_not_by_hand(club: Club) -> None:
    cast, cleo, _carla = club
    cleos = User.objects.create_user("cleo")
    with pytest.raises(Refused, match="not_a_member"):
        link_player(actor=cast.actor("dirk"), club=cast.riverside, player=cleo, user=cleos, now=NOW)
    host = cast.actor("hanna")
    link_account(actor=host, club=cast.riverside, player=cleo, user=cleos, now=NOW)
    assert Membership.objects.get(club=cast.riverside, user=cleos).role == "player"
    facts = AuditLine.objects.get(act="link_player").facts
    assert facts == {"user": cleos.pk, "role": "player"}
