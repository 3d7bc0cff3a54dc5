"""Absences of a ladder on its pages: who reads and who states them."""

import pytest

from tests.support.cast import NOW, Cast
from tests.support.pages.ladders import EVENT
from tests.support.pages.text import beside, text_of
from tournaments.models.events import Event
from tournaments.models.ladders import LadderAbsence

pytestmark = pytest.mark.usefixtures("clock")


def test_absence_is_told_shown_and_ended(cast: Cast, rungs: Event) -> None:
    piet, form = cast.client("C"), f"{EVENT}/absences/new"
    refused = piet.post(form, {"since": "2025-11-08", "until": "2025-11-07"})
    assert "The absence ends before it begins." in beside(refused, "until")
    assert beside(piet.post(form, {"since": ""}), "since") == (
        "Enter the first day of the absence."
    )
    piet.post(form, {"since": "2025-11-06", "until": "2025-11-12"})
    assert "Away until 12 Nov 2025, place kept" in text_of(cast.client("E").get(f"{EVENT}/ladder"))
    assert "6 Nov 2025 – 12 Nov 2025" in text_of(cast.client("E").get(f"{EVENT}/ladder/members/C"))
    offered = cast.client("E").get(f"{EVENT}/ladder").content.decode()
    assert 'name="challenged" value="C"' not in offered
    again = piet.post(f"{EVENT}/absences/end", {"player_id": "C"}, follow=True)
    assert "Absence ended." in text_of(again)
    assert not LadderAbsence.objects.filter(until__gte=NOW.date()).exists()


AWAY_ON = ("ladder", "ladder/members/C", "absences")


@pytest.mark.parametrize("who", ["", "nora"])
@pytest.mark.parametrize("page", AWAY_ON)
def test_who_is_away_is_told_to_members_of_the_club_only(
    cast: Cast, rungs: Event, page: str, who: str
) -> None:
    cast.client("C").post(f"{EVENT}/absences/new", {"since": "2025-11-06", "until": "2025-11-12"})
    assert LadderAbsence.objects.count() == 1
    said = text_of(cast.client(who).get(f"{EVENT}/{page}"))
    assert "12 Nov" not in said
    assert "Away" not in said
    assert page == "absences" or "Absences" not in said
    assert "12 Nov 2025" in text_of(cast.client("E").get(f"{EVENT}/{page}"))


def test_host_tells_an_absence_for_anybody(cast: Cast, rungs: Event) -> None:
    typed = {"player_id": "D", "since": "2025-11-06"}
    done = cast.client("hanna").post(f"{EVENT}/absences/new", typed, follow=True)
    assert "Member D" in text_of(done)
    assert cast.client("E").post(f"{EVENT}/absences/end", {"player_id": "D"}).status_code == 403
    assert LadderAbsence.objects.get().until is None
