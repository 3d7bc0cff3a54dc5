"""Arithmetic in which enough differences can be divided by: finite fields and their products.

Pure. Transversal designs are made of it, see `constructions.py`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

Digits = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ring:
    """The numbers 0 to `size` - 1 with a sum and a product of their own.

    No two of the multipliers agree in any component, so each difference has an inverse.
    """

    size: int
    add: Callable[[int, int], int]
    times: Callable[[int, int], int]
    multipliers: tuple[int, ...]


def prime_powers(number: int) -> tuple[tuple[int, int], ...]:
    """The prime factors of a number with their exponents, ascending.

    >>> prime_powers(100), prime_powers(1)
    (((2, 2), (5, 2)), ())
    """
    powers: list[tuple[int, int]] = []
    prime = 2
    while prime * prime <= number:
        exponent = 0
        while number % prime == 0:
            number, exponent = number // prime, exponent + 1
        if exponent:
            powers.append((prime, exponent))
        prime += 1
    if number > 1:
        powers.append((number, 1))
    return tuple(powers)


@lru_cache(maxsize=64)
def ring_of(size: int) -> Ring:
    """The product of the fields whose sizes are the prime powers of `size`.

    Its multipliers are as many as the smallest of these fields has elements; no two of them agree
    in any component.

    Raises:
        ValueError: the size is below 2.

    Source: MacNeish, "Euler squares" (1922).

    >>> ring_of(10).multipliers, len(ring_of(20).multipliers)
    ((0, 3), 4)
    """
    if size < 2:
        raise ValueError(f"no ring of size {size}")
    fields = [_Field(prime, exponent) for prime, exponent in prime_powers(size)]

    def parts(number: int) -> list[int]:
        rests = []
        for field in fields:
            number, rest = divmod(number, field.size)
            rests.append(rest)
        return rests

    def whole(components: Sequence[int]) -> int:
        number = 0
        for field, component in zip(reversed(fields), reversed(components), strict=True):
            number = number * field.size + component
        return number

    def add(one: int, other: int) -> int:
        both = zip(fields, parts(one), parts(other), strict=True)
        return whole([field.add(x, y) for field, x, y in both])

    def times(one: int, other: int) -> int:
        both = zip(fields, parts(one), parts(other), strict=True)
        return whole([field.times(x, y) for field, x, y in both])

    fewest = min(field.size for field in fields)
    multipliers = tuple(whole([value] * len(fields)) for value in range(fewest))
    return Ring(size, add, times, multipliers)


class _Field:
    """The field of `prime` ** `exponent` elements: polynomials modulo an irreducible one."""

    def __init__(self, prime: int, exponent: int) -> None:
        self.prime, self.exponent = prime, exponent
        self.size = prime**exponent
        self.modulus = _irreducible(prime, exponent)

    def add(self, first: int, second: int) -> int:
        pairs = zip(self._digits(first), self._digits(second), strict=True)
        return self._number([(x + y) % self.prime for x, y in pairs])

    def times(self, first: int, second: int) -> int:
        product_of = [0] * (2 * self.exponent - 1)
        for i, x in enumerate(self._digits(first)):
            for j, y in enumerate(self._digits(second)):
                product_of[i + j] = (product_of[i + j] + x * y) % self.prime
        return self._number(_remainder(product_of, self.modulus, self.prime))

    def _digits(self, number: int) -> Digits:
        return tuple(number // self.prime**place % self.prime for place in range(self.exponent))

    def _number(self, digits: Sequence[int]) -> int:
        return sum(digit * self.prime**place for place, digit in enumerate(digits))


def _irreducible(prime: int, degree: int) -> Digits:
    """The first monic polynomial of the degree that none of a lower degree divides."""
    return next(
        candidate
        for candidate in _monic(prime, degree)
        if not any(
            not any(_remainder(list(candidate), divisor, prime))
            for lower in range(1, degree // 2 + 1)
            for divisor in _monic(prime, lower)
        )
    )


def _monic(prime: int, degree: int) -> Iterator[Digits]:
    return ((*low, 1) for low in product(range(prime), repeat=degree))


def _remainder(dividend: list[int], divisor: Digits, prime: int) -> list[int]:
    """The remainder of a division by a monic polynomial, lowest coefficient first."""
    rest, degree = list(dividend), len(divisor) - 1
    for place in range(len(rest) - 1, degree - 1, -1):
        factor = rest[place]
        for offset, coefficient in enumerate(divisor):
            at = place - degree + offset
            rest[at] = (rest[at] - factor * coefficient) % prime
    return rest[:degree]
