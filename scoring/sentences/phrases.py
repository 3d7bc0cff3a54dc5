"""Numbers, lists and typed input in the words of a sentence. Pure."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from scoring.json_types import is_list

Facts: TypeAlias = Mapping[str, Any]
SentenceTemplate: TypeAlias = str | Callable[[Facts], str]
"""The sentence of a code: a text with its facts in braces, or a function of the facts."""

_NUMBER_WORDS: Final = ("no", "one", "two", "three", "four", "five", "six")

_MINUS: Final = re.compile(r"(?<![^\W_]|[-_.,/:)\]])-(?=\d)")
"""A hyphen before a number that is no part of a range, a date, a name or an id."""


def with_minus_signs(text: str) -> str:
    """Return a sentence whose negative numbers have a minus sign.

    >>> with_minus_signs("Seat 2 took -26 (-26/3), on 2025-11-06, in hands 3-4, id RL-01.")
    'Seat 2 took −26 (−26/3), on 2025-11-06, in hands 3-4, id RL-01.'
    """
    return _MINUS.sub("\u2212", text)


_TWO_STOPS: Final = re.compile(r"(?<=\w)\.((?:</\w+>)*)\.(?![.\w])")


def one_stop(text: str) -> str:
    """Return sentences in which a name that ends with a stop has no second one behind it.

    What is left out stays left out, and a full stop may follow the end of an element.

    >>> one_stop("It counts as a win for Farid S.."), one_stop("By <b>Farid S.</b>. And so on ...")
    ('It counts as a win for Farid S.', 'By <b>Farid S.</b> And so on ...')
    """
    return _TWO_STOPS.sub(r".\1", text)


def counted(number: int, noun: str) -> str:
    """A number of things in words.

    >>> counted(1, "heart"), counted(12, "heart")
    ('one heart', '12 hearts')
    """
    if 0 <= number < len(_NUMBER_WORDS):
        word = _NUMBER_WORDS[number]
    else:
        word = str(number)
    if number == 1:
        return f"{word} {noun}"
    return f"{word} {noun}s"


def listed(items: Iterable[object]) -> str:
    """A list of things in words.

    >>> listed([7, 4, 1, 0])
    '7, 4, 1 and 0'
    """
    words = [str(item) for item in items]
    return " and ".join(filter(None, [", ".join(words[:-1]), "".join(words[-1:])]))


def shown(value: object, longest: int = 40) -> str:
    """The input, short enough for a sentence; a list or an object is not spelled out.

    >>> shown("Q" * 50, 5), shown([1, [2]]), shown(True), shown(None)
    ('QQQQ…', 'a list', 'true', 'null')
    """
    if value is None:
        return "null"
    if is_list(value):
        return "a list"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, int) and abs(value) > 10**longest:
        return "a very long number"
    if isinstance(value, bool):
        text = str(value).lower()
    else:
        text = str(value)[: longest + 1]
    if len(text) <= longest:
        return text
    return text[: longest - 1] + "…"


def filled(template: SentenceTemplate, facts: Facts) -> str:
    """The sentence of these facts."""
    if isinstance(template, str):
        return template.format_map(facts)
    return template(facts)
