"""Tie-break play-offs, cuts of standings, and walk-overs of knock-outs."""

from collections.abc import Mapping
from typing import ClassVar

from django.db import models

from tournaments.models.columns import Audited, OfClub, choice, known, optional_time, unique
from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.hands import Hand
from tournaments.models.rounds import Round, Table


class PlayoffState(models.TextChoices):
    DETECTED = "detected"
    SCHEDULED = "scheduled"
    IN_PLAY = "in_play"
    DECIDED = "decided"
    BY_LOT = "by_lot"
    VOID = "void"


LIVE = (PlayoffState.DETECTED, PlayoffState.SCHEDULED, PlayoffState.IN_PLAY)
"""States in which a play-off still waits for something, unless it is waived."""
OVER = (PlayoffState.DECIDED, PlayoffState.BY_LOT)


class PlayoffStepKind(models.TextChoices):
    """What happened in a play-off (`scoring.playoffs.progress.PlayoffEvent`)."""

    HAND = "hand"
    GONE = "gone"
    HEATS = "heats"
    EXTENDED = "extended"
    LOTS = "lots"


class StageEntrant(OfClub):
    """Who plays in a stage after a cut; a stage without such rows is for everybody."""

    stage = models.ForeignKey(Stage, models.CASCADE, related_name="entrants")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="+")

    class Meta:
        constraints = [unique("entrant_is_once_in_a_stage", "stage", "entrant")]


class WalkOver(OfClub):
    """An entrant who did not come to a table, or gave it up.

    `took_seat` says that the others play on with one seat less; else the seat is kept.
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="walk_overs")
    round = models.ForeignKey(Round, models.CASCADE, related_name="walk_overs")
    table = models.ForeignKey(Table, models.CASCADE, related_name="walk_overs")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="+")
    took_seat = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [unique("walk_over_is_recorded_once_a_round", "round", "entrant")]


def is_unanswered(question: Mapping[str, object] | None) -> bool:
    """Whether the problem that a correction raised (`Playoff.asked`) is unanswered."""
    return bool(question) and "answer" not in (question or {})


class Playoff(Audited, OfClub):
    """A tie that matters. `number` counts 1, 2, ... through the event.

    `key` is the need's (`scoring.playoffs.boundaries.Need.key`), unique among those that are not
    void. `boundaries` is a list of `{"kind", "above"}`, of the kind `table` with its `round` and
    `table` and of `wild_card` with its `round`, `cuts` how many of the members come above
    each line, `ahead` how many entrants are before them. `rules` is what it is played by
    (`PlayoffRules`), with `policy`; `seed` is for who sits where. Its tables are those of the
    rounds of `stage`; `legs` says of each round how it was planned
    (`{"round", "kind", "through", "fillers", "tables": {code: members}}`). `standing` is its
    current state, computed after each step (`services.playoffs.log.standing_json`). `result` is its
    result, once decided: `{"order": [[code]], "made": {code: [totals]}}`. `asked` is the
    problem that a correction raised (`{"code", "facts", "ties"}`), with `answer` once somebody has
    answered it; `is_waived`: a director lets them share.
    """

    AUDIT_SUBJECT: ClassVar = "{0.event.audit_subject}/playoff:{0.number}"

    event = models.ForeignKey(Event, models.CASCADE, related_name="playoffs")
    number = models.PositiveIntegerField()
    key = models.TextField()
    state = choice(PlayoffState.DETECTED, 9)
    boundaries = models.JSONField()
    cuts = models.JSONField()
    ahead = models.PositiveIntegerField()
    policy = models.CharField(max_length=16)
    rules = models.JSONField(default=dict)
    seed = models.CharField(max_length=64)
    stage = models.OneToOneField(
        Stage, models.SET_NULL, null=True, blank=True, related_name="playoff"
    )
    legs = models.JSONField(default=list, blank=True)
    standing = models.JSONField(null=True, blank=True)
    detected_at = models.DateTimeField()
    decided_at = optional_time()
    result = models.JSONField(null=True, blank=True)
    asked = models.JSONField(null=True, blank=True)
    is_waived = models.BooleanField(default=False)
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            unique("playoff_number_is_unique_in_its_event", "event", "number"),
            unique("tie_has_one_playoff", "event", "key", condition=~models.Q(state="void")),
            known("playoff_state_is_known", "state", PlayoffState),
        ]

    @property
    def is_of_table(self) -> bool:
        """Whether it decides who goes on from a round, from one of its tables or by a wild card."""
        return any("round" in line for line in self.boundaries)


def plays_at(playoff: Playoff, table: str, code: str) -> bool:
    """Whether a member who sits at a table plays for a place there, and is no neutral player.

    A leg of 0.2.0 does not list its members: there all members of the group do.
    """
    planned = [leg["tables"] for leg in playoff.legs if table in leg.get("tables", {})]
    return not planned or code in planned[0][table]


class PlayoffMember(OfClub):
    """An entrant who is tied and plays for the line."""

    playoff = models.ForeignKey(Playoff, models.CASCADE, related_name="members")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="+")

    class Meta:
        constraints = [unique("entrant_is_once_in_a_playoff", "playoff", "entrant")]


class PlayoffStep(OfClub):
    """One thing that happened in a play-off, in stored order.

    `hand` is the hand of kind `hand`; its scores are read from its row, so that a correction of it
    counts. `entrant` is who is `gone`. `facts` has `why` (no_show, withdrawn), `through` (codes),
    `hands` (of `extended`), `seed` (of `lots`).
    """

    playoff = models.ForeignKey(Playoff, models.CASCADE, related_name="steps")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=PlayoffStepKind.choices)
    hand = models.OneToOneField(
        Hand, models.CASCADE, null=True, blank=True, related_name="playoff_step"
    )
    entrant = models.ForeignKey(Entrant, models.CASCADE, null=True, blank=True, related_name="+")
    facts = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField()
    by = models.CharField(max_length=12, blank=True)

    class Meta:
        constraints = [
            unique("playoff_step_number_is_unique", "playoff", "number"),
            known("playoff_step_kind_is_known", "kind", PlayoffStepKind),
        ]
