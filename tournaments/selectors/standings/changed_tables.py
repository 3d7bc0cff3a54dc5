"""Which tables of an event changed since a moment of the club's audit trail."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tournaments.models.audit import AuditLine
from tournaments.models.events import EntrantMember, Event
from tournaments.models.meetings import Sitting
from tournaments.models.standings import Contribution
from tournaments.selectors.audit.audit_lines import event_subjects

AT_ONE_HAND: Final = frozenset(
    {"enter_hand", "correct_hand", "void_hand", "enter_hand_refused", "read_back"}
)
"""Acts that move the sums of those who sit at one table, and nothing else."""

MOST_TABLES: Final = 200
"""With more tables than this anything may have changed: looking costs more than making."""

_TABLE: Final = re.compile(r"r(?P<round>\d+)t\d+")


@dataclass(frozen=True, slots=True)
class ChangedTables:
    """The rounds with a changed table, and the codes of the entrants who sit at one."""

    rounds: frozenset[int]
    entrants: frozenset[str]


def changed_tables_since(event: Event, after: int, until: int) -> ChangedTables | None:
    """Return what the lines of the trail behind `after`, up to `until`, may have changed.

    None where that cannot be told from them: anything may have.
    """
    codes: set[str] = set()
    own = event_subjects(event)
    lines = AuditLine.objects.filter(club=event.club_id, number__gt=after, number__lte=until)
    for act, subject in lines.values_list("act", "subject").iterator():
        where, _, rest = subject.partition("/table:")
        if where.startswith("event:") and where.partition("/")[0] not in own:
            continue
        if act not in AT_ONE_HAND or not rest:
            return None
        codes.add(rest.partition("/")[0])
        if len(codes) > MOST_TABLES:
            return None
    return ChangedTables(frozenset(_rounds(codes)), frozenset(_entrants(event, codes)))


def _rounds(codes: set[str]) -> Iterator[int]:
    for code in codes:
        found = _TABLE.fullmatch(code)
        yield int(found["round"]) if found else 1


def _entrants(event: Event, codes: set[str]) -> set[str]:
    """Everybody whose games these are, and everybody who sits there."""
    played = Contribution.objects.filter(event=event, game__table__code__in=codes)
    sitting = Sitting.objects.filter(seat__table__event=event, seat__table__code__in=codes)
    members = EntrantMember.objects.filter(event=event, player__in=sitting.values("player"))
    return {
        *played.values_list("entrant__code", flat=True),
        *members.values_list("entrant__code", flat=True),
    }
