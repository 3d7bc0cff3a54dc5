"""The demo club's season of two divisions: evenings, values from before, a fill-in, personal links.

Safe to run again: what is there already stays as it is.
"""

from datetime import date, datetime, timedelta

from django.db import transaction

from scoring.json_types import JsonObject
from tournaments.models.access import FillInRequest, PersonalLink
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event, Season
from tournaments.models.hands import Source
from tournaments.models.rounds import AttendanceState, Meeting, Round
from tournaments.policy import Actor
from tournaments.selectors.access.personal_links import find_working_link
from tournaments.selectors.events.meetings import club_day, meeting_on
from tournaments.services.attendance.fill_ins import answer_fill_in, ask_fill_in
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.clubs.clubs import change_player
from tournaments.services.clubs.personal_links import renew_personal_link
from tournaments.services.events.opening_values import NewOpeningValue, add_opening_values
from tournaments.services.events.seasons import change_season, make_season
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.operations import Operation
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import seat_table


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
            _end_evening(Operation(actor, played_at), event)
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


def _end_evening(op: Operation, event: Event) -> None:
    end_evening(op, meeting_on(event, club_day(event.club, op.now)))


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
