"""Games, hands, their entries (append-only) with checks and disputes, and their results."""

from django.db import models

from tournaments.models.access import TableLink
from tournaments.models.boards import Board
from tournaments.models.columns import (
    OfClub,
    OfClubWithoutIndex,
    account,
    check,
    choice,
    from_one,
    index,
    known,
    optional_time,
    unique,
)
from tournaments.models.events import Event, Snapshot
from tournaments.models.imports import ImportBatch
from tournaments.models.rounds import Seat, Table


class GameState(models.TextChoices):
    SEATED = "seated"
    PLAYING = "playing"
    COMPLETE = "complete"
    CHECKED = "checked"
    ABANDONED = "abandoned"
    FINAL = "final"


class HandState(models.TextChoices):
    """Accepted hands score; disputed and void ones do not count."""

    ACCEPTED = "accepted"
    DISPUTED = "disputed"
    VOID = "void"


class EntryForm(models.TextChoices):
    """The shapes a person types: cards, counts, points, or only who took nothing."""

    CARDS = "cards"
    COUNTS = "counts"
    POINTS = "points"
    CLEAN = "clean"


class Source(models.TextChoices):
    HOST = "host"
    LINK = "link"
    API = "api"
    IMPORT = "import"


class Game(OfClub):
    """The hands at one table under one snapshot.

    `progress` is the engine's state after the last hand that counts
    (`scoring.game.game.GameState`), so that the next hand needs no replay; it is derived and
    rebuilt by every correction. What is played in a play-off does not count (`counts`): it adds
    nothing to any table or rating. `moves` counts how often hands went from or to its table: a page
    that knows fewer of them was opened before the newest one.
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="games", db_index=False)
    table = models.OneToOneField(Table, models.CASCADE, related_name="game")
    snapshot = models.ForeignKey(Snapshot, models.PROTECT, related_name="games")
    state = choice(GameState.SEATED, 9)
    progress = models.JSONField(null=True, blank=True)
    hands_counted = models.PositiveIntegerField(default=0)
    counts = models.BooleanField(default=True, db_default=True)
    moves = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [known("game_state_is_known", "state", GameState)]
        indexes = [
            # How many hands an event has, and under which rules: each publication asks.
            index("hands_of_an_event_by_rules", "event", "snapshot", "hands_counted"),
        ]

    def __str__(self) -> str:
        return f"game at table {self.table_id}"


class Hand(OfClubWithoutIndex):
    """One deal. `entry` is the revision that counts, `revision` the newest one's number.

    Number 0 is a sheet with totals only; `hands` then says how many were played, if known. `board`
    is the deal of a duplicate event. `undone` marks a void hand that its author undid: it may be
    entered again as if it were new.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="hands", db_index=False)
    number = models.PositiveIntegerField()
    state = choice(HandState.ACCEPTED, 8)
    revision = models.PositiveIntegerField(default=0)
    entry = models.ForeignKey(
        "tournaments.Entry", models.PROTECT, null=True, blank=True, related_name="+"
    )
    hands = models.PositiveSmallIntegerField(null=True, blank=True, default=1)
    board = models.ForeignKey(
        Board, models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )
    undone = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            unique("hand_number_is_unique_in_its_game", "game", "number"),
            known("hand_state_is_known", "state", HandState),
        ]
        indexes = [
            index("sheets_with_totals_only", "game", condition=models.Q(number=0)),
            index("disputed_hands", "game", condition=models.Q(state="disputed")),
        ]

    def __str__(self) -> str:
        return f"hand {self.number}"

    @property
    def is_undone(self) -> bool:
        return self.undone and self.state == HandState.VOID


