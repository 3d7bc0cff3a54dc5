"""Give the hands of a table to another one at which they were played, or exchange two sheets.

Entries are never changed or moved: a hand stops counting at the first table, with its entries, and
the other table gets a further entry with the same content. One line of the change log and of the
audit log has all of it, and is undone as one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db.models import F, QuerySet

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.event_settings import settings_of
from tournaments.domain.reasons import BAD_REASON, require_reason
from tournaments.domain.replay_game import LAST_HAND, TOTALS, HandRefused, teams_of
from tournaments.domain.table_codes import round_and_table
from tournaments.errors import Conflict, Forbidden, Missing, problems_of, refuse_any
from tournaments.models.events import EntrantMember, Event, StageKind
from tournaments.models.hands import Entry, Game, Hand, HandState, Source
from tournaments.models.rounds import RoundState, Sitting
from tournaments.models.standings import Change, Contribution
from tournaments.models.webhooks import WebhookKind
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.change_log import MOVE_KIND
from tournaments.selectors.hands.game_for_update import LockedGame, game_now
from tournaments.selectors.rounds.tables import table_seating
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.audit.audit import note_change
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.hands.apply_game import apply_game
from tournaments.services.hands.board_of_hand import (
    lock_boards,
    moved_board_problems,
    require_boards_once,
)
from tournaments.services.hands.carry_hands import (
    MovedHand,
    PhotoMove,
    carry_disputes,
    carry_photos,
    carry_second_entries,
    photos_of_sheets,
    photos_to_return,
)
from tournaments.services.hands.hand_rows import insert_hand, insert_revision
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.seating_checks import (
    require_open,
    require_ordinary,
    table_abandoned,
)
from tournaments.services.totals.counted_games import lock_aggregates
from tournaments.services.webhooks.delivery import record_event

ACTS: Final = ("move", "exchange")
OF_MOVED_HANDS: Final = (
    *("unknown_table", "table_of_a_playoff", "table_abandoned", "seating_outdated"),
    *("event_not_open", "round_is_draft", "hand_refuses_table", *BAD_REASON),
    *("board_not_in_round", "board_at_another_table", "board_of_another_round"),
    *("board_played_at_table", "board_played_by_player", "board_known_to_player"),
)
"""Error codes of moving hands to another table, and of its undo."""


@dataclass(frozen=True, slots=True)
class MovedHands:
    """The codes of both tables, and the line of the change log."""

    codes: tuple[str, ...]
    line: int
    event_version: int


@dataclass(slots=True)
class _Table:
    """A locked table: its hands, and what is to stand at which number after the change."""

    game: Game
    locked: LockedGame
    after: dict[int, Hand] = field(default_factory=dict)
    """Number → the hand, of either table, whose content is to stand there."""

    def __post_init__(self) -> None:
        self.after = self.standing

    @property
    def code(self) -> str:
        return self.game.table.code

    @property
    def hands(self) -> Mapping[int, Hand]:
        return self.locked.hands

    @property
    def standing(self) -> dict[int, Hand]:
        return {n: hand for n, hand in self.hands.items() if hand.state != HandState.VOID}

    @property
    def next_number(self) -> int:
        taken = (number for number, hand in self.hands.items() if not hand.is_undone)
        return max(taken, default=0) + 1

    @property
    def touched(self) -> list[int]:
        """Numbers at which something else is to stand than now."""
        standing = self.standing
        return [
            number
            for number in sorted({*standing, *self.after})
            if number not in standing
            or number not in self.after
            or self.after[number] is not standing[number]
        ]


@operation(
    "manage_event",
    refuses=(
        *("same_table", "no_hands_to_move", "bad_move_of_hands", "totals_not_divided"),
        *("totals_alone", "other_rules_there", "nobody_to_move_to", "match_over"),
        *OF_MOVED_HANDS,
    ),
)
def move_hands(
    op: Operation,
    game: Game,
    /,
    *,
    to: Game,
    act: str = "move",
    from_hand: int = 1,
    reason: str,
    tag: str | None = None,
) -> MovedHands:
    """Give the hands of a table from `from_hand` on to the table `to`, or exchange both sheets.

    Moved hands come after those of the other table; in an exchange each keeps its number. `tag` is
    that of the table which the director looked at (`table_seating`).
    """
    event, role = _lock_event(op, game, reason)
    if game.pk == to.pk:
        raise Refused(Problem("same_table", ("to",), {"table": game.table.number}))
    _require_known(act, from_hand)
    tables = _lock_tables(op, event, role, [game.pk, to.pk])
    source, target = tables[game.pk], tables[to.pk]
    _require_unchanged(event, source, tag)
    _require_same_rules(source, target)
    moved = {
        number: content
        for number, content in source.after.items()
        if number >= from_hand or (number == TOTALS and from_hand == 1)
    }
    if TOTALS in source.after and from_hand > 1:
        raise Refused(Problem("totals_not_divided", ("from_hand",), {"table": source.code}))
    if not moved and not (act == "exchange" and target.after):
        place = {"table": source.game.table.number, "number": from_hand}
        raise Refused(Problem("no_hands_to_move", ("from_hand",), place))
    if act == "exchange":
        source.after, target.after = target.after, source.after
    else:
        _append(target, moved)
        source.after = {n: content for n, content in source.after.items() if n not in moved}
    for table in (source, target):
        _require_room(event, table)
    photos: list[PhotoMove] = []
    if from_hand == 1:
        photos = photos_of_sheets(
            source.game.table, target.game.table, is_exchange=act == "exchange"
        )
    facts = {"act": act, "from": source.code, "to": target.code, "from_hand": from_hand}
    return _save(op, role, event, tables, facts, reason, photos)


@operation(
    "manage_event",
    refuses=("unknown_change", "hands_moved_on", *OF_MOVED_HANDS),
)
def undo_move(
    op: Operation, game: Game, /, *, line: int, reason: str, tag: str | None = None
) -> MovedHands:
    """Undo a move of hands, as long as no hand was entered or changed at either table since.

    Args:
        line: of the change log; that of an undo moves the hands again.
    """
    event, role = _lock_event(op, game, reason)
    change = Change.objects.filter(event=event, kind=MOVE_KIND, pk=line).first()
    if change is None or game.table.code not in (change.facts["from"], change.facts["to"]):
        raise Missing("change", {"line": line})
    facts: JsonObject = change.facts
    codes = (str(facts["from"]), str(facts["to"]))
    games = Game.objects.filter(event=event, table__code__in=codes)
    tables = _lock_tables(op, event, role, list(games.values_list("pk", flat=True)))
    by_code = {table.code: table for table in tables.values()}
    if set(by_code) != set(codes):
        raise Missing("table")
    _require_unchanged(event, by_code[game.table.code], tag)
    _require_no_later_hands(facts, {code: table.hands for code, table in by_code.items()})
    _put_back(by_code, facts)
    new_facts: JsonDict = {
        "act": "undo",
        "undoes": line,
        "from": codes[1],
        "to": codes[0],
        "from_hand": facts["from_hand"],
    }
    photos = photos_to_return(
        {code: table.game.table for code, table in by_code.items()}, facts["photos"]
    )
    return _save(op, role, event, tables, new_facts, reason, photos)


def undo_problem(actor: Actor, event: Event, move: Change) -> Problem | None:
    """Return why `undo_move` refuses to undo a move, as far as the rows of its tables say it; None
    if nothing does. Two queries, besides that of the role."""
    codes = (str(move.facts["from"]), str(move.facts["to"]))
    rows = _games(Game.objects.filter(event=event, table__code__in=codes))
    games = {game.table.code: game for game in rows}
    try:
        if set(games) != set(codes):
            raise Missing("table")
        role = get_role(actor, event.club_id)
        hands: dict[str, dict[int, Hand]] = {code: {} for code in codes}
        by_game = {game.pk: code for code, game in games.items()}
        for hand in Hand.objects.filter(game__in=by_game):
            hands[by_game[hand.game_id]][hand.number] = hand
        for game in games.values():
            _require_takes_moves(actor, role, game)
        _require_no_later_hands(move.facts, hands)
    except (Conflict, Forbidden, Missing, Refused) as refusal:
        return problems_of(refusal)[0]
    return None


def _require_no_later_hands(facts: JsonObject, hands: Mapping[str, Mapping[int, Hand]]) -> None:
    """Refuse to undo a move once a hand of either table, by code, was entered or changed since."""
    for code, of_table in hands.items():
        if _listed(of_table) != facts["is"][code]:
            _, number = round_and_table(code)
            raise Conflict(Problem("hands_moved_on", facts={"table": number}))


def _require_known(act: str, from_hand: int) -> None:
    facts: dict[str, int | str]
    if act not in ACTS:
        facts = {"found": shown(act), "expected": ", ".join(ACTS)}
        raise Refused(Problem("bad_move_of_hands", ("act",), facts))
    if not 1 <= from_hand <= LAST_HAND or (act == "exchange" and from_hand > 1):
        expected = "1" if act == "exchange" else f"1 to {LAST_HAND}"
        facts = {"found": from_hand, "expected": expected}
        raise Refused(Problem("bad_move_of_hands", ("from_hand",), facts))


def _lock_event(op: Operation, game: Game, reason: str) -> tuple[Event, str]:
    event = lock_event(game.event)
    require_reason(reason)
    return event, get_role(op.actor, event.club_id)


def _lock_tables(op: Operation, event: Event, role: str, games: Sequence[int]) -> dict[int, _Table]:
    """Lock both games by ascending id, then their boards, and read them."""
    locked = lock_games(Game.objects.filter(pk__in=games))
    if set(locked) != set(games):
        raise Missing("table")
    lock_boards(event, locked)
    tables = {}
    for game in _games(Game.objects.filter(pk__in=locked)):
        game.event = event
        game.table.event = event
        stored = game_now(game)
        _require_takes_moves(op.actor, role, game)
        tables[game.pk] = _Table(game, stored)
    return tables


def _games(games: QuerySet[Game]) -> QuerySet[Game]:
    related = ("event", "club", "snapshot", "table__round__stage")
    return games.select_related(*related).order_by("pk")


def _require_takes_moves(actor: Actor, role: str, game: Game) -> None:
    """Refuse a table that neither gives nor takes hands."""
    require_ordinary(game)
    if game.table.round.stage.kind == StageKind.PLAYOFF:
        raise Conflict(Problem("table_of_a_playoff", facts={"table": game.table.code}))
    require_open(actor, role, game)
    if game.state == "abandoned":
        raise Conflict(table_abandoned(game.table.code, game.table.number))


def _require_unchanged(event: Event, table: _Table, tag: str | None) -> None:
    if tag is None:
        return
    seating = table_seating(event, table.code)
    if seating["tag"] != tag:
        raise Conflict(Problem("seating_outdated", facts={"table": table.code}), there=seating)


def _require_same_rules(source: _Table, target: _Table) -> None:
    """Refuse tables whose hands do not mean the same: other rules, seats or sides."""
    if _played_as(source) != _played_as(target):
        facts = {"table": source.game.table.number, "other": target.game.table.number}
        raise Refused(Problem("other_rules_there", ("to",), facts))


def _played_as(table: _Table) -> tuple[object, ...]:
    rules = rules_of(table.game.snapshot)
    seats = table.locked.seats
    return table.game.snapshot.rules, len(seats), teams_of(seats, rules)


def _append(target: _Table, moved: Mapping[int, Hand]) -> None:
    """Put `moved` hands after those of the target; totals stand for a whole game."""
    if TOTALS in target.after or (TOTALS in moved and target.after):
        raise Refused(Problem("totals_alone", ("to",)))
    coming = target.next_number
    for number in sorted(moved):
        if number == TOTALS:
            target.after[TOTALS] = moved[number]
        else:
            target.after[coming] = moved[number]
            coming += 1


def _require_room(event: Event, table: _Table) -> None:
    """Refuse more hands than the event's games have, and hands at which nobody sits there."""
    length = settings_of(event).hands
    n_hands = sum(1 for number in table.after if number != TOTALS)
    if length is not None and n_hands > max(length, len(table.standing)):
        raise Refused(Problem("match_over", ("to",), {"expected": length}))
    seats = {seat.number for seat in table.locked.seats}
    for number in table.touched:
        sitting = {run.seat for run in table.locked.sat if run.has(number)}
        if number in table.after and sitting != seats:
            facts = {"table": table.game.table.number, "number": number}
            raise Refused(Problem("nobody_to_move_to", ("to",), facts))


