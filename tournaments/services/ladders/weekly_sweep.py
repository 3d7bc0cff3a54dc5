"""The weekly sweep of a ladder: who was away too long, who is back, who is idle and drops.

A sweep looks at its Monday, not at the moment it runs: games of that day and later are not asked,
so one that comes late, twice or after others finds the same (docs/algorithms/position-ladder.md).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import F, Max
from django.db.models.functions import Coalesce

from scoring.ladders.absence_and_deadlines import (
    AbsencePeriod,
    dropping,
    idleness,
    is_away,
    is_away_too_long,
    iso_week,
)
from tournaments.models.events import Entrant, Event
from tournaments.models.ladders import LadderAbsence, LadderState, LadderStep, StepKind
from tournaments.models.standings import Contribution
from tournaments.services.ladders.log import UNFINISHED, add_step
from tournaments.services.ladders.transaction import LadderTransaction, season_of


@dataclass(frozen=True, slots=True)
class SweepCounts:
    """What one sweep did, in numbers of members."""

    dropped: int = 0
    warned: int = 0
    removed: int = 0
    back: int = 0

    def __add__(self, other: "SweepCounts") -> "SweepCounts":
        """What two sweeps did; warned are those of the later one."""
        return SweepCounts(
            self.dropped + other.dropped,
            other.warned,
            self.removed + other.removed,
            self.back + other.back,
        )

    def __str__(self) -> str:
        """Return it as the job's outcome says it."""
        said = [f"{self.dropped} dropped", f"{self.warned} warned"]
        said += [f"{self.removed} removed"] if self.removed else []
        said += [f"{self.back} back"] if self.back else []
        return ", ".join(said)


def sweep_week(work: LadderTransaction, monday: date) -> SweepCounts:
    """Sweep the week that begins on `monday`, once; the caller takes the weeks in their order."""
    if LadderStep.objects.filter(event=work.event, kind="swept", week=iso_week(monday)).exists():
        return SweepCounts()
    away = absences_in(work.event)
    removed = _remove(work, monday, away)
    back = [
        entrant
        for entrant in inactive_entrants(work.event)
        if entrant.pk not in removed and not is_away(away[entrant.code], monday)
    ]
    for entrant in back:
        _let_in(work, entrant, monday)
    members = _members(work, monday, away)
    idle = dropping(members, monday, work.rules)
    warned = sum(
        idleness(code, last, absences, monday, work.rules).state == "warned"
        and not is_away(absences, monday)
        for code, last, absences in members
    )
    if idle:
        facts = {"idle": list(idle)}
        week = iso_week(monday)
        add_step(work.event, StepKind.SWEPT, on=monday, week=week, facts=facts)
        work.tell("sweep", week=week, dropped=len(idle))
    LadderState.objects.filter(pk=work.state.pk).update(swept_to=monday)
    work.state.swept_to = monday
    swept = SweepCounts(len(idle), warned, len(removed), len(back))
    work.audit(
        "sweep_ladder", f"week:{iso_week(monday)}",
        dropped=list(idle), warned=warned, removed=len(removed), back=len(back),
    )  # fmt: skip
    return swept


def rejoin(work: LadderTransaction, entrant: Entrant, on: date) -> bool:
    """Let a member who was away too long in again at the bottom; whether it was one of these."""
    if entrant not in inactive_entrants(work.event):
        return False
    _let_in(work, entrant, on)
    return True


def _let_in(work: LadderTransaction, entrant: Entrant, on: date) -> None:
    add_step(work.event, StepKind.JOINED, on=on, entrant=entrant)
    work.tell("return_member", member=entrant.code)


def inactive_entrants(event: Event) -> list[Entrant]:
    """Return the active entrants who are off the list because they were away too long, by code."""
    last: dict[int, LadderStep] = {}
    steps = LadderStep.objects.filter(event=event, kind__in=("joined", "removed"))
    for step in steps.select_related("entrant").order_by("number"):
        last[step.entrant_id or 0] = step
    found = [
        step.entrant
        for step in last.values()
        if step.kind == "removed" and step.facts.get("why") == "away" and step.entrant is not None
    ]
    return sorted((one for one in found if one.state == "active"), key=lambda one: one.code)


def _members(
    work: LadderTransaction, before: date, away: Mapping[str, Sequence[AbsencePeriod]]
) -> list[tuple[str, date, Sequence[AbsencePeriod]]]:
    """Return everybody on the list with the day of the last game before a day, or of coming in."""
    came, played = join_days(work.event), _last_played(work.event, before)
    return [
        (code, max(came.get(code, date.min), played.get(code, date.min)), away.get(code, ()))
        for code in work.ladder().order
        if code in came or code in played
    ]


def join_days(event: Event) -> dict[str, date]:
    """Return the day on which each came onto the list, the last time."""
    found: dict[str, date] = {}
    steps = LadderStep.objects.filter(event=event, kind__in=("opened", "joined"))
    for step in steps.select_related("entrant").order_by("number"):
        codes: Iterable[str] = step.facts["members"] if step.kind == "opened" else ()
        codes = [step.entrant.code] if step.entrant is not None else codes
        found.update((code, step.on) for code in codes)
    return found


def _last_played(event: Event, before: date) -> dict[str, date]:
    """Return the day of each one's last ladder game before a day."""
    day = Coalesce(
        F("game__table__round__meeting__date"),
        F("game__ladder_step__on"),
        F("game__challenge__ladder_step__on"),
    )
    rows = Contribution.objects.filter(event=event, games__gt=0, game__counts=True)
    rows = rows.exclude(game__state__in=UNFINISHED).annotate(day=day).filter(day__lt=before)
    return dict(rows.order_by().values_list("entrant__code").annotate(last=Max("day")))


def absences_in(event: Event) -> Mapping[str, Sequence[AbsencePeriod]]:
    """Return everybody's absences by code; one query."""
    found: dict[str, list[AbsencePeriod]] = defaultdict(list)
    rows = LadderAbsence.objects.filter(event=event).order_by("since", "pk")
    for code, since, until in rows.values_list("entrant__code", "since", "until"):
        found[code].append(AbsencePeriod(since, until))
    return found


def _remove(
    work: LadderTransaction, monday: date, away: Mapping[str, Sequence[AbsencePeriod]]
) -> set[int]:
    """Take who has been away for too long off the list; returns whom."""
    begins, _ends = season_of(work.event, monday)
    on_list = set(work.ladder().order)
    gone = sorted(
        code
        for code, absences in away.items()
        if code in on_list and is_away_too_long(absences, begins, monday, work.rules)
    )
    entrants = list(Entrant.objects.filter(event=work.event, code__in=gone).order_by("code"))
    for entrant in entrants:
        add_step(work.event, StepKind.REMOVED, on=monday, entrant=entrant, facts={"why": "away"})
        work.tell("remove_member", member=entrant.code)
    return {entrant.pk for entrant in entrants}
