"""Seasons, events, the rules they were played under, and who competes in them."""

from collections.abc import Mapping
from typing import ClassVar, Final

from django.db import models

from tournaments.models.clubs import Club, Player
from tournaments.models.columns import (
    Audited,
    OfClub,
    check,
    choice,
    from_one,
    known,
    newer_choice,
    of_import,
    optional_time,
    unique,
)


class EventKind(models.TextChoices):
    """The totals of an event's games."""

    LEAGUE = "league"
    TOURNAMENT = "tournament"
    LADDER = "ladder"


class EventState(models.TextChoices):
    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"
    FINAL = "final"


class Visibility(models.TextChoices):
    """Who may read an event's results: everybody, members, or its directors only."""

    PUBLIC = "public"
    MEMBERS = "members"
    HELD = "held"


class Season(Audited, models.Model):
    """Local dates that group events.

    `settings` has the keys of docs/event-settings.md for a table over all its events; empty means
    that the season has no table of its own.
    """

    AUDIT_SUBJECT: ClassVar = "season:{0.slug}"

    club = models.ForeignKey(Club, models.CASCADE, related_name="seasons")
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    starts_on = models.DateField()
    ends_on = models.DateField()
    settings = models.JSONField(default=dict, blank=True)
    seed = models.CharField(max_length=32, default="", blank=True)

    class Meta:
        constraints = [
            unique("season_slug_is_unique_in_its_club", "club", "slug"),
            check("season_ends_after_it_starts", models.Q(ends_on__gte=models.F("starts_on"))),
        ]

    def __str__(self) -> str:
        return self.name


class Event(Audited, models.Model):
    """A competition: league, tournament or ladder.

    `settings` holds the keys of docs/event-settings.md that nothing is filtered by (length,
    primary, tie_breaks …); read it through `tournaments.domain.event_settings.settings_of`.
    `closed_at` is when it was closed last; the correction window runs from there. An archived
    event is hidden from lists; its addresses stay. `last_import` is the highest number that an
    import of it had, of deleted ones too.
    """

    AUDIT_SUBJECT: ClassVar = "event:{0.slug}"

    club = models.ForeignKey(Club, models.CASCADE, related_name="events")
    season = models.ForeignKey(
        Season, models.SET_NULL, null=True, blank=True, related_name="events"
    )
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    kind = choice(EventKind.LEAGUE, 12)
    state = choice(EventState.DRAFT, 8)
    visibility = choice(Visibility.PUBLIC, 8)
    variant = models.CharField(max_length=60)
    options = models.JSONField(default=dict, blank=True)
    settings = models.JSONField(default=dict, blank=True)
    seed = models.CharField(max_length=32)
    created_at = models.DateTimeField()
    closed_at = optional_time()
    archived_at = optional_time()
    last_import = models.PositiveIntegerField(default=0, db_default=0)
    round_names: Mapping[int, str] | None = None
    """Set by `names_on_page`."""

    class Meta:
        constraints = [
            unique("event_slug_is_unique_in_its_club", "club", "slug"),
            known("event_kind_is_known", "kind", EventKind),
            known("event_state_is_known", "state", EventState),
            known("event_visibility_is_known", "visibility", Visibility),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_ladder(self) -> bool:
        return self.kind == EventKind.LADDER

    @property
    def is_open(self) -> bool:
        return self.state == EventState.OPEN

    @property
    def is_over(self) -> bool:
        return self.state in (EventState.CLOSED, EventState.FINAL)


class FormerEventSlug(OfClub):
    """An address that an event had before; it redirects to the event, and no other event of the
    club gets it."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="former_slugs")
    slug = models.SlugField(max_length=60)
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [unique("former_event_slug_is_unique_in_its_club", "club", "slug")]


class Snapshot(OfClub):
    """One exact resolved rule set that tables of an event were played under, by content hash."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="snapshots")
    content_hash = models.CharField(max_length=64)
    variant = models.CharField(max_length=60)
    variant_name = models.CharField(max_length=120)
    options = models.JSONField(default=dict)
    rules = models.JSONField()

    class Meta:
        verbose_name = "rules snapshot"
        constraints = [unique("snapshot_is_kept_once_in_its_event", "event", "content_hash")]

    def __str__(self) -> str:
        return f"{self.variant} {self.short_hash}"

    @property
    def short_hash(self) -> str:
        """The part of the content hash that addresses use."""
        return self.content_hash[:12]

    @property
    def has_points(self) -> bool:
        """Whether points of several hands have a total; complex numbers have no order."""
        return bool(self.rules.get("number") != "complex")


class EntrantKind(models.TextChoices):
    PLAYER = "player"
    PAIR = "pair"
    TEAM = "team"


class EntrantState(models.TextChoices):
    """A withdrawn entrant stays in the table, marked."""

    ACTIVE = "active"
    WITHDRAWN = "withdrawn"


class Entrant(Audited, OfClub):
    """A row of an event's standings. `code` is the player's id, or the pair's or team's own.

    `start_position` is the entrant's position before the first game, if the event has such
    a list (a ladder). `batch` is the import that entered them, if any. A `guest` is ranked in the
    evenings, and below the standings without a place.
    """

    AUDIT_SUBJECT: ClassVar = "{0.event.audit_subject}/entrant:{0.code}"

    event = models.ForeignKey(Event, models.CASCADE, related_name="entrants")
    code = models.CharField(max_length=40)
    name = models.CharField(max_length=120, blank=True)
    kind = choice(EntrantKind.PLAYER, 6)
    state = choice(EntrantState.ACTIVE, 9)
    start_position = models.PositiveIntegerField(null=True, blank=True)
    batch = of_import()
    guest = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            unique("entrant_code_is_unique_in_its_event", "event", "code"),
            unique("start_position_is_unique_in_its_event", "event", "start_position"),
            from_one("start_positions_start_at_one", "start_position"),
            known("entrant_kind_is_known", "kind", EntrantKind),
            known("entrant_state_is_known", "state", EntrantState),
        ]

    def __str__(self) -> str:
        return self.code


