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
    before = json.loads(bytes(evening.publication.body))
    answer = patch(evening, {"name": " Autumn  league "})
    assert (answer.status_code, answer.json()["name"]) == (200, "Autumn league")
    publish(evening.event.pk, now=NOW)
    after = evening.cast.client().get(f"{evening.at}/standings").json()
    assert after["publication"]["number"] == 2
    assert after["event"]["name"] == "Autumn league"
    assert (after["rows"], after["scheme"]) == (before["rows"], before["scheme"])
    assert [(one.kind, one.by) for one in Change.objects.all()] == [("names", "director")]
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
