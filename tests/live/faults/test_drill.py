"""Three minutes of the drill, a club night while machines fail."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.live.project import PATIENCE_S

pytestmark = [
    *(pytest.mark.worker, pytest.mark.pg, pytest.mark.redis, pytest.mark.pgbouncer),
    pytest.mark.tier_long,
]

MINUTES = 3
BUSY_S = 60
"""Other tests run beside it, so that standings may be late; nothing may be lost."""


def test_nothing_is_lost_doubled_or_stale_in_three_minutes_of_faults(project_root: Path) -> None:
    options = ("--minutes", str(MINUTES), "--seed", "61", "--within", str(BUSY_S))
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.live.drill", *options],
        cwd=project_root,
        capture_output=True,
        text=True,
        timeout=60 * MINUTES + 2 * PATIENCE_S,
        check=False,
    )
    print(ended.stdout)
    assert ended.returncode == 0, ended.stderr
    assert "0 wrong, 0 late" in ended.stdout
