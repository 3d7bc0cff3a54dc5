"""A meeting on paper: rounds, tables, seats, matches of teams, attendance, and photos of sheets."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Final

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

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
    of_import,
    optional_time,
    unique,
)
from tournaments.models.events import Entrant, Event, Snapshot, Stage
from tournaments.random_uuid import RandomUUID

if TYPE_CHECKING:
    from tournaments.models.access import TableLink


class MeetingState(models.TextChoices):
    PLANNED = "planned"
    HELD = "held"
    CANCELLED = "cancelled"


class EndedBy(models.TextChoices):
    """What ended an evening: somebody who pressed, an hour without a round, or noon.

    `RECORD`: its sheets were brought in days later, or it was over before results were made; such
    an evening has a table, and no result.
    """

    PERSON = "person"
    HOUR = "hour"
    NOON = "noon"
    RECORD = "record"


class RoundState(models.TextChoices):
    DRAFT = "draft"
    POSTED = "posted"
    PLAYING = "playing"
    CLOSED = "closed"


class Side(models.TextChoices):
    """A partnership at a table of four."""

    NS = "NS"
    EW = "EW"


class Meeting(models.Model):
    """One dated evening of an event; date and time are local to the club's zone.

    `gathers` says whether people come together: somebody planned or started the evening, asked who
    comes, or posted a round. The date of a typed sheet, of an import or of a challenge's result
    alone gathers nobody.
    `ended_at` is when it was ended. Whether it is over follows from its rounds (`is_over` of
    selectors/events/meetings.py): nothing resets the end.
    `batch` is the import that made it, if one did; so it is of rounds and tables. `sequence` counts
    its changes, the last one at `changed_at`, for calendars. `public_id` is its `UID` there, which
    stays when the evening is moved and when the club moves to another server. `capacity` is how
    many people may come, null: as the settings of the event say.
    """

    public_id = models.UUIDField(default=uuid.uuid4, db_default=RandomUUID(), editable=False)

    club = models.ForeignKey(Club, models.CASCADE, related_name="+")
    event = models.ForeignKey(Event, models.CASCADE, related_name="meetings")
    date = models.DateField()
    time = models.TimeField(null=True, blank=True)
    place = models.CharField(max_length=120, blank=True, default="", db_default="")
    cancel_reason = models.CharField(max_length=200, blank=True, default="", db_default="")
    capacity = models.PositiveSmallIntegerField(null=True, blank=True)
    state = choice(MeetingState.PLANNED, 9)
    gathers = models.BooleanField(default=True, db_default=True)
    ended_at = optional_time()
    ended_by = models.CharField(
        max_length=8, choices=EndedBy.choices, blank=True, default="", db_default=""
    )
    batch = of_import()
    sequence = models.PositiveIntegerField(default=0, db_default=0)
    changed_at = optional_time()

    class Meta:
        constraints = [
            unique("event_meets_once_on_a_date", "event", "date"),
            unique("meeting_id_is_unique", "public_id"),
            known("meeting_state_is_known", "state", MeetingState),
        ]
        indexes = [
            index("meetings_without_an_end", "date", condition=models.Q(ended_at__isnull=True))
        ]

    def __str__(self) -> str:
        return self.date.isoformat()


class Round(Audited, OfClub):
    """The tables that play at once; numbered through the whole event.

    `snapshot` holds the rules for its new tables where they are not the event's own. A round that
    was seated from a plan names it with the number of the plan's round, so that no round of a plan
    is made twice. The clock runs from `posted_at`, `extra_minutes` longer than the event says.
    """

    AUDIT_SUBJECT: ClassVar = "{0.event.audit_subject}/round:{0.number}"

    event = models.ForeignKey(Event, models.CASCADE, related_name="rounds")
    stage = models.ForeignKey(Stage, models.PROTECT, related_name="rounds")
    meeting = models.ForeignKey(
        Meeting, models.PROTECT, null=True, blank=True, related_name="rounds"
    )
    number = models.PositiveIntegerField()
    state = choice(RoundState.DRAFT, 8)
    closed_at = optional_time()
    posted_at = optional_time()
    extra_minutes = models.PositiveSmallIntegerField(default=0, db_default=0)
    plan = models.ForeignKey(
        "tournaments.SeatingPlan",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="made_rounds",
    )
    plan_round = models.PositiveSmallIntegerField(null=True, blank=True)
    snapshot = models.ForeignKey(
        Snapshot, models.PROTECT, null=True, blank=True, related_name="rounds"
    )
    batch = of_import()

    class Meta:
        constraints = [
            unique("round_number_is_unique_in_its_event", "event", "number"),
            unique(
                "round_of_a_plan_is_made_once",
                "plan",
                "plan_round",
                condition=models.Q(plan__isnull=False),
            ),
            from_one("round_numbers_start_at_one"),
            known("round_state_is_known", "state", RoundState),
        ]

    def __str__(self) -> str:
        return f"round {self.number}"


class Table(Audited, OfClub):
    """Seats and one game in a round. `code` is `r<round>t<table>`, unique in its event."""

    AUDIT_SUBJECT: ClassVar = "{0.event.audit_subject}/table:{0.code}"

    event = models.ForeignKey(Event, models.CASCADE, related_name="tables")
    round = models.ForeignKey(Round, models.CASCADE, related_name="tables")
    number = models.PositiveIntegerField()
    code = models.CharField(max_length=24)
    batch = of_import()
    link: "TableLink | None" = None
    players: Sequence[str] = ()
    n_hands = 0
    """Set by `list_linked_tables`: the link that works now, who sits there, and hands played."""

    class Meta:
        constraints = [
            unique("table_number_is_unique_in_its_round", "round", "number"),
            unique("table_code_is_unique_in_its_event", "event", "code"),
            from_one("table_numbers_start_at_one"),
        ]

    def __str__(self) -> str:
        return self.code


class Seat(OfClubWithoutIndex):
    """A place at a table, numbered clockwise from 1."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="seats", db_index=False)
    number = models.PositiveSmallIntegerField()
    side = models.CharField(max_length=2, choices=Side.choices, blank=True, default="")

    class Meta:
        constraints = [
            unique("seat_number_is_unique_at_its_table", "table", "number"),
            from_one("seat_numbers_start_at_one"),
        ]

    def __str__(self) -> str:
        return f"seat {self.number}"


