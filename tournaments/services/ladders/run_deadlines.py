"""Runs the deadlines of a ladder: challenges lapse, weekly sweeps run, each once, in order.

When a challenge is due, and what it becomes then, is in scoring/ladders/challenges.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from django.db.models import F, Max
from django.db.models.functions import Coalesce

from scoring.ladders.challenges import due_state
from scoring.ladders.rules import (
    AbsencePeriod,
    dropping,
    idleness,
    is_away,
    is_away_too_long,
    iso_week,
    weeks_due,
)
from tournaments.models.events import Entrant, Event
from tournaments.models.jobs import Deadline
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge, LadderState, LadderStep, StepKind
from tournaments.models.standings import Contribution
from tournaments.policy import CLOCK
from tournaments.selectors.ladders.challenge_results import problems_of_results
from tournaments.selectors.ladders.challenges import (
    challenges_with,
    due_with_problems,
    scoring_challenge,
)
from tournaments.selectors.ladders.log import UNFINISHED, absences_in, join_days
from tournaments.services.jobs.enqueue import DeadlineOutcome
from tournaments.services.jobs.schedule import next_sweep, starts_at
from tournaments.services.ladders.challenge_transitions import move_challenge
from tournaments.services.ladders.log import add_step
from tournaments.services.ladders.transaction import LadderTransaction, season_of, transaction_on
from tournaments.services.operations import Operation

LOOK_AGAIN: Final = timedelta(minutes=10)
"""While a problem of a result is open."""


@dataclass(frozen=True, slots=True)
class SweepCounts:
    dropped: int = 0
    warned: int = 0
    removed: int = 0
    back: int = 0

    def __add__(self, other: "SweepCounts") -> "SweepCounts":
        """Return the sums; `warned` is that of the later sweep."""
        return SweepCounts(
            self.dropped + other.dropped,
            other.warned,
            self.removed + other.removed,
            self.back + other.back,
        )

    def __str__(self) -> str:
        parts = [f"{self.dropped} dropped", f"{self.warned} warned"]
        parts += [f"{self.removed} removed"] if self.removed else []
        parts += [f"{self.back} back"] if self.back else []
        return ", ".join(parts)


_STATES_ON_WITHDRAWAL: Final = {"issued": "withdrawn", "accepted": "cancelled"}


def sweep_week(work: LadderTransaction, monday: date) -> SweepCounts:
    """Sweep the week from `monday`, once; the caller processes the weeks in order."""
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
        rejoin(work, entrant, monday)
    joined = join_days(work.event)
    played = _get_last_days(work.event, monday)
    members = [
        (code, max(joined.get(code, date.min), played.get(code, date.min)), away.get(code, ()))
        for code in work.ladder().order
        if code in joined or code in played
    ]
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
    work.audit(
        "sweep_ladder",
        f"week:{iso_week(monday)}",
        dropped=list(idle),
        warned=warned,
        removed=len(removed),
        back=len(back),
    )
    return SweepCounts(len(idle), warned, len(removed), len(back))


def rejoin(work: LadderTransaction, entrant: Entrant, on: date) -> None:
    add_step(work.event, StepKind.JOINED, on=on, entrant=entrant)
    work.tell("return_member", member=entrant.code)


def inactive_entrants(event: Event) -> list[Entrant]:
    """Return the active entrants that left the list because they were away too long, by code."""
    last: dict[int, LadderStep] = {}
    steps = LadderStep.objects.filter(event=event, kind__in=("joined", "removed"))
    for step in steps.select_related("entrant").order_by("number"):
        last[step.entrant_id or 0] = step
    entrants = [
        step.entrant
        for step in last.values()
        if step.kind == "removed" and step.facts.get("why") == "away" and step.entrant is not None
    ]
    active = (entrant for entrant in entrants if entrant.state == "active")
    return sorted(active, key=lambda entrant: entrant.code)


def _get_last_days(event: Event, before: date) -> dict[str, date]:
    day = Coalesce(
        F("game__table__round__meeting__date"),
        F("game__ladder_step__on"),
        F("game__challenges__ladder_step__on"),
    )
    rows = Contribution.objects.filter(event=event, games__gt=0, game__counts=True)
    rows = rows.exclude(game__state__in=UNFINISHED).annotate(day=day).filter(day__lt=before)
    return dict(rows.order_by().values_list("entrant__code").annotate(last=Max("day")))


def _remove(
    work: LadderTransaction, monday: date, away: Mapping[str, Sequence[AbsencePeriod]]
) -> set[int]:
    begins, _ends = season_of(work.event, monday)
    listed = set(work.ladder().order)
    gone = sorted(
        code
        for code, absences in away.items()
        if code in listed and is_away_too_long(absences, begins, monday, work.rules)
    )
    entrants = list(Entrant.objects.filter(event=work.event, code__in=gone).order_by("code"))
    for entrant in entrants:
        add_step(work.event, StepKind.REMOVED, on=monday, entrant=entrant, facts={"why": "away"})
        work.tell("remove_member", member=entrant.code)
    return {entrant.pk for entrant in entrants}


def apply_due_deadlines(work: LadderTransaction) -> SweepCounts | None:
    """Apply all deadlines that are over by now, as the clock; return the counts of the sweeps, None
    without one."""
    op, by = work.op, work.by
    work.op = op.as_site("clock")
    work.by = "clock"
    counts: SweepCounts | None = None
    for moment, _, subject in _list_over(work):
        if not isinstance(subject, Challenge):
            counts = (counts or SweepCounts()) + sweep_week(work, subject)
            continue
        to = due_state(scoring_challenge(subject), work.now, work.zone, work.rules)
        if to is not None:
            confirmed_as = "clock" if to == "confirmed" else ""
            move_challenge(work, subject, to, at=moment, confirmed_as=confirmed_as)
    work.op, work.by = op, by
    return counts


def _list_over(work: LadderTransaction) -> list[tuple[datetime, int, Challenge | date]]:
    """Return the challenges and the sweeps (by Monday) whose deadline is over, in the order of the
    deadlines; challenges before a sweep."""
    waiting = Challenge.objects.filter(event=work.event, state__in=OPEN_CHALLENGES)
    rows = list(waiting.select_related("challenger", "challenged").order_by("number"))
    problems = problems_of_results(rows)
    over: list[tuple[datetime, int, Challenge | date]] = []
    for row in rows:
        due = due_with_problems(row, problems, work.zone, work.rules)
        if due is not None and work.now >= due:
            over.append((due, row.number, row))
    if work.state.swept_to is not None:
        over.extend(
            (moment, 10**9, monday)
            for monday in weeks_due(work.state.swept_to, work.today)
            if work.now >= (moment := starts_at(monday, work.event))
        )
    return sorted(over, key=lambda deadline: deadline[:2])


def close_open_challenges(work: LadderTransaction, entrant: Entrant, reason: str) -> None:
    """End the open challenges of a member that withdraws from the event.

    Nobody wins: sent challenges are withdrawn, accepted ones cancelled. A result stays, to be
    confirmed.
    """
    if work.event.is_open:
        apply_due_deadlines(work)
    rows = challenges_with(work.event, [entrant]).filter(state__in=_STATES_ON_WITHDRAWAL)
    for row in rows:
        move_challenge(work, row, _STATES_ON_WITHDRAWAL[row.state], reason=reason, left=entrant)


def run_challenge_deadline(event: Event, row: Deadline, now: datetime) -> DeadlineOutcome:
    """Apply the deadline of a challenge, and all earlier ones."""
    if not event.is_open:
        return DeadlineOutcome(None)  # `schedule_ladder` sets it again when the event opens again
    work = transaction_on(Operation(CLOCK, now), event, by="clock")
    apply_due_deadlines(work)
    work.finish()
    rows = Challenge.objects.select_related("challenger", "challenged")
    challenge = rows.filter(event=event, number=int(row.key)).first()
    if challenge is None:
        return DeadlineOutcome(None)
    due = due_with_problems(challenge, problems_of_results([challenge]), work.zone, work.rules)
    if due is None and challenge.state in OPEN_CHALLENGES:
        return DeadlineOutcome(now + LOOK_AGAIN)
    if due is not None:
        return DeadlineOutcome(due)
    return DeadlineOutcome(None, challenge.state)


def run_weekly_sweep(event: Event, row: Deadline, now: datetime) -> DeadlineOutcome:
    """Sweep the weeks that are due; the deadline is due again with the next week."""
    if not event.is_open:
        return DeadlineOutcome(None)
    work = transaction_on(Operation(CLOCK, now), event, by="clock")
    counts = apply_due_deadlines(work)
    work.finish()
    outcome = str(counts) if counts is not None else row.outcome
    return DeadlineOutcome(next_sweep(event, now), outcome)
