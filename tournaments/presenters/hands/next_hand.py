"""A hand before it is entered: whose deal it is, and what each settlement of a moon would give.

Reads only. It stands among the services because the rules must be asked, and only services may
ask the engine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.errors import Problem
from scoring.numbers import ScoreJson, score_json
from scoring.rules.dealing import pass_of, passing_ring
from tournaments.domain.replay_game import HandRefused, replay_game
from tournaments.models.hands import Game
from tournaments.models.meetings import Seat
from tournaments.selectors.hands.score_sheet import pass_in_words
from tournaments.selectors.rounds.game_length import hands_of_game
from tournaments.services.hands.apply_game import counted_hands, entries_of
from tournaments.services.rules.rule_sets import rules_of


@dataclass(frozen=True, slots=True)
class HandAhead:
    """A hand's place in its game: the dealer's seat from 1, how cards are passed, out of how many.

    `of` is None where the game has no fixed number of hands. `ring` is how cards are passed from
    the first hand on, until it begins anew; both are in words.
    """

    number: int
    dealer: int
    passing: str
    of: int | None
    ring: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settlement:
    """One way to settle a slam: what each seat would be booked, and its total after that."""

    choice: str
    by: tuple[int, ...]
    scores: tuple[ScoreJson, ...]
    totals: tuple[ScoreJson, ...]


def hand_ahead(game: Game, number: int, seats: int) -> HandAhead:
    """Return the place of hand `number`: the deal goes clockwise from the first of `seats`."""
    play = rules_of(game.snapshot).keys.play
    return HandAhead(
        number=number,
        dealer=(number - 1) % seats + 1,
        passing=pass_in_words(play, seats, pass_of(play, seats, number)),
        of=hands_of_game(game),
        ring=tuple(pass_in_words(play, seats, way) for way in passing_ring(play, seats)),
    )


def settlements(
    game: Game, number: int, entry: Mapping[str, object], problem: Problem
) -> Sequence[Settlement]:
    """Return the legal settlements that a `choice_required` problem lists, each played to its end.

    The totals are those of the game with the hands before this one; nothing is stored.
    """
    rules = rules_of(game.snapshot)
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    counted = counted_hands(game.hands.filter(number__lt=number).select_related("entry"))
    before = entries_of(counted)
    found = []
    for hint in problem.suggestions:
        if hint.code != "settle" or not hint.facts.get("choice"):
            continue
        choice = str(hint.facts["choice"])
        try:
            entries = [*before, (number, {**entry, "slam_choice": choice})]
            played = replay_game(game=game, rules=rules, seats=seats, entries=entries, new=number)
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
