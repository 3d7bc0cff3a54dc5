"""Changing an event itself: its name, its readers, its state; archiving it; deleting a draft."""

from typing import Any, Final

from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.conditional_requests import if_match_parameter, if_match_tag_or_any
from api.idempotency import idempotent_write, json_answer
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import MOST_TEXT, ChoiceTextField, TextField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.events.events import ETAG, EventDetailSerializer
from api.v1.events.requested_event import requested_event
from tournaments.domain.etags import etag
from tournaments.models.events import EventState, Visibility
from tournaments.policy import Actor
from tournaments.selectors.events.events import event_at
from tournaments.selectors.rules.house_rules import newer_house_version
from tournaments.services.events.change_event import change_event, event_tag
from tournaments.services.events.events import move_event
from tournaments.services.events.lifecycle.archive_event import archive_event
from tournaments.services.events.lifecycle.delete_event import delete_event
from tournaments.services.events.use_house_rules import use_version
from tournaments.services.permissions import require

IF_MATCH: Final = if_match_parameter("The ETag of the event that you read, or `*`")


class EventChangeSerializer(StrictSerializer):
    """A change of an event; members that are left out stay."""

    name = TextField(
        required=False, left_out=None, help_text="Standings with the new name are published."
    )
    slug = TextField(
        required=False, left_out=None, help_text="The former slug redirects to this one (308)."
    )
    visibility = ChoiceTextField(
        choices=Visibility.choices,
        required=False,
        left_out=None,
        help_text="The readers of the event and of all its publications.",
    )


class EventMoveSerializer(StrictSerializer):
    """The state that an event goes to."""

    to = ChoiceTextField(choices=EventState.choices)
    reason = TextField(required=False, max_length=MOST_TEXT, help_text="To open an event again.")


class ArchiveSerializer(StrictSerializer):
    """The reason for which an event is archived, or listed again."""

    reason = TextField(max_length=MOST_TEXT)


class DeletedEventSerializer(serializers.Serializer[Any]):
    """The event that was deleted."""

    slug = serializers.CharField()


def _change_event(request: Request, club: str, event: str) -> HttpResponse:
    """Change the name or slug of an event, or who can read it; at any time, of final events too.

    `If-Match` names the event that you read, or is `*`. Without it the answer is 428; if somebody
    changed one meanwhile it is 412, with the current ones (`there`). An event that is withdrawn
    answers 404 at once to everybody who may not read it, older publications included.
    """
    actor, found = requested_event(request, club, event)
    based_on = if_match_tag_or_any(request, of="event")
    sent = validated(request, EventChangeSerializer)
    changed = change_event(
        actor=actor, event=found, based_on=based_on or "", now=timezone.now(), **sent
    )
    return event_answer(actor, club, changed.slug)


def _move_event(request: Request, club: str, event: str) -> HttpResponse:
    """Open an event, make it a draft again, close it, make it final, or open it again.

    `draft` → `open` → `closed` → `final`; `open` → `draft` while no hand is entered. With a
    `reason` a closed event is opened again by a director, a final one by an owner. An obstacle
    is answered with 409: `state_not_allowed` with the states that are possible,
    `rounds_still_open`, `window_not_over`, `disputes_open`, `playoffs_undecided` and others.
    """
    actor, found = requested_event(request, club, event)
    require(actor, found.club, "manage_event")  # before the state of the event is shown
    sent = validated(request, EventMoveSerializer)
    move_event(actor=actor, event=found, to=sent["to"], reason=sent["reason"], now=timezone.now())
    return event_answer(actor, club, event)


def _use_house_version(request: Request, club: str, event: str) -> HttpResponse:
    """Let an event play the newest version of its house rules from now on.

    Tables that are there keep their rules. An event that plays the newest version, or no house
    rules, stays as it is.
    """
    actor, found = requested_event(request, club, event)
    require(actor, found.club, "manage_event")
    validated(request, EmptyBody)
    version = newer_house_version(found)
    if version is not None:
        use_version(actor=actor, event=found, version=version, now=timezone.now())
    return event_answer(actor, club, event)


def _set_archived(request: Request, club: str, event: str, *, archived: bool) -> HttpResponse:
    actor, found = requested_event(request, club, event)
    sent = validated(request, ArchiveSerializer)
    archive_event(actor=actor, event=found, archived=archived, now=timezone.now(), **sent)
    return event_answer(actor, club, event)


def _archive_event(request: Request, club: str, event: str) -> HttpResponse:
    """Take an event out of the club's lists. Its addresses stay; `unarchive` puts it back."""
    return _set_archived(request, club, event, archived=True)


def _unarchive_event(request: Request, club: str, event: str) -> HttpResponse:
    """Put an archived event back into the club's lists."""
    return _set_archived(request, club, event, archived=False)


def _delete_event(request: Request, club: str, event: str) -> HttpResponse:
    """Delete a draft in which no hand was entered; any other event is archived instead."""
    actor, found = requested_event(request, club, event)
    delete_event(actor=actor, event=found, now=timezone.now())
    return json_answer({"slug": event})


change_event_view = idempotent_write(
    _change_event,
    EventDetailSerializer,
    EventChangeSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
)
"""`PATCH E`."""
move_event_view = idempotent_write(
    _move_event, EventDetailSerializer, EventMoveSerializer, tells=(ETAG,)
)
"""`POST E/state`."""
use_house_version_view = idempotent_write(
    _use_house_version, EventDetailSerializer, EmptyBody, tells=(ETAG,)
)
"""`POST E/use-version`."""
archive_event_view = idempotent_write(_archive_event, EventDetailSerializer, ArchiveSerializer)
"""`POST E/archive`."""
unarchive_event_view = idempotent_write(_unarchive_event, EventDetailSerializer, ArchiveSerializer)
"""`POST E/unarchive`."""
delete_event_view = idempotent_write(
    _delete_event, DeletedEventSerializer, None, method="DELETE"
)  # fmt: skip
"""`DELETE E`."""


def event_answer(actor: Actor, club: str, event: str, *, status: int = 200) -> HttpResponse:
    """Return an event as the answers of writes have it."""
    found = event_at(actor, club, event)
    answer = json_answer(plain(EventDetailSerializer)(found), status=status)
    answer["ETag"] = etag(event_tag(found))
    return answer
