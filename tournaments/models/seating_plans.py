"""Seating plans of evenings, and the constraints that every plan of an event keeps."""

from django.db import models

from tournaments.models.clubs import Club, Player
from tournaments.models.columns import (
    PlainRow,
    account,
    check,
    choice,
    from_one,
    known,
    optional_time,
    random_id,
    unique,
)
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting

LADDER = "ladder"
"""The movement of a plan by which neighbours in a list share a table."""

OPEN = "open"
"""The movement of an open night, whose plan has no rounds."""


WHIST, PAIRS, TEAMS = "whist", "pairs", "teams"
PARTNERSHIPS = (WHIST, PAIRS, TEAMS)
"""The movements in which partners sit opposite each other, and each round needs all of them."""


SWISS, KNOCKOUT = "swiss", "knockout"
"""The movements whose next round needs the results of the one before."""


MOVING = "moving"
"""The movement of a duplicate event in which players move as its boards between the tables do."""


class PlanState(models.TextChoices):
    """A plan is a draft until it is chosen; another one that is chosen supersedes it."""

    DRAFT = "draft"
    CHOSEN = "chosen"
    SUPERSEDED = "superseded"


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Names of the plans of an evening, in order."""


class SeatingPlan(PlainRow):
    """Who sits where in the rounds of an evening, as computed from its inputs and its seed.

    `inputs` holds everything that the plan depends on (present players, table sizes, constraints,
    presence by round, digest of the history); `rounds` the tables with primary keys of players in
    seat order, empty until a first plan was found; `cost` the parts of its cost. The plan is made
    again from `inputs`, `seed` and `iterations`. While it is computed, `moves_done` of `moves` tell
    the progress, and `is_ready` is false.
    """

    public_id = random_id()
    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey(Event, models.CASCADE, related_name="seating_plans")
    meeting = models.ForeignKey(Meeting, models.CASCADE, related_name="seating_plans")
    state = choice(PlanState.DRAFT, 10)
    movement = models.CharField(max_length=12, default="individual")
    seed = models.PositiveBigIntegerField()
    round_count = models.PositiveSmallIntegerField()
    inputs = models.JSONField()
    rounds = models.JSONField(default=list, blank=True)
    cost = models.JSONField(default=dict, blank=True)
    is_ready = models.BooleanField(default=False)
    moves = models.PositiveIntegerField(default=0)
    moves_done = models.PositiveIntegerField(default=0)
    iterations = models.PositiveIntegerField(default=0)
    stop_requested = models.BooleanField(default=False)
    problem = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField()
    created_by = account()
    chosen_at = optional_time()

    class Meta:
        constraints = [
            unique("seating_plan_id_is_unique", "public_id"),
            unique("meeting_has_one_chosen_plan", "meeting", condition=models.Q(state="chosen")),
            known("seating_plan_state_is_known", "state", PlanState),
            from_one("seating_plan_has_a_round", "round_count"),
        ]

    @property
    def is_swiss(self) -> bool:
        """Whether it has the next round by scores: of players, or of pairs."""
        return SWISS in (self.movement, self.inputs.get("variation"))


class ConstraintKind(models.TextChoices):
    APART = "apart"
    TOGETHER = "together"
    FIXED_TABLE = "fixed_table"


class SeatingConstraint(PlainRow):
    """Two players who sit apart or together, or one player who needs a certain table.

    Directors and owners read the reason, and nobody else.
    """

    public_id = random_id()
    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey(Event, models.CASCADE, related_name="seating_constraints")
    kind = models.CharField(max_length=11, choices=ConstraintKind.choices)
    player = models.ForeignKey(Player, models.CASCADE, related_name="seating_constraints")
    other = models.ForeignKey(
        Player, models.CASCADE, null=True, blank=True, related_name="other_seating_constraints"
    )
    table_number = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            unique("seating_constraint_id_is_unique", "public_id"),
            known("seating_constraint_kind_is_known", "kind", ConstraintKind),
            check(
                "seating_constraint_names_a_pair_or_a_table",
                models.Q(kind="fixed_table", other__isnull=True, table_number__gte=1)
                | models.Q(
                    ~models.Q(kind="fixed_table"), other__isnull=False, table_number__isnull=True
                ),
            ),
            check("seating_constraint_names_two_players", ~models.Q(player=models.F("other"))),
        ]
