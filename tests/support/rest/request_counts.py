"""Says at the end of a run how many requests schemathesis sent; a plugin.

A test writes down what it sent by `count_requests`, so that processes of pytest-xdist are added up.
"""

from collections import Counter
from typing import Final

import pytest

REQUESTS: Final = "requests"
SUCCESSES: Final = "successes"


def count_requests(item: pytest.Item, name: str, *, requests: int, successes: int) -> None:
    """Write down what a test sent to an operation, and how often the answer was 2xx."""
    item.user_properties.append((REQUESTS, requests))
    item.user_properties.append((SUCCESSES, f"{name} {successes}"))


class RequestCounts:
    """The counts of all processes."""

    def __init__(self) -> None:
        self.requests = 0
        self.successes: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            for key, value in report.user_properties:
                if key == REQUESTS:
                    self.requests += int(str(value))
                elif key == SUCCESSES:
                    name, _, count = str(value).partition(" ")
                    self.successes[name] += int(count)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.successes:
            name, least = min(self.successes.items(), key=lambda each: (each[1], each[0]))
            terminalreporter.line(
                f"schemathesis: {self.requests} requests to {len(self.successes)} operations, "
                f"2xx at least {least} times ({name})"
            )


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RequestCounts(), "blacklady-request-counts")