class EntrantMember(OfClub):
    """A player's place in an entrant. `event` repeats the entrant's, for the rule below."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="+")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="members")
    player = models.ForeignKey(Player, models.PROTECT, related_name="entries_in_events")

    class Meta:
        constraints = [unique("player_belongs_to_one_entrant_in_an_event", "event", "player")]


class StageKind(models.TextChoices):
    """The movement of a stage; `open` seats all who come."""

    INDIVIDUAL = "individual"
    WHIST = "whist"
    PAIRS = "pairs"
    TEAMS = "teams"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    OPEN = "open"
    PLAYOFF = "playoff"


NAMED: Final = (StageKind.KNOCKOUT, StageKind.PLAYOFF)
"""Kinds of the stages whose rounds have names of their own."""


class Carry(models.TextChoices):
    """How much of their earlier results counts for the players of a stage."""

    ALL = "all"
    HALF = "half"
    NONE = "none"
    SEEDING = "seeding"


class StageTakes(models.TextChoices):
    """Which entrants of the previous stage play: those who go on, or those who do not."""

    WINNERS = "winners"
    LOSERS = "losers"


class Seeding(models.TextChoices):
    """What orders the entrants of a stage before its first round."""

    STANDINGS = "standings"
    LADDER = "ladder"
    LOT = "lot"


class StagePlan(models.TextChoices):
    """Whether a stage was planned: not planned, planned, or planned and begun."""

    UNPLANNED = ""
    PLANNED = "planned"
    BEGUN = "begun"


class Stage(OfClub):
    """A part of an event with one movement.

    `cut` is how many of the stage before play here, where this one is for some of it only
    (`StageEntrant` has who), begun at `cut_at`; the hands of a stage of kind `playoff` count for no
    table. `asked` is the open problem that a correction raised about who went on
    (`{"code", "facts"}`), `kept` the facts of the last one that was answered by keeping the result.

    Who plays here: `advance` says how many of `from_stage` go on (`{"best": k}` or
    `{"each_table": k, "wild_cards": m}`, None for everybody), `takes` whether those or the others
    play. Without `from_stage` it is the last stage before that is no play-off. `planned_rounds` and
    `table_sizes` are its director's plan, or None. `carry` is how earlier games count
    here (docs/algorithms/standings.md). `seeding` orders a draw that no score of the
    stage orders.

    Of a knock-out `each_round` says who goes on from each round (`{"each_table": k,
    "wild_cards": m}`, None for the usual two). A consolation that takes the losers of one round of
    a knock-out has that round in `from_round`, 1 for the first one; None is the first one, too.
    Of a repechage the best `also_best` of the stage `also_from` play here besides.
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=120, blank=True)
    kind = choice(StageKind.OPEN, 10)
    cut = models.PositiveSmallIntegerField(null=True, blank=True)
    cut_at = optional_time()
    asked = models.JSONField(null=True, blank=True)
    kept = models.JSONField(null=True, blank=True)
    plan = models.CharField(
        max_length=7,
        choices=StagePlan.choices,
        default=StagePlan.UNPLANNED,
        db_default="",
        blank=True,
    )
    planned_rounds = models.PositiveSmallIntegerField(null=True, blank=True)
    table_sizes = models.JSONField(null=True, blank=True)
    carry = newer_choice(Carry.ALL, 7)
    from_stage = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="followers"
    )
    takes = newer_choice(StageTakes.WINNERS, 7)
    advance = models.JSONField(null=True, blank=True)
    seeding = newer_choice(Seeding.STANDINGS, 9)
    each_round = models.JSONField(null=True, blank=True)
    from_round = models.PositiveSmallIntegerField(null=True, blank=True)
    also_from = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="+")
    also_best = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("stage_number_is_unique_in_its_event", "event", "number"),
            known("stage_kind_is_known", "kind", StageKind),
        ]

    def __str__(self) -> str:
        return self.name or f"stage {self.number}"

    @property
    def title(self) -> str:
        """Its name, or its description.

        >>> Stage(number=2, cut=8).title, Stage(number=2, cut=8, name="Final").title
        ('the final of 8', 'Final')
        """
        if self.takes == StageTakes.LOSERS and not self.name:
            return "the consolation"
        if self.name or not self.cut:
            return str(self)
        return f"the final of {self.cut}"
