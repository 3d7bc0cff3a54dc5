"""What somebody can do who found a personal link: mails to an address of theirs, and nothing more.

An address that came by a link alone waits for a director, who says whose it is.
"""

import re
from datetime import timedelta
from importlib import import_module

import pytest
import time_machine
from django.apps import apps
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import players
from tests.support.cast import NOW, Cast
from tests.support.mails import send_waiting
from tests.support.pages.text import text_of
from tests.support.people import rows_with
from tests.support.scenarios.challenges import issue
from tests.support.scenarios.ladders import ladder
from tournaments import migrations
from tournaments.domain.notices import Recipients
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.access import Contact, Invitation, PersonalLink, token_digest
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Erasure, Membership, Player
from tournaments.models.jobs import Outbox
from tournaments.policy import CONFIRMED, REACHED, Actor, command
from tournaments.selectors.access.invitations import list_working_invitations
from tournaments.selectors.access.personal_links import (
    confirmation_token,
    find_confirmation,
    find_mailed_link,
    get_contact,
    person_with_link,
    printable_token,
)
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.made_by_links import list_made_by_links
from tournaments.selectors.people.merges import get_merge
from tournaments.selectors.waiting import list_waiting
from tournaments.services.clubs.clubs import change_player
from tournaments.services.clubs.invitations import Invite, accept_invitation, invite, invite_many
from tournaments.services.clubs.personal_links import (
    ask_account,
    ask_confirmation,
    complete_contacts,
    confirm_address,
    confirm_contact,
    mail_personal_links,
    renew_personal_link,
    revoke_personal_link,
    set_contact,
    store_addresses,
)
from tournaments.services.notices.notifications import notify
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import ask_erasure
from tournaments.services.people.made_by_links import end_made_by_links, keep_made_by_links
from tournaments.services.people.merge_players import merge_players, undo_merge

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

THIEF, ANNA = "thief@mail.example", "anna@mail.example"


@pytest.fixture
def anna(cast: Cast) -> Player:
    Club.objects.update(is_public=False)
    return players(cast.riverside, "Anna", "Bert")[0]


@pytest.fixture
def link(cast: Cast, anna: Player) -> PersonalLink:
    return renew_personal_link(cast.operation("dirk"), anna)


def holder(link: PersonalLink, days: int = 0) -> Operation:
    return Operation(person_with_link(link), NOW + timedelta(days=days))


def take_address(link: PersonalLink, email: str = THIEF, days: int = 0) -> Contact:
    """Enter an address by a link, and open the mail that confirms it there."""
    ask_confirmation(holder(link, days), link.club, action="address", email=email)
    with time_machine.travel(NOW + timedelta(days=days), tick=False):
        token = confirmation_token(link, "address", {"email": email}, email=email)
        Client().post(f"/my/confirm/{token}")
    return get_contact(link.player)


def address_of(player: Player) -> tuple[str, str]:
    contact = get_contact(player)
    return contact.email, contact.known_origin


def test_nothing_but_the_link_makes_no_member_by_any_way(
    cast: Cast, link: PersonalLink, mailoutbox: list[EmailMultiAlternatives]
) -> None:
    thief, more = Client(), f"/my/{printable_token(link)}/more"
    members = Membership.objects.count()
    with time_machine.travel(NOW, tick=False):
        thief.post(more, {"action": "address", "email": THIEF})
        assert send_waiting()
        (path,) = re.findall(r"https?://[^/]+(/my/confirm/\S+)", str(mailoutbox[0].body))
        assert "Your address is saved." in text_of(thief.post(path))
        contact = get_contact(link.player)
        assert (contact.email, contact.known_origin) == (THIEF, "link")
        for action in ("account", "erasure", "challenge"):
            refused = thief.post(more, {"action": action, "challenge": "1"})
            assert "A director of the club confirms first" in text_of(refused, 422), action
            token = confirmation_token(link, action, {"challenge": 1}, email=THIEF)
            assert thief.post(f"/my/confirm/{token}").status_code == 404, action
        page = text_of(thief.get(more))
    assert "Send mail to make an account" not in page
    assert "waits until a director of the club has confirmed" in page
    assert thief.get("/clubs/riverside").status_code == 404
    assert (Membership.objects.count(), Invitation.objects.count()) == (members, 0)
    assert not Erasure.objects.exists()


