"""An evening from paper: names and hands of a sheet on one page, which makes what they need."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.support.answers import Answer
from tests.support.builders import by_tests, league, table
from tests.support.imports.imports import imported
from tests.support.pages.grid import GOOD, Secretary
from tests.support.pages.text import beside, text_of
from tests.support.scenarios.evenings import Evenings
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.rounds import Meeting, Round
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.rounds.resolve_players import players_named
from tournaments.services.clubs.aliases import keep_names
from tournaments.services.clubs.names import lock_names
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

ADDRESS = "/clubs/riverside/events/paper/paper-sheets"
DAY = "2025-10-30"
FIRST = ("Elsa", "Zoë", "RL04", "Marit S.")
OTHERS = ("Jörg", "Cleo", "Carla", "RL03")


@pytest.fixture
def event(evenings: Evenings) -> Event:
    event = league(evenings.cast.riverside, slug="paper")
    Event.objects.filter(pk=event.pk).update(state="draft")
    return event


@pytest.fixture
def dirk(evenings: Evenings, event: Event) -> Secretary:
    return Secretary(evenings, "dirk", f"{ADDRESS}?way=counts")


def send(
    secretary: Secretary, names: tuple[str, ...], rows: Mapping[int, str], **more: str
) -> Answer:
    """Type a sheet and press a button; a sheet that is saved leads to the next one."""
    seats = {f"seat-{seat}": name for seat, name in enumerate(names, start=1)}
    answer = secretary.send(rows, **{"date": DAY, "n": "4", "at": "1", **seats, **more})
    if answer.status_code == 302:
        secretary.page = secretary.client.get(answer["Location"])
    return answer


def places() -> list[tuple[int, int, int]]:
    games = Game.objects.filter(event__slug="paper").order_by("table__code")
    return list(games.values_list("table__round__number", "table__number", "hands_counted"))


def test_sheet_makes_evening_round_table_and_opens_the_event(dirk: Secretary, event: Event) -> None:
    answer = send(dirk, FIRST, {1: GOOD, 2: "0 0 13q- 0"})
    event.refresh_from_db()
    round_ = Round.objects.get(event=event)
    assert (event.state, round_.state, str(round_.meeting)) == ("open", "closed", DAY)
    assert places() == [(1, 1, 2)]
    assert [*Meeting.objects.filter(event=event).values_list("state", flat=True)] == ["planned"]
    told = dict(parse_qsl(urlsplit(answer["Location"]).query))
    assert (told["date"], told["n"], told["at"]) == (DAY, "4", "1")
    page = text_of(dirk.page)
    assert "Round 1, table 1 is saved." in page
    assert "Table 1 Elsa D. · Zoë K. · Anton S. · Marit S. entered, 2 hands" in page
    assert (dirk.fields["seat-1"], dirk.row(1)) == ("", "_ _ _ _")


def test_name_that_the_club_keeps_for_a_player_is_theirs(dirk: Secretary, event: Event) -> None:
    player = Player.objects.get(club=event.club, name="Zoë K.")
    names = ("Elsa", "Uschi", "RL04", "Marit S.")
    assert send(dirk, names, {1: GOOD}).status_code == 422
    keep_names(by_tests(), lock_names(event.club), {"Uschi": player})
    send(dirk, names, {1: GOOD})
    assert places() == [(1, 1, 1)]
    assert "Elsa D. · Zoë K. · Anton S. · Marit S." in text_of(dirk.page)


def cancel(event: Event, day: str) -> None:
    Event.objects.filter(pk=event.pk).update(state="open")
    event.refresh_from_db()
    meeting = plan_meeting(by_tests(), event, day=date.fromisoformat(day))
    change_meeting(by_tests(), meeting, state="cancelled", reason="Snow.")


def test_sheet_of_a_cancelled_evening_is_saved_by_a_second_press(
    dirk: Secretary, event: Event
) -> None:
    cancel(event, DAY)
    page = send(dirk, FIRST, {1: GOOD})
    assert beside(page, "date", 422) == (
        "The evening of 2025-10-30 is cancelled. Was the sheet played all the same?"
    )
    assert "Save: it was played all the same" in text_of(page)
    assert places() == []
    assert (dirk.fields["seat-2"], dirk.row(1)) == ("Zoë", GOOD)
    assert send(dirk, FIRST, {1: GOOD}, cancelled=DAY).status_code == 302
    assert places() == [(1, 1, 1)]
    assert meeting_on(event, date.fromisoformat(DAY)).state_now == "held"  # type: ignore[attr-defined]
    assert send(dirk, OTHERS, {1: "4 4 4 1q"}).status_code == 302, "it was held"


def test_answer_about_a_cancelled_evening_is_not_one_about_another(
    dirk: Secretary, event: Event
) -> None:
    cancel(event, DAY)
    cancel(event, "2025-10-23")
    page = send(dirk, FIRST, {1: GOOD}, cancelled="2025-10-23")
    assert beside(page, "date", 422).startswith("The evening of 2025-10-30 is cancelled.")
    assert places() == []


def test_host_types_no_sheet_into_a_draft(evenings: Evenings, event: Event) -> None:
    table(event, list(Player.objects.order_by("pk")[4:8]), on=date.fromisoformat(DAY))
    Round.objects.filter(event=event).update(state="draft")
    Event.objects.filter(pk=event.pk).update(state="open")
    hanna = Secretary(evenings, "hanna", f"{ADDRESS}?date={DAY}")
    assert "Round 1" not in text_of(hanna.page)
    assert send(hanna, FIRST, {1: "16 3 7 0"}).status_code == 302
    assert places() == [(1, 1, 0), (2, 1, 1)]


def test_sheet_of_points_is_saved_as_points(dirk: Secretary) -> None:
    dirk.page = dirk.client.get(ADDRESS)
    send(dirk, FIRST, {1: "16 3 7 0"})
    revision = Entry.objects.get(hand__game__table__event__slug="paper")
    assert revision.typed == {"points": [16, 3, 7, 0]}


def test_next_sheets_are_tables_of_the_round_until_somebody_sits_there(dirk: Secretary) -> None:
    send(dirk, FIRST, {1: GOOD})
    send(dirk, OTHERS, {1: "4 4 4 1q"})
    answer = send(dirk, ("Elsa", "Cleo", "Carla", "RL03"), {1: "0 13q+ 0 0"})
    assert "Elsa D. already sits at table 1 of round 1." in text_of(answer, 422)
    assert places() == [(1, 1, 1), (1, 2, 1)]
    assert "Save in new round 2" in text_of(answer)
    assert send(dirk, (), {}, go="round:2").status_code == 302
    assert places()[2:] == [(2, 1, 1)]
    send(dirk, ("Zoë", "RL04", "Jörg", "Marit"), {1: GOOD}, at="2")
    assert places()[3:] == [(2, 2, 1)]


def test_refused_sheet_stays_as_entered_and_nothing_is_made(dirk: Secretary, event: Event) -> None:
    answer = send(dirk, FIRST, {1: GOOD, 2: "7 5q 0 0", 3: "x 0 0 0"})
    assert answer.status_code == 422
    assert dirk.why(3).startswith("Hand 3, Elsa: “x” cannot be read.")
    answer = send(dirk, FIRST, {3: ""})
    assert dirk.why(2).startswith("Hand 2 is not saved. One heart is missing.")
    assert (dirk.fields["seat-2"], dirk.row(1), dirk.row(2)) == ("Zoë", GOOD, "7 5q 0 0")
    event.refresh_from_db()
    assert (event.state, places(), Round.objects.filter(event=event).count()) == ("draft", [], 0)
    assert send(dirk, FIRST, {}, go=dirk.buttons(2)["+1 to RL04"]).status_code == 302
    assert places() == [(1, 1, 2)]


def test_unknown_name_is_asked_about_and_can_be_a_guest(dirk: Secretary) -> None:
    answer = send(dirk, ("Elsa", "Zoe K", "Rita", ""), {1: GOOD})
    assert "Enter a player for seat 4." in text_of(answer)
    answer = send(dirk, ("Elsa", "Zoey K.", "Rita", "Marit"), {1: GOOD, 2: "7 5q 0 0"})
    assert dirk.why(2).startswith("Hand 2 is not saved. One heart is missing.")
    page = answer.content.decode()
    assert 'name="pick" value="seat-2=Zoë K. (RL02)"' in page
    assert 'name="guest" value="seat-3=Rita"' in page
    fields = {**dirk.fields, "seat-2": "RL02", "c-2-1": "8"}
    dirk.page = dirk.client.post(ADDRESS, {**fields, "guest": "seat-3=Rita"})
    assert dirk.page.status_code == 302
    assert Player.objects.filter(name="Rita").exists()
    assert places() == [(1, 1, 2)]


def test_guest_of_an_event_that_ranks_guests_apart_is_none_of_its_members(
    dirk: Secretary, event: Event
) -> None:
    Event.objects.filter(pk=event.pk).update(settings={"guests": "evening"})
    send(dirk, ("Elsa", "Zoë", "Rita", "Marit"), {1: GOOD})
    dirk.page = dirk.client.post(ADDRESS, {**dirk.fields, "guest": "seat-3=Rita"})
    assert places() == [(1, 1, 1)]
    guests = Entrant.objects.filter(event=event, guest=True)
    assert [*guests.values_list("members__player__name", flat=True)] == ["Rita"]


@pytest.mark.parametrize(("rule", "is_said"), [("evening", True), ("compete", False)])
def test_player_who_is_new_after_the_first_evening_is_named(
    dirk: Secretary, event: Event, rule: str, is_said: bool
) -> None:
    Event.objects.filter(pk=event.pk).update(settings={"guests": rule})
    send(dirk, FIRST, {1: GOOD})
    assert "is new in this event" not in text_of(dirk.page), "all are, on the first evening"
    send(dirk, (*FIRST[:3], "Jörg"), {1: GOOD}, date="2025-11-06")
    page = text_of(dirk.page)
    assert ("is new in this event and competes in the season." in page) == is_said
    assert page.count("is new in this event") == int(is_said)


def test_sheet_sent_twice_is_stored_once_and_one_like_it_is_asked_about(dirk: Secretary) -> None:
    rows = {1: GOOD, 2: "1 2 3 7q"}
    send(dirk, FIRST, rows)
    send(dirk, FIRST, rows)
    assert "Round 1, table 1 has these hands already." in text_of(dirk.page)
    assert places() == [(1, 1, 2)]
    assert "Was this sheet entered twice?" in text_of(send(dirk, FIRST, rows, at="2"), 409)
    assert places() == [(1, 1, 2)]
    assert send(dirk, FIRST, rows, at="2", go="anyway:save").status_code == 302
    assert places() == [(1, 1, 2), (2, 1, 2)]


def test_evening_to_come_is_refused(dirk: Secretary) -> None:
    assert "is in the future" in text_of(send(dirk, FIRST, {1: GOOD}, date="2999-01-01"))
    assert not Hand.objects.filter(game__event__slug="paper").exists()


def test_other_game_and_number_of_players_keep_what_was_entered(dirk: Secretary) -> None:
    assert send(dirk, FIRST, {1: "7 3q 3 0"}, n="5", go="look").status_code == 200
    assert (dirk.fields["seat-4"], dirk.fields["c-1-1"]) == ("Marit S.", "7")
    assert "c-1-5" in dirk.fields


def test_wrong_hands_of_a_sheet_are_saved_as_disputed_with_the_others(dirk: Secretary) -> None:
    rows = {1: GOOD, 2: "7 5q 0 0", 3: "7 5q 2 0"}
    send(dirk, FIRST, rows)
    file = dirk.buttons(2)["Save as disputed"]
    answer = send(dirk, FIRST, {}, go=file, **{"question-2": "Smudged."})
    assert (answer.status_code, places()) == (422, [])
    assert "Save as disputed" in dirk.buttons(3)
    answer = send(dirk, FIRST, {}, go="file:3", **{"question-3": "Smudged too."})
    assert answer.status_code == 302
    states = Hand.objects.filter(game__event__slug="paper").order_by("number")
    assert [*states.values_list("number", "state", "entry__reason")] == [
        (1, "accepted", ""), (2, "disputed", "Smudged."), (3, "disputed", "Smudged too."),
    ]  # fmt: skip
    assert places() == [(1, 1, 1)]
    again = {f"question-{number}": "Again." for number in (2, 3)}
    assert send(dirk, FIRST, rows, **again).status_code == 302
    assert "has these hands already" in text_of(dirk.page)
    assert Hand.objects.filter(state="disputed").count() == 2


def test_row_left_empty_is_named_after_the_sheet_is_saved(dirk: Secretary) -> None:
    send(dirk, FIRST, {1: GOOD, 3: "0 0 13q- 0"})
    assert text_of(dirk.page).count("Hands on paper: 3, stored: 2. Missing: 2.") == 2


def test_hand_that_repeats_the_one_before_is_asked_about(dirk: Secretary) -> None:
    rows = {1: GOOD, 2: GOOD, 3: "0 0 13q- 0"}
    assert send(dirk, FIRST, rows).status_code == 422
    assert "Hand 2 is the same as hand 1. Dealt twice?" in dirk.why(2)
    assert {"repeat:2", "theirs:2"} <= {*dirk.buttons(2).values()}
    assert places() == []
    assert dirk.row(2) == GOOD
    assert send(dirk, FIRST, rows, go="repeat:2").status_code == 302
    assert places() == [(1, 1, 3)]


def test_hand_that_was_typed_twice_is_left_out_of_a_paper_sheet(dirk: Secretary) -> None:
    send(dirk, FIRST, {1: GOOD, 2: GOOD})
    send(dirk, FIRST, {1: GOOD, 2: GOOD}, go="theirs:2")
    assert dirk.row(2) == "_ _ _ _"
    assert places() == []


def test_equal_hands_that_are_not_beside_each_other_are_not_asked_about(dirk: Secretary) -> None:
    assert send(dirk, FIRST, {1: GOOD, 2: "0 0 13q- 0", 3: GOOD}).status_code == 302
    assert places() == [(1, 1, 3)]


IMPORTED = {1: "16 3 7 0", 2: "2 13 10 1"}


def import_sheet(folder: Path, day: str) -> None:
    """Import the sheet of FIRST as round 1, table 1."""
    lines = ["date,round,table,hand,seat,player_id,points"]
    ids = [player.player_id for player in named(FIRST)]
    for number, points in IMPORTED.items():
        for seat, code, score in zip("NESW", ids, points.split(), strict=True):
            lines.append(f"{day},1,1,{number},{seat},{code},{score}")
    path = folder / "evening.csv"
    path.write_text("\n".join(lines) + "\n")
    Event.objects.filter(slug="paper").update(state="open")
    assert imported(path, event="paper").added == 2


def named(texts: tuple[str, ...]) -> tuple[Player, ...]:
    club = Event.objects.get(slug="paper").club
    return players_named(club=club, typed=texts)


@pytest.fixture
def typist(dirk: Secretary) -> Secretary:
    dirk.page = dirk.client.get(ADDRESS)
    return dirk


def test_sheet_of_an_imported_evening_adds_only_what_is_new(
    typist: Secretary, tmp_path: Path
) -> None:
    import_sheet(tmp_path, DAY)
    send(typist, FIRST, IMPORTED)
    assert "Round 1, table 1 has these hands already." in text_of(typist.page)
    typist.page = typist.client.get(ADDRESS)
    send(typist, FIRST, {**IMPORTED, 3: "0 0 13 13"})
    assert places() == [(1, 1, 3)]


def test_imported_sheet_in_another_order_of_players_is_asked_about(
    typist: Secretary, tmp_path: Path
) -> None:
    import_sheet(tmp_path, DAY)
    turned = {number: " ".join(reversed(points.split())) for number, points in IMPORTED.items()}
    answer = send(typist, FIRST[::-1], turned)
    assert "already sits at table 1 of round 1" in text_of(answer, 422)
    answer = send(typist, (), {}, go="round:2")
    assert "Was this sheet entered twice?" in text_of(answer, 409)
    assert places() == [(1, 1, 2)]


def test_imported_sheet_without_a_date_is_asked_about(typist: Secretary, tmp_path: Path) -> None:
    import_sheet(tmp_path, "")
    answer = send(typist, FIRST, IMPORTED)
    assert "Was this sheet entered twice?" in text_of(answer, 409)
    assert places() == [(1, 1, 2)]
