"""Accounts and members at one moment: an owner stays, a link or an invitation works once."""

from functools import partial

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.contrib.auth.models import User
from django.test import Client

from tests.support.builders import players
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import only_long, short_or_long
from tests.support.live.at_once import Action, Within
from tournaments.errors import Forbidden
from tournaments.models.access import CalendarLink, Invitation, PlayerClaim, SetupLink
from tournaments.models.audit import RefusedAct
from tournaments.models.clubs import Membership, Player
from tournaments.policy import Actor
from tournaments.selectors.access.tokens import find_reader_of_calendar, find_setup_link_by_token
from tournaments.selectors.people.addresses import stop_token
from tournaments.services.access.table_links import SETUP_LASTS, make_setup_link, use_setup_link
from tournaments.services.access.tokens import make_calendar_link
from tournaments.services.audit.audit import count_refused_act
from tournaments.services.clubs.invitations import accept_invitation, invite
from tournaments.services.clubs.members import (
    change_member,
    claim_player,
    confirm_claim,
    link_player,
    remove_member,
    unlink_player,
)
from tournaments.services.operations import Operation
from tournaments.services.people.accounts import delete_account
from tournaments.services.people.addresses import (
    confirm_by_mailed_link,
    stop_address_change,
    store_address_change,
)

pytestmark = pytest.mark.pg
TIMES = short_or_long(2, 6)


def test_of_two_links_made_at_one_moment_one_works(within: Within) -> None:
    with within():
        user = enter_the_cast().users["piet"]
    for _ in range(TIMES):
        make = partial(make_calendar_link, Operation(Actor("user", user_id=user.pk), NOW))
        made = within.together(make, make)
        with within():
            assert CalendarLink.objects.filter(user=user).count() == 1
            assert sum(find_reader_of_calendar(token) is not None for token in made) == 1


def test_link_made_while_its_account_is_deleted_leaves_nothing(within: Within) -> None:
    with within():
        club = enter_the_cast().riverside
    for at in range(TIMES):
        with within():
            user = User.objects.create_user(f"guest-{at}")
            Membership.objects.create(club=club, user=user, role="player")
        actor = Actor("user", user_id=user.pk)

        make = partial(make_calendar_link, Operation(actor, NOW))
        refused = within.at_once(make, partial(delete_account, Operation(actor, NOW)))
        assert refused in ([], ["forbidden"])  # where the account was gone before
        with within():
            assert not User.objects.filter(pk=user.pk).exists()
            assert not CalendarLink.objects.filter(user_id=user.pk).exists()


def test_of_two_owners_who_leave_at_one_moment_one_stays(within: Within) -> None:
    with within():
        club = enter_the_cast().riverside
    for at in range(TIMES):
        with within():
            Membership.objects.filter(club=club, role="owner").delete()
            pair = [User.objects.create_user(f"owner-{at}-{one}") for one in (1, 2)]
            for user in pair:
                Membership.objects.create(club=club, user=user, role="owner")

        leave = [
            partial(delete_account, Operation(Actor("user", user_id=user.pk), NOW)) for user in pair
        ]
        refused = within.at_once(*leave)
        with within():
            owners = Membership.objects.filter(club=club, role="owner").count()
        assert (refused, owners) == (["owns_clubs_alone"], 1)


@pytest.mark.parametrize("who", ["eve", "nora"])
def test_invitation_accepted_while_its_account_is_deleted_keeps_no_name(
    within: Within, who: str
) -> None:
    """Of a club that the account never joined; whoever comes second waits for the club's row."""
    with within():
        cast = enter_the_cast()
    for at in range(TIMES):
        with within():
            eve = User.objects.create_user(f"eve-{at}", f"eve-{at}@home.example")
            EmailAddress.objects.create(user=eve, email=eve.email, primary=True, verified=True)
            invitation = invite(
                cast.operation("olga"), cast.riverside, role="player", name="Eve", email=eve.email
            )
            Membership.objects.filter(user=cast.users["nora"], club=cast.riverside).delete()
        reader = eve if who == "eve" else cast.users["nora"]
        accept = partial(
            accept_invitation, Operation(Actor("user", user_id=reader.pk), NOW), invitation
        )
        delete = partial(delete_account, Operation(Actor("user", user_id=eve.pk), NOW))
        assert within.at_once(accept, delete) in ([], ["unknown_invitation"])
        with within():
            assert not User.objects.filter(pk=eve.pk).exists()
            assert not Membership.objects.filter(user_id=eve.pk).exists()
            stored = Invitation.objects.get(pk=invitation.pk)
            assert (stored.name, stored.email) == ("", "")


