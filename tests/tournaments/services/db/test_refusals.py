"""A refused act is counted and logged once: where it is the outermost, and no dry run."""

import pytest
from django.db import transaction
from structlog.testing import capture_logs

from scoring.errors import Problem, Refused
from tournaments.services.db.transactions import atomic_act, dry_run

pytestmark = pytest.mark.django_db


@atomic_act
def refuse() -> None:
    """Refuse."""
    raise Refused(Problem("late_entry"), Problem("no_seat"))


@atomic_act
def call_another() -> None:
    """Call an act that is refused."""
    refuse()


def test_refusal_is_logged_with_the_outermost_act_and_its_codes() -> None:
    with capture_logs() as logged, pytest.raises(Refused):
        call_another()
    assert [(line["event"], line["act"], line["codes"]) for line in logged] == [
        ("act_refused", "call_another", ("late_entry", "no_seat"))
    ]


def test_refusal_within_a_plain_transaction_is_logged_and_of_a_dry_run_is_not() -> None:
    with capture_logs() as logged, pytest.raises(Refused), transaction.atomic():
        refuse()
    assert len(logged) == 1
    with capture_logs() as logged, pytest.raises(Refused), dry_run():
        refuse()
    assert logged == []
