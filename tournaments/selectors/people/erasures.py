"""Requests of people to be erased, and what an erasure cannot reach."""

from collections.abc import Sequence

from tournaments.domain.people.name_eraser import NameEraser
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.privacy import Erasure


def pending_erasure(player: Player) -> Erasure | None:
    """Return the request of a person that nobody has decided."""
    return Erasure.objects.filter(player=player, erased_at=None, declined_at=None).first()


def pending_erasures(club: Club) -> Sequence[Erasure]:
    """Return all requests of a club that nobody has decided, the oldest first."""
    rows = Erasure.objects.filter(club=club, erased_at=None, declined_at=None)
    return list(rows.select_related("player").order_by("asked_at"))


def audit_lines_naming(club: Club, player: Player) -> list[int]:
    """Return the lines of the audit trail with a reason that holds a person's name.

    Somebody typed it there. The chain cannot be changed without breaking it.
    """
    eraser = NameEraser([player.name], "")
    if not eraser.hints:
        return []
    lines = AuditLine.objects.filter(club=club, facts__has_key="reason")
    return [
        number
        for number, facts in lines.order_by("number").values_list("number", "facts")
        if eraser.json(facts) != facts
    ]
