"""Change the players of a table, at any time: swap, replace or substitute them.

The hands already played stay with the seats (`keep`), follow the people (`remap`), or do not count
(`void`). Entries are never changed: a hand whose scores follow the people to other seats of the
table gets a further revision.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonObject
from tournaments.domain.reasons import BAD_REASON, require_reason
from tournaments.domain.replay_game import LAST_HAND
from tournaments.domain.seating_runs import SeatRun, joined
from tournaments.errors import Conflict, Missing, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Event, StageKind
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Attendance, Sitting
from tournaments.models.standings import Change
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.change_log import CHANGE_KIND
from tournaments.selectors.hands.games import seats_of_game
from tournaments.selectors.rounds.tables import abandoned_without_hands, table_seating
from tournaments.services.attendance.set_attendance import (
    check_in_substitutes,
    lock_substitutes,
)
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.hands.plan_player_changes import (
    ACTS,
    HANDS,
    ChangedPlayers,
    ChangedTable,
    PlayerChange,
    exchange_scores,
    first_changed_hand,
    plan_swap,
    planned_players,
    put_in_seat,
    require_free,
    require_hand,
    require_nobody_elsewhere,
    require_sides,
    require_sitting,
    seat_moves,
)
from tournaments.services.hands.save_player_changes import (
    as_stored,
    ids_in_line,
    save_player_changes,
    stored_run,
)
from tournaments.services.operations import Operation, operation, require_role
from tournaments.services.rounds.seating import lifted_sit_outs, require_nobody_sits_out
from tournaments.services.rounds.seating_checks import ASKED, require_in_stage, require_ordinary

OF_CHANGED_PLAYERS: Final = (
    *("unknown_table", "table_of_a_playoff", "seating_outdated", "player_in_two_seats"),
    *("challenge_needs_players", "board_played_by_player", "hand_refuses_seats"),
    *("totals_not_divided", "scores_of_a_side", "entrant_sits_out", "player_already_seated"),
    *("player_is_merged", *BAD_REASON),
)
"""Error codes of a change of players and of its undo."""


@operation(
    "manage_event",
    refuses=(
        *("bad_change_of_players", "bad_from_hand", "unknown_player", "same_player_twice"),
        *("unknown_seat_number", "nobody_in_seat", "same_person", "player_sits_here"),
        *("nobody_to_swap", "side_sits_apart", "no_hands_to_come", "not_in_stage"),
        *("members_count", *ASKED, *OF_CHANGED_PLAYERS),
    ),
)
def change_players(
    op: Operation,
    game: Game,
    /,
    *,
    change: PlayerChange,
    reason: str,
    tag: str | None = None,
) -> ChangedPlayers:
    """Change who played at a table, and where people swap from another table, there too.

    `tag` is that of the seating that the director looked at (`table_seating`).
    """
    event, role = _lock(op, game, reason)
    _require_known(change)
    players = _get_players(event, change)
    origins = {player: _find_other_game(game, player) or game.pk for player in players}
    tables = _lock_tables(event, [game.pk, *origins.values()])
    table = tables[game.pk]
    _require_unchanged(op, event, role, tables.values(), table.code, tag)
    moves = seat_moves(table, change, [(player, tables[origins[player]]) for player in players])
    if change.act == "swap":
        plan_swap(table, change, moves)
    else:
        for move in moves:
            require_free(table, move)
        require_in_stage(table.game.table.round, players)
        with lifted_sit_outs(op, event, table.game.table.round.number, players):
            for move in moves:
                comes = move.comes.pk
                put_in_seat(table, move.seat, change.from_hand, move.leaves, comes, change)
    require_hand(table, change.from_hand)
    require_sitting(table, change, moves)
    if change.hands == "void":
        for changed in tables.values():
            changed.gone = changed.played(
                change.from_hand if changed is table else first_changed_hand(changed, change)
            )
    require_sides(event, tables.values(), change.split_sides)
    substitutes: Sequence[Attendance] = ()
    if change.act == "substitute":
        substitutes = lock_substitutes(table.game.table.round, players, now=op.now)
    facts = {"act": change.act, "hands": change.hands, "from_hand": change.from_hand}
    changed_players = save_player_changes(op, role, event, tables, facts, reason)
    check_in_substitutes(op, substitutes)
    return changed_players


@operation(
    "manage_event",
    refuses=("unknown_change", "seats_moved_on", "change_undone", *OF_CHANGED_PLAYERS),
)
def undo_players(
    op: Operation, game: Game, /, *, line: int, reason: str, tag: str | None = None
) -> ChangedPlayers:
    """Undo a change of players: the earlier players return, deleted hands count again.

    Args:
        line: of the change log; those after it at its tables are undone first, each once.
    """
    event, role = _lock(op, game, reason)
    change = Change.objects.filter(event=event, kind=CHANGE_KIND, pk=line).first()
    if change is None or game.table.code not in change.facts["after"]:
        raise Missing("change", {"line": line})
    facts: JsonObject = change.facts
    codes = sorted(facts["after"])
    _require_newest(event, change, codes)
    games = Game.objects.filter(event=event, table__code__in=codes)
    tables = _lock_tables(event, list(games.values_list("pk", flat=True)))
    by_code = {changed.code: changed for changed in tables.values()}
    _require_unchanged(op, event, role, tables.values(), game.table.code, tag)
    if set(by_code) != set(codes):
        raise Conflict(Problem("seats_moved_on", facts={"table": game.table.code}))
    rows, ids = ids_in_line(event, facts)
    for code, changed in by_code.items():
        if as_stored(changed.runs, ids) != [list(run) for run in facts["after"][code]]:
            raise Conflict(Problem("seats_moved_on", facts={"table": code}))
        changed.after = [stored_run(run, rows) for run in facts["before"][code]]
        voided = {(number, revision) for number, revision in facts["gone"].get(code, ())}
        changed.back = [
            hand
            for hand in changed.hands
            if hand.state == "void" and (hand.number, hand.revision) in voided
        ]
        changed.disputed = set(facts.get("disputed", {}).get(code, ()))
        again = facts["back"].get(code, ())
        changed.gone = [
            hand for hand in changed.hands if hand.number in again and hand.state != "void"
        ]
    if facts.get("seats"):
        pairs = list(zip(facts["seats"][::2], facts["seats"][1::2], strict=True))
        exchange_scores(by_code[game.table.code], pairs, facts["from_hand"])
    for changed in by_code.values():
        require_nobody_elsewhere(changed, by_code.values())
        require_nobody_sits_out(changed.game.table.round, planned_players(changed))
    new_facts = {
        "act": "undo",
        "undoes": line,
        "hands": facts["hands"],
        "from_hand": facts["from_hand"],
    }
    return save_player_changes(op, role, event, tables, new_facts, reason)


def _lock(op: Operation, game: Game, reason: str) -> tuple[Event, str]:
    event = lock_event(game.event)
    require_reason(reason)
    return event, get_role(op.actor, event.club_id)


def _require_newest(event: Event, change: Change, codes: Sequence[str]) -> None:
    """Refuse to undo a change twice, or before later changes at its tables.

    Comparing the players is not enough, because the treatment of their hands may differ.
    """
    rows = Change.objects.filter(event=event, kind=CHANGE_KIND, table__in=codes)
    later = rows.filter(version__gt=change.version).order_by("version", "pk")
    own_lines = set(rows.filter(version=change.version).values_list("pk", flat=True))
    lines: dict[int, set[int]] = {}
    undoes: dict[int, int] = {}
    for version, line, facts in later.values_list("version", "pk", "facts"):
        lines.setdefault(version, set()).add(line)
        undoes[version] = facts.get("undoes", 0)
    standing: list[int] = []
    for version in lines:
        if standing and undoes[version] in lines[standing[-1]]:
            standing.pop()
        else:
            standing.append(version)
    if any(undoes[version] in own_lines for version in standing):
        raise Conflict(Problem("change_undone", facts={"table": codes[0]}))
    if standing or own_lines & set(undoes.values()):
        raise Conflict(Problem("seats_moved_on", facts={"table": codes[0]}))


def _require_known(change: PlayerChange) -> None:
    problems: list[Problem] = []
    facts: dict[str, int | str]
    for name, value, choices in (("act", change.act, ACTS), ("hands", change.hands, HANDS)):
        if value not in choices:
            facts = {"found": shown(value), "expected": ", ".join(choices)}
            problems.append(Problem("bad_change_of_players", (name,), facts))
    if not 1 <= change.from_hand <= LAST_HAND or (change.act == "replace" and change.from_hand > 1):
        expected = "1" if change.act == "replace" else f"1 to {LAST_HAND}"
        facts = {"found": change.from_hand, "expected": expected}
        problems.append(Problem("bad_from_hand", ("from_hand",), facts))
    refuse_any(problems)


def _get_players(event: Event, change: PlayerChange) -> list[Player]:
    ids = change.side or (change.player_id,)
    rows = Player.objects.filter(club_id=event.club_id, player_id__in=ids)
    players = {player.player_id: player for player in rows}
    for at, player_id in enumerate(ids):
        if player_id not in players:
            raise Refused(Problem("unknown_player", ("player",), {"player": shown(player_id)}))
        if player_id in ids[:at]:
            facts = {"player": players[player_id].name, "player_id": player_id}
            raise Refused(Problem("same_player_twice", ("player",), facts))
    return [players[player_id] for player_id in ids]


def _find_other_game(game: Game, player: Player) -> int | None:
    sittings = Sitting.objects.filter(
        round=game.table.round_id, player=player, to_hand__isnull=True
    ).exclude(seat__table=game.table_id)
    return (
        sittings.exclude(abandoned_without_hands())
        .values_list("seat__table__game", flat=True)
        .first()
    )


def _lock_tables(event: Event, games: Sequence[int]) -> dict[int, ChangedTable]:
    locked = lock_games(Game.objects.filter(pk__in=games))
    if set(locked) != set(games):
        raise Missing("table")
    tables = {}
    rows = Game.objects.filter(pk__in=locked).order_by("pk")
    for game in rows.select_related("club", "snapshot", "table__round__stage"):
        game.event = event
        seats = seats_of_game(game)
        sittings = Sitting.objects.filter(seat__table=game.table_id).values_list(
            "seat__number", "player_id", "from_hand", "to_hand", "substitute_for_id"
        )
        runs = joined(SeatRun(*row) for row in sittings)
        hands = Hand.objects.filter(game=game).select_related("entry").order_by("number")
        tables[game.pk] = ChangedTable(game, seats, runs, list(hands), after=runs)
    return tables


def _require_unchanged(
    op: Operation,
    event: Event,
    role: str,
    tables: Iterable[ChangedTable],
    code: str,
    tag: str | None,
) -> None:
    for table in tables:
        require_ordinary(table.game)
        if table.game.table.round.stage.kind == StageKind.PLAYOFF:
            raise Conflict(Problem("table_of_a_playoff", facts={"table": table.code}))
        if table.game.table.round.state == "closed" or event.state in ("closed", "final"):
            require_role(op.actor, role, "correct_closed")
    if tag is not None and (seating := table_seating(event, code))["tag"] != tag:
        raise Conflict(Problem("seating_outdated", facts={"table": code}), there=seating)
