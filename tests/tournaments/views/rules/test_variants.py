"""The catalogue, the rules cards, two games side by side, and no raw key on any of them."""

import html
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client

from scoring.errors import Refused
from scoring.rules.catalogue import catalogue
from scoring.rules.options import option_table, options_of
from tests.support.answers import Answer, Json
from tests.support.builders import by_tests, league, players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.scoring.option_choices import BESIDE, choices_for
from tournaments.models.events import Snapshot
from tournaments.selectors.rules.rule_sets import store_snapshot
from tournaments.services.events.events import create_event, move_event
from tournaments.services.rules.house_rules import add_version, chosen_rules, make_house_rules
from tournaments.views.rules.variant_options import option_text

pytestmark = pytest.mark.django_db


def text(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, path
    main = answer.content.decode().partition("<main")[2].partition("</main>")[0]
    main = re.sub(r"</?span[^>]*>", "", main)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", main)).split())


def links(client: Client, path: str) -> list[str]:
    return re.findall(r'<li><a href="(/variants/[^"]*)"', client.get(path).content.decode())


@pytest.mark.parametrize(
    ("variant", "sentences"),
    [
        ("hearts", ["chooses: 26 off their own total, or 26 to each other player.",
                    "Rules version 2210f3"]),
        ("partnership-hearts-pooled", ["N and S against E and W.", "26 to the other side."]),
        ("cancellation-hearts", ["Two identical cards in a trick cancel each other"]),
        ("spot-hearts", ["2–10♥ The number on the card", "When a total is 500 or more."]),
        ("gong-zhu", ["A player with such a total has lost. The highest total wins."]),
        ("complex-hearts", ["5 hearts and 10♣: 5 × 2i = 10i 10i"]),
        ("hearts-chip-pool", ["Before each hand every player puts 1 chip into the pool."]),
        ("danger-hearts", ["Everybody begins with 3 lives."]),
    ],
)  # fmt: skip
def test_card_says_rules_of_its_game(client: Client, variant: str, sentences: list[str]) -> None:
    found = text(client, f"/variants/{variant}")
    for sentence in sentences:
        assert sentence in found


@pytest.mark.parametrize("seats", ["7", "0", "four", "99999999999999999999"])
def test_card_for_players_that_cannot_sit_says_who_can(client: Client, seats: str) -> None:
    found = text(client, f"/variants/hearts?seats={seats}", 422)
    assert "3 to 6" in found
    assert "The card below is for 4 players." in found


@pytest.mark.parametrize("name", ["Black Lady", "black-widow", "Hearts (American)", "HEARTS"])
def test_old_name_leads_to_the_id(client: Client, name: str) -> None:
    answer = client.get(f"/variants/{name}", {"seats": "5"})
    assert (answer.status_code, answer["Location"]) == (302, "/variants/hearts?seats=5")


def test_unknown_game_is_missing_and_the_closest_are_linked(client: Client) -> None:
    found = text(client, "/variants/gong-zu", 404)
    assert "There is no variant called gong-zu. Closest: gong-zhu" in found
    page = client.get("/variants/gong-zu").content.decode()
    assert 'href="/variants/gong-zhu"' in page
    assert 'href="/variants"' in page


def test_catalogue_lists_every_game_with_a_line_about_it(client: Client) -> None:
    assert len(links(client, "/variants")) == len(catalogue().ids) >= 55
    found = text(client, "/variants")
    assert "Gong Zhu 4 players" in found
    assert catalogue().variant("hearts").summary in found
    empty = text(client, "/variants?partnership=true&packs=2")
    assert "No games found." in empty
    assert "0 of" in empty


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("q=catch+the+pig", {"gong-zhu"}),
        ("q=omnibus", {"omnibus-hearts", "omnibus-hearts-10d"}),
        ("players=7", {"hearts-multipack", "cancellation-hearts", "domino-hearts", "golden-ten"}),
        ("partnership=true", {"likha", "partnership-hearts-52", "partnership-hearts-pooled",
                              "partnership-hearts-individual"}),
        ("packs=3", {"hearts-multipack", "cancellation-hearts-3"}),
        ("packs=3&players=11", {"hearts-multipack", "cancellation-hearts-3"}),
        ("packs=2&players=11", {"cancellation-hearts"}),
        ("packs=2&players=8", {"hearts-multipack", "extreme-hearts", "cancellation-hearts"}),
    ],
)  # fmt: skip
def test_catalogue_finds_what_fits(client: Client, asked: str, found: set[str]) -> None:
    assert {
        link.partition("?")[0].removeprefix("/variants/")
        for link in links(client, f"/variants?{asked}")
    } == found


