"""Putting people at one table of a round, and the lines of the change log about changed seats."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Final, TypeAlias

from django.db import IntegrityError, transaction

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.rules.dealing import uneven
from scoring.rules.rules import Rules
from tournaments.domain.people.public_names import entrant_name_of
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event, Snapshot
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import (
    Meeting,
    Round,
    Seat,
    SitOut,
    SitOutReason,
    Sitting,
    Table,
)
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.change_log import SEATING_KIND
from tournaments.selectors.events.meetings import club_day
from tournaments.selectors.events.settings_checks import require_comparable
from tournaments.selectors.rounds.round_seating import (
    already_seated,
    players_with_ids,
    require_held,
    snapshot_for,
)
from tournaments.selectors.rounds.rounds import list_removals
from tournaments.selectors.rounds.tables import get_places_in_round, side_shape
from tournaments.selectors.rules.rule_sets import rules_of, sides_of, store_snapshot
from tournaments.services.audit.audit import note_change
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import delete_table, lock_event, lock_games
from tournaments.services.db.transactions import unless_taken
from tournaments.services.events.events import BAD_RULES, enter_players
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.evening_hours import note_continued
from tournaments.services.rounds.seating_checks import (
    SEATED,
    end_abandoned_sittings,
    require_in_stage,
    require_no_playoff,
    require_ordinary,
    require_round_open,
    require_whole_sides,
    stage_of_players,
)
from tournaments.services.webhooks.delivery import record_round_posted

NOT_SEATED: Final = ("event_is_over", "round_is_closed", *SEATED)

PLACED: Final = ("round_of_a_playoff", "table_exists", *NOT_SEATED)
"""Error codes of a new table."""

NOT_RESEATED: Final = ("unknown_table", "table_of_a_playoff", "table_has_hands", *NOT_SEATED)

Place: TypeAlias = list[int] | str
"""Table and seat, both from 1, or `sits_out`."""


def table_code(round_number: int, table_number: int) -> str:
    """Return the table's public code, `r3t2` for table 2 of round 3."""
    return f"r{round_number}t{table_number}"


@operation("manage_event", locks=lock_event, refuses=("meeting_is_cancelled", *BAD_RULES, *PLACED))
def seat_table(
    op: Operation,
    event: Event,
    /,
    *,
    round_number: int,
    players: Sequence[Player],
    table_number: int | None = None,
    on: date | None = None,
    variant: str = "",
    options: Mapping[str, object] | None = None,
    split_sides: bool = False,
) -> Game:
    """Seat `players` clockwise from seat 1 at a table of a round, creating missing objects.

    Without a number it is the round's next table; without a variant (id, name or alias) it plays
    that of the round or the event. With `split_sides` partners who are no pair are allowed. A new
    round is made on no cancelled evening, as `make_round` makes none.
    """
    if on is not None and not Round.objects.filter(event=event, number=round_number).exists():
        for meeting in Meeting.objects.filter(event=event, date=on):
            require_held(meeting, "date")
    snapshot = snapshot_for(event, round_number, variant, options)
    require_whole_sides(event, rules_of(snapshot), players, is_answered=split_sides)
    with lifted_sit_outs(op, event, round_number, players):
        game = place_table(
            event=event,
            snapshot=snapshot,
            round_number=round_number,
            players=players,
            table_number=table_number,
            on=on,
            gathers=on is not None and on >= club_day(event.club, op.now),
        )
    rounds = Round.objects.filter(pk=game.table.round_id, state="posted", posted_at__isnull=True)
    if rounds.update(posted_at=op.now):  # the first table of a new round posts it
        record_round_posted(game.table.round, now=op.now)
        if game.table.round.meeting_id is not None:
            evenings = [game.table.round.meeting_id]
            note_continued(event, evenings, now=op.now, actor=op.actor)
    op.audit(game.table, {"players": [player.player_id for player in players]})
    return game