def test_mail_to_an_address_of_the_link_confirms_nothing_in_services(
    cast: Cast, link: PersonalLink
) -> None:
    """The view is not what refuses: neither the role nor a stronger one makes an account."""
    take_address(link)
    reached = Operation(person_with_link(link, role=REACHED), NOW)
    for act in (
        lambda: ask_erasure(reached, link.player),
        lambda: change_player(reached, link.player, nickname="T"),
    ):
        with pytest.raises(Forbidden):
            act()
    for role in (REACHED, CONFIRMED):
        op = Operation(person_with_link(link, role=role), NOW)
        with pytest.raises(Conflict, match=r"^address_by_link$"):
            ask_account(op, cast.riverside, digest=token_digest(THIEF))
    assert not Invitation.objects.exists()
    assert not AuditLine.objects.filter(act="invite").exists()


def test_director_who_confirms_the_address_lets_its_mails_make_the_account(
    cast: Cast, link: PersonalLink
) -> None:
    take_address(link, ANNA)
    confirm_contact(cast.operation("dirk"), link.player, email=ANNA)
    assert get_contact(link.player).known_origin == "club"
    token = confirmation_token(link, "account", {}, email=ANNA)
    with time_machine.travel(NOW, tick=False):
        assert find_confirmation(token) is not None
        page = Client().post(f"/my/confirm/{token}", follow=True)
    assert "Anna" in text_of(page)
    invitation = Invitation.objects.get()
    assert (invitation.personal_link, invitation.reviewed_at) == (link, NOW)


@pytest.mark.parametrize("who", ["hanna", "piet", "nora"])
def test_only_directors_confirm_an_address(cast: Cast, link: PersonalLink, who: str) -> None:
    take_address(link)
    with pytest.raises(Forbidden):
        confirm_contact(cast.operation(who), link.player, email=THIEF)
    assert not get_contact(link.player).is_vouched


def test_address_that_was_exchanged_after_it_was_read_is_not_confirmed(
    cast: Cast, link: PersonalLink
) -> None:
    take_address(link, ANNA)
    Contact.objects.update(email=THIEF)
    with pytest.raises(Conflict, match=r"^address_outdated$"):
        confirm_contact(cast.operation("dirk"), link.player, email=ANNA)
    assert not get_contact(link.player).is_vouched


def test_director_who_types_the_same_address_with_consent_vouches_for_it(
    cast: Cast, link: PersonalLink
) -> None:
    take_address(link, ANNA)
    set_contact(cast.operation("dirk"), link.player, email=ANNA)
    assert not get_contact(link.player).is_vouched, "saved without a change"
    set_contact(cast.operation("dirk"), link.player, email=ANNA, has_consent=True)
    contact = get_contact(link.player)
    assert (contact.is_vouched, contact.consent_as) == (True, "")


def test_address_confirmed_in_the_mailbox_before_is_as_good_as_that_one(
    cast: Cast, link: PersonalLink
) -> None:
    set_contact(cast.operation("dirk"), link.player, email=ANNA, has_consent=True)
    ask_confirmation(holder(link, 1), link.club, action="address", email="new@mail.example")
    with time_machine.travel(NOW + timedelta(days=1), tick=False):
        by_thief = confirmation_token(
            link, "address", {"email": "new@mail.example"}, email="new@mail.example"
        )
        assert find_confirmation(by_thief) is None, "the new one does not confirm itself"
        token = confirmation_token(link, "address", {"email": "new@mail.example"}, email=ANNA)
        Client().post(f"/my/confirm/{token}")
    contact = get_contact(link.player)
    assert (contact.email, contact.known_origin) == ("new@mail.example", "mailbox")
    assert contact.is_vouched


