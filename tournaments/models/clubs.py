"""Clubs, the roles of their members, their players, and merges and erasures of players."""

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.models.columns import (
    Audited,
    PlainRow,
    account,
    check,
    index,
    known,
    newer_choice,
    optional_time,
    random_id,
    unique,
)
from tournaments.random_uuid import RandomUUID

if TYPE_CHECKING:
    from tournaments.models.access import PlayerClaim

NAME_TO_COME: Final = "…"
"""Value in place of a public name until it is made."""


class Role(models.TextChoices):
    """A member's role in one club, weakest first."""

    PLAYER = "player"
    HOST = "host"
    DIRECTOR = "director"
    OWNER = "owner"


ROLES: Final[Mapping[str, Promise]] = {
    Role.PLAYER: _("a player"),
    Role.HOST: _("a host"),
    Role.DIRECTOR: _("a director"),
    Role.OWNER: _("an owner of the club"),
}
"""The labels on pages; REST documents those of `Role`, which Django makes."""


class NamesPolicy(models.TextChoices):
    """How much of a player's name the public reads, most of it first."""

    FULL = "full"
    INITIAL = "initial"
    NICKNAME = "nickname"
    NUMBER = "number"


class EventCreators(models.TextChoices):
    """Which roles create events in a club: directors and owners, or owners only."""

    DIRECTORS = "directors"
    OWNERS = "owners"


class ClubVisibility(models.TextChoices):
    """Who may know of a club: everybody, or its members (`Club.is_public`)."""

    PUBLIC = "public"
    MEMBERS = "members"


