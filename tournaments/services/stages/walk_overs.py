"""Walk-overs: an entrant misses or gives up a table of a knock-out, and the others advance.

If more of the others are present than advance, they play with one seat less. Otherwise the table is
not played, or ends with its hands so far. A team gives up its match, at all of its tables. See
docs/algorithms/stages.md.
"""

from collections.abc import Collection
from typing import Final

from django.db.models import QuerySet

from scoring.errors import Problem, Refused, shown
from scoring.seating.brackets import sizes_of_rules
from tournaments.domain.reasons import BAD_REASON, require_reason
from tournaments.domain.stage_plan import goes_on_from
from tournaments.errors import Conflict
from tournaments.models.events import Entrant, EntrantMember, StageKind
from tournaments.models.hands import Game, GameState, Hand
from tournaments.models.playoffs import WalkOver
from tournaments.models.rounds import Match, Round, RoundState, SitOutReason, Sitting, Table
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import entrant_name
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.selectors.rounds.tables import tables_of_match
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.db.locks import lock_round
from tournaments.services.events.states import record_change, require_running
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.arrange_round import SeatingTarget, seat_all_present

NOT_RECORDED: Final = (
    *("unknown_round", "event_is_over", "round_is_draft", "round_is_closed", "not_in_a_knockout"),
    *("size_without_list", "sizes_not_mixed", *BAD_REASON),
)


def _lock_table(game: Game) -> Game:
    locked = lock_round(game.table.round)
    require_running(locked.event)
    facts = {"round": locked.number}
    if locked.state == RoundState.DRAFT:
        raise Conflict(Problem("round_is_draft", facts=facts))
    if locked.state == RoundState.CLOSED:
        raise Conflict(Problem("round_is_closed", facts=facts))
    is_team_match = Match.objects.filter(tables__table=game.table_id).exists()
    if locked.stage.kind != StageKind.KNOCKOUT and not is_team_match:
        raise Conflict(Problem("not_in_a_knockout", facts=facts))
    game = Game.objects.select_related("table", "snapshot").get(table=game.table_id)
    game.table.round = locked
    return game


@operation(
    "manage_event",
    locks=_lock_table,
    refuses=("walk_over_recorded", "not_at_this_table", "nobody_goes_on", *NOT_RECORDED),
)
def record_walk_over(op: Operation, game: Game, /, *, entrant: str, reason: str) -> WalkOver:
    """Record that an entrant does not come to a table of a knock-out, or forfeits it.

    The others go on. If more of them are there than can go on, they play with one seat less. A team
    forfeits its match.
    """
    require_reason(reason)
    round_ = game.table.round
    competitor = _entrant_at(game, entrant)
    if not _playing_without(game, _players_of(game, competitor)):
        facts = {"table": game.table.code, "name": entrant_name(competitor, FULL_NAME)}
        raise Conflict(Problem("nobody_goes_on", ("player_id",), facts))
    walk_over = WalkOver.objects.create(
        club_id=round_.club_id,
        event=round_.event,
        round=round_,
        table=game.table,
        entrant=competitor,
        took_seat=_give_up(game, competitor),
        created_at=op.now,
    )
    _record(op, "walk_over", game, competitor, reason)
    return walk_over


@operation(
    "manage_event", locks=_lock_table, refuses=("no_walk_over", "table_has_hands", *NOT_RECORDED)
)
def undo_walk_over(op: Operation, game: Game, /, *, entrant: str, reason: str) -> None:
    """Undo a walk-over of a table without hands, whose round is not closed."""
    require_reason(reason)
    rows = list(_walk_overs(game).select_related("entrant"))
    row = next((row for row in rows if row.entrant.code == entrant), None)
    if row is None:
        facts = {"found": shown(entrant), "table": game.table.code}
        raise Refused(Problem("no_walk_over", ("player_id",), facts))
    if Hand.objects.filter(game__table__in=tables_of_match(game.table_id)).exists():
        raise Conflict(Problem("table_has_hands", facts={"table": game.table.code}))
    _seat_all_again(game, rows)
    for other in rows:
        if other != row:
            game.refresh_from_db(fields=["state"])
            other.took_seat = _give_up(game, other.entrant)
            other.pk = None
            other.save(force_insert=True)
    _record(op, "undo_walk_over", game, row.entrant, reason)


def _players_at(game: Game) -> tuple[int, ...]:
    sittings = Sitting.objects.filter(seat__table=game.table_id, to_hand__isnull=True)
    return tuple(sittings.order_by("seat__number").values_list("player_id", flat=True))


