"""Changing who played at a table, at any time: people swap, one replaces or substitutes another.

What becomes of the hands that were played is chosen: they stay with the seats (`keep`), stay with
the people (`remap`), or do not count (`void`). What was entered is never changed: a hand whose
scores follow the people to other seats of the table gets a further revision.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from scoring.errors import Problem, Refused, shown
from tournaments.errors import Conflict, Missing
from tournaments.models.changes import Change
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event, StageKind
from tournaments.models.hands import Entry, Game, Hand, Source
from tournaments.models.ladders import Challenge
from tournaments.models.meetings import Seat, Sitting
from tournaments.models.standings import Contribution
from tournaments.policy import Actor
from tournaments.selectors.changes import CHANGE_KIND
from tournaments.selectors.clubs import role_of
from tournaments.selectors.seatings import keeps_nobody, table_seating
from tournaments.services.abandoned_tables import leave_abandoned
from tournaments.services.audit import append_audit
from tournaments.services.changes import note_change
from tournaments.services.event_locks import lock_event, lock_games
from tournaments.services.events import entrant_for
from tournaments.services.hand_rows import insert_revision
from tournaments.services.keeping import hold
from tournaments.services.marks import mark_changed
from tournaments.services.permissions import require, require_role
from tournaments.services.reasons import reason_problems
from tournaments.services.replays import TOTALS, HandRefused
from tournaments.services.rule_sets import rules_of
from tournaments.services.seat_entries import NotBySeat, exchanged
from tournaments.services.seating import require_nobody_sits_out
from tournaments.services.settling import settle_game, teams_of
from tournaments.services.sides import require_whole_sides
from tournaments.services.sitting_runs import (
    SeatRun,
    exchange_people,
    exchange_seats,
    holder,
    in_two_seats,
    joined,
    replace_person,
)
from tournaments.services.stage_rosters import require_in_stage
from tournaments.services.table_states import require_ordinary
from tournaments.services.transactions import atomic_act

ACTS: Final = ("swap", "replace", "substitute")
HANDS: Final = ("keep", "remap", "void")
LAST_HAND: Final = 999
Stored = Sequence[Sequence[int | str | None]]
"""Runs as the change log keeps them: seat, player id, first hand, last hand, whom it is for."""


@dataclass(frozen=True, slots=True)
class PlayerChange:
    """Who is to have played in a seat (from 1) of a table, and from which hand on.

    `act` is of `ACTS`, `hands` of `HANDS`. `split_sides`: partners who are no pair are seated all
    the same.
    """

    act: str
    seat: int
    player_id: str
    hands: str = "keep"
    from_hand: int = 1
    split_sides: bool = False


@dataclass(frozen=True, slots=True)
class PlayersAfter:
    """What was done: the tables, the line of the change log, and the event's version with it."""

    codes: tuple[str, ...]
    line: int
    event_version: int


@dataclass(slots=True)
class _Table:
    """A table with its people and hands, and what becomes of them."""

    game: Game
    seats: list[Seat]
    runs: list[SeatRun]
    hands: list[Hand]
    after: list[SeatRun] = field(default_factory=list)
    gone: list[Hand] = field(default_factory=list)
    back: list[Hand] = field(default_factory=list)
    revised: list[tuple[Hand, dict[str, Any]]] = field(default_factory=list)
    exchanged: tuple[int, int] | None = None

    @property
    def code(self) -> str:
        return self.game.table.code

    def played(self, first: int) -> list[Hand]:
        """Return the hands from `first` on that stand; totals belong to all."""
        standing = [one for one in self.hands if one.state != "void"]
        return [one for one in standing if one.number == TOTALS or one.number >= first]

    @property
    def has_totals(self) -> bool:
        return any(one.number == TOTALS and one.state != "void" for one in self.hands)

    def next_hand(self) -> int:
        return max((one.number for one in self.hands), default=0) + 1


