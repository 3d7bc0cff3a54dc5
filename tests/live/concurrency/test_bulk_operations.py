"""Actions that take many rows, while hosts enter: nobody waits in a ring, nothing half done."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from tests.support.builders import by_tests, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.imports.imports import imported
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Action, Within, get_game, host, sheets, tables
from tests.support.live.player_changes import Night
from tests.support.scenarios.playoffs import look
from tests.support.scenarios.standings_under_review import decided
from tournaments.domain.event_settings import settings_of
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.jobs import Deadline
from tournaments.models.rounds import Round
from tournaments.models.standings import Publication
from tournaments.selectors.standings.publications import review_of
from tournaments.services.events.events import move_event
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.playoffs.director_actions import answer_playoff
from tournaments.services.previewing.run_preview import ChosenHands, preview, save_as_previewed
from tournaments.services.publishing.schedule_playoffs import has_open_question
from tournaments.services.rounds.rounds import change_round_game, extend_round, move_round
from tournaments.services.rounds.seating import seat_table
from tournaments.services.verification.event import verify_event, verify_publication
from tournaments.tasks import run_deadline_job

pytestmark = pytest.mark.pg

AFTER = NOW + timedelta(hours=2)


def round_of(event: Event, number: int = 1) -> Round:
    return Round.objects.select_related("club", "event").get(event=event, number=number)


def test_all_tables_close_while_their_hosts_save_hands(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(1, 17)))
    for number in range(1, 1 + short_or_long(2, 5)):
        with within():
            games = tables(event, people, number)
            round_ = round_of(event, number)
        close = partial(close_tables, by_tests(), round_)
        hosts = [host(game, range(2, 6)) for game in games[1:]]
        assert within.at_once(*hosts, close) == []
        with within():
            states = Game.objects.filter(pk__in=games).values_list("state", flat=True)
            assert list(states) == ["complete"] * 4
            assert Hand.objects.filter(game__in=games).count() == 4 + 3 * 4


def test_an_import_adds_to_tables_where_hosts_save_hands(within: Within, tmp_path: Path) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(1, 9)))
    for number in range(1, 1 + short_or_long(4, 8), 2):
        with within():
            games = tables(event, people, number)
        path = tmp_path / f"{number}.csv"
        path.write_text(sheets(people, {number + 1: [1, 2], number: [50, 51]}))

        def bring(path: Path = path) -> None:
            assert imported(path).accepted == 8

        hosts = [host(game, range(2, 8)) for game in games]
        assert within.at_once(bring, *hosts) == []
        with within():
            assert Hand.objects.filter(game__in=games).count() == 2 * (1 + 6 + 2)


def test_the_clock_makes_a_round_final_or_a_director_opens_it_again(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside, settings={"correction_window_h": 1})
        tables(event, players(event.club, *(f"Player {at}" for at in range(1, 17))), 1)
        close_tables(by_tests(), round_of(event))
        move_round(by_tests(), round_of(event), to="closed")
    for _ in range(short_or_long(3, 12)):
        with within():
            due = Deadline.objects.get(event=event, kind="finalise_round").pk
        clock = partial(run_deadline_job, due, now=AFTER)

        def reopen() -> None:
            move_round(by_tests(AFTER), round_of(event), to="playing", reason="x")

        assert within.at_once(clock, reopen) == []
        with within():
            assert round_of(event).state == "playing"
            assert set(Game.objects.values_list("state", flat=True)) == {"complete"}
            move_round(by_tests(), round_of(event), to="closed")


def test_a_closed_event_keeps_no_round_that_is_played(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        tables(event, players(event.club, *"ABCD"), 1)
        close_tables(by_tests(), round_of(event))
        move_round(by_tests(), round_of(event), to="closed")

    close = partial(move_event, by_tests(), event, to="closed", reason="over")

    def reopen() -> None:
        move_round(by_tests(), round_of(event), to="playing", reason="a mistake")

    for _ in range(short_or_long(3, 20)):
        refused = within.at_once(close, reopen)
        with within():
            stands = Event.objects.get(pk=event.pk).state, round_of(event).state
            assert (stands, refused) in (
                (("closed", "closed"), ["event_is_over"]),
                (("open", "playing"), ["rounds_still_open"]),
            )
            if stands == ("closed", "closed"):
                move_event(by_tests(), event, to="open", reason="again")
            else:
                move_round(by_tests(), round_of(event), to="closed")


def test_a_correction_beside_answers_publishing_and_closing(within: Within) -> None:
    """Whoever comes first, what is served follows from the sums, or is under review."""
    with within():
        cast = enter_the_cast()
        event = decided(cast)
        first = Publication.objects.filter(event=event).latest("number").number
    for turn in range(1, 1 + short_or_long(3, 8)):
        totals = [20, 20, 20, 44] if turn % 2 == 0 else [20, 20, 24, 40]

        def correct(turn: int = turn, totals: Sequence[int] = totals) -> None:
            game = get_game(event=event, counts=True)

            def change() -> object:
                return record_totals(
                    by_tests(), game, entry={"points": totals}, source="host",
                    based_on=turn, reason="Misread.", hands=4,
                )  # fmt: skip

            at = ChosenHands(game.event, "r1t1", 0)
            save_as_previewed(at, change, digest=preview(at, change, now=NOW).digest, now=NOW)

        answer = partial(
            answer_playoff, by_tests(), event, number=1, answer="keep", reason="Played."
        )
        final = partial(move_event, by_tests(), event, to="final")
        workers = [partial(look, event)] * 2
        refused = within.at_once(correct, answer, *workers, final)
        assert set(refused) <= {
            "playoff_not_asked", "playoffs_undecided", "playoffs_looked_for", "preview_outdated",
            "state_not_allowed", "event_is_final",
        }  # fmt: skip
        with within():
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
    with within():
        assert Publication.objects.filter(event=event).latest("number").number >= first


def test_two_buttons_pressed_at_once_extend_a_round_once_during_entry(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside, settings={"round_minutes": 40})
        games = tables(event, players(event.club, *(f"Player {at}" for at in range(1, 17))), 1)

    def press() -> None:
        extend_round(by_tests(), round_of(event), minutes=5, based_on=0)

    assert within.at_once(press, press, host(games[0], range(2, 6))) == ["round_extended"]
    with within():
        assert Round.objects.get(event=event).extra_minutes == 5
        assert AuditLine.objects.filter(act="extend_round").count() == 1


def test_hands_are_scored_and_tables_seated_by_one_game(within: Within) -> None:
    night = Night(within)
    with within():
        more = players(night.event.club, "Mo", "Nell", "Ole", "Pia")

    def play(variant: str, **options: object) -> Action:
        return lambda: change_round_game(
            by_tests(), night.round(), variant=variant, options=options
        )

    def seat() -> None:
        seat_table(by_tests(), night.event, round_number=night.number, players=more)

    for night.number in range(1, 1 + short_or_long(3, 20)):
        with within():
            for at in (1, 2):
                people = night.people[4 * at - 4 : 4 * at]
                table(night.event, people, round_number=night.number, table_number=at)
        changes = [play("hearts", jack_of_diamonds=-10), play("hearts", pass_count=4), play("")]
        hands = [night.enter(1), night.enter(1, at=2)]
        refused = within.at_once(*hands, *changes, seat)
        assert set(refused) <= {"table_has_hands", "missing_cards"}, refused
        with within():
            games = Game.objects.filter(event=night.event, table__round__number=night.number)
            assert len(set(games.values_list("snapshot", flat=True))) == 1
            verified = verify_event(night.event, repair=False, now=NOW, report=lambda words: None)
            assert verified.found.differences == []
