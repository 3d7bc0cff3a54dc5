"""Every code that an import may give is explained to secretaries, in its class."""

import re
from pathlib import Path

from tournaments.domain.imports.import_report import SCORER_CLASS, SENTENCES, Spot, words_for_lines


def test_every_code_is_in_the_table_of_its_class(project_root: Path) -> None:
    text = (project_root / "docs" / "import-columns.md").read_text(encoding="utf-8")
    classes = {**{code: severity for code, (severity, _) in SENTENCES.items()}, **SCORER_CLASS}
    explained = []
    for section in text.split("\n### ")[1:]:
        named = re.search(r"`(accept-note|ask|reject|skip)`", section.splitlines()[0])
        if named is None:
            continue
        explained.append(named[1])
        rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
        codes = {code for row in rows for code in re.findall(r"`(\w+)`", row)}
        assert codes == {code for code, severity in classes.items() if severity == named[1]}
    assert explained == ["accept-note", "ask", "reject", "skip"]


def test_lines_are_said_as_one_says_them() -> None:
    assert words_for_lines(range(2, 40)) == "Lines 2 to 39"
    assert words_for_lines([2, 4, 6, 8, 10, 12, 14]) == "Lines 2, 4, … 14 (7 lines)"
    assert words_for_lines(()) == "File"


def test_place_is_as_much_as_is_known() -> None:
    assert Spot((6, 7), 11, 1, 3).place == "Table 1, hand 3"
    assert Spot((6, 7), 11, 1).place == "Table 1"
    assert Spot((6, 7)).place == "Line 6"
