"""POST and PUT of a hand: what is stored, what is said, and everything wrong said at once."""

import json

import pytest
from django.test import Client

from api.media_types import MOST_BODY_BYTES
from tests.api.conftest import Evening
from tests.support.answers import Answer, Json, send_json
from tests.support.builders import counts, hand, league, players, table
from tests.support.cast import Cast
from tests.support.rest.requests import SignIn, codes, errors, refusal
from tournaments.models.events import Entrant
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.rounds import Seat, Sitting
from tournaments.services.events.events import entrant_for

pytestmark = pytest.mark.both_databases


NEW = {"number": 3, "entry": counts([4, 1, 2, 6], 3)}
WHY = "The queen was North's."


def post(client: Client, evening: Evening, body: object, **headers: str) -> Answer:
    text = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post(
        f"{evening.at}/tables/r1t1/hands", text, content_type="application/json", headers=headers
    )


def put(client: Client, evening: Evening, number: int, body: object, **headers: str) -> Answer:
    return send_json(client, "PUT", f"{evening.at}/tables/r1t1/hands/{number}", body, **headers)


def test_new_hand_is_answered_as_a_reader_sees_it(hanna: Client, evening: Evening) -> None:
    response = post(hanna, evening, {**NEW, "note": "Rain."})
    assert response.status_code == 201
    assert response.headers["Location"] == f"{evening.at}/tables/r1t1/hands/3"
    assert response.headers["ETag"] == '"1"'
    assert response.json() == hanna.get(response.headers["Location"]).json()
    assert [seat["total"] for seat in response.json()["seats"]] == [21, 15, 4, 38]
    entry = Entry.objects.get(hand__number=3)
    assert (entry.source, entry.entered_as, entry.note) == ("api", "hanna", "Rain.")


@pytest.mark.parametrize("choice", ["self", "others"])
def test_moon_is_answered_as_to_readers(hanna: Client, evening: Evening, choice: str) -> None:
    moon = {"number": 3, "entry": counts([0, 13, 0, 0], 1, slam_choice=choice)}
    response = post(hanna, evening, moon)
    assert response.json() == hanna.get(response.headers["Location"]).json()
    assert response.json()["moon"] == {"id": "moon", "by": [2], "choice": choice}
    body = {"entry": counts([4, 1, 2, 6], 3), "reason": WHY}
    revised = put(hanna, evening, 3, body, if_match='"1"')
    assert (revised.json()["moon"], revised.json()["revision"]) == (None, 2)
    assert revised.json() == hanna.get(response.headers["Location"]).json()


def test_hand_of_partners_and_substitute_is_answered_in_full(hanna: Client, cast: Cast) -> None:
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.", "Ida M.")
    event = league(cast.riverside, variant="partnership-hearts")
    game = table(event, people[:4])
    at = f"/api/v1/clubs/riverside/events/league/tables/{game.table.code}/hands"
    hanna.post(at, {"number": 1, "entry": counts([4, 1, 2, 6], 3)}, "application/json")
    first = Sitting.objects.get(player=people[1])
    first.to_hand = 1
    first.save()
    Sitting.objects.create(
        club=event.club, seat=first.seat, round=first.round, player=people[4], from_hand=2
    )
    entrant_for(event=event, player=people[4])
    new = {"number": 2, "entry": counts([0, 9, 4, 0], 0)}
    response = hanna.post(at, new, "application/json")
    assert response.json() == hanna.get(response.headers["Location"]).json()
    seats = response.json()["seats"]
    assert [seat["player_id"] for seat in seats] == ["RL01", "RL05", "RL03", "RL04"]
    assert [seat["side"] for seat in seats] == ["NS", "EW", "NS", "EW"]


def test_hand_that_is_there_is_answered_with_it(signed_in: SignIn, evening: Evening) -> None:
    response = post(signed_in("hanna"), evening, {**NEW, "number": 2})
    assert (response.status_code, errors(response)) == (409, [("hand_exists", "/number")])
    there = response.json()["there"]
    assert (there["number"], there["entry"]) == (2, counts([0, 13, 0, 0], 0))


