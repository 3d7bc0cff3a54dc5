"""The preview of other settings: what would change, on this event or on another one."""

from tests.support.builders import hand, league, table
from tests.support.cast import NOW, Cast
from tests.support.pages.settings import CHANGE, now, totals_only, typed
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Change
from tournaments.services.publishing.publications import publish


def test_preview_says_what_would_change_and_saves_nothing(
    cast: Cast, event: Event, played: Game, people: list[Player]
) -> None:
    hand(table(event, people, round_number=2), 1, [4, 1, 2, 6], queen=1)
    publish(event.pk, now=NOW)
    dirk = cast.client("dirk")
    assert "Nothing is changed yet." in text_of(dirk.get(CHANGE))
    form = typed(event, primary="placement_points", counting="drop", update="yes")
    page = text_of(dirk.post(CHANGE, form))
    assert "2 changes, not saved yet" in page
    assert "Counted results Changed: The worst game is dropped · was: Every result counts" in page
    assert (
        "2 of 4 change their place. 2 are tied. 4 of 8 results no longer count. "
        "Publication 2 replaces 1. Earlier ones stay."
    ) in page
    assert "Leo K. 1 1 5 Elsa D. 3 2= 3 Zoë K. 2 2= 3 Anton S. 4 4 2 All 4 places" in page
    assert now(event).primary == "raw_per_hand"
    assert Change.objects.count() == 0


def test_preview_names_who_crosses_a_cut_off(
    cast: Cast, event: Event, played: Game, people: list[Player]
) -> None:
    hand(table(event, people, round_number=2), 1, [4, 1, 2, 6], queen=1)
    dirk = cast.client("dirk")
    dirk.post(CHANGE, typed(event, reason="A final of two.", **{"boundaries-cut": "2"}))
    page = text_of(dirk.post(CHANGE, typed(event, primary="placement_points", update="yes")))
    assert "Qualification changes. Elsa D. comes in at 2. Zoë K. goes out at 3." in page
    assert "Elsa D. in 3 2" in page


def test_preview_on_another_event_ranks_it_by_the_same_code_as_if_it_had_these_settings(
    cast: Cast, played: Game
) -> None:
    event_of_this_year = league(cast.riverside, slug="next", name="Next league")
    form = typed(event_of_this_year, primary="placement_points", on="league", update="yes")
    page = text_of(cast.client("dirk").post(CHANGE.replace("league", "next"), form))
    assert "No places change. No shared places. With the results of League:" in page
    assert "Leo K. 1 1 5" in page


def test_preview_that_the_other_sheets_cannot_give_says_why(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    totals_only(table(event, people))
    fresh = league(cast.riverside, slug="next", settings={"primary": "wins"})
    form = typed(fresh, tie_breaks_1="moons_shot", on="league", update="yes")
    page = text_of(cast.client("dirk").post(CHANGE.replace("league", "next"), form))
    assert "The results of League cannot be ranked so: Moons shot needs the shooters" in page
