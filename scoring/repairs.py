"""Repairs: one mistake in an entry taken back, at every place where it may have been made.

Pure. Each function yields whole entries for one kind of refusal, likeliest first; whether an entry
can be saved is for `scoring.corrections` to try. See docs/scoring/likely.md.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

from scoring.cards import card_name, read_card
from scoring.errors import Problem, Suggestion
from scoring.mistakes import PRECISE, VAGUE
from scoring.miswritten import vectors_of
from scoring.numbers import score_json
from scoring.sheet import seat_names
from scoring.stories import Trial
from scoring.typed import Typed

Entry: TypeAlias = dict[str, Any]
Refusal: TypeAlias = tuple[Problem, ...]
NOBODY: Final = -1
"""The place of cards that are unclaimed."""
MOST_GUESSES: Final = 60
"""Places at which one kind of mistake is looked for in points."""
MOST_VECTORS: Final = 400
_MARKS: Final = ("slam_choice", "shooter")


class Hand(NamedTuple):
    """A refused entry: as it was typed, as it was read, and its points as a trial."""

    entry: Entry
    typed: Typed
    trial: Callable[[], Trial]

    @property
    def seats(self) -> tuple[int, ...]:
        """One seat for each unit: the one that its counts stand at."""
        counts = self.counts("hearts") or self.counts("tricks")
        if counts is None:
            return tuple(side[0] for side in self.typed.sides)
        return tuple(max(side, key=lambda seat: counts[seat]) for side in self.typed.sides)

    def counts(self, name: str) -> list[int] | None:
        """The counts of each seat, where all can be read."""
        found = self.entry.get(name)
        if not isinstance(found, list | tuple) or len(found) != self.typed.seats:
            return None
        return list(found) if all(type(one) is int for one in found) else None

    @property
    def piles(self) -> list[list[str]]:
        """The cards listed for each seat."""
        found = self.entry.get("taken")
        if not isinstance(found, list | tuple) or len(found) != self.typed.seats:
            return [[] for _ in range(self.typed.seats)]
        return [list(pile) if isinstance(pile, list | tuple) else [] for pile in found]

    @property
    def unclaimed(self) -> list[str]:
        """The cards that stand as nobody's."""
        found = self.entry.get("unclaimed")
        return list(found) if isinstance(found, list | tuple) else []

    def weight(self, seat: int) -> int:
        """How much stands at a seat."""
        counts = self.counts("hearts")
        return len(self.piles[seat]) + (counts[seat] if counts else 0)

    @property
    def takers(self) -> list[int]:
        """The seats, whoever took most first: a stray card is likelier with them."""
        return sorted(self.seats, key=lambda seat: -self.weight(seat))

    def with_counts(self, name: str, seat: int, by: int) -> Entry | None:
        """The entry with one seat's count so much higher; None below nothing."""
        counts = self.counts(name)
        if counts is None or counts[seat] + by < 0:
            return None
        counts[seat] += by
        return {**self.entry, name: counts}

    def with_cards(
        self, gone: Sequence[tuple[str, int]] = (), given: Sequence[tuple[str, int]] = ()
    ) -> Entry:
        """The entry with cards taken off seats and given to seats, `NOBODY` among them.

        A heart that the sheet counts is counted; one seat's pile keeps its order.
        """
        piles, left = self.piles, self.unclaimed
        counts = self.counts("hearts") if self.typed.form == "counts" else None
        hidden = set(self.typed.ready.deck.names(self.typed.ready.hearts)) if counts else set()
        for sign, cards in ((-1, gone), (1, given)):
            for card, seat in cards:
                if seat != NOBODY and counts is not None and card in hidden:
                    counts[seat] = max(counts[seat] + sign, 0)
                    continue
                pile = left if seat == NOBODY else piles[seat]
                if sign > 0:
                    pile.append(card)
                    continue
                places = [place for place, code in enumerate(pile) if _same(code, card)]
                for place in places[-1:]:
                    del pile[place]
        found = {**self.entry, "taken": piles}
        if counts is not None:
            found["hearts"] = counts
        found.pop("unclaimed", None)
        return {**found, "unclaimed": left} if left else found