class Sitting(OfClubWithoutIndex):
    """Who sat in a seat from one hand to another; open while `to_hand` is empty."""

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="sittings", db_index=False)
    round = models.ForeignKey(Round, models.CASCADE, related_name="+")
    player = models.ForeignKey(Player, models.PROTECT, related_name="sittings")
    substitute_for = models.ForeignKey(
        Player, models.PROTECT, null=True, blank=True, related_name="+"
    )
    from_hand = models.PositiveSmallIntegerField(default=1)
    to_hand = models.PositiveSmallIntegerField(null=True, blank=True)
    seat_name = ""
    others: Sequence[str] = ()
    is_past = may_enter = False
    """Set by `list_next_tables`."""

    class Meta:
        verbose_name = "player at a seat"
        verbose_name_plural = "players at seats"
        constraints = [
            unique("seat_has_one_sitting_from_a_hand", "seat", "from_hand"),
            unique(
                "player_has_one_open_sitting_in_a_round",
                "round",
                "player",
                condition=models.Q(to_hand__isnull=True),
            ),
            check(
                "sitting_ends_after_it_begins",
                models.Q(to_hand__isnull=True) | models.Q(to_hand__gte=models.F("from_hand")),
            ),
        ]

    def __str__(self) -> str:
        return f"player {self.player_id} from hand {self.from_hand}"


class SitOutReason(models.TextChoices):
    BYE = "bye"
    LATE = "late"
    LEFT = "left"
    REST = "rest"


SIT_OUTS: Final[Mapping[str, Promise]] = {
    SitOutReason.BYE: _("sitting out (bye)"),
    SitOutReason.LATE: _("late"),
    SitOutReason.LEFT: _("left"),
    SitOutReason.REST: _("sitting out (rests)"),
}
"""The labels on pages; REST documents those of `SitOutReason`, which Django makes."""


