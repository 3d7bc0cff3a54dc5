"""A sentence that names an author has a word for one without a name, such as a table's link."""

import re
from typing import Final

from tests.support.sources import ROOT

BLOCK: Final = re.compile(r"\{%\s*blocktranslate(?P<arguments>[^%]*)%\}")
AUTHOR: Final = re.compile(
    r"\w+=[\w.]*(?:\.by|entered_as|first_by|ruled_as|opened_as)(?P<filter>\|\w+)?(?=\s)"
)
A_NUMBER: Final = re.compile(r"\bn=\S+")


def test_author_in_a_sentence_has_a_word_without_a_name() -> None:
    lacking = []
    for path in sorted((ROOT / "templates").rglob("*.html")):
        for block in BLOCK.finditer(path.read_text(encoding="utf-8")):
            arguments = A_NUMBER.sub("", block["arguments"])
            for match in AUTHOR.finditer(f"{arguments} "):
                if match["filter"] not in ("|author", "|people"):
                    lacking.append(f"{path.relative_to(ROOT)}: {match[0]}")
    assert lacking == []