def place_table(
    *,
    event: Event,
    snapshot: Snapshot,
    round_number: int,
    players: Sequence[Player],
    table_number: int | None = None,
    on: date | None = None,
    gathers: bool = False,
) -> Game:
    """Make a table with its players in the transaction of the caller, who checks and audits.

    Args:
        gathers: whether the meeting on that day, where it is missing, is one to come to.
    """
    event = lock_event(event)  # which stage a new round belongs to, a cut may change meanwhile
    require_running(event)
    _require_fit(event, snapshot, players)
    meeting = None
    if on is not None:
        fields = {"club": event.club, "gathers": gathers}
        meeting, _ = Meeting.objects.get_or_create(event=event, date=on, defaults=fields)
    stage = stage_of_players(event, players)
    round_, _ = Round.objects.get_or_create(
        event=event,
        number=round_number,
        defaults={"club": event.club, "stage": stage, "meeting": meeting, "state": "posted"},
    )
    require_no_playoff(round_)
    round_ = _lock_open_round(round_)
    if table_number is None:
        table_number = next_number(Table.objects.filter(round=round_))
    code = table_code(round_number, table_number)
    with unless_taken(Conflict(Problem("table_exists", facts={"table": code}))):
        table = Table.objects.create(
            club=event.club, event=event, round=round_, number=table_number, code=code
        )
    store_sittings(table, round_, players, rules_of(snapshot))
    enter_players(event=event, players=players)
    return Game.objects.create(club=event.club, event=event, table=table, snapshot=snapshot)


def _lock_unplayed_table(game: Game) -> Game:
    lock_event(game.event)
    if not lock_games(Game.objects.filter(pk=game.pk)):
        raise Missing("table", {"table": game.table.code})
    game.refresh_from_db(fields=["snapshot"])
    require_ordinary(game)
    game.table = Table.objects.select_related("event", "round", "club").get(pk=game.table_id)
    require_running(game.table.event)
    _lock_open_round(game.table.round)
    if Hand.objects.filter(game=game).exists():
        raise Conflict(Problem("table_has_hands", facts={"table": game.table.code}))
    return game


@operation("manage_event", locks=_lock_unplayed_table, refuses=(*BAD_RULES, *NOT_RESEATED))
def reseat_table(
    op: Operation,
    game: Game,
    /,
    *,
    players: Sequence[Player],
    variant: str = "",
    options: Mapping[str, object] | None = None,
    split_sides: bool = False,
) -> None:
    """Seat other players at a table before its first hand, or the same ones in other seats."""
    table, snapshot = game.table, game.snapshot
    if variant:
        snapshot = store_snapshot(event=table.event, variant=variant, options=options)
        Game.objects.filter(pk=game.pk).update(snapshot=snapshot)
    require_whole_sides(table.event, rules_of(snapshot), players, is_answered=split_sides)
    places = places_in(table.round)
    with lifted_sit_outs(op, table.event, table.round.number, players):
        _seat_anew(table, players, (game,), snapshot)
    note_seating(op, table.round, places)
    op.audit(table, {"players": [player.player_id for player in players]})


@operation("seat_open_table", locks=_lock_unplayed_table, refuses=("round_is_draft", *NOT_RESEATED))
def seat_open_table(
    op: Operation, game: Game, /, *, players: Sequence[Player], split_sides: bool = False
) -> bool:
    """Seat the players named by its host at a table without players (open stage).

    Return whether they are seated; players seated meanwhile stay.
    """
    table = game.table
    if table.round.state == "draft":
        raise Conflict(Problem("round_is_draft", facts={"round": table.round.number}))
    if Sitting.objects.filter(seat__table=table).exists():
        return False
    require_whole_sides(table.event, rules_of(game.snapshot), players, is_answered=split_sides)
    _seat_anew(table, players, (game,), game.snapshot)
    op.audit(table, {"players": [player.player_id for player in players]}, name="seat_table")
    return True


@operation("manage_event", locks=_lock_unplayed_table, refuses=NOT_RESEATED)
def clear_table(op: Operation, game: Game, /) -> None:
    """Remove a table before its first hand; `POST …/restore` restores it."""
    table = game.table
    sat = Sitting.objects.filter(seat__table=table, to_hand__isnull=True).order_by("seat__number")
    people = list(sat.values_list("player__player_id", flat=True))
    places = places_in(table.round)
    delete_table(table)
    note_seating(op, table.round, places)
    op.audit(table, {"players": people, "rules": game.snapshot.content_hash})


