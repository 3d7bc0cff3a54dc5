"""The step before the next round of pairs or teams where somebody has no partner."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from tournaments.domain.messages import sentence
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, Round
from tournaments.selectors.events.events import event_url
from tournaments.selectors.seating_plans.current_stage import CurrentStage
from tournaments.selectors.seating_plans.people_here import (
    find_partnerless,
    people_here,
    units_here,
)
from tournaments.services.seating_plans.next_round import partner_problems
from tournaments.views.events.manage.facts import ManageAction, ManageStep


@dataclass(frozen=True, slots=True)
class PartnersStep(ManageStep):
    """Leads to what makes the next round possible, in the place of Next round."""


def partners_step(
    event: Event, meeting: Meeting, previous: Round, stage: CurrentStage | None, name: str = ""
) -> PartnersStep | None:
    """Return the step where Next round would be refused for missing partners; None if it is not.

    Args:
        previous: the last round of the event.
        stage: the current one.
    """
    meeting.event = event
    problems = partner_problems(meeting, previous, stage)
    if not problems:
        return None
    day = meeting.date.isoformat()
    attendance = ManageAction(
        _("Attendance"), event_url("attendance", event, day), "take_attendance"
    )
    entrants = ManageAction(_("Pairs and teams"), event_url("entrants", event))
    plans = ManageAction(_("Make a pair"), event_url("seating-plans", event, day))
    together_url = f"{event_url('seating-constraints', event)}?day={day}&kind=together#add"
    together = ManageAction(_("Let two play together"), together_url)
    reason = " ".join(map(sentence, problems))
    codes = {problem.code for problem in problems}
    if "players_without_partner" in codes:
        _units, alone = units_here(event, people_here(meeting))
        people = [(person.pk, person.player_id, person.name) for person in alone]
        partnerless = find_partnerless(event, people)
        if partnerless.may_pair:
            return PartnersStep(name, reason, plans, attendance)
        if partnerless.names_with_results:
            return PartnersStep(name, reason, together, attendance)
        return PartnersStep(name, reason, attendance, entrants)
    if codes & {"pair_incomplete", "team_incomplete"}:
        return PartnersStep(name, reason, attendance, entrants)
    return PartnersStep(name, reason, entrants, attendance)
