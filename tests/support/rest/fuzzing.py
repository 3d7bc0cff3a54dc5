"""What the tests by schemathesis share: the document that is tried, roles, and answers to expect.

No operation is left out, and no check is switched off.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import schemathesis
from django.core.signals import request_finished, request_started
from django.core.signing import Signer
from django.db import close_old_connections
from schemathesis.config import (
    ChecksConfig,
    PositiveDataAcceptanceConfig,
    ProjectConfig,
    ProjectsConfig,
    SchemathesisConfig,
)

from config.wsgi import application
from scoring.rules.catalogue import catalogue
from scoring.rules_card.card import usual_seats
from tests.support.answers import token

ROLES: Final = ("olga", "dirk", "hanna", "piet", "nora", "")
"""Everybody with a token of their own, and a stranger."""
OF_SERVICES: Final = ("412", "413", "422", "428")
"""Answers of services to what the schema allows: tests/api/http/test_fuzz_by_role.py says why."""
ACCEPTED: Final = ("2xx", "3xx", "401", "403", "404", "409", "429", *OF_SERVICES)


@cache
def read_document() -> Any:
    """The document, asked for once a process; all checks are on."""
    checks = ChecksConfig(
        positive_data_acceptance=PositiveDataAcceptanceConfig(expected_statuses=list(ACCEPTED))
    )
    config = SchemathesisConfig(projects=ProjectsConfig(default=ProjectConfig(checks=checks)))
    return schemathesis.openapi.from_wsgi("/api/v1/schema", application, config=config)


@contextmanager
def document_in_open_transaction() -> Iterator[Any]:
    """Give the document; requests leave the test's transaction open."""
    keep_transaction_open()
    try:
        yield read_document()
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


def keep_transaction_open() -> None:
    """Let no request close the connection; each one of Django's test client undoes this."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)


def bearers() -> Mapping[str, Mapping[str, str]]:
    """The header of each role; the cast must be there."""
    made = {who: {"Authorization": f"Bearer {token(who, 'manage')}"} for who in ROLES if who}
    return {**made, "": {}}


def complete(case: Any) -> None:
    """Give a request that the schema allows what it cannot say in full.

    A cursor is signed for its list: here it is the one of the first page. Which numbers of `seats`
    there are depends on the rules; the usual one of each variant is tried, four for house rules.
    """
    if case.meta.generation.mode.is_positive and case.query:
        if "cursor" in case.query:
            first = Signer(salt=case.formatted_path).sign_object([0, False, None])
            case.query = {**case.query, "cursor": first}
        if "seats" in case.query:
            case.query = {**case.query, "seats": _usual_seats(case.path_parameters)}


def _usual_seats(there: Mapping[str, object] | None) -> int:
    variant = str((there or {}).get("variant", ""))
    return usual_seats(catalogue().rules(variant)) if variant in catalogue().ids else 4
