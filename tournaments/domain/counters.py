"""Counters that services increment and `/metrics` shows: entries stored, operations refused."""

from collections.abc import Iterable
from typing import Final

from django.db import transaction
from prometheus_client import CollectorRegistry, Counter, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]


REGISTRY: Final = CollectorRegistry()
"""Counters of this process, without the Python figures of the default registry."""

ENTRIES: Final = Counter(
    "blacklady_entries",
    "Entries of hands that were stored, corrections included, by their source.",
    ["source"],
    registry=REGISTRY,
)
REFUSALS: Final = Counter(
    "blacklady_refusals",
    "Acts that were refused, by the code of each problem.",
    ["code"],
    registry=REGISTRY,
)


def count_entries(source: str, number: int = 1) -> None:
    """Count entries once the transaction that stores them is committed.

    `source`: one of `Source`.
    """
    transaction.on_commit(lambda: ENTRIES.labels(source).inc(number), robust=True)


def count_refusal(codes: Iterable[str]) -> None:
    for code in set(codes):
        REFUSALS.labels(code).inc()
