"""Bounds of personal links: mails that confirm something, addresses that a link may go to."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
import time_machine

from tests.support.builders import players
from tests.support.cast import NOW, Cast
from tournaments.domain.notices import PERSONAL_CONFIRMATION
from tournaments.errors import Conflict
from tournaments.models.access import MOST_REFUSALS, AddressOrigin, Contact, PersonalLink
from tournaments.models.audit import AuditLine
from tournaments.models.jobs import Outbox
from tournaments.selectors.access.personal_links import (
    confirmation_token,
    find_confirmation,
    find_mailed_link,
    find_person,
    get_contact,
    list_mailable_links,
    person_with_link,
)
from tournaments.services.clubs.personal_links import (
    ask_confirmation,
    confirm_contact,
    make_personal_links,
    renew_personal_link,
    revoke_personal_link,
    set_contact,
)
from tournaments.services.operations import Operation

pytestmark = pytest.mark.django_db

ANNA = "anna@mail.example"
MICROSECOND = timedelta(microseconds=1)
MIDNIGHT = NOW.replace(hour=0, minute=0, second=0, microsecond=0)
NEXT_DAY = MIDNIGHT + timedelta(days=1)


@pytest.fixture
def link(cast: Cast) -> PersonalLink:
    return renew_personal_link(cast.operation("dirk"), players(cast.riverside, "Anna")[0])


def ask(link: PersonalLink, at: datetime, email: str = ANNA) -> None:
    operation = Operation(person_with_link(link), at)
    ask_confirmation(operation, link.club, action="address", email=email)


def test_fourth_mail_of_a_day_that_confirms_something_is_refused(link: PersonalLink) -> None:
    for at in (MIDNIGHT, NOW, NOW):
        ask(link, at)
    with pytest.raises(Conflict, match=r"^too_many_confirmations$"):
        ask(link, NEXT_DAY - MICROSECOND, "anna@other.example")
    assert get_contact(link.player).new_email == ANNA
    ask(link, NEXT_DAY)
    assert Outbox.objects.filter(kind=PERSONAL_CONFIRMATION).count() == 4


def test_mails_of_the_day_before_are_not_counted(link: PersonalLink) -> None:
    for at in (MIDNIGHT - MICROSECOND, NOW, NOW, NOW):
        ask(link, at)
    assert Outbox.objects.filter(kind=PERSONAL_CONFIRMATION).count() == 4


@pytest.mark.parametrize(("n_others", "n_mails"), [(199, 200), (200, 200)])
def test_two_hundred_mails_of_a_day_confirm_something_in_a_club(
    link: PersonalLink, n_others: int, n_mails: int
) -> None:
    Outbox.objects.bulk_create(
        Outbox(
            club=link.club,
            kind=PERSONAL_CONFIRMATION,
            about=f"person:{number}",
            payload={},
            created_at=NOW,
            due_at=NOW,
        )
        for number in range(1000, 1000 + n_others)
    )
    if n_others < n_mails:
        ask(link, NOW)
    else:
        with pytest.raises(Conflict, match=r"^too_many_confirmations$"):
            ask(link, NOW)
    assert Outbox.objects.filter(kind=PERSONAL_CONFIRMATION).count() == n_mails


@pytest.mark.parametrize(("later", "is_mailed"), [(timedelta(0), True), (MICROSECOND, False)])
def test_address_of_a_link_gets_no_link_that_was_made_after_it(
    link: PersonalLink, later: timedelta, *, is_mailed: bool
) -> None:
    contact = Contact.objects.create(
        club=link.club,
        player=link.player,
        email=ANNA,
        consent_at=link.made_at - later,
        origin=AddressOrigin.LINK,
        origin_at=link.made_at - later,
    )
    assert (find_mailed_link(contact) == link) is is_mailed
    assert list_mailable_links(link.club).exists() is is_mailed


@pytest.mark.parametrize(("refusals", "n_links"), [(MOST_REFUSALS - 1, 1), (MOST_REFUSALS, 0)])
def test_address_that_refused_too_often_gets_no_link(
    cast: Cast, link: PersonalLink, refusals: int, n_links: int
) -> None:
    set_contact(cast.operation("dirk"), link.player, email=ANNA, has_consent=True)
    Contact.objects.update(refusals=refusals)
    assert list_mailable_links(link.club).count() == n_links


def confirms_address(link: PersonalLink) -> str:
    return confirmation_token(link, "address", {"email": ANNA}, email=ANNA)


def confirms_challenge(link: PersonalLink) -> str:
    return confirmation_token(link, "challenge", {"challenge": 1}, email=ANNA)


@pytest.mark.parametrize(
    ("token_of", "lasts"),
    [
        (confirms_address, timedelta(hours=24)),
        (confirms_challenge, timedelta(days=60)),
    ],
)
def test_link_of_a_mail_confirms_until_its_time_is_over(
    cast: Cast, link: PersonalLink, token_of: Callable[[PersonalLink], str], lasts: timedelta
) -> None:
    set_contact(cast.operation("dirk"), link.player, email=ANNA, has_consent=True)
    with time_machine.travel(NOW, tick=False):
        token = token_of(link)
    with time_machine.travel(NOW + lasts, tick=False):
        confirmation = find_confirmation(token)
        assert confirmation is not None
        assert confirmation.link == link
    with time_machine.travel(NOW + lasts + timedelta(seconds=1), tick=False):
        assert find_confirmation(token) is None


def test_player_whose_link_was_revoked_gets_one_with_the_others(
    cast: Cast, link: PersonalLink
) -> None:
    dirk = cast.operation("dirk")
    assert list(make_personal_links(dirk, link.club)) == []
    revoke_personal_link(dirk, link.player)
    (made,) = make_personal_links(dirk, link.club)
    assert (made.player, made.revoked_at) == (link.player, None)


def test_confirmed_address_is_in_the_audit_trail(cast: Cast, link: PersonalLink) -> None:
    Contact.objects.create(
        club=link.club, player=link.player, email=ANNA, consent_at=NOW, origin_at=NOW,
        origin=AddressOrigin.LINK,
    )  # fmt: skip
    for _time in range(2):
        confirm_contact(cast.operation("dirk"), link.player, email=ANNA)
    assert get_contact(link.player).is_vouched
    assert AuditLine.objects.filter(act="confirm_contact").count() == 1


def test_no_address_is_confirmed_where_there_is_none(cast: Cast, link: PersonalLink) -> None:
    with pytest.raises(Conflict, match="address_outdated"):
        confirm_contact(cast.operation("dirk"), link.player, email="")


@pytest.mark.parametrize("label", ["person:", "person:x", "user:1", "person:0"])
def test_person_is_the_player_of_a_link(link: PersonalLink, label: str) -> None:
    assert find_person(f"person:{link.pk}") == {link.player_id}
    assert find_person(label) == frozenset()
