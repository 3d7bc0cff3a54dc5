"""Move a challenge from state to state: its row, its deadline, its game and the mails about it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

from scoring.errors import Problem, Refused
from scoring.ladders.challenges import due_at, is_win, result_problems
from scoring.ladders.rules import local_day
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import first_or_missing, refuse_any
from tournaments.models.clubs import Membership, Player, Role
from tournaments.models.events import Entrant, EntrantMember, Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.jobs import CHALLENGE_DEADLINE, CHALLENGE_REMINDER, Deadline
from tournaments.models.ladders import Challenge, StepKind
from tournaments.models.standings import Contribution
from tournaments.selectors.events.entrants import recipients_of_entrants
from tournaments.selectors.ladders.challenges import between, scoring_challenge
from tournaments.selectors.ladders.log import UNFINISHED, places_at, side_ahead, winner_at
from tournaments.selectors.rounds.round_seating import next_round_number, snapshot_for
from tournaments.services.db.locks import lock_game
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.hands.void_hand import empty_hands
from tournaments.services.jobs.enqueue import DeadlineOutcome, set_deadline
from tournaments.services.jobs.schedule import (
    REMINDED_BEFORE,
    set_challenge_deadlines,
)
from tournaments.services.ladders.ask_to_confirm import ask_loser
from tournaments.services.ladders.log import add_step
from tournaments.services.ladders.transaction import LadderTransaction
from tournaments.services.notices.notifications import notify, without_actor
from tournaments.services.operations import Operation
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import place_table
from tournaments.states import CHALLENGE, find_move

NOTIFIED_ENDS: Final = frozenset(
    {"declined", "expired", "withdrawn", "forfeited_c", "forfeited_d", "cancelled", "void"}
)
"""Ends of a challenge that both members are notified of, as of its acceptance."""
ENDS: Final = (NOTIFIED_ENDS - {"void"}) | {"confirmed"}
"""States without a next step; a confirmed result may still be voided."""

KEY: Final = "challenge:"
"""The prefix of the key of a result's entry."""


def notify_of_challenge(work: LadderTransaction, row: Challenge) -> None:
    work.report(row.number, row.state)
    _notify(work, row, {row.challenged_id}, "challenge_received", str(row.pk))


def notify_of_move(
    work: LadderTransaction, row: Challenge, before: str, reason: str, left: Entrant | None
) -> None:
    work.report(row.number, row.state)
    pair = {row.challenger_id, row.challenged_id}
    if row.state in NOTIFIED_ENDS or (before, row.state) == ("issued", "accepted"):
        facts = {"to": row.state, "left": left.code if left else "", "reason": reason}
        _notify(work, row, pair, "challenge_answered", f"{row.pk}:{row.state}", **facts)
    if row.state == "played":
        ask_loser(work.event, row, actor=work.op.actor, now=work.now)


def notify_of_result(
    work: LadderTransaction, row: Challenge, to: str, *, by: str, key: str, dispute: int = 0
) -> None:
    """Tell the two of a challenge and the directors that its result is disputed or withdrawn.

    Args:
        to: `disputed` or `withdrawn_result`, which is no state of a challenge.
        by: the code of the side that did so, empty for anybody else.
        dispute: the row of the dispute.
    """
    directors = Membership.objects.filter(
        club=work.event.club_id, role__in=(Role.DIRECTOR, Role.OWNER)
    )
    to_sides = recipients_of_entrants({row.challenger_id, row.challenged_id})
    accounts = to_sides.accounts | set(directors.values_list("user_id", flat=True))
    notify(
        club=work.event.club,
        to=without_actor(to_sides._replace(accounts=accounts), work.op.actor),
        kind="challenge_answered",
        key=f"{row.pk}:{key}",
        facts={"challenge": row.pk, "to": to, "by": by, "dispute": dispute},
        now=work.now,
    )


def run_challenge_reminder(event: Event, deadline: Deadline, now: datetime) -> DeadlineOutcome:
    """Remind the members that a challenge waits for of its deadline, once for each deadline."""
    rows = Challenge.objects.select_related("challenger", "challenged")
    row = rows.filter(event=event, number=int(deadline.key)).first()
    if row is None or not event.is_open or row.state not in ("issued", "accepted"):
        return DeadlineOutcome(None)
    due = due_at(scoring_challenge(row), event.club.zone, ladder_rules_of(event))
    if due is None or due <= now:
        return DeadlineOutcome(None)
    if due - REMINDED_BEFORE > now:
        return DeadlineOutcome(due - REMINDED_BEFORE)
    entrants = {row.challenged_id} | ({row.challenger_id} if row.state == "accepted" else set())
    notify(
        club=event.club,
        to=recipients_of_entrants(entrants),
        kind="challenge_deadline",
        key=f"{row.pk}:{row.state}:{due:%Y%m%d}",
        facts={"challenge": row.pk, "state": row.state},
        now=now,
    )
    return DeadlineOutcome(None, row.state)


