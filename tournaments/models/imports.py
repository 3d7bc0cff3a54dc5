"""Import batches and what waits in them for a person, with the rows kept as typed."""

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.column_maps import ColumnMap
from tournaments.models.events import Event, Snapshot


class BatchState(models.TextChoices):
    """The way of a batch.

    A file that is uploaded is read first (one whose columns are not understood waits at `mapping`
    for somebody to say what they are) and waits for a person to confirm it; until then nothing
    of it is in the event. One that a command brings starts as running.
    """

    READING = "reading"
    MAPPING = "mapping"
    PREVIEW = "preview"
    RUNNING = "running"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"


BROUGHT = (BatchState.RUNNING, BatchState.DONE)
"""States of batches whose hands count and whose problems wait for somebody."""


class ProblemClass(models.TextChoices):
    """What becomes of the hand (docs/for-secretaries.md)."""

    ACCEPT_NOTE = "accept-note"
    ASK = "ask"
    REJECT = "reject"
    SKIP = "skip"


class ProblemState(models.TextChoices):
    """A problem is open until an accepted hand settles it or a person dismisses it."""

    OPEN = "open"
    SETTLED = "settled"
    DISMISSED = "dismissed"


class ImportBatch(models.Model):
    """One file brought into one event.

    `undo_by` is who asked for it to be undone, `undo_label` the same as the audit trail has it.
    `stopped` is why that was not done, or not to its end (`{"code", "facts"}`). `states_before` are
    the states of tables and rounds that it changed (`services/imports/table_states.py`),
    `file_rounds` the numbers of the rounds that its file has sheets of, once it was read.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey(Event, models.CASCADE, related_name="batches")
    number = models.PositiveIntegerField()
    file_name = models.CharField(max_length=255)
    file_digest = models.CharField(max_length=64)
    state = models.CharField(max_length=7, choices=BatchState.choices, default=BatchState.RUNNING)
    rows = models.PositiveIntegerField(default=0)
    hands = models.PositiveIntegerField(default=0)
    accepted = models.PositiveIntegerField(default=0)
    added = models.PositiveIntegerField(default=0)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    made_as = models.CharField(max_length=120, blank=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    undo_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    undo_label = models.CharField(max_length=120, blank=True)
    stopped = models.JSONField(null=True, blank=True)
    states_before = models.JSONField(null=True, blank=True)
    file_rounds = models.JSONField(null=True, blank=True)

    class Meta:
        verbose_name = "import"
        verbose_name_plural = "imports"
        constraints = [
            models.UniqueConstraint(
                fields=["event", "number"], name="batch_number_is_unique_in_its_event"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=BatchState.values), name="batch_state_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"import {self.number} of {self.file_name}"


class ImportProblem(models.Model):
    """One mistake of a file: where, what was found and expected, and the rows as typed.

    `offers` are ways to settle it: `{"text", "player"}` or `{"text", "cells": {line: {column:
    text}}}`; of a hand that the event has already, the file's own: `{"entry", "hands"}`.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey(Event, models.CASCADE, related_name="+")
    batch = models.ForeignKey(ImportBatch, models.CASCADE, related_name="problems")
    position = models.PositiveIntegerField()
    code = models.CharField(max_length=60)
    severity = models.CharField(max_length=11, choices=ProblemClass.choices)
    lines = models.JSONField()
    round = models.PositiveIntegerField(null=True, blank=True)
    table = models.PositiveIntegerField(null=True, blank=True)
    hand = models.PositiveIntegerField(null=True, blank=True)
    found = models.TextField(blank=True)
    expected = models.TextField(blank=True)
    message = models.TextField()
    suggestion = models.TextField(blank=True)
    rows = models.JSONField(default=list)
    offers = models.JSONField(default=list)
    state = models.CharField(max_length=9, choices=ProblemState.choices, default=ProblemState.OPEN)
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name = "import problem"
        verbose_name_plural = "import problems"
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "position"], name="problem_has_its_place_in_its_batch"
            ),
            models.CheckConstraint(
                condition=models.Q(severity__in=ProblemClass.values),
                name="problem_class_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=ProblemState.values), name="problem_state_is_known"
            ),
        ]
        indexes = [
            models.Index(fields=["event", "state"], name="open_problems_of_an_event"),
        ]

    def __str__(self) -> str:
        return f"{self.code} in batch {self.batch_id}"


