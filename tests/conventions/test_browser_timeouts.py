"""tests/support/browser.py: no operation of the browser keeps a test process waiting for ever."""

import pytest

from tests.support import browser

pytestmark = pytest.mark.browser

NEVER = "() => new Promise(() => {})"


def test_answer_that_never_comes_fails_the_test_and_names_the_operation(
    chromium: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with browser.launched(chromium) as opened:
        page = opened.new_page()
        monkeypatch.setattr(browser, "LIMIT_S", 2.0)
        with pytest.raises(browser.NoAnswer, match=r"within 2 s: Page.evaluate .*about:blank"):
            page.evaluate(NEVER)
        monkeypatch.undo()
        assert page.evaluate("1 + 1") == 2


def test_silent_axe_is_loaded_anew(chromium: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with browser.launched(chromium) as opened:
        page = opened.new_page()
        page.set_content("<main><img src='data:,'></main>")
        page.evaluate(f"window.axe = {{run: {NEVER}}}")
        monkeypatch.setattr(browser, "LIMIT_S", 8.0)
        assert 'image-alt: <img src="data:,">' in browser.findings(page)


def test_page_that_asks_in_a_dialog_goes_on_and_the_dialog_is_told(chromium: str) -> None:
    with browser.launched(chromium) as opened:
        walk = browser.walk_in(opened, "http://127.0.0.1:9", browser.DESK)
        assert walk.page.evaluate("confirm('Leave?')") is False
        assert walk.wrong == ["dialog: Leave?"]
