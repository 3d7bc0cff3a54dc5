"""Names hold no letters that turn the direction of a page, whichever way they came in."""

from pathlib import Path

import pytest
from django.core.management import call_command

from tests.builders import TESTS, league, players
from tests.cast import NOW, Cast, enter_the_cast
from tests.importing import imported, rows, written
from tests.tables_with_links import csrf_of, linked
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.hands import Entry
from tournaments.models.variants import HouseVariant
from tournaments.services.clubs import add_guest, create_club
from tournaments.services.entrants import add_entrant, change_entrant
from tournaments.services.house_rules import choose, make_house_rules
from tournaments.services.names import TURNS, folded, one_line
from tournaments.services.seasons import make_season

TURNED = "\u202eA\u2066nn\u200f B.\u061c"


@pytest.fixture
def cast(db: None) -> Cast:
    return enter_the_cast()


def test_every_turn_is_dropped_and_compared_as_nothing() -> None:
    assert len(TURNS) == 12
    for letter in TURNS:
        assert one_line(f"{letter}Ann{letter} B.{letter}") == "Ann B."
        assert folded(f"an{letter}n b.") == folded("Ann B.")


def test_clubs_events_seasons_pairs_house_rules_and_people(cast: Cast) -> None:
    club = create_club(actor=TESTS, slug="", name=TURNED, now=NOW)
    event = league(club, name=TURNED)
    people = players(club, TURNED, TURNED)
    add_guest(actor=TESTS, club=club, name=TURNED, now=NOW)
    pair = add_entrant(actor=TESTS, event=event, players=people, kind="pair", name=TURNED, now=NOW)
    change_entrant(
        actor=TESTS, event=event, code=pair.code, players=people, name=f"{TURNED} ", now=NOW
    )
    days = {"starts_on": "2025-09-01", "ends_on": "2025-12-31"}
    made = make_season(
        actor=TESTS, club=club, slug="autumn", name=TURNED, preset="", now=NOW, **days
    )
    make_house_rules(
        actor=TESTS, club=club, name=TURNED, slug="ours", now=NOW,
        chosen=choose("hearts", {"target": 50}, "Ours"),
    )  # fmt: skip
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
    night = linked(cast)
    phone = night.holder(name=TURNED)
    page = phone.get("/t").content.decode()
    assert 'value="Ann B."' in page
    assert csrf_of(phone)
    assert not Entry.objects.filter(entered_as=TURNED).exists()
