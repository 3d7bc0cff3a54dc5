"""Options: every choice on every variant that offers it, and clear refusals elsewhere."""

import random
from collections.abc import Iterator

import pytest

from scoring.entry.sheet import boxes
from scoring.errors import Problem, Refused
from scoring.game.game import new_game, play
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import prepare
from scoring.rules.options import option_table, options_of
from tests.support.scoring.option_choices import CHOICES, choices_for

OF_THE_VARIANT = ("moon_needs", "removed_cards", "deck_base", "custom_values", "passing")
"""Options whose value depends on the cards of the variant; `choices_for` makes one."""


def chosen() -> Iterator[tuple[str, str, object]]:
    for variant in catalogue().ids:
        for option in options_of(catalogue().resolved(variant)):
            for value in choices_for(variant, option.name):
                yield variant, option.name, value


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
    for variant, option, value in chosen():
        rules = catalogue().rules(variant, {option: value})
        for seats in range(rules.keys.players[0], rules.keys.players[1] + 1):
            assert prepare(rules, seats).deal_total is not None
            assert boxes(rules, seats)
        assert new_game(rules, rules.keys.players[0]).deals == 0
        assert rules.options == {option: value}
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
