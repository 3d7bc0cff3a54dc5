"""Acts that take many rows, at one moment with hosts: nobody waits in a ring, nothing half done.

A transaction that a deadlock ended is made once more; here it is not, so that each one is seen.
"""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS, counts, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.imports.imports import imported
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import HEARTS, Act, at_once, project, tables
from tests.support.live.project import LiveProject
from tests.support.scenarios.playoffs import look
from tests.support.scenarios.standings_under_review import decided
from tournaments.domain.event_settings import settings_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Round
from tournaments.models.outbox import Deadline
from tournaments.models.standings import Publication
from tournaments.selectors.standings.standings import review_of
from tournaments.services.events.events import move_event
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.record_entry import record_entry, record_totals
from tournaments.services.playoffs.director_actions import answer_playoff
from tournaments.services.previewing.run_preview import HandRef, preview, save_as_previewed
from tournaments.services.publishing.schedule_playoffs import has_open_question
from tournaments.services.rounds.rounds import move_round
from tournaments.services.verification.event import verify_publication
from tournaments.tasks import run_deadline_job

__all__ = ["project"]

pytestmark = pytest.mark.pg

AFTER = NOW + timedelta(hours=2)


def host(game: int, numbers: Sequence[int]) -> Act:
    def save() -> None:
        games = Game.objects.select_related("event", "club", "snapshot", "table__round")
        for number in numbers:
            record_entry(
                actor=TESTS, game=games.get(pk=game), number=number, entry=counts(HEARTS, 3),
                now=NOW, source="host",
            )  # fmt: skip

    return save


def round_of(event: Event, number: int = 1) -> Round:
    return Round.objects.select_related("club", "event").get(event=event, number=number)


def test_all_tables_close_while_their_hosts_save_hands(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(1, 17)))
    for number in range(1, 1 + short_or_long(2, 5)):
        with inside(project):
            games = tables(event, people, number)

        def close(number: int = number) -> None:
            close_tables(actor=TESTS, round_=round_of(event, number), now=NOW)

        hosts = [host(game, range(2, 6)) for game in games[1:]]
        assert at_once(inside, project, [*hosts, close]) == []
        with inside(project):
            states = Game.objects.filter(pk__in=games).values_list("state", flat=True)
            assert list(states) == ["complete"] * 4
            assert Hand.objects.filter(game__in=games).count() == 4 + 3 * 4


def test_an_import_adds_to_tables_where_hosts_save_hands(
    inside: Inside, project: LiveProject, tmp_path: Path
) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(1, 9)))
    for number in range(1, 1 + short_or_long(4, 8), 2):
        with inside(project):
            games = tables(event, people, number)
        path = tmp_path / f"{number}.csv"
        path.write_text(_sheets(people, number))

        def bring(path: Path = path) -> None:
            assert imported(path).accepted == 8

        hosts = [host(game, range(2, 8)) for game in games]
        assert at_once(inside, project, [bring, *hosts]) == []
        with inside(project):
            assert Hand.objects.filter(game__in=games).count() == 2 * (1 + 6 + 2)


def _sheets(people: Sequence[Player], number: int) -> str:
    """Two hands of new tables of the next round, and two more of each table of this one."""
    rows = ["date,round,table,hand,seat,player_id,hearts,queen_spades"]
    for round_number, hands in ((number + 1, (1, 2)), (number, (50, 51))):
        for at, own in enumerate((people[:4], people[4:]), start=1):
            for of in hands:
                rows += [
                    f"2025-11-06,{round_number},{at},{of},{'NESW'[seat]},{one.player_id},"
                    f"{HEARTS[seat]},{int(seat == 3)}"
                    for seat, one in enumerate(own)
                ]
    return "\n".join(rows)


