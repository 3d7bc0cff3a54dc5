"""Steps in the course of a stage whose rounds are planned: entrants, plans, the next stage."""

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.models.events import StageKind
from tournaments.presenters.events.manage_facts import ManageFacts
from tournaments.views.events.manage.acts import ManageAct, ManageStep, event_url, move_act
from tournaments.views.events.manage.round_steps import next_number

StageStep: TypeAlias = Literal["", "units", "evening", "seat", "plan", "begin", "over"]

UNITS: Final = {StageKind.PAIRS: "pair", StageKind.TEAMS: "team"}
"""Movement → the kind of entrant that is entered before it can be planned."""


def stage_step(facts: ManageFacts) -> StageStep:
    """Return what the current stage asks for while no round is open; "" where another step does."""
    if facts.event.state != "open" or facts.is_ladder or facts.open_rounds:
        return ""
    is_today = facts.evening is not None and facts.evening.date == facts.today
    here = bool(is_today and facts.attendance.get("here"))
    has_own_rounds = not (facts.next_meeting or facts.past_meeting)
    if here and has_own_rounds and facts.has_planned_rounds:
        return "seat"
    stage = facts.stage
    if stage is None or not stage.movement:
        return ""
    if _is_played(facts):
        return "begin" if stage.next_name else "over"
    if stage.movement in UNITS and not facts.counts.entrants and not (facts.own_rounds or here):
        return "units"
    if not has_own_rounds or (is_today and not here):
        return ""
    return "plan" if here else "evening"


def _is_played(facts: ManageFacts) -> bool:
    """Whether the rounds that the stage needs are closed; a knock-out ends with a single table."""
    if facts.stage is None or not facts.stage.seated:
        return False
    last = facts.own_rounds[-1]
    is_final = facts.stage.movement == StageKind.KNOCKOUT and last.tables == 1
    return facts.stage.is_seated or is_final


def entrants_of_stage(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the pairs or teams of a stage that is played by them."""
    if facts.stage is None or stage_step(facts) != "units":
        return
    kind = UNITS[StageKind(facts.stage.movement)]
    is_today = facts.evening is not None and facts.evening.date == facts.today
    evening = facts.evening.date.isoformat() if facts.evening is not None and is_today else ""
    is_pair = kind == "pair"
    yield ManageStep(
        name=_("Add the pairs") if is_pair else _("Add the teams"),
        reason=_("The event has no pairs yet. They are entered before the seating is planned.")
        if is_pair
        else _("The event has no teams yet. They are entered before the seating is planned."),
        act=ManageAct(
            _("Add pair") if is_pair else _("Add team"),
            f"{event_url(facts.event, 'new-entrant')}?kind={kind}",
        ),
        other=ManageAct(
            _("Take attendance"), event_url(facts.event, "attendance", evening), "take_attendance"
        )
        if evening
        else _plan_evening(facts),
    )


def next_stage(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the stage that is planned after one whose rounds are closed."""
    if facts.stage is not None and stage_step(facts) == "begin":
        names = {"stage": facts.stage.name, "next": facts.stage.next_name}
        yield ManageStep(
            name=_("Begin the stage “%(next)s”") % names,
            reason=_("The rounds of “%(stage)s” are closed. The standings decide who goes on.")
            % names,
            act=ManageAct(_("Begin stage"), event_url(facts.event, "stages")),
            other=_new_round(facts),
        )


def planned_round(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the next round of a plan, or for the plan of the next round."""
    found = stage_step(facts)
    if facts.evening is None or found not in ("seat", "plan"):
        return
    names = {"number": next_number(facts), "stage": facts.stage.name if facts.stage else ""}
    day_of = facts.evening.date.isoformat()
    plans = ManageAct(_("Plan seating"), event_url(facts.event, "seating-plans", day_of))
    if found == "seat":
        yield ManageStep(
            name=_("Seat round %(number)s") % names,
            reason=_("The chosen plan has the tables of round %(number)s.") % names,
            act=ManageAct(_("Seating"), event_url(facts.event, "evening-seating", day_of)),
            other=plans,
        )
        return
    following = facts.stage.next_name if facts.stage else ""
    names["next"] = following
    text = (
        _(
            "The rounds so far are closed. Make a plan for the next round of “%(stage)s”. After "
            "the last one, begin the stage “%(next)s”."
        )
        if following
        else _("The rounds so far are closed. Make a plan for the next one, or close the event.")
    )
    yield ManageStep(
        name=_("Plan round %(number)s") % names,
        reason=text % names,
        act=plans,
        other=ManageAct(_("Stages"), event_url(facts.event, "stages"))
        if following
        else move_act(facts.event, "closed", _("Close event")),
    )


def evening_to_plan(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for an evening whose rounds can be planned."""
    if stage_step(facts) == "evening":
        yield ManageStep(
            name=_("Plan an evening"),
            reason=_(
                "Players are checked in on the evening, and its rounds are planned for those who "
                "are here."
            ),
            act=_plan_evening(facts),
            other=_new_round(facts),
        )


def new_round(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the next round once all are closed, where no stage is played by plans."""
    if facts.event.state != "open" or facts.is_ladder or facts.open_rounds:
        return
    if facts.next_meeting or facts.past_meeting or stage_step(facts):
        return
    count = len(facts.own_rounds)
    text = (
        ngettext("Its round is closed.", "All %(n)s rounds are closed.", count) % {"n": count}
        if count
        else _("The event has no rounds yet.")
    )
    yield ManageStep(
        name=_("Create round %(number)s") % {"number": next_number(facts)},
        reason=f"{text} " + _("Create a round for the next evening, then seat its tables."),
        act=ManageAct(_("New round"), event_url(facts.event, "new-round")),
        other=ManageAct(_("Import sheets"), event_url(facts.event, "upload"), "import_sheets"),
    )


def _plan_evening(facts: ManageFacts) -> ManageAct:
    return ManageAct(_("Plan evening"), event_url(facts.event, "new-meeting"))


def _new_round(facts: ManageFacts) -> ManageAct:
    return ManageAct(_("New round"), event_url(facts.event, "new-round"))
