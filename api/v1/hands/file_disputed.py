"""Filing a hand with a wrong total: kept as it was entered, not counted until it is resolved."""

from dataclasses import replace

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request

from api.authentication import known_caller
from api.idempotent_writes import idempotent_write, json_answer
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import MOST_TEXT, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.hands.entries import ETAG, LOCATION, EntryField, HandNumberField, HandsField
from api.v1.rounds.tables import HandSerializer, hand_json
from scoring.errors import SENTENCES as OF_THE_SCORER
from scoring.errors import Problem, Refused
from tournaments.domain.etags import etag
from tournaments.domain.replay_game import LAST_HAND, TOTALS
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.presenters.hands.game_summary import game_standing
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands.score_sheet import game_at, table_sheet
from tournaments.selectors.hands.score_sheet_views import hand_of
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.access.permissions import require
from tournaments.services.hands.file_disputed import file_disputed


class DisputedHandSerializer(StrictSerializer):
    """A hand as the sheet has it, although its total is wrong."""

    number = HandNumberField(
        min_value=TOTALS, max_value=LAST_HAND, help_text="0 for the totals of a whole game."
    )
    entry = EntryField(help_text="The cards or points of each seat; boxes as in the entry schema.")
    reason = TextField(
        max_length=MOST_TEXT, help_text="The open question about the hand; it is stored."
    )
    hands = HandsField(
        required=False, allow_null=True, min_value=1, max_value=LAST_HAND,
        help_text="With number 0, the number of hands; null or left out where it is unknown.",
    )  # fmt: skip


def _file_disputed(request: Request, club: str, event: str, code: str) -> HttpResponse:
    """Store a new hand whose total is wrong, as it was entered; it does not count.

    Its next revision (`PUT`) resolves it, or `POST …/void` deletes it. A hand with a right total is
    409 (`adds_up`): enter it. Other problems of the entry are 422, as for any hand.
    """
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event, code=code)
    game = game_at(found, code)
    require(actor, found.club, "file_disputed")
    sent = validated(request, DisputedHandSerializer)
    try:
        hand = file_disputed(actor=actor, game=game, key=None, now=timezone.now(), **sent)
    except Refused as refused:
        raise Refused(*map(_in_body, refused.problems)) from refused
    except Conflict as conflict:
        if not isinstance(conflict.there, Hand):
            raise
        there = _document(found, code, conflict.there.number)
        raise Conflict(conflict.problem, there=there) from conflict
    body = _document(found, code, hand.number)
    answer = json_answer(body, status=201)
    answer["ETag"] = etag(hand.revision)
    answer["Location"] = reverse("read_hand", args=[club, event, code, hand.number])
    return answer


def _in_body(problem: Problem) -> Problem:
    """Return a problem at its place in the body: what the scorer finds is in the entry."""
    if problem.code in OF_THE_SCORER:
        return replace(problem, at=("entry", *problem.at))
    return problem


def _document(event: Event, code: str, number: int) -> dict[str, object]:
    sheet = table_sheet(event, code)
    standing, version = game_standing(event, code), event_version(event)
    return plain(HandSerializer)(hand_json(sheet, hand_of(sheet, number), standing, version))


file_disputed_view = idempotent_write(
    _file_disputed, HandSerializer, DisputedHandSerializer, status=201, tells=(LOCATION, ETAG)
)
"""`POST E/tables/{code}/disputed-hands`."""
