"""The audit trail over REST: its owners read it, by person, act, object and day."""

from tests.api.conftest import Evening
from tests.support.answers import Answer
from tests.support.rest.requests import codes
from tournaments.models.audit import AuditLine

AT = "/api/v1/clubs/riverside/audit"


def asked(evening: Evening, query: str = "") -> Answer:
    return evening.cast.client("olga").get(AT + query)


def numbers(answer: Answer) -> list[int]:
    return [line["number"] for line in answer.json()["results"]]


def test_owner_reads_every_line_the_newest_first(evening: Evening) -> None:
    there = AuditLine.objects.filter(club__slug="riverside").order_by("-number")
    lines = asked(evening, "?limit=200").json()["results"]
    assert [line["digest"] for line in lines] == [line.digest for line in there]


def test_filters_limit_the_lines(evening: Evening) -> None:
    evening.cast.client("hanna").post(
        "/api/v1/tokens", {"name": "x", "scope": "read", "club": "riverside"}, "application/json"
    )
    own = asked(evening, "?by=hanna").json()["results"]
    assert [line["act"] for line in own] == ["make_token"]
    first = asked(evening, "?act=create_club").json()["results"]
    assert [(line["object"], line["by"]) for line in first] == [("club:riverside", "command:tests")]
    assert numbers(asked(evening, "?object=club:riverside&act=create_club"))
    assert numbers(asked(evening, "?since=2999-01-01")) == []
    assert numbers(asked(evening, "?since=2025-01-01T00:00:00Z"))
    assert codes(asked(evening, "?since=yesterday")) == ["bad_parameter"]
    assert codes(asked(evening, "?who=hanna")) == ["unknown_parameter"]
