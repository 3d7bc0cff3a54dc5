"""House rules: a club's variants with chosen options, in versions."""

from typing import ClassVar, Final

from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.columns import Audited, OfClub, check, from_one, unique

LONGEST_SLUG: Final = 50
LONGEST_NAME: Final = 80


class HouseVariant(Audited, models.Model):
    """A club's own rules under one name; `last_number` is never used again for another version."""

    AUDIT_SUBJECT: ClassVar = "club:{0.club.slug}/house-rules:{0.slug}"

    club = models.ForeignKey(Club, models.CASCADE, related_name="house_variants")
    slug = models.SlugField(max_length=LONGEST_SLUG)
    name = models.CharField(max_length=LONGEST_NAME)
    is_archived = models.BooleanField(default=False)
    last_number = models.PositiveIntegerField(default=0)
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            unique("house_rules_slug_is_unique_in_its_club", "club", "slug"),
            unique("house_rules_name_is_unique_in_its_club", "club", "name"),
            check("house_rules_have_a_name", ~models.Q(slug="") & ~models.Q(name="")),
        ]

    def __str__(self) -> str:
        return self.name


class HouseVersion(OfClub):
    """One version of a club's rules; never changed once it is made.

    `base` is the variant that it began with (empty where a file says everything itself),
    `foundation` its rules before any option, `options` what the club chose, and `rules` the
    resolved rules, so that a later edit of the variant below changes nothing here. All three are
    JSON as `scoring.rules.rules` has it. `code` is the id of these rules, `thursday-rules-v2`: one
    text that means this version for ever. `about` may hold `summary`, `sources` and `notes`.
    """

    variant = models.ForeignKey(HouseVariant, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    code = models.CharField(max_length=60)
    base = models.CharField(max_length=60, blank=True)
    options = models.JSONField(default=dict, blank=True)
    foundation = models.JSONField()
    rules = models.JSONField()
    about = models.JSONField(default=dict, blank=True)
    made_as = models.CharField(max_length=120, blank=True)
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            unique("house_version_number_is_unique", "variant", "number"),
            unique("house_version_code_is_unique_in_its_club", "club", "code"),
            from_one("house_versions_start_at_one"),
        ]

    @property
    def title(self) -> str:
        """The name that people use: `Thursday rules, version 2`."""
        return str(self.rules["name"])