def test_address_that_replaces_one_of_the_link_is_one_of_the_link(link: PersonalLink) -> None:
    take_address(link, ANNA)
    ask_confirmation(holder(link, 1), link.club, action="address", email=THIEF)
    with time_machine.travel(NOW + timedelta(days=1), tick=False):
        token = confirmation_token(link, "address", {"email": THIEF}, email=ANNA)
        Client().post(f"/my/confirm/{token}")
    contact = get_contact(link.player)
    assert (contact.email, contact.known_origin) == (THIEF, "link")


def test_mail_of_a_first_address_confirms_nothing_once_a_director_stored_another(
    cast: Cast, link: PersonalLink
) -> None:
    """Read before the director came, pressed after: under the lock the digest is another."""
    ask_confirmation(holder(link), link.club, action="address", email=THIEF)
    confirmation = find_confirmation(
        confirmation_token(link, "address", {"email": THIEF}, email=THIEF)
    )
    assert confirmation is not None
    set_contact(cast.operation("dirk"), link.player, email=ANNA, has_consent=True)
    ask_confirmation(holder(link), link.club, action="address", email=THIEF)
    reached = Operation(person_with_link(link, role=REACHED), NOW)
    with pytest.raises(Conflict, match=r"^address_outdated$"):
        confirm_address(reached, link.club, email=THIEF, digest=confirmation.digest)
    assert get_contact(link.player).email == ANNA


def test_new_link_does_not_go_to_the_address_that_a_former_one_brought(
    cast: Cast, link: PersonalLink
) -> None:
    """Else whoever found the first link would get each later one by mail."""
    take_address(link)
    Contact.objects.update(consent_at=NOW)
    assert find_mailed_link(get_contact(link.player)) == link
    PersonalLink.objects.update(made_at=NOW + timedelta(microseconds=1))
    assert find_mailed_link(get_contact(link.player)) is None
    PersonalLink.objects.update(made_at=NOW)
    assert find_mailed_link(get_contact(link.player)) == link
    renewed = renew_personal_link(cast.operation("dirk", NOW + timedelta(days=1)), link.player)
    with pytest.raises(Conflict, match=r"^nobody_to_mail$"):
        mail_personal_links(cast.operation("dirk"), link.club, player=link.player)
    to = Recipients(frozenset(), frozenset({link.player_id}))
    PersonalLink.objects.filter(pk=renewed.pk).update(revoked_at=NOW)
    notify(club=link.club, to=to, kind="digest", key="1", facts={}, now=NOW)
    assert Outbox.objects.filter(kind="digest", player=link.player).count() == 1
    assert not PersonalLink.objects.filter(revoked_at=None).exists(), "no mail makes another"


def test_holder_of_a_new_link_replaces_the_address_that_the_former_one_brought(
    cast: Cast, link: PersonalLink
) -> None:
    take_address(link)
    renewed = renew_personal_link(cast.operation("dirk", NOW + timedelta(days=1)), link.player)
    contact = take_address(renewed, ANNA, days=2)
    assert (contact.email, contact.known_origin) == (ANNA, "link")


def test_list_of_a_director_replaces_an_address_of_the_link_and_no_other(
    cast: Cast, link: PersonalLink
) -> None:
    op, bert = cast.operation("dirk"), Player.objects.get(name="Bert")
    take_address(link)
    set_contact(op, bert, email="bert@mail.example", has_consent=True)
    stored = store_addresses(op, link.club, {link.player: ANNA, bert: THIEF})
    assert stored == [link.player_id]
    assert (get_contact(link.player).email, get_contact(link.player).known_origin) == (ANNA, "club")
    assert get_contact(bert).email == "bert@mail.example"


def test_merge_prefers_the_address_that_the_club_vouches_for(
    cast: Cast, link: PersonalLink
) -> None:
    op, bert = cast.operation("dirk"), Player.objects.get(name="Bert")
    take_address(link)
    set_contact(op, bert, email="bert@mail.example", has_consent=True)
    merge_players(op, bert, target=link.player)
    contact = get_contact(link.player)
    assert (contact.email, contact.known_origin) == ("bert@mail.example", "club")
    undo_merge(op, get_merge(link.club, bert.player_id))
    assert (get_contact(link.player).email, get_contact(link.player).known_origin) == (
        THIEF,
        "link",
    )
    assert (get_contact(bert).email, get_contact(bert).known_origin) == (
        "bert@mail.example",
        "club",
    )


