"""docs/asvs.md has every requirement of levels 1 and 2 once."""

import re
from collections import Counter

from tests.support.sources import ROOT

PAGE = (ROOT / "docs" / "asvs.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| V([\d.]+) \| ([a-z ]+) \| (.+) \|$", PAGE, re.M)
OF_CHAPTERS = (27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7)
"""Numbers of requirements of levels 1 and 2 in the chapters of ASVS 5.0.0."""


def test_every_requirement_has_a_state_and_a_reason() -> None:
    chapters = Counter(int(number.partition(".")[0]) for number, _, _ in ROWS)
    assert [chapters[number] for number in range(1, 18)] == list(OF_CHAPTERS)
    assert len({number for number, _, _ in ROWS}) == len(ROWS) == 253
    states = Counter(state for _, state, _ in ROWS)
    passed, absent = states.pop("passed"), states.pop("not applicable")
    assert states == {"failed": 1}, "passkeys with RSA, until 2028"
    assert f"{passed} passed,\n{absent} not applicable, 1 failed by decision." in PAGE
