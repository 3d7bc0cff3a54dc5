"""Sides of two move in one operation; ladders and play-offs follow who sits there now."""

import json

import pytest

from scoring.errors import Refused
from tests.support.answers import Json
from tests.support.builders import (
    by_tests,
    counts,
    hand,
    ladder,
    league,
    pairs,
    players,
    publish_all,
    table,
)
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.module_scope import made_once
from tests.support.scenarios.challenges import answer, issue, result
from tests.support.scenarios.ladders import ladder as known_ladder
from tests.support.scenarios.playoffs import close, look
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Entry, Game
from tournaments.models.ladders import Challenge
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Aggregate, Change
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.events.events import entrant_for
from tournaments.services.hands.change_players import change_players, undo_players
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.plan_player_changes import ChangedPlayers, PlayerChange
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.previewing.preview_changes import preview_players
from tournaments.services.verification.event import verify_event

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

POOLED, INDIVIDUAL = "partnership-hearts-pooled", "partnership-hearts-individual"
NAMES = ("Ada", "Ben", "Cy", "Dee", "Eve", "Fay", "Gil", "Hal", "Ida", "Jan")
SEATS = (0, 2, 1, 3)


def make_event(cast: Cast) -> Event:
    return league(cast.riverside, variant=POOLED, settings={"primary": "raw_total"})


event_once, event = made_once("event", make_event)


def make_people(cast: Cast, event: Event) -> list[Player]:
    """Five pairs, the last of which has no seat."""
    people = players(cast.riverside, *NAMES)
    pairs(event, people)
    return people


people_once, people = made_once("people", make_people)


def make_game(event: Event, people: list[Player]) -> Game:
    """Ada & Ben have 5 in hand 1 against Cy & Dee's 21; at table 2 Eve & Fay have 14."""
    first = table(event, [people[at] for at in SEATS])
    enter(first, [5, 21])
    enter(table(event, [people[4 + at] for at in SEATS], table_number=2), [14, 12])
    return first


game_once, game = made_once("game", make_game)


def enter(game: Game, points: list[int]) -> None:
    entry = {"points": points, "shooter": None}
    record_entry(by_tests(), game, number=1, entry=entry, source="host")


def change(game: Game, act: str, seat: int, *ids: str, hands: str = "keep") -> ChangedPlayers:
    wanted = PlayerChange(act, seat, hands=hands, side=ids)
    return change_players(by_tests(), game, change=wanted, reason="Wrong tables.")


