"""The play-offs of an evening: those of ties in its rounds, which belong to no meeting."""

from collections.abc import Sequence

from tournaments.models.playoffs import Playoff, PlayoffState
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import posted_rounds_of


def list_playoffs(meeting: Meeting) -> Sequence[int]:
    """Return the keys of the play-offs of ties in the rounds of an evening, but for void ones.

    One query where the event has none, else two.
    """
    playoffs = Playoff.objects.filter(event=meeting.event_id).exclude(state=PlayoffState.VOID)
    boundaries = dict(playoffs.values_list("pk", "boundaries"))
    if not boundaries:
        return ()
    numbers = set(posted_rounds_of(meeting).values_list("number", flat=True))
    return [
        key
        for key, lines in boundaries.items()
        if any(line.get("round") in numbers for line in lines)
    ]
