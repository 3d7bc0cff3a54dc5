"""The next step of an event, the most urgent first; steps of events and ladders as a whole."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.json_types import JsonDict
from tournaments.domain.messages import sentence
from tournaments.models.events import EventKind, Visibility
from tournaments.selectors.clubs.clubs import may_create_events
from tournaments.selectors.ladders.challenges import by_when
from tournaments.templatetags.points import at, day
from tournaments.views.events.manage import problem_steps, round_steps
from tournaments.views.events.manage.facts import ManageAct, ManageFacts, ManageStep
from tournaments.views.events.manage.round_steps import stage_step

LONGEST_PAUSE: Final = timedelta(weeks=6)
"""A league whose last round is older is over, as far as anybody can tell."""


def draft_event(facts: ManageFacts) -> Iterator[ManageStep]:
    if facts.event.state == "draft":
        yield ManageStep(
            _("Open the event"),
            _(
                "The event is a draft. Hands can be entered after it is opened; until the first "
                "hand it can become a draft again."
            ),
            facts.move_act("open", _("Open event")),
            ManageAct(_("Add players"), facts.url("add-entrants"))
            if not facts.counts["entrants"]
            else None,
        )


def event_without_boards(facts: ManageFacts) -> Iterator[ManageStep]:
    if facts.event.state == "open" and facts.n_boards == 0:
        yield ManageStep(
            _("Create the boards"),
            _(
                "Every table plays the same deals, and the event has no boards yet. A hand "
                "is entered with the number of its board."
            ),
            ManageAct(_("Create boards"), facts.url("new-boards")),
        )


def waiting_challenges(facts: ManageFacts) -> Iterator[ManageStep]:
    zone = ZoneInfo(facts.event.club.time_zone)
    for challenge in facts.challenges:
        names = {
            "number": challenge.number,
            "challenger": challenge.challenger.player,
            "challenged": challenge.challenged.player,
            "when": by_when(challenge.due_at, zone, day="j M Y") if challenge.due_at else "",
        }
        is_late = challenge.due_at is not None and challenge.due_at <= facts.now
        if challenge.state == "played":
            text = _(
                "%(challenger)s and %(challenged)s have played, and the result is not confirmed."
            )
            more = _("It is confirmed by itself on %(when)s.")
            yield ManageStep(
                _("Confirm the result of challenge %(number)s") % names,
                f"{text % names} {more % names}" if challenge.due_at else text % names,
                ManageAct(
                    _("Check result"), facts.url("challenge", challenge.number), "confirm_result"
                ),
            )
        elif is_late:
            yield ManageStep(
                _("Decide challenge %(number)s") % names,
                _("%(challenger)s challenged %(challenged)s. The deadline was %(when)s.") % names,
                ManageAct(
                    _("Open challenge %(number)s") % names, facts.url("challenge", challenge.number)
                ),
            )


def held_results(facts: ManageFacts) -> Iterator[ManageStep]:
    event = facts.event
    is_held = event.visibility == Visibility.HELD and facts.counts["publication"] is not None
    if is_held and not facts.is_running:
        yield ManageStep(
            _("Release the results"),
            _("The event is over, and only directors can read its results."),
            ManageAct(
                _("Release results"), facts.url("visibility"), "publish",
                "visibility", Visibility.PUBLIC,
            ),
            ManageAct(_("Change visibility"), facts.url("visibility"), "publish"),
        )  # fmt: skip


def closed_event(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for a closed event to be made final, once nothing is in dispute.

    A stage that is planned begins in an open event only: its tie was played off while the event
    was closed.
    """
    if facts.event.state != "closed":
        return
    final = facts.move_act("final", _("Make final"))
    if facts.stage is not None and facts.stage.next_name:
        names = {"stage": facts.stage.next_name}
        yield ManageStep(
            _("Reopen the event for “%(stage)s”") % names,
            _(
                "The stage “%(stage)s” is planned and has not begun. A stage begins in an open "
                "event. Without it, make the results final."
            )
            % names,
            ManageAct(_("Reopen event"), f"{facts.url('manage-event')}#state"),
            None if facts.waits or facts.is_window_open else final,
        )
    elif not facts.waits and not facts.is_window_open:
        yield ManageStep(
            _("Make the results final"), _("The event is closed and nothing is in dispute."), final
        )