@atomic_act
def change_players(
    *,
    actor: Actor,
    game: Game,
    wanted: PlayerChange,
    reason: str,
    now: datetime,
    tag: str | None = None,
) -> PlayersAfter:
    """Change who played at a table, and where two people swap from another table, there too.

    Args:
        tag: of the seating that the director looked at (`table_seating`).

    Raises:
        Forbidden: manage_event; correct_closed once the round is closed or the event is.
        Missing: unknown_table.
        Refused: reason_required, bad_text, bad_change_of_players, unknown_seat_number,
            unknown_player, bad_from_hand, nobody_in_seat, same_person, nobody_to_swap,
            totals_not_divided, scores_of_a_side, not_in_stage, side_of_two_pairs,
            side_with_a_partner, side_of_singles, pair_on_both_sides.
        Conflict: seating_outdated, table_of_a_playoff, player_already_seated, player_sits_here,
            player_in_two_seats, entrant_sits_out, hand_refuses_seats, challenge_needs_players.
    """
    event, role = _begin(actor, game, reason)
    _require_known(wanted)
    player = _player(event, wanted.player_id)
    elsewhere = _elsewhere(game, player)
    tables = _locked(event, [game.pk, *([elsewhere] if elsewhere else [])])
    table = tables[game.pk]
    _require_now(actor, event, role, tables.values(), table.code, tag)
    old = _holder(table, wanted)
    if old == player.pk:
        raise Refused(Problem("same_person", ("player",), _named(player, table)))
    other = tables.get(elsewhere) if elsewhere else None
    here = _seat_of(table, player.pk)
    if wanted.act == "swap":
        _plan_swap(table, other, wanted, old, player, here)
    else:
        _require_free(player, table, other, here)
        require_in_stage(table.game.table.round, [player])
        require_nobody_sits_out(table.game.table.round, [player])
        _plan_replacing(table, wanted, old, player)
    if wanted.hands == "void":
        for one in tables.values():
            one.gone = one.played(wanted.from_hand if one is table else _first_there(one, wanted))
    _require_sides(event, tables.values(), wanted.split_sides)
    facts = {"act": wanted.act, "hands": wanted.hands, "from_hand": wanted.from_hand}
    return _done(actor, role, event, tables, facts, reason, now)


@atomic_act
def undo_players(
    *, actor: Actor, game: Game, line: int, reason: str, now: datetime, tag: str | None = None
) -> PlayersAfter:
    """Undo a change of who played: who sat before sits there again, deleted hands count again.

    Args:
        line: of the change log; those after it at its tables are undone first, each once.

    Raises:
        Forbidden: manage_event; correct_closed once the round is closed or the event is.
        Missing: unknown_change.
        Refused: reason_required, bad_text, scores_of_a_side.
        Conflict: seating_outdated, seats_moved_on, table_of_a_playoff, player_already_seated,
            hand_refuses_seats, challenge_needs_players.
    """
    event, role = _begin(actor, game, reason)
    found = Change.objects.filter(event=event, kind=CHANGE_KIND, pk=line).first()
    if found is None or game.table.code not in found.facts["after"]:
        raise Missing("change", {"line": line})
    told: Mapping[str, Any] = found.facts
    codes = sorted(told["after"])
    _require_newest(event, found, codes)
    games = Game.objects.filter(event=event, table__code__in=codes)
    tables = _locked(event, list(games.values_list("pk", flat=True)))
    by_code = {one.code: one for one in tables.values()}
    _require_now(actor, event, role, tables.values(), game.table.code, tag)
    if set(by_code) != set(codes):
        raise Conflict(Problem("seats_moved_on", facts={"table": game.table.code}))
    ids = _ids(event, told)
    for code, one in by_code.items():
        if _as_stored(one.runs, ids.back) != [list(run) for run in told["after"][code]]:
            raise Conflict(Problem("seats_moved_on", facts={"table": code}))
        one.after = [_as_run(run, ids.rows) for run in told["before"][code]]
        gone = {(number, revision) for number, revision in told["gone"].get(code, ())}
        one.back = [
            hand
            for hand in one.hands
            if hand.state == "void" and (hand.number, hand.revision) in gone
        ]
        again = told["back"].get(code, ())
        one.gone = [hand for hand in one.hands if hand.number in again and hand.state == "accepted"]
    if told.get("seats"):
        one, (first, second) = by_code[game.table.code], told["seats"]
        _exchange(one, first, second, told["from_hand"])
    for one in by_code.values():
        _require_nobody_elsewhere(one, by_code.values())
    facts = {"act": "undo", "undoes": line, "hands": told["hands"], "from_hand": told["from_hand"]}
    return _done(actor, role, event, tables, facts, reason, now)


