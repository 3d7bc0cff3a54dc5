"""Guests of a league: ranked in its evenings, below its standings without a place."""

import json
from datetime import date

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, ladder, league, players, season, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.module_scope import made_once
from tests.support.seasons import assign_event
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Change, StoredHistory
from tournaments.selectors.events.entrants import EntrantLine, get_entrant
from tournaments.services.attendance.set_attendance import add_meeting_guest
from tournaments.services.events.change_event import change_settings
from tournaments.services.events.create_event import copy_event
from tournaments.services.events.entrants import (
    add_entrant,
    add_entrants,
    add_event_guest,
    set_guest,
)
from tournaments.services.people.merge_players import merge_players
from tournaments.services.previewing.preview_guest import preview_guest
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season
from tournaments.services.rounds.seating import seat_table
from tournaments.services.verification.event import recount_now

pytestmark = pytest.mark.both_databases

DAYS = (date(2025, 10, 23), date(2025, 10, 30), date(2025, 11, 6))
NAMES = "ABCDEFGHZ"
SHEETS = (
    (0, 1, 1, "ABCD", (0, 2, 4, 7), 3),
    (0, 1, 2, "EFGH", (1, 3, 3, 6), 3),
    (1, 2, 1, "ABEF", (5, 4, 3, 1), 0),
    (1, 2, 2, "CDGZ", (1, 2, 3, 7), 3),
    (2, 3, 1, "BCDZ", (6, 5, 2, 0), 0),
    (2, 3, 2, "EFGH", (0, 1, 5, 7), 2),
)
"""Evening, round, table, who sat there, the hearts of each, and who had the queen.

Places are worth 5, 3, 2 and 1. Evening 1: A, E 5, B 3, F, G 2.5, C 2, D, H 1. Evening 2: C, F 5,
D, E 3, B, G 2, A, Z 1. Evening 3: E, Z 5, D, F 3, C, H 2, B, G 1.
"""
PLACES = {"primary": "placement_points", "placement": {"4": [5, 3, 2, 1]}}
STANDINGS = [
    (1, "E", "13"), (2, "F", "21/2"), (3, "C", "9"), (4, "D", "7"), (5, "A", "6"), (5, "B", "6"),
    (7, "G", "11/2"), (8, "H", "3"),
]  # fmt: skip


def make_people(cast: Cast) -> dict[str, Player]:
    return dict(zip(NAMES, players(cast.riverside, *NAMES), strict=True))


people_once, people = made_once("people", make_people)


def make_event(cast: Cast, people: dict[str, Player]) -> Event:
    """Three evenings; Z is a guest of the last two."""
    event = league(cast.riverside, settings=PLACES)
    add_entrant(by_tests(), event, kind="player", players=[people["Z"]], guest=True)
    for evening, round_number, table_number, seats, hearts, queen in SHEETS:
        seated = [people[name] for name in seats]
        game = table(
            event,
            seated,
            round_number=round_number,
            table_number=table_number,
            on=DAYS[evening],
        )
        hand(game, 1, hearts, queen=queen)
    return event


event_once, event = made_once("event", make_event)


def standings(event: Event) -> list[tuple[int | None, str, str]]:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    document = publication.document
    primary = document["scheme"]["primary"]
    rows = (*document["rows"], *document["provisional_rows"])
    return [(row["rank"], row["player"], row["values"][primary]) for row in rows]


def evening(event: Event, day: date) -> list[tuple[int, str, bool]]:
    stored = StoredHistory.objects.get(event=event, kind="evening", key=day.isoformat())
    rows = json.loads(bytes(stored.body))["rows"]
    return [(row["rank"], row["player"], row.get("guest", False)) for row in rows]


def admit(event: Event, code: str = "RL09", *, guest: bool = False) -> Entrant:
    return set_guest(by_tests(), get_entrant(event, code), guest=guest, reason="Three visits.")


def test_guest_is_below_the_standings_without_a_place(event: Event) -> None:
    assert standings(event) == [*STANDINGS, (None, "Z", "6")]


def test_guest_is_ranked_in_the_evening(event: Event) -> None:
    publish(event.pk, now=NOW)
    make_all(event.pk)
    assert evening(event, DAYS[2])[:2] == [(1, "E", False), (1, "Z", True)]
    assert (7, "Z", True) in evening(event, DAYS[1])


def test_guest_comes_after_members_with_too_few_games(cast: Cast, event: Event) -> None:
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "min_games": 3})
    rows = standings(event)
    assert [row[1] for row in rows if row[0] is None] == ["A", "H", "Z"]
    assert rows[-1] == (None, "Z", "6")
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    guest = publication.document["provisional_rows"][-1]
    assert (guest["player"], guest["reason"]) == ("Z", ""), "not behind H, who may get a place"


