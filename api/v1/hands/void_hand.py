"""Deleting a hand with a reason, and restoring one that was deleted."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request

from api.authentication import known_caller
from api.conditional_requests import NUMBER, etag_parameter, if_match, if_match_parameter
from api.idempotent_writes import idempotent_write, json_answer
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import MOST_TEXT, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.rounds.tables import HandSerializer, hand_json
from tournaments.domain.etags import etag
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.hands import HandState
from tournaments.policy import Actor
from tournaments.presenters.hands.game_summary import game_standing
from tournaments.previewing.run_preview import HandRef, save_as_previewed
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands.score_sheet import game_at, table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, hand_of
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.access.permissions import require
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.void_hand import void_hand
from tournaments.states import HAND, state_problem

IF_MATCH: Final = if_match_parameter(
    'The ETag of the hand that you looked at, as in `"1"`; left out, the hand as it is now',
    form=NUMBER,
    required=False,
)
ETAG: Final = etag_parameter("The revision, for the next edit.", 200)


class HandMoveSerializer(StrictSerializer):
    """Why a hand is deleted or restored."""

    reason = TextField(max_length=MOST_TEXT, help_text="One sentence; it is stored.")
    previewed = TextField(
        required=False,
        max_length=MOST_TEXT,
        help_text="`digest` of a preview: done only if the result is still the same, else 409.",
    )


def _delete_hand(request: Request, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Delete a hand: it does not count, its entries are kept, and it can be restored.

    If somebody changed the hand since the revision in `If-Match`, the answer is 412 with the
    current hand (`there`).
    """
    return _moved(request, _deleted, "void_hand", club, event, code, number)


def _restore_hand(request: Request, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Restore a deleted hand as its next revision, with the entry that it had.

    If a player of it sits at another table of the round by now, the answer is 409
    (`players_sit_elsewhere`).
    """
    return _moved(request, _restored, "correct_closed", club, event, code, number)


Change = Callable[[Actor, Event, str, HandView, int, str], object]


def _moved(
    request: Request, change: Change, act: str, club: str, event: str, code: str, number: int
) -> HttpResponse:
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event, code=code)
    require(actor, found.club, act)
    sent = validated(request, HandMoveSerializer)
    hand = hand_of(table_sheet(found, code), number)
    looked = if_match(request, of="hand") if "If-Match" in request.headers else hand.revision
    do = partial(change, actor, found, code, hand, looked, sent["reason"])
    try:
        if sent["previewed"]:
            save_as_previewed(
                HandRef(found, code, number), do, digest=sent["previewed"], now=timezone.now()
            )
        else:
            do()
    except Conflict as conflict:
        if conflict.problem.code == "entry_outdated":
            raise Conflict(conflict.problem, there=_document(found, code, number)) from conflict
        raise
    body = _document(found, code, number)
    answer = json_answer(body)
    answer["ETag"] = etag(body["revision"])
    return answer


def _document(event: Event, code: str, number: int) -> dict[str, object]:
    sheet = table_sheet(event, code)
    standing, version = game_standing(event, code), event_version(event)
    return plain(HandSerializer)(hand_json(sheet, hand_of(sheet, number), standing, version))


def _deleted(
    actor: Actor, event: Event, code: str, hand: HandView, looked: int, reason: str
) -> object:
    return void_hand(
        actor=actor,
        game=game_at(event, code),
        number=hand.number,
        based_on=looked,
        reason=reason,
        now=timezone.now(),
    )


def _restored(
    actor: Actor, event: Event, code: str, hand: HandView, looked: int, reason: str
) -> object:
    if hand.state != HandState.VOID:
        problem = state_problem(HAND, hand.state, HandState.ACCEPTED)
        raise Conflict(replace(problem, at=()))
    return record_entry(
        actor=actor,
        game=game_at(event, code),
        number=hand.number,
        entry=hand.entry,
        based_on=looked,
        reason=reason,
        source="api",
        now=timezone.now(),
    )


delete_hand_view = idempotent_write(
    _delete_hand, HandSerializer, HandMoveSerializer, asks=(IF_MATCH,), tells=(ETAG,)
)
"""`POST E/tables/{code}/hands/{number}/void`."""
restore_hand_view = idempotent_write(
    _restore_hand, HandSerializer, HandMoveSerializer, asks=(IF_MATCH,), tells=(ETAG,)
)
"""`POST E/tables/{code}/hands/{number}/restore`."""
