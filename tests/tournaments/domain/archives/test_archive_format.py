"""The format of archives: what is in one is decided for every table, and written down."""

import json
from pathlib import Path

from django.apps import apps

from tournaments.domain.archives.format import FORMAT, manifest_from
from tournaments.domain.archives.tables import (
    LEFT_OUT,
    NOT_ANONYMOUS,
    TEXTS_THAT_STAY,
    fields_of,
    is_left_out,
    table_of,
)

MODELS = tuple(apps.get_app_config("tournaments").get_models())
KNOWN = Path(__file__).with_name(f"format_{FORMAT}.json")


def columns_now() -> dict[str, list[str]]:
    models = [model for model in MODELS if not is_left_out(model, anonymous=False)]
    return {table_of(model): [field.name for field in fields_of(model)] for model in models}


def test_tables_and_columns_are_those_of_the_format() -> None:
    """A new table is listed in `format_N.json`, or in `LEFT_OUT` with the reason.

    A new column with a default, or one that may be empty, is added to the list: archives without
    it are still read. Anything else is a new format, with an upgrade in `UPGRADES`.
    """
    assert columns_now() == json.loads(KNOWN.read_text(encoding="utf-8"))


def test_lists_name_tables_and_columns_that_are_there() -> None:
    tables = set(map(table_of, MODELS))
    assert set(LEFT_OUT) | NOT_ANONYMOUS <= tables
    columns = {f"{table_of(model)}.{field.name}" for model in MODELS for field in fields_of(model)}
    assert columns >= TEXTS_THAT_STAY


def test_manifest_reads_what_it_writes() -> None:
    document = {
        "format": 1,
        "release": "0.3.0",
        "made_at": "2026-11-23T18:00:00+00:00",
        "club": {"slug": "riverside", "name": "Riverside"},
        "anonymous": False,
        "tables": {"player": {"columns": ["name"], "rows": 2}},
        "publications": {"event:league": ["sha256:1"]},
        "jobs": [["event:", 1, 7, 6]],
    }
    assert manifest_from(document).as_json() == document
