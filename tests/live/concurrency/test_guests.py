"""Two directors who add the same guest, or let one join, at one moment, beside others' work."""

from collections.abc import Callable
from datetime import date
from functools import partial

import pytest

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Action, Within
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.rounds import Attendance, Round
from tournaments.models.standings import Change
from tournaments.selectors.events.entrants import EntrantLine
from tournaments.services.attendance.set_attendance import add_meeting_guest
from tournaments.services.events.entrants import add_entrants, add_event_guest, set_guest
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = pytest.mark.pg

DAY = date(2025, 11, 6)
OP = by_tests()


@pytest.fixture
def event(within: Within) -> Event:
    """An evening of four members, in a league where guests play for the evening."""
    with within():
        settings = {"primary": "evening_points", "guests": "evening"}
        event = league(enter_the_cast().riverside, settings=settings)
        hand(table(event, players(event.club, *"ABCD"), on=DAY), 1, [4, 1, 2, 6], queen=3)
        publish(event.pk, now=NOW)
        return event


def gale(event: Event) -> Player:
    return Player.objects.get(club=event.club, name="Gale")


def guests(event: Event) -> list[bool]:
    """Return whether Gale is a guest, once for each of her entrants."""
    entrants = Entrant.objects.filter(event=event, members__player=gale(event))
    return list(entrants.values_list("guest", flat=True))


def forget_gale(event: Event) -> None:
    Entrant.objects.filter(members__player=gale(event)).delete()
    gale(event).delete()


def add_gale(event: Event) -> Action:
    return partial(add_event_guest, OP, event, name="Gale")


def enter_gale(event: Event) -> Action:
    """The list of another director, who read that the club does not know the name."""
    return partial(add_entrants, OP, event, lines=[EntrantLine(1, ("Gale",))], guests=True)


def publish_it(event: Event) -> Action:
    def action() -> None:
        publish(event.pk, now=NOW)

    return action


@pytest.mark.parametrize("acts", [(add_gale, add_gale), (enter_gale, enter_gale)])
def test_two_directors_who_add_the_same_guest_enter_one(
    within: Within, event: Event, acts: tuple[Callable[[Event], Action], ...]
) -> None:
    for _turn in range(short_or_long(2, 20)):
        assert within.at_once(*(act(event) for act in acts)) == []
        with within():
            assert guests(event) == [True]
            forget_gale(event)


def test_a_guest_checked_in_and_in_a_directors_list_is_one(within: Within, event: Event) -> None:
    with within():
        meeting = plan_meeting(OP, event, day=date(2025, 11, 13))
    for _turn in range(short_or_long(2, 20)):
        check_in = partial(add_meeting_guest, OP, meeting, name="Gale")
        assert within.at_once(check_in, enter_gale(event)) == []
        with within():
            assert guests(event) == [True]
            Attendance.objects.all().delete()
            forget_gale(event)


def test_a_guest_joins_once_while_another_table_seats_them(within: Within, event: Event) -> None:
    with within():
        add_event_guest(OP, event, name="Gale")
    entrant = partial(Entrant.objects.get, event=event, members__player__name="Gale")

    def join() -> None:
        set_guest(OP, entrant(), guest=False, reason="Third visit.")

    def seat() -> None:
        people = list(Player.objects.filter(name__in=("A", "B", "C", "Gale")))
        number = Round.objects.filter(event=event).count() + 1
        hand(table(event, people, round_number=number, on=DAY), 1, [4, 1, 2, 6], queen=3)

    for turn in range(short_or_long(2, 20)):
        assert within.at_once(join, join, seat, publish_it(event)) == []
        with within():
            assert guests(event) == [False]
            assert Change.objects.filter(event=event, kind="admit_guest").count() == turn + 1
            publication = publish(event.pk, now=NOW)
            assert publication is not None
            rows = {row["player"]: row for row in publication.document["rows"]}
            assert rows["Gale"]["rank"] is not None
            set_guest(OP, entrant(), guest=True, reason="Again.")
