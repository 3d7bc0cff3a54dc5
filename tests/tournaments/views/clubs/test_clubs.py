"""Making a club and its list of people on pages: pasted lines, names with commas, who may."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from scoring.errors import Refused
from tests.support.answers import Answer
from tests.support.builders import by_tests, league, players, table
from tests.support.cast import Cast
from tests.support.pages.text import beside, summary, text_of
from tournaments.models.access import Contact
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership, Player
from tournaments.services.clubs.clubs import create_club
from tournaments.views.clubs import clubs

ADD = "/clubs/riverside/add-players"


def saved(client: Client, names: str, **more: list[str]) -> Answer:
    sent = {"names": names, **more}
    return client.post(ADD, {**sent, "seen": seen_in(client, sent), "add": "yes"}, follow=True)


def seen_in(client: Client, sent: dict[str, Any]) -> str:
    preview = client.post(ADD, sent)
    seen = re.search(r'name="seen" value="([0-9a-f]+)"', preview.content.decode())
    assert seen, text_of(preview)
    return seen[1]


def test_whoever_signs_in_makes_a_club_and_owns_it(cast: Cast) -> None:
    typed = {"name": " Café  Łódź ", "time_zone": "Europe/Warsaw"}
    response = cast.client("piet").post("/new-club", typed, follow=True)
    assert response.redirect_chain == [("/clubs/cafe-lodz", 302)]
    assert "Café Łódź created. You are the owner." in text_of(response)
    club = Club.objects.get(slug="cafe-lodz")
    assert (club.name, club.time_zone, club.language) == ("Café Łódź", "Europe/Warsaw", "en")
    assert Membership.objects.get(club=club).role == "owner"
    assert [line.act for line in AuditLine.objects.filter(club=club)] == ["create_club"]
    assert '<a class="btn sm pri" href="/clubs/cafe-lodz/add-players">' in response.content.decode()


def test_language_that_has_no_effect_yet_is_not_asked_for(cast: Cast) -> None:
    form = cast.client("piet").get("/new-club")
    assert 'name="time_zone"' in form.content.decode()
    assert "language" not in text_of(form).lower()
    with pytest.raises(Refused, match="bad_language"):
        create_club(by_tests(), slug="lakeside", name="Lakeside", language="de")


@pytest.mark.parametrize(
    ("typed", "field", "says"),
    [
        ({"name": "  "}, "name", "Enter a name with at least one visible letter, digit or symbol."),
        ({"name": "x" * 121}, "name", "This name has 121 characters. The maximum is 120."),
        ({"name": "Клуб"}, "slug", "This name cannot be turned into an address."),
        ({"slug": "River Side"}, "slug", "River Side cannot be used. Use lowercase letters"),
        ({"slug": "riverside"}, "slug", "riverside is already taken."),
        ({"time_zone": "Europe/Atlantis"}, "time_zone", "Europe/Atlantis is not a time zone."),
    ],
)
def test_refused_club_keeps_what_was_typed_and_says_why_beside_the_field(
    cast: Cast, typed: dict[str, str], field: str, says: str
) -> None:
    whole = {"name": "Lakeside", "slug": "", "time_zone": "Europe/Zurich"} | typed
    refused = cast.client("piet").post("/new-club", whole)
    assert beside(refused, field, 422).startswith(says)
    assert says in summary(refused)
    assert whole["name"].strip() in refused.content.decode()
    assert Club.objects.count() == 2


def test_pasted_names_are_shown_first_and_added_then(dirk: Client) -> None:
    names = "Anna K.\r\n\r\n  Jörg   S.\r\nanna k.\r\nRL24, Zoë\r\n"
    preview = dirk.post(ADD, {"names": names})
    assert "3 players would be added" in text_of(preview, 200)
    assert "anna k. – Twice in the list Anna K. (P0001)" in text_of(preview)
    assert Player.objects.count() == 0
    assert "3 players added" in text_of(saved(dirk, names))
    there = list(Player.objects.order_by("player_id").values_list("player_id", "name"))
    assert there == [("P0001", "Anna K."), ("P0002", "Jörg S."), ("RL24", "Zoë")]
    assert "Jörg S. P0002 – Zoë RL24" in text_of(dirk.get("/clubs/riverside/players"))


def test_other_spelling_is_the_same_name_and_a_missing_blank_is_asked_about(cast: Cast) -> None:
    players(cast.riverside, "Jörg S.")
    pasted = "Jo\u0308rg S.\nJoerg S.\nJörgS"
    preview = text_of(cast.client("dirk").post(ADD, {"names": pasted}))
    assert "Jörg S. – Already in the club Jörg S. (RL01)" in preview
    assert "Joerg S. – Already in the club Jörg S. (RL01)" in preview
    assert "JörgS – Not added: is it a player of the club? It is Jörg S. (RL01)" in preview
    assert "No players would be added" in preview


def test_two_people_of_one_name_are_told_apart_by_their_ids(cast: Cast) -> None:
    saved(cast.client("dirk"), "Anna K.\nA7\tAnna K.")
    assert set(Player.objects.values_list("player_id", flat=True)) == {"P0001", "A7"}


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("RL01, Bruno K.", "Line 1: the id RL01 belongs to Alma D. (RL01)."),
        ("X1, Bruno\nX1, Carla", "Line 2: the id X1 is already on line 1: Bruno (X1)."),
        ("y" * 121, "Line 1: the name has 121 characters. The maximum is 120."),
        (f"{'7' * 41}, Bruno", "Line 1: the id has 41 characters. The maximum is 40."),
        ("X1,", "Line 1 has only the id X1. Add the name."),
    ],
)
def test_impossible_line_is_named_and_nothing_is_added(cast: Cast, names: str, says: str) -> None:
    players(cast.riverside, "Alma D.")
    refused = cast.client("dirk").post(ADD, {"names": "Dora\n\n" + names})
    says = re.sub(r"[Ll]ine (\d)", lambda m: m[0][:5] + str(int(m[1]) + 2), says)
    assert says in beside(refused, "names", 422)
    assert says in summary(refused)
    assert names in refused.content.decode().replace("&#x27;", "'")
    assert 'name="add"' not in refused.content.decode()
    assert Player.objects.count() == 1


def test_list_that_changed_since_it_was_looked_at_is_shown_again(cast: Cast, dirk: Client) -> None:
    seen = seen_in(dirk, {"names": "Alma D."})
    players(cast.riverside, "Alma D.")
    again = dirk.post(ADD, {"names": "Alma D.", "seen": seen, "add": "yes"})
    assert "Check the new preview." in beside(again, "names", 422)
    assert "Already in the club" in text_of(again)
    assert Player.objects.count() == 1


def test_nobody_to_add_and_too_many_lines_are_refused(dirk: Client) -> None:
    for sent in ({"names": "\n \n"}, {"names": "Name\n", "add": "yes", "seen": ""}):
        blank = dirk.post(ADD, sent)
        assert "Enter at least one name." in beside(blank, "names", 422)
        assert re.search(r'role="alert" tabindex="-1" autofocus', blank.content.decode())
    many = dirk.post(ADD, {"names": "\n".join(map("Nr {}".format, range(1001))), "add": "yes"})
    assert "The list has 1001 lines. The maximum is 1000." in beside(many, "names")
    assert Player.objects.count() == 0


def test_added_players_are_undone_but_for_those_who_sit(cast: Cast, dirk: Client) -> None:
    added = saved(dirk, "A1, Ada\nB2, Ben\nC3, Cem\nD4, Dora\nE5, Elsa")
    address = added.redirect_chain[-1][0]
    assert "Create event" in text_of(added)
    seated = Player.objects.filter(player_id__in=("A1", "B2", "C3")).order_by("player_id")
    table(league(cast.riverside), list(seated))
    assert "Create event" not in text_of(dirk.get(address))
    undone = text_of(dirk.post(address, follow=True))
    assert (
        "2 players removed from the list. Players who have been seated since then stay on the "
        "list: A1, B2, C3."
    ) in undone
    assert "Undo" not in undone.replace("Undone", "")
    assert sorted(Player.objects.values_list("player_id", flat=True)) == ["A1", "B2", "C3"]
    assert "This was already undone." in text_of(dirk.post(address, follow=True))
    lines = AuditLine.objects.filter(club=cast.riverside, act__contains="paste")
    assert [line.act for line in lines] == ["paste_players", "undo_paste_players"]
    assert lines[1].facts["removed"] == ["D4", "E5"]
    assert not any("Dora" in str(line.facts) for line in lines)


def test_undo_names_the_addresses_it_deletes_before_and_after(cast: Cast, dirk: Client) -> None:
    ada, ben = players(cast.riverside, "Ada A.", "Ben B.")
    text = "Ada A., ada@mail.example\nBen B., ben@mail.example"
    address = saved(dirk, text, has_consent=["on"]).redirect_chain[-1][0]
    assert "Undo deletes 2 mail addresses that came with this list." in text_of(dirk.get(address))
    Contact.objects.filter(player=ben).update(email="b@mail.example", consent_at=timezone.now())
    before = text_of(dirk.get(address))
    assert "Undo deletes 1 mail address that came with this list." in before
    assert "Undo removes" not in before
    undone = text_of(dirk.post(address, follow=True))
    assert "1 mail address deleted." in undone
    assert "players removed" not in undone
    assert [row.player for row in Contact.objects.all()] == [ben]
    assert ada.name in text_of(dirk.get("/clubs/riverside/players"))


def test_address_of_a_removed_player_is_counted_once(cast: Cast, dirk: Client) -> None:
    address = saved(dirk, "Ada A., ada@mail.example", has_consent=["on"]).redirect_chain[-1][0]
    Contact.objects.update(email="a@mail.example", consent_at=timezone.now())
    undone = text_of(dirk.post(address, follow=True))
    assert "1 player removed from the list. 1 mail address deleted." in undone
    assert not Contact.objects.exists()


def test_list_of_one_club_cannot_be_undone_through_another(cast: Cast) -> None:
    number = saved(cast.client("dirk"), "Ada").redirect_chain[-1][0].rpartition("/")[2]
    assert cast.client("nora").post(f"/clubs/hilltop/add-players/{number}").status_code == 404
    assert Player.objects.count() == 1


def test_question_is_left_out_until_added_and_two_of_one_name_are_two_people(cast: Cast) -> None:
    players(cast.riverside, "Anna K.")
    dirk, text = cast.client("dirk"), "Tuesday?\n✅ Bo 👍🏽\nBo\nAnna K."
    page = dirk.post(ADD, {"names": text})
    preview = text_of(page)
    assert "1 Tuesday? – Left out: no name" in preview
    assert "Not stored: mark ✅ · mark 👍🏽" in preview
    sent: dict[str, list[str]] = {}
    buttons = re.findall(r'name="person" value="(\w+:\d)"', page.content.decode())
    assert buttons == ["written:1", "namesake:3", "namesake:4"]
    for button in buttons[:2]:
        page = dirk.post(ADD, {"names": text, **sent, "person": button})
        for name in ("as_written", "namesake"):
            sent[name] = re.findall(rf'name="{name}" value="([^"]+)"', page.content.decode())
    saved(dirk, text, **sent)
    assert names() == ["Tuesday?", "Bo", "Bo", "Anna K."]


def test_day_of_joining_below_its_heading_is_stored(cast: Cast) -> None:
    dirk, text = cast.client("dirk"), "Name;Eintritt\nRuth Shore;03.04.2024\nYann;04/03/2024"
    preview = text_of(dirk.post(ADD, {"names": text}))
    assert "Joined: 3 Apr 2024" in preview
    assert "Not stored: text 04/03/2024" in preview
    saved(dirk, text)
    joined = Player.objects.order_by("name").values_list("joined", flat=True)
    assert list(joined) == [date(2024, 4, 3), None]


PLAYERS = "/clubs/riverside/players"
TEMPLATES = Path(__file__).resolve().parents[4] / "templates"


def names() -> list[str]:
    return list(Player.objects.order_by("player_id").values_list("name", flat=True))


def test_a_pasted_name_with_a_comma_is_asked_about_by_buttons(dirk: Client) -> None:
    typed = "Smith, John\nIda\nRL09; Holm, Petra\nAnn, Bo\nSammy Davis, Jr."
    response = dirk.post(ADD, {"names": typed})
    text = text_of(response)
    assert "“Smith, John” has a comma. Is this one person, or are these 2 people?" in text
    assert "One person: John Smith" in text
    assert 'name="add"' not in response.content.decode()
    page = dirk.post(ADD, {"names": typed, "person": "one:1"}).content.decode()
    typed = page.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0].strip()
    assert typed.splitlines()[:2] == ["John Smith", "Ida"]
    for answer in ("one:3", "several:4"):
        page = dirk.post(ADD, {"names": typed, "person": answer}).content.decode()
        typed = page.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0].strip()
    assert 'name="add"' in page
    saved(dirk, typed)
    assert sorted(names()) == [
        *("Ann", "Bo", "Ida", "John Smith", "Petra Holm", "Sammy Davis, Jr.")
    ]


def test_a_name_is_kept_with_its_comma_and_after_an_id(dirk: Client) -> None:
    typed = "Hans Meier, jun.\nP0009, Karl Meier, jun., 16.10.2026\nIda"
    asked = dirk.post(ADD, {"names": typed}).content.decode()
    assert re.findall(r'name="person" value="([\w:]+)">\s*([^<]+)<', asked) == [
        ("written:1", "One person: Hans Meier, jun."),
        ("one:1", "One person: jun. Hans Meier"),
        ("several:1", "2 people"),
        ("written:2", "One person: Karl Meier, jun."),
        ("one:2", "One person: jun. Karl Meier"),
        ("several:2", "2 people"),
    ]
    page = dirk.post(ADD, {"names": typed, "person": "written:1"}).content.decode()
    matches = re.findall(r'name="as_written" value="([^"]+)"', page)
    sent = {"names": typed, "as_written": matches}
    page = dirk.post(ADD, {**sent, "person": "written:2"}).content.decode()
    saved(dirk, typed, as_written=re.findall(r'name="as_written" value="([^"]+)"', page))
    assert sorted(Player.objects.values_list("player_id", "name")) == [
        ("P0001", "Hans Meier, jun."),
        ("P0002", "Ida"),
        ("P0009", "Karl Meier, jun."),
    ]


def test_players_are_searched_without_a_script(cast: Cast) -> None:
    players(cast.riverside, "John Smith", "Zoë Łukasz", "Petra Holm")
    page = text_of(cast.client("piet").get(PLAYERS, {"q": "luk zo"}))
    assert "1 of 3 players found." in page
    assert "Zoë Łukasz" in page
    assert "Petra Holm" not in page
    assert "Petra Holm" in text_of(cast.client("piet").get(PLAYERS, {"q": "rl03"}))
    assert "No players found" in text_of(cast.client("piet").get(PLAYERS, {"q": "xyz"}))
    assert "3 players." in text_of(cast.client("piet").get(PLAYERS))


def test_players_are_listed_by_name_sorted_by_a_column_and_in_pages(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, piet: Client
) -> None:
    players(cast.riverside, "Zoë Ł.", "Bruno K.", "Béla D.", "Alma D.")
    monkeypatch.setattr(clubs, "PLAYERS_A_PAGE", 3)

    def names(**query: str) -> list[str]:
        return re.findall(r'players/RL\d+">([^<]+)</a>', piet.get(PLAYERS, query).content.decode())

    assert names() == ["Alma D.", "Béla D.", "Bruno K."]
    assert names(page="2") == ["Zoë Ł."]
    assert names(sort="-name") == ["Zoë Ł.", "Bruno K.", "Béla D."]
    assert names(sort="id") == ["Zoë Ł.", "Bruno K.", "Béla D."]
    assert names(sort="shoe size", q="d") == ["Alma D.", "Béla D."]
    page = piet.get(PLAYERS, {"sort": "id", "page": "2"}).content.decode()
    assert '<a href="?sort=-id">Id</a>' in page
    assert '<a href="?sort=id&amp;page=1">1</a>' in page
    assert page.count('aria-sort="ascending"') == 1


def test_no_template_joins_people_by_commas() -> None:
    """What is joined by commas or parted by them in a loop is no list of people."""
    people = re.compile(r"(players|names|members|went_on|sit_outs|lines|people)\|join:\", \"")
    loops = re.compile(
        r"{{ [\w.]*(player|name|label)(\|[\w:\"–.]+)? }}\s*{% if not forloop.last %},\s*{% endif %}"
    )
    assert {
        path.name
        for path in TEMPLATES.rglob("*.html")
        for text in [path.read_text(encoding="utf-8")]
        if people.search(text) or loops.search(text)
    } == set()


def test_director_is_led_to_the_cards_from_the_list_just_added_and_from_manage(cast: Cast) -> None:
    dirk = cast.client("dirk")
    path = "/clubs/riverside/personal-links"
    assert "A mail address goes after the name" in text_of(dirk.get(ADD))
    saved(dirk, "Bert")
    page = saved(dirk, "Ada, ada@club.example").content.decode()
    dirk.post(path)
    [of_added] = re.findall(f'href="({path}[^"]+)"', page)
    cards = text_of(dirk.get(of_added))
    assert "Ada" in cards
    assert "Bert" not in cards
    assert f'href="{path}"' in dirk.get("/clubs/riverside/manage").content.decode()