# --- what is there --------------------------------------------------------------------------


def _begin(actor: Actor, game: Game, reason: str) -> tuple[Event, str]:
    require(actor, game.club, "manage_event")
    event = lock_event(game.event)
    if problems := tuple(reason_problems(reason)):
        raise Refused(*problems)
    return event, role_of(actor, event.club_id)


def _require_newest(event: Event, found: Change, codes: Sequence[str]) -> None:
    """Let a change be undone once, and after those that came after it at its tables.

    That the same people sit there is not enough: they may have been changed back and forth, and
    what became of their hands then was something else.
    """
    rows = Change.objects.filter(event=event, kind=CHANGE_KIND, table__in=codes)
    later = rows.filter(version__gt=found.version).order_by("version", "pk")
    own = set(rows.filter(version=found.version).values_list("pk", flat=True))
    lines: dict[int, set[int]] = {}
    undoes: dict[int, int] = {}
    for version, line, facts in later.values_list("version", "pk", "facts"):
        lines.setdefault(version, set()).add(line)
        undoes[version] = facts.get("undoes", 0)
    standing: list[set[int]] = []
    for version, own_lines in lines.items():
        if standing and undoes[version] in standing[-1]:
            standing.pop()
        else:
            standing.append(own_lines)
    if standing or own & set(undoes.values()):
        raise Conflict(Problem("seats_moved_on", facts={"table": codes[0]}))


def _require_known(wanted: PlayerChange) -> None:
    problems: list[Problem] = []
    facts: dict[str, int | str]
    for name, found, known in (("act", wanted.act, ACTS), ("hands", wanted.hands, HANDS)):
        if found not in known:
            facts = {"found": shown(found), "expected": ", ".join(known)}
            problems.append(Problem("bad_change_of_players", (name,), facts))
    if not 1 <= wanted.from_hand <= LAST_HAND or (wanted.act == "replace" and wanted.from_hand > 1):
        expected = "1" if wanted.act == "replace" else f"1 to {LAST_HAND}"
        facts = {"found": wanted.from_hand, "expected": expected}
        problems.append(Problem("bad_from_hand", ("from_hand",), facts))
    if problems:
        raise Refused(*problems)


def _player(event: Event, player_id: str) -> Player:
    player = Player.objects.filter(club_id=event.club_id, player_id=player_id).first()
    if player is None:
        raise Refused(Problem("unknown_player", ("player",), {"player": shown(player_id)}))
    return player


def _elsewhere(game: Game, player: Player) -> int | None:
    """Return the game of another table of the round that a player sits at.

    The caller holds the event's row, as everybody does who changes who sits where.
    """
    there = Sitting.objects.filter(
        round=game.table.round_id, player=player, to_hand__isnull=True
    ).exclude(seat__table=game.table_id)
    return there.exclude(keeps_nobody()).values_list("seat__table__game", flat=True).first()


