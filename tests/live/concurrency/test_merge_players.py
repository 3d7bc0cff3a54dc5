"""Players are merged, and erased, at one moment with hands and seats of theirs: nothing is lost,
nobody waits in a ring."""

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, hand, ladder, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import Act, at_once, project
from tests.support.live.project import LiveProject
from tests.support.people import rows_with
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Sitting
from tournaments.services.events.change_club import change_club
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players, undo_merge
from tournaments.services.publishing.publications import publish
from tournaments.services.verification.event import verify_event

__all__ = ["project"]

pytestmark = pytest.mark.pg

TIMES = short_or_long(2, 5)
HEARTS = [4, 1, 2, 6]


class Twice:
    """A league in which RL05 is RL01 under another name, with a table of each in progress."""

    def __init__(self, inside: Inside, project: LiveProject) -> None:
        self.inside, self.project = inside, project
        with inside(project):
            self.cast: Cast = enter_the_cast()
            self.club = self.cast.riverside
            self.people = players(self.club, "Anna", "Bert", "Cora", "Dora", "Ann")
            self.events = [league(self.club, slug=f"league-{n}") for n in range(2)]

    def begin(self, number: int) -> None:
        anna, bert, cora, dora, ann = self.people
        with self.inside(self.project):
            for event in self.events:
                for at, first in enumerate((anna, ann)):
                    game = table(event, [first, bert, cora, dora], round_number=2 * number + at)
                    hand(game, 1, HEARTS, 3)

    def play(self, event: Event, round_number: int, number: int) -> Act:
        def act() -> None:
            games = Game.objects.select_related("event__club", "club", "snapshot", "table__round")
            game = games.get(event=event, table__round__number=round_number)
            hand(game, number, HEARTS, 2)

        return act

    def merge(self) -> None:
        source, target = (Player.objects.get(player_id=one) for one in ("RL05", "RL01"))
        merge_players(actor=TESTS, club=self.club, source=source, target=target, now=NOW)

    def erase(self) -> None:
        player = Player.objects.get(player_id="RL05")
        erase_player(
            actor=self.cast.actor("olga"), club=self.club, player=player, confirmed="RL05",
            reason="x", now=NOW,
        )  # fmt: skip

    def holds(self) -> None:
        for event in Event.objects.select_related("club").order_by("pk"):
            publish(event.pk, now=NOW)
            found = verify_event(event, repair=False, now=NOW, report=lambda words: None)
            assert not found.differs, found.as_json()


@pytest.fixture
def twice(inside: Inside, project: LiveProject) -> Twice:
    return Twice(inside, project)


def test_beside_hands_of_both(twice: Twice) -> None:
    first, second = twice.events
    for number in range(1, TIMES + 1):
        twice.begin(number)
        own, theirs = 2 * number, 2 * number + 1
        acts = [twice.play(event, at, 2) for event in (first, second) for at in (own, theirs)]
        assert at_once(twice.inside, twice.project, [twice.merge, *acts]) == []
        with twice.inside(twice.project):
            assert Hand.objects.filter(game__event=first).count() == 4 * number
            assert not Sitting.objects.filter(player__player_id="RL05").exists()
            twice.holds()
            source = Player.objects.get(player_id="RL05")
            if number < TIMES:
                Player.objects.filter(pk=source.pk).update(merged_into=None, is_active=True)
                twice.club.merges.update(undone_at=NOW)


def test_who_is_seated_meanwhile_is_in_or_is_refused(twice: Twice) -> None:
    with twice.inside(twice.project):
        fresh = league(twice.club, slug="new")

    def seat() -> None:
        _, bert, cora, dora, ann = twice.people
        table(fresh, [ann, bert, cora, dora])

    refused = at_once(twice.inside, twice.project, [twice.merge, seat])
    with twice.inside(twice.project):
        sat = Sitting.objects.filter(round__event=fresh).order_by("seat__number")
        codes = list(sat.values_list("player__player_id", flat=True))
        assert (refused, codes) in (
            ([], ["RL01", "RL02", "RL03", "RL04"]),
            (["player_is_merged"], []),
        )
        twice.holds()


@pytest.mark.parametrize("act", ["merge", "erase"])
def test_events_are_locked_before_their_club_as_by_the_club_settings(
    act: str, twice: Twice
) -> None:
    """A new time zone locks open ladders and then the club; neither act waits for the other."""
    ann = twice.people[4]
    with twice.inside(twice.project):
        ladders = [ladder(twice.club, slug=f"ladder-{n}") for n in range(2)]
    for number in range(TIMES):
        zone = ("Asia/Tokyo", "Europe/Lisbon")[number % 2]
        with twice.inside(twice.project):
            for at, event in enumerate(ladders):
                table(
                    event, [ann, *twice.people[1:4]], round_number=number + 1, table_number=at + 1
                )

        def move(zone: str = zone) -> None:
            change_club(actor=TESTS, club=twice.club, wanted={"time_zone": zone}, now=NOW)

        assert at_once(twice.inside, twice.project, [getattr(twice, act), move]) == []
        with twice.inside(twice.project):
            Player.objects.filter(pk=ann.pk).update(
                merged_into=None, is_active=True, name="Ann", erased_at=None
            )
            twice.club.merges.update(undone_at=NOW)


def test_two_directors_merge_and_undo_once(twice: Twice) -> None:
    twice.begin(1)
    refused = at_once(twice.inside, twice.project, [twice.merge, twice.merge])
    assert refused == ["player_is_merged"]
    with twice.inside(twice.project):
        undo_merge(
            actor=TESTS, club=twice.club, source=Player.objects.get(player_id="RL05"), now=NOW
        )
        twice.holds()


def test_erasing_beside_a_hand_and_a_publication(twice: Twice) -> None:
    first, _second = twice.events
    with twice.inside(twice.project):
        Player.objects.filter(player_id="RL01").update(name="Canary C.", public_name="Canary C.")
    for number in range(1, TIMES + 1):
        twice.begin(number)

        def erase() -> None:
            erase_player(
                actor=twice.cast.actor("olga"), club=twice.club, confirmed="RL01", reason="x",
                player=Player.objects.get(player_id="RL01"), now=NOW,
            )  # fmt: skip

        def read_and_publish() -> None:
            publish(first.pk, now=NOW)

        acts = [erase, twice.play(first, 2 * number, 2), read_and_publish]
        assert at_once(twice.inside, twice.project, acts) == []
        with twice.inside(twice.project):
            assert rows_with("Canary") == {}
            twice.holds()
            Player.objects.filter(player_id="RL01").update(
                name="Canary C.", public_name="Canary C.", erased_at=None
            )
