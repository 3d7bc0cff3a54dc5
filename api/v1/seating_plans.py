"""Seating plans of a meeting and their constraints, for directors."""

from collections.abc import Iterable, Sequence
from typing import Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.fields import empty

from api.idempotency import json_answer
from api.lists import Flat
from api.resource_schema import Write
from api.resources import ResourceViewSet, creates, performs, reads, removes, writes
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import (
    BooleanField,
    StrictField,
    TextField,
    WholeNumberField,
    bad_setting,
    is_whole,
)
from api.serializers.strict_serializers import StrictSerializer
from api.v1.addresses import OfMeetingViewSet
from api.v1.fields import IntegerListField, MomentField, StringListField
from api.v1.rounds.meetings import RoundDetailSerializer, round_row
from api.v1.rounds.seat_rounds import SPLIT_HELP
from scoring.errors import shown
from scoring.json_types import JsonDict
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, Round
from tournaments.models.seating_plans import (
    ConstraintKind,
    PlanState,
    SeatingPlan,
)
from tournaments.selectors.events.events import get_round
from tournaments.selectors.seating_plans.plan_page import COMPUTING, FAILED, READY, plan_documents
from tournaments.selectors.seating_plans.plans import (
    constraints_of,
    get_constraint,
    plan_at,
    plans_of,
)
from tournaments.services.operations import Operation
from tournaments.services.rounds.rounds import LAST_ROUND
from tournaments.services.seating_plans.compute_plan import choose_plan, take_best_so_far
from tournaments.services.seating_plans.constraints import add_constraint, remove_constraint
from tournaments.services.seating_plans.make_plans import make_plans
from tournaments.services.seating_plans.next_round import make_next_round

MOVEMENT_HELP: Final = (
    "Way of seating. `individual`: everybody meets many players. `ladder`: neighbours in the "
    "ladder or the standings share a table. `open`: tables form during the evening from the "
    "players who are free. `swiss`: the next round, equal scores share a table. `knockout`: the "
    "next round of those who go on. `whist`: partners change every round. `pairs`: fixed pairs. "
    "`teams`: matches of teams. `moving`: players move as the boards of a duplicate event do. By "
    "default `moving` if boards move, else the movement of the stage, else `individual`."
)
VARIATION_HELP: Final = (
    "Form of the movement. `pairs`: `all_play_all`, `mitchell` or `swiss`; `teams`: `one_table` or "
    "`two_tables`. Empty: the first of these."
)


class PlannedTableSerializer(OutputSerializer):
    """A table of a planned round."""

    number = serializers.IntegerField()
    seats = StringListField(help_text="Ids of players, clockwise.")


class PairExplanationSerializer(OutputSerializer):
    """The reason why two players, or two fixed pairs, share a table of a Swiss round."""

    table = serializers.IntegerField()
    players = StringListField(
        help_text="Ids of both players; of fixed pairs, of all players, those of one pair first."
    )
    entrants = StringListField(
        help_text=(
            "Codes of both fixed pairs; empty for single players, and for two who are together by "
            "a constraint."
        )
    )
    names = StringListField(help_text="Names of both players or pairs.")
    codes = StringListField(
        help_text="Reason as codes: `same_score` or `other_score`, then `not_met` or `met`."
    )
    met = serializers.IntegerField(help_text="Number of earlier rounds at one table.")
    scores = StringListField()
    text = serializers.CharField()


class FloatSerializer(OutputSerializer):
    """A player or a fixed pair at a table where nobody else has the same score."""

    player = serializers.CharField(help_text="The player; for a pair, the first of `players`.")
    players = StringListField()
    entrant = serializers.CharField(
        help_text=(
            "Code of the fixed pair; empty for a player, and for two who are together by a "
            "constraint."
        )
    )
    name = serializers.CharField(help_text="Name of the player or the pair.")
    table = serializers.IntegerField()
    direction = serializers.ChoiceField(choices=["down", "up"])
    again = serializers.BooleanField(help_text="Whether they floated down in the last round too.")


class SmallSeatsSerializer(OutputSerializer):
    """How many seats at small tables a player has had in the event, the planned round included.

    A small table has fewer seats than the largest one of its round.
    """

    player = serializers.CharField()
    times = serializers.IntegerField(
        help_text=(
            "Number of seats at small tables. A player who came late starts with the rounded "
            "average of the others at least."
        )
    )