def _locked(event: Event, games: Sequence[int]) -> dict[int, _Table]:
    """Return tables with their games locked, by game."""
    locked = lock_games(Game.objects.filter(pk__in=games))
    if set(locked) != set(games):
        raise Missing("table")
    found = {}
    rows = Game.objects.filter(pk__in=locked).order_by("pk")
    for game in rows.select_related("club", "snapshot", "table__round__stage"):
        game.event = event
        seats = list(Seat.objects.filter(table=game.table_id).order_by("number"))
        sittings = Sitting.objects.filter(seat__table=game.table_id).values_list(
            "seat__number", "player_id", "from_hand", "to_hand", "substitute_for_id"
        )
        runs = joined(SeatRun(*row) for row in sittings)
        hands = Hand.objects.filter(game=game).select_related("entry").order_by("number")
        found[game.pk] = _Table(game, seats, runs, list(hands), after=runs)
    return found


def _require_now(
    actor: Actor, event: Event, role: str, tables: Iterable[_Table], code: str, tag: str | None
) -> None:
    """Let who played be changed where a hand could be corrected, and nobody was first."""
    for one in tables:
        require_ordinary(one.game)
        if one.game.table.round.stage.kind == StageKind.PLAYOFF:
            raise Conflict(Problem("table_of_a_playoff", facts={"table": one.code}))
        if one.game.table.round.state == "closed" or event.state in ("closed", "final"):
            require_role(actor, role, "correct_closed")
    if tag is not None and (there := table_seating(event, code)).tag != tag:
        raise Conflict(Problem("seating_outdated", facts={"table": code}), there=there)


def _holder(table: _Table, wanted: PlayerChange) -> int:
    """Return who sits in the seat that is meant."""
    if not 1 <= wanted.seat <= len(table.seats):
        facts = {"found": wanted.seat, "expected": f"1 to {len(table.seats)}"}
        raise Refused(Problem("unknown_seat_number", ("seat",), facts))
    found = holder(table.runs, wanted.seat)
    if found is None:
        facts = {"seat": wanted.seat, "table": table.code}
        raise Refused(Problem("nobody_in_seat", ("seat",), facts))
    return found.player


def _seat_of(table: _Table, player: int) -> int | None:
    """Return the seat that a player had last at a table."""
    own = [seat.number for seat in table.seats]
    there = [run for seat in own if (run := holder(table.runs, seat)) and run.player == player]
    return there[0].seat if there else None


def _named(player: Player, table: _Table) -> dict[str, int | str]:
    return {
        "player": player.name,
        "player_id": player.player_id,
        "table": table.game.table.number,
        "code": table.code,
        "round": table.game.table.round.number,
    }


def _require_free(player: Player, table: _Table, other: _Table | None, here: int | None) -> None:
    if here is not None:
        facts = {**_named(player, table), "seat": here}
        raise Conflict(Problem("player_sits_here", ("player",), facts))
    if other is not None:
        raise Conflict(Problem("player_already_seated", ("player",), _named(player, other)))


# --- what becomes of it ---------------------------------------------------------------------


def _first_there(other: _Table, wanted: PlayerChange) -> int:
    """Return from which hand on people change at the other table: all, or the next one."""
    return 1 if wanted.from_hand == 1 else other.next_hand()


def _plan_swap(
    table: _Table,
    other: _Table | None,
    wanted: PlayerChange,
    old: int,
    player: Player,
    here: int | None,
) -> None:
    first = wanted.from_hand
    if here is not None:
        if wanted.hands == "remap":
            _exchange(table, wanted.seat, here, first)
            table.after = exchange_seats(table.runs, wanted.seat, here, first)
        else:
            seats = (wanted.seat, here)
            _require_whole_totals(table, first)
            table.after = exchange_people(table.runs, seats, first, old, player.pk)
        return
    if other is None:
        raise Refused(Problem("nobody_to_swap", ("player",), _named(player, table)))
    there = _seat_of(other, player.pk)
    if there is None:
        raise Conflict(Problem("seating_outdated", facts={"table": other.code}))
    for one, seat, begin, leaves, comes in (
        (table, wanted.seat, first, old, player.pk),
        (other, there, _first_there(other, wanted), player.pk, old),
    ):
        _put(one, seat, begin, leaves, comes, wanted)


