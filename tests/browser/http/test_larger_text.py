"""The pages of an evening with large letters, as a phone or a browser is set: nothing is lost.

The letters grow and the screen does not, as with the letter size of a device. Zoom is what the
smaller screens of other tests look at.
"""

from collections.abc import Sequence
from datetime import date, time
from pathlib import Path
from typing import Any, Final

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from tests.support.builders import by_tests, hand, league, players, publish_all, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.evenings import check_in
from tests.support.history import make_all
from tests.support.imports.other_programs import BY_HAND, as_csv, hand_rows
from tests.support.imports.uploads import send_file
from tests.support.scenarios.ladders import ladder
from tests.support.scenarios.playoffs import tied
from tests.support.walks import Walks
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.selectors.access.invitations import invitation_token
from tournaments.selectors.access.personal_links import personal_path
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.personal_links import make_personal_links
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES: Final = (
    "Jörg S.", "Marit S.", "Cleo S.", "Carla K.", "Mina D.", "Rosa S.", "Dmitri S.",
    "Konstantin von Aschersleben",
)  # fmt: skip
EVENT: Final = "/clubs/riverside/events/league"
EVENING: Final = f"{EVENT}/meetings/2025-11-06"
PAGES: Final = (
    "/clubs/riverside",
    "/clubs/riverside/manage",
    "/clubs/riverside/new-event",
    EVENT,
    EVENING,
    f"{EVENING}/attendance",
    f"{EVENT}/direct",
    f"{EVENT}/projector",
    f"{EVENT}/players/RL01",
    f"{EVENT}/rounds/1",
    f"{EVENT}/rounds/1/board",
    f"{EVENT}/tables/r1t1",
    f"{EVENT}/tables/r1t1/hands/new",
    f"{EVENT}/tables/r1t2/read-back",
)
PERCENTS: Final = (130, 150, 200)

LOST: Final = """
() => {
  const page = document.documentElement;
  const lost = [];
  if (page.scrollWidth > page.clientWidth) lost.push(`page ${page.scrollWidth}`);
  const isShown = (one) =>
    one.checkVisibility() && one.getBoundingClientRect().width > 1 && !one.closest(".vh, caption");
  for (const one of document.querySelectorAll("body *")) {
    if (!isShown(one) || !one.textContent.trim()) continue;
    const style = getComputedStyle(one);
    const isCut = ["hidden", "clip"].includes(style.overflowX) && style.textOverflow !== "ellipsis";
    if (isCut && one.scrollWidth > one.clientWidth + 1)
      lost.push(`${one.className}: ${one.scrollWidth} of ${one.clientWidth}`);
    const hasText = [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const scrolls = (all) => all && (all.scrollWidth > all.clientWidth &&
      ["auto", "scroll"].includes(getComputedStyle(all).overflowX) || scrolls(all.parentElement));
    if (hasText && one.getBoundingClientRect().right > page.clientWidth + 1 && !scrolls(one))
      lost.push(`${one.tagName} ends at ${Math.round(one.getBoundingClientRect().right)}`);
  }
  return [...new Set(lost)];
}
"""
"""What is wider than the page, cut off, or beyond its edge where nothing scrolls."""


@pytest.fixture
def cast(db: None) -> Cast:
    people = enter_the_cast()
    event = league(people.riverside, name="Thursday league, autumn 2026")
    members = players(people.riverside, *NAMES)
    for n in range(2):
        game = table(event, members[4 * n : 4 * n + 4], table_number=n + 1)
        hand(game, 1, [4, 1, 2, 6], queen=n)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    return people


def enlarge(page: Page, percent: int) -> None:
    page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_lost_or_sideways_with_large_letters(
    cast: Cast, walks: Walks, width: int
) -> None:
    page = walks((width, "light"), by=cast.client("dirk")).page
    lost: dict[tuple[str, int], Any] = {}
    for path in PAGES:
        page.goto(path)
        for percent in PERCENTS:
            enlarge(page, percent)
            found = page.evaluate(LOST)
            if found:
                lost[path, percent] = found
    assert lost == {}