class Entry(OfClubWithoutIndex):
    """One revision of a hand, exactly as typed. Never changed, never deleted.

    `key` is its idempotency key, kept for ever; `body_hash` distinguishes a repeated
    request from another one under the same key. `moon` is the engine's finding
    (`{"id", "by": [seat numbers], "choice"}`), rebuilt with the seat scores.
    """

    hand = models.ForeignKey(Hand, models.CASCADE, related_name="entries", db_index=False)
    revision = models.PositiveIntegerField()
    form = models.CharField(max_length=6, choices=EntryForm.choices)
    typed = models.JSONField()
    verified = models.CharField(max_length=5, default="cards")
    moon = models.JSONField(null=True, blank=True)
    key = models.CharField(max_length=128, null=True, blank=True)  # noqa: DJ001 - NULLs may repeat under the unique key, empty texts may not
    body_hash = models.CharField(max_length=64, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    note = models.CharField(max_length=500, blank=True)
    source = models.CharField(max_length=6, choices=Source.choices)
    batch = models.ForeignKey(
        ImportBatch, models.PROTECT, null=True, blank=True, related_name="entries"
    )
    link = models.ForeignKey(
        TableLink, models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )
    entered_by = account()
    entered_as = models.CharField(max_length=120, blank=True)
    entered_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "entries"
        indexes = [
            # For taking a link away with its table; entries without one pay nothing for it.
            index("entry_by_its_link", "link", condition=models.Q(link__isnull=False)),
        ]
        constraints = [
            unique("revision_is_unique_in_its_hand", "hand", "revision"),
            unique("idempotency_key_is_unique_in_its_hand", "hand", "key"),
            from_one("revisions_start_at_one", "revision"),
            known("entry_form_is_known", "form", EntryForm),
            known("entry_source_is_known", "source", Source),
        ]

    def __str__(self) -> str:
        return f"revision {self.revision}"


class SeatScore(OfClubWithoutIndex):
    """What one seat was booked for one entry, and its running total, in 1/360360 point.

    The imaginary columns are only set for complex variants. Only the entry that counts has
    seat scores; they are derived and replaced by every correction at that table.
    """

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="seat_scores", db_index=False)
    seat = models.ForeignKey(Seat, models.CASCADE, related_name="scores")
    score = models.BigIntegerField()
    score_im = models.BigIntegerField(null=True, blank=True)
    total = models.BigIntegerField()
    total_im = models.BigIntegerField(null=True, blank=True)
    moons = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name = "score of a seat"
        verbose_name_plural = "scores of seats"
        constraints = [unique("seat_has_one_score_for_an_entry", "entry", "seat")]

    def __str__(self) -> str:
        return f"seat {self.seat_id}: {self.score}"


class SecondTyping(OfClubWithoutIndex):
    """One hand as a second person typed it. Never changed, never deleted; the newest one counts.

    `typed` is None if that person's paper has no such hand, `board` the number of its board in a
    duplicate event. `revision` is the one that it was
    compared with (0: the sheet had no such hand), `agreed` what came of it.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="second_typings", db_index=False)
    number = models.PositiveIntegerField()
    typed = models.JSONField(null=True, blank=True)
    board = models.PositiveSmallIntegerField(null=True, blank=True)
    revision = models.PositiveIntegerField()
    agreed = models.BooleanField()
    key = models.CharField(max_length=128, null=True, blank=True)  # noqa: DJ001 - NULLs may repeat under the unique key, empty texts may not
    by = account()
    by_as = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField()

    class Meta:
        indexes = [index("second_typing_by_its_hand", "game", "number")]
        constraints = [unique("second_typing_is_kept_once_under_its_key", "game", "number", "key")]


class Ruling(OfClubWithoutIndex):
    """A decision which of two typings is valid. Never changed, never deleted.

    `revision` is the hand's after the decision; a later one makes the decision obsolete.
    """

    class Stands(models.TextChoices):
        FIRST = "first"
        SECOND = "second"

    second = models.ForeignKey(SecondTyping, models.CASCADE, related_name="rulings")
    stands = models.CharField(max_length=6, choices=Stands.choices)
    revision = models.PositiveIntegerField()
    reason = models.CharField(max_length=500)
    by = account()
    by_as = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [check("ruling_is_known", models.Q(stands__in=("first", "second")))]


class ReadBack(OfClubWithoutIndex):
    """A confirmation that the sheet of a game matches the paper. Never changed, never deleted.

    `sheet` is the digest of the sheet at that time (`selectors.rounds.sheet_verification`): adding
    or correcting a hand afterwards changes the digest, so that the sheet is unchecked again.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="read_backs", db_index=False)
    sheet = models.CharField(max_length=64)
    by = account()
    by_as = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [unique("sheet_is_read_back_once_as_it_stands", "game", "sheet")]


class DisputeState(models.TextChoices):
    OPEN = "open"
    UPHELD = "upheld"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class Dispute(OfClub):
    """One dispute; `number` counts 1, 2, ... through the event, `revision` is that of the hand
    when it was opened. Who opened it keeps it in `opened_by`, or in `link_id` of a table's link."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="disputes")
    hand = models.ForeignKey(Hand, models.CASCADE, related_name="disputes")
    number = models.PositiveIntegerField()
    revision = models.PositiveIntegerField()
    state = choice(DisputeState.OPEN, 9)
    words = models.CharField(max_length=500)
    opened_by = account()
    opened_as = models.CharField(max_length=120, blank=True)
    opened_label = models.CharField(max_length=80, blank=True)
    opened_at = models.DateTimeField()
    ruling = models.CharField(max_length=500, blank=True)
    ruled_by = account()
    ruled_as = models.CharField(max_length=120, blank=True)
    ruled_at = optional_time()

    class Meta:
        constraints = [
            unique("dispute_number_is_unique_in_its_event", "event", "number"),
            known("dispute_state_is_known", "state", DisputeState),
        ]
        indexes = [index("disputes_still_open", "event", condition=models.Q(state="open"))]
