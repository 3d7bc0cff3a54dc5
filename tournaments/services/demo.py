"""The demo club: its people, sign-in, events, challenges, and a season with its evenings.

Safe to run again: what is there already stays as it is.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction

from scoring.json_types import JsonObject
from tournaments.domain.evening_series import Break
from tournaments.models.access import FillInRequest, PersonalLink
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event, Season
from tournaments.models.hands import Source
from tournaments.models.ladders import Challenge
from tournaments.models.rounds import AttendanceState, Meeting, Round
from tournaments.models.rules import HouseVariant
from tournaments.policy import Actor
from tournaments.selectors.access.personal_links import find_working_link, person_with_link
from tournaments.selectors.events.meetings import club_day, meeting_on, next_meeting
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.services.attendance.fill_ins import answer_fill_in, ask_fill_in
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.clubs.change_club import change_club
from tournaments.services.clubs.clubs import add_player, change_player, create_club
from tournaments.services.clubs.members import give_role
from tournaments.services.clubs.personal_links import renew_personal_link
from tournaments.services.events.events import create_event, move_event
from tournaments.services.events.opening_values import NewOpeningValue, add_opening_values
from tournaments.services.events.seasons import change_season, make_season
from tournaments.services.hands.close_tables import close_tables, move_game
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.ladders.challenges import answer_challenge, enter_result, issue_challenge
from tournaments.services.ladders.log import sync_log
from tournaments.services.operations import Operation
from tournaments.services.rounds.evening_series import plan_series
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.meetings import change_meeting, plan_meeting
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import seat_table
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

_STEPS: Final = ("sent", "accepted", "played", "confirmed")
THURSDAY: Final = 3
WEEK: Final = timedelta(days=7)
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


@transaction.atomic
def set_up_demo_season(
    *, actor: Actor, club: Club, plan: JsonObject, today: date, now: datetime
) -> Season:
    """Return the season under the slug of `plan`; create it where it is missing."""
    season = Season.objects.filter(club=club, slug=plan["slug"]).first()
    if season is not None:
        return season
    starts_on = today - timedelta(days=plan["starts_days_ago"])
    ends_on = today + timedelta(days=plan["ends_in_days"])
    return make_season(
        Operation(actor, now),
        club,
        name=plan["name"],
        slug=plan["slug"],
        preset=plan["preset"],
        starts_on=starts_on.isoformat(),
        ends_on=ends_on.isoformat(),
    )


@transaction.atomic
def fill_demo_division(
    *, actor: Actor, season: Season, event: Event, plan: JsonObject, now: datetime
) -> int:
    """Put a new event into its season and play its evenings; return how many hands are new.

    An event that has a round already stays as it is.

    Args:
        plan: `evenings`, the oldest first, each so many `days_ago` with its `rounds`, and
            `from_before` where entrants bring values.
    """
    if Round.objects.filter(event=event).exists():
        return 0
    slugs = season.events.values_list("slug", flat=True)
    change_season(Operation(actor, now), season, events=[*slugs, event.slug])
    if "from_before" in plan:
        _add_values(actor, event, plan["from_before"], now)
    first_round = 1
    n_hands = 0
    for evening in plan["evenings"]:
        for tables in evening["rounds"]:
            played_at = now - timedelta(days=evening["days_ago"])
            n_hands += _play_round(Operation(actor, played_at), event, first_round, tables)
            first_round += 1
        if evening.get("ends"):
            meeting = meeting_on(event, club_day(event.club, played_at))
            end_evening(Operation(actor, played_at), meeting)
    return n_hands


def _add_values(actor: Actor, event: Event, plan: JsonObject, now: datetime) -> None:
    given_at = now - timedelta(days=plan["days_ago"])
    day = club_day(event.club, given_at)
    values = [
        NewOpeningValue(entrant=player_id, date=day, value=str(points), games=1, wins=points // 5)
        for player_id, points in plan["points"].items()
    ]
    add_opening_values(Operation(actor, given_at), event, values=values, reason=plan["reason"])


def _play_round(op: Operation, event: Event, number: int, plan: JsonObject) -> int:
    """Seat and play the tables of a round; close it if all are complete; return its hands."""
    day = club_day(event.club, op.now)
    is_open = False
    n_hands = 0
    for table in plan["tables"]:
        people = {
            player.player_id: player
            for player in Player.objects.filter(club=event.club, player_id__in=table["players"])
        }
        seated = [people[player_id] for player_id in table["players"]]
        game = seat_table(op, event, round_number=number, players=seated, on=day)
        for at, hand in enumerate(table["hands"], start=1):
            taken: list[list[str]] = [[] for _ in seated]
            taken[hand["queen"] - 1] = ["QS"]
            entry = {"hearts": hand["hearts"], "taken": taken}
            record_entry(op, game, number=at, entry=entry, source=Source.HOST)
            n_hands += 1
        if table.get("is_playing"):
            is_open = True
        else:
            move_game(op, game, to="complete")
    if not is_open:
        move_round(op, Round.objects.get(event=event, number=number), to="closed")
    return n_hands


@transaction.atomic
def fill_in_demo_evening(
    *, actor: Actor, meeting: Meeting, plan: JsonObject, now: datetime
) -> None:
    """Let somebody stay away from an evening, and another one fill in, unless one was asked before.

    Args:
        plan: `absent`, `willing` and `answers`, as player ids.
    """
    event = meeting.event
    if FillInRequest.objects.filter(meeting__event=event).exists():
        return
    op = Operation(actor, now)
    willing = Player.objects.filter(club=event.club, player_id__in=plan["willing"])
    for player in willing.order_by("player_id"):
        change_player(op, player, fills_in=True)
    absent = Player.objects.get(club=event.club, player_id=plan["absent"])
    set_attendance(op, meeting, player=absent, state=AttendanceState.ABSENT)
    request = ask_fill_in(op, meeting)
    answer_fill_in(op, request, player=plan["answers"])


@transaction.atomic
def make_demo_links(
    *, actor: Actor, club: Club, plan: JsonObject, now: datetime
) -> list[PersonalLink]:
    """Return the personal links of the planned players; make those that are missing."""
    links = []
    players = Player.objects.filter(
        club=club, player_id__in=plan["players"], merged_into=None, erased_at=None
    )
    for player in players.select_related("club").order_by("player_id"):
        link = find_working_link(player)
        if link is None:
            link = renew_personal_link(Operation(actor, now), player)
        links.append(link)
    return links


@transaction.atomic
def plan_demo_series(
    *, actor: Actor, event: Event, plan: JsonObject, today: date, now: datetime
) -> None:
    """Plan the further evenings of a division with a break; at the first somebody waits.

    Nothing where an evening is planned already.

    Args:
        plan: how many `evenings`, with `break_weeks` after `break_after` of them; the `place` and
            the `places` of the first, who `come` and who `waits` for a place, as player ids.
    """
    if next_meeting(event, today + timedelta(days=1)) is not None:
        return
    op = Operation(actor, now)
    first = today + WEEK
    break_first = first + plan["break_after"] * WEEK
    break_last = break_first + (plan["break_weeks"] - 1) * WEEK
    pause = Break(break_first, break_last, plan["reason"])
    plan_series(
        op, event, first=first, number=plan["evenings"], breaks=[pause], at=STARTS_AT, place=PLACE
    )
    meeting = meeting_on(event, first)
    change_meeting(op, meeting, capacity=plan["places"], place=plan["place"])
    players = Player.objects.filter(club=event.club, player_id__in=plan["come"])
    for player in players.order_by("player_id"):
        set_attendance(op, meeting, player=player, state=AttendanceState.EXPECTED)
    waiting = Player.objects.select_related("club").get(club=event.club, player_id=plan["waits"])
    link = find_working_link(waiting)
    if link is not None:
        link.player = waiting
        answer = Operation(person_with_link(link), now)
        state_own_attendance(answer, meeting, state=str(AttendanceState.EXPECTED))
