"""Stories of a hand of which only the points are known: who may have shot, and which cards fit.

Pure. A story says that nobody shot, or that one of the units did, settled in one of the ways. It is
true of some points when the counting cards can be shared out so that every unit makes its own;
cards that no rule can tell apart are counted, not permuted, and the search has a bound. See
docs/algorithms/scoring.md, "Points only".
"""

from collections.abc import Callable, Iterator, Sequence
from math import prod
from threading import Lock
from typing import NamedTuple, TypeAlias

from scoring.budget import BOUNDLESS, JUDGED, Budget
from scoring.cards import prefixes
from scoring.engine.deal_points import Hand, partners_of, unit_points
from scoring.engine.distribute import MOST_STEPS, Option, Packing, TooMany, all_piles, share_out
from scoring.engine.moon import Shot, payment, tricks_fit
from scoring.engine.progress import Effects, GameState, HandScore, hand_score
from scoring.entry.typed_hand import CapturedHand
from scoring.errors import Problem
from scoring.numbers import Score
from scoring.rules.compiled_rules import Prepared, ReadySlam

MOST_PILES = 1 << 16
"""Piles that one unit may have, above which a sum that is right is believed."""
MOST_KEPT = 500_000
"""Piles in all tables that are kept, of all rule sets together; the oldest go first."""
COST_OF_A_PILE = 4
"""Steps of looking at a pile for the first time."""
COST_OF_A_TABLE = 200
"""Fixed cost of a table, in piles."""

Table: TypeAlias = dict[Score, list[Option]]
"""Points of a unit → the piles that give them."""
Judged = tuple[HandScore | None, list[Problem]]


class Trial(NamedTuple):
    """A points-only hand, the game before it, and how captures are judged."""

    ready: Prepared
    captured: CapturedHand
    points: tuple[Score, ...]
    state: GameState
    judge: Callable[[Prepared, CapturedHand, GameState], Judged]
    patience: int = MOST_STEPS
    """Steps of one search, above which a sum that is right is believed."""
    budget: Budget = BOUNDLESS
    """Steps of all searches together, above which the hand is refused."""

    def try_out(self, deal: CapturedHand) -> Judged:
        """Score a deal, counting its steps in the budget."""
        self.budget.spend(JUDGED)
        return self.judge(self.ready, deal, self.state)

    def paid(self, story: "Hypothesis") -> list[Score] | None:
        """The payment of the story to each unit; None where nothing is settled in it."""
        if story.shot is None or story.way is None:
            return None
        partners = partners_of(self.state, story.shot.unit)
        return payment(self.ready, story.shot, story.way, self.captured, partners)


class Hypothesis(NamedTuple):
    """A story of the hand: who shot (None: nobody), and how it was settled (None: not).

    `first` is the unit that won the first trick, if the slam does not need that trick.
    """

    shot: Shot | None
    way: str | None
    first: int | None = None


ORDINARY = Hypothesis(None, None)


def settled_hypotheses(trial: Trial) -> Iterator[Hypothesis]:
    """Every story in which somebody shot and it was settled."""
    for slam in trial.ready.slams:
        if slam.pay.mode != "face":
            for unit in range(len(trial.points)):
                for way in ways_of(slam.pay.mode):
                    for first in _firsts(slam, unit, len(trial.points)):
                        yield Hypothesis(Shot(slam, unit), way, first)


def _firsts(slam: ReadySlam, shooter: int, units: int) -> Iterator[int | None]:
    yield None
    if slam.slam.all_tricks == "except_first":
        yield from (unit for unit in range(units) if unit != shooter)


def open_hypotheses(trial: Trial) -> Iterator[Hypothesis]:
    """The stories whose settlement the rules leave open now, wherever the other cards lie."""
    for story in settled_hypotheses(trial):
        deals = settled_deals(trial, story) if story.first is None else ()
        if any(trial.try_out(deal)[0] is not None for deal in deals):
            yield story


def settled_deals(trial: Trial, story: Hypothesis) -> Iterator[CapturedHand]:
    """Captures in which the story is true: one unit has all the cards that it leaves open."""
    ready = trial.ready
    deal = trial.captured
    shot = story.shot
    if shot is None or shot.ready.needs & deal.unclaimed:
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
            counts[shot.unit] = ready.hand_size - lost
            counts[other] = lost
            tricks = tuple(counts)
            first = shot.unit
        yield deal._replace(
            piles=tuple(piles),
            tricks=tricks,
            first_trick_by=first,
            choice=choice,
            shooter=shot.unit,
        )
        if not ready.counting & ~(shot.ready.needs | deal.unclaimed):
            return  # nothing is left open, so who holds it makes no difference


