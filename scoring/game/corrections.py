"""Corrections: entries that can be saved, near to one that was refused, likeliest first.

Pure. Each undoes one mistake, at every place where it may have been made, and is scored before it
is offered; refused ones are dropped. Pages, the grid, REST and imports offer these. See
docs/algorithms/likely-causes.md.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scoring.budget import Budget, OutOfBudget
from scoring.cards import card_name, read_card
from scoring.engine.progress import GameState
from scoring.entry.codec import OF_A_SEAT, OF_A_UNIT
from scoring.entry.hand_reader import read_entry, unit_sides
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import Sides
from scoring.errors import Problem, Refused, Suggestion
from scoring.game import card_repairs, point_repairs
from scoring.game.card_repairs import (
    NOBODY,
    Entry,
    HandToRepair,
    Refusal,
    Repairs,
    meld_repairs,
    with_value,
    without,
)
from scoring.game.fast_path import score_entry
from scoring.game.point_repairs import named_repair
from scoring.game.score_hand import trial_of
from scoring.json_types import JsonDict, is_list
from scoring.rules.rules import Rules

MOST_TRIALS: Final = 400
"""Entries that are tried for one refusal."""

MOST_STEPS: Final = 3
"""Mistakes in one hand, above which no correction is looked for."""

LARGEST: Final = 10**9
LONGEST: Final = 60

MOST_OPEN: Final = 40
"""Entries with fewer problems from which the search goes on."""

QUESTION: Final = "choice_required"
"""Refused only because a moon's settlement or shooter is open: each answer is tried."""

DEFINITE: Final = frozenset({"seat_should_be", "wrong_sign", "settle", "who_shot", "not_a_number"})
"""Suggestions that say what to write; they are tried like corrections, and left out if refused."""


def changes(before: Entry, after: Entry, sides: Sides) -> list[JsonDict]:
    """The differences of two entries as facts: `what`, where (`seat`, `place`), `found`, `to`.

    Cards say `card`, `found` and `to` as places; None is nowhere and `NOBODY` unclaimed.
    """
    names = seat_names(sum(map(len, sides)))
    facts: list[JsonDict] = []
    for what in ("hearts", "tricks", "trick_points", "melds", "points", "clean"):
        old = before.get(what)
        new = after.get(what)
        if not is_list(new) or old == new:
            continue
        was = list(old) if is_list(old) else []
        for place, value in enumerate(new):
            had = was[place] if place < len(was) else None
            if had != value:
                seat = sides[place][0] if what in OF_A_UNIT else place
                facts.append(
                    {"what": what, "seat": names[seat], "place": place, "found": had, "to": value}
                )
    facts += _moves(before, after, names)
    for what in ("declared", "pledges", "slam_choice", *OF_A_SEAT):
        if before.get(what) != after.get(what):
            to = after.get(what)
            mark: JsonDict = {"what": what, "found": before.get(what), "to": to}
            if what in OF_A_SEAT and isinstance(to, int):
                mark["seat"] = names[to]
            facts.append(mark)
    return facts


def _moves(before: Entry, after: Entry, names: Sequence[str]) -> list[dict[str, object]]:
    removed: list[tuple[str, int]] = []
    added: list[tuple[str, int]] = []
    old, new = _places(before), _places(after)
    for place in dict.fromkeys((*old, *new)):
        was = old.get(place, Counter())
        now = new.get(place, Counter())
        removed += [(card, place) for card in (was - now).elements()]
        added += [(card, place) for card in (now - was).elements()]
    moves = []
    for card, place in added:
        source = next((at for at, (other, _) in enumerate(removed) if other == card), None)
        origin = removed.pop(source)[1] if source is not None else None
        moves.append(_move(card, origin, place, names))
    return moves + [_move(card, place, None, names) for card, place in removed]


def _move(card: str, origin: int | None, to: int | None, names: Sequence[str]) -> JsonDict:
    seats: dict[int | None, str | None] = {None: None, **dict(enumerate(names)), NOBODY: ""}
    name = card_name(card) if read_card(card) else card
    return {
        "what": "card",
        "card": card,
        "name": name,
        "found": origin,
        "to": to,
        "found_seat": seats[origin],
        "seat": seats[to],
    }


def _places(entry: Entry) -> dict[int, Counter[str]]:
    piles = dict(enumerate(entry.get("taken") or ()))
    listed = {NOBODY: entry.get("unclaimed") or (), **piles}
    return {
        place: Counter(read_card(code) or str(code) for code in pile)
        for place, pile in listed.items()
        if is_list(pile)
    }