@pytest.mark.parametrize("has_own_link", [True, False])
def test_address_of_one_link_gets_no_link_of_the_player_it_is_merged_into(
    cast: Cast, link: PersonalLink, has_own_link: bool
) -> None:
    op, bert = cast.operation("dirk"), Player.objects.get(name="Bert")
    if has_own_link:
        renew_personal_link(cast.operation("dirk", NOW - timedelta(days=1)), bert)
    contact = take_address(link)
    merge_players(op, link.player, target=bert)
    address = "" if has_own_link else THIEF
    assert get_contact(bert).email == address
    undo_merge(op, get_merge(link.club, link.player.player_id))
    assert get_contact(link.player).email == contact.email == THIEF
    assert get_contact(bert).email == ""


def test_address_confirmed_for_a_merged_player_is_confirmed_for_nobody_after_the_undoing(
    cast: Cast, link: PersonalLink
) -> None:
    op, bert = cast.operation("dirk"), Player.objects.get(name="Bert")
    take_address(link)
    merge_players(op, link.player, target=bert)
    confirm_contact(op, bert, email=THIEF)
    undo_merge(op, get_merge(link.club, link.player.player_id))
    assert (get_contact(link.player).email, get_contact(link.player).known_origin) == (
        THIEF,
        "link",
    )


def test_steps_of_a_merge_have_no_columns_that_the_release_before_does_not_know(
    cast: Cast, link: PersonalLink
) -> None:
    op, bert = cast.operation("dirk"), Player.objects.get(name="Bert")
    take_address(link)
    set_contact(op, bert, email="bert@mail.example", has_consent=True)
    merge = merge_players(op, link.player, target=bert)
    steps = [step for step in merge.moved["steps"] if step["model"] == "tournaments.contact"]
    assert [sorted({"origin", "origin_at"} & step["fields"].keys()) for step in steps] == [[]]


def test_what_the_release_before_stores_counts_as_of_the_link_until_it_is_completed(
    cast: Cast, link: PersonalLink
) -> None:
    """0.5.0 writes the columns that it knows: also over an address that was vouched for."""
    player = link.player
    set_contact(cast.operation("dirk"), player, email=ANNA, has_consent=True)
    later = NOW + timedelta(days=1)
    Contact.objects.update(email=THIEF, consent_at=later, consent_as="", consent_by=None)
    assert get_contact(player).known_origin == "link"
    complete_contacts(now=later)
    assert get_contact(player).known_origin == "link"
    Contact.objects.update(email=ANNA, consent_at=later + timedelta(days=1), consent_as="Dirk")
    assert get_contact(player).known_origin == "link"
    complete_contacts(now=later)
    assert get_contact(player).known_origin == "club"


def test_new_row_of_the_release_before_is_one_of_the_link(link: PersonalLink) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tournaments_contact (club_id, player_id, email, consent_at, consent_as,"
            " new_email, stopped, refusals, refusal) VALUES (%s, %s, %s, %s, '', '', '[]', 0, '')",
            [link.club_id, link.player_id, THIEF, NOW],
        )
    assert get_contact(link.player).known_origin == "link"


def account_of_release_before(cast: Cast, link: PersonalLink, name: str = "thief") -> User:
    """What 0.5.0 left: a confirmed mail invited, and a stranger accepted. Nothing is noted."""
    take_address(link)
    site = Operation(command("personal_link"), NOW)
    invitation = invite_many(site, link.club, role="player", people=[Invite(link.player)])[0]
    user = User.objects.create_user(name)
    accept_invitation(Operation(Actor("user", user_id=user.pk), NOW), invitation)
    return user