class Club(Audited, models.Model):
    """An organisation; every row below it refers to it, so that no query can cross clubs.

    `names_policy` is how the public reads names of players; `names_version` counts the changes
    that may show a name less fully, so that an older publication is known by its own number.
    `seating` holds what the club prefers for its tables: `{"threes": true, "fives": true, "prefer":
    "threes" | "fives" | "sit_outs"}`; empty = the defaults (design: docs/algorithms/seating.md).
    `reminder_days` is how many days before a planned evening its players are reminded by mail;
    empty = they are not.
    `delete_after` is set while the club is about to be deleted; until then that can be undone.
    """

    AUDIT_SUBJECT: ClassVar = "club:{0.slug}"

    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    time_zone = models.CharField(max_length=60, default="UTC")
    language = models.CharField(max_length=12, default="en")
    is_public = models.BooleanField(default=True)
    created_at = models.DateTimeField()
    names_policy = newer_choice(NamesPolicy.FULL, 8)
    names_version = models.PositiveBigIntegerField(default=0, db_default=0)
    event_creators = newer_choice(EventCreators.DIRECTORS, 9)
    requires_second_factor = models.BooleanField(default=False, db_default=False)
    colour = models.CharField(max_length=7, default="", db_default="", blank=True)
    logo_digest = models.CharField(max_length=64, default="", db_default="", blank=True)
    seating = models.JSONField(
        default=dict, db_default=models.Value({}, models.JSONField()), blank=True
    )
    reminder_days = models.PositiveSmallIntegerField(null=True, blank=True, default=3, db_default=3)
    exported_at = optional_time()
    delete_after = optional_time()

    class Meta:
        constraints = [
            unique("club_slug_is_unique", "slug"),
            check("club_has_a_slug", ~models.Q(slug="")),
            known("names_policy_of_a_club_is_known", "names_policy", NamesPolicy),
            known("event_creators_of_a_club_are_known", "event_creators", EventCreators),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_open(self) -> bool:
        """Whether everybody may know of the club: it is public and not about to be deleted."""
        return self.is_public and self.delete_after is None

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


class FormerSlug(PlainRow):
    """An address that a club had before; it redirects to the club, and no other club gets it."""

    club = models.ForeignKey(Club, models.CASCADE, related_name="former_slugs")
    slug = models.SlugField(max_length=60)
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [unique("former_slug_is_unique", "slug")]


class ClubLogo(PlainRow):
    """The logo of a club: a PNG that we wrote ourselves, without metadata."""

    club = models.OneToOneField(Club, models.CASCADE, primary_key=True, related_name="logo")
    png = models.BinaryField()


class ClubFront(PlainRow):
    """The owner's texts on a club's page, and the event that it shows first.

    All of it is plain text; `how_to_join` has one step a line. A club without a row has no texts.
    """

    club = models.OneToOneField(Club, models.CASCADE, primary_key=True, related_name="front")
    about = models.TextField(default="", blank=True)
    when_where = models.CharField(max_length=160, default="", blank=True)
    how_to_join = models.TextField(default="", blank=True)
    fee = models.CharField(max_length=120, default="", blank=True)
    contact = models.CharField(max_length=200, default="", blank=True)
    welcomes_visitors = models.BooleanField(default=False)
    front_event = models.ForeignKey(
        "tournaments.Event", models.SET_NULL, null=True, blank=True, related_name="+"
    )


class Membership(Audited, models.Model):
    """A user's role in a club. Site administrators have all rights without one.

    `public_id` is the member's id in REST and in addresses.
    """

    AUDIT_SUBJECT: ClassVar = "user:{0.user_id}"

    public_id = models.UUIDField(default=uuid.uuid4, db_default=RandomUUID(), editable=False)
    club = models.ForeignKey(Club, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="club_memberships"
    )
    role = models.CharField(max_length=10, choices=Role.choices)
    joined_at = optional_time()
    player: "Player | None" = None
    claim: "PlayerClaim | None" = None
    is_last_owner = False
    """Set by selectors: the account's player and pending claim; whether it is the only owner."""

    class Meta:
        constraints = [
            unique("membership_id_is_unique", "public_id"),
            unique("user_has_one_membership_in_a_club", "club", "user"),
            known("membership_role_is_known", "role", Role),
        ]

    def __str__(self) -> str:
        return f"{self.role} in club {self.club_id}"

    @property
    def label(self) -> str:
        """The member's name: the account's full name, the player's, or the login."""
        player_name = self.player.name if self.player is not None else ""
        return self.user.get_full_name() or player_name or self.user.get_username()


class Player(Audited, models.Model):
    """A club's record of a person; `player_id` is the club's own number (RL24).

    `name` is read by members, and `sort_key` (`name_matching.sort_key`) is its place in lists; the
    public reads `public_name`, which follows the club's policy or
    the player's own stricter choice `shown_as`
    (docs/decisions/0033-public-names-are-stored.md). Build rows with
    `tournaments.domain.people.public_names.new_player`. A merged player keeps its row, without
    results, and points at the one that took them; `erased_at` marks a person whose name was erased.
    A player that an older release added is read as `NAME_TO_COME`, or has no `sort_key`, until a
    worker has made them (`services.clubs.names.complete_names`).
    `is_compared` is whether the name, as it is now, was compared with the others of the club
    (`SimilarPlayers`). `fills_in`: the player is willing to fill in at an evening that lacks one.
    """

    AUDIT_SUBJECT: ClassVar = "player:{0.player_id}"

    club = models.ForeignKey(Club, models.CASCADE, related_name="players")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="club_players",
    )
    player_id = models.CharField(max_length=40)
    name = models.CharField(max_length=120)
    nickname = models.CharField(max_length=60, default="", db_default="", blank=True)
    shown_as = models.CharField(
        max_length=8, choices=NamesPolicy.choices, default="", db_default="", blank=True
    )
    sort_key = models.CharField(max_length=120, default="", db_default="", editable=False)
    public_name = models.CharField(max_length=120, db_default=NAME_TO_COME)
    joined = models.DateField(null=True, blank=True)
    is_active = models.BooleanField(default=True, db_default=True)
    merged_into = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="merged_players"
    )
    erased_at = optional_time()
    is_compared = models.BooleanField(default=False, db_default=False)
    fills_in = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            unique("player_id_is_unique_in_its_club", "club", "player_id"),
            unique("account_is_one_player_of_a_club", "club", "user"),
            check("player_has_a_player_id", ~models.Q(player_id="")),
            check("player_has_a_public_name", ~models.Q(public_name="")),
            check(
                "names_policy_of_a_player_is_known",
                models.Q(shown_as="") | models.Q(shown_as__in=NamesPolicy.values),
            ),
        ]
        indexes = [
            index("player_by_sort_key", "club", "sort_key", "player_id"),
            index("players_still_to_compare", "club", condition=models.Q(is_compared=False)),
        ]

    def __str__(self) -> str:
        return self.name