@pytest.fixture
def more_pages(cast: Cast, tmp_path: Path) -> Sequence[str]:
    """Addresses of pages that need more than the evening: a ladder, a play-off, a file, links."""
    now = timezone.now()
    club = cast.riverside
    dirk = cast.client("dirk")
    publish_all(ladder(cast, now=now), now=now)
    event = Event.objects.get(slug="league")
    Event.objects.filter(pk=event.pk).update(slug="of-autumn")
    cup = tied(club)
    Event.objects.filter(pk=cup.pk).update(slug="cup")
    Event.objects.filter(pk=event.pk).update(slug=event.slug)
    invitation = invite(by_tests(now), club, role="host", email="ida@club.example")
    links = make_personal_links(by_tests(now), club)
    file = as_csv(tmp_path / "night.csv", BY_HAND, hand_rows())
    columns = send_file(dirk, file)
    meeting = plan_meeting(by_tests(now), event, day=date(2026, 12, 3), at=time(19, 30))
    check_in(meeting, list(Player.objects.filter(club=club, name__in=NAMES)))
    return (
        personal_path(links[0]),
        f"/invitations/{invitation_token(invitation.seed)}",
        columns,
        f"{EVENT}/settings",
        f"{EVENT}/entrants",
        f"{EVENT}/meetings",
        f"{EVENT}/meetings/2025-11-06/seating",
        f"{EVENT}/meetings/2026-12-03/plans",
        "/clubs/riverside/players",
        "/clubs/riverside/players/RL01",
        "/clubs/riverside/events/ladder/ladder",
        "/clubs/riverside/events/cup/playoffs",
        "/clubs/riverside/events/cup/playoffs/1",
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_lost_on_pages_of_one_player_a_file_and_a_ladder(
    cast: Cast, more_pages: Sequence[str], walks: Walks, width: int
) -> None:
    page = walks((width, "light"), by=cast.client("dirk")).page
    lost: dict[tuple[str, int], Any] = {}
    for path in more_pages:
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 200, path
        for percent in PERCENTS:
            enlarge(page, percent)
            found = page.evaluate(LOST)
            if found:
                lost[path, percent] = found
    assert lost == {}


@pytest.mark.parametrize("percent", PERCENTS)
def test_names_of_the_hand_form_and_its_button_are_whole(
    cast: Cast, walks: Walks, percent: int
) -> None:
    page = walks((390, "light"), by=cast.client("dirk"), at=f"{EVENT}/tables/r1t1/hands/new").page
    enlarge(page, percent)
    names = page.locator(".who .nm").evaluate_all(
        "all => all.map(one => [one.scrollWidth <= one.clientWidth,"
        " one.scrollHeight <= one.clientHeight + 2])"
    )
    assert names == [[True, True]] * 4
    for one in page.locator(".seatrow .mark .q, .seatrow .step, .desk-foot .btn").all():
        box = one.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


@pytest.mark.parametrize("percent", [100, *PERCENTS])
@pytest.mark.parametrize("path", ["hands/new", "hands/1/edit", "read-back"])
def test_foot_of_a_hand_covers_a_quarter_of_a_phone_at_most(
    cast: Cast, walks: Walks, path: str, percent: int
) -> None:
    page = walks((390, "light"), by=cast.client("dirk"), at=f"{EVENT}/tables/r1t2/{path}").page
    page.set_viewport_size({"width": 390, "height": 844})
    enlarge(page, percent)
    foot = page.locator(".desk-foot").bounding_box()
    assert foot is not None
    assert foot["height"] <= 844 / 4
    for button in page.locator(".desk-foot .btn").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
        assert button.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
    table = page.locator(".readback").evaluate_all(
        "all => all.map(one => one.scrollWidth <= one.clientWidth)"
    )
    assert all(table)
