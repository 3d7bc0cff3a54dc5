"""Moves a challenge from state to state: its row, deadline, game and the mails about it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Max

from scoring.errors import Problem, Refused
from scoring.ladders.absence_and_deadlines import local_day
from scoring.ladders.challenges import due_at, is_win, result_problems, winner
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Missing
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.ladders import Challenge, StepKind
from tournaments.models.meetings import Round
from tournaments.models.outbox import CHALLENGE_DEADLINE, Deadline
from tournaments.policy import Actor
from tournaments.selectors.events.entrants import accounts_of_entrants
from tournaments.selectors.ladders.challenges import scoring_challenge
from tournaments.selectors.ladders.log import UNFINISHED, places_at, winner_at
from tournaments.selectors.rounds.round_seating import snapshot_for
from tournaments.services.db.locks import lock_game
from tournaments.services.events.deadlines import (
    CHALLENGE_REMINDER,
    REMINDED_BEFORE,
    set_challenge_deadlines,
)
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.hands.void_hand import empty_hands
from tournaments.services.jobs.enqueue import DeadlineOutcome, set_deadline
from tournaments.services.ladders.log import add_step
from tournaments.services.ladders.transaction import LadderTransaction
from tournaments.services.notices.notifications import notify
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import place_table
from tournaments.states import CHALLENGE, find_move

TOLD: Final = frozenset(
    {"declined", "expired", "withdrawn", "forfeited_c", "forfeited_d", "cancelled"}
)
"""Ends of a challenge that the two are told of; so they are when it is accepted."""


def notify_of_challenge(work: LadderTransaction, row: Challenge) -> None:
    """Tell the challenged that there is a challenge."""
    work.report(row.number, row.state)
    _tell(work, row, {row.challenged_id}, "challenge_received", str(row.pk))


def notify_of_move(work: LadderTransaction, row: Challenge, was: str) -> None:
    """Tell the two, but not who did it, what a challenge came to."""
    work.report(row.number, row.state)
    both = {row.challenger_id, row.challenged_id}
    if row.state in TOLD or (was, row.state) == ("issued", "accepted"):
        key = f"{row.pk}:{row.state}"
        _tell(work, row, both, "challenge_answered", key, to=row.state)
    if row.state == "played" and row.played_at is not None:
        key = f"{row.pk}:{row.played_at:%Y%m%d%H%M%S}"
        _tell(work, row, _loser(row), "result_to_confirm", key)


def run_challenge_reminder(event: Event, deadline: Deadline, now: datetime) -> DeadlineOutcome:
    """Tell whom a challenge waits for that its deadline is near, once for each deadline."""
    rows = Challenge.objects.select_related("challenger", "challenged")
    row = rows.filter(event=event, number=int(deadline.key)).first()
    if row is None or event.state != "open" or row.state not in ("issued", "accepted"):
        return DeadlineOutcome(None)
    due = due_at(scoring_challenge(row), ZoneInfo(event.club.time_zone), ladder_rules_of(event))
    if due is None or due <= now:
        return DeadlineOutcome(None)
    if due - REMINDED_BEFORE > now:
        return DeadlineOutcome(due - REMINDED_BEFORE)
    asked = {row.challenged_id} | ({row.challenger_id} if row.state == "accepted" else set())
    notify(
        club=event.club,
        user_ids=accounts_of_entrants(asked),
        kind="challenge_deadline",
        key=f"{row.pk}:{row.state}:{due:%Y%m%d}",
        facts={"challenge": row.pk, "state": row.state},
        now=now,
    )
    return DeadlineOutcome(None, row.state)


def _loser(row: Challenge) -> set[int]:
    """Return the entrant who has to confirm a result; none where it cannot be told."""
    places = places_at(row.game) if row.game is not None else {}
    codes = {row.challenger.code: row.challenger_id, row.challenged.code: row.challenged_id}
    if not codes.keys() <= places.keys():
        return set()
    won = winner(row.challenger.code, row.challenged.code, places)
    return {entrant for code, entrant in codes.items() if code != won}


def _tell(
    work: LadderTransaction, row: Challenge, entrants: set[int], kind: str, key: str, **more: str
) -> None:
    notify(
        club=work.event.club,
        user_ids=accounts_of_entrants(entrants) - {work.actor.user_id},
        kind=kind,
        key=key,
        facts={"challenge": row.pk, **more},
        now=work.now,
    )


KEY: Final = "challenge:"
"""Begins the key of the entry that a result made, so that it is known again."""


def finished_game(work: LadderTransaction, row: Challenge, code: str, by: str | None) -> Game:
    """Return the game at a table as that of a challenge."""
    games = Game.objects.select_related("table__round__meeting").filter(event=work.event)
    game = games.filter(table__code=code, counts=True).first()
    if game is None:
        raise Missing("table", {"table": code[:40]})
    places = places_at(game)
    problems = []
    if game.state in UNFINISHED or not places:
        problems.append(Problem("challenge_game_open", ("table",), {"table": code}))
    other = Challenge.objects.filter(game=game).exclude(pk=row.pk).first()
    if other is not None:
        facts: dict[str, int | str] = {"table": code, "number": other.number}
        problems.append(Problem("challenge_game_taken", ("table",), facts))
    meeting, sent = game.table.round.meeting, local_day(row.issued_at, work.zone)
    if meeting is not None and meeting.date < sent:
        facts = {"table": code, "found": meeting.date.isoformat(), "sent": sent.isoformat()}
        problems.append(Problem("challenge_game_early", ("table",), facts))
    if places:
        problems.extend(result_problems(scoring_challenge(row), list(places), by))
    if problems:
        raise Refused(*problems)
    return game


def game_from_totals(
    work: LadderTransaction,
    row: Challenge,
    points: Mapping[str, object],
    on: date | None,
    by: str | None,
    source: str,
) -> Game:
    """Make a table of its own round from everybody's totals, and end it.

    Args:
        points: totals by player id, in the order in which they sat.
        on: the local day, today where not given.
    """
    day = on or work.today
    sent = local_day(row.issued_at, work.zone)
    if not sent <= day <= work.today:
        facts = {
            "found": day.isoformat(),
            "first": sent.isoformat(),
            "last": work.today.isoformat(),
        }
        raise Refused(Problem("challenge_bad_day", ("played_on",), facts))
    seated = _seated(work, row, points, by)
    number = (Round.objects.filter(event=work.event).aggregate(n=Max("number"))["n"] or 0) + 1
    snapshot = snapshot_for(work.event, number)
    game = place_table(
        event=work.event, snapshot=snapshot, round_number=number, players=seated, on=day
    )
    trusted = _trusted(work.actor)
    record_totals(
        actor=trusted,
        game=game,
        entry={"points": list(points.values())},
        hands=None,
        key=f"{KEY}{row.number}",
        source=source,
        now=work.now,
    )
    game = Game.objects.select_related("table__round").get(pk=game.pk)
    if game.state == "playing":
        move_game(actor=trusted, game=game, to="complete", now=work.now)
    move_round(actor=trusted, round_=game.table.round, to="closed", now=work.now)
    return game


def void_totals_game(work: LadderTransaction, row: Challenge) -> None:
    """Make a game that was entered as the result of a challenge not count: it was wrong."""
    if row.game is None:
        return
    key = f"{KEY}{row.number}"
    entries = Entry.objects.filter(hand__game=row.game, hand__number=TOTALS, key=key)
    if not entries.exists():
        work.replay_anew()  # as a table of its own it counts again
        return
    game = lock_game(row.game)
    hands = list(Hand.objects.filter(game=game, state="accepted").order_by("number"))
    empty_hands(game, hands)
    Game.objects.filter(pk=game.pk).update(state="abandoned")
    for hand in hands:
        facts = {"revision": hand.revision, "reason": ""}
        work.audit("void_hand", f"table:{game.table.code}/hand:{hand.number}", **facts)
    work.tell("void_result", challenge=row.number, table=game.table.code)


def _seated(
    work: LadderTransaction, row: Challenge, points: Mapping[str, object], by: str | None
) -> list[Player]:
    """Return who sat at the table, in the order typed: members of the ladder."""
    known = {
        player.player_id: player
        for player in Player.objects.filter(club_id=work.event.club_id, player_id__in=list(points))
    }
    if missing := [point for point in points if point not in known]:
        raise Refused(
            *(Problem("unknown_player", ("points", one), {"player": one}) for one in missing)
        )
    members = EntrantMember.objects.filter(event=work.event, player__in=known.values())
    codes = dict(members.values_list("player__player_id", "entrant__code"))
    ladder = work.ladder()
    problems = [
        Problem("not_on_ladder", ("points", point), {"member": point})
        for point in points
        if point not in codes or ladder.place(codes[point]) is None
    ]
    problems.extend(result_problems(scoring_challenge(row), list(codes.values()), by))
    if problems:
        raise Refused(*problems)
    return [known[point] for point in points]


def _trusted(actor: Actor) -> Actor:
    """Return the actor as one who may write the sheet: the rights of the result were asked."""
    return replace(actor, is_site_admin=True, scope="", club_id=None)


ENDS: Final = frozenset(
    {"confirmed", "declined", "expired", "withdrawn", "forfeited_c", "forfeited_d", "cancelled"}
)
"""States in which nothing is waited for any more; what is confirmed may still be deleted."""


def move_challenge(
    work: LadderTransaction,
    row: Challenge,
    to: str,
    *,
    at: datetime | None = None,
    confirmed_as: str = "",
    reason: str = "",
) -> None:
    """Take a challenge to the state `to`, and do all that follows from it.

    Args:
        at: when it happened, `work.now` where not given. A moment before the one that the
            challenge waits since (a clock stepped back) counts as that one, so that nothing ever
            took less than no time.
        confirmed_as: who confirmed the result.
    """
    was = row.state
    find_move(CHALLENGE, was, to)
    moment = max([at or work.now, *_moments(row)])
    row.state = to
    if to == "accepted":
        # Withdrawn: the two have the whole time again, or a false result would run it out.
        row.accepted_at, row.played_at, row.game = moment, None, None
    elif to == "played":
        row.played_at = moment
    elif to in ENDS:
        row.closed_at = moment
    row.cancel_asked_by = None
    if to == "confirmed":
        row.confirmed_as = confirmed_as
        row.confirmed_by_id = work.actor.user_id
        row.confirmed_name = work.actor.name[:120] if work.actor.user_id is not None else ""
    row.save()
    schedule_challenge_deadline(work, row)
    notify_of_move(work, row, was)
    _step(work, row, reason)
    work.audit(
        "move_challenge", f"challenge:{row.number}", **{"from": was, "to": to, "reason": reason}
    )


def schedule_challenge_deadline(work: LadderTransaction, row: Challenge) -> None:
    """Put the deadline of a challenge where its state and its moments say that it is."""
    due = due_at(scoring_challenge(row), work.zone, work.rules)
    if due is None and work.by == "clock":
        deadlines = Deadline.objects.filter(event=work.event, kind=CHALLENGE_DEADLINE)
        there = deadlines.filter(key=str(row.number))
        there.update(done_at=work.now, ran_at=work.now, outcome=row.state)
        set_deadline(work.event, CHALLENGE_REMINDER, None, key=str(row.number))
        return
    set_challenge_deadlines(work.event, row, due)


def _moments(row: Challenge) -> list[datetime]:
    return [at for at in (row.issued_at, row.accepted_at, row.played_at) if at is not None]


def _step(work: LadderTransaction, row: Challenge, reason: str) -> None:
    """Say on the ladder what counts, where it counts: positions are read at this moment."""
    facts: dict[str, object] = {"challenge": row.number, "to": row.state}
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
    theirs = Challenge.objects.filter(event=work.event, challenged=row.challenged).exclude(
        pk=row.pk
    )
    closed = theirs.filter(closed_at__isnull=False).select_related("challenger", "challenged")
    earlier = [scoring_challenge(one) for one in closed.order_by("number")]
    return is_win(scoring_challenge(row), earlier, work.zone, work.rules)