def test_the_clock_makes_a_round_final_or_a_director_opens_it_again(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside, settings={"correction_window_h": 1})
        people = players(event.club, *(f"Player {at}" for at in range(1, 17)))
        tables(event, people, 1)
        close_tables(actor=TESTS, round_=round_of(event), now=NOW)
        move_round(actor=TESTS, round_=round_of(event), to="closed", now=NOW)
    for _ in range(short_or_long(3, 12)):
        with inside(project):
            due = Deadline.objects.get(event=event, kind="finalise_round").pk

        def clock(due: int = due) -> None:
            run_deadline_job(due, now=AFTER)

        def reopen() -> None:
            move_round(actor=TESTS, round_=round_of(event), to="playing", now=AFTER, reason="x")

        assert at_once(inside, project, [clock, reopen]) == []
        with inside(project):
            assert round_of(event).state == "playing"
            assert set(Game.objects.values_list("state", flat=True)) == {"complete"}
            move_round(actor=TESTS, round_=round_of(event), to="closed", now=NOW)


def test_a_closed_event_keeps_no_round_that_is_played(inside: Inside, project: LiveProject) -> None:
    with inside(project):
        event = league(enter_the_cast().riverside)
        tables(event, players(event.club, *"ABCD"), 1)
        close_tables(actor=TESTS, round_=round_of(event), now=NOW)
        move_round(actor=TESTS, round_=round_of(event), to="closed", now=NOW)

    def close() -> None:
        move_event(actor=TESTS, event=event, to="closed", now=NOW, reason="over")

    def reopen() -> None:
        move_round(actor=TESTS, round_=round_of(event), to="playing", now=NOW, reason="a mistake")

    for _ in range(short_or_long(3, 20)):
        refused = at_once(inside, project, [close, reopen])
        with inside(project):
            stands = Event.objects.get(pk=event.pk).state, round_of(event).state
            assert (stands, refused) in (
                (("closed", "closed"), ["event_is_over"]),
                (("open", "playing"), ["rounds_still_open"]),
            )
            if stands == ("closed", "closed"):
                move_event(actor=TESTS, event=event, to="open", now=NOW, reason="again")
            else:
                move_round(actor=TESTS, round_=round_of(event), to="closed", now=NOW)


def test_a_correction_beside_answers_publishing_and_closing(
    inside: Inside, project: LiveProject
) -> None:
    """Whoever comes first, what is served follows from the sums, or is under review."""
    with inside(project):
        cast = enter_the_cast()
        event = decided(cast)
        first = Publication.objects.filter(event=event).latest("number").number
    for turn in range(1, 1 + short_or_long(3, 8)):
        totals = [20, 20, 20, 44] if turn % 2 == 0 else [20, 20, 24, 40]

        def correct(turn: int = turn, totals: Sequence[int] = totals) -> None:
            games = Game.objects.select_related("event__club", "club", "snapshot", "table__round")
            game = games.get(event=event, counts=True)

            def change() -> object:
                return record_totals(
                    actor=TESTS, game=game, entry={"points": totals}, now=NOW,
                    source="host", based_on=turn, reason="Misread.", hands=4,
                )  # fmt: skip

            at = HandRef(game.event, "r1t1", 0)
            looked = preview(at, change, now=NOW)
            save_as_previewed(at, change, digest=looked.digest, now=NOW)

        def answer() -> None:
            answer_playoff(
                actor=TESTS, event=event, number=1, answer="keep", reason="Played.", now=NOW
            )

        def final() -> None:
            move_event(actor=TESTS, event=event, to="final", now=NOW)

        def workers() -> None:
            look(event)

        refused = at_once(inside, project, [correct, answer, workers, workers, final])
        assert set(refused) <= {
            "playoff_not_asked", "playoffs_undecided", "playoffs_looked_for", "preview_outdated",
            "state_not_allowed", "event_is_final",
        }  # fmt: skip
        with inside(project):
            if "preview_outdated" in refused:
                correct()
            look(event)
            now = Event.objects.select_related("club", "season").get(pk=event.pk)
            review = review_of(now)
            assert (review is not None) == has_open_question(now, settings_of(now)), turn
            if review is None:
                assert verify_publication(now, repair=False, now=NOW) == "same"
            else:
                assert review.playoffs == (1,)
    with inside(project):
        assert Publication.objects.filter(event=event).latest("number").number >= first
