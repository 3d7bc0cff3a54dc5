"""Who is at an evening: expected, here, late, left or absent."""

from django.db import models

from tournaments.models.clubs import Club, Player
from tournaments.models.meetings import Meeting


class AttendanceState(models.TextChoices):
    """States of one player at one meeting."""

    EXPECTED = "expected"
    HERE = "here"
    LATE = "late"
    LEFT = "left"
    ABSENT = "absent"


class Attendance(models.Model):
    """What is known of a player at a meeting; a player without a row was not asked yet.

    Rounds are those of the evening, counted from 1. `stated_at` is the time of the device on which
    the state was set: of two statements the newer one counts, whichever comes in first.
    `arrived_at` is set when the player is checked in, and stays when they leave. `answer` is the
    newest of the states expected, late and absent that was stated; an undone check-in goes back to
    it, and a player who is expected without an answer was only asked.
    """

    club = models.ForeignKey(Club, models.CASCADE, related_name="+", db_index=False)
    meeting = models.ForeignKey(Meeting, models.CASCADE, related_name="attendance", db_index=False)
    player = models.ForeignKey(Player, models.CASCADE, related_name="attendance")
    state = models.CharField(
        max_length=8, choices=AttendanceState.choices, default=AttendanceState.EXPECTED
    )
    answer = models.CharField(max_length=8, choices=AttendanceState.choices, default="", blank=True)
    from_round = models.PositiveSmallIntegerField(null=True, blank=True)
    leaves_after_round = models.PositiveSmallIntegerField(null=True, blank=True)
    stated_at = models.DateTimeField()
    arrived_at = models.DateTimeField(null=True, blank=True)
    guest = models.BooleanField(default=False)

    class Meta:
        verbose_name = "attendance of a player"
        verbose_name_plural = "attendance of players"
        constraints = [
            models.UniqueConstraint(
                fields=["meeting", "player"], name="player_attends_a_meeting_once"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=AttendanceState.values),
                name="attendance_state_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(from_round__isnull=True) | models.Q(from_round__gte=1),
                name="rounds_of_attendance_start_at_one",
            ),
            models.CheckConstraint(
                condition=models.Q(from_round__isnull=True)
                | models.Q(leaves_after_round__isnull=True)
                | models.Q(leaves_after_round__gte=models.F("from_round")),
                name="player_comes_before_leaving",
            ),
        ]

    def __str__(self) -> str:
        return f"player {self.player_id} {self.state}"
