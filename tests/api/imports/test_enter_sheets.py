"""A night is entered in one request: all of it or none, or each hand with its own answer."""

import copy
import random
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import pytest

from api.v1.imports import enter_sheets
from tests.api.conftest import Evening
from tests.support.answers import Answer, Json, post_json
from tests.support.builders import by_tests
from tests.support.lengths import short_or_long
from tests.support.rest.requests import SignIn, codes, errors
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.rounds import Meeting, Round, Table
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.clubs.aliases import keep_names
from tournaments.services.clubs.clubs import add_player
from tournaments.services.clubs.names import lock_names
from tournaments.services.rounds.meetings import change_meeting, plan_meeting
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

Send = Callable[..., Answer]
PEOPLE = ["RL01", "RL02", "RL03", "RL04"]
GOOD = {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}
ONE_MISSING = {"hearts": [4, 1, 2, 5], "taken": [[], [], [], ["QS"]]}
ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 7, 10**30, 1.5, "", "x", "\x00", "RL01", "2025-11-06", "QS", "é" * 600),
    *([], [[]], [1, 2], ["QS"], [None] * 50, {}, {"a": {}}, {"number": 1}),
)


def one(number: int, entry: object = GOOD, **more: object) -> Json:
    return {"number": number, "entry": entry, **more}


def sheet(hands: Sequence[Json], round_: int = 2, table: int = 1, **more: object) -> Json:
    return {"round": round_, "table": table, "players": PEOPLE, "hands": list(hands), **more}


@pytest.fixture
def send(evening: Evening, signed_in: SignIn) -> Send:
    hanna = signed_in("hanna")

    def sent(*sheets: Json, mode: str = "each", **headers: str) -> Answer:
        body = {"mode": mode, "sheets": list(sheets)}
        return post_json(hanna, f"{evening.at}/sheets", body, **headers)

    return sent


def statuses(answer: Answer) -> list[tuple[int, list[int]]]:
    results = answer.json()["results"]
    return [(result["status"], [hand["status"] for hand in result["hands"]]) for result in results]


def sheet_errors(answer: Answer) -> list[set[tuple[str, str]]]:
    return [
        {(error["code"], error["pointer"]) for error in result["errors"]}
        for result in answer.json()["results"]
    ]


def test_meeting_round_and_table_are_made_and_closed(
    evening: Evening, send: Send, signed_in: SignIn
) -> None:
    answer = send(
        sheet([one(1), one(2)], date="2025-11-13"),
        sheet([one(1)], round_=3, date="2025-11-13"),
        mode="all",
    )
    assert answer.status_code == 201, answer.content
    body = answer.json()
    assert statuses(answer) == [(201, [201, 201]), (201, [201])]
    assert [result["table"] for result in body["results"]] == ["r2t1", "r3t1"]
    assert body["added"] == 3
    meeting = Meeting.objects.get(date="2025-11-13")
    assert {one.state for one in Round.objects.filter(meeting=meeting)} == {"closed"}
    assert Table.objects.get(code="r2t1").game.state == "complete"
    batch = ImportBatch.objects.get(number=body["number"])
    assert (batch.state, batch.added, batch.made_as) == ("done", 3, "hanna")
    hanna = signed_in("hanna")
    assert hanna.get(f"{evening.at}/meetings/2025-11-13").json()["state"] == "held"
    shown = hanna.get(f"{evening.at}/tables/r2t1/hands/1").json()
    assert [seat["player_id"] for seat in shown["seats"]] == PEOPLE
    assert [seat["score"] for seat in shown["seats"]] == [4, 1, 2, 19]
    assert shown["entry"] == GOOD
    assert AuditLine.objects.filter(act="import_sheets").count() == 1


