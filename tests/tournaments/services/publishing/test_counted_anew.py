"""Standings that an older release counted otherwise: running events anew, those over stay."""

import json
from datetime import timedelta

import pytest

from tests.support.answers import Json
from tests.support.builders import by_tests, hand, league, penalize, players, season, table
from tests.support.cast import NOW, Cast
from tests.support.older_counting import as_counted_by_0_5_0, order
from tests.support.pages.text import text_of
from tournaments.domain.standings.counting_release import COUNTING
from tournaments.models.clubs import Player
from tournaments.models.columns import UNIT
from tournaments.models.events import Event, EventState
from tournaments.models.jobs import Dirty, Heartbeat, event_scope, season_scope
from tournaments.models.notices import Notice
from tournaments.models.standings import Aggregate, Change, Publication, StoredHistory
from tournaments.selectors.jobs.queue import SILENT_AFTER
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.selectors.standings.publication_diff import difference
from tournaments.services.audit.audit import mark_names_changed, note_change
from tournaments.services.events.events import move_event
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.jobs.queue import mark_due, record_heartbeat
from tournaments.services.publishing.counted_anew import mark_counted_otherwise
from tournaments.services.publishing.history import make_piece
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
NAMES = ("Anna", "Bert", "Cora", "Dora")
RIGHT = ["RL02", "RL03", "RL01", "RL04"]
"""The order by the formulas of this release: one hand of 1, 2, 4 and 19 points."""
OLD = ["RL03", "RL02", "RL01", "RL04"]


@pytest.fixture
def event(cast: Cast) -> Event:
    """An event with one hand whose publication an older release has counted otherwise."""
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, *NAMES))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    assert order(publication) == RIGHT
    assert order(as_counted_by_0_5_0(publication)) == OLD
    return event


def newest(event: Event) -> Publication:
    return Publication.objects.filter(event=event).latest("number")


def sweep_and_publish(event: Event, *, later: int = 60) -> Publication:
    mark_counted_otherwise(now=NOW)
    publish(event.pk, now=NOW + timedelta(seconds=later))
    return newest(event)


def close(event: Event, *, state: str = EventState.CLOSED) -> None:
    """Put an event into a state as if it had been there before the upgrade."""
    Event.objects.filter(pk=event.pk).update(state=state)


def log_of(event: Event) -> list[tuple[str, str, Json]]:
    lines = Change.objects.filter(event=event, kind="counted_anew").order_by("pk")
    return [(line.kind, line.by, line.facts) for line in lines]


def test_running_event_is_counted_anew_as_a_new_number_with_its_cause(event: Event) -> None:
    publication = sweep_and_publish(event)
    assert (publication.number, order(publication), publication.counting) == (2, RIGHT, COUNTING)
    assert order(Publication.objects.get(event=event, number=1)) == OLD
    facts = {"release": "0.7", "counting": 2, "moved": 2}
    assert log_of(event) == [("counted_anew", "upgrade", facts)]
    causes = difference(event, 1, 2)["others"]
    assert [cause["kind"] for cause in causes] == ["counted_anew"]  # type: ignore[attr-defined]


def test_event_that_was_counted_anew_is_left_alone_by_the_next_sweep(event: Event) -> None:
    assert mark_counted_otherwise(now=NOW) == 1
    assert mark_counted_otherwise(now=NOW) == 0, "it waits to be published"
    publish(event.pk, now=NOW)
    assert mark_counted_otherwise(now=NOW) == 0
    assert Publication.objects.filter(event=event).count() == 2


def test_event_with_equal_bytes_gets_no_new_number_and_no_line(event: Event) -> None:
    sweep_and_publish(event)
    Publication.objects.filter(event=event).update(counting=0)
    Change.objects.all().delete()
    Notice.objects.all().delete()
    publication = sweep_and_publish(event)
    assert (publication.number, publication.counting) == (2, COUNTING)
    assert log_of(event) == []
    assert not Notice.objects.exists()
    assert mark_counted_otherwise(now=NOW) == 0


@pytest.mark.parametrize("state", [EventState.CLOSED, EventState.FINAL])
def test_event_that_is_over_stays_as_it_was_published(event: Event, state: str) -> None:
    close(event, state=state)
    assert mark_counted_otherwise(now=NOW) == 0
    assert not Dirty.objects.filter(scope=event_scope(event.pk), done__lt=2).exists()


