"""Every refusal of the scorer: its code, its place, its facts, its English sentence.

Codes are API and are never renamed. The order of `SENTENCES` is the order in which the problems of
one hand are reported (docs/rules-engine.md, "Refusals").
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Final, TypeAlias

from scoring.numbers import Complex as Complex
from scoring.numbers import Score as Score
from scoring.numbers import score_json as score_json
from scoring.sentences import hands, seating
from scoring.sentences.hands import SUGGESTIONS as SUGGESTIONS
from scoring.sentences.phrases import Facts as Facts
from scoring.sentences.phrases import SentenceTemplate, filled
from scoring.sentences.phrases import counted as counted
from scoring.sentences.phrases import listed as listed
from scoring.sentences.phrases import one_stop as one_stop
from scoring.sentences.phrases import shown as shown
from scoring.sentences.phrases import with_minus_signs as with_minus_signs

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A likely cause, or a way out, of a problem.

    `code` identifies it; `at` is its place, if known; for `code == "settle"` the facts
    hold `choice`, `by` (seat indices), `scores` (what each unit would be booked) and, if the
    settlement is open, `totals` (each unit's total after it).
    """

    code: str
    at: Path = ()
    facts: Facts = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The suggestion in a few plain words.

        >>> Suggestion("one_missing", facts={"card": "heart"}).text
        'one heart missing'
        """
        return with_minus_signs(filled(SUGGESTIONS[self.code], self.facts))

    def as_json(self) -> dict[str, object]:
        """The suggestion as the API and the command line write it."""
        return {
            "code": self.code,
            "at": list(self.at),
            "facts": dict(self.facts),
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Problem:
    """One error to correct. `code` is API: never renamed; `at` is a path into the entry."""

    code: str
    at: Path = ()
    facts: Facts = field(default_factory=dict)
    suggestions: tuple[Suggestion, ...] = ()

    def hinting(self, *suggestions: Suggestion) -> "Problem":
        """The same problem with these suggestions before its own."""
        return replace(self, suggestions=(*suggestions, *self.suggestions))

    @property
    def message(self) -> str:
        """The sentence of the problem: what was found, what was expected, what to do."""
        return one_stop(with_minus_signs(filled(SENTENCES[self.code], self.facts)))

    def as_json(self) -> dict[str, object]:
        """The problem as the API and the command line write it."""
        return {
            "code": self.code,
            "at": list(self.at),
            "facts": dict(self.facts),
            "message": self.message,
            "suggestions": [suggestion.as_json() for suggestion in self.suggestions],
        }


class Refused(Exception):
    """The input cannot be accepted. Carries every problem found, in the order of `SENTENCES`."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems_in_order(problems)
        super().__init__("; ".join(problem.code for problem in self.problems))


SENTENCES: Final[Mapping[str, SentenceTemplate]] = {**hands.SENTENCES, **seating.SENTENCES}
"""Code → sentence, in the order in which problems are reported."""

ENTRY_CODES: Final = tuple(hands.SENTENCES)
"""Error codes of a refused entry or game."""

_RANK: Final[Mapping[str, int]] = {code: rank for rank, code in enumerate(SENTENCES)}


def problems_in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems as they are reported: by the rank of their code, then as they were found."""
    return tuple(sorted(problems, key=lambda problem: _RANK.get(problem.code, len(_RANK))))


MOST_EXTRA: Final = 10
"""A text longer than every known name by more letters than this has no similar name."""


def similar(text: object, known: Iterable[str], most: int) -> list[str]:
    """At most `most` known names that resemble a text, the most similar first.

    >>> similar("hart", ["hearts", "spades"], 2)
    ['hearts']
    >>> similar("hearts" * 20_000, ["hearts", "spades"], 2)
    []
    """
    names = list(known)
    longest = max(map(len, names), default=0)
    if not isinstance(text, str) or len(text) > longest + MOST_EXTRA:
        return []
    return get_close_matches(text, names, n=most)
