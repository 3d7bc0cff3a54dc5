"""Steps in the course of a round, from its creation to its end."""

from collections.abc import Iterator

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.models.meetings import RoundState
from tournaments.models.seating_plans import PlanState
from tournaments.presenters.events.manage_facts import ManageFacts
from tournaments.templatetags.points import day
from tournaments.views.events.manage.acts import (
    ManageAct,
    ManageStep,
    event_url,
    manage_round_act,
    move_round_act,
)


def complete_rounds(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for rounds to be closed whose tables are all complete."""
    for one in facts.open_rounds if facts.is_running else ():
        if one.is_complete:
            names = {"number": one.number, "n": one.tables}
            text = ngettext("Its table is complete.", "All %(n)s tables are complete.", one.tables)
            yield ManageStep(
                name=_("Close round %(number)s") % names,
                reason=f"{text % names} " + _("Afterwards only directors correct its hands."),
                act=move_round_act(
                    facts.event, one.number, "closed", _("Close round %(number)s") % names
                ),
                other=manage_round_act(facts.event, one.number),
            )


def draft_rounds(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for seated rounds to be posted."""
    for one in facts.open_rounds if facts.is_running else ():
        if one.state == RoundState.DRAFT and one.tables:
            names = {"number": one.number, "n": one.tables}
            text = ngettext(
                "Its table is seated. Hands can be entered after the round is posted.",
                "Its %(n)s tables are seated. Hands can be entered after the round is posted.",
                one.tables,
            )
            yield ManageStep(
                name=_("Post round %(number)s") % names,
                reason=text % names,
                act=move_round_act(
                    facts.event, one.number, "posted", _("Post round %(number)s") % names
                ),
                other=ManageAct(
                    _("Seating"), event_url(facts.event, "evening-seating", one.on.isoformat())
                )
                if one.on
                else manage_round_act(facts.event, one.number),
            )


def empty_rounds(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the tables of rounds that have none."""
    for one in facts.open_rounds if facts.is_running else ():
        if not one.tables:
            names = {"number": one.number}
            by_hand = ManageAct(_("Seat a table"), event_url(facts.event, "new-table", one.number))
            planned = _plan_act(facts) if one is facts.current else None
            yield ManageStep(
                name=_("Seat the tables of round %(number)s") % names,
                reason=_("The round has no tables yet."),
                act=planned or by_hand,
                other=by_hand if planned else manage_round_act(facts.event, one.number),
            )


def _plan_act(facts: ManageFacts) -> ManageAct | None:
    """The way to the plans of the current evening, where people are here."""
    if facts.evening is None or not facts.attendance.get("here"):
        return None
    name, text = (
        ("evening-seating", _("Seating"))
        if facts.plans == PlanState.CHOSEN
        else ("seating-plans", _("Plan seating"))
    )
    return ManageAct(text, event_url(facts.event, name, facts.evening.date.isoformat()))


def rounds_in_play(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the sheets of rounds that are posted or in progress."""
    if facts.event.state != "open":
        return
    for one in sorted(facts.open_rounds, key=lambda one: one is not facts.current):
        if one.state == RoundState.DRAFT or one.is_complete or not one.tables:
            continue
        names = {"number": one.number, "n": one.open_tables, "of": one.tables}
        if one.state == RoundState.POSTED:
            text = _(
                "The round is posted and starts with its first hand. Players enter hands with "
                "their table link, or you enter the sheets."
            )
        else:
            text = ngettext(
                "%(n)s of %(of)s tables is still open. The round can be closed when it is "
                "complete.",
                "%(n)s of %(of)s tables are still open. The round can be closed when they are "
                "complete.",
                one.open_tables,
            )
        yield ManageStep(
            name=_("Enter the sheets of round %(number)s") % names,
            reason=text % names,
            act=ManageAct(
                _("Enter sheets"),
                event_url(facts.event, "sheets-to-enter", one.number),
                "enter_hand",
            ),
            other=ManageAct(
                _("Table links"), event_url(facts.event, "round-links", one.number), "manage_links"
            )
            if one.state == RoundState.POSTED
            else manage_round_act(facts.event, one.number),
        )


def meeting_today(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the round of an evening that is planned for today."""
    if facts.is_running and facts.next_meeting == facts.today:
        number = next_number(facts)
        if facts.attendance.get("here") and facts.evening is not None:
            day_of = facts.evening.date.isoformat()
            yield ManageStep(
                name=_("Seat round %(number)s") % {"number": number},
                reason=_("Attendance is taken, and the evening has no round yet."),
                act=ManageAct(_("Seating"), event_url(facts.event, "evening-seating", day_of)),
                other=ManageAct(_("Create round"), event_url(facts.event, "new-round")),
            )
            return
        yield ManageStep(
            name=_("Create round %(number)s") % {"number": number},
            reason=_("The event meets today and has no round for it yet."),
            act=ManageAct(_("Create round"), event_url(facts.event, "new-round")),
        )


def attendance_today(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the attendance of today's evening, until somebody is here or a round is there."""
    evening, open_rounds = facts.evening, facts.open_rounds
    if not facts.is_running or evening is None or facts.attendance.get("here") or open_rounds:
        return
    if evening.date == facts.today and facts.next_meeting == facts.today:
        yield ManageStep(
            name=_("Take attendance"),
            reason=_("The event meets today, and nobody is checked in yet."),
            act=ManageAct(
                _("Take attendance"),
                event_url(facts.event, "attendance", evening.date.isoformat()),
                "take_attendance",
            ),
            other=ManageAct(_("Create round"), event_url(facts.event, "new-round")),
        )


def people_without_plan(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the plans of today's evening, once people are here and no plan is chosen."""
    evening, here = facts.evening, facts.attendance.get("here", 0)
    if not facts.is_running or evening is None or not here or facts.open_rounds:
        return
    if evening.date == facts.today and facts.plans != PlanState.CHOSEN and facts.next_meeting:
        text = ngettext("%(n)s player is here.", "%(n)s players are here.", here) % {"n": here}
        more = (
            _("Plans are ready; choose one.")
            if facts.plans == PlanState.DRAFT
            else _("Compare plans for the evening and choose one.")
        )
        yield ManageStep(
            name=_("Plan the seating"),
            reason=f"{text} {more}",
            act=ManageAct(
                _("Plan seating"),
                event_url(facts.event, "seating-plans", evening.date.isoformat()),
            ),
            other=ManageAct(_("Seat tables by hand"), event_url(facts.event, "new-round")),
        )


def past_evening(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the round of an evening that is over and was not entered."""
    if facts.is_running and facts.past_meeting is not None:
        names = {
            "number": next_number(facts),
            "day": date_format(facts.past_meeting, "j F"),
            "date": day(facts.past_meeting),
        }
        yield ManageStep(
            name=_("Create round %(number)s for %(day)s") % names,
            reason=_("The evening of %(date)s was planned and has no round.") % names,
            act=ManageAct(
                _("Create round"),
                f"{event_url(facts.event, 'new-round')}?on={facts.past_meeting.isoformat()}",
            ),
            other=ManageAct(
                _("Change evening"),
                event_url(facts.event, "change-meeting", facts.past_meeting.isoformat()),
            ),
        )


def next_number(facts: ManageFacts) -> int:
    """Return the number of the next round."""
    return facts.rounds[-1].number + 1 if facts.rounds else 1
