"""What games add to an event, penalties, numbered publications, and the public change log."""

import json
from typing import Any, ClassVar, Final

from django.db import models

from tournaments.models.clubs import Club, Player
from tournaments.models.columns import (
    Audited,
    OfClub,
    OfClubWithoutIndex,
    PlainRow,
    account,
    check,
    choice,
    from_one,
    index,
    known,
    optional_time,
    unique,
)
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.hands import Game
from tournaments.models.publication_packs import OWNERS, PackedBytes
from tournaments.models.rounds import Meeting


class LedgerKind(models.TextChoices):
    """A penalty worsens the primary value, a bonus betters it."""

    PENALTY = "penalty"
    BONUS = "bonus"


class LedgerLine(Audited, OfClub):
    """One penalty or bonus with its reason. Never changed: it is withdrawn, with a reason.

    `amount` is positive, in 1/360360 of the event's primary value (docs/event-settings.md);
    `number` counts 1, 2, ... through the event. `meeting` is the evening in whose table it counts
    too; without one it is the season's. It has no constraint in the database: 0.5.0, which does not
    know the column, removes meetings beside it.
    """

    AUDIT_SUBJECT: ClassVar = "{0.event.audit_subject}/ledger:{0.number}"

    event = models.ForeignKey(Event, models.CASCADE, related_name="ledger_lines")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="ledger_lines")
    meeting = models.ForeignKey(
        Meeting,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="ledger_lines",
        db_constraint=False,
    )
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=7, choices=LedgerKind.choices)
    amount = models.BigIntegerField()
    reason = models.CharField(max_length=500)
    by = account()
    by_as = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField()
    withdrawn_at = optional_time()
    withdrawn_reason = models.CharField(max_length=500, blank=True)
    withdrawn_as = models.CharField(max_length=120, blank=True)

    class Meta:
        constraints = [
            unique("ledger_number_is_unique_in_its_event", "event", "number"),
            check("ledger_amount_is_positive", models.Q(amount__gt=0)),
            known("ledger_kind_is_known", "kind", LedgerKind),
        ]


class OpeningValue(Audited, PlainRow):
    """What an entrant brought into an event from before its first hand here.

    Never changed: it is withdrawn, with a reason, like a penalty. `value` (of any sign) and
    `penalty` are in 1/360360 of the event's primary value, of means of the total; `games`, `wins`
    and `hands` are empty where nobody knows them. `number` counts 1, 2, ... through the event,
    `first` is the smallest number of those that were added together. Without constraints in the
    database: 0.4.0, which does not know the table, deletes clubs and events beside it.
    """

    AUDIT_SUBJECT: ClassVar = "{0.event.audit_subject}/opening-value:{0.number}"

    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_constraint=False)
    event = models.ForeignKey(
        Event, models.CASCADE, related_name="opening_values", db_constraint=False
    )
    entrant = models.ForeignKey(
        Entrant, models.CASCADE, related_name="opening_values", db_constraint=False
    )
    number = models.PositiveIntegerField()
    first = models.PositiveIntegerField()
    date = models.DateField()
    value = models.BigIntegerField()
    games = models.PositiveIntegerField(null=True, blank=True)
    wins = models.PositiveIntegerField(null=True, blank=True)
    hands = models.PositiveIntegerField(null=True, blank=True)
    penalty = models.BigIntegerField(default=0)
    reason = models.CharField(max_length=500)
    by_as = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField()
    withdrawn_at = optional_time()
    withdrawn_reason = models.CharField(max_length=500, blank=True)
    withdrawn_as = models.CharField(max_length=120, blank=True)

    class Meta:
        constraints = [
            unique("opening_value_number_is_unique_in_its_event", "event", "number"),
            check("opening_value_penalty_is_not_negative", models.Q(penalty__gte=0)),
            check(
                "opening_value_is_added_with_itself_or_an_earlier_one",
                models.Q(first__gte=1, first__lte=models.F("number")),
            ),
        ]


