"""Work to do later: dirty rows (the queue of record), mail and webhooks, heartbeats."""

from typing import Final

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.columns import PlainRow, check, index, optional_time, unique

EVENT_PREFIX = "event:"
IMPORT_PREFIX = "import:"
RECOUNT_PREFIX = "recount:"
HISTORY_PREFIX = "companion:"
SEASON_PREFIX = "season:"
LADDER_PREFIX = "ladder:"
PLAYOFFS_PREFIX = "playoffs:"
REMOVAL_PREFIX = "removal:"
"""Scope of the removal of a deleted club."""
SEATING_PREFIX = "seating:"
"""Scope of the computation of a seating plan."""
CLUB_IMPORT_PREFIX = "club-import:"
"""Scope of an uploaded archive of a club."""
IMPORT_PREFIXES: Final = (IMPORT_PREFIX, CLUB_IMPORT_PREFIX)
"""Prefixes of the work on files, which may take minutes."""
DEADLINE_PREFIX = "deadline:"
"""Scope of a `Deadline`, not of a dirty row."""
OUTGOING_OFF: Final = "outgoing-off"
"""Scope of a row that exists while nothing is sent; `marked_at` is since when."""
OUTGOING_HELD: Final = "outgoing-held"
"""Scope of a row that exists from when nothing was sent until messages too old by then are dropped.

Both rows are never behind (`done` is `version`), so no worker takes them for work. They are rows of
the queue, which each release has, because `restore` writes them into backups of older releases.
"""
PREFIXES_OF_EVENTS = (
    EVENT_PREFIX,
    HISTORY_PREFIX,
    RECOUNT_PREFIX,
    LADDER_PREFIX,
    PLAYOFFS_PREFIX,
)
"""Prefixes of scopes with the number of an event."""


class RetriedJob(PlainRow):
    """The common columns of workers' jobs: tries, and whether it is parked after too many.

    `error` is that of the last try that failed; `took_ms` is how long the last run took.
    """

    attempts = models.PositiveSmallIntegerField(default=0)
    parked = models.BooleanField(default=False)
    error = models.TextField(blank=True)
    took_ms = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        abstract = True


FIRST_TRY: Final = {"attempts": 0, "parked": False, "error": ""}
"""The columns of a job that nothing went wrong with yet."""