def _put_back(by_code: Mapping[str, _Table], facts: JsonObject) -> None:
    """Plan what stood before the change: each hand that was moved goes back to its number."""
    moved = {
        (from_code, from_number): by_code[to_code].standing[to_number]
        for from_code, from_number, to_code, to_number in facts["hands"]
    }
    for code, table in by_code.items():
        for number, revision in facts["was"][code]:
            table.after.pop(number, None)
            if revision:
                table.after[number] = moved[code, number]


def _save(
    op: Operation,
    role: str,
    event: Event,
    tables: Mapping[int, _Table],
    facts: JsonDict,
    reason: str,
    photos: Sequence[PhotoMove],
) -> MovedHands:
    in_order = [tables[pk] for pk in sorted(tables)]
    refuse_any(
        problem
        for table in in_order
        for problem in moved_board_problems(table.game, table.locked, table.after, table.touched)
    )
    codes = {table.game.pk: table.code for table in in_order}
    moved = [one for table in in_order for one in _moved_to(table)]
    was = {table.code: _was(table) for table in in_order}
    touched = {table.game.pk: table.touched for table in in_order}
    for table in in_order:
        _store(op, table, reason)
    Game.objects.filter(pk__in=tables).update(moves=F("moves") + 1)
    carry_disputes(moved)
    carry_second_entries(op, moved, touched)
    require_boards_once(event, [table.game.pk for table in in_order])
    _apply(event, in_order)
    version = op.mark(event)
    for table in in_order:
        _record_corrections(op, event, table, version)
    line_facts: JsonDict = {
        **facts,
        "hands": [
            [codes[one.origin.game_id], one.origin.number, codes[one.game.pk], one.number]
            for one in moved
        ],
        "was": was,
        "is": {table.code: _listed(game_now(table.game).hands) for table in in_order},
        "photos": carry_photos(photos),
    }
    line = note_change(
        event=event,
        version=version,
        kind=MOVE_KIND,
        by=role,
        now=op.now,
        table=str(facts["from"]),
        reason=reason,
        facts=line_facts,
    )
    subject = f"{event.audit_subject}/table:{facts['from']}"
    op.audit(event, {**line_facts, "reason": reason.strip()}, name=MOVE_KIND, subject=subject)
    return MovedHands((str(facts["from"]), str(facts["to"])), line.pk, version)


