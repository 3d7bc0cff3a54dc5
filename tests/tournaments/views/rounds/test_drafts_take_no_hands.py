"""Pages of a round that is not posted say so, instead of forms and links for everybody."""

import pytest

from tests.support.builders import players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.rounds import Round

EVENT = "/clubs/riverside/events/league"
TABLE = f"{EVENT}/tables/r1t1"
REFUSAL = "Round 1 is a draft. Hands can be entered after the director posts it."


@pytest.mark.parametrize("page", ["hands/new", "grid", "totals"])
def test_director_reads_that_a_draft_takes_no_hands(cast: Cast, event: Event, page: str) -> None:
    table(event, players(cast.riverside, "Ada A.", "Bo B.", "Cy C.", "Di D."))
    dirk = cast.client("dirk")
    assert REFUSAL not in text_of(dirk.get(f"{TABLE}/{page}"))
    Round.objects.update(state="draft")
    assert REFUSAL in text_of(dirk.get(f"{TABLE}/{page}"))


def test_link_to_a_draft_is_not_for_everybody(cast: Cast, event: Event) -> None:
    table(event, players(cast.riverside, "Ada A.", "Bo B.", "Cy C.", "Di D."))
    dirk = cast.client("dirk")
    pages = (f"{EVENT}/rounds/1", TABLE)
    for page in pages:
        assert "Everybody can read this page by the link" in text_of(dirk.get(page))
    Round.objects.update(state="draft")
    for page in pages:
        shown = text_of(dirk.get(page))
        assert "The link opens for directors only until the round is posted." in shown
        assert "Everybody can read this page by the link" not in shown