def _claimed(hand: HandToRepair) -> Repairs:
    cards = [read_card(code) or "" for code in hand.unclaimed]
    for seat in hand.takers:
        yield hand.with_cards([(card, NOBODY) for card in cards], [(card, seat) for card in cards])
    yield without(hand.entry, "unclaimed")


def _unread(hand: HandToRepair) -> Repairs:
    """Repair a count that cannot be read: the number that was meant, or the remaining number."""
    problem = hand.problem
    name = str(problem.at[0])
    values = hand.entry.get(name)
    if len(problem.at) < 2 or not is_list(values):
        return
    place = int(problem.at[1])
    yield from point_repairs.answers(hand)
    others = [value for at, value in enumerate(values) if at != place]
    ready = hand.reading.ready
    candidates: list[Any] = []
    if all(type(value) is int for value in others):
        hearts = ready.heart_count - (hand.reading.unclaimed & ready.hearts).bit_count()
        totals = {"hearts": hearts, "tricks": ready.hand_size, "points": ready.deal_total}
        total = totals.get(name)
        if isinstance(total, int):
            candidates.append(total - sum(others))
    if type(values[place]) is int and values[place] < 0:
        candidates.append(-values[place])
    for value in [*candidates, 0]:
        if value >= 0 or name == "points":
            yield with_value(hand.entry, name, place, value)


def _dropped(hand: HandToRepair) -> Repairs:
    yield from card_repairs.instead(hand)
    at = hand.problem.at
    if not at:
        return
    name = str(at[0])
    value = hand.entry.get(str(at[0]))
    if len(at) < 2 or not is_list(value):
        yield without(hand.entry, name)
        return
    place = int(at[1])
    if name == "taken" and len(at) > 2:
        piles = hand.piles
        del piles[place][int(at[2])]
        yield {**hand.entry, "taken": piles}
    elif name == "pledges":
        yield with_value(hand.entry, name, place, None)
    else:
        entry = with_value(hand.entry, name, place)
        yield entry if entry[name] else without(hand.entry, name)


def _one_form(hand: HandToRepair) -> Repairs:
    """Hearts are entered both as a number and as cards: keep either the one or the other."""
    if hand.problem.facts.get("why") != "mixed":
        return
    hidden = set(hand.reading.ready.deck.names(hand.reading.ready.hearts))
    piles = [[code for code in pile if read_card(code) not in hidden] for pile in hand.piles]
    yield {**hand.entry, "taken": piles}
    yield without(hand.entry, "hearts")


_REPAIRS: Final[Mapping[str, Callable[[HandToRepair], Repairs]]] = {
    "missing_cards": card_repairs.missing_cards,
    "too_many_copies": card_repairs.too_many_copies,
    "tricks_sum": card_repairs.tricks_sum,
    "joker_without_heart": card_repairs.joker_without_heart,
    "cards_without_trick": card_repairs.cards_without_trick,
    "tricks_needed": card_repairs.tricks_needed,
    "choice_required": point_repairs.answers,
    "choice_forbidden": point_repairs.marks,
    "wrong_shooter": point_repairs.marks,
    "wrong_total": point_repairs.points,
    "impossible_points": point_repairs.points,
    "points_disagree": point_repairs.points_and_cards,
    "unclaimed_not_allowed": _claimed,
    "bad_count": _unread,
    "not_chargeable": _dropped,
    "unknown_pledge": _dropped,
    "unknown_seat": _dropped,
    "unknown_field": _dropped,
    "unknown_card": _dropped,
    "short_form_not_allowed": _one_form,
}
"""Code of the first problem → how it is repaired."""

MOST_BESIDE_SEATS: Final = 6
"""Maximum number of corrections besides one for each seat."""
MOST_PARTS: Final = 600
MOST_FIELDS: Final = 20
MOST_DEPTH: Final = 2


