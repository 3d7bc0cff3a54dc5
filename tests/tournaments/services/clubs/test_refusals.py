"""What is refused of clubs, their players, links and tokens, each code by an example."""

from collections.abc import Sequence
from io import BytesIO
from uuid import uuid4

import pytest
from PIL import Image

from scoring.errors import Refused
from tests.support.builders import league, players, table
from tests.support.cast import Cast
from tournaments.documents.read.people_list import PastedPlayer
from tournaments.domain.notices import Channels
from tournaments.domain.sheets.images import LARGEST_LOGO, LONGEST_LOGO_SIDE
from tournaments.errors import Missing
from tournaments.models.rounds import Table
from tournaments.services.access.table_links import make_link, make_links
from tournaments.services.access.tokens import create_token
from tournaments.services.clubs.clubs import (
    add_guest_once,
    add_player,
    change_player,
    create_club,
    set_logo,
)
from tournaments.services.clubs.player_paste import add_roster, plan_players
from tournaments.services.events.entrants import add_entrant
from tournaments.services.notices.notifications import (
    change_notification,
    read_notice,
    save_notifications,
)
from tournaments.services.operations import Operation

LONG = "x" * 121


@pytest.fixture
def op(cast: Cast) -> Operation:
    return cast.operation("olga")


@pytest.mark.parametrize(
    ("club", "code"),
    [
        ({"name": " "}, "no_name"),
        ({"name": LONG}, "name_too_long"),
        ({"name": "木曜"}, "no_slug"),
        ({"name": "Ours", "slug": "Our Own"}, "bad_slug"),
        ({"name": "Ours", "time_zone": "Mars/Base"}, "bad_time_zone"),
        ({"name": "Ours", "language": "xx"}, "bad_language"),
    ],
)
def test_new_club(op: Operation, club: dict[str, str], code: str) -> None:
    with pytest.raises(Refused, match=code):
        create_club(op, **club)


@pytest.mark.parametrize(("name", "code"), [("", "no_name"), (LONG, "name_too_long")])
def test_name_of_a_guest(cast: Cast, op: Operation, name: str, code: str) -> None:
    with pytest.raises(Refused, match=code):
        add_guest_once(op, cast.riverside, name=name)


def test_code_of_a_pair_is_no_player_id(cast: Cast, op: Operation) -> None:
    *pair, cleo = players(cast.riverside, "Ann", "Ben", "Cleo")
    add_entrant(op, league(cast.riverside), kind="pair", players=pair, code="DUO")
    with pytest.raises(Refused, match="player_id_is_a_code"):
        add_player(op, cast.riverside, name="Dora", player_id="DUO")
    with pytest.raises(Refused, match="player_id_is_a_code"):
        change_player(op, cleo, player_id="DUO")
    with pytest.raises(Refused, match="player_id_is_a_code"):
        add_roster(op, cast.riverside, pasted=[PastedPlayer(1, "Dora", "DUO")], seen="")


@pytest.mark.parametrize(
    ("people", "code"),
    [
        ([], "nobody_to_add"),
        ([("", "A1")], "line_without_name"),
        ([(LONG, "")], "line_too_long"),
        ([("Ann, Ben", "")], "one_or_several_people"),
        ([("Ann", "7/1")], "player_id_not_usable"),
        ([("Ann", "7" * 41)], "player_id_too_long"),
        ([("Ann", "A1"), ("Ben", "a1")], "player_id_twice"),
        ([("Ann", "RL01")], "player_id_of_another"),
        ([("Ann", "")] * 1001, "too_many_lines"),
    ],
)
def test_list_of_people(
    cast: Cast, op: Operation, people: Sequence[tuple[str, str]], code: str
) -> None:
    players(cast.riverside, "Xenia S.")
    pasted = [PastedPlayer(line, *person) for line, person in enumerate(people, start=1)]
    with pytest.raises(Refused, match=code):
        add_roster(
            op, cast.riverside, pasted=pasted, seen=plan_players(cast.riverside, pasted).digest
        )


def test_logo_that_is_too_large_or_has_too_many_pixels(cast: Cast, op: Operation) -> None:
    logo = BytesIO()
    Image.new("L", (LONGEST_LOGO_SIDE + 1, 1)).save(logo, "PNG")
    with pytest.raises(Refused, match="photo_too_many_pixels"):
        set_logo(op, cast.riverside, content=logo.getvalue())
    with pytest.raises(Refused, match="photo_too_large"):
        set_logo(op, cast.riverside, content=bytes(LARGEST_LOGO + 1))


def test_notices_and_their_kinds(cast: Cast, op: Operation) -> None:
    with pytest.raises(Refused, match="bad_choice"):
        save_notifications(op, club=cast.riverside, wanted={"weather": Channels(True, True)})
    with pytest.raises(Missing, match="notification"):
        change_notification(op, club="riverside", kind="weather", based_on=None)
    with pytest.raises(Missing, match="notice"):
        read_notice(op, public_id=uuid4())


def test_name_of_a_token(op: Operation) -> None:
    with pytest.raises(Refused, match="name_too_long"):
        create_token(op, name=LONG, club=None, scope="read", days=1)


def test_links_of_tables(cast: Cast, op: Operation) -> None:
    people = players(cast.riverside, "Ann", "Ben", "Cleo", "Dora")
    seated: Table = table(league(cast.riverside), people).table
    with pytest.raises(Refused, match="bad_link_time"):
        make_link(op, seated, hours=0)
    with pytest.raises(Refused, match="bad_link_time"):
        make_links(op, seated.round, hours=745)
    with pytest.raises(Missing, match="table"):
        make_link(op, Table(pk=0, club=cast.riverside))
