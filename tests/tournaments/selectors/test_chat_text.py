"""Texts for a chat: their lines, their names, their queries."""

from datetime import date, datetime, timedelta
from textwrap import dedent

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scoring.json_types import JsonDict
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import work_on_evenings
from tests.support.evenings import check_in, evening
from tests.support.history import make_all
from tests.support.scenarios.challenges import answer, issue, result
from tests.support.scenarios.ladders import climbing
from tests.support.scenarios.ladders import ladder as climbing_ladder
from tournaments.errors import Missing
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Attendance, Round
from tournaments.policy import ANYBODY
from tournaments.selectors import chat_text
from tournaments.selectors.attendance.attendance_list import AttendanceList, AttendanceRow
from tournaments.selectors.chat_text import (
    WIDTH,
    challenges_text,
    expected_text,
    ladder_text,
    place_lines,
    result_text,
    seating_text,
    standings_text,
)
from tournaments.selectors.events.events import get_event, get_round
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.events.adjustments import sit_out
from tournaments.services.events.entrants import add_entrant
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.people.erase_player import erase_player
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.evenings import end_evening

FIRST, SECOND = date(2025, 11, 6), date(2025, 11, 13)
SITE = settings.SITE_URL

pytestmark = pytest.mark.django_db


def lines(text: str) -> list[str]:
    every = text.splitlines()
    assert all(len(line) <= WIDTH for line in every if not line.startswith(SITE))
    return every


def two_evenings(cast: Cast) -> Event:
    """After the first one the order is A B C D, after the second one A D B C."""
    people = players(cast.riverside, "Ana K.", "Ben K.", "Cleo K.", "Dirk K.")
    event = league(cast.riverside)
    hand(table(event, people, on=FIRST), 1, [1, 2, 4, 6], queen=3)
    publish(event.pk, now=NOW)
    later = table(event, people, round_number=2, on=SECOND)
    for number in (1, 2, 3):
        hand(later, number, [1, 5, 7, 0], queen=2)
    publish(event.pk, now=NOW + timedelta(days=7))
    make_all(event.pk)
    return event


def test_result_has_the_first_places_and_who_moved_since_the_evening_before(cast: Cast) -> None:
    event = two_evenings(cast)
    assert standings_text(event) == dedent(f"""\
        Riverside: League, standings after 13 Nov 2025
        1. Ana K.  1.00
        2. Ben K.  4.25
        3. Dirk K.  4.75
        4. Cleo K.  16.00
        Up: Dirk K. 4→3
        Down: Cleo K. 3→4
        {SITE}/clubs/riverside/events/league""")


def test_text_of_an_evening_has_its_own_places_before_those_of_the_season(cast: Cast) -> None:
    event = two_evenings(cast)
    second = meeting_on(event, SECOND)
    assert result_text(event, second, now=NOW + timedelta(days=7)) == dedent(f"""\
        Riverside: League, evening of 13 Nov 2025, so far
        1. Dirk K.  0.00
        2. Ana K.  1.00
        3. Ben K.  5.00
        4. Cleo K.  20.00
        The season after it:
        1. Ana K.  1.00
        2. Ben K.  4.25
        3. Dirk K.  4.75
        4. Cleo K.  16.00
        Up: Dirk K. 4→3
        Down: Cleo K. 3→4
        {SITE}/clubs/riverside/events/league/meetings/2025-11-13""")
    Round.objects.filter(event=event).update(state="closed")
    day_after = NOW + timedelta(days=8)
    assert lines(result_text(event, second, now=day_after))[0] == (
        "Riverside: League, evening of 13 Nov 2025"
    )


def close_second_evening(event: Event) -> datetime:
    """End the second evening and draw its result; return when."""
    ended_at = NOW + timedelta(days=7)
    Round.objects.filter(event=event).update(state="closed", closed_at=ended_at)
    end_evening(by_tests(ended_at), meeting_on(event, SECOND))
    work_on_evenings(event, ended_at)
    return ended_at