def waiting_for(cast: Cast, role: str) -> list[tuple[str, str, str]]:
    kinds = ("account_by_link", "address_by_link")
    lines = list_waiting([(cast.riverside, role)], now=NOW, kinds=kinds)
    return [(line.kind, line.title, line.path) for line in lines]


def test_what_waits_lists_addresses_and_accounts_with_their_days(
    cast: Cast, link: PersonalLink
) -> None:
    bo = renew_personal_link(cast.operation("dirk"), Player.objects.get(name="Bert"))
    account_of_release_before(cast, link)
    take_address(bo, "bo@mail.example")
    complete_contacts(now=NOW)
    assert waiting_for(cast, "director") == [
        (
            "account_by_link",
            "The account thief was made with the link of Anna on 6 Nov 2025: is it theirs?",
            "/clubs/riverside/personal-links/RL01",
        ),
        (
            "address_by_link",
            "bo@mail.example came by the personal link of Bert on 6 Nov 2025: is it theirs?",
            "/clubs/riverside/player-contact/RL02",
        ),
    ]
    assert waiting_for(cast, "host") == []
    keep_made_by_links(cast.operation("dirk"), link.player)
    confirm_contact(cast.operation("dirk"), bo.player, email="bo@mail.example")
    assert waiting_for(cast, "director") == []


def test_what_waits_takes_as_many_statements_for_any_number_of_addresses(
    cast: Cast, link: PersonalLink
) -> None:
    take_address(link)

    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            waiting_for(cast, "director")
        return len(captured)

    few = statements()
    many = players(cast.riverside, *(f"Person {number}" for number in range(30)))
    Contact.objects.bulk_create(
        Contact(club=cast.riverside, player=one, email=f"p{one.pk}@mail.example", consent_at=NOW)
        for one in many
    )
    assert (statements(), len(waiting_for(cast, "director"))) == (few, 20)


def test_end_of_what_a_link_made_takes_the_membership_from_a_stranger(
    cast: Cast, link: PersonalLink
) -> None:
    thief = account_of_release_before(cast, link)
    complete_contacts(now=NOW)
    op = cast.operation("dirk")
    revoke_personal_link(op, link.player)
    assert Membership.objects.filter(user=thief).exists(), "the director has not said so"
    ended = end_made_by_links(op, link.player)
    assert [made.kind for made in ended] == ["address", "account"]
    assert not Membership.objects.filter(user=thief).exists()
    link.player.refresh_from_db()
    assert (link.player.user_id, get_contact(link.player).email) == (None, "")
    assert get_role(Actor("user", user_id=thief.pk), cast.riverside.pk) == "public"
    assert list_made_by_links(link.player) == []
    line = AuditLine.objects.get(act="end_made_by_links")
    assert (line.user_id, line.facts["ended"]) == (cast.users["dirk"].pk, ["address", "account"])
    assert rows_with(THIEF) == {"tournaments_outbox.payload": 1}, "the mail that confirmed it"


def test_end_of_what_a_link_made_removes_an_address_that_a_hasty_director_confirmed(
    cast: Cast, link: PersonalLink
) -> None:
    """Else a new link is mailed to the stranger, who makes the next account with it."""
    take_address(link)
    op = cast.operation("dirk")
    confirm_contact(op, link.player, email=THIEF)
    (made,) = list_made_by_links(link.player)
    assert (made.kind, made.name, made.waits) == ("address", THIEF, False)
    end_made_by_links(op, link.player)
    renew_personal_link(op, link.player)
    assert address_of(link.player) == ("", "")
    with pytest.raises(Conflict):
        mail_personal_links(op, link.club, player=link.player)


def test_address_that_a_director_stored_is_not_ended(cast: Cast, link: PersonalLink) -> None:
    op = cast.operation("dirk")
    set_contact(op, link.player, email=ANNA, has_consent=True)
    assert list(end_made_by_links(op, link.player)) == []
    assert address_of(link.player) == (ANNA, "club")