@operation("manage_event", locks=lock_event, refuses=("unknown_table", *PLACED))
def restore_table(
    op: Operation, event: Event, /, *, line: int | None = None, code: str = ""
) -> Game:
    """Restore a table that was removed before its first hand: its number, its game, its players.

    `removed_tables` of the round lists the tables that can be restored. If the table exists, or one
    of its players plays elsewhere in the round by now, the answer is 409 (`table_exists`).
    """
    # `line` of the audit trail says which removal is undone; else it is the newest one of `code`.
    at: JsonDict = {"code": code} if line is None else {"line": line}
    removals = [row for row in list_removals(event, code or "r") if at.items() <= row.items()]
    missing = Missing("table", {"table": code} if line is None else at)
    if not removals:
        raise missing
    removed = removals[-1]
    round_ = Round.objects.filter(event=event, number=removed["round"]).first()
    if round_ is None:
        raise missing
    snapshot = Snapshot.objects.filter(event=event, content_hash=removed["rules"]).first()
    players = players_with_ids(event, removed["people"])
    if snapshot is None or set(players) != set(removed["people"]):
        raise missing
    places = places_in(round_)
    with lifted_sit_outs(op, event, round_.number, tuple(players.values())):
        game = place_table(
            event=event,
            snapshot=snapshot,
            round_number=removed["round"],
            table_number=removed["number"],
            players=[players[code] for code in removed["people"]],
        )
    note_seating(op, game.table.round, places)
    op.audit(game.table, {"players": removed["people"]})
    return game


def people_at(game: Game) -> tuple[Player, ...]:
    """Return who sits at a table now, clockwise; one query."""
    sat = Sitting.objects.filter(seat__table=game.table_id, to_hand__isnull=True)
    return tuple(
        sitting.player for sitting in sat.select_related("player").order_by("seat__number")
    )


def _require_fit(
    event: Event, snapshot: Snapshot, players: Sequence[Player], but: Collection[Game] = ()
) -> None:
    require_seats(players, rules_of(snapshot))
    require_comparable(event=event, rules=snapshot, seats=len(players), but=but)


def _seat_anew(
    table: Table, players: Sequence[Player], but: Collection[Game], snapshot: Snapshot
) -> None:
    _require_fit(table.event, snapshot, players, but)
    Seat.objects.filter(table=table).delete()
    store_sittings(table, table.round, players, rules_of(snapshot))
    enter_players(event=table.event, players=players)


def change_rules(round_: Round, games: Collection[Game], rules: Snapshot) -> None:
    """Set the `rules` of a round's tables without hands; the caller checks the permission."""
    require_comparable(event=round_.event, rules=rules, but=games)
    for game in games:
        if players := people_at(game):
            before, after = (
                side_shape(game_rules, len(players))
                for game_rules in (rules_of(game.snapshot), rules_of(rules))
            )
            require_whole_sides(round_.event, rules_of(rules), players, is_answered=before == after)
            _seat_anew(game.table, players, games, rules)
    Game.objects.filter(pk__in=[game.pk for game in games]).update(snapshot=rules)


def _lock_open_round(round_: Round) -> Round:
    """Return the round with its row locked, so that it does not close under a new table."""
    locked = Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
    require_round_open(locked)
    return locked


def require_seats(players: Sequence[Player], rules: Rules) -> None:
    """Refuse a number of players that a table's rules do not allow, or a player twice."""
    least, most = rules.keys.players
    if not least <= len(players) <= most:
        facts = {"found": len(players), "least": least, "most": most}
        raise Refused(Problem("seat_count", ("players",), facts))
    if odd := uneven(rules, len(players)):
        raise Refused(Problem(odd.code, ("players",), odd.facts))
    twice = next((player for at, player in enumerate(players) if player in players[:at]), None)
    if twice:
        facts_of_player = {"player": twice.name, "player_id": twice.player_id}
        raise Refused(Problem("same_player_twice", ("players",), facts_of_player))


def store_sittings(table: Table, round_: Round, players: Sequence[Player], rules: Rules) -> None:
    """Seat `players` clockwise from seat 1, making seats that are missing."""
    require_in_stage(round_, players)
    require_nobody_sits_out(round_, players)
    end_abandoned_sittings([round_.pk], [player.pk for player in players])
    seats = _get_seats(table, sides_of(rules, len(players)))
    try:
        with transaction.atomic():
            Sitting.objects.bulk_create(
                Sitting(club_id=table.club_id, seat=seat, round=round_, player=player)
                for seat, player in zip(seats, players, strict=True)
            )
    except IntegrityError as error:
        elsewhere = get_places_in_round(round_)
        player = next((player for player in players if player.pk in elsewhere), players[0])
        raise Conflict(already_seated(round_, player)) from error


