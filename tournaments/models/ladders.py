"""Ladders: their steps in stored order, the moves derived from them, and challenges.

The list of positions is the replay of an event's `LadderStep`s, the ratings that of its games
(scoring/ladders). Moves, rating changes and the state are derived and rebuilt by a worker.
"""

from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.columns import (
    OfClub,
    OfClubWithoutIndex,
    PlainRow,
    account,
    check,
    choice,
    index,
    known,
    optional_time,
    unique,
)
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game


class ChallengeState(models.TextChoices):
    ISSUED = "issued"
    ACCEPTED = "accepted"
    PLAYED = "played"
    CONFIRMED = "confirmed"
    DECLINED = "declined"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    FORFEITED_C = "forfeited_c"
    FORFEITED_D = "forfeited_d"
    CANCELLED = "cancelled"
    VOID = "void"


OPEN_CHALLENGES = (ChallengeState.ISSUED, ChallengeState.ACCEPTED, ChallengeState.PLAYED)
"""States in which a challenge still waits for something."""


class Challenge(OfClub):
    """A request to play for a place: `challenger` from below, `challenged` above.

    `number` counts 1, 2, ... through the event. `game` is what was played; each challenge between
    two who sat there may name it. `cancel_asked_by` is the one of the two who wants to call it
    off, until the other agrees. `result_as` is the role in which its result was entered; empty
    without one, and for one of an earlier release. `result_won_by` is the side (`challenger` or
    `challenged`) that is ahead by the result of which its loser was asked. `closed_at` is when it
    came to an end, `confirmed_as` who confirmed the result (`loser`, a role, or `clock`), with the
    account `confirmed_by` and the name `confirmed_name` that it had then. They stay where the
    challenge is void later.
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="challenges")
    number = models.PositiveIntegerField()
    challenger = models.ForeignKey(Entrant, models.CASCADE, related_name="+")
    challenged = models.ForeignKey(Entrant, models.CASCADE, related_name="+")
    state = choice(ChallengeState.ISSUED, 11)
    issued_at = models.DateTimeField()
    accepted_at = optional_time()
    played_at = optional_time()
    closed_at = optional_time()
    postponed_c = models.BooleanField(default=False)
    postponed_d = models.BooleanField(default=False)
    cancel_asked_by = models.ForeignKey(
        Entrant, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    game = models.ForeignKey(
        Game, models.SET_NULL, null=True, blank=True, related_name="challenges"
    )
    result_as = models.CharField(max_length=12, blank=True, default="", db_default="")
    result_won_by = models.CharField(max_length=10, blank=True, default="", db_default="")
    confirmed_as = models.CharField(max_length=12, blank=True)
    confirmed_by = account()
    confirmed_name = models.CharField(max_length=120, blank=True, db_default="")
    words = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            unique("challenge_number_is_unique_in_its_event", "event", "number"),
            unique(
                "member_has_one_open_challenge_out",
                "event",
                "challenger",
                condition=models.Q(state__in=OPEN_CHALLENGES),
            ),
            unique(
                "member_has_one_open_challenge_in",
                "event",
                "challenged",
                condition=models.Q(state__in=OPEN_CHALLENGES),
            ),
            known("challenge_state_is_known", "state", ChallengeState),
            check("nobody_challenges_themselves", ~models.Q(challenger=models.F("challenged"))),
        ]


class LadderAbsence(OfClub):
    """Days on which a member of a ladder is away, both included; `until` empty: not known yet."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="absences")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="absences")
    since = models.DateField()
    until = models.DateField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("absence_begins_once_on_a_day", "entrant", "since"),
            check(
                "absence_ends_after_it_begins",
                models.Q(until__isnull=True) | models.Q(until__gte=models.F("since")),
            ),
        ]


class StepKind(models.TextChoices):
    OPENED = "opened"
    JOINED = "joined"
    REMOVED = "removed"
    CHALLENGE = "challenge"
    TABLE = "table"
    SWEPT = "swept"


