"""Rules cards: what stands on them follows from the rules, in words that a pedant accepts."""

from contextlib import suppress
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest

from scoring.errors import Refused
from scoring.game.game import new_game, play
from scoring.json_types import JsonObject
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Keys, Rules
from scoring.rules_card.card import compare, rules_card, usual_seats
from scoring.rules_card.wording import Card, sentence_text
from tests.support.answers import Json
from tests.support.lengths import short_or_long
from tests.support.scoring.random_hands import dealt_at, option_sets
from tests.support.scoring.rules_cards import lines, said_by
from tests.support.scoring.vocabulary import Row, rows, rules_of

FURTHER_OPTIONS: dict[str, list[Any]] = {
    "custom_values": [[["KS", 10]]], "deck_base": ["low32"], "moon_needs": ["*H"],
    "removed_cards": [{"3": ["2C"], "4": ["2C", "3C", "2D", "3D"]}],
}  # fmt: skip
SPLIT = "Before each hand everyone passes cards: 1 left, 1 across and 1 right."
OFF = "26 off their own total"
HOUSE: list[tuple[str, int | None, dict[str, Any], str]] = [
    ("hoosier-hearts", None, {}, f"Passing: {SPLIT}"),
    ("aldergrove-hearts", None, {}, "hand 4 instead 2 left and 2 right; then again"),
    ("extreme-hearts", None, {},
     "First lead: Of those who hold 2♣ the nearest one clockwise from the dealer leads it"),
    ("joker-hearts", None, {},
     "Jokers: A player who leads a joker names the suit that the others follow."),
    ("joker-hearts", None, {}, "Agree beforehand whether a player who can follow suit"),
    ("high-low-joker-hearts", None, {},
     "Jokers: The jokers are hearts: one is the highest heart, the other the lowest."),
    ("high-low-joker-hearts", None, {}, "A joker that is led calls for hearts"),
    ("turbo-hearts", None, {},
     "Charged cards: A charged card may not be played to the first trick of its suit, unless"),
    ("gong-zhu-exposed", None, {}, "Charged cards: A charged card may not be played"),
    ("hearts", None, {"tie": "playoff"},
     "In a play-off of three or more, a player who falls behind is out of it."),
    ("gong-zhu", None, {}, "First lead: In the first hand the player who holds 2♠ leads it"),
    ("hearts-multipack", None, {}, "There are 2 of it: agree beforehand which holder leads."),
    ("hartenjagen", None, {},
     "First lead: The player who holds 7♣ leads it to the first trick, as 2♣ is"),
    ("hearts", 4, {}, "With 5 players 2♣ is not in the pack: 3♣ leads."),
    ("hearts-kitty-4", None, {}, "Where it is left over, agree on who leads."),
    ("cancellation-hearts", 7, {}, "Where nobody wins that trick they wait with its cards."),
    ("kitty-hearts", 5, {"kitty_to": "one_each_first_two"},
     "Each counts as taken by the player who gets"),
    ("kitty-hearts", 5, {"kitty_to": "one_each_first_two", "kitty_mode": "exchange"},
     "Each of them takes theirs into the hand and puts another card on their own pile instead."),
    ("huse-hearts-two", None, {}, "2 players: a pack of 52: 4 left over."),
    ("huse-hearts-two", None, {}, f"chooses: {OFF}, or 26 to the other player."),
    ("domino-hearts", None, {},
     "A card that counts and stays in a hand counts for the player who holds it."),
    ("likha", None, {}, "Aim: To keep the totals of one's side low."),
    ("partnership-hearts-individual", None, {}, "Aim: To have the lowest sum of totals as a side."),
    ("danger-hearts", None, {}, "Aim: To have the lowest total, and a life left."),
    ("partnership-hearts-pooled", None, {}, "Hearts: how many hearts each side took; together 13"),
    ("hearts-chip-pool", None, {}, "Somebody took every one of them: all 13 hearts and Q♠."),
    ("hearts-chip-pool", None, {}, "A total is what a player has in chips;"),
    ("hearts-chip-pool", None, {"moon": "choose"}, "Those points are not written: the payment"),
    ("dirty-nasty-filthy", None, {},
     "The lowest total wins. If somebody shoots the moon the shooter wins, whatever the totals."),
    ("royal-hearts", None, {},
     "to each other player. That number stays the same, whatever changes the value of these cards. "
     "Not needed for it, and counts as always for the player who took it: Q♦ and Q♣."),
    ("chinese-hearts", None, {}, "takes another card that counts and does not shoot the moon:"),
    ("gong-zhu-exposed", None, {},
     "A player who takes all 13 hearts: each heart changes its sign,"),
    ("gong-zhu", None, {"moon": "self"}, "gets 200 added to their own total."),
    ("hearts", None, {"sun": "double-except-first"}, "and every trick after the first chooses: 52"),
    ("hearts", None, {"sun": "slate"}, "and every trick: their own total becomes 0"),
    ("hearts", None, {"moon": "self", "moon_self_amount": 16,
                      "new_moon_from": {"score": 50, "who": "self"}},
     "only where the shooter's own total was 50 or more before the hand; otherwise it is 26 to "
     "each other player."),
    ("hearts", None, {"resets": "100-to-0"}, "The end of the game looks at the total after that."),
    ("hearts", None, {"pledge": "true"}, "Pledge: no hearts: Before a hand a player may pledge"),
    ("hearts", None, {"no_trick_bonus": -5}, "S: 2 hearts and Q♠ in 4 tricks: 2 + 13 = 15 15"),
    ("hearts", None, {"no_trick_bonus": -5}, "E: nothing, no trick: 0 − 5 = −5 −5"),
    ("cancellation-hearts", 7, {"no_trick_bonus": -5},
     "Tricks: how many each player took; together 14 at most"),
]  # fmt: skip


