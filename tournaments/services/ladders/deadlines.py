"""What the clock does on a ladder: challenges lapse, weekly sweeps run, each once, in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from django.db.models import F, Max, Q
from django.db.models.functions import Coalesce

from scoring.ladders.absence_and_deadlines import (
    AbsencePeriod,
    dropping,
    idleness,
    is_away,
    is_away_too_long,
    is_over,
    iso_week,
    weeks_due,
)
from scoring.ladders.challenges import due_at, due_state
from tournaments.models.events import Entrant, Event, EventState
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge, LadderState, LadderStep, StepKind
from tournaments.models.outbox import Deadline
from tournaments.models.standings import Contribution
from tournaments.selectors.ladders.challenges import scoring_challenge
from tournaments.selectors.ladders.log import UNFINISHED, absences_in, join_days
from tournaments.services.events.deadlines import next_sweep, starts_at
from tournaments.services.events.finalization import CLOCK
from tournaments.services.jobs.enqueue import DeadlineOutcome
from tournaments.services.ladders.challenge_transitions import move_challenge
from tournaments.services.ladders.log import add_step
from tournaments.services.ladders.transaction import LadderTransaction, season_of, transaction_on


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
        idleness(last, absences, monday, work.rules)[0] == "warned"
        and not is_away(absences, monday)
        for _code, last, absences in members
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
    entrants = [
        step.entrant
        for step in last.values()
        if step.kind == "removed" and step.facts.get("why") == "away" and step.entrant is not None
    ]
    return sorted(
        (entrant for entrant in entrants if entrant.state == "active"), key=lambda one: one.code
    )


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


def apply_due_deadlines(work: LadderTransaction) -> SweepCounts | None:
    """Let everything happen that is over by now; returns what its sweeps did, None without one.

    It is the clock's doing, whoever came.
    """
    actor, by = work.actor, work.by
    work.actor, work.by = CLOCK, "clock"
    done: SweepCounts | None = None
    for _moment, _kind, what in _over(work):
        if isinstance(what, Challenge):
            _move_on(work, what)
        else:
            done = (done or SweepCounts()) + sweep_week(work, what)
    work.actor, work.by = actor, by
    return done


def close_open_challenges(work: LadderTransaction, entrant: Entrant, reason: str) -> None:
    """Take out of the way what a member who withdraws from the event has open.

    Nobody wins by it: what was sent is withdrawn, what was accepted called off. What was played
    stays, to be confirmed.
    """
    if work.event.state == EventState.OPEN:
        apply_due_deadlines(work)
    theirs = Q(challenger=entrant) | Q(challenged=entrant)
    rows = Challenge.objects.filter(theirs, event=work.event, state__in=_LEFT)
    for row in rows.select_related("challenger", "challenged").order_by("number"):
        move_challenge(work, row, _LEFT[row.state], reason=reason)


_LEFT: Final = {"issued": "withdrawn", "accepted": "cancelled"}


def run_challenge_deadline(event: Event, row: Deadline, now: datetime) -> DeadlineOutcome:
    """Do what the deadline of a challenge is there for, and all that was over before it."""
    if event.state != EventState.OPEN:
        return DeadlineOutcome(None)  # `follow_ladder` puts it back when the event opens again
    work = transaction_on(event, actor=CLOCK, by="clock", now=now)
    apply_due_deadlines(work)
    work.finish()
    challenge = Challenge.objects.select_related("challenger", "challenged").filter(
        event=event, number=int(row.key)
    )
    found = challenge.first()
    due = due_at(scoring_challenge(found), work.zone, work.rules) if found is not None else None
    if due is not None:
        return DeadlineOutcome(due)
    return DeadlineOutcome(None, found.state if found is not None else "")


def run_weekly_sweep(event: Event, row: Deadline, now: datetime) -> DeadlineOutcome:
    """Sweep the weeks that are due, and be due again with the next one."""
    if event.state != EventState.OPEN:
        return DeadlineOutcome(None)
    work = transaction_on(event, actor=CLOCK, by="clock", now=now)
    swept = apply_due_deadlines(work)
    work.finish()
    return DeadlineOutcome(next_sweep(event, now), str(swept) if swept is not None else row.outcome)


def _over(work: LadderTransaction) -> list[tuple[datetime, int, Challenge | date]]:
    """Return what is over by now, in the order of its moments; challenges before a sweep."""
    rows = Challenge.objects.filter(event=work.event, state__in=OPEN_CHALLENGES)
    found: list[tuple[datetime, int, Challenge | date]] = []
    for row in rows.select_related("challenger", "challenged").order_by("number"):
        due = due_at(scoring_challenge(row), work.zone, work.rules)
        if due is not None and is_over(due, work.now):
            found.append((due, row.number, row))
    if work.state.swept_to is not None:
        found.extend(
            (moment, _AFTER_CHALLENGES, monday)
            for monday in weeks_due(work.state.swept_to, work.today)
            if is_over(moment := starts_at(monday, work.event), work.now)
        )
    return sorted(found, key=lambda one: one[:2])


_AFTER_CHALLENGES: Final = 10**9


def _move_on(work: LadderTransaction, row: Challenge) -> None:
    asked = scoring_challenge(row)
    to = due_state(asked, work.now, work.zone, work.rules)
    over = due_at(asked, work.zone, work.rules)
    if to is not None:
        confirmed_as = "clock" if to == "confirmed" else ""
        move_challenge(work, row, to, at=over, confirmed_as=confirmed_as)
