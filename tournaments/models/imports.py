"""Import batches and their problems, columns of foreign files, and uploaded archives of clubs."""

from typing import ClassVar, Final

from django.conf import settings
from django.db import models

from tournaments.models.clubs import Club
from tournaments.models.columns import (
    Audited,
    OfClub,
    OfClubWithoutIndex,
    account,
    check,
    choice,
    index,
    known,
    newer_choice,
    optional_time,
    unique,
)
from tournaments.models.events import Event, Snapshot

SEATS: Final = "seats"
HANDS: Final = "hands"
NAMES: Final = "names"
"""What a row of a foreign file is: a player in a hand; or a hand, with a column for each player;
or a hand, with columns of names and of the numbers beside them."""

IGNORE: Final = "ignore"
PLAYER: Final = "player"
CHOICE: Final = "moon_choice"
PLEDGE: Final = "pledge:"
"""In a row a hand: `pledge:` and the id of a pledge, a column that names who made it."""

MOST_PLAYERS: Final = 13
"""Maximum number of names in a row of names."""

NAME_OF: Final = "player:"
VALUE_OF: Final = "value:"
"""Columns of names beside numbers: with a number from 1, a name (or id), and its number."""

DATES: Final = "dates"
"""Given for the round: each new date is the next one."""


class ColumnMap(Audited, models.Model):
    """A stored mapping. `plan` has the meaning of each column; `heads_key` is a hash of the heads.

    `number` is its place in addresses.
    """

    AUDIT_SUBJECT: ClassVar = "{0.club.audit_subject}/mapping:{0.number}"

    club = models.ForeignKey(Club, models.CASCADE, related_name="column_maps")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120)
    plan = models.JSONField()
    heads_key = models.CharField(max_length=64)
    made_as = models.CharField(max_length=120, blank=True)
    changed_at = models.DateTimeField()

    class Meta:
        verbose_name = "column mapping"
        constraints = [
            unique("mapping_number_is_unique_in_its_club", "club", "number"),
            unique("mapping_name_is_unique_in_its_club", "club", "name"),
            unique("club_has_one_mapping_for_the_same_heads", "club", "heads_key"),
            check("mapping_has_a_name", ~models.Q(name="")),
        ]

    def __str__(self) -> str:
        return self.name


