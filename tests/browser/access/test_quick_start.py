"""The quick start by pages: an empty installation to published standings, with nothing on the
console and nothing that axe finds."""

import re
from collections.abc import Callable

import pytest

from tests.support.browser import DESK, PHONE, launched, walk_in
from tests.support.live.project import LiveProject
from tests.support.quick_start import printed_link, walk_quick_start
from tests.support.sources import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.worker]


def test_pages_lead_from_an_empty_installation_to_published_standings(
    live_project: Callable[..., LiveProject], chromium: str
) -> None:
    project = live_project()
    project.serve()
    shots: list[str] = []
    with launched(chromium) as browser:
        walk = walk_in(browser, project.url, PHONE, DESK)
        walk_quick_start(walk, printed_link(project), shots.append)
        assert walk.wrong == []
    text = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
    assert re.findall(r"images/quickstart-([a-z-]+)\.png", text) == shots