def test_event_that_is_over_keeps_its_figures_under_a_new_name(event: Event, cast: Cast) -> None:
    while make_piece(event.pk, clock=lambda: NOW):
        pass
    close(event)
    Player.objects.filter(player_id="RL03").update(name="Corinne", public_name="Corinne")
    mark_names_changed([event], by="director", now=NOW)
    before = newest(event).document
    publish(event.pk, now=NOW)
    publication = newest(event)
    assert (publication.number, order(publication), publication.counting) == (2, OLD, 0)
    assert [row["player"] for row in publication.document["rows"]][:2] == ["Corinne", "Bert"]
    assert publication.document["event"]["state"] == "closed"
    values = [row["values"] for row in publication.document["rows"]]
    assert values == [row["values"] for row in before["rows"]]
    assert bytes(publication.csv).decode().splitlines()[1].startswith("1,RL02,Bert")
    table = StoredHistory.objects.get(event=event, kind="as_of", key="1")
    assert b"Corinne" in bytes(table.body)
    assert b"Cora" not in bytes(table.body)
    assert log_of(event) == []
    assert mark_counted_otherwise(now=NOW) == 0


def test_event_that_is_over_is_counted_anew_when_a_result_of_it_changes(event: Event) -> None:
    close(event)
    penalize(event, "RL04", "1", "Late.")
    publish(event.pk, now=NOW)
    assert (newest(event).number, order(newest(event)), newest(event).counting) == (2, RIGHT, 2)
    assert len(log_of(event)) == 1


def test_event_that_is_opened_again_is_counted_anew(event: Event) -> None:
    close(event)
    move_event(by_tests(), event, to="open", reason="A sheet was found.")
    publish(event.pk, now=NOW)
    assert order(newest(event)) == RIGHT
    kinds = [cause["kind"] for cause in difference(event, 1, 2)["others"]]  # type: ignore[attr-defined]
    assert kinds == ["reopen_event", "counted_anew"]


def test_damaged_bytes_of_an_event_that_is_over_are_not_kept(event: Event) -> None:
    close(event)
    Publication.objects.filter(event=event).update(digest=f"sha256:{'0' * 64}")
    mark_changed(event=event, now=NOW)
    publish(event.pk, now=NOW)
    assert order(newest(event)) == RIGHT


def test_directors_and_owners_get_a_notice_that_names_who_moved(cast: Cast, event: Event) -> None:
    sweep_and_publish(event)
    notices = Notice.objects.filter(facts__message="counted_anew").order_by("user__username")
    assert [notice.user.get_username() for notice in notices] == ["dirk", "olga"]
    notice = notices[0]
    text = notice_text("counted_anew", notice.facts, notice.user)
    assert text is not None
    assert text.title == "Release 0.7 counted the standings of League anew"
    assert text.paragraphs == ("2 places changed.",)
    assert text.rows == (("Bert", "place 2 → 1"), ("Cora", "place 1 → 2"))
    assert text.path == "/clubs/riverside/events/league/publications/2/difference/1"
    assert notice_text("counted_anew", notice.facts, cast.users["hanna"]) is None


def test_notice_is_stored_so_that_the_release_before_leaves_it_out(
    cast: Cast, event: Event
) -> None:
    sweep_and_publish(event)
    dirk = cast.users["dirk"]
    notice = Notice.objects.get(user=dirk)
    assert (notice.kind, notice.facts["challenge"]) == ("challenge_received", 0)
    assert notice_text(notice.kind, notice.facts, dirk) is None  # so 0.5.0 reads it
    page = text_of(cast.client("dirk").get("/notices"))
    assert "Release 0.7 counted the standings of League anew" in page
    Player.objects.filter(club=cast.riverside, player_id="RL01").update(user=dirk)
    data = cast.client("dirk").get("/api/v1/clubs/riverside/players/RL01/data").json()
    assert [row["kind"] for row in data["notices"]] == ["counted_anew"]


def test_page_of_notices_names_who_moved(cast: Cast, event: Event) -> None:
    sweep_and_publish(event)
    page = text_of(cast.client("dirk").get("/notices"))
    assert "2 places changed." in page
    assert "Bert: place 2 → 1 Cora: place 1 → 2" in page


def test_notice_says_where_results_came_in_at_the_same_time(event: Event) -> None:
    game = event.games.get()
    hand(game, 2, [13, 0, 0, 0], queen=1)
    sweep_and_publish(event)
    notice = Notice.objects.filter(facts__message="counted_anew")[0]
    text = notice_text("counted_anew", notice.facts, notice.user)
    assert text is not None
    assert "Results that came in at the same time are in it too." in text.paragraphs


def test_sweep_waits_while_a_worker_of_an_older_release_is_alive(event: Event) -> None:
    record_heartbeat(name="celery@new", now=NOW)
    Heartbeat.objects.create(name="celery@old", seen_at=NOW - SILENT_AFTER + timedelta(seconds=1))
    assert mark_counted_otherwise(now=NOW) == 0
    assert mark_counted_otherwise(now=NOW + timedelta(seconds=1)) == 1