def figures(card: Card, section: str) -> dict[str, str]:
    found = card.section(section)
    return {sentence_text(row.heading): row.figure for row in found.rows} if found else {}


def every_table() -> list[tuple[str, int]]:
    found = []
    for variant in catalogue().ids:
        least, most = catalogue().rules(variant).keys.players
        found += [(variant, seats) for seats in range(least, most + 1)]
    return found


@pytest.mark.parametrize(("variant", "seats"), every_table())
def test_every_variant_has_a_card_for_every_number_of_players(variant: str, seats: int) -> None:
    rules = catalogue().rules(variant)
    card = rules_card(rules, seats)
    bonus = ["melds"] if rules.keys.melds else ["moon"]
    keys = [section.key for section in card.sections if section.key != "settle"]
    assert keys == ["players", "play", "counting", *bonus, "end", "example", "sheet"]
    for section in card.sections:
        rows = [row.key for row in section.rows]
        assert len(rows) == len(set(rows))
    for line in said_by(card):
        assert "{" not in line
        assert "None" not in line.removeprefix("None:")
        assert "  " not in line


def test_card_of_american_hearts_says_what_players_ask() -> None:
    found = lines("hearts")
    assert "5 players: a pack of 52 without 2♦ and 2♣: 10 cards each." in found
    assert (
        "Passing: Before a hand everyone passes 3 cards: hand 1 left; hand 2 right; hand 3 across; "
        "hand 4 no pass; then again from the start. With 3 or 5 players: left; right; no pass."
    ) in found
    assert "each heart: 1" in found
    assert "All cards of a hand together: 26" in found
    assert (
        "Shooting the moon: A player who takes all 13 hearts and Q♠ chooses: 26 off their own "
        "total, or 26 to each other player."
    ) in found
    assert "The game ends: when a total is 100 or more." in found
    assert "Check: The points of a hand total 26, moons aside." in found


@pytest.mark.parametrize(
    ("variant", "options", "said", "unsaid"),
    [
        (
            "hearts", {"lead": "left of dealer, any card", "queen_breaks": "waits"},
            "leads to the first trick, any card but a heart or Q♠.", "any card but a heart.",
        ),
        (
            "hearts", {"passing": {"4": ["hold"]}, "not_passed": ["2C"]},
            "across; no pass. Cards that may not be passed: 2♣.", "passed: 2♣. With",
        ),
        ("dirty-nasty-filthy", {"moon": "none"}, "has no award", "After a game that a moon"),
        (
            "hearts-online", {"hearts": "any time"}, "Hearts may be led at any time.",
            "does not break hearts",
        ),
    ],
)  # fmt: skip
def test_no_sentence_of_the_play_contradicts_another(
    variant: str, options: JsonObject, said: str, unsaid: str
) -> None:
    card = " ".join(said_by(rules_card(catalogue().rules(variant, options))))
    assert said in card
    assert unsaid not in card


