"""Arithmetic in which enough differences can be divided by: finite fields and their products.

Pure. Transversal designs are made of it, see `constructions.py`.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

Digits = tuple[int, ...]


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


class Ring:
    """The product of the fields whose sizes are the prime powers of `size`, 2 or more.

    Its elements are the numbers 0 to `size` - 1. The multipliers are as many as the smallest of
    these fields has elements; no two of them agree in any component, so each difference has an
    inverse.

    Source: MacNeish, "Euler squares" (1922).
    """

    def __init__(self, size: int) -> None:
        if size < 2:
            raise ValueError(f"no ring of size {size}")
        self.fields = [_Field(prime, exponent) for prime, exponent in prime_powers(size)]
        fewest = min(field.size for field in self.fields)
        self.multipliers = [self._whole([value] * len(self.fields)) for value in range(fewest)]

    def add(self, first: int, second: int) -> int:
        """The sum of two elements."""
        pairs = zip(self.fields, self._parts(first), self._parts(second), strict=True)
        return self._whole([field.add(x, y) for field, x, y in pairs])

    def times(self, first: int, second: int) -> int:
        """The product of two elements."""
        pairs = zip(self.fields, self._parts(first), self._parts(second), strict=True)
        return self._whole([field.times(x, y) for field, x, y in pairs])

    def _parts(self, number: int) -> list[int]:
        parts = []
        for field in self.fields:
            number, part = divmod(number, field.size)
            parts.append(part)
        return parts

    def _whole(self, parts: Sequence[int]) -> int:
        number = 0
        for field, part in zip(reversed(self.fields), reversed(parts), strict=True):
            number = number * field.size + part
        return number


@lru_cache(maxsize=64)
def ring_of(size: int) -> Ring:
    """The ring of a size, made once.

    >>> ring_of(10).multipliers, len(ring_of(20).multipliers)
    ([0, 3], 4)
    """
    return Ring(size)


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
    rest, degree = list(dividend), len(divisor) - 1
    for place in range(len(rest) - 1, degree - 1, -1):
        factor = rest[place]
        for offset, coefficient in enumerate(divisor):
            at = place - degree + offset
            rest[at] = (rest[at] - factor * coefficient) % prime
    return rest[:degree]