class PlannedRoundSerializer(OutputSerializer):
    """A planned round."""

    number = serializers.IntegerField(help_text="Number of the round in the evening, from 1.")
    tables = PlannedTableSerializer(many=True)
    sitting_out = StringListField()
    explanations = PairExplanationSerializer(
        many=True, help_text="Reasons for the meetings of a Swiss round; otherwise empty."
    )
    floats = FloatSerializer(
        many=True, help_text="Players or pairs of a Swiss round who meet nobody with their score."
    )
    least_repeats = serializers.IntegerField(
        help_text=(
            "Fewest pairs of players that must meet again in a Swiss round, or in a knock-out "
            "round whose ranks give the tables; a lower bound if `is_exact` is false."
        )
    )
    is_exact = serializers.BooleanField(
        help_text=(
            "Whether all ways to divide the players of a Swiss round, or to exchange equal ranks "
            "in a knock-out round, were compared."
        )
    )
    small_seats = SmallSeatsSerializer(
        many=True, help_text="Seats at small tables by player, for a Swiss round; else empty."
    )
    forced = StringListField(
        help_text=(
            "Sentences on what could not be avoided: third meetings and uneven shares of small "
            "tables in a Swiss round, players who go on in a knock-out by the seeds alone."
        )
    )
    bracket = serializers.ListField(
        child=serializers.DictField(),
        help_text="Rounds of a knock-out from this one on, with tables and slots; otherwise empty.",
    )


class PlanCostSerializer(OutputSerializer):
    """The parts of the cost of a plan; lower is better."""

    repeats = serializers.IntegerField(
        help_text="Number of meetings of two players beyond their first one in the event."
    )
    max_meet = serializers.IntegerField()
    pair_cost = serializers.IntegerField()
    known_pairs = serializers.IntegerField(
        help_text="Number of meetings of two players who met earlier in the event."
    )
    neighbour_repeats = serializers.IntegerField()
    small_table_spread = serializers.IntegerField(
        help_text=(
            "Largest difference between two players in rounds at tables of one size, earlier "
            "rounds of the event included; without the size that has the most seats in the event."
        )
    )
    sit_out_spread = serializers.IntegerField(
        help_text="Largest difference between two players in sit-outs, earlier rounds included."
    )
    seat_spread = serializers.IntegerField()
    sit_outs = serializers.IntegerField()
    lower_bound = serializers.IntegerField()
    opponent_excess = serializers.IntegerField(
        allow_null=True,
        help_text="Number of meetings in the event beyond those that the movement intends.",
    )
    unmet = serializers.IntegerField(
        allow_null=True, help_text="Number of matches still to play after the plan."
    )


class UnevenShareSerializer(OutputSerializer):
    """Players whose sit-outs or rounds at tables of a size differ from others' by two or more."""

    size = serializers.IntegerField(help_text="Number of seats of the tables; 0: sit-outs.")
    players = StringListField(help_text="Ids of players.")
    reason = serializers.CharField(
        help_text="Cause: `together`, `fixed_table`, `apart`, `presence`, `history` or `numbers`."
    )
    text = serializers.CharField()


class PlanProgressSerializer(OutputSerializer):
    """How far a plan is computed, in moves."""

    done = serializers.IntegerField()
    of = serializers.IntegerField()


class PlanProblemSerializer(OutputSerializer):
    """Why no plan was found."""

    code = serializers.CharField()
    facts = serializers.DictField()
    message = serializers.CharField()