def test_seats_decide_how_much_a_moon_pays() -> None:
    two, three = (" ".join(lines("hearts-multipack", seats)) for seats in (8, 12))
    assert "52 off their own total" in two
    assert "all three Q♠ chooses: 78 off their own total" in three


def test_number_of_players_that_cannot_sit_is_refused_with_those_that_can() -> None:
    with pytest.raises(Refused) as refused:
        rules_card(catalogue().rules("hearts"), 7)
    assert refused.value.problems[0].code == "seat_count"
    assert refused.value.problems[0].facts["most"] == 6


def test_usual_card_is_for_four_or_what_is_nearest() -> None:
    tables = {"hearts": 4, "huse-hearts-two": 2, "cancellation-hearts": 5, "extreme-hearts": 8}
    assert {variant: usual_seats(catalogue().rules(variant)) for variant in tables} == tables


@pytest.mark.parametrize(("variant", "seats"), every_table())
def test_example_has_the_scores_that_the_engine_gives(variant: str, seats: int) -> None:
    rules = catalogue().rules(variant)
    example = rules_card(rules, seats).section("example")
    assert example is not None
    for row in example.rows:
        worked = " ".join(map(sentence_text, row.sentences))
        if " = " in worked and not row.key.startswith("example-moon") and not rules.keys.settle:
            assert worked.split(" = ")[1].split(";")[0] == row.figure, worked


def test_example_of_complex_hearts_multiplies_by_two_i() -> None:
    example = rules_card(catalogue().rules("complex-hearts")).section("example")
    assert example is not None
    assert sentence_text(example.rows[0].sentences[0]) == "5 hearts and 10♣: 5 × 2i = 10i"
    assert example.rows[0].figure == "10i"


def told(rules: Rules) -> tuple[object, ...]:
    """What the cards of these rules say for several numbers of players, without the name."""
    tables = {usual_seats(rules), rules.keys.players[1]}
    return tuple(tuple(said_by(rules_card(rules, seats))) for seats in sorted(tables))


def behaviour(keys: Keys) -> str:
    values = tuple(replace(value, name="") for value in keys.values)
    return repr(replace(keys, id="", name="", options={}, sheet=(), values=values))


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row.key)
def test_every_key_of_the_vocabulary_changes_the_card(row: Row) -> None:
    parent, other = catalogue().rules(row.example.get("extends", "hearts")), rules_of(row.example)
    differs = behaviour(parent.keys) != behaviour(other.keys)
    assert (told(parent) != told(other)) is differs


@cache
def several_rule_sets() -> tuple[Rules, ...]:
    """The shipped variants, and one of each kind with each of its options."""
    kinds: dict[str, str] = {}
    for variant in catalogue().ids:
        keys = catalogue().rules(variant).keys
        kind = (keys.slams, keys.settle, keys.teams.mode, keys.same_card.rule)
        kinds.setdefault(repr((kind, bool(keys.modifiers), keys.number)), variant)
    found = [catalogue().rules(variant) for variant in catalogue().ids]
    for variant in kinds.values():
        further = [{key: value} for key, values in FURTHER_OPTIONS.items() for value in values]
        for options in [*option_sets(variant), *further]:
            with suppress(Refused):
                found.append(catalogue().rules(variant, options))
    return tuple(found)


def test_rules_with_one_card_score_every_hand_alike() -> None:
    by_card: dict[object, list[Rules]] = {}
    for rules in several_rule_sets():
        alike = by_card.setdefault((rules.keys.players, told(rules)), [])
        if behaviour(rules.keys) not in [behaviour(other.keys) for other in alike]:
            alike.append(rules)
    assert len(by_card) > 300
    for first, *others in by_card.values():
        for other in others:
            for seed in range(short_or_long(10, 40)):
                assert_scores_alike(first, other, Random(seed))  # noqa: S311  # lots of a test


def assert_scores_alike(one: Rules, other: Rules, chance: Random) -> None:
    seats = chance.randint(*one.keys.players)
    dealt = dealt_at(chance, one, seats)
    for choice in (None, "self", "others"):
        entry = dealt.entry if choice is None else dealt.entry | {"slam_choice": choice}
        assert scores(one, seats, entry) == scores(other, seats, entry), (
            one.options,
            other.options,
        )