def _same(code: object, card: str) -> bool:
    return code == card or read_card(code) == card


def _without(entry: Entry, *names: str) -> Entry:
    return {name: value for name, value in entry.items() if name not in names}


def repairs(hand: Hand, refused: Refusal) -> Iterator[Entry]:
    """The entries one repair away from a refused one, likeliest first.

    The first problem is repaired, with what may have been one mistake together with it.
    """
    for entry in _REPAIRS.get(refused[0].code, _none)(hand, refused):
        if entry is not None and entry != hand.entry:
            yield entry


def named_repair(entry: Entry, problem: Problem, hint: Suggestion) -> Entry | None:
    """The entry that a suggestion names: the points, the answer or the number that it says."""
    facts = hint.facts
    if hint.code in ("seat_should_be", "wrong_sign"):
        points = list(entry.get("points") or ())
        place = hint.at[1] if len(hint.at) > 1 else None
        if not isinstance(place, int) or place >= len(points):
            return None
        points[place] = facts["points"]
        return {**entry, "points": points}
    if hint.code == "settle":
        if "points" in entry:
            return {**_without(entry, *_MARKS), "points": list(facts["scores"])}
        return {**entry, "slam_choice": facts["choice"]} if facts.get("choice") else None
    if hint.code == "who_shot":
        return {**entry, "shooter": int(facts["by"][0])}
    if hint.code == "not_a_number" and len(hint.at) > 1:
        name, place = str(hint.at[0]), int(hint.at[1])
        counts = list(entry.get(name) or ())
        counts[place] = int(facts["guess"])
        return {**entry, name: counts}
    return None


