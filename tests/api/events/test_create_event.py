"""Events and seasons over REST: made, changed, archived, deleted, and moved from state to state."""

import json

import pytest

from tests.api.conftest import Evening
from tests.support.answers import Answer, Json, post_json, send_json
from tests.support.builders import league, players, table
from tests.support.cast import NOW, Cast
from tests.support.rest.requests import errors
from tests.support.seasons import autumn_season
from tests.support.webhooks import with_webhook
from tournaments.domain.event_settings import settings_of
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.jobs import Dirty, season_scope
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Change, Publication
from tournaments.services.events.seasons import change_season
from tournaments.services.publishing.publications import publish
from tournaments.services.webhooks.manage import change_webhook

CLUB = "/api/v1/clubs/riverside"
DAYS = {"starts_on": "2025-09-01", "ends_on": "2025-12-31"}


def post(cast: Cast, path: str, body: object, who: str = "dirk") -> Answer:
    return post_json(cast.client(who), f"{CLUB}/{path}", body)


def test_name_and_variant_are_enough(cast: Cast) -> None:
    answer = post(cast, "events", {"name": "Autumn league", "variant": "hearts"})
    body: Json = answer.json()
    assert answer.status_code == 201, answer.content
    assert answer["Location"] == f"{CLUB}/events/autumn-league"
    response = cast.client("dirk").get(answer["Location"])
    assert (response.json(), response["ETag"]) == (body, answer["ETag"])
    assert (body["state"], body["kind"], body["visibility"]) == ("draft", "league", "public")
    assert (
        body["settings"]
        == post(cast, "events", {"name": "B", "variant": "hearts"}).json()["settings"]
    )
    assert Event.objects.count() == 2


def test_event_of_a_club_that_is_not_public_is_for_its_members(cast: Cast) -> None:
    for_members = {"visibility": "members"}
    send_json(cast.client("olga"), "PATCH", CLUB, for_members, If_Match="*")
    body = {"name": "Autumn league", "variant": "hearts"}
    assert post(cast, "events", body).json()["visibility"] == "members"
    assert post(cast, "events", body | {"visibility": "held"}).json()["visibility"] == "held"


def test_everything_wrong_is_in_one_answer_and_nothing_is_made(cast: Cast) -> None:
    answer = post(
        cast,
        "events",
        {"name": "", "slug": "A b", "variant": "nothing", "preset": "none", "kind": "x"},
    )
    assert answer.status_code == 422
    assert {place for _code, place in errors(answer)} == {
        "/name", "/slug", "/variant", "/preset", "/kind",
    }  # fmt: skip
    days = post(cast, "events", {"name": "A", "variant": "hearts", "meetings": ["2025-11-06", "x"]})
    assert errors(days) == [("bad_day", "/meetings/1")]
    clock = post(cast, "events", {"name": "A", "variant": "hearts", "time": "8 pm"})
    assert errors(clock) == [("bad_time", "/time")]
    many = [f"20{year}-01-{day:02d}" for year in range(26, 31) for day in range(1, 32)]
    late = post(cast, "events", {"name": "A", "variant": "hearts", "meetings": many})
    assert errors(late) == [("too_many_evenings", "/meetings")]
    assert not Event.objects.exists()
    assert not Meeting.objects.exists()


def test_what_a_body_names_and_is_not_there_is_a_problem_at_its_place(cast: Cast) -> None:
    body = {"name": "A", "variant": "hearts"}
    season = post(cast, "events", body | {"season": "spring"})
    assert (season.status_code, errors(season)) == (422, [("unknown_season", "/season")])
    before = post(cast, "events", body | {"entrants_of": "spring"})
    assert (before.status_code, errors(before)) == (422, [("unknown_event", "/entrants_of")])


def test_address_that_is_asked_for_is_that_one_or_none(cast: Cast) -> None:
    league(cast.riverside, slug="cup")
    body = {"name": "Cup", "variant": "hearts"}
    taken = post(cast, "events", body | {"slug": "cup"})
    assert (taken.status_code, errors(taken)) == (409, [("slug_taken", "/slug")])
    assert post(cast, "events", body).json()["slug"] == "cup-2"


def test_event_begins_with_the_entrants_of_another_one(cast: Cast) -> None:
    table(league(cast.riverside), players(cast.riverside, "Ada", "Bea", "Cleo", "Dora"))
    body = {"name": "Cup", "variant": "hearts", "preset": "swiss", "entrants_of": "league"}
    assert post(cast, "events", body).status_code == 201
    listed = cast.client().get(f"{CLUB}/events/cup/entrants").json()["results"]
    assert [one["player_id"] for one in listed] == ["RL01", "RL02", "RL03", "RL04"]


@pytest.mark.parametrize(
    ("preset", "variant", "game"),
    [
        ("pairs", "hearts", "partnership-hearts-pooled"),
        ("teams", "hearts", "partnership-hearts-pooled"),
        ("duplicate", "pinochle-two-hand", "hearts"),
        ("pairs", "partnership-hearts-individual", "partnership-hearts-individual"),
    ],
)
def test_game_that_a_preset_cannot_be_played_with_is_replaced_as_on_the_page(
    cast: Cast, preset: str, variant: str, game: str
) -> None:
    body = {"name": "A", "variant": variant, "preset": preset}
    assert post(cast, "events", body).json()["variant"] == game