def test_guest_who_becomes_a_member_counts_from_the_first_evening(event: Event) -> None:
    assert standings(event)[-1] == (None, "Z", "6")
    admit(event)
    assert [row for row in standings(event) if row[2] == "6"] == [
        (5, "A", "6"), (5, "B", "6"), (5, "Z", "6"),
    ]  # fmt: skip
    change = Change.objects.get(event=event, kind="admit_guest")
    assert (change.reason, change.facts["entrant"]) == ("Three visits.", "RL09")
    admit(event, guest=True)
    assert standings(event)[-1] == (None, "Z", "6")


def test_points_of_evenings_go_among_members_until_the_guest_joins(event: Event) -> None:
    """Cases 3 and 4 of the league of three evenings, counted by hand."""
    values = {
        "primary": "evening_points",
        "evening_points": [10, 8, 6, 5, 4, 3, 2, 1],
        "best_of": {"unit": "meeting", "min": 2, "per": 1},
    }
    change_settings(by_tests(), event, values=values, reason="The rule sheet.")
    recount_now(event.pk, now=NOW)
    event.refresh_from_db()
    assert standings(event) == [
        (1, "E", "19"), (2, "F", "16"), (3, "C", "27/2"), (4, "D", "25/2"), (5, "A", "11"),
        (6, "B", "19/2"), (7, "G", "8"), (8, "H", "6"), (None, "Z", "0"),
    ]  # fmt: skip
    shown = preview_guest(by_tests(), get_entrant(event, "RL09"), guest=False)
    places = {row["player"]: (row["place"], row["place_then"]) for row in shown["rows"]}
    assert places["Z"] == (None, 5)
    admit(event)
    assert standings(event) == [
        (1, "E", "18"), (2, "F", "29/2"), (3, "C", "25/2"), (4, "D", "11"), (5, "A", "21/2"),
        (5, "Z", "21/2"), (7, "B", "19/2"), (8, "G", "8"), (9, "H", "5"),
    ]  # fmt: skip


def test_who_is_a_member_already_changes_nothing(event: Event) -> None:
    before = Change.objects.count()
    admit(event, "RL01")
    assert Change.objects.count() == before


def test_preview_of_a_new_member_names_who_moves_and_stores_nothing(event: Event) -> None:
    publish(event.pk, now=NOW)
    shown = preview_guest(by_tests(), get_entrant(event, "RL09"), guest=False)
    assert [(row["player"], row["place"], row["place_then"]) for row in shown["rows"]] == [
        ("Z", None, 5), ("G", 7, 8), ("H", 8, 9),
    ]  # fmt: skip
    assert shown["n_changed"] == 3
    assert get_entrant(event, "RL09").guest
    assert not Change.objects.filter(kind="admit_guest").exists()


def test_csv_says_who_is_a_guest(event: Event) -> None:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    head, *_others, last = bytes(publication.csv).decode().splitlines()
    assert (head.rpartition(",")[2], last.rpartition(",")[2]) == ("guest", "true")


def test_only_leagues_have_guests(cast: Cast, people: dict[str, Player]) -> None:
    event = ladder(cast.riverside)
    with pytest.raises(Refused, match="guests_of_leagues"):
        add_entrant(by_tests(), event, kind="player", players=[people["Z"]], guest=True)
    with pytest.raises(Refused, match="guests_of_leagues"):
        add_entrants(by_tests(), event, lines=[EntrantLine(1, (people["Z"],))], guests=True)
    assert not Entrant.objects.filter(event=event).exists()


def test_list_of_guests_leaves_members_as_they_are(event: Event, people: dict[str, Player]) -> None:
    lines = [EntrantLine(1, (people["A"],)), EntrantLine(2, ("Yves",))]
    assert add_entrants(by_tests(), event, lines=lines, guests=True) == 1
    guests = Entrant.objects.filter(event=event, guest=True)
    names = guests.values_list("members__player__name", flat=True)
    assert sorted(names) == ["Yves", "Z"]


@pytest.mark.parametrize(("rule", "is_guest"), [("compete", False), ("evening", True)])
def test_guest_who_is_added_on_an_evening_competes_as_the_event_says(
    cast: Cast, people: dict[str, Player], rule: str, is_guest: bool
) -> None:
    event = league(cast.riverside, slug="visited", settings={**PLACES, "guests": rule})
    meeting = Meeting.objects.create(club=event.club, event=event, date=DAYS[2])
    visitor = add_meeting_guest(by_tests(), meeting, name="Vera Visit", is_new=True).player
    seated = [visitor, people["A"], people["B"], people["C"]]
    seat_table(by_tests(), event, round_number=1, table_number=1, players=seated, on=meeting.date)
    guests = Entrant.objects.filter(event=event, guest=True)
    assert guests.exists() == is_guest
    assert guests.exclude(members__player=visitor).count() == 0