class PlanSerializer(OutputSerializer):
    """A seating plan of a meeting."""

    id = serializers.UUIDField()
    date = serializers.DateField()
    state = serializers.ChoiceField(choices=PlanState.choices)
    status = serializers.ChoiceField(choices=[COMPUTING, READY, FAILED])
    movement = serializers.CharField(help_text=MOVEMENT_HELP)
    variation = serializers.CharField(help_text=VARIATION_HELP)
    policy = serializers.CharField(help_text="Division: threes, fives, byes, single or mixed.")
    sizes = IntegerListField()
    seed = serializers.IntegerField()
    iterations = serializers.IntegerField()
    round_count = serializers.IntegerField(help_text="Number of rounds; 0 for an open night.")
    first_round = serializers.IntegerField(help_text="First round of the plan in the evening.")
    players = StringListField()
    rounds = PlannedRoundSerializer(many=True)
    cost = PlanCostSerializer(allow_null=True, help_text="Cost; null while it is computed.")
    repeated_pairs = serializers.IntegerField(
        allow_null=True,
        help_text=(
            "Number of meetings that repeat earlier ones of the event: of two pairs or teams where "
            "some play, else of two players. Null without rounds, and for whist."
        ),
    )
    uneven = UnevenShareSerializer(
        many=True,
        help_text="Players who do not share sit-outs and table sizes evenly, and the reason.",
    )
    minutes_a_round = serializers.IntegerField()
    ends_at = MomentField(allow_null=True)
    progress = PlanProgressSerializer()
    problem = PlanProblemSerializer(allow_null=True)
    advice = serializers.CharField(
        help_text=(
            "Sentence on how many more pairs, teams or players would let everybody play; empty if "
            "the number is right."
        )
    )
    left = StringListField(
        help_text="Names of players who can no longer play all rounds of the plan."
    )
    came = StringListField(help_text="Names of players who are present and not in the plan.")
    created_at = MomentField()
    chosen_at = MomentField(allow_null=True)


class MadePlansSerializer(OutputSerializer):
    """The plans that were made, the preferred one first."""

    plans = PlanSerializer(many=True)


class NumberField(StrictField, serializers.IntegerField):
    """A whole number, whose range the service judges."""

    def to_internal_value(self, data: object) -> object:
        if not is_whole(data):
            raise bad_setting(self, shown(data), "a whole number")
        return data


