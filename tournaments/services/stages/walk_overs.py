"""Walk-overs: an entrant misses or gives up a table of a knock-out, and the others advance.

If more of the others are present than advance, they play with one seat less. Otherwise the table is
not played, or ends with its hands so far. A team gives up its match, at all of its tables. See
docs/algorithms/stages.md.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from scoring.errors import Problem, Refused, shown
from scoring.seating.brackets import sizes_of_rules
from tournaments.domain.reasons import require_reason
from tournaments.domain.stage_plan import goes_on_from
from tournaments.errors import Conflict
from tournaments.models.events import Entrant, EntrantMember, StageKind
from tournaments.models.hands import Game, GameState, Hand
from tournaments.models.meetings import Match, Round, RoundState, SitOutReason, Sitting, Table
from tournaments.models.playoffs import WalkOver
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import entrant_name
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.selectors.rounds.tables import tables_of_match
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.db.locks import lock_round
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import record_change, require_running
from tournaments.services.permissions import require_role
from tournaments.services.rounds.arrange_round import SeatingTarget, seat_all_present


@dataclass(frozen=True, slots=True)
class _AtTable:
    """A table of a locked round with its game, and who sits there, as rows of players."""

    table: Table
    game: Game
    players: tuple[int, ...]
    has_hands: bool


@atomic_act
def record_walk_over(
    *, actor: Actor, game: Game, entrant: str, reason: str, now: datetime
) -> WalkOver:
    role, at_table = _lock_table(actor, game, reason)
    round_ = at_table.table.round
    competitor = _entrant_at(at_table, entrant)
    players = _players_of(competitor, at_table.players)
    if not _playing_without(at_table, players):
        facts = {"table": at_table.table.code, "name": entrant_name(competitor, FULL_NAME)}
        raise Conflict(Problem("nobody_goes_on", ("player_id",), facts))
    took_seat = _give_up(at_table, competitor)
    walk_over = WalkOver.objects.create(
        club_id=round_.club_id,
        event=round_.event,
        round=round_,
        table=at_table.table,
        entrant=competitor,
        took_seat=took_seat,
        created_at=now,
    )
    _record(actor, role, at_table, "walk_over", competitor, reason, now)
    return walk_over


@atomic_act
def undo_walk_over(*, actor: Actor, game: Game, entrant: str, reason: str, now: datetime) -> None:
    """Undo a walk-over of a table without hands, whose round is not closed."""
    role, at_table = _lock_table(actor, game, reason)
    round_ = at_table.table.round
    tables = tables_of_match(at_table.table.pk)
    rows = list(_walk_overs(at_table).select_related("entrant"))
    row = next((row for row in rows if row.entrant.code == entrant), None)
    if row is None:
        facts: dict[str, int | str] = {"found": shown(entrant), "table": at_table.table.code}
        raise Refused(Problem("no_walk_over", ("player_id",), facts))
    if Hand.objects.filter(game__table__in=tables).exists():
        raise Conflict(Problem("table_has_hands", facts={"table": at_table.table.code}))
    _seat_all_again(at_table, rows)
    for other in rows:
        if other != row:
            at_table = _get_table(round_, at_table.table.pk)
            other.took_seat = _give_up(at_table, other.entrant)
            other.pk = None
            other.save(force_insert=True)
    _record(actor, role, at_table, "undo_walk_over", row.entrant, reason, now)


def _lock_table(actor: Actor, game: Game, reason: str) -> tuple[str, _AtTable]:
    """Return a table of a round where walk-overs can be recorded, locked, and the actor's role."""
    role = get_role(actor, game.club_id)
    require_role(actor, role, "manage_event")
    at_table = _get_table(_lock_open_round(game), game.table_id)
    require_reason(reason)
    return role, at_table


def _lock_open_round(game: Game) -> Round:
    locked = lock_round(game.table.round)
    require_running(locked.event)
    facts: dict[str, int | str] = {"round": locked.number}
    if locked.state == RoundState.DRAFT:
        raise Conflict(Problem("round_is_draft", facts=facts))
    if locked.state == RoundState.CLOSED:
        raise Conflict(Problem("round_is_closed", facts=facts))
    is_team_match = Match.objects.filter(tables__table=game.table_id).exists()
    if locked.stage.kind != StageKind.KNOCKOUT and not is_team_match:
        raise Conflict(Problem("not_in_a_knockout", facts=facts))
    return locked


def _get_table(round_: Round, table_id: int) -> _AtTable:
    game = Game.objects.select_related("table", "snapshot").get(table=table_id)
    sitting = Sitting.objects.filter(seat__table=table_id, to_hand__isnull=True)
    players = tuple(sitting.order_by("seat__number").values_list("player_id", flat=True))
    game.table.round = round_
    return _AtTable(game.table, game, players, Hand.objects.filter(game=game).exists())


