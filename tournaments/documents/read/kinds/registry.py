"""All kinds of files, and which of them a table is."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tournaments.documents.read.kinds.hands import HANDS
from tournaments.documents.read.kinds.kind import KindOfFile, Sample
from tournaments.documents.read.kinds.people import PEOPLE
from tournaments.documents.read.kinds.season import SEASON
from tournaments.documents.read.kinds.totals import TOTALS

GAMES: Final = (HANDS, TOTALS)
KINDS: Final = (SEASON, PEOPLE, *GAMES)
"""In the order in which they are asked."""


class FoundKind(NamedTuple):
    """The kind of a table, and why: a key of `WHY` of the pages, or `unclear`."""

    kind: KindOfFile
    why: str


def find_kind(sample: Sample, kinds: Sequence[KindOfFile] = KINDS) -> FoundKind:
    """Return the first of `kinds` that has a reason for a table; hands where nothing tells."""
    reasons = (FoundKind(kind, kind.why(sample)) for kind in kinds)
    return next((reason for reason in reasons if reason.why), FoundKind(HANDS, "unclear"))