def points(event: Event) -> dict[str, int]:
    rows = Aggregate.objects.filter(event=event, games__gt=0)
    return {code: total // 360360 for code, total in rows.values_list("entrant__code", "points")}


def seated(code: str) -> list[str]:
    rows = Sitting.objects.filter(seat__table__code=code, to_hand=None).order_by("seat__number")
    return list(rows.values_list("player__name", flat=True))


def differences(event: Event) -> list[object]:
    return list(verify_event(event, repair=False, now=NOW, report=lambda _: None).found.differences)


def test_sides_of_two_tables_swap_in_one_act_and_back(event: Event, game: Game) -> None:
    before, version = points(event), event_version(event)
    assert before == {"pair-1": 5, "pair-2": 21, "pair-3": 14, "pair-4": 12}
    acts = AuditLine.objects.count()
    done = change(game, "swap", 3, "RL07", "RL08")
    assert (seated("r1t1"), seated("r1t2")) == (
        ["Gil", "Cy", "Hal", "Dee"], ["Eve", "Ada", "Fay", "Ben"],
    )  # fmt: skip
    assert points(event) == {"pair-1": 12, "pair-2": 21, "pair-3": 14, "pair-4": 5}
    assert event_version(event) == version + 1, "one publication"
    assert AuditLine.objects.count() == acts + 1
    assert differences(event) == []
    undo_players(by_tests(), game, line=done.line, reason="A slip.")
    assert (points(event), seated("r1t1")) == (before, ["Ada", "Cy", "Ben", "Dee"])
    assert differences(event) == []


@pytest.mark.parametrize(("hands", "ada"), [("keep", 21), ("remap", 5), ("void", None)])
def test_two_sides_of_a_table_change_places_with_their_hands_or_without(
    event: Event, game: Game, hands: str, ada: int | None
) -> None:
    before = points(event)
    done = change(game, "swap", 1, "RL03", "RL04", hands=hands)
    assert seated("r1t1") == ["Cy", "Ada", "Dee", "Ben"]
    assert points(event).get("pair-1") == ada
    assert differences(event) == []
    if hands == "remap":
        assert Entry.objects.get(hand__game=game, revision=2).typed["points"] == [21, 5]
    undo_players(by_tests(), game, line=done.line, reason="A slip.")
    assert (points(event), seated("r1t1")) == (before, ["Ada", "Cy", "Ben", "Dee"])


def test_scores_by_seat_follow_both_partners(cast: Cast) -> None:
    event = league(cast.riverside, slug="by-seat", variant=INDIVIDUAL)
    people = players(cast.riverside, *NAMES[:4])
    pairs(event, people)
    game = table(event, [people[at] for at in SEATS])
    hand(game, 1, [2, 6, 3, 2], queen=3)
    change(game, "swap", 1, "RL03", "RL04", hands="remap")
    assert Entry.objects.get(revision=2).typed == counts([6, 2, 2, 3], 2)
    assert differences(event) == []


@pytest.mark.parametrize(("hands", "expected"), [
    ("keep", {"pair-2": 21, "pair-3": 14, "pair-4": 12, "pair-5": 5}),
    ("remap", {"pair-1": 5, "pair-2": 21, "pair-3": 14, "pair-4": 12}),
])  # fmt: skip
def test_side_is_replaced_by_a_side_that_has_no_seat(
    event: Event, game: Game, hands: str, expected: dict[str, int]
) -> None:
    change(game, "replace", 1, "RL09", "RL10", hands=hands)
    assert seated("r1t1") == ["Ida", "Cy", "Jan", "Dee"]
    assert points(event) == expected
    assert differences(event) == []


@pytest.mark.parametrize(
    ("act", "ids", "code"),
    [
        ("swap", ("RL05", "RL07"), "side_sits_apart"),
        ("swap", ("RL03", "RL05"), "side_sits_apart"),
        ("swap", ("RL09", "RL10"), "nobody_to_swap"),
        ("swap", ("RL02", "RL01"), "same_person"),
        ("swap", ("RL05",), "members_count"),
        ("swap", ("RL05", "RL05"), "same_player_twice"),
        ("replace", ("RL05", "RL06"), "player_already_seated"),
        ("replace", ("RL03", "RL04"), "player_sits_here"),
        ("replace", ("RL09", "RL99"), "unknown_player"),
        ("substitute", ("RL02", "RL09"), "same_person"),
    ],
)
def test_refused_side_leaves_everybody_where_they_sit(
    event: Event, game: Game, act: str, ids: tuple[str, ...], code: str
) -> None:
    before = points(event), seated("r1t1"), seated("r1t2"), event_version(event)
    with pytest.raises((Refused, Conflict)) as refused:
        change(game, act, 1, *ids)
    assert str(refused.value) == code
    assert (points(event), seated("r1t1"), seated("r1t2"), event_version(event)) == before
    assert not Change.objects.filter(kind="change_players").exists()


def test_two_players_who_are_no_pair_are_asked_about(event: Event, game: Game) -> None:
    (kay,) = players(event.club, "Kay")
    with pytest.raises(Refused, match=r"^side_with_a_partner$"):
        change(game, "replace", 1, "RL09", kay.player_id)
    assert seated("r1t1")[0] == "Ada"


def climbed(club: Club, slug: str, people: list[Player], seated: list[Player]) -> Event:
    """A ladder of six, of whom four played one game: 4, 1, 2 and 19 points by seat."""
    event = ladder(club, slug=slug)
    for place, player in enumerate(people, start=1):
        entrant = entrant_for(event=event, player=player)
        Entrant.objects.filter(pk=entrant.pk).update(start_position=place)
    game = table(event, seated)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    move_game(by_tests(), game, to="complete")
    publish_all(event)
    return event


def swap(event: Event, player_id: str, hands: str = "keep") -> ChangedPlayers:
    game = Game.objects.select_related("event__club", "club", "table__round").get(
        event=event, table__code="r1t1"
    )
    wanted = PlayerChange("swap", 1, player_id, hands)
    return change_players(by_tests(), game, change=wanted, reason="Wrong seats.")


def body(event: Event) -> Json:
    """The ladder as published, without what names the event and the publication."""
    found = json.loads(bytes(publish_all(event).body))
    return {key: found[key] for key in ("rows", "positions", "ratings") if key in found}


def test_ladder_is_the_one_of_who_sits_there_now_as_the_preview_said() -> None:
    club = enter_the_cast().riverside
    people = players(club, "Ada", "Ben", "Cem", "Dora", "Emil", "Fay")
    right = climbed(club, "right", people, [people[3], people[1], people[2], people[0]])
    wrong = climbed(club, "wrong", people, people[:4])
    assert body(wrong) != body(right)
    shown = preview_players(wrong, "r1t1", lambda: swap(wrong, "RL04"), now=NOW)
    assert shown.ladder is not None
    ratings = shown.ladder["document"]["ratings"]["results"]
    assert {rating["player"] for rating in ratings} == {"Ada", "Dora"}
    assert body(wrong) != body(right)
    swap(wrong, "RL04")
    assert body(wrong) == body(right)


def test_playoff_is_between_those_who_are_tied_now() -> None:
    club = enter_the_cast().riverside
    event = league(club, settings={"boundaries": {"title": 1}, "playoff": "extra_hands"})
    hand(table(event, players(club, "Ada", "Ben", "Cem", "Dora")), 1, [4, 4, 4, 1], queen=3)
    close(event)
    shown = preview_players(event, "r1t1", lambda: swap(event, "RL04"), now=NOW)
    assert {playoff.what for playoff in shown.playoffs} == {"void", "detected"}
    swap(event, "RL04")
    look(event)
    live = Playoff.objects.exclude(state="void").get()
    names = live.members.values_list("entrant__members__player__name", flat=True)
    assert sorted(names) == ["Ben", "Cem", "Dora"]


def test_who_plays_a_challenge_sits_at_its_table() -> None:
    cast = enter_the_cast()
    event = known_ladder(cast, now=NOW)
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    game = Challenge.objects.get().game
    assert game is not None
    outsider = Player.objects.exclude(sittings__seat__table=game.table).order_by("pk").first()
    assert outsider is not None
    for seat, is_party in ((1, True), (3, True), (2, False)):
        wanted = PlayerChange("replace", seat, outsider.player_id)
        if not is_party:
            change_players(by_tests(), game, change=wanted, reason="No.")
            continue
        with pytest.raises(Conflict, match="challenge_needs_players"):
            change_players(by_tests(), game, change=wanted, reason="No.")