def ways_of(mode: str) -> tuple[str, ...]:
    """The settlements that a mode allows at any score of the game."""
    if mode in ("others", "others_then_continue"):
        return ("others",)
    open_modes = ("choose", "self", "others_unless_shooter_loses", "others_unless_other_wins")
    return ("self", "others") if mode in open_modes else (mode,)


def score_hypothesis(trial: Trial, story: Hypothesis) -> HandScore | None:
    """The score of the hand when the story is true and makes exactly the points."""
    deal = trial.captured
    if story.shot is not None and (
        deal.shooter not in (None, story.shot.unit) or deal.choice not in (None, story.way)
    ):
        return None
    paid = trial.paid(story)
    if story.shot is not None and paid is not None and not _adds_up(trial, story.shot, paid):
        return None
    try:
        witness = find_witness(trial, story, paid)
    except TooMany:
        if story != ORDINARY:
            return None
        return _believed(trial)
    if witness is None:
        return None
    if story.shot is not None:
        choice = story.way if story.way in ("self", "others") else None
        witness = witness._replace(choice=choice, shooter=story.shot.unit)
    score = trial.try_out(witness)[0]
    if score is None or score.scores != trial.points:
        return None
    return score._replace(verified="sum")


def _adds_up(trial: Trial, shot: Shot, paid: Sequence[Score]) -> bool:
    """Whether the sum is that of the slam; always true under rules that do more than add."""
    ready = trial.ready
    if not ready.plain:
        return True
    beside = ready.counting & ~(shot.ready.needs | trial.captured.unclaimed)
    total = sum(paid, ready.zero)
    if shot.ready.pay.outside:
        total = total + ready.worth_of(beside)
    return sum(trial.points, ready.zero) == total


def _believed(trial: Trial) -> HandScore | None:
    ready, deal = trial.ready, trial.captured
    marked = deal.shooter is not None or deal.choice is not None
    wrong = sum(trial.points, ready.zero) != ready.worth_of(ready.counting & ~deal.unclaimed)
    if marked or (ready.plain and wrong):
        return None
    return hand_score(deal.sides, trial.points, None, "sum", Effects(trial.state.pool))


def unsettled(trial: Trial) -> tuple[Shot, CapturedHand] | None:
    """The slam that is written at face, where slams are settled, and captures that make it."""
    for slam in trial.ready.slams:
        for unit in range(len(trial.points) if slam.pay.mode != "face" else 0):
            for first in _firsts(slam, unit, len(trial.points)):
                shot = Shot(slam, unit)
                try:
                    witness = find_witness(trial, Hypothesis(shot, None, first), None)
                except TooMany:
                    continue
                if witness is not None:
                    return shot, witness
    return None


def kinds_of(trial: Trial, forced: int) -> tuple[int, ...]:
    """The cards that the story leaves open, in groups that no rule distinguishes."""
    free = ~(forced | trial.captured.unclaimed)
    return tuple(kind & free for kind in trial.ready.kinds if kind & free)


def piles_of(kinds: Sequence[int]) -> int:
    """The number of piles that a unit may have of cards in these kinds."""
    return prod(kind.bit_count() + 1 for kind in kinds)


def packing_at(ready: Prepared, kinds: tuple[int, ...]) -> Packing:
    """The packing of these kinds, and of the tricks as a last kind where each trick counts."""
    tricks = (1 << ready.hand_size) - 1 if ready.keys.trick_value else 0
    return Packing((*kinds, tricks) if tricks else kinds)


def find_witness(
    trial: Trial, story: Hypothesis, paid: Sequence[Score] | None
) -> CapturedHand | None:
    """The captures that give exactly the points when the story is true."""
    forced = story.shot.ready.needs if story.shot else 0
    if forced & trial.captured.unclaimed:
        return None
    kinds = kinds_of(trial, forced)
    if piles_of(kinds) > MOST_PILES:
        raise TooMany
    packing = packing_at(trial.ready, kinds)
    options: list[list[Option]] = []
    for unit, point in enumerate(trial.points):
        table = table_of(trial, story, unit, paid[unit] if paid else None, kinds)
        if point not in table:
            return None
        options.append(table[point])
    shared = share_out(packing, options, trial.patience, trial.budget)
    if shared is None:
        return None
    return _laid_out(trial, story, packing, shared)


