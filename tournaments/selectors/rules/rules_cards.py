"""Rules cards in the reader's language, and the catalogue as one looks for a game in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.utils.translation import gettext

from scoring.errors import Refused
from scoring.rules.catalogue import folded
from scoring.rules.rules import Rules
from scoring.rules.variant_files import Variant
from scoring.rules_card.card import compare, rules_card
from scoring.rules_card.card import usual_seats as usual_seats
from scoring.rules_card.wording import Card, Row, sentence_text
from tournaments.domain.messages import sentence
from tournaments.selectors.rules.rule_sets import variants

SHOWN_VERSION: Final = 6
LONGEST_HEADING: Final = 24
"""A heading of more letters takes the width of its column."""


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One rule on a card; `figure` is its number, "" where it has none."""

    key: str
    heading: str
    text: str
    figure: str

    @property
    def shape(self) -> str:
        """How it is laid out: a number alone, words that run on from a long heading, or columns."""
        if self.figure and not self.text:
            return "counts"
        return "runs" if len(self.heading) > LONGEST_HEADING else ""


@dataclass(frozen=True, slots=True)
class RuleBlock:
    """The rules on one subject."""

    key: str
    heading: str
    lines: tuple[RuleLine, ...]


@dataclass(frozen=True, slots=True)
class CardView:
    """A rules card as it is printed; `tables` are the numbers of players it can be had for."""

    id: str
    name: str
    version: str
    seats: int
    tables: tuple[int, ...]
    blocks: tuple[RuleBlock, ...]

    @property
    def short_version(self) -> str:
        """The version as people quote it."""
        return self.version[:SHOWN_VERSION]


@dataclass(frozen=True, slots=True)
class RulePair:
    """One rule of two rule sets; None where one of them does not have it."""

    heading: str
    left: str | None
    right: str | None
    is_same: bool


@dataclass(frozen=True, slots=True)
class ComparedSubject:
    """The rules on one subject, of two rule sets."""

    heading: str
    pairs: tuple[RulePair, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two rule sets side by side, for one number of players where both can be played by it."""

    left: CardView
    right: CardView
    subjects: tuple[ComparedSubject, ...]
    n_different: int
    n_same: int


@dataclass(frozen=True, slots=True)
class VariantQuery:
    """What somebody looks for in the catalogue; None and "" where they do not say."""

    text: str = ""
    players: int | None = None
    partnership: bool | None = None
    packs: int | None = None


@dataclass(frozen=True, slots=True)
class VariantRow:
    """A variant as the catalogue lists it; `packs` are the numbers of packs that it takes."""

    variant: Variant
    least: int
    most: int
    partnership: bool
    packs: tuple[int, ...]


def card_view(rules: Rules, seats: int | None = None) -> CardView:
    """Return the card of any resolved rules, in the language of the request."""
    return _view(rules, rules_card(rules, seats))


def asked_card(rules: Rules, seats: str | None) -> tuple[CardView, str]:
    """Return the card for so many players as somebody typed; else the usual one, and why it is."""
    if not seats:
        return card_view(rules), ""
    try:
        return card_view(rules, int(seats) if seats.isdecimal() and len(seats) < 5 else -1), ""
    except Refused as refused:
        return card_view(rules), " ".join(map(sentence, refused.problems))


def comparison(left: Rules, right: Rules) -> Comparison:
    """Return two rule sets row by row, at a table of the same size where there is one."""
    shared = [seats for seats in _seats_of(left) if seats in _seats_of(right)]
    near = min(shared, key=lambda seats: abs(seats - usual_seats(left)), default=None)
    cards = rules_card(left, near), rules_card(right, near)
    subjects: dict[str, list[RulePair]] = {}
    for pair in compare(*map(_without_example, cards)):
        ours, theirs = (None if row is None else _text(row) for row in (pair.left, pair.right))
        both = RulePair(_capital(sentence_text(pair.heading, gettext)), ours, theirs, pair.same)
        subjects.setdefault(sentence_text(pair.section, gettext), []).append(both)
    same = [both.is_same for pairs in subjects.values() for both in pairs]
    return Comparison(
        _view(left, cards[0]),
        _view(right, cards[1]),
        tuple(ComparedSubject(heading, tuple(pairs)) for heading, pairs in subjects.items()),
        same.count(False),
        same.count(True),
    )


def _without_example(card: Card) -> Card:
    """The rules alone: hands made up for two cards are no difference between them."""
    return replace(
        card, sections=tuple(section for section in card.sections if section.key != "example")
    )


def games(wanted: VariantQuery) -> tuple[VariantRow, ...]:
    """Return the site's variants that fit what is wanted, by name."""
    site = variants()
    every = [_game(site.variant(one), site.rules(one), wanted.players) for one in site.ids]
    found = [game for game in every if _fits(game, wanted)]
    return tuple(sorted(found, key=lambda game: game.variant.name))


def _game(variant: Variant, rules: Rules, players: int | None) -> VariantRow:
    tables = [seats for seats in _seats_of(rules) if players in (None, seats)]
    packs = {_packs(rules, seats) for seats in tables}
    least, most = rules.keys.players
    partnership = rules.keys.teams.mode != "none"
    return VariantRow(variant, least, most, partnership, tuple(sorted(packs)))


def _fits(game: VariantRow, wanted: VariantQuery) -> bool:
    text = folded(wanted.text)
    about = game.variant
    names = (about.id, about.name, about.summary, *about.aliases)
    return (
        any(text in folded(name) for name in names)
        and (wanted.players is None or game.least <= wanted.players <= game.most)
        and wanted.partnership in (None, game.partnership)
        and (wanted.packs is None or wanted.packs in game.packs)
    )


def _packs(rules: Rules, seats: int) -> int:
    packs = rules.keys.deck.packs
    return packs.get(str(seats), packs.get("*", 1))


def _seats_of(rules: Rules) -> Sequence[int]:
    least, most = rules.keys.players
    return range(least, most + 1)


def _view(rules: Rules, card: Card) -> CardView:
    blocks = tuple(
        RuleBlock(
            section.key,
            sentence_text(section.heading, gettext),
            tuple(map(_line, section.rows)),
        )
        for section in card.sections
    )
    tables = tuple(_seats_of(rules))
    return CardView(card.id, card.name, card.version, card.seats, tables, blocks)


def _line(row: Row) -> RuleLine:
    return RuleLine(
        row.key, _capital(sentence_text(row.heading, gettext)), _sentences(row), row.figure
    )


def _sentences(row: Row) -> str:
    return " ".join(_capital(sentence_text(sentence, gettext)) for sentence in row.sentences)


def _text(row: Row) -> str:
    return ": ".join(filter(None, (row.figure, _sentences(row))))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
