"""Seating whole rounds, from the chosen plan or as listed, their states and sit-outs."""

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import QuerySet
from rest_framework import serializers

from api.lists import Filter, limited
from api.resources import ResourceViewSet, creates, performs, reads, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import (
    BooleanField,
    ChoiceTextField,
    DayField,
    StrictField,
    TextField,
    WholeNumberField,
)
from api.serializers.strict_serializers import StrictSerializer
from api.v1.rounds.meetings import (
    RoundClockSerializer,
    RoundDetailSerializer,
    RoundExtensionSerializer,
    RoundSerializer,
    round_row,
)
from api.v1.rounds.tables import ChosenGameSerializer
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from tournaments.models.rounds import Round, RoundState, SitOutReason
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.events.events import get_round
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.rounds.round_progress import RoundClock, round_clock
from tournaments.selectors.rounds.rounds import rounds_with_tables
from tournaments.selectors.seating_plans.plans import plan_at
from tournaments.services.drafts import draw_round_again, move_drawn_round
from tournaments.services.events.adjustments import end_sit_out, sit_out
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.redraw_tables import AGAIN, BY_PLAN, redraw_tables
from tournaments.services.operations import Operation
from tournaments.services.rounds.arrange_round import sit_out_unseated
from tournaments.services.rounds.plan_rounds import (
    ListedTable,
    make_round_of_plan,
    make_seated_round,
    plan_of,
    redraw_round,
)
from tournaments.services.rounds.rounds import (
    LAST_ROUND,
    change_round_game,
    extend_round,
    remove_round,
)

MOST_SEATS: Final = 13
_MAKE: Final = """\
Seat a round as a draft: all tables, seats and sit-outs at once.

Without `tables` the round comes from the chosen plan; a second request for it returns the round
that exists. If the round before is not closed, or players left or came since the plan was
chosen, the answer is 409 and names them."""
_REDRAW: Final = """\
Seat the players of a round anew, with the fewest repeats.

With the scope `unplayed` players at tables without hands change seats among themselves. With
`all` the tables that play are abandoned: their hands no longer count but stay in the history,
and the players move to tables with new numbers. If `hands` is not the number of hands that are
discarded, the answer is 409 with the number of each table. With `plan` a round without hands is
seated by the next round of the plan that is chosen now. With `again` a draft is drawn again in
the same way as before, from the standings, people and settings of now."""
_NUMBERS: Final[Mapping[str, Any]] = {
    "code": "bad_round_number",
    "expected": f"1 to {LAST_ROUND}",
    "within": (1, LAST_ROUND),
    "required": False,
    "left_out": None,
}
_EXPECTED: Final = 'a list of tables, each {"number"?, "seats": [ids of players], "variant"?}'


class TablesField(StrictField, serializers.ListField):
    """Tables with their players."""

    child = serializers.DictField()

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list) or not data:
            raise _bad_tables(data)
        return [_new_table(table) for table in data]


SPLIT_HELP: Final = (
    "Whether to seat partners who are not a pair, pairs who have met before, and newcomers "
    "without a partner as sitting out; by default they are asked about (422)."
)


class NewRoundSerializer(ChosenGameSerializer):
    """A round to seat: from the chosen plan of an evening, or with the listed `tables`."""

    order = (
        *("number", "date", "plan", "round", "adjust", "split_sides"),
        *("variant", "options", "tables"),
    )

    number = WholeNumberField(
        **_NUMBERS, help_text="Number of the round, with `tables`; by default the next one."
    )
    date = DayField(
        required=False, help_text="Date of the evening; without `plan` its chosen plan is used."
    )
    plan = TextField(required=False, help_text="Id of the chosen plan.")
    round = WholeNumberField(
        **_NUMBERS, help_text="Number of the round in the plan; by default the next one."
    )
    adjust = BooleanField(
        left_out=False,
        help_text="Whether to fit the plan to who came or left since, moving the fewest players.",
    )
    split_sides = BooleanField(left_out=False, help_text=SPLIT_HELP)
    tables = TablesField(left_out=None, help_text="Tables with `seats`, ids of players clockwise.")


class RoundMoveSerializer(StrictSerializer):
    """The state that a round goes to."""

    to = ChoiceTextField(choices=RoundState.choices)
    reason = TextField(required=False, help_text="Reason to reopen a round.")
    anyway = BooleanField(
        left_out=False,
        help_text="Whether to post a draft although what it was drawn from has changed.",
    )


class RedrawSerializer(StrictSerializer):
    """Which tables of a round are redrawn."""

    scope = TextField(
        left_out="unplayed",
        help_text=(
            "Tables to redraw. `unplayed`: those without hands. `all`: those that play too, which "
            "are abandoned. `plan`: all, by the next round of the plan that is chosen now. "
            "`again`: a draft of a Swiss, a knock-out or a ladder night, by what is known now."
        ),
    )
    reason = TextField(
        required=False, help_text="Reason of the redraw; required if the round has a hand."
    )
    split_sides = BooleanField(left_out=False, help_text=SPLIT_HELP)
    hands = WholeNumberField(
        code="bad_number_of_hands",
        expected="0 or more",
        left_out=0,
        help_text="Number of hands that the caller expects to discard with `all`.",
    )


class RoundRemovalSerializer(OutputSerializer):
    """A round that was removed."""

    number = serializers.IntegerField()


