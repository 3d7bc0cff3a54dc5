"""Creating an event: with a preset, or like an earlier one."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from rest_framework import serializers

from api.serializers.strict_fields import (
    BooleanField,
    ChoiceTextField,
    DayField,
    ObjectField,
    StrictField,
    TextField,
    bad_setting,
)
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import RuleOptionsField
from scoring.errors import Problem, Refused, shown
from tournaments.domain.event_settings import PRESET_KEYS
from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event, EventKind, Visibility
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.seasons import get_season
from tournaments.services.events.create_event import usual_visibility
from tournaments.services.events.events import MOST_EVENINGS, create_event
from tournaments.services.operations import Operation

Row = TypeVar("Row")


class DaysField(StrictField, serializers.ListField):
    """Local days."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list):
            raise bad_setting(self, shown(data), "a list of days, as in 2025-10-30")
        days, problems = [], []
        for at, day in enumerate(data):
            try:
                days.append(DayField().to_internal_value(day))
            except Refused:
                problems.append(Problem("bad_day", (at,), {"found": shown(day)}))
        if problems:
            raise Refused(*problems)
        return days


class NewEventSerializer(StrictSerializer):
    """An event to create."""

    name = TextField(help_text="Up to 120 characters.")
    slug = TextField(
        required=False,
        help_text="Lowercase letters, digits and hyphens; made from the name where it is left out.",
    )
    variant = TextField(
        help_text=(
            "Id of a variant (game), or of a version of the club's house rules. If the preset "
            "cannot be played with it, the game of the preset is used instead, without `options`."
        )
    )
    options = RuleOptionsField(left_out={}, help_text="Rule options of the variant, by name.")
    kind = ChoiceTextField(choices=EventKind.choices, left_out=EventKind.LEAGUE.value)
    preset = ChoiceTextField(
        choices=PRESET_KEYS,
        allow_blank=True,
        required=False,
        help_text="Preset for the first settings and stages, as on the page Create event.",
    )
    settings = ObjectField(
        expected="an object of settings",
        left_out={},
        help_text="Settings that replace those of the preset.",
    )
    visibility = ChoiceTextField(
        choices=Visibility.choices,
        left_out=None,
        help_text="Readers of the event; by default `public`, in a private club `members`.",
    )
    season = TextField(required=False, help_text="Slug of the season that the event belongs to.")
    meetings = DaysField(
        child=serializers.DateField(),
        left_out=[],
        help_text=f"Local days of planned meetings, at most {MOST_EVENINGS}; not for a ladder.",
    )
    entrants_of = TextField(
        required=False, help_text="Slug of an event whose entrants compete in the new one too."
    )


class EventCopySerializer(StrictSerializer):
    """The name of a copy of an event, and what it takes over."""

    name = TextField(help_text="Up to 120 characters.")
    slug = TextField(required=False, help_text="Slug of the copy; by default made from the name.")
    players = BooleanField(
        left_out=True,
        help_text="Whether the entrants who did not withdraw compete in the copy too.",
    )


def create_requested_event(view: Any, op: Operation, body: dict[str, Any]) -> Event:
    """Create the event that a request describes, in the club of its address."""
    club: Club = view.home
    season, before = body.pop("season"), body.pop("entrants_of")
    body["evenings"] = body.pop("meetings")
    return create_event(
        op,
        club,
        **{**body, "visibility": body["visibility"] or usual_visibility(club)},
        season=_find("season", season, partial(get_season, op.actor, club.slug)),
        entrants_of=_find("entrants_of", before, partial(get_event, op.actor, club.slug)),
    )


def _find(member: str, slug: str, find: Callable[[str], Row]) -> Row | None:
    """Return the row that a member of the body names; None where it names none."""
    try:
        return find(slug) if slug else None
    except Missing as missing:
        raise Refused(Problem(missing.problem.code, (member,), missing.problem.facts)) from missing