def test_sheet_of_a_cancelled_evening_is_entered_by_who_says_so(
    evening: Evening, send: Send, signed_in: SignIn
) -> None:
    for day in (13, 20):
        plan_meeting(by_tests(), evening.event, day=date(2025, 11, day))
    meeting = meeting_on(evening.event, date(2025, 11, 13))
    change_meeting(by_tests(), meeting, state="cancelled", reason="Snow.")
    cancelled = sheet([one(1)], date="2025-11-13")
    other = sheet([one(1)], round_=3, date="2025-11-20")
    answer = send(cancelled, other)
    assert statuses(answer) == [(422, [422]), (201, [201])]
    assert sheet_errors(answer) == [{("evening_cancelled", "/date")}, set()]
    refused = send(cancelled, mode="all")
    assert (refused.status_code, codes(refused)) == (422, ["evening_cancelled"])
    assert not Round.objects.filter(meeting=meeting).exists()
    body = {"mode": "all", "sheets": [cancelled], "cancelled_evenings": True}
    taken = post_json(signed_in("hanna"), f"{evening.at}/sheets", body)
    assert taken.status_code == 201, taken.content
    assert meeting_on(evening.event, date(2025, 11, 13)).state_now == "held"  # type: ignore[attr-defined]
    more = sheet([one(1)], round_=2, table=2, players=["RL05", "RL06", "RL07", "RL08"])
    for number in range(5, 9):
        add_player(by_tests(), evening.event.club, name=f"P{number}", player_id=f"RL0{number}")
    assert statuses(send({**more, "date": "2025-11-13"})) == [(201, [201])], "it was held"


def test_round_is_seated_on_a_cancelled_evening_once_a_hand_says_that_it_was_held(
    evening: Evening, send: Send, signed_in: SignIn
) -> None:
    meeting = plan_meeting(by_tests(), evening.event, day=date(2025, 11, 13))
    change_meeting(by_tests(), meeting, state="cancelled", reason="Snow.")
    dirk = signed_in("dirk")
    body = {"date": "2025-11-13", "tables": [{"seats": PEOPLE}]}
    refused = post_json(dirk, f"{evening.at}/rounds", body)
    assert (refused.status_code, codes(refused)) == (409, ["meeting_is_cancelled"])
    assert not Round.objects.filter(meeting=meeting).exists()
    sheets = {"mode": "all", "cancelled_evenings": True}
    sheets["sheets"] = [sheet([one(1)], date="2025-11-13")]
    assert post_json(signed_in("hanna"), f"{evening.at}/sheets", sheets).status_code == 201
    made = post_json(dirk, f"{evening.at}/rounds", body)
    assert made.status_code == 201, made.content


def test_running_totals_are_stored_as_the_points_of_each_hand(evening: Evening, send: Send) -> None:
    totals = ([13, 5, 8, 0], [13, 18, 21, 0], [39, 44, 21, 26])
    hands = [one(number, {"points": points}) for number, points in enumerate(totals, start=1)]
    assert statuses(send(sheet(hands, running=True))) == [(201, [201, 201, 201])]
    stored = Hand.objects.filter(game__table__round__number=2).order_by("number")
    points = [hand.entry.typed["points"] for hand in stored.select_related("entry") if hand.entry]
    assert points == [[13, 5, 8, 0], [0, 13, 13, 0], [26, 26, 0, 26]]


def test_wrong_running_total_is_named_with_a_likely_one(send: Send) -> None:
    totals = ([13, 5, 8, 0], [13, 18, 12, 0], [17, 22, 37, 2])
    hands = [one(number, {"points": points}) for number, points in enumerate(totals, start=1)]
    answer = send(sheet(hands, running=True))
    [problem] = [
        each
        for each in answer.json()["results"][0]["hands"][1]["errors"]
        if each["code"] == "running_total_wrong"
    ]
    assert problem["pointer"].endswith("/entry/points/2")
    assert "12 two hands are impossible. Perhaps it is 21" in problem["message"]
    cards = send(sheet([one(1)], running=True, round_=3))
    assert cards.json()["results"][0]["hands"][0]["errors"][0]["code"] == "points_needed"


def test_running_totals_that_two_hands_explain_are_asked_about(
    evening: Evening, send: Send
) -> None:
    club = evening.cast.riverside
    chosen = chosen_rules("dirty-nasty-filthy", {"resets": "50-to-0,100-to-50"})
    make_house_rules(by_tests(), club, name="Nasty", chosen=chosen)
    totals = ([3, 7, 28, 29], [10, 10, 56, 58], [0, 0, 76, 75])
    hands = [one(number, {"points": points}) for number, points in enumerate(totals, start=1)]
    answer = send(sheet(hands, running=True, variant="Nasty"))
    assert statuses(answer) == [(422, [201, 201, 422])]
    [problem] = answer.json()["results"][0]["hands"][2]["errors"]
    assert problem["code"] == "running_total_unclear"
    assert problem["pointer"] == "/entry/points"
    assert "−10, 40, 20, 17 / 40, −10, 20, 17" in problem["message"]