def test_account_that_an_owner_gave_a_role_is_not_ended(cast: Cast, link: PersonalLink) -> None:
    thief = account_of_release_before(cast, link)
    complete_contacts(now=NOW)
    Membership.objects.filter(user=thief).update(role="host")
    end_made_by_links(cast.operation("dirk"), link.player)
    assert Membership.objects.get(user=thief).role == "host"


def test_member_from_before_is_unlinked_and_stays_a_member(cast: Cast, link: PersonalLink) -> None:
    take_address(link)
    site = Operation(command("personal_link"), NOW)
    invitation = invite_many(site, link.club, role="player", people=[Invite(link.player)])[0]
    accept_invitation(cast.operation("piet"), invitation)
    complete_contacts(now=NOW)
    end_made_by_links(cast.operation("dirk"), link.player)
    link.player.refresh_from_db()
    assert link.player.user_id is None
    assert Membership.objects.filter(user=cast.users["piet"]).exists()


def test_request_to_be_erased_by_a_link_is_declined_and_that_of_an_account_stays(
    cast: Cast, link: PersonalLink
) -> None:
    confirmed = Operation(person_with_link(link, role=CONFIRMED), NOW)
    ask_erasure(confirmed, link.player)
    end_made_by_links(cast.operation("dirk"), link.player)
    assert Erasure.objects.get().declined_at == NOW
    bert = Player.objects.get(name="Bert")
    Erasure.objects.create(club=link.club, player=bert, asked_by=cast.users["piet"], asked_at=NOW)
    end_made_by_links(cast.operation("dirk"), bert)
    assert Erasure.objects.get(player=bert).declined_at is None


def test_revoked_link_ends_the_invitation_that_it_made(cast: Cast, link: PersonalLink) -> None:
    """Confirmed and not yet accepted: the account would be made after the link has ended."""
    set_contact(cast.operation("dirk"), link.player, email=ANNA, has_consent=True)
    confirmed = Operation(person_with_link(link, role=CONFIRMED), NOW)
    invitation = ask_account(confirmed, link.club, digest=token_digest(ANNA))
    assert list_working_invitations(NOW).get() == invitation
    revoke_personal_link(cast.operation("dirk"), link.player)
    assert not list_working_invitations(NOW).exists()
    with pytest.raises(Missing):
        accept_invitation(cast.operation("nora"), invitation)
    assert not Membership.objects.filter(user=cast.users["nora"], club=link.club).exists()


def test_pending_invitation_of_the_release_before_ends_without_a_vouched_address(
    cast: Cast, link: PersonalLink
) -> None:
    take_address(link)
    site = Operation(command("personal_link"), NOW)
    invite_many(site, link.club, role="player", people=[Invite(link.player)])
    owner = invite(cast.operation("olga"), link.club, role="player", player_id="RL02")
    Invitation.objects.filter(pk=owner.pk).update(created_by=None)
    complete_contacts(now=NOW)
    by_link = Invitation.objects.get(player=link.player)
    assert (by_link.personal_link, by_link.revoked_at) == (link, NOW)
    owner.refresh_from_db()
    assert (owner.personal_link, owner.revoked_at, owner.reviewed_at) == (None, None, NOW)


@pytest.mark.parametrize("who", ["hanna", "piet", "nora"])
def test_only_directors_end_or_keep_what_a_link_made(
    cast: Cast, link: PersonalLink, who: str
) -> None:
    take_address(link)
    for operation in (end_made_by_links, keep_made_by_links):
        with pytest.raises(Forbidden):
            operation(cast.operation(who), link.player)
    assert get_contact(link.player).email == THIEF


