"""A penalty or a bonus tells what it does to its evening and to the season before it is saved."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import pytest
import time_machine
from django.test import Client

from tests.support.builders import by_tests, hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.comparisons.stored_rows import rows_of_everything
from tests.support.evening_work import work_on_evenings
from tests.support.module_scope import made_once
from tests.support.pages.adjustments import digest_in, save_previewed
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.models.standings import LedgerLine
from tournaments.selectors.events.meetings import LULL, meeting_on
from tournaments.selectors.standings.evening_results import results_of
from tournaments.services.hands.close_tables import move_game
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.rounds import move_round

LEDGER = f"{ADDRESS}/ledger"
EVENING = date(2025, 11, 6)
DAY = "Thursday 6 November 2025"
LINE = {"entrant": "RL02", "kind": "penalty", "amount": "3", "reason": "Late by an hour."}
OF_EVENING = {**LINE, "meeting": EVENING.isoformat()}
SCHEME = {"primary": "placement_points", "placement": {"4": [5, 3, 2, 1]}}


@dataclass(frozen=True, slots=True)
class Night:
    """An evening of one table, which Ben has won; Ada is third, and its round is closed."""

    cast: Cast
    event: Event

    @property
    def dirk(self) -> Client:
        return self.cast.client("dirk")


def make_night(cast: Cast) -> Night:
    event = league(cast.riverside, settings=SCHEME)
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    game = table(event, people, on=EVENING)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    move_game(by_tests(), game, to="complete")
    move_round(by_tests(), Round.objects.get(event=event), to="closed")
    work_on_evenings(event, NOW)
    return Night(cast, event)


night_once, night = made_once("night", make_night)


def end(night: Night) -> None:
    end_evening(by_tests(), meeting_on(night.event, EVENING))
    work_on_evenings(night.event, NOW)


def preview(night: Night, fields: Mapping[str, str], address: str = f"{LEDGER}/new") -> str:
    answer = night.dirk.post(address, fields)
    assert answer.status_code == 200
    return text_of(answer)


def test_penalty_of_an_evening_previews_both_tables_and_writes_nothing(night: Night) -> None:
    before = rows_of_everything()
    page = preview(night, OF_EVENING)
    assert "Ben (RL02): −3 place points. “Late by an hour.”" in page
    assert f"It counts in the evening of {DAY} and in the season." in page
    assert (
        f"Cem would be first so far in the evening of {DAY}. First now: Ben. Cem: 2 → 1 "
        "Ada: 3 → 2= Ben: 1 → 2="
    ) in page
    assert "3 places change" in page
    assert rows_of_everything() == before


def test_penalty_of_the_season_changes_no_evening(night: Night) -> None:
    page = preview(night, LINE)
    assert "It counts in the season only." in page
    assert "3 places change" in page
    assert "evening of" not in page


def test_bonus_raises_and_one_that_changes_no_place_says_so(night: Night) -> None:
    page = preview(night, {**OF_EVENING, "kind": "bonus"})
    assert "Ben (RL02): +3 place points." in page
    assert f"No place changes in the evening of {DAY}." in page
    assert "Result" not in page


def test_saved_is_what_was_previewed(night: Night) -> None:
    saved = save_previewed(night.dirk, f"{LEDGER}/new", OF_EVENING)
    assert saved.status_code == 302
    line = LedgerLine.objects.get()
    assert (line.reason, line.meeting) == (
        "Late by an hour.",
        meeting_on(night.event, EVENING),
    )


def test_hand_that_came_meanwhile_shows_the_new_preview_and_saves_nothing(night: Night) -> None:
    digest = digest_in(night.dirk.post(f"{LEDGER}/new", OF_EVENING))
    game = Game.objects.get(event=night.event)
    hand(game, 1, [4, 2, 1, 6], queen=3, based_on=1, reason="Exchanged.")
    answer = night.dirk.post(f"{LEDGER}/new", {**OF_EVENING, "previewed": digest, "go": "save"})
    assert answer.status_code == 409
    page = text_of(answer)
    assert "Not saved: the standings have changed" in page
    assert "First now: Cem." not in page
    assert not LedgerLine.objects.exists()
    again = {**OF_EVENING, "previewed": digest_in(answer), "go": "save"}
    assert night.dirk.post(f"{LEDGER}/new", again).status_code == 302


def test_back_leads_to_the_form_as_it_was_entered(night: Night) -> None:
    sent = {**OF_EVENING, "previewed": "0" * 64, "go": "back"}
    page = night.dirk.post(f"{LEDGER}/new", sent).content.decode()
    assert "Late by an hour.</textarea>" in page
    assert 'value="3"' in page
    assert not LedgerLine.objects.exists()


def test_what_is_refused_is_refused_before_the_preview(night: Night) -> None:
    answer = night.dirk.post(f"{LEDGER}/new", {**OF_EVENING, "amount": "0"})
    assert answer.status_code == 422
    assert digest_in(answer) == ""
    assert not LedgerLine.objects.exists()


def test_withdrawal_previews_both_tables_too(night: Night) -> None:
    penalize(night.event, "RL02", "3", "Late.", meeting=EVENING)
    work_on_evenings(night.event, NOW)
    address = f"{LEDGER}/1/withdraw"
    page = preview(night, {"reason": "The bus was late."}, address)
    assert "Ben: −3 place points. “Late.”" in page
    assert f"Ben would be first so far in the evening of {DAY}. First now: Cem." in page
    assert LedgerLine.objects.get().withdrawn_at is None
    assert save_previewed(night.dirk, address, {"reason": "The bus was late."}).status_code == 302
    assert LedgerLine.objects.get().withdrawn_reason == "The bus was late."


NEW_NUMBER = (
    "Result 1 of the evening is out. Result 2 follows when nothing was changed for 15 minutes."
)
MAIL = (
    f"{NEW_NUMBER} The players of the evening then get a mail about it, and chats and programs a "
    "message."
)
NO_MAIL = f"{NEW_NUMBER} It is announced to nobody."


@pytest.mark.parametrize(("days", "says"), [(3, MAIL), (4, NO_MAIL)])
def test_number_and_mail_that_follow_are_said_and_the_mail_for_three_days(
    night: Night, clock: time_machine.Traveller, days: int, says: str
) -> None:
    assert NEW_NUMBER not in preview(night, OF_EVENING), "it has no result yet"
    end(night)
    clock.move_to(NOW + timedelta(days=days))
    page = preview(night, OF_EVENING)
    assert f"Cem would have won the evening of {DAY}." in page
    assert says in page
    assert NEW_NUMBER not in preview(night, LINE), "a penalty of the season is of no evening"


def test_value_without_a_place_makes_the_number_that_is_said(
    night: Night, clock: time_machine.Traveller
) -> None:
    end(night)
    bonus = {**OF_EVENING, "kind": "bonus"}
    assert MAIL in preview(night, bonus)
    assert save_previewed(night.dirk, f"{LEDGER}/new", bonus).status_code == 302
    assert drawn(night, NOW + LULL) == [2, 1]


def drawn(night: Night, at: datetime) -> list[int]:
    work_on_evenings(night.event, NOW)
    work_on_evenings(night.event, at)
    return [result.number for result in results_of(meeting_on(night.event, EVENING))]


def test_correction_of_a_hand_says_the_number_and_the_mail_too(
    night: Night, clock: time_machine.Traveller
) -> None:
    end(night)
    host = Host(night.dirk, f"{ADDRESS}/tables/r1t1/hands/1/edit")
    assert MAIL in text_of(host.send(typed((4, 2, 1, 6), queen=4)))
