"""What depends on a merge: everything that points at the player who took the rows.

Compared before an undo: where it is not what it was right after the merge, something new hangs on
rows that would go back, and nobody could say to whom of the two it belongs.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import Max, Model, Q

from tournaments.models.attendance import Attendance
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantMember, Event
from tournaments.models.hands import Entry
from tournaments.models.invitations import Invitation, PlayerClaim
from tournaments.models.ladders import Challenge, LadderAbsence, LadderStep, StepKind
from tournaments.models.ledger import LedgerLine
from tournaments.models.meetings import Meeting, SitOut, Sitting
from tournaments.models.playoffs import PlayoffMember, PlayoffStep, StageEntrant
from tournaments.models.privacy import PlayerMerge
from tournaments.models.seating_plans import SeatingConstraint
from tournaments.models.walk_overs import WalkOver

Dependents = Mapping[str, Any]
"""Rows by kind, and by kind and event (`hand:7`); JSON."""

_OF_ENTRANTS: Final[tuple[tuple[str, type[Model], str, tuple[str, ...]], ...]] = (
    ("penalty", LedgerLine, "entrant", ("withdrawn_reason",)),
    ("sit_out", SitOut, "entrant", ()),
    ("absence", LadderAbsence, "entrant", ("since", "until")),
    ("stage", StageEntrant, "entrant", ()),
    ("walk_over", WalkOver, "entrant", ()),
    ("playoff", PlayoffMember, "entrant", ("playoff__state",)),
    ("playoff", PlayoffStep, "entrant", ()),
    ("challenge", Challenge, "challenger", ("state",)),
    ("challenge", Challenge, "challenged", ("state",)),
    ("challenge", LadderStep, "entrant", ()),
)
"""Kind, rows, the column that points at the entrant, and what else makes a row another one."""


def dependents_of_merge(merge: PlayerMerge) -> Dependents:
    """Return all that depends on what a merge moved, as it is now."""
    found: dict[str, Any] = {"account": _persons(merge), "attendance": _presence(merge)}
    for event_id in map(int, merge.moved["events"]):
        own = EntrantMember.objects.filter(event=event_id, player=merge.target_id)
        entrant = Entrant.objects.filter(pk__in=own.values("entrant")).first()
        sittings = Sitting.objects.filter(round__event=event_id)
        sat = sittings.filter(Q(player=merge.target_id) | Q(substitute_for=merge.target_id))
        found[f"seat:{event_id}"] = _rows(sat, "player_id", "from_hand", "to_hand")
        found[f"hand:{event_id}"] = _newest_entry(merge, event_id)
        if entrant is not None:
            found[f"entrant:{event_id}"] = [entrant.pk, entrant.code, entrant.state]
            found[f"week:{event_id}"] = _idle_weeks(event_id, entrant.code)
            for kind, model, column, more in _OF_ENTRANTS:
                rows = model._default_manager.filter(**{column: entrant.pk})
                found.setdefault(f"{kind}:{event_id}", []).extend(_rows(rows, *more))
    return found


def _persons(merge: PlayerMerge) -> list[Any]:
    """Return accounts, invitations and claims of the two."""
    two = Player.objects.filter(pk__in=(merge.source_id, merge.target_id))
    invited = Invitation.objects.filter(player=merge.target_id)
    claims = PlayerClaim.objects.filter(player=merge.target_id)
    return [
        _rows(two, "user_id", "merged_into_id", "erased_at"),
        _rows(invited, "accepted_at", "revoked_at"),
        _rows(claims, "state"),
    ]


def _presence(merge: PlayerMerge) -> list[Any]:
    """Return attendance and seating constraints that were moved, and where those deleted were."""
    steps = merge.moved["steps"]
    attendance = [one for one in steps if one["model"] == Attendance._meta.label_lower]
    constraints = [one for one in steps if one["model"] == SeatingConstraint._meta.label_lower]
    meetings = {one["fields"]["meeting"] for one in attendance if "deleted" in one}
    events = {one["fields"]["event"] for one in constraints if "deleted" in one}
    stated = Attendance.objects.filter(pk__in=_kept(attendance))
    asked = SeatingConstraint.objects.filter(pk__in=_kept(constraints))
    return [
        _rows(stated, "player_id", "stated_at", "state"),
        _rows(asked, "player_id", "other_id", "table_number"),
        _rows(Meeting.objects.filter(pk__in=meetings)),
        _rows(Event.objects.filter(pk__in=events)),
    ]


def _kept(steps: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the rows that a merge changed and did not delete."""
    return [one["pk"] for one in steps if "deleted" not in one]


def _idle_weeks(event_id: int, code: str) -> list[int]:
    """Return the weeks of a ladder in which an entrant lost places; they name it by its code."""
    swept = LadderStep.objects.filter(event=event_id, kind=StepKind.SWEPT).order_by("pk")
    return [pk for pk, facts in swept.values_list("pk", "facts") if code in facts["idle"]]


def _newest_entry(merge: PlayerMerge, event_id: int) -> int:
    """Return the newest entry at tables where the source sat."""
    steps = merge.moved["steps"]
    seats = [one["pk"] for one in steps if one["model"] == Sitting._meta.label_lower]
    entries = Entry.objects.filter(hand__game__event=event_id)
    own = entries.filter(hand__game__table__seats__sittings__in=seats)
    return int(own.aggregate(newest=Max("pk"))["newest"] or 0)


def _rows(rows: Any, *columns: str) -> list[list[Any]]:
    found = rows.order_by("pk").values_list("pk", *columns)
    return [[one if isinstance(one, int | None) else str(one) for one in row] for row in found]
