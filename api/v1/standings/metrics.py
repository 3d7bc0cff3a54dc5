"""The metrics and tie-breaks that standings are made of, as the registry describes them."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from api.pagination import Flat, Listing
from tournaments.domain.criteria_catalog import every
from tournaments.policy import Actor


class MetricSerializer(serializers.Serializer[Any]):
    """A value of a standing, or a criterion that separates rows that are level."""

    key = serializers.CharField()
    use = serializers.ChoiceField(
        choices=("primary", "column", "tie_break"),
        help_text="primary: an event may be ranked by it; tie_break: a chain may hold it; "
        "column: it is shown.",
    )
    name = serializers.CharField()
    short = serializers.CharField(help_text="The head of its column.")
    direction = serializers.ChoiceField(
        choices=("asc", "desc"), allow_null=True, help_text="asc: less is better."
    )
    definition = serializers.CharField()
    example = serializers.CharField()
    needs = serializers.ListField(
        child=serializers.CharField(), help_text="What the sheets must tell."
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