def _get_seats(table: Table, sides: Sequence[str]) -> list[Seat]:
    seats = {seat.number: seat for seat in Seat.objects.filter(table=table)}
    numbered = dict(enumerate(sides, start=1))
    new_seats = Seat.objects.bulk_create(
        Seat(table=table, number=number, club_id=table.club_id, side=side)
        for number, side in numbered.items()
        if number not in seats
    )
    seats |= {seat.number: seat for seat in new_seats}
    return [seats[number] for number in numbered]


@contextmanager
def lifted_sit_outs(
    op: Operation, event: Event, number: int, players: Collection[Player]
) -> Iterator[None]:
    """End the sit-outs in a round of players who get a seat; partners without one rest then.

    The caller holds the event's row.
    """
    rows = [player.pk for player in players]
    sit_outs = SitOut.objects.filter(event=event, round__number=number)
    resting = sit_outs.filter(entrant__members__player__in=rows).distinct()
    lifted = list(resting.select_related("entrant", "round").order_by("entrant__code"))
    sit_outs.filter(pk__in=[sit_out.pk for sit_out in lifted]).delete()
    yield
    seated = Sitting.objects.filter(round__event=event, round__number=number, to_hand__isnull=True)
    playing = {*rows, *seated.values_list("player_id", flat=True)}
    for sit_out in lifted:
        members = EntrantMember.objects.filter(entrant=sit_out.entrant)
        was = sit_out.reason
        if members.exclude(player__in=playing).exists():
            sit_out.pk = None
            sit_out.reason = SitOutReason.REST
            sit_out.save(force_insert=True)
            if was == SitOutReason.REST:
                continue
        op.changed(event)
        op.audit(
            event,
            {"entrant": sit_out.entrant.code, "reason": was},
            name="end_sit_out",
            subject=f"{event.audit_subject}/round:{number}",
        )


def require_nobody_sits_out(round_: Round, players: Sequence[Player]) -> None:
    resting = SitOut.objects.filter(round=round_, entrant__members__player__in=players)
    if sit_out := resting.select_related("entrant").order_by("entrant__code").first():
        names = sit_out.entrant.members.values_list("player__name", flat=True)
        facts = {
            "entrant": sit_out.entrant.code,
            "name": entrant_name_of(sit_out.entrant.name, names),
            "round": round_.number,
        }
        raise Conflict(Problem("entrant_sits_out", ("players",), facts))


def places_in(round_: Round) -> dict[int, Place]:
    """Return the places of all players in a round, by row; empty for a draft."""
    if round_.state == "draft":
        return {}
    outside = SitOut.objects.filter(round=round_).values("entrant")
    resting = EntrantMember.objects.filter(entrant__in=outside)
    places: dict[int, Place] = dict.fromkeys(
        resting.values_list("player_id", flat=True), "sits_out"
    )
    sitting = Sitting.objects.filter(round=round_, to_hand__isnull=True)
    rows = sitting.values_list("player_id", "seat__table__number", "seat__number")
    return places | {player: [table, seat] for player, table, seat in rows}


def _sizes(places: Mapping[int, Place]) -> dict[str, int]:
    tables = (place[0] for place in places.values() if isinstance(place, list))
    return {str(table): seats for table, seats in sorted(Counter(tables).items())}


def note_seating(
    op: Operation, round_: Round, before: Mapping[int, Place], *, reason: str = ""
) -> None:
    """Add a line to the change log if a player's place differs from `before`.

    The caller holds the event's row. `before` and `after` of the line are places by ids of players,
    None for nowhere; `sizes` are the seats of each table, by which a seat is called North or 5.
    """
    if round_.state == "draft":
        return
    after = places_in(round_)
    changed = {row for row in {*before, *after} if before.get(row) != after.get(row)}
    if not changed:
        return
    ids = dict(
        Player.objects.filter(pk__in=changed).order_by("player_id").values_list("pk", "player_id")
    )
    event = round_.event
    note_change(
        event=event,
        kind=SEATING_KIND,
        by=get_role(op.actor, event.club_id),
        now=op.now,
        reason=reason,
        facts={
            "round": round_.number,
            "before": {code: before.get(player) for player, code in ids.items()},
            "after": {code: after.get(player) for player, code in ids.items()},
            "sizes": {"before": _sizes(before), "after": _sizes(after)},
        },
    )
