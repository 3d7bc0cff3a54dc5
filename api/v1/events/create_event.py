"""Creating an event: with a preset, or like an earlier one."""

from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.conditional_requests import etag_parameter, location_parameter
from api.idempotency import created, idempotent_write
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import (
    BooleanField,
    ChoiceTextField,
    DayField,
    ObjectField,
    StrictField,
    TextField,
    bad_setting,
)
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.addresses import requested_club
from api.v1.events.events import EventDetailSerializer, requested_event
from api.v1.fields import RuleOptionsField
from scoring.errors import Problem, Refused, shown
from tournaments.domain.etags import etag
from tournaments.domain.event_settings import PRESET_KEYS
from tournaments.errors import Missing
from tournaments.models.events import EventKind, Visibility
from tournaments.policy import Actor
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.seasons import get_season
from tournaments.services.events.change_event import event_tag
from tournaments.services.events.create_event import (
    MOST_EVENINGS,
    NewEvent,
    make_next_event,
    set_up_event,
    usual_visibility,
)
from tournaments.services.permissions import require_event_creator

ETAG: Final = etag_parameter("Mark of the event as it is, for `If-Match` of a `PATCH`.", 201)
LOCATION: Final = location_parameter("The address of the event.")


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


@idempotent_write(EventDetailSerializer, NewEventSerializer, status=201, tells=(LOCATION, ETAG))
def create_event_view(request: Request, club: str) -> HttpResponse:
    """Create an event as a draft: a name and a variant are enough.

    The preset gives settings and stages; `settings` replace single ones. All problems are in one
    answer (422). A slug that another event of the club has or had is refused (409 `slug_taken`).
    """
    actor, home = requested_club(request, club)
    require_event_creator(actor, home)  # before it is said which seasons and events there are
    body = validated(request, NewEventSerializer)
    season, before, days = body.pop("season"), body.pop("entrants_of"), body.pop("meetings")
    visibility = body.pop("visibility") or usual_visibility(home)
    new_event = NewEvent(
        **body,
        visibility=visibility,
        evenings=tuple(sorted(set(days))),
        season=_find("season", season, partial(get_season, actor, club)),
        entrants_of=_find("entrants_of", before, partial(get_event, actor, club)),
    )
    event = set_up_event(actor=actor, club=home, new_event=new_event, now=timezone.now())
    return _created(actor, club, event.slug)


@idempotent_write(EventDetailSerializer, EventCopySerializer, status=201, tells=(LOCATION, ETAG))
def copy_event_view(request: Request, club: str, event: str) -> HttpResponse:
    """Create a draft with the game, settings, stages, visibility and entrants of an event.

    Results, penalties and the season are not copied. A ladder cannot be copied (404).
    """
    actor, current_event = requested_event(request, club, event)
    require_event_creator(actor, current_event.club)
    body = validated(request, EventCopySerializer)
    copy, _n_entrants = make_next_event(
        actor=actor,
        event=current_event,
        name=body["name"],
        slug=body["slug"],
        with_players=body["players"],
        now=timezone.now(),
    )
    return _created(actor, club, copy.slug)


def _created(actor: Actor, club: str, event: str) -> HttpResponse:
    current_event = get_event(actor, club, event)
    body, tag = plain(EventDetailSerializer)(current_event), etag(event_tag(current_event))
    return created(body, "read_event", club, event, tag=tag)


def _find(member: str, slug: str, find: Callable[[str], Row]) -> Row | None:
    """Return the row that a member of the body names; None where it names none."""
    try:
        return find(slug) if slug else None
    except Missing as missing:
        raise Refused(Problem(missing.problem.code, (member,), missing.problem.facts)) from missing
