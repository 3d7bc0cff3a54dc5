"""The metrics and tie-breaks of standings, from the registry."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from api.lists.pagination import Flat, Listing
from tournaments.domain.standings.criteria_catalog import every
from tournaments.policy import Actor


class MetricSerializer(serializers.Serializer[Any]):
    """A value of a standing, or a criterion that separates tied rows."""

    key = serializers.CharField()
    use = serializers.ChoiceField(
        choices=("primary", "column", "tie_break"),
        help_text=(
            "primary: an event may be ranked by it; tie_break: it may be in a tie-break order; "
            "column: it is shown."
        ),
    )
    name = serializers.CharField()
    short = serializers.CharField(help_text="The heading of its column.")
    direction = serializers.ChoiceField(
        choices=("asc", "desc"), allow_null=True, help_text="asc: lower is better."
    )
    definition = serializers.CharField()
    example = serializers.CharField()
    needs = serializers.ListField(
        child=serializers.CharField(), help_text="Data that the sheets must have."
    )


def _metrics(_actor: Actor) -> Sequence[Flat]:
    """Every value of a standing and every tie-break, with its definition and an example."""
    return [
        {
            "key": one.key,
            "use": one.use,
            "name": one.name,
            "short": one.short,
            "direction": one.direction,
            "definition": one.definition,
            "example": one.example,
            "needs": list(one.needs),
        }
        for one in every()
    ]


METRICS = Listing(
    name="metrics",
    shape=MetricSerializer,
    rows=_metrics,
    columns=("key", "use", "name", "short", "direction", "definition", "example"),
)
