"""Fixtures that every test may use. Which cells run is decided in tests/cells.py."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The directory that holds manage.py."""
    return ROOT
