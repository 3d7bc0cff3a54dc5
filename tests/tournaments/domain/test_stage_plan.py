"""What a director entered about a stage is quoted as entered where it is refused."""

import pytest

from scoring.errors import Refused
from tournaments.domain.messages import sentence
from tournaments.domain.stage_plan import read_stage_plan


def test_what_was_entered_is_quoted() -> None:
    with pytest.raises(Refused) as refused:
        read_stage_plan({"table_sizes": ["0", "x"], "advance": {"best": "1"}, "rounds": "999"})
    assert [sentence(problem).partition(".")[0] for problem in refused.value.problems] == [
        "“999” is not a valid number of rounds",
        "“0, x” is not a list of table sizes",
        "“1” does not say who goes on",
    ]
