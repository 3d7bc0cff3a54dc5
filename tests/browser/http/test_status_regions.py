"""What speaks to a reader of screens stays on the page while its surroundings are exchanged."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import PHONE
from tests.support.builders import by_tests, league
from tests.support.cast import enter_the_cast
from tests.support.evenings import evening
from tests.support.scenarios.planned_evenings import DAY
from tests.support.walks import Walks, elsewhere
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.seating_plans.make_plans import make_plans

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PLANS = f"/clubs/riverside/events/league/meetings/{DAY}/plans"
LISTEN = """region => {
  window.region = region;
  window.spoken = [];
  new MutationObserver(() => window.spoken.push(region.innerText))
    .observe(region, { childList: true, subtree: true, characterData: true });
}"""


def test_progress_of_plans_is_spoken_when_it_changes_and_the_focus_stays(
    db: None, walks: Walks
) -> None:
    cast = enter_the_cast()
    meeting, _people = evening(league(cast.riverside), 22, on=DAY)
    plan, _other, *_more = make_plans(by_tests(), meeting, rounds=6, seed=1)
    page = walks(PHONE, by=cast.client("dirk"), at=PLANS).page
    region = page.get_by_role("heading", name="plans are being computed")
    region.evaluate(LISTEN)
    page.locator(f"#take-{plan.public_id}").focus()
    wait_for_answers(page)
    expect(page.locator(f"#take-{plan.public_id}")).to_be_focused()
    assert page.evaluate("window.spoken") == []
    n_plans = elsewhere(SeatingPlan.objects.count)
    elsewhere(SeatingPlan.objects.exclude(pk=plan.pk).delete)
    expect(region).to_have_count(0)
    assert page.evaluate("window.region.isConnected")
    assert n_plans > 1
    assert page.evaluate("window.spoken.map(text => text.trim())") == ["1 plan is being computed"]


def wait_for_answers(page: Page) -> None:
    """Wait until the progress was asked for twice: the first answer is then in its place."""
    for _answer in range(2):
        with page.expect_response(lambda answer: answer.url.endswith("/plans")):
            pass
