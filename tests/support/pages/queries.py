"""What a page asks of the database."""

from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext


def count_queries(client: Client, path: str, query: dict[str, Any] | None = None) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path, query).status_code == 200, path
    return len(queries)
