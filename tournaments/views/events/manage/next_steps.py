"""The next step of an event: one table of what a director does, the most urgent first.

`STEPS` is the only place that knows the order. Each row finds what it asks for in the facts; the
first one found is the next step of the page, the others follow under "After that". The acts of
attendance and of planned seating belong between `post_round` and `seat_round` and have no rows
before their pages are there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from tournaments.domain.messages import sentence
from tournaments.forms.ladders.challenges import by_when
from tournaments.models.meetings import RoundState
from tournaments.presenters.events.manage_facts import ManageFacts
from tournaments.selectors.rounds.round_progress import RoundProgress
from tournaments.templatetags.points import at, day
from tournaments.views.events.manage import event_steps, problem_steps, round_steps, stage_steps
from tournaments.views.events.manage.acts import ManageStep

AFTER: Final = 3
"""So many acts follow under "After that"."""


StepFinder: TypeAlias = Callable[[ManageFacts], Iterator[ManageStep]]


@dataclass(frozen=True, slots=True)
class ManageAgenda:
    """The first box of the page; without a step `idle` says until when there is nothing to do."""

    step: ManageStep | None
    idle: str
    then: tuple[str, ...]


def next_step(facts: ManageFacts) -> ManageAgenda:
    """Return the one next step of an event for its reader, and what comes after it."""
    found = [
        (key, step)
        for key, finder in STEPS
        for step in finder(facts)
        if step.act.is_allowed(facts.event)
    ]
    if not found:
        return ManageAgenda(None, _idle(facts), ())
    first = found[0][1]
    now = {key for key, _step in found}
    skipped = GOES_ON if "close_event" in now else frozenset()
    names = [step.name for key, step in found[1:] if step.name != first.name and key not in skipped]
    later = [name for name in _later(facts, now) if name not in names]
    return ManageAgenda(first, "", tuple(dict.fromkeys((*names, *later)))[:AFTER])


STEPS: Final[tuple[tuple[str, StepFinder], ...]] = (
    ("resolve_hand", problem_steps.filed_hands),
    ("resolve_import", problem_steps.imported_hands),
    ("fill_seat", problem_steps.empty_seats),
    ("decide_dispute", problem_steps.open_disputes),
    ("correct_upheld", problem_steps.upheld_disputes),
    ("decide_review", problem_steps.reviews),
    ("close_round", round_steps.complete_rounds),
    ("open_event", event_steps.draft_event),
    ("make_boards", event_steps.event_without_boards),
    ("post_round", round_steps.draft_rounds),
    ("seat_round", round_steps.empty_rounds),
    ("enter_sheets", round_steps.rounds_in_play),
    ("add_units", stage_steps.entrants_of_stage),
    ("play_off", problem_steps.live_playoffs),
    ("begin_stage", stage_steps.next_stage),
    ("take_attendance", round_steps.attendance_today),
    ("plan_seating", round_steps.people_without_plan),
    ("meet_today", round_steps.meeting_today),
    ("past_evening", round_steps.past_evening),
    ("confirm_challenge", event_steps.waiting_challenges),
    ("release_results", event_steps.held_results),
    ("make_final", event_steps.closed_event),
    ("close_event", event_steps.finished_event),
    ("add_entrants", event_steps.empty_ladder),
    ("plan_round", stage_steps.planned_round),
    ("plan_evening", stage_steps.evening_to_plan),
    ("new_round", stage_steps.new_round),
    ("next_season", event_steps.final_event),
)
"""Key → what finds the step, the most urgent first."""
CREATES_ROUND: Final = {
    "take_attendance", "plan_seating", "meet_today", "past_evening", "plan_round", "plan_evening",
}  # fmt: skip
"""Steps that create the next round, like `new_round`, for an evening."""
GOES_ON: Final = frozenset({"new_round", "plan_round", "plan_evening"})
"""Steps that are not named beside the one that closes the event."""


def _later(facts: ManageFacts, now: set[str]) -> Sequence[str]:
    """What follows in the course of the event once the present steps are done."""
    if facts.event.state == "final":
        return ()
    if facts.event.state == "closed":
        return () if "make_final" in now else (_("Make the results final"),)
    if "close_event" in now or (facts.is_ladder and not facts.open_rounds):
        return ()
    number = facts.open_rounds[0].number if facts.open_rounds else round_steps.next_number(facts)
    names = {"number": number, "next": round_steps.next_number(facts)}
    course = (
        ("new_round", _("Create round %(number)s")),
        ("seat_round", _("Seat the tables of round %(number)s")),
        ("post_round", _("Post round %(number)s")),
        ("enter_sheets", _("Enter the sheets of round %(number)s")),
        ("close_round", _("Close round %(number)s")),
    )
    begun = _stage_of(facts.open_rounds[0]) if facts.open_rounds else "" if now else "new_round"
    if now & CREATES_ROUND:
        is_seated_next = "meet_today" in now and facts.attendance.get("here")
        begun = "post_round" if is_seated_next else "seat_round"
    keys = [key for key, _name in course]
    start = keys.index(begun) if begun else 0
    later = [name % names for key, name in course[start:] if key not in now]
    if facts.open_rounds:
        later.append(_("Create round %(next)s") % names)
    return later


def _stage_of(one: RoundProgress) -> str:
    """Which step of the course a round is at."""
    if not one.tables:
        return "seat_round"
    if one.state == RoundState.DRAFT:
        return "post_round"
    return "close_round" if one.is_complete else "enter_sheets"


def _idle(facts: ManageFacts) -> str:
    """Say until when there is nothing to do."""
    event, zone = facts.event, facts.event.club.time_zone
    if event.state == "closed" and facts.waits:
        return _("Nothing to do. %(why)s") % {"why": sentence(facts.waits[0])}
    if facts.is_window_open and facts.window_ends is not None:
        return _(
            "Nothing to do until %(when)s. Corrections are possible until then; afterwards the "
            "event becomes final by itself."
        ) % {"when": at(facts.window_ends, zone)}
    if event.state == "final":
        return _("Nothing to do. The event is final.")
    if facts.next_meeting is not None:
        return _("Nothing to do until %(day)s.") % {"day": day(facts.next_meeting)}
    due = min((one.due_at for one in facts.challenges if one.due_at), default=None)
    if due is not None:
        return _("Nothing to do until %(when)s, the next deadline of a challenge.") % {
            "when": by_when(due, ZoneInfo(zone), day="j M Y")
        }
    return _("Nothing to do. The members challenge each other.")