def _plan_replacing(table: _Table, wanted: PlayerChange, old: int, player: Player) -> None:
    _put(table, wanted.seat, wanted.from_hand, old, player.pk, wanted)


def _put(
    table: _Table, seat: int, first: int, leaves: int, comes: int, wanted: PlayerChange
) -> None:
    """Put somebody from elsewhere into a seat; with `remap` whoever leaves keeps their scores."""
    if wanted.hands == "remap":
        if table.has_totals:
            raise Refused(Problem("totals_not_divided", ("hands",), {"table": table.code}))
        first = max(first, table.next_hand())
    else:
        _require_whole_totals(table, first)
    table.after = replace_person(
        table.runs, seat, first, leaves, comes, is_substitute=wanted.act == "substitute"
    )


def _require_whole_totals(table: _Table, first: int) -> None:
    """Refuse to divide a sheet with totals only at a hand: nobody knows what was scored by then."""
    if table.has_totals and first > 1:
        raise Refused(Problem("totals_not_divided", ("from_hand",), {"table": table.code}))


def _exchange(table: _Table, one: int, other: int, first: int) -> None:
    """Have the scores of two seats follow their people, from hand `first` on."""
    if table.has_totals and first > 1:
        raise Refused(Problem("totals_not_divided", ("from_hand",), {"table": table.code}))
    table.exchanged = (one, other)
    sides = teams_of(table.seats, rules_of(table.game.snapshot)) or ()
    for hand in table.hands:
        if hand.entry is None or (hand.number != TOTALS and hand.number < first):
            continue
        try:
            entry = exchanged(
                hand.entry.typed, one - 1, other - 1, seats=len(table.seats), sides=sides
            )
        except NotBySeat as whole:
            raise Refused(replace(whole.problem, at=("hands",))) from whole
        if entry != hand.entry.typed:
            table.revised.append((hand, entry))


def _require_sides(event: Event, tables: Iterable[_Table], is_answered: bool) -> None:
    for table in tables:
        last = {run.seat: run.player for run in sorted(table.after, key=lambda run: run.first)}
        people = {one.pk: one for one in Player.objects.filter(pk__in=last.values())}
        seated = [people.get(last.get(seat.number, 0)) for seat in table.seats]
        rules = rules_of(table.game.snapshot)
        require_whole_sides(event, rules, seated, is_answered=is_answered)


def _require_nobody_elsewhere(table: _Table, others: Iterable[_Table]) -> None:
    """Let nobody come back who sits at another table of the round by now."""
    open_ones = [run.player for run in table.after if run.last is None]
    known = [one.game.table_id for one in others]
    rows = Sitting.objects.filter(
        round=table.game.table.round_id, player__in=open_ones, to_hand__isnull=True
    )
    there = rows.exclude(seat__table__in=known).exclude(keeps_nobody())
    found = there.select_related("player", "seat__table__round").order_by("pk").first()
    if found is not None:
        facts: dict[str, int | str] = {
            "player": found.player.name,
            "player_id": found.player.player_id,
            "table": found.seat.table.number,
            "code": found.seat.table.code,
            "round": found.seat.table.round.number,
        }
        raise Conflict(Problem("player_already_seated", ("player",), facts))


# --- doing it -------------------------------------------------------------------------------