@pytest.mark.parametrize(("rule", "is_guest"), [("compete", False), ("evening", True)])
def test_guest_who_is_added_at_a_table_competes_as_the_event_says(
    cast: Cast, people: dict[str, Player], rule: str, is_guest: bool
) -> None:
    event = league(cast.riverside, slug="visited", settings={**PLACES, "guests": rule})
    visitor = add_event_guest(by_tests(), event, name="Vera Visit")
    assert add_event_guest(by_tests(), event, name="Vera Visit") == visitor, "a second tap"
    assert add_event_guest(by_tests(), event, name=people["D"].name) == people["D"]
    seated = [visitor, people["A"], people["B"], people["D"]]
    seat_table(by_tests(), event, round_number=1, table_number=1, players=seated, on=DAYS[2])
    guests = Entrant.objects.filter(event=event, guest=True)
    assert guests.exists() == is_guest
    assert guests.exclude(members__player=visitor).count() == 0


def test_guest_of_a_finished_event_is_no_entrant_yet(cast: Cast) -> None:
    event = league(cast.riverside, slug="visited", settings={**PLACES, "guests": "evening"})
    Event.objects.filter(pk=event.pk).update(state="closed")
    event.refresh_from_db()
    add_event_guest(by_tests(), event, name="Vera Visit")
    assert not Entrant.objects.filter(event=event).exists()
    assert Player.objects.filter(name="Vera Visit").exists()


@pytest.mark.parametrize(("names", "is_guest"), [(("Vera", "Wim"), True), (("Vera", "A"), False)])
def test_pair_of_guests_only_is_a_guest(
    cast: Cast, people: dict[str, Player], names: tuple[str, ...], is_guest: bool
) -> None:
    event = league(cast.riverside, slug="visited", settings={**PLACES, "guests": "evening"})
    guests = {name: add_event_guest(by_tests(), event, name=name) for name in ("Vera", "Wim")}
    players = [guests.get(name) or people[name] for name in names]
    assert add_entrant(by_tests(), event, kind="pair", players=players).guest == is_guest


def test_pair_of_guests_who_have_become_members_is_none(cast: Cast) -> None:
    event = league(cast.riverside, slug="visited", settings={**PLACES, "guests": "evening"})
    meeting = Meeting.objects.create(club=event.club, event=event, date=DAYS[2])
    pair = [add_meeting_guest(by_tests(), meeting, name=name).player for name in ("Vera", "Wim")]
    add_entrants(by_tests(), event, lines=[EntrantLine(1, (pair[0],))])
    set_guest(by_tests(), get_entrant(event, pair[0].player_id), guest=False, reason="Joined.")
    assert not add_entrant(by_tests(), event, kind="pair", players=pair).guest


def test_copy_of_an_event_leaves_guests_behind(event: Event) -> None:
    copied = copy_event(by_tests(), event, name="Next league")
    codes = Entrant.objects.filter(event=copied).values_list("code", flat=True)
    assert sorted(codes) == [f"RL{n:02d}" for n in range(1, 9)]


@pytest.mark.parametrize("is_guest_kept", [True, False])
def test_member_and_guest_who_are_one_person_are_a_member(
    event: Event, people: dict[str, Player], is_guest_kept: bool
) -> None:
    add_entrants(by_tests(), event, lines=[EntrantLine(1, ("Ann A.",))], guests=True)
    guest = Player.objects.get(name="Ann A.")
    records = [people["A"], guest]
    if not is_guest_kept:
        records.reverse()
    source, target = records
    merge_players(by_tests(), source, target=target)
    assert not Entrant.objects.get(event=event, members__player=target).guest


def test_two_guests_who_are_one_person_stay_a_guest(
    event: Event, people: dict[str, Player]
) -> None:
    add_entrants(by_tests(), event, lines=[EntrantLine(1, ("Zed",))], guests=True)
    merge_players(by_tests(), Player.objects.get(name="Zed"), target=people["Z"])
    assert Entrant.objects.get(event=event, members__player=people["Z"]).guest


def test_guest_has_no_place_in_a_season(event: Event) -> None:
    autumn = season(event)
    published = publish_season(autumn.pk, now=NOW)
    assert published is not None
    rows = published.document["provisional_rows"]
    assert [(row["player"], row["guest"]) for row in rows] == [("Z", True)]


def test_season_counts_for_a_member_what_was_not_played_as_a_guest(
    cast: Cast, event: Event, people: dict[str, Player]
) -> None:
    other = league(cast.riverside, slug="cup", name="Cup", settings=PLACES)
    game = table(other, [people[name] for name in "ZABC"], on=DAYS[0])
    hand(game, 1, (0, 2, 4, 7), queen=3)
    autumn = season(event)
    assign_event(other, autumn)
    publish(other.pk, now=NOW)
    published = publish_season(autumn.pk, now=NOW)
    assert published is not None
    rows = {row["player"]: row for row in published.document["rows"]}
    assert (rows["Z"]["tables"], rows["Z"]["values"]["placement_points"]) == (1, "5")
    assert rows["A"]["tables"] == 3
    assert published.document["provisional_rows"] == []