@pytest.mark.parametrize("asked", ["players=many", "players=1", "players=14", "packs=9"])
def test_what_cannot_be_looked_for_is_beside_its_field(client: Client, asked: str) -> None:
    answer = client.get(f"/variants?{asked}")
    assert answer.status_code == 422
    assert 'class="field-err"' in answer.content.decode()


def test_two_games_are_laid_side_by_side_with_the_difference_in_words(client: Client) -> None:
    found = text(client, "/variants/compare?a=hearts&b=omnibus-hearts")
    assert "J♦ Only one – no rule −10" in found
    assert "All cards of a hand together Differs 26 16" in found
    assert "First lead Same The player who holds 2♣ leads it to the first trick." in found
    found = text(client, "/variants/compare?a=hearts&b=omnibus-hearts&same=hide")
    assert "Differs" in found
    assert "Same" not in found
    assert "Show equal rules" in found
    found = text(client, "/variants/compare?a=huse-hearts-two&b=extreme-hearts")
    assert "The games need different numbers of players: 2 and 8." in found


def test_names_are_understood_and_unknown_ones_missing_in_a_comparison(client: Client) -> None:
    answer = client.get("/variants/compare?a=Black+Lady&b=gong-zhu")
    assert answer["Location"] == "/variants/compare?a=hearts&b=gong-zhu"
    assert "All games" in text(client, "/variants/compare?a=hearts&b=nothing", 404)
    assert "All games" in text(client, "/variants/compare", 404)


def test_table_and_event_lead_to_the_one_set_of_rules_they_play(evenings: Evenings) -> None:
    client = evenings.client()
    sheet = client.get(f"{ADDRESS}/tables/r1t1").content.decode()
    assert f'href="{ADDRESS}/tables/r1t1/rules"' in sheet
    found = text(client, f"{ADDRESS}/tables/r1t1/rules")
    assert "3 tables were played with these rules." in found
    assert "For 4 players" in found
    assert "26 off their own total" in found
    assert "No such table" in text(client, f"{ADDRESS}/tables/r1t9/rules", 404)
    desk = evenings.client("hanna").get(f"{ADDRESS}/tables/r2t1/hands/new").content.decode()
    assert f'<a href="{ADDRESS}/tables/r2t1/rules">Hearts (American)</a>' in desk
    found = text(evenings.client(), f"{ADDRESS}/rules")
    assert "3 tables were played with these rules." in found
    assert "26 off their own total" in found
    table(evenings.event, [*evenings.event.club.players.all()[:4]], round_number=9)
    seated = text(evenings.client(), f"{ADDRESS}/rules")
    assert "3 tables were played with these rules." in seated, "nobody has played at the fourth"


def test_each_set_of_rules_is_listed_and_its_card_says_what_it_says(evenings: Evenings) -> None:
    store_snapshot(event=evenings.event, variant="omnibus-hearts", options={"target": 61})
    client = evenings.client()
    assert "Omnibus Hearts" in text(client, f"{ADDRESS}/rules")
    snapshot = Snapshot.objects.get(event=evenings.event, variant="omnibus-hearts")
    assert "When a total is 61 or more." in text(client, f"{ADDRESS}/rules/{snapshot.content_hash}")