@pytest.mark.parametrize("missing", [{"hearts": [1]}, {"points": [13, 18, 21]}])
def test_total_that_is_missing_holds_the_hands_of_its_sheet(
    evening: Evening, send: Send, missing: dict[str, object]
) -> None:
    totals = ({"points": [13, 5, 8, 0]}, missing, {"points": [26, 26, 26, 0]})
    hands = [one(number, entry) for number, entry in enumerate(totals, start=1)]
    assert statuses(send(sheet(hands, running=True))) == [(422, [422, 422, 422])]
    assert not Hand.objects.filter(game__table__round__number=2).exists()


def test_refused_hand_does_not_hold_the_others(send: Send) -> None:
    answer = send(sheet([one(1), one(2, ONE_MISSING), one(3)]), sheet([one(1)], round_=3))
    assert answer.status_code == 200
    assert statuses(answer) == [(422, [201, 422, 201]), (201, [201])]
    refused = answer.json()["results"][0]["hands"][1]
    assert [(error["code"], error["pointer"]) for error in refused["errors"]] == [
        ("missing_cards", "/entry/hearts")
    ]
    assert list(Hand.objects.filter(game__table__code="r2t1").values_list("number", flat=True)) == [
        1,
        3,
    ]
    states = dict(Round.objects.filter(number__in=(2, 3)).values_list("number", "state"))
    assert states == {2: "playing", 3: "closed"}
    assert not ImportProblem.objects.filter(state="open").exists()
    assert statuses(send(sheet([one(2)]))) == [(201, [201])]
    assert Round.objects.get(number=2).state == "closed"


def test_all_stores_nothing_where_one_hand_is_refused(send: Send) -> None:
    before = (Hand.objects.count(), Round.objects.count(), ImportBatch.objects.count())
    answer = send(sheet([one(1), one(2, ONE_MISSING)]), sheet([one(1)], round_=3), mode="all")
    assert answer.status_code == 422
    assert errors(answer) == [("missing_cards", "/sheets/0/hands/1/entry/hearts")]
    assert (Hand.objects.count(), Round.objects.count(), ImportBatch.objects.count()) == before


def test_all_names_every_problem_of_every_sheet(send: Send) -> None:
    answer = send(
        sheet([one(1, ONE_MISSING)]),
        {"round": "x", "table": 1, "hands": [one(1)]},
        sheet([one(1), one(1)], round_=4, players=["RL01", "RL02", "RL03", "RL99"]),
        sheet([{"number": 0, "entry": GOOD}, one(2, [])], round_=5, variant="nope"),
        mode="all",
    )
    assert set(errors(answer)) == {
        ("missing_cards", "/sheets/0/hands/0/entry/hearts"),
        ("bad_round_number", "/sheets/1/round"),
        ("unknown_player", "/sheets/2/players/3"),
        ("repeated_hand", "/sheets/2/hands/0/number"),
        ("repeated_hand", "/sheets/2/hands/1/number"),
        ("unknown_variant", "/sheets/3/variant"),
        ("bad_hand_number", "/sheets/3/hands/0/number"),
    }
    assert not Round.objects.filter(number__gt=1).exists()


def test_hands_that_are_there_are_compared(send: Send) -> None:
    other = {"hearts": [1, 4, 2, 6], "taken": [[], [], [], ["QS"]]}
    first = send(sheet([one(1), one(2, other), one(3)], round_=1))
    assert statuses(first) == [(409, [200, 409, 201])]
    conflict = first.json()["results"][0]["hands"][1]["errors"][0]
    assert (conflict["code"], conflict["pointer"]) == ("hand_exists", "/number")
    again = send(sheet([one(3)], round_=1))
    assert (again.json()["number"], again.json()["added"]) == (None, 0)
    assert statuses(again) == [(201, [200])]


def test_players_of_the_table_are_meant_where_none_are_named(send: Send) -> None:
    without = {"round": 1, "table": 1, "hands": [one(3)]}
    nowhere = {"round": 7, "table": 1, "hands": [one(1)]}
    answer = send(without, nowhere)
    assert statuses(answer) == [(201, [201]), (422, [422])]
    assert answer.json()["results"][1]["errors"][0]["code"] == "players_needed"


def test_players_are_named_by_id_or_by_name(send: Send) -> None:
    answer = send(sheet([one(1)], players=["rl01", "Xenia S.", "RL03", "omar b."]))
    assert statuses(answer) == [(201, [201])]
    unlike = send(sheet([one(1)], round_=3, players=["RL01", "Xenia Z.", "RL03", "RL04"]))
    assert unlike.json()["results"][0]["errors"][0]["facts"] == {
        "player": "Xenia Z.",
        "like": "Xenia S. (RL02)",
    }