class ResultNoteState(models.TextChoices):
    OPEN = "open"
    ANSWERED = "answered"


class ResultNote(Audited, PlainRow):
    """What a player writes to the directors about one of their own values, and the answer.

    `number` counts 1, 2, ... through the event; `about` names the value, `table:r1t1`,
    `evening:2026-01-08`, `value:3` (from before), `line:2` (a penalty or a bonus) or `sum`. It
    changes no result. Without constraints in the database that 0.5.0, which does not know the
    table, could meet when it deletes a club or an event.
    """

    AUDIT_SUBJECT: ClassVar = "{0.event.audit_subject}/result-note:{0.number}"

    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_constraint=False)
    event = models.ForeignKey(
        Event, models.CASCADE, related_name="result_notes", db_constraint=False
    )
    player = models.ForeignKey(
        Player, models.CASCADE, related_name="result_notes", db_constraint=False
    )
    number = models.PositiveIntegerField()
    about = models.CharField(max_length=40)
    words = models.CharField(max_length=500)
    state = choice(ResultNoteState.OPEN, 8)
    at = models.DateTimeField()
    answer = models.CharField(max_length=500, blank=True, default="")
    answered_as = models.CharField(max_length=120, blank=True, default="")
    answered_at = optional_time()

    class Meta:
        constraints = [
            unique("result_note_number_is_unique_in_its_event", "event", "number"),
            known("result_note_state_is_known", "state", ResultNoteState),
        ]
        indexes = [index("result_notes_still_open", "event", condition=models.Q(state="open"))]


PLACES = 13
"""Tables seat at most thirteen; each place has its own column of counts."""


class Additive(OfClubWithoutIndex):
    """The values of one entrant that are simply additive over games.

    See docs/decisions/0010-totals-change-with-each-hand.md.
    `difference` is the points of the entrant's side less those of its opponents, and 0 under
    rules without sides; `uncounted` counts games of unknown length. Points, difference and win
    share are in units of 1/360360, the beaten share in half units (a nine-handed table with a tie
    needs sixteenths).
    """

    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="+")
    games = models.IntegerField(default=0)
    hands = models.IntegerField(default=0)
    points = models.BigIntegerField(default=0)
    shared_wins = models.IntegerField(default=0)
    win_share = models.BigIntegerField(default=0)
    beaten_halves = models.BigIntegerField(default=0)
    moons = models.IntegerField(default=0)
    moons_against = models.IntegerField(default=0)
    difference = models.BigIntegerField(default=0)
    uncounted = models.IntegerField(default=0)
    place_points = models.BigIntegerField(default=0)

    class Meta:
        abstract = True


