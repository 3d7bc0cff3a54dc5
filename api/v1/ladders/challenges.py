"""Challenges on a ladder and absences of its members."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from django.utils import timezone
from rest_framework import serializers

from api.lists import Filter, limited
from api.resource_schema import Write
from api.resources import ResourceViewSet, creates, performs, reads
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import (
    MOST_TEXT,
    ChoiceTextField,
    DayField,
    StrictField,
    TextField,
    bad_setting,
    is_text,
)
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import MomentField, ScoreField, StringListField
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict, JsonObject
from tournaments.models.events import Entrant
from tournaments.models.ladders import Challenge, ChallengeState, LadderAbsence
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.ladders.challenges import (
    ChallengeRow,
    absence_lines,
    challenge_at,
    challenge_line,
    challenge_rows_by_number,
)
from tournaments.services.ladders.challenges import (
    answer_challenge,
    enter_result,
    issue_challenge,
    postpone_challenge,
)
from tournaments.services.ladders.members import end_absence, report_absence
from tournaments.services.ladders.result_problems import dispute_result
from tournaments.services.operations import Operation


class AbsenceSerializer(OutputSerializer):
    """An absence of a member, in local days; the first and the last day are included."""

    player_id = serializers.CharField(help_text="Code of the entrant.")
    player = serializers.CharField()
    since = serializers.DateField()
    until = serializers.DateField(allow_null=True, help_text="Last day; null: not known yet.")


class AbsencesSerializer(OutputSerializer):
    """A member's current absences."""

    results = AbsenceSerializer(many=True)


MOST_AT_TABLE: Final = 13
"""More seats than any table has."""


class SideSerializer(OutputSerializer):
    """One of the two players of a challenge, with the place on the ladder."""

    player_id = serializers.CharField(help_text="Code of the entrant.")
    player = serializers.CharField()
    place = serializers.IntegerField(
        allow_null=True,
        help_text=(
            "Place on the ladder as last computed; in the answer to a write the current place. "
            "Null for a member who is not on the list."
        ),
    )


class SideWithStakeSerializer(SideSerializer):
    """One of the two players, with the place now and after a win of the challenger."""

    place_after_win = serializers.IntegerField(
        allow_null=True, help_text="Place on the ladder if the challenger wins."
    )


class PlayerAtResultSerializer(OutputSerializer):
    """A player at the table of a challenge's result."""

    player_id = serializers.CharField(help_text="Code of the entrant.")
    player = serializers.CharField()
    points = ScoreField(allow_null=True, help_text="Null where the rules give places alone.")
    place = serializers.IntegerField(help_text="Place at the table.")


class EnteredResultSerializer(OutputSerializer):
    """The result of a challenge as it was entered."""

    table = serializers.CharField(help_text="Code of its table.")
    played_on = serializers.DateField(allow_null=True)
    entered_as = serializers.CharField(
        allow_blank=True,
        help_text="Role in which it was entered; empty for results of earlier releases.",
    )
    players = PlayerAtResultSerializer(many=True, help_text="All at the table, the best first.")


class ChallengeSerializer(OutputSerializer):
    """A challenge. At `due_at` its state becomes `due_state`; later requests are too late."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=ChallengeState.choices)
    challenger = SideSerializer(help_text="The player who challenges.")
    challenged = SideSerializer(help_text="The player who is challenged.")
    issued_at = MomentField()
    accepted_at = MomentField(
        allow_null=True,
        help_text="Start of the days for playing; they start again if a result is withdrawn.",
    )
    played_at = MomentField(allow_null=True, help_text="Time when the result was entered.")
    closed_at = MomentField(allow_null=True)
    due_at = MomentField(allow_null=True, help_text="Deadline of the current state.")
    due_state = serializers.CharField(allow_null=True, help_text="State after the deadline.")
    postponed_by = StringListField(
        help_text="Codes of the players who have used their one postponement."
    )
    cancel_asked_by = serializers.CharField(
        allow_null=True, help_text="Code of the player who asks to cancel, until the other agrees."
    )
    table = serializers.CharField(allow_null=True, help_text="Code of the table of its game.")
    winner = serializers.CharField(allow_null=True, help_text="Code of the winner at the table.")
    confirmed_winner = serializers.CharField(
        allow_null=True,
        help_text="Code of the winner at the confirmation; `winner` follows a later correction.",
    )
    confirmed_as = serializers.CharField(
        allow_blank=True, help_text="Source of the confirmation: `loser`, a role, or `clock`."
    )
    confirmed_by = serializers.CharField(
        allow_blank=True,
        help_text="Name of the person who confirmed; empty if nobody did or you may not read it.",
    )
    words = serializers.CharField(allow_blank=True)
    may = StringListField(
        help_text=(
            "States that you may set now (`played`: by `…/result`), `postpone`, and `dispute`."
        )
    )
    stake = SideWithStakeSerializer(
        many=True, help_text="The two players while it is open, with what a win would change."
    )
    result = EnteredResultSerializer(
        allow_null=True, help_text="The result to confirm or confirmed; null without one."
    )
    dispute = serializers.IntegerField(
        allow_null=True,
        help_text="Number of the open dispute for whose ruling the result waits; null without one.",
    )


class ChallengeMoveSerializer(StrictSerializer):
    """The new state of a challenge."""

    to = ChoiceTextField(choices=ChallengeState.choices)
    reason = TextField(required=False, help_text="Reason; needed for `void`.")


class PostponementSerializer(StrictSerializer):
    """The player for whom a host postpones the game; players omit it."""

    by = TextField(required=False, help_text="Side: `challenger` or `challenged`.")


class WrongResultSerializer(StrictSerializer):
    """A problem with the result of a challenge."""

    words = TextField(help_text="One sentence; the table, hosts and directors read it.")


def _own_member_field() -> TextField:
    return TextField(
        required=False,
        help_text="Code of the member; by default your own. Hosts may name any member.",
    )


class NewAbsenceSerializer(StrictSerializer):
    """A member's absence, with its days."""

    player_id = _own_member_field()
    since = DayField()
    until = DayField(
        required=False, help_text="Last day of the absence; omit it if it is not known yet."
    )