def test_name_that_the_club_keeps_for_a_player_is_theirs(send: Send) -> None:
    player = Player.objects.get(club__slug="riverside", player_id="RL02")
    keep_names(by_tests(), lock_names(player.club), {"Uschi": player})
    answer = send(sheet([one(1)], players=["RL01", "Uschi", "RL03", "RL04"]))
    assert statuses(answer) == [(201, [201])]


def test_player_who_changes_is_named_by_the_hand(send: Send) -> None:
    answer = send(sheet([one(1), one(2, players=["RL02", "RL01", "RL03", "RL04"])]))
    assert statuses(answer) == [(201, [201, 201])]
    odd = send(sheet([one(1, players=["RL01"])], round_=3))
    assert odd.json()["results"][0]["hands"][0]["errors"][0]["code"] == "seat_count"


def test_sheets_of_one_request_are_compared(send: Send) -> None:
    answer = send(
        sheet([one(1)], table=1),
        sheet([one(1)], table=2),
        sheet([one(1)], round_=3, date="2025-11-13"),
        sheet([one(1)], round_=3, date="2025-11-13"),
        sheet([one(1)], round_=4, date="2025-11-13"),
        sheet([one(1)], round_=4, table=2, date="2025-11-14", players=PEOPLE[::-1]),
    )
    two = {("player_at_two_tables", f"/players/{seat}") for seat in range(4)}
    same = {("repeated_sheet", "/table")}
    assert sheet_errors(answer) == [two, two, same, same, two, {("dates_disagree", "/date"), *two}]
    assert not Round.objects.filter(number__gt=1).exists()


def test_sheet_that_does_not_fit_the_event_waits_as_a_whole(send: Send) -> None:
    send(sheet([one(1)], date="2025-11-13"))
    late, elsewhere = send(sheet([one(2)], date="2025-11-20")), send(sheet([one(1)], table=2))
    assert sheet_errors(late) == [{("dates_disagree", "/date")}]
    assert sheet_errors(elsewhere) == [{("player_at_two_tables", "/players")}]
    assert statuses(late) == statuses(elsewhere) == [(409, [409])]


def test_too_many_sheets_or_hands_are_refused_at_once(send: Send) -> None:
    too_long: list[list[object]] = [[0] * 201, [sheet([one(1)] * 2001)], [{}] * 10_000]
    for many in too_long:
        answer = send(*many)
        assert (answer.status_code, codes(answer)) == (413, ["too_many_sheets"])
        assert "200 sheets or 2000 hands" in answer.json()["detail"]
    assert not ImportBatch.objects.exists()


