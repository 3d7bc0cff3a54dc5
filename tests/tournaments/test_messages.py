"""Sentences of refusals: what is missing, where a state leads, and no word of Python."""

import re

import pytest

from scoring import errors
from scoring.errors import Problem, shown
from tournaments.domain.messages import SENTENCES, sentence
from tournaments.states import GAME, ROUND, state_problem


def test_value_that_is_missing_is_required() -> None:
    missing = Problem("bad_hand_number", ("number",), {"found": "null", "missing_member": "number"})
    assert sentence(missing) == "number is required."
    kind = Problem("bad_entrant_kind", ("kind",), {"found": ""})
    assert sentence(kind) == "kind is required. Use player, pair or team."


def test_refused_move_names_the_states_that_are_possible_and_what_leads_there() -> None:
    assert sentence(state_problem(ROUND, "posted", "closed")) == (
        "The state posted cannot change to closed here. "
        "Possible: draft, playing (by the first hand)."
    )
    assert sentence(state_problem(GAME, "abandoned", "playing")) == (
        "The state abandoned cannot change to another one."
    )


COMMANDS = {"chat_id", "export_club", "import_club", "setup_link"}
"""What somebody types as it is written."""


def test_sentence_has_no_key_of_the_program() -> None:
    keys = {
        code: set(re.findall(r"\b[a-z]+_[a-z_]+\b", re.sub(r"\{\w+\}", "", text)))
        for code, text in {**SENTENCES, **errors.SENTENCES}.items()
        if isinstance(text, str)
    }
    assert {code: found for code, found in keys.items() if found - COMMANDS} == {}


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (None, "null"), ({"4": [1]}, "an object"), ([None], "a list"), (1.5, "1.5")],
)
def test_value_is_shown_as_json_has_it(value: object, text: str) -> None:
    assert shown(value) == text
