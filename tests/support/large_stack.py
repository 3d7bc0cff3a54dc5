"""Each test runs in one chunk of frames: a sixth of the time of database tests went into many."""

import pytest
from _pytest.runner import runtestprotocol

from config.web.server import with_large_frame


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run one test as pytest does, on top of one large frame; not one that may be repeated."""
    if item.get_closest_marker("flaky") is not None:
        return None
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    with_large_frame(lambda: runtestprotocol(item, nextitem=nextitem))
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
