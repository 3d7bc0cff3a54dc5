"""The page that changes who played, player by player or side by side; and its REST."""

import re
from html import unescape

import pytest
from django.test import Client

from tests.support.answers import Answer, post_json
from tests.support.builders import by_tests, hand, league, pairs, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.change_players import hidden
from tests.support.pages.text import beside, summary, text_of
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Change
from tournaments.services.events.change_event import change_settings
from tournaments.services.hands.close_tables import move_game
from tournaments.services.publishing.publications import publish
from tournaments.services.verification.event import recount_now

EVENT = "/clubs/riverside/events/league"


PAGE = f"{EVENT}/tables/r1t1/change-players"


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings={"primary": "raw_total", "boundaries": {"cut": 2}})


@pytest.fixture
def game(cast: Cast, event: Event) -> Game:
    """Two tables; at the first Anna, Bob, Cleo and Dirk have 7, 22, 7 and 16 after two hands."""
    people = players(
        cast.riverside, "Anna", "Bob", "Cleo", "Dirk", "Elsa", "Finn", "Gus", "Hedi", "Sid"
    )
    found, other = table(event, people[:4]), table(event, people[4:8], table_number=2)
    hand(found, 1, [2, 6, 3, 2], queen=3)
    hand(found, 2, [5, 3, 4, 1], queen=1)
    hand(other, 1, [4, 3, 3, 3], queen=2)
    publish(event.pk, now=NOW)
    return found


def asked(client: Client, **typed: str) -> Answer:
    form = {"act": "swap", "seat": "1", "from_hand": "1", "hands": "keep", "go": "look", **typed}
    return client.post(PAGE, {"tag": hidden(client.get(PAGE), "tag"), **form})


def saved(client: Client, shown: Answer, **more: str) -> Answer:
    html = shown.content.decode()
    names = ("previewed", "act", "seat", "seat-1", "from_hand", "hands", "tag", "split", "undo")
    sent = {
        name: unescape(hidden(shown, name)) for name in names if f'name="{name}" value=' in html
    }
    return client.post(
        PAGE, {**sent, "reason": "They sat the other way round.", "go": "save", **more}, follow=True
    )


def sitting(code: str = "r1t1") -> list[str]:
    rows = Sitting.objects.filter(seat__table__code=code, to_hand=None).order_by("seat__number")
    return [row.player.name for row in rows]


def test_swap_is_shown_then_saved_then_undone(dirk: Client, game: Game) -> None:
    shown = asked(dirk, **{"seat-1": "Bo"})
    words = text_of(shown)
    assert "Not saved yet" in words
    assert "North Anna 7, 1st= Bob 7, 1st=" in words
    assert sitting() == ["Anna", "Bob", "Cleo", "Dirk"]
    assert (saved(dirk, shown, reason="").status_code, sitting()[0]) == (422, "Anna")
    assert "Players changed." in text_of(saved(dirk, shown))
    assert sitting() == ["Bob", "Anna", "Cleo", "Dirk"]
    words = text_of(dirk.get(f"{EVENT}/tables/r1t1"))
    assert "Table 1, seat 1: Anna → Bob. Table 1, seat 2: Bob → Anna." in words
    assert "They sat the other way round." in words
    log = text_of(dirk.get(f"{EVENT}/changes"))
    assert "Players changed" in log
    assert "Table 1, seat 1: Anna → Bob." in log
    line = Change.objects.get()
    saved(dirk, dirk.get(f"{PAGE}?undo={line.pk}"), reason="It was right.")
    assert sitting() == ["Anna", "Bob", "Cleo", "Dirk"]


def test_swap_with_another_table_is_offered_if_one_sits_there(dirk: Client, game: Game) -> None:
    refused = asked(dirk, act="replace", **{"seat-1": "Elsa"})
    assert refused.status_code == 422
    said = "Elsa sits at table 2 of this round. Swap the players, or free table 2 first."
    assert said in summary(refused)
    assert f'href="{EVENT}/tables/r1t2/change-players"' in refused.content.decode()
    shown = asked(dirk, act="replace", instead="swap", **{"seat-1": "Elsa"})
    assert "Table 2" in text_of(shown)
    saved(dirk, shown)
    assert (sitting()[0], sitting("r1t2")[0]) == ("Elsa", "Anna")


