"""The first half of a rules card: who plays with which cards, and how a hand goes.

Pure. See docs/scoring/rules-card.md.
"""

import re
from collections.abc import Iterator

from scoring.dealing import pass_of, uneven
from scoring.prepared import Prepared, prepare
from scoring.rules import Rules
from scoring.rules_card.parts import Row, Section, Text
from scoring.rules_card.wording import Sentence, either, joined, say, sign
from scoring.sheet import seat_names

_BASES = {
    "std52": "a pack of 52", "low32": "a pack of 32", "low28": "a pack of 28",
    "500x60": "a pack of 60", "rook56": "a Rook pack of 56",
}  # fmt: skip
_SEVERAL = {
    "std52": "{n} packs of 52", "low32": "{n} packs of 32", "low28": "{n} packs of 28",
    "500x60": "{n} packs of 60", "rook56": "{n} Rook packs of 56",
}  # fmt: skip
_RANKS = {
    "low32": "Seven to ace in each suit.", "low28": "Eight to ace in each suit.",
    "500x60": "Two to ace in each suit, with 11 and 12 after the ten.",
    "rook56": "1 to 14 in red, yellow, green and black.",
}  # fmt: skip
_AIMS = {
    "low": "To have the lowest total.", "high": "To have the highest total.",
    "abs_low": "To stay nearest to 0.",
}  # fmt: skip
_WAYS = {
    "left": "left", "right": "right", "across": "across", "hold": "no pass",
    "dealer's call": "as the dealer calls",
}  # fmt: skip
_EVERY_HAND = {
    "left": "Before each hand everyone passes {n} cards to the left.",
    "right": "Before each hand everyone passes {n} cards to the right.",
    "across": "Before each hand everyone passes {n} cards across.",
    "hold": "No cards are passed.",
    "dealer's call": "Before each hand everyone passes {n} cards as the dealer calls.",
}
_LEADS = {
    "left of dealer": "The player left of the dealer leads to the first trick.",
    "left of dealer, any card":
        "The player left of the dealer leads to the first trick, any card.",
    "right of dealer": "The player right of the dealer leads to the first trick.",
    "eldest": "Eldest hand, left of the dealer, leads to the first trick.",
}  # fmt: skip
_HEARTS = {
    "when broken": "Hearts may be led once a heart has been thrown on another suit.",
    "any time": "Hearts may be led at any time.",
}
_CARD = re.compile(r"\b(10|[2-9JQKA])([CDHS])\b")


def players(rules: Rules, seats: int) -> Section:
    """Who plays with which cards; a row for each number of players."""
    least, most = rules.keys.players
    numbers = range(least, most + 1)
    rows = [Row("aim", say("Aim"), (say(_AIMS[rules.keys.result.order]),))]
    if rules.keys.teams.mode != "none":
        rows.append(Row("sides", say("Sides"), tuple(_sides(rules, seats))))
    if ranks := _RANKS.get(rules.keys.deck.base):
        rows.append(Row("pack", say("Pack"), (say(ranks),)))
    deals = {number: _deal(rules, number) for number in numbers}
    if len(numbers) > 1 and len(set(map(str, deals.values()))) == 1:
        heading = say("{least} to {most} players", least=least, most=most)
        rows.append(Row("players", heading, (deals[seats],)))
    else:
        rows += [
            Row(f"players-{number}", say("{n} players", n=number), (deal,))
            for number, deal in deals.items()
        ]
    if any(kitty_size(prepare(rules, number)) for number in numbers):
        rows.append(Row("kitty", say("Kitty"), tuple(_kitty(prepare(rules, seats)))))
    if same := tuple(_same_cards(prepare(rules, seats))):
        rows.append(Row("same_card", say("Identical cards"), same))
    return Section("players", say("Players and cards"), tuple(rows))


