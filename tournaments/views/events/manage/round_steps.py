"""Steps in the course of a round and of a stage whose rounds are planned."""

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.domain.messages import sentence
from tournaments.models.events import StageKind
from tournaments.models.rounds import RoundState
from tournaments.models.seating_plans import PlanState
from tournaments.selectors.events.meetings import is_over
from tournaments.selectors.rounds.seating_change_text import rematch_text
from tournaments.selectors.seating_plans.current_stage import CurrentStage
from tournaments.templatetags.points import day
from tournaments.views.events.manage.facts import (
    ManageAction,
    ManageFacts,
    ManageStep,
    draft_actions,
)
from tournaments.views.events.manage.partners import partners_step

ENTRANT_KINDS: Final = {StageKind.PAIRS: "pair", StageKind.TEAMS: "team"}
"""Movement → the kind of entrant that is entered before it can be planned."""


def entered_kind(stage: CurrentStage | None) -> str:
    """Return which kind of entrant a stage needs before it can be planned, "" for players."""
    if stage is None or not stage.movement:
        return ""
    return ENTRANT_KINDS.get(StageKind(stage.movement), "")


def complete_rounds(facts: ManageFacts) -> Iterator[ManageStep]:
    for open_round in facts.open_rounds if facts.is_running else ():
        if open_round.is_complete:
            names = {"round": facts.round_words(open_round.number), "n": open_round.tables}
            text = ngettext(
                "Its table is complete.", "All %(n)s tables are complete.", open_round.tables
            )
            yield ManageStep(
                _("Close %(round)s") % names,
                f"{text % names} " + _("Afterwards only directors correct its hands."),
                facts.move_round_action(open_round.number, "closed", _("Close %(round)s") % names),
                facts.round_action(open_round.number),
            )


def draft_rounds(facts: ManageFacts) -> Iterator[ManageStep]:
    for open_round in facts.open_rounds if facts.is_running else ():
        if problem := facts.outdated.get(open_round.number):
            url = f"{facts.url('manage-round', open_round.number)}?back=manage"
            name = _("Draw %(round)s again") % {"round": facts.round_words(open_round.number)}
            yield ManageStep(name, sentence(problem), *draft_actions(url))
        elif open_round.state == RoundState.DRAFT and open_round.tables:
            names = {"round": facts.round_words(open_round.number), "n": open_round.tables}
            text = ngettext(
                "Its table is seated. Hands can be entered after the round is posted.",
                "Its %(n)s tables are seated. Hands can be entered after the round is posted.",
                open_round.tables,
            )
            yield ManageStep(
                _("Post %(round)s") % names,
                f"{text % names} {rematch_text(open_round.row)}".strip(),
                facts.move_round_action(open_round.number, "posted", _("Post %(round)s") % names),
                facts.round_action(open_round.number),
            )


def empty_rounds(facts: ManageFacts) -> Iterator[ManageStep]:
    for open_round in facts.open_rounds if facts.is_running else ():
        if not open_round.tables:
            names = {"round": facts.round_words(open_round.number)}
            by_hand = ManageAction(_("Seat a table"), facts.url("new-table", open_round.number))
            evening = facts.evening
            is_of_evening = evening is not None and open_round.row.meeting_id == evening.pk
            planned = _plan_action(facts) if is_of_evening else None
            yield ManageStep(
                _("Seat the tables of %(round)s") % names,
                _("The round has no tables yet."),
                planned or by_hand,
                by_hand if planned else facts.round_action(open_round.number),
            )


def _plan_action(facts: ManageFacts) -> ManageAction | None:
    is_chosen = facts.plans == PlanState.CHOSEN
    if facts.evening is None or not (is_chosen or facts.attendance.get("here")):
        return None
    name, text = (
        ("evening-seating", _("Seating")) if is_chosen else ("seating-plans", _("Plan seating"))
    )
    return ManageAction(text, facts.url(name, facts.evening.date.isoformat()))


def rounds_in_play(facts: ManageFacts) -> Iterator[ManageStep]:
    if not facts.event.is_open:
        return
    for open_round in sorted(facts.open_rounds, key=lambda row: row is not facts.current):
        if open_round.state == RoundState.DRAFT or open_round.is_complete or not open_round.tables:
            continue
        words = {"round": facts.round_words(open_round.number)}
        enter = ManageAction(
            _("Enter sheets"), facts.url("sheets-to-enter", open_round.number), "enter_hand"
        )
        if open_round.state == RoundState.POSTED:
            links = facts.url("round-links", open_round.number)
            yield ManageStep(
                _("Hand out the links of %(round)s") % words,
                _(
                    "The round is posted and starts with its first hand. Players enter hands with "
                    "their table link, or you enter the sheets."
                ),
                ManageAction(_("Links and QR cards"), links, "manage_links"),
                enter,
            )
            continue
        names = {"n": open_round.open_tables, "of": open_round.tables}
        text = ngettext(
            "%(n)s of %(of)s tables is still open. Enter and confirm its sheet, then close the "
            "round.",
            "%(n)s of %(of)s tables are still open. Enter and confirm their sheets, then close the "
            "round.",
            open_round.open_tables,
        )
        if open_round.tables == 1:
            text = _(
                "Its only table is still open. Enter and confirm its sheet, then close the round."
            )
        yield ManageStep(
            _("Enter the sheets of %(round)s") % words,
            text % names,
            enter,
            facts.round_action(open_round.number),
        )


