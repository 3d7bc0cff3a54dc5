"""Names hold no letters that nobody sees or that turn the direction of a page, whichever way they
came in."""

from pathlib import Path

import pytest
from django.core.management import call_command

from tests.support.builders import by_tests, league, players
from tests.support.cast import Cast
from tests.support.imports.imports import imported, rows, written
from tests.support.scenarios.table_links import csrf_of, linked
from tests.support.seasons import autumn_season
from tournaments.domain.name_matching import folded, one_line
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.hands import Entry
from tournaments.models.rules import HouseVariant
from tournaments.selectors.events.entrants import get_entrant
from tournaments.services.clubs.clubs import add_guest, create_club
from tournaments.services.events.entrants import add_entrant, change_entrant
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
    season = autumn_season(club, name=TURNED, slug="autumn", preset="")
    make_house_rules(
        by_tests(),
        club,
        name=TURNED,
        slug="ours",
        chosen=chosen_rules("hearts", {"target": 50}, "Ours"),
    )
    assert (club.slug, season.slug) == ("ann-b", "autumn")
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
    assert "id_name_disagree" not in {problem.code for problem in report.problems}
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
