"""Strength of passwords, with the words of the product, the club and the person."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from django.contrib.auth.models import AbstractBaseUser, User
from django.core.exceptions import ValidationError
from django.utils.module_loading import import_string
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.models.clubs import Membership, Player

RULE: Final = _("At least 8 characters and hard to guess, for example four unrelated words.")
LEAST_SCORE: Final = 3
"""Of 4: at least about 10**8 guesses, which the hash of a stolen database makes too slow."""
MOST_CHARACTERS: Final = 72
"""Characters that are looked at; the time of zxcvbn grows faster than the length."""
MOST_NAMES: Final = 40
"""Names of clubs and players that are looked at."""
PRODUCT_WORDS: Final = (
    *("blacklady", "black", "lady", "hearts", "heart", "queen", "spades", "queenofspades", "moon"),
    *("shootthemoon", "jack", "diamonds", "omnibus", "cancellation", "cards", "club", "player"),
    *("owner", "director", "host", "password"),
)


class StrengthValidator:
    """Refuses a password that is easy to guess, for Django's list of validators and for forms."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = tuple(names)

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        names = (*self.names, *_names_of(user))[:MOST_NAMES]
        words = [*PRODUCT_WORDS, *_words_of(names)]
        zxcvbn = import_string("zxcvbn.zxcvbn")  # 12 MB, which most processes never need
        if zxcvbn(password[:MOST_CHARACTERS], words)["score"] < LEAST_SCORE:
            raise ValidationError(
                gettext(
                    "This password is easy to guess. Use a longer one, for example four words that "
                    "have nothing to do with each other, with you or with the club."
                ),
                code="password_too_weak",
            )

    def get_help_text(self) -> str:
        return str(RULE)


def _names_of(user: AbstractBaseUser | None) -> Sequence[str]:
    if not isinstance(user, User):
        return ()
    names = [user.username, user.email, user.first_name, user.last_name]
    if user.pk is not None:
        memberships = Membership.objects.filter(user=user).order_by("pk")
        names += memberships.values_list("club__name", flat=True)[:MOST_NAMES]
        players = Player.objects.filter(user=user).order_by("pk")
        names += players.values_list("name", flat=True)[:MOST_NAMES]
    return names


def _words_of(names: Iterable[str]) -> list[str]:
    """Return each name's words, and the name without its gaps.

    >>> _words_of(["Riverside Hearts", "olga@club.example"])
    ['riverside', 'hearts', 'riversidehearts', 'olga', 'club', 'example', 'olgaclubexample']
    """
    words: list[str] = []
    for name in names:
        parts = re.findall(r"\w+", name[:MOST_CHARACTERS].lower())
        words += parts if len(parts) < 2 else [*parts, "".join(parts)]
    return words
