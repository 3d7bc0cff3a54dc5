"""Lets the processes of a run share the rewriting of assertions; a plugin.

Each process imports all test modules of its run. In a fresh clone each would rewrite all of them at
the same time; so each rewrites its share before it collects, and reads the others' from the cache.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import (
    PYC_TAIL,
    _read_pyc,
    _rewrite_test,
    _write_pyc,
    assertstate_key,
    get_cache_dir,
    try_makedirs,
)

from tests.support.services import ROOT


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    worker = getattr(config, "workerinput", None)
    is_whole = config.args == config.getini("testpaths")
    if worker is None or not is_whole or sys.dont_write_bytecode:
        return
    number = int(worker["workerid"].removeprefix("gw"))
    for module in list(_modules(config, ROOT / "tests"))[number :: worker["workercount"]]:
        _rewrite(config, module)


def _modules(config: pytest.Config, folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if config.hook.pytest_ignore_collect(collection_path=path, config=config):
            continue
        if path.is_dir():
            yield from _modules(config, path)
        elif path.match("test_*.py"):
            yield path


def _rewrite(config: pytest.Config, module: Path) -> None:
    state = config.stash[assertstate_key]
    folder = get_cache_dir(module)
    file = folder / f"{module.stem}{PYC_TAIL}"
    if try_makedirs(folder) and _read_pyc(module, file, state.trace) is None:
        source, code = _rewrite_test(module, config)
        _write_pyc(state, code, source, file)
