"""Pages with mail addresses: the player's page, its contact, and a pasted list."""

import re

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import league, players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.models.access import Contact
from tournaments.models.clubs import Player

CLUB = "/clubs/riverside"
PAGE, CONTACT, ADD = f"{CLUB}/players/RL01", f"{CLUB}/player-contact/RL01", f"{CLUB}/add-players"
ANNA = "anna@mail.example"
LIST = "Zoë <zoe@mail.example>, 0170 1234567\nAnna; anna@mail.example\nTom T., tom7@mail.example"


@pytest.fixture
def cast(cast: Cast) -> Cast:
    table(league(cast.riverside), players(cast.riverside, "Anna", "Bert", "Cora", "Dora"))
    return cast


def test_director_enters_sees_and_removes_an_address(dirk: Client) -> None:
    assert "No mail address." in text_of(dirk.get(PAGE))
    assert "Tick that the person agreed" in text_of(dirk.post(CONTACT, {"email": ANNA}), 422)
    dirk.post(CONTACT, {"email": ANNA, "has_consent": "on"})
    assert re.search(rf"{ANNA}\. Consent noted on .+ by dirk\.", text_of(dirk.get(PAGE)))
    Contact.objects.update(refusals=3)
    assert "refused this address three times" in text_of(dirk.get(PAGE))
    dirk.post(CONTACT, {"remove": "yes", "email": ANNA})
    assert "No mail address." in text_of(dirk.get(PAGE))


def test_nobody_else_sees_the_address(cast: Cast) -> None:
    cast.client("dirk").post(CONTACT, {"email": ANNA, "has_consent": "on"})
    for client in (cast.client("hanna"), cast.client("piet"), cast.client("nora"), Client()):
        for path in (PAGE, f"{CLUB}/players", f"{CLUB}/players?q=mail.example", CLUB):
            text = text_of(client.get(path))
            assert ANNA not in text, path
            assert "Contact" not in text, path


def paste(client: Client, names: str, *, add: bool = False, **more: str) -> Answer:
    sent = {"names": names, **more}
    page = client.post(ADD, sent)
    if not add:
        return page
    seen = page.content.decode().split('name="seen" value="')[1].split('"')[0]
    return client.post(ADD, {**sent, "seen": seen, "add": "yes"}, follow=True)


def test_pasted_addresses_are_stored_with_the_tick_and_undone(dirk: Client) -> None:
    assert "Not stored: mail address zoe@mail.example" in text_of(paste(dirk, LIST))
    preview = text_of(paste(dirk, LIST, has_consent="on"))
    assert "Mail address: zoe@mail.example" in preview
    assert "Mail address, if none is stored: anna@mail.example" in preview
    assert "Not stored: telephone number 0170 1234567" in preview
    added = paste(dirk, LIST, add=True, has_consent="on")
    assert "3 mail addresses stored." in text_of(added)
    assert "/clubs/riverside/personal-links" in added.content.decode()
    stored = Contact.objects.order_by("email").values_list("player__name", "email")
    assert list(stored) == [
        ("Anna", ANNA), ("Tom T.", "tom7@mail.example"), ("Zoë", "zoe@mail.example"),
    ]  # fmt: skip
    dirk.post(added.redirect_chain[0][0])
    assert not Contact.objects.exists()
    assert Player.objects.count() == 4


def test_list_of_members_alone_stores_their_missing_addresses(dirk: Client) -> None:
    dirk.post(CONTACT, {"email": "first@mail.example", "has_consent": "on"})
    people = f"Anna; {ANNA}\nBert; bert@mail.example"
    assert "Store mail addresses" in text_of(paste(dirk, people, has_consent="on"))
    paste(dirk, people, add=True, has_consent="on")
    stored = Contact.objects.order_by("player").values_list("email", flat=True)
    assert list(stored) == ["first@mail.example", "bert@mail.example"]


def test_bad_address_is_a_problem_of_its_line_and_of_the_tick(dirk: Client) -> None:
    refused = paste(dirk, "Zoë; zoe@mail", has_consent="on")
    assert "“zoe@mail” is not an e-mail address" in text_of(refused)
    paste(dirk, "Zoë; zoe@mail", add=True)
    assert Player.objects.filter(name="Zoë").exists()
    assert not Contact.objects.exists()


def test_answered_question_about_a_comma_keeps_the_address(cast: Cast) -> None:
    page = paste(cast.client("dirk"), f"Smith, John; {ANNA}", person="one:1", has_consent="on")
    assert f"Mail address: {ANNA}" in text_of(page)


def test_willing_to_fill_in_is_a_detail_of_a_player(cast: Cast) -> None:
    dirk, address = cast.client("dirk"), f"{CLUB}/edit-player/RL01"
    dirk.post(address, {"name": "Anna", "is_active": "on", "fills_in": "on"})
    assert Player.objects.get(player_id="RL01").fills_in
    assert "Mail address" in text_of(dirk.get(address))
