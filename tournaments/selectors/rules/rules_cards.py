"""Rules cards in the reader's language, and the search for a game in the catalogue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from django.utils.translation import gettext

from scoring.errors import Refused
from scoring.json_types import JsonDict
from scoring.rules.catalogue import Variant, folded
from scoring.rules.compiled_rules import value_for
from scoring.rules.rules import Rules
from scoring.rules_card.card import compare, rules_card
from scoring.rules_card.card import usual_seats as usual_seats
from scoring.rules_card.wording import Card, Row, sentence_text
from tournaments.domain.messages import sentence
from tournaments.selectors.rules.rule_sets import variants

LONGEST_HEADING: Final = 24
"""A heading of more letters takes the width of its column."""


@dataclass(frozen=True, slots=True)
class CardView:
    """A rules card as it is printed; `tables` are the numbers of players it can be had for."""

    id: str
    name: str
    version: str
    seats: int
    tables: tuple[int, ...]
    blocks: tuple[JsonDict, ...]

    @property
    def short_version(self) -> str:
        return self.version[:6]


RulePair: TypeAlias = tuple[str, str | None, str | None, bool]
"""Heading, the rule of either rule set (None where it has none), whether both are the same."""


def card_view(rules: Rules, seats: int | None = None) -> CardView:
    return _view(rules, rules_card(rules, seats))


def asked_card(rules: Rules, seats: str | None) -> tuple[CardView, str]:
    """Return the card for the typed number of players; else the usual one, and the problem."""
    if not seats:
        return card_view(rules), ""
    try:
        return card_view(rules, int(seats) if seats.isdecimal() and len(seats) < 5 else -1), ""
    except Refused as refused:
        return card_view(rules), " ".join(map(sentence, refused.problems))


def comparison(
    left: Rules, right: Rules
) -> tuple[CardView, CardView, Mapping[str, Sequence[RulePair]]]:
    """Return the cards of two rule sets, and their rules in pairs by subject.

    Both are for a table of the same size where there is one.
    """
    shared = [seats for seats in _seats_of(left) if seats in _seats_of(right)]
    near = min(shared, key=lambda seats: abs(seats - usual_seats(left)), default=None)
    cards = rules_card(left, near), rules_card(right, near)
    subjects: dict[str, list[RulePair]] = {}
    for pair in compare(*map(_without_example, cards)):
        before, after = (
            None if row is None else ": ".join(filter(None, (row.figure, sentences_of(row))))
            for row in (pair.left, pair.right)
        )
        heading = capitalised(sentence_text(pair.heading, gettext))
        pairs = subjects.setdefault(sentence_text(pair.section, gettext), [])
        pairs.append((heading, before, after, pair.same))
    return _view(left, cards[0]), _view(right, cards[1]), subjects


def _without_example(card: Card) -> Card:
    """Return the rules alone: made-up hands of two cards are no difference between them."""
    return replace(
        card, sections=tuple(section for section in card.sections if section.key != "example")
    )


def games(
    *,
    text: str = "",
    players: int | None = None,
    has_partners: bool | None = None,
    packs: int | None = None,
) -> Sequence[tuple[Variant, int, int, bool, Sequence[int]]]:
    """Return the site's variants that fit, by name; "" and None do not limit.

    Each with its least and most players, whether they have partners, and its numbers of packs.
    """
    site = variants()
    rows = []
    for variant, rules in ((site.variant(key), site.rules(key)) for key in site.ids):
        numbers = rules.keys.deck.packs
        tables = [seats for seats in _seats_of(rules) if players in (None, seats)]
        n_packs = sorted({value_for(numbers, seats, 1) for seats in tables})
        partners = rules.keys.teams.mode != "none"
        names = (variant.id, variant.name, variant.summary, *variant.aliases)
        if (
            tables
            and any(folded(text) in folded(name) for name in names)
            and has_partners in (None, partners)
            and packs in (None, *n_packs)
        ):
            rows.append((variant, *rules.keys.players, partners, n_packs))
    return sorted(rows, key=lambda row: row[0].name)


def _seats_of(rules: Rules) -> Sequence[int]:
    least, most = rules.keys.players
    return range(least, most + 1)


def _view(rules: Rules, card: Card) -> CardView:
    blocks = tuple(
        {
            "key": section.key,
            "heading": sentence_text(section.heading, gettext),
            "lines": tuple(map(_line, section.rows)),
        }
        for section in card.sections
    )
    tables = tuple(_seats_of(rules))
    return CardView(card.id, card.name, card.version, card.seats, tables, blocks)


def _line(row: Row) -> JsonDict:
    """Return a rule; its `shape`: a number alone, words that run on from a long heading, columns.

    `figure` is its number, "" where it has none.
    """
    heading = capitalised(sentence_text(row.heading, gettext))
    text = sentences_of(row)
    runs = "runs" if len(heading) > LONGEST_HEADING else ""
    return {
        "key": row.key,
        "heading": heading,
        "text": text,
        "figure": row.figure,
        "shape": "counts" if row.figure and not text else runs,
    }


def sentences_of(row: Row) -> str:
    return " ".join(capitalised(sentence_text(sentence, gettext)) for sentence in row.sentences)


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
