"""Access of people and programs: invitations, claims, table links, tokens, private calendars; and
what a club keeps of people without an account: mail address with consent, link, fill-ins."""

import hashlib
import uuid
from typing import ClassVar

from django.conf import settings
from django.core import signing
from django.db import models
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from tournaments.models.clubs import Club, Player, Role
from tournaments.models.columns import (
    Audited,
    OfClub,
    PlainRow,
    account,
    check,
    choice,
    known,
    newer_choice,
    optional_time,
    random_id,
    unique,
)
from tournaments.models.rounds import Meeting, Table
from tournaments.random_uuid import RandomUUID


class Invitation(Audited, PlainRow):
    """Makes the first user who opens it a member of a club, and links the named player.

    The token is made from `seed` under the server's secret key, so that it can be copied and
    printed again and a copy of the database opens nothing:
    docs/decisions/0015-links-derived-from-the-secret-key.md.
    `token_digest` is its SHA-256. `name` is printed on the card if no player is named.

    `personal_link` is set where its holder made the invitation, by a mail that confirmed it; it
    ends with that link. What waits lists its account until `reviewed_at` is set.
    """

    AUDIT_SUBJECT: ClassVar = "invitation:{0.public_id}"

    public_id = random_id()
    club = models.ForeignKey(Club, models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role.choices)
    player = models.ForeignKey(
        Player, models.SET_NULL, null=True, blank=True, related_name="invitations"
    )
    name = models.CharField(max_length=120, default="", blank=True)
    email = models.EmailField(max_length=254, default="", blank=True)
    seed = models.CharField(max_length=43)
    token_digest = models.CharField(max_length=64)
    created_by = account()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    opened_at = optional_time()
    accepted_by = account()
    accepted_at = optional_time()
    revoked_at = optional_time()
    personal_link = models.ForeignKey(
        "tournaments.PersonalLink",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
    )
    reviewed_at = optional_time()

    class Meta:
        constraints = [
            unique("invitation_id_is_unique", "public_id"),
            unique("invitation_seed_is_unique", "seed"),
            unique("invitation_token_is_unique", "token_digest"),
            unique(
                "player_has_one_pending_invitation",
                "player",
                condition=models.Q(accepted_at__isnull=True, revoked_at__isnull=True),
            ),
            known("invited_role_is_known", "role", Role),
            check(
                "invitation_expires_after_it_is_made",
                models.Q(expires_at__gt=models.F("created_at")),
            ),
            check(
                "invitation_is_accepted_or_revoked",
                models.Q(accepted_at__isnull=True) | models.Q(revoked_at__isnull=True),
            ),
        ]


class ClaimState(models.TextChoices):
    """States of a claim; only a pending one can be decided."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class PlayerClaim(Audited, models.Model):
    """An account claims to be a player; a director confirms or rejects the claim."""

    AUDIT_SUBJECT: ClassVar = "{0.player.audit_subject}"

    public_id = random_id()
    club = models.ForeignKey(Club, models.CASCADE, related_name="claims")
    player = models.ForeignKey(Player, models.CASCADE, related_name="claims")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    state = choice(ClaimState.PENDING, 9)
    created_at = models.DateTimeField()
    decided_by = account()
    decided_at = optional_time()
    player_name = account_name = ""
    """Set by `claim_rows`: what the reader may read of the player, and the account's name."""

    class Meta:
        verbose_name = "claim of a player"
        verbose_name_plural = "claims of players"
        constraints = [
            unique("claim_id_is_unique", "public_id"),
            unique(
                "account_has_one_pending_claim_in_a_club",
                "club",
                "user",
                condition=models.Q(state="pending"),
            ),
            known("claim_state_is_known", "state", ClaimState),
        ]

    def __str__(self) -> str:
        return f"claim {self.public_id}"

    @property
    def audit_facts(self) -> dict[str, object]:
        return {"claim": str(self.public_id), "user": self.user_id}


