"""Every operation on an event, done to what is there: `RandomOperations(world, seed).one()`.

An operation looks for something it may be done to, so that it is done often, and does it through
its service. Others do theirs meanwhile, so that it may be refused all the same.
"""

from datetime import date, timedelta

from django.db.models import QuerySet

from tests.support.builders import by_tests, counts, league
from tests.support.cast import NOW
from tests.support.random_operations.event_operations import (
    EventOperations,
    ImportOperations,
    LadderOperations,
)
from tests.support.random_operations.random_actor import NothingThere, RandomActor
from tests.support.random_operations.table_operations import HandOperations, TableOperations
from tournaments.models.clubs import Player
from tournaments.models.hands import Game, Hand
from tournaments.models.playoffs import LIVE, Playoff, is_unanswered
from tournaments.models.playoffs import OVER as OVER_PLAYOFFS
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, Round
from tournaments.models.seating_plans import ConstraintKind, PlanState, SeatingConstraint
from tournaments.models.seating_plans import SeatingPlan as StoredPlan
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.services.attendance.set_attendance import set_attendance, undo_check_in
from tournaments.services.events.events import move_event
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.redraw_tables import SCOPES, redraw_tables
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.playoffs import director_actions
from tournaments.services.playoffs.director_actions import free_chairs
from tournaments.services.previewing.playoff_answers import answers_about
from tournaments.services.previewing.run_preview import ChosenHands, preview, save_as_previewed
from tournaments.services.publishing.history import make_piece
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds import seating
from tournaments.services.rounds.meetings import change_meeting, remove_meeting
from tournaments.services.rounds.plan_rounds import make_round_of_plan, redraw_round
from tournaments.services.rounds.rounds import make_round, remove_round
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.constraints import add_constraint, remove_constraint
from tournaments.services.seating_plans.make_plans import make_plans

EVENINGS = 3
COMERS = 12
"""So many of the club come to evenings, so that plans are small."""


class EveningOperations(RandomActor):
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
        remove_round(by_tests(), make_round(by_tests(), event, on=day))

    def do_move_evening(self) -> None:
        one = self.meeting()
        if self.chance.random() > 0.2:
            raise NothingThere
        to: date = one.date + timedelta(days=1)
        change_meeting(by_tests(), one, day=to)

    def do_remove_evening(self) -> None:
        one = self.meeting()
        if self.chance.random() > 0.2:
            raise NothingThere
        anyway = self.chance.random() > 0.5
        remove_meeting(by_tests(), one, anyway=anyway)

    def do_attend(self) -> None:
        meeting = self.meeting()
        weights = {AttendanceState.HERE: 8}
        states = list(AttendanceState)
        for player in self.chance.sample(self.world.people[:COMERS], 6):
            at = NOW + timedelta(seconds=next(self.world.moments))
            [state] = self.chance.choices(states, [weights.get(one, 1) for one in states])
            set_attendance(by_tests(at), meeting, player=player, state=state, stated_at=at)

    def do_undo_check_in(self) -> None:
        at = NOW + timedelta(seconds=next(self.world.moments))
        rows = Attendance.objects.filter(state=AttendanceState.HERE)
        row = self.pick(rows.select_related("meeting__event__club", "player"))
        undo_check_in(by_tests(at), row.meeting, player=row.player, stated_at=at)

    def do_make_plans(self) -> None:
        meeting = self.meeting()
        here = Attendance.objects.filter(meeting=meeting, state=AttendanceState.HERE)
        if here.count() < 4:
            raise NothingThere
        make_plans(by_tests(), meeting, rounds=2)

    def do_choose_plan(self) -> None:
        drafts = StoredPlan.objects.filter(state=PlanState.DRAFT, is_ready=True)
        plan = self.pick(drafts.select_related("event__club"))
        choose_plan(by_tests(), plan, anyway=self.chance.random() < 0.5)  # fmt: skip

    def _chosen(self) -> StoredPlan:
        plans = StoredPlan.objects.filter(state=PlanState.CHOSEN)
        one: StoredPlan = self.pick(plans.select_related("event__club", "meeting", "club"))
        return one

    def do_round_of_plan(self) -> None:
        make_round_of_plan(by_tests(), self._chosen(), adjust=self.chance.random() < 0.7)

    def do_redraw(self) -> None:
        plan = self._chosen()
        rounds = Round.objects.filter(meeting=plan.meeting, state__in=("draft", "posted"))
        redraw_round(by_tests(), self.pick(rounds.select_related("event__club", "club")), plan=plan)

    def do_redraw_tables(self) -> None:
        rounds = Round.objects.filter(event__in=self.world.leagues, state__in=("posted", "playing"))
        round_ = self.pick(rounds.select_related("event__club", "club", "meeting"))
        found = round_seating(round_)
        redraw_tables(
            by_tests(), round_, scope=self.chance.choice(SCOPES), reason="Wrong seats.",
            hands=found.hands_in_play,
        )  # fmt: skip

    def do_constraint(self) -> None:
        event = self.event(among=self.world.leagues)
        if SeatingConstraint.objects.filter(event=event).count() > 1:
            raise NothingThere
        first, second = self.chance.sample(self.world.people[:COMERS], 2)
        add_constraint(
            by_tests(),
            event,
            kind=ConstraintKind.APART,
            player=first.player_id,
            other=second.player_id,
        )

    def do_remove_constraint(self) -> None:
        one = self.pick(SeatingConstraint.objects.select_related("event__club"))
        remove_constraint(by_tests(), one)


PLAYOFFS = 6
"""So many play-offs are played at most at a time."""
PLAYED_OFF = {"boundaries": {"title": 1}, "playoff": "extra_hands", "correction_window_h": 1}


