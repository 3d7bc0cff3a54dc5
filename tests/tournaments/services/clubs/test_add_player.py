"""A player who is added: the name and the id as they are stored, and what is refused."""

import pytest

from scoring.errors import Refused
from tests.support.builders import TESTS
from tests.support.cast import NOW, Cast
from tests.support.players import stored_player
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.services.clubs.clubs import add_guest, add_player
from tournaments.services.clubs.edit_player import edit_player

pytestmark = pytest.mark.django_db


def add(cast: Cast, name: str, player_id: str = "") -> Player:
    return add_player(actor=TESTS, club=cast.riverside, name=name, player_id=player_id, now=NOW)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [("a\nb", "a b"), ("\x01ab", "ab"), ("  pad  ", "pad"), ("a\u2028b", "a b")],
)
def test_name_is_stored_in_one_line(cast: Cast, typed: str, stored: str) -> None:
    assert add(cast, typed).name == stored


@pytest.mark.parametrize(
    ("name", "player_id", "code"),
    [
        (" \n ", "", "no_name"),
        ("Ann", " ", "player_id_not_usable"),
        ("Ann", "7" * 41, "number_too_long"),
    ],
)
def test_what_cannot_be_stored_is_refused(cast: Cast, name: str, player_id: str, code: str) -> None:
    with pytest.raises(Refused, match=code):
        add(cast, name, player_id)
    assert not Player.objects.exists()


def test_id_that_differs_by_case_only_is_taken(cast: Cast) -> None:
    add(cast, "Ann", "rl1")
    ben = add(cast, "Ben", "RL2")
    with pytest.raises(Conflict, match="player_id_taken"):
        add(cast, "Cleo", " RL1 ")
    with pytest.raises(Conflict, match="player_id_taken"):
        rename(cast, ben, "RL1")
    assert rename(cast, ben, "rl2").player_id == "rl2"


def test_ids_of_an_older_release_that_differ_by_case_stay(cast: Cast) -> None:
    for code in ("p0001", "P0001"):
        stored_player(club=cast.riverside, player_id=code, name=f"Player {code}")
    older = Player.objects.get(player_id="p0001")
    edit_player(actor=TESTS, club=cast.riverside, player=older, changes={"name": "Ann"}, now=NOW)
    add(cast, "Ben", "P3")
    assert add_guest(actor=TESTS, club=cast.riverside, name="Cleo", now=NOW).player_id == "P0002"
    codes = Player.objects.order_by("pk").values_list("player_id", flat=True)
    assert list(codes) == ["p0001", "P0001", "P3", "P0002"]


def test_next_number_is_free_in_every_case(cast: Cast) -> None:
    add(cast, "Ann", "p0001")
    assert add(cast, "Ben").player_id == "P0002"


def rename(cast: Cast, player: Player, player_id: str) -> Player:
    return edit_player(
        actor=TESTS, club=cast.riverside, player=player, changes={"player_id": player_id}, now=NOW
    )