def corrected(
    rules: Rules, state: GameState, entry: object, problems: Sequence[Problem], budget: Budget
) -> tuple[Problem, ...]:
    """The problems of a refused entry with the corrections at the first of them.

    Every suggestion with a change has the corrected `entry` among its facts; entries that cannot
    be saved are left out. Causes without an entry (`one heart missing`) stay as they are.
    """
    if not isinstance(entry, Mapping) or not problems or not _is_a_sheet(entry):
        return tuple(problems)
    search = _Search(rules, state, dict(entry), budget)
    sides = unit_sides(rules, state.seats, state.teams)
    hinted = [_tried(search, problem) for problem in problems]
    keys = {
        _key(hint.facts["entry"])
        for problem in hinted
        for hint in problem.suggestions
        if "entry" in hint.facts
    }
    corrections: list[Suggestion] = []
    most = state.seats + MOST_BESIDE_SEATS - len(keys)
    try:
        for right in search.corrections(tuple(problems)):
            if len(corrections) >= most:
                break
            if _key(right) not in keys:
                keys.add(_key(right))
                changed = changes(search.entry, right, sides)
                facts = {"changes": changed, "entry": right}
                corrections.append(Suggestion("correction", (), facts))
    except OutOfBudget:
        pass  # what was found until then stands
    hints = (*hinted[0].suggestions, *corrections)
    return replace(hinted[0], suggestions=hints), *hinted[1:]


def _is_a_sheet(entry: Mapping[str, object]) -> bool:
    """Whether the entry may be meant as a hand: nothing in it is longer than on any sheet."""
    budget = MOST_PARTS
    ahead = [(0, value) for value in entry.values()]
    while ahead and budget:
        budget -= 1
        depth, value = ahead.pop()
        if is_list(value):
            if depth >= MOST_DEPTH or len(value) > budget:
                return False
            ahead += [(depth + 1, part) for part in value]
        elif isinstance(value, Mapping) or _is_too_long(value):
            return False
    return not ahead and len(entry) <= MOST_FIELDS


def _is_too_long(value: object) -> bool:
    if isinstance(value, int):
        return abs(value) > LARGEST
    return isinstance(value, str) and len(value) > LONGEST


def _tried(search: "_Search", problem: Problem) -> Problem:
    suggestions = []
    for hint in problem.suggestions:
        if hint.code not in DEFINITE:
            suggestions.append(hint)
            continue
        right = named_repair(search.entry, hint)
        try:
            if right is not None and search.problems(right) == ():
                suggestions.append(Suggestion(hint.code, hint.at, {**hint.facts, "entry": right}))
        except OutOfBudget:
            if problem.code == QUESTION:  # the rules made it, with the scores it gives
                suggestions.append(hint)
    return replace(problem, suggestions=tuple(suggestions))


def _key(entry: Entry) -> str:
    return json.dumps(entry, sort_keys=True, default=str)


class _Search:
    """The search: entries one repair away, then two and three from those with fewer problems."""

    def __init__(self, rules: Rules, state: GameState, entry: Entry, budget: Budget) -> None:
        self.rules, self.state, self.entry = rules, state, entry
        # No causes are looked for in what is only tried.
        self.budget = Budget(hints=0, within=budget)
        self.outcomes: dict[str, Refusal] = {}

    def problems(self, entry: Entry) -> Refusal:
        """The problems of an entry; empty where it can be saved."""
        key = _key(entry)
        if key in self.outcomes:
            return self.outcomes[key]
        if len(self.outcomes) >= MOST_TRIALS:
            raise OutOfBudget
        self.budget.spend(100)
        problems: Refusal = ()
        try:
            score_entry(self.rules, entry, self.state, self.budget)
        except OutOfBudget:
            raise
        except Refused as refused:
            problems = refused.problems
        self.outcomes[key] = problems
        return problems

    def repairs(self, entry: Entry, refused: Refusal) -> Iterator[Entry]:
        """The entries one repair away from a refused one, likeliest first.

        The first problem is repaired, with what may have been one mistake together with it.
        """
        reading = read_entry(entry, self.rules, self.state.seats, self.state.teams)
        hand = HandToRepair(
            entry, reading, refused, lambda: trial_of(reading, self.state, self.budget)
        )
        repair = meld_repairs if self.rules.keys.melds else _REPAIRS.get(refused[0].code)
        for repaired in repair(hand) if repair else ():
            if repaired is not None and repaired != entry:
                yield repaired

    def corrections(self, problems: Refusal) -> Iterator[Entry]:
        """The entries that can be saved, likeliest first."""
        ahead = [(self.entry, problems)]
        for _step in range(MOST_STEPS):
            nearer: list[tuple[Entry, Refusal]] = []
            for entry, refused in ahead[:MOST_OPEN]:
                for repaired in self.repairs(entry, refused):
                    remaining = self.problems(repaired)
                    is_question = {problem.code for problem in remaining} == {QUESTION}
                    if not remaining:
                        yield repaired
                    elif is_question and remaining != refused:
                        answers = self.repairs(repaired, remaining)
                        yield from (answer for answer in answers if not self.problems(answer))
                    elif len(remaining) < len(refused):
                        nearer.append((repaired, remaining))
            ahead = nearer
