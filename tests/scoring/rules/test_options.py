"""Options: each choice on each variant, its label, its row in docs/variant-options.md."""

import random
import re
from dataclasses import replace
from functools import cache

import pytest

from scoring.entry.sheet import boxes
from scoring.errors import Problem, Refused
from scoring.game.game import new_game, play
from scoring.json_types import JsonObject
from scoring.option_labels import option_groups, option_labels
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import prepare
from scoring.rules.options import every_option, option_table, options_of
from scoring.rules.rules import Rules
from scoring.rules_card.options import (
    differing_options,
    option_sentence,
    option_value_text,
    present_value,
)
from tests.support.scoring.option_choices import BESIDE, CHOICES, choices_for
from tests.support.sources import ROOT

OF_THE_VARIANT = ("moon_needs", "removed_cards", "deck_base", "custom_values", "passing")
ADDS = ("jack_of_diamonds", "bonus_floor", "ten_of_clubs", "pledge", "no_trick_bonus")
RAW = re.compile(r"_|[<>=]=?|\bTrue\b|\bFalse\b|\bNone\b|[{}\[\]*$]|Complex|Fraction|\bslam\b")
PAGE = ROOT / "docs" / "variant-options.md"
TAKES = {
    "number": "points", "amount": "points, or `slam`", "whole": "a whole number from 1",
    "flag": "`true`, `false`", "selector": "cards, such as `*H,QS`",
    "cards": 'a list of 1 to 8 cards, `["2C", "QS"]`',
    "values": 'a list of `["KS", 10]`', "card_map": 'cards by number of players, `{"3": ["2D"]}`',
    "cycles": 'cycles by number of players, `{"4": ["left", "hold"]}`',
    "self_from": '`{"score": 50, "who": "self"}` or `"any"`',
}  # fmt: skip
PASSES = {
    "cards": "cards are passed",
    "across": "cards are passed and somebody sits across",
    "count": "cards are passed, in a way whose number is that of the rules",
}
ASKED = {
    "counts": "`{}` counts",
    "pack": "`{}` is in the pack",
    "alone": "only its value names `{}`",
    "number": "scores are plain numbers",
    "lacks": "no `{}`",
    "sets": "no other option replaces the value",
}


@cache
def cases() -> tuple[tuple[str, str, object, Rules], ...]:
    return tuple(
        (variant, name, value, catalogue().rules(variant, BESIDE.get(name, {}) | {name: value}))
        for variant in catalogue().ids
        for name in offered(variant)
        for value in choices_for(variant, name)
    )


def offered(variant: str) -> set[str]:
    names = {option.name for option in options_of(catalogue().resolved(variant))}
    for name, beside in BESIDE.items():
        if beside.keys() <= names:
            opened = options_of(catalogue().rules(variant, beside).as_json())
            names |= {option.name for option in opened} & {name}
    return names


def refusal(variant: str, **options: object) -> Problem:
    with pytest.raises(Refused) as refused:
        catalogue().rules(variant, options)
    (problem,) = refused.value.problems
    return problem


def test_every_option_of_the_page_is_known_with_its_choices() -> None:
    assert set(option_table()) == {*CHOICES, *OF_THE_VARIANT}
    for name, option in option_table().items():
        if "choices" in option:
            said = [str(value).lower() if value in (True, False) else str(value)
                    for value in CHOICES[name]]  # fmt: skip
            assert sorted(said) == sorted(option["choices"]), name
        elif isinstance(option["takes"], list) and name in CHOICES:
            assert option["takes"] == CHOICES[name], name


def test_every_choice_stands_on_every_variant_that_offers_it() -> None:
    tried = set()
    for _variant, option, value, rules in cases():
        for seats in range(rules.keys.players[0], rules.keys.players[1] + 1):
            assert prepare(rules, seats).deal_total is not None
            assert boxes(rules, seats)
        assert new_game(rules, rules.keys.players[0]).deals == 0
        assert rules.options == BESIDE.get(option, {}) | {option: value}
        tried.add(option)
    assert tried == set(option_table())