def _moved_to(table: _Table) -> Iterator[MovedHand]:
    for number in table.touched:
        if number in table.after:
            yield MovedHand(table.after[number], table.game, number)


def _was(table: _Table) -> list[list[int]]:
    """Return the touched numbers, each with the revision that stood there; 0 for none."""
    standing = table.standing
    return [
        [number, standing[number].revision if number in standing else 0] for number in table.touched
    ]


def _listed(hands: Mapping[int, Hand]) -> list[list[int | str]]:
    return [[number, hands[number].state, hands[number].revision] for number in sorted(hands)]


def _store(op: Operation, table: _Table, reason: str) -> None:
    """Store what is to stand at the touched numbers; what stands there else is made void."""
    origins = [table.after[number] for number in table.touched if number in table.after]
    entries = Entry.objects.in_bulk([hand.entry_id for hand in origins if hand.entry_id])
    gone = [table.hands[number].pk for number in table.touched if number not in table.after]
    Hand.objects.filter(pk__in=gone).update(state=HandState.VOID, undone=True)
    for number in table.touched:
        if number in table.after:
            origin = table.after[number]
            _store_hand(op, table, number, origin, entries[origin.entry_id or 0], reason)
    is_in_closed_round = table.game.table.round.state == RoundState.CLOSED
    if not (table.after or is_in_closed_round) and table.game.state in ("complete", "checked"):
        # Its sheet has still to be entered; in a closed round only as a correction.
        Game.objects.filter(pk=table.game.pk).update(state="playing")