def test_ten_thousand_sheets_are_not_read(evening: Evening, signed_in: SignIn) -> None:
    text = '{"mode": "all", "sheets": [' + "null, " * (enter_sheets.MOST_BYTES // 6)
    answer = signed_in("hanna").post(
        f"{evening.at}/sheets", text.encode(), content_type="application/json"
    )
    assert (answer.status_code, codes(answer)) == (413, ["too_many_sheets"])


@pytest.mark.parametrize("sheets", [None, [], {}, "x", [1]])
def test_odd_lists_are_refused(evening: Evening, signed_in: SignIn, sheets: object) -> None:
    body = {"mode": "all", "sheets": sheets}
    answer = post_json(signed_in("hanna"), f"{evening.at}/sheets", body)
    assert (answer.status_code, codes(answer)) == (422, ["bad_sheets"])
    odd = post_json(signed_in("hanna"), f"{evening.at}/sheets", {"mode": "some", "sheets": [1]})
    assert odd.status_code == 422


def test_closed_event_takes_no_sheets(evening: Evening, signed_in: SignIn) -> None:
    evening.event.state = "closed"
    evening.event.save(update_fields=["state"])
    body = {"mode": "all", "sheets": [sheet([one(1)])]}
    answer = post_json(signed_in("hanna"), f"{evening.at}/sheets", body)
    assert (answer.status_code, codes(answer)) == (409, ["event_not_open"])


def test_nul_characters_are_refused_where_they_are(send: Send) -> None:
    answer = send(sheet([one(1, {"hearts": ["\x00"]})], variant="a\x00"), mode="all")
    assert answer.status_code == 422
    assert set(errors(answer)) == {
        ("bad_text", "/sheets/0/variant"),
        ("nul_character", "/sheets/0/hands/0/entry"),
    }


def test_board_is_refused_where_the_event_has_none(send: Send) -> None:
    answer = send(sheet([one(1, board=3)]), mode="all")
    assert errors(answer) == [("board_not_expected", "/sheets/0/hands/0/board")]


def body(mode: str) -> dict[str, Any]:
    """A night of two tables; the first one is in the event already."""
    hand = {"number": 1, "entry": GOOD, "players": PEOPLE}
    sheet = {
        "round": 1, "date": "2025-11-06", "table": 1, "variant": "hearts", "players": PEOPLE,
        "hands": [hand, {"number": 3, "entry": {"points": [4, 1, 2, 19]}}],
    }  # fmt: skip
    other = {**sheet, "round": 2}
    return copy.deepcopy({"mode": mode, "sheets": [sheet, other]})


def places(found: object, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner: list[tuple[Any, ...]] = [at] if at else []
    pairs = [*found.items()] if isinstance(found, dict) else []
    pairs = [*enumerate(found)] if isinstance(found, list) else pairs
    for key, value in pairs:
        inner += places(value, (*at, key))
    return inner


def spoilt(sent: dict[str, Any], luck: random.Random) -> dict[str, Any]:
    """The body with up to three of its places changed."""
    for _ in range(luck.randint(0, 3)):
        *above, last = luck.choice(places(sent))
        owner: Any = sent
        for key in above:
            owner = owner[key]
        what = luck.choice(("odd", "odd", "gone", "more"))
        if what == "gone":
            del owner[last]
        elif what == "more" and isinstance(owner, dict):
            owner["more"] = luck.choice(ODD)
        else:
            owner[last] = copy.deepcopy(luck.choice(ODD))
    return sent


@pytest.mark.parametrize("mode", ["all", "each"])
def test_odd_bodies_are_refused_in_places(evening: Evening, signed_in: SignIn, mode: str) -> None:
    hanna, luck = signed_in("hanna"), random.Random(f"sheets {mode}")  # noqa: S311
    seen: dict[int, int] = {}
    for _ in range(short_or_long(100, 2000)):
        before = Hand.objects.count()
        sent = spoilt(body(mode), luck)
        answer = post_json(hanna, f"{evening.at}/sheets", sent)
        seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
        assert answer.status_code in (200, 201, 400, 422), (sent, answer.content)
        if answer.status_code == 422:
            assert Hand.objects.count() == before
            assert all(error["pointer"].startswith("/") for error in answer.json()["errors"]), sent
        elif answer.status_code < 400:
            assert [len(result["hands"]) for result in answer.json()["results"]] == [
                len(one["hands"]) if isinstance(one, dict) and isinstance(one.get("hands"), list)
                else 0
                for one in sent["sheets"]
            ]  # fmt: skip
    accepted, needed = (201, 422) if mode == "all" else (200, 200)
    assert seen[accepted] > 10
    assert seen[needed] > 10
    assert Hand.objects.filter(number=1).count() > 1, "some were entered"


def test_director_sends_a_hand_with_a_wrong_total_as_disputed(
    evening: Evening, send: Send, signed_in: SignIn
) -> None:
    hands = [one(1), one(2, ONE_MISSING, disputed="Smudged.")]
    assert send(sheet(hands), mode="all").status_code == 403
    dirk = signed_in("dirk")

    def sent(*sheets: Json, mode: str = "all") -> Answer:
        return post_json(dirk, f"{evening.at}/sheets", {"mode": mode, "sheets": list(sheets)})

    refused = sent(sheet([one(1), one(2, disputed="Why not?")]))
    assert (codes(refused), Table.objects.filter(code="r2t1").exists()) == (["adds_up"], False)
    refused = sent(sheet([one(1, ONE_MISSING, disputed="No table yet.")]))
    assert codes(refused) == ["unknown_table"]
    answer = sent(sheet(hands))
    assert (statuses(answer), answer.json()["added"]) == ([(201, [201, 201])], 2)
    states = Hand.objects.filter(game__table__code="r2t1").order_by("number")
    assert [*states.values_list("state", flat=True)] == ["accepted", "disputed"]
    again = sent(sheet(hands), mode="each")
    assert (statuses(again), again.json()["added"]) == ([(201, [200, 200])], 0)