def _notify(
    work: LadderTransaction, row: Challenge, entrants: set[int], kind: str, key: str, **more: str
) -> None:
    notify(
        club=work.event.club,
        to=without_actor(recipients_of_entrants(entrants), work.op.actor),
        kind=kind,
        key=key,
        facts={"challenge": row.pk, **more},
        now=work.now,
    )


def finished_game(work: LadderTransaction, row: Challenge, code: str, by: str | None) -> Game:
    games = Game.objects.select_related("table__round__meeting").filter(event=work.event)
    game = first_or_missing(games.filter(table__code=code, counts=True), "table", table=code[:40])
    places = places_at(game)
    problems = []
    if game.state in UNFINISHED or not places:
        problems.append(Problem("challenge_game_open", ("table",), {"table": code}))
    other = between(row).filter(game=game).exclude(pk=row.pk).first()
    if other is not None:
        facts = {"table": code, "number": other.number}
        problems.append(Problem("challenge_game_taken", ("table",), facts))
    meeting = game.table.round.meeting
    first = local_day(row.issued_at, work.zone)
    if meeting is not None and meeting.date < first:
        facts = {"table": code, "found": meeting.date.isoformat(), "sent": first.isoformat()}
        problems.append(Problem("challenge_game_early", ("table",), facts))
    if places:
        problems.extend(result_problems(scoring_challenge(row), list(places), by))
    refuse_any(problems)
    return game


def place_game(
    work: LadderTransaction,
    row: Challenge,
    points: Mapping[str, object],
    on: date | None,
    by: str | None,
) -> Game:
    """Create a table in a new round for a challenge.

    Args:
        points: totals by player id, in seat order.
        on: the local day; None: today.
    """
    day = on or work.today
    first = local_day(row.issued_at, work.zone)
    if not first <= day <= work.today:
        facts = {
            "found": day.isoformat(),
            "first": first.isoformat(),
            "last": work.today.isoformat(),
        }
        raise Refused(Problem("challenge_bad_day", ("played_on",), facts))
    players = _get_players(work, row, points, by)
    number = next_round_number(work.event)
    snapshot = snapshot_for(work.event, number)
    return place_table(
        event=work.event, snapshot=snapshot, round_number=number, players=players, on=day
    )


def finish_game(
    work: LadderTransaction, row: Challenge, game: Game, entry: Mapping[str, object], source: str
) -> Game:
    """Record the totals of all players at a new table, and finish it."""
    # The rights for the result were checked: they include the sheet.
    trusted = replace(work.op.actor, is_site_admin=True, scope="", club_id=None)
    record_totals(
        Operation(trusted, work.now),
        game,
        entry=entry,
        hands=None,
        key=f"{KEY}{row.number}",
        source=source,
    )
    game = Game.objects.select_related("table__round").get(pk=game.pk)
    if game.state == "playing":
        move_game(Operation(trusted, work.now), game, to="complete")
    move_round(Operation(trusted, work.now), game.table.round, to="closed")
    if same := _find_same_game(game):
        raise Refused(Problem("challenge_game_exists", ("table",), {"table": same}))
    return game


def _find_same_game(game: Game) -> str:
    results: dict[str, set[tuple[int, int]]] = defaultdict(set)
    rows = Contribution.objects.filter(
        event=game.event_id, games__gt=0, game__table__round__meeting=game.table.round.meeting_id
    )
    for code, *result in rows.values_list("game__table__code", "entrant_id", "points"):
        results[code].add((result[0], result[1]))
    table_results = results.pop(game.table.code)
    return next((code for code, same in sorted(results.items()) if same == table_results), "")


def withdraw_game(work: LadderTransaction, row: Challenge, reason: str) -> None:
    """Take a challenge's game from it; one of totals that were entered for it no longer counts."""
    if row.game is None:
        return
    work.tell("void_result", reason, challenge=row.number, table=row.game.table.code)
    if Challenge.objects.filter(game=row.game).exclude(pk=row.pk).exists():
        return  # the game of another challenge, too
    entries = Entry.objects.filter(hand__game=row.game, hand__number=TOTALS)
    if not entries.filter(key__startswith=KEY).exists():
        work.replay_anew()  # it counts again as an ordinary table
        return
    game = lock_game(row.game)
    hands = list(Hand.objects.filter(game=game, state="accepted").order_by("number"))
    empty_hands(game, hands)
    Game.objects.filter(pk=game.pk).update(state="abandoned")
    for hand in hands:
        facts = {"revision": hand.revision, "reason": ""}
        work.audit("void_hand", f"table:{game.table.code}/hand:{hand.number}", **facts)