def _players_of(game: Game, entrant: Entrant) -> tuple[int, ...]:
    members = entrant.members.filter(player__in=_players_at(game))
    return tuple(members.values_list("player_id", flat=True))


def _entrant_at(game: Game, code: str) -> Entrant:
    round_ = game.table.round
    if WalkOver.objects.filter(round=round_, entrant__code=code).exists():
        facts = {"found": shown(code), "round": round_.number}
        raise Conflict(Problem("walk_over_recorded", ("player_id",), facts))
    members = EntrantMember.objects.filter(event=round_.event, player__in=_players_at(game))
    member = members.filter(entrant__code=code).select_related("entrant").first()
    if member is None:
        facts = {"found": shown(code), "table": game.table.code}
        raise Refused(Problem("not_at_this_table", ("player_id",), facts))
    return member.entrant


def _walk_overs(game: Game) -> QuerySet[WalkOver]:
    return WalkOver.objects.filter(table__in=tables_of_match(game.table_id)).order_by("pk")


def _playing_without(game: Game, leaving: Collection[int]) -> tuple[int, ...]:
    players = _players_at(game)
    rows = _walk_overs(game).values("entrant")
    members = EntrantMember.objects.filter(entrant__in=rows, player__in=players)
    absent = {*leaving, *members.values_list("player_id", flat=True)}
    return tuple(player for player in players if player not in absent)


def _give_up(game: Game, entrant: Entrant) -> bool:
    """Let the others advance: at the table with one seat less, or without playing."""
    round_ = game.table.round
    table = game.table
    leaving = _players_of(game, entrant)
    playing = _playing_without(game, leaving)
    players = tuple(player for player in _players_at(game) if player not in leaving)
    has_hands = Hand.objects.filter(game=game).exists()
    # Of a final, only the winner advances.
    is_final = Table.objects.filter(round=round_).count() == 1
    n_advance = 1 if is_final else goes_on_from(round_.stage).each_table
    is_untouched = not has_hands and game.state == GameState.SEATED
    match = Match.objects.filter(tables__table=table).first()
    if match is not None:
        Match.objects.filter(pk=match.pk).update(forfeited_by=entrant)
        _end_tables(round_, tables_of_match(table.pk))
    elif (
        playing == players
        and is_untouched
        and len(players) > n_advance
        and len(players) in sizes_of_rules(rules_of(game.snapshot))
    ):
        before = round_seating(round_)
        outside = {**before.sit_outs, **dict.fromkeys(leaving, SitOutReason.LEFT.value)}
        target = SeatingTarget({table.number: players}, outside)
        seat_all_present(round_, before, target, split_sides=True)
        return True
    elif has_hands or len(playing) <= n_advance:
        _end_tables(round_, [table.pk])
    return False


def _seat_all_again(game: Game, rows: Collection[WalkOver]) -> None:
    round_ = game.table.round
    tables = tables_of_match(game.table_id)
    WalkOver.objects.filter(pk__in=[row.pk for row in rows]).delete()
    Match.objects.filter(tables__table=game.table_id).update(forfeited_by=None)
    Game.objects.filter(table__in=tables, state=GameState.ABANDONED).update(state=GameState.SEATED)
    took = [row.entrant_id for row in rows if row.took_seat]
    before = round_seating(round_)
    members = EntrantMember.objects.filter(entrant__in=took, player__in=list(before.sit_outs))
    returning = tuple(members.order_by("pk").values_list("player_id", flat=True))
    if returning:
        outside = {
            player: why for player, why in before.sit_outs.items() if player not in returning
        }
        target = SeatingTarget({game.table.number: (*_players_at(game), *returning)}, outside)
        seat_all_present(round_, before, target, split_sides=True)


def _end_tables(round_: Round, tables: Collection[int]) -> None:
    """End tables that are not played any more; their round has begun with that."""
    waiting = Game.objects.filter(table__in=tables)
    waiting.filter(state__in=(GameState.SEATED, GameState.PLAYING)).update(
        state=GameState.ABANDONED
    )
    if round_.state == RoundState.POSTED:
        round_.state = RoundState.PLAYING
        round_.save(update_fields=["state"])


def _record(op: Operation, operation: str, game: Game, entrant: Entrant, reason: str) -> None:
    round_, code = game.table.round, game.table.code
    facts = {"entrant": entrant.code, "round": round_.number}
    record_change(
        round_.event,
        op.actor,
        operation,
        facts,
        op.now,
        reason=reason,
        table=code,
        part=f"/table:{code}",
    )
