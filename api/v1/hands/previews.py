"""What a change of a hand would do; nothing of it is kept."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.http import HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import known_caller
from api.openapi import writing
from api.preconditions import if_match
from api.query_parameters import allow_only
from api.v1.hands.entries import IF_MATCH, MOST_TEXT, as_recorded, sent_revision
from scoring.errors import Problem, Refused, shown
from tournaments.domain.reasons import reason_problems
from tournaments.models.hands import Game
from tournaments.policy import Actor
from tournaments.previewing.run_preview import HandRef, preview
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, hand_of
from tournaments.selectors.rounds.resolve_url import game_at_address
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.void_hand import void_hand

ACTS: Final = ("correct", "undo", "void", "restore")
_STAND_IN: Final = "–"
"""The reason that a change is tried with where none is sent."""


class PreviewAsked(serializers.Serializer[Any]):
    """What would be done to the hand."""

    act = serializers.ChoiceField(choices=ACTS, required=False, help_text="`correct` by default.")
    entry = serializers.DictField(required=False, help_text="For `correct`: as it should be.")
    players = serializers.ListField(child=serializers.CharField(), required=False)
    hands = serializers.IntegerField(
        required=False, allow_null=True, help_text="Of hand 0: how many hands the totals are of."
    )
    note = serializers.CharField(required=False, allow_blank=True, max_length=MOST_TEXT)
    reason = serializers.CharField(required=False, allow_blank=True, max_length=MOST_TEXT)


class PreviewSerializer(serializers.Serializer[Any]):
    """The differences between what stands and what would stand."""

    table = serializers.CharField()
    number = serializers.IntegerField()
    event = serializers.DictField(help_text="Its state; `corrected` hands once it is final.")
    hand = serializers.DictField(help_text="`before` and `after`: state, revision, entry, scores.")
    hands = serializers.ListField(
        child=serializers.DictField(), help_text="All hands that it corrects, as `hand`."
    )
    game = serializers.DictField(help_text="Totals and places of the seats, before and after.")
    boundaries = serializers.ListField(
        child=serializers.DictField(), help_text="Who comes above each line, who falls below."
    )
    rows = serializers.DictField(
        help_text="How many rows change, how many places, how many stay; the first 100 of them."
    )
    ladder = serializers.DictField(
        allow_null=True,
        help_text="What becomes of the event's ladder: members who change places (`changed`, the "
        "first 100), the largest changes of ratings, challenges that somebody else has won or that "
        "become void, its publication. Null where there is no ladder.",
    )
    playoffs = serializers.ListField(
        child=serializers.DictField(),
        help_text="Each play-off: `what` becomes of it (`kept`, `void`, `detected`, `asked`, "
        "`answered`, `decided`, `undecided`), with the `code` of what somebody has to answer then.",
    )
    cuts = serializers.ListField(
        child=serializers.DictField(),
        help_text="Each cut: `kept`, `asked`, `answered` or `redone`, who comes in and goes out.",
    )
    publication = serializers.DictField(
        help_text="The newest number, and the one after it. `under_review`: nothing is published "
        "until a director has decided what becomes of a finished play-off or a cut."
    )
    digest = serializers.CharField(help_text="For `previewed` of the PUT that saves it.")


@writing(
    "preview_hand", "POST", PreviewSerializer, PreviewAsked, status=200, parameters=(IF_MATCH,)
)
def preview_hand(
    request: Request, club: str, event: str, code: str, number: int
) -> HttpResponseBase:
    """What a correction, an undo, a void or a restore of a hand would change; nothing is kept.

    `If-Match` says which revision you looked at, as for the PUT. Whatever would be refused there is
    refused here.
    """
    allow_only(request)
    actor = known_caller(request)
    game = game_at_address(actor, club, event, code)
    based_on = if_match(request, of="hand")
    sent: Any = request.data
    act = sent.get("act", ACTS[0])
    if act not in ACTS:
        facts = {"parameter": "act", "found": shown(act), "expected": ", ".join(ACTS)}
        raise Refused(Problem("bad_parameter", ("act",), facts))
    hand = hand_of(table_sheet(game.event, code), number)
    body = {key: value for key, value in sent.items() if key != "act"}
    change = _change(act, actor, game, hand, body, based_on)
    found = preview(HandRef(game.event, code, number), change, now=timezone.now())
    return Response({**found.as_json(), "digest": found.digest})


def _change(
    act: str, actor: Actor, game: Game, hand: HandView, body: Mapping[str, Any], based_on: int
) -> Callable[[], object]:
    """Return what would be done, checked in its shape."""
    if act == "correct":
        body = {"reason": _STAND_IN, **body}
        sent = sent_revision(body, actor, game, hand.number)
        return lambda: as_recorded(actor, game, sent, key=None, based_on=based_on)
    reason = body.get("reason") or _STAND_IN
    if problems := tuple(reason_problems(str(reason))):
        raise Refused(*problems)
    if act == "void":
        return lambda: void_hand(
            actor=actor,
            game=game,
            number=hand.number,
            based_on=based_on,
            reason=str(reason),
            now=timezone.now(),
        )
    wanted = based_on - 1 if act == "undo" and hand.state != "void" else based_on
    return lambda: record_entry(
        actor=actor,
        game=game,
        number=hand.number,
        entry=_entry_of(hand, wanted),
        now=timezone.now(),
        source="api",
        based_on=based_on,
        reason=str(reason),
    )


def _entry_of(hand: HandView, revision: int) -> Mapping[str, Any]:
    """Return what the hand said in a revision; of the first one there is nothing before."""
    found: Sequence[Mapping[str, Any]] = [
        one.entry for one in hand.revisions if one.number == revision
    ]
    if not found:
        raise Refused(Problem("nothing_to_undo", ("act",), {"hand": hand.number}))
    return found[0]
