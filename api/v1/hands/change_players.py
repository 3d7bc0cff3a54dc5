"""Who sits at a table, and changing who played there."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
from api.idempotent_writes import MOST_TEXT, fingerprint_of, json_answer
from api.openapi import reading, together, writing
from api.preconditions import if_match_tag
from api.query_parameters import allow_only
from scoring.errors import Problem, Refused, shown
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.policy import Actor
from tournaments.previewing.change_players import change_as_previewed, preview_players
from tournaments.selectors.events.events import event_at
from tournaments.selectors.rounds.resolve_url import game_at_address
from tournaments.selectors.rounds.seatings import TableSeating, player_changes, table_seating
from tournaments.services.hands.change_players import change_players, undo_players
from tournaments.services.hands.changed_tables import ACTS, HANDS, ChangedPlayers, PlayerChange

UNDO: Final = "undo"
IF_MATCH: Final = OpenApiParameter(
    "If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, required=False,
    description="The ETag of the seats that you looked at; without it 428.",
)  # fmt: skip
ETAG: Final = OpenApiParameter(
    "ETag", OpenApiTypes.STR, OpenApiParameter.HEADER, response=[200],
    description="Names who sits where and which hands there are, for the next change.",
)  # fmt: skip
_TEXTS: Final = ("act", "player_id", "hands", "reason", "previewed")
_NUMBERS: Final = ("seat", "from_hand", "change")
_KNOWN: Final = (*_TEXTS, *_NUMBERS, "split_sides")
_STAND_IN: Final = "–"
"""The reason that a change is tried with where none is sent."""


class SittingSerializer(serializers.Serializer[Any]):
    """A player in a seat from one hand to another."""

    seat = serializers.IntegerField(help_text="Clockwise from 1.")
    player_id = serializers.CharField()
    player = serializers.CharField(source="name")
    from_hand = serializers.IntegerField()
    to_hand = serializers.IntegerField(allow_null=True, help_text="Null while they sit there.")
    substitute_for = serializers.CharField(
        allow_null=True, help_text="Id of the player whom they substitute."
    )


class PlayersChangedSerializer(serializers.Serializer[Any]):
    """A change of who played that was made at the table."""

    id = serializers.IntegerField(help_text="For `change` of an `undo`.")
    reason = serializers.CharField()
    facts = serializers.DictField(help_text="What was done: `moves` from and to, `hands`.")


class SeatsSerializer(serializers.Serializer[Any]):
    """Who sits at a table from which hand to which. Its ETag is for a change."""

    code = serializers.CharField()
    number = serializers.IntegerField()
    round = serializers.IntegerField()
    sittings = SittingSerializer(many=True)
    hands = serializers.ListField(
        child=serializers.IntegerField(), help_text="Hands that are entered and not deleted."
    )
    changes = PlayersChangedSerializer(many=True, help_text="The newest first.")


class SeatsAsked(serializers.Serializer[Any]):
    """Who is to have played."""

    act = serializers.ChoiceField(
        choices=(*ACTS, UNDO),
        help_text="`swap`: with somebody at this or another table of the round. `replace`: by "
        "somebody who sits at no table, from hand 1. `substitute`: the same from `from_hand` on. "
        "`undo`: of the change `change`.",
    )
    seat = serializers.IntegerField(required=False, min_value=1)
    player_id = serializers.CharField(required=False, help_text="Who is to sit in the seat.")
    from_hand = serializers.IntegerField(required=False, min_value=1, help_text="1 by default.")
    hands = serializers.ChoiceField(
        choices=HANDS,
        required=False,
        help_text="What becomes of hands that were played from there on: `keep` (by default; the "
        "scores stay with the seats), `remap` (they follow the people) or `void` (they do not "
        "count).",
    )
    split_sides = serializers.BooleanField(
        required=False, help_text="Seat partners all the same who are not one pair or team."
    )
    change = serializers.IntegerField(required=False, help_text="For `undo`: its `id`.")
    reason = serializers.CharField(max_length=MOST_TEXT, help_text="One sentence; it is kept.")
    previewed = serializers.CharField(
        required=False,
        help_text="`digest` of a preview: saved only if it still does just that, else 409.",
    )


class SeatsPreviewSerializer(serializers.Serializer[Any]):
    """The differences between what there is and what there would be."""

    event = serializers.DictField(help_text="Its state; `corrected` hands once it is final.")
    tables = serializers.ListField(
        child=serializers.DictField(), help_text="Each table: seats, sittings and hands."
    )
    boundaries = serializers.ListField(
        child=serializers.DictField(), help_text="Who comes above each line, who falls below."
    )
    rows = serializers.DictField(help_text="As in the preview of a hand.")
    ladder = serializers.DictField(allow_null=True, help_text="As in the preview of a hand.")
    playoffs = serializers.ListField(child=serializers.DictField())
    cuts = serializers.ListField(child=serializers.DictField())
    publication = serializers.DictField(help_text="The newest number, and the one after it.")
    digest = serializers.CharField(help_text="For `previewed` of the POST that saves it.")


@dataclass(frozen=True, slots=True)
class _SentChange:
    """A body whose fields have the right types."""

    wanted: PlayerChange
    undo: int | None
    reason: str
    previewed: str


@reading("read_seats", SeatsSerializer, parameters=(ETAG,))
def read_seats(request: Request, club: str, event: str, code: str) -> HttpResponseBase:
    """Who sits at a table from which hand to which, and how that was changed."""
    allow_only(request)
    found = event_at(caller(request), club, event, code=code)
    seating = table_seating(found, code)
    return Response(_shown(found, seating), headers={"ETag": f'"{seating.tag}"'})


def _change_seats(request: Request, club: str, event: str, code: str) -> HttpResponse:
    """Change who played at a table, at any time: swap, replace, substitute, or undo that.

    `If-Match` says which seats you looked at. Without it the answer is 428; if somebody changed
    them or entered a hand meanwhile it is 412, with what is there (`there`). The standings, the
    ladder and play-offs follow. It is a line of the change log, and once the round is closed it is
    a correction.
    """
    allow_only(request)
    actor = known_caller(request)
    game = game_at_address(actor, club, event, code)
    tag = if_match_tag(request, of="seats")
    sent = _sent(request.data)
    change = _act(actor, game, sent, tag, sent.reason)
    if sent.previewed:
        change_as_previewed(game.event, code, change, digest=sent.previewed, now=timezone.now())
    else:
        change()
    seating = table_seating(game.event, code)
    answer = json_answer(_shown(game.event, seating))
    answer["ETag"] = f'"{seating.tag}"'
    return answer


change_seats = writing(
    "change_seats",
    "POST",
    SeatsSerializer,
    SeatsAsked,
    status=200,
    parameters=(IF_MATCH, KEY, REPLAYED_HEADER, ETAG),
)(answered_once(_change_seats, fingerprint=fingerprint_of))
"""`POST …/seats`."""
SEATS: Final = together(read_seats, change_seats)
"""`GET` and `POST …/seats`."""


@writing(
    "preview_seats", "POST", SeatsPreviewSerializer, SeatsAsked, status=200, parameters=(IF_MATCH,)
)
def preview_seats(request: Request, club: str, event: str, code: str) -> HttpResponseBase:
    """What a change of who played would change; nothing is kept.

    Whatever would be refused when it is saved is refused here. A reason is not needed.
    """
    allow_only(request)
    actor = known_caller(request)
    game = game_at_address(actor, club, event, code)
    tag = if_match_tag(request, of="seats")
    sent = _sent(request.data)
    change = _act(actor, game, sent, tag, sent.reason or _STAND_IN)
    found = preview_players(game.event, code, change, now=timezone.now())
    return Response({**found.as_json(), "digest": found.digest})


def _act(
    actor: Actor, game: Game, sent: _SentChange, tag: str, reason: str
) -> Callable[[], ChangedPlayers]:
    def act() -> ChangedPlayers:
        now = timezone.now()
        try:
            if sent.undo is not None:
                return undo_players(
                    actor=actor, game=game, line=sent.undo, reason=reason, now=now, tag=tag
                )
            return change_players(
                actor=actor, game=game, wanted=sent.wanted, reason=reason, now=now, tag=tag
            )
        except Conflict as conflict:
            if isinstance(conflict.there, TableSeating):
                there = _shown(game.event, conflict.there)
                raise Conflict(conflict.problem, there=there) from conflict
            raise

    return act


def _shown(event: Event, seating: TableSeating) -> Mapping[str, Any]:
    changes = player_changes(event, seating.code)
    return plain(SeatsSerializer)(
        {
            "code": seating.code,
            "number": seating.number,
            "round": seating.round,
            "sittings": [
                {
                    "seat": one.seat,
                    "player_id": one.player_id,
                    "name": one.name,
                    "from_hand": one.from_hand,
                    "to_hand": one.to_hand,
                    "substitute_for": one.substitute_for or None,
                }
                for one in seating.sittings
            ],
            "hands": list(seating.hands),
            "changes": [
                {"id": one.id, "reason": one.reason, "facts": one.facts} for one in changes
            ],
        }
    )


def _sent(body: Any) -> _SentChange:
    """Return the body, its shape checked.

    Raises:
        Refused: unknown_member, bad_text, bad_change_of_players.
    """
    if problems := tuple(_problems(body)):
        raise Refused(*problems)
    wanted = PlayerChange(
        act=body["act"],
        seat=body.get("seat", 0),
        player_id=body.get("player_id", ""),
        hands=body.get("hands", HANDS[0]),
        from_hand=body.get("from_hand", 1),
        split_sides=body.get("split_sides", False),
    )
    undo = body.get("change", 0) if wanted.act == UNDO else None
    return _SentChange(wanted, undo, body.get("reason", ""), body.get("previewed", ""))


def _problems(body: Mapping[str, Any]) -> Iterator[Problem]:
    for name in sorted(set(body) - set(_KNOWN)):
        yield Problem("unknown_member", (name,), {"found": shown(name), "expected": _listed()})
    for name in _TEXTS:
        found = body.get(name, "")
        if not isinstance(found, str) or len(found) > MOST_TEXT or "\x00" in found:
            yield Problem("bad_text", (name,), {"field": name, "most": MOST_TEXT})
    for name in _NUMBERS:
        found = body.get(name, 1)
        if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < 2**31:
            facts = {"found": shown(found), "expected": "a whole number"}
            yield Problem("bad_change_of_players", (name,), facts)
    if not isinstance(body.get("split_sides", False), bool):
        facts = {"found": shown(body["split_sides"]), "expected": "true or false"}
        yield Problem("bad_change_of_players", ("split_sides",), facts)
    if body.get("act") not in (*ACTS, UNDO):
        facts = {"found": shown(body.get("act", "")), "expected": ", ".join((*ACTS, UNDO))}
        yield Problem("bad_change_of_players", ("act",), facts)


def _listed() -> str:
    return ", ".join(_KNOWN)