def scores(rules: Rules, seats: int, entry: Json) -> object:
    """The scores and totals of a hand, or the codes of what is wrong with it."""
    try:
        hand, state = play(rules, new_game(rules, seats), entry, open_ended=True)
    except Refused as refused:
        return [problem.code for problem in refused.problems]
    return hand.scores, state.totals, state.lives, state.pool


def test_compare_lays_a_rule_of_both_side_by_side_and_a_rule_of_one_alone() -> None:
    plain = rules_card(catalogue().rules("omnibus-hearts"))
    house = catalogue().rules("omnibus-hearts", {"bonus_value": -11, "resets": "100-to-50"})
    pairs = {pair.key: pair for pair in compare(plain, rules_card(house))}
    bonus, running = pairs["value-JD"], pairs["running"]
    assert (bonus.left and bonus.left.figure, bonus.right and bonus.right.figure) == ("−10", "−11")
    assert not bonus.same
    assert running.left is None
    assert running.right is not None
    assert sentence_text(running.right.sentences[0]) == "A total of exactly 100 becomes 50."
    assert pairs["passing"].same
    assert list(pairs).index("running") < list(pairs).index("finish")


def test_sentence_is_made_in_another_language_with_its_parts() -> None:
    words = {"{several} and {last}": "{several} und {last}", "all {n} hearts": "alle {n} Herzen"}
    moon = rules_card(catalogue().rules("hearts")).section("moon")
    assert moon is not None
    sentence = moon.rows[0].sentences[0]
    assert "alle 13 Herzen und Q♠" in sentence_text(sentence, lambda text: words.get(text, text))


@pytest.mark.parametrize(("variant", "seats", "options", "sentence"), HOUSE)
def test_card_says(
    variant: str, seats: int | None, options: dict[str, object], sentence: str
) -> None:
    found = lines(variant, seats, **options)
    assert any(sentence in line for line in found), found


@pytest.mark.parametrize("sun", ["double", "double-except-first", "slate", "punish"])
def test_sun_without_its_tricks_may_still_be_a_moon(sun: str) -> None:
    with_moon = " ".join(lines("hearts", sun=sun))
    without = " ".join(lines("hearts", sun=sun, moon="none"))
    assert "Without the tricks the cards count as always." not in with_moon
    assert "Without the tricks the cards count as always." in without


def test_conditions_are_compared_with_the_same_condition_alone() -> None:
    turbo, pig = (rules_card(catalogue().rules(one)) for one in ("turbo-hearts", "gong-zhu"))
    pairs = [pair for pair in compare(turbo, pig) if pair.key.startswith("modifier")]
    both = [sentence_text(pair.heading) for pair in pairs if pair.left and pair.right]
    assert both == ["A player who takes 10♣"]
    assert [pair.same for pair in pairs if pair.left and pair.right] == [True]


def test_card_that_counts_alike_is_the_same_in_any_pack() -> None:
    two, small, plain = (
        rules_card(catalogue().rules(one))
        for one in ("cancellation-hearts", "hartenjagen", "hearts")
    )
    packs = {pair.key: pair.same for pair in compare(plain, two)}
    assert (packs["value-*H"], packs["value-QS"], packs["total"]) == (True, True, False)
    less = {pair.key: pair.same for pair in compare(plain, small)}
    assert (less["value-*H"], less["value-QS"], less["value-JC"]) == (True, False, False)


@pytest.mark.parametrize("variant", catalogue().ids)
def test_every_difference_of_two_cards_is_compared(variant: str) -> None:
    every = [rules_card(catalogue().rules(one)) for one in catalogue().ids]
    mine = rules_card(catalogue().rules(variant))
    for other in every:
        alike = [[(row.sentences, row.figure) for part in card.sections for row in part.rows]
                 for card in (mine, other)]  # fmt: skip
        pairs = compare(mine, other)
        assert all(pair.same for pair in pairs) == (alike[0] == alike[1])
        for side, card in (("left", mine), ("right", other)):
            shown = [row for pair in pairs if (row := getattr(pair, side)) is not None]
            assert len(shown) == sum(len(part.rows) for part in card.sections)
        for pair in pairs:
            if pair.left and pair.right and pair.key.startswith(("modifier", "bonus")):
                assert sentence_text(pair.left.heading) == sentence_text(pair.right.heading)
