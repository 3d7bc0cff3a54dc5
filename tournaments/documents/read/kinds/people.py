"""Files with people: the players of a club."""

import csv
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tournaments.documents.read.blocks import find_table
from tournaments.documents.read.csv import text_of
from tournaments.documents.read.kinds.kind import FileKind, Sample
from tournaments.documents.read.people import People
from tournaments.documents.read.people_list import is_list_of_people, recognised_people
from tournaments.documents.read.source_file import read_source, run_steps
from tournaments.documents.read.spreadsheets import is_spreadsheet


class ListOfPeople(FileKind):
    key = "players"
    elsewhere = (
        "This file is a list of people, not of games. Add them under Players with Add players."
    )

    def score(self, heads: Sequence[str], /) -> int:
        return recognised_people(heads)

    def why(self, sample: Sample, /) -> str:
        return self.key if is_list_of_people(sample.heads, sample.rows) else ""


PEOPLE: Final = ListOfPeople()


def text_of_people(content: bytes) -> str:
    """Return a file as the text of a list of people: of a spreadsheet the rows below its heads."""
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        path = Path(folder) / "people"
        path.write_bytes(content)
        if not is_spreadsheet(path):
            return text_of(path)
        source = run_steps(read_source(path, Path(folder)))
        table = find_table(source, (PEOPLE,), People([]))
        text = io.StringIO()
        csv.writer(text, delimiter="\t").writerows([table.heads, *(row for _, row in table.rows())])
        return text.getvalue()
