"""What a club keeps of people without an account: mail address with consent, link, fill-ins."""

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club, Player
from tournaments.models.columns import OfClub, optional_time, unique
from tournaments.models.rounds import Meeting


class _OfPlayer(OfClub):
    """A row of one player of a club.

    Without constraints in the database: 0.4.0, which does not know the tables, deletes clubs,
    players, evenings and accounts beside them.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_constraint=False)

    class Meta:
        abstract = True


def _account() -> "models.ForeignKey[object, object]":
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+",
        db_constraint=False,
    )  # fmt: skip


class Contact(_OfPlayer):
    """A player's mail address with the consent to use it; for the person, directors and owners.

    A row of its own, so that no list of players reads it. `consent_by` is the account that noted
    the consent and `consent_as` its name; both are empty where the person gave it themselves.
    `new_email` waits for the confirmation of a mail. `stopped` lists the kinds of mails that the
    person does not want. `refusals` counts the mails that the mail server refused in a row;
    `MOST_REFUSALS` of them end all mails until the address is changed.
    """

    player = models.OneToOneField(
        Player, models.CASCADE, related_name="contact", db_constraint=False
    )
    email = models.EmailField(max_length=254, default="", blank=True)
    consent_at = optional_time()
    consent_by = _account()
    consent_as = models.CharField(max_length=120, default="", blank=True)
    new_email = models.EmailField(max_length=254, default="", blank=True)
    stopped = models.JSONField(default=list)
    refusals = models.PositiveSmallIntegerField(default=0)
    refusal = models.CharField(max_length=200, default="", blank=True)

    @property
    def is_refused(self) -> bool:
        return self.refusals >= MOST_REFUSALS


MOST_REFUSALS = 3
"""Refused mails in a row after which an address gets none."""


class PersonalLink(_OfPlayer):
    """Opens the evening of one player, without an account, until it is revoked or renewed.

    The token is made from `seed` under the server's secret key, so that it can be copied and
    printed again and a copy of the database opens nothing
    (docs/decisions/0015-links-derived-from-the-secret-key.md). `token_digest` is its SHA-256.
    """

    player = models.ForeignKey(
        Player, models.CASCADE, related_name="personal_links", db_constraint=False
    )
    seed = models.CharField(max_length=43)
    token_digest = models.CharField(max_length=64)
    made_by = _account()
    made_at = models.DateTimeField()
    used_at = optional_time()
    revoked_at = optional_time()

    class Meta:
        constraints = [
            unique("personal_link_seed_is_unique", "seed"),
            unique("personal_link_token_is_unique", "token_digest"),
            unique(
                "player_has_one_personal_link_that_is_not_revoked",
                "player",
                condition=models.Q(revoked_at__isnull=True),
            ),
        ]


class FillInRequest(_OfPlayer):
    """One more player is wanted at an evening; the first who answers yes is in.

    It is open until `filled_at` or `ended_at` is set, a round of its evening is posted, or the day
    is over. `seed` makes the token of the link for a chat, as of `PersonalLink`. `asked` are the
    players, by their rows, to whom a mail or a notice went.
    """

    meeting = models.ForeignKey(
        Meeting, models.CASCADE, related_name="fill_in_requests", db_constraint=False
    )
    seed = models.CharField(max_length=43)
    token_digest = models.CharField(max_length=64)
    asked_by = _account()
    asked_at = models.DateTimeField()
    asked = models.JSONField(default=list)
    filled_by = models.ForeignKey(
        Player, models.SET_NULL, null=True, blank=True, related_name="+", db_constraint=False
    )
    filled_at = optional_time()
    ended_at = optional_time()

    class Meta:
        constraints = [
            unique("fill_in_seed_is_unique", "seed"),
            unique("fill_in_token_is_unique", "token_digest"),
            unique(
                "evening_has_one_open_fill_in_request",
                "meeting",
                condition=models.Q(filled_at__isnull=True, ended_at__isnull=True),
            ),
        ]