def play(rules: Rules, seats: int) -> Section:
    """Passing, leading, and what else is said of the play."""
    words = rules.as_json().get("play", {})
    rows = [Row("passing", say("Passing"), tuple(_passing(rules, seats, words.get("pass_count"))))]
    leads = tuple(_lead(prepare(rules, seats), words.get("lead", "")))
    if leads:
        rows.append(Row("lead", say("First lead"), leads))
    if hearts := words.get("hearts"):
        text = _HEARTS.get(hearts)
        rows.append(
            Row("hearts", say("Hearts"), (say(text) if text else _as_written(str(hearts)),))
        )
    if notes := words.get("notes"):
        rows.append(
            Row("notes", say("Also"), tuple(_as_written(part) for part in str(notes).split(";")))
        )
    if rules.keys.tricks == "variable":
        rows.append(
            Row("tricks", say("Tricks"), (say("How many tricks a hand has is not fixed."),))
        )
    return Section("play", say("Play"), tuple(rows))


def kitty_size(ready: Prepared) -> int:
    """Cards that are left over from the deal."""
    kitty = ready.keys.deck.kitty
    return len(ready.deck.cards) - ready.hand_size * ready.seats if kitty == "rest" else int(kitty)


def _sides(rules: Rules, seats: int) -> Iterator[Sentence]:
    teams, names = rules.keys.teams, seat_names(seats)
    sides = [say("{seats}", seats=tuple(names[seat] for seat in side)) for side in teams.shape]
    yield say("{sides}.", sides=joined("{these} against {those}", sides))
    if teams.mode == "pooled":
        yield say(
            "What partners take is one pile with one score: what is said of a player below holds "
            "for a side."
        )
    else:
        yield say("Everybody has their own pile and score.")


def _deal(rules: Rules, seats: int) -> Sentence:
    ready = prepare(rules, seats)
    pack, left = _pack(ready), kitty_size(ready)
    if uneven(rules, seats):
        text = "{pack}; these cards do not come out even, so not played with {n}."
        return say(text, pack=pack, n=seats)
    if rules.keys.tricks == "variable":
        return say("{pack}, {n} of them left over." if left else "{pack}.", pack=pack, n=left)
    text = "{pack}: {each} cards each, {n} left over." if left else "{pack}: {each} cards each."
    return say(text, pack=pack, each=ready.hand_size, n=left)


def _pack(ready: Prepared) -> Text:
    deck, key = ready.keys.deck, str(ready.seats)
    number = deck.packs.get(key, deck.packs.get("*", 1))
    pack = say(_BASES[deck.base]) if number == 1 else say(_SEVERAL[deck.base], n=number)
    gone = tuple(sign(card) for card in deck.remove.get(key, deck.remove.get("*", ())))
    more = tuple(_added(deck.add.get(key, deck.add.get("*", ()))))
    if gone and more:
        return say("{pack} without {gone}, with {more}", pack=pack, gone=gone, more=more)
    if gone:
        return say("{pack} without {gone}", pack=pack, gone=gone)
    return say("{pack} with {more}", pack=pack, more=more) if more else pack


def _added(added: tuple[str, ...]) -> Iterator[Text]:
    jokers = [card for card in added if card[-1] == "X"]
    if jokers:
        yield say("{n} jokers", n=len(jokers)) if len(jokers) > 1 else say("a joker")
    for card in added:
        if card[-1] != "X":
            zero = card[:-1] == "0"
            yield say("a joker as {card}", card=sign(card)) if zero else sign(card)


def _kitty(ready: Prepared) -> Iterator[Sentence]:
    yield say(
        {
            "first_trick": "The cards left over go to whoever wins the first trick.",
            "first_penalty":
                "The cards left over go to whoever wins the first trick with a card that counts.",
            "one_each_first_two":
                "The cards left over go one each to the winners of the first two tricks.",
        }[ready.keys.deck.kitty_to]
    )  # fmt: skip
    if ready.keys.deck.kitty_mode == "exchange":
        yield say(
            "That player takes them into the hand and puts as many cards on the own pile instead."
        )
    else:
        yield say("They count as taken by that player.")


