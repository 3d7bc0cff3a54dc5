"""Log lines: JSON for programs, plain text for a person at a terminal, no token in either."""

import json
import os
import pty
import subprocess
import sys

import pytest

LOG = "import django; django.setup(); import logging; logging.warning('Opens /t/abc-def')"


def logged(stderr: int) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    subprocess.run([sys.executable, "-c", LOG], stderr=stderr, env=environment, check=True)
    os.close(stderr)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_line_is_plain_at_a_terminal_and_json_elsewhere(*, is_terminal: bool) -> None:
    reading, writing = pty.openpty() if is_terminal else os.pipe()
    logged(writing)
    line = os.read(reading, 10_000).decode()
    os.close(reading)
    assert line.startswith("{") is not is_terminal
    assert is_terminal or json.loads(line)["event"] == "Opens /t/…"
    assert "Opens /t/…" in line
