"""Melds on a rules card: which combinations score, and how often the pack allows each.

Pure. See docs/rules-cards.md.
"""

from scoring.rules.rules import Rules
from scoring.rules_card.parts import Row, Section, Text
from scoring.rules_card.wording import make_sentence


def melds(rules: Rules) -> Section:
    """What melds are worth, a row for each, in the order of the rules."""
    rows = []
    for meld in rules.keys.melds:
        often: Text = make_sentence("At most once in a hand.")
        if meld.most > 1:
            often = make_sentence("At most {n} times in a hand.", n=meld.most)
        cards = make_sentence("{cards}.", cards=meld.cards[:1].upper() + meld.cards[1:])
        rows.append(Row(f"meld-{meld.id}", meld.name, (cards, often), str(meld.points)))
    if rows:
        both = make_sentence("A hand scores the melds of a player and the points of the tricks.")
        rows.append(Row("meld-score", make_sentence("Score of a hand"), (both,)))
    return Section("melds", make_sentence("Melds"), tuple(rows))
