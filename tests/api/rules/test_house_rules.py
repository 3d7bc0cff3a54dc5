"""House rules over REST: read by all, made by directors, archived, refused with the reason."""

import pytest
from django.test import Client

from tests.support.answers import Answer, Json, post_json
from tests.support.builders import by_tests, league
from tests.support.cast import Cast
from tests.support.rest.before_calls import behind_its_rules
from tests.support.rest.requests import SignIn, codes, errors, refusal
from tournaments.models.events import Event
from tournaments.models.rules import HouseVariant, HouseVersion
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

CLUB = "/api/v1/clubs/riverside"
VARIANTS = f"{CLUB}/variants"
HOUSE = f"{VARIANTS}/thursday-rules"
NEW = {"name": "Thursday rules", "base": "omnibus", "options": {"target": 61, "bonus_value": -11}}
FILE = """id = "thursday-rules"
name = "Thursday rules"
extends = "omnibus-hearts"
sources = ["The club's book"]

[options]
target = 61
"""


@pytest.fixture
def first(cast: Cast) -> HouseVersion:
    chosen = chosen_rules("omnibus", {"target": 61, "bonus_value": -11})
    return make_house_rules(by_tests(), cast.riverside, name="Thursday rules", chosen=chosen)


def test_rules_that_are_played_are_options_too(signed_in: SignIn, cast: Cast) -> None:
    dirk = signed_in("dirk")
    options = {"passing": {"4": ["left", "scatter"]}, "second_pass": True}
    response = post_json(
        dirk, VARIANTS, {"name": "Club rules", "base": "hearts", "options": options}
    )
    assert (response.status_code, response.json()["options"]) == (201, options)
    options["passing"] = {"4": ["hold"], "6": ["hold"]}
    refused = post_json(dirk, VARIANTS, {"name": "Other", "base": "hearts", "options": options})
    assert (refused.status_code, errors(refused)) == (422, [("bad_option", "/options/second_pass")])


def test_house_rules_are_made_and_read(signed_in: SignIn, cast: Cast) -> None:
    response = post_json(signed_in("dirk"), VARIANTS, {**NEW, "summary": "To 61."})
    assert response.status_code == 201
    assert response["Location"] == f"{HOUSE}/versions/1"
    assert response["ETag"] == '"1"'
    body = response.json()
    assert {key: body[key] for key in ("id", "slug", "version", "title", "base", "summary")} == {
        "id": "thursday-rules-v1",
        "slug": "thursday-rules",
        "version": 1,
        "title": "Thursday rules, version 1",
        "base": "omnibus-hearts",
        "summary": "To 61.",
    }
    assert body["options"] == {"target": 61, "bonus_value": -11}
    assert body["rules"]["finish"][0]["value"] == 61
    for address in (HOUSE, f"{HOUSE}/versions/1"):
        read = Client().get(address)
        assert (read.json(), read["ETag"]) == (body, '"1"')
    (row,) = Client().get(VARIANTS).json()["results"]
    assert row == {key: value for key, value in body.items() if key not in ("options", "rules")}
    assert Client().get(f"{VARIANTS}.csv").content.splitlines()[1].startswith(b"thursday-rules-v1,")


def test_next_version_needs_the_one_looked_at(signed_in: SignIn, first: HouseVersion) -> None:
    dirk, body = signed_in("dirk"), {"options": {"target": 71, "bonus_value": -11}}
    assert refusal(post_json(dirk, f"{HOUSE}/versions", body)) == (428, ["if_match_needed"])
    response = post_json(dirk, f"{HOUSE}/versions", body, If_Match='"1"')
    assert (response.status_code, response.json()["id"]) == (201, "thursday-rules-v2")
    late = post_json(dirk, f"{HOUSE}/versions", {"options": {"target": 81}}, If_Match='"1"')
    assert (late.status_code, errors(late)) == (412, [("house_rules_moved_on", "/based_on")])
    assert late.json()["there"]["id"] == "thursday-rules-v2"
    same = post_json(dirk, f"{HOUSE}/versions", body, If_Match='"2"')
    assert (same.status_code, codes(same)) == (422, ["version_unchanged"])
    assert [row["version"] for row in Client().get(f"{HOUSE}/versions").json()["results"]] == [2, 1]