def test_card_of_an_older_version_says_what_that_table_played(evenings: Evenings) -> None:
    snapshot = Snapshot.objects.get(event=evenings.event)
    rules = snapshot.rules | {"finish": [{"kind": "score", "op": ">=", "value": 77}]}
    old = Snapshot.objects.create(
        club=snapshot.club, event=snapshot.event, content_hash="0" * 64, variant=snapshot.variant,
        variant_name=snapshot.variant_name, rules=rules,
    )  # fmt: skip
    found = text(evenings.client(), f"{ADDRESS}/rules/{old.content_hash[:12]}")
    assert "When a total is 77 or more." in found
    assert "The rules of this game have changed." in found


def test_event_without_a_table_shows_the_game_that_it_will_play(evenings: Evenings) -> None:
    Snapshot.objects.filter(
        event=league(evenings.cast.riverside, slug="new", name="New league")
    ).delete()
    found = text(evenings.client(), "/clubs/riverside/events/new/rules")
    assert "No table has been seated yet." in found
    assert "Rules of Hearts (American)" in found


@pytest.mark.parametrize("version", ["00000000", "2210f3", "x"])
def test_rules_that_were_never_played_are_missing(evenings: Evenings, version: str) -> None:
    found = text(evenings.client(), f"{ADDRESS}/rules/{version}", 404)
    assert "No such rules" in found
    assert "Its rules" in found


def test_card_over_rest_says_what_the_page_says(client: Client) -> None:
    page = text(client, "/variants/hearts-multipack?seats=12")
    assert "For 12 players" in page
    assert "78 off their own total" in page
    card = client.get("/api/v1/variants/hearts-multipack/card?seats=12").json()
    assert (card["id"], card["seats"]) == ("hearts-multipack", 12)
    assert card["version"] == catalogue().rules("hearts-multipack").content_hash
    subjects = {subject["key"]: subject["rules"] for subject in card["subjects"]}
    assert "78 off their own total" in subjects["moon"][0]["said"]
    assert subjects["counting"][-1] == {
        "key": "total", "heading": "All cards of a hand together", "said": "", "figure": "78",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/v1/variants/hearts/card?seats=9", 400, "bad_parameter"),
        ("/api/v1/variants/gong-zu/card", 404, "unknown_variant"),
    ],
)
def test_impossible_card_is_a_refusal(client: Client, path: str, status: int, code: str) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.json()["errors"][0]["code"] == code


CLUB = "/clubs/riverside"
HOUSE = f"{CLUB}/house-rules/ours"
VARIANTS = (
    "hearts", "omnibus-hearts", "kitty-hearts", "cancellation-hearts", "hearts-chip-pool",
    "joker-hearts", "partnership-hearts-individual", "pinochle-two-hand",
)  # fmt: skip
"""Together they take every option."""
RAW = re.compile(
    r"\b[a-z0-9]+_[a-z_0-9]+\b|[<>=]=|\bTrue\b|\bFalse\b|\bNone\b|[{}]|std52|rook56|-to-"
)


def raw_in(response: Answer) -> list[str]:
    """What a reader of a page sees that only a program understands; not what they typed."""
    main = response.content.decode().partition("<main")[2].partition("</main>")[0]
    main = re.sub(r"<(script|style|datalist|textarea).*?</\1>", " ", main, flags=re.DOTALL)
    return sorted(set(RAW.findall(html.unescape(re.sub(r"<[^>]*>", " ", main)))))


def chosen(variant: str) -> Iterator[Json]:
    """Options that stand together; each choice of each option is in one of them."""
    names = [option.name for option in options_of(catalogue().resolved(variant))] + list(BESIDE)
    left = {name: list(choices_for(variant, name)) for name in names}
    while any(left.values()):
        picked: dict[str, Any] = {}
        for name in names:
            if left[name]:
                try:
                    chosen_rules(variant, picked | {name: left[name][0]})
                except Refused:
                    if not picked:  # no game begins with it alone: a total of 0 would end it
                        left[name].pop(0)
                    continue
                picked[name] = left[name].pop(0)
        if picked:
            yield picked


