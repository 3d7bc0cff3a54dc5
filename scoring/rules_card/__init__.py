"""Rules cards: what a rule set says to players, in sentences, from nothing but its data.

There are no names here: `from scoring.rules_card.card import rules_card, compare`.
"""