def test_revision_follows_the_one_that_was_looked_at(hanna: Client, evening: Evening) -> None:
    seen = hanna.get(f"{evening.at}/tables/r1t1/hands/1").headers["ETag"]
    body = {"entry": counts([4, 1, 2, 6], 0), "reason": WHY}
    response = put(hanna, evening, 1, body, if_match=seen)
    assert (response.status_code, response.headers["ETag"]) == (200, '"2"')
    assert response.json() == hanna.get(f"{evening.at}/tables/r1t1/hands/1").json()
    assert (response.json()["revision"], response.json()["reason"]) == (2, WHY)


def test_put_without_a_change_is_refused_or_answered(signed_in: SignIn, evening: Evening) -> None:
    hanna, body = signed_in("hanna"), {"entry": counts([4, 1, 2, 6], 0), "reason": WHY}
    same = {"entry": counts([4, 1, 2, 6], 3), "reason": WHY}
    refused = put(hanna, evening, 1, same, if_match='"1"')
    assert (refused.status_code, errors(refused)) == (422, [("nothing_changed", "/entry")])
    assert put(hanna, evening, 1, body, if_match='"1"').status_code == 200
    again = put(hanna, evening, 1, body, if_match='"1"')
    assert (again.status_code, again.headers["ETag"]) == (200, '"2"')
    assert again.headers["Idempotent-Replayed"] == "true"
    assert Entry.objects.filter(hand__number=1).count() == 2


def test_put_on_any_revision_is_answered_again(signed_in: SignIn, evening: Evening) -> None:
    hanna, body = signed_in("hanna"), {"entry": counts([4, 1, 2, 6], 0), "reason": WHY}
    assert put(hanna, evening, 1, body, if_match="*").status_code == 200
    again = put(hanna, evening, 1, body, if_match="*")
    assert (again.status_code, again.headers["ETag"]) == (200, '"2"')
    assert again.headers["Idempotent-Replayed"] == "true"
    assert Entry.objects.filter(hand__number=1).count() == 2
    other = {**body, "reason": "Read again."}
    assert codes(put(hanna, evening, 1, other, if_match="*")) == ["nothing_changed"]
    assert put(hanna, evening, 5, body, if_match="*").status_code == 404


@pytest.mark.parametrize("tag", ['W/"1"', "1", '"0"', '"1", "2"'])
def test_if_match_that_names_no_revision_is_400_and_none_is_428(
    hanna: Client, evening: Evening, tag: str
) -> None:
    assert refusal(put(hanna, evening, 1, NEW, if_match=tag)) == (400, ["bad_header"])
    assert refusal(put(hanna, evening, 1, NEW)) == (428, ["if_match_needed"])


def test_empty_headers_are_named_as_empty(hanna: Client, evening: Evening) -> None:
    assert put(hanna, evening, 1, NEW, if_match="").json()["detail"] == (
        'The header If-Match is empty. Send the ETag of the hand, as in "1".'
    )
    assert post(hanna, evening, NEW, **{"Idempotency-Key": ""}).json()["detail"] == (
        "The header Idempotency-Key is empty. Send 1 to 128 characters without blanks or accents."
    )


def test_request_without_a_body_is_told_what_to_send(
    hanna: Client, dirk: Client, evening: Evening
) -> None:
    at = f"{evening.at}/tables/r1t1"
    new = post(hanna, evening, "")
    assert (new.status_code, codes(new)) == (400, ["bad_json"])
    missing = "The request is not valid JSON: the body is missing. Send a JSON object with "
    assert new.json()["detail"] == f"{missing}number and entry."
    header = {"If-Match": hanna.get(f"{at}/seats")["ETag"]}
    seats = dirk.post(f"{at}/seats", "", content_type="application/json", headers=header)
    assert seats.json()["detail"] == f"{missing}act and reason."
    empty = post(hanna, evening, {})
    assert (empty.status_code, codes(empty)) == (422, ["bad_entry", "bad_hand_number"])
    messages = {error["message"] for error in empty.json()["errors"]}
    assert messages == {"entry is required.", "number is required."}


def test_stale_revision_is_412_with_both_hands(signed_in: SignIn, evening: Evening) -> None:
    hand(evening.game, 1, [4, 1, 2, 6], 2, based_on=1, reason="South had her.")
    body = {"entry": counts([4, 1, 2, 6], 0), "reason": WHY}
    response = put(signed_in("hanna"), evening, 1, body, if_match='"1"')
    assert (response.status_code, errors(response)) == (412, [("entry_outdated", "")])
    said = response.json()
    assert said["errors"][0]["facts"] == {"yours": 1, "theirs": 2}
    assert (said["there"]["revision"], said["there"]["reason"]) == (2, "South had her.")
    assert said["yours"] == {**body, "note": ""}


