"""Invitations: who may be invited, what accepting gives, and that each works once."""

from datetime import timedelta

import pytest

from scoring.errors import Refused
from tests.support.builders import players
from tests.support.cast import NOW, Cast
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.access import Invitation
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Membership, Player
from tournaments.models.outbox import Outbox
from tournaments.selectors.access.invitations import find_invitation_by_token, printable_token
from tournaments.services.clubs.invitations import (
    MOST_A_MINUTE,
    Invite,
    accept_invitation,
    decline_invitation,
    invite,
    invite_many,
    resend_invitation,
    revoke_invitation,
)
from tournaments.services.clubs.members import link_player


@pytest.fixture
def cleo(cast: Cast) -> Player:
    return players(cast.riverside, "Cleo S.")[0]


def invited(cast: Cast, role: str = "player", **more: str) -> Invitation:
    return invite(actor=cast.actor("olga"), club=cast.riverside, role=role, now=NOW, **more)


def accept(cast: Cast, invitation: Invitation, name: str) -> Membership:
    return accept_invitation(actor=cast.actor(name), invitation=invitation, now=NOW)


def works(invitation: Invitation, *, after: timedelta = timedelta()) -> bool:
    return find_invitation_by_token(printable_token(invitation), "", NOW + after) is not None


def test_accepting_makes_a_member_who_is_the_named_player(cast: Cast, cleo: Player) -> None:
    invitation = invited(cast, player_id="RL01")
    assert works(invitation)
    member = accept(cast, invitation, "nora")
    assert (member.role, member.joined_at) == ("player", NOW)
    assert Player.objects.get(pk=cleo.pk).user == cast.users["nora"]
    assert not works(invitation)
    with pytest.raises(Missing):
        accept(cast, invitation, "hanna")
    acts = AuditLine.objects.filter(club=cast.riverside).order_by("number")
    assert [line.act for line in acts][-3:] == ["invite", "link_player", "accept_invitation"]
    said = str([(line.actor, line.subject, line.facts) for line in acts])
    assert "Cleo" not in said


def test_role_is_raised_and_never_lowered(cast: Cast) -> None:
    assert accept(cast, invited(cast, "director"), "hanna").role == "director"
    assert accept(cast, invited(cast, "player"), "hanna").role == "director"


def test_account_is_one_player_of_a_club(cast: Cast, cleo: Player) -> None:
    (carla,) = players(cast.riverside, "Cleo S.", "Carla K.")[1:] or [cleo]
    link_player(
        actor=cast.actor("olga"),
        club=cast.riverside,
        player=carla,
        user=cast.users["piet"],
        now=NOW,
    )
    invitation = invited(cast, player_id="RL01")
    with pytest.raises(Conflict) as refused:
        accept(cast, invitation, "piet")
    assert refused.value.problem.code == "account_is_linked"
    assert works(invitation)


def test_invitation_works_for_two_weeks_and_until_it_is_revoked(cast: Cast) -> None:
    invitation = invited(cast)
    almost = timedelta(days=14) - timedelta(seconds=1)
    assert works(invitation, after=almost)
    assert not works(invitation, after=timedelta(days=14))
    revoke_invitation(
        actor=cast.actor("olga"), club=cast.riverside, public_id=invitation.public_id, now=NOW
    )
    assert not works(invitation)
    declined = invited(cast)
    decline_invitation(invitation=declined, now=NOW)
    assert not works(declined)


def test_new_invitation_of_a_player_revokes_the_pending_one(cast: Cast, cleo: Player) -> None:
    first, second = invited(cast, player_id="RL01"), invited(cast, player_id="RL01")
    assert (works(first), works(second)) == (False, True)
    third = resend_invitation(
        actor=cast.actor("olga"), club=cast.riverside, public_id=second.public_id, now=NOW
    )
    assert (works(second), works(third)) == (False, True)
    link_player(
        actor=cast.actor("olga"), club=cast.riverside, player=cleo, user=cast.users["piet"], now=NOW
    )
    assert not works(third), "linked by hand meanwhile"
    with pytest.raises(Conflict) as refused:
        invited(cast, player_id="RL01")
    assert refused.value.problem.code == "player_is_linked"


@pytest.mark.parametrize(
    ("email", "is_taken"),
    [
        ("cleo@riverside.example", True),
        ("", True),
        ("cleo@riverside.example\nBcc: all@riverside.example", False),
        ("cleo@riverside.example\r", False),
        ("cleo", False),
        ("a@b.example, c@d.example", False),
        (f"{'x' * 64}@{'y.' * 120}example", False),
    ],
)
def test_mail_address_is_checked_before_anything_is_written(
    cast: Cast, email: str, is_taken: bool
) -> None:
    if is_taken:
        invitation = invited(cast, email=email)
        assert invitation.email == email
        mails = Outbox.objects.filter(about=f"invitation:{invitation.public_id}")
        assert [mail.payload["to"] for mail in mails] == ([email] if email else [])
        assert printable_token(invitation) not in str([mail.payload for mail in mails])
        return
    with pytest.raises(Refused) as refused:
        invited(cast, email=email)
    assert [problem.code for problem in refused.value.problems] == ["bad_email"]
    assert not Invitation.objects.exists()


def test_only_owners_invite_and_only_into_roles_that_exist(cast: Cast) -> None:
    for name in ("dirk", "hanna", "piet", "nora"):
        with pytest.raises(Forbidden):
            invite(actor=cast.actor(name), club=cast.riverside, role="player", now=NOW)
    with pytest.raises(Refused) as refused:
        invited(cast, "king")
    assert refused.value.problems[0].code == "unknown_role"


def test_invitations_of_a_minute_are_bounded(cast: Cast) -> None:
    def many(n: int, at: timedelta = timedelta()) -> None:
        invite_many(
            actor=cast.actor("olga"), club=cast.riverside, role="player",
            people=[Invite(name=f"Guest {one}") for one in range(n)], now=NOW + at,
        )  # fmt: skip

    many(MOST_A_MINUTE)
    with pytest.raises(Refused) as refused:
        many(1)
    assert refused.value.problems[0].code == "too_many_invitations"
    many(1, timedelta(minutes=1))
    assert Invitation.objects.count() == MOST_A_MINUTE + 1
