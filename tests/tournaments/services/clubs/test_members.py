"""Members and invitations of a club, and what a club that waits for its deletion still does."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User

from scoring.errors import Refused
from tests.support.builders import players
from tests.support.cast import NOW, Cast
from tournaments.errors import ClubIsReadOnly, Conflict, Forbidden, Missing
from tournaments.models.access import Invitation, PlayerClaim
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.jobs import Outbox
from tournaments.policy import ANYBODY, MAY, OWNER, Actor, command, may
from tournaments.selectors.access.invitations import find_invitation_by_token, printable_token
from tournaments.selectors.clubs.members import member_tag
from tournaments.services.clubs.deletion import delete_club, note_export, undo_delete_club
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
from tournaments.services.clubs.invite_list import NOBODY, InviteLine, invite_list
from tournaments.services.clubs.members import (
    become_owner,
    change_member,
    change_roles,
    claim_player,
    complete_invitations,
    confirm_claim,
    give_role,
    link_player,
    reject_claim,
    remove_member,
    unlink_player,
    withdraw_claim,
)
from tournaments.services.operations import Operation, require
from tournaments.services.people.accounts import delete_account

ALLOWED = {
    *("read_public", "read_members", "read_held", "read_draft", "read_dispute", "read_audit"),
    *("export_player", "export_club", "delete_club", "read_contacts"),
}


def member(cast: Cast, name: str) -> Membership:
    return Membership.objects.get(club=cast.riverside, user=cast.users[name])


def change(cast: Cast, name: str, role: str, *, by: str = "olga", **more: str) -> None:
    change_member(cast.operation(by), member(cast, name), role=role, **more)


def remove(cast: Cast, name: str, *, by: str = "olga") -> None:
    remove_member(cast.operation(by), member(cast, name))


def refusal(cast: Cast, name: str, role: str = "") -> str:
    with pytest.raises(Conflict) as refused:
        change(cast, name, role) if role else remove(cast, name)
    return refused.value.problem.code


def test_last_owner_is_neither_removed_nor_demoted(cast: Cast) -> None:
    assert refusal(cast, "olga") == "last_owner"
    assert refusal(cast, "olga", "director") == "last_owner"
    op, olga = cast.operation("olga"), cast.users["olga"]
    with pytest.raises(Conflict):
        give_role(op, cast.riverside, user_id=olga.pk, role="player")
    change(cast, "dirk", "owner")
    User.objects.filter(username="dirk").update(is_active=False)
    assert refusal(cast, "olga") == "last_owner", "a closed account owns nothing"
    User.objects.filter(username="dirk").update(is_active=True)
    remove(cast, "olga")
    assert member(cast, "dirk").role == "owner"


def test_role_is_changed_unless_somebody_changed_it_since_it_was_read(cast: Cast) -> None:
    tag = member_tag(member(cast, "hanna"))
    change(cast, "hanna", "director", based_on=tag)
    with pytest.raises(Conflict, match="member_outdated") as refused:
        change(cast, "hanna", "host", based_on=tag)
    assert refused.value.there == {"role": "director"}
    with pytest.raises(Refused, match="unknown_role"):
        change(cast, "hanna", "king")
    assert member(cast, "hanna").role == "director"


def test_club_is_handed_over_in_one_step(cast: Cast) -> None:
    roles = {
        member(cast, "olga").public_id: "player",
        member(cast, "dirk").public_id: "owner",
        member(cast, "hanna").public_id: "host",
    }
    assert change_roles(cast.operation("olga"), cast.riverside, roles=roles) == 2
    assert (member(cast, "olga").role, member(cast, "dirk").role) == ("player", "owner")


def test_removing_unlinks_the_player_and_revokes_what_the_member_left(cast: Cast) -> None:
    (cleo,) = players(cast.riverside, "Cleo S.")
    change(cast, "dirk", "owner")
    olga = cast.actor("olga")
    link_player(Operation(olga, NOW), cleo, user=cast.users["dirk"])
    invitation = invite(cast.operation("dirk"), cast.riverside, role="owner")
    remove(cast, "dirk")
    assert not Membership.objects.filter(user=cast.users["dirk"]).exists()
    assert Player.objects.get(pk=cleo.pk).user is None
    assert Invitation.objects.get(pk=invitation.pk).revoked_at == NOW
    line = AuditLine.objects.filter(act="remove_member").get()
    assert line.facts == {"role": "owner", "invitations": [str(invitation.public_id)]}


@pytest.fixture
def cleo(cast: Cast) -> Player:
    return players(cast.riverside, "Cleo S.")[0]


def invited(cast: Cast, role: str = "player", **more: str) -> Invitation:
    return invite(cast.operation("olga"), cast.riverside, role=role, **more)


def accept(cast: Cast, invitation: Invitation, name: str) -> Membership:
    return accept_invitation(cast.operation(name), invitation)


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
    operations = AuditLine.objects.filter(club=cast.riverside).order_by("number")
    assert [line.act for line in operations][-3:] == ["invite", "link_player", "accept_invitation"]
    assert "Cleo" not in str([(line.actor, line.subject, line.facts) for line in operations])


def test_role_is_raised_and_never_lowered(cast: Cast) -> None:
    assert accept(cast, invited(cast, "director"), "hanna").role == "director"
    assert accept(cast, invited(cast, "player"), "hanna").role == "director"


def test_account_is_one_player_of_a_club(cast: Cast, cleo: Player) -> None:
    (carla,) = players(cast.riverside, "Cleo S.", "Carla K.")[1:] or [cleo]
    link_player(cast.operation("olga"), carla, user=cast.users["piet"])
    invitation = invited(cast, player_id="RL01")
    with pytest.raises(Conflict, match="account_is_linked"):
        accept(cast, invitation, "piet")
    assert works(invitation)


def test_invitation_works_for_two_weeks_and_until_it_is_revoked(cast: Cast) -> None:
    invitation = invited(cast)
    almost = timedelta(days=14) - timedelta(seconds=1)
    assert works(invitation, after=almost)
    assert not works(invitation, after=timedelta(days=14))
    revoke_invitation(cast.operation("olga"), invitation)
    assert not works(invitation)
    declined = invited(cast)
    decline_invitation(Operation(ANYBODY, NOW), declined)
    assert not works(declined)


def test_new_invitation_of_a_player_revokes_the_pending_one(cast: Cast, cleo: Player) -> None:
    first, second = invited(cast, player_id="RL01"), invited(cast, player_id="RL01")
    assert (works(first), works(second)) == (False, True)
    third = resend_invitation(cast.operation("olga"), second)
    assert (works(second), works(third)) == (False, True)
    link_player(cast.operation("olga"), cleo, user=cast.users["piet"])
    assert not works(third), "linked by hand meanwhile"
    with pytest.raises(Conflict, match="player_is_linked"):
        invited(cast, player_id="RL01")


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
def test_mail_address_is_checked_before_any_writing(cast: Cast, email: str, is_taken: bool) -> None:
    if is_taken:
        invitation = invited(cast, email=email)
        assert invitation.email == email
        mails = Outbox.objects.filter(about=f"invitation:{invitation.public_id}")
        assert [mail.payload["to"] for mail in mails] == ([email] if email else [])
        assert printable_token(invitation) not in str([mail.payload for mail in mails])
        return
    with pytest.raises(Refused, match=r"^bad_email$"):
        invited(cast, email=email)
    assert not Invitation.objects.exists()


def deleted(cast: Cast) -> Club:
    """Riverside after Olga deleted it."""
    olga = cast.actor("olga")
    note_export(Operation(olga, NOW), cast.riverside)
    return delete_club(Operation(olga, NOW), cast.riverside, confirm="riverside")


@pytest.mark.parametrize(
    "right", sorted({*MAY} - {"own_link", "confirmed_link", "check_in_tonight"})
)
def test_owner_and_administrator_only_read_export_and_undo(cast: Cast, right: str) -> None:
    assert may(OWNER, right)
    club = deleted(cast)
    for actor in (cast.actor("olga"), command("tests")):
        if right in ALLOWED:
            require(actor, club, right)
        else:
            with pytest.raises(ClubIsReadOnly):
                require(actor, club, right)
    for name in ("dirk", "hanna", "piet"):
        if right not in ("read_public", "own_account", "join_club", "make_club"):
            with pytest.raises(Forbidden):
                require(cast.actor(name), club, right)


def test_nobody_is_invited_until_the_deletion_is_undone(cast: Cast) -> None:
    olga, club = cast.actor("olga"), cast.riverside
    before = invite(Operation(olga, NOW), club, role="host")
    club = deleted(cast)
    n_lines = AuditLine.objects.filter(club=club).count()
    with pytest.raises(ClubIsReadOnly):
        invite_many(Operation(olga, NOW), club, role="player", people=[Invite(name="Ada")])
    with pytest.raises(ClubIsReadOnly):
        resend_invitation(Operation(olga, NOW), before)
    assert Invitation.objects.count() == 1
    assert AuditLine.objects.filter(club=club).count() == n_lines
    club = undo_delete_club(Operation(olga, NOW + timedelta(days=13)), club)
    invite_many(Operation(olga, NOW), club, role="player", people=[Invite(name="Ada")])


def test_page_and_rest_say_why(cast: Cast) -> None:
    before = invite(cast.operation("olga"), cast.riverside, role="host")
    deleted(cast)
    browser = cast.client("olga")
    rest = browser.post("/api/v1/clubs/riverside/invitations", {"role": "host"}, "application/json")
    assert rest.status_code == 403
    assert rest.json()["errors"][0]["code"] == "club_is_read_only"
    assert "Undo the deletion" in rest.json()["detail"]
    page = browser.post(f"/clubs/riverside/invitations/{before.public_id}", {"resend": "1"})
    assert page.status_code == 403
    assert "This club is being deleted" in page.content.decode()
    assert browser.get("/clubs/riverside/settings").status_code == 200


def test_what_cannot_be_invited_is_refused(cast: Cast) -> None:
    with pytest.raises(Refused, match="unknown_role"):
        invited(cast, "king")
    with pytest.raises(Refused, match="name_too_long"):
        invited(cast, name="x" * 121)
    with pytest.raises(Missing):
        invited(cast, player_id="RL99")
    assert not Invitation.objects.exists()


def claimed(cast: Cast, player: Player, name: str = "piet") -> PlayerClaim:
    return claim_player(cast.operation(name), player)


def prepared(cast: Cast, player: Player, operation: str) -> Callable[[], object]:
    """An operation about a player that is prepared now and done later, when it may be refused."""
    op, piet = cast.operation("olga"), cast.users["piet"]
    if operation == "claim":
        return partial(claimed, cast, player)
    if operation == "confirm":
        return partial(confirm_claim, op, claimed(cast, player))
    if operation == "resend":
        return partial(resend_invitation, op, invited(cast, player_id=player.player_id))
    if operation == "link":
        return partial(link_player, op, player, user=piet)
    if operation == "unlink":
        return partial(unlink_player, op, player)
    if operation == "invite":
        return partial(invite, op, cast.riverside, role="player", player_id=player.player_id)
    return partial(invite_many, op, cast.riverside, role="player", people=[Invite(player)])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"erased_at": NOW}, "player_is_erased"),
        ({"merged_into": "RL02"}, "player_is_merged"),
        ({"user": "nora"}, "player_is_linked"),
    ],
)
@pytest.mark.parametrize(
    "operation", ["link", "claim", "confirm", "invite", "invite_many", "resend"]
)
def test_player_who_is_erased_merged_or_linked_meanwhile_gets_no_account(
    cast: Cast, cleo: Player, operation: str, change: dict[str, Any], code: str
) -> None:
    later = prepared(cast, cleo, operation)
    players(cast.riverside, "Dora K.")
    for name in change.keys() & {"user", "merged_into"}:
        rows: Any = User if name == "user" else Player
        key = "username" if name == "user" else "player_id"
        change = {name: rows.objects.get(**{key: change[name]})}
    Player.objects.filter(pk=cleo.pk).update(**change)
    with pytest.raises(Conflict, match=code):
        later()


@pytest.mark.parametrize("operation", ["link", "claim", "confirm"])
def test_account_of_a_player_gets_no_second_one(cast: Cast, cleo: Player, operation: str) -> None:
    later = prepared(cast, cleo, operation)
    players(cast.riverside, "Dora K.")
    Player.objects.filter(player_id="RL02").update(user=cast.users["piet"])
    with pytest.raises(Conflict, match="account_is_linked"):
        later()


@pytest.mark.parametrize("operation", ["link", "unlink", "claim", "invite", "invite_many"])
def test_player_removed_meanwhile_is_unknown(cast: Cast, cleo: Player, operation: str) -> None:
    later = prepared(cast, cleo, operation)
    Player.objects.get(pk=cleo.pk).delete()
    with pytest.raises((Conflict, Missing), match="player"):
        later()


CLAIM_OPERATIONS: dict[str, Any] = {
    "olga": (confirm_claim, reject_claim),
    "piet": (withdraw_claim,),
}


@pytest.mark.parametrize(("name", "at"), [("olga", 0), ("olga", 1), ("piet", 0)])
def test_claim_is_decided_once(cast: Cast, cleo: Player, name: str, at: int) -> None:
    claim, op = claimed(cast, cleo), cast.operation(name)
    PlayerClaim.objects.update(state="rejected")
    with pytest.raises(Conflict, match="claim_is_decided"):
        CLAIM_OPERATIONS[name][at](op, claim)
    PlayerClaim.objects.all().delete()
    with pytest.raises(Missing, match="claim"):
        CLAIM_OPERATIONS[name][at](op, claim)


def test_second_player_is_not_claimed_before_the_first_is_decided(cast: Cast, cleo: Player) -> None:
    claimed(cast, cleo)
    with pytest.raises(Conflict, match="claim_pending"):
        claimed(cast, players(cast.riverside, "Dora K.")[0])


@pytest.mark.parametrize("operation", [revoke_invitation, resend_invitation, decline_invitation])
def test_invitation_that_was_revoked_is_not_known(cast: Cast, operation: Any) -> None:
    invitation = invited(cast)
    Invitation.objects.update(revoked_at=NOW)
    with pytest.raises(Missing, match="invitation"):
        operation(cast.operation("olga"), invitation)


def test_club_invites_so_many_a_minute(cast: Cast, cleo: Player) -> None:
    op, invitation = cast.operation("olga"), invited(cast)
    people = [Invite(name="Ada")] * MOST_A_MINUTE
    with pytest.raises(Refused, match="invited_twice"):
        invite_many(op, cast.riverside, role="player", people=[Invite(cleo), Invite(cleo)])
    with pytest.raises(Refused, match="too_many_invitations"):
        invite_many(op, cast.riverside, role="player", people=people)
    invite_many(op, cast.riverside, role="player", people=people[1:])
    for operation in (partial(resend_invitation, op, invitation), partial(invited, cast)):
        with pytest.raises(Refused, match="too_many_invitations"):
            operation()


def test_club_with_an_owner_gets_no_other_from_the_site(cast: Cast) -> None:
    User.objects.filter(username="nora").update(is_superuser=True)
    nora = Actor("user", user_id=cast.users["nora"].pk, name="Nora", is_site_admin=True)
    with pytest.raises(Conflict, match="club_has_owner"):
        become_owner(Operation(nora, NOW), cast.riverside)


@pytest.mark.parametrize("operation", [change_member, remove_member])
def test_member_who_was_removed_is_not_known(cast: Cast, operation: Any) -> None:
    piet = member(cast, "piet")
    Membership.objects.filter(pk=piet.pk).delete()
    with pytest.raises(Missing, match="membership"):
        operation(
            cast.operation("olga"), piet, **({"role": "host"} if operation is change_member else {})
        )


def test_role_must_be_one_of_a_club(cast: Cast) -> None:
    op, piet = cast.operation("olga"), member(cast, "piet")
    with pytest.raises(Refused, match="unknown_role"):
        give_role(op, cast.riverside, user_id=piet.user_id, role="king")
    with pytest.raises(Refused, match="unknown_role"):
        change_roles(op, cast.riverside, roles={piet.public_id: "king"})
    with pytest.raises(Conflict, match="last_owner"):
        change_roles(op, cast.riverside, roles={member(cast, "olga").public_id: "host"})


@pytest.mark.parametrize(
    ("lines", "role", "code"),
    [
        ([], "player", "nobody_to_invite"),
        ([("Zoe", "")], "player", "name_not_decided"),
        ([("Cleo S.", ""), ("Cleo S.", "")], "player", "invited_twice"),
        ([("Dora K.", "")], "player", "player_is_linked"),
        ([("Cleo S.", "cleo")], "player", "bad_email"),
        ([("Cleo S.", "")], "king", "unknown_role"),
        ([("x" * 121, "")], "player", "name_too_long"),
        ([("Cleo S.", "")] * (MOST_A_MINUTE + 1), "player", "too_many_invitations"),
    ],
)
def test_list_of_invitations_is_refused_whole(
    cast: Cast, cleo: Player, lines: list[tuple[str, str]], role: str, code: str
) -> None:
    players(cast.riverside, "Dora K.")
    Player.objects.filter(player_id="RL02").update(user=cast.users["piet"])
    asked = [InviteLine(number, *line) for number, line in enumerate(lines, 1)]
    choices = {line.key: NOBODY for line in asked if len(line.name) > len("Cleo S.")}
    op = cast.operation("olga")
    with pytest.raises((Refused, Conflict), match=code):
        invite_list(op, cast.riverside, role=role, asked=asked, choices=choices)
    assert not Invitation.objects.exists()


def by_token(cast: Cast, scope: str = "manage") -> Operation:
    return Operation(replace(cast.actor("olga"), scope=scope), NOW)


@pytest.mark.parametrize("role", ["owner", "director"])
def test_token_makes_directors_and_no_owner(cast: Cast, role: str) -> None:
    op = by_token(cast)
    of_owner = invite(cast.operation("olga"), cast.riverside, role=role)
    acts: list[Callable[[], object]] = [
        partial(invite, op, cast.riverside, role=role),
        partial(
            invite_many, op, cast.riverside, role="player", people=[Invite(name="Eve", role=role)]
        ),
        partial(resend_invitation, op, of_owner),
        partial(change_member, op, member(cast, "hanna"), role=role),
        partial(change_roles, op, cast.riverside, roles={member(cast, "piet").public_id: role}),
        partial(give_role, op, cast.riverside, user_id=cast.users["nora"].pk, role=role),
    ]
    for act in acts:
        if role == "owner":
            with pytest.raises(Refused) as refused:
                act()
            assert [problem.code for problem in refused.value.problems] == ["owner_by_token"]
        else:
            act()
    owners = Membership.objects.filter(club=cast.riverside, role="owner")
    assert [each.user.username for each in owners] == ["olga"]
    assert Invitation.objects.filter(role="owner").count() == (1 if role == "owner" else 0)


def test_token_takes_the_role_from_no_owner(cast: Cast) -> None:
    change(cast, "hanna", "owner")
    hanna = member(cast, "hanna")
    roles = {hanna.public_id: "host"}
    acts: list[Callable[[Operation], object]] = [
        lambda op: change_member(op, hanna, role="host"),
        lambda op: change_roles(op, cast.riverside, roles=roles),
        lambda op: give_role(op, cast.riverside, user_id=hanna.user_id, role="host"),
        lambda op: remove_member(op, hanna),
    ]
    for act in acts:
        with pytest.raises(Refused) as refused:
            act(by_token(cast))
        assert [problem.code for problem in refused.value.problems] == ["owner_by_token"]
        assert member(cast, "hanna").role == "owner"
    remove_member(by_token(cast), member(cast, "piet"))
    remove_member(cast.operation("olga"), hanna)
    assert not Membership.objects.filter(user__username__in=("hanna", "piet")).exists()


def invited_eve(cast: Cast) -> Membership:
    """Eve, who accepted the second of two invitations; a third one is for somebody else."""
    lost = invited(cast, name="Eve E.", email="eve@riverside.example")
    again = resend_invitation(cast.operation("olga"), lost)
    eve = User.objects.create_user("eve", "EVE@riverside.example")
    invited(cast, name="Zoe", email="zoe@riverside.example")
    return accept_invitation(Operation(Actor("user", user_id=eve.pk), NOW), again)


@pytest.mark.parametrize("is_deleted", [False, True])
def test_who_leaves_leaves_neither_name_nor_address_in_invitations(
    cast: Cast, is_deleted: bool
) -> None:
    eve = invited_eve(cast)
    if is_deleted:
        delete_account(Operation(Actor("user", user_id=eve.user_id), NOW))
    else:
        remove_member(cast.operation("olga"), eve)
    kept = Invitation.objects.order_by("pk").values_list("name", "email")
    assert list(kept) == [("", ""), ("", ""), ("Zoe", "zoe@riverside.example")]
    mails = Outbox.objects.filter(kind="invitation").order_by("pk")
    assert [mail.payload["to"] for mail in mails] == ["zoe@riverside.example"]


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_deleted_account_is_forgotten_where_it_was_invited_and_never_joined(
    cast: Cast, is_confirmed: bool
) -> None:
    """An address that the account only stated may be somebody else's, who is still invited."""
    eve = User.objects.create_user("eve", "EVE@riverside.example")
    EmailAddress.objects.create(
        user=eve, email="eve@riverside.example", primary=True, verified=is_confirmed
    )
    pending = invited(cast, name="Eve E.", email="Eve@riverside.example")
    invited(cast, name="Zoe", email="zoe@riverside.example")
    delete_account(Operation(Actor("user", user_id=eve.pk), NOW))
    kept = list(Invitation.objects.order_by("pk").values_list("name", "email", "revoked_at"))
    zoe = ("Zoe", "zoe@riverside.example", None)
    eves = ("", "", NOW) if is_confirmed else ("Eve E.", "Eve@riverside.example", None)
    assert kept == [eves, zoe]
    assert Outbox.objects.filter(about=pending.audit_subject).exists() is not is_confirmed
    declined = AuditLine.objects.filter(act="decline_invitation", subject=pending.audit_subject)
    assert declined.exists() is is_confirmed


def test_who_was_deleted_or_removed_by_an_earlier_release_is_forgotten_too(cast: Cast) -> None:
    eve = invited_eve(cast)
    complete_invitations()
    assert Invitation.objects.exclude(email="").count() == 3, "a member's stay"
    eve.delete()
    complete_invitations()
    assert Invitation.objects.filter(accepted_at__isnull=False).get().email == ""
    eve = invited_eve_again(cast, eve.user)
    User.objects.filter(pk=eve.user_id).delete()
    complete_invitations()
    assert not Invitation.objects.filter(accepted_at__isnull=False).exclude(email="").exists()


def invited_eve_again(cast: Cast, user: User) -> Membership:
    invitation = invited(cast, name="Eve E.", email="eve@riverside.example")
    return accept_invitation(Operation(Actor("user", user_id=user.pk), NOW), invitation)
