"""Seat the tables of a round at once before their first hand, and change its seats.

A change concerns a player who came or left, one or two picked players, or a table. Each of its
options has a digest; only the option that was previewed is applied.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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


NOT_PLACED: Final = ("unknown_player", "round_of_a_playoff", "table_has_hands", *SEATED)
"""Error codes of seating a whole round."""
NOT_ARRANGED: Final = (
    *("unknown_round", "event_is_over", "round_is_closed", "round_seating_outdated", *NOT_PLACED),
)
"""Error codes of seating an existing round again."""


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
    # With `players`, ids that a page has named, only those of them who still have no place.
    before = round_seating(round_)
    unplaced, _left, _gone = attendance_in(round_, before)
    if players is not None:
        named = {player.pk for player in players_with_ids(round_.event, players).values()}
        unplaced = tuple(player for player in unplaced if player in named)
    if not unplaced:
        return round_
    target = SeatingTarget({}, {**before.sit_outs, **waiting_reasons(round_, unplaced)})
    return arrange_round(op, round_, target=target)


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
    changed = {
        number: players
        for number, players in target.tables.items()
        if number not in tables or tables[number].players != players
    }
    for number in sorted(changed.keys() & tables.keys()):
        if tables[number].is_fixed:
            raise Conflict(Problem("table_has_hands", facts={"table": tables[number].code}))
    people = _known_players(event, target)
    _require_once(target, people, round_)
    seated = [people[player] for players in changed.values() for player in players]
    require_in_stage(round_, seated)
    rules = _rules_of_tables(round_, target, changed)
    playing = {number: players for number, players in changed.items() if players}
    for number, players in playing.items():
        require_seats([people[player] for player in players], rules_of(rules[number]))
    if not split_sides:
        _require_whole_sides(event, rules, playing, people)
    by_size = {
        (rules[number].pk, len(players)): rules[number] for number, players in playing.items()
    }
    for (_pk, size), snapshot in by_size.items():
        require_comparable(event=event, rules=snapshot, seats=size)
    SitOut.objects.filter(round=round_).delete()
    old = [number for number in changed if number in tables]
    Sitting.objects.filter(round=round_, seat__table__number__in=old).delete()
    for table in Table.objects.filter(round=round_, number__in=old):
        if not changed[table.number]:
            delete_table(table)
        else:
            Seat.objects.filter(table=table).delete()
    enter_players(event=event, players=seated)
    _seat(round_, playing, rules, people)
    _store_sit_outs(round_, target.sit_outs, people)
    return {row: player.player_id for row, player in people.items()}


def seating_facts(
    before: RoundSeating, target: SeatingTarget, codes: Mapping[int, str]
) -> dict[str, object]:
    """The facts of an audit line: changed tables and sit-outs, by ids of players."""
    seated = {table.number: table.players for table in before.tables}
    return {
        "tables": {
            str(number): [codes[player] for player in players]
            for number, players in sorted(target.tables.items())
            if seated.get(number, ()) != players
        },
        "sit_outs": {codes[player]: why for player, why in sorted(target.sit_outs.items())},
    }


def _known_players(event: Event, target: SeatingTarget) -> dict[int, Player]:
    rows = {player for players in target.tables.values() for player in players}
    rows |= set(target.sit_outs)
    people = Player.objects.filter(club_id=event.club_id).in_bulk(sorted(rows))
    if missing := sorted(rows - set(people)):
        raise Refused(Problem("unknown_player", ("players",), {"player": str(missing[0])}))
    require_not_merged(sorted(people))
    return people


def _require_once(target: SeatingTarget, people: Mapping[int, Player], round_: Round) -> None:
    times = Counter(player for players in target.tables.values() for player in players)
    for player, count in times.items():
        person = people[player]
        if count > 1:
            facts = {"player": person.name, "player_id": person.player_id}
            raise Refused(Problem("same_player_twice", ("players",), facts))
        if player in target.sit_outs:
            sit_out = {"entrant": person.player_id, "name": person.name, "round": round_.number}
            raise Conflict(Problem("entrant_sits_out", ("players",), sit_out))


def _rules_of_tables(
    round_: Round, target: SeatingTarget, changed: Iterable[int]
) -> dict[int, Snapshot]:
    games = Game.objects.filter(table__round=round_).select_related("snapshot", "table")
    snapshots = {game.table.number: game.snapshot for game in games}
    otherwise = snapshot_for(round_.event, round_.number)
    return {
        number: target.snapshots.get(number) or snapshots.get(number) or otherwise
        for number in changed
    }


def _require_whole_sides(
    event: Event,
    rules: Mapping[int, Snapshot],
    seating: Mapping[int, tuple[int, ...]],
    people: Mapping[int, Player],
) -> None:
    if not has_pairs(event):
        return
    names = {player: person.name for player, person in people.items()}
    groups = PlayingGroups(event, names)
    problems = [
        problem
        for number, players in seating.items()
        for problem in groups.split(rules_of(rules[number]), players, names.__getitem__)
    ]
    refuse_any(problems)


def _seat(
    round_: Round,
    seating: Mapping[int, tuple[int, ...]],
    rules: Mapping[int, Snapshot],
    people: Mapping[int, Player],
) -> None:
    event = round_.event
    tables = {
        table.number: table
        for table in Table.objects.filter(round=round_, number__in=seating).select_related("game")
    }
    new_tables = Table.objects.bulk_create(
        Table(
            club_id=event.club_id,
            event=event,
            round=round_,
            number=number,
            code=table_code(round_.number, number),
        )
        for number in sorted(seating)
        if number not in tables
    )
    Game.objects.bulk_create(
        Game(club_id=event.club_id, event=event, table=table, snapshot=rules[table.number])
        for table in new_tables
    )
    tables |= {table.number: table for table in new_tables}
    seats = Seat.objects.bulk_create(
        Seat(table=tables[number], number=seat, club_id=event.club_id, side=side)
        for number, players in sorted(seating.items())
        for seat, side in enumerate(sides_of(rules_of(rules[number]), len(players)), start=1)
    )
    order = [player for _number, players in sorted(seating.items()) for player in players]
    try:
        with transaction.atomic():
            Sitting.objects.bulk_create(
                Sitting(club_id=event.club_id, seat=seat, round=round_, player=people[player])
                for seat, player in zip(seats, order, strict=True)
            )
    except IntegrityError as conflict:
        open_ones = Sitting.objects.filter(round=round_, player__in=order, to_hand__isnull=True)
        first = open_ones.values_list("player_id", flat=True).first()
        raise Conflict(already_seated(round_, people[first or order[0]])) from conflict


def _store_sit_outs(
    round_: Round, sit_outs: Mapping[int, str], people: Mapping[int, Player]
) -> None:
    """Store who sits out. A team that plays rests some of its players, and has no bye."""
    enter_players(event=round_.event, players=[people[player] for player in sit_outs])
    sitting = Sitting.objects.filter(round=round_, to_hand__isnull=True).values("player_id")
    members = EntrantMember.objects.filter(event=round_.event, player__in=sitting)
    playing = set(members.values_list("entrant_id", flat=True))
    reasons: dict[int, str] = {}
    for player, reason in sorted(sit_outs.items(), key=lambda row: (row[1] == "rest", row[0])):
        entrant = entrant_for(event=round_.event, player=people[player])
        valid = reason if reason in SitOutReason.values else SitOutReason.BYE.value
        reasons.setdefault(entrant.pk, SitOutReason.REST.value if entrant.pk in playing else valid)
    SitOut.objects.bulk_create(
        SitOut(
            club_id=round_.club_id,
            event=round_.event,
            round=round_,
            entrant_id=entrant,
            reason=reason,
        )
        for entrant, reason in reasons.items()
    )


def _follow_matches(round_: Round) -> None:
    """Give matches of one table the two teams that sit there; three queries where there are any."""
    rows = MatchTable.objects.filter(match__round=round_).select_related("match")
    tables: dict[Match, list[int]] = defaultdict(list)
    for row in rows:
        tables[row.match].append(row.table_id)
    alone = {of_match[0]: match for match, of_match in tables.items() if len(of_match) == 1}
    if not alone:
        return
    group_of = get_group_of_players(round_.event)
    teams: dict[int, dict[int, None]] = defaultdict(dict)
    sittings = Sitting.objects.filter(seat__table__in=alone, to_hand__isnull=True)
    for table, player in sittings.order_by("seat__number").values_list(
        "seat__table_id", "player_id"
    ):
        teams[table][group_of.get(player, 0)] = None
    for table, match in alone.items():
        seated = list(teams[table])
        is_match = len(seated) == 2 and 0 not in seated
        if is_match and {*seated} != {match.first_id, match.second_id}:
            match.first_id, match.second_id = seated
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
    now_seated = SeatingNow(round_)
    ways = ways_of(now_seated, change) if now_seated.seating.tag == tag else ()
    matching = [option for option in ways if digest_of_way(option) == way]
    if not matching:
        raise Conflict(Problem("round_seating_outdated", facts={"round": round_.number}))
    target = target_of_way(now_seated, change, matching[0])
    return arrange_round(op, round_, target=target, tag=tag, split_sides=split_sides)


def target_of_way(now: SeatingNow, change: SeatingChange, way: Way) -> SeatingTarget:
    """Return the seating of a round after an option, with the reasons of sit-outs.

    New arrivals that the change is not about get no place.
    """
    tables = {now.number_at(at): players for at, players in enumerate(way.after.tables)}
    waiting = set(way.after.waiting)
    outside = {
        player: why
        for player, why in now.seating.sit_outs.items()
        if player in waiting or player in now.gone
    }
    play_now = (player for player in now.seating.sit_outs if player not in outside)
    rest = SitOutReason.BYE if any(map(now.frees_a_bye, play_now)) else SitOutReason.REST
    reasons = waiting_reasons(now.round, change.players)
    for player in way.after.waiting:
        if player in outside:
            continue
        if player not in now.unplaced:
            outside[player] = rest.value
        elif player in reasons:
            outside[player] = reasons[player]
    stays = set(way.after.people)
    for player in change.players if change.kind == "leave" else ():
        if player not in stays:
            why = SitOutReason.LEFT if player in now.gone else SitOutReason.REST
            outside[player] = why.value
    return SeatingTarget(tables, outside)