class SizesField(StrictField, serializers.ListField):
    """Numbers of seats."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list) or len(data) > 50 or not all(map(is_whole, data)):
            raise bad_setting(self, shown(data), "a list of numbers, as in [4, 3]")
        return data


class NewPlansSerializer(StrictSerializer):
    """The rounds, sizes, movement and seed of new plans."""

    rounds = NumberField(
        left_out=empty,
        help_text=(
            "Number of rounds, 1 to 60; by default those that have boards, else those that the "
            "stage has left. Ignored for an open night."
        ),
    )
    sizes = SizesField(
        left_out=empty,
        child=serializers.IntegerField(),
        help_text=(
            "Numbers of seats that tables may have; by default those of the stage, else four in a "
            "duplicate event, else those that the club prefers."
        ),
    )
    movement = TextField(left_out=empty, help_text=MOVEMENT_HELP)
    variation = TextField(left_out=empty, help_text=VARIATION_HELP)
    seed = NumberField(left_out=empty, help_text="Seed of the draw; random by default.")
    stage = NumberField(
        left_out=empty,
        help_text="Number of the stage to plan for; by default the last that has begun.",
    )


class ChoiceOfPlanSerializer(StrictSerializer):
    """The choice of a plan."""

    anyway = BooleanField(left_out=False, help_text="Whether to choose it if more players came.")


class NextRoundSerializer(StrictSerializer):
    """The next round of an evening."""

    after = WholeNumberField(
        code="bad_round_number",
        expected=f"1 to {LAST_ROUND}",
        within=(1, LAST_ROUND),
        required=False,
        left_out=None,
        help_text="Number of the round that it follows; by default the last one of the event.",
    )
    split_sides = BooleanField(left_out=False, help_text=SPLIT_HELP)


class ConstraintSerializer(OutputSerializer):
    """Two players who sit apart or together, or one player at a fixed table."""

    id = serializers.UUIDField(source="public_id")
    kind = serializers.ChoiceField(choices=ConstraintKind.choices)
    player = serializers.CharField(source="player.player_id")
    other = serializers.CharField(source="other.player_id", default=None, allow_null=True)
    table = serializers.IntegerField(source="table_number", allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    created_at = MomentField()


def _documents(event: Event, plans: Iterable[SeatingPlan]) -> Sequence[JsonDict]:
    plans = tuple(plans)
    for plan in plans:
        plan.event = event
    return plan_documents(event, plans, now=timezone.now())


class MeetingPlanViewSet(OfMeetingViewSet):
    """The seating plans of a meeting, the newest first; for directors."""

    resource = ("plan", "plans")
    read_right = "manage_event"
    serializer_class, detail_serializer_class = PlanSerializer, MadePlansSerializer
    ordering = ()
    columns = (
        *("id", "date", "state", "status", "movement", "policy", "seed", "round_count"),
        *("round", "table", "seat", "player_id"),
    )
    location_text = "The address of the plans of the meeting."
    create = creates(make_plans, NewPlansSerializer, later=MadePlansSerializer)

    def get_queryset(self) -> Sequence[JsonDict]:
        return _documents(self.parent, plans_of(self.get_subject()).select_related("meeting"))

    def get_lines(self, row: Flat) -> Iterable[Flat]:
        """Return a line for each seat and each sit-out; one for a plan that has no rounds yet."""
        for round_ in row["rounds"]:
            line = {**row, "round": round_["number"]}
            for table in round_["tables"]:
                for seat, player in enumerate(table["seats"], 1):
                    yield {**line, "table": table["number"], "seat": seat, "player_id": player}
            for player in round_["sitting_out"]:
                yield {**line, "player_id": player}
        if not row["rounds"]:
            yield row

    def get_row(self, result: Sequence[SeatingPlan]) -> JsonDict:
        return {"plans": _documents(self.parent, result)}

    def get_status(self, write: Write, result: Sequence[SeatingPlan]) -> int:
        return 201 if all(plan.is_ready for plan in result) else 202


class NextRoundViewSet(OfMeetingViewSet):
    """The next round of an evening, planned and seated in one request."""

    is_single = True
    resource = ("round", "rounds")
    serializer_class = RoundDetailSerializer
    submit = writes(make_next_round, NextRoundSerializer, status=201, later=MadePlansSerializer)

    def perform_submit(self, op: Operation, body: JsonDict) -> Round | HttpResponse:
        meeting = self.get_subject()
        meeting.event = self.parent
        round_ = make_next_round(op, meeting, after=body["after"], split_sides=body["split_sides"])
        if round_ is not None:
            return round_
        return self._plans_to_compute(meeting)

    def _plans_to_compute(self, meeting: Meeting) -> HttpResponse:
        """Return the answer where a worker computes the plans, of which one is to be chosen."""
        plans = plans_of(meeting).select_related("meeting")
        row = {"plans": _documents(self.parent, plans)}
        answer = json_answer(plain(MadePlansSerializer)(row), status=202)
        address = (self.parent.club.slug, self.parent.slug, meeting.date.isoformat())
        answer["Location"] = reverse("list_plans", args=address)
        return answer

    def get_row(self, result: Round) -> JsonDict:
        return round_row(self.actor, self.parent, get_round(self.parent, result.number))

    def get_location(self, result: Round) -> str:
        address = (self.parent.club.slug, self.parent.slug, result.number)
        return reverse("read_round", args=address)


class PlanViewSet(ResourceViewSet):
    """The seating plans of an event; for directors."""

    resource = ("plan", "plans")
    read_right = "manage_event"
    lookup_url_kwarg = "plan"
    serializer_class = PlanSerializer
    row_selector = staticmethod(plan_at)
    retrieve = reads("One seating plan; for directors.")
    choose = performs(choose_plan, "choose", body=ChoiceOfPlanSerializer, name="choose_plan")
    take = performs(take_best_so_far, "take", name="take_best_plan")

    def get_row(self, result: SeatingPlan) -> JsonDict:
        (document,) = _documents(self.parent, [result])
        return document


class NewConstraintSerializer(StrictSerializer):
    """A constraint to add."""

    kind = TextField(help_text="`apart`, `together` or `fixed_table`.")
    player = TextField(help_text="Id of a player.")
    other = TextField(left_out=empty, help_text="The second player, for `apart` and `together`.")
    table = NumberField(left_out=empty, help_text="Number of the table, for `fixed_table`.")
    reason = TextField(left_out=empty, help_text="The reason; only directors can read it.")


class ConstraintViewSet(ResourceViewSet):
    """The seating constraints of an event with their reasons; for directors."""

    resource = ("constraint", "constraints")
    read_right = "manage_event"
    lookup_url_kwarg = "constraint"
    serializer_class = ConstraintSerializer
    row_selector = staticmethod(get_constraint)
    rows_selector = staticmethod(constraints_of)
    create = creates(add_constraint, NewConstraintSerializer)
    destroy = removes(remove_constraint, "RemovedConstraint", "The constraint that was removed.")
