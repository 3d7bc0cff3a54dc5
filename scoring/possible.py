"""Points only: whether some hand makes what was written, and who shot in it.

Pure. Every story that the rules allow (nobody shot, or one of the units, settled in one of the
ways) is looked through for a way to share out the counting cards that gives exactly these points;
the hand that is found is then judged by the steps like any other. Cards that no rule can tell apart
are counted, not permuted, and the search has a bound. See docs/scoring/points-only.md.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from scoring.cards import card_name
from scoring.errors import Problem, Refused, Suggestion
from scoring.modifiers import Hand
from scoring.moon import Shot, amount, tricks_fit
from scoring.numbers import Complex, Score, score_json
from scoring.prepared import Prepared, ReadySlam
from scoring.progress import Effects, HandScore, hand_score
from scoring.settle import settled
from scoring.sharing import Option, Packing, TooMany, all_piles, packing_of, prefixes, share_out
from scoring.sheet import seat_names
from scoring.typed import Captured

MOST_PILES = 1 << 17
"""Piles that one unit may have, above which a sum that is right is believed."""
MOST_PILES_FOR_SUMS = 400
MOST_TABLES = 24
MOST_VECTORS = 100_000

Judged = tuple[HandScore | None, list[Problem]]


class Trial(NamedTuple):
    """A points-only hand, and how the engine looks at hands."""

    ready: Prepared
    captured: Captured
    points: tuple[Score, ...]
    worth: Callable[[Hand, Sequence[str], ReadySlam | None, Score | None], Score]
    payment: Callable[[Shot, str], list[Score]]
    judge: Callable[[Captured], Judged]
    pool: Score


class Story(NamedTuple):
    """What may have happened: who shot (None: nobody), and how it was settled (None: not)."""

    shot: Shot | None
    way: str | None


ORDINARY = Story(None, None)


def explained(trial: Trial) -> HandScore:
    """The hand as it is booked: the points as written, with who shot as far as they tell.

    Raises:
        Refused: wrong_total, impossible_points, choice_required, wrong_shooter, choice_forbidden.
    """
    if trial.ready.keys.settle is not None:
        return _paid(trial)
    found = _first(trial)
    if found is not None:
        return found
    raise Refused(*_complaints(trial))


def _first(trial: Trial) -> HandScore | None:
    """An ordinary hand that makes the points, or else the slam that does."""
    deal = trial.captured
    plain = _told(trial, ORDINARY)
    if plain is not None:
        return plain
    found = [told for story in _stories(trial) if (told := _told(trial, story)) is not None]
    if not found:
        return None
    shooters = {told.moon.by for told in found if told.moon}
    if len(shooters) > 1:
        if any(told.effects.reset is not None or told.effects.wins is not None for told in found):
            raise Refused(_who_shot(trial, found))
        made = found[0].moon
        return found[0]._replace(moon=made._replace(by=()) if made else None)
    marked = deal.shooter is not None or deal.choice is not None
    made = found[0].moon
    return found[0]._replace(moon=made._replace(inferred=not marked) if made else None)


def _stories(trial: Trial) -> Iterator[Story]:
    for slam in trial.ready.slams:
        if slam.pay.mode != "face":
            for unit in range(len(trial.points)):
                for way in _ways(slam.pay.mode):
                    yield Story(Shot(slam, unit), way)


def _open_stories(trial: Trial) -> Iterator[Story]:
    """The stories whose settlement the rules leave open now, wherever the other cards lie."""
    for story in _stories(trial):
        if any(trial.judge(deal)[0] is not None for deal in _settled_deals(trial, story)):
            yield story


def _settled_deals(trial: Trial, story: Story) -> Iterator[Captured]:
    """Captures in which the story is true: the cards that it leaves open lie with one unit."""
    ready, deal, shot = trial.ready, trial.captured, story.shot
    if shot is None:
        return
    choice = story.way if story.way in ("self", "others") else None
    for holder, _ in enumerate(deal.piles):
        piles = [0] * len(deal.piles)
        piles[holder] = ready.counting & ~(shot.ready.needs | deal.unclaimed)
        piles[shot.unit] |= shot.ready.needs
        tricks, first = deal.tricks, deal.first_trick_by
        if tricks is None and ready.wants_tricks:
            other = holder if holder != shot.unit else shot.unit - 1
            lost = 2 if shot.ready.slam.all_tricks == "no" else 0
            counts = [0] * len(piles)
            counts[shot.unit], counts[other] = ready.hand_size - lost, lost
            tricks, first = tuple(counts), shot.unit
        yield deal._replace(
            piles=tuple(piles), tricks=tricks, first_trick_by=first, choice=choice,
            shooter=shot.unit,
        )  # fmt: skip


def _ways(mode: str) -> tuple[str, ...]:
    if mode in ("others", "others_then_continue"):
        return ("others",)
    open_modes = ("choose", "self", "others_unless_shooter_loses", "others_unless_other_wins")
    return ("self", "others") if mode in open_modes else (mode,)


def _told(trial: Trial, story: Story) -> HandScore | None:
    """The hand's score when the story is true and makes exactly the points."""
    deal = trial.captured
    if story.shot is not None:
        if deal.shooter not in (None, story.shot.unit):
            return None
        if deal.choice is not None and deal.choice != story.way:
            return None
    paid = trial.payment(story.shot, story.way) if story.shot and story.way else None
    try:
        witness = _witness(trial, story, paid)
    except TooMany:
        return _believed(trial) if story == ORDINARY else None
    if witness is None:
        return None
    if story.shot is not None:
        choice = story.way if story.way in ("self", "others") else None
        witness = witness._replace(choice=choice, shooter=story.shot.unit)
    found = trial.judge(witness)[0]
    if found is None or found.scores != trial.points:
        return None
    return found._replace(verified="sum")