def _laid_out(
    trial: Trial, story: Hypothesis, packing: Packing, shared: Sequence[Option]
) -> CapturedHand:
    piles = [0] * len(shared)
    if story.shot is not None:
        piles[story.shot.unit] = story.shot.ready.needs
    kinds = packing.kinds[:-1] if trial.ready.keys.trick_value else packing.kinds
    runs = [prefixes(kind) for kind in kinds]
    shared_out = [0] * len(kinds)
    for unit, (pile, _) in enumerate(shared):
        for place, count in enumerate(packing.counts(pile)[: len(kinds)]):
            before = shared_out[place]
            piles[unit] |= runs[place][before + count] ^ runs[place][before]
            shared_out[place] += count
    tricks = trial.captured.tricks
    if tricks is None and trial.ready.wants_tricks:
        tricks = tuple(2 if number is None else number for _, number in shared)
    first = trial.captured.first_trick_by if story.first is None else story.first
    return trial.captured._replace(piles=tuple(piles), tricks=tricks, first_trick_by=first)


def table_of(
    trial: Trial, story: Hypothesis, unit: int, paid: Score | None, kinds: tuple[int, ...]
) -> Table:
    """The possible points of a unit in this story → the piles that give them; the last are kept."""
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
    slam_id = slam.slam.id if slam is not None else None
    key = (trial.ready, kinds, deal.declared, pledges, slam_id, paid, shot, tricks, surely)
    table = _TABLES.get(key)
    trial.budget.spend(JUDGED)
    if table is None:
        trial.budget.spend(COST_OF_A_TABLE + COST_OF_A_PILE * piles_of(kinds) * len(tricks))
        barred = () if slam else surely
        forced = slam.needs if slam and shot else 0
        at_face = [other.needs for other in trial.ready.slams if other.pay.mode == "face"]
        table = {}
        shift = Packing(kinds).guard.bit_length() if trial.ready.keys.trick_value else None
        for packed, pile in all_piles(kinds):
            if any(not ready.needs & ~pile for ready in barred):
                continue
            if trial.ready.is_heartless(pile | forced):
                continue
            hit = shot or (slam is None and any(not needs & ~pile for needs in at_face))
            for number in tricks:
                if number == 0 and pile | forced:
                    continue
                hand = Hand(pile | forced, trial.ready.counting, deal.declared, hit, number)
                value = unit_points(trial.ready, hand, pledges, slam, paid)
                tricks_bits = 0 if shift is None or number is None else number << shift
                table.setdefault(value, []).append((packed | tricks_bits, number))
        _TABLES.put(key, table, piles_of(kinds) * len(tricks))
    return table


class _Tables:
    """A cache of the most recent tables; the same sheet is often checked again soon."""

    def __init__(self) -> None:
        self.tables: dict[object, tuple[Table, int]] = {}
        self.piles = 0
        self.lock = Lock()

    def get(self, key: object) -> Table | None:
        table, _ = self.tables.get(key, (None, 0))
        return table

    def put(self, key: object, table: Table, piles: int) -> None:
        size = piles + COST_OF_A_TABLE
        with self.lock:
            self.piles += size - self.tables.pop(key, (table, 0))[1]
            self.tables[key] = table, size
            while self.piles > MOST_KEPT:
                self.piles -= self.tables.pop(next(iter(self.tables)))[1]


_TABLES = _Tables()


def _tricks(trial: Trial, story: Hypothesis, unit: int) -> Iterator[int | None]:
    """The numbers of tricks that the unit may have, as far as a rule can tell them apart."""
    ready = trial.ready
    if trial.captured.tricks is not None:
        yield trial.captured.tricks[unit]
    elif story.shot is not None and story.shot.ready.slam.all_tricks != "no":
        # The shooter won every trick, but the first one if the story says whose that was.
        if unit == story.first:
            yield 1
        elif unit != story.shot.unit:
            yield 0
        elif story.first is None:
            yield ready.hand_size
        else:
            yield ready.hand_size - 1
    elif ready.keys.trick_value:
        yield from range(ready.hand_size + 1)
    elif not ready.looks_at_tricks:
        yield None
    else:
        numbers = {when.tricks for when in ready.conditions if when.tricks is not None}
        yield from sorted(numbers)
        # One number that no rule names stands for all the others.
        yield next(number for number in range(1, len(numbers) + 2) if number not in numbers)
