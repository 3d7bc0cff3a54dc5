"""Every variant says what the catalogue says, and has the rules that were written down for it.

The catalogue is `catalogue.json` in this directory; `rules_of_variants.json` has the rules of the
variants of the first release, written by hand from the rule pages and not from their files.
"""

import json
from pathlib import Path

import pytest

from scoring.numbers import Score, score_json
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.scoring.catalogue_facts import FACTS, VARIANTS

RULES: dict[str, Json] = {
    row["id"]: row
    for row in json.loads(Path(__file__).with_name("rules_of_variants.json").read_text("utf-8"))
}
SIGNS = {">=": "≥", ">": ">", "<=": "≤", "<": "<"}


def tables(variant: str) -> list[Prepared]:
    found = catalogue().rules(variant)
    least, most = found.keys.players
    return [prepare(found, seats) for seats in range(least, most + 1)]


def written(value: Score) -> str:
    return str(score_json(value)).replace("-", "−")


def moon_of(ready: Prepared) -> str:
    if not ready.slams:
        return "none"
    (slam,) = ready.slams
    off, gives = (
        written(slam.dealt if stated == "slam" else stated)
        for stated in (slam.pay.self_amount, slam.pay.others_amount)
    )
    forms = {
        "choose": f"shooter −{off} or others +{gives}",
        "others": f"others +{gives}",
        "self": f"shooter −{off}",
        "self_plus": f"shooter +{off}",
        "win_match": "wins the match",
    }
    return f"{forms[slam.pay.mode]} (needs {slam.slam.needs})"


def end_of(rules: Rules) -> str:
    said = []
    for test in rules.keys.finish:
        value = written(test.value)
        said.append(
            {
                "score": f"{SIGNS[test.op]} {value}",
                "abs": f"abs {SIGNS[test.op]} {value}",
                "deals": f"{value} deals",
                "slam_win": "slam wins",
                "chips_all": "one has all chips",
                "chips_out": "one has no chips",
            }[test.kind]
        )
    return " or ".join(said)


def winner_of(rules: Rules) -> str:
    result = rules.keys.result
    if result.decide == "crosser_team_loses":
        return "first over loses for the pair"
    if result.measure == "team_sum":
        return "lower pair sum"
    best = {"low": "lowest", "high": "highest", "abs_low": "smallest magnitude"}[result.order]
    if rules.keys.lives:
        best += " with lives left"
    return best + ", crosser is the loser" * (result.decide == "crosser_loses")


def deal_of(ready: Prepared) -> str:
    left = len(ready.deck.cards) - ready.hand_size * ready.seats
    return f"{ready.seats}: {ready.hand_size}" + (f"+{left}" if left else "")


def test_catalogue_has_these_variants() -> None:
    assert set(VARIANTS) <= set(catalogue().ids)


@pytest.mark.parametrize("variant", VARIANTS)
def test_variant_says_what_the_catalogue_says(variant: str) -> None:
    about, rules, at = catalogue().variant(variant), catalogue().rules(variant), tables(variant)
    least, most = rules.keys.players
    totals = sorted({ready.deal_total for ready in at}, key=str, reverse=True)
    assert {
        "id": about.id,
        "name": about.name,
        "aliases": [alias for alias in about.aliases if alias in FACTS[variant]["aliases"]],
        "status": about.status,
        "seats": f"{least}–{most}" if least < most else f"{least}",
        "teams": rules.keys.teams.mode,
        "counting": rules.keys.counting,
        "total": " / ".join(written(total) for total in totals),
        "moon": moon_of(at[0]),
        "ends": end_of(rules),
        "winner": winner_of(rules),
        "sheet": ", ".join(rules.keys.sheet),
    } == {key: value for key, value in FACTS[variant].items() if key != "deals"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_cards_are_dealt_as_the_catalogue_says(variant: str) -> None:
    if "deals" in FACTS[variant]:
        assert "; ".join(map(deal_of, tables(variant))) == FACTS[variant]["deals"]
        return
    for ready in tables(variant):
        dealt = ready.hand_size * ready.seats
        even = ready.keys.tricks == "variable" or ready.keys.deck.kitty
        assert even or dealt == len(ready.deck.cards)


@pytest.mark.parametrize("variant", VARIANTS)
def test_variant_is_found_by_id_name_and_alias_in_any_spelling(variant: str) -> None:
    about = catalogue().variant(variant)
    assert about.summary.endswith("."), "say in a sentence what players need to know"
    for text in (about.id, about.name, *about.aliases):
        assert catalogue().find(text) == variant
        assert catalogue().find(f" {text.upper().replace('-', ' ')} ") == variant


def resolved(variant: str) -> Json:
    """The rules that were written down, with what they take over from their parent."""
    own = dict(RULES[variant])
    parent = own.pop("extends", None)
    if "values" in own:
        own["values"] = [{"cards": cards, "value": value} for cards, value in own["values"]]
    return {**(resolved(parent) if parent else {}), **own}


def meaning(rules: Rules) -> dict[str, object]:
    """What rules say, whichever way they are written: by key, in typed parts."""
    keys = rules.keys
    least, most = keys.players
    decks = [prepare(rules, seats).deck.cards for seats in range(least, most + 1)]
    said = {key: getattr(keys, key) for key in keys.__slots__ if key not in ("deck", "values")}
    said["values"] = [(item.cards, item.value) for item in keys.values]
    said["kitty"] = keys.deck.kitty, keys.deck.kitty_to, keys.deck.kitty_mode
    return said | {"decks": decks, "sheet": ", ".join(keys.sheet)}


@pytest.mark.parametrize("variant", sorted(RULES))
def test_rules_are_those_that_were_written_down(variant: str) -> None:
    wanted = resolved(variant)
    status = wanted.pop("status")
    for about in ("aliases", "sources", "notes"):
        wanted.pop(about, None)
    found = catalogue().rules(variant)
    assert meaning(found) == meaning(Rules.from_json(wanted | {"options": {}}))
    assert found.as_json()["play"] == wanted["play"]
    shown = catalogue().variant(variant)
    own = RULES[variant].get("aliases", [])
    assert (shown.status, set(own) <= set(shown.aliases)) == (status, True)
