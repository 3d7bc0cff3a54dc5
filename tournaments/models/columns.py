"""Columns and constraints that many tables have, and exact numbers in columns of integers.

Scores, points and shares are stored in units of 1/360360. 360360 is the least common multiple of
1..15, so every share that a table of up to thirteen can split something into is a whole number of
units (docs/algorithms/standings.md, "Place points"). Complex scores use two columns.
"""

from datetime import date, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models.expressions import Combinable

from scoring.numbers import ScoreJson

if TYPE_CHECKING:
    from tournaments.models.imports import ImportBatch


class Audited:
    """A row that lines of the audit trail are about; their subject is a format of the row."""

    AUDIT_SUBJECT: ClassVar[str]

    @property
    def audit_subject(self) -> str:
        return self.AUDIT_SUBJECT.format(self)


class PlainRow(models.Model):
    """A row that prints as its kind and its id, where no page shows it as a text."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class OfClub(PlainRow):
    """A row of a club, without a reverse relation on the club."""

    club = models.ForeignKey("tournaments.Club", models.CASCADE, related_name="+")

    class Meta:
        abstract = True


class OfClubWithoutIndex(OfClub):
    """A row of a club that is found by what it belongs to, never by the club."""

    club = models.ForeignKey("tournaments.Club", models.CASCADE, related_name="+", db_index=False)

    class Meta:
        abstract = True


UNIT: Final = 360360


def account() -> "models.ForeignKey[User | Combinable | None, User | None]":
    """Return the column of an acting account; it is emptied when the account is deleted."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )


def choice(
    default: models.TextChoices, max_length: int
) -> "models.CharField[str | int | Combinable, str]":
    return models.CharField(max_length=max_length, choices=type(default).choices, default=default)


def newer_choice(
    default: models.TextChoices, max_length: int
) -> "models.CharField[str | int | Combinable, str]":
    """Return the column of a choice whose default the database fills in for an older release."""
    choices = type(default).choices
    return models.CharField(
        max_length=max_length, choices=choices, default=default, db_default=default
    )


def of_import() -> "models.ForeignKey[ImportBatch | Combinable | None, ImportBatch | None]":
    """Return the column of the import that made a row, if one did."""
    return models.ForeignKey(
        "tournaments.ImportBatch", models.SET_NULL, null=True, blank=True, related_name="+"
    )


def optional_time() -> (
    "models.DateTimeField[str | datetime | date | Combinable | None, datetime | None]"
):
    """Return the column of a moment that may never come."""
    return models.DateTimeField(null=True, blank=True)


def random_id() -> "models.UUIDField[str | UUID, UUID]":
    """Return the column of the random id by which addresses and REST name a row."""
    return models.UUIDField(default=uuid4, editable=False)


def unique(name: str, *columns: str, condition: models.Q | None = None) -> models.UniqueConstraint:
    return models.UniqueConstraint(fields=columns, condition=condition, name=name)


def index(name: str, *columns: str, condition: models.Q | None = None) -> models.Index:
    return models.Index(fields=columns, condition=condition, name=name)


def check(name: str, condition: models.Q) -> models.CheckConstraint:
    return models.CheckConstraint(condition=condition, name=name)


def known(name: str, column: str, choices: type[models.Choices]) -> models.CheckConstraint:
    return check(name, models.Q(**{f"{column}__in": choices.values}))


def from_one(name: str, column: str = "number") -> models.CheckConstraint:
    return check(name, models.Q(**{f"{column}__gte": 1}))


def units_of(value: int | Fraction) -> int:
    """Return `value` (points) in units of 1/360360.

    Raises:
        ValueError: the value is no whole number of units (a caller's bug).

    >>> units_of(26), units_of(Fraction(26, 3))
    (9369360, 3123120)
    """
    scaled = value * UNIT
    if isinstance(scaled, Fraction):
        if scaled.denominator != 1:
            raise ValueError(f"{value} is not a whole number of 1/{UNIT}")
        return scaled.numerator
    return scaled


def exact(units: int) -> int | Fraction:
    """Return the stored `units` as points, an `int` where it is whole.

    >>> exact(9369360), exact(3123120)
    (26, Fraction(26, 3))
    """
    whole, rest = divmod(units, UNIT)
    return Fraction(units, UNIT) if rest else whole


def as_json(units: int, imaginary: int | None = None) -> ScoreJson:
    """Return a stored score as JSON writes it: an integer, `"26/3"`, or `[re, im]`.

    >>> as_json(9369360), as_json(3123120), as_json(360360, -360360)
    (26, '26/3', [1, -1])
    """
    if imaginary is not None:
        return [_plain(units), _plain(imaginary)]
    return _plain(units)


def _plain(units: int) -> int | str:
    value = exact(units)
    if isinstance(value, int):
        return value
    return f"{value.numerator}/{value.denominator}"