def test_replacement_is_offered_to_players_with_no_seat_to_swap(dirk: Client, game: Game) -> None:
    refused = asked(dirk, from_hand="2", **{"seat-1": "Sid"})
    assert "so a swap is not possible. Replace the player instead." in summary(refused, 422)
    page = refused.content.decode()
    button = '<button class="btn pri" type="submit" name="instead" value="replace">Replace player'
    assert button in page
    assert page.partition('<form class="panel"')[2].count("btn pri") == 1
    shown = asked(dirk, from_hand="2", instead="replace", **{"seat-1": "Sid"})
    assert shown.status_code == 200
    saved(dirk, shown)
    assert sitting() == ["Sid", "Bob", "Cleo", "Dirk"]


def test_sheet_names_who_held_a_seat_before(dirk: Client, game: Game) -> None:
    shown = asked(dirk, act="substitute", from_hand="2", **{"seat-1": "Sid"})
    assert "Anna has hand 1." in text_of(shown)
    saved(dirk, shown)
    assert "Sid North Anna to hand 1 Bob East" in text_of(dirk.get(f"{EVENT}/tables/r1t1"))


def test_preview_of_a_substitute_names_both_with_their_points(
    cast: Cast, dirk: Client, game: Game, event: Event
) -> None:
    values = {"primary": "placement_points", "substitutes": "regular"}
    change_settings(by_tests(), event, values=values, reason="The rule sheet.")
    recount_now(event.pk, now=NOW)
    wanted = {"act": "substitute", "from_hand": "2", "seat-1": "Sid"}
    words = text_of(asked(dirk, **wanted))
    assert "its place goes to: The player who was there first" in words
    assert "Place points Anna: 4, now 4 Sid: 0, now 0" in words
    change_settings(by_tests(), event, values={"substitutes": "by_hands"}, reason="Otherwise.")
    assert "Anna: 2, now 4 Sid: 2, now 0" in text_of(asked(dirk, **wanted))


def test_preview_of_a_substitute_in_rest_has_what_each_gets(
    cast: Cast, game: Game, event: Event
) -> None:
    values = {"primary": "placement_points", "substitutes": "by_hands"}
    change_settings(by_tests(), event, values=values, reason="The rule sheet.")
    dirk, address = cast.client("dirk"), f"/api/v1{EVENT}/tables/r1t1/seats"
    body = {
        "act": "substitute", "seat": 1, "player_id": "RL09", "from_hand": 2, "reason": "Left.",
    }  # fmt: skip
    response = post_json(dirk, f"{address}/preview", body, If_Match=dirk.get(address)["ETag"])
    shared = response.json()["tables"][0]["shared"]
    assert [(row["player"], row["before"], row["after"]) for row in shared] == [
        ("Anna", 4, 2), ("Sid", 0, 2),
    ]  # fmt: skip


def test_unclear_name_and_seat_without_a_name_are_asked_about(dirk: Client, game: Game) -> None:
    assert beside(asked(dirk), "seat-1") == "Enter a player."
    assert "is not on the club's list of players" in beside(
        asked(dirk, **{"seat-1": "Zo"}), "seat-1"
    )


def test_rest_previews_saves_once_and_names_what_was_looked_at(cast: Cast, game: Game) -> None:
    dirk, address = cast.client("dirk"), f"/api/v1{EVENT}/tables/r1t1/seats"
    move_game(by_tests(), game, to="complete")
    read = dirk.get(address)
    assert [one["player"] for one in read.json()["sittings"]] == ["Anna", "Bob", "Cleo", "Dirk"]
    body = {"act": "swap", "seat": 1, "player_id": "RL02", "reason": "Swapped."}
    assert post_json(dirk, address, body).status_code == 428
    response = post_json(dirk, f"{address}/preview", body, If_Match=read["ETag"])
    assert response.status_code == 200, response.json()
    assert [seat["after"]["player_id"] for seat in response.json()["tables"][0]["seats"]][:2] == [
        "RL02", "RL01",
    ]  # fmt: skip
    body["previewed"] = response.json()["digest"]
    for replayed in (None, "true"):
        done = post_json(dirk, address, body, If_Match=read["ETag"], Idempotency_Key="k-1")
        assert (done.status_code, done.headers.get("Idempotent-Replayed")) == (200, replayed)
    assert [one["player"] for one in done.json()["sittings"]][:2] == ["Bob", "Anna"]
    stale = post_json(dirk, address, body, If_Match=read["ETag"])
    assert (stale.status_code, stale.json()["errors"][0]["code"]) == (412, "seating_outdated")
    assert stale.json()["there"]["sittings"][0]["player_id"] == "RL02"
    back = {"act": "undo", "change": done.json()["changes"][0]["id"], "reason": "No."}
    undone = post_json(dirk, address, back, If_Match=done["ETag"])
    assert [one["player"] for one in undone.json()["sittings"]][:2] == ["Anna", "Bob"]


