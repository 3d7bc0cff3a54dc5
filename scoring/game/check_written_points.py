"""Points only: whether some hand makes the written points, and who shot in it.

Pure. See docs/algorithms/scoring.md, "Points only".
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from scoring.budget import OutOfBudget
from scoring.diagnosis.diagnose import causes, causes_beside
from scoring.diagnosis.shooter_hypotheses import (
    ORDINARY,
    Hypothesis,
    Trial,
    kinds_of,
    open_hypotheses,
    packing_at,
    piles_of,
    score_hypothesis,
    settled_deals,
    settled_hypotheses,
    table_of,
    unsettled,
)
from scoring.engine.deal_points import settle_deal
from scoring.engine.distribute import TooMany
from scoring.engine.moon import question_facts
from scoring.engine.progress import Effects, HandScore, hand_score, settlement_facts
from scoring.entry.sheet import seat_names
from scoring.errors import Problem, Refused, Suggestion
from scoring.numbers import Complex, Real, Score, as_complex, score_json

MOST_VECTORS = 10_000
MOST_PILES_FOR_SUMS = 400
MOST_STEPS_FOR_SUMS = 100_000
"""Above either the sums of a story are those of its cards, as if nothing changed them."""


def rank(score: Score) -> tuple[Real, Real, Score]:
    """A key that puts scores in an order, complex ones by their parts."""
    if isinstance(score, Complex):
        return score.re, score.im, score
    return score, 0, score


def payouts(trial: Trial) -> Iterator[tuple[tuple[Score, ...], Score]]:
    """The payments of possible deals, and what each leaves in the pool, in no order of units."""
    ready = trial.ready
    rule = trial.ready.keys.settle
    units = len(trial.points)
    if rule is None:
        return
    if rule.winners == "clean":
        takers = min(units, (ready.clean & ~trial.captured.unclaimed).bit_count())
        for taker in range(1, takers + 1):
            clean = [False] * taker + [True] * (units - taker)
            yield settle_deal(rule, [0] * units, clean, trial.state.pool)
        return
    for vector in deal_vectors(trial, units):
        yield settle_deal(rule, vector, [], trial.state.pool)


def deal_vectors(trial: Trial, units: int) -> set[tuple[Score, ...]]:
    """The deal points that some deal makes, sorted; `TooMany` if there are too many to list."""
    ready = trial.ready
    if ready.bonuses or ready.card_modifiers or ready.sum_modifiers:
        return _vectors_of_piles(trial, units)
    vectors = {(ready.zero,) * units}
    for kind in kinds_of(trial, 0):
        value = ready.worth_of(kind & -kind)
        for _ in range(kind.bit_count() if value != ready.zero else 0):
            trial.budget.spend(2 * units * len(vectors))
            vectors = {
                tuple(sorted((*vector[:n], vector[n] + value, *vector[n + 1 :]), key=rank))
                for vector in vectors
                for n in range(units)
            }
            if len(vectors) > MOST_VECTORS:
                raise TooMany
    return vectors


def _vectors_of_piles(trial: Trial, units: int) -> set[tuple[Score, ...]]:
    """As `deal_vectors`, where the points of a unit are not only the values of its cards."""
    kinds = kinds_of(trial, 0)
    if piles_of(kinds) > MOST_PILES_FOR_SUMS:
        raise TooMany
    packing = packing_at(trial.ready, kinds)
    reached: dict[int, set[tuple[Score, ...]]] = {packing.full: {()}}
    steps = 0
    for unit in range(units):
        after: dict[int, set[tuple[Score, ...]]] = {}
        for value, options in table_of(trial, ORDINARY, unit, None, kinds).items():
            for pile in {pile for pile, _ in options}:
                for rest, vectors in reached.items():
                    steps += 1
                    if pile == rest if unit == units - 1 else packing.fits(pile, rest):
                        steps += len(vectors)
                        longer = {tuple(sorted((*some, value), key=rank)) for some in vectors}
                        after.setdefault(rest - pile, set()).update(longer)
            if steps > MOST_STEPS_FOR_SUMS:
                trial.budget.spend(2 * steps)
                raise TooMany
        reached = after
    trial.budget.spend(2 * steps)
    return reached.get(0, set())


def score_written_points(trial: Trial) -> HandScore:
    """The hand as booked: the points as written, and the shooter if they show one."""
    refusals = []
    for possible in _with_idle_cards(trial):
        try:
            return _score(possible)
        except OutOfBudget:
            raise
        except Refused as refused:
            refusals.append(refused)
    raise min(refusals, key=lambda refused: refused.problems[0].code == "wrong_total")


def _with_idle_cards(trial: Trial) -> list[Trial]:
    """The hand with each number of cards that did not count, the nearest total first.

    A sheet that lists them is taken at its word.
    """
    ready, deal = trial.ready, trial.captured
    if deal.unclaimed & ready.idle:
        return [trial]
    total = sum(trial.points, ready.zero)
    trials = [
        trial._replace(captured=deal._replace(unclaimed=deal.unclaimed | pile))
        for pile in ready.idle_piles
    ]
    return sorted(trials, key=lambda possible: as_complex(_deal_total(possible) - total).norm)


def _score(trial: Trial) -> HandScore:
    if trial.ready.keys.settle is not None:
        return _paid(trial)
    if (score := _first(trial)) is not None:
        return score
    raise Refused(*_complaints(trial))


def _first(trial: Trial) -> HandScore | None:
    plain = score_hypothesis(trial, ORDINARY)
    if plain is not None:
        return plain
    scores = [
        score
        for story in settled_hypotheses(trial)
        if (score := score_hypothesis(trial, story)) is not None
    ]
    return _whoever(trial, scores)


def _whoever(trial: Trial, scores: Sequence[HandScore]) -> HandScore | None:
    """The slam that makes the points, with the shooter where the points show one; None without one.

    If they do not and the shooter matters to the game, the refusal asks who shot.
    """
    if not scores:
        return None
    moon = scores[0].moon
    if moon is None:
        return scores[0]
    if len({score.moon.by for score in scores if score.moon}) > 1:
        if any((score.effects.reset, score.effects.wins) != (None, None) for score in scores):
            raise Refused(_who_shot(trial, scores))
        return scores[0]._replace(moon=moon._replace(by=()))
    return scores[0]._replace(moon=moon._replace(inferred=not _is_marked(trial)))


def _is_marked(trial: Trial) -> bool:
    return trial.captured.shooter is not None or trial.captured.choice is not None


def _complaints(trial: Trial) -> list[Problem]:
    bare = trial._replace(captured=trial.captured._replace(shooter=None, choice=None))
    if _is_marked(trial) and (score := _first(bare)) is not None:
        return list(_wrong_marks(trial, score))
    open_slam = _unsettled(bare)
    if open_slam is not None:
        return [open_slam, *_wrong_shooter(trial, open_slam.facts["by"])]
    # Under rules with many cards the sums are those of ordinary hands only.
    sums = (
        _story_sums(trial, story, trial.paid(story))
        for story in (ORDINARY, *open_hypotheses(trial))
    )
    if sum(trial.points, trial.ready.zero) in {_deal_total(trial)}.union(*sums):
        return [_impossible(trial, _hints(trial, causes_beside))]
    return [_wrong_total(trial, _hints(trial, causes))]


def _hints(
    trial: Trial, causes_of: Callable[[Trial], Iterable[Suggestion]]
) -> tuple[Suggestion, ...]:
    budget = trial.budget.for_hints()
    if budget is None:
        return ()
    try:
        hints = tuple(causes_of(trial._replace(budget=budget)))
    except OutOfBudget:
        hints = ()
    trial.budget.add_hints(budget)
    return hints


def _impossible(trial: Trial, hints: tuple[Suggestion, ...]) -> Problem:
    points = ", ".join(str(score_json(point)) for point in trial.points)
    return Problem("impossible_points", ("points",), {"points": points}, hints)


def _wrong_marks(trial: Trial, score: HandScore) -> Iterator[Problem]:
    deal = trial.captured
    moon = score.moon
    if deal.choice is not None and (moon is None or moon.choice != deal.choice):
        why = "nobody" if moon is None else "points"
        yield Problem("choice_forbidden", ("slam_choice",), {"found": deal.choice, "why": why})
    yield from _wrong_shooter(trial, moon.by if moon else ())


def _wrong_shooter(trial: Trial, by: Sequence[int]) -> Iterator[Problem]:
    deal = trial.captured
    if deal.shooter is not None and tuple(by) != deal.sides[deal.shooter]:
        names = seat_names(trial.ready.seats)
        facts = {"found": names[deal.sides[deal.shooter][0]]}
        who = {"seat": names[by[0]]} if by else {}
        yield Problem("wrong_shooter", ("shooter",), facts | who)


def _who_shot(trial: Trial, scores: Sequence[HandScore]) -> Problem:
    names = seat_names(trial.ready.seats)
    hints = tuple(
        Suggestion("who_shot", ("shooter",), {"seat": names[score.moon.by[0]], "by": score.moon.by})
        for score in scores
        if score.moon
    )
    return Problem("choice_required", ("shooter",), {"unknown": True}, hints)


def _unsettled(trial: Trial) -> Problem | None:
    slam = unsettled(trial)
    if slam is None:
        return None
    shot, witness = slam
    score, problems = trial.try_out(witness)
    for problem in problems:
        if problem.code == "choice_required":
            return replace(problem, at=("points", shot.unit))
    choice = score.moon.choice if score and score.moon else None
    facts = question_facts(trial.ready, trial.captured, shot, [choice] if choice else [])
    hints = []
    if score is not None:
        settle = settlement_facts(trial.ready.rules, trial.state, score)
        text = "settled it is " + ", ".join(map(str, map(score_json, score.scores)))
        hints.append(Suggestion("settle", ("points",), {**settle, "by": facts["by"], "text": text}))
    return Problem("choice_required", ("points", shot.unit), facts, tuple(hints))


def _story_sums(trial: Trial, story: Hypothesis, paid: Sequence[Score] | None) -> set[Score]:
    ready = trial.ready
    forced = story.shot.ready.needs if story.shot else 0
    kinds = kinds_of(trial, forced)
    total = ready.worth_of(ready.counting & ~trial.captured.unclaimed & ~forced)
    plain = {sum(paid or (), total)}
    if piles_of(kinds) > MOST_PILES_FOR_SUMS:
        return plain
    packing = packing_at(ready, kinds)
    reached = {packing.full: {ready.zero}}
    steps = 0
    for unit in range(len(trial.points)):
        table = table_of(trial, story, unit, paid[unit] if paid else None, kinds)
        after: dict[int, set[Score]] = {}
        for value, options in table.items():
            for pile in {pile for pile, _ in options}:
                for rest, sums in reached.items():
                    steps += 1 + len(sums)
                    if packing.fits(pile, rest):
                        after.setdefault(rest - pile, set()).update(old + value for old in sums)
            if steps > MOST_STEPS_FOR_SUMS:
                trial.budget.spend(steps)
                return plain
        reached = after
    trial.budget.spend(steps)
    return reached.get(0, set())


def _deal_total(trial: Trial) -> Score:
    """The points of cards and tricks of the deal before modifiers: the checksum of the sheet."""
    ready = trial.ready
    return ready.deal_total - ready.worth_of(ready.counting & trial.captured.unclaimed)


def _wrong_total(trial: Trial, hints: tuple[Suggestion, ...]) -> Problem:
    ready = trial.ready
    total = ready.deal_total if ready.idle else _deal_total(trial)
    whole = [
        story
        for story in open_hypotheses(trial)
        if story.shot and not ready.counting & ~story.shot.ready.needs
    ]
    moons = sorted({rank(sum(trial.paid(story) or (), ready.zero)) for story in whole})
    facts = {
        "found": score_json(sum(trial.points, trial.ready.zero)),
        "expected": score_json(total),
        "moons": [score_json(moon[2]) for moon in moons],
        **({"jokers": True} if ready.idle else {}),
    }
    return Problem("wrong_total", ("points",), facts, hints)


def _paid(trial: Trial) -> HandScore:
    """Under a settlement the points are what was paid: some deal must lead to exactly that."""
    sides = trial.captured.sides
    total = sum(trial.points, trial.ready.zero)
    try:
        pools = {_sorted(paid): pool for paid, pool in payouts(trial)}
    except TooMany:
        rule = trial.ready.keys.settle
        if rule is not None and rule.pays == "difference" and total != 0:
            raise Refused(_wrong_total(trial, ())) from None
        return hand_score(sides, trial.points, None, "sum", Effects(trial.state.pool))
    pool = pools.get(_sorted(trial.points))
    if pool is not None:
        return hand_score(sides, trial.points, None, "sum", Effects(pool))
    slam = _whoever(trial, list(_paid_slams(trial)))
    if slam is not None:
        return slam
    hints = _hints(
        trial,
        lambda patient: (
            *_paid_out(patient),
            *causes(patient, lambda tried: _sorted(tried.points) in pools),
        ),
    )
    if total in {_deal_total(trial), *(sum(paid, trial.ready.zero) for paid in pools)}:
        raise Refused(_impossible(trial, hints))
    raise Refused(_wrong_total(trial, hints))


def _paid_slams(trial: Trial) -> Iterator[HandScore]:
    deal = trial.captured
    for story in settled_hypotheses(trial):
        for settled in settled_deals(trial, story):
            score = trial.try_out(settled)[0]
            agrees = deal.shooter in (None, settled.shooter)
            agrees = agrees and deal.choice in (None, settled.choice)
            if agrees and score is not None and score.moon and score.scores == trial.points:
                yield score._replace(verified="sum")


def _sorted(points: Sequence[Score]) -> tuple[Score, ...]:
    return tuple(sorted(points, key=rank))


def _paid_out(trial: Trial) -> Iterator[Suggestion]:
    """The written points are those of the cards, not the payments for them."""
    rule = trial.ready.keys.settle
    points = _sorted(trial.points)
    try:
        is_deal = points in deal_vectors(trial, len(points))
    except TooMany:
        return
    if rule is not None and is_deal:
        clean = [point == trial.ready.zero for point in trial.points]
        paid, _ = settle_deal(rule, trial.points, clean, trial.state.pool)
        scores = list(map(score_json, paid))
        text = "the points of the cards; paid out it is " + ", ".join(map(str, scores))
        facts = {"choice": None, "by": [], "scores": scores, "text": text}
        yield Suggestion("settle", ("points",), facts)
