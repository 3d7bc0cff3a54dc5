"""What a pedantic reader found wrong on the rules cards: it stays mended."""

from typing import Any

import pytest

from scoring.rules.catalogue import catalogue
from scoring.rules_card.card import compare, rules_card
from scoring.rules_card.wording import sentence_text
from tests.support.scoring.rules_cards import lines

SPLIT = "Before each hand everyone passes cards: 1 left, 1 across and 1 right."
OFF = "26 off their own total"
HOUSE: list[tuple[str, int | None, dict[str, Any], str]] = [
    ("hoosier-hearts", None, {}, f"Passing: {SPLIT}"),
    ("aldergrove-hearts", None, {}, "hand 4 instead 2 left and 2 right; then again"),
    ("extreme-hearts", None, {},
     "First lead: Of those who hold 2♣ the nearest one clockwise from the dealer leads it"),
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
