"""Entering hands: a new one, and the next revision of one that is there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from django.http import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import known_caller
from api.fast_serialization import plain
from api.idempotency import KEY, REPLAYED, REPLAYED_HEADER, key_of
from api.openapi import writing
from api.pagination import Flat
from api.preconditions import if_match
from api.query_parameters import allow_only
from api.v1.rounds.tables import HandSerializer, hand_json
from scoring.entry.sheet import seat_names
from scoring.errors import SENTENCES as OF_THE_SCORER
from scoring.errors import Problem, Refused, shown
from scoring.numbers import score_json
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Conflict, Missing
from tournaments.models.hands import Game, Hand
from tournaments.policy import Actor
from tournaments.presenters.hands.game_summary import game_standing, standing_of
from tournaments.previewing.run_preview import HandRef, save_as_previewed
from tournaments.selectors.hands.disputes import open_on
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import hand_of
from tournaments.selectors.jobs.queue import event_version
from tournaments.selectors.rounds.resolve_url import game_at_address
from tournaments.services.hands.record_entry import (
    LAST_HAND,
    RecordedHand,
    TotalsEntry,
    record_entry,
)
from tournaments.services.hands.validate_entry import entry_problems

MOST_TEXT: Final = 500
MOST_SEATS: Final = 40
_TEXTS: Final = ("note", "reason", "previewed")
_NEW: Final = ("number", "entry", "players", "note")
_REVISED: Final = (*_NEW, "reason", "previewed")

IF_MATCH: Final = OpenApiParameter(
    "If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, required=False,
    description='The ETag of the hand that you looked at, as in `"1"`; without it 428.',
)  # fmt: skip
ETAG: Final = OpenApiParameter(
    "ETag", OpenApiTypes.STR, OpenApiParameter.HEADER, response=[200, 201],
    description="The revision, for the next edit.",
)  # fmt: skip
LOCATION: Final = OpenApiParameter(
    "Location", OpenApiTypes.URI_REF, OpenApiParameter.HEADER, response=[201],
    description="The address of the hand.",
)  # fmt: skip


class NewHandSerializer(serializers.Serializer[Any]):
    """A hand as it is typed."""

    number = serializers.IntegerField(min_value=1, max_value=LAST_HAND)
    entry = serializers.DictField(help_text="What each seat took; boxes as in the entry schema.")
    players = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        max_length=MOST_SEATS,
        help_text="Player ids in seat order: checked against the seating; they seat the table "
        "where nobody sits yet.",
    )
    note = serializers.CharField(required=False, allow_blank=True, max_length=MOST_TEXT)


class RevisedHandSerializer(NewHandSerializer):
    """A hand as it should have been, and why."""

    number = serializers.IntegerField(
        required=False, min_value=1, max_value=LAST_HAND, help_text="If given, the address's."
    )
    hands = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=LAST_HAND,
        help_text="Of hand 0, a sheet with totals only: how many hands were played, null where "
        "nobody knows. Left out it stays as it is.",
    )
    reason = serializers.CharField(max_length=MOST_TEXT, help_text="One sentence; it is kept.")
    previewed = serializers.CharField(
        required=False,
        max_length=MOST_TEXT,
        help_text="`digest` of a preview: saved only if it still does just that, else 409.",
    )


@dataclass(frozen=True, slots=True)
class EntryBody:
    """A body whose fields have the right types."""

    number: int
    entry: Any
    players: Sequence[str] | None
    note: str
    reason: str
    previewed: str = ""
    totals: TotalsEntry | None = None


@writing(
    "enter_hand", "POST", HandSerializer, NewHandSerializer, status=201,
    parameters=(KEY, REPLAYED_HEADER, LOCATION, ETAG),
)  # fmt: skip
def enter_hand(request: Request, club: str, event: str, code: str) -> HttpResponseBase:
    """Enter a new hand of a table. If it is there already, 409 comes with the hand that is there.

    Everything that cannot stand is said at once (422). Under an `Idempotency-Key` it may be sent
    again for ever: the second time the answer is the hand as it stands.
    """
    allow_only(request)
    actor, key = known_caller(request), key_of(request)
    game = game_at_address(actor, club, event, code)
    sent = _sent(request.data, _NEW, actor, game)
    recorded = as_recorded(actor, game, sent, key=key)
    answer = _answer(game, recorded, status=201)
    answer["Location"] = reverse("read_hand", args=[club, event, code, recorded.hand.number])
    return answer


@writing(
    "revise_hand", "PUT", HandSerializer, RevisedHandSerializer, status=200,
    parameters=(IF_MATCH, KEY, REPLAYED_HEADER, ETAG),
)  # fmt: skip
def revise_hand(
    request: Request, club: str, event: str, code: str, number: int
) -> HttpResponseBase:
    """Enter the next revision of a hand, with a reason; what was typed before is kept.

    `If-Match` says which revision you looked at. Without it the answer is 428; if somebody changed
    the hand meanwhile it is 412, with what stands there (`there`) and what you sent (`yours`).
    With `previewed` it is saved only if it does what that preview said; else 409 has the new one.
    """
    allow_only(request)
    actor, key = known_caller(request), key_of(request)
    game = game_at_address(actor, club, event, code)
    based_on = if_match(request, of="hand")
    sent = sent_revision(request.data, actor, game, number)
    if sent.previewed:
        recorded = save_as_previewed(
            HandRef(game.event, code, number),
            lambda: as_recorded(actor, game, sent, key=key, based_on=based_on),
            digest=sent.previewed,
            now=timezone.now(),
        )
    else:
        recorded = as_recorded(actor, game, sent, key=key, based_on=based_on)
    return _answer(game, recorded, status=200)


def as_recorded(
    actor: Actor, game: Game, sent: EntryBody, *, key: str | None, based_on: int | None = None
) -> RecordedHand:
    """Record a hand as it was sent; refusals point into the body."""
    try:
        return record_entry(
            actor=actor,
            game=game,
            number=sent.number,
            entry=sent.entry,
            now=timezone.now(),
            source="api",
            based_on=based_on,
            key=key,
            reason=sent.reason,
            note=sent.note,
            players=sent.players,
            totals=sent.totals,
        )
    except Refused as refused:
        raise Refused(*(_in_body(problem) for problem in refused.problems)) from refused
    except Conflict as conflict:
        if conflict.problem.code == "entry_outdated" and conflict.there is None:
            raise Missing("hand", {"hand": sent.number, "table": game.table.code}) from conflict
        raise _with_both(actor, game, sent, conflict) from conflict


def _with_both(actor: Actor, game: Game, sent: EntryBody, conflict: Conflict) -> Conflict:
    """Return the conflict with the hand that is there, and with what the caller has lost to it."""
    if not isinstance(conflict.there, Hand):
        return conflict
    yours = None
    if conflict.problem.code == "entry_outdated":
        yours = {"entry": sent.entry, "note": sent.note, "reason": sent.reason}
        if sent.players is not None:
            yours["players"] = list(sent.players)
    there = _hand(game, conflict.there.number)
    return Conflict(conflict.problem, there=there, yours=yours)


def _answer(game: Game, recorded: RecordedHand, *, status: int) -> Response:
    if recorded.replayed:
        body = _hand(game, recorded.hand.number)
    else:
        body = plain(HandSerializer)(_told(game, recorded))
    headers = {"ETag": f'"{body["revision"]}"'}
    if recorded.replayed:
        headers[REPLAYED] = "true"
    return Response(body, status=status, headers=headers)


def _hand(game: Game, number: int) -> Mapping[str, Any]:
    sheet = table_sheet(game.event, game.table.code)
    standing = game_standing(game.event, game.table.code)
    return plain(HandSerializer)(
        hand_json(sheet, hand_of(sheet, number), standing, event_version(game.event))
    )


def _told(game: Game, recorded: RecordedHand) -> Flat:
    """Return what `hand_json` would, of a hand that was recorded now; a query for a revision."""
    hand, entry, played = recorded.hand, recorded.entry, recorded.played
    if played is None:
        raise AssertionError("a hand that was not recorded now has to be read")
    sat = {one.seat: one for one in recorded.sat if hand.number == 0 or one.has(hand.number)}
    labels = seat_names(len(recorded.seats))
    return {
        "table": game.table.code,
        "number": hand.number,
        "revision": hand.revision,
        "state": hand.state,
        "verified": entry.verified,
        "variant": game.snapshot.variant,
        "entry": entry.typed,
        "seats": [
            {
                "seat": seat.number,
                "label": label,
                "side": seat.side or None,
                "player_id": holder.player_id if holder else None,
                "player": holder.name if holder else None,
                "score": score_json(score),
                "total": score_json(total),
            }
            for seat, label, score, total in zip(
                recorded.seats, labels, played.score.seat_scores, played.totals, strict=True
            )
            for holder in [sat.get(seat.number)]
        ],
        "moon": entry.moon,
        # Nobody can have disputed what was not there.
        "disputes": open_on(hand.pk) if hand.revision > 1 else 0,
        "game": asdict(standing_of(game.event, game, recorded.seats)),
        "entered_by": entry.entered_as,
        "entered_at": entry.entered_at,
        "reason": entry.reason,
        "event_version": recorded.event_version,
    }


def _sent(
    body: Any,
    known: Sequence[str],
    actor: Actor,
    game: Game,
    number: int | None = None,
) -> EntryBody:
    """Return the body, its shape checked.

    Raises:
        Forbidden: enter_hand.
        Refused: every field that cannot be read, together with what is wrong with the entry.
    """
    problems = [
        *_unknown(body, known),
        *_number_problems(body, number),
        *_players_problems(body),
        *_hands_problems(body),
        *(_text_problem(name) for name in _TEXTS if not _is_text(body.get(name, ""))),
    ]
    entry: Any = body.get("entry")
    if problems:
        found = entry_problems(actor=actor, game=game, entry=entry, number=number)
        raise Refused(*problems, *(_in_body(problem) for problem in found))
    return EntryBody(
        number=body["number"] if number is None else number,
        entry=entry,
        players=body.get("players"),
        note=body.get("note", ""),
        reason=body.get("reason", ""),
        previewed=body.get("previewed", ""),
        totals=_totals(body, game) if number == TOTALS else None,
    )


def sent_revision(body: Any, actor: Actor, game: Game, number: int) -> EntryBody:
    """Return a body that says how a hand should have been, its shape checked.

    Raises:
        Forbidden, Refused: as for a hand that is entered.
    """
    known = (*_REVISED, "hands") if number == TOTALS else _REVISED
    return _sent(body, known, actor, game, number)


def _totals(body: Mapping[str, Any], game: Game) -> TotalsEntry:
    """Return how many hands the totals are of: as sent, else as it stands."""
    if "hands" in body:
        return TotalsEntry(body["hands"])
    sheet = table_sheet(game.event, game.table.code)
    return TotalsEntry(next((one.n_hands for one in sheet.hands if one.number == TOTALS), None))


def _hands_problems(body: Mapping[str, Any]) -> Iterator[Problem]:
    found = body.get("hands")
    if found is not None and (not isinstance(found, int) or isinstance(found, bool)):
        facts = {"found": shown(found), "expected": f"1 to {LAST_HAND}"}
        yield Problem("bad_number_of_hands", ("hands",), facts)


def _unknown(body: Mapping[str, Any], known: Sequence[str]) -> Iterator[Problem]:
    for name in sorted(set(body) - set(known)):
        facts = {"found": shown(name), "expected": ", ".join(known)}
        yield Problem("unknown_member", (name,), facts)


def _number_problems(body: Mapping[str, Any], number: int | None) -> Iterator[Problem]:
    found = body.get("number", number)
    is_whole = isinstance(found, int) and not isinstance(found, bool)
    if not is_whole or (number is not None and found != number):
        expected = f"1 to {LAST_HAND}" if number is None else number
        facts = {"found": shown(found), "expected": expected}
        yield Problem("bad_hand_number", ("number",), facts)


def _players_problems(body: Mapping[str, Any]) -> Iterator[Problem]:
    players = body.get("players")
    if players is None:
        return
    if not (
        isinstance(players, list)
        and len(players) <= MOST_SEATS
        and all(_is_text(player) and player for player in players)
    ):
        yield Problem("bad_players", ("players",))


def _is_text(found: object) -> bool:
    return isinstance(found, str) and len(found) <= MOST_TEXT and "\x00" not in found


def _text_problem(name: str) -> Problem:
    return Problem("bad_text", (name,), {"field": name, "most": MOST_TEXT})


def _in_body(problem: Problem) -> Problem:
    """Return a problem of the scorer, whose path begins at the entry, with that of the body."""
    if problem.code not in OF_THE_SCORER or problem.at[:1] == ("players",):
        return problem
    return replace(problem, at=("entry", *problem.at))
