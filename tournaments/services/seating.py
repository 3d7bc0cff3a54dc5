"""Putting people at one table of a round: meeting, round, table, seats, sittings, game."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from django.db import IntegrityError, transaction

from scoring.errors import Problem, Refused
from scoring.rules import Rules
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Game
from tournaments.models.meetings import Meeting, Round, Seat, Sitting, Table
from tournaments.policy import Actor
from tournaments.services.audit import append_audit
from tournaments.services.events import default_snapshot, entrant_for
from tournaments.services.permissions import require
from tournaments.services.rule_sets import rules_of, sides_of, take_snapshot

CODE = "r{round}t{table}"


def table_code(round_number: int, table_number: int) -> str:
    """Return the table's public code, `r3t2` for table 2 of round 3."""
    return CODE.format(round=round_number, table=table_number)


@transaction.atomic
def seat_table(
    *,
    actor: Actor,
    event: Event,
    round_number: int,
    table_number: int,
    players: Sequence[Player],
    now: datetime,
    on: date | None = None,
    variant: str = "",
    options: Mapping[str, object] | None = None,
) -> Game:
    """Seat `players` clockwise from seat 1 at a table of a round, making what is missing.

    Raises:
        Forbidden: manage_event.
        Refused: seat_count, same_player_twice, and what the catalogue says of the variant.
        Conflict: table_exists, seat_taken.
    """
    require(actor, event.club, "manage_event")
    snapshot = (
        take_snapshot(event=event, variant=variant, options=options)
        if variant
        else default_snapshot(event)
    )
    rules = rules_of(snapshot)
    _require_seats(players, rules.keys.players)
    stage, _ = Stage.objects.get_or_create(event=event, number=1, defaults={"club": event.club})
    meeting = _meeting(event, on)
    round_, _ = Round.objects.get_or_create(
        event=event,
        number=round_number,
        defaults={"club": event.club, "stage": stage, "meeting": meeting, "state": "posted"},
    )
    code = table_code(round_number, table_number)
    try:
        with transaction.atomic():
            table = Table.objects.create(
                club=event.club, event=event, round=round_, number=table_number, code=code
            )
    except IntegrityError as there:
        raise Conflict(Problem("table_exists", facts={"table": code})) from there
    sit_down(table, round_, players, rules)
    for player in players:
        entrant_for(event=event, player=player)
    game = Game.objects.create(club=event.club, event=event, table=table, snapshot=snapshot)
    append_audit(
        club=event.club,
        actor=actor,
        act="seat_table",
        subject=f"event:{event.slug}/table:{code}",
        facts={"players": [player.player_id for player in players]},
        now=now,
    )
    return game


def _require_seats(players: Sequence[Player], allowed: tuple[int, int]) -> None:
    least, most = allowed
    if not least <= len(players) <= most:
        facts = {"found": len(players), "expected": f"{least} to {most}"}
        raise Refused(Problem("seat_count", ("players",), facts))
    ids = [player.player_id for player in players]
    twice = next((code for code in ids if ids.count(code) > 1), None)
    if twice:
        raise Refused(Problem("same_player_twice", ("players",), {"player_id": twice}))


def _meeting(event: Event, on: date | None) -> Meeting | None:
    if on is None:
        return None
    meeting, _ = Meeting.objects.get_or_create(
        event=event, date=on, defaults={"club": event.club, "state": "held"}
    )
    return meeting


def sit_down(table: Table, round_: Round, players: Sequence[Player], rules: Rules) -> None:
    """Seat `players` clockwise from seat 1, making seats that are missing.

    Raises:
        Conflict: player_already_seated, at another table of the round.
    """
    sides = sides_of(rules, len(players))
    for number, (player, side) in enumerate(zip(players, sides, strict=True), start=1):
        seat, _ = Seat.objects.get_or_create(
            table=table, number=number, defaults={"club_id": table.club_id, "side": side}
        )
        try:
            with transaction.atomic():
                Sitting.objects.create(
                    club_id=table.club_id, seat=seat, round=round_, player=player
                )
        except IntegrityError as taken:
            facts = {"player_id": player.player_id, "round": round_.number}
            raise Conflict(Problem("player_already_seated", ("players",), facts)) from taken