def test_publication_of_an_older_worker_after_the_new_one_is_counted_anew_again(
    event: Event,
) -> None:
    sweep_and_publish(event)
    hand(event.games.get(), 2, [4, 1, 2, 6], queen=3)
    publish(event.pk, now=NOW)
    as_counted_by_0_5_0(newest(event))
    publication = sweep_and_publish(event)
    assert (publication.number, order(publication), publication.counting) == (4, RIGHT, COUNTING)
    assert mark_counted_otherwise(now=NOW) == 0


def test_event_under_review_waits_for_its_answer(event: Event) -> None:
    rows = Dirty.objects.filter(scope=event_scope(event.pk))
    rows.update(under_review_since=NOW)
    assert mark_counted_otherwise(now=NOW) == 0
    rows.update(under_review_since=None)
    assert mark_counted_otherwise(now=NOW) == 1


def test_one_sweep_marks_a_bounded_number_of_events(
    cast: Cast, event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = league(cast.riverside, slug="other")
    publication = publish(other.pk, now=NOW)
    assert publication is not None
    Publication.objects.filter(pk=publication.pk).update(counting=0)
    monkeypatch.setattr("tournaments.services.publishing.counted_anew.EVENTS_A_SWEEP", 1)
    assert mark_counted_otherwise(now=NOW) == 1
    assert mark_counted_otherwise(now=NOW) == 1
    assert mark_counted_otherwise(now=NOW) == 0


def test_club_that_waits_for_its_deletion_is_left_alone(event: Event) -> None:
    club = event.club
    club.delete_after = NOW
    club.save(update_fields=["delete_after"])
    assert mark_counted_otherwise(now=NOW) == 0


def test_sums_that_follow_from_formulas_are_counted_anew_too(cast: Cast) -> None:
    settings = {"primary": "placement_points", "drop_worst": 1}
    event = league(cast.riverside, settings=settings)
    seated = players(cast.riverside, *NAMES)
    for number, hearts in enumerate(([3, 7, 0, 3], [0, 3, 3, 7]), start=1):
        hand(table(event, seated, round_number=number), 1, hearts, 1)
    publish(event.pk, now=NOW)
    right = newest(event)
    as_counted_by_0_5_0(newest(event))
    row = Aggregate.objects.filter(event=event).order_by("pk")[0]
    assert row.kept is not None
    stored = dict(row.kept)
    row.kept = {**stored, "place_points": 99 * UNIT}
    row.save()
    publication = sweep_and_publish(event)
    row.refresh_from_db()
    assert row.kept == stored
    assert publication.digest == right.digest


def test_tables_of_the_past_are_made_anew_with_the_event(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr("tournaments.services.publishing.running_tables.COUNTING", 0)
        while make_piece(event.pk, clock=lambda: NOW):
            pass
    StoredHistory.objects.filter(event=event, kind="as_of").update(body=b"{}", digest="old")
    sweep_and_publish(event)
    while make_piece(event.pk, clock=lambda: NOW):
        pass
    stored = StoredHistory.objects.get(event=event, kind="as_of", key="1")
    rows = json.loads(bytes(stored.body))["rows"]
    assert [row["player_id"] for row in rows] == RIGHT


def test_season_of_a_running_event_is_counted_anew_with_a_notice(event: Event) -> None:
    sweep_and_publish(event)
    autumn = season(event)
    Notice.objects.all().delete()
    as_counted_by_0_5_0(Publication.objects.get(season=autumn))
    as_counted_by_0_5_0(newest(event))
    sweep_and_publish(event)
    publication = publish_season(autumn.pk, now=NOW)
    assert publication is not None
    assert (publication.number, order(publication), publication.counting) == (2, RIGHT, COUNTING)
    notice = Notice.objects.filter(facts__message="counted_anew", facts__has_key="season")[0]
    text = notice_text("counted_anew", notice.facts, notice.user)
    assert text is not None
    assert (text.title, text.path) == (
        "Release 0.7 counted the standings of Autumn anew",
        "/clubs/riverside/seasons/autumn",
    )


def test_season_whose_events_are_over_keeps_its_figures(event: Event) -> None:
    autumn = season(event)
    as_counted_by_0_5_0(Publication.objects.get(season=autumn))
    Publication.objects.filter(event=event).update(counting=0)
    close(event)
    Player.objects.filter(player_id="RL03").update(name="Corinne", public_name="Corinne")
    mark_due(season_scope(autumn.pk), now=NOW)
    publication = publish_season(autumn.pk, now=NOW)
    assert publication is not None
    assert (publication.number, order(publication), publication.counting) == (2, OLD, 0)
    assert publication.document["rows"][0]["player"] == "Corinne"


def test_change_of_an_evening_leaves_the_figures_of_what_is_over(event: Event) -> None:
    close(event)
    note_change(event=event, kind="attendance", by="host", now=NOW, facts={"date": "2025-11-06"})
    publish(event.pk, now=NOW)
    assert order(newest(event)) == OLD