def _none(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    yield from ()


def _off(problem: Problem) -> int:
    return int(problem.facts["expected"]) - int(problem.facts["found"])


def _by_count(hand: Hand, name: str, by: int) -> list[int]:
    """Seats whose count may be off by so much, likeliest first.

    Few seats take all that counts in most hands, so one with a count comes before one without; a
    count too low is likelier a low one, and a count too high a high one, because there are more
    hands with it put right.
    """
    counts = hand.counts(name) or []
    has = [seat for seat in hand.seats if counts[seat]]
    none = [seat for seat in hand.seats if not counts[seat]]
    return sorted(has, key=lambda seat: counts[seat] if by > 0 else -counts[seat]) + none


def _missing_cards(refused: Refusal) -> list[str]:
    """Every card that is missing by name, each copy."""
    found: list[str] = []
    for problem in refused:
        if problem.code == "missing_cards" and problem.at[:1] == ("taken",):
            cards = list(problem.facts.get("cards", ()))
            found += cards * _off(problem) if len(cards) == 1 else cards
    return found


def _hearts_off(refused: Refusal) -> int:
    """By how many hearts the counts are short; below 0 where there are too many."""
    codes = ("missing_cards", "too_many_copies")
    return sum(_off(one) for one in refused if one.code in codes and one.at[:1] == ("hearts",))


def _given(hand: Hand, hearts: int, cards: Sequence[str], seat: int) -> Entry:
    """The entry with so many hearts more and these cards at one seat, or with nobody."""
    if seat == NOBODY:
        ready = hand.typed.ready
        free = list((Counter(ready.deck.names(ready.hearts)) - Counter(hand.unclaimed)).elements())
        return hand.with_cards(given=[(card, NOBODY) for card in [*free[:hearts], *cards]])
    counted = hand.with_counts("hearts", seat, hearts) if hearts else hand.entry
    return hand._replace(entry=counted or hand.entry).with_cards(
        given=[(card, seat) for card in cards]
    )


def _missing(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    problem = refused[0]
    if problem.at[:1] == ("clean",):
        clean = list(hand.entry["clean"])
        for unit, _ in enumerate(clean):
            yield {**hand.entry, "clean": [*clean[:unit], False, *clean[unit + 1 :]]}
        return
    cards, hearts = _missing_cards(refused), max(_hearts_off(refused), 0)
    yield from _instead(hand, refused)
    places = [*hand.takers]
    nobody = [NOBODY] if hand.typed.ready.unclaimed_allowed else []
    if not cards:
        places = _by_count(hand, "hearts", hearts)
    for seat in [*places, *nobody]:
        yield _given(hand, hearts, cards, seat)
    if problem.at[:1] == ("hearts",) and cards:
        for seat in _by_count(hand, "hearts", hearts):
            yield _given(hand, hearts, (), seat)
    elif len(cards) > 1:
        for seat in [*places, *nobody]:
            yield _given(hand, 0, cards[:1], seat)


def _instead(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    """A card too often, and another missing: one stands where the other belongs."""
    missing = _missing_cards(refused)
    over = [one for one in refused if one.code == "too_many_copies" and one.at[:1] != ("hearts",)]
    odd = [one for one in refused if one.code == "unknown_card" and one.at[:1] == ("taken",)]
    hearts = _hearts_off(refused)
    if len(over) == 1 and len(missing) + max(hearts, 0) == 1:
        card = str(over[0].facts["card"])
        for seat in _holders(hand, card):
            if missing:
                yield hand.with_cards([(card, seat)], [(missing[0], seat)])
            elif seat != NOBODY:
                left = hand.with_cards([(card, seat)])
                yield hand._replace(entry=left).with_counts("hearts", seat, 1)
    if hearts == -1 and len(missing) == 1:
        for seat in _by_count(hand, "hearts", -1):
            counted = hand.with_counts("hearts", seat, -1)
            if counted is not None:
                yield hand._replace(entry=counted).with_cards(given=[(missing[0], seat)])
    if len(odd) == 1 and len(odd[0].at) > 2 and len(missing) + max(hearts, 0) == 1:
        _taken, at_seat, place = odd[0].at
        piles = hand.piles
        del piles[int(at_seat)][int(place)]
        left = {**hand.entry, "taken": piles}
        yield _given(hand._replace(entry=left), max(hearts, 0), missing, int(at_seat))


def _holders(hand: Hand, card: str) -> list[int]:
    """Where a card stands, a seat that has it twice first."""
    piles = {NOBODY: hand.unclaimed, **dict(enumerate(hand.piles))}
    held = {seat: sum(_same(code, card) for code in pile) for seat, pile in piles.items()}
    found = [seat for seat, number in held.items() if number]
    return sorted(found, key=lambda seat: (-held[seat], seat == NOBODY, hand.weight(seat)))


def _too_many(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    problem = refused[0]
    yield from _instead(hand, refused)
    if problem.at[:1] == ("hearts",):
        for seat in _by_count(hand, "hearts", _off(problem)):
            yield hand.with_counts("hearts", seat, _off(problem))
        hidden = set(hand.typed.ready.deck.names(hand.typed.ready.hearts))
        left = [card for card in hand.unclaimed if card in hidden]
        yield hand.with_cards([(card, NOBODY) for card in left[: -_off(problem)]])
        return
    card, over = str(problem.facts["card"]), -_off(problem)
    holders = _holders(hand, card)
    for seat in holders:
        if over == 1:
            yield hand.with_cards([(card, seat)])
            continue
        others = [one for one in holders if one != seat]
        yield hand.with_cards([(card, one) for one in (others * over)[:over]])


def _tricks(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    problem = refused[0]
    counts = hand.counts("tricks") or []
    if "first" in problem.facts:
        for seat in hand.seats:
            if counts and counts[seat]:
                yield {**hand.entry, "first_trick_by": seat}
        yield from _one_trick_more(hand, int(problem.at[1]))
        return
    bare = {int(one.at[1]) for one in refused if one.code == "cards_without_trick"}
    order = _by_count(hand, "tricks", _off(problem))
    for seat in sorted(order, key=lambda seat: seat not in bare):
        yield hand.with_counts("tricks", seat, _off(problem))


def _one_trick_more(hand: Hand, seat: int) -> Iterator[Entry | None]:
    """One trick more for a seat, taken from another one."""
    counts = hand.counts("tricks")
    if counts is None:
        return
    for other in sorted(hand.seats, key=lambda one: -counts[one]):
        if other != seat and counts[other] > 0:
            moved = list(counts)
            moved[seat], moved[other] = moved[seat] + 1, moved[other] - 1
            yield {**hand.entry, "tricks": moved}


def _trickless(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    seat = int(refused[0].at[1])
    counts, tricks = hand.counts("hearts"), hand.counts("tricks") or []
    side = next((side for side in hand.typed.sides if seat in side), (seat,))
    cards = [(code, one) for one in side for code in hand.piles[one]]
    hearts = sum(counts[one] for one in side) if counts else 0
    moves = []
    for other in sorted(hand.seats, key=lambda one: -hand.weight(one)):
        if other in side or (tricks and not tricks[other]):
            continue
        moved = hand.with_cards(cards, [(card, other) for card, _ in cards])
        if counts:
            now = list(moved["hearts"])
            for one in side:
                now[one] = 0
            now[other] += hearts
            moved = {**moved, "hearts": now}
        moves.append(moved)
    more = list(_one_trick_more(hand, seat))
    # A stray card is likelier than a trick in the wrong row; a pile of cards is not.
    if len(cards) + hearts <= 1:
        yield from [*moves, *more]
    else:
        yield from [*more, *moves]


def _first_trick(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    counts = hand.counts("tricks")
    if refused[0].facts.get("first"):
        for seat in hand.seats:
            if counts is None or counts[seat]:
                yield {**hand.entry, "first_trick_by": seat}


def _answers(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    for hint in refused[0].suggestions:
        yield named_repair(hand.entry, refused[0], hint)


def _marks(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    """A moon is marked that the cards or the points do not show."""
    if hand.typed.form == "points":
        yield from _marked_points(hand)
    elif any(one.facts.get("why") == "not_open" for one in refused):
        for choice in ("self", "others"):
            yield {**hand.entry, "slam_choice": choice}
    else:
        yield from _moon_of(hand)
    for problem in refused:
        seat = problem.facts.get("seat")
        if problem.code == "wrong_shooter" and seat in seat_names(hand.typed.seats):
            yield {**hand.entry, "shooter": seat_names(hand.typed.seats).index(str(seat))}
    yield _without(hand.entry, str(refused[0].at[0]))
    yield _without(hand.entry, *_MARKS)


def _moon_of(hand: Hand) -> Iterator[Entry | None]:
    """All that a moon needs with the seat that is marked, or with whoever has most of it."""
    ready = hand.typed.ready
    marked = hand.typed.shooter
    found: list[tuple[int, Entry]] = []
    for slam in ready.slams:
        needs = Counter(ready.deck.names(slam.needs))
        for seat in hand.seats:
            side = next(side for side in hand.typed.sides if seat in side)
            if marked is not None and marked not in side:
                continue
            moved, entry = _gathered(hand, needs, seat, side)
            if moved:
                found.append((moved, entry))
    few = sorted(found, key=lambda one: one[0])
    yield from (entry for moved, entry in few if moved <= 2 or marked is not None)


def _gathered(hand: Hand, needs: Counter[str], seat: int, side: Sequence[int]) -> tuple[int, Entry]:
    """The entry with these cards at one seat, and how many of them had to move."""
    counts = hand.counts("hearts") if hand.typed.form == "counts" else None
    hidden = set(hand.typed.ready.deck.names(hand.typed.ready.hearts)) if counts else set()
    moves: list[tuple[str, int]] = []
    for other, pile in {NOBODY: hand.unclaimed, **dict(enumerate(hand.piles))}.items():
        if other not in side:
            cards = [read_card(code) or "" for code in pile]
            moves += [(card, other) for card in cards if card in needs and card not in hidden]
    entry = hand.with_cards(moves, [(card, seat) for card, _ in moves])
    stray = 0
    if counts is not None and hidden <= set(needs):
        stray = sum(count for other, count in enumerate(counts) if other not in side)
        now = [count if other in side else 0 for other, count in enumerate(counts)]
        now[seat] += stray
        entry = {**entry, "hearts": now}
    return len(moves) + stray, entry


def _marked_points(hand: Hand) -> Iterator[Entry | None]:
    """The points of the settlement that is marked."""
    typed = hand.typed
    for vector in islice(vectors_of(hand.trial()), MOST_VECTORS):
        shot, way = vector.story.shot, vector.story.way
        if shot is None or not vector.is_open:
            continue
        is_shooter = typed.shooter is None or typed.shooter in typed.sides[shot.unit]
        if is_shooter and typed.choice in (None, way):
            scores = [score_json(score) for score in vector.scores]
            yield {**hand.entry, "points": scores}


def _points(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    """Points that no hand makes."""
    problem, typed = refused[0], hand.typed
    if typed.points is None:
        return
    for hint in problem.suggestions:
        yield named_repair(hand.entry, problem, hint)
    trial = hand.trial()
    both = {"both_settlements", "shooter_as_well"} & {hint.code for hint in problem.suggestions}
    yield from _settled(hand, trial, sure=bool(both))
    for cause in PRECISE:
        yield from _guessed(hand, islice(cause(trial), MOST_GUESSES))
    found, expected = problem.facts.get("found"), problem.facts.get("expected")
    if type(found) is int and type(expected) is int:
        yield from _stepped(hand, expected - found)
    for cause in VAGUE:
        yield from _guessed(hand, islice(cause(trial), MOST_GUESSES))
    yield from _stepped(hand, 1)
    yield from _stepped(hand, -1)
    if problem.code == "impossible_points":
        yield from _moved(hand, 0)
    yield from _settled(hand, trial, sure=True)
    if type(found) is int and type(expected) is int and abs(expected - found) > 1:
        yield from _moved(hand, expected - found)


def _settled(hand: Hand, trial: Trial, *, sure: bool) -> Iterator[Entry | None]:
    """Settlements that the points are near to, the nearest first; both forms of each.

    Args:
        sure: whether the points tell of a moon at all; else all but one seat must agree.
    """
    near: dict[tuple[Any, ...], int] = {}
    shooters: dict[int, int] = {}
    vectors = list(islice(vectors_of(trial), MOST_VECTORS))
    for vector in vectors:
        shot = vector.story.shot
        if shot is None:
            continue
        pairs = zip(trial.points, vector.scores, strict=True)
        wrong = sum(point != right for point, right in pairs)
        zero = trial.ready.zero
        alike = all(
            (point != zero) == (right != zero)
            for point, right in zip(trial.points, vector.scores, strict=True)
        )
        if alike and len({point for point in trial.points if point != zero}) == 1:
            wrong = 0 if sum(point != zero for point in trial.points) > 1 else wrong
        shooters[shot.unit] = min(wrong, shooters.get(shot.unit, wrong))
        if vector.is_open:
            near[vector.scores] = min(wrong, near.get(vector.scores, wrong))
    units = len(trial.points)
    best = min(shooters.values(), default=units)
    for scores, wrong in sorted(near.items(), key=lambda one: one[1]):
        if wrong <= (1 if units > 2 else 0):
            yield {**hand.entry, "points": [score_json(score) for score in scores]}
    if not sure or best > max(units // 2, 1):
        return
    for vector in vectors:
        shot = vector.story.shot
        if shot is not None and vector.is_open and shooters[shot.unit] == best:
            yield {**hand.entry, "points": [score_json(score) for score in vector.scores]}


def _guessed(hand: Hand, guesses: Iterator[Any]) -> Iterator[Entry | None]:
    """What mistakes of `scoring.mistakes` leave, the seats in the order of `_by_points`."""
    typed = hand.typed
    order = {unit: place for place, unit in enumerate(_by_points(hand, 1))}
    listed = sorted(guesses, key=lambda guess: order.get(guess.unit, -1))
    for guess in listed:
        right, entry = guess.right, dict(hand.entry)
        if right.points != typed.points:
            entry["points"] = [score_json(point) for point in right.points]
        if right.captured.declared != typed.declared:
            entry["declared"] = sorted(right.captured.declared)
        if right.captured.unclaimed != typed.unclaimed:
            if not typed.ready.unclaimed_allowed:
                continue
            entry["unclaimed"] = typed.ready.deck.names(right.captured.unclaimed)
        yield entry


def _by_points(hand: Hand, by: int) -> list[int]:
    """Units whose points may be off by so much, likeliest first, as in `_by_count`."""
    points = hand.entry["points"]
    sizes = [abs(point) if type(point) is int else 1 for point in points]
    has = [unit for unit, size in enumerate(sizes) if size]
    none = [unit for unit, size in enumerate(sizes) if not size]
    return sorted(has, key=lambda unit: sizes[unit] if by > 0 else -sizes[unit]) + none


def _stepped(hand: Hand, by: int) -> Iterator[Entry | None]:
    """One seat's points so much higher."""
    points = list(hand.entry["points"])
    for unit in _by_points(hand, by):
        if by and type(points[unit]) is int:
            yield {
                **hand.entry,
                "points": [*points[:unit], points[unit] + by, *points[unit + 1 :]],
            }


def _moved(hand: Hand, by: int) -> Iterator[Entry | None]:
    """Two seats wrong at once: together so much too little, and one of them by a single point."""
    points = list(hand.entry["points"])
    step = -1 if by <= 0 else 1
    for one in _by_points(hand, by):
        for other in _by_points(hand, step):
            if one != other and type(points[one]) is int and type(points[other]) is int:
                moved = list(points)
                moved[one], moved[other] = moved[one] + by - step, moved[other] + step
                yield {**hand.entry, "points": moved}


def _disagree(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    """Cards and points say different things: a card with the wrong seat, or points."""
    facts = refused[0].facts
    pairs = list(zip(facts["found"], facts["expected"], strict=True))
    off = [unit for unit, (found, expected) in enumerate(pairs) if found != expected]
    points = {**hand.entry, "points": list(facts["expected"])}
    if len(off) == 1:
        yield points
    if len(off) == 2:
        seats = hand.seats
        for giver, taker in (off, off[::-1]):
            one, other = seats[giver], seats[taker]
            counts = hand.counts("hearts")
            for number in range(1, counts[one] + 1) if counts else ():
                moved = hand.with_counts("hearts", one, -number)
                if moved is not None:
                    yield hand._replace(entry=moved).with_counts("hearts", other, number)
            for card in dict.fromkeys(read_card(code) or "" for code in hand.piles[one]):
                yield hand.with_cards([(card, one)], [(card, other)])
    yield points


def _claimed(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    cards = [read_card(code) or "" for code in hand.unclaimed]
    for seat in hand.takers:
        yield hand.with_cards([(card, NOBODY) for card in cards], [(card, seat) for card in cards])
    yield _without(hand.entry, "unclaimed")


def _unread(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    """A count that cannot be read: the number that was meant, or the rest."""
    problem = refused[0]
    name = str(problem.at[0])
    values = hand.entry.get(name)
    if len(problem.at) < 2 or not isinstance(values, list | tuple):
        return
    place = int(problem.at[1])
    for hint in problem.suggestions:
        yield named_repair(hand.entry, problem, hint)
    others = [value for at, value in enumerate(values) if at != place]
    ready = hand.typed.ready
    wanted: list[Any] = []
    if all(type(value) is int for value in others):
        left = {"hearts": ready.heart_count, "tricks": ready.hand_size, "points": ready.deal_total}
        total = left.get(name)
        if isinstance(total, int):
            unclaimed = hand.typed.unclaimed & ready.hearts if name == "hearts" else 0
            wanted.append(total - unclaimed.bit_count() - sum(others))
    if type(values[place]) is int:
        wanted += [-values[place]] if values[place] < 0 else []
    for value in [*wanted, 0]:
        if value >= 0 or name == "points":
            yield {**hand.entry, name: [*values[:place], value, *values[place + 1 :]]}


def _dropped(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    """What the rules do not know is left out."""
    yield from _instead(hand, refused)
    at = refused[0].at
    if not at:
        return
    name, value = str(at[0]), hand.entry.get(str(at[0]))
    if len(at) < 2 or not isinstance(value, list | tuple):
        yield _without(hand.entry, name)
        return
    place = int(at[1])
    if name == "taken" and len(at) > 2:
        piles = hand.piles
        del piles[place][int(at[2])]
        yield {**hand.entry, "taken": piles}
    elif name == "pledges":
        yield {**hand.entry, name: [*value[:place], None, *value[place + 1 :]]}
    else:
        left = [*value[:place], *value[place + 1 :]]
        yield {**hand.entry, name: left} if left else _without(hand.entry, name)


def _one_form(hand: Hand, refused: Refusal) -> Iterator[Entry | None]:
    """Hearts as a number and as cards: one of the two."""
    if refused[0].facts.get("why") != "mixed":
        return
    hidden = set(hand.typed.ready.deck.names(hand.typed.ready.hearts))
    piles = [[code for code in pile if read_card(code) not in hidden] for pile in hand.piles]
    yield {**hand.entry, "taken": piles}
    yield _without(hand.entry, "hearts")


_REPAIRS: Final[Mapping[str, Callable[[Hand, Refusal], Iterator[Entry | None]]]] = {
    "missing_cards": _missing,
    "too_many_copies": _too_many,
    "tricks_sum": _tricks,
    "cards_without_trick": _trickless,
    "tricks_needed": _first_trick,
    "choice_required": _answers,
    "choice_forbidden": _marks,
    "wrong_shooter": _marks,
    "wrong_total": _points,
    "impossible_points": _points,
    "points_disagree": _disagree,
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


def changes(before: Entry, after: Entry, typed: Typed) -> list[dict[str, Any]]:
    """What differs between two entries, as facts: `what`, where (`seat`, `place`), `found`, `to`.

    Cards say `card`, `found` and `to` as places; None is nowhere and `NOBODY` unclaimed.
    """
    names = seat_names(typed.seats)
    found: list[dict[str, Any]] = []
    for what in ("hearts", "tricks", "points", "clean"):
        old, new = before.get(what), after.get(what)
        if not isinstance(new, list | tuple) or old == new:
            continue
        was = list(old) if isinstance(old, list | tuple) else []
        for place, value in enumerate(new):
            had = was[place] if place < len(was) else None
            if had != value:
                seat = place if what in ("hearts", "tricks") else typed.sides[place][0]
                found.append(
                    {"what": what, "seat": names[seat], "place": place, "found": had, "to": value}
                )
    found += _moves(before, after, names)
    for what in ("declared", "pledges", "slam_choice", "shooter", "first_trick_by", "passer"):
        if before.get(what) != after.get(what):
            to = after.get(what)
            mark: dict[str, Any] = {"what": what, "found": before.get(what), "to": to}
            if what in ("shooter", "first_trick_by", "passer") and isinstance(to, int):
                mark["seat"] = names[to]
            found.append(mark)
    return found


def _moves(before: Entry, after: Entry, names: Sequence[str]) -> list[dict[str, Any]]:
    gone: list[tuple[str, int]] = []
    come: list[tuple[str, int]] = []
    old, new = _places(before), _places(after)
    for place in dict.fromkeys((*old, *new)):
        was, now = old.get(place, Counter()), new.get(place, Counter())
        gone += [(card, place) for card in (was - now).elements()]
        come += [(card, place) for card in (now - was).elements()]
    found = []
    for card, place in come:
        source = next((at for at, one in enumerate(gone) if one[0] == card), None)
        origin = gone.pop(source)[1] if source is not None else None
        found.append(_move(card, origin, place, names))
    return found + [_move(card, place, None, names) for card, place in gone]


def _move(card: str, found: int | None, to: int | None, names: Sequence[str]) -> dict[str, Any]:
    told = {"what": "card", "card": card, "name": card_name(card) if read_card(card) else card}
    where = {None: None, NOBODY: ""}
    return {
        **told,
        "found": found,
        "to": to,
        "found_seat": where.get(found, names[found] if found is not None else None),
        "seat": where.get(to, names[to] if to is not None else None),
    }


def _places(entry: Entry) -> dict[int, Counter[str]]:
    piles = dict(enumerate(entry.get("taken") or ()))
    listed = {NOBODY: entry.get("unclaimed") or (), **piles}
    return {
        place: Counter(read_card(code) or str(code) for code in pile)
        for place, pile in listed.items()
        if isinstance(pile, list | tuple)
    }
