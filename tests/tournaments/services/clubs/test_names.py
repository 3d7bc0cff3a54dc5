"""Names and values that are refused, and how names are stored."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import call_command
from PIL import Image

from scoring.errors import Refused
from tests.support.builders import Cast, autumn_season, by_tests, league, players, table
from tests.support.imports.imports import imported, rows, written
from tests.support.scenarios.table_links import csrf_of, linked
from tournaments.domain.name_matching import folded, one_line
from tournaments.domain.notices import Channels
from tournaments.domain.sheets.images import LARGEST_LOGO, LONGEST_LOGO_SIDE
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.hands import Entry
from tournaments.models.rounds import Table
from tournaments.models.rules import HouseVariant
from tournaments.selectors.events.entrants import get_entrant
from tournaments.services.access.table_links import make_link, make_links
from tournaments.services.access.tokens import create_token
from tournaments.services.clubs.clubs import (
    add_guest,
    add_guest_once,
    add_player,
    change_player,
    create_club,
    set_logo,
)
from tournaments.services.clubs.player_paste import PastedPlayer, add_roster, plan_players
from tournaments.services.events.entrants import add_entrant, change_entrant
from tournaments.services.notices.notifications import (
    change_notification,
    read_notice,
    save_notifications,
)
from tournaments.services.operations import Operation
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

TURNED = "\u202eA\u2066nn\u200f B.\u061c"
TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
UNSEEN = "\u200b\u00ad\u2060\ufeff\u180e\u3164\uffa0\u115f\u2800\u034f\U000e0041\u200d\u200c"


@pytest.mark.parametrize("letter", TURNS + UNSEEN, ids=ascii)
def test_unseen_letter_is_dropped_and_compared_as_nothing(letter: str) -> None:
    assert one_line(f"{letter}A{letter}nn{letter} B.{letter}") == "Ann B."
    assert folded(f"an{letter}n b.") == folded("Ann B.")
    assert one_line(letter * 3) == ""


def test_marks_alone_are_no_name() -> None:
    assert [one_line(text) for text in ("\u0301", " \u0308\u200b \u20dd", "\ufe0f")] == [""] * 3


def test_name_is_one_line_without_controls() -> None:
    lines = ("a\nb", "\x01ab", "  pad  ", "a\u2028b")
    assert [one_line(text) for text in lines] == ["a b", "ab", "pad", "a b"]


@pytest.mark.parametrize(
    "name",
    [
        "\u0645\u06cc\u200c\u062e\u0648",
        "\u0915\u094d\u200d\u0937",
        "👩\u200d🎓",
        "♥",
        "7",
        "한글",
        "李",
    ],
    ids=["persian", "devanagari", "emoji", "symbol", "digit", "hangul", "han"],
)
def test_name_that_is_written_so_is_kept(name: str) -> None:
    assert one_line(f" {name} ") == name


def test_clubs_events_seasons_pairs_house_rules_and_people(cast: Cast) -> None:
    club = create_club(by_tests(), slug="", name=TURNED)
    event = league(club, name=TURNED)
    people = players(club, TURNED, TURNED)
    add_guest(by_tests(), club, name=TURNED)
    pair = add_entrant(by_tests(), event, players=people, kind="pair", name=TURNED)
    change_entrant(by_tests(), get_entrant(event, pair.code), players=people, name=f"{TURNED} ")
    made = autumn_season(club, name=TURNED, slug="autumn", preset="")
    make_house_rules(
        by_tests(),
        club,
        name=TURNED,
        slug="ours",
        chosen=chosen_rules("hearts", {"target": 50}, "Ours"),
    )
    assert (club.slug, made.slug) == ("ann-b", "autumn")
    own = (Event, Season, Player, HouseVariant)
    names = {
        *Club.objects.filter(pk=club.pk).values_list("name", flat=True),
        *Entrant.objects.exclude(name="").values_list("name", flat=True),
        *(name for model in own for name in model.objects.values_list("name", flat=True)),
    }
    assert names == {"Ann B."}


def test_imported_sheets_and_lists(cast: Cast, tmp_path: Path) -> None:
    league(cast.riverside)
    players(cast.riverside, "Ann N.")
    seats = {seat: f"NEW{seat},\u202eAnn {seat}.\u2069" for seat in "ESW"}
    path = written(tmp_path, rows(cast={"N": "RL01,Ann\u200f N.", **seats}, variant="hearts"))
    report = imported(path, event="fresh", create=True)
    assert "id_name_disagree" not in {one.code for one in report.problems}
    listed = tmp_path / "people.csv"
    listed.write_text("player_id,name\nX1,\u2067Bea\u200e B.\n", encoding="utf-8")
    call_command("import_players", str(listed), club="riverside")
    names = Player.objects.order_by("player_id").values_list("name", flat=True)
    assert sorted(names) == ["Ann E.", "Ann N.", "Ann S.", "Ann W.", "Bea B."]


def test_name_of_who_enters_through_a_link(cast: Cast) -> None:
    phone = linked(cast).holder(name=TURNED)
    assert 'value="Ann B."' in phone.get("/t").content.decode()
    assert csrf_of(phone)
    assert not Entry.objects.filter(entered_as=TURNED).exists()


LONG = "x" * 121


@pytest.fixture
def op(cast: Cast) -> Operation:
    return cast.by("olga")


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
