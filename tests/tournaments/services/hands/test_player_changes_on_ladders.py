"""What follows from who played: the ladder and play-offs are those of who sits there now."""

import json

import pytest

from tests.support.answers import Json
from tests.support.builders import TESTS, hand, ladder, league, players, publish_all, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.scenarios.challenges import answer, issue, result
from tests.support.scenarios.ladders import ladder as known_ladder
from tests.support.scenarios.playoffs import close, look
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game
from tournaments.models.ladders import Challenge
from tournaments.models.playoffs import Playoff
from tournaments.services.events.events import entrant_for
from tournaments.services.hands.change_players import change_players
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.plan_player_changes import ChangedPlayers, PlayerChange
from tournaments.services.previewing.preview_changes import preview_players

pytestmark = pytest.mark.django_db


def climbed(club: Club, slug: str, people: list[Player], seated: list[Player]) -> Event:
    """A ladder of six, of whom four played one game: 4, 1, 2 and 19 points by seat."""
    event = ladder(club, slug=slug)
    for place, player in enumerate(people, start=1):
        entrant = entrant_for(event=event, player=player)
        Entrant.objects.filter(pk=entrant.pk).update(start_position=place)
    game = table(event, seated)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    move_game(actor=TESTS, game=game, to="complete", now=NOW)
    publish_all(event)
    return event


def swap(event: Event, player_id: str, hands: str = "keep") -> ChangedPlayers:
    game = Game.objects.select_related("event__club", "club", "table__round").get(
        event=event, table__code="r1t1"
    )
    wanted = PlayerChange("swap", 1, player_id, hands)
    return change_players(actor=TESTS, game=game, change=wanted, reason="Wrong seats.", now=NOW)


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
    assert shown.beyond.ladder is not None
    assert {rating["player"] for rating, *_ in shown.beyond.ladder.ratings} == {"Ada", "Dora"}
    assert body(wrong) != body(right)
    swap(wrong, "RL04")
    assert body(wrong) == body(right)


def test_playoff_is_between_those_who_are_tied_now() -> None:
    club = enter_the_cast().riverside
    event = league(club, settings={"boundaries": {"title": 1}, "playoff": "extra_hands"})
    game = table(event, players(club, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 4, 4, 1], queen=3)
    close(event)
    shown = preview_players(event, "r1t1", lambda: swap(event, "RL04"), now=NOW)
    assert {one.what for one in shown.beyond.playoffs} == {"void", "detected"}
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
            change_players(actor=TESTS, game=game, change=wanted, reason="No.", now=NOW)
            continue
        with pytest.raises(Conflict) as refused:
            change_players(actor=TESTS, game=game, change=wanted, reason="No.", now=NOW)
        assert refused.value.problem.code == "challenge_needs_players"