def _believed(trial: Trial) -> HandScore | None:
    """A sum that is not wrong, where there are too many hands to look for the right one."""
    ready, deal = trial.ready, trial.captured
    marked = deal.shooter is not None or deal.choice is not None
    wrong = _sum(trial.points) != ready.worth_of(ready.counting & ~deal.unclaimed)
    if marked or (ready.plain and wrong):
        return None
    return hand_score(deal.sides, trial.points, None, "sum", Effects(trial.pool))


def _sum(points: Sequence[Score]) -> Score:
    total: Score = points[0]
    for point in points[1:]:
        total = total + point
    return total


def _kinds(trial: Trial, forced: int) -> tuple[int, ...]:
    """The cards that are free to lie anywhere, in groups that no rule tells apart."""
    free = ~(forced | trial.captured.unclaimed)
    return tuple(kind & free for kind in trial.ready.kinds if kind & free)


def _piles(kinds: Sequence[int]) -> int:
    number = 1
    for kind in kinds:
        number *= kind.bit_count() + 1
    return number


def _witness(trial: Trial, story: Story, paid: Sequence[Score] | None) -> Captured | None:
    """Captures that give exactly the points when the story is true."""
    forced = story.shot.ready.needs if story.shot else 0
    if forced & trial.captured.unclaimed:
        return None
    kinds = _kinds(trial, forced)
    if _piles(kinds) > MOST_PILES:
        raise TooMany
    packing = packing_of(kinds)
    options: list[list[Option]] = []
    for unit, point in enumerate(trial.points):
        table = _table(trial, story, unit, paid[unit] if paid else None, kinds)
        if point not in table:
            return None
        options.append(table[point])
    shared = share_out(packing, options)
    return None if shared is None else _laid_out(trial, story, packing, shared)


def _laid_out(trial: Trial, story: Story, packing: Packing, shared: Sequence[Option]) -> Captured:
    """The shared out numbers as captures."""
    piles = [0] * len(shared)
    if story.shot is not None:
        piles[story.shot.unit] = story.shot.ready.needs
    runs = [prefixes(kind) for kind in packing.kinds]
    given = [0] * len(packing.kinds)
    for unit, (pile, _) in enumerate(shared):
        for place, count in enumerate(packing.counts(pile)):
            before = given[place]
            piles[unit] |= runs[place][before + count] ^ runs[place][before]
            given[place] += count
    tricks = trial.captured.tricks
    if tricks is None and trial.ready.wants_tricks:
        tricks = tuple(1 if number is None else number for _, number in shared)
    return trial.captured._replace(piles=tuple(piles), tricks=tricks)


