"""Writes that a page refuses are counted for the club, and logged with their actor."""

import pytest

from tests.support.cast import Cast
from tests.support.scenarios.table_links import linked
from tournaments.models.audit import RefusedAct

SETTINGS = "/clubs/riverside/settings"


def counted() -> list[tuple[str, str, str, int]]:
    """Club, actor, act and times of each row."""
    rows = RefusedAct.objects.order_by("pk")
    return list(rows.values_list("club__slug", "actor", "act", "times"))


def test_write_of_a_foreign_role_is_counted_and_a_read_is_not(cast: Cast) -> None:
    nora = cast.client("nora")
    assert nora.get(SETTINGS).status_code == 403
    assert counted() == []
    assert [nora.post(SETTINGS).status_code for _ in range(3)] == [403] * 3
    assert counted() == [("riverside", cast.actor("nora").label, "manage_club", 3)]


def test_link_away_from_its_table_is_counted(cast: Cast) -> None:
    night = linked(cast)
    phone = night.holder()
    address = f"{night.event}/tables/{night.other.table.code}/hands/new"
    assert phone.get(address).status_code == 404
    assert counted() == []
    assert phone.post(address).status_code == 404
    assert counted() == [("riverside", f"link:{night.link.pk}", "enter_hand", 1)]


def test_log_lines_of_a_request_name_its_actor(
    cast: Cast, caplog: pytest.LogCaptureFixture
) -> None:
    cast.client("nora").post(SETTINGS)
    cast.client().get("/clubs/riverside")
    lines = [record.msg for record in caplog.records if record.name == "blacklady.request"]
    logged = [(line.get("actor"), line["status"]) for line in lines if isinstance(line, dict)]
    assert logged == [(cast.actor("nora").label, 403), (None, 200)]