def meeting_today(facts: ManageFacts) -> Iterator[ManageStep]:
    if facts.is_running and facts.next_meeting == facts.tonight:
        names = {"round": facts.round_words(next_number(facts))}
        if facts.attendance.get("here") and facts.evening is not None:
            day_of = facts.evening.date.isoformat()
            yield ManageStep(
                _("Seat %(round)s") % names,
                _("Attendance is taken, and the evening has no round yet."),
                ManageAction(_("Seating"), facts.url("evening-seating", day_of)),
                ManageAction(_("Create round"), facts.url("new-round")),
            )
            return
        yield ManageStep(
            _("Create %(round)s") % names,
            _("The event meets today and has no round for it yet."),
            ManageAction(_("Create round"), facts.url("new-round")),
        )


def attendance_today(facts: ManageFacts) -> Iterator[ManageStep]:
    evening, open_rounds = facts.evening, facts.open_rounds
    if not facts.is_running or evening is None or facts.attendance.get("here") or open_rounds:
        return
    if evening.date == facts.tonight and facts.next_meeting == facts.tonight:
        yield ManageStep(
            _("Take attendance"),
            _("The event meets today, and nobody is checked in yet."),
            ManageAction(
                _("Take attendance"),
                facts.url("attendance", evening.date.isoformat()),
                "take_attendance",
            ),
            ManageAction(_("Create round"), facts.url("new-round")),
        )


def people_without_plan(facts: ManageFacts) -> Iterator[ManageStep]:
    evening = facts.evening
    n_here = facts.attendance.get("here", 0)
    if not facts.is_running or evening is None or not n_here or facts.open_rounds:
        return
    if evening.date == facts.tonight and facts.plans != PlanState.CHOSEN and facts.next_meeting:
        text = ngettext("%(n)s player is here.", "%(n)s players are here.", n_here) % {"n": n_here}
        more = (
            _("Choose a plan.")
            if facts.plans == PlanState.DRAFT
            else _("Compare plans for the evening and choose one.")
        )
        yield ManageStep(
            _("Plan the seating"),
            f"{text} {more}",
            ManageAction(_("Plan seating"), facts.url("seating-plans", evening.date.isoformat())),
            ManageAction(_("Seat tables by hand"), facts.url("new-round")),
        )


def past_evening(facts: ManageFacts) -> Iterator[ManageStep]:
    if facts.is_running and facts.past_meeting is not None:
        names = {"day": date_format(facts.past_meeting, "j F"), "date": day(facts.past_meeting)}
        sheets = f"{facts.url('paper-sheets')}?date={facts.past_meeting.isoformat()}"
        yield ManageStep(
            _("Enter the evening of %(day)s") % names,
            _("The evening of %(date)s was planned and has no round.") % names,
            ManageAction(_("Enter from paper"), sheets, "import_sheets"),
            ManageAction(
                _("Change evening"), facts.url("change-meeting", facts.past_meeting.isoformat())
            ),
        )


def next_number(facts: ManageFacts) -> int:
    return facts.rounds[-1].number + 1 if facts.rounds else 1


StageStep: TypeAlias = Literal["", "units", "evening", "seat", "plan", "begin", "over"]


def stage_step(facts: ManageFacts) -> StageStep:
    """Return the step of the current stage while no round is open; "" if another step applies."""
    if not facts.event.is_open or facts.is_ladder or facts.open_rounds:
        return ""
    is_today = facts.evening is not None and facts.evening.date == facts.tonight
    is_here = bool(is_today and facts.attendance.get("here"))
    has_own_rounds = not (facts.next_meeting or facts.past_meeting)
    if is_here and has_own_rounds and facts.has_planned_rounds:
        return "seat"
    stage = facts.stage
    if stage is None or not stage.movement:
        return ""
    if _is_played(facts):
        return "begin" if stage.next_name else "over"
    if (
        stage.movement in ENTRANT_KINDS
        and not facts.counts["entrants"]
        and not (facts.own_rounds or is_here)
    ):
        return "units"
    if not has_own_rounds or (is_today and not is_here):
        return ""
    return "plan" if is_here else "evening"


