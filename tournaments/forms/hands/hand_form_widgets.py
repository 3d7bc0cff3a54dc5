"""The parts of the host's page: a person's row, its fields, the cards and the places to tap."""

from dataclasses import dataclass
from typing import Any, Final

from scoring.cards import card_name, card_sign
from tournaments.forms.hands.corrections import FieldProblems

_SUITS: Final = {"S": "spade", "H": "heart", "D": "diamond", "C": "club"}


@dataclass(frozen=True, slots=True)
class RowPlayer:
    """Who a row is for, and how they stand before this hand."""

    number: int
    name: str
    total: Any = None
    place: int | None = None
    is_tied: bool = False


@dataclass(frozen=True, slots=True)
class RowField:
    """A field of a row, with what is wrong with it."""

    name: str
    value: str
    label: str
    most: int | None = None
    choices: tuple[str, ...] = ()
    problem: FieldProblems | None = None


@dataclass(frozen=True, slots=True)
class CardFace:
    """A card as it is shown: rank and suit's sign, or a word for a suit that has none."""

    code: str
    rank: str
    suit: str
    word: str
    name: str

    @property
    def is_red(self) -> bool:
        """Whether its suit is drawn in red."""
        return self.suit in ("heart", "diamond")


@dataclass(frozen=True, slots=True)
class CardChoice:
    """A place to tap: this card to this row. One of several copies where the pack has them.

    `is_gone` where every copy lies in other rows.
    """

    id: str
    row: int
    is_on: bool
    is_gone: bool
    label: str
    card: CardFace
    is_one_of_many: bool


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One row: a seat, a side, or the cards that nobody gets."""

    person: RowPlayer
    hearts: RowField | None
    cards: RowField | None
    tricks: RowField | None
    clean: RowField | None
    points: RowField | None
    marks: tuple[CardChoice, ...]
    rest: int | None
    rest_button: str = ""
    trick_points: RowField | None = None
    melds: tuple[RowField, ...] = ()

    @property
    def problems(self) -> tuple[FieldProblems, ...]:
        """What is wrong in this row, each problem once."""
        fields = (
            self.hearts, self.cards, self.points, self.tricks, self.clean, self.trick_points,
            *self.melds,
        )  # fmt: skip
        return tuple(field.problem for field in fields if field is not None and field.problem)


def card_of(code: str) -> CardFace:
    """Return a card as it is shown."""
    suit = _SUITS.get(code[-1:], "")
    word = "" if suit else card_sign(code).partition(" ")[2]
    return CardFace(code, code[:-1], suit, word, card_name(code))