class SitOut(OfClub):
    """An entrant who does not play in a round: no game, no hands, no opponent.

    Only a `bye` may be worth something (the event's `bye_award`).
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="sit_outs")
    round = models.ForeignKey(Round, models.CASCADE, related_name="sit_outs")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="sit_outs")
    reason = choice(SitOutReason.BYE, 4)

    class Meta:
        constraints = [
            unique("entrant_sits_out_once_in_a_round", "round", "entrant"),
            known("sit_out_reason_is_known", "reason", SitOutReason),
        ]


class Match(OfClub):
    """Two teams that meet in a round, at one table or at two.

    A match without a table was not played: `forfeited_by` is the team that was short of people,
    empty where both were.
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="matches")
    round = models.ForeignKey(Round, models.CASCADE, related_name="matches")
    number = models.PositiveSmallIntegerField()
    first = models.ForeignKey(Entrant, models.CASCADE, related_name="+")
    second = models.ForeignKey(Entrant, models.CASCADE, related_name="+")
    forfeited_by = models.ForeignKey(
        Entrant, models.CASCADE, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            unique("match_number_is_unique_in_its_round", "round", "number"),
            check("match_has_two_teams", ~models.Q(first=models.F("second"))),
            from_one("match_numbers_start_at_one"),
        ]


class MatchTable(OfClub):
    """A table at which a match is played; a table belongs to one match at most."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="tables")
    table = models.OneToOneField(Table, models.CASCADE, related_name="match_table")


class AttendanceState(models.TextChoices):
    EXPECTED = "expected"
    HERE = "here"
    LATE = "late"
    LEFT = "left"
    ABSENT = "absent"
    WAITING = "waiting"


class Attendance(OfClubWithoutIndex):
    """The attendance of a player at a meeting; a player without a row was not asked yet.

    Rounds are those of the evening, counted from 1. `stated_at` is the time of the device on which
    the state was set: of two statements the newer one counts, whichever comes in first.
    `arrived_at` is set when the player is checked in, and stays when they leave. `answer` is the
    newest of the states expected, late, absent and waiting that was stated; an undone check-in goes
    back to it, and a player who is expected without an answer was only asked. `answered_at` is when
    the answer became what it is: saying it again does not move it. It is null in rows from before
    0.7.0, whose `stated_at` stands for it. `excused` is a director's word, null: as the answer says
    (selectors/attendance/excuses.py). Who is waiting answered when all places were taken, and moves
    up in the order of the answers (selectors/attendance/places.py).
    """

    meeting = models.ForeignKey(Meeting, models.CASCADE, related_name="attendance", db_index=False)
    player = models.ForeignKey(Player, models.CASCADE, related_name="attendance")
    state = choice(AttendanceState.EXPECTED, 8)
    answer = models.CharField(max_length=8, choices=AttendanceState.choices, default="", blank=True)
    from_round = models.PositiveSmallIntegerField(null=True, blank=True)
    leaves_after_round = models.PositiveSmallIntegerField(null=True, blank=True)
    stated_at = models.DateTimeField()
    arrived_at = optional_time()
    guest = models.BooleanField(default=False)
    answered_at = optional_time()
    excused = models.BooleanField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("player_attends_a_meeting_once", "meeting", "player"),
            known("attendance_state_is_known", "state", AttendanceState),
            check(
                "rounds_of_attendance_start_at_one",
                models.Q(from_round__isnull=True) | models.Q(from_round__gte=1),
            ),
            check(
                "player_comes_before_leaving",
                models.Q(from_round__isnull=True)
                | models.Q(leaves_after_round__isnull=True)
                | models.Q(leaves_after_round__gte=models.F("from_round")),
            ),
        ]

    @property
    def time_of_answer(self) -> datetime | None:
        """When the answer became what it is; None without one."""
        if not self.answer:
            return None
        return self.answered_at or self.stated_at


class SheetPhoto(OfClubWithoutIndex):
    """One photo of a table's sheet; numbered at its table, a number is never used again.

    `digest` is the SHA-256 of the file as it came in, so that a repeated upload is
    recognised. If it is removed, the row stays with the reason and the picture is deleted.
    """

    table = models.ForeignKey(Table, models.CASCADE, related_name="photos", db_index=False)
    number = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64)
    width = models.PositiveSmallIntegerField()
    height = models.PositiveSmallIntegerField()
    size = models.PositiveIntegerField()
    added_by = account()
    added_as = models.CharField(max_length=120, blank=True)
    added_at = models.DateTimeField()
    removed_at = optional_time()
    removed_as = models.CharField(max_length=120, blank=True)
    removed_because = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            unique("photo_number_is_unique_at_its_table", "table", "number"),
            from_one("photo_numbers_start_at_one"),
        ]


class Picture(PlainRow):
    """The bytes of one photo: a JPEG that we wrote ourselves, without metadata."""

    photo = models.OneToOneField(
        SheetPhoto, models.CASCADE, primary_key=True, related_name="picture"
    )
    jpeg = models.BinaryField()
