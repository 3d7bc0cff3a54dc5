"""The clock of the database in tests: it says what that of the tests says."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

Execute = Callable[[str, Any, bool, Any], object]


def answer_clock(execute: Execute, sql: str, params: Any, many: bool, context: Any) -> object:
    if "statement_timestamp()" in sql:
        return execute("SELECT %s::timestamptz", [timezone.now()], many, context)
    return execute(sql, params, many, context)