def _done(
    actor: Actor,
    role: str,
    event: Event,
    tables: Mapping[int, _Table],
    facts: Mapping[str, Any],
    reason: str,
    now: datetime,
) -> PlayersAfter:
    """Store what was planned, count it, and say so."""
    in_order = [tables[pk] for pk in sorted(tables)]
    changed = [one for one in in_order if one.after != one.runs or one.revised or one.gone]
    for one in in_order:
        _require_one_seat(one)
        _require_challengers(one)
    back = _ids_of_rows(in_order)
    known = Player.objects.filter(pk__in=back)
    entrants = {one.pk: entrant_for(event=event, player=one) for one in known.order_by("pk")}
    free = {run.player for one in in_order for run in one.after if run.last is None}
    leave_abandoned([in_order[0].game.table.round_id], free)
    Sitting.objects.filter(seat__table__in=[one.game.table_id for one in in_order]).delete()
    for one in in_order:
        _store_runs(one)
        _store_hands(one, actor, reason, now)
    _settle(event, in_order, {one.pk for one in entrants.values()})
    version = mark_changed(event=event, now=now)
    told = {
        **facts,
        "seats": next((list(one.exchanged) for one in in_order if one.exchanged), None),
        "moves": [move for one in in_order for move in _moves(one, back)],
        "before": {one.code: _as_stored(one.runs, back) for one in in_order},
        "after": {one.code: _as_stored(joined(one.after), back) for one in in_order},
        "gone": {one.code: [[hand.number, hand.revision] for hand in one.gone] for one in in_order},
        "played": {
            one.code: [hand.number for hand in one.hands if hand.state == "accepted"]
            for one in in_order
        },
        "revised": {one.code: [hand.number for hand, _ in one.revised] for one in in_order},
        "back": {one.code: [hand.number for hand in one.back] for one in in_order},
    }
    lines = [
        note_change(
            event=event,
            version=version,
            kind=CHANGE_KIND,
            by=role,
            now=now,
            table=one.code,
            reason=reason,
            facts=told,
        )
        for one in changed or in_order
    ]
    append_audit(
        club=event.club,
        actor=actor,
        act=CHANGE_KIND,
        subject=f"event:{event.slug}/table:{(changed or in_order)[0].code}",
        facts={**told, "reason": reason.strip()},
        now=now,
    )
    return PlayersAfter(tuple(one.code for one in in_order), lines[0].pk, version)


def _require_one_seat(table: _Table) -> None:
    found = in_two_seats(table.after)
    if found is not None:
        player, first, second = found
        name = Player.objects.values_list("name", flat=True).get(pk=player)
        facts = {"player": name, "table": table.game.table.number, "seats": f"{first}, {second}"}
        raise Conflict(Problem("player_in_two_seats", ("player",), facts))


def _require_challengers(table: _Table) -> None:
    """Let the two of a challenge sit at the table of its game."""
    challenge = Challenge.objects.filter(game=table.game).first()
    if challenge is None:
        return
    both = (challenge.challenger_id, challenge.challenged_id)
    members = EntrantMember.objects.filter(entrant__in=both)
    there = set(members.filter(player__in=[run.player for run in table.after]).values_list(
        "entrant_id", flat=True))  # fmt: skip
    if there != set(both):
        facts = {"table": table.game.table.number, "number": challenge.number}
        raise Conflict(Problem("challenge_needs_players", ("player",), facts))


def _store_runs(table: _Table) -> None:
    seats = {seat.number: seat.pk for seat in table.seats}
    table.after = joined(table.after)
    Sitting.objects.bulk_create(
        [
            Sitting(
                club_id=table.game.club_id,
                seat_id=seats[run.seat],
                round_id=table.game.table.round_id,
                player_id=run.player,
                substitute_for_id=run.substitute_for,
                from_hand=run.first,
                to_hand=run.last,
            )
            for run in table.after
        ]
    )


def _store_hands(table: _Table, actor: Actor, reason: str, now: datetime) -> None:
    """Write the revisions of hands whose scores change seats, and delete or restore the others."""
    for hand, entry in table.revised:
        _revise(hand, entry, hand.state, actor, reason, now)
    for hand in table.back:
        if hand.entry is not None and hand not in [one for one, _ in table.revised]:
            _revise(hand, hand.entry.typed, "accepted", actor, reason, now)
    if table.gone:
        Hand.objects.filter(pk__in=[hand.pk for hand in table.gone]).update(state="void")
        is_whole = any(hand.number == TOTALS for hand in table.gone)
        if is_whole and table.game.state in ("complete", "checked"):
            table.game.state = "playing"  # its totals had ended it
            Game.objects.filter(pk=table.game.pk).update(state="playing")


