"""Players are merged, and erased, at one moment with hands and seats of theirs: nothing is lost,
nobody waits in a ring."""

from functools import partial

import pytest
from django.db.models import Q

from tests.support.builders import by_tests, hand, ladder, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import HEARTS, Action, Within, get_game
from tests.support.people import rows_with
from tournaments.models.access import Contact, PersonalLink
from tournaments.models.clubs import Player, SimilarPlayers
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.rounds import Sitting
from tournaments.selectors.people.merges import get_merge
from tournaments.services.clubs.change_club import change_club
from tournaments.services.clubs.personal_links import make_personal_links, set_contact
from tournaments.services.people.compare_names import compare_names
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players, undo_merge
from tournaments.services.publishing.publications import publish
from tournaments.services.verification.event import verify_event

pytestmark = pytest.mark.pg

TIMES = short_or_long(2, 5)


class Twice:
    """A league in which RL05 is RL01 under another name, with a table of each in progress."""

    def __init__(self, within: Within) -> None:
        self.within = within
        with within():
            self.cast: Cast = enter_the_cast()
            self.club = self.cast.riverside
            self.people = players(self.club, "Anna", "Bert", "Cora", "Dora", "Ann")
            self.events = [league(self.club, slug=f"league-{n}") for n in range(2)]

    def begin(self, number: int) -> None:
        anna, bert, cora, dora, ann = self.people
        with self.within():
            for event in self.events:
                for at, first in enumerate((anna, ann)):
                    game = table(event, [first, bert, cora, dora], round_number=2 * number + at)
                    hand(game, 1, HEARTS, 3)

    def play(self, event: Event, round_number: int, number: int) -> Action:
        return lambda: hand(
            get_game(event=event, table__round__number=round_number), number, HEARTS, 2
        )

    def merge(self) -> None:
        source, target = (Player.objects.get(player_id=one) for one in ("RL05", "RL01"))
        merge_players(by_tests(), source, target=target)

    def erase(self, code: str = "RL05") -> None:
        player = Player.objects.get(player_id=code)
        erase_player(self.cast.operation("olga"), player, confirmed=code, reason="x")

    def holds(self) -> None:
        for event in Event.objects.select_related("club").order_by("pk"):
            publish(event.pk, now=NOW)
            verification = verify_event(event, repair=False, now=NOW, report=lambda words: None)
            assert not verification.differs, verification.as_json()


@pytest.fixture
def twice(within: Within) -> Twice:
    return Twice(within)


def test_beside_hands_of_both(twice: Twice) -> None:
    first, second = twice.events
    for number in range(1, TIMES + 1):
        twice.begin(number)
        own, theirs = 2 * number, 2 * number + 1
        actions = [twice.play(event, at, 2) for event in (first, second) for at in (own, theirs)]
        assert twice.within.at_once(twice.merge, *actions) == []
        with twice.within():
            assert Hand.objects.filter(game__event=first).count() == 4 * number
            assert not Sitting.objects.filter(player__player_id="RL05").exists()
            twice.holds()
            source = Player.objects.get(player_id="RL05")
            if number < TIMES:
                Player.objects.filter(pk=source.pk).update(merged_into=None, is_active=True)
                twice.club.merges.update(undone_at=NOW)


def test_who_is_seated_meanwhile_is_in_or_is_refused(twice: Twice) -> None:
    with twice.within():
        fresh = league(twice.club, slug="new")

    def seat() -> None:
        _, bert, cora, dora, ann = twice.people
        table(fresh, [ann, bert, cora, dora])

    refused = twice.within.at_once(twice.merge, seat)
    with twice.within():
        sat = Sitting.objects.filter(round__event=fresh).order_by("seat__number")
        codes = list(sat.values_list("player__player_id", flat=True))
        assert (refused, codes) in (
            ([], ["RL01", "RL02", "RL03", "RL04"]),
            (["player_is_merged"], []),
        )
        twice.holds()


