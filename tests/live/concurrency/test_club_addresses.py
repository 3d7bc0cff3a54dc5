"""A club or event gets another address while hosts enter hands: nobody waits in a ring, nothing is
lost."""

from datetime import timedelta

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, counts, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import HEARTS, Act, at_once, project, tables
from tests.support.live.project import LiveProject
from tournaments.models.clubs import Club, FormerSlug
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.services.access.table_links import make_link
from tournaments.services.clubs.clubs import add_guest_once
from tournaments.services.events.change_club import change_club
from tournaments.services.events.change_event import change_event
from tournaments.services.events.events import create_event
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.publishing.publications import publish

__all__ = ["project"]

pytestmark = pytest.mark.pg

HANDS = range(2, 2 + short_or_long(4, 10))


def host(game: int) -> Act:
    def save() -> None:
        games = Game.objects.select_related("event", "club", "snapshot", "table__round")
        for number in HANDS:
            record_entry(
                actor=TESTS, game=games.get(pk=game), number=number, entry=counts(HEARTS, 3),
                now=NOW, source="host",
            )  # fmt: skip

    return save


def moves(event: Event) -> Act:
    def move() -> None:
        for slug in ("two", "three", "league", "four") * 3:
            found = Event.objects.get(pk=event.pk)
            change_event(actor=TESTS, event=found, slug=slug, now=NOW)

    return move


def test_club_moves_while_its_hosts_save_hands(inside: Inside, project: LiveProject) -> None:
    with inside(project):
        club = enter_the_cast().riverside
        event = league(club)
        people = players(club, *(f"Player {at}" for at in range(1, 17)))
        games = tables(event, people, 1)

    def move() -> None:
        for slug in ("two", "three", "riverside", "four") * 3:
            found = Club.objects.get(pk=club.pk)
            change_club(actor=TESTS, club=found, wanted={"slug": slug, "name": slug}, now=NOW)

    def guests() -> None:
        for at in range(10):
            found = Club.objects.get(pk=club.pk)
            add_guest_once(actor=TESTS, club=found, name=f"Guest {at}", now=NOW)

    def links() -> None:  # they hold the audit trail alone, and point at the club
        for game in [*games] * 10:
            seated = Game.objects.select_related("table").get(pk=game).table
            make_link(actor=TESTS, table=seated, now=NOW, lasts=timedelta(hours=1))

    def publications() -> None:
        for _ in range(10):
            publish(event.pk, now=NOW)

    acts = [*(host(game) for game in games), move, moves(event), guests, links, publications]
    assert at_once(inside, project, acts) == []
    with inside(project):
        assert Hand.objects.filter(game__in=games).count() == len(games) * (1 + len(HANDS))
        assert Club.objects.get(pk=club.pk).slug == "four"
        assert Event.objects.get(pk=event.pk).slug == "four"
        former = FormerSlug.objects.filter(club=club).values_list("slug", flat=True)
        assert set(former) == {"riverside", "two", "three"}


def test_address_that_is_given_up_at_this_moment_goes_to_nobody(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        cast = enter_the_cast()

    def give_up(slug: str) -> Act:
        club = cast.riverside
        return lambda: change_club(
            actor=TESTS, club=Club.objects.get(pk=club.pk), wanted={"slug": slug}, now=NOW
        )

    def take() -> None:
        found = Club.objects.get(pk=cast.hilltop.pk)
        change_club(actor=TESTS, club=found, wanted={"slug": "riverside"}, now=NOW)

    for turn in range(short_or_long(2, 5)):
        assert at_once(inside, project, [give_up(f"moved-{turn}"), take]) == ["slug_taken"]
        with inside(project):
            give_up("riverside")()


def test_one_of_three_events_gets_an_address_that_all_take_at_once(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        club = enter_the_cast().riverside
        events = [league(club, slug=slug) for slug in ("one", "two")]

    def take(event: Event, slug: str) -> Act:
        return lambda: change_event(
            actor=TESTS, event=Event.objects.get(pk=event.pk), slug=slug, now=NOW
        )

    def create(slug: str) -> Act:
        found = Club.objects.get
        return lambda: create_event(
            actor=TESTS, club=found(pk=club.pk), name="New", slug=slug, variant="hearts", now=NOW
        )

    for turn in range(short_or_long(2, 5)):
        slug = f"address-{turn}"
        acts = [*(take(event, slug) for event in events), create(slug)]
        assert at_once(inside, project, acts) == ["slug_taken"] * 2
        with inside(project):
            assert Event.objects.filter(club=club, slug=slug).count() == 1


def test_address_that_an_event_gives_up_at_this_moment_goes_to_nobody(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        club = enter_the_cast().riverside
        first, second = (league(club, slug=slug) for slug in ("one", "two"))

    def take(event: Event, slug: str) -> Act:
        return lambda: change_event(
            actor=TESTS, event=Event.objects.get(pk=event.pk), slug=slug, now=NOW
        )

    for turn in range(short_or_long(2, 5)):
        acts = [take(first, f"moved-{turn}"), take(second, "one")]
        assert at_once(inside, project, acts) == ["slug_taken"]
        with inside(project):
            take(first, "one")()
