"""Notes of players about their own values in an event, and the answers of directors."""

from django.db.models import QuerySet
from rest_framework import serializers

from api.lists import Filter, limited
from api.resources import ResourceViewSet, creates, performs
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import BooleanField, TextField
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import MomentField
from scoring.json_types import JsonDict
from tournaments.models.standings import ResultNote, ResultNoteState
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.standings.result_notes import (
    find_own_entrant,
    get_result_note,
    list_notes_of_player,
    list_result_notes,
)
from tournaments.services.events.result_notes import answer_result_note, send_result_note
from tournaments.services.operations import Operation


class ResultNoteSerializer(OutputSerializer):
    """A message of a player about one of their own values. It changes no result."""

    number = serializers.IntegerField()
    player_id = serializers.CharField(source="player.player_id")
    about = serializers.CharField(
        help_text="`sum`, `table:r1t1`, `evening:2026-01-08`, `value:3` (from before) or `line:2` "
        "(penalty or bonus)."
    )
    words = serializers.CharField()
    state = serializers.ChoiceField(choices=ResultNoteState.choices)
    at = MomentField()
    answer = serializers.CharField(allow_blank=True)
    answered_by = serializers.CharField(
        source="answered_as", allow_blank=True, help_text="Role of the person who answered."
    )
    answered_at = MomentField(allow_null=True)


class NewResultNoteSerializer(StrictSerializer):
    """The value that is wrong, and what is wrong with it."""

    order = ("about", "words")

    about = TextField(
        help_text="`sum`, `table:r1t1`, `value:3` (from before) or `line:2` (penalty or bonus)."
    )
    words = TextField()


class ResultAnswerSerializer(StrictSerializer):
    """The answer of a director."""

    answer = TextField()
    all_of_person = BooleanField(
        left_out=False,
        help_text="Whether the answer is that of all open notes of the same player in the event.",
    )


class ResultNoteViewSet(ResourceViewSet):
    """Notes of players about their own values: directors read all, a player the own ones."""

    resource = ("result_note", "result_notes")
    read_right = "note_own_result"
    is_personal = True
    serializer_class = ResultNoteSerializer
    row_selector = staticmethod(get_result_note)
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    ordering = ()
    filters = (Filter("state", "Only notes in this state.", ResultNoteState.values),)
    create = creates(send_result_note, NewResultNoteSerializer)
    answer = performs(answer_result_note, "answer", body=ResultAnswerSerializer)

    def get_queryset(self, state: str = "") -> QuerySet[ResultNote]:
        return limited(self._readable(), state=state)

    def _readable(self) -> QuerySet[ResultNote]:
        if may_do(self.parent, "rule_on_disputes"):
            return list_result_notes(self.parent)
        own = find_own_entrant(self.actor, self.parent)
        if own is None:
            return list_result_notes(self.parent).none()
        return list_notes_of_player(self.parent, own[0]).order_by("number")

    def perform_create(self, op: Operation, body: JsonDict) -> ResultNote:
        """Tell the directors that a value of one's own is wrong."""
        return send_result_note(op, self.parent, about=body["about"], words=body["words"])

    def perform_answer(self, op: Operation, body: JsonDict) -> ResultNote:
        """Answer a note; its player reads the answer.

        With `all_of_person` all open notes of the player in the event get the answer.
        """
        return answer_result_note(
            op, self.get_object(), answer=body["answer"], all_of_person=body["all_of_person"]
        )