def test_page_of_the_link_asks_what_becomes_of_what_was_made(
    cast: Cast, link: PersonalLink
) -> None:
    take_address(link)
    page, dirk = "/clubs/riverside/personal-links/RL01", cast.client("dirk")
    assert THIEF in text_of(dirk.get(page))
    text = text_of(dirk.post(page, {"revoke": "yes"}, follow=True))
    assert "Choose whether to end or to keep" in text
    assert PersonalLink.objects.get().revoked_at is None
    dirk.post(page, {"renew": "yes", "made": "keep"})
    assert (get_contact(link.player).email, PersonalLink.objects.count()) == (THIEF, 2)
    assert not get_contact(link.player).is_vouched, "kept is not confirmed"
    ended = text_of(dirk.post(page, {"revoke": "yes", "made": "end"}, follow=True))
    assert f"The mail address {THIEF} was removed." in ended
    assert "account" not in ended.partition("Personal link of")[0], "none was made"
    assert get_contact(link.player).email == ""
    assert not PersonalLink.objects.filter(revoked_at=None).exists()


def test_director_confirms_the_address_on_the_page_of_the_contact(
    cast: Cast, link: PersonalLink
) -> None:
    take_address(link, ANNA)
    page, dirk = "/clubs/riverside/player-contact/RL01", cast.client("dirk")
    assert "anna@mail.example is the address of Anna" in text_of(dirk.get(page))
    stale = dirk.post(page, {"confirm": "yes", "email": THIEF})
    assert "Another address was entered meanwhile" in text_of(stale, 422)
    dirk.post(page, {"confirm": "yes", "email": ANNA})
    assert get_contact(link.player).is_vouched
    assert "is the address of Anna" not in text_of(dirk.get(page))


def test_mails_about_challenges_open_the_page_and_confirm_nothing_without_a_vouched_address(
    cast: Cast, mailoutbox: list[EmailMultiAlternatives]
) -> None:
    event = ladder(cast, now=NOW)
    Player.objects.filter(player_id="E").update(user=None)
    challenged = Player.objects.get(player_id="E")
    take_address(renew_personal_link(Operation(command("tests"), NOW), challenged))
    issue(cast, event, "H", "E")
    Outbox.objects.exclude(kind="challenge_received").delete()
    with time_machine.travel(NOW + timedelta(hours=2), tick=False):
        assert send_waiting()
    (message,) = mailoutbox
    assert "/my/confirm/" not in message.body
    assert "Open my evening" in message.body


def test_migration_notes_what_the_release_before_stored(cast: Cast, link: PersonalLink) -> None:
    """Typed and listed addresses count, those of links do not; accounts of links are named."""
    typed, listed = Player.objects.get(name="Bert"), players(cast.riverside, "Cora")[0]
    account_of_release_before(cast, link)
    set_contact(cast.operation("dirk"), typed, email="bert@mail.example", has_consent=True)
    store_addresses(cast.operation("dirk"), link.club, {listed: "cora@mail.example"})
    Contact.objects.update(origin="link", origin_at=None)
    invited = invite(cast.operation("olga"), link.club, role="player", player_id=typed.player_id)
    migration = import_module(".0039_origin_of_addresses", migrations.__name__)
    migration.note_origins(apps, None)
    migration.note_links(apps, None)
    origins = {player: get_contact(player).known_origin for player in (link.player, typed, listed)}
    assert origins == {link.player: "link", typed: "club", listed: "club"}
    assert not Contact.objects.filter(origin_at=None).exists()
    (by_link,) = Invitation.objects.filter(personal_link__isnull=False)
    assert (by_link.personal_link, by_link.player, by_link.reviewed_at) == (link, link.player, None)
    invited.refresh_from_db()
    assert (invited.personal_link, invited.revoked_at) == (None, None)


def test_migration_ends_pending_invitations_of_links_without_a_vouched_address(
    cast: Cast, link: PersonalLink
) -> None:
    bert = Player.objects.get(name="Bert")
    renew_personal_link(cast.operation("dirk"), bert)
    set_contact(cast.operation("dirk"), bert, email="bert@mail.example", has_consent=True)
    take_address(link)
    site = Operation(command("personal_link"), NOW)
    for player in (link.player, bert):
        invite_many(site, link.club, role="player", people=[Invite(player)])
    migration = import_module(".0039_origin_of_addresses", migrations.__name__)
    migration.note_links(apps, None)
    assert Invitation.objects.get(player=link.player).revoked_at == NOW
    assert Invitation.objects.get(player=bert).revoked_at is None