def _table(
    trial: Trial, story: Story, unit: int, paid: Score | None, kinds: tuple[int, ...]
) -> dict[Score, list[Option]]:
    """What a unit's points may be in this story → the piles that give them. Kept with the rules."""
    deal = trial.captured
    pledges = deal.pledges[unit] if deal.pledges else ()
    slam = story.shot.ready if story.shot else None
    shot = story.shot is not None and story.shot.unit == unit
    tricks = tuple(_tricks(trial, story, unit))
    surely = tuple(
        ready
        for ready in trial.ready.slams
        if ready.pay.mode != "face" and tricks_fit(ready, deal, unit)
    )
    key = (kinds, deal.declared, pledges, slam and slam.slam.id, paid, shot, tricks, surely)
    memo = trial.ready.memo
    if key not in memo:
        if len(memo) >= MOST_TABLES:
            memo.clear()
        barred = () if slam else surely
        forced = slam.needs if slam and shot else 0
        memo[key] = {}
        for packed, pile in all_piles(kinds):
            if any(not ready.needs & ~pile for ready in barred):
                continue
            hit = shot or (slam is None and _at_face(trial.ready, pile))
            for number in tricks:
                if number == 0 and pile | forced:
                    continue
                hand = Hand(pile | forced, trial.ready.counting, deal.declared, hit, number)
                value = trial.worth(hand, pledges, slam, paid)
                memo[key].setdefault(value, []).append((packed, number))
    found: dict[Score, list[Option]] = memo[key]
    return found


def _at_face(ready: Prepared, pile: int) -> bool:
    return any(slam.pay.mode == "face" and not slam.needs & ~pile for slam in ready.slams)


def _tricks(trial: Trial, story: Story, unit: int) -> Iterator[int | None]:
    """The numbers of tricks that the unit may have had, as far as a rule can tell them apart."""
    ready = trial.ready
    if trial.captured.tricks is not None:
        yield trial.captured.tricks[unit]
    elif story.shot is not None and story.shot.ready.slam.all_tricks != "no":
        yield ready.hand_size if unit == story.shot.unit else 0
    elif not ready.looks_at_tricks:
        yield None
    else:
        asked = {when.tricks for when in ready.conditions if when.tricks is not None}
        yield from sorted(asked)
        yield next(number for number in range(1, len(asked) + 2) if number not in asked)


def _complaints(trial: Trial) -> list[Problem]:
    """Why no story makes the points."""
    deal = trial.captured
    if deal.shooter is not None or deal.choice is not None:
        bare = trial._replace(captured=deal._replace(shooter=None, choice=None))
        told = _first(bare)
        if told is not None:
            return list(_wrong_marks(trial, told))
        open_slam = _unsettled(bare)
        if open_slam is None:
            return _wrong_points(trial)
        return [open_slam, *_wrong_shooter(trial, tuple(open_slam.facts["by"]))]
    open_slam = _unsettled(trial)
    return [open_slam] if open_slam else _wrong_points(trial)


def _wrong_points(trial: Trial) -> list[Problem]:
    if _sum(trial.points) in _sums(trial):
        points = ", ".join(str(score_json(point)) for point in trial.points)
        return [Problem("impossible_points", ("points",), {"points": points})]
    return [_wrong_total(trial)]


def _name(trial: Trial, unit: int) -> str:
    return seat_names(trial.ready.seats)[trial.captured.sides[unit][0]]


def _wrong_marks(trial: Trial, told: HandScore) -> Iterator[Problem]:
    deal, made = trial.captured, told.moon
    if deal.choice is not None and (made is None or made.choice != deal.choice):
        why = "nobody" if made is None else "points"
        facts = {"found": deal.choice, "why": why}
        yield Problem("choice_forbidden", ("slam_choice",), facts)
    yield from _wrong_shooter(trial, made.by if made else ())


