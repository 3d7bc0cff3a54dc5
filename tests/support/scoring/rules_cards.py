"""Rules cards as lines of text."""

from scoring.rules.catalogue import catalogue
from scoring.rules_card.card import rules_card
from scoring.rules_card.wording import Card, sentence_text


def said_by(card: Card) -> list[str]:
    return [
        " ".join(
            filter(
                None,
                [f"{sentence_text(row.heading)}:", *map(sentence_text, row.sentences), row.figure],
            )
        )
        for section in card.sections
        for row in section.rows
    ]


def lines(variant: str, seats: int | None = None, **options: object) -> list[str]:
    return said_by(rules_card(catalogue().rules(variant, options), seats))
