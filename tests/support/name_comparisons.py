"""Counts the comparisons of names, and shows whether a writer's place was held meanwhile."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from django.db import connection
from rapidfuzz import process


@dataclass
class Comparisons:
    """The searches of `near_names`: names compared, longest name, depth of transactions."""

    n_names: list[int] = field(default_factory=list)
    longest: int = 0
    depths: list[int] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.n_names)


@contextmanager
def comparisons(meanwhile: Callable[[], object] | None = None) -> Iterator[Comparisons]:
    """Count; `meanwhile` is what another writer does during the first comparison."""
    counted, extract = Comparisons(), process.extract
    depth = len(connection.atomic_blocks)

    def counting(name: str, names: Sequence[str], **more: Any) -> Any:
        counted.n_names.append(len(names))
        counted.longest = max(counted.longest, len(name), *map(len, names))
        counted.depths.append(len(connection.atomic_blocks) - depth)
        if meanwhile is not None and len(counted.n_names) == 1:
            meanwhile()
        return extract(name, names, **more)

    with patch.object(process, "extract", counting):
        yield counted