class RoundViewSet(ResourceViewSet):
    """The rounds of an event by number."""

    resource = ("round", "rounds")
    lookup_field = lookup_url_kwarg = lookup_value_converter = "number"
    serializer_class = RoundSerializer
    row_selector = staticmethod(get_round)
    detail_serializer_class = RoundDetailSerializer
    ordering = ("number",)
    filters = (
        Filter("state", "Only rounds in this state.", RoundState.values),
        Filter("meeting", "Only rounds of the meeting of this local day.", is_day=True),
    )
    retrieve = reads("One round, with the results at each of its tables.")
    create = creates(make_round_of_plan, NewRoundSerializer, name="make_round", text=_MAKE)
    destroy = writes(remove_round, None, answer=RoundRemovalSerializer)
    state = performs(move_drawn_round, "state", body=RoundMoveSerializer, name="move_round")
    game = performs(change_round_game, "game", body=ChosenGameSerializer)
    redraw = performs(redraw_round, "redraw", body=RedrawSerializer, text=_REDRAW)
    sit_out_unseated = performs(sit_out_unseated, "sit-out-unseated")
    close_tables = performs(close_tables, "close-tables", right="close_table")
    extend = performs(
        extend_round, "extend", body=RoundExtensionSerializer, answer=RoundClockSerializer
    )

    def perform_create(self, op: Operation, body: JsonDict) -> Round:
        if body["tables"] is not None:
            return make_seated_round(
                op,
                self.parent,
                tables=body["tables"],
                number=body["number"],
                on=body["date"],
                variant=body["variant"],
                options=body["options"],
                split_sides=body["split_sides"],
            )
        return make_round_of_plan(
            op,
            self._chosen_plan(body),
            plan_round=body["round"],
            adjust=body["adjust"],
            split_sides=body["split_sides"],
            variant=body["variant"],
            options=body["options"],
        )

    def _chosen_plan(self, body: JsonDict) -> SeatingPlan:
        if body["plan"]:
            return plan_at(self.parent, body["plan"])
        if body["date"] is None:
            facts = {"found": "", "expected": "date, plan or tables"}
            raise Refused(Problem("bad_tables", ("tables",), facts))
        return plan_of(meeting_on(self.parent, body["date"]))

    def perform_redraw(self, op: Operation, body: JsonDict) -> Round:
        round_ = self.get_object()
        split_sides = body["split_sides"]
        if body["scope"] == BY_PLAN:
            return redraw_round(op, round_, plan=plan_of(round_.meeting), split_sides=split_sides)
        if body["scope"] == AGAIN:
            return draw_round_again(op, round_)
        return redraw_tables(
            op,
            round_,
            scope=body["scope"],
            reason=body["reason"],
            hands=body["hands"],
            split_sides=split_sides,
        )

    def perform_close_tables(self, op: Operation, body: JsonDict) -> Round:
        round_: Round = self.get_object()
        close_tables(op, round_)
        return round_

    def perform_extend(self, op: Operation, body: JsonDict) -> RoundClock | None:
        round_ = extend_round(op, self.get_object(), minutes=body["minutes"])
        return round_clock(self.parent, round_, now=op.now)

    def get_queryset(self, state: str = "", meeting: str = "") -> QuerySet[Round]:
        return limited(rounds_with_tables(self.parent), state=state, meeting__date=meeting)

    def get_row(self, result: Round) -> JsonDict:
        return round_row(self.actor, self.parent, get_round(self.parent, result.number))


class NewSitOutSerializer(StrictSerializer):
    """An entrant who does not play in a round."""

    entrant = TextField(help_text="Code of the entrant.")
    reason = ChoiceTextField(
        choices=SitOutReason.choices, help_text="Reason; the settings say what a `bye` is worth."
    )


class SitOutRemovalSerializer(OutputSerializer):
    """The entrant who may be seated again."""

    entrant = serializers.CharField()


def _new_table(table: object) -> ListedTable:
    if not isinstance(table, dict) or not set(table) <= {"number", "seats", "variant"}:
        raise _bad_tables(table)
    number = table.get("number")
    seats = table.get("seats")
    variant = table.get("variant", "")
    is_number = number is None or (type(number) is int and 1 <= number <= LAST_ROUND)
    is_people = (
        isinstance(seats, list)
        and 1 <= len(seats) <= MOST_SEATS
        and all(isinstance(seat, str) and "\x00" not in seat for seat in seats)
    )
    if not is_number or not is_people or not isinstance(variant, str):
        raise _bad_tables(table)
    return number, seats, variant  # type: ignore[return-value]  # asked above


def _bad_tables(tables: object) -> Refused:
    return Refused(Problem("bad_tables", (), {"found": shown(tables), "expected": _EXPECTED}))


class SitOutViewSet(ResourceViewSet):
    """The entrants who do not play in a round."""

    resource = ("sit_out", "sit_outs")
    lookup_url_kwarg = "entrant"
    location_text = ""
    ordering = ()
    serializer_class = RoundDetailSerializer
    create = creates(sit_out, NewSitOutSerializer, name="add_sit_out")
    destroy = writes(end_sit_out, None, name="remove_sit_out", answer=SitOutRemovalSerializer)

    def get_subject(self) -> Round:
        return get_round(self.parent, self.kwargs["number"])

    def perform_destroy(self, op: Operation, body: JsonDict) -> JsonDict:
        end_sit_out(op, self.get_subject(), entrant=self.kwargs["entrant"])
        return {"entrant": self.kwargs["entrant"]}

    def get_row(self, result: object) -> JsonDict:
        return round_row(self.actor, self.parent, self.get_subject())
