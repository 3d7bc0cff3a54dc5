"""Creates the play-off of a tie, and schedules it with the tables it begins at.

Which ties need one is found by publishing/playoffs/schedule_playoffs.py.
"""

from datetime import datetime

from scoring.playoffs.boundaries import Need
from tournaments.domain.event_settings import played_policy, playoff_rules_of, settings_of
from tournaments.models.events import Entrant, Event
from tournaments.models.playoffs import Playoff, PlayoffMember, PlayoffState
from tournaments.selectors.events.accounts import accounts_of_entrants
from tournaments.services.notices.notify import notify
from tournaments.services.playoffs.log import read_log
from tournaments.services.playoffs.playoffs import (
    SCHEDULED_ACT,
    AuditContext,
    PlayoffUpdate,
    locked_playoff,
    update_playoff,
)


def create_playoff(event: Event, need: Need, *, by: AuditContext, now: datetime) -> PlayoffUpdate:
    """Create the play-off of a tie, scheduled; the caller holds the event's row."""
    settings = settings_of(event)
    numbers = Playoff.objects.filter(event=event).order_by("-number")
    number = (numbers.values_list("number", flat=True).first() or 0) + 1
    rules = playoff_rules_of(settings)
    playoff = Playoff.objects.create(
        club_id=event.club_id,
        event=event,
        number=number,
        key=need.key,
        boundaries=[line.written for line in need.boundaries],
        cuts=list(need.cuts),
        ahead=need.ahead,
        policy=played_policy(settings),
        rules={name: getattr(rules, name) for name in rules.__dataclass_fields__},
        seed=f"{event.seed}:{number}",
        detected_at=now,
    )
    entrants = Entrant.objects.filter(event=event, code__in=need.members).order_by("code")
    PlayoffMember.objects.bulk_create(
        PlayoffMember(club_id=event.club_id, playoff=playoff, entrant=one) for one in entrants
    )
    return schedule_playoff(locked_playoff(event, number), by=by, now=now)


def schedule_playoff(playoff: Playoff, *, by: AuditContext, now: datetime) -> PlayoffUpdate:
    """Take a play-off from detected to scheduled, with the tables it begins at."""
    playoff.state = PlayoffState.SCHEDULED
    move = update_playoff(playoff, read_log(playoff), by=by, now=now)
    members = playoff.members.order_by("entrant__code").values_list("entrant__code", flat=True)
    facts = {"key": playoff.key, "members": list(members), "legs": playoff.legs}
    notify(
        club=playoff.event.club,
        user_ids=accounts_of_entrants(playoff.members.values_list("entrant_id", flat=True)),
        kind="playoff_called",
        key=str(playoff.pk),
        facts={"playoff": playoff.pk},
        now=now,
    )
    return PlayoffUpdate(playoff, SCHEDULED_ACT, facts, by, posted=move.posted)