class Holds(models.TextChoices):
    """What a file holds: hands, or the totals of whole games."""

    HANDS = "hands"
    TOTALS = "totals"


class Upload(models.Model):
    """The file of a batch, kept for nobody but those who may import.

    `variant` and `day` stand for columns that the file lacks. `mends` are the cells of lines that
    were mended, by line, `added` the heads of columns that mending brought; the content stays as it
    came. `heads` are those of the last reading, `sample` a few rows below them. `plan` says what
    its columns are where the heads are foreign, `column_map` is the club's mapping that it came
    from, `given` what stands for the round and the table. `rows_done` of `rows_total` says how
    far a worker is; `error` why nothing can be read; `outline` which evenings, tables and rounds
    its hands would make (`domain.imports.import_outline`).
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    batch = models.OneToOneField(ImportBatch, models.CASCADE, related_name="upload")
    content = models.BinaryField()
    holds = models.CharField(
        max_length=6, choices=Holds.choices, default=Holds.HANDS, db_default=Holds.HANDS
    )
    variant = models.CharField(max_length=120, blank=True)
    day = models.DateField(null=True, blank=True)
    heads = models.JSONField(default=list)
    sample = models.JSONField(default=list)
    plan = models.JSONField(null=True, blank=True)
    given = models.JSONField(default=dict)
    column_map = models.ForeignKey(
        ColumnMap, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    added = models.JSONField(default=list)
    mends = models.JSONField(default=dict)
    rows_done = models.PositiveIntegerField(default=0)
    rows_total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    outline = models.JSONField(null=True, blank=True)

    class Meta:
        verbose_name = "uploaded file"
        verbose_name_plural = "uploaded files"

    def __str__(self) -> str:
        return f"file of batch {self.batch_id}"


class Replacement(models.Model):
    """A revision that an import made of a hand that was in the event before.

    `state`, `hands` and `board` (its number) are those that the hand had before it, for undoing the
    import.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_index=False)
    batch = models.ForeignKey(ImportBatch, models.CASCADE, related_name="replacements")
    entry = models.OneToOneField("tournaments.Entry", models.CASCADE, related_name="+")
    state = models.CharField(max_length=8)
    hands = models.PositiveSmallIntegerField(null=True, blank=True)
    board = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        verbose_name = "hand replaced by an import"
        verbose_name_plural = "hands replaced by imports"

    def __str__(self) -> str:
        return f"revision made by batch {self.batch_id}"


class UndoneHand(models.Model):
    """A hand that went when its import was undone, exactly as typed; never changed, never deleted.

    `players` are the ids of who sat there by seat, empty for nobody. `revisions` are its entries
    from the first one on: what was typed, by whom, when, why and from which source.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_index=False)
    batch = models.ForeignKey(ImportBatch, models.CASCADE, related_name="undone_hands")
    snapshot = models.ForeignKey(Snapshot, models.PROTECT, related_name="+", db_index=False)
    round = models.PositiveIntegerField()
    table = models.PositiveIntegerField()
    day = models.DateField(null=True, blank=True)
    number = models.PositiveIntegerField()
    hands = models.PositiveSmallIntegerField(null=True, blank=True)
    state = models.CharField(max_length=8)
    players = models.JSONField(default=list)
    revisions = models.JSONField(default=list)

    class Meta:
        verbose_name = "undone hand of an import"
        verbose_name_plural = "undone hands of imports"

    def __str__(self) -> str:
        return f"hand {self.number} of table r{self.round}t{self.table}"