class Contribution(Additive):
    """What one game adds for one entrant; `place` is the finish of the entrant's chair there.

    `shared` is how many chairs finished in that place. The index against par of this game is
    `100 * index_num / index_den` (docs/algorithms/standings.md, "Par and index"), `index_den` 0
    where it is not defined.
    `is_dropped` marks a game that the event's scheme leaves out (drop_worst, best_of). `of_hands`
    is 0 unless the place is shared by hands with a substitute: then `hands` of so many were played
    by this entrant, who gets that part of place points, tables won and beaten share.
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="+")
    game = models.ForeignKey(Game, models.CASCADE, related_name="contributions", db_index=False)
    place = models.PositiveSmallIntegerField()
    shared = models.PositiveSmallIntegerField(default=1)
    index_num = models.BigIntegerField(default=0)
    index_den = models.BigIntegerField(default=0)
    of_hands = models.PositiveSmallIntegerField(default=0, db_default=0)
    is_dropped = models.BooleanField(default=False, db_default=False)

    class Meta:
        verbose_name = "result of a game"
        verbose_name_plural = "results of games"
        constraints = [
            unique("game_contributes_once_for_an_entrant", "game", "entrant"),
            check("place_is_one_to_13", models.Q(place__gte=1, place__lte=PLACES)),
        ]

    def __str__(self) -> str:
        return f"entrant {self.entrant_id} in game {self.game_id}"


class Aggregate(Additive):
    """An entrant's sums over an event: the only rows a standings computation reads.

    `kept` is empty unless the event drops games or ranks by the index: then it has what is not
    additive, recomputed for the players of a game only: the sums over the games that count
    (`games`, `hands`, `points`, `place_points`, `win_share`, `beaten_halves`, `uncounted`, in the
    columns' units) and `index`, their exact sum as "n/d".
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="aggregates")
    kept = models.JSONField(null=True, blank=True)
    place_1 = models.IntegerField(default=0)
    place_2 = models.IntegerField(default=0)
    place_3 = models.IntegerField(default=0)
    place_4 = models.IntegerField(default=0)
    place_5 = models.IntegerField(default=0)
    place_6 = models.IntegerField(default=0)
    place_7 = models.IntegerField(default=0)
    place_8 = models.IntegerField(default=0)
    place_9 = models.IntegerField(default=0)
    place_10 = models.IntegerField(default=0)
    place_11 = models.IntegerField(default=0)
    place_12 = models.IntegerField(default=0)
    place_13 = models.IntegerField(default=0)

    class Meta:
        verbose_name = "totals of an entrant"
        verbose_name_plural = "totals of entrants"
        constraints = [unique("entrant_has_one_aggregate_in_an_event", "event", "entrant")]

    def __str__(self) -> str:
        return f"totals of entrant {self.entrant_id}"


class FileForm(models.TextChoices):
    """A spreadsheet, a print for the wall, a picture for link previews."""

    XLSX = "xlsx"
    PDF = "pdf"
    PNG = "png"


class Paper(models.TextChoices):
    A4 = "a4"
    LETTER = "letter"


def _has_one_owner() -> models.Q:
    condition = models.Q()
    for owner in OWNERS:
        others = {f"{other}__isnull": True for other in OWNERS if other != owner}
        condition |= models.Q(**{f"{owner}__isnull": False}, **others)
    return condition


class Publication(OfClub):
    """An immutable numbered snapshot, as served: an event's standings, a season's, a ladder, or the
    result of an evening (its `meeting`; `event` is empty then, so that the numbers of an event have
    no gaps).

    `body` is the JSON of docs/api.md with its member `publication`; `digest` covers the rest.
    `audit_number` is how far the club's audit chain was when it was computed: the entries of its
    event up to there are in it, later ones are not. `covers` is the newest version of its event
    that has the same bytes, and so no publication of its own; None where that is `version`.
    `pack` is the id of the `PublicationPack` that has the bytes, `DISCARDED`, or None where `body`
    and `csv` are stored here. The newest publication always has its bytes here.
    `counting` is the number of the formulas that gave its figures
    (domain/standings/counting_release.py); 0.5.0 and releases before it store none.
    """

    event = models.ForeignKey(
        Event, models.CASCADE, null=True, blank=True, related_name="publications"
    )
    season = models.ForeignKey(
        Season, models.CASCADE, null=True, blank=True, related_name="publications"
    )
    ladder = models.ForeignKey(
        Event, models.CASCADE, null=True, blank=True, related_name="ladder_publications"
    )
    # No constraint: 0.5.0, which does not know the column, deletes meetings beside it.
    meeting = models.ForeignKey(
        "tournaments.Meeting",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="results",
        db_constraint=False,
    )
    audit_number = models.PositiveBigIntegerField(default=0)
    number = models.PositiveIntegerField()
    version = models.PositiveBigIntegerField()
    covers = models.PositiveBigIntegerField(null=True, blank=True)
    digest = models.CharField(max_length=71)
    etag = models.CharField(max_length=40)
    body = PackedBytes()
    csv = PackedBytes()
    published_at = models.DateTimeField()
    names_version = models.PositiveBigIntegerField(default=0, db_default=0)
    is_redacted = models.BooleanField(default=False, db_default=False)
    pack = models.BigIntegerField(null=True, blank=True)
    counting = models.PositiveSmallIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [
            unique("publication_number_is_unique_in_its_event", "event", "number"),
            unique("publication_number_is_unique_in_its_season", "season", "number"),
            unique("publication_number_is_unique_in_its_ladder", "ladder", "number"),
            unique(
                "publication_number_is_unique_in_its_meeting",
                "meeting",
                "number",
                condition=models.Q(meeting__isnull=False),
            ),
            check("publication_has_one_owner", _has_one_owner()),
            from_one("publication_numbers_start_at_one"),
        ]
        indexes = [
            index("publications_not_packed", "published_at", condition=models.Q(pack__isnull=True))
        ]

    def __str__(self) -> str:
        return f"publication {self.number}"

    @property
    def newest_version(self) -> int:
        return max(self.version, self.covers or 0)

    @property
    def document(self) -> Any:
        return json.loads(bytes(self.body))


