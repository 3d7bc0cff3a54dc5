"""Arithmetic in which enough differences can be divided by: finite fields and their products.

Pure. Transversal designs are made of it, see `constructions.py`.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, product

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

    Its elements are the numbers 0 to `size` - 1: a digit for each coefficient of each field, whose
    elements are polynomials modulo an irreducible one. The multipliers are as many as the smallest
    of these fields has elements; no two of them agree in any component, so each difference has an
    inverse.

    Source: MacNeish, "Euler squares" (1922).
    """

    def __init__(self, size: int) -> None:
        if size < 2:
            raise ValueError(f"no ring of size {size}")
        self.fields = [(*power, _irreducible(*power)) for power in prime_powers(size)]
        self.bases = [prime for prime, exponent, _ in self.fields for _ in range(exponent)]
        sizes = [prime**exponent for prime, exponent, _ in self.fields]
        self.multipliers = [_number([n] * len(sizes), sizes) for n in range(min(sizes))]

    def add(self, first: int, second: int) -> int:
        """The sum of two elements."""
        pairs = zip(_digits(first, self.bases), _digits(second, self.bases), strict=True)
        return _number([x + y for x, y in pairs], self.bases)

    def times(self, first: int, second: int) -> int:
        """The product of two elements."""
        ones, others = (iter(_digits(number, self.bases)) for number in (first, second))
        digits: list[int] = []
        for prime, exponent, modulus in self.fields:
            product_of = [0] * (2 * exponent - 1)
            second_part = list(islice(others, exponent))
            for i, x in enumerate(islice(ones, exponent)):
                for j, y in enumerate(second_part):
                    product_of[i + j] += x * y
            digits += _remainder(product_of, modulus, prime)
        return _number(digits, self.bases)


@lru_cache(maxsize=64)
def ring_of(size: int) -> Ring:
    """The ring of a size, made once.

    >>> ring_of(10).multipliers, len(ring_of(20).multipliers)
    ([0, 3], 4)
    """
    return Ring(size)


def _digits(number: int, bases: Sequence[int]) -> Iterator[int]:
    for base in bases:
        number, digit = divmod(number, base)
        yield digit


def _number(digits: Sequence[int], bases: Sequence[int]) -> int:
    number = 0
    for base, digit in zip(reversed(bases), reversed(digits), strict=True):
        number = number * base + digit % base
    return number


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
    rest = [coefficient % prime for coefficient in dividend]
    degree = len(divisor) - 1
    for place in range(len(rest) - 1, degree - 1, -1):
        factor = rest[place]
        for offset, coefficient in enumerate(divisor):
            at = place - degree + offset
            rest[at] = (rest[at] - factor * coefficient) % prime
    return rest[:degree]