def test_revision_of_a_hand_that_is_not_there_is_404(signed_in: SignIn, evening: Evening) -> None:
    body = {"entry": counts([4, 1, 2, 6], 0), "reason": WHY}
    response = put(signed_in("hanna"), evening, 7, body, if_match='"1"')
    assert (response.status_code, codes(response)) == (404, ["unknown_hand"])
    assert not Hand.objects.filter(number=7).exists()


def test_everything_that_is_wrong_is_said_at_once(signed_in: SignIn, evening: Evening) -> None:
    body = {
        "number": "3",
        "entry": {"hearts": [4, 1, 2, 5], "taken": [[], [], [], ["QS"]]},
        "players": ["RL01", 7],
        "note": "n" * 501,
        "colour": "red",
    }
    response = post(signed_in("hanna"), evening, body)
    assert response.status_code == 422
    assert sorted(errors(response)) == [
        ("bad_hand_number", "/number"),
        ("bad_players", "/players"),
        ("bad_text", "/note"),
        ("missing_cards", "/entry/hearts"),
        ("unknown_member", "/colour"),
    ]
    assert not Hand.objects.filter(number=3).exists()


def test_wrong_players_and_wrong_sum_are_said_together(signed_in: SignIn, evening: Evening) -> None:
    body = {
        "number": 1000,
        "entry": counts([4, 1, 2, 5], 3),
        "players": ["RL01", "RL03", "RL02", "RL04"],
    }
    assert sorted(errors(post(signed_in("hanna"), evening, body))) == [
        ("bad_hand_number", "/number"),
        ("missing_cards", "/entry/hearts"),
        ("player_mismatch", "/players/1"),
        ("player_mismatch", "/players/2"),
    ]


def test_open_moon_lists_the_ways_to_settle_it(signed_in: SignIn, evening: Evening) -> None:
    response = post(signed_in("hanna"), evening, {"number": 3, "entry": counts([0, 13, 0, 0], 1)})
    assert errors(response) == [("choice_required", "/entry/slam_choice")]
    ways = response.json()["errors"][0]["suggestions"]
    assert [way["facts"]["choice"] for way in ways] == ["self", "others"]
    booked, totals = ways[1]["facts"]["scores"], ways[1]["facts"]["totals"]
    before = [total - score for total, score in zip(totals, booked, strict=True)]
    assert booked == [26, 0, 26, 26]
    assert ways[0]["facts"]["totals"] == [before[0], before[1] - 26, before[2], before[3]]


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        "4 1 2 6",
        {},
        {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS\x00"]]},
        {"hearts": [10**400, 1, 2, 6], "taken": [[], [], [], ["QS"]]},
    ],
)
def test_entry_of_any_other_shape_is_refused_and_never_coerced(
    signed_in: SignIn, evening: Evening, entry: object
) -> None:
    response = post(signed_in("hanna"), evening, {"number": 3, "entry": entry})
    assert response.status_code == 422
    assert all(place.startswith("/entry") for _, place in errors(response))
    assert not Hand.objects.filter(number=3).exists()


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("[]", 400, "bad_json"),
        ("[" * 30_000, 400, "bad_json"),
        ('{"entry":' + "[" * 100 + "]" * 100 + "}", 400, "bad_json"),
        ('{"number": 1e309}', 400, "bad_json"),
        ('{"number": NaN}', 400, "bad_json"),
        ('{"number": 3, "number": 4}', 400, "bad_json"),
        (r'{"note": "\ud800"}', 400, "bad_json"),
        (b"\xff\xfe", 400, "bad_json"),
        (" " * (MOST_BODY_BYTES + 1), 413, "too_large"),
    ],
)
def test_body_that_is_no_object_of_a_sensible_size_is_refused(
    signed_in: SignIn, evening: Evening, body: str, status: int, code: str
) -> None:
    response = post(signed_in("hanna"), evening, body)
    assert (response.status_code, codes(response)) == (status, [code])


@pytest.mark.parametrize("body", ["[" * 30_000, '{"entry":' + "[" * 100 + "]" * 100 + "}"])
def test_body_nested_too_deep_is_told_so(signed_in: SignIn, evening: Evening, body: str) -> None:
    said = post(signed_in("hanna"), evening, body).json()["detail"]
    assert said == "The request is not valid JSON: it nests more than 64 deep."