def _wrong_shooter(trial: Trial, by: Sequence[int]) -> Iterator[Problem]:
    deal = trial.captured
    if deal.shooter is not None and tuple(by) != deal.sides[deal.shooter]:
        found = {"found": _name(trial, deal.shooter)}
        who = {"seat": seat_names(trial.ready.seats)[by[0]]} if by else {}
        yield Problem("wrong_shooter", ("shooter",), found | who)


def _who_shot(trial: Trial, found: Sequence[HandScore]) -> Problem:
    names = seat_names(trial.ready.seats)
    hints = tuple(
        Suggestion("who_shot", ("shooter",), {"seat": names[told.moon.by[0]], "by": told.moon.by})
        for told in found
        if told.moon
    )
    return Problem("choice_required", ("shooter",), {"unknown": True}, hints)


def _unsettled(trial: Trial) -> Problem | None:
    """The problem of a slam that is written at face, where slams are settled."""
    for slam in trial.ready.slams:
        if slam.pay.mode == "face":
            continue
        for unit in range(len(trial.points)):
            story = Story(Shot(slam, unit), None)
            try:
                witness = _witness(trial, story, None)
            except TooMany:
                continue
            if witness is not None:
                return _open_slam(trial, story, witness)
    return None


def _open_slam(trial: Trial, story: Story, witness: Captured) -> Problem:
    shot = story.shot
    told, problems = trial.judge(witness)
    for problem in problems:
        if problem.code == "choice_required" and shot is not None:
            return Problem(problem.code, ("points", shot.unit), problem.facts, problem.suggestions)
    made = told.moon if told else None
    ready, unit = (shot.ready, shot.unit) if shot else (trial.ready.slams[0], 0)
    facts: dict[str, Any] = {
        "seat": _name(trial, unit),
        "by": list(trial.captured.sides[unit]),
        "slam": ready.slam.id,
        "choices": [made.choice] if made and made.choice else [],
        "self": score_json(amount(ready.pay.self_amount, ready)),
        "others": score_json(amount(ready.pay.others_amount, ready)),
    }
    hints = []
    if told is not None:
        scores = [score_json(item) for item in told.scores]
        text = "settled it is " + ", ".join(map(str, scores))
        settle = {"choice": made.choice if made else None, "by": facts["by"], "scores": scores}
        hints.append(Suggestion("settle", ("points",), settle | {"text": text}))
    return Problem("choice_required", ("points", unit), facts, tuple(hints))


def _sums(trial: Trial) -> set[Score]:
    """Every sum that some hand makes; under rules with many cards, those of its plain stories."""
    found: set[Score] = set()
    for story in (ORDINARY, *_open_stories(trial)):
        paid = trial.payment(story.shot, story.way) if story.shot and story.way else None
        found |= _story_sums(trial, story, paid)
    return found


def _story_sums(trial: Trial, story: Story, paid: Sequence[Score] | None) -> set[Score]:
    ready, forced = trial.ready, story.shot.ready.needs if story.shot else 0
    kinds = _kinds(trial, forced)
    if _piles(kinds) > MOST_PILES_FOR_SUMS:
        total = ready.worth_of(ready.counting & ~trial.captured.unclaimed & ~forced)
        return {total + _sum(paid) if paid else total}
    packing = packing_of(kinds)
    reached: dict[int, set[Score]] = {packing.full: {ready.zero}}
    for unit in range(len(trial.points)):
        table = _table(trial, story, unit, paid[unit] if paid else None, kinds)
        after: dict[int, set[Score]] = {}
        for value, options in table.items():
            for pile in {pile for pile, _ in options}:
                for rest, sums in reached.items():
                    if packing.fits(pile, rest):
                        after.setdefault(rest - pile, set()).update(old + value for old in sums)
        reached = after
    return reached.get(0, set())


def _wrong_total(trial: Trial) -> Problem:
    ready = trial.ready
    total = ready.worth_of(ready.counting & ~trial.captured.unclaimed)
    vectors = [
        trial.payment(story.shot, story.way)
        for story in _open_stories(trial)
        if story.shot and story.way and not ready.counting & ~story.shot.ready.needs
    ]
    moons = sorted({_order(_sum(vector)) for vector in vectors})
    facts = {
        "found": score_json(_sum(trial.points)),
        "expected": score_json(total),
        "moons": [score_json(moon[2]) for moon in moons],
    }
    hints = tuple(_causes(trial, total, vectors))
    return Problem("wrong_total", ("points",), facts, hints)


