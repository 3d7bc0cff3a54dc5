"""No page of rules shows a raw key: house rules, differences, settings, rules cards, refusals.

The pages are walked with every choice of every option, over variants that together take all of
them.
"""

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest

from scoring.errors import Refused
from scoring.rules.catalogue import catalogue
from scoring.rules.options import option_table, options_of
from tests.support.answers import Answer, Json
from tests.support.builders import TESTS, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import beside, text_of
from tests.support.scoring.option_choices import choices_for
from tournaments.services.events.events import create_event, move_event
from tournaments.services.rules.house_rules import add_version, chosen_rules, make_house_rules
from tournaments.views.rules.variant_options import option_text

CLUB = "/clubs/riverside"
HOUSE = f"{CLUB}/house-rules/ours"
VARIANTS = (
    "hearts", "omnibus-hearts", "kitty-hearts", "cancellation-hearts", "hearts-chip-pool",
    "partnership-hearts-individual", "pinochle-two-hand",
)  # fmt: skip
"""Together they take every option."""
RAW = re.compile(
    r"\b[a-z0-9]+_[a-z_0-9]+\b|[<>=]=|\bTrue\b|\bFalse\b|\bNone\b|[{}]|std52|rook56|-to-"
)


def raw_in(response: Answer) -> list[str]:
    """What a reader of a page sees that only a program understands; not what they typed."""
    main = response.content.decode().partition("<main")[2].partition("</main>")[0]
    main = re.sub(r"<(script|style|datalist|textarea).*?</\1>", " ", main, flags=re.DOTALL)
    words = html.unescape(re.sub(r"<[^>]*>", " ", main))
    return sorted(set(RAW.findall(words)))


def chosen(variant: str) -> Iterator[Json]:
    """Options that stand together; each choice of each option is in one of them."""
    names = [option.name for option in options_of(catalogue().resolved(variant))]
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
    assert taken == set(option_table())


@pytest.mark.parametrize("variant", VARIANTS)
def test_pages_of_rules_are_in_words_whatever_is_chosen(cast: Cast, variant: str) -> None:
    client, every = cast.client("dirk"), list(chosen(variant))
    first = make_house_rules(
        actor=TESTS,
        club=cast.riverside,
        name="Ours",
        chosen=chosen_rules(variant, every[0]),
        now=NOW,
    )
    assert raw_in(client.get(HOUSE)) == []
    for number, options in enumerate(every[1:], start=2):
        add_version(actor=TESTS, house=first.variant, chosen=chosen_rules(first, options), now=NOW)
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
        actor=TESTS, club=cast.riverside, slug="league", name="League", variant=variant,
        options=options, settings=settings, now=NOW,
    )  # fmt: skip
    move_event(actor=TESTS, event=event, to="open", now=NOW)
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
        "Pack and kitty Default: ",
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


def test_refusal_names_the_option_as_its_field_does(cast: Cast) -> None:
    typed = {"name": "Ours", "base": "hearts", "options-deals": "8", "options-target": "61"}
    page = cast.client("dirk").post(f"{CLUB}/new-house-rules", typed)
    assert beside(page, "options-target") == (
        '"Points limit" cannot be "61" here. It cannot be combined with "Number of hands", which '
        "replaces what it changes."
    )
    assert raw_in(page) == []
