"""Changing an event itself: its name, its readers; archiving it; deleting a draft."""

from typing import Any, Final

from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import known_caller
from api.conditional_requests import if_match_parameter, if_match_tag_or_any
from api.fast_serialization import plain
from api.idempotent_writes import idempotent_write, json_answer
from api.query_parameters import allow_only
from api.strict_fields import MOST_TEXT, ChoiceTextField, TextField
from api.strict_serializers import StrictSerializer, validated
from api.v1.events.events import ETAG, EventDetailSerializer
from tournaments.domain.etags import etag
from tournaments.models.events import Visibility
from tournaments.policy import Actor
from tournaments.selectors.events.events import event_at
from tournaments.services.events.change_event import change_event, event_tag
from tournaments.services.events.lifecycle.archive_event import archive_event
from tournaments.services.events.lifecycle.delete_event import delete_event

IF_MATCH: Final = if_match_parameter("The ETag of the event that you read, or `*`")


class EventChangeSerializer(StrictSerializer):
    """A change of an event; members that are left out stay."""

    name = TextField(left_out=None, help_text="Standings with the new name are published.")
    slug = TextField(left_out=None, help_text="The former slug redirects to this one (308).")
    visibility = ChoiceTextField(
        choices=Visibility.choices,
        left_out=None,
        help_text="The readers of the event and of all its publications.",
    )


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
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    based_on = if_match_tag_or_any(request, of="event")
    sent = validated(request, EventChangeSerializer)
    changed = change_event(
        actor=actor, event=found, based_on=based_on or "", now=timezone.now(), **sent
    )
    return _answer(actor, club, changed.slug)


def _set_archived(request: Request, club: str, event: str, *, archived: bool) -> HttpResponse:
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    sent = validated(request, ArchiveSerializer)
    archive_event(actor=actor, event=found, archived=archived, now=timezone.now(), **sent)
    return _answer(actor, club, event)


def _archive_event(request: Request, club: str, event: str) -> HttpResponse:
    """Take an event out of the club's lists. Its addresses stay; `unarchive` puts it back."""
    return _set_archived(request, club, event, archived=True)


def _unarchive_event(request: Request, club: str, event: str) -> HttpResponse:
    """Put an archived event back into the club's lists."""
    return _set_archived(request, club, event, archived=False)


def _delete_event(request: Request, club: str, event: str) -> HttpResponse:
    """Delete a draft in which no hand was entered; any other event is archived instead."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
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
archive_event_view = idempotent_write(_archive_event, EventDetailSerializer, ArchiveSerializer)
"""`POST E/archive`."""
unarchive_event_view = idempotent_write(_unarchive_event, EventDetailSerializer, ArchiveSerializer)
"""`POST E/unarchive`."""
delete_event_view = idempotent_write(
    _delete_event, DeletedEventSerializer, None, method="DELETE"
)  # fmt: skip
"""`DELETE E`."""


def _answer(actor: Actor, club: str, event: str) -> HttpResponse:
    found = event_at(actor, club, event)
    answer = json_answer(plain(EventDetailSerializer)(found))
    answer["ETag"] = etag(event_tag(found))
    return answer
