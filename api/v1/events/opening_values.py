"""Opening values of an event: totals that entrants bring from before its first hand."""

from collections.abc import Sequence

from rest_framework import serializers

from api.resources import ResourceViewSet, creates, performs
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import (
    BooleanField,
    DayField,
    NumberOrTextField,
    TextField,
    WholeNumberField,
    bad_setting,
)
from api.serializers.strict_serializers import BodiesField, StrictSerializer, read_bodies
from api.v1.fields import MomentField, ScoreField
from scoring.errors import shown
from scoring.json_types import JsonDict
from tournaments.models.standings import OpeningValue
from tournaments.selectors.standings.opening_values import get_opening_value, opening_rows
from tournaments.services.events.opening_values import (
    MOST_AT_ONCE,
    MOST_COUNTED,
    NewOpeningValue,
    add_opening_value,
    add_opening_values,
    withdraw_opening_value,
)


class OpeningValueSerializer(OutputSerializer):
    """What an entrant brought from before. It never changes; it may be withdrawn."""

    number = serializers.IntegerField()
    player_id = serializers.CharField(source="entrant_id", help_text="Code of the entrant.")
    player = serializers.CharField(source="name")
    date = serializers.DateField()
    value = ScoreField(help_text="Total in the unit of the primary value; of means the sum.")
    games = serializers.IntegerField(allow_null=True)
    wins = serializers.IntegerField(allow_null=True)
    hands = serializers.IntegerField(allow_null=True)
    penalty = ScoreField()
    reason = serializers.CharField()
    by = serializers.CharField(help_text="Role of the person who added it.")
    at = MomentField()
    added_with = serializers.IntegerField(
        help_text="The smallest number of those that were added at once."
    )
    state = serializers.ChoiceField(choices=["active", "withdrawn"])
    withdrawn_at = MomentField(allow_null=True)
    withdrawn_reason = serializers.CharField(allow_blank=True)
    withdrawn_by = serializers.CharField(allow_blank=True)


class CountField(WholeNumberField):
    """A number of games, of tables won or of hands; null or left out where it is not known."""

    takes_null, usual = True, None

    def __init__(self, **more: object) -> None:
        expected = f"a whole number from 0 to {MOST_COUNTED}"
        super().__init__(
            code="bad_opening_count",
            expected=expected,
            within=(0, MOST_COUNTED),
            **{"required": False, "allow_null": True, **more},
        )


class OpeningTotalsSerializer(StrictSerializer):
    """What an entrant brings from before."""

    entrant = TextField(help_text="Code of an entrant, or id of a player who is not in the event.")
    date = DayField(help_text="Day that it counts as played on.")
    value = NumberOrTextField(
        help_text="Total in the unit of the primary value: `13`, `7.5`, `5/2` or `-4`; for a mean "
        "the sum over its games or hands."
    )
    games = CountField(help_text="Number of games, if known.")
    wins = CountField(help_text="Number of tables won, if known.")
    hands = CountField(help_text="Number of hands, if known.")
    penalty = NumberOrTextField(
        required=False, help_text="Penalties so far, above 0; `value` does not contain them."
    )


class NewOpeningValueSerializer(OpeningTotalsSerializer):
    """What an entrant brings from before, with where it is from."""

    reason = TextField()


class OpeningValuesField(BodiesField):
    """What many entrants bring from before."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list):
            raise bad_setting(self, shown(data), "a list of values from before")
        bodies = read_bodies(data[: MOST_AT_ONCE + 1], OpeningTotalsSerializer)
        return tuple(NewOpeningValue(**body) for body in bodies)


class NewOpeningValuesSerializer(StrictSerializer):
    """What many entrants bring from before, with where it is from."""

    values = OpeningValuesField(
        child=OpeningTotalsSerializer(), min_length=1, max_length=MOST_AT_ONCE
    )
    reason = TextField()


class AddedOpeningValuesSerializer(OutputSerializer):
    """The values that were added at once."""

    added = serializers.IntegerField()
    unchanged = serializers.IntegerField(help_text="Values that were there already, the same.")
    first = serializers.IntegerField(
        allow_null=True, help_text="Number of the first added value; null if none was added."
    )


class WithdrawnOpeningValueSerializer(StrictSerializer):
    """A withdrawal with its reason."""

    reason = TextField()
    together = BooleanField(
        left_out=False, help_text="Whether to withdraw all values that were added at once with it."
    )


class OpeningValueViewSet(ResourceViewSet):
    """What entrants brought from before the first hand of an event, withdrawn values included."""

    resource = ("opening_value", "opening_values")
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    serializer_class = OpeningValueSerializer
    ordering = ()
    create = creates(add_opening_value, NewOpeningValueSerializer)
    several = performs(
        add_opening_values,
        "several",
        detail=False,
        body=NewOpeningValuesSerializer,
        answer=AddedOpeningValuesSerializer,
        status=201,
    )
    withdraw = performs(withdraw_opening_value, "withdraw", body=WithdrawnOpeningValueSerializer)

    def get_queryset(self) -> Sequence[JsonDict]:
        return opening_rows(self.parent)

    def get_object(self) -> OpeningValue:
        return get_opening_value(self.parent, int(self.kwargs["number"]))

    def get_row(self, result: OpeningValue) -> JsonDict:
        return next(row for row in self.get_queryset() if row["number"] == result.number)