def test_several_options_at_once_are_rules_or_refused() -> None:
    lots = random.Random(4)  # noqa: S311 - the same choices in every run
    stood = 0
    for _ in range(600):
        variant = lots.choice(catalogue().ids)
        names = lots.sample(list(option_table()), lots.randint(2, 5))
        options = {name: lots.choice(choices_for(variant, name)) for name in names}
        try:
            rules = catalogue().rules(variant, options)
        except Refused as refused:
            assert {problem.code for problem in refused.problems} == {"bad_option"}  # noqa: PT017
        else:
            assert boxes(rules, lots.randint(*rules.keys.players))
            stood += 1
    assert stood > 100


def test_option_that_is_not_offered_is_refused_with_what_it_needs() -> None:
    for variant in catalogue().ids:
        offered = {option.name for option in options_of(catalogue().resolved(variant))}
        for option in set(option_table()) - offered:
            flag = option in (
                "moon_needs_all_tricks",
                "pledge",
                "single_deal",
            )  # where false changes nothing
            value = True if flag else choices_for(variant, option)[-1]
            problem = refusal(variant, **{option: value})
            assert (problem.code, problem.at) == ("bad_option", ("options", option))
            assert "These rules have nothing that it could change." in problem.message


@pytest.mark.parametrize(
    ("variant", "options", "at", "why"),
    [
        ("hearts", {"all_to_one": "carry"}, "all_to_one",
         "It is for rules where players without penalty cards share a pool."),
        ("hearts", {"kitty_to": "first_trick"}, "kitty_to",
         "where cards are left over from the deal."),
        ("hearts", {"void_on": "two_pairs"}, "void_on", "where identical cards cancel each other."),
        ("hearts", {"moon": "void", "moon_amount": 20}, "moon_amount",
         "combined with \"Shooting the moon: nobody scores\". These rules"),
        ("hearts", {"deals": 5, "target": 50}, "target", "with \"Number of hands\", which"),
        ("hearts", {"moon_needs": "*H,JD"}, "moon_needs", "JD is not counted"),
        ("hearts", {"custom_values": [["10Y", 3]]}, "custom_values", "10Y is in no pack"),
        ("hearts", {"deck_base": "rook56"}, "deck_base", "no card in play counts"),
        ("hearts", {"removed_cards": {"4": ["2C"]}}, "removed_cards",
         "51 cards cannot be dealt evenly to 4 players."),
        ("hearts", {"tie": "shared", "removed_cards": {"4": ["2C"]}}, "removed_cards", "51 cards"),
        ("golden-ten", {"sun": "double"}, "sun", "where hearts count."),
        ("golden-ten", {"ten_of_clubs": "double"}, "ten_of_clubs",
         "the ten of clubs is in the pack."),
        ("four-jacks", {"pledge": True}, "pledge", "where hearts count."),
        ("dirty-nasty-filthy", {"bonus_card": "10D"}, "bonus_card", "no other rule uses the jack."),
        ("complex-hearts", {"bonus_floor": "hand"}, "bonus_floor", "scores are plain numbers"),
        ("danger-hearts", {"target": 50}, "target", "where a total ends the game."),
        ("partnership-hearts-pooled", {"spare_partner": True}, "spare_partner",
         "where partners keep their own scores."),
    ],
)  # fmt: skip
def test_option_that_cannot_be_is_told_why(
    variant: str, options: dict[str, object], at: str, why: str
) -> None:
    problem = refusal(variant, **options)
    assert (problem.code, problem.at) == ("bad_option", ("options", at))
    assert why in problem.message


