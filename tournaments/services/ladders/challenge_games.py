"""The table at which a challenge was played: one that is there, or one made from typed totals."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Final

from django.db.models import Max

from scoring.errors import Problem, Refused
from scoring.ladders.absence_and_deadlines import local_day
from scoring.ladders.challenges import result_problems
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Missing
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.ladders import Challenge
from tournaments.models.meetings import Round
from tournaments.models.standings import Contribution
from tournaments.policy import Actor
from tournaments.selectors.rounds.round_seating import snapshot_for
from tournaments.services.db.locks import lock_game
from tournaments.services.events.schedule_ladder_deadlines import scoring_challenge
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.hands.void_hand import empty_hands
from tournaments.services.ladders.log import UNFINISHED
from tournaments.services.ladders.transaction import LadderTransaction
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import place_table

KEY: Final = "challenge:"
"""Begins the key of the entry that a result made, so that it is known again."""


def places_at(game: Game) -> dict[str, int]:
    """Return each entrant's place in a game, from 1; nobody where it does not count (any more)."""
    rows = Contribution.objects.filter(game=game, games__gt=0).order_by("entrant__code")
    return dict(rows.values_list("entrant__code", "place"))


def finished_game(work: LadderTransaction, row: Challenge, code: str, by: str | None) -> Game:
    """Return the game at a table as that of a challenge.

    Raises:
        Missing: table.
        Refused: challenge_game_open, challenge_game_taken, challenge_game_early,
            challenge_stranger, challenge_player_missing.
    """
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

    Raises:
        Refused: challenge_bad_day, unknown_player, not_on_ladder, seat_count, challenge_stranger,
            challenge_player_missing and everything that the scorer finds.
        Conflict: as for any table.
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
    if missing := [one for one in points if one not in known]:
        raise Refused(
            *(Problem("unknown_player", ("points", one), {"player": one}) for one in missing)
        )
    members = EntrantMember.objects.filter(event=work.event, player__in=known.values())
    codes = dict(members.values_list("player__player_id", "entrant__code"))
    ladder = work.ladder()
    problems = [
        Problem("not_on_ladder", ("points", one), {"member": one})
        for one in points
        if one not in codes or ladder.place(codes[one]) is None
    ]
    problems.extend(result_problems(scoring_challenge(row), list(codes.values()), by))
    if problems:
        raise Refused(*problems)
    return [known[one] for one in points]


def _trusted(actor: Actor) -> Actor:
    """Return the actor as one who may write the sheet: the rights of the result were asked."""
    return replace(actor, is_site_admin=True, scope="", club_id=None)