def test_event_joins_its_season_and_the_table_of_the_season_is_made_again(cast: Cast) -> None:
    season = autumn_season(cast.riverside)
    Dirty.objects.all().delete()
    body = {"name": "A", "variant": "hearts", "season": "autumn"}
    assert post(cast, "events", body).json()["season"] == "autumn"
    assert Dirty.objects.filter(scope=season_scope(season.pk)).exists()
    assert cast.client().get(f"{CLUB}/seasons/autumn").json()["events"] == ["a"]


def test_club_that_leaves_it_to_owners_refuses_a_director(cast: Cast) -> None:
    send_json(cast.client("olga"), "PATCH", CLUB, {"event_creators": "owners"}, If_Match="*")
    body = {"name": "A", "variant": "hearts", "season": "no-such-season"}
    assert post(cast, "events", body).status_code == 403
    assert post(cast, "events", body | {"season": ""}, "olga").status_code == 201
    league(cast.riverside)
    assert post(cast, "events/league/copy", {"name": "B"}).status_code == 403


def test_ladder_is_not_copied(cast: Cast) -> None:
    body = {"name": "Rungs", "variant": "hearts", "kind": "ladder"}
    assert post(cast, "events", body).status_code == 201
    assert post(cast, "events/rungs/copy", {"name": "B"}).status_code == 404


def test_copy_without_players_has_none(cast: Cast) -> None:
    table(league(cast.riverside), players(cast.riverside, "Ada", "Bea", "Cleo", "Dora"))
    body = {"name": "Next", "slug": "after", "players": False}
    answer = post(cast, "events/league/copy", body)
    assert (answer.status_code, answer["Location"]) == (201, f"{CLUB}/events/after")
    assert cast.client().get(f"{CLUB}/events/after/entrants").json()["results"] == []


def test_season_is_made_read_and_changed(cast: Cast) -> None:
    league(cast.riverside)
    response = post(cast, "seasons", {"name": "Autumn", **DAYS})
    assert (response.status_code, response["Location"]) == (201, f"{CLUB}/seasons/autumn")
    read = cast.client().get(response["Location"])
    assert (read.json(), read["ETag"]) == (response.json(), response["ETag"])
    dirk, at = cast.client("dirk"), f"{CLUB}/seasons/autumn"
    body = {"name": "Fall", "preset": "places", "events": ["league"]}
    changed = send_json(dirk, "PATCH", at, body, If_Match=read["ETag"])
    assert (changed.status_code, changed.json()["events"]) == (200, ["league"])
    assert (changed.json()["name"], changed.json()["table"]) == ("Fall", "places")
    assert changed.json()["starts_on"] == "2025-09-01"
    only = send_json(dirk, "PATCH", at, {"ends_on": "2025-12-01"}, If_Match=changed["ETag"])
    assert (only.json()["table"], only.json()["events"]) == ("places", ["league"])


def test_change_of_a_season_or_a_webhook_to_what_it_is_writes_nothing(cast: Cast) -> None:
    season = autumn_season(cast.riverside)
    webhook = with_webhook(cast)
    op = cast.operation("olga")
    before = AuditLine.objects.count(), Dirty.objects.count()
    change_season(op, season, name=season.name, events=[])
    change_webhook(op, webhook, kinds=webhook.kinds[::-1])
    assert (AuditLine.objects.count(), Dirty.objects.count()) == before


def test_event_with_boards_needs_a_game_for_four_with_one_pack(cast: Cast) -> None:
    wanted = {"name": "Boards", "variant": "pinochle-two-hand"}
    answer = post(cast, "events", wanted | {"settings": {"duplicate": True, "length": "open"}})
    assert (answer.status_code, errors(answer)) == (422, [("bad_setting", "/settings/duplicate")])
    said = answer.json()["errors"][0]["message"]
    assert "a game for four players with all 52 cards of one pack dealt" in said
    assert not Event.objects.exists()
    made = post(cast, "events", wanted).json()["slug"]
    address, dirk = f"{CLUB}/events/{made}/settings", cast.client("dirk")
    body = {"settings": {"duplicate": True, "length": "open"}}
    refused = send_json(dirk, "PATCH", address, body, If_Match=dirk.get(address)["ETag"])
    assert (refused.status_code, errors(refused)) == (422, [("bad_setting", "/settings/duplicate")])


JSON = "application/json"
REASON = "The members want it so."


def patch(evening: Evening, body: object, tag: str = "*", at: str = "") -> Answer:
    address, headers = f"{evening.at}{at}", {"If-Match": tag}
    return evening.cast.client("dirk").patch(address, body, content_type=JSON, headers=headers)