def _order(score: Score) -> tuple[Any, Any, Score]:
    if isinstance(score, Complex):
        return score.re, score.im, score
    return score, 0, score


def _causes(trial: Trial, total: Score, vectors: Sequence[Sequence[Score]]) -> Iterator[Suggestion]:
    """Likely mistakes: both settlements at once, one seat of a settlement, one card."""
    for slam in trial.ready.slams:
        for unit, point in enumerate(trial.points):
            others = [other for n, other in enumerate(trial.points) if n != unit]
            down = trial.ready.zero + amount(slam.pay.self_amount, slam)
            up = trial.ready.zero + amount(slam.pay.others_amount, slam)
            if point == -down and all(other == up for other in others):
                yield Suggestion("both_settlements", ("points", unit), {"seat": _name(trial, unit)})
                return
    for vector in vectors:
        pairs = list(zip(trial.points, vector, strict=True))
        wrong = [n for n, (point, paid) in enumerate(pairs) if point != paid]
        if len(wrong) == 1 and any(paid for paid in vector):
            unit = wrong[0]
            facts = {
                "seat": _name(trial, unit),
                "points": score_json(vector[unit]),
                "found": score_json(trial.points[unit]),
            }
            yield Suggestion("seat_should_be", ("points", unit), facts)
            return
    yield from _card_causes(trial, total)


def _card_causes(trial: Trial, total: Score) -> Iterator[Suggestion]:
    ready = trial.ready
    short = total - _sum(trial.points)
    if ready.short_form:
        if short == ready.heart_value:
            yield Suggestion("one_missing", ("points",), {"card": "heart", "number": 1})
        if short == -ready.heart_value:
            yield Suggestion("one_too_many", ("points",), {"card": "heart", "number": 1})
    for card, bits in ready.deck.copies.items():
        value = ready.worth_of(bits[0])
        if bits[0] & ready.named and value != ready.zero and short in (value, -value):
            code = "with_nobody" if short == value else "counted_twice"
            yield Suggestion(code, ("points",), {"card": card_name(card)})


def _paid(trial: Trial) -> HandScore:
    """Under a settlement the points are what was paid: some deal must lead to exactly that."""
    deal = trial.captured
    sums = set()
    for paid, pool in _payments(trial):
        sums.add(_sum(paid))
        if sorted(map(_order, paid)) == sorted(map(_order, trial.points)):
            return hand_score(deal.sides, trial.points, None, "sum", Effects(pool))
    if _sum(trial.points) in sums:
        points = ", ".join(str(score_json(point)) for point in trial.points)
        raise Refused(Problem("impossible_points", ("points",), {"points": points}))
    raise Refused(_wrong_total(trial))


def _payments(trial: Trial) -> Iterator[tuple[tuple[Score, ...], Score]]:
    """What some deal pays, and leaves in the pool; units are alike, so their order is left open."""
    ready, rule, units = trial.ready, trial.ready.keys.settle, len(trial.points)
    if rule is None:
        return
    if rule.winners == "clean":
        takers = min(units, (ready.clean & ~trial.captured.unclaimed).bit_count())
        for taker in range(1, takers + 1):
            clean = [False] * taker + [True] * (units - taker)
            yield settled(rule, [0] * units, clean, trial.pool)
        return
    for vector in _vectors(trial, units):
        yield settled(rule, vector, [], trial.pool)


def _vectors(trial: Trial, units: int) -> set[tuple[Score, ...]]:
    """The deal points that some deal makes, sorted; one card after another goes to any unit."""
    ready = trial.ready
    found: set[tuple[Score, ...]] = {(ready.zero,) * units}
    for kind in _kinds(trial, 0):
        value = ready.worth_of(kind & -kind)
        for _ in range(kind.bit_count() if value != ready.zero else 0):
            found = {
                tuple(sorted((*vector[:n], vector[n] + value, *vector[n + 1 :]), key=_order))
                for vector in found
                for n in range(units)
            }
            if len(found) > MOST_VECTORS:
                return found
    return found
