"""Seat the tables of a round at once before their first hand, and change its seats.

A change concerns a player who came or left, one or two picked players, or a table. Each of its
options has a digest; only the option that was previewed is applied.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from django.db import IntegrityError, transaction

from scoring.errors import Problem, Refused
from scoring.seating.arrangements import Way
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event, Snapshot
from tournaments.models.hands import Game
from tournaments.models.rounds import (
    Match,
    MatchTable,
    Round,
    Seat,
    SitOut,
    SitOutReason,
    Sitting,
    Table,
)
from tournaments.selectors.clubs.find_players import require_not_merged
from tournaments.selectors.events.settings_checks import require_comparable
from tournaments.selectors.rounds.round_seating import (
    RoundSeating,
    already_seated,
    attendance_in,
    players_with_ids,
    round_seating,
    snapshot_for,
    waiting_reasons,
)
from tournaments.selectors.rounds.seating_changes import (
    SeatingChange,
    SeatingNow,
    digest_of_way,
    ways_of,
)
from tournaments.selectors.rounds.tables import PlayingGroups, get_group_of_players
from tournaments.selectors.rules.rule_sets import rules_of, sides_of
from tournaments.services.db.locks import delete_table, lock_event, lock_round
from tournaments.services.events.events import enter_players, entrant_for
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.seating import note_seating, places_in, require_seats, table_code
from tournaments.services.rounds.seating_checks import (
    SEATED,
    has_pairs,
    require_in_stage,
    require_no_playoff,
    require_round_open,
)

NOT_PLACED: Final = ("unknown_player", "round_of_a_playoff", "table_has_hands", *SEATED)
"""Error codes of seating a whole round."""

NOT_ARRANGED: Final = (
    "unknown_round",
    "event_is_over",
    "round_is_closed",
    "round_seating_outdated",
    *NOT_PLACED,
)
"""Error codes of seating an existing round again."""


@dataclass(frozen=True, slots=True)
class SeatingTarget:
    """The seating that a round is to have; players are rows.

    Args:
        tables: number of a table → players in seat order; nobody = the table is removed.
        sit_outs: player → `bye`, `late`, `left` or `rest`; all of the round.
        snapshots: number of a table → its rules, where they are not those of the round.
    """

    tables: Mapping[int, tuple[int, ...]]
    sit_outs: Mapping[int, str] = field(default_factory=dict)
    snapshots: Mapping[int, Snapshot] = field(default_factory=dict)


def lock_open_round(round_: Round) -> Round:
    """Lock a round, and return it if people may be seated in it: it is not closed."""
    locked = lock_round(round_)
    require_running(locked.event)
    require_round_open(locked)
    return locked


@operation("manage_event", locks=lock_open_round, refuses=NOT_ARRANGED)
def arrange_round(
    op: Operation,
    round_: Round,
    /,
    *,
    target: SeatingTarget,
    tag: str | None = None,
    split_sides: bool = False,
) -> Round:
    """Give a round the seating `target` in one operation; tables with hands stay as they are.

    Args:
        tag: of the seating that the director looked at (`round_seating`).
        split_sides: whether partners who are no pair are allowed.
    """
    before = seating_as_seen(round_, tag)
    places = places_in(round_)
    codes = seat_all_present(round_, before, target, split_sides=split_sides)
    _follow_matches(round_)
    op.audit(round_, seating_facts(before, target, codes))
    if dict(before.sit_outs) != dict(target.sit_outs):
        op.mark(round_.event)
    note_seating(op, round_, places)
    return round_


@operation("manage_event", locks=lock_open_round, refuses=NOT_ARRANGED)
def sit_out_unseated(
    op: Operation, round_: Round, /, *, players: Sequence[str] | None = None
) -> Round:
    """Let all players who are here without a seat sit out in a round.

    They are `late` if they were checked in after the round was posted, else they `rest`.
    """
    before = round_seating(round_)
    unplaced, _gone_but_seated, _gone = attendance_in(round_, before)
    if players is not None:
        # A page has named them: only those of them who still have no place are meant.
        named = {player.pk for player in players_with_ids(round_.event, players).values()}
        unplaced = tuple(pk for pk in unplaced if pk in named)
    if not unplaced:
        return round_
    sit_outs = {**before.sit_outs, **waiting_reasons(round_, unplaced)}
    return arrange_round(op, round_, target=SeatingTarget(tables={}, sit_outs=sit_outs))


def seating_as_seen(round_: Round, tag: str | None) -> RoundSeating:
    """Return the seating of a round, if it has the given tag; None skips the check."""
    seating = round_seating(round_)
    if tag is not None and tag != seating.tag:
        raise Conflict(Problem("round_seating_outdated", facts={"round": round_.number}))
    return seating


def seat_all_present(
    round_: Round, before: RoundSeating, target: SeatingTarget, *, split_sides: bool
) -> Mapping[int, str]:
    """Seat a round as `target` says, in the caller's transaction, which holds the round.

    Returns:
        The ids of the players of `target` by row.
    """
    event = round_.event
    require_no_playoff(round_)
    tables = {table.number: table for table in before.tables}
    changed: dict[int, tuple[int, ...]] = {}
    for number, pks in target.tables.items():
        if number not in tables or tables[number].players != pks:
            changed[number] = pks
    for number in sorted(changed.keys() & tables.keys()):
        if tables[number].is_fixed:
            raise Conflict(Problem("table_has_hands", facts={"table": tables[number].code}))

    players = _known_players(event, target)
    _require_once(target, players, round_)
    seated = [players[pk] for pks in changed.values() for pk in pks]
    require_in_stage(round_, seated)
    snapshots = _snapshots_of_tables(round_, target, changed)
    seating = {number: pks for number, pks in changed.items() if pks}
    for number, pks in seating.items():
        require_seats([players[pk] for pk in pks], rules_of(snapshots[number]))
    if not split_sides:
        _require_whole_sides(event, snapshots, seating, players=players)
    # Tables of one size under the same rules are compared once.
    kinds_of_tables: dict[tuple[int, int], Snapshot] = {}
    for number, pks in seating.items():
        kinds_of_tables[snapshots[number].pk, len(pks)] = snapshots[number]
    for (_snapshot_pk, size), snapshot in kinds_of_tables.items():
        require_comparable(event=event, rules=snapshot, seats=size)

    SitOut.objects.filter(round=round_).delete()
    old_numbers = [number for number in changed if number in tables]
    Sitting.objects.filter(round=round_, seat__table__number__in=old_numbers).delete()
    for table in Table.objects.filter(round=round_, number__in=old_numbers):
        if changed[table.number]:
            Seat.objects.filter(table=table).delete()
        else:
            delete_table(table)
    enter_players(event=event, players=seated)
    _seat(round_, seating, snapshots, players=players)
    _store_sit_outs(round_, target.sit_outs, players)
    return {pk: player.player_id for pk, player in players.items()}


def seating_facts(
    before: RoundSeating, target: SeatingTarget, codes: Mapping[int, str]
) -> dict[str, object]:
    """The facts of an audit line: changed tables and sit-outs, by ids of players."""
    players_before = {table.number: table.players for table in before.tables}
    tables = {}
    for number, pks in sorted(target.tables.items()):
        if players_before.get(number, ()) != pks:
            tables[str(number)] = [codes[pk] for pk in pks]
    sit_outs = {codes[pk]: reason for pk, reason in sorted(target.sit_outs.items())}
    return {"tables": tables, "sit_outs": sit_outs}


def _known_players(event: Event, target: SeatingTarget) -> dict[int, Player]:
    """Return the players of a seating by row; refuse one of another club, or merged."""
    pks = set(target.sit_outs).union(*target.tables.values())
    players = Player.objects.filter(club_id=event.club_id).in_bulk(sorted(pks))
    unknown = sorted(pks - set(players))
    if unknown:
        raise Refused(Problem("unknown_player", ("players",), {"player": str(unknown[0])}))
    require_not_merged(sorted(players))
    return players


def _require_once(target: SeatingTarget, players: Mapping[int, Player], round_: Round) -> None:
    """Refuse a seating in which a player sits twice, or sits and sits out."""
    n_seats = Counter(chain(*target.tables.values()))
    for pk, count in n_seats.items():
        player = players[pk]
        if count > 1:
            facts = {"player": player.name, "player_id": player.player_id}
            raise Refused(Problem("same_player_twice", ("players",), facts))
        if pk in target.sit_outs:
            sit_out = {"entrant": player.player_id, "name": player.name, "round": round_.number}
            raise Conflict(Problem("entrant_sits_out", ("players",), sit_out))


def _snapshots_of_tables(
    round_: Round, target: SeatingTarget, numbers: Iterable[int]
) -> dict[int, Snapshot]:
    """Return the rules of some tables: those of `target`, else the table's, else the round's."""
    games = Game.objects.filter(table__round=round_).select_related("snapshot", "table")
    snapshots = {game.table.number: game.snapshot for game in games}
    snapshots.update(target.snapshots)
    of_round = snapshot_for(round_.event, round_.number)
    return {number: snapshots.get(number, of_round) for number in numbers}


def _require_whole_sides(
    event: Event,
    snapshots: Mapping[int, Snapshot],
    seating: Mapping[int, tuple[int, ...]],
    *,
    players: Mapping[int, Player],
) -> None:
    """Refuse tables where partners are no pair, in an event with pairs."""
    if not has_pairs(event):
        return
    names = {pk: player.name for pk, player in players.items()}
    groups = PlayingGroups(event, names)
    problems: list[Problem] = []
    for number, pks in seating.items():
        problems += groups.split(rules_of(snapshots[number]), pks, names.__getitem__)
    refuse_any(problems)


def _seat(
    round_: Round,
    seating: Mapping[int, tuple[int, ...]],
    snapshots: Mapping[int, Snapshot],
    *,
    players: Mapping[int, Player],
) -> None:
    """Store tables that have no seats yet, with a game where it is missing, and who sits there."""
    event = round_.event
    rows = Table.objects.filter(round=round_, number__in=seating).select_related("game")
    tables = {table.number: table for table in rows}
    new_tables = []
    for number in sorted(seating):
        if number not in tables:
            code = table_code(round_.number, number)
            table = Table(
                club_id=event.club_id, event=event, round=round_, number=number, code=code
            )
            new_tables.append(table)
    Table.objects.bulk_create(new_tables)
    games = []
    for table in new_tables:
        snapshot = snapshots[table.number]
        games.append(Game(club_id=event.club_id, event=event, table=table, snapshot=snapshot))
        tables[table.number] = table
    Game.objects.bulk_create(games)

    seats = []
    order: list[int] = []
    for number, pks in sorted(seating.items()):
        sides = sides_of(rules_of(snapshots[number]), len(pks))
        for seat_number, side in enumerate(sides, start=1):
            seat = Seat(table=tables[number], number=seat_number, club_id=event.club_id, side=side)
            seats.append(seat)
        order.extend(pks)
    Seat.objects.bulk_create(seats)
    sittings = []
    for seat, pk in zip(seats, order, strict=True):
        sittings.append(Sitting(club_id=event.club_id, seat=seat, round=round_, player=players[pk]))
    try:
        with transaction.atomic():
            Sitting.objects.bulk_create(sittings)
    except IntegrityError as fault:
        already = Sitting.objects.filter(round=round_, player__in=order, to_hand__isnull=True)
        seated_elsewhere = already.values_list("player_id", flat=True).first()
        pk = order[0]  # by now nobody may sit elsewhere, but the refusal names a player
        if seated_elsewhere is not None:
            pk = seated_elsewhere
        raise Conflict(already_seated(round_, players[pk])) from fault


def _store_sit_outs(
    round_: Round, sit_outs: Mapping[int, str], players: Mapping[int, Player]
) -> None:
    """Store who sits out. A team that plays rests some of its players, and has no bye."""
    enter_players(event=round_.event, players=[players[pk] for pk in sit_outs])
    sitting = Sitting.objects.filter(round=round_, to_hand__isnull=True).values("player_id")
    members = EntrantMember.objects.filter(event=round_.event, player__in=sitting)
    playing = set(members.values_list("entrant_id", flat=True))

    # A team sits out for one reason, though several of its players may: `rest` counts last.
    reasons: dict[int, str] = {}
    for pk, reason in sorted(sit_outs.items(), key=lambda item: (item[1] == "rest", item[0])):
        entrant = entrant_for(event=round_.event, player=players[pk])
        if entrant.pk in reasons:
            continue
        if entrant.pk in playing:
            reasons[entrant.pk] = SitOutReason.REST.value
        elif reason in SitOutReason.values:
            reasons[entrant.pk] = reason
        else:
            reasons[entrant.pk] = SitOutReason.BYE.value

    rows = []
    for entrant_id, reason in reasons.items():
        row = SitOut(
            club_id=round_.club_id,
            event=round_.event,
            round=round_,
            entrant_id=entrant_id,
            reason=reason,
        )
        rows.append(row)
    SitOut.objects.bulk_create(rows)


def _follow_matches(round_: Round) -> None:
    """Give matches of one table the two teams that sit there; three queries where there are any."""
    tables_of_match: dict[Match, list[int]] = defaultdict(list)
    for row in MatchTable.objects.filter(match__round=round_).select_related("match"):
        tables_of_match[row.match].append(row.table_id)
    match_at: dict[int, Match] = {}
    for match, table_ids in tables_of_match.items():
        if len(table_ids) == 1:
            match_at[table_ids[0]] = match
    if not match_at:
        return

    group_of = get_group_of_players(round_.event)
    sittings = Sitting.objects.filter(seat__table__in=match_at, to_hand__isnull=True)
    sittings = sittings.order_by("seat__number")
    teams_at: dict[int, list[int]] = defaultdict(list)
    for table_id, pk in sittings.values_list("seat__table_id", "player_id"):
        team = group_of.get(pk, 0)
        if team not in teams_at[table_id]:
            teams_at[table_id].append(team)
    for table_id, match in match_at.items():
        teams = teams_at[table_id]
        is_match = len(teams) == 2 and 0 not in teams
        if is_match and set(teams) != {match.first_id, match.second_id}:
            match.first_id, match.second_id = teams
            match.save(update_fields=["first", "second"])


@operation("manage_event", refuses=("bad_seating_change", "too_many_picked", *NOT_ARRANGED))
def change_seating(
    op: Operation,
    round_: Round,
    /,
    *,
    change: SeatingChange,
    way: str,
    tag: str,
    split_sides: bool = False,
) -> Round:
    """Make one of the ways of a change, as it was looked at.

    Args:
        way: its digest (`digest_of_way`).
        tag: of the seating that the ways were listed for.
    """
    lock_event(round_.event)
    seating_now = SeatingNow(round_)
    if seating_now.seating.tag == tag:
        for option in ways_of(seating_now, change):
            if digest_of_way(option) == way:
                target = target_of_way(seating_now, change, option)
                return arrange_round(op, round_, target=target, tag=tag, split_sides=split_sides)
    raise Conflict(Problem("round_seating_outdated", facts={"round": round_.number}))


def target_of_way(now: SeatingNow, change: SeatingChange, way: Way) -> SeatingTarget:
    """Return the seating of a round after an option, with the reasons of sit-outs.

    New arrivals that the change is not about get no place.
    """
    tables = {now.number_at(at): pks for at, pks in enumerate(way.after.tables)}
    sit_outs: dict[int, str] = {}
    frees_a_bye = False
    for pk, reason in now.seating.sit_outs.items():
        if pk in way.after.waiting or pk in now.gone:
            sit_outs[pk] = reason
        elif now.frees_a_bye(pk):
            frees_a_bye = True

    # Where the bye of a player ends, the player who gives up a seat has it.
    reason_of_seated = SitOutReason.BYE if frees_a_bye else SitOutReason.REST
    reasons = waiting_reasons(now.round, change.players)
    for pk in way.after.waiting:
        if pk in sit_outs:
            continue
        if pk not in now.unplaced:
            sit_outs[pk] = reason_of_seated.value
        elif pk in reasons:
            sit_outs[pk] = reasons[pk]

    if change.kind == "leave":
        present = set(way.after.people)
        for pk in change.players:
            if pk not in present:
                reason_of_leaver = SitOutReason.LEFT if pk in now.gone else SitOutReason.REST
                sit_outs[pk] = reason_of_leaver.value
    return SeatingTarget(tables=tables, sit_outs=sit_outs)
