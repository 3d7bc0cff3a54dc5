"""The settings of an event over REST: read, and changed with a reason."""

import json
from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.fast_serialization import plain
from api.idempotency import KEY, REPLAYED_HEADER, answered_once
from api.openapi import reading, writing
from api.preconditions import if_match_tag
from api.query_parameters import allow_only
from scoring.errors import Problem, Refused, shown
from tournaments.domain.event_settings import as_stored, settings_of, tag_of
from tournaments.messages import sentence
from tournaments.models.events import Event
from tournaments.selectors.events.events import event_at
from tournaments.services.events.change_settings import change_settings, has_hands
from tournaments.services.events.data_availability import facts_now
from tournaments.services.events.settings_validation import chain_warnings, idle_criteria

MOST_REASON: Final = 500
KNOWN: Final = ("settings", "reason")

IF_MATCH: Final = OpenApiParameter(
    "If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, required=False,
    description="The ETag of the settings that you looked at; without it 428.",
)  # fmt: skip
ETAG: Final = OpenApiParameter(
    "ETag", OpenApiTypes.STR, OpenApiParameter.HEADER, response=[200],
    description="Names exactly these settings.",
)  # fmt: skip


class SaidSerializer(serializers.Serializer[Any]):
    """Something to know about a setting; it forbids nothing."""

    code = serializers.CharField()
    key = serializers.CharField(help_text="The setting, or the criterion of the chain.")
    message = serializers.CharField()


class SettingsSerializer(serializers.Serializer[Any]):
    """The settings of an event."""

    settings = serializers.DictField(
        help_text="By key; what each may be: docs/scoring/settings.md."
    )
    has_hands = serializers.BooleanField(help_text="Whether a change needs a reason.")
    no_effect = SaidSerializer(
        many=True, help_text="Criteria of the chain of which the event's sheets tell nothing."
    )
    warnings = SaidSerializer(many=True, help_text="What the chain leaves, for example ties.")


class ChangeSerializer(serializers.Serializer[Any]):
    """What is to change."""

    settings = serializers.DictField(help_text="What is not named stays.")
    reason = serializers.CharField(
        required=False, help_text="One sentence; needed once a hand is entered."
    )


@reading("read_settings", SettingsSerializer, parameters=(ETAG,))
def read_settings(request: Request, club: str, event: str) -> HttpResponseBase:
    """The settings of an event that are in force."""
    allow_only(request)
    found = event_at(caller(request), club, event)
    return Response(plain(SettingsSerializer)(_shown(found)), headers={"ETag": _etag(found)})


def _change_settings(request: Request, club: str, event: str) -> HttpResponse:
    """Change settings of an event; what its sheets cannot give is refused with the reason.

    `If-Match` says which settings you looked at. Without it the answer is 428; if somebody changed
    them meanwhile it is 412, with what stands there (`there`). After the first hand a reason is
    required, and the change stands in the event's change log.
    """
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    based_on = if_match_tag(request, of="settings")
    sent = _sent(request.data)
    change_settings(
        actor=actor,
        event=found,
        wanted=sent["settings"],
        reason=sent.get("reason", ""),
        based_on=based_on,
        now=timezone.now(),
    )
    found = event_at(actor, club, event)
    body = json.dumps(plain(SettingsSerializer)(_shown(found)), ensure_ascii=False)
    return HttpResponse(body, content_type="application/json", headers={"ETag": _etag(found)})


def _fingerprint(request: Request) -> bytes:
    return json.dumps(request.data, sort_keys=True).encode()


change_settings_view = writing(
    "change_settings",
    "PATCH",
    SettingsSerializer,
    ChangeSerializer,
    status=200,
    parameters=(IF_MATCH, KEY, REPLAYED_HEADER, ETAG),
)(answered_once(_change_settings, fingerprint=_fingerprint))
"""`PATCH …/settings`."""


def _etag(event: Event) -> str:
    return f'"{tag_of(settings_of(event))}"'


def _shown(event: Event) -> Mapping[str, Any]:
    settings = settings_of(event)
    idle = idle_criteria(settings, facts_now(event), seed=event.seed)
    return {
        "settings": as_stored(settings),
        "has_hands": has_hands(event),
        "no_effect": [_said(problem, key) for key, problem in idle.items()],
        "warnings": [_said(problem, "tie_breaks") for problem in chain_warnings(settings)],
    }


def _said(problem: Problem, key: str) -> Mapping[str, str]:
    return {"code": problem.code, "key": key, "message": sentence(problem)}


def _sent(body: Any) -> Mapping[str, Any]:
    """Return the body, its shape checked.

    Raises:
        Refused: unknown_member, bad_setting, bad_text.
    """
    problems = [
        Problem("unknown_member", (name,), {"found": shown(name), "expected": ", ".join(KNOWN)})
        for name in sorted(set(body) - set(KNOWN))
    ]
    if not isinstance(body.get("settings"), Mapping):
        facts = {
            "key": "settings",
            "found": shown(body.get("settings")),
            "expected": "an object of settings",
        }
        problems.append(Problem("bad_setting", ("settings",), facts))
    reason = body.get("reason", "")
    if not isinstance(reason, str) or len(reason) > MOST_REASON:
        problems.append(Problem("bad_text", ("reason",), {"field": "reason", "most": MOST_REASON}))
    if problems:
        raise Refused(*problems)
    sent: Mapping[str, Any] = body
    return sent
