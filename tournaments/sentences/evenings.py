"""Sentences about evenings of an event and attendance."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_meeting": _("The event has no evening on that date."),
    "unknown_attendance": _("Nothing is recorded of {player} for this evening."),
    "meeting_exists": _("The event already has an evening on {date}."),
    "meeting_outdated": _(
        "Somebody changed this evening meanwhile. Look at it, and change it again."
    ),
    "place_too_long": _("The place has {found} characters. The most is {expected}."),
    "meeting_has_rounds": _("The evening of {date} has a round. Delete the round first."),
    "meeting_has_attendance": _(
        "Removing the evening of {date} deletes its attendance (answers: {answers}, "
        "check-ins: {check_ins})."
    ),
    "meeting_is_cancelled": _("The evening of {date} is cancelled. Plan it again first."),
    "meeting_has_begun": _(
        "The evening of {date} has begun or is over. Ask a host to change your attendance."
    ),
    "meeting_is_another_day": _("The evening is on {date}. Check in on that day."),
    "bad_attendance_state": _("{found} is not a state of attendance. Expected: {expected}."),
    "bad_attendance_round": _("An evening has no round {found}. Expected: {expected}."),
    "guest_may_be_known": _(
        "{found} may be a player of the club. Check in the player, or add a new guest."
    ),
    "leaves_before_coming": _(
        "A player who comes from round {first} cannot leave after round {found}."
    ),
}
