"""What a computation that raises does to its event alone, and what a final event says."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.standings import Publication
from tournaments.services.events.events import move_event
from tournaments.services.hands.close_tables import move_game
from tournaments.services.publishing import publications as publishing_publish_event
from tournaments.services.publishing import standings
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import publish_event

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
EVENT = "/clubs/riverside/events/league"


def night(cast: Cast, slug: str, **settings: object) -> Game:
    event = league(cast.riverside, slug=slug, settings=settings)
    game = table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publish_event(event.pk)
    return game


def close(game: Game, *states: str) -> Event:
    move_game(actor=TESTS, game=game, to="complete", now=timezone.now())
    move_round(actor=TESTS, round_=game.table.round, to="closed", now=timezone.now())
    event = game.event
    for state in states:
        event = move_event(actor=TESTS, event=event, to=state, now=timezone.now())
    publishing_publish_event.publish(event.pk, now=timezone.now())
    return event


def newest(event: Event) -> int:
    return Publication.objects.filter(event=event).latest("number").number


def test_poison_event_is_parked_after_three_tries_and_shown_with_a_button(
    cast: Cast, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, other = night(cast, "league"), night(cast, "cup")
    meant = standings.draft_standings

    def poison(event: Event, *args: Any, **more: Any) -> Any:
        if event.pk == broken.event_id:
            raise RuntimeError("poison")
        return meant(event, *args, **more)

    monkeypatch.setattr(publishing_publish_event, "draft_standings", poison)
    for game in (broken, other):
        hand(game, 2, [0, 13, 0, 0], queen=0)
    for tried in (1, 2, 3):
        for game in (broken, other):
            publish_event(game.event_id)
        row = Dirty.objects.get(scope=event_scope(broken.event_id))
        assert (row.attempts, row.parked) == (tried, tried == 3)
        clock.shift(timedelta(seconds=5))
    assert (newest(broken.event), newest(other.event)) == (1, 2)
    dirk = cast.client("dirk")
    page = text_of(dirk.get(f"{EVENT}/direct"))
    assert "Publishing the standings failed three times. RuntimeError: poison" in page
    assert "three tries" not in text_of(dirk.get("/clubs/riverside/events/cup/direct"))
    assert cast.client("hanna").post(f"{EVENT}/direct", {"try_again": "yes"}).status_code == 403
    monkeypatch.undo()
    publish_event(broken.event_id)
    assert newest(broken.event) == 1
    again = dirk.post(f"{EVENT}/direct", {"try_again": "yes"}, follow=True)
    assert "The job will be tried again." in text_of(again)
    publish_event(broken.event_id)
    assert newest(broken.event) == 2
    assert "three tries" not in text_of(dirk.get(f"{EVENT}/direct"))


def test_closed_event_says_until_when_it_is_provisional_and_what_it_waits_for(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    close(night(cast, "league", correction_window_h=48), "closed")
    anybody, dirk = cast.client(), cast.client("dirk")
    assert "Provisional until" in text_of(anybody.get(EVENT))
    assert "Then the event becomes final" in text_of(dirk.get(f"{EVENT}/direct"))
    early = dirk.post(f"{EVENT}/direct", {"to": "final"})
    assert early.status_code == 422
    assert "Results can be corrected until 2025-11-08 21:00 UTC" in text_of(early)
    Hand.objects.update(state="disputed")
    says = "Round 1 has a disputed hand. Resolve it first."
    assert f"Not final yet: {says}" in text_of(anybody.get(EVENT))
    assert says in text_of(dirk.get(f"{EVENT}/direct"))
    clock.shift(timedelta(hours=48))
    late = dirk.post(f"{EVENT}/direct", {"to": "final"})
    assert late.status_code == 422
    assert says in text_of(late)
    assert Event.objects.get().state == "closed"


def test_final_event_and_its_publications_say_how_many_hands_were_corrected(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    game = night(cast, "league")
    hand(game, 1, [4, 2, 1, 6], queen=3, based_on=1, reason="Before it was final.")
    close(game, "closed", "final")
    anybody = cast.client()
    assert "corrected" not in text_of(anybody.get(EVENT))
    before = newest(game.event)
    hand(game, 1, [4, 1, 2, 6], queen=3, based_on=2, reason="The paper says so.")
    clock.shift(timedelta(seconds=5))  # a burst is gathered for a moment
    publish_event(game.event_id)
    assert "Final 1 hand corrected" in text_of(anybody.get(EVENT))
    now = newest(game.event)
    assert now == before + 1
    assert "1 hand corrected" in text_of(anybody.get(f"{EVENT}/publications/{now}"))
    old = text_of(anybody.get(f"{EVENT}/publications/{before}"))
    assert f"Superseded by {now}" in old
    assert "1 hand corrected" not in old
    log = text_of(anybody.get(f"{EVENT}/changes"))
    assert log.index("“The paper says so.”") < log.index("Event made final")
    assert log.index("Event made final") < log.index("“Before it was final.”")
    assert f"In the standings since publication {now}" in log


def test_change_log_is_read_a_page_at_a_time(cast: Cast) -> None:
    game = night(cast, "league")
    for revision in range(1, 53):
        numbers = [4, 1, 2, 6] if revision % 2 else [4, 2, 1, 6]
        hand(game, 1, numbers, queen=3, based_on=revision, reason=f"Look {revision}.")
    anybody = cast.client()
    first = anybody.get(f"{EVENT}/changes").content.decode()
    assert first.count("“Look ") == 50
    assert "“Look 52.”" in first
    earlier = first.partition('href="?before=')[2].partition('"')[0]
    second = anybody.get(f"{EVENT}/changes?before={earlier}").content.decode()
    assert second.count("“Look ") == 2
    assert "“Look 1.”" in second
    assert "Newest changes" in second
