"""Processor time of a share of a core for some processes, by a control group of Linux."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.live.project import tree_of

PERIOD_US = 100_000
FIRST = Path("/sys/fs/cgroup/cpu")
"""The controller of the first version; the second has one tree for all."""
SECOND = Path("/sys/fs/cgroup")


@contextmanager
def processor_quota(percent: int) -> Iterator[Path | None]:
    """Make a group with so much of a core for the block; None where groups cannot be made."""
    quota_us = percent * PERIOD_US // 100
    root = FIRST if FIRST.is_dir() else SECOND
    group = root / f"blacklady-test-{uuid.uuid4().hex[:12]}"
    try:
        group.mkdir()
        if root == FIRST:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(quota_us))
        else:
            (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}")
    except OSError:
        with suppress(OSError):
            group.rmdir()
        yield None
        return
    try:
        yield group
    finally:
        for pid in (group / "cgroup.procs").read_text().split():
            with suppress(OSError):
                (root / "cgroup.procs").write_text(pid)
        group.rmdir()


def move_into(group: Path, root: int) -> None:
    """Move a process with all that it started; what they start later follows by itself."""
    for pid in tree_of(root):
        with suppress(OSError):
            (group / "cgroup.procs").write_text(str(pid))


def pool_processes(worker: int) -> list[int]:
    return [pid for pid in tree_of(worker) if pid != worker]


def priority_of(pid: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, pid)
