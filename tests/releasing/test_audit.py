"""`make audit` says what it looked at and what it could not reach."""

import pytest

from releasing.audit import report


def test_package_not_reached_is_named_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    found: list[dict[str, object]] = [
        {"name": "django", "version": "5.2", "vulns": []},
        {"name": "uv", "skip_reason": "Dependency not found"},
    ]
    assert not report("requirements.txt", 2, found)
    assert capsys.readouterr().out.splitlines() == [
        "requirements.txt: 1 of 2 packages looked up, 0 with a weakness.",
        "  Not reached, the index does not answer for them: uv",
    ]


def test_known_weakness_is_named_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    found = [{"name": "django", "version": "5.0", "vulns": [{"id": "PYSEC-1"}]}]
    assert not report("requirements.txt", 1, found)
    assert 'django: [{"id": "PYSEC-1"}]' in capsys.readouterr().out


def test_all_that_is_pinned_must_be_looked_up(capsys: pytest.CaptureFixture[str]) -> None:
    found = [{"name": "django", "version": "5.2", "vulns": []}]
    assert report("requirements.txt", 1, found)
    assert not report("requirements.txt", 2, found)