def _get_players(
    work: LadderTransaction, row: Challenge, points: Mapping[str, object], by: str | None
) -> list[Player]:
    rows = Player.objects.filter(club_id=work.event.club_id, player_id__in=list(points))
    players = {player.player_id: player for player in rows}
    missing = [player_id for player_id in points if player_id not in players]
    if missing:
        raise Refused(
            *(Problem("unknown_player", ("points", code), {"player": code}) for code in missing)
        )
    members = EntrantMember.objects.filter(event=work.event, player__in=players.values())
    codes = dict(members.values_list("player__player_id", "entrant__code"))
    ladder = work.ladder()
    problems = [
        Problem("not_on_ladder", ("points", player_id), {"member": player_id})
        for player_id in points
        if player_id not in codes or ladder.place(codes[player_id]) is None
    ]
    problems.extend(result_problems(scoring_challenge(row), list(codes.values()), by))
    refuse_any(problems)
    return [players[player_id] for player_id in points]


def move_challenge(
    work: LadderTransaction,
    row: Challenge,
    to: str,
    *,
    at: datetime | None = None,
    confirmed_as: str = "",
    reason: str = "",
    left: Entrant | None = None,
) -> None:
    """Take a challenge to the state `to`, with all consequences.

    Args:
        at: the moment; None: `work.now`. A moment before the last one of the challenge (a clock
            was set back) counts as that one, so that no step takes negative time.
        confirmed_as: the part in which the result was confirmed.
        left: the one of the two who leaves the ladder, which ends the challenge.
    """
    before = row.state
    find_move(CHALLENGE, before, to)
    moments = (at or work.now, row.issued_at, row.accepted_at, row.played_at)
    moment = max(moment for moment in moments if moment is not None)
    row.state = to
    if to == "accepted":
        # After a withdrawn result the whole time starts again: a false one must not use it up.
        row.accepted_at = moment
        row.played_at = None
        row.game = None
        row.result_as = ""
        row.result_won_by = ""
    elif to == "played":
        row.played_at = moment
        row.result_won_by = side_ahead(row, places_at(row.game)) if row.game is not None else ""
    elif to in ENDS:
        row.closed_at = moment
    row.cancel_asked_by = None
    if to == "confirmed":
        row.confirmed_as = confirmed_as
        row.confirmed_by_id = work.op.actor.user_id
        row.confirmed_name = work.op.actor.name[:120] if work.op.actor.user_id is not None else ""
    row.save()
    schedule_challenge_deadline(work, row)
    notify_of_move(work, row, before, "" if left else reason, left)
    _add_step(work, row, reason)
    work.audit(
        "move_challenge", f"challenge:{row.number}", **{"from": before, "to": to, "reason": reason}
    )


def schedule_challenge_deadline(work: LadderTransaction, row: Challenge) -> None:
    due = due_at(scoring_challenge(row), work.zone, work.rules)
    if due is None and work.by == "clock":
        key = str(row.number)
        rows = Deadline.objects.filter(event=work.event, kind=CHALLENGE_DEADLINE, key=key)
        rows.update(done_at=work.now, ran_at=work.now, outcome=row.state)
        set_deadline(work.event, CHALLENGE_REMINDER, None, key=str(row.number))
        return
    set_challenge_deadlines(work.event, row, due)


def _add_step(work: LadderTransaction, row: Challenge, reason: str) -> None:
    """Add a challenge that counts to the log: positions are read at this moment."""
    facts = {"challenge": row.number, "to": row.state}
    if row.state == "void":
        work.replay_anew()
        work.tell("void_challenge", reason, **facts)
        return
    if row.closed_at is None or not _counts(work, row):
        return
    on = local_day(row.closed_at - timedelta(microseconds=1), work.zone)
    winner = winner_at(row, places_at(row.game)) if row.state == "confirmed" and row.game else None
    confirmed = {"winner": winner} if winner else {}
    add_step(work.event, StepKind.CHALLENGE, on=on, challenge=row, facts=confirmed)
    work.tell("challenge", reason, **facts)


def _counts(work: LadderTransaction, row: Challenge) -> bool:
    if row.state == "confirmed":
        return True
    others = Challenge.objects.filter(event=work.event, challenged=row.challenged)
    closed = others.exclude(pk=row.pk).filter(closed_at__isnull=False)
    closed = closed.select_related("challenger", "challenged").order_by("number")
    earlier = [scoring_challenge(challenge) for challenge in closed]
    return is_win(scoring_challenge(row), earlier, work.zone, work.rules)
