"""Sentences of refusals name rankings as pages offer them."""

import re

import pytest

from scoring.errors import Problem
from scoring.standings.metrics import PRIMARIES
from tournaments.domain.standings.criteria import primary_named

OFFERED = {primary_named(key).name for key in PRIMARIES}


@pytest.mark.parametrize(
    "code", ["hands_differ", "raw_over_games", "raw_over_sizes", "no_placement_list"]
)
def test_ranking_that_is_proposed_is_an_option_of_the_settings(code: str) -> None:
    facts = {"what": "Points", "found": 2, "size": 6}
    names = re.findall("“(.+?)”", Problem(code, ("primary",), facts).message)
    assert names
    assert OFFERED.issuperset(names)
