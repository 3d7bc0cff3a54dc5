"""Clubs, events and entrants are made, named and withdrawn while hosts enter hands."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

import pytest

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.lengths import only_long, short_or_long
from tests.support.live.at_once import HEARTS, Action, NamedActions, Within, get_game, host, tables
from tests.support.seasons import autumn_season
from tournaments.domain.people.public_names import public_name_of
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, FormerSlug, Player
from tournaments.models.events import EntrantMember, Event, Season
from tournaments.models.hands import Hand
from tournaments.models.standings import Contribution, Publication
from tournaments.selectors.events.entrants import get_entrant
from tournaments.services.access.table_links import make_link
from tournaments.services.clubs.change_club import change_club
from tournaments.services.clubs.clubs import add_guest, add_guest_once, add_player, change_player
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.events.change_event import change_event
from tournaments.services.events.entrants import add_entrant, change_entrant
from tournaments.services.events.events import NewEvent, create_event, move_event
from tournaments.services.events.seasons import change_season
from tournaments.services.ladders.members import move_entrant
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.pg

HANDS = range(2, 2 + short_or_long(4, 10))


def move_event_too(event: Event) -> None:
    for slug in ("two", "three", "league", "four") * 3:
        take(event, slug)()


def take(event: Event, slug: str) -> Action:
    return lambda: change_event(by_tests(), Event.objects.get(pk=event.pk), slug=slug)


def test_club_moves_while_its_hosts_save_hands(within: Within) -> None:
    with within():
        club = enter_the_cast().riverside
        event = league(club)
        games = tables(event, players(club, *(f"Player {at}" for at in range(1, 17))), 1)

    def move_club() -> None:
        for slug in ("two", "three", "riverside", "four") * 3:
            found = Club.objects.get(pk=club.pk)
            change_club(by_tests(), found, wanted={"slug": slug, "name": slug})

    def guests() -> None:
        for at in range(10):
            found = Club.objects.get(pk=club.pk)
            add_guest_once(by_tests(), found, name=f"Guest {at}")

    def links() -> None:  # they hold the audit trail alone, and point at the club
        for game in [*games] * 10:
            seated = get_game(pk=game).table
            make_link(by_tests(), seated, hours=1)

    def publications() -> None:
        for _ in range(10):
            publish(event.pk, now=NOW)

    hosts = [host(game, HANDS) for game in games]
    actions: list[Callable[[], object]] = [
        *hosts,
        move_club,
        partial(move_event_too, event),
        guests,
        links,
        publications,
    ]
    assert within.at_once(*actions) == []
    with within():
        assert Hand.objects.filter(game__in=games).count() == len(games) * (1 + len(HANDS))
        assert Club.objects.get(pk=club.pk).slug == "four"
        assert Event.objects.get(pk=event.pk).slug == "four"
        former = FormerSlug.objects.filter(club=club).values_list("slug", flat=True)
        assert set(former) == {"riverside", "two", "three"}


def test_address_that_is_given_up_at_this_moment_goes_to_nobody(within: Within) -> None:
    with within():
        cast = enter_the_cast()

    def give_up(slug: str) -> Action:
        club = cast.riverside
        return lambda: change_club(by_tests(), Club.objects.get(pk=club.pk), wanted={"slug": slug})

    def take() -> None:
        found = Club.objects.get(pk=cast.hilltop.pk)
        change_club(by_tests(), found, wanted={"slug": "riverside"})

    for turn in range(short_or_long(2, 5)):
        assert within.at_once(give_up(f"moved-{turn}"), take) == ["slug_taken"]
        with within():
            give_up("riverside")()


def test_one_of_four_events_gets_an_address_that_all_take_at_once(within: Within) -> None:
    with within():
        club = enter_the_cast().riverside
        events = [league(club, slug=slug) for slug in ("one", "two")]

    def create(slug: str) -> Action:
        found = Club.objects.get
        return lambda: create_event(
            by_tests(), found(pk=club.pk), name="New", slug=slug, variant="hearts"
        )

    for turn in range(short_or_long(2, 5)):
        slug = f"address-{turn}"
        actions = [*(take(event, slug) for event in events), create(slug), create(slug)]
        assert within.at_once(*actions) == ["slug_taken"] * 3
        with within():
            assert Event.objects.filter(club=club, slug=slug).count() == 1


def test_address_that_an_event_gives_up_at_this_moment_goes_to_nobody(within: Within) -> None:
    with within():
        club = enter_the_cast().riverside
        first, second = (league(club, slug=slug) for slug in ("one", "two"))

    for turn in range(short_or_long(2, 5)):
        actions = [take(first, f"moved-{turn}"), take(second, "one")]
        assert within.at_once(*actions) == ["slug_taken"]
        with within():
            take(first, "one")()


FORM: NewEvent = {"name": "Winter league", "variant": "hearts"}


def test_two_events_of_one_name_at_once_get_addresses_of_their_own(within: Within) -> None:
    with within():
        club = enter_the_cast().riverside

    send = partial(create_event, by_tests(), club, **FORM)
    assert within.at_once(send, send) == []
    with within():
        found = set(Event.objects.values_list("slug", flat=True))
        assert found == {"winter-league", "winter-league-2"}


def test_event_is_opened_once_by_several_at_once(within: Within) -> None:
    with within():
        event = create_event(by_tests(), enter_the_cast().riverside, **FORM)
    open_it = partial(move_event, by_tests(), event, to="open")
    assert within.at_once(*[open_it] * 3) == ["state_not_allowed"] * 2
    with within():
        assert Event.objects.get().state == "open"


def test_event_is_made_in_a_season_that_others_change(within: Within) -> None:
    with within():
        club = enter_the_cast().riverside
        season = autumn_season(club)
        create = partial(create_event, by_tests(), club, variant="hearts", season=season)
        first = create(name="First")
    for turn in range(short_or_long(2, 20)):
        make = partial(create, name=f"Event {turn}")
        readers = "members" if turn % 2 else "public"
        assert within.at_once(
            make,
            partial(change_season, by_tests(), season, name=f"Autumn {turn}"),
            partial(change_event, by_tests(), first, visibility=readers),
            make,
        ) == []  # fmt: skip
        with within():
            assert Event.objects.filter(season=season).count() == 3 + 2 * turn
            assert Season.objects.get().name == f"Autumn {turn}"


def test_policy_changes_while_people_come_are_renamed_and_play(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        club, event = cast.riverside, league(cast.riverside)
        people = players(club, "Xenia Smit", "Zoë Klein", "Leo Kamp", "Anton Staal")
        game = table(event, people)
    for at in range(short_or_long(3, 6)):
        policy = ("number", "initial")[at % 2]
        refused = within.at_once(
            partial(set_names_policy, by_tests(), club, policy=policy),
            partial(add_player, by_tests(), club, name=f"New One{at}"),
            partial(add_guest, by_tests(), club, name=f"Some Guest{at}"),
            partial(change_player, by_tests(), people[0], name=f"Xenia Smit{at}"),
            partial(hand, game, at + 1, HEARTS, 3),
            partial(publish, event.pk, now=NOW),
        )  # fmt: skip
        with within():
            now = Club.objects.get(pk=club.pk)
            stale = [
                (player.player_id, player.public_name)
                for player in Player.objects.filter(club=club)
                if player.public_name != public_name_of(player, now)
            ]
            publish(event.pk, now=NOW)
            newest = Publication.objects.filter(event=event).latest("number")
            assert (stale, newest.names_version) == ([], now.names_version)
        assert refused == []


ANN, BEN, CEM, DORA, ELSA = (f"RL0{at}" for at in range(1, 6))


class Pair(NamedActions):
    """Ann and Ben, who are pair-1; Cem and Dora compete nowhere, Elsa is not in the event."""

    ends: ClassVar = {"play": "tournaments.services.hands.record_entry.audit_hand"}

    def __init__(self, within: Within) -> None:
        super().__init__(within)
        with within():
            self.cast: Cast = enter_the_cast()
            self.people = players(self.cast.riverside, "Ann", "Ben", "Cem", "Dora", "Elsa", *"FGH")
            self.event = league(self.cast.riverside)
            add_entrant(by_tests(), self.event, kind="pair", players=self.people[:2])

    def change(self, partner: int) -> None:
        members = [self.people[0], self.people[partner]]
        change_entrant(by_tests(), get_entrant(self.event, "pair-1"), name="", players=members)

    def to_cem(self) -> None:
        self.change(2)

    def to_dora(self) -> None:
        self.change(3)

    def other_pair(self) -> None:
        add_entrant(by_tests(), self.event, kind="pair", players=self.people[2:4])

    def withdraw(self) -> None:
        move_entrant(
            by_tests(),
            get_entrant(self.event, "pair-1"),
            to="withdrawn",
            reason="Moved away.",
            check_out=True,
        )

    def merge(self) -> None:
        source, target = (Player.objects.get(player_id=one) for one in (CEM, ELSA))
        merge_players(by_tests(), source, target=target)

    def erase(self) -> None:
        olga = self.cast.operation("olga")
        erase_player(olga, Player.objects.get(player_id=CEM), confirmed=CEM, reason="Asked.")

    def close(self) -> None:
        found = Event.objects.select_related("club").get(pk=self.event.pk)
        move_event(by_tests(), found, to="closed")

    def seat(self) -> None:
        """Ben, Cem and two others sit down; who is in no entrant competes alone."""
        table(self.event, [self.people[1], self.people[2], *self.people[5:7]])

    def play(self) -> None:
        hand(get_game(), 1, [5, 4, 3, 1], 0)

    def members(self) -> list[str]:
        members = EntrantMember.objects.filter(entrant__code="pair-1")
        return sorted(members.values_list("player__player_id", flat=True))


@pytest.fixture
def pair(within: Within) -> Pair:
    return Pair(within)


@pytest.mark.parametrize(
    ("first", "second", "said", "members"),
    [
        ("to_cem", "to_dora", ("", ""), [ANN, DORA]),
        only_long("to_cem", "to_cem", ("", ""), [ANN, CEM]),
        ("to_cem", "other_pair", ("", "competes_already"), [ANN, CEM]),
        only_long("other_pair", "to_cem", ("", "competes_already"), [ANN, BEN]),
        only_long("to_cem", "withdraw", ("", ""), [ANN, CEM]),
        ("withdraw", "to_cem", ("", ""), [ANN, CEM]),
        only_long("to_cem", "merge", ("", ""), [ANN, ELSA]),
        ("merge", "to_cem", ("", "player_is_merged"), [ANN, BEN]),
        only_long("to_cem", "erase", ("", ""), [ANN, CEM]),
        ("erase", "to_cem", ("", ""), [ANN, CEM]),
        only_long("to_cem", "close", ("", ""), [ANN, CEM]),
        ("close", "to_cem", ("", "event_is_over"), [ANN, BEN]),
        ("to_cem", "seat", ("", ""), [ANN, CEM]),
        only_long("seat", "to_cem", ("", ""), [ANN, CEM]),
    ],
)
def test_pair_is_what_one_order_of_two_acts_makes_of_it(
    pair: Pair, first: str, second: str, said: tuple[str, str], members: list[str]
) -> None:
    assert pair.both(first, second) == said
    with pair.within():
        assert pair.members() == members
        every = list(EntrantMember.objects.values_list("player", flat=True))
        assert len(every) == len(set(every))
        changes = [one for one in zip((first, second), said, strict=True) if one[0][:3] == "to_"]
        lines = AuditLine.objects.filter(act="change_entrant").order_by("number")
        assert lines.count() == sum(not code for _, code in changes)
        if lines.exists() and "merge" not in (first, second):
            assert sorted(lines.reverse()[0].facts["players"]) == members


@pytest.mark.parametrize(
    ("change", "is_first"),
    [
        ("to_cem", True),
        only_long("to_cem", False),
        only_long("to_dora", True),
        only_long("to_dora", False),
    ],
)
def test_result_of_who_leaves_a_pair_is_counted_for_whom_they_played(
    pair: Pair, change: str, *, is_first: bool
) -> None:
    """Ben sits at a table whose first hand is saved while somebody takes his place in the pair."""
    with pair.within():
        table(pair.event, [pair.people[1], *pair.people[5:8]])
    said = pair.both("play", change) if is_first else pair.both(change, "play")
    assert said == (("", "entrant_has_results") if is_first else ("", ""))
    with pair.within():
        codes = set(Contribution.objects.values_list("entrant__code", flat=True))
        assert ("pair-1" in codes) == (BEN in pair.members()) == is_first, codes
        assert (BEN in codes) != is_first
