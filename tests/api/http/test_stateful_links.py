"""Answers lead on: schemathesis follows the links of the document, as an owner and as a host.

All checks are on, those of a sequence too: what was made is there, what was deleted is gone. What a
sequence does is undone after it. Answers of services to what the schema allows are those of
`test_fuzz_by_role`; in a sequence they are met more often, because what was made is made again.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pytest
import time_machine
from django.core.cache import cache as django_cache
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings

from tests.support.cast import Cast
from tests.support.lengths import short_or_long
from tests.support.rest import before_calls
from tests.support.rest.fuzzing import (
    bearers,
    complete,
    document_in_open_transaction,
    keep_transaction_open,
)
from tests.support.rest.worked_calls import two_evenings
from tests.support.webhooks import with_webhook

SEQUENCES: Final = short_or_long(12, 60)
STEPS: Final = short_or_long(15, 50)
FOLLOWED: Final = 3
"""So many operations at least answer with 2xx where a link leads to them."""


@pytest.fixture
def served(db: None) -> Iterator[Any]:
    with document_in_open_transaction() as made:
        yield made


@pytest.fixture
def club(clock: time_machine.Traveller, cast: Cast) -> Cast:
    """A club with a published league, house rules and a webhook; time stands still."""
    two_evenings(cast)
    before_calls.house(cast)
    with_webhook(cast)
    return cast


@pytest.mark.parametrize("who", ["olga", "hanna"])
def test_every_step_along_links_is_as_documented(served: Any, club: Cast, who: str) -> None:
    keep_transaction_open()
    headers = bearers()[who]
    followed: Counter[str] = Counter()

    class Sequence(served.as_state_machine()):  # type: ignore[misc]  # made by schemathesis
        def setup(self) -> None:
            self.undone = transaction.atomic()
            self.undone.__enter__()
            django_cache.clear()

        def teardown(self) -> None:
            transaction.set_rollback(True)
            self.undone.__exit__(None, None, None)

        def before_call(self, case: Any) -> None:
            complete(case)

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            return {"headers": headers}

        def validate_response(
            self, response: Any, case: Any, additional_checks: Any = None, **kwargs: Any
        ) -> None:
            case.validate_response(
                response,
                headers=headers,
                additional_checks=additional_checks,
                transport_kwargs=kwargs,
                recorder=self.recorder,
            )

        def after_call(self, response: Any, case: Any) -> None:
            super().after_call(response, case)
            of_links = self.recorder.cases[case.id]
            if of_links.transition is not None and response.status_code < 300:
                followed[case.operation.definition.raw["operationId"]] += 1

    Sequence.run(
        settings=settings(
            max_examples=SEQUENCES,
            stateful_step_count=STEPS,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
    )
    assert len(followed) >= FOLLOWED
