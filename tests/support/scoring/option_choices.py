"""Values that an option may have."""

from typing import Any

from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import prepare
from scoring.rules.options import option_table, options_of

CHOICES: dict[str, Any] = {
    "target": [52, 75, 250],
    "target_op": [">=", ">", "<=", "<", "=="],
    "moon": ["choose", "self", "others", "void", "face", "others-unless-shooter-loses",
             "others-unless-other-wins", "others-then-continue", "none"],
    "moon_amount": [20, "slam"],
    "moon_self_amount": [16],
    "moon_others_amount": [36],
    "moon_outside": ["score", "drop"],
    "moon_needs_all_tricks": [True, False],
    "new_moon_from": [{"score": 50, "who": "self"}, {"score": 50, "who": "any"}],
    "spare_partner": [True, False],
    "resets": ["none", "100-to-50", "100-to-0", "50-to-0,100-to-50", "50-and-100-minus-50"],
    "no_trick_bonus": [-5],
    "pledge": [True, False],
    "pledge_kept": [-20],
    "pledge_broken": [0, 15],
    "bonus_card": ["10D"],
    "bonus_value": [-11],
    "bonus_floor": ["none", "hand", "total", "both"],
    "tie": ["continue", "shared", "playoff"],
    "last_stalled": ["previous_winner", "uncounted", "leader"],
    "void_on": ["all_led_cancelled", "two_pairs"],
    "deals": [1, 12],
    "single_deal": [True, False],
    "pack": [48, "64"],
    "all_to_one": ["split", "carry"],
    "queen_of_spades": [13, 25],
    "jack_of_diamonds": [-10],
    "jokers_with_hearts": [1, 5],
    "kitty_to": ["first_trick", "first_penalty", "one_each_first_two"],
    "kitty_mode": ["add", "exchange"],
    "ten_of_clubs": ["double"],
    "sun": ["off", "double", "double-except-first", "slate", "punish"],
    "big_moon": ["260", 100],
    "pass_count": [1, 2, 3, 4, "5"],
    "second_pass": [False, True],
    "optional_pass": [False, True],
    "lead": ["2C", "left of dealer", "left of dealer, any card"],
    "not_passed": [["2C", "QS"]],
    "packs": [2, 3, 4, 5, "6"],
    "hearts": ["any time", "when broken", "when broken, or only hearts and QS", "from trick 3"],
    "queen_breaks": [False, True, "waits"],
    "first_trick_points": [True, False],
    "queen_first": [False, True, "under"],
    "vacated_seat": ["nobody", "left of shooter", "worst total"],
}  # fmt: skip
"""The choices of docs/variant-options.md; for a value, some that it names."""
BESIDE: dict[str, dict[str, Any]] = {
    "pledge_kept": {"pledge": True}, "pledge_broken": {"pledge": True},
}  # fmt: skip
"""Options that no variant offers by itself → the choice that opens them."""


def choices_for(variant: str, option: str) -> list[object]:
    rules = catalogue().rules(variant)
    ready = prepare(rules, rules.keys.players[0])
    plain = [card for card in ready.deck.copies if not ready.deck.first[card] & ready.counting]
    removed = {seats: plain[: len(gone)] for seats, gone in rules.keys.deck.remove.items()}
    own: dict[str, list[Any]] = {
        "moon_needs": [rules.keys.counting],
        "custom_values": [[[plain[0], 3]], [[plain[0], 3], [plain[1], -2]]],
        "deck_base": ["low32" if rules.keys.melds else rules.keys.deck.base],
        "removed_cards": [removed or {"99": plain[:1]}],
        "not_passed": [plain[:1]],
        "packs": CHOICES["packs"] if rules.keys.deck.kitty == "rest" else [2, 4],
        "passing": [{str(rules.keys.players[1]): ["mix", "left", "hold"]}],
    }
    values = own[option] if option in own else CHOICES[option]
    needs = option_table()[option].get("needs", {})
    offered = [one.choices for one in options_of(catalogue().resolved(variant))
               if one.name == option]  # fmt: skip
    return [value for value in values if not offered or str(value) not in needs
            or value in offered[0]]  # fmt: skip