def test_text_of_a_correction_is_of_the_result_alone_until_the_next_is_drawn(cast: Cast) -> None:
    event = two_evenings(cast)
    ended_at = close_second_evening(event)
    at = ended_at + timedelta(hours=2)
    game = Game.objects.get(event=event, table__round__number=2)
    for number in (1, 2, 3):
        sheet = [0, 5, 7, 1]
        hand(game, number, sheet, queen=2, based_on=1, reason="Exchanged.", now=at)
    second = meeting_on(event, SECOND)
    head = "Riverside: League, evening of 13 Nov 2025"
    link = f"{SITE}/clubs/riverside/events/league/meetings/2025-11-13"
    first = ["1. Dirk K.  0.00", "2. Ana K.  1.00", "3. Ben K.  5.00", "4. Cleo K.  20.00"]
    waiting = "Result 1 is being corrected: another may follow."
    assert lines(result_text(event, second, now=at)) == [head, waiting, *first, link]
    work_on_evenings(event, at)
    waiting = "Result 1 is being corrected: another may follow at 23:15."
    assert lines(result_text(event, second, now=at)) == [head, waiting, *first, link]
    work_on_evenings(event, at + timedelta(minutes=15))
    corrected = lines(result_text(event, second, now=at))
    assert corrected[:3] == [head, "1. Ana K.  0.00", "2. Dirk K.  1.00"]
    assert "The season after it:" in corrected


def test_erased_winner_is_no_correction_and_no_name(cast: Cast) -> None:
    event = two_evenings(cast)
    at = close_second_evening(event) + timedelta(hours=2)
    dirk = Player.objects.get(club=event.club, name="Dirk K.")
    erase_player(by_tests(at), dirk, confirmed=dirk.player_id, reason="Asked for it.")
    second = meeting_on(event, SECOND)
    event.refresh_from_db()
    for _again in range(2):
        text = lines(result_text(event, second, now=at))
        assert text[:2] == ["Riverside: League, evening of 13 Nov 2025", "1. Player RL04  0.00"]
        assert "Dirk" not in "".join(text)
        work_on_evenings(event, at)


def test_evening_whose_hands_are_all_deleted_has_no_text(cast: Cast) -> None:
    event = two_evenings(cast)
    at = close_second_evening(event) + timedelta(hours=2)
    game = Game.objects.get(event=event, table__round__number=2)
    for number in (1, 2, 3):
        void_hand(by_tests(at), game, number=number, based_on=1, reason="Practice.")
    work_on_evenings(event, at)
    with pytest.raises(Missing):
        result_text(event, meeting_on(event, SECOND), now=at)


def test_five_who_moved_are_named_and_the_others_counted(cast: Cast) -> None:
    people = players(cast.riverside, *(f"P{n}" for n in range(1, 13)))
    event = league(cast.riverside)
    for number in (1, 2):
        seated = people[4 * number - 4 : 4 * number]
        hand(table(event, seated, table_number=number, on=FIRST), 1, [1, 2, 4, 6], queen=3)
    publish(event.pk, now=NOW)
    newcomers = table(event, people[8:], round_number=2, on=SECOND)
    hand(newcomers, 1, [0, 0, 6, 7], queen=3)
    publish(event.pk, now=NOW + timedelta(days=7))
    make_all(event.pk)
    text = standings_text(event)
    assert text.count("→") == 5
    assert "and 3 more" in text.replace("\n  ", " ")


def test_evening_without_a_result_has_no_text(cast: Cast) -> None:
    event = two_evenings(cast)
    meeting, _people = evening(event, 0, on=date(2025, 11, 20))
    with pytest.raises(Missing):
        result_text(event, meeting, now=NOW)