class PlayoffOperations(RandomActor):
    """Play-offs: ties, hands, lots, decisions."""

    def do_tie(self) -> None:
        live = Playoff.objects.filter(state__in=LIVE, is_waived=False)
        if live.count() >= PLAYOFFS:
            raise NothingThere
        slug = f"tied-{self.name}-{len(self.world.tied)}"
        event = league(self.world.club, slug=slug, settings=PLAYED_OFF)
        game = seating.seat_table(
            by_tests(), event, round_number=1, players=self.chance.sample(self.world.people, 4)
        )
        self.world.tied.append(event.pk)
        # Two who are tied need a third at their table: a chair for somebody neutral.
        entry = counts([2, 2, 4, 5], 3) if len(self.world.tied) % 2 else counts([4, 4, 4, 1], 3)
        self.record(game, 1, entry=entry)
        round_ = Round.objects.select_related("event", "club").get(event=event)
        close_tables(by_tests(), round_)
        self.move(round_, "closed")
        move_event(by_tests(), event, to="closed")
        self.look(event)

    def do_look(self) -> None:
        self.look(self.event("closed", "final"))

    def _playoffs(self) -> QuerySet[Playoff]:
        playoffs = Playoff.objects.filter(state__in=LIVE, is_waived=False)
        return playoffs.select_related("event__club", "club")

    def _playoff(self) -> Playoff:
        one: Playoff = self.pick(self._playoffs())
        return one

    def do_playoff_hand(self) -> None:
        game = self.pick(
            self.games(counts=False, state__in=("seated", "playing")).exclude(
                table__round__state="closed"
            )
        )
        self.record(game, self.next_number(game))

    def _playoff_hand(self) -> Hand:
        void = Playoff.objects.filter(state="void", stage__isnull=False).values("stage")
        games = Game.objects.filter(counts=False).exclude(table__round__stage__in=void)
        return self.hand(state="accepted", game__in=games)

    def do_playoff_correct(self) -> None:
        hand = self._playoff_hand()
        self.record(hand.game, hand.number, based_on=hand.revision, reason="read again")

    def do_playoff_void_hand(self) -> None:
        hand = self._playoff_hand()
        void_hand(
            by_tests(), hand.game, number=hand.number, based_on=hand.revision,
            reason="twice",
        )  # fmt: skip

    def do_void_playoff(self) -> None:
        self._to("void")

    def do_lots(self) -> None:
        self._to("by_lot")

    def _to(self, to: str) -> None:
        one = self._playoff()
        director_actions.move_playoff(
            by_tests(), one.event, number=one.number, to=to, reason="agreed"
        )

    def do_waive(self) -> None:
        one = self._playoff()
        director_actions.waive_playoff(by_tests(), one.event, number=one.number, reason="too late")

    def do_gone(self) -> None:
        one = self._playoff()
        member = self.pick(one.members.select_related("entrant"))
        director_actions.retire_member(
            by_tests(), one.event, number=one.number, player_id=member.entrant.code, why="no_show"
        )

    def do_neutral(self) -> None:
        one = self.pick([playoff for playoff in self._playoffs() if free_chairs(playoff)])
        who = [self.pick(Player.objects.filter(club=one.event.club).order_by("pk")).player_id]
        director_actions.seat_neutrals(by_tests(), one.event, number=one.number, players=who)

    def do_extend(self) -> None:
        one = self._playoff()
        director_actions.extend_playoff(by_tests(), one.event, number=one.number, hands=1)

    def do_touch(self) -> None:
        """Correct what a finished play-off stands on, as looked at before; then it is asked."""
        over = Playoff.objects.filter(state__in=OVER_PLAYOFFS, asked__isnull=True)
        event = self.pick(over.select_related("event__club")).event
        hand = self.hand(state="accepted", game__event=event, game__counts=True)
        entry = counts(self.chance.choice([(3, 5, 4, 1), (4, 4, 3, 2), (4, 4, 4, 1)]), 3)

        def change() -> object:
            return record_entry(
                by_tests(), hand.game, number=hand.number, entry=entry, source="host",
                based_on=hand.revision, reason="read again",
            )  # fmt: skip

        at = ChosenHands(event, hand.game.table.code, hand.number)
        save_as_previewed(at, change, digest=preview(at, change, now=NOW).digest, now=NOW)
        self.look(event)

    def _asked(self) -> Playoff:
        playoffs = Playoff.objects.filter(state__in=OVER_PLAYOFFS, asked__isnull=False)
        rows = [
            playoff
            for playoff in playoffs.select_related("event__club")
            if is_unanswered(playoff.asked)
        ]
        one: Playoff = self.pick(rows)
        return one

    def do_answer(self) -> None:
        one = self._asked()
        answers_about(by_tests(), one.event, one.number)
        director_actions.answer_playoff(
            by_tests(),
            one.event,
            number=one.number,
            answer=self.chance.choice(director_actions.ANSWERS),
            reason="agreed",
        )


class RandomOperations(
    EveningOperations,
    HandOperations,
    TableOperations,
    EventOperations,
    ImportOperations,
    PlayoffOperations,
    LadderOperations,
):
    """All operations, and those of workers."""

    def do_publish(self) -> None:
        publish(self.chance.choice([*self.world.events, self.world.ladder]), now=NOW)

    def do_publish_ladder(self) -> None:
        publish(self.world.ladder, now=NOW)
        publish_ladder(self.world.ladder, now=NOW)

    def do_companions(self) -> None:
        make_piece(self.chance.choice(self.world.leagues), clock=lambda: NOW)
