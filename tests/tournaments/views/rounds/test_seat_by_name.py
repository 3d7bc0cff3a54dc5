"""Seats take the beginning of a name, ask with buttons where it is unclear, and add guests."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from tests.support.builders import league, players, table
from tests.support.cast import Cast
from tests.support.pages.rounds import EVENT, ROUND, seated, seats
from tests.support.pages.seating import pressed
from tests.support.pages.text import beside, text_of
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.rounds import Meeting, Sitting
from tournaments.selectors.events.meetings import day_to_play

NEW = f"{ROUND}/new-table"
NAMES = ("John Smith", "Johanna B.", "Zoë Łukasz", "Petra Holm", "Petra Hansen", "Ida", "Li")


@pytest.fixture
def event(cast: Cast) -> Event:
    players(cast.riverside, *NAMES)
    event = league(cast.riverside)
    cast.client("dirk").post(f"{EVENT}/new-round", {"number": "1"})
    return event


def test_the_beginning_of_a_name_is_enough_where_it_is_unique(cast: Cast, event: Event) -> None:
    """Accents, case, later words and "last, first" are read; two letters at least."""
    cast.client("dirk").post(NEW, seats("johan", "zoe lu", "hol", "Smith, John"))
    assert seated() == ["RL02", "RL03", "RL04", "RL01"]
    assert Sitting.objects.count() == 4


def test_unclear_names_are_chosen_by_buttons_in_their_place(dirk: Client, event: Event) -> None:
    typed = seats("Joh", "Li", "Zoe", "pet", more="yes")
    response = dirk.post(NEW, typed)
    assert beside(response, "seat-1", 422).startswith("“Joh” matches several players.")
    assert seated() == []
    # The button sends the form as it stands; what it chose is in its field.
    john = pressed(response, "pick", "John Smith")
    answers = {key: one for key, one in typed.items() if key != "more"} | {"meant": "more"}
    still = dirk.post(NEW, answers | {"pick": john})
    assert 'value="John Smith (RL01)"' in still.content.decode()
    assert not beside(still, "seat-1")
    # Who is placed at this table already is not offered again.
    holm = pressed(still, "pick", "Petra Holm")
    done = dirk.post(NEW, answers | {"seat-1": "John Smith (RL01)", "pick": holm})
    assert done["Location"] == NEW
    assert seated() == ["RL01", "RL07", "RL03", "RL04"]


def test_players_at_other_tables_are_not_offered(cast: Cast, event: Event) -> None:
    table(event, [*event.club.players.filter(name__in=("Petra Holm", "Ida", "Li"))])
    buttons = cast.client("dirk").post(NEW, seats("Petra H")).content.decode()
    assert 'value="seat-1=Petra Hansen (RL05)"' in buttons
    assert 'value="seat-1=Petra Holm (RL04)"' not in buttons


def test_a_guest_is_added_in_place_once_and_sits(cast: Cast, event: Event) -> None:
    """A host at a table without people adds a stranger; a second tap adds nobody more."""
    hanna = cast.client("hanna")
    dirk = cast.client("dirk")
    dirk.post(NEW, seats("RL01", "RL02", "RL03", "RL04"))
    dirk.post(f"{ROUND}/direct", {"to": "posted"})
    Sitting.objects.all().delete()
    address = f"{EVENT}/tables/r1t1/hands/new"
    typed = seats("Ida", "Li", "Quist, Vera", "John S")
    response = hanna.post(address, typed)
    assert "Add Quist, Vera as guest Add Vera Quist as guest" in text_of(response)
    sent = typed | {"guest": pressed(response, "guest", "Vera Quist")}
    done = hanna.post(address, sent, follow=True)
    assert "Vera Quist (P0001) added to the club’s list." in text_of(done)
    hanna.post(address, sent)
    vera = Player.objects.get(name="Vera Quist")
    assert seated() == ["RL06", "RL07", vera.player_id, "RL01"]
    assert AuditLine.objects.filter(act="add_guest").count() == 1
    assert Entrant.objects.filter(event=event, code=vera.player_id).exists()
    assert cast.client("piet").post(address, sent).status_code == 403


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Q" * 121, "This name has 121 characters. The maximum is 120."),
        ("Quo & Quint", "“Quo & Quint” is not on the club's list of players."),
    ],
    ids=["long", "several"],
)
def test_guest_whose_name_cannot_be_kept_is_refused_and_not_offered(
    dirk: Client, event: Event, name: str, says: str
) -> None:
    typed = seats(name, "Li", "Ida", "Zoe")
    response = dirk.post(NEW, typed)
    assert beside(response, "seat-1", 422) == says
    assert 'name="guest"' not in response.content.decode()
    # The button of a page that was opened before adds nobody either.
    again = dirk.post(NEW, typed | {"guest": "seat-1"})
    assert (again.status_code, beside(again, "seat-1")) == (422, says)
    assert Player.objects.count() == len(NAMES)
    assert seated() == []


def test_guest_is_offered_for_a_pair_and_a_field_has_focus(dirk: Client, event: Event) -> None:
    fresh = dirk.get(NEW).content.decode()
    assert fresh.count("autofocus") == 1
    assert "autofocus" in fresh.partition('name="seat-1"')[2].partition(">")[0]
    address = f"{EVENT}/new-entrant"
    typed = seats("John", "Vera") | {"kind": "pair"}
    assert "Add Vera as guest" in text_of(dirk.post(address, typed))
    done = dirk.post(address, typed | {"seat-1": "Ida", "guest": "seat-2"}, follow=True)
    assert "Ida & Vera added." in text_of(done)
    assert {entrant.code for entrant in Entrant.objects.filter(kind="pair")} == {"pair-1"}


def test_a_new_round_proposes_today_in_the_zone_of_the_club(cast: Cast, event: Event) -> None:
    event.club.time_zone = "Pacific/Auckland"
    late = datetime(2031, 11, 20, 21, 0, tzinfo=UTC)
    assert str(day_to_play(event, late)) == "2031-11-21"
    Meeting.objects.create(club=event.club, event=event, date="2031-11-21", state="cancelled")
    assert day_to_play(event, late) is None
    page = cast.client("dirk").get(f"{EVENT}/new-round").content.decode()
    assert 'value="20' in page.partition('name="on"')[2].partition(">")[0]


def test_a_new_round_proposes_the_first_planned_evening_without_a_round(cast: Cast) -> None:
    """An evening of today comes first, so that a second round of the evening is dated today."""
    own = league(cast.riverside, slug="gala")
    made = {"number": "1", "on": "2031-11-13"}
    cast.client("dirk").post("/clubs/riverside/events/gala/new-round", made)
    for date in ("2031-11-20", "2031-11-27"):
        Meeting.objects.create(club=own.club, event=own, date=date, state="planned")
    assert str(day_to_play(own, datetime(2031, 11, 22, 12, 0, tzinfo=UTC))) == "2031-11-20"
    assert str(day_to_play(own, datetime(2031, 11, 27, 12, 0, tzinfo=UTC))) == "2031-11-27"
