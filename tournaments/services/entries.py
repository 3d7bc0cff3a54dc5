"""Recording what a person typed for a hand: append-only, idempotent, optimistic.

One transaction from the lock to the mark: revision, seat scores, sums, the event's dirty row
and the audit line are all there or none is.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter, itemgetter

from django.db import transaction

from scoring.errors import Problem, Refused
from scoring.typed import read_entry
from tournaments.errors import Conflict
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.meetings import Round, Seat, Sitting
from tournaments.models.outbox import Dirty, event_scope
from tournaments.policy import Actor
from tournaments.services.audit import append_audit
from tournaments.services.marks import mark_changed
from tournaments.services.open_seating import is_open, seat_by_sheet
from tournaments.services.permissions import require
from tournaments.services.replays import HandRefused, Replay
from tournaments.services.rule_sets import rules_of
from tournaments.services.settling import play_through, store_replay, teams_of
from tournaments.states import HAND

LAST_HAND = 999
"""Hand numbers beyond this are a slip of the finger, not an evening."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A hand as it stands after the entry; `replayed` when the key had been answered before.

    A published standing whose version is at least `event_version` contains the hand.
    """

    hand: Hand
    entry: Entry
    event_version: int
    replayed: bool


@transaction.atomic
def record_entry(
    *,
    actor: Actor,
    game: Game,
    number: int,
    entry: Mapping[str, object],
    now: datetime,
    source: str,
    based_on: int | None = None,
    key: str | None = None,
    reason: str = "",
    note: str = "",
    players: Sequence[str] | None = None,
) -> Recorded:
    """Append a revision to hand `number` of `game`, score it, and mark its event as changed.

    Args:
        entry: what was typed, in the form of variants.md section 1.
        based_on: the revision the host was looking at; None for a new hand.
        key: idempotency key, kept for ever; a repeated one gets the first answer.
        reason: required for every revision after the first.
        players: player ids in seat order; must agree with the seating, and seat the table where
            nobody sits yet (open stage).

    Raises:
        Forbidden: enter_hand; correct_closed once the round is closed, or the hand is void.
        Conflict: hand_exists, entry_outdated, event_not_open, round_not_open,
            player_already_seated.
        Refused: idempotency_key_reused alone; reason_required, bad_hand_number, player_mismatch,
            players_needed, unknown_player and everything the scorer finds, all at once.
    """
    game = _locked(game)
    require(actor, game.club, "enter_hand")
    fingerprint = _fingerprint(entry, players, note)
    if earlier := _answered(game, number, key, fingerprint):
        return Recorded(earlier.hand, earlier, _version(game), replayed=True)
    hands = {hand.number: hand for hand in Hand.objects.select_related("entry").filter(game=game)}
    hand = hands.get(number)
    _require_open(actor, game)
    if hand is not None and hand.state == "void":
        require(actor, game.club, HAND["void", "accepted"].act)
    _require_based_on(hand, number, based_on)
    problems = [
        *_own_problems(hand, number, reason),
        *_seating_problems(game, number, players, is_first=not hands),
    ]
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    played = _judge(game, seats, hands.values(), (number, entry), problems)
    is_new = hand is None
    if hand is None:
        hand = Hand.objects.create(club_id=game.club_id, game=game, number=number)
    row = Entry.objects.create(
        club_id=game.club_id,
        hand=hand,
        revision=hand.revision + 1,
        form=_form(game, seats, entry),
        typed=dict(entry),
        key=key,
        body_hash=fingerprint,
        reason=reason.strip(),
        note=note,
        source=source,
        entered_by_id=actor.user_id,
        entered_as=actor.name,
        entered_at=now,
    )
    _count(hand, row)
    _store(game, seats, {**hands, number: hand}, played, new=hand if is_new else None)
    return Recorded(hand, row, _mark(actor, game, hand, now), replayed=False)


def _locked(game: Game) -> Game:
    """Return the game with its row locked: entries of one table queue here.

    Two statements: a round that closed while this one waited for the lock is seen as closed.
    """
    Game.objects.select_for_update().get(pk=game.pk)
    return Game.objects.select_related("event", "club", "snapshot", "table__round").get(pk=game.pk)


def _fingerprint(entry: Mapping[str, object], players: Sequence[str] | None, note: str) -> str:
    text = json.dumps([entry, players, note], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _answered(game: Game, number: int, key: str | None, fingerprint: str) -> Entry | None:
    """Return the entry of this table that came under `key`, however long ago."""
    if key is None:
        return None
    under_key = Entry.objects.filter(hand__game=game, key=key).select_related("hand__entry")
    earlier = under_key.first()
    if earlier is None:
        return None
    if (earlier.hand.number, earlier.body_hash) != (number, fingerprint):
        raise Refused(Problem("idempotency_key_reused", facts={"hand": earlier.hand.number}))
    return earlier


def _version(game: Game) -> int:
    found = Dirty.objects.filter(scope=event_scope(game.event_id)).values_list("version", flat=True)
    return found.first() or 0


def _require_open(actor: Actor, game: Game) -> None:
    round_ = game.table.round
    if game.event.state == "draft" or (game.event.state == "final" and round_.state != "closed"):
        raise Conflict(Problem("event_not_open", facts={"state": game.event.state}))
    if round_.state == "draft":
        facts = {"round": round_.number, "state": round_.state}
        raise Conflict(Problem("round_not_open", facts=facts))
    if round_.state == "closed" or game.event.state != "open":
        require(actor, game.club, "correct_closed")


def _require_based_on(hand: Hand | None, number: int, based_on: int | None) -> None:
    """Let a new hand be new, and a revision follow the one that its author looked at."""
    theirs = hand.revision if hand is not None else 0
    if hand is not None and based_on is None:
        raise Conflict(Problem("hand_exists", ("number",), {"number": number}), there=hand)
    if (based_on or 0) != theirs:
        facts = {"yours": based_on or 0, "theirs": theirs}
        raise Conflict(Problem("entry_outdated", facts=facts), there=hand)


def _own_problems(hand: Hand | None, number: int, reason: str) -> Iterator[Problem]:
    if hand is None and not 1 <= number <= LAST_HAND:
        facts = {"found": number, "expected": f"1 to {LAST_HAND}"}
        yield Problem("bad_hand_number", ("number",), facts)
    if hand is not None and not reason.strip():
        yield Problem("reason_required", ("reason",))


def _seating_problems(
    game: Game, number: int, players: Sequence[str] | None, *, is_first: bool
) -> Iterable[Problem]:
    """Say where `players` are not those who sit there; seat them where nobody does.

    A table with a hand has its people.
    """
    if is_first and is_open(game):
        return seat_by_sheet(game=game, players=players)
    return _mismatches(game, number, players) if players is not None else ()


def _mismatches(game: Game, number: int, players: Sequence[str]) -> Iterable[Problem]:
    number = max(number, 1)  # totals belong to whoever sat there from the first hand on
    sitting = Sitting.objects.filter(seat__table_id=game.table_id, from_hand__lte=number)
    seated = {
        row.seat.number: row.player.player_id
        for row in sitting.select_related("seat", "player").order_by("from_hand")
        if row.to_hand is None or number <= row.to_hand
    }
    problems = [
        Problem(
            "player_mismatch",
            ("players", index),
            {"seat": index + 1, "found": found, "expected": seated.get(index + 1, "nobody")},
        )
        for index, found in enumerate(players)
        if seated.get(index + 1) != found
    ]
    if len(players) != len(seated) and not problems:
        facts = {"field": "players", "found": len(players), "expected": len(seated)}
        problems.append(Problem("seat_count", ("players",), facts))
    return problems


def _judge(
    game: Game,
    seats: Sequence[Seat],
    hands: Collection[Hand],
    new: tuple[int, Mapping[str, object]],
    problems: Sequence[Problem],
) -> Replay:
    """Play the game with the new entry, before anything is written.

    Raises:
        Refused: `problems` and all that the scorer finds.
        HandRefused: another hand of the game cannot stand beside the new entry.
    """
    if not seats:
        raise Refused(*problems)
    number, entry = new
    # A number that cannot be is judged as the last hand of all, and refused in the end.
    known = [hand.number for hand in hands]
    place = number if number in known or 1 <= number <= LAST_HAND else LAST_HAND + 1
    others = [(hand.number, hand.entry.typed) for hand in _counting(hands) if hand.entry]
    typed = sorted(
        [*(other for other in others if other[0] != place), (place, entry)], key=itemgetter(0)
    )
    try:
        played = play_through(game=game, rules=rules_of(game.snapshot), seats=seats, typed=typed)
    except HandRefused as refused:
        if refused.number == place:
            raise Refused(*problems, *refused.problems) from refused
        raise
    if problems:
        raise Refused(*problems)
    return played


def _counting(hands: Iterable[Hand]) -> list[Hand]:
    counting = [hand for hand in hands if hand.state == "accepted" and hand.entry is not None]
    return sorted(counting, key=attrgetter("number"))


def _form(game: Game, seats: Sequence[Seat], entry: Mapping[str, object]) -> str:
    rules = rules_of(game.snapshot)
    return read_entry(entry, rules, len(seats), teams_of(seats, rules)).form


def _count(hand: Hand, entry: Entry) -> None:
    """Make `entry` the revision that counts."""
    hand.entry, hand.revision, hand.state = entry, entry.revision, "accepted"
    hand.save(update_fields=["entry", "revision", "state"])


def _store(
    game: Game,
    seats: Sequence[Seat],
    hands: Mapping[int, Hand],
    played: Replay,
    new: Hand | None,
) -> None:
    store_replay(
        game=game,
        rules=rules_of(game.snapshot),
        seats=seats,
        hands=_counting(hands.values()),
        played=played,
        new=new,
    )
    if game.table.round.state == "posted":
        Round.objects.filter(pk=game.table.round_id, state="posted").update(state="playing")


def _mark(actor: Actor, game: Game, hand: Hand, now: datetime) -> int:
    version = mark_changed(event=game.event, now=now)
    append_audit(
        club=game.club,
        actor=actor,
        act="enter_hand" if hand.revision == 1 else "correct_hand",
        subject=f"event:{game.event.slug}/table:{game.table.code}/hand:{hand.number}",
        facts={"revision": hand.revision},
        now=now,
    )
    return version
