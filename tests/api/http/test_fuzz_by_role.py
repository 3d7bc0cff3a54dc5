"""Every operation is tried by every role with what its schema allows, and with what it does not.

All checks of schemathesis are on. 412, 413, 422 and 428 are answers of services to what the schema
allows: no schema says whether a slug is free, a hand adds up or an ETag is the current one.
`make test-long` sends at least 20,000 requests, and every operation succeeds 20 times; the end of
the run says how many there were.
"""

import re
from collections import Counter
from collections.abc import Iterator
from math import ceil
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache as django_cache
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.generation import GenerationMode

from api.schema_views import document
from tests.support.cast import Cast
from tests.support.lengths import short_or_long
from tests.support.rest.call import RestCall
from tests.support.rest.fuzzing import (
    ROLES,
    bearers,
    complete,
    document_in_open_transaction,
    keep_transaction_open,
)
from tests.support.rest.request_counts import count_requests
from tests.support.rest.worked_calls import placed, prepared, send

pytestmark = pytest.mark.usefixtures("clock")

SAID: Final = {
    one["operationId"]: one for methods in document()["paths"].values() for one in methods.values()
}
OPERATIONS: Final = {
    one["operationId"]: (method.upper(), path)
    for path, methods in document()["paths"].items()
    for method, one in methods.items()
}
SUCCESSES: Final = short_or_long(1, 20)
"""So often at least each operation is answered with 2xx."""
REQUESTS: Final = short_or_long(1, ceil(20_000 / len(OPERATIONS)))
"""So many requests at least each operation gets: 20,000 in all."""
FORBIDDEN: Final = short_or_long(1, 3)
"""Cases that the schema refuses; every role sends each."""
ALLOWED: Final = short_or_long(1, 5)
"""Cases that the schema allows; every role sends each."""


@pytest.fixture
def served(db: None) -> Iterator[Any]:
    """The document; requests leave the test's transaction open."""
    with document_in_open_transaction() as made:
        yield made


def names_in(path: str, address: str) -> dict[str, str]:
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))
    found = re.fullmatch(pattern, urlsplit(address).path)
    assert found is not None, (path, address)
    return found.groupdict()


def may_be_refused(name: str) -> bool:
    """Whether a request can be other than the schema says: any text is a name or an ETag.

    `score` takes any JSON, and answers what is no case.
    """
    said = SAID[name]
    return ("requestBody" in said and name != "score") or any(
        one["in"] == "query"
        or one["schema"] not in ({"type": "string"}, {"type": "string", "minLength": 1})
        for one in said.get("parameters", ())
    )


def tried(cases: int) -> settings:
    """Settings by which hypothesis makes so many cases, the same ones in every run."""
    return settings(
        max_examples=cases,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def send_as_documented(cast: Cast, call: RestCall, statuses: Counter[int]) -> None:
    """Send the request of the example until there were enough; undo each."""
    succeeded = sum(count for status, count in statuses.items() if status // 100 == 2)
    for at in range(max(1, SUCCESSES - succeeded, REQUESTS - statuses.total())):
        with transaction.atomic():
            django_cache.clear()
            answer = send(cast, call, key=f"key-{at}")
            statuses[answer.status_code] += 1
            transaction.set_rollback(True)
        assert answer.status_code == call.status, getattr(answer, "content", b"")


@pytest.mark.parametrize("name", sorted(OPERATIONS)[:: short_or_long(8, 1)])
def test_every_role_is_answered_as_the_document_says(
    request: pytest.FixtureRequest, served: Any, cast: Cast, name: str
) -> None:
    method, path = OPERATIONS[name]
    call = prepared(cast, name)
    keep_transaction_open()
    headers = bearers()
    address = placed(call.address)
    there = names_in(path, address)
    query = {key: value[0] for key, value in parse_qs(urlsplit(address).query).items()}
    operation = served[path][method]
    statuses: Counter[int] = Counter()

    def as_every_role(case: Any) -> None:
        complete(case)
        if case.meta.generation.mode.is_positive:
            case.query = {**case.query, **query} if query else case.query
        for who in ROLES:
            with transaction.atomic():
                django_cache.clear()
                response = case.call(headers=headers[who])
                statuses[response.status_code] += 1
                case.validate_response(response, headers=headers[who])
                transaction.set_rollback(True)

    allowed = operation.as_strategy(
        generation_mode=GenerationMode.POSITIVE, path_parameters=there or None
    )
    tried(ALLOWED)(given(case=allowed)(as_every_role))()
    if may_be_refused(name):
        forbidden = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
        tried(FORBIDDEN)(given(case=forbidden)(as_every_role))()
    send_as_documented(cast, call, statuses)
    succeeded = sum(count for status, count in statuses.items() if status // 100 == 2)
    count_requests(request.node, name, requests=statuses.total(), successes=succeeded)
    assert statuses.total() >= REQUESTS
    assert succeeded >= SUCCESSES