def test_name_is_mended_and_published_with_equal_ranks(evening: Evening) -> None:
    before = json.loads(bytes(evening.publication.body))
    answer = patch(evening, {"name": " Autumn  league "})
    assert (answer.status_code, answer.json()["name"]) == (200, "Autumn league")
    publish(evening.event.pk, now=NOW)
    after = evening.cast.client().get(f"{evening.at}/standings").json()
    assert after["publication"]["number"] == 2
    assert after["event"]["name"] == "Autumn league"
    assert (after["rows"], after["scheme"]) == (before["rows"], before["scheme"])
    assert [(change.kind, change.by) for change in Change.objects.all()] == [("names", "director")]
    log = evening.cast.client().get(f"{evening.at}/changes").json()["results"]
    assert (log[0]["kind"], log[0]["publication"]) == ("names", 2)


def test_slug_is_changed_and_the_former_one_answers_308(evening: Evening) -> None:
    answer = patch(evening, {"slug": "autumn"})
    assert (answer.status_code, answer.json()["slug"]) == (200, "autumn")
    moved = patch(evening, {"name": "Cup"})
    to = evening.at.replace("events/league", "events/autumn")
    assert (moved.status_code, moved["Location"]) == (308, to)
    league(evening.cast.riverside, slug="cup")
    refused = evening.cast.client("dirk").patch(
        to, {"slug": "cup"}, content_type=JSON, headers={"If-Match": "*"}
    )
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (409, "slug_taken")


def test_readers_are_changed_and_the_rest_stays(evening: Evening) -> None:
    answer = patch(evening, {"visibility": "members"})
    assert (answer.json()["visibility"], answer.json()["name"]) == ("members", "League")
    assert evening.cast.client().get(evening.at).status_code == 404
    assert not Change.objects.exists()
    publish(evening.event.pk, now=NOW)
    assert Publication.objects.count() == 1


def test_settings_are_changed_with_a_reason(evening: Evening) -> None:
    body = {"settings": {"drop_worst": 1}, "reason": REASON}
    answer = patch(evening, body, at="/settings")
    assert (answer.status_code, answer.json()["settings"]["drop_worst"]) == (200, 1)
    assert Change.objects.get(kind="settings").reason == REASON
    assert settings_of(Event.objects.get(pk=evening.event.pk)).drop_worst == 1


def test_tie_break_that_ranks_already_is_named_as_without_effect(evening: Evening) -> None:
    body = {"settings": {"primary": "wins", "tie_breaks": ["wins", "h2h"]}, "reason": REASON}
    answer = patch(evening, body, at="/settings")
    idle = [(note["code"], note["key"]) for note in answer.json()["no_effect"]]
    assert (answer.status_code, idle) == (200, [("criterion_is_primary", "wins")])


def test_list_of_place_points_for_one_size_keeps_those_of_the_others(evening: Evening) -> None:
    before = settings_of(evening.event).placement
    body = {"settings": {"placement": {"4": [9, 3, 1, 0]}}, "reason": REASON}
    answer = patch(evening, body, at="/settings")
    stored = answer.json()["settings"]["placement"]
    assert (answer.status_code, stored) == (200, {**before, "4": [9, 3, 1, 0]})
    assert len(stored) > 1


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        ({"settings": {"length": "hands:4"}}, "setting_is_played", "/settings/length"),
        ({"settings": {"beauty": 1}}, "bad_setting", "/settings/beauty"),
        ({"settings": {"tie_breaks": [["h2h"]]}}, "bad_setting", "/settings/tie_breaks"),
        ({"settings": {"tie_breaks": ["h2h", {}]}}, "bad_setting", "/settings/tie_breaks"),
        ({"settings": {"primary": "placement_points", "placement": {"04": [5, 3, 2, 1]}}},
         "bad_setting", "/settings/placement"),
    ],
)  # fmt: skip
def test_refused_settings_name_the_place_and_change_nothing(
    evening: Evening, body: object, code: str, pointer: str
) -> None:
    before = Event.objects.get(pk=evening.event.pk).settings
    answer = patch(evening, body, at="/settings")
    assert answer.status_code == 422
    first = answer.json()["errors"][0]
    assert (first["code"], first["pointer"]) == (code, pointer)
    assert Event.objects.get(pk=evening.event.pk).settings == before


def test_registry_says_what_each_metric_means_and_needs(evening: Evening) -> None:
    rows = evening.cast.client().get("/api/v1/metrics").json()["results"]
    found = {(row["use"], row["key"]): row for row in rows}
    assert len(found) == len(rows)
    average = found["primary", "raw_per_hand"]
    assert average["example"] == "84 points in 15 hands: 84 ÷ 15 = 5.6000"
    assert average["needs"] == ["hands", "one_game", "scores"]
    assert next(row["key"] for row in rows if row["use"] == "primary") == "placement_points"
    assert found["tie_break", "lot"]["direction"] is None
    reads = [found["tie_break", key]["reads"] for key in ("countback", "last_game", "lot")]
    assert reads == ["counted", "all", None]
    table = evening.cast.client().get("/api/v1/metrics.csv").content.decode()
    assert table.startswith("key,use,name,short,direction,definition,example\r\n")
