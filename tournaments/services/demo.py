"""The demo club: its people, sign-in, events and challenges. Safe to run again."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction

from scoring.json_types import JsonObject
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.models.rounds import Meeting, Round
from tournaments.models.rules import HouseVariant
from tournaments.policy import Actor
from tournaments.selectors.events.meetings import next_meeting
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.services.clubs.change_club import change_club
from tournaments.services.clubs.clubs import add_player, create_club
from tournaments.services.clubs.members import give_role
from tournaments.services.events.events import create_event, move_event
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.ladders.challenges import answer_challenge, enter_result, issue_challenge
from tournaments.services.ladders.log import sync_log
from tournaments.services.operations import Operation
from tournaments.services.rounds.meetings import plan_meeting
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

_STEPS: Final = ("sent", "accepted", "played", "confirmed")
THURSDAY: Final = 3
STARTS_AT: Final = time(19, 30)
PLACE: Final = "Boathouse"


@transaction.atomic
def set_up_demo_challenges(
    *, actor: Actor, event: Event, plans: Sequence[JsonObject], now: datetime
) -> int:
    """Create the planned challenges, unless the event has any; return how many are new.

    Args:
        plans: `challenger`, `challenged`, and how many days before `now` it was `sent`,
            `accepted`, `played` (with `points` by player id) and `confirmed`, as far as it came.
    """
    if Challenge.objects.filter(event=event).exists():
        return 0
    sync_log(event, event.created_at)
    steps: list[tuple[float, int, str]] = []
    for number, plan in enumerate(plans, 1):
        steps += [(plan[step], number, step) for step in _STEPS if step in plan]
    for days, number, step in sorted(steps, key=lambda planned: -planned[0]):
        _do_step(step, actor, event, number, plans[number - 1], now - timedelta(days=days))
    return len(plans)


def _do_step(
    step: str, actor: Actor, event: Event, number: int, plan: JsonObject, now: datetime
) -> None:
    op = Operation(actor, now)
    if step == "sent":
        issue_challenge(
            op,
            event,
            challenger=plan["challenger"],
            challenged=plan["challenged"],
            words=plan.get("words", ""),
        )
    elif step == "played":
        enter_result(op, challenge_at(event, number), points=plan["points"])
    else:
        answer_challenge(op, challenge_at(event, number), to=step)


NAME: Final = "Riverside Hearts Club"
FRONT: Final[Mapping[str, object]] = {
    "about": "We play Hearts by the river every week, for fun and for a small cup. No partner and "
    "no account needed.\n\nThe league is played at tables of four, from September to November. The "
    "ladders run all year.",
    "when_where": "Thursdays at 19:30 in the boathouse, doors at 19:00",
    "how_to_join": [
        "Come on a Thursday at 19:00 and say hello to the director.",
        "Play as a guest. The rules fit on one page.",
        "Like it? The director gives you a card with a code for your account.",
    ],
    "fee": "3 € an evening, 30 € a season",
    "contact": "At the bar of the boathouse, Thursdays from 19:00",
    "welcomes_visitors": True,
}
"""The texts of the club's page."""


@transaction.atomic
def set_up_demo_club(
    *, actor: Actor, slug: str, people: Iterable[Mapping[str, str]], now: datetime
) -> tuple[Club, int]:
    """Create the demo club and its missing players; return the club and how many are new.

    Args:
        people: `player_id`, `name` and `joined`, as an ISO date.
    """
    club = Club.objects.filter(slug=slug).first()
    if club is None:
        op = Operation(actor, now)
        club = change_club(op, create_club(op, slug=slug, name=NAME), wanted=FRONT)
    player_ids = set(Player.objects.filter(club=club).values_list("player_id", flat=True))
    new = [person for person in people if person["player_id"] not in player_ids]
    for person in new:
        add_player(
            Operation(actor, now),
            club,
            name=person["name"],
            player_id=person["player_id"],
            joined=date.fromisoformat(person["joined"]),
        )
    return club, len(new)


@transaction.atomic
def set_up_demo_house_rules(*, actor: Actor, club: Club, plan: JsonObject, now: datetime) -> None:
    if not HouseVariant.objects.filter(club=club, slug=plan["slug"]).exists():
        chosen = chosen_rules(plan["base"], plan["options"], plan["summary"])
        make_house_rules(
            Operation(actor, now), club, name=plan["name"], slug=plan["slug"], chosen=chosen
        )


@transaction.atomic
def plan_demo_evening(*, actor: Actor, event: Event, today: date, now: datetime) -> Meeting | None:
    """Return the next evening of the demo's league; plan one on Thursday where there is none.

    None if that of Thursday is cancelled, or has been played.
    """
    meeting = next_meeting(event, today)
    if meeting is not None:
        meeting.event = event
        return meeting
    thursday = today + timedelta(days=(THURSDAY - today.weekday()) % 7)
    if Meeting.objects.filter(event=event, date=thursday).exists():
        return None
    return plan_meeting(Operation(actor, now), event, day=thursday, at=STARTS_AT, place=PLACE)


@transaction.atomic
def set_up_demo_event(
    *,
    actor: Actor,
    club: Club,
    slug: str,
    name: str,
    kind: str,
    variant: str,
    settings: Mapping[str, object],
    now: datetime,
) -> Event:
    """Return the demo's event under `slug`; create and open it where it is missing."""
    event = Event.objects.filter(club=club, slug=slug).select_related("club").first()
    if event is not None:
        return event
    event = create_event(
        Operation(actor, now),
        club,
        slug=slug,
        name=name,
        kind=kind,
        variant=variant,
        settings=settings,
    )
    return move_event(Operation(actor, now), event, to="open")


@transaction.atomic
def close_demo_event(*, actor: Actor, event: Event, now: datetime) -> None:
    op = Operation(actor, now)
    for round_ in Round.objects.filter(event=event).exclude(state="closed").order_by("number"):
        close_tables(op, round_)
        move_round(op, round_, to="closed")
    move_event(op, event, to="closed")


@transaction.atomic
def set_up_sign_in(
    *, actor: Actor, club: Club, username: str, password: str, now: datetime
) -> bool:
    """Create an account that owns the club; return whether `password` is that of the account.

    An existing account keeps its password.
    """
    user = User.objects.filter(username=username).first()
    if user is None:
        user = User.objects.create_user(username, password=password)
        give_role(Operation(actor, now), club, user_id=user.pk, role="owner")
        return True
    return user.check_password(password)