def visit(link: SetupLink, name: str) -> Action:
    return lambda: use_setup_link(
        link=link, make_account=lambda: User.objects.create(username=name), now=NOW
    )


@pytest.mark.parametrize("has_two_links", [only_long(False), True], ids=["one-link", "two-links"])
def test_two_visitors_make_one_account(within: Within, has_two_links: bool) -> None:
    for _time in range(TIMES):
        with within():
            User.objects.all().delete()
            SetupLink.objects.all().delete()
            link = find_setup_link_by_token(make_setup_link(now=NOW), NOW)
            assert link is not None
            other = link
            if has_two_links:  # as two commands at one moment leave them
                other = SetupLink.objects.create(
                    token_digest="0" * 64, created_at=NOW, expires_at=NOW + SETUP_LASTS
                )
        refused = within.at_once(visit(link, "olga"), visit(other, "eve"))
        with within():
            made = User.objects.filter(is_superuser=True).count()
        assert (refused, made) == (["unknown_setup_link"], 1)


def test_two_owners_who_demote_or_remove_each_other_leave_one(within: Within) -> None:
    with within():
        cast = enter_the_cast()
    club, pair = cast.riverside, ("olga", "dirk")
    for at in range(TIMES):
        with within():
            Membership.objects.filter(club=club, user__username__in=pair).delete()
            olga, dirk = (
                Membership.objects.create(club=club, user=cast.users[name], role="owner")
                for name in pair
            )

        change = partial(change_member, role="host") if at % 2 == 0 else remove_member
        refused = within.at_once(
            partial(change, cast.operation("olga"), dirk),
            partial(change, cast.operation("dirk"), olga),
        )
        with within():
            owners = Membership.objects.filter(club=club, role="owner").count()
        assert owners == 1
        # Forbidden where the other change was saved before this one asked for its permission.
        assert refused in (["last_owner"], ["forbidden"])


def test_owner_who_is_just_demoted_leaves_no_invitation_of_an_owner(within: Within) -> None:
    with within():
        cast = enter_the_cast()
    club = cast.riverside
    for _ in range(TIMES):
        with within():
            Membership.objects.filter(club=club, user=cast.users["dirk"]).delete()
            Invitation.objects.all().delete()
            dirk = Membership.objects.create(club=club, user=cast.users["dirk"], role="owner")

        refused = within.at_once(
            partial(change_member, cast.operation("olga"), dirk, role="host"),
            partial(invite, cast.operation("dirk"), club, role="owner", name="Eve"),
        )
        assert refused in ([], ["forbidden"])
        with within():
            assert not Invitation.objects.filter(role="owner", revoked_at=None).exists()


