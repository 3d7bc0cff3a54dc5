"""Sentences of refusals: what is missing, where a state leads, and no word of Python."""

import pytest

from scoring.errors import Problem, shown
from tournaments.domain.messages import sentence
from tournaments.states import GAME, ROUND, state_problem


def test_value_that_is_missing_is_required() -> None:
    missing = Problem("bad_hand_number", ("number",), {"found": "null", "missing_member": "number"})
    assert sentence(missing) == "number is required."
    kind = Problem("bad_entrant_kind", ("kind",), {"found": ""})
    assert sentence(kind) == "kind is required. Use player, pair or team."


def test_refused_move_names_the_states_that_are_possible_and_what_leads_there() -> None:
    assert sentence(state_problem(ROUND, "posted", "closed")) == (
        "The state posted cannot change to closed by this request. "
        "Possible: draft, playing (by the first hand)."
    )
    assert sentence(state_problem(GAME, "abandoned", "playing")) == (
        "The state abandoned cannot change to another one."
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (None, "null"), ({"4": [1]}, "an object"), ([None], "a list"), (1.5, "1.5")],
)
def test_value_is_shown_as_json_has_it(value: object, text: str) -> None:
    assert shown(value) == text