def _is_played(facts: ManageFacts) -> bool:
    """Whether the rounds that the stage needs are closed; a knock-out ends with a single table."""
    if facts.stage is None or not facts.stage.seated:
        return False
    last = facts.own_rounds[-1]
    is_final = facts.stage.movement == StageKind.KNOCKOUT and last.tables == 1
    return facts.stage.is_seated or is_final


def entrants_of_stage(facts: ManageFacts) -> Iterator[ManageStep]:
    if facts.stage is None or stage_step(facts) != "units":
        return
    kind = ENTRANT_KINDS[StageKind(facts.stage.movement)]
    is_today = facts.evening is not None and facts.evening.date == facts.tonight
    evening = facts.evening.date.isoformat() if facts.evening is not None and is_today else ""
    is_pair = kind == "pair"
    yield ManageStep(
        _("Add the pairs") if is_pair else _("Add the teams"),
        _("The event has no pairs yet. They are entered before the seating is planned.")
        if is_pair
        else _("The event has no teams yet. They are entered before the seating is planned."),
        ManageAction(
            _("Add pair") if is_pair else _("Add team"), f"{facts.url('new-entrant')}?kind={kind}"
        ),
        ManageAction(_("Take attendance"), facts.url("attendance", evening), "take_attendance")
        if evening
        else _plan_evening(facts),
    )


def next_stage(facts: ManageFacts) -> Iterator[ManageStep]:
    if facts.stage is not None and stage_step(facts) == "begin":
        names = {"stage": facts.stage.name, "next": facts.stage.next_name}
        yield ManageStep(
            _("Begin the stage “%(next)s”") % names,
            _("The rounds of “%(stage)s” are closed. The standings decide who goes on.") % names,
            ManageAction(_("Begin stage"), facts.url("stages")),
            _new_round(facts),
        )


def ended_evening(facts: ManageFacts) -> Iterator[ManageStep]:
    """Lead to the result of tonight's evening once it is over, before a round that continues it."""
    if facts.evening is None or not facts.event.is_open or not is_over(facts.evening):
        return
    yield ManageStep(
        _("Read the result of the evening"),
        _("The evening is over. Another round continues it."),
        ManageAction(
            _("Result of the evening"), facts.url("evening", facts.evening.date.isoformat())
        ),
        _next_round(facts),
    )


def planned_round(facts: ManageFacts) -> Iterator[ManageStep]:
    step = stage_step(facts)
    if facts.evening is None or step not in ("seat", "plan"):
        return
    names = {
        "round": facts.round_words(next_number(facts)),
        "stage": facts.stage.name if facts.stage else "",
    }
    day_of = facts.evening.date.isoformat()
    plans = ManageAction(_("Plan seating"), facts.url("seating-plans", day_of))
    if facts.own_rounds:
        title = _("Plan %(round)s") % names
        last = facts.own_rounds[-1].row
        blocked = partners_step(facts.event, facts.evening, last, facts.stage, title)
        if blocked is not None:
            yield blocked
            return
    if step == "seat":
        yield ManageStep(
            _("Seat %(round)s") % names,
            _("The tables come from the chosen plan, changed for players who left or came since."),
            _next_round(facts) or ManageAction(_("Seating"), facts.url("evening-seating", day_of)),
            plans,
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
        _("Plan %(round)s") % names,
        " ".join([text % names, *(() if following else facts.questions_at_close)]),
        _next_round(facts) or plans,
        ManageAction(_("Stages"), facts.url("stages"))
        if following
        else facts.move_action("closed", facts.text_to_close),
    )


def _next_round(facts: ManageFacts) -> ManageAction | None:
    """Return the button that plans and seats the round after the last one; None before any."""
    if facts.evening is None or not facts.rounds:
        return None
    url = facts.url("evening-seating", facts.evening.date.isoformat())
    value = str(facts.rounds[-1].number)
    return ManageAction(_("Next round"), url, field="next_round", value=value)


def evening_to_plan(facts: ManageFacts) -> Iterator[ManageStep]:
    if stage_step(facts) == "evening":
        yield ManageStep(
            _("Plan an evening"),
            _(
                "Players are checked in on the evening, and its rounds are planned for those who "
                "are here."
            ),
            _plan_evening(facts),
            _new_round(facts),
        )


def new_round(facts: ManageFacts) -> Iterator[ManageStep]:
    if not facts.event.is_open or facts.is_ladder or facts.open_rounds:
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
        _("Create %(round)s") % {"round": facts.round_words(next_number(facts))},
        f"{text} " + _("Create a round, then seat its tables."),
        ManageAction(_("New round"), facts.url("new-round")),
        ManageAction(_("Enter from paper"), facts.url("paper-sheets"), "import_sheets"),
    )


def _plan_evening(facts: ManageFacts) -> ManageAction:
    return ManageAction(_("Plan evening"), facts.url("new-meeting"))


def _new_round(facts: ManageFacts) -> ManageAction:
    return ManageAction(_("New round"), facts.url("new-round"))