def test_bonus_card_takes_the_place_of_the_jack() -> None:
    rules = catalogue().rules("omnibus-hearts", {"bonus_card": "10D", "bonus_value": -11})
    assert rules.keys.counting == "*H,QS,10D"
    assert [box.card for box in boxes(rules, 4) if box.card] == ["QS", "10D"]
    entry = {"hearts": [4, 1, 2, 6], "taken": [["10D"], [], [], ["QS"]]}
    deal, _ = play(rules, new_game(rules, 4), entry)
    assert list(deal.scores) == [-7, 1, 2, 19]


def test_choice_that_changes_nothing_stands_everywhere() -> None:
    for variant in catalogue().ids:
        rules = catalogue().rules(variant, {"sun": "off", "pledge": False, "bonus_floor": "none"})
        assert rules.keys.slams == catalogue().rules(variant).keys.slams


def test_table_that_an_option_leaves_with_odd_cards_is_refused() -> None:
    rules = catalogue().rules("hearts", {"removed_cards": {"3": ["3C"]}})
    assert new_game(rules, 3).seats == 3
    with pytest.raises(Refused) as refused:
        new_game(rules, 5)
    (problem,) = refused.value.problems
    assert problem.code == "seat_count"
    assert problem.message == "The 52 cards of these rules cannot be dealt evenly to 5 players."


def test_sun_asks_hearts_only_rules_for_the_cards_that_they_count() -> None:
    rules = catalogue().rules("hearts-without-black-lady", {"sun": "double"})
    (sun,) = prepare(rules, 4).slams
    assert (sun.needs == prepare(rules, 4).counting, sun.dealt) == (True, 13)


def test_every_option_and_every_choice_has_a_label_and_a_sentence() -> None:
    words = option_labels()
    assert set(words) == set(option_table())
    for option in every_option():
        own = words[option.name]
        assert own.label, option.name
        assert own.group in option_groups(), option.name
        choices = option.choices or (("true", "false") if option.takes == "flag" else ())
        assert set(own.choices) == set(choices), option.name
        for choice in choices:
            assert own.choices[choice].label, (option.name, choice)
            assert own.choices[choice].sentence.endswith("."), (option.name, choice)
        told_by = words[own.told_by] if own.told_by else None
        assert choices or own.sentence.endswith(".") or (told_by and told_by.choices), option.name


def test_every_option_that_needs_something_says_what() -> None:
    asks = ("where", "number", "counts", "pack", "alone", "passes")
    for name, option in option_table().items():
        assert bool(option_labels()[name].needs) == any(ask in option for ask in asks), name


def test_no_word_for_an_option_is_a_raw_key() -> None:
    for name, words in option_labels().items():
        said = [words.label, words.needs, words.absent]
        said += [text for one in words.choices.values() for text in (one.label, one.sentence)]
        for text in said:
            plain = re.sub(r"\{(target|value|pledge_kept|pledge_broken)\}", "", text)
            assert not RAW.search(plain), (name, text)
            assert plain not in option_table(), (name, text)


def test_every_choice_of_every_variant_is_said_in_words() -> None:
    tried = set()
    for variant, name, value, rules in cases():
        plain = catalogue().rules(variant, BESIDE.get(name))
        said = (
            str(option_value_text(name, value, rules)),
            str(option_sentence(name, value, rules)),
            str(option_value_text(name, present_value(name, plain), plain)),
        )
        for text in said:
            assert text, (variant, name, value)
            assert not RAW.search(text), (variant, name, value, text)
        tried.add(name)
    assert tried == set(option_table())


def test_what_differs_is_what_changes_the_rules() -> None:
    for variant, name, value, rules in cases():
        plain = catalogue().rules(variant, BESIDE.get(name))
        is_same = replace(rules.keys, options={}) == replace(plain.keys, options={})
        differs = bool(differing_options({name: value}, plain, rules))
        # A value may be written a second time: then the rules differ only in how they are written.
        assert differs != is_same or (not differs and name in ADDS), (variant, name, value)