def _revise(
    hand: Hand, entry: Mapping[str, Any], state: str, actor: Actor, reason: str, now: datetime
) -> None:
    before = hand.entry
    assert before is not None  # noqa: S101 - what has no entry is not revised
    hand.revision, hand.state = hand.revision + 1, state
    row = Entry(
        club_id=hand.club_id,
        revision=hand.revision,
        form=before.form,
        typed=dict(entry),
        verified=before.verified,
        reason=reason.strip(),
        source=Source.HOST,
        entered_by_id=actor.user_id,
        entered_as=actor.name,
        entered_at=now,
    )
    insert_revision(hand, row)


def _settle(event: Event, tables: Sequence[_Table], entrants: set[int]) -> None:
    """Count the games anew; the sums of everybody are locked before one of them is written."""
    games = [one.game.pk for one in tables]
    there = Contribution.objects.filter(game__in=games).values_list("entrant_id", flat=True)
    hold(event, sorted(entrants | set(there)), make=True)
    for one in tables:
        try:
            settle_game(game=one.game, rules=rules_of(one.game.snapshot), seats=one.seats)
        except HandRefused as refused:
            facts = {
                "number": refused.number,
                "table": one.game.table.number,
                "why": refused.problems[0].message,
            }
            raise Conflict(Problem("hand_refuses_seats", ("hands",), facts)) from refused


# --- how the change log keeps it ------------------------------------------------------------


def _ids_of_rows(tables: Iterable[_Table]) -> dict[int, str]:
    """Return the ids of all players of these tables, by their rows."""
    runs = [run for one in tables for run in (*one.runs, *one.after)]
    rows = {run.player for run in runs} | {
        run.substitute_for for run in runs if run.substitute_for is not None
    }
    return dict(Player.objects.filter(pk__in=rows).values_list("pk", "player_id"))


def _as_stored(runs: Iterable[SeatRun], ids: Mapping[int, str]) -> list[list[int | str | None]]:
    return [
        [
            run.seat,
            ids[run.player],
            run.first,
            run.last,
            ids[run.substitute_for] if run.substitute_for is not None else None,
        ]
        for run in runs
    ]


def _as_run(stored: Sequence[Any], rows: Mapping[str, int]) -> SeatRun:
    seat, player, first, last, instead = stored
    return SeatRun(seat, rows[player], first, last, rows[instead] if instead else None)


@dataclass(frozen=True, slots=True)
class _Ids:
    rows: Mapping[str, int]
    back: Mapping[int, str]


def _ids(event: Event, told: Mapping[str, Any]) -> _Ids:
    """Return the players that a line of the change log names, both ways.

    Raises:
        Conflict: seats_moved_on, where one of them has another id by now.
    """
    runs = [run for side in ("before", "after") for own in told[side].values() for run in own]
    wanted = {run[1] for run in runs} | {run[4] for run in runs if run[4]}
    found = Player.objects.filter(club_id=event.club_id, player_id__in=wanted)
    rows = dict(found.values_list("player_id", "pk"))
    if set(rows) != wanted:
        raise Conflict(Problem("seats_moved_on", facts={"table": next(iter(told["after"]))}))
    return _Ids(rows, {pk: code for code, pk in rows.items()} | _everybody(event))


def _everybody(event: Event) -> dict[int, str]:
    sat = Player.objects.filter(sittings__seat__table__event=event)
    return dict(sat.values_list("pk", "player_id"))


def _moves(table: _Table, ids: Mapping[int, str]) -> list[dict[str, int | str | None]]:
    """Return for each seat that somebody else has now: who had it, and who has it."""
    found: list[dict[str, int | str | None]] = []
    for seat in table.seats:
        before, after = holder(table.runs, seat.number), holder(table.after, seat.number)
        if before is not None and after is not None and before != after:
            found.append(
                {
                    "table": table.code,
                    "seat": seat.number,
                    "from": ids[before.player],
                    "to": ids[after.player],
                    "from_hand": after.first,
                }
            )
    return found
