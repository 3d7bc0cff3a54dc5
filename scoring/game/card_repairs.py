"""Repairs of cards, counts and tricks: one mistake undone, likeliest place first."""

from collections import Counter
from collections.abc import Iterator, Sequence

from scoring.game.hand_to_repair import NOBODY, Entry, HandToRepair, Refusal, off_by, same_card


def _by_count(hand: HandToRepair, name: str, by: int) -> list[int]:
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
            found += cards * off_by(problem) if len(cards) == 1 else cards
    return found


def _hearts_off(refused: Refusal) -> int:
    """By how many hearts the counts are short; below 0 where there are too many."""
    codes = ("missing_cards", "too_many_copies")
    return sum(off_by(one) for one in refused if one.code in codes and one.at[:1] == ("hearts",))


def _given(hand: HandToRepair, hearts: int, cards: Sequence[str], seat: int) -> Entry:
    """The entry with so many hearts more and these cards at one seat, or with nobody."""
    if seat == NOBODY:
        ready = hand.typed.ready
        free = list((Counter(ready.deck.names(ready.hearts)) - Counter(hand.unclaimed)).elements())
        return hand.with_cards(given=[(card, NOBODY) for card in [*free[:hearts], *cards]])
    counted = hand.with_counts("hearts", seat, hearts) if hearts else hand.entry
    return hand._replace(entry=counted or hand.entry).with_cards(
        given=[(card, seat) for card in cards]
    )


def missing_cards(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    """Cards that are missing were taken by somebody, or stand written as others."""
    problem = refused[0]
    if problem.at[:1] == ("clean",):
        clean = list(hand.entry["clean"])
        for unit, _ in enumerate(clean):
            yield {**hand.entry, "clean": [*clean[:unit], False, *clean[unit + 1 :]]}
        return
    cards, hearts = _missing_cards(refused), max(_hearts_off(refused), 0)
    yield from instead(hand, refused)
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


def instead(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
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


def _holders(hand: HandToRepair, card: str) -> list[int]:
    """Where a card stands, a seat that has it twice first."""
    piles = {NOBODY: hand.unclaimed, **dict(enumerate(hand.piles))}
    held = {seat: sum(same_card(code, card) for code in pile) for seat, pile in piles.items()}
    found = [seat for seat, number in held.items() if number]
    return sorted(found, key=lambda seat: (-held[seat], seat == NOBODY, hand.weight(seat)))


def too_many_copies(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    """A card that stands more often than there are copies is taken off a seat."""
    problem = refused[0]
    yield from instead(hand, refused)
    if problem.at[:1] == ("hearts",):
        for seat in _by_count(hand, "hearts", off_by(problem)):
            yield hand.with_counts("hearts", seat, off_by(problem))
        hidden = set(hand.typed.ready.deck.names(hand.typed.ready.hearts))
        left = [card for card in hand.unclaimed if card in hidden]
        yield hand.with_cards([(card, NOBODY) for card in left[: -off_by(problem)]])
        return
    card, over = str(problem.facts["card"]), -off_by(problem)
    holders = _holders(hand, card)
    for seat in holders:
        if over == 1:
            yield hand.with_cards([(card, seat)])
            continue
        others = [one for one in holders if one != seat]
        yield hand.with_cards([(card, one) for one in (others * over)[:over]])


def tricks_sum(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    """Tricks that do not come out even: one seat's number is another."""
    problem = refused[0]
    counts = hand.counts("tricks") or []
    if "first" in problem.facts:
        for seat in hand.seats:
            if counts and counts[seat]:
                yield {**hand.entry, "first_trick_by": seat}
        yield from _one_trick_more(hand, int(problem.at[1]))
        return
    bare = {int(one.at[1]) for one in refused if one.code == "cards_without_trick"}
    order = _by_count(hand, "tricks", off_by(problem))
    for seat in sorted(order, key=lambda seat: seat not in bare):
        yield hand.with_counts("tricks", seat, off_by(problem))


def _one_trick_more(hand: HandToRepair, seat: int) -> Iterator[Entry | None]:
    """One trick more for a seat, taken from another one."""
    counts = hand.counts("tricks")
    if counts is None:
        return
    for other in sorted(hand.seats, key=lambda one: -counts[one]):
        if other != seat and counts[other] > 0:
            moved = list(counts)
            moved[seat], moved[other] = moved[seat] + 1, moved[other] - 1
            yield {**hand.entry, "tricks": moved}


def cards_without_trick(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    """Cards at a seat without a trick: it took one, or they are another's."""
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
    # A stray card is likelier than a trick in the wrong row; several cards are not.
    if len(cards) + hearts <= 1:
        yield from [*moves, *more]
    else:
        yield from [*more, *moves]


def tricks_needed(hand: HandToRepair, refused: Refusal) -> Iterator[Entry | None]:
    """The first trick of the hand is somebody's."""
    counts = hand.counts("tricks")
    if refused[0].facts.get("first"):
        for seat in hand.seats:
            if counts is None or counts[seat]:
                yield {**hand.entry, "first_trick_by": seat}