def test_seating_has_a_line_a_table_in_the_order_of_the_seats(cast: Cast) -> None:
    people = players(cast.riverside, *(f"Somebody Longname {n}" for n in range(1, 10)))
    event = league(cast.riverside)
    table(event, people[:4])
    table(event, people[4:8], table_number=2)
    add_entrant(by_tests(), event, kind="player", players=people[8:])
    sit_out(by_tests(), get_round(event, 1), entrant="RL09", reason="late")
    assert lines(seating_text(event, get_round(event, 1))) == [
        "Riverside: League, round 1",
        "Table 1: Somebody Longname 1, Somebody Longname 2, Somebody",
        "  Longname 3, Somebody Longname 4",
        "Table 2: Somebody Longname 5, Somebody Longname 6, Somebody",
        "  Longname 7, Somebody Longname 8",
        "Sitting out: Somebody Longname 9",
        f"{SITE}/clubs/riverside/events/league/rounds/1",
    ]


def test_challenges_are_listed_by_their_deadlines(cast: Cast) -> None:
    event = climbing(cast)
    assert lines(challenges_text(event, now=NOW)) == [
        "Riverside: Ladder, challenges",
        "Member J – Member H: answer by Sun 9 Nov, 24:00",
        "Member E – Member C: play by Thu 20 Nov, 24:00",
        f"{SITE}/clubs/riverside/events/ladder/challenges",
    ]
    assert lines(ladder_text(event))[:2] == ["Riverside: Ladder, ladder", "1. Member A"]


def test_people_here_later_and_expected_are_counted_and_named(cast: Cast) -> None:
    meeting, people = evening(league(cast.riverside), 3)
    check_in(meeting, people[1:2], state="late", first=2)
    check_in(meeting, people[2:], state="expected")
    Attendance.objects.update(answer="expected")
    assert lines(expected_text(meeting)) == [
        "Riverside: League, 13 Nov 2025",
        "Here (1): Alma D.",
        "Later (1): Bruno K.",
        "Still expected (1): Cleo S.",
    ]


def test_public_reads_public_names_in_every_text(cast: Cast) -> None:
    two_evenings(cast)
    climbing(cast)
    club = set_names_policy(by_tests(), cast.riverside, policy="number")
    names = [*Player.objects.filter(club=club).values_list("name", flat=True)]
    event = get_event(ANYBODY, "riverside", "league")
    ladder = get_event(ANYBODY, "riverside", "ladder")
    texts = [
        standings_text(event),
        result_text(event, meeting_on(event, FIRST), now=NOW),
        seating_text(event, get_round(event, 1)),
        ladder_text(ladder),
        challenges_text(ladder, now=NOW),
    ]
    for text in texts:
        assert not [name for name in names if name in text], text
        assert len(lines(text)) > 2