class BatchState(models.TextChoices):
    """The states of a batch.

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
    """What becomes of the hand (docs/import-columns.md)."""

    ACCEPT_NOTE = "accept-note"
    ASK = "ask"
    REJECT = "reject"
    SKIP = "skip"


class ProblemState(models.TextChoices):
    """A problem is open until an accepted hand settles it or a person dismisses it."""

    OPEN = "open"
    SETTLED = "settled"
    DISMISSED = "dismissed"


class ImportBatch(Audited, OfClub):
    """One file brought into one event.

    `undo_by` is who asked for it to be undone, `undo_label` the same as the audit trail has it.
    `stopped` is why that was not done or completed (`{"code", "facts"}`). `states_before` are
    the states of tables and rounds that it changed (`services/imports/table_changes.py`),
    `file_rounds` the numbers of the rounds that its file has sheets of, once it was read.
    """

    AUDIT_SUBJECT: ClassVar = "{0.event.audit_subject}/import:{0.number}"

    event = models.ForeignKey(Event, models.CASCADE, related_name="batches")
    number = models.PositiveIntegerField()
    file_name = models.CharField(max_length=255)
    file_digest = models.CharField(max_length=64)
    state = choice(BatchState.RUNNING, 7)
    rows = models.PositiveIntegerField(default=0)
    hands = models.PositiveIntegerField(default=0)
    accepted = models.PositiveIntegerField(default=0)
    added = models.PositiveIntegerField(default=0)
    made_by = account()
    made_as = models.CharField(max_length=120, blank=True)
    started_at = models.DateTimeField()
    ended_at = optional_time()
    undo_by = account()
    undo_label = models.CharField(max_length=120, blank=True)
    stopped = models.JSONField(null=True, blank=True)
    states_before = models.JSONField(null=True, blank=True)
    file_rounds = models.JSONField(null=True, blank=True)

    class Meta:
        verbose_name = "import"
        constraints = [
            unique("batch_number_is_unique_in_its_event", "event", "number"),
            known("batch_state_is_known", "state", BatchState),
        ]

    def __str__(self) -> str:
        return f"import {self.number} of {self.file_name}"


class ImportProblem(Audited, OfClub):
    """One mistake of a file: where, what was found and expected, and the rows as typed.

    `offers` are ways to settle it: `{"text", "player"}` or `{"text", "cells": {line: {column:
    text}}}`; of a hand that the event has already, the file's own: `{"entry", "hands"}`; of
    somebody unknown, the players in the other seats: `{"seated"}`, with `is_likely` the player
    whose name is meant, and `{"is_unsure"}` if they were not compared with all members; of what
    may be right as it is, `{"text", "is_right"}`.

    `lines` count the rows as they were read. Where these are not the rows of the file, because
    sheets were joined or tables put below each other, `places` has the place in the file of each
    line: `{"sheet", "row", "column"}`, of which the row or the column is null.
    """

    AUDIT_SUBJECT: ClassVar = "{0.batch.audit_subject}/problem:{0.position}"

    event = models.ForeignKey(Event, models.CASCADE, related_name="+")
    batch = models.ForeignKey(ImportBatch, models.CASCADE, related_name="problems")
    position = models.PositiveIntegerField()
    code = models.CharField(max_length=60)
    severity = models.CharField(max_length=11, choices=ProblemClass.choices)
    lines = models.JSONField()
    places = models.JSONField(default=list, db_default=[])
    round = models.PositiveIntegerField(null=True, blank=True)
    table = models.PositiveIntegerField(null=True, blank=True)
    hand = models.PositiveIntegerField(null=True, blank=True)
    found = models.TextField(blank=True)
    expected = models.TextField(blank=True)
    message = models.TextField()
    suggestion = models.TextField(blank=True)
    rows = models.JSONField(default=list)
    offers = models.JSONField(default=list)
    state = choice(ProblemState.OPEN, 9)
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            unique("problem_has_its_place_in_its_batch", "batch", "position"),
            known("problem_class_is_known", "severity", ProblemClass),
            known("problem_state_is_known", "state", ProblemState),
        ]
        indexes = [index("open_problems_of_an_event", "event", "state")]

    def __str__(self) -> str:
        return f"{self.code} in batch {self.batch_id}"


class Holds(models.TextChoices):
    """What a file holds: hands, or the totals of whole games; `auto` until it is read."""

    HANDS = "hands"
    TOTALS = "totals"
    AUTO = "auto"


class Upload(OfClub):
    """The file of a batch, readable only by those who may import.

    `sheet` is the sheet to read (empty: as the file looks), `other_sheets` those that were not
    read. `reads_hidden` is whether hidden sheets and rows are read too, `hidden` the sentences on
    those that were left out. `variant` and `day` replace columns that the file lacks. `mends` are
    the corrected cells, by line, `added` the heads of columns that corrections added; the content
    is never changed. `heads` are those of the last reading, `sample` a few rows below them. `plan`
    is the meaning of foreign columns, `column_map` the club's mapping that it came from, `given`
    replaces the columns of round and table. `named` is who is meant by names of the file, as
    somebody answered: the id of a player by name. `rows_done` of `rows_total` is the worker's
    progress; `error` why the file is unreadable; `outline` the evenings, tables and rounds that its
    hands would create (`domain.imports.import_outline`).
    """

    batch = models.OneToOneField(ImportBatch, models.CASCADE, related_name="upload")
    content = models.BinaryField()
    holds = newer_choice(Holds.HANDS, 6)
    sheet = models.CharField(max_length=255, blank=True, default="", db_default="")
    other_sheets = models.JSONField(default=list, db_default=[])
    reads_hidden = models.BooleanField(default=False, db_default=False)
    hidden = models.JSONField(default=list, db_default=[])
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
    named = models.JSONField(default=dict, db_default={})
    mends = models.JSONField(default=dict)
    rows_done = models.PositiveIntegerField(default=0)
    rows_total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    outline = models.JSONField(null=True, blank=True)


class Replacement(OfClubWithoutIndex):
    """A revision that an import made of a hand that was in the event before.

    `state`, `hands` and `board` (its number) are those that the hand had before it, for undoing the
    import.
    """

    batch = models.ForeignKey(ImportBatch, models.CASCADE, related_name="replacements")
    entry = models.OneToOneField("tournaments.Entry", models.CASCADE, related_name="+")
    state = models.CharField(max_length=8)
    hands = models.PositiveSmallIntegerField(null=True, blank=True)
    board = models.PositiveSmallIntegerField(null=True, blank=True)


class UndoneHand(OfClubWithoutIndex):
    """A hand removed by undoing its import, exactly as typed; never changed, never deleted.

    `players` are the ids of who sat there by seat, empty for nobody. `revisions` are its entries
    from the first one on: content, author, time, reason and source.
    """

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


class ClubImportState(models.TextChoices):
    """The states of an uploaded archive.

    A worker checks it (`checking`); it waits for its sender (`preview`) and is imported
    (`running`, `done`). One that cannot be imported is `refused`.
    """

    CHECKING = "checking"
    PREVIEW = "preview"
    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"


class ClubImport(models.Model):
    """One archive that an account uploaded; `number` counts from 1 within the account.

    `slug` is the address that the club is to have here. `found` is what the check found (keys of
    `ArchiveFound` in domain/archives/format.py). `problems` are why it was refused, or why its
    import did not begin: `[{"code", "facts"}]`. `club` is the club that it became.
    """

    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="club_imports"
    )
    number = models.PositiveIntegerField()
    file_name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    state = choice(ClubImportState.CHECKING, 8)
    slug = models.CharField(max_length=60, blank=True)
    found = models.JSONField(null=True, blank=True)
    problems = models.JSONField(default=list, blank=True)
    club = models.ForeignKey(Club, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    ended_at = optional_time()

    class Meta:
        verbose_name = "import of a club"
        verbose_name_plural = "imports of clubs"
        constraints = [
            unique("club_import_number_is_unique_in_its_account", "made_by", "number"),
            known("club_import_state_is_known", "state", ClubImportState),
        ]

    def __str__(self) -> str:
        return f"import {self.number} of {self.file_name}"


class ClubImportPiece(models.Model):
    """A piece of the file of an import, in order; the file is deleted when the club is there."""

    club_import = models.ForeignKey(ClubImport, models.CASCADE, related_name="pieces")
    position = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        verbose_name = "piece of an uploaded archive"
        verbose_name_plural = "pieces of uploaded archives"
        constraints = [unique("piece_has_its_place_in_its_file", "club_import", "position")]

    def __str__(self) -> str:
        return f"piece {self.position} of import {self.club_import_id}"
