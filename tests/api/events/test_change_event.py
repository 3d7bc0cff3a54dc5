"""An event over REST: its name, its readers, archived and deleted."""

import json

from tests.api.conftest import Evening
from tests.support.answers import Answer
from tests.support.builders import league
from tests.support.cast import NOW
from tournaments.models.events import Event
from tournaments.models.standings import Change, Publication
from tournaments.services.publishing.publications import publish

JSON = "application/json"


def patch(evening: Evening, body: object, tag: str = "*", who: str = "dirk") -> Answer:
    headers = {"If-Match": tag} if tag else {}
    return evening.cast.client(who).patch(evening.at, body, content_type=JSON, headers=headers)


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


def test_refusals_of_a_change(evening: Evening) -> None:
    assert patch(evening, {"name": "Cup"}, tag="").status_code == 428
    assert patch(evening, {"name": "Cup"}, tag='"0123456789ab"').status_code == 412
    refused = patch(evening, {"name": " ", "visibility": "nobody"})
    assert [one["pointer"] for one in refused.json()["errors"]] == ["/name", "/visibility"]
    for name, status in (("", 401), ("nora", 403), ("piet", 403), ("hanna", 403)):
        assert patch(evening, {"visibility": "held"}, who=name).status_code == status
    assert patch(evening, {}).status_code == 200
    assert Event.objects.get(pk=evening.event.pk).visibility == "public"


def test_event_is_archived_by_its_owner_and_listed_again(evening: Evening) -> None:
    olga, dirk = evening.cast.client("olga"), evening.cast.client("dirk")
    reason = {"reason": "Played out."}
    assert dirk.post(f"{evening.at}/archive", reason, content_type=JSON).status_code == 403
    assert olga.post(f"{evening.at}/archive", {}, content_type=JSON).status_code == 422
    answer = olga.post(f"{evening.at}/archive", reason, content_type=JSON)
    assert answer.json()["archived_at"].endswith("Z")
    listed = "/api/v1/clubs/riverside/events"
    assert olga.get(listed).json()["results"] == []
    assert dirk.get(f"{evening.at}/standings").status_code == 200
    back = olga.post(f"{evening.at}/unarchive", reason, content_type=JSON)
    assert back.json()["archived_at"] is None
    assert [one["slug"] for one in olga.get(listed).json()["results"]] == ["league"]


def test_draft_is_deleted_and_nothing_else(evening: Evening) -> None:
    refused = evening.cast.client("dirk").delete(evening.at)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (409, "event_not_draft")
    Event.objects.update(state="draft")
    refused = evening.cast.client("dirk").delete(evening.at)
    assert refused.json()["errors"][0]["code"] == "event_holds_hands"
    assert evening.cast.client("hanna").delete(evening.at).status_code == 403
    copy = Event.objects.get(pk=evening.event.pk)
    copy.pk, copy.slug = None, "cup"
    copy.save()
    at = evening.at.replace("league", "cup")
    assert evening.cast.client("dirk").delete(at).json() == {"slug": "cup"}
    assert evening.cast.client("dirk").get(at).status_code == 404