class SimilarPlayers(PlainRow):
    """Two players whose names may be those of one person; `likeness` is in hundredths.

    Pairs of a merged player stay, because the merge can be undone.
    """

    # No constraints: 0.3.0, which does not know the rows, deletes players and clubs beside them.
    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_constraint=False)
    player = models.ForeignKey(Player, models.CASCADE, related_name="+", db_constraint=False)
    other = models.ForeignKey(Player, models.CASCADE, related_name="+", db_constraint=False)
    likeness = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            unique("two_players_are_similar_once", "player", "other"),
            check("similar_players_are_in_order", models.Q(player__lt=models.F("other"))),
        ]


class PlayerAlias(Audited, PlainRow):
    """A name by which files of a club call a player, as somebody answered.

    It is read by directors only. `folded` is the name for comparing; a host's answer is no
    `is_confirmed` one, but a proposal, and a name may have one of each. `newest` is the highest
    row of the club's players at that time: who came later may be meant as well. `made_as` is the
    role of who answered.
    """

    AUDIT_SUBJECT: ClassVar = "{0.player.audit_subject}"

    # No constraints: 0.5.0, which does not know the rows, deletes players and clubs beside them.
    public_id = random_id()
    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_constraint=False)
    player = models.ForeignKey(Player, models.CASCADE, related_name="aliases", db_constraint=False)
    name = models.CharField(max_length=120)
    folded = models.CharField(max_length=240)
    is_confirmed = models.BooleanField()
    newest = models.PositiveBigIntegerField()
    made_as = models.CharField(max_length=20)
    made_at = models.DateTimeField()

    class Meta:
        verbose_name = "other name of a player"
        verbose_name_plural = "other names of players"
        constraints = [
            unique("alias_id_is_unique", "public_id"),
            unique("alias_is_that_of_one_player", "club", "folded", "is_confirmed"),
            check("alias_has_a_name", ~models.Q(name="") & ~models.Q(folded="")),
        ]


class PlayerMerge(Audited, PlainRow):
    """Two records of one person became one: `source` gave everything to `target`.

    `moved` lists the rows by table and id with their previous values, so that the merge can be
    undone until something new depends on it.
    """

    AUDIT_SUBJECT: ClassVar = "{0.source.audit_subject}"

    public_id = random_id()
    club = models.ForeignKey(Club, models.CASCADE, related_name="merges")
    source = models.ForeignKey(Player, models.CASCADE, related_name="merges")
    target = models.ForeignKey(Player, models.CASCADE, related_name="+")
    moved = models.JSONField()
    audit_number = models.PositiveBigIntegerField(default=0)
    merged_by = account()
    merged_at = models.DateTimeField()
    undone_by = account()
    undone_at = optional_time()

    class Meta:
        constraints = [
            unique("merge_id_is_unique", "public_id"),
            unique("player_is_merged_once", "source", condition=models.Q(undone_at__isnull=True)),
            check("merge_is_of_two_players", ~models.Q(source=models.F("target"))),
        ]


class Erasure(Audited, PlainRow):
    """A request of a person to be erased, confirmed by an owner. Holds ids, never the name.

    The rows with `erased_at` are the list that a restored backup applies again.
    """

    AUDIT_SUBJECT: ClassVar = "{0.player.audit_subject}"

    public_id = random_id()
    club = models.ForeignKey(Club, models.CASCADE, related_name="erasures")
    player = models.ForeignKey(Player, models.CASCADE, related_name="erasures")
    asked_by = account()
    asked_at = models.DateTimeField()
    decided_by = account()
    erased_at = optional_time()
    declined_at = optional_time()

    class Meta:
        constraints = [
            unique("erasure_id_is_unique", "public_id"),
            unique(
                "player_has_one_pending_erasure",
                "player",
                condition=models.Q(erased_at__isnull=True, declined_at__isnull=True),
            ),
        ]