def finished_event(facts: ManageFacts) -> Iterator[ManageStep]:
    event, rounds = facts.event, facts.own_rounds
    if event.state != "open" or not rounds or facts.open_rounds or facts.n_planned:
        return
    zone = ZoneInfo(event.club.time_zone)
    days = [round_.on for round_ in rounds if round_.on] or [
        round_.row.closed_at.astimezone(zone).date() for round_ in rounds if round_.row.closed_at
    ]
    last = max(days, default=None)
    is_over = event.season is not None and event.season.ends_on < facts.today
    is_over = is_over or stage_step(facts) == "over"
    if last is not None:
        pause = timedelta() if event.kind == EventKind.TOURNAMENT else LONGEST_PAUSE
        is_over = is_over or last + pause < facts.today
    if is_over:
        count = len(rounds)
        text = ngettext("Its round is closed.", "All %(n)s rounds are closed.", count)
        yield ManageStep(
            _("Close the event"),
            f"{text % {'n': count}} " + _("Close the event when no more rounds are played."),
            facts.move_act("closed", _("Close event")),
            ManageAct(_("New round"), facts.url("new-round")),
        )


def empty_ladder(facts: ManageFacts) -> Iterator[ManageStep]:
    if facts.is_ladder and facts.event.state == "open" and facts.counts["entrants"] < 2:
        yield ManageStep(
            _("Add players"),
            _("A ladder needs at least two players before anybody can be challenged."),
            ManageAct(_("Add players"), facts.url("add-entrants")),
        )


def final_event(facts: ManageFacts) -> Iterator[ManageStep]:
    event = facts.event
    if event.state == "final" and not facts.is_ladder and may_create_events(event):
        yield ManageStep(
            _("Create the next season"),
            _("The event is final. The next one starts as a draft with the same settings."),
            ManageAct(_("Create next season"), facts.url("next-event")),
        )


StepFinder: TypeAlias = Callable[[ManageFacts], Iterator[ManageStep]]


def next_step(facts: ManageFacts) -> JsonDict:
    """Return the next `step` of an event; without one `idle` says how long there is none."""
    steps = (step for finder in STEPS for step in finder(facts) if step.act.is_allowed(facts.event))
    step = next(steps, None)
    return {"step": step, "idle": "" if step else _idle(facts)}


STEPS: Final = (
    problem_steps.filed_hands,
    problem_steps.imported_hands,
    problem_steps.empty_seats,
    problem_steps.open_disputes,
    problem_steps.upheld_disputes,
    problem_steps.reviews,
    round_steps.complete_rounds,
    draft_event,
    event_without_boards,
    round_steps.draft_rounds,
    round_steps.empty_rounds,
    round_steps.rounds_in_play,
    round_steps.entrants_of_stage,
    problem_steps.live_playoffs,
    round_steps.next_stage,
    round_steps.attendance_today,
    round_steps.people_without_plan,
    round_steps.meeting_today,
    round_steps.past_evening,
    waiting_challenges,
    held_results,
    closed_event,
    finished_event,
    empty_ladder,
    round_steps.planned_round,
    round_steps.evening_to_plan,
    round_steps.new_round,
    final_event,
)
"""What finds the step, the most urgent first."""


def _idle(facts: ManageFacts) -> str:
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
    due = min(
        (challenge.due_at for challenge in facts.challenges if challenge.due_at), default=None
    )
    if due is not None:
        return _("Nothing to do until %(when)s, the next deadline of a challenge.") % {
            "when": by_when(due, ZoneInfo(zone), day="j M Y")
        }
    return _("Nothing to do. The members challenge each other.")
