"""What a rules card is made of.

Pure data. A row's `key` names the same rule on any two cards, so that they can be laid side by
side.
"""

from dataclasses import dataclass

from scoring.rules_card.wording import Sentence

Text = str | Sentence


@dataclass(frozen=True, slots=True)
class Row:
    """One rule: what it is about, what it says, and its number where it has one.

    `figure` stands at the right margin: what a card is worth, what a seat scores.
    """

    key: str
    heading: Text
    sentences: tuple[Text, ...] = ()
    figure: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Rows on one subject under one heading."""

    key: str
    heading: Text
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A rules card: which rules, for how many players, and what they say."""

    id: str
    name: str
    version: str
    seats: int
    sections: tuple[Section, ...]

    def section(self, key: str) -> Section | None:
        """The section of that key, where the card has it."""
        return next((section for section in self.sections if section.key == key), None)


@dataclass(frozen=True, slots=True)
class Pair:
    """One rule on two cards; None where a card does not have it."""

    section: Text
    key: str
    heading: Text
    left: Row | None
    right: Row | None

    @property
    def same(self) -> bool:
        """Whether both cards say the same; a heading only says how many copies there are."""
        if self.left is None or self.right is None:
            return False
        mine, theirs = self.left, self.right
        return (mine.sentences, mine.figure) == (theirs.sentences, theirs.figure)