def test_invitation_is_accepted_by_one_of_two_accounts(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        people = players(cast.riverside, *(f"Player {at}" for at in range(TIMES)))
    for player in people:
        with within():
            invitation = invite(
                cast.operation("olga"), cast.riverside, role="player", player_id=player.player_id
            )
            Player.objects.update(user=None)

        refused = within.at_once(
            *(
                partial(accept_invitation, cast.operation(name), invitation)
                for name in ("hanna", "piet")
            )
        )
        assert refused == ["unknown_invitation"]
        with within():
            accepted = Invitation.objects.get(pk=invitation.pk).accepted_by
            assert Player.objects.get(pk=player.pk).user == accepted


def test_of_two_claims_of_a_player_one_is_confirmed(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        people = players(cast.riverside, *(f"Player {at}" for at in range(TIMES)))
    for player in people:
        with within():
            Player.objects.update(user=None)
            first, second = (
                claim_player(cast.operation(name), player) for name in ("piet", "hanna")
            )

        refused = within.at_once(
            partial(confirm_claim, cast.operation("dirk"), first),
            partial(confirm_claim, cast.operation("olga"), second),
        )
        with within():
            states = PlayerClaim.objects.filter(player=player).values_list("state", flat=True)
            user = Player.objects.get(pk=player.pk).user
            assert (refused, sorted(states)) == (["claim_is_decided"], ["confirmed", "rejected"])
            assert PlayerClaim.objects.get(player=player, state="confirmed").user == user


def test_link_by_hand_and_invitation_meet_and_one_is_the_player(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        people = players(cast.riverside, *(f"Player {at}" for at in range(TIMES)))
    club = cast.riverside
    for player in people:
        with within():
            Player.objects.update(user=None)
            invitation = invite(
                cast.operation("olga"), club, role="player", player_id=player.player_id
            )

        refused = within.at_once(
            partial(accept_invitation, cast.operation("nora"), invitation),
            partial(
                link_player, cast.operation("dirk"), player, user=cast.users["piet"]
            ),
        )  # fmt: skip
        with within():
            linked = Player.objects.get(pk=player.pk).user
        # The invitation of a linked player works no longer.
        by_whom = {"player_is_linked": "nora", "unknown_invitation": "piet"}
        assert [cast.users[by_whom[code]] for code in refused] == [linked]


def test_account_is_linked_to_one_of_two_players(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        people = players(cast.riverside, "Cleo S.", "Carla K.")
    club, piet = cast.riverside, cast.users["piet"]
    for _time in range(TIMES):
        with within():
            for player in people:
                unlink_player(cast.operation("dirk"), player)

        refused = within.at_once(
            partial(link_player, cast.operation("dirk"), people[0], user=piet),
            partial(link_player, cast.operation("olga"), people[1], user=piet),
        )
        with within():
            n = Player.objects.filter(club=club, user=piet).count()
        assert (refused, n) == (["account_is_linked"], 1)


def test_attempts_at_one_moment_are_all_counted(within: Within) -> None:
    with within():
        cast = enter_the_cast()
    rights, attempts = ("manage_event", "manage_club"), short_or_long(5, 50)

    def attempt(order: int) -> None:
        for right in rights[::order] * attempts:
            refusal, actor = Forbidden(right), cast.actor("nora")
            count_refused_act(actor=actor, club_slug="riverside", refusal=refusal, now=NOW)

    assert within.at_once(*(partial(attempt, order) for order in (1, -1, 1, -1))) == []
    with within():
        rows = RefusedAct.objects.order_by("act").values_list("act", "times")
        assert list(rows) == [(right, 4 * attempts) for right in sorted(rights)]


def test_account_that_is_deleted_meanwhile_leaves_no_reference(within: Within) -> None:
    with within():
        cast = enter_the_cast()
    nora = cast.actor("nora")

    def attempt() -> None:
        for right in ("manage_event", "manage_club", "penalize"):
            refusal = Forbidden(right)
            count_refused_act(actor=nora, club_slug="riverside", refusal=refusal, now=NOW)

    assert within.at_once(attempt, partial(delete_account, Operation(nora, NOW))) == []
    with within():
        assert not RefusedAct.objects.filter(user__isnull=False).exists()


def stating(email: str, *names: str) -> list[User]:
    """Accounts that each state an address as their own and have not confirmed it."""
    users = [User.objects.create_user(name, email) for name in names]
    for user in users:
        EmailAddress.objects.create(user=user, email=email, primary=True)
    return users


def require_one_holder(email: str) -> None:
    (row,) = EmailAddress.objects.filter(email=email)
    assert row.verified
    assert [user.pk for user in User.objects.filter(email=email)] == [row.user_id]


def test_of_two_accounts_that_confirm_an_address_one_has_it(within: Within) -> None:
    for at in range(TIMES):
        email = f"cleo-{at}@riverside.example"
        with within():
            users = stating(email, f"cleo-{at}", f"eve-{at}")
        assert sorted(within.together(*(partial(_confirmed, user) for user in users))) == [
            "False",
            "True",
        ]
        with within():
            require_one_holder(email)


def _confirmed(user: User) -> str:
    return str(confirm_by_mailed_link(user))


def test_of_two_links_of_two_mails_to_one_address_one_confirms_it(within: Within) -> None:
    for at in range(TIMES):
        email = f"cleo-{at}@riverside.example"
        with within():
            User.objects.all().delete()
            users = stating(email, f"cleo-{at}", f"eve-{at}")
            keys = [
                EmailConfirmationHMAC(EmailAddress.objects.get(user=user)).key for user in users
            ]
        paths = [f"/accounts/confirm-email/{key}/" for key in keys]
        within.together(*(partial(Client().post, path) for path in paths))
        with within():
            require_one_holder(email)


def _stopped(token: str) -> str:
    return str(stop_address_change(token))


def test_change_is_either_stopped_or_confirmed(within: Within) -> None:
    with within():
        olga = User.objects.create_user("olga", "olga@riverside.example")
        EmailAddress.objects.create(
            user=olga, email="olga@riverside.example", primary=True, verified=True
        )
    for at in range(TIMES):
        with within():
            olga.refresh_from_db()
            before = olga.email
            change = store_address_change(olga, f"olga-{at}@hilltop.example")
            owner = Client()
            owner.force_login(olga)
            key, stop = EmailConfirmationHMAC(change).key, stop_token(change)
        _confirm, is_stopped = within.together(
            partial(owner.post, f"/accounts/confirm-email/{key}/"),
            partial(_stopped, stop),
        )
        with within():
            olga.refresh_from_db()
            (row,) = EmailAddress.objects.filter(user=olga)
            assert (row.email, row.verified) == (olga.email, True)
            assert olga.email == (before if is_stopped == "True" else change.email)