class SetupLink(PlainRow):
    """Creates the site's first account, once; only the SHA-256 of its token is stored."""

    token_digest = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = optional_time()

    class Meta:
        constraints = [unique("setup_token_is_unique", "token_digest")]


class TableLink(OfClub):
    """Opens `table` until `expires_at`, by a token (in a QR code) or by a short code.

    Both are made from `seed` under the server's secret key, so that they can be printed again and a
    copy of the database opens nothing:
    docs/decisions/0015-links-derived-from-the-secret-key.md.
    `token_digest` is the SHA-256 of the token, `code_digest` a keyed hash of the short code, whose
    40 bits a plain one would not hide.
    """

    table = models.ForeignKey(Table, models.CASCADE, related_name="links")
    seed = models.CharField(max_length=43)
    token_digest = models.CharField(max_length=64)
    code_digest = models.CharField(max_length=64)
    made_by = account()
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = optional_time()
    revoked_at = optional_time()

    class Meta:
        constraints = [
            unique("link_seed_is_unique", "seed"),
            unique("link_token_is_unique", "token_digest"),
            unique("link_code_is_unique", "code_digest"),
            unique(
                "table_has_one_link_that_is_not_revoked",
                "table",
                condition=models.Q(revoked_at__isnull=True),
            ),
            check("link_expires_after_it_is_made", models.Q(expires_at__gt=models.F("made_at"))),
        ]

    def __str__(self) -> str:
        return f"link {self.pk} to table {self.table_id}"


class Scope(models.TextChoices):
    """The permissions of a token; each scope includes the ones before it."""

    READ = "read"
    ENTER = "enter"
    MANAGE = "manage"


class Token(models.Model):
    """Lets a program act as `user`, within `scope`, and only in `club` if it is set.

    `digest` is the SHA-256 of 256 random bits; the token itself is shown once and stored nowhere.
    `used_at` is written at most once an hour. `made_with_factor` is whether the session that made
    it had shown a second factor, None for one that an earlier release made.
    """

    public_id = models.UUIDField(default=uuid.uuid4, db_default=RandomUUID(), editable=False)
    name = models.CharField(max_length=60, default="", db_default="", blank=True)

    digest = models.CharField(max_length=64)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    club = models.ForeignKey(Club, models.CASCADE, null=True, blank=True, related_name="tokens")
    scope = models.CharField(max_length=6, choices=Scope.choices)
    made_at = models.DateTimeField()
    expires_at = optional_time()
    revoked_at = optional_time()
    used_at = optional_time()
    made_with_factor = models.BooleanField(null=True, blank=True)
    plain_text = ""
    """The token itself, where it was just created."""

    class Meta:
        verbose_name = "access token"
        constraints = [
            unique("token_digest_is_unique", "digest"),
            unique("token_id_is_unique", "public_id"),
            known("token_scope_is_known", "scope", Scope),
        ]

    def __str__(self) -> str:
        return f"token {self.pk} to {self.scope}"


class CalendarLink(models.Model):
    """Lets the holder of its token read the calendar of `user`, and nothing else.

    `digest` is the SHA-256 of 256 random bits; the address is shown once and stored nowhere. An
    account has one link at most: a new one replaces the old one, and revoking deletes it.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="calendar_link"
    )
    digest = models.CharField(max_length=64)
    made_at = models.DateTimeField()

    class Meta:
        constraints = [unique("calendar_link_digest_is_unique", "digest")]

    def __str__(self) -> str:
        return f"calendar link of account {self.user_id}"


class _OfPlayer(OfClub):
    """A row of one player of a club.

    Without constraints in the database: 0.4.0, which does not know the tables, deletes clubs,
    players, evenings and accounts beside them.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_constraint=False)

    class Meta:
        abstract = True


class AddressOrigin(models.TextChoices):
    """Who told the club a mail address.

    One that came by the personal link alone may be that of a stranger who found the link. It gets
    mails, and confirms nothing but itself. A director vouches for the others: they stored it,
    alone or with a list, or confirmed it; or it was confirmed in the mailbox of such an address.
    """

    LINK = "link", _("Came by the personal link")
    CLUB = "club", _("Stored or confirmed by the club")
    MAILBOX = "mailbox", _("Confirmed in the mailbox of the address before")


