"""How much work the scorer does for whom, in steps of about a microsecond (`scoring.budget`)."""

from typing import Final

from scoring.budget import Budget

A_REQUEST: Final = 1_200_000
"""Steps of a request to the open scorer: every worked case of the documentation, twice."""
A_HAND: Final = 6_000_000
"""Steps of a hand that is typed or stands in a file: three searches that find no end."""
HINTS_OF_A_REQUEST: Final = 10
HINTS_OF_A_FILE: Final = 25
HINT_STEPS: Final = 500_000


def of_a_request() -> Budget:
    """Return the budget of cases that anybody sends."""
    return Budget(A_REQUEST, hint_steps=HINT_STEPS, hints=HINTS_OF_A_REQUEST)


def of_a_hand() -> Budget:
    """Return the budget of a hand that is typed."""
    return Budget(A_HAND, hint_steps=HINT_STEPS)


def of_a_stored_hand() -> Budget:
    """Return the budget of a hand that was accepted once: that it still can be has no bound.

    What it cost then says nothing: a search costs less while its tables are kept from the last.
    """
    return Budget(hint_steps=HINT_STEPS)


def of_a_row(file: Budget) -> Budget:
    """Return the budget of one hand of a file whose hints are those of the whole file."""
    return Budget(A_HAND, within=file)


def of_a_file() -> Budget:
    """Return the budget of a file: each hand is looked at, the first bad ones have their hints."""
    return Budget(hint_steps=4 * HINT_STEPS, hints=HINTS_OF_A_FILE)
