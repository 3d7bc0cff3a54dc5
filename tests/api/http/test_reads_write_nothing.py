"""A GET changes nothing but what is kept for speed, or to know when a device was used."""

from django.apps import apps
from django.test import Client

from tests.api.conftest import Evening
from tests.support.routes import routes

NAMES = {
    "club": "riverside", "event": "league", "code": "r1t1", "number": 1, "player_id": "RL01",
    "variant": "hearts", "date": "2025-10-02", "entrant": "RL01", "round": 1,
}  # fmt: skip
KEPT = {"django_session", "usersessions_usersession", "tournaments_publicationfile"}


def stored() -> dict[str, list[tuple[object, ...]]]:
    tables = {model._meta.db_table: model for model in apps.get_models()}
    return {
        name: list(tables[name]._default_manager.order_by("pk").values_list())
        for name in tables.keys() - KEPT
    }


def test_no_address_writes_when_it_is_read(evening: Evening) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(evening.cast.users["olga"])
    before = stored()
    paths = [each.path(NAMES) for each in routes() if not each.pattern.startswith("admin/")]
    shown = sum(client.get(path).status_code == 200 for path in paths)
    after = stored()
    assert [name for name, rows in after.items() if rows != before[name]] == []
    assert shown > 150