class ReturnSerializer(StrictSerializer):
    """The end of an absence, with its day."""

    player_id = _own_member_field()
    back = DayField(required=False, help_text="First day back; by default today.")


class AbsenceViewSet(ResourceViewSet):
    """All absences of a ladder, past ones too, by the first day; for members of the club."""

    resource = ("absence", "absences")
    serializer_class = AbsenceSerializer
    rows_selector = staticmethod(absence_lines)
    ordering = ("since", "entrant__code")
    create = creates(report_absence, NewAbsenceSerializer, name="tell_absence")
    end = performs(
        end_absence, "end", detail=False, body=ReturnSerializer, answer=AbsencesSerializer
    )

    def get_row(self, result: LadderAbsence) -> JsonObject:
        return next(line for line in self._lines(result.entrant) if line["since"] == result.since)

    def perform_end(self, op: Operation, body: JsonDict) -> JsonObject:
        entrant = end_absence(op, self.parent, player_id=body["player_id"], back=body["back"])
        return {"results": self._lines(entrant)}

    def _lines(self, entrant: Entrant) -> list[JsonObject]:
        lines = absence_lines(self.parent)
        return [line for line in lines if line["player_id"] == entrant.code]


class NewChallengeSerializer(StrictSerializer):
    """The two players of a challenge."""

    challenged = TextField(help_text="Code of the entrant, or id of its player.")
    challenger = _own_member_field()
    words = TextField(required=False)


class PointsField(StrictField, serializers.DictField):
    """Totals by player id; the scorer validates the numbers."""

    takes_null = True

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, Mapping) or not 0 < len(data) <= MOST_AT_TABLE:
            if isinstance(data, Mapping):
                value = f"totals of {len(data)}"
            else:
                value = shown(data)
            expected = f"an object of totals by player id, 1 to {MOST_AT_TABLE} of them"
            raise bad_setting(self, value, expected)
        if not all(map(is_text, data)):
            raise Refused(Problem("bad_text", (), {"field": "A player id", "most": MOST_TEXT}))
        return data


class ResultOfChallengeSerializer(StrictSerializer):
    """The result: either the table that was played, or the totals of all players."""

    table = TextField(required=False, help_text="Code of the table, as in `r3t2`.")
    points = PointsField(required=False, help_text="Totals by player id, in seat order.")
    played_on = DayField(
        required=False, help_text="Local day of the game, for totals; by default today."
    )
    disputed = TextField(
        left_out=None,
        help_text="Why the totals are stored as disputed although no hands make them; directors.",
    )


class ChallengeViewSet(ResourceViewSet):
    """The challenges of a ladder by number, open and closed; empty for any other event."""

    resource = ("challenge", "challenges")
    serializer_class = ChallengeSerializer
    row_selector = staticmethod(challenge_at)
    lookup_url_kwarg = lookup_value_converter = lookup_field = "number"
    ordering = ("number",)
    columns = (
        *("number", "state", "challenger", "challenger_name", "challenged", "challenged_name"),
        *("issued_at", "accepted_at", "played_at", "closed_at", "due_at", "due_state"),
        *("postponed_by", "cancel_asked_by", "table", "winner", "confirmed_as", "confirmed_by"),
        *("words", "confirmed_winner"),
    )
    filters = (Filter("state", "Only challenges in this state.", ChallengeState.values),)
    retrieve = reads("One challenge, with what you may do with it now.")
    create = creates(issue_challenge, NewChallengeSerializer)
    moves = performs(answer_challenge, "moves", body=ChallengeMoveSerializer, name="move_challenge")
    postpone = performs(postpone_challenge, "postpone", body=PostponementSerializer)
    dispute = performs(dispute_result, "dispute", body=WrongResultSerializer)
    result = performs(enter_result, "result", body=ResultOfChallengeSerializer, name="give_result")

    def get_queryset(self, state: str = "") -> RenderedRows:
        challenges = challenge_rows_by_number(self.parent, actor=self.actor, now=timezone.now())
        return replace(challenges, rows=limited(challenges.rows, state=state))

    def get_row(self, result: Challenge) -> ChallengeRow:
        is_write = isinstance(self.declared, Write)
        challenge = challenge_at(self.parent, result.number) if is_write else result
        now = timezone.now()
        return challenge_line(self.parent, challenge, actor=self.actor, now=now, anew=is_write)

    def get_lines(self, row: JsonObject) -> Sequence[JsonObject]:
        sides = {name: row[name]["player_id"] for name in ("challenger", "challenged")}
        names = {f"{name}_name": row[name]["player"] for name in sides}
        lists = {name: " ".join(row[name]) for name in ("postponed_by", "may")}
        return ({**row, **names, **sides, **lists},)

    def perform_result(self, op: Operation, body: JsonDict) -> Challenge:
        return enter_result(
            op,
            self.get_object(),
            table=body["table"],
            points=body.get("points"),
            played_on=body["played_on"],
            disputed=body["disputed"],
            source="api",
        )
