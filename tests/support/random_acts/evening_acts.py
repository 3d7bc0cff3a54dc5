"""Evenings: planned, attended, planned seats, rounds that are made of a plan."""

from datetime import date, timedelta

from tests.support.builders import TESTS
from tests.support.cast import NOW
from tests.support.random_acts.random_actor import NothingThere, RandomActor
from tournaments.models.meetings import Attendance, AttendanceState, Meeting, Round
from tournaments.models.seating_plans import ConstraintKind, PlanState, SeatingConstraint
from tournaments.models.seating_plans import SeatingPlan as StoredPlan
from tournaments.selectors.rounds.round_seating import round_seating, tables_to_redraw
from tournaments.services.attendance.set_attendance import set_attendance, undo_check_in
from tournaments.services.hands.redraw_tables import SCOPES, redraw_tables
from tournaments.services.rounds.meetings import MeetingChanges, change_meeting, remove_meeting
from tournaments.services.rounds.plan_rounds import make_round_of_plan, redraw_round
from tournaments.services.rounds.rounds import make_round, remove_round
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.constraints import add_constraint, remove_constraint
from tournaments.services.seating_plans.make_plans import make_plans

EVENINGS = 3
COMERS = 12
"""So many of the club come to evenings, so that plans are small."""


class EveningActs(RandomActor):
    """Attendance, seating plans and constraints, and rounds that are made of a plan."""

    def meeting(self) -> Meeting:
        meetings = Meeting.objects.select_related("event__club", "club")
        found = meetings.filter(event__in=self.world.leagues, event__state="open")
        one: Meeting = self.pick(found)
        return one

    def do_plan_evening(self) -> None:
        event = self.event(among=self.world.leagues)
        if Meeting.objects.filter(event=event).count() >= EVENINGS:
            raise NothingThere
        day = NOW.date() + timedelta(days=self.chance.randrange(30))
        remove_round(
            actor=TESTS, round_=make_round(actor=TESTS, event=event, now=NOW, on=day), now=NOW
        )

    def do_move_evening(self) -> None:
        one = self.meeting()
        if self.chance.random() > 0.2:
            raise NothingThere
        to: date = one.date + timedelta(days=1)
        changes = MeetingChanges(day=to)
        change_meeting(actor=TESTS, event=one.event, day=one.date, changes=changes, now=NOW)

    def do_remove_evening(self) -> None:
        one = self.meeting()
        if self.chance.random() > 0.2:
            raise NothingThere
        anyway = self.chance.random() > 0.5
        remove_meeting(actor=TESTS, event=one.event, day=one.date, anyway=anyway, now=NOW)

    def do_attend(self) -> None:
        meeting = self.meeting()
        weights = {AttendanceState.HERE: 8}
        states = list(AttendanceState)
        for player in self.chance.sample(self.world.people[:COMERS], 6):
            at = NOW + timedelta(seconds=next(self.world.moments))
            [state] = self.chance.choices(states, [weights.get(one, 1) for one in states])
            set_attendance(
                actor=TESTS, meeting=meeting, player=player, state=state, stated_at=at, now=at
            )

    def do_undo_check_in(self) -> None:
        at = NOW + timedelta(seconds=next(self.world.moments))
        rows = Attendance.objects.filter(state=AttendanceState.HERE)
        row = self.pick(rows.select_related("meeting__event__club", "player"))
        undo_check_in(actor=TESTS, meeting=row.meeting, player=row.player, stated_at=at, now=at)

    def do_make_plans(self) -> None:
        meeting = self.meeting()
        here = Attendance.objects.filter(meeting=meeting, state=AttendanceState.HERE)
        if here.count() < 4:
            raise NothingThere
        make_plans(actor=TESTS, meeting=meeting, rounds=2, now=NOW)

    def do_choose_plan(self) -> None:
        drafts = StoredPlan.objects.filter(state=PlanState.DRAFT, is_ready=True)
        plan = self.pick(drafts.select_related("event__club"))
        choose_plan(
            actor=TESTS, event=plan.event, plan=plan.public_id, now=NOW,
            anyway=self.chance.random() < 0.5,
        )  # fmt: skip

    def _chosen(self) -> StoredPlan:
        plans = StoredPlan.objects.filter(state=PlanState.CHOSEN)
        one: StoredPlan = self.pick(plans.select_related("event__club", "meeting", "club"))
        return one

    def do_round_of_plan(self) -> None:
        make_round_of_plan(
            actor=TESTS, plan=self._chosen(), now=NOW, adjust=self.chance.random() < 0.7
        )

    def do_redraw(self) -> None:
        plan = self._chosen()
        rounds = Round.objects.filter(meeting=plan.meeting, state__in=("draft", "posted"))
        redraw_round(
            actor=TESTS, round_=self.pick(rounds.select_related("event__club", "club")),
            plan=plan, now=NOW,
        )  # fmt: skip

    def do_redraw_tables(self) -> None:
        rounds = Round.objects.filter(event__in=self.world.leagues, state__in=("posted", "playing"))
        round_ = self.pick(rounds.select_related("event__club", "club", "meeting"))
        found = tables_to_redraw(round_, round_seating(round_))
        redraw_tables(
            actor=TESTS, round_=round_, scope=self.chance.choice(SCOPES), reason="Wrong seats.",
            hands=found.hands, now=NOW,
        )  # fmt: skip

    def do_constraint(self) -> None:
        event = self.event(among=self.world.leagues)
        if SeatingConstraint.objects.filter(event=event).count() > 1:
            raise NothingThere
        first, second = self.chance.sample(self.world.people[:COMERS], 2)
        add_constraint(
            actor=TESTS, event=event, kind=ConstraintKind.APART, player=first.player_id,
            other=second.player_id, now=NOW,
        )  # fmt: skip

    def do_remove_constraint(self) -> None:
        one = self.pick(SeatingConstraint.objects.select_related("event__club"))
        remove_constraint(actor=TESTS, event=one.event, constraint=one.public_id, now=NOW)