@pytest.mark.parametrize(
    ("change", "found", "says"),
    [
        ({"base": "omnibuss J"}, [("unknown_variant", "/base")], "no variant called omnibuss J"),
        ({"options": {"target": 50, "deals": 8}}, [("bad_option", "/options/target")],
         "It cannot be combined with \"Number of hands\""),
        ({"options": [1]}, [("bad_setting", "/options")], "an object of options"),
        ({"name": 3}, [("bad_setting", "/name")], "Expected: a text"),
        ({"slug": "gong-zhu"}, [("name_of_a_variant", "/slug")], "already used for Gong Zhu"),
        ({"colour": "red"}, [("unknown_member", "/colour")], "fields: name, slug, base, options"),
        ({"toml": FILE}, [("unknown_member", "/toml")], "a file alone"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_place_and_nothing_is_kept(
    signed_in: SignIn, cast: Cast, change: Json, found: list[tuple[str, str]], says: str
) -> None:
    refused = post_json(signed_in("dirk"), VARIANTS, NEW | change)
    assert refused.status_code == 422
    assert refused["Content-Type"] == "application/problem+json"
    assert errors(refused) == found
    assert says in refused.json()["detail"]
    assert not HouseVariant.objects.exists()


def test_toml_goes_in_and_comes_out(signed_in: SignIn, cast: Cast) -> None:
    dirk = signed_in("dirk")
    assert post_json(dirk, VARIANTS, {"toml": FILE}).json()["id"] == "thursday-rules-v1"
    file = Client().get(f"{HOUSE}/versions/1.toml")
    assert file["Content-Type"] == "application/toml; charset=utf-8"
    changed = file.content.decode().replace("61", "71")
    response = post_json(dirk, f"{HOUSE}/versions", {"toml": changed}, If_Match='"1"')
    assert response.json()["options"] == {"target": 71}
    other = changed.replace("thursday-rules", "friday-rules")
    refused = post_json(dirk, f"{HOUSE}/versions", {"toml": other}, If_Match='"2"')
    assert (refused.status_code, errors(refused)) == (422, [("rules_of_another", "/id")])
    wrong = post_json(dirk, VARIANTS, {"toml": FILE.replace("target", "tarrget")})
    (problem,) = wrong.json()["errors"]
    assert (problem["code"], problem["facts"]["line"]) == ("unknown_option", 7)
    assert problem["suggestions"][0]["facts"] == {"name": "target"}
    assert HouseVariant.objects.count() == 1


def test_entry_schema_of_house_rules_has_cards_and_players(signed_in: SignIn, cast: Cast) -> None:
    options = {"bonus_card": "10D", "removed_cards": {"3": ["2C"]}}
    post_json(signed_in("dirk"), VARIANTS, NEW | {"options": options})
    schema = Client().get(f"{HOUSE}/entry-schema?seats=3").json()
    assert (schema["variant"], schema["seats"]) == ("thursday-rules-v1", 3)
    assert [box["card"] for box in schema["boxes"] if box["card"]] == ["QS", "10D"]
    assert Client().get(f"{HOUSE}/versions/1/entry-schema").json()["seats"] == 4
    wrong = Client().get(f"{HOUSE}/entry-schema?seats=9")
    assert (wrong.status_code, codes(wrong)) == (400, ["bad_parameter"])
    assert wrong.json()["errors"][0]["facts"]["expected"] == "a number from 3 to 6"
    odd = Client().get(f"{HOUSE}/entry-schema?seats=5")
    assert (odd.status_code, codes(odd)) == (400, ["seat_count"])
    assert "52 cards of these rules cannot be dealt evenly to 5 players" in odd.json()["detail"]


def test_rules_card_of_house_rules_is_that_of_its_version(signed_in: SignIn, cast: Cast) -> None:
    post_json(signed_in("dirk"), VARIANTS, NEW | {"options": {"target": 61}})
    first = Client().get(f"{HOUSE}/card").json()
    assert (first["id"], first["seats"]) == ("thursday-rules-v1", 4)
    said = [rule["said"] for subject in first["subjects"] for rule in subject["rules"]]
    assert "When a total is 61 or more." in said
    assert Client().get(f"{HOUSE}/versions/1/card?seats=3").json()["seats"] == 3
    wrong = Client().get(f"{HOUSE}/card?seats=9")
    assert (wrong.status_code, codes(wrong)) == (400, ["bad_parameter"])
    missing = Client().get(f"{HOUSE}/versions/2/card")
    assert missing.status_code == 404


def test_clubs_are_kept_apart(signed_in: SignIn, cast: Cast, first: HouseVersion) -> None:
    elsewhere = Client().get("/api/v1/clubs/hilltop/variants/thursday-rules")
    assert (elsewhere.status_code, codes(elsewhere)) == (404, ["unknown_house_rules"])
    cast.riverside.is_public = False
    cast.riverside.save()
    parts = ("/versions/1.toml", "/entry-schema", "/card", "/versions/1/card")
    for address in (VARIANTS, HOUSE, *(f"{HOUSE}{part}" for part in parts)):
        assert Client().get(address).status_code == 404
        assert signed_in("piet").get(address).status_code == 200


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("name", "Thurs\x00day"),
        ("slug", "thurs\x00day"),
        ("summary", "To\x00 61."),
        ("base", "omni\x00bus"),
        ("options", {"target": 61, "moon": "self\x00"}),
        ("options", {"target\x00": 61}),
    ],
)
def test_nul_character_is_refused_at_its_member(
    signed_in: SignIn, cast: Cast, member: str, value: object
) -> None:
    answer = post_json(signed_in("dirk"), VARIANTS, {**NEW, member: value})
    assert (answer.status_code, errors(answer)) == (422, [("nul_character", f"/{member}")])
    assert f"The {member} contains a NUL character" in answer.json()["errors"][0]["message"]
    assert not HouseVersion.objects.exists()
    toml = {"toml": f'name = "x"\nextends = "hearts"\nsources = ["a"]\nsummary = "{chr(92)}u0000"'}
    assert post_json(signed_in("dirk"), VARIANTS, toml).status_code == 422


def post(cast: Cast, path: str) -> Answer:
    return post_json(cast.client("dirk"), path, {})


def test_event_plays_the_newest_version_of_its_house_rules(cast: Cast) -> None:
    behind_its_rules(cast)
    address = f"{CLUB}/events/league/use-version"
    before = Event.objects.get().variant
    done = post(cast, address)
    assert (done.status_code, done.json()["variant"]) == (200, "thursday-rules-v2")
    assert before != "thursday-rules-v2"
    assert post(cast, address).json()["variant"] == "thursday-rules-v2"


def test_event_without_house_rules_stays_as_it_is(cast: Cast) -> None:
    league(cast.riverside)
    done = post(cast, f"{CLUB}/events/league/use-version")
    assert (done.status_code, done.json()["variant"]) == (200, "hearts")