VOUCHED = models.Q(origin_at=models.F("consent_at")) & ~models.Q(origin=AddressOrigin.LINK)
"""The condition of `is_vouched` for contacts that have an address."""

MOST_REFUSALS = 3
"""Refused mails in a row after which an address gets none."""

PERSONAL_LINKS = "tournaments.personal-links"
"""The salt of what the server's key makes for personal links."""


def token_digest(plain: str) -> str:
    """Return the stored digest of a token: 256 random bits need no salt."""
    return hashlib.sha256(plain.encode()).hexdigest()


def token_of_seed(purpose: str, seed: str) -> str:
    """Return the token that the server's key makes of a seed for a purpose; 256 bits."""
    return signing.b64_encode(salted_hmac(purpose, seed, algorithm="sha256").digest()).decode()


def _account_without_constraint() -> "models.ForeignKey[object, object]":
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
    )


class Contact(_OfPlayer):
    """A player's mail address with the consent to use it; for the person, directors and owners.

    A row of its own, so that no list of players reads it. `consent_by` is the account that noted
    the consent and `consent_as` its name; both are empty where the person gave it themselves.
    `new_email` waits for the confirmation of a mail. `stopped` lists the kinds of mails that the
    person does not want. `refusals` counts the mails that the mail server refused in a row;
    `MOST_REFUSALS` of them end all mails until the address is changed.

    `origin` is that of the address whose `consent_at` is `origin_at`. Where they differ, a release
    that does not know the two stored another address: it counts as one that came by the link.
    """

    player = models.OneToOneField(
        Player, models.CASCADE, related_name="contact", db_constraint=False
    )
    email = models.EmailField(max_length=254, default="", blank=True)
    consent_at = optional_time()
    consent_by = _account_without_constraint()
    consent_as = models.CharField(max_length=120, default="", blank=True)
    new_email = models.EmailField(max_length=254, default="", blank=True)
    stopped = models.JSONField(default=list)
    refusals = models.PositiveSmallIntegerField(default=0)
    refusal = models.CharField(max_length=200, default="", blank=True)
    origin = newer_choice(AddressOrigin.LINK, 7)
    origin_at = optional_time()

    @property
    def is_refused(self) -> bool:
        return self.refusals >= MOST_REFUSALS

    @property
    def known_origin(self) -> str:
        """The origin of the address as it is now; "" without one."""
        if not self.email:
            return ""
        is_known = self.origin_at is not None and self.origin_at == self.consent_at
        return self.origin if is_known else AddressOrigin.LINK.value

    @property
    def is_vouched(self) -> bool:
        """Whether the club relies on the address for more than mails."""
        return self.known_origin not in ("", AddressOrigin.LINK)

    @property
    def is_by_person(self) -> bool:
        """Whether the holder of a personal link entered the address, and nobody of the club."""
        is_noted = bool(self.consent_as) or self.consent_by_id is not None
        return bool(self.email) and not (self.is_vouched and is_noted)


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
    made_by = _account_without_constraint()
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
    players, by their rows, to whom a mail or a notice of this or an earlier request went.
    `wanted` counts this one and those that follow: once it is filled, a further request asks for
    the others.
    """

    meeting = models.ForeignKey(
        Meeting, models.CASCADE, related_name="fill_in_requests", db_constraint=False
    )
    seed = models.CharField(max_length=43)
    token_digest = models.CharField(max_length=64)
    asked_by = _account_without_constraint()
    asked_at = models.DateTimeField()
    asked = models.JSONField(default=list)
    wanted = models.PositiveSmallIntegerField(default=1, db_default=1)
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


def personal_token(seed: str) -> str:
    return token_of_seed(f"{PERSONAL_LINKS}.token", seed)