def _same_cards(ready: Prepared) -> Iterator[Sentence]:
    same = ready.keys.same_card
    if same.rule == "later":
        yield say("Of two identical cards in a trick the later one is higher.")
    elif same.rule == "earlier":
        yield say("Of two identical cards in a trick the earlier one is higher.")
    elif same.rule == "cancel":
        yield say(
            "Two identical cards in a trick cancel each other: neither can win it, but both count."
        )
        if max(map(len, ready.deck.copies.values())) > 2:
            yield say("A third one stands.")
        yield say("The highest card left of the suit that was led takes the trick.")
        if same.void_on == "two_pairs":
            yield say("Two such pairs in one trick, or no card of the suit left: nobody wins it.")
        else:
            yield say("Where no card of the suit is left nobody wins the trick.")
        yield say("Its cards wait for the winner of the next trick; the same player leads again.")
        yield say(
            {
                "previous_winner":
                    "A last trick that nobody wins goes to whoever won the trick before.",
                "leader": "A last trick that nobody wins goes to whoever led to it.",
                "uncounted": "The cards of a last trick that nobody wins count for nobody.",
            }[same.last_stalled]
        )  # fmt: skip


def _passing(rules: Rules, seats: int, count: object) -> Iterator[Text]:
    least, most = rules.keys.players
    ring = _ring(rules, seats)
    yield from _ring_said(ring, count, seats)
    others: dict[tuple[str, ...], list[str]] = {}
    for number in range(least, most + 1):
        if _ring(rules, number) != ring:
            others.setdefault(_ring(rules, number), []).append(str(number))
    for other, numbers in others.items():
        text = joined("{these}; {those}", [_way(way, int(numbers[0])) for way in other])
        yield say("With {numbers} players: {ways}.", numbers=either(numbers), ways=text)


def _ring(rules: Rules, seats: int) -> tuple[str, ...]:
    """The steps of the ring at a table of so many, each once."""
    passing = rules.keys.play.passing
    steps = [pass_of(passing, seats, hand) for hand in range(1, len(passing) + 1)]
    kept = sum(1 for way in passing if way != "across" or seats % 2 == 0)
    return tuple(step for step in steps[:kept] if step is not None)


def _ring_said(ring: tuple[str, ...], count: object, seats: int) -> Iterator[Text]:
    if not ring:
        yield say("No cards are passed.")
        return
    number = str(count) if isinstance(count, int) else say("some")
    if len(ring) == 1:
        text = _EVERY_HAND.get(ring[0], "Before each hand everyone passes cards: {way}.")
        yield say(text, n=number, way=ring[0])
        return
    hands = [
        say("hand {n} {way}", n=hand, way=_way(way, seats)) for hand, way in enumerate(ring, 1)
    ]
    yield say(
        "Before a hand everyone passes {n} cards: {ways}; then again from the start.",
        n=number, ways=joined("{these}; {those}", hands),
    )  # fmt: skip


def _way(way: str, seats: int) -> Text:
    if seats == 2 and way in ("left", "right", "across"):
        return say("to the other player")
    return say(_WAYS[way]) if way in _WAYS else say("instead {way}", way=way)


def _lead(ready: Prepared, lead: str) -> Iterator[Text]:
    if lead in _LEADS:
        yield say(_LEADS[lead])
    elif _CARD.fullmatch(lead):
        yield from _card_leads(ready, lead)
    elif lead:
        yield _as_written(lead)


def _card_leads(ready: Prepared, card: str) -> Iterator[Text]:
    """Who leads where it is the holder of one card; that card may be out, or there twice."""
    copies = len(ready.deck.copies.get(card, ()))
    if copies:
        yield say("Whoever holds {card} leads it to the first trick.", card=sign(card))
    if copies > 1:
        yield say("It is there {n} times: agree beforehand who of them leads.", n=copies)
    if copies == 0:
        suit = [other for other in ready.deck.copies if other[-1] == card[-1]]
        lowest = sign(suit[0]) if suit else sign(card)
        yield say(
            "{card} leads to the first trick; it is not in the pack here, so the lowest of its "
            "suit, {lowest}, does.", card=sign(card), lowest=lowest,
        )  # fmt: skip


def _as_written(text: str) -> Text:
    """Words of the variant for players, as a sentence."""
    words = _signs(text.strip())
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


def _signs(text: str) -> str:
    return _CARD.sub(lambda found: sign(found[0]), text)