class PublicationFile(OfClub):
    """A publication as a file: made at the first request, and served as stored from then on.

    `source` is the ETag of its JSON as the reader may see it; `look`
    is the language, zone and colour of the club, `layout` the version of the
    program's layout. `content` is empty while the file is created: then `claim` names the process
    that creates it, and after `claimed_until` another one may.
    """

    publication = models.ForeignKey(Publication, models.CASCADE, related_name="files")
    form = models.CharField(max_length=4, choices=FileForm.choices)
    paper = models.CharField(max_length=6, choices=Paper.choices, blank=True)
    source = models.CharField(max_length=40)
    look = models.CharField(max_length=90)
    layout = models.CharField(max_length=12)
    etag = models.CharField(max_length=40, blank=True)
    content = models.BinaryField(null=True, blank=True)
    claim = models.UUIDField()
    claimed_until = models.DateTimeField()

    class Meta:
        constraints = [
            unique(
                "file_of_a_publication_is_kept_once",
                "publication",
                "form",
                "paper",
                "source",
                "look",
                "layout",
            ),
            known("form_of_a_publication_file_is_known", "form", FileForm),
        ]


EVENINGS: Final = "evenings"
"""Kind of the row that says which evenings have a table, and of what state."""


LADDER_EVENING: Final = "ladder_evening"
"""Kind of what was announced of an evening of a ladder; its key is the day. It is derived from
nothing, and an erasure leaves it: it has codes only."""

EVENING_PLACES: Final = "evening_places"
"""Kind of the row that keeps the places of evenings, where these give points."""


class StoredHistory(OfClub):
    """A part of an event's history: built by a worker after each publication, read as stored.

    `kind` and `key` name it: `history` (places after each round), `as_of` with a round's number,
    `stage` with a stage's number, `evening` with its day, `evenings` (which of them are made),
    `head_to_head`, `records`. `version` is that of the publication
    that it was built after. `evening_places` is stored with the publication itself,
    `ladder_evening` when an evening of a ladder is announced.
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="stored_history")
    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=40, blank=True)
    version = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=71)
    body = models.BinaryField()

    class Meta:
        db_table = "tournaments_companion"
        constraints = [unique("companion_is_kept_once_for_its_event", "event", "kind", "key")]


class Change(OfClub):
    """One thing that changed an event's results other than a new hand: a correction, a void, a
    penalty, a ruling, other settings, an event opened again.

    `version` is the event's version that contains it, so that it belongs to the first publication
    at or after that version. `by` is the role that did it, never a name. `facts` has ids and
    numbers of the kind (the revision, the old and new setting).
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="changes")
    version = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    kind = models.CharField(max_length=24)
    table = models.CharField(max_length=24, blank=True)
    number = models.PositiveIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    by = models.CharField(max_length=12, blank=True)
    facts = models.JSONField(default=dict, blank=True)

    class Meta:
        indexes = [index("changes_of_an_event", "event", "version")]
