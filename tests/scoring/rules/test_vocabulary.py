"""docs/variant-files.md: each key has a row, and each row's hand gives what it says."""

import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import pytest

from scoring.cases import Captures
from scoring.entry.hand_reader import read_entry
from scoring.errors import Refused
from scoring.game.game import GameState, new_game, next_hand, outcome, play
from scoring.numbers import Complex, Score, score_json
from scoring.rules import schema, types
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Keys, Rules
from tests.support.answers import Json
from tests.support.scoring.vocabulary import PAGE, Row, rows, rules_of

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
PARTS = {
    "teams": types.Teams, "deck": types.DeckRule, "values": types.Value,
    "modifiers": types.Modifier, "modifiers.when": types.When,
    "slams": types.Slam, "pay": types.Pay, "pay.self_from": types.SelfFrom,
    "hand_bonus": types.HandBonus, "running": types.Running,
    "running.resets": types.Reset, "settle": types.Settle, "lives": types.Lives,
    "melds": types.Meld, "rounding": types.Rounding, "finish": types.Finish,
    "result": types.Result, "same_card": types.SameCard,
    "play": types.Play,
}  # fmt: skip
WRITTEN = {"self_amount": "self", "others_amount": "others"}
HOLDERS = {"modifiers.when", "slams.pay", "running.resets", "pay.self_from"}
"""Keys that hold others, which have rows of their own."""
ONLY_SAID = {"id", "name"}


def cards(word: str) -> list[str]:
    if word == "all":
        return cards("2-AH")
    if "-" in word:
        low, high = word[:-1].split("-")
        return [rank + word[-1] for rank in RANKS[RANKS.index(low) : RANKS.index(high) + 1]]
    return [word]


def entry_of(sheet: str, marks: list[str], seats: int) -> tuple[Json, Json]:
    """The entry that a hand's notation means, and what stands before it."""
    words = [seat.split() for seat in sheet.split("/")]
    taken = [
        [card for word in seat if not word.isdigit() for card in cards(word)] for seat in words
    ]
    entry: dict[str, Any] = {"taken": taken}
    if any(word.isdigit() for seat in words for word in seat):
        entry["hearts"] = [sum(int(word) for word in seat if word.isdigit()) for seat in words]
    before: dict[str, Any] = {"times": 1}
    pledges: list[str | None] = [None] * seats
    for mark in marks:
        name, *said = mark.split()
        if name == "pledged":
            pledges[int(said[0]) - 1] = said[1]
            entry["pledges"] = pledges
        elif name in ("first", "passer", "out"):
            field = {"first": "first_trick_by", "out": "declared_out"}.get(name, name)
            entry[field] = int(said[0]) - 1
        elif name in ("charged", "nobody"):
            entry[{"charged": "declared", "nobody": "unclaimed"}[name]] = said
        elif name == "trick-points":
            entry |= {"melds": entry.pop("taken"), "trick_points": list(map(int, said))}
        elif name == "tricks":
            entry["tricks"] = list(map(int, said))
        elif name == "choice":
            entry["slam_choice"] = said[0]
        elif name == "from":
            before["start_totals"] = list(map(int, said))
        else:
            key = {"pool": "start_pool", "hands": "start_deals", "times": "times"}[name]
            before[key] = int(said[0])
    return entry, before


def shown(score: Score) -> str:
    if isinstance(score, Complex):
        return f"{score.re}+{score.im}i" if score.im else f"{score.re}"
    return str(score_json(score))


def listed(numbers: Iterable[Score]) -> str:
    return " ".join(map(shown, numbers))


def standing(rules: Rules, state: GameState) -> str:
    found = outcome(rules, state)
    side = "side " * found.by_side
    if found.tie or found.playoff:
        word, who = ("tie", found.tie) if found.tie else ("play-off", found.playoff)
        return f"{word} of {' '.join(str(unit + 1) for unit in who)}"
    if not found.finished:
        return "still playing"
    names = " ".join(str(unit + 1) for unit in found.winners)
    won = f"over: {side}{names} {'wins' if len(found.winners) == 1 else 'win'}"
    return won + "".join(f", {side}{unit + 1} loses" for unit in found.losers)


def played(rules: Rules, hand: str) -> dict[str, str]:
    """What the game says after the hand, under each heading that a row may ask for."""
    sheet, *marks = hand.split("; ")
    seats = sheet.count("/") + 1
    entry, before = entry_of(sheet, marks, seats)
    times = before.pop("times")
    try:
        state = new_game(rules, seats, **before)
        typed = read_entry(entry, rules, seats, state.teams)
        for _ in range(times):
            score, state = play(rules, state, typed)
    except Refused as refused:
        return {"refused": f"refused {refused.problems[0].code}"}
    return {
        "scores": listed(score.scores),
        "totals": f"totals {listed(state.totals)}",
        "lives": f"lives {listed(state.lives)}",
        "pool": f"pool {shown(state.pool)}",
        "next": f"next {next_hand(rules, state).passing}",
        "stands": standing(rules, state),
    }


def tricks(rules: Rules, hand: str) -> str:
    """Who gets the cards of the tricks, and which where something lay there before."""
    shown_tricks, _, kitty = hand.partition("; lying ")
    listed_tricks = [part.removeprefix("played ").split() for part in shown_tricks.split(", ")]
    ready = prepare(rules, len(listed_tricks[0]))
    found = Captures(ready, [(0, tuple(cards)) for cards in listed_tricks], kitty.split())
    (seat,) = [number for number, pile in enumerate(found.taken, 1) if pile]
    plain = len(listed_tricks) == 1 and not kitty
    return f"trick to {seat}" + ("" if plain else f": {' '.join(found.taken[seat - 1])}")


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row.key.replace("`", ""))
def test_hand_gives_what_the_page_says(row: Row) -> None:
    rules = rules_of(row.example)
    if row.hand.startswith("played"):
        assert tricks(rules, row.hand) == row.gives
        return
    said = played(rules, row.hand)
    for wanted in row.gives.split("; "):
        assert wanted in said.values(), said


def test_every_key_has_a_row() -> None:
    keys = {field.name for field in fields(Keys)} - {*PARTS, *ONLY_SAID}
    for part, kind in PARTS.items():
        keys |= {f"{part}.{WRITTEN.get(field.name, field.name)}" for field in fields(kind)}
    explained = {
        name.split(" ")[0] for row in rows() for name in re.findall(r"`([a-z_.]+)`", row.key)
    }
    assert explained == keys - HOLDERS


def test_every_way_to_settle_a_moon_has_a_row() -> None:
    assert set(re.findall(r"`pay\.mode` ([a-z_]+)", PAGE)) == set(schema.MOON_MODES)
