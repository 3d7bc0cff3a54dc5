"""How a hand goes, on a rules card: passing, the first lead, and what else is said of the play.

Pure. See docs/rules-cards.md.
"""

import re
from collections.abc import Iterator

from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.dealing import pass_of
from scoring.rules.rules import Rules
from scoring.rules_card.deck import kitty_size
from scoring.rules_card.parts import Row, Section, Text
from scoring.rules_card.wording import Sentence, either, joined, make_sentence, sign

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
    "2C nearest clockwise to dealer":
        "Of those who hold 2♣ the nearest one clockwise from the dealer leads it to the first "
        "trick.",
    "2S, later the taker of Q♠":
        "In the first hand the player who holds 2♠ leads it to the first trick; later the player "
        "who took Q♠ in the hand before leads.",
}  # fmt: skip
_HEARTS = {
    "when broken": "Hearts may be led once a heart has been thrown on another suit.",
    "any time": "Hearts may be led at any time.",
}
_CARD = re.compile(r"\b(10|[2-9JQKA])([CDHS])\b")


def play(rules: Rules, seats: int) -> Section:
    """Passing, leading, and what else is said of the play."""
    words = rules.as_json().get("play", {})
    rows = [
        Row(
            "passing",
            make_sentence("Passing"),
            tuple(_passing(rules, seats, words.get("pass_count"))),
        )
    ]
    leads = tuple(_lead(rules, prepare(rules, seats), words.get("lead", "")))
    if leads:
        rows.append(Row("lead", make_sentence("First lead"), leads))
    if hearts := words.get("hearts"):
        text = _HEARTS.get(hearts)
        rows.append(
            Row(
                "hearts",
                make_sentence("Hearts"),
                (make_sentence(text) if text else _as_written(str(hearts)),),
            )
        )
    if notes := words.get("notes"):
        rows.append(
            Row(
                "notes",
                make_sentence("Also"),
                tuple(_as_written(part) for part in str(notes).split(";")),
            )
        )
    if rules.keys.tricks == "variable":
        fixed = make_sentence("How many tricks a hand has is not fixed.")
        kept = make_sentence(
            "A card that counts and stays in a hand counts for the player who holds it."
        )
        rows.append(Row("tricks", make_sentence("Tricks"), (fixed, kept)))
    return Section("play", make_sentence("Play"), tuple(rows))


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
        yield make_sentence("With {numbers} players: {ways}.", numbers=either(numbers), ways=text)


def _ring(rules: Rules, seats: int) -> tuple[str, ...]:
    """The steps of the ring at a table of so many, each once."""
    passing = rules.keys.play.passing
    steps = [pass_of(passing, seats, hand) for hand in range(1, len(passing) + 1)]
    kept = sum(1 for way in passing if way != "across" or seats % 2 == 0)
    return tuple(step for step in steps[:kept] if step is not None)


def _ring_said(ring: tuple[str, ...], count: object, seats: int) -> Iterator[Text]:
    if not ring:
        yield make_sentence("No cards are passed.")
        return
    number = str(count) if isinstance(count, int) else make_sentence("some")
    if len(ring) == 1:
        text = _EVERY_HAND.get(ring[0], "Before each hand everyone passes cards: {way}.")
        yield make_sentence(text, n=number, way=_parts(ring[0]))
        return
    hands = [
        make_sentence("hand {n} {way}", n=hand, way=_way(way, seats))
        for hand, way in enumerate(ring, 1)
    ]
    yield make_sentence(
        "Before a hand everyone passes {n} cards: {ways}; then again from the start.",
        n=number, ways=joined("{these}; {those}", hands),
    )  # fmt: skip


def _way(way: str, seats: int) -> Text:
    if seats == 2 and way in ("left", "right", "across"):
        return make_sentence("to the other player")
    return (
        make_sentence(_WAYS[way])
        if way in _WAYS
        else make_sentence("instead {way}", way=_parts(way))
    )


def _parts(way: str) -> Sentence:
    """Cards that go several ways, as one lists them."""
    return make_sentence("{parts}", parts=tuple(way.split(", ")))


def _lead(rules: Rules, ready: Prepared, lead: str) -> Iterator[Text]:
    if lead in _LEADS:
        yield make_sentence(_LEADS[lead])
    elif _CARD.fullmatch(lead):
        yield from _card_leads(rules, ready, lead)
    elif lead:
        yield _as_written(lead)


def _card_leads(rules: Rules, ready: Prepared, card: str) -> Iterator[Text]:
    """Who leads where it is the holder of one card; it may be out, left over, or there twice."""
    copies = len(ready.deck.copies.get(card, ()))
    if copies:
        yield make_sentence(
            "The player who holds {card} leads it to the first trick.", card=sign(card)
        )
    if copies > 1:
        yield make_sentence("There are {n} of it: agree beforehand which holder leads.", n=copies)
    elif copies and kitty_size(ready):
        yield make_sentence("Where it is left over, agree on who leads.")
    if copies == 0:
        yield make_sentence(
            "The player who holds {lowest} leads it to the first trick, as {card} is not in the "
            "pack.",
            card=sign(card), lowest=_lowest(ready, card),
        )  # fmt: skip
        return
    least, most = rules.keys.players
    for number in range(least, most + 1):
        other = prepare(rules, number)
        if card not in other.deck.copies:
            yield make_sentence(
                "With {n} players {card} is not in the pack: {lowest} leads.",
                n=number, card=sign(card), lowest=_lowest(other, card),
            )  # fmt: skip


def _lowest(ready: Prepared, card: str) -> str:
    """The lowest card of that suit in the pack."""
    suit = [other for other in ready.deck.copies if other[-1] == card[-1] and other[0] != "0"]
    return sign(suit[0]) if suit else sign(card)


def _as_written(text: str) -> Text:
    """Words of the variant for players, as a sentence."""
    words = _signs(text.strip())
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


def _signs(text: str) -> str:
    return _CARD.sub(lambda found: sign(found[0]), text)
