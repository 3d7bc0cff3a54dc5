"""Mail addresses with consent and personal links of players: stored, renewed, merged, erased."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scoring.errors import Refused
from tests.support.builders import link, players
from tests.support.cast import NOW, Cast
from tests.support.people import rows_with
from tournaments.errors import Conflict, Forbidden
from tournaments.models.access import AddressOrigin, Contact, PersonalLink
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player, PlayerMerge
from tournaments.models.jobs import Outbox
from tournaments.policy import command
from tournaments.selectors.access.personal_links import (
    find_personal_link,
    find_working_link,
    get_contact,
    printable_token,
)
from tournaments.selectors.people.accounts import get_personal_data
from tournaments.selectors.people.merges import get_merge
from tournaments.services.clubs import personal_links
from tournaments.services.clubs.personal_links import (
    complete_contacts,
    make_personal_links,
    renew_personal_link,
    revoke_personal_link,
    set_contact,
)
from tournaments.services.notices.outbox import enqueue_mail
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players, undo_merge

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ANNA, BERT = "anna@mail.example", "bert@mail.example"


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, "Anna", "Bert", "Cora")


def by(cast: Cast, name: str = "dirk", days: int = 0) -> Operation:
    return cast.operation(name, NOW + timedelta(days=days))


def store(cast: Cast, player: Player, email: str) -> Contact:
    return set_contact(by(cast), player, email=email, has_consent=True)


def address_of(player: Player) -> str:
    return get_contact(player).email


def opened_by(link: PersonalLink) -> str:
    """The player whom a link opens, "revoked" or "" for none."""
    found = find_personal_link(printable_token(link))
    if found is None:
        return ""
    return "revoked" if found.revoked_at is not None else found.player.player_id


def test_consent_has_day_and_author_and_audit_no_address(cast: Cast, people: list[Player]) -> None:
    anna, bert, _cora = people
    contact = store(cast, anna, f" {ANNA} ")
    assert (contact.email, contact.consent_at, contact.consent_as) == (ANNA, NOW, "Dirk")
    assert contact.consent_by == cast.users["dirk"]
    of_list = set_contact(Operation(command("import"), NOW), bert, email=BERT, has_consent=True)
    assert (of_list.consent_as, of_list.consent_by) == ("import", None)
    set_contact(by(cast, days=1), anna, email="")
    removed = get_contact(anna)
    assert (removed.email, removed.consent_at, removed.consent_as) == ("", None, "")
    facts = [line.facts for line in AuditLine.objects.filter(act="set_contact").order_by("number")]
    assert facts == [{"has_address": True}, {"has_address": True}, {"has_address": False}]
    assert rows_with(ANNA) == {}


@pytest.mark.parametrize(
    ("email", "has_consent", "code"),
    [(BERT, False, "consent_needed"), ("anna at home", True, "bad_email")],
)
def test_address_without_consent_or_of_another_form_is_refused(
    cast: Cast, people: list[Player], email: str, has_consent: bool, code: str
) -> None:
    store(cast, people[0], ANNA)
    with pytest.raises(Refused) as refused:
        set_contact(by(cast), people[0], email=email, has_consent=has_consent)
    assert [problem.code for problem in refused.value.problems] == [code]
    assert address_of(people[0]) == ANNA


def test_another_address_ends_consent_and_refusals(cast: Cast, people: list[Player]) -> None:
    store(cast, people[0], ANNA)
    Contact.objects.update(refusals=3, refusal="550 unknown")
    set_contact(by(cast, days=1), people[0], email=ANNA)
    contact = get_contact(people[0])
    assert (contact.consent_at, contact.refusals) == (NOW, 3)
    store(cast, people[0], BERT)
    contact = get_contact(people[0])
    assert (contact.refusals, contact.refusal) == (0, "")


def test_host_and_player_store_no_address(cast: Cast, people: list[Player]) -> None:
    for name in ("hanna", "piet", "nora"):
        with pytest.raises(Forbidden):
            set_contact(by(cast, name), people[0], email=ANNA, has_consent=True)
    assert not Contact.objects.exists()


def test_renewed_and_revoked_links_stop_working(cast: Cast, people: list[Player]) -> None:
    first = renew_personal_link(by(cast), people[0])
    second = renew_personal_link(by(cast), people[0])
    assert (opened_by(first), opened_by(second)) == ("revoked", "RL01")
    assert revoke_personal_link(by(cast), people[0])
    assert opened_by(second) == "revoked"
    assert not revoke_personal_link(by(cast), people[0])


def test_missing_links_are_made_in_few_statements_for_all(cast: Cast, people: list[Player]) -> None:
    def made() -> tuple[list[str], int]:
        with CaptureQueriesContext(connection) as statements:
            links = make_personal_links(by(cast), cast.riverside)
        return [link.player.player_id for link in links], len(statements)

    link(people[2], cast.users["piet"])
    renew_personal_link(by(cast), people[0])
    few = made()
    assert few[0] == ["RL02"]
    players(cast.riverside, *(f"Person {letter}" for letter in "DEFGHIJK"))
    many = made()
    assert (len(many[0]), many[1]) == (8, few[1])
    assert made()[0] == []


def merge(cast: Cast, source: Player, target: Player) -> None:
    merge_players(by(cast), source, target=target)


def undo(cast: Cast, source: Player) -> None:
    undo_merge(by(cast), get_merge(cast.riverside, source.player_id))


def test_kept_player_takes_address_and_link_until_undone(cast: Cast, people: list[Player]) -> None:
    anna, bert, _cora = people
    store(cast, bert, BERT)
    of_bert = renew_personal_link(by(cast), bert)
    Player.objects.filter(pk=bert.pk).update(fills_in=True)
    merge(cast, bert, anna)
    anna.refresh_from_db()
    assert (address_of(anna), address_of(bert), anna.fills_in) == (BERT, "", True)
    assert (find_working_link(anna), opened_by(of_bert)) == (of_bert, "RL01")
    undo(cast, bert)
    anna.refresh_from_db()
    assert (address_of(anna), address_of(bert), anna.fills_in) == ("", BERT, False)
    assert (find_working_link(anna), opened_by(of_bert)) == (None, "RL02")


def test_kept_address_stays_and_both_links_open_and_end(cast: Cast, people: list[Player]) -> None:
    anna, bert, _cora = people
    store(cast, anna, ANNA)
    store(cast, bert, BERT)
    of_anna, of_bert = (renew_personal_link(by(cast), player) for player in (anna, bert))
    merge(cast, bert, anna)
    assert (address_of(anna), address_of(bert)) == (ANNA, "")
    assert (opened_by(of_anna), opened_by(of_bert)) == ("RL01", "RL01")
    undo(cast, bert)
    assert (address_of(anna), address_of(bert)) == (ANNA, BERT)
    assert BERT not in json.dumps(PlayerMerge.objects.get().moved)
    merge(cast, bert, anna)
    revoke_personal_link(by(cast), anna)
    assert (opened_by(of_anna), opened_by(of_bert)) == ("revoked", "revoked")
    set_contact(by(cast), anna, email="")
    assert rows_with(ANNA, BERT) == {}
    undo(cast, bert)
    assert (address_of(anna), address_of(bert)) == ("", "")


def test_erasure_leaves_no_address_link_or_mail_anywhere(cast: Cast, people: list[Player]) -> None:
    anna, bert, cora = people
    for player, email in ((anna, ANNA), (bert, BERT), (cora, ANNA)):
        store(cast, player, email)
        renew_personal_link(by(cast), player)
    for player, about in ((anna, ""), (bert, f"person:{bert.pk}"), (cora, "")):
        enqueue_mail(club=cast.riverside, kind="digest", to=player, now=NOW, about=about)
    merge(cast, bert, anna)
    erase_player(by(cast, "olga"), anna, confirmed="RL01", reason=f"{ANNA} asked")
    assert rows_with(BERT) == {}
    assert rows_with(ANNA) == {"tournaments_contact.email": 1}, "that of Cora, who shares it"
    assert Contact.objects.get().player == cora
    assert PersonalLink.objects.get().player == cora
    assert Outbox.objects.get().player == cora


def test_merged_and_erased_players_get_no_address(cast: Cast, people: list[Player]) -> None:
    anna, bert, cora = people
    merge(cast, bert, anna)
    erase_player(by(cast, "olga"), cora, confirmed="RL03", reason="asked")
    for player, code in ((bert, "player_is_merged"), (cora, "player_is_erased")):
        with pytest.raises(Conflict) as refused:
            store(cast, player, BERT)
        assert refused.value.problem.code == code


def test_personal_data_has_contact_and_links(cast: Cast, people: list[Player]) -> None:
    store(cast, people[0], ANNA)
    renew_personal_link(by(cast), people[0])
    found = get_personal_data(cast.actor("olga"), cast.riverside, people[0])
    assert found["contact"]["email"] == ANNA
    assert found["contact"]["consent_as"] == "Dirk"
    assert [row["revoked_at"] for row in found["personal_links"]] == [None]
    assert get_personal_data(cast.actor("olga"), cast.riverside, people[1])["contact"] is None


def test_what_an_older_release_leaves_is_removed_or_moved(cast: Cast, people: list[Player]) -> None:
    """0.4.0 erases, removes and merges players, and knows neither contacts nor links."""
    anna, bert, cora = people
    for player in people:
        store(cast, player, f"{player.player_id}@mail.example")
        renew_personal_link(by(cast), player)
    Player.objects.filter(pk=anna.pk).update(erased_at=NOW)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM tournaments_player WHERE id = %s", [cora.pk])
    (dora,) = players(cast.riverside, "Dora")
    Player.objects.filter(pk=bert.pk).update(merged_into=dora)
    complete_contacts(now=NOW)
    contact = Contact.objects.get()
    assert (contact.player, contact.email) == (dora, "RL02@mail.example")
    assert PersonalLink.objects.get().player == bert


def test_player_whose_merge_was_undone_meanwhile_keeps_the_address(
    cast: Cast, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bert = people[:2]
    store(cast, anna, "anna@mail.example")
    Player.objects.filter(pk=anna.pk).update(merged_into=bert)

    def undo_meanwhile(_club: Club) -> None:
        Player.objects.filter(pk=anna.pk).update(merged_into=None)

    monkeypatch.setattr(personal_links, "lock_club", undo_meanwhile)
    complete_contacts(now=NOW)
    assert Contact.objects.get().player == anna


@pytest.mark.parametrize(
    ("noted", "is_by_person"),
    [({"consent_as": "Dirk"}, False), ({"consent_by_id": 1}, False), ({}, True)],
)
def test_address_that_nobody_of_the_club_noted_is_by_the_person(
    noted: dict[str, Any], *, is_by_person: bool
) -> None:
    contact = Contact(email=ANNA, consent_at=NOW, origin=AddressOrigin.CLUB, origin_at=NOW, **noted)
    assert contact.is_vouched
    assert contact.is_by_person is is_by_person
