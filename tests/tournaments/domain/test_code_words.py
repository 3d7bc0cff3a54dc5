"""Sentences say no codes: rights and states are named in words."""

import re

import pytest

from tournaments import states
from tournaments.domain.code_words import RIGHTS, STATES
from tournaments.domain.messages import sentence
from tournaments.errors import BeyondScope, Conflict, Forbidden
from tournaments.policy import MAY, SCOPES

CODE = re.compile(r"[a-z]+_[a-z_]+|\{")
TABLES = (
    *(states.EVENT, states.ROUND, states.GAME, states.HAND, states.ENTRANT),
    *(states.DISPUTE, states.SEATING_PLAN, states.CHALLENGE, states.PLAYOFF),
)


def test_every_act_of_the_role_table_is_said_in_words() -> None:
    assert RIGHTS.keys() == MAY.keys()
    for right in MAY:
        for scope in SCOPES:
            for refused in (Forbidden(right), BeyondScope(right, scope)):
                said = sentence(refused.problem)
                assert RIGHTS[right] in said
                assert CODE.search(said) is None, said
                assert refused.problem.facts["act"] == right, "programs read the code"


@pytest.mark.parametrize("table", TABLES)
def test_every_state_is_said_in_words(table: dict[tuple[str, str], states.Move]) -> None:
    known = {state for move in table for state in move if state}
    for state in known:
        with pytest.raises(Conflict) as refused:
            states.find_move(table, state, "never")
        said = sentence(refused.value.problem)
        assert CODE.search(said) is None, said
        with pytest.raises(Conflict) as refused:
            states.find_move(table, "never", state)
        assert CODE.search(sentence(refused.value.problem)) is None
    assert {state for state in known if "_" in state} <= STATES.keys()
