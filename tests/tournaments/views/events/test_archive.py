"""An archived event is in no list, but at its addresses; a draft without hands is deleted."""

import pytest

from tests.support.answers import Answer
from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import beside, text_of
from tests.support.seasons import assign_event
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Table
from tournaments.models.outbox import Dirty
from tournaments.services.events.events import create_event, move_event
from tournaments.services.events.seasons import make_season
from tournaments.services.publishing.publications import publish

AT = "/clubs/riverside/events/league"
LISTS = (
    *("/clubs/riverside", "/clubs/riverside/players/RL01"),
    *("/clubs/riverside/seasons/autumn", "/api/v1/clubs/riverside/events"),
    *("/api/v1/clubs/riverside/events.csv", "/api/v1/clubs/riverside/players/RL01"),
    "/api/v1/clubs/riverside/seasons/autumn",
)


@pytest.fixture
def game(cast: Cast) -> Game:
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    event = league(cast.riverside)
    days = {"starts_on": "2025-09-01", "ends_on": "2025-12-31"}
    season = make_season(
        actor=TESTS, club=cast.riverside, slug="autumn", name="Autumn", now=NOW, **days
    )
    assign_event(actor=TESTS, event=event, season=season, now=NOW)
    made = table(event, people)
    hand(made, 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    return made


def archive(cast: Cast, reason: str = "Moved to the new league.", who: str = "olga") -> Answer:
    return cast.client(who).post(f"{AT}/archive", {"reason": reason}, follow=True)


def names(cast: Cast, path: str) -> bool:
    """Whether a list has the event, by its address or by its slug."""
    text = cast.client("olga").get(path).content.decode()
    return AT in text or '"league"' in text or "\nleague," in text


def test_archived_event_leaves_the_lists_and_keeps_its_addresses(cast: Cast, game: Game) -> None:
    assert [path for path in LISTS if not names(cast, path)] == []
    assert "League archived." in text_of(archive(cast))
    assert [path for path in LISTS if names(cast, path)] == []
    shown = cast.client().get(AT)
    assert (shown.status_code, "Archived" in text_of(shown)) == (200, True)
    assert cast.client().get(f"/api/v1{AT}").json()["archived_at"] is not None
    assert "Elsa D." in text_of(cast.client().get("/clubs/riverside/players/RL01"))
    line = AuditLine.objects.get(act="archive_event")
    assert line.facts == {"reason": "Moved to the new league."}
    back = cast.client("olga").post(
        f"{AT}/archive", {"unarchive": "yes", "reason": "Played on."}, follow=True
    )
    assert "League is in the lists again." in text_of(back)
    assert [path for path in LISTS if not names(cast, path)] == []


def test_only_owners_archive_and_they_say_why(cast: Cast, game: Game) -> None:
    refused = archive(cast, reason=" ")
    assert (refused.status_code, beside(refused, "reason")) == (
        422, "Enter a reason in one sentence.",
    )  # fmt: skip
    for name, status in (("nora", 403), ("piet", 403), ("dirk", 403)):
        assert archive(cast, who=name).status_code == status
    assert Event.objects.get().archived_at is None
    assert "Archive event" not in text_of(cast.client("dirk").get(f"{AT}/direct"))


def test_draft_goes_with_all_that_was_prepared(cast: Cast) -> None:
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    table(league(cast.riverside), people)
    Event.objects.update(state="draft")
    asks = cast.client("dirk").get(f"{AT}/delete")
    assert "The draft is deleted with its settings, entrants, rounds and tables." in text_of(asks)
    assert "League deleted." in text_of(cast.client("dirk").post(f"{AT}/delete", follow=True))
    assert (Event.objects.count(), Table.objects.count(), Dirty.objects.count()) == (0, 0, 0)
    assert AuditLine.objects.order_by("number").last().act == "delete_event"  # type: ignore[union-attr]
    assert cast.client("dirk").get(AT).status_code == 404
    create_event(actor=TESTS, club=cast.riverside, name="League", variant="hearts", now=NOW)


def test_event_that_began_is_not_deleted(cast: Cast, game: Game) -> None:
    says = "Only a draft can be deleted. Ask an owner of the club to archive this event instead."
    refused = cast.client("dirk").post(f"{AT}/delete")
    assert (refused.status_code, says in text_of(refused)) == (422, True)
    Event.objects.update(state="draft")
    refused = cast.client("dirk").post(f"{AT}/delete")
    assert "Hands have been entered in this event" in text_of(refused)
    for name, status in (("nora", 403), ("piet", 403), ("hanna", 403)):
        assert cast.client(name).post(f"{AT}/delete").status_code == status
    assert Event.objects.exists()


def test_manage_offers_to_delete_a_draft_only(cast: Cast) -> None:
    event = league(cast.riverside)
    assert "Delete event" not in text_of(cast.client("dirk").get(f"{AT}/direct"))
    move_event(actor=TESTS, event=event, to="draft", now=NOW)
    assert "Delete event" in text_of(cast.client("dirk").get(f"{AT}/direct"))