class Dirty(RetriedJob):
    """A scope whose results are behind its rows while `done < version`.

    The row is the queue; Celery messages are hints
    (docs/decisions/0002-the-database-is-the-queue.md). `claimed_until` makes one
    computation at a time, `due_at` is the back-off after an error, `parked` a poison scope.
    `under_review_since` is set while an event's standings are computed but not published, until
    a person decides about a finished play-off or a cut.
    `progress` is where long work resumes; the last run ended at `done_at`.
    """

    scope = models.CharField(max_length=80)
    version = models.PositiveBigIntegerField(default=0)
    done = models.PositiveBigIntegerField(default=0)
    claimed_until = optional_time()
    due_at = optional_time()
    marked_at = optional_time()
    done_at = optional_time()
    progress = models.JSONField(null=True, blank=True)
    under_review_since = optional_time()

    class Meta:
        verbose_name = "background job"
        constraints = [
            unique("scope_has_one_dirty_row", "scope"),
            check("done_is_never_ahead_of_version", models.Q(done__lte=models.F("version"))),
        ]
        indexes = [
            index(
                "scopes_that_are_behind",
                "scope",
                condition=models.Q(done__lt=models.F("version"), parked=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope}: {self.done} of {self.version}"


class Outbox(RetriedJob):
    """A mail or webhook to send, written with the change that caused it.

    `user` or `player` is who gets it; both are empty for any other address. `key` keeps a
    message from being written twice; `about` names what it is about (`invitation:<id>`,
    `person:<row>`), so that a page shows how far its mail has come. `payload` holds no secret in
    plain text. A worker claims it until `claimed_until`; after too many tries it is `parked` and
    shown. `held_since` is when it was first held back, because its mailbox had the most mails of a
    day; one that is parked then was given up for that. `sent_to` is the address that a sent mail
    went to; empty for one about signing in, and for one that an earlier release sent.
    """

    club = models.ForeignKey(Club, models.CASCADE, null=True, blank=True, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+"
    )
    # No constraint: 0.4.0, which does not know the column, deletes players beside it.
    player = models.ForeignKey(
        "tournaments.Player",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
    )
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=120, default="", db_default="", blank=True)
    about = models.CharField(max_length=80, default="", db_default="", blank=True)
    payload = models.JSONField()
    created_at = models.DateTimeField()
    due_at = models.DateTimeField()
    parked = models.BooleanField(default=False, db_default=False)
    claimed_until = optional_time()
    sent_at = optional_time()
    sent_to = models.CharField(max_length=254, default="", db_default="", blank=True)
    held_since = optional_time()

    class Meta:
        verbose_name = "outgoing message"
        constraints = [
            unique("message_is_written_once", "kind", "key", "user", condition=~models.Q(key="")),
            unique(
                "message_to_a_player_is_written_once",
                "kind",
                "key",
                "player",
                condition=~models.Q(key="") & models.Q(player__isnull=False),
            ),
        ]
        indexes = [
            index(
                "outbox_still_to_send",
                "due_at",
                condition=models.Q(sent_at__isnull=True, parked=False),
            ),
            index("outbox_by_subject", "about"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class MailboxSlot(PlainRow):
    """One of the mails that a mailbox gets within a day, of all clubs together.

    `mailbox` is a keyed hash of the address, so that no address is stored. `number` counts from 0
    to the most of a day. `mail` is a row of `Outbox`, which may be gone; a slot is free again a day
    after `taken_at`.
    """

    mailbox = models.CharField(max_length=64)
    number = models.PositiveSmallIntegerField()
    mail = models.PositiveBigIntegerField()
    taken_at = models.DateTimeField()

    class Meta:
        constraints = [unique("mailbox_has_each_slot_once", "mailbox", "number")]
        indexes = [index("mailbox_slots_by_time", "taken_at")]


class Heartbeat(models.Model):
    """When a worker was last alive, for readiness and the director's page.

    `counting` is the number of the formulas of its release
    (domain/standings/counting_release.py); workers of 0.5.0 store none. `processes` is how many
    jobs it does at once; null in rows of a release that did not say so. `without_process_since` is
    since when no process of its pool has lasted; null while one does.
    """

    name = models.CharField(max_length=120)
    seen_at = models.DateTimeField()
    counting = models.PositiveSmallIntegerField(default=0, db_default=0)
    without_process_since = models.DateTimeField(null=True)
    processes = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        verbose_name = "worker heartbeat"
        constraints = [unique("worker_has_one_heartbeat", "name")]

    def __str__(self) -> str:
        return self.name


class Deadline(RetriedJob):
    """A job that the clock starts: a row with a due time that the dispatcher hands to a worker.

    A moved deadline changes its row, so that there is one of a kind for an event; a fault counts
    against it like one of a dirty row (three tries, then parked and shown). One that comes again
    (a weekly sweep) gets its next `due_at` when it has run; `ran_at`, `took_ms` and `outcome` say
    when that was last, how long it took and what came of it.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey("tournaments.Event", models.CASCADE, related_name="deadlines")
    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=40, blank=True)
    due_at = models.DateTimeField()
    done_at = optional_time()
    ran_at = optional_time()
    outcome = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [unique("deadline_is_one_of_its_kind_in_its_event", "event", "kind", "key")]
        indexes = [
            index(
                "deadlines_still_to_come",
                "due_at",
                condition=models.Q(done_at__isnull=True, parked=False),
            ),
        ]


EVENING_END: Final = "evening_end"
"""Kind of the deadlines that end evenings; `key` is the meeting's id."""

EVENING_RESULT: Final = "evening_result"
"""Kind of the deadlines that draw the results of evenings; `key` is the meeting's id."""

CHALLENGE_DEADLINE: Final = "challenge"
"""Kind of the deadlines of challenges; `key` is the challenge's number."""

FINALISE: Final = "finalise"
"""Kind of the deadline that makes an event final."""

FINALISE_ROUND: Final = "finalise_round"
"""Kind of the deadlines that make the games of a round final; `key` is the round's number."""

CHALLENGE_REMINDER: Final = "challenge_soon"
"""Kind of the deadlines that remind both players of a challenge a day before; `key` is its number.
"""

LADDER_WEEK: Final = "ladder_week"
"""Kind of the deadline that sweeps a ladder, on Mondays as they begin."""

EVENING_REMINDER: Final = "evening_reminder"
"""Kind of the deadlines that remind of an evening; `key` is the meeting's id."""


def event_scope(event_id: int) -> str:
    return f"{EVENT_PREFIX}{event_id}"


def import_scope(batch_id: int) -> str:
    return f"{IMPORT_PREFIX}{batch_id}"


def recount_scope(event_id: int) -> str:
    return f"{RECOUNT_PREFIX}{event_id}"


def history_scope(event_id: int) -> str:
    return f"{HISTORY_PREFIX}{event_id}"


def season_scope(season_id: int) -> str:
    return f"{SEASON_PREFIX}{season_id}"


def ladder_scope(event_id: int) -> str:
    return f"{LADDER_PREFIX}{event_id}"


def playoffs_scope(event_id: int) -> str:
    return f"{PLAYOFFS_PREFIX}{event_id}"


def removal_scope(club_id: int) -> str:
    return f"{REMOVAL_PREFIX}{club_id}"


def seating_scope(plan_id: int) -> str:
    return f"{SEATING_PREFIX}{plan_id}"


def club_import_scope(pk: int) -> str:
    return f"{CLUB_IMPORT_PREFIX}{pk}"
