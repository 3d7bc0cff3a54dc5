"""Compares what operations refuse in tests with the codes that they declare; a plugin.

A code that is not declared fails its test. Codes that no test of the first two tiers sees are
listed at the end of `make test-all`, which reads what `make test` saw before it.
"""

from importlib import import_module
from typing import Any, Final

import pytest

SEEN: Final[set[str]] = set()
"""`operation code` of every refusal of this process, and of processes that ended."""


def note_refusal(operation: Any, codes: tuple[str, ...]) -> None:
    undeclared = set(codes) - operation.refuses
    assert not undeclared, f"{operation.__name__} declares no {undeclared}"
    SEEN.update(f"{operation.__name__} {code}" for code in codes)


def note_status(error: Exception, request: Any) -> Any:
    """Return the answer to an exception; its status is one that the document has."""
    refusals: Any = import_module("api.openapi_refusals")
    answer = import_module("api.problems").problems_response(error, request)
    match, method = request.resolver_match, request.method.lower()
    if answer.status_code in refusals.MEANINGS and method in getattr(match.func, "rights", {}):
        right, write = refusals.declared_of(match.func, method)
        documented = set(refusals.statuses_of(match.route, right, write))
        assert answer.status_code in documented, f"{match.route} documents no {answer.status_code}"
    return answer


def pytest_collection_finish() -> None:
    operations: Any = import_module("tournaments.services.operations")
    operations.note_refusal = note_refusal
    handler: Any = import_module("api.exception_handler")
    handler.problems_response = note_status


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["refusals"] = sorted(SEEN)


class Refusals:
    """The refusals of all processes of a run."""

    def pytest_testnodedown(self, node: Any) -> None:
        SEEN.update(getattr(node, "workeroutput", {}).get("refusals", ()))

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, config: pytest.Config
    ) -> None:
        tier, options, cache = config.option.tier, config.option, config.cache
        is_whole = not (options.keyword or options.markexpr or options.file_or_dir)
        if tier not in ("test", "all") or not is_whole or cache is None:
            return
        cache.set(f"blacklady/refusals of {tier}", sorted(SEEN))
        if tier == "all" and (earlier := cache.get("blacklady/refusals of test", [])):
            operations = import_module("tournaments.services.operations").OPERATIONS.values()
            declared = {f"{each.__name__} {code}" for each in operations for code in each.refuses}
            unseen = sorted(declared - SEEN - set(earlier))
            terminalreporter.line(
                f"declared refusals that no test sees: {', '.join(unseen) or 'none'}"
            )


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Refusals(), "blacklady-refusals")
