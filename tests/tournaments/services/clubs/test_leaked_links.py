"""What somebody can do who found a personal link: mails to an address of theirs, and nothing more.

An address that came by a link alone waits for a director, who says whose it is.
"""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from django.test import Client

from tests.support.builders import players
from tests.support.cast import NOW, Cast
from tests.support.mails import send_waiting
from tests.support.pages.text import text_of
from tournaments.errors import Conflict, Forbidden
from tournaments.models.access import Contact, Invitation, PersonalLink
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Erasure, Membership, Player
from tournaments.models.jobs import Outbox
from tournaments.policy import CONFIRMED, REACHED
from tournaments.selectors.access.personal_links import (
    confirmation_token,
    find_confirmation,
    find_mailed_link,
    get_contact,
    person_with_link,
    printable_token,
)
from tournaments.services.clubs.personal_links import (
    ask_account,
    ask_confirmation,
    complete_contacts,
    confirm_address,
    confirm_contact,
    mail_personal_links,
    renew_personal_link,
    set_contact,
    store_addresses,
)
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import ask_erasure
from tournaments.services.people.merge_players import merge_players, undo_merge
from tournaments.selectors.people.merges import get_merge

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


def test_nothing_but_the_link_makes_no_member_by_any_way(
    cast: Cast, link: PersonalLink, mailoutbox: list[object]
) -> None:
    thief, more = Client(), f"/my/{printable_token(link)}/more"
    members = Membership.objects.count()
    with time_machine.travel(NOW, tick=False):
        thief.post(more, {"action": "address", "email": THIEF})
        assert send_waiting()
        (path,) = re.findall(r"https?://[^/]+(/my/confirm/\S+)", mailoutbox[0].body)
        assert "Your address is saved." in text_of(thief.post(path))
        contact = get_contact(link.player)
        assert (contact.email, contact.known_origin) == (THIEF, "link")
        for action in ("account", "erasure", "challenge"):
            refused = thief.post(more, {"action": action, "challenge": "1"})
            assert "A director of the club confirms first" in text_of(refused, 422), action
            token = confirmation_token(link, action, {"challenge": 1}, email=THIEF)
            assert thief.post(f"/my/confirm/{token}").status_code == 404, action
        page = text_of(thief.get(more))
    assert "make an account" not in page.partition("An account or an erasure")[0].lower()[80:]
    assert thief.get("/clubs/riverside").status_code == 404
    assert (Membership.objects.count(), Invitation.objects.count()) == (members, 0)
    assert not Erasure.objects.exists()