@pytest.mark.parametrize("action", ["merge", "erase"])
def test_events_are_locked_before_their_club_as_by_settings(action: str, twice: Twice) -> None:
    """A new time zone locks open ladders and then the club; neither action waits for the other."""
    ann = twice.people[4]
    with twice.within():
        ladders = [ladder(twice.club, slug=f"ladder-{n}") for n in range(2)]
    for number in range(TIMES):
        zone = ("Asia/Tokyo", "Europe/Lisbon")[number % 2]
        with twice.within():
            for at, event in enumerate(ladders):
                table(
                    event, [ann, *twice.people[1:4]], round_number=number + 1, table_number=at + 1
                )
        move = partial(change_club, by_tests(), twice.club, wanted={"time_zone": zone})
        assert twice.within.at_once(getattr(twice, action), move) == []
        with twice.within():
            Player.objects.filter(pk=ann.pk).update(
                merged_into=None, is_active=True, name="Ann", erased_at=None
            )
            twice.club.merges.update(undone_at=NOW)


def test_two_directors_merge_and_undo_once(twice: Twice) -> None:
    twice.begin(1)
    assert twice.within.at_once(twice.merge, twice.merge) == ["player_is_merged"]
    with twice.within():
        undo_merge(by_tests(), get_merge(twice.club, "RL05"))
        twice.holds()


def test_erasing_beside_a_hand_and_a_publication(twice: Twice) -> None:
    first, _second = twice.events
    with twice.within():
        Player.objects.filter(player_id="RL01").update(name="Canary C.", public_name="Canary C.")
    for number in range(1, TIMES + 1):
        twice.begin(number)
        actions: list[Action] = [partial(twice.erase, "RL01"), partial(publish, first.pk, now=NOW)]
        assert twice.within.at_once(*actions, twice.play(first, 2 * number, 2)) == []
        with twice.within():
            assert rows_with("Canary") == {}
            twice.holds()
            Player.objects.filter(player_id="RL01").update(
                name="Canary C.", public_name="Canary C.", erased_at=None
            )


def test_name_is_erased_beside_its_comparison(twice: Twice) -> None:
    for number in range(TIMES):
        with twice.within():
            players(twice.club, f"Anne{number}")
            Player.objects.update(is_compared=False)
        code = f"RL0{6 + number}"
        assert twice.within.at_once(compare_names, partial(twice.erase, code)) == []
        with twice.within():
            pairs = SimilarPlayers.objects.all()
            assert not pairs.filter(Q(player__player_id=code) | Q(other__player_id=code)).exists()


def test_address_beside_a_merge_and_an_erasure_is_moved_removed_or_refused(twice: Twice) -> None:
    def store(code: str) -> None:
        player = Player.objects.get(player_id=code)
        op = twice.cast.operation("dirk")
        set_contact(op, player, email="ann@mail.example", has_consent=True)

    def stored() -> list[str]:
        return [*Contact.objects.exclude(email="").values_list("player__player_id", flat=True)]

    for number in range(TIMES):
        refused = twice.within.at_once(twice.merge, partial(store, "RL05"))
        with twice.within():
            assert (refused, stored()) in (([], ["RL01"]), (["player_is_merged"], []))
            undo_merge(by_tests(), get_merge(twice.club, "RL05"))
            Contact.objects.all().delete()
            players(twice.club, f"Eve{number}")
        code = f"RL{6 + number:02}"
        refused = twice.within.at_once(partial(twice.erase, code), partial(store, code))
        with twice.within():
            assert (refused, stored()) in (([], []), (["player_is_erased"], []))


def test_address_that_waits_for_a_merge_is_refused(twice: Twice) -> None:
    """A row that the merge had joined before the address waited would say that nobody merged."""

    def store() -> None:
        player = Player.objects.get(player_id="RL05")
        op = twice.cast.operation("dirk")
        set_contact(op, player, email="ann@mail.example", has_consent=True)

    at = "tournaments.services.people.merge_players._audit"
    assert twice.within.in_between(twice.merge, at, store) == ("", "player_is_merged")
    with twice.within():
        assert not Contact.objects.exists()


def test_two_directors_make_the_missing_links_once(twice: Twice) -> None:
    def make() -> None:
        make_personal_links(twice.cast.operation("dirk"), twice.club)

    assert twice.within.at_once(make, make) == []
    with twice.within():
        assert PersonalLink.objects.filter(revoked_at=None).count() == len(twice.people)
