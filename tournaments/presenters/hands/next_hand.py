"""A hand before it is entered: whose deal it is, and what each settlement of a moon would give.

Reads only. It stands among the services because the rules must be asked, and only services may
ask the engine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.entry.entry import StoredEntry
from scoring.errors import Problem
from scoring.numbers import score_json
from scoring.rules.dealing import pass_of, passing_ring
from tournaments.domain.event_settings import settings_at
from tournaments.domain.replay_game import HandRefused, replay
from tournaments.domain.score_budgets import of_a_hand
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Seat
from tournaments.services.hands.apply_game import hands_that_count, teams_of
from tournaments.services.rules.rule_sets import rules_of


@dataclass(frozen=True, slots=True)
class HandAhead:
    """A hand's place in its game: the dealer's seat from 1, how cards are passed, out of how many.

    `of` is None where the game has no fixed number of hands. `ring` is how cards are passed from
    the first hand on, until it begins anew.
    """

    number: int
    dealer: int
    passing: str | None
    of: int | None
    ring: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settlement:
    """One way to settle a slam: what each seat would be booked, and its total after that."""

    choice: str
    by: tuple[int, ...]
    scores: tuple[int | str | list[int | str], ...]
    totals: tuple[int | str | list[int | str], ...]


def hand_ahead(game: Game, number: int) -> HandAhead:
    """Return the place of hand `number`: the deal goes clockwise from the first seat."""
    passing = rules_of(game.snapshot).keys.play.passing
    seats = Seat.objects.filter(table_id=game.table_id).count()
    return HandAhead(
        number=number,
        dealer=(number - 1) % seats + 1,
        passing=pass_of(passing, seats, number),
        of=settings_at(game).hands,
        ring=passing_ring(passing, seats),
    )


def next_number(game: Game) -> int:
    """Return the number after the last hand on the sheet, whatever its state."""
    last = Hand.objects.filter(game=game).order_by("-number").first()
    return last.number + 1 if last else 1


def settlements(
    game: Game, number: int, entry: Mapping[str, object], problem: Problem
) -> Sequence[Settlement]:
    """Return the legal settlements that a `choice_required` problem lists, each played to its end.

    The totals are those of the game with the hands before this one; nothing is stored.
    """
    rules = rules_of(game.snapshot)
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    before = [
        (hand.number, StoredEntry(hand.entry.typed))
        for hand in hands_that_count(game)
        if hand.entry is not None and hand.number < number
    ]
    found = []
    for hint in problem.suggestions:
        if hint.code != "settle" or not hint.facts.get("choice"):
            continue
        choice = str(hint.facts["choice"])
        try:
            played = replay(
                rules,
                len(seats),
                [*before, (number, {**entry, "slam_choice": choice})],
                teams=teams_of(seats, rules),
                chips=settings_at(game).start_totals,
                open_ended=settings_at(game).is_open_ended,
                new={number: of_a_hand()},
            )
        except HandRefused:  # one more thing is wrong with it; the choice is asked for later
            continue
        last = played.hands[-1]
        found.append(
            Settlement(
                choice=choice,
                by=tuple(seat + 1 for seat in hint.facts["by"]),
                scores=tuple(score_json(score) for score in last.score.seat_scores),
                totals=tuple(score_json(total) for total in last.totals),
            )
        )
    return tuple(found)
