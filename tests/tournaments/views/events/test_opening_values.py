"""Opening values on pages: found from the penalties, entered, shown in the standings, withdrawn."""

import pytest

from tests.support.cast import NOW
from tests.support.pages.text import beside, text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.standings import OpeningValue
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db

PAGE = f"{ADDRESS}/opening-values"
VALUE = {
    "entrant": "RL02", "date": "2025-10-02", "value": "30", "games": "2", "hands": "8",
    "penalty": "", "wins": "", "reason": "The list on paper.",
}  # fmt: skip


def test_value_is_entered_shown_as_from_before_and_withdrawn(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    assert f'href="{PAGE}"' in dirk.get(f"{ADDRESS}/ledger").content.decode()
    page = dirk.post(f"{PAGE}/new", VALUE, follow=True)
    assert page.redirect_chain == [(PAGE, 302)]
    assert "Value saved." in text_of(page)
    publish(OpeningValue.objects.get().event_id, now=NOW)
    standings = text_of(evenings.client().get(ADDRESS))
    assert "(from before)" in standings
    assert "From before, Thursday 2 October 2025: 30" in standings
    assert "Add value" not in text_of(evenings.client().get(PAGE))
    assert "From before, Thursday 2 October 2025 30" in text_of(
        evenings.client().get(f"{ADDRESS}/players/RL02")
    )
    page = dirk.post(f"{PAGE}/1/withdraw", {"reason": "Wrong list."}, follow=True)
    assert "Value 1 withdrawn." in text_of(page)
    assert "Withdrawn: “Wrong list.”" in text_of(evenings.client().get(PAGE))
    log = text_of(evenings.client().get(f"{ADDRESS}/changes"))
    assert "Values from before added" in log
    assert "Values from before withdrawn" in log


def test_refused_value_says_what_the_ranking_needs(evenings: Evenings) -> None:
    typed = VALUE | {"hands": "", "value": "x", "date": ""}
    page = evenings.client("dirk").post(f"{PAGE}/new", typed)
    assert page.status_code == 422
    page = evenings.client("dirk").post(f"{PAGE}/new", typed | {"date": "2025-10-02"})
    assert beside(page, "value") == (
        "“x” is not a number. Enter the total so far, for example 13, 7.5, 5/2 or −4."
    )
    assert beside(page, "hands") == (
        "This event is ranked by Points a hand. Enter the number of hands that the value is of."
    )
    assert not OpeningValue.objects.exists()
