"""What members are told of the end of a challenge, and of a correction of its game."""

from datetime import timedelta

import pytest

from tests.support.builders import by_tests, finished, publish_all
from tests.support.cast import NOW, Cast
from tests.support.scenarios.challenges import LATER, answer, issue, result
from tests.support.scenarios.ladders import ladder, order, seated
from tests.support.scenarios.mails import give_addresses
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Outbox
from tournaments.models.notices import Notice
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.entrants import get_entrant
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.selectors.notices.notice_messages import NoticeText
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.ladders.challenges import answer_challenge
from tournaments.services.ladders.log import sync_log
from tournaments.services.ladders.members import move_entrant

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(cast: Cast) -> Event:
    return ladder(cast, now=NOW)


def text_for(cast: Cast, name: str, kind: str = "challenge_answered") -> NoticeText:
    notice = Notice.objects.filter(user=cast.users[name], kind=kind).latest("pk")
    text = notice_text(kind, notice.facts, cast.users[name])
    assert text is not None
    return text


def test_end_by_withdrawal_names_who_left(cast: Cast, event: Event) -> None:
    issue(cast, event, "E", "C")
    move_entrant(by_tests(LATER), get_entrant(event, "C"), to="withdrawn", reason="Moved.")
    text = text_for(cast, "E")
    assert text.title == "The challenge of Member E to Member C ended without a winner"
    assert text.paragraphs == ("Ladder", "Member C left the ladder.")


def test_void_challenge_is_told_to_both_with_the_reason(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    answer(cast, event, "E", "confirmed")
    answer_challenge(
        cast.operation("dirk", LATER), challenge_at(event, 1), to="void", reason="Not their game."
    )
    for name in "HE":
        text = text_for(cast, name)
        assert text.title == "The challenge of Member H to Member E no longer counts"
        assert text.paragraphs == ("Ladder", "Reason: “Not their game.”")


def test_correction_of_totals_names_the_challenge_that_it_turned(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    answer(cast, event, "E", "confirmed")
    give_addresses()
    game = Game.objects.select_related("event__club", "club", "snapshot", "table__round").get()
    points = {"points": [48, 20, 10]}
    record_totals(
        cast.operation("dirk", LATER + timedelta(hours=1)), game, entry=points, hands=None,
        key=None, source="host", based_on=1, reason="Read again.",
    )  # fmt: skip
    sync_log(event, LATER)
    mail = Outbox.objects.get(kind="correction", user=cast.users["H"])
    text = notice_text("correction", mail.payload["facts"], cast.users["H"])
    assert text is not None
    assert text.title == "The totals at your table were corrected"
    assert text.rows == (("Member H", "48"), ("Member I", "20"), ("Member E", "10"))
    assert text.paragraphs[-1] == (
        "The correction turns the challenge of Member H to Member E round: Member E finished ahead."
    )


def test_the_winner_of_a_declined_challenge_reads_first_that_she_won(
    cast: Cast, event: Event
) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "declined")
    text = text_for(cast, "H")
    assert (text.headline, text.title) == (
        "You won against Member E.",
        "Member E declined the challenge of Member H",
    )
    facts = Notice.objects.filter(user=cast.users["H"]).latest("pk").facts
    of_loser = notice_text("challenge_answered", facts, cast.users["E"])
    assert of_loser is not None
    assert of_loser.headline == ""


def test_a_forgiven_refusal_is_no_win(cast: Cast) -> None:
    event = ladder(cast, now=NOW, forgive_first_refusal=True)
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "declined")
    assert text_for(cast, "H").headline == ""


def test_the_result_of_the_evening_begins_with_the_challenge(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    publish_all(event, now=LATER)
    facts = {"meeting": Meeting.objects.get(event=event).pk}
    headlines = []
    for name in "HEI":
        text = notice_text("digest", facts, cast.users[name])
        assert text is not None
        headlines.append(text.headline)
    assert headlines[:2] == ["You won against Member E.", "Member H finished ahead of you."]
    assert "won" not in headlines[2], "I sat at the table, and challenged nobody"


def test_challenger_who_has_passed_the_other_since_reads_that_a_win_changes_no_places(
    cast: Cast, event: Event
) -> None:
    publish_all(event)
    issue(cast, event, "H", "E")
    assert "If Member H wins: Member H place 8 → 5, Member E place 5 → 6." in str(
        text_for(cast, "E", "challenge_received").paragraphs
    )
    finished(seated(event, "HFGE", on=LATER.date()))
    publish_all(event, now=LATER)
    assert order(event).index("H") < order(event).index("E")
    paragraphs = text_for(cast, "E", "challenge_received").paragraphs
    assert "A win of Member H changes no places." in paragraphs


def test_name_that_ends_with_a_stop_has_no_second_one_behind_it(cast: Cast, event: Event) -> None:
    Player.objects.filter(name="Member E").update(name="Anton S.")
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "declined")
    assert text_for(cast, "H").headline == "You won against Anton S."