class LadderStep(OfClub):
    """One thing that happened on a ladder, in stored order; what it moved is derived.

    `number` is `turn * 10_000 + table`: the tables of a round share the turn of its first one and
    count by their number; everything else has a turn of its own and 0. It never comes from a
    clock, and a corrected game keeps it. What a game or a challenge decided is read from their
    rows, so a correction of them changes no step. `facts` has `members` (codes, of `opened`),
    `why` (of `removed`), `passed_over` (of `table`: why it moves nobody, with the numbers), `idle`
    (codes, of `swept`), `winner` (code, of `challenge`: who had won when its result was confirmed).
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="ladder_steps")
    number = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=9, choices=StepKind.choices)
    on = models.DateField()
    entrant = models.ForeignKey(Entrant, models.CASCADE, null=True, blank=True, related_name="+")
    game = models.OneToOneField(
        Game, models.CASCADE, null=True, blank=True, related_name="ladder_step"
    )
    challenge = models.OneToOneField(
        Challenge, models.CASCADE, null=True, blank=True, related_name="ladder_step"
    )
    week = models.CharField(max_length=8, blank=True)
    facts = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            unique("ladder_step_number_is_unique_in_its_event", "event", "number"),
            unique(
                "ladder_is_swept_once_a_week", "event", "week", condition=models.Q(kind="swept")
            ),
            known("ladder_step_kind_is_known", "kind", StepKind),
        ]


class LadderMove(OfClubWithoutIndex):
    """One member's change of place by one step; `before` or `after` is empty off the list.

    `kind` and `facts` are the story as data, with codes for members
    (scoring/ladders/positions.py).
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="ladder_moves", db_index=False)
    number = models.PositiveBigIntegerField()
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="+", db_index=False)
    before = models.PositiveIntegerField(null=True, blank=True)
    after = models.PositiveIntegerField(null=True, blank=True)
    on = models.DateField()
    kind = models.CharField(max_length=12)
    facts = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [unique("step_moves_a_member_once", "event", "number", "entrant")]
        indexes = [index("moves_of_a_member", "entrant", "number")]


class RatingChange(PlainRow):
    """What one game did to one member's rating: doubles before and after it, unrounded.

    `sequence` counts the event's rated games from 0 in their order (date, round, table, id).
    `before`, `after` are the rating (Elo) or mu (Plackett-Luce), the spreads its sigma. `games` is
    how many rated games the member had before.
    """

    club = models.ForeignKey(
        Club, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    event = models.ForeignKey(
        Event, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    game = models.ForeignKey(
        Game, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    entrant = models.ForeignKey(
        Entrant, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    sequence = models.PositiveIntegerField()
    games = models.PositiveIntegerField()
    before = models.FloatField()
    before_spread = models.FloatField(null=True, blank=True)
    after = models.FloatField()
    after_spread = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [unique("game_rates_a_member_once", "event", "sequence", "entrant")]
        indexes = [index("ratings_of_a_member", "entrant", "sequence")]


class LadderState(OfClub):
    """The current state of a ladder: derived, one row an event, the end of the last replay.

    `turn` counts the computations. `order` is the list of codes from the top after step `number`,
    `dropped` pairs of code and week, `ratings` by code `[values, games, last played]`, `rules`
    those it was made under. `inputs` are digests of its inputs, by which the next
    computation finds the first change (services/publishing/ladder_positions.py).
    """

    event = models.OneToOneField(Event, models.CASCADE, related_name="ladder_state")
    turn = models.PositiveBigIntegerField(default=0)
    number = models.PositiveBigIntegerField(default=0)
    order = models.JSONField(default=list, blank=True)
    dropped = models.JSONField(default=list, blank=True)
    ratings = models.JSONField(default=dict, blank=True)
    rules = models.JSONField(default=dict, blank=True)
    inputs = models.JSONField(default=dict, blank=True)
    swept_to = models.DateField(null=True, blank=True)