def test_variants_here_take_every_option() -> None:
    taken = {one.name for v in VARIANTS for one in options_of(catalogue().resolved(v))}
    assert taken | set(BESIDE) == set(option_table())


@pytest.mark.parametrize("variant", VARIANTS)
def test_pages_of_rules_are_in_words_whatever_is_chosen(cast: Cast, variant: str) -> None:
    client, every = cast.client("dirk"), list(chosen(variant))
    first = make_house_rules(
        by_tests(), cast.riverside, name="Ours", chosen=chosen_rules(variant, every[0])
    )
    assert raw_in(client.get(HOUSE)) == []
    for number, options in enumerate(every[1:], start=2):
        add_version(by_tests(), first.variant, chosen=chosen_rules(first, options))
        page = client.get(f"{HOUSE}/versions/{number}")
        assert raw_in(page) == [], options
        assert "ules as in" in text_of(page)
        assert raw_in(client.get(f"{HOUSE}/difference")) == [], options
        form = client.get(f"{HOUSE}/change")
        assert raw_in(form) == [], options
        assert "Default" in text_of(form) or "·" in text_of(form)
        typed = {f"options-{name}": option_text(value) for name, value in options.items()}
        assert raw_in(client.get(f"{CLUB}/new-event", {"variant": variant} | typed)) == [], options
    assert raw_in(client.get(HOUSE)) == []


@pytest.mark.parametrize("variant", ["hearts", "cancellation-hearts", "hearts-chip-pool"])
def test_pages_of_an_event_say_its_options_in_words(cast: Cast, variant: str) -> None:
    client, options = cast.client("dirk"), list(chosen(variant))[1]
    settings = {"length": "open", "primary": "wins"}
    event = create_event(
        by_tests(), cast.riverside, slug="league", name="League", variant=variant,
        options=options, settings=settings,
    )  # fmt: skip
    move_event(by_tests(), event, to="open")
    seats = catalogue().rules(variant, options).keys.players[0]
    table(event, players(cast.riverside, *(f"Player {n}" for n in range(1, seats + 1))))
    base = f"{CLUB}/events/{event.slug}"
    for path in ("direct", "rules", "settings", "tables/r1t1/rules", "new-round"):
        page = client.get(f"{base}/{path}", follow=True)
        assert page.status_code == 200, path
        assert raw_in(page) == [], path
    assert "All other rules as in" in text_of(client.get(f"{base}/rules", follow=True))
    if "target_op" in options:
        says = "The game ends when a total passes 75."
        assert says in text_of(client.get(f"{base}/settings"))
        assert says in text_of(client.get(f"{base}/rules", follow=True))


def test_form_shows_what_is_in_force_and_folds_it(cast: Cast) -> None:
    page = cast.client("dirk").get(f"{CLUB}/new-house-rules?base=hearts")
    text = text_of(page)
    for group in (
        "Game end Default: The game ends when a total reaches 100. Change",
        "Moon and sun Default: The shooter of a moon chooses:",
        "Packs and kitty Default: ",
        "Cards and values Default: Points for the queen of spades: 13.",
    ):
        assert group in text, group
    assert "default: reaches the limit" in text
    assert "Default: 100." in text
    assert '<details class="fold">' in page.content.decode()
    typed = {"base": "hearts", "look": "yes", "options-target_op": ">", "options-target": "61"}
    changed = cast.client("dirk").post(f"{CLUB}/new-house-rules", typed)
    assert "Game end Points limit: 61 · The game ends when a total: passes the limit" in (
        text_of(changed)
    )
    assert '<details class="fold changed" open>' in changed.content.decode()


def test_name_in_another_order_is_no_other_name(client: Client) -> None:
    page = text_of(client.get("/variants/hearts"))
    assert "Also called Black Lady, Black Widow, Chase the Lady, Slippery Anne." in page