def test_number_of_queries_does_not_grow_with_people(cast: Cast) -> None:
    event = two_evenings(cast)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            standings_text(event)
            seating_text(event, get_round(event, 2))
            expected_text(meeting_on(event, SECOND))
        return len(captured)

    before = queries()
    more = players(cast.riverside, *(f"More {n}" for n in range(1, 41)))
    for at in range(0, 40, 4):
        seated = more[at : at + 4]
        game = table(event, seated, round_number=2, table_number=2 + at // 4, on=SECOND)
        hand(game, 1, [1, 2, 4, 6], queen=3)
    publish(event.pk, now=NOW + timedelta(days=8))
    assert queries() == before


def place(name: str, rank: int, *, points: int = 5, by: str = "placement_points") -> JsonDict:
    facts = {"above": f"before {name}", "below": name, "by": by, "primary": "placement_points"}
    values = ["5", str(points)]
    return {
        "player_id": name, "player": name, "rank": rank, "tied": False, "points": points,
        "values": {"placement_points": str(points)},
        "reason_facts": {**facts, "values": values, "found": ["2", "1"], "among": 2},
    }  # fmt: skip


def document(*rows: JsonDict) -> JsonDict:
    return {"rows": rows, "columns": [], "scheme": {"primary": "placement_points"}}


def test_row_below_by_a_tie_break_has_the_reason_in_words() -> None:
    ada, ben = place("Ada", 1), place("Ben", 2, by="wins")
    ben["reason_facts"]["above"] = "Ada"
    ben["reason_facts"]["values"] = ["5", "5"]
    assert [line.strip() for line in place_lines(document(ada, ben))] == [
        "1. Ada  5.00", "2. Ben  5.00", "as many place points as Ada, who won more tables than Ben",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ranks", "last", "n_lines"),
    [
        ((1, 2, 3, 4, 5, 6), "5. E  5.00", 5),
        ((1, 2, 3, 4, 5, 5), "5=. 2 share it", 5),
        ((1, 2, 3, 3, 3, 3), "3=. 4 share it", 3),
        ((1, 1, 1, 1, 1, 1), "1=. 6 share it", 1),
        ((1, 2, 3, 4, 4), "4. E  5.00", 5),
    ],
)
def test_first_places_are_never_cut_inside_a_tie(
    ranks: tuple[int, ...], last: str, n_lines: int
) -> None:
    rows = [place(name, rank) for name, rank in zip("ABCDEF", ranks, strict=False)]
    lines_of_places = place_lines(document(*rows))
    assert (lines_of_places[-1], len(lines_of_places)) == (last, n_lines)


@pytest.mark.parametrize(
    ("n_people", "end"), [(50, "Name 50"), (51, "Name 50, and 1 more"), (1, "Name 1")]
)
def test_fifty_names_are_listed_and_the_others_counted(cast: Cast, n_people: int, end: str) -> None:
    meeting, _people = evening(league(cast.riverside), 0)
    here = Attendance(state="here")
    rows = [
        AttendanceRow(Player(name=f"Name {n + 1}"), here, came=False, is_regular=False)
        for n in range(n_people)
    ]
    text = expected_text(meeting, AttendanceList(tuple(rows))).replace("\n ", "")
    assert text.splitlines()[-1].endswith(f" {end}")
    assert f"Here ({n_people}): Name 1" in text


@pytest.mark.parametrize(
    ("most", "end"), [(2, ["Member J", "Member E"]), (1, ["Member J", "and 1 more"])]
)
def test_due_challenges_beyond_a_number_are_counted(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, most: int, end: list[str]
) -> None:
    monkeypatch.setattr(chat_text, "MOST_DUE", most)
    texts = lines(challenges_text(climbing(cast), now=NOW))[1:-1]
    assert [text.partition(" –")[0] for text in texts] == end


@pytest.mark.parametrize(("n_letters", "widths"), [(48, [60]), (49, [11, 51])])
def test_line_of_sixty_characters_is_not_broken(
    cast: Cast, n_letters: int, widths: list[int]
) -> None:
    meeting, _people = evening(league(cast.riverside), 0)
    ada = Player(name=f"A {'x' * n_letters}")
    row = AttendanceRow(ada, Attendance(state="here"), came=False, is_regular=False)
    text = expected_text(meeting, AttendanceList((row,)))
    assert [len(line) for line in text.splitlines()[1:]] == widths


def test_ladder_names_who_moved_on_its_last_day(cast: Cast) -> None:
    event = climbing_ladder(cast, now=NOW)
    for number, (low, high) in enumerate((("H", "E"), ("J", "I")), 1):
        at = NOW + timedelta(days=number - 1)
        issue(cast, event, low, high, at)
        answer(cast, event, high, "accepted", at, number)
        others = "G" if low == "H" else "F"
        result(cast, event, low, f"{low}{others}{high}", at, number)
        answer(cast, event, high, "confirmed", at, number)
        publish_ladder(event.pk, now=at)
        text = ladder_text(event)
        moved = [line for line in text.splitlines() if line.startswith(("Up", "Down"))]
        if low == "H":
            assert moved[0] == "Up: Member H 8→5"
            assert moved[1].startswith("Down: Member E 5→6, Member F 6→7")
        else:
            assert moved == ["Up: Member J 10→9", "Down: Member I 9→10"]