def test_session_needs_its_csrf_token(evening: Evening) -> None:
    hanna = Client(enforce_csrf_checks=True)
    hanna.get("/accounts/login/")
    token = hanna.cookies["csrftoken"].value
    hanna.force_login(evening.cast.users["hanna"])
    assert refusal(post(hanna, evening, NEW)) == (403, ["request_refused"])
    assert post(hanna, evening, NEW, **{"X-CSRFToken": token}).status_code == 201


@pytest.fixture
def unseated(evening: Evening) -> Evening:
    """Table 1 with its game, and nobody there yet."""
    Hand.objects.all().update(entry=None)
    Entry.objects.all().delete()
    Hand.objects.all().delete()
    Sitting.objects.all().delete()
    Seat.objects.all().delete()
    Game.objects.update(progress=None, hands_counted=0, state="seated")
    return evening


def test_first_hand_of_an_open_table_seats_players(signed_in: SignIn, unseated: Evening) -> None:
    players = ["RL04", "RL02", "RL03", "RL01"]
    body = {"number": 1, "entry": counts([4, 1, 2, 6], 3), "players": players}
    response = post(signed_in("hanna"), unseated, body)
    assert response.status_code == 201
    seats = response.json()["seats"]
    assert [(seat["player_id"], seat["total"]) for seat in seats] == [
        ("RL04", 4),
        ("RL02", 1),
        ("RL03", 2),
        ("RL01", 19),
    ]
    assert Entrant.objects.filter(event=unseated.event).count() == 4
    body = {"number": 2, "entry": counts([4, 1, 2, 6], 3)}
    assert post(signed_in("hanna"), unseated, body).status_code == 201


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, [("players_needed", "/players")]),
        (
            {"players": ["RL01", "RL99", "RL01"]},
            [("unknown_player", "/players/1"), ("same_player_twice", "/players/2")],
        ),
        (
            {"players": ["RL04", "RL02", "RL03", "RL01"], "entry": counts([4, 1, 2, 5], 3)},
            [("missing_cards", "/entry/hearts")],
        ),
    ],
    ids=["nobody", "who cannot sit", "wrong total"],
)
def test_refused_first_hand_leaves_the_table_open(
    signed_in: SignIn, unseated: Evening, more: Json, found: list[tuple[str, str]]
) -> None:
    assert errors(post(signed_in("hanna"), unseated, {**NEW, "number": 1, **more})) == found
    assert not Sitting.objects.exists()


def test_same_key_is_answered_alike_and_stored_once(signed_in: SignIn, evening: Evening) -> None:
    hanna, key = signed_in("hanna"), {"Idempotency-Key": "phone-7"}
    first = post(hanna, evening, NEW, **key)
    again = post(hanna, evening, NEW, **key)
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["Location"] == first.headers["Location"]
    assert Entry.objects.filter(hand__number=3).count() == 1


def test_key_that_no_header_should_hold_is_400(signed_in: SignIn, evening: Evening) -> None:
    for key in ("", "two words", "k" * 129, "schlüssel"):
        response = post(signed_in("hanna"), evening, NEW, **{"Idempotency-Key": key})
        assert (response.status_code, codes(response)) == (400, ["bad_header"])


def test_hand_beyond_the_length_is_only_additional(signed_in: SignIn, evening: Evening) -> None:
    settings = {**evening.event.settings, "length": "hands:2"}
    type(evening.event).objects.filter(pk=evening.event.pk).update(settings=settings)
    dirk = signed_in("dirk")
    refused = post(dirk, evening, NEW)
    assert (refused.status_code, codes(refused)) == (422, ["match_over"])
    sheet = {"round": 1, "table": 1, "hands": [NEW]}
    body = {"mode": "all", "sheets": [sheet]}
    assert codes(send_json(dirk, "POST", f"{evening.at}/sheets", body)) == ["match_over"]
    body = {"mode": "all", "sheets": [{**sheet, "hands": [{**NEW, "additional": True}]}]}
    assert send_json(signed_in("hanna"), "POST", f"{evening.at}/sheets", body).status_code == 403
    assert send_json(dirk, "POST", f"{evening.at}/sheets", body).status_code == 201
    assert post(dirk, evening, {**NEW, "number": 4, "additional": True}).status_code == 201