@pytest.mark.parametrize(
    ("variant", "name", "says"),
    [
        ("hearts", "target", "100"),
        ("hearts", "target_op", "reaches the limit"),
        ("black-lady-pass-right", "target_op", "passes the limit"),
        ("gong-zhu", "target_op", "falls to the limit"),
        ("hearts", "moon", "the shooter chooses"),
        ("black-maria", "moon", "no award"),
        ("likha", "moon_self_amount", "37"),
        ("hearts", "moon_amount", "what its cards are worth"),
        ("hearts", "moon_needs", "all 13 hearts and Q♠"),
        ("golden-ten", "bonus_floor", "not for a hand"),
        ("golden-ten", "deals", "6"),
        ("hearts", "deals", "no fixed number"),
        ("hearts-traditional", "all_to_one", "the pool stays for the next hand"),
        ("complex-hearts", "queen_of_spades", "13i"),
        ("omnibus-hearts", "bonus_card", "J♦"),
        ("hearts", "removed_cards", "2♦ with 3 players; 2♦ and 2♣ with 5 players"),
        ("turbo-hearts", "ten_of_clubs", "doubles the points of its taker"),
        ("hearts", "pledge", "no"),
    ],
)
def test_present_value_is_what_the_rules_say(variant: str, name: str, says: str) -> None:
    rules = catalogue().rules(variant, {})
    assert str(option_value_text(name, present_value(name, rules), rules)) == says


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"target_op": ">"}, ["The game ends when a total passes 100."]),
        ({"target": 61}, ["The game ends when a total reaches 61."]),
        ({"target": 100, "moon": "choose", "tie": "continue", "queen_of_spades": 13}, []),
        ({"removed_cards": {"3": ["2D"], "5": ["2D", "2C"]}}, []),
        ({"new_moon_from": {"score": 50, "who": "self"}},
         ["A moon takes points off only from a total of 50 of the shooter."]),
        ({"custom_values": [["KS", 10], ["QD", "1/2"]]},
         ["More cards that count: K♠: 10 and Q♦: 1/2."]),
        ({"moon_others_amount": 20}, ["Points for each of the others after a moon: 20."]),
    ],
)  # fmt: skip
def test_only_what_differs_from_rules_is_said(options: dict[str, object], says: list[str]) -> None:
    plain, rules = catalogue().rules("hearts", {}), catalogue().rules("hearts", options)
    assert [str(option[2]) for option in differing_options(options, plain, rules)] == says


def only_where(option: JsonObject) -> str:
    """What an option asks of the rules, or one of its choices."""
    asked = []
    if "where" in option:
        asked.append(f"`{option['where']}` {' / '.join(option.get('among', ()))}".strip())
    if "moon" in option:
        beside = f", or beside `{option['beside']}`" if "beside" in option else ""
        asked.append(f"the moon is {' / '.join(option['moon'])}{beside}")
    if "passes" in option:
        asked.append(PASSES[option["passes"]])
    said = {key: "`, no `".join([option[key]] if isinstance(option[key], str) else option[key])
            for key in ASKED if key in option}  # fmt: skip
    asked += [text.format(said[key]) for key, text in ASKED.items() if key in said]
    asked += [f"`{choice}`: {only_where(needs)}" for choice, needs in
              option.get("needs", {}).items()]  # fmt: skip
    if "replaced_by" in option:
        asked.append(f"not replaced by {' and '.join(f'`{o}`' for o in option['replaced_by'])}")
    asked += [f"without `{other}`" for other in option.get("without", ())]
    return "; ".join(asked).strip()


def row(name: str, option: JsonObject) -> str:
    takes = option.get("takes", list(option.get("choices", ())))
    listed = takes if isinstance(takes, list) else []
    words = option_labels()[name]
    named = f"`{name}` {words.label}"
    said = ", ".join(f"`{c}` {words.choices[c].label}" for c in listed) or TAKES[takes]
    return f"| {named} | {option['says']} | {said} | {only_where(option)} |"


def test_page_lists_every_option_as_the_file_has_it() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    assert rows == [row(name, option) for name, option in option_table().items()]
