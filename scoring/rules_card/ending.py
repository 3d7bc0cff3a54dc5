"""Totals, the end of a game, and its winner, on a rules card.

Pure. See docs/rules-engine.md, "Rules cards", and docs/algorithms/scoring.md.
"""

from collections.abc import Iterator

from scoring.numbers import real
from scoring.rules.rules import Rules
from scoring.rules.types import Finish
from scoring.rules_card.wording import Section, Sentence, Text, joined, points, row, signed

_REACHES = {
    ">=": "when a total is {n} or more", ">": "when a total is more than {n}",
    "<=": "when a total is {n} or less", "<": "when a total is less than {n}",
    "==": "when a total is exactly {n}",
}  # fmt: skip
_SQUARE = {
    ">=": "{far}: a² + b² of a + bi is {n} or more", ">": "{far}: a² + b² of a + bi is above {n}",
    "<=": "{far}: a² + b² of a + bi is {n} or less", "<": "{far}: a² + b² of a + bi is below {n}",
    "==": "{far}: a² + b² of a + bi is {n}",
}  # fmt: skip
"""Complex totals are compared by their squares, without a root."""
_BEST = {
    "low": "The lowest total wins.",
    "high": "The highest total wins.",
    "abs_low": "The total nearest to 0 wins.",
}
_BEST_SIDE = {
    "low": "The side with the lowest sum of its totals wins.",
    "high": "The side with the highest sum of its totals wins.",
    "abs_low": "The side whose sum of totals is nearest to 0 wins.",
}
_WORST = {
    "low": "the highest single total",
    "high": "the lowest single total",
    "abs_low": "the single total farthest from 0",
}
_TIES = {
    "continue": "If the best are tied when the game would end, play goes on hand by hand.",
    "shared": "If the best are tied when the game ends, they share the win.",
    "playoff": "If the best are tied when the game ends, they play it off: hands go on at the "
    "table until one of them is ahead, and nobody else can win.",
}
_TIES_OF_SIDES = {
    "continue": "If both are equal, play goes on hand by hand.",
    "shared": "If both are equal, the sides share the win.",
    "playoff": "If both are equal, they play it off, hand by hand.",
}


def ending(rules: Rules, *, has_end: bool = True) -> Section:
    """The section on totals, the end of the game, the winner, and ties.

    Without `has_end` something else ends the game, and no total loses it.
    """
    keys = rules.keys
    rows = []
    if keys.running.floor is not None or keys.running.resets:
        rows.append(row("running", "Totals", *_running(rules)))
    if keys.lives is not None:
        costs = "A hand of {n} points or more costs one, points of a moon included."
        lives = (
            Sentence("Everybody begins with {n} lives.", n=keys.lives.start),
            Sentence(costs, n=points(keys.lives.lose_at)),
            Sentence("A player without a life plays on, but ranks behind all others."),
        )
        rows.append(row("lives", "Lives", *lives))
    finish = Sentence("When the players agree.")
    if tests := [text for test in keys.finish if (text := _test(rules, test)) is not None]:
        finish = Sentence("{tests}.", tests=joined("{these}; or {those}", tests))
    rows.append(row("finish", "The game ends", finish))
    rows.append(row("winner", "Who wins", *_winner(rules, has_end=has_end)))
    rows.append(row("tie", "A tie", *_tie(rules)))
    return Section("end", Sentence("The game"), tuple(rows))


def _running(rules: Rules) -> Iterator[Text]:
    running = rules.keys.running
    if running.floor is not None:
        yield Sentence("A total never goes below {n}.", n=points(running.floor))
    for reset in running.resets:
        at = points(reset.at)
        if reset.set is not None:
            yield Sentence("A total of exactly {at} becomes {n}.", at=at, n=points(reset.set))
        else:
            by = signed(reset.add or 0)
            yield Sentence("A total of exactly {at} changes by {n}.", at=at, n=by)
    if running.resets:
        yield Sentence("This holds only for a total that the hand has changed.")
        yield Sentence("The end of the game looks at the total after that.")


def _test(rules: Rules, test: Finish) -> Text | None:
    number = points(test.value)
    if test.kind == "score":
        reached = Sentence(_REACHES[test.op], n=number)
        if not test.step:
            return reached
        rises = "{reached}; while both have it, the limit rises by {step}"
        return Sentence(rises, reached=reached, step=test.step)
    if test.kind == "abs":
        far = Sentence(_REACHES[test.op] + " away from 0", n=number)
        if rules.keys.number != "complex":
            return far
        square = points(real(test.value) * real(test.value))
        return Sentence(_SQUARE[test.op], far=far, n=square)
    if test.kind == "deals":
        hands = "after one hand" if test.value == 1 else "after {n} hands"
        return Sentence(hands, n=number)
    if test.kind == "chips_out":
        return Sentence("when a player has no chips left")
    if test.kind == "chips_all":
        return Sentence("when one player has all the chips and the pool is empty")
    wins = any(slam.pay.mode == "win_match" for slam in rules.keys.slams)
    if not wins:
        return None
    return Sentence("when somebody shoots the moon")


def _winner(rules: Rules, *, has_end: bool) -> Iterator[Text]:
    keys = rules.keys
    rule = rules.keys.result
    crosses = has_end and any(test.kind in ("score", "abs") for test in keys.finish)
    if rule.decide == "crosser_team_loses":
        yield from _side_that_crossed(rules, crosses=crosses)
        return
    for test in keys.finish:
        if test.declare:  # the limit is named: a sheet without this end has the sentence too
            yield Sentence(
                "A player may stop a hand by declaring out: with a total at the limit, at first "
                "{n}, that player wins at once, without it that player loses.",
                n=points(test.value),
            )
    if rule.decide == "crosser_loses" and crosses:
        yield Sentence("A player with such a total has lost.")
    if rule.measure == "team_sum":
        yield Sentence(_BEST_SIDE[rule.order])
    else:
        best = _BEST[rule.order]
        yield Sentence(best.replace(" wins", " with lives left wins") if keys.lives else best)
    if rule.decide == "others_lose":
        yield Sentence("All others have lost.")
    if any(slam.pay.mode == "win_match" for slam in keys.slams):
        yield Sentence("If somebody shoots the moon the shooter wins, whatever the totals.")


def _side_that_crossed(rules: Rules, *, crosses: bool) -> Iterator[Text]:
    worst = Sentence(_WORST[rules.keys.result.order])
    if crosses:
        yield Sentence("The side of a player with such a total has lost, the other has won.")
        both = "Where players of both sides have one, the side with {worst} has lost."
        yield Sentence(both, worst=worst)
    else:
        yield Sentence("The side with {worst} has lost, the other has won.", worst=worst)


def _tie(rules: Rules) -> Iterator[Text]:
    if any(test.step for test in rules.keys.finish):
        yield Sentence("There is none: the limit rises until one player alone has reached it.")
        return
    tie = rules.keys.result.tie
    by_sides = rules.keys.result.decide == "crosser_team_loses"
    yield Sentence((_TIES_OF_SIDES if by_sides else _TIES)[tie])
    by_seats = not by_sides and rules.keys.result.measure != "team_sum"
    if tie == "playoff" and by_seats and rules.table_sizes[-1] > 2:
        yield Sentence("In a play-off of three or more, a player who falls behind is out of it.")
    looks_at_end = any(slam.pay.mode.startswith("others_") for slam in rules.keys.slams)
    if tie == "playoff" and looks_at_end and not by_sides:
        yield Sentence("A moon that leads to a play-off of others loses the game for the shooter.")
