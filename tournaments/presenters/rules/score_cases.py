"""Answering cases without a database: the scorer of the command line, with this site's variants."""

from collections.abc import Iterable, Iterator

from scoring.budget import Budget
from scoring.cases import answer
from tournaments.services.rules.rule_sets import variants


def case_answers(cases: Iterable[object], budget: Budget) -> Iterator[dict[str, object]]:
    """Yield the answer to each case; a refused one carries its `errors` and stops no other.

    Nothing is stored, and nothing that is asked is trusted (docs/api.md).

    Raises:
        OutOfBudget: the cases together cost more than `budget`.
    """
    offered = variants()
    return (answer(offered, case, budget) for case in cases)
