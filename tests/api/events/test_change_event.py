"""An event over REST: its name, readers, settings, the registry of metrics, archived, deleted."""

import json

import pytest

from tests.api.conftest import Evening
from tests.support.answers import Answer
from tests.support.builders import league
from tests.support.cast import NOW
from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Event
from tournaments.models.standings import Change, Publication
from tournaments.services.publishing.publications import publish

JSON = "application/json"
REASON = "The members want it so."


def patch(evening: Evening, body: object, tag: str = "*", at: str = "") -> Answer:
    address, headers = f"{evening.at}{at}", {"If-Match": tag}
    return evening.cast.client("dirk").patch(address, body, content_type=JSON, headers=headers)


def test_name_is_mended_and_published_with_equal_ranks(evening: Evening) -> None:
    tag = evening.cast.client("dirk").get(evening.at)["ETag"]
    before = json.loads(bytes(evening.publication.body))
    answer = patch(evening, {"name": " Autumn  league "}, tag)
    assert (answer.status_code, answer.json()["name"]) == (200, "Autumn league")
    assert answer["ETag"] not in ("", tag)
    assert answer["ETag"] == evening.cast.client("dirk").get(evening.at)["ETag"]
    publish(evening.event.pk, now=NOW)
    after = evening.cast.client().get(f"{evening.at}/standings").json()
    assert after["publication"]["number"] == 2
    assert after["event"]["name"] == "Autumn league"
    assert (after["rows"], after["scheme"]) == (before["rows"], before["scheme"])
    assert [(one.kind, one.by) for one in Change.objects.all()] == [("names", "director")]
    log = evening.cast.client().get(f"{evening.at}/changes").json()["results"]
    assert (log[0]["kind"], log[0]["publication"]) == ("names", 2)
    outdated = patch(evening, {"name": "League"}, tag)
    assert (outdated.status_code, outdated.json()["there"]["name"]) == (412, "Autumn league")


def test_slug_is_changed_and_the_former_one_answers_308(evening: Evening) -> None:
    tag = evening.cast.client("dirk").get(evening.at)["ETag"]
    answer = patch(evening, {"slug": "autumn"}, tag)
    assert (answer.status_code, answer.json()["slug"]) == (200, "autumn")
    assert answer["ETag"] not in ("", tag)
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


def patch_settings(evening: Evening, body: object, tag: str = "") -> Answer:
    tag = tag or evening.cast.client("dirk").get(f"{evening.at}/settings")["ETag"]
    return patch(evening, body, tag, "/settings")


def drops(evening: Evening) -> int:
    return settings_of(Event.objects.get(pk=evening.event.pk)).drop_worst


def test_settings_are_read_with_their_tag(evening: Evening) -> None:
    answer = evening.cast.client().get(f"{evening.at}/settings")
    body = answer.json()
    assert answer.status_code == 200
    assert len(answer["ETag"]) == 14
    assert (body["settings"]["primary"], body["settings"]["tie_breaks"]) == ("raw_per_hand", [])
    assert body["settings"]["placement"]["4"] == [5, 3, 2, 1]
    assert (body["has_hands"], body["no_effect"]) == (True, [])
    assert [one["code"] for one in body["warnings"]] == ["ties_stay"]


def test_settings_are_changed_with_a_reason_and_get_another_tag(evening: Evening) -> None:
    before = evening.cast.client("dirk").get(f"{evening.at}/settings")["ETag"]
    answer = patch_settings(evening, {"settings": {"drop_worst": 1}, "reason": REASON})
    assert answer.status_code == 200
    assert answer.json()["settings"]["drop_worst"] == 1
    assert answer["ETag"] != before
    assert Change.objects.get(kind="settings").reason == REASON
    outdated = patch_settings(
        evening, {"settings": {"drop_worst": 2}, "reason": REASON}, tag=before
    )
    assert outdated.status_code == 412
    assert outdated.json()["errors"][0]["code"] == "settings_outdated"
    assert outdated.json()["there"]["drop_worst"] == 1
    assert drops(evening) == 1


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
    answer = patch_settings(evening, body)
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
    table = evening.cast.client().get("/api/v1/metrics.csv").content.decode()
    assert table.startswith("key,use,name,short,direction,definition,example\r\n")