@pytest.fixture
def sides(cast: Cast) -> Event:
    event = league(cast.riverside, variant="partnership-hearts-pooled")
    names = "Ada Ben Cy Dee Eve Fay Gil Hal Ida Jan Kay Lee"
    people = players(cast.riverside, *names.split())
    pairs(event, people[:10])
    for number, at in ((1, 0), (2, 4)):
        here = people[at : at + 4]
        table(event, [here[0], here[2], here[1], here[3]], table_number=number)
    return event


def asked_of_side(client: Client, **typed: str) -> Answer:
    return asked(client, **{"seat": "side-1", **typed})


def test_page_offers_sides_first_and_pairs_by_name(cast: Cast, sides: Event) -> None:
    page = cast.client("dirk").get(PAGE).content.decode()
    choices = re.findall(r'<option value="([\w-]+)"[^>]*>([^<]+)<', page)
    seats = [words for value, words in choices if value[-1].isdigit()]
    assert seats[:3] == ["North and South: Ada &amp; Ben", "East and West: Cy &amp; Dee",
                         "North: Ada"]  # fmt: skip
    assert '<option value="Ida &amp; Jan (pair-5)">' in page


def test_two_pairs_are_swapped_after_a_preview(dirk: Client, sides: Event) -> None:
    shown = asked_of_side(dirk, **{"seat-1": "Eve & Fay"})
    assert "Table 2" in text_of(shown)
    assert sitting() == ["Ada", "Cy", "Ben", "Dee"]
    assert "Players changed." in text_of(saved(dirk, shown))
    assert (sitting(), sitting("r1t2")) == (
        ["Eve", "Cy", "Fay", "Dee"], ["Ada", "Gil", "Ben", "Hal"],
    )  # fmt: skip


def test_guests_of_a_new_pair_are_added_one_by_one(dirk: Client, sides: Event) -> None:
    typed = {"act": "replace", "seat-1": "Max & Kay"}
    asked = asked_of_side(dirk, **typed)
    assert "Add Max as guest" in text_of(asked)
    asked = asked_of_side(dirk, guest="seat-1=Max", **typed)
    assert Player.objects.filter(name__in=["Max", "Max & Kay"]).count() == 1
    assert 'value="Max (P0001) &amp; Kay"' in asked.content.decode()
    assert "Max and Kay are not a pair" in summary(asked)
    assert 'name="make_pair"' in asked.content.decode()
    alone = asked_of_side(dirk, seat="1", **typed)
    assert 'name="guest"' not in alone.content.decode(), "nobody is called “Max & Kay”"


def test_two_without_a_partner_are_made_a_pair_and_seated(dirk: Client, sides: Event) -> None:
    typed = {"act": "replace", "seat-1": "Kay & Lee"}
    shown = asked_of_side(dirk, **typed)
    assert "Kay and Lee are not a pair" in summary(shown)
    assert "Make Kay &amp; Lee a pair" in shown.content.decode()
    assert not sides.entrants.filter(members__player__name="Kay").exists()
    preview = asked_of_side(dirk, make_pair="yes", **typed)
    assert "Not saved yet" in text_of(preview)
    kay = EntrantMember.objects.get(event=sides, player__name="Kay")
    members = EntrantMember.objects.filter(entrant=kay.entrant_id)
    assert sorted(members.values_list("player__name", flat=True)) == ["Kay", "Lee"]
    assert "Players changed." in text_of(saved(dirk, preview))
    assert sitting() == ["Kay", "Cy", "Lee", "Dee"]


def test_partners_of_others_are_not_made_a_pair(dirk: Client, sides: Event) -> None:
    shown = asked_of_side(dirk, **{"act": "replace", "seat-1": "Kay & Ida"})
    assert "Ida and Kay are not a pair" in text_of(shown) or "not a pair" in summary(shown)
    assert 'name="make_pair"' not in shown.content.decode()


def test_link_of_the_seating_page_chooses_the_players_side(cast: Cast, sides: Event) -> None:
    page = cast.client("dirk").get(f"{PAGE}?act=swap&seat=4&player=Eve+(RL05)").content.decode()
    assert '<option value="side-2" selected>' in page
    assert 'value="Eve &amp; Fay (pair-3)"' in page