def _entrant_at(at_table: _AtTable, code: str) -> Entrant:
    event = at_table.table.event_id
    if WalkOver.objects.filter(round=at_table.table.round, entrant__code=code).exists():
        facts: dict[str, int | str] = {"found": shown(code), "round": at_table.table.round.number}
        raise Conflict(Problem("walk_over_recorded", ("player_id",), facts))
    members = EntrantMember.objects.filter(event=event, player__in=at_table.players)
    member = members.filter(entrant__code=code).select_related("entrant").first()
    if member is None:
        facts = {"found": shown(code), "table": at_table.table.code}
        raise Refused(Problem("not_at_this_table", ("player_id",), facts))
    return member.entrant


def _players_of(entrant: Entrant, players: Collection[int]) -> tuple[int, ...]:
    members = entrant.members.filter(player__in=players)
    return tuple(members.values_list("player_id", flat=True))


def _walk_overs(at_table: _AtTable) -> QuerySet[WalkOver]:
    """Return the walk-overs at a table, or at all tables of its match, in order."""
    return WalkOver.objects.filter(table__in=tables_of_match(at_table.table.pk)).order_by("pk")


def _playing_without(at_table: _AtTable, leaving: Collection[int]) -> tuple[int, ...]:
    rows = _walk_overs(at_table).values("entrant")
    members = EntrantMember.objects.filter(entrant__in=rows, player__in=at_table.players)
    absent = {*leaving, *members.values_list("player_id", flat=True)}
    return tuple(player for player in at_table.players if player not in absent)


def _give_up(at_table: _AtTable, entrant: Entrant) -> bool:
    """Let the others advance: at the table with one seat less, or without playing."""
    round_, table = at_table.table.round, at_table.table
    leaving = _players_of(entrant, at_table.players)
    playing = _playing_without(at_table, leaving)
    players = tuple(player for player in at_table.players if player not in leaving)
    match = Match.objects.filter(tables__table=table).first()
    if match is not None:
        Match.objects.filter(pk=match.pk).update(forfeited_by=entrant)
        _end_tables(round_, tables_of_match(table.pk))
    elif playing == players and _plays_on(at_table, round_, players):
        before = round_seating(round_)
        outside = {**before.sit_outs, **dict.fromkeys(leaving, SitOutReason.LEFT.value)}
        target = SeatingTarget({table.number: players}, outside)
        seat_all_present(round_, before, target, split_sides=True)
        return True
    elif at_table.has_hands or len(playing) <= _goes_on(round_):
        _end_tables(round_, [table.pk])
    return False


def _seat_all_again(at_table: _AtTable, rows: Collection[WalkOver]) -> None:
    """Delete the walk-overs at a table without hands; everybody sits there again."""
    round_, tables = at_table.table.round, tables_of_match(at_table.table.pk)
    WalkOver.objects.filter(pk__in=[row.pk for row in rows]).delete()
    Match.objects.filter(tables__table=at_table.table).update(forfeited_by=None)
    abandoned = Game.objects.filter(table__in=tables, state=GameState.ABANDONED)
    abandoned.update(state=GameState.SEATED)
    took = [row.entrant_id for row in rows if row.took_seat]
    before = round_seating(round_)
    members = EntrantMember.objects.filter(entrant__in=took, player__in=list(before.sit_outs))
    returning = tuple(members.order_by("pk").values_list("player_id", flat=True))
    if returning:
        outside = {
            player: why for player, why in before.sit_outs.items() if player not in returning
        }
        target = SeatingTarget({at_table.table.number: (*at_table.players, *returning)}, outside)
        seat_all_present(round_, before, target, split_sides=True)


def _plays_on(at_table: _AtTable, round_: Round, playing: Collection[int]) -> bool:
    is_untouched = not at_table.has_hands and at_table.game.state == GameState.SEATED
    sizes = sizes_of_rules(rules_of(at_table.game.snapshot))
    return is_untouched and len(playing) > _goes_on(round_) and len(playing) in sizes


def _goes_on(round_: Round) -> int:
    """Return how many advance from a table of a round; only the winner of a final."""
    is_final = Table.objects.filter(round=round_).count() == 1
    return 1 if is_final else goes_on_from(round_.stage).each_table


def _end_tables(round_: Round, tables: Collection[int]) -> None:
    """End tables that are not played any more; their round has begun with that."""
    waiting = Game.objects.filter(table__in=tables)
    waiting.filter(state__in=(GameState.SEATED, GameState.PLAYING)).update(
        state=GameState.ABANDONED
    )
    if round_.state == RoundState.POSTED:
        round_.state = RoundState.PLAYING
        round_.save(update_fields=["state"])


def _record(
    actor: Actor,
    role: str,
    at_table: _AtTable,
    act: str,
    entrant: Entrant,
    reason: str,
    now: datetime,
) -> None:
    table, round_ = at_table.table.code, at_table.table.round
    facts = {"entrant": entrant.code, "round": round_.number}
    part = f"/table:{table}"
    record_change(
        round_.event, actor, act, facts, now, by=role, reason=reason, table=table, part=part
    )