def _store_hand(
    op: Operation, table: _Table, number: int, origin: Hand, entry: Entry, reason: str
) -> None:
    stored = table.hands.get(number)
    row = Entry(
        club_id=table.game.club_id,
        revision=1 if stored is None else stored.revision + 1,
        form=entry.form,
        typed=entry.typed,
        verified=entry.verified,
        reason=reason.strip(),
        note=entry.note,
        source=Source.HOST,
        entered_by_id=op.actor.user_id,
        entered_as=op.actor.name,
        entered_at=op.now,
    )
    values = {"board_id": origin.board_id, "hands": origin.hands, "undone": False}
    if stored is None:
        hand = Hand(
            club_id=table.game.club_id,
            game=table.game,
            number=number,
            state=origin.state,
            revision=1,
            **values,
        )
        insert_hand(hand, row)
        return
    # Another row: what stands here may be the origin of a hand of the other table.
    hand = Hand(
        pk=stored.pk,
        club_id=table.game.club_id,
        game=table.game,
        number=number,
        state=origin.state,
        revision=row.revision,
    )
    insert_revision(hand, row)
    Hand.objects.filter(pk=stored.pk).update(**values)


def _record_corrections(op: Operation, event: Event, table: _Table, version: int) -> None:
    """Record for webhooks each hand that counted, or had counted; new hands are told by nobody."""
    standing = table.standing
    for number in table.touched:
        stored = table.hands.get(number)
        if stored is None:
            continue
        change = "void_hand"
        revision = stored.revision
        if number in table.after:
            change = "correct_hand" if number in standing else "restore_hand"
            revision += 1
        correction = {
            "table": table.code,
            "hand": number,
            "change": change,
            "revision": revision,
            "event_version": version,
        }
        record_event(event, WebhookKind.HAND_CORRECTED, correction, now=op.now)


def _apply(event: Event, tables: Sequence[_Table]) -> None:
    """Recompute the games; all sums are locked before any of them is written."""
    sat = Sitting.objects.filter(seat__table__in=[table.game.table_id for table in tables])
    members = EntrantMember.objects.filter(event=event, player__in=sat.values("player"))
    counted = Contribution.objects.filter(game__in=[table.game.pk for table in tables])
    entrants = {
        *members.values_list("entrant", flat=True),
        *counted.values_list("entrant", flat=True),
    }
    lock_aggregates(event, sorted(entrants), make=True)
    for table in tables:
        try:
            apply_game(game=table.game, stored=game_now(table.game))
        except HandRefused as refused:
            facts = {
                "number": refused.number,
                "table": table.game.table.number,
                "why": refused.problems[0].message,
            }
            raise Conflict(Problem("hand_refuses_table", (), facts)) from refused
